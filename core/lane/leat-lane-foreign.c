/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Stream capture of foreign work, and what is to be said when it fails.  First it is captured into a graph of its own,
 * which shows whether it can be; then into the lane's graph, which a failure would spoil. */

#include "leat-foreign-stream-private.h"

#include "driver/leat-driver-watch-private.h"
#include "driver/leat-driver-witness-private.h"

/* Of this thread alone: others may allocate meanwhile. */
#define LEAT_CAPTURE_MODE CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

void
leat_capture_fault_clear (LeatCaptureFault *self)
{
  g_clear_pointer (&self->why, g_free);
  self->call = NULL;
}

static void
leat_capture_fault_set (LeatCaptureFault *self, const char *call, const char *why)
{
  self->call = call;
  self->why = call != NULL ? g_strdup_printf ("%s: %s", call, why) : g_strdup (why);
}

/* The best that is known: a call that was not let through, one that the driver refused, what the callback says, and
 * what the end of the capture says. */
static void
leat_lane_find_fault (LeatLane *self, const LeatDriverWatch *watch, const GError *inner, CUresult end,
                      LeatCaptureFault *fault)
{
  const char *text = leat_driver_get_result_name (self->table, end);

  if (watch->refused_why != NULL)
    leat_capture_fault_set (fault, leat_driver_entry_get_name (watch->refused), watch->refused_why);
  else if (watch->failure != CUDA_SUCCESS && (inner != NULL || end != CUDA_SUCCESS))
    leat_capture_fault_set (fault, leat_driver_entry_get_name (watch->failed),
                            leat_driver_get_result_name (self->table, watch->failure));
  else if (inner != NULL)
    leat_capture_fault_set (fault, NULL, inner->message);
  else if (end == CUDA_ERROR_STREAM_CAPTURE_UNJOINED && watch->forked)
    leat_capture_fault_set (fault, "cuStreamWaitEvent", "the stream that it brought in was not joined back");
  else if (end != CUDA_SUCCESS)
    leat_capture_fault_set (fault, "cuStreamEndCapture", text);
}

/* Between the beginning of a capture and its end. */
static GError *
leat_lane_capture_call (LeatLane *self, const LeatOp *op, LeatDriverWatch *watch)
{
  GError *inner = NULL;

  leat_driver_watch_begin (watch, leat_device_get_driver (self->program->device), leat_stream_get (self->stream));
  leat_lane_call_foreign (self, op, TRUE, &inner);
  leat_driver_watch_end (watch);
  return inner;
}

/* A call that failed before it did anything is made again: the stream is needed.  One that reports the failure of
 * earlier work may give a graph. */
