/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-call.h"

static CUresult
cuda_verb_stream (CudaCall *call)
{
  return cuda.cuStreamCreate (&call->objects->streams[cuda_call_get_index (call, 1)],
                              call->n > 2 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT);
}

static CUresult
cuda_verb_destroy_stream (CudaCall *call)
{
  CUresult result = cuda.cuStreamDestroy (cuda_call_get_stream (call, 1));

  call->objects->streams[cuda_call_get_index (call, 1)] = NULL;
  return result;
}

static CUresult
cuda_verb_event (CudaCall *call)
{
  return cuda.cuEventCreate (&call->objects->events[cuda_call_get_index (call, 1)],
                             call->n > 2 ? CU_EVENT_DISABLE_TIMING : CU_EVENT_DEFAULT);
}

static CUresult
cuda_verb_destroy_event (CudaCall *call)
{
  CUresult result = cuda.cuEventDestroy (cuda_call_get_event (call, 1));

  call->objects->events[cuda_call_get_index (call, 1)] = NULL;
  return result;
}

static CUresult
cuda_verb_record (CudaCall *call)
{
  return call->n > 3 ? cuda.cuEventRecordWithFlags (cuda_call_get_event (call, 1), cuda_call_get_stream (call, 2),
                                                    CU_EVENT_RECORD_EXTERNAL)
                     : cuda.cuEventRecord (cuda_call_get_event (call, 1), cuda_call_get_stream (call, 2));
}

static CUresult
cuda_verb_wait (CudaCall *call)
{
  return cuda.cuStreamWaitEvent (cuda_call_get_stream (call, 1), cuda_call_get_event (call, 2),
                                 call->n > 3 ? CU_EVENT_WAIT_EXTERNAL : CU_EVENT_WAIT_DEFAULT);
}

static CUresult
cuda_verb_sync (CudaCall *call)
{
  return cuda.cuStreamSynchronize (cuda_call_get_stream (call, 1));
}

static CUresult
cuda_verb_query (CudaCall *call)
{
  return cuda.cuStreamQuery (cuda_call_get_stream (call, 1));
}

static CUresult
cuda_verb_sync_event (CudaCall *call)
{
  return cuda.cuEventSynchronize (cuda_call_get_event (call, 1));
}

static CUresult
cuda_verb_query_event (CudaCall *call)
{
  return cuda.cuEventQuery (cuda_call_get_event (call, 1));
}

static CUresult
cuda_verb_elapsed (CudaCall *call)
{
  float milliseconds = -1;
  CUresult result =
    cuda.cuEventElapsedTime (&milliseconds, cuda_call_get_event (call, 1), cuda_call_get_event (call, 2));

  return result == CUDA_SUCCESS && milliseconds < 0 ? CUDA_VERB_MISMATCH : result;
}

static CUresult
cuda_verb_sync_context (CudaCall *call)
{
  return cuda.cuCtxSynchronize ();
}

const CudaVerb cuda_stream_verbs[] = {
  { "stream", cuda_verb_stream },
  { "destroy-stream", cuda_verb_destroy_stream },
  { "event", cuda_verb_event },
  { "destroy-event", cuda_verb_destroy_event },
  { "record", cuda_verb_record },
  { "wait", cuda_verb_wait },
  { "sync", cuda_verb_sync },
  { "query", cuda_verb_query },
  { "sync-event", cuda_verb_sync_event },
  { "query-event", cuda_verb_query_event },
  { "elapsed", cuda_verb_elapsed },
  { "sync-context", cuda_verb_sync_context },
  { NULL, NULL },
};
