/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-work.h"

/* Work of the host that several threads share.  Who shares it does parts of it like any other, and waits for parts that
 * others have begun, never for threads that have begun none: so it gets on where all threads of the pool are taken,
 * also by work that is shared out in a part of other work. */

/* Of the pool, where there are no more processors: who reads files waits most of the time. */
#define LEAT_WORK_THREADS_LEAST 16

typedef struct
{
  LeatWorkFunc func;
  gpointer user_data;
  guint n_parts;
  gint next;   /* atomic: the part that nobody has taken */
  gint n_left; /* atomic: parts that are not done */
  gint n_refs; /* atomic: whose it is, and threads that may not have looked at it yet */
  GMutex lock;
  GCond done;
} LeatWork;

static void
leat_work_unref (LeatWork *self)
{
  if (!g_atomic_int_dec_and_test (&self->n_refs))
    return;
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->done);
  g_free (self);
}

/* @self may be freed by others when all parts are done, but for who holds it. */
static void
leat_work_do (LeatWork *self)
{
  guint part;

  while ((part = (guint) g_atomic_int_add (&self->next, 1)) < self->n_parts)
    {
      (*self->func) (part, self->user_data);
      if (!g_atomic_int_dec_and_test (&self->n_left))
        continue;
      g_mutex_lock (&self->lock);
      g_cond_signal (&self->done);
      g_mutex_unlock (&self->lock);
    }
}

static void
leat_work_help (gpointer data, gpointer user_data)
{
  leat_work_do (data);
  leat_work_unref (data);
}

static GThreadPool *
leat_work_get_pool (void)
{
  static gsize pool = 0;

  if (g_once_init_enter (&pool))
    {
      gint most = MAX ((gint) g_get_num_processors (), LEAT_WORK_THREADS_LEAST);

      g_once_init_leave (&pool, (gsize) g_thread_pool_new (leat_work_help, NULL, most, FALSE, NULL));
    }
  return (GThreadPool *) pool;
}

static void
leat_work_share_out (LeatWork *self, guint n_helpers)
{
  for (guint i = 0; i < n_helpers; i++)
    g_thread_pool_push (leat_work_get_pool (), self, NULL);
  leat_work_do (self);
  g_mutex_lock (&self->lock);
  while (g_atomic_int_get (&self->n_left) > 0)
    g_cond_wait (&self->done, &self->lock);
  g_mutex_unlock (&self->lock);
}

/**
 * leat_work_share:
 * @n_parts: how many parts the work has
 * @n_threads: how many threads do it at most, the calling one among them; 0 and 1: it alone
 * @func: (scope call) (closure user_data): does one part
 * @user_data: for @func
 *
 * Has several threads do what one would be long about, such as copying or reading much at once.
 *
 * @func is called once for each part, in no order that can be relied on.  When the function returns all parts are done,
 * and what they wrote is seen by the caller.  The threads are of one pool for the whole process; a part may wait, and
 * may share out work itself.
 *
 * A thread costs some microseconds: give each half a megabyte to copy at least.
 */
void
leat_work_share (guint n_parts, guint n_threads, LeatWorkFunc func, gpointer user_data)
{
  guint n = MIN (n_parts, n_threads);
  LeatWork *self;

  g_return_if_fail (func != NULL);
  g_return_if_fail (n_parts < G_MAXINT / 2); /* threads that find nothing count on */

  if (n < 2)
    {
      for (guint part = 0; part < n_parts; part++)
        (*func) (part, user_data);
      return;
    }
  self = g_new (LeatWork, 1);
  *self = (LeatWork){ .func = func, .user_data = user_data, .n_parts = n_parts };
  self->n_left = (gint) n_parts;
  self->n_refs = (gint) n;
  g_mutex_init (&self->lock);
  g_cond_init (&self->done);
  leat_work_share_out (self, n - 1);
  leat_work_unref (self);
}
