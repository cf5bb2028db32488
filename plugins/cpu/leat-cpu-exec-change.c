/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Changes to the nodes of executables, one at a time; whole executables are in leat-cpu-exec-update.c. */

#include "leat-cpu-count.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-graph-exec.h"
#include "leat-cpu-node-params.h"

static gboolean
leat_cpu_step_has_source (LeatCpuStep *step, gpointer node)
{
  return step->source == node;
}

LeatCpuStep *
leat_cpu_exec_find_step (LeatCpuExec *exec, CUgraphNode node)
{
  return node != NULL ? leat_cpu_schedule_find (exec->schedule, leat_cpu_step_has_source, node) : NULL;
}

static void
leat_cpu_exec_apply_change (LeatCpuExec *exec, LeatCpuChange *change)
{
  LeatCpuStep *step = change->step;

  if (change->sets_op)
    {
      leat_cpu_op_clear (&step->op);
      step->op = change->op;
      step->op.in_graph = TRUE;
    }
  if (change->event != NULL)
    {
      leat_cpu_event_unref (step->event);
      step->event = change->event;
    }
  if (change->condition != NULL)
    step->condition = change->condition;
  if (change->conditions != NULL)
    {
      g_ptr_array_unref (exec->conditions);
      exec->conditions = change->conditions;
    }
  if (change->enabled >= 0)
    step->enabled = change->enabled;
}

void
leat_cpu_exec_change (LeatCpuExec *exec, LeatCpuChange change)
{
  LeatCpuChange *kept;

  if (exec->serving == exec->next_ticket)
    {
      leat_cpu_exec_apply_change (exec, &change);
      return;
    }
  kept = g_new (LeatCpuChange, 1);
  *kept = change;
  kept->ticket = exec->next_ticket;
  kept->next = NULL;
  if (exec->last_change != NULL)
    exec->last_change->next = kept;
  else
    exec->first_change = kept;
  exec->last_change = kept;
}

void
leat_cpu_exec_apply_changes (LeatCpuExec *exec, guint64 ticket)
{
  while (exec->first_change != NULL && exec->first_change->ticket <= ticket)
    {
      LeatCpuChange *change = exec->first_change;

      exec->first_change = change->next;
      leat_cpu_exec_apply_change (exec, change);
      g_free (change);
    }
  if (exec->first_change == NULL)
    exec->last_change = NULL;
}

const LeatCpuOp *
leat_cpu_exec_peek_op (LeatCpuExec *exec, const LeatCpuStep *step)
{
  const LeatCpuOp *op = &step->op;

  for (LeatCpuChange *change = exec->first_change; change != NULL; change = change->next)
    if (change->step == step && change->sets_op)
      op = &change->op;
  return op;
}

/* Takes the op over. */
static CUresult
leat_cpu_exec_change_op (CUgraphExec handle, CUgraphNode node, LeatCpuOp *op)
{
  CUresult result = CUDA_ERROR_INVALID_VALUE;

  leat_cpu_acquire ();
  LeatCpuExec *exec = leat_cpu_exec_from_handle (handle);
  LeatCpuStep *step = exec != NULL ? leat_cpu_exec_find_step (exec, node) : NULL;
  if (step != NULL && op->kind == LEAT_CPU_OP_KERNEL && step->op.kind == LEAT_CPU_OP_KERNEL)
    op->kernel.cooperative = step->op.kernel.cooperative;
  if (step != NULL && !(step->schedule->in_body && op->kind == LEAT_CPU_OP_COPY && op->copy.pageable))
    result = leat_cpu_op_check_change (leat_cpu_exec_peek_op (exec, step), op);
  if (result == CUDA_SUCCESS)
    leat_cpu_exec_change (exec, (LeatCpuChange){ .step = step, .sets_op = TRUE, .op = *op, .enabled = -1 });
  leat_cpu_release ();
  if (result == CUDA_SUCCESS)
    leat_cpu_count (exec_node_updates);
  else
    leat_cpu_op_clear (op);
  return result;
}

CUresult
cuGraphExecKernelNodeSetParams_v2 (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
  LeatCpuOp op;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_op_init_kernel (&op, params);
  return result == CUDA_SUCCESS ? leat_cpu_exec_change_op (exec, node, &op) : result;
}

