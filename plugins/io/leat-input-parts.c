/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-input-parts.h"

#include "leat.h"

#include <errno.h>
#include <unistd.h>

/* What the system has in memory is copied by who reads it, and one thread copies a tenth of what a link to a device
 * carries: so several threads read a part each, at places of its own. */

#define LEAT_INPUT_PART_LEAST   (256 * 1024) /* bytes below which a thread more costs what it saves */
#define LEAT_INPUT_READERS_MOST 16

typedef struct
{
  int fd;
  guint64 offset;
  guint8 *to;
  gsize size, part;
  gsize got[LEAT_INPUT_READERS_MOST];
} LeatInputParts;

/* One processor is left to whoever waits for the device, and one to whoever writes. */
guint
leat_input_parts_get_readers (void)
{
  guint n = g_get_num_processors ();

  return n > 3 ? MIN (n - 2, LEAT_INPUT_READERS_MOST) : 1;
}

static void
leat_input_parts_read_one (guint index, gpointer data)
{
  LeatInputParts *self = data;
  gsize begin = index * self->part, size = MIN (self->part, self->size - begin), got = 0;

  while (got < size)
    {
      gssize n = pread (self->fd, self->to + begin + got, size - got, (off_t) (self->offset + begin + got));

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      got += (gsize) n;
    }
  self->got[index] = got;
}

gsize
leat_input_parts_read (int fd, guint64 offset, gpointer to, gsize size, guint n_readers)
{
  LeatInputParts self = { .fd = fd, .offset = offset, .to = to, .size = size };
  guint n = (guint) MIN (MIN (n_readers, LEAT_INPUT_READERS_MOST), size / LEAT_INPUT_PART_LEAST);
  gsize got = 0;

  if (n < 2)
    return 0;
  self.part = (size + n - 1) / n;
  leat_work_share (n, n, leat_input_parts_read_one, &self);
  for (guint i = 0; i < n && got == i * self.part; i++)
    got += self.got[i];
  return got;
}
