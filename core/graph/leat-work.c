/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Work of the host that several threads share.  A thread that waits for its end does parts of it like any other.  It
 * waits for parts that others have begun, never for threads that have begun none.  So it gets on where all threads of
 * the pool are taken, also by work that is shared out in a part of other work. */

#include "leat-workers.h"

#include <pthread.h>

/* Of the pool, where there are no more processors: threads that read files wait most of the time. */
#define LEAT_WORK_THREADS_LEAST 16

struct _LeatWork
{
  LeatWorkFunc func;
  gpointer user_data;
  guint n_parts;
  guint next;   /* the part that nobody has taken */
  guint n_left; /* parts that are not done */
};

struct _LeatWorkers
{
  guint n_most; /* helpers */

  /* pthread's own, because the thread sanitizer knows these where it does not know GLib's. */
  pthread_mutex_t lock;
  pthread_cond_t done; /* all of some work */
  GQueue works;        /* that have parts which nobody has taken, in the order in which they were begun */
  guint n_helpers;     /* of the pool, at it or about to be */
  guint n_refs;        /* whose it is, and its helpers */
};

/* Under the lock, which is gone then. */
static void
leat_workers_unref (LeatWorkers *self)
{
  gboolean last = --self->n_refs == 0;

  pthread_mutex_unlock (&self->lock);
  if (!last)
    return;
  pthread_cond_destroy (&self->done);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

/* Under the lock, which others may have while the part is done. */
static void
leat_workers_do_part (LeatWorkers *self, LeatWork *work)
{
  guint part = work->next++;

  if (work->next == work->n_parts)
    g_queue_remove (&self->works, work);
  pthread_mutex_unlock (&self->lock);
  (*work->func) (part, work->user_data);
  pthread_mutex_lock (&self->lock);
  if (--work->n_left == 0)
    pthread_cond_broadcast (&self->done);
}

static void
leat_workers_help (gpointer data, gpointer user_data)
{
  LeatWorkers *self = data;

  pthread_mutex_lock (&self->lock);
  while (!g_queue_is_empty (&self->works))
    leat_workers_do_part (self, g_queue_peek_head (&self->works));
  self->n_helpers--;
  leat_workers_unref (self);
}

static GThreadPool *
leat_work_get_pool (void)
{
  static gsize pool = 0;

  if (g_once_init_enter (&pool))
    {
      gint most = MAX ((gint) g_get_num_processors (), LEAT_WORK_THREADS_LEAST);

      g_once_init_leave (&pool, (gsize) g_thread_pool_new (leat_workers_help, NULL, most, FALSE, NULL));
    }
  return (GThreadPool *) pool;
}

/**
 * leat_workers_new: (skip)
 * @n_threads: how many threads are at a work at most, the one that ends it among them
 *
 * Makes workers, which have nothing to do yet.
 *
 * Returns: (transfer full): the workers
 *
 * Since: 0.1
 */
LeatWorkers *
leat_workers_new (guint n_threads)
{
  LeatWorkers *self = g_new0 (LeatWorkers, 1);

  self->n_most = MAX (n_threads, 1) - 1;
  self->n_refs = 1;
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->done, NULL);
  return self;
}

/**
 * leat_workers_free: (skip)
 * @self: (transfer full): workers
 *
 * Frees workers, when every work of theirs has been ended.
 *
 * Since: 0.1
 */
void
leat_workers_free (LeatWorkers *self)
{
  g_return_if_fail (self != NULL);

  pthread_mutex_lock (&self->lock);
  leat_workers_unref (self);
}

/**
 * leat_workers_begin: (skip)
 * @self: workers
 * @n_parts: how many parts the work has
 * @func: (scope call) (closure user_data): does one part, as with leat_work_share()
 * @user_data: for @func
 *
 * Begins a work, and does not wait. Parts are taken in the order in which works were begun.
 *
 * Returns: (transfer full): the work, for leat_workers_end()
 *
 * Since: 0.1
 */
LeatWork *
leat_workers_begin (LeatWorkers *self, guint n_parts, LeatWorkFunc func, gpointer user_data)
{
  LeatWork *work;
  guint n;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (func != NULL, NULL);

  work = g_new (LeatWork, 1);
  *work = (LeatWork){ .func = func, .user_data = user_data, .n_parts = n_parts, .n_left = n_parts };
  pthread_mutex_lock (&self->lock);
  if (n_parts > 0)
    g_queue_push_tail (&self->works, work);
  n = MIN (self->n_most - self->n_helpers, n_parts);
  self->n_helpers += n;
  self->n_refs += n;
  pthread_mutex_unlock (&self->lock);
  for (guint i = 0; i < n; i++)
    g_thread_pool_push (leat_work_get_pool (), self, NULL);
  return work;
}

/**
 * leat_workers_end: (skip)
 * @self: workers
 * @work: (transfer full): a work that they have begun
 *
 * Does parts that nobody has taken and waits for the others: when it returns, all are done.
 *
 * Since: 0.1
 */
void
leat_workers_end (LeatWorkers *self, LeatWork *work)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (work != NULL);

  pthread_mutex_lock (&self->lock);
  while (work->next < work->n_parts)
    leat_workers_do_part (self, work);
  while (work->n_left > 0)
    pthread_cond_wait (&self->done, &self->lock);
  pthread_mutex_unlock (&self->lock);
  g_free (work);
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
  g_autoptr (LeatWorkers) workers = NULL;

  g_return_if_fail (func != NULL);

  if (n < 2)
    {
      for (guint part = 0; part < n_parts; part++)
        (*func) (part, user_data);
      return;
    }
  workers = leat_workers_new (n);
  leat_workers_end (workers, leat_workers_begin (workers, n_parts, func, user_data));
}
