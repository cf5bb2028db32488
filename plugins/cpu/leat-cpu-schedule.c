/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The steps of an executable graph in an order that can be run, told apart by how long they take.  They are copies: all
 * that changes in the graph is the index of its nodes. */

#include "leat-cpu-schedule.h"

#include <string.h>

/* Copies and sets below this are not worth another thread. */
#define LEAT_CPU_LIGHT_BYTES (256 * 1024)
/* Nor are kernels that take no longer than handing them out. */
#define LEAT_CPU_LIGHT_NS 2000

/* A kernel that waits may be waiting for one of another branch. */
static gboolean
leat_cpu_step_is_light_kernel (const LeatCpuStep *step)
{
  const LeatCpuLaunch *launch = &step->op.kernel;

  return step->kernel_ns > 0 && step->kernel_ns <= LEAT_CPU_LIGHT_NS && !launch->cooperative
         && (leat_cpu_function_get_kernel (launch->function)->flags & LEAT_HOST_KERNEL_MAY_WAIT) == 0;
}

gboolean
leat_cpu_step_is_light (const LeatCpuStep *step)
{
  switch (step->type)
    {
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return TRUE;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return leat_cpu_copy_get_bytes (&step->op.copy) <= LEAT_CPU_LIGHT_BYTES;
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return leat_cpu_set_get_bytes (&step->op.set) <= LEAT_CPU_LIGHT_BYTES;
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return leat_cpu_step_is_light_kernel (step);
    default:
      return FALSE;
    }
}

/* Nodes in order; their `index` says their place.  FALSE where there is a cycle. */
static gboolean
leat_cpu_graph_sort (LeatCpuGraph *graph, LeatCpuNode **order)
{
  guint n = graph->nodes->len;
  guint n_done = 0;
  g_autofree guint *pending = g_new (guint, n + 1);

  for (guint i = 0; i < n; i++)
    {
      LeatCpuNode *node = leat_cpu_graph_get_node (graph, i);

      node->index = i;
      pending[i] = node->from->len;
    }
  /* Creation order nearly always is an order already, so passes over the rest are few. */
  for (guint before = G_MAXUINT; n_done < n && n_done != before;)
    {
      before = n_done;
      for (guint i = 0; i < n; i++)
        {
          LeatCpuNode *node = leat_cpu_graph_get_node (graph, i);

          if (pending[i] != 0)
            continue;
          pending[i] = G_MAXUINT;
          for (guint e = 0; e < node->to->len; e++)
            pending[leat_cpu_node_get_to (node, e)->node->index]--;
          order[n_done++] = node;
        }
    }
  for (guint i = 0; i < n_done; i++)
    order[i]->index = i;
  return n_done == n;
}

