/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One run of a schedule: its steps in order, or its branches on several threads.  Touches the steps and the marks of
 * the run, never the graph that they were copied from. */

#include "leat-cpu-count.h"
#include "leat-cpu-graph-exec.h"

/* How long kernels take is looked at in the first runs, the very first being no example, and now and then. */
#define LEAT_CPU_TIMED_FIRST 2
#define LEAT_CPU_TIMED_EACH  16

static gboolean
leat_cpu_step_may_go_on (void)
{
  return leat_cpu_get_failure () == CUDA_SUCCESS;
}

/* A loop may have no end of its own: it ends where work has failed, be it work of another stream, and where the context
 * ends. */
static void
leat_cpu_step_run_loop (LeatCpuStep *step, LeatCpuGraphRun *run)
{
  guint64 n = 0;

  while (leat_cpu_condition_get (step->condition) != 0 && leat_cpu_step_may_go_on ())
    {
      if (G_UNLIKELY (leat_cpu_loops_are_over ()))
        {
          leat_cpu_fail (CUDA_ERROR_LAUNCH_TIMEOUT);
          break;
        }
      leat_cpu_schedule_run (step->bodies[0], run);
      n++;
    }
  leat_cpu_count_many (bodies_run, n);
}

static void
leat_cpu_step_run_conditional (LeatCpuStep *step, LeatCpuGraphRun *run)
{
  guint value = leat_cpu_condition_get (step->condition);

  if (step->condition_type == CU_GRAPH_COND_TYPE_WHILE)
    {
      leat_cpu_step_run_loop (step, run);
      return;
    }
  /* The body of an IF is the first, and the second is its ELSE. */
  if (step->condition_type == CU_GRAPH_COND_TYPE_IF)
    value = value == 0;
  if (value >= step->n_bodies)
    return;
  leat_cpu_schedule_run (step->bodies[value], run);
  leat_cpu_count (bodies_run);
}

