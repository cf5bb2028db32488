/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Executable graphs: their life, their launches and the order of their runs.  Touches the executable and the marks of
 * its events; leat-cpu-schedule-run.c runs the steps. */

#include "leat-cpu-graph-exec.h"

#include "leat-cpu-capture.h"
#include "leat-cpu-count.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-fault.h"

#define LEAT_CPU_EXEC_FLAGS                                                                                            \
  (CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD                                \
   | CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY)

/* The device memory that an executable takes, as with a GPU's driver, which keeps it there. */
#define LEAT_CPU_EXEC_BYTES      4096
#define LEAT_CPU_EXEC_NODE_BYTES 512

static guint64 leat_cpu_exec_bytes; /* of all that there are; atomic */

guint64
leat_cpu_exec_get_device_bytes (void)
{
  return __atomic_load_n (&leat_cpu_exec_bytes, __ATOMIC_RELAXED);
}

LeatCpuExec *
leat_cpu_exec_from_handle (CUgraphExec handle)
{
  LeatCpuExec *exec = (LeatCpuExec *) handle;

  return exec != NULL && exec->magic == LEAT_CPU_EXEC_MAGIC ? exec : NULL;
}

/* A copy, since the graph may get more of them while the executable runs. */
GPtrArray *
leat_cpu_graph_list_conditions (LeatCpuGraph *graph)
{
  GPtrArray *conditions = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_cpu_condition_unref);

  for (guint i = 0; i < graph->conditions->len; i++)
    g_ptr_array_add (conditions, leat_cpu_condition_ref (g_ptr_array_index (graph->conditions, i)));
  return conditions;
}

static LeatCpuExec *
leat_cpu_exec_new (LeatCpuGraph *graph, guint64 flags)
{
  guint n_events = 0;
  LeatCpuSchedule *schedule = leat_cpu_schedule_new (graph, &n_events);
  LeatCpuExec *exec;

  if (schedule == NULL)
    return NULL;
  exec = g_new0 (LeatCpuExec, 1);
  exec->magic = LEAT_CPU_EXEC_MAGIC;
  exec->refs = 1;
  exec->flags = flags;
  if (leat_cpu_graph_has_type (graph, CU_GRAPH_NODE_TYPE_CONDITIONAL))
    {
      exec->graph = graph;
      graph->exec = exec;
    }
  exec->schedule = schedule;
  exec->n_events = n_events;
  exec->device_bytes = LEAT_CPU_EXEC_BYTES + (guint64) graph->nodes->len * LEAT_CPU_EXEC_NODE_BYTES;
  __atomic_fetch_add (&leat_cpu_exec_bytes, exec->device_bytes, __ATOMIC_RELAXED);
  exec->conditions = leat_cpu_graph_list_conditions (graph);
  pthread_cond_init (&exec->served, NULL);
  return exec;
}

void
leat_cpu_exec_unref (LeatCpuExec *exec)
{
  leat_cpu_acquire ();
  gboolean last = --exec->refs == 0;
  if (last)
    {
      leat_cpu_exec_apply_changes (exec, G_MAXUINT64);
      leat_cpu_schedule_free (exec->schedule);
      g_ptr_array_unref (exec->conditions);
    }
  leat_cpu_release ();
  if (!last)
    return;
  __atomic_fetch_sub (&leat_cpu_exec_bytes, exec->device_bytes, __ATOMIC_RELAXED);
  pthread_cond_destroy (&exec->served);
  g_free (exec);
}

