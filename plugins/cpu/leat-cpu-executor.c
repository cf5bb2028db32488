/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-cpu-executor.h"

#include "leat-cpu-crew.h"

#include <signal.h>

static LeatCpuTask *leat_cpu_task_first;
static LeatCpuTask *leat_cpu_task_last;
static guint leat_cpu_n_queued;
static guint leat_cpu_n_idle; /* threads that wait for a task, or were started for one and have not begun */
static pthread_cond_t leat_cpu_task_ready = PTHREAD_COND_INITIALIZER;

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

static void *
leat_cpu_executor_main (void *unused)
{
  leat_cpu_acquire ();
  for (;;)
    {
      while (leat_cpu_task_first == NULL)
        pthread_cond_wait (&leat_cpu_task_ready, &leat_cpu_lock);
      leat_cpu_n_idle--;
      LeatCpuTask *task = leat_cpu_task_first;
      leat_cpu_executor_unlink (task);
      task->run (task);
      leat_cpu_n_idle++;
    }
  return NULL;
}

static void
leat_cpu_executor_start_thread (void)
{
  sigset_t before;
  pthread_attr_t attributes;
  pthread_t thread;

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

void
leat_cpu_executor_post (LeatCpuTask *task)
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
  if (leat_cpu_n_queued > leat_cpu_n_idle)
    leat_cpu_executor_start_thread ();
  else
    pthread_cond_signal (&leat_cpu_task_ready);
}

gboolean
leat_cpu_executor_take (LeatCpuTask *task)
{
  if (!task->queued)
    return FALSE;
  leat_cpu_executor_unlink (task);
  return TRUE;
}