CUresult
cuGraphExecMemcpyNodeSetParams (CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *params, CUcontext context)
{
  LeatCpuOp op;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_op_init_copy (&op, params);
  return result == CUDA_SUCCESS ? leat_cpu_exec_change_op (exec, node, &op) : result;
}

CUresult
cuGraphExecMemsetNodeSetParams (CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params,
                                CUcontext context)
{
  LeatCpuOp op;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_op_init_set (&op, params);
  return result == CUDA_SUCCESS ? leat_cpu_exec_change_op (exec, node, &op) : result;
}

CUresult
cuGraphExecHostNodeSetParams (CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)
{
  LeatCpuOp op;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_op_init_host (&op, params);
  return result == CUDA_SUCCESS ? leat_cpu_exec_change_op (exec, node, &op) : result;
}

static CUresult
leat_cpu_exec_change_event (CUgraphExec handle, CUgraphNode node, CUgraphNodeType type, CUevent event_handle)
{
  CUresult result = CUDA_ERROR_INVALID_VALUE;

  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuExec *exec = leat_cpu_exec_from_handle (handle);
  LeatCpuStep *step = exec != NULL ? leat_cpu_exec_find_step (exec, node) : NULL;
  LeatCpuEvent *event = leat_cpu_event_from_handle (event_handle);
  if (step != NULL && step->type == type && event != NULL)
    {
      leat_cpu_exec_change (exec, (LeatCpuChange){ .step = step, .event = leat_cpu_event_ref (event), .enabled = -1 });
      result = CUDA_SUCCESS;
    }
  leat_cpu_release ();
  return result;
}

CUresult
cuGraphExecEventRecordNodeSetEvent (CUgraphExec exec, CUgraphNode node, CUevent event)
{
  return leat_cpu_exec_change_event (exec, node, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CUresult
cuGraphExecEventWaitNodeSetEvent (CUgraphExec exec, CUgraphNode node, CUevent event)
{
  return leat_cpu_exec_change_event (exec, node, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

CUresult
cuGraphExecNodeSetParams (CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params)
{
  LeatCpuOp op;

  LEAT_CPU_ENTER ();
  if (params == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  if (params->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD || params->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT)
    return leat_cpu_exec_change_event (exec, node, params->type, params->eventRecord.event);
  if (params->type == CU_GRAPH_NODE_TYPE_GRAPH)
    return cuGraphExecChildGraphNodeSetParams (exec, node, params->graph.graph);
  CUresult result = leat_cpu_op_init_params (&op, params);
  return result == CUDA_SUCCESS ? leat_cpu_exec_change_op (exec, node, &op) : result;
}

static gboolean
leat_cpu_step_can_be_disabled (const LeatCpuStep *step)
{
  return step->type == CU_GRAPH_NODE_TYPE_KERNEL || step->type == CU_GRAPH_NODE_TYPE_MEMCPY
         || step->type == CU_GRAPH_NODE_TYPE_MEMSET;
}

CUresult
cuGraphNodeSetEnabled (CUgraphExec handle, CUgraphNode node, unsigned int enabled)
{
  CUresult result = CUDA_ERROR_INVALID_VALUE;

  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuExec *exec = leat_cpu_exec_from_handle (handle);
  LeatCpuStep *step = exec != NULL ? leat_cpu_exec_find_step (exec, node) : NULL;
  if (step != NULL && leat_cpu_step_can_be_disabled (step))
    {
      leat_cpu_exec_change (exec, (LeatCpuChange){ .step = step, .enabled = enabled != 0 });
      result = CUDA_SUCCESS;
    }
  leat_cpu_release ();
  return result;
}

CUresult
cuGraphNodeGetEnabled (CUgraphExec handle, CUgraphNode node, unsigned int *enabled)
{
  CUresult result = CUDA_ERROR_INVALID_VALUE;

  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuExec *exec = leat_cpu_exec_from_handle (handle);
  LeatCpuStep *step = exec != NULL ? leat_cpu_exec_find_step (exec, node) : NULL;
  if (step != NULL && leat_cpu_step_can_be_disabled (step) && enabled != NULL)
    {
      *enabled = (guint) step->enabled;
      for (LeatCpuChange *change = exec->first_change; change != NULL; change = change->next)
        if (change->step == step && change->enabled >= 0)
          *enabled = (guint) change->enabled;
      result = CUDA_SUCCESS;
    }
  leat_cpu_release ();
  return result;
}
