/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-input-parts.h"

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
  gint next; /* atomic: the part that nobody has taken */
  gsize got[LEAT_INPUT_READERS_MOST];
  guint n_parts;

  GMutex lock;
  GCond done;
  guint n_helpers; /* under the lock: that are not done */
} LeatInputParts;

/* One processor is left to whoever waits for the device, and one to whoever writes. */
guint
leat_input_parts_get_readers (void)
{
  guint n = g_get_num_processors ();

  return n > 3 ? MIN (n - 2, LEAT_INPUT_READERS_MOST) : 1;
}

static gsize
leat_input_parts_read_one (LeatInputParts *self, guint index)
{
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
  return got;
}

static void
leat_input_parts_work (LeatInputParts *self)
{
  guint i;

  while ((i = (guint) g_atomic_int_add (&self->next, 1)) < self->n_parts)
    self->got[i] = leat_input_parts_read_one (self, i);
}

static void
leat_input_parts_help (gpointer data, gpointer user_data)
{
  LeatInputParts *self = data;

  leat_input_parts_work (self);
  g_mutex_lock (&self->lock);
  if (--self->n_helpers == 0)
    g_cond_signal (&self->done);
  g_mutex_unlock (&self->lock);
}

static GThreadPool *
leat_input_parts_get_pool (void)
{
  static gsize pool = 0;

  if (g_once_init_enter (&pool))
    g_once_init_leave (&pool,
                       (gsize) g_thread_pool_new (leat_input_parts_help, NULL, LEAT_INPUT_READERS_MOST, FALSE, NULL));
  return (GThreadPool *) pool;
}

static void
leat_input_parts_share (LeatInputParts *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->done);
  self->n_helpers = self->n_parts - 1;
  for (guint i = 1; i < self->n_parts; i++)
    g_thread_pool_push (leat_input_parts_get_pool (), self, NULL);
  leat_input_parts_work (self);
  g_mutex_lock (&self->lock);
  while (self->n_helpers > 0)
    g_cond_wait (&self->done, &self->lock);
  g_mutex_unlock (&self->lock);
  g_cond_clear (&self->done);
  g_mutex_clear (&self->lock);
}

gsize
leat_input_parts_read (int fd, guint64 offset, gpointer to, gsize size, guint n_readers)
{
  LeatInputParts self = { .fd = fd, .offset = offset, .to = to, .size = size };
  gsize got = 0;

  self.n_parts = (guint) MIN (MIN (n_readers, LEAT_INPUT_READERS_MOST), size / LEAT_INPUT_PART_LEAST);
  if (self.n_parts < 2)
    return 0;
  self.part = (size + self.n_parts - 1) / self.n_parts;
  leat_input_parts_share (&self);
  for (guint i = 0; i < self.n_parts && got == i * self.part; i++)
    got += self.got[i];
  return got;
}
