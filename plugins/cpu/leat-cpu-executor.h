/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-cpu-state.h"

G_BEGIN_DECLS

/* Threads that run what is ready: streams with work, branches of graphs.  A ready task always has a thread of its own
 * coming, so tasks that wait for each other all make progress; a thread is kept when its task ends, and none is made
 * before the first task.  All functions want the lock. */
typedef struct _LeatCpuTask LeatCpuTask;

struct _LeatCpuTask
{
  LeatCpuTask *next;
  LeatCpuTask *previous;
  gboolean queued;
  void (*run) (LeatCpuTask *task); /* with the lock, and returns with it */
};

void leat_cpu_executor_post (LeatCpuTask *task);
/* The same for a task that is often taken back at once: while that is so no thread is woken for it, and the one that
 * keeps watch begins it a little later. */
void leat_cpu_executor_post_unhurried (LeatCpuTask *task);
/* Takes the task back where no thread has begun it, for the caller to run. */
gboolean leat_cpu_executor_take (LeatCpuTask *task);
/* It was one that had been posted unhurried. */
void leat_cpu_executor_note_taken (void);

G_END_DECLS
