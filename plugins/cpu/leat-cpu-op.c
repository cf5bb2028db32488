/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One op of a stream or a graph: copied, cleared, run.  After a failure only the bookkeeping goes on. */

#include "leat-cpu-op.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#include "leat-cpu-allocation.h"
#include "leat-cpu-count.h"
#include "leat-cpu-fault.h"
#include "leat-cpu-graph-exec.h"
#include "leat-cpu-stream.h"

void
leat_cpu_op_copy (LeatCpuOp *to, const LeatCpuOp *from)
{
  *to = *from;
  if (from->kind == LEAT_CPU_OP_KERNEL)
    leat_cpu_launch_copy (&to->kernel, &from->kernel);
}

void
leat_cpu_op_clear (LeatCpuOp *op)
{
  switch (op->kind)
    {
    case LEAT_CPU_OP_KERNEL:
      leat_cpu_launch_clear (&op->kernel);
      break;
    case LEAT_CPU_OP_COPY:
      g_clear_pointer (&op->copy.staging, g_free);
      break;
    case LEAT_CPU_OP_RECORD:
    case LEAT_CPU_OP_WAIT_MARK:
      leat_cpu_acquire ();
      leat_cpu_mark_unref (op->mark);
      leat_cpu_release ();
      break;
    case LEAT_CPU_OP_WAIT_STREAM:
      leat_cpu_acquire ();
      leat_cpu_stream_unref (op->point.stream);
      leat_cpu_release ();
      break;
    case LEAT_CPU_OP_GRAPH:
      leat_cpu_exec_unref (op->graph.exec);
      break;
    default:
      break;
    }
  op->kind = LEAT_CPU_OP_EMPTY;
}

static CUresult
leat_cpu_op_run_kernel (LeatCpuOp *op)
{
  CUresult result = leat_cpu_fault_visit_work (LEAT_CPU_FAULT_LAUNCH);

  if (result != CUDA_SUCCESS)
    return result;
  if (op->in_graph)
    leat_cpu_count (graph_kernels_run);
  else
    leat_cpu_count (kernels_run);
  return leat_cpu_launch_run (&op->kernel);
}

static CUresult
leat_cpu_op_run_copy (LeatCpuOp *op)
{
  CUresult result = leat_cpu_fault_visit_work (LEAT_CPU_FAULT_COPY);

  if (result == CUDA_SUCCESS)
    leat_cpu_copy_run (&op->copy);
  return result;
}

static CUresult
leat_cpu_op_run_set (LeatCpuOp *op)
{
  CUresult result = leat_cpu_fault_visit_work (LEAT_CPU_FAULT_SET);

  if (result == CUDA_SUCCESS)
    leat_cpu_set_run (&op->set);
  return result;
}

/* Driver calls are refused in there, as on CUDA. */
static CUresult
leat_cpu_op_run_host (LeatCpuOp *op)
{
  CUresult result = leat_cpu_fault_visit_work (LEAT_CPU_FAULT_HOST_FUNCTION);

  if (result != CUDA_SUCCESS)
    return result;
  leat_cpu_count (host_functions_run);
  leat_cpu_thread_get ()->in_host_function++;
  op->host.fn (op->host.data);
  leat_cpu_thread_get ()->in_host_function--;
  return CUDA_SUCCESS;
}

static gboolean
leat_cpu_value_is_reached (const LeatCpuValue *value)
{
  guint64 seen = value->bytes == 4 ? __atomic_load_n ((guint32 *) value->address, __ATOMIC_ACQUIRE)
                                   : __atomic_load_n ((guint64 *) value->address, __ATOMIC_ACQUIRE);
  guint64 wanted = value->bytes == 4 ? (guint32) value->value : value->value;

  switch (value->condition)
    {
    case CU_STREAM_WAIT_VALUE_EQ:
      return seen == wanted;
    case CU_STREAM_WAIT_VALUE_AND:
      return (seen & wanted) != 0;
    case CU_STREAM_WAIT_VALUE_NOR:
      return (~(seen | wanted) & (value->bytes == 4 ? G_MAXUINT32 : G_MAXUINT64)) != 0;
    default: /* at least, in the ring of all values */
      return value->bytes == 4 ? (gint32) ((guint32) seen - (guint32) wanted) >= 0 : (gint64) (seen - wanted) >= 0;
    }
}

static void
leat_cpu_value_wait (const LeatCpuValue *value)
{
  for (guint n = 0; !leat_cpu_value_is_reached (value) && leat_cpu_get_failure () == CUDA_SUCCESS; n++)
    if (n < 64)
      sched_yield ();
    else
      nanosleep (&(struct timespec){ 0, 20000 }, NULL);
}

static void
leat_cpu_value_write (const LeatCpuValue *value)
{
  if (value->bytes == 4)
    __atomic_store_n ((guint32 *) value->address, (guint32) value->value, __ATOMIC_RELEASE);
  else
    __atomic_store_n ((guint64 *) value->address, value->value, __ATOMIC_RELEASE);
}

/* Ops that keep the books are done even after a failure.  FALSE for all others. */
static gboolean
leat_cpu_op_run_bookkeeping (LeatCpuOp *op)
{
  switch (op->kind)
    {
    case LEAT_CPU_OP_EMPTY:
      return TRUE;
    case LEAT_CPU_OP_WAIT_MARK:
      leat_cpu_acquire ();
      leat_cpu_mark_wait (op->mark);
      leat_cpu_release ();
      return TRUE;
    case LEAT_CPU_OP_WAIT_STREAM:
      leat_cpu_acquire ();
      leat_cpu_stream_wait (op->point.stream, op->point.number);
      leat_cpu_release ();
      return TRUE;
    case LEAT_CPU_OP_FREE:
      leat_cpu_allocation_free (LEAT_CPU_ALLOCATION_POOL, op->memory);
      return TRUE;
    default:
      return FALSE;
    }
}

CUresult
leat_cpu_op_run (LeatCpuOp *op)
{
  if (leat_cpu_op_run_bookkeeping (op))
    return CUDA_SUCCESS;
  if (op->kind == LEAT_CPU_OP_GRAPH)
    return leat_cpu_exec_run (&op->graph);
  if (leat_cpu_get_failure () != CUDA_SUCCESS)
    return CUDA_SUCCESS;
  switch (op->kind)
    {
    case LEAT_CPU_OP_KERNEL:
      return leat_cpu_op_run_kernel (op);
    case LEAT_CPU_OP_COPY:
      return leat_cpu_op_run_copy (op);
    case LEAT_CPU_OP_SET:
      return leat_cpu_op_run_set (op);
    case LEAT_CPU_OP_HOST:
      return leat_cpu_op_run_host (op);
    case LEAT_CPU_OP_WRITE_VALUE:
      leat_cpu_value_write (&op->value);
      return CUDA_SUCCESS;
    case LEAT_CPU_OP_WAIT_VALUE:
      leat_cpu_value_wait (&op->value);
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_UNKNOWN;
    }
}
