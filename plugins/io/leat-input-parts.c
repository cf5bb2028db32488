/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A thread that reads copies what the system has in memory, at a tenth of the speed of a link to a device.  So several
 * threads read a part each, every one at a place of its own. */

#include "leat-input-parts.h"

#include "leat.h"

#include <errno.h>
#include <unistd.h>

#define LEAT_INPUT_PART_LEAST   (256 * 1024) /* bytes below which a thread more costs what it saves */
#define LEAT_INPUT_READERS_MOST 16

typedef struct
{
  LeatWork *work;
  int fd;
  guint64 offset;
  guint8 *to;
  gsize size, part;
  guint n;
  gsize got[LEAT_INPUT_READERS_MOST];
} LeatInputStretch;

struct _LeatInputParts
{
  LeatWorkers *workers;
  guint n_readers;
  GQueue begun;
};

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
  LeatInputStretch *self = data;
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

LeatInputParts *
leat_input_parts_new (guint n_readers)
{
  LeatInputParts *self = g_new0 (LeatInputParts, 1);

  self->n_readers = MIN (n_readers, LEAT_INPUT_READERS_MOST);
  self->workers = leat_workers_new (self->n_readers);
  return self;
}

void
leat_input_parts_free (LeatInputParts *self)
{
  while (leat_input_parts_get_n_begun (self) > 0)
    leat_input_parts_end (self);
  leat_workers_free (self->workers);
  g_free (self);
}

gboolean
leat_input_parts_begin (LeatInputParts *self, int fd, guint64 offset, gpointer to, gsize size)
{
  guint n = (guint) MIN (self->n_readers, size / LEAT_INPUT_PART_LEAST);
  LeatInputStretch *stretch;

  if (n < 2)
    return FALSE;
  stretch = g_new0 (LeatInputStretch, 1);
  *stretch = (LeatInputStretch){ .fd = fd, .offset = offset, .to = to, .size = size, .n = n };
  stretch->part = (size + n - 1) / n;
  stretch->work = leat_workers_begin (self->workers, n, leat_input_parts_read_one, stretch);
  g_queue_push_tail (&self->begun, stretch);
  return TRUE;
}

gsize
leat_input_parts_end (LeatInputParts *self)
{
  g_autofree LeatInputStretch *stretch = g_queue_pop_head (&self->begun);
  gsize got = 0;

  leat_workers_end (self->workers, stretch->work);
  for (guint i = 0; i < stretch->n && got == i * stretch->part; i++)
    got += stretch->got[i];
  return got;
}

guint
leat_input_parts_get_n_begun (LeatInputParts *self)
{
  return self->begun.length;
}
