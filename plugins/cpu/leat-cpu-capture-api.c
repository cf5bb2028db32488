/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Calls of the driver API that begin, end and describe a capture.  They check their arguments; leat-cpu-capture.c does
 * the work. */

#include "leat-cpu-capture.h"
#include "leat-cpu-exports.h"

static CUresult
leat_cpu_capture_begin (LeatCpuStream *stream, LeatCpuGraph *graph, CUstreamCaptureMode mode)
{
  if (stream == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if ((guint) mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  if (stream == leat_cpu_stream_get_legacy ())
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture != NULL || (graph != NULL && graph->captures))
    return CUDA_ERROR_ILLEGAL_STATE;
  leat_cpu_capture_new (stream, graph, mode);
  return CUDA_SUCCESS;
}

CUresult
cuStreamBeginCapture_v2 (CUstream handle, CUstreamCaptureMode mode)
{
  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  CUresult result = leat_cpu_capture_begin (leat_cpu_stream_from_handle (handle), NULL, mode);
  leat_cpu_release ();
  return result;
}

static CUresult
leat_cpu_capture_check_nodes (LeatCpuGraph *graph, const CUgraphNode *nodes, gsize n)
{
  if (n > 0 && nodes == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  for (gsize i = 0; i < n; i++)
    {
      LeatCpuNode *node = leat_cpu_node_from_handle (nodes[i]);

      if (node == NULL || node->graph != graph)
        return CUDA_ERROR_INVALID_VALUE;
    }
  return CUDA_SUCCESS;
}

static void
leat_cpu_capture_depend_on (LeatCpuStream *stream, const CUgraphNode *nodes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (!g_ptr_array_find (stream->tail, nodes[i], NULL))
      g_ptr_array_add (stream->tail, nodes[i]);
}

CUresult
cuStreamBeginCaptureToGraph (CUstream handle, CUgraph graph_handle, const CUgraphNode *dependencies,
                             const CUgraphEdgeData *edges, size_t n_dependencies, CUstreamCaptureMode mode)
{
  CUresult result = CUDA_ERROR_INVALID_VALUE;

  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuGraph *graph = leat_cpu_graph_from_handle (graph_handle);
  LeatCpuStream *stream = leat_cpu_stream_from_handle (handle);
  if (graph != NULL)
    result = leat_cpu_capture_check_nodes (graph, dependencies, n_dependencies);
  if (result == CUDA_SUCCESS)
    result = leat_cpu_capture_begin (stream, graph, mode);
  if (result == CUDA_SUCCESS)
    leat_cpu_capture_depend_on (stream, dependencies, n_dependencies);
  leat_cpu_release ();
  return result;
}

static CUresult
leat_cpu_capture_end_on (LeatCpuStream *stream, LeatCpuGraph **graph)
{
  if (stream == NULL)
    return CUDA_ERROR_INVALID_HANDLE;

  LeatCpuCapture *capture = stream->capture;
  if (capture == NULL)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != stream)
    {
      capture->invalid = TRUE;
      return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != leat_cpu_thread_get ())
    {
      leat_cpu_capture_drop (capture);
      return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    }
  return leat_cpu_capture_end (capture, graph);
}

CUresult
cuStreamEndCapture (CUstream handle, CUgraph *out)
{
  LeatCpuGraph *graph = NULL;

  LEAT_CPU_ENTER ();
  if (out == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  CUresult result = leat_cpu_capture_end_on (leat_cpu_stream_from_handle (handle), &graph);
  leat_cpu_release ();
  *out = (CUgraph) graph;
  return result;
}

static CUstreamCaptureStatus
leat_cpu_capture_get_status (LeatCpuStream *stream)
{
  if (stream->capture == NULL)
    return CU_STREAM_CAPTURE_STATUS_NONE;
  return stream->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult
cuStreamIsCapturing (CUstream handle, CUstreamCaptureStatus *status)
{
  CUresult result = CUDA_SUCCESS;

  LEAT_CPU_ENTER ();
  if (status == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  LeatCpuStream *stream = leat_cpu_stream_from_handle (handle);
  if (stream == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  else if (leat_cpu_capture_blocks_legacy (stream))
    result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  else
    *status = leat_cpu_capture_get_status (stream);
  leat_cpu_release ();
  return result;
}

/* The dependencies that are handed out lie in the stream, and last until the stream captures more. */
CUresult
cuStreamGetCaptureInfo_v3 (CUstream handle, CUstreamCaptureStatus *status, uint64_t *id, CUgraph *graph,
                           const CUgraphNode **dependencies, const CUgraphEdgeData **edges, size_t *n_dependencies)
{
  CUresult result = CUDA_SUCCESS;

  LEAT_CPU_ENTER ();
  if (status == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  LeatCpuStream *stream = leat_cpu_stream_from_handle (handle);
  if (stream == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  else if (leat_cpu_capture_blocks_legacy (stream))
    result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  else
    *status = leat_cpu_capture_get_status (stream);
  if (result == CUDA_SUCCESS && *status == CU_STREAM_CAPTURE_STATUS_ACTIVE)
    {
      if (id != NULL)
        *id = stream->capture->id;
      if (graph != NULL)
        *graph = (CUgraph) stream->capture->graph;
      if (dependencies != NULL)
        *dependencies = (const CUgraphNode *) stream->tail->pdata;
      if (edges != NULL)
        *edges = NULL;
      if (n_dependencies != NULL)
        *n_dependencies = stream->tail->len;
    }
  leat_cpu_release ();
  return result;
}

CUresult
cuStreamUpdateCaptureDependencies_v2 (CUstream handle, CUgraphNode *dependencies, const CUgraphEdgeData *edges,
                                      size_t n_dependencies, unsigned int flags)
{
  CUresult result;

  LEAT_CPU_ENTER ();
  if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  LeatCpuStream *stream = leat_cpu_stream_from_handle (handle);
  if (stream == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  else if (stream->capture == NULL)
    result = CUDA_ERROR_ILLEGAL_STATE;
  else if (stream->capture->invalid)
    result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  else
    result = leat_cpu_capture_check_nodes (stream->capture->graph, dependencies, n_dependencies);
  if (result == CUDA_SUCCESS)
    {
      if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        g_ptr_array_set_size (stream->tail, 0);
      leat_cpu_capture_depend_on (stream, dependencies, n_dependencies);
    }
  leat_cpu_release ();
  return result;
}

CUresult
cuThreadExchangeStreamCaptureMode (CUstreamCaptureMode *mode)
{
  LeatCpuThread *thread = leat_cpu_thread_get ();

  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  if (mode == NULL || (guint) *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  CUstreamCaptureMode before = thread->capture_mode;
  thread->capture_mode = *mode;
  *mode = before;
  return CUDA_SUCCESS;
}