static CUresult
leat_lane_end_capture (LeatLane *self, CUgraph *graph)
{
  CUstream stream = leat_stream_get (self->stream);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult result = (*self->table->cuStreamEndCapture) (stream, graph);

  if (result == CUDA_SUCCESS || *graph != NULL)
    return result;
  if ((*self->table->cuStreamIsCapturing) (stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE)
    (*self->table->cuStreamEndCapture) (stream, graph);
  return result;
}

static guint
leat_lane_count_nodes (LeatLane *self, CUgraph graph)
{
  size_t n = 0;

  return (*self->table->cuGraphGetNodes) (graph, NULL, &n) == CUDA_SUCCESS ? (guint) n : 0;
}

static CUgraph
leat_lane_try_capture (LeatLane *self, const LeatOp *op, LeatCaptureFault *fault)
{
  CUstream stream = leat_stream_get (self->stream);
  g_autoptr (GError) inner = NULL;
  LeatDriverWatch watch;
  CUgraph graph = NULL;
  CUresult result = (*self->table->cuStreamBeginCapture) (stream, LEAT_CAPTURE_MODE);

  if (result != CUDA_SUCCESS)
    {
      leat_capture_fault_set (fault, "cuStreamBeginCapture", leat_driver_get_result_name (self->table, result));
      return NULL;
    }
  inner = leat_lane_capture_call (self, op, &watch);
  result = leat_lane_end_capture (self, &graph);
  leat_lane_find_fault (self, &watch, inner, result, fault);
  if (fault->why == NULL && leat_lane_count_nodes (self, graph) == 0)
    leat_capture_fault_set (fault, NULL, "it put nothing on its stream");
  if (fault->why == NULL)
    return graph;
  if (graph != NULL)
    (*self->table->cuGraphDestroy) (graph);
  return NULL;
}

/* Does it not say which call was at fault? */
static gboolean
leat_capture_fault_is_vague (const LeatCaptureFault *self)
{
  return self->why != NULL && (self->call == NULL || g_str_equal (self->call, "cuStreamEndCapture"));
}

/* Calls that went past the watch may be heard of when they are made again. */
CUgraph
leat_lane_capture_foreign (LeatLane *self, const LeatOp *op, LeatCaptureFault *fault)
{
  CUgraph graph = leat_lane_try_capture (self, op, fault);
  LeatDriverWitness witness;

  if (!leat_capture_fault_is_vague (fault)
      || !leat_driver_witness_begin (&witness, leat_device_get_driver (self->program->device)))
    return graph;
  leat_capture_fault_clear (fault);
  graph = leat_lane_try_capture (self, op, fault);
  leat_driver_witness_end (&witness);
  if (leat_capture_fault_is_vague (fault) && witness.call != NULL)
    {
      leat_capture_fault_clear (fault);
      leat_capture_fault_set (fault, witness.call, leat_driver_get_result_name (self->table, witness.failure));
    }
  return graph;
}

static CUresult
leat_lane_add_child (LeatLane *self, LeatExecutable *to, const LeatOp *op, const CUgraphNode *after, gsize n_after,
                     LeatCaptureFault *fault)
{
  CUgraph child = leat_lane_capture_foreign (self, op, fault);
  CUresult result;

  if (child == NULL)
    return CUDA_SUCCESS;
  result = (*self->table->cuGraphAddChildGraphNode) (&to->nodes[op->index], to->graph, after, n_after, child);
  (*self->table->cuGraphDestroy) (child);
  return result;
}

/* Ops after this one have one node to wait for. */
static CUresult
leat_lane_close_foreign (LeatLane *self, LeatExecutable *to, const LeatOp *op, const CUgraphNode *last, gsize n_last)
{
  if (n_last != 1)
    return (*self->table->cuGraphAddEmptyNode) (&to->nodes[op->index], to->graph, last, n_last);
  to->nodes[op->index] = last[0];
  return CUDA_SUCCESS;
}

static CUresult
leat_lane_get_last (LeatLane *self, CUgraphNode **last, size_t *n_last)
{
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUgraphNode *found = NULL;
  const CUgraphEdgeData *edges = NULL;
  CUgraph graph = NULL;
  uint64_t id = 0;
  CUresult result = (*self->table->cuStreamGetCaptureInfo) (leat_stream_get (self->stream), &status, &id, &graph,
                                                            &found, &edges, n_last);

  if (result == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_ACTIVE)
    *last = g_memdup2 (found, *n_last * sizeof *found);
  else
    *n_last = 0;
  return result;
}

static CUresult
leat_lane_capture_into (LeatLane *self, LeatExecutable *to, const LeatOp *op, const CUgraphNode *after, gsize n_after,
                        LeatCaptureFault *fault)
{
  CUstream stream = leat_stream_get (self->stream);
  g_autoptr (GError) inner = NULL;
  g_autofree CUgraphNode *last = NULL;
  LeatDriverWatch watch;
  CUgraph graph = NULL;
  size_t n_last = 0;
  CUresult result, end;

  result = (*self->table->cuStreamBeginCaptureToGraph) (stream, to->graph, after, NULL, n_after, LEAT_CAPTURE_MODE);
  if (result != CUDA_SUCCESS)
    return result;
  inner = leat_lane_capture_call (self, op, &watch);
  result = leat_lane_get_last (self, &last, &n_last);
  end = leat_lane_end_capture (self, &graph);
  leat_lane_find_fault (self, &watch, inner, end, fault);
  if (fault->why != NULL)
    return CUDA_SUCCESS;
  return result == CUDA_SUCCESS ? leat_lane_close_foreign (self, to, op, last, n_last) : result;
}

gboolean
leat_lane_add_foreign (LeatLane *self, LeatExecutable *to, const LeatOp *op, const CUgraphNode *after, gsize n_after,
                       LeatCaptureFault *fault)
{
  gboolean into = self->table->cuStreamBeginCaptureToGraph != NULL && self->table->cuStreamGetCaptureInfo != NULL;
  CUresult result = into ? leat_lane_capture_into (self, to, op, after, n_after, fault)
                         : leat_lane_add_child (self, to, op, after, n_after, fault);

  if (result != CUDA_SUCCESS && fault->why == NULL)
    leat_capture_fault_set (fault, into ? "cuStreamBeginCaptureToGraph" : "cuGraphAddChildGraphNode",
                            leat_driver_get_result_name (self->table, result));
  return fault->why == NULL;
}
