/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-cpu-schedule.h"

G_BEGIN_DECLS

#define LEAT_CPU_EXEC_MAGIC 0x4c457865u

typedef struct _LeatCpuChange LeatCpuChange;

/* A CUgraphExec.  Launches of it run one after the other, in the order of the launch calls, whatever their streams:
 * each has a ticket.  A change of parameters while launches wait is kept until those have run. */
struct _LeatCpuExec
{
  guint32 magic;
  guint refs; /* the application's and one for each launch under way */
  guint64 flags;
  guint64 device_bytes;
  LeatCpuGraph *graph; /* that counts it as its only one, while that lives */
  LeatCpuSchedule *schedule;
  guint n_events;
  GPtrArray *conditions; /* of LeatCpuCondition, kept alive */
  guint64 next_ticket;
  guint64 serving;
  guint n_waiters;
  pthread_cond_t served;
  LeatCpuChange *first_change;
  LeatCpuChange *last_change;
};

/* With the lock. */
LeatCpuExec *leat_cpu_exec_from_handle (CUgraphExec handle);
/* Without the lock. */
guint64 leat_cpu_exec_get_device_bytes (void);
void leat_cpu_exec_unref (LeatCpuExec *exec);
CUresult leat_cpu_exec_run (LeatCpuGraphRun *run);

/* A new body for a step; for launches that are still to be asked for. */
struct _LeatCpuChange
{
  LeatCpuChange *next;
  guint64 ticket;
  LeatCpuStep *step;
  gboolean sets_op;
  LeatCpuOp op;
  LeatCpuEvent *event;
  LeatCpuCondition *condition; /* that steers the step from now on */
  GPtrArray *conditions;       /* of the executable, from now on */
  int enabled;                 /* or -1 */
};

/* With the lock; takes over what the change holds, at once or when it is due. */
void leat_cpu_exec_change (LeatCpuExec *exec, LeatCpuChange change);
void leat_cpu_exec_apply_changes (LeatCpuExec *exec, guint64 ticket);
GPtrArray *leat_cpu_graph_list_conditions (LeatCpuGraph *graph); /* of LeatCpuCondition */
LeatCpuStep *leat_cpu_exec_find_step (LeatCpuExec *exec, CUgraphNode node);
/* The step as it will be once all changes that wait have been made. */
const LeatCpuOp *leat_cpu_exec_peek_op (LeatCpuExec *exec, const LeatCpuStep *step);

G_END_DECLS