static CUresult
leat_cpu_graph_instantiate (LeatCpuGraph *graph, guint64 flags, LeatCpuExec **exec, CUgraphInstantiateResult *why)
{
  *why = CUDA_GRAPH_INSTANTIATE_ERROR;
  if (graph == NULL || (flags & ~(guint64) LEAT_CPU_EXEC_FLAGS) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (graph->exec != NULL || leat_cpu_graph_is_in_body (graph))
    return CUDA_ERROR_NOT_SUPPORTED;
  *why = leat_cpu_graph_check_bodies (graph);
  if (*why != CUDA_GRAPH_INSTANTIATE_SUCCESS)
    return CUDA_ERROR_INVALID_VALUE;
  *exec = leat_cpu_exec_new (graph, flags);
  *why = *exec != NULL ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
  return *exec != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult
leat_cpu_graph_instantiate_handle (CUgraphExec *out, CUgraph graph, guint64 flags, CUgraphInstantiateResult *why)
{
  LeatCpuExec *exec = NULL;
  CUresult result = leat_cpu_fault_visit (LEAT_CPU_FAULT_INSTANTIATE);

  *why = CUDA_GRAPH_INSTANTIATE_ERROR;
  if (result != CUDA_SUCCESS)
    return result;
  if (out == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  result = leat_cpu_capture_check_unsafe ();
  if (result == CUDA_SUCCESS)
    result = leat_cpu_graph_instantiate (leat_cpu_graph_from_handle (graph), flags, &exec, why);
  leat_cpu_release ();
  if (result != CUDA_SUCCESS)
    return result;
  leat_cpu_count (instantiates);
  *out = (CUgraphExec) exec;
  return CUDA_SUCCESS;
}

CUresult
cuGraphInstantiateWithFlags (CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
  CUgraphInstantiateResult why;

  LEAT_CPU_ENTER ();
  return leat_cpu_graph_instantiate_handle (exec, graph, flags, &why);
}

CUresult
cuGraphInstantiateWithParams (CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
  LEAT_CPU_ENTER ();
  if (params == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  params->hErrNode_out = NULL;
  return leat_cpu_graph_instantiate_handle (exec, graph, params->flags, &params->result_out);
}

/* Launches under way go on to their end. */
CUresult
cuGraphExecDestroy (CUgraphExec handle)
{
  CUresult result = leat_cpu_enter_to_give_back (TRUE);

  if (result != CUDA_SUCCESS)
    return result;
  leat_cpu_acquire ();
  LeatCpuExec *exec = leat_cpu_exec_from_handle (handle);
  result = exec != NULL ? leat_cpu_capture_check_unsafe () : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    exec->magic = 0;
  if (result == CUDA_SUCCESS && exec->graph != NULL)
    g_steal_pointer (&exec->graph)->exec = NULL;
  leat_cpu_release ();
  if (result != CUDA_SUCCESS)
    return result;
  leat_cpu_exec_unref (exec);
  leat_cpu_count (execs_destroyed);
  return leat_cpu_get_failure ();
}

CUresult
cuGraphExecGetFlags (CUgraphExec handle, uint64_t *flags)
{
  LEAT_CPU_ENTER_BY_HANDLE ();
  leat_cpu_acquire ();
  LeatCpuExec *exec = leat_cpu_exec_from_handle (handle);
  if (exec != NULL && flags != NULL)
    *flags = exec->flags;
  leat_cpu_release ();
  return exec != NULL && flags != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* There is nothing to send anywhere; only the order in the stream is kept. */
CUresult
cuGraphUpload (CUgraphExec handle, CUstream stream_handle)
{
  CUresult result = CUDA_SUCCESS;
  LeatCpuOp op = { .kind = LEAT_CPU_OP_EMPTY };

  LEAT_CPU_ENTER_STREAM (stream_handle);
  leat_cpu_acquire ();
  LeatCpuStream *stream = leat_cpu_stream_from_handle (stream_handle);
  if (leat_cpu_exec_from_handle (handle) == NULL)
    result = CUDA_ERROR_INVALID_VALUE;
  else if (stream != NULL && stream->capture != NULL)
    result = leat_cpu_capture_refuse_stream (stream);
  leat_cpu_release ();
  return result == CUDA_SUCCESS ? leat_cpu_submit (stream_handle, &op) : result;
}

typedef struct
{
  LeatCpuGraphRun *run;
  LeatCpuStream *stream;
  gboolean records;
} LeatCpuMarking;

/* Events that the run waits for stand for what was recorded before it; those that it records are pending from now on.
 */
static gboolean
leat_cpu_step_mark (LeatCpuStep *step, gpointer data)
{
  LeatCpuMarking *marking = data;
  gboolean records = step->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD;

  if (step->event == NULL || records != marking->records)
    return FALSE;
  if (records)
    {
      LeatCpuMark *mark = leat_cpu_mark_new (marking->stream);

      leat_cpu_event_set_mark (step->event, leat_cpu_mark_ref (mark));
      marking->run->marks[step->event_index] = mark;
    }
  else if (step->event->mark != NULL)
    marking->run->marks[step->event_index] = leat_cpu_mark_ref (step->event->mark);
  return FALSE;
}

static void
leat_cpu_exec_set_marks (LeatCpuExec *exec, LeatCpuGraphRun *run, LeatCpuStream *stream)
{
  LeatCpuMarking marking = { run, stream, FALSE };

  if (exec->n_events == 0)
    return;
  run->marks = g_new0 (LeatCpuMark *, exec->n_events);
  leat_cpu_schedule_find (exec->schedule, leat_cpu_step_mark, &marking);
  marking.records = TRUE;
  leat_cpu_schedule_find (exec->schedule, leat_cpu_step_mark, &marking);
}

static CUresult
leat_cpu_exec_launch (LeatCpuExec *exec, LeatCpuStream *stream)
{
  CUresult result = leat_cpu_capture_check_implicit (stream);
  LeatCpuOp op = { .kind = LEAT_CPU_OP_GRAPH };

  if (result != CUDA_SUCCESS)
    return result;
  exec->refs++;
  op.graph.exec = exec;
  op.graph.ticket = exec->next_ticket++;
  leat_cpu_exec_set_marks (exec, &op.graph, stream);
  leat_cpu_stream_push (stream, &op);
  leat_cpu_count (graph_launches);
  return CUDA_SUCCESS;
}

CUresult
cuGraphLaunch (CUgraphExec handle, CUstream stream_handle)
{
  CUresult result;

  LEAT_CPU_ENTER_STREAM (stream_handle);
  leat_cpu_acquire ();
  LeatCpuExec *exec = leat_cpu_exec_from_handle (handle);
  LeatCpuStream *stream = leat_cpu_stream_from_handle (stream_handle);
  if (exec == NULL)
    result = CUDA_ERROR_INVALID_VALUE;
  else if (stream == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  else if (stream->capture != NULL)
    result = leat_cpu_capture_refuse_stream (stream);
  else
    result = leat_cpu_exec_launch (exec, stream);
  leat_cpu_release ();
  return result;
}

static void
leat_cpu_exec_assign_conditions (LeatCpuExec *exec)
{
  for (guint i = 0; i < exec->conditions->len; i++)
    leat_cpu_condition_assign (g_ptr_array_index (exec->conditions, i));
}

static void
leat_cpu_exec_begin_run (LeatCpuExec *exec, guint64 ticket)
{
  leat_cpu_acquire ();
  while (exec->serving != ticket)
    {
      exec->n_waiters++;
      pthread_cond_wait (&exec->served, &leat_cpu_lock);
      exec->n_waiters--;
    }
  leat_cpu_exec_apply_changes (exec, ticket);
  leat_cpu_release ();
}

static void
leat_cpu_exec_end_run (LeatCpuExec *exec, LeatCpuGraphRun *run)
{
  leat_cpu_acquire ();
  exec->serving++;
  if (exec->n_waiters > 0)
    pthread_cond_broadcast (&exec->served);
  for (guint i = 0; run->marks != NULL && i < exec->n_events; i++)
    if (run->marks[i] != NULL)
      leat_cpu_mark_unref (run->marks[i]);
  leat_cpu_release ();
  g_clear_pointer (&run->marks, g_free);
}

CUresult
leat_cpu_exec_run (LeatCpuGraphRun *run)
{
  leat_cpu_exec_begin_run (run->exec, run->ticket);
  leat_cpu_exec_assign_conditions (run->exec);
  leat_cpu_count (graphs_run);
  leat_cpu_schedule_run (run->exec->schedule, run);
  leat_cpu_exec_end_run (run->exec, run);
  return leat_cpu_get_failure ();
}
