/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Updates of a whole executable, or of one child graph in it, from another graph of the same shape.  Steps are paired
 * by their places in the order, which is the order of creation as far as edges allow.  An update that is not surely
 * right is refused, with a reason. */

#include "leat-cpu-count.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-graph-exec.h"
#include "leat-cpu-node-params.h"

static CUgraphExecUpdateResult
leat_cpu_step_compare (LeatCpuExec *exec, const LeatCpuStep *old, const LeatCpuStep *new)
{
  if (old->type != new->type)
    return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
  if (old->n_to != new->n_to || old->n_from != new->n_from)
    return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  for (guint i = 0; i < old->n_to; i++)
    if (old->to[i] != new->to[i])
      return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  if (old->type == CU_GRAPH_NODE_TYPE_CONDITIONAL
      && (old->condition_type != new->condition_type || old->n_bodies != new->n_bodies))
    return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  if (old->op.kind == LEAT_CPU_OP_KERNEL && old->op.kernel.cooperative != new->op.kernel.cooperative)
    return CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
  if (leat_cpu_op_check_change (leat_cpu_exec_peek_op (exec, old), &new->op) != CUDA_SUCCESS)
    return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

static CUgraphExecUpdateResult
leat_cpu_schedule_compare (LeatCpuExec *exec, LeatCpuSchedule *old, LeatCpuSchedule *new, LeatCpuNode **node)
{
  CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;

  if (old->n_steps != new->n_steps)
    return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  for (guint i = 0; i < old->n_steps && result == CU_GRAPH_EXEC_UPDATE_SUCCESS; i++)
    {
      *node = new->steps[i].source;
      result = leat_cpu_step_compare (exec, &old->steps[i], &new->steps[i]);
      if (result == CU_GRAPH_EXEC_UPDATE_SUCCESS && old->steps[i].child != NULL)
        result = leat_cpu_schedule_compare (exec, old->steps[i].child, new->steps[i].child, node);
      for (guint b = 0; result == CU_GRAPH_EXEC_UPDATE_SUCCESS && b < old->steps[i].n_bodies; b++)
        result = leat_cpu_schedule_compare (exec, old->steps[i].bodies[b], new->steps[i].bodies[b], node);
    }
  return result;
}

/* Moves the bodies of @new's steps into changes of @old's. */
static void
leat_cpu_schedule_replace (LeatCpuExec *exec, LeatCpuSchedule *old, LeatCpuSchedule *new)
{
  for (guint i = 0; i < old->n_steps; i++)
    {
      LeatCpuStep *step = &new->steps[i];
      LeatCpuChange change = { .step = &old->steps[i], .sets_op = TRUE, .op = step->op, .enabled = -1 };

      step->op.kind = LEAT_CPU_OP_EMPTY;
      change.event = g_steal_pointer (&step->event);
      change.condition = step->condition;
      leat_cpu_exec_change (exec, change);
      if (step->child != NULL)
        leat_cpu_schedule_replace (exec, old->steps[i].child, step->child);
      for (guint b = 0; b < step->n_bodies; b++)
        leat_cpu_schedule_replace (exec, old->steps[i].bodies[b], step->bodies[b]);
    }
}

/* The values that kernels set and launches begin with are the new graph's from the next launch on. */
static void
leat_cpu_exec_replace_conditions (LeatCpuExec *exec, LeatCpuGraph *graph)
{
  if (exec->schedule->n_steps == 0 || !leat_cpu_graph_has_type (graph, CU_GRAPH_NODE_TYPE_CONDITIONAL))
    return;
  leat_cpu_exec_change (exec, (LeatCpuChange){ .step = &exec->schedule->steps[0],
                                               .conditions = leat_cpu_graph_list_conditions (graph),
                                               .enabled = -1 });
}

static CUgraphExecUpdateResult
leat_cpu_exec_update (LeatCpuExec *exec, LeatCpuSchedule *old, LeatCpuGraph *graph, LeatCpuNode **node)
{
  guint n_events = 0;
  LeatCpuSchedule *new = leat_cpu_schedule_new (graph, &n_events);

  *node = NULL;
  if (new == NULL)
    return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
  if (!leat_cpu_graph_is_in_body (graph) && leat_cpu_graph_check_bodies (graph) == CUDA_GRAPH_INSTANTIATE_SUCCESS)
    result = leat_cpu_schedule_compare (exec, old, new, node);
  if (result == CU_GRAPH_EXEC_UPDATE_SUCCESS)
    {
      *node = NULL;
      leat_cpu_exec_replace_conditions (exec, graph);
      leat_cpu_schedule_replace (exec, old, new);
    }
  leat_cpu_schedule_free (new);
  return result;
}

CUresult
cuGraphExecUpdate_v2 (CUgraphExec handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo *info)
{
  CUgraphExecUpdateResultInfo found = { .result = CU_GRAPH_EXEC_UPDATE_ERROR };
  LeatCpuNode *node = NULL;

  LEAT_CPU_ENTER ();
  if (info == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  LeatCpuExec *exec = leat_cpu_exec_from_handle (handle);
  LeatCpuGraph *graph = leat_cpu_graph_from_handle (graph_handle);
  if (exec != NULL && graph != NULL)
    found.result = leat_cpu_exec_update (exec, exec->schedule, graph, &node);
  leat_cpu_release ();
  found.errorNode = (CUgraphNode) node;
  *info = found;
  if (exec == NULL || graph == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  if (found.result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  leat_cpu_count (exec_updates);
  return CUDA_SUCCESS;
}

CUresult
cuGraphExecChildGraphNodeSetParams (CUgraphExec handle, CUgraphNode node, CUgraph child)
{
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  LeatCpuNode *error_node;

  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuExec *exec = leat_cpu_exec_from_handle (handle);
  LeatCpuStep *step = exec != NULL ? leat_cpu_exec_find_step (exec, node) : NULL;
  LeatCpuGraph *graph = leat_cpu_graph_from_handle (child);
  if (step != NULL && step->child != NULL && graph != NULL
      && leat_cpu_exec_update (exec, step->child, graph, &error_node) == CU_GRAPH_EXEC_UPDATE_SUCCESS)
    result = CUDA_SUCCESS;
  leat_cpu_release ();
  return result;
}
