/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-call.h"

static CUresult
cuda_verb_begin (CudaCall *call)
{
  return cuda.cuStreamBeginCapture (cuda_call_get_stream (call, 1), cuda_call_get_mode (call, 2));
}

static CUresult
cuda_verb_begin_to (CudaCall *call)
{
  CUgraphNode nodes[CUDA_SCRIPT_OBJECTS];
  int n = cuda_call_get_dependencies (call, 4, nodes);

  return cuda.cuStreamBeginCaptureToGraph (cuda_call_get_stream (call, 1), cuda_call_get_graph (call, 2), nodes, NULL,
                                           (size_t) n, cuda_call_get_mode (call, 3));
}

static CUresult
cuda_verb_end (CudaCall *call)
{
  int index = cuda_call_get_index (call, 2);
  CUgraph graph = NULL;
  CUresult result = cuda.cuStreamEndCapture (cuda_call_get_stream (call, 1), &graph);

  if (result == CUDA_SUCCESS && graph != call->objects->graphs[index])
    {
      call->objects->graphs[index] = graph;
      call->objects->owned[index] = 1;
    }
  return result;
}

static CUresult
cuda_verb_status (CudaCall *call)
{
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult result = cuda.cuStreamIsCapturing (cuda_call_get_stream (call, 1), &status);

  return cuda_call_compare (call, result, status, cuda_call_get_number (call, 2));
}

/* info STREAM STATUS DEPENDENCIES */
static CUresult
cuda_verb_info (CudaCall *call)
{
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  uint64_t id = 0;
  CUgraph graph = NULL;
  const CUgraphNode *nodes = NULL;
  size_t n = 0;
  const CUgraphEdgeData *edges = NULL;
  CUresult result =
    cuda.cuStreamGetCaptureInfo (cuda_call_get_stream (call, 1), &status, &id, &graph, &nodes, &edges, &n);

  result = cuda_call_compare (call, result, status, cuda_call_get_number (call, 2));
  return call->n > 3 ? cuda_call_compare (call, result, n, cuda_call_get_number (call, 3)) : result;
}

static CUresult
cuda_verb_depend (CudaCall *call)
{
  CUgraphNode nodes[CUDA_SCRIPT_OBJECTS];
  int n = cuda_call_get_dependencies (call, 3, nodes);

  return cuda.cuStreamUpdateCaptureDependencies (cuda_call_get_stream (call, 1), nodes, NULL, (size_t) n,
                                                 cuda_call_get_number (call, 2));
}

static CUresult
cuda_verb_mode (CudaCall *call)
{
  CUstreamCaptureMode mode = cuda_call_get_mode (call, 1);

  return cuda.cuThreadExchangeStreamCaptureMode (&mode);
}

const CudaVerb cuda_capture_verbs[] = {
  { "begin", cuda_verb_begin }, { "begin-to", cuda_verb_begin_to },
  { "end", cuda_verb_end },     { "status", cuda_verb_status },
  { "info", cuda_verb_info },   { "depend", cuda_verb_depend },
  { "mode", cuda_verb_mode },   { NULL, NULL },
};