static gboolean
leat_cpu_step_init (LeatCpuStep *step, LeatCpuNode *node, guint *n_events)
{
  step->source = node;
  step->type = node->type;
  step->enabled = TRUE;
  leat_cpu_op_copy (&step->op, &node->op);
  step->op.in_graph = TRUE;
  if (node->event != NULL)
    {
      step->event = leat_cpu_event_ref (node->event);
      step->event_index = (*n_events)++;
    }
  if (node->child != NULL && (step->child = leat_cpu_schedule_new (node->child, n_events)) == NULL)
    return FALSE;
  step->condition = node->conditional.condition;
  step->condition_type = node->conditional.type;
  step->bodies = g_new0 (LeatCpuSchedule *, node->conditional.n_bodies);
  for (; step->n_bodies < node->conditional.n_bodies; step->n_bodies++)
    {
      LeatCpuGraph *body = (LeatCpuGraph *) node->conditional.bodies[step->n_bodies];

      if ((step->bodies[step->n_bodies] = leat_cpu_schedule_new (body, n_events)) == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
leat_cpu_step_clear (LeatCpuStep *step)
{
  leat_cpu_op_clear (&step->op);
  if (step->event != NULL)
    leat_cpu_event_unref (step->event);
  if (step->child != NULL)
    leat_cpu_schedule_free (step->child);
  for (guint i = 0; i < step->n_bodies; i++)
    leat_cpu_schedule_free (step->bodies[i]);
  g_free (step->bodies);
  g_free (step->to);
}

static void
leat_cpu_step_link (LeatCpuStep *step, LeatCpuSchedule *schedule)
{
  LeatCpuNode *node = step->source;

  step->schedule = schedule;
  step->task.run = leat_cpu_step_run_task;
  step->n_from = node->from->len;
  step->n_to = node->to->len;
  step->to = g_new (guint, node->to->len + 1);
  for (guint e = 0; e < node->to->len; e++)
    step->to[e] = leat_cpu_node_get_to (node, e)->node->index;
}

/* The long steps form a chain if and only if one path goes through all of them. */
void
leat_cpu_schedule_weigh (LeatCpuSchedule *schedule)
{
  guint *longest = schedule->longest;
  guint n_long = 0;
  guint best = 0;

  memset (longest, 0, schedule->n_steps * sizeof *longest);
  for (guint i = 0; i < schedule->n_steps; i++)
    {
      LeatCpuStep *step = &schedule->steps[i];

      if (!leat_cpu_step_is_light (step))
        {
          n_long++;
          longest[i]++;
        }
      best = MAX (best, longest[i]);
      for (guint e = 0; e < step->n_to; e++)
        longest[step->to[e]] = MAX (longest[step->to[e]], longest[i]);
    }
  schedule->is_serial = best == n_long;
}

LeatCpuSchedule *
leat_cpu_schedule_new (LeatCpuGraph *graph, guint *n_events)
{
  guint n = graph->nodes->len;
  g_autofree LeatCpuNode **order = g_new (LeatCpuNode *, n + 1);
  LeatCpuSchedule *schedule;
  gboolean sound = TRUE;

  if (!leat_cpu_graph_sort (graph, order))
    return NULL;
  schedule = g_new0 (LeatCpuSchedule, 1);
  pthread_cond_init (&schedule->ended, NULL);
  schedule->steps = g_new0 (LeatCpuStep, n + 1);
  schedule->longest = g_new (guint, n + 1);
  schedule->in_body = leat_cpu_graph_is_in_body (graph);
  for (; sound && schedule->n_steps < n; schedule->n_steps++)
    {
      LeatCpuStep *step = &schedule->steps[schedule->n_steps];

      sound = leat_cpu_step_init (step, order[schedule->n_steps], n_events);
      leat_cpu_step_link (step, schedule);
    }
  if (!sound)
    {
      leat_cpu_schedule_free (schedule);
      return NULL;
    }
  leat_cpu_schedule_weigh (schedule);
  return schedule;
}

void
leat_cpu_schedule_free (LeatCpuSchedule *schedule)
{
  for (guint i = 0; i < schedule->n_steps; i++)
    leat_cpu_step_clear (&schedule->steps[i]);
  g_free (schedule->steps);
  g_free (schedule->longest);
  pthread_cond_destroy (&schedule->ended);
  g_free (schedule);
}

LeatCpuStep *
leat_cpu_schedule_find (LeatCpuSchedule *schedule, LeatCpuStepFunc func, gpointer data)
{
  for (guint i = 0; i < schedule->n_steps; i++)
    {
      LeatCpuStep *step = &schedule->steps[i];
      LeatCpuStep *found = func (step, data) ? step : NULL;

      if (found == NULL && step->child != NULL)
        found = leat_cpu_schedule_find (step->child, func, data);
      for (guint b = 0; found == NULL && b < step->n_bodies; b++)
        found = leat_cpu_schedule_find (step->bodies[b], func, data);
      if (found != NULL)
        return found;
    }
  return NULL;
}

static gboolean
leat_cpu_step_restore_node (const LeatCpuStep *step, LeatCpuNode *node)
{
  LeatCpuOp op;

  if (step->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    return FALSE;
  leat_cpu_op_copy (&op, &step->op);
  leat_cpu_node_set_op (node, &op);
  if (step->event != NULL)
    leat_cpu_node_set_event (node, step->event);
  if (step->child == NULL)
    return TRUE;
  node->child = leat_cpu_schedule_make_graph (step->child);
  if (node->child != NULL)
    node->child->owner = node;
  return node->child != NULL;
}

LeatCpuGraph *
leat_cpu_schedule_make_graph (LeatCpuSchedule *schedule)
{
  LeatCpuGraph *graph = leat_cpu_graph_new ();
  gboolean sound = TRUE;

  for (guint i = 0; sound && i < schedule->n_steps; i++)
    sound = leat_cpu_step_restore_node (&schedule->steps[i], leat_cpu_node_new (graph, schedule->steps[i].type));
  for (guint i = 0; sound && i < schedule->n_steps; i++)
    for (guint e = 0; e < schedule->steps[i].n_to; e++)
      leat_cpu_node_connect (leat_cpu_graph_get_node (graph, i),
                             leat_cpu_graph_get_node (graph, schedule->steps[i].to[e]), NULL);
  if (!sound)
    g_clear_pointer (&graph, leat_cpu_graph_free);
  return graph;
}
