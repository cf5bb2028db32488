/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-batch-private.h"

#include <string.h>

/* One thread copies a third to a tenth of what a link carries: large copies are shared among the processors. */

#define LEAT_COPY_ALONE (512 * 1024) /* bytes below which a thread more costs what it saves */

typedef struct
{
  const LeatCopyJob *jobs;
  guint n;
  gint next;    /* atomic */
  gint n_parts; /* atomic: threads that are not done */
  GMutex lock;
  GCond done;
} LeatCopyWork;

static void
leat_copy_work_do (LeatCopyWork *self)
{
  guint i;

  while ((i = (guint) g_atomic_int_add (&self->next, 1)) < self->n)
    if (self->jobs[i].bytes > 0) /* of nothing there may be no address */
      memcpy (self->jobs[i].to, self->jobs[i].from, self->jobs[i].bytes);
}

static void
leat_copy_work_help (gpointer data, gpointer user_data)
{
  LeatCopyWork *self = data;

  leat_copy_work_do (self);
  g_mutex_lock (&self->lock);
  if (g_atomic_int_dec_and_test (&self->n_parts))
    g_cond_signal (&self->done);
  g_mutex_unlock (&self->lock);
}

static GThreadPool *
leat_copy_get_pool (void)
{
  static gsize pool = 0;

  if (g_once_init_enter (&pool))
    g_once_init_leave (
      &pool, (gsize) g_thread_pool_new (leat_copy_work_help, NULL, (gint) g_get_num_processors (), FALSE, NULL));
  return (GThreadPool *) pool;
}

static guint
leat_copy_count_helpers (const LeatCopyJob *jobs, guint n)
{
  gsize bytes = 0;

  for (guint i = 0; i < n; i++)
    bytes += jobs[i].bytes;
  return MIN (MIN (bytes / LEAT_COPY_ALONE, n), g_get_num_processors ()) - (bytes >= LEAT_COPY_ALONE && n > 0);
}

void
leat_copy_jobs_run (const LeatCopyJob *jobs, guint n)
{
  LeatCopyWork work = { .jobs = jobs, .n = n };
  guint n_helpers = leat_copy_count_helpers (jobs, n);

  g_mutex_init (&work.lock);
  g_cond_init (&work.done);
  work.n_parts = (gint) n_helpers;
  for (guint i = 0; i < n_helpers; i++)
    g_thread_pool_push (leat_copy_get_pool (), &work, NULL);
  leat_copy_work_do (&work);
  g_mutex_lock (&work.lock);
  while (g_atomic_int_get (&work.n_parts) > 0)
    g_cond_wait (&work.done, &work.lock);
  g_mutex_unlock (&work.lock);
  g_cond_clear (&work.done);
  g_mutex_clear (&work.lock);
}