static void
leat_cpu_step_run_event (LeatCpuStep *step, LeatCpuGraphRun *run)
{
  LeatCpuMark *mark = run->marks[step->event_index];

  if (mark == NULL)
    return;
  leat_cpu_acquire ();
  if (step->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
    leat_cpu_mark_reach (mark);
  else
    leat_cpu_mark_wait (mark);
  leat_cpu_release ();
}

static void
leat_cpu_step_run (LeatCpuStep *step, LeatCpuGraphRun *run)
{
  gboolean times = step->schedule->times_kernels && step->type == CU_GRAPH_NODE_TYPE_KERNEL;
  CUresult result;
  gint64 began;

  if (!step->enabled)
    return;
  switch (step->type)
    {
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      leat_cpu_step_run_event (step, run);
      break;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      leat_cpu_schedule_run (step->child, run);
      break;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      if (leat_cpu_step_may_go_on ())
        leat_cpu_step_run_conditional (step, run);
      break;
    default:
      if (step->op.kind == LEAT_CPU_OP_KERNEL)
        step->op.kernel.conditions = run->exec->conditions;
      began = times ? leat_cpu_now_ns () : 0;
      result = leat_cpu_op_run (&step->op);
      if (G_UNLIKELY (result != CUDA_SUCCESS))
        leat_cpu_fail (result);
      if (G_UNLIKELY (times))
        step->kernel_ns = MAX (leat_cpu_now_ns () - began, 1);
      break;
    }
}

/* Short work that has become possible is done by the thread at hand; of the long work it keeps one piece and hands the
 * others out. */
static void
leat_cpu_step_offer (LeatCpuStep *step, LeatCpuStep **light, LeatCpuStep **held)
{
  if (leat_cpu_step_is_light (step))
    {
      step->next_light = *light;
      *light = step;
    }
  else if (*held == NULL)
    *held = step;
  else
    leat_cpu_executor_post (&step->task);
}

static LeatCpuStep *
leat_cpu_step_pick (LeatCpuStep **light, LeatCpuStep **held)
{
  LeatCpuStep *step = *light;

  if (step == NULL)
    return g_steal_pointer (held);
  *light = step->next_light;
  return step;
}

/* The only step behind this one where that waits for no other and nothing has to wait for it: no other thread need be
 * told of either. */
static LeatCpuStep *
leat_cpu_step_get_link (LeatCpuSchedule *schedule, const LeatCpuStep *step, gboolean is_free)
{
  LeatCpuStep *next = step->n_to == 1 ? &schedule->steps[step->to[0]] : NULL;

  return next != NULL && next->n_from == 1 && (is_free || leat_cpu_step_is_light (next)) ? next : NULL;
}

/* Without the lock: runs a step and what hangs on it alone; returns how many there were, and the last of them. */
static guint
leat_cpu_schedule_run_chain (LeatCpuSchedule *schedule, LeatCpuStep **step, gboolean is_free)
{
  LeatCpuStep *next = *step;
  guint n = 0;

  while (next != NULL)
    {
      *step = next;
      leat_cpu_count_many (graph_nodes_run, next->enabled);
      leat_cpu_step_run (next, schedule->run);
      n++;
      next = leat_cpu_step_get_link (schedule, next, is_free);
    }
  return n;
}

/* With the lock: runs steps until nothing that this thread made possible is left. */
static void
leat_cpu_schedule_work (LeatCpuSchedule *schedule, LeatCpuStep *light, LeatCpuStep *held)
{
  LeatCpuStep *step;

  while ((step = leat_cpu_step_pick (&light, &held)) != NULL)
    {
      guint n;

      leat_cpu_release ();
      n = leat_cpu_schedule_run_chain (schedule, &step, light == NULL && held == NULL);
      leat_cpu_acquire ();
      schedule->n_left -= n;
      for (guint e = 0; e < step->n_to; e++)
        {
          LeatCpuStep *next = &schedule->steps[step->to[e]];

          if (--next->pending == 0)
            leat_cpu_step_offer (next, &light, &held);
        }
    }
  if (schedule->n_left == 0 && schedule->owner_waits)
    pthread_cond_signal (&schedule->ended);
}

void
leat_cpu_step_run_task (LeatCpuTask *task)
{
  LeatCpuStep *step = (LeatCpuStep *) ((char *) task - offsetof (LeatCpuStep, task));

  leat_cpu_schedule_work (step->schedule, NULL, step);
}

/* With the lock: what was handed out and not begun comes back. */
static LeatCpuStep *
leat_cpu_schedule_take_back (LeatCpuSchedule *schedule)
{
  for (guint i = 0; i < schedule->n_steps; i++)
    if (leat_cpu_executor_take (&schedule->steps[i].task))
      return &schedule->steps[i];
  return NULL;
}

static void
leat_cpu_schedule_run_branches (LeatCpuSchedule *schedule)
{
  LeatCpuStep *light = NULL;
  LeatCpuStep *held = NULL;

  leat_cpu_acquire ();
  schedule->n_left = schedule->n_steps;
  schedule->owner_waits = FALSE;
  for (guint i = 0; i < schedule->n_steps; i++)
    schedule->steps[i].pending = schedule->steps[i].n_from;
  for (guint i = 0; i < schedule->n_steps; i++)
    if (schedule->steps[i].n_from == 0)
      leat_cpu_step_offer (&schedule->steps[i], &light, &held);
  leat_cpu_schedule_work (schedule, light, held);
  while (schedule->n_left > 0)
    {
      LeatCpuStep *step = leat_cpu_schedule_take_back (schedule);

      if (step != NULL)
        leat_cpu_schedule_work (schedule, NULL, step);
      else
        {
          schedule->owner_waits = TRUE;
          pthread_cond_wait (&schedule->ended, &leat_cpu_lock);
        }
    }
  leat_cpu_release ();
}

static void
leat_cpu_schedule_run_in_order (LeatCpuSchedule *schedule)
{
  guint n = 0;

  for (guint i = 0; i < schedule->n_steps; i++)
    {
      leat_cpu_step_run (&schedule->steps[i], schedule->run);
      n += schedule->steps[i].enabled;
    }
  leat_cpu_count_many (graph_nodes_run, n);
}

void
leat_cpu_schedule_run (LeatCpuSchedule *schedule, LeatCpuGraphRun *run)
{
  schedule->run = run;
  schedule->times_kernels = schedule->n_runs < LEAT_CPU_TIMED_FIRST || schedule->n_runs % LEAT_CPU_TIMED_EACH == 0;
  schedule->n_runs++;
  if (!schedule->is_serial)
    leat_cpu_schedule_run_branches (schedule);
  else
    leat_cpu_schedule_run_in_order (schedule);
  if (schedule->times_kernels)
    leat_cpu_schedule_weigh (schedule);
}
