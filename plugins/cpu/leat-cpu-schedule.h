/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-cpu-executor.h"
#include "leat-cpu-graph.h"

G_BEGIN_DECLS

typedef struct _LeatCpuSchedule LeatCpuSchedule;
typedef struct _LeatCpuStep LeatCpuStep;

/* A node of a graph as an executable holds it: a copy of its body, and where the run stands. */
struct _LeatCpuStep
{
  LeatCpuNode *source; /* the graph's node; only compared, it may be gone */
  CUgraphNodeType type;
  gboolean enabled;
  LeatCpuOp op;
  LeatCpuEvent *event;
  guint event_index; /* into the run's marks */
  gint64 kernel_ns;  /* how long the kernel took when it was last timed; 0: not yet */
  LeatCpuSchedule *child;
  LeatCpuCondition *condition;
  CUgraphConditionalNodeType condition_type;
  guint n_bodies;
  LeatCpuSchedule **bodies;

  guint n_from;
  guint n_to;
  guint *to; /* steps that wait for this one */

  LeatCpuSchedule *schedule;
  guint pending; /* of n_from, in this run */
  LeatCpuTask task;
  LeatCpuStep *next_light;
};

/* A graph worked out for running: its nodes in an order that respects the edges, the earlier created first where the
 * edges leave it open.  One thread at a time may run it. */
struct _LeatCpuSchedule
{
  guint n_steps;
  LeatCpuStep *steps;
  gboolean in_body;   /* of a conditional node */
  gboolean is_serial; /* nothing long in it can run beside anything else long */
  guint n_runs;
  gboolean times_kernels; /* in this run */
  guint *longest;         /* room for the question whether it is serial */

  guint n_left;
  LeatCpuGraphRun *run;
  gboolean owner_waits;
  pthread_cond_t ended;
};

/* With the lock.  NULL where the edges form a cycle; @n_events counts on. */
LeatCpuSchedule *leat_cpu_schedule_new (LeatCpuGraph *graph, guint *n_events);
void leat_cpu_schedule_free (LeatCpuSchedule *schedule);
/* The graph that it could have been made from; NULL where it has conditional nodes. */
LeatCpuGraph *leat_cpu_schedule_make_graph (LeatCpuSchedule *schedule);
/* Without the lock: runs everything and returns. */
void leat_cpu_schedule_run (LeatCpuSchedule *schedule, LeatCpuGraphRun *run);

/* Between making and running: short work that needs no thread of its own, and what a handed out step's task calls. */
gboolean leat_cpu_step_is_light (const LeatCpuStep *step);
/* After kernels have been timed. */
void leat_cpu_schedule_weigh (LeatCpuSchedule *schedule);
void leat_cpu_step_run_task (LeatCpuTask *task);

typedef gboolean (*LeatCpuStepFunc) (LeatCpuStep *step, gpointer data);
/* Calls for every step at any depth, until one returns TRUE; returns that step. */
LeatCpuStep *leat_cpu_schedule_find (LeatCpuSchedule *schedule, LeatCpuStepFunc func, gpointer data);

G_END_DECLS
