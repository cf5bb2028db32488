/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Threads that run ready tasks: streams with work, and branches of graphs.  Touches the queue of tasks and its own
 * threads only, with the lock held. */

#include "leat-cpu-executor.h"

#include "leat-cpu-crew.h"

#include <signal.h>
#include <time.h>

static LeatCpuTask *leat_cpu_task_first;
static LeatCpuTask *leat_cpu_task_last;
static guint leat_cpu_n_queued;
static guint leat_cpu_n_idle; /* threads that wait for a task, or were started for one and have not begun */
static pthread_cond_t leat_cpu_task_ready = PTHREAD_COND_INITIALIZER;

/* To wake a thread costs microseconds, and an application that launches and waits takes its work back before the thread
 * has begun.  Where that has been so for a while, one idle thread keeps watch: it looks at the queue every so often,
 * and need not be woken.  Work that nobody waits for begins that much later, and ends the watch soon. */
#define LEAT_CPU_WATCH_NS       100000
#define LEAT_CPU_WATCH_LOOKS    20 /* without anything posted: the watch ends */
#define LEAT_CPU_WATCH_SCORE    16 /* taken back that many times more than not */
#define LEAT_CPU_WATCH_MOST     32
#define LEAT_CPU_WATCH_NOT_BACK 8

static gint leat_cpu_watch_score;
static gboolean leat_cpu_is_watched;
static guint64 leat_cpu_n_unhurried;

static void
leat_cpu_executor_unlink (LeatCpuTask *task)
{
  if (task->previous != NULL)
    task->previous->next = task->next;
  else
    leat_cpu_task_first = task->next;
  if (task->next != NULL)
    task->next->previous = task->previous;
  else
    leat_cpu_task_last = task->previous;
  task->next = task->previous = NULL;
  task->queued = FALSE;
  leat_cpu_n_queued--;
}

static void
leat_cpu_executor_look_later (void)
{
  struct timespec until;

  clock_gettime (CLOCK_MONOTONIC, &until);
  until.tv_nsec += LEAT_CPU_WATCH_NS;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait (&leat_cpu_task_ready, &leat_cpu_lock, &until);
}

static void
leat_cpu_executor_watch (void)
{
  guint64 n_posted = leat_cpu_n_unhurried;
  guint n_looks = 0;

  leat_cpu_is_watched = TRUE;
  while (leat_cpu_task_first == NULL && n_looks < LEAT_CPU_WATCH_LOOKS)
    {
      leat_cpu_executor_look_later ();
      n_looks = leat_cpu_n_unhurried == n_posted ? n_looks + 1 : 0;
      n_posted = leat_cpu_n_unhurried;
    }
  leat_cpu_is_watched = FALSE;
  if (leat_cpu_task_first == NULL)
    leat_cpu_watch_score = 0;
  else
    leat_cpu_watch_score = MAX (leat_cpu_watch_score - LEAT_CPU_WATCH_NOT_BACK, 0);
}

static void
leat_cpu_executor_wait (void)
{
  while (leat_cpu_task_first == NULL)
    if (leat_cpu_watch_score >= LEAT_CPU_WATCH_SCORE && !leat_cpu_is_watched)
      leat_cpu_executor_watch ();
    else
      pthread_cond_wait (&leat_cpu_task_ready, &leat_cpu_lock);
}

static void *
leat_cpu_executor_main (void *unused)
{
  leat_cpu_acquire ();
  for (;;)
    {
      leat_cpu_executor_wait ();
      leat_cpu_n_idle--;
      LeatCpuTask *task = leat_cpu_task_first;
      leat_cpu_executor_unlink (task);
      task->run (task);
      leat_cpu_n_idle++;
    }
  return NULL;
}

/* Before the first thread, and so before anybody waits.  The time of day may be set. */
static void
leat_cpu_executor_init (void)
{
  static gboolean is_done;
  pthread_condattr_t attributes;

  if (is_done)
    return;
  is_done = TRUE;
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&leat_cpu_task_ready, &attributes);
  pthread_condattr_destroy (&attributes);
}

static void
leat_cpu_executor_start_thread (void)
{
  sigset_t before;
  pthread_attr_t attributes;
  pthread_t thread;

  leat_cpu_executor_init ();
  leat_cpu_crew_block_signals (&before);
  pthread_attr_init (&attributes);
  pthread_attr_setdetachstate (&attributes, PTHREAD_CREATE_DETACHED);
  if (pthread_create (&thread, &attributes, leat_cpu_executor_main, NULL) == 0)
    leat_cpu_n_idle++;
  else if (leat_cpu_n_idle == 0)
    g_printerr ("leat-cpu: cannot start a thread; work waits until one is free\n");
  pthread_attr_destroy (&attributes);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
}

static void
leat_cpu_executor_append (LeatCpuTask *task)
{
  task->queued = TRUE;
  task->next = NULL;
  task->previous = leat_cpu_task_last;
  if (leat_cpu_task_last != NULL)
    leat_cpu_task_last->next = task;
  else
    leat_cpu_task_first = task;
  leat_cpu_task_last = task;
  leat_cpu_n_queued++;
}

void
leat_cpu_executor_post (LeatCpuTask *task)
{
  leat_cpu_executor_append (task);
  if (leat_cpu_n_queued > leat_cpu_n_idle)
    leat_cpu_executor_start_thread ();
  else
    pthread_cond_signal (&leat_cpu_task_ready);
}

void
leat_cpu_executor_post_unhurried (LeatCpuTask *task)
{
  leat_cpu_n_unhurried++;
  if (!leat_cpu_is_watched || leat_cpu_n_queued > 0)
    leat_cpu_executor_post (task);
  else
    leat_cpu_executor_append (task);
}

void
leat_cpu_executor_note_taken (void)
{
  leat_cpu_watch_score = MIN (leat_cpu_watch_score + 1, LEAT_CPU_WATCH_MOST);
}

gboolean
leat_cpu_executor_take (LeatCpuTask *task)
{
  if (!task->queued)
    return FALSE;
  leat_cpu_executor_unlink (task);
  return TRUE;
}
