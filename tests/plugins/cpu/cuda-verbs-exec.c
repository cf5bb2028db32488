/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-call.h"

static CUresult
cuda_verb_instantiate (CudaCall *call)
{
  return cuda.cuGraphInstantiateWithFlags (&call->objects->execs[cuda_call_get_index (call, 1)],
                                           cuda_call_get_graph (call, 2),
                                           call->n > 3 ? cuda_call_get_number (call, 3) : 0);
}

static CUresult
cuda_verb_launch (CudaCall *call)
{
  return cuda.cuGraphLaunch (cuda_call_get_exec (call, 1), cuda_call_get_stream (call, 2));
}

static CUresult
cuda_verb_upload (CudaCall *call)
{
  return cuda.cuGraphUpload (cuda_call_get_exec (call, 1), cuda_call_get_stream (call, 2));
}

static CUresult
cuda_verb_destroy_exec (CudaCall *call)
{
  CUresult result = cuda.cuGraphExecDestroy (cuda_call_get_exec (call, 1));

  if (result == CUDA_SUCCESS)
    call->objects->execs[cuda_call_get_index (call, 1)] = NULL;
  return result;
}

/* update EXEC GRAPH REASON */
static CUresult
cuda_verb_update (CudaCall *call)
{
  CUgraphExecUpdateResultInfo info = { .result = CU_GRAPH_EXEC_UPDATE_SUCCESS };
  CUresult result = cuda.cuGraphExecUpdate (cuda_call_get_exec (call, 1), cuda_call_get_graph (call, 2), &info);

  if (call->n > 3 && info.result != (CUgraphExecUpdateResult) cuda_call_get_number (call, 3))
    return cuda_call_compare (call, CUDA_SUCCESS, info.result, cuda_call_get_number (call, 3));
  return result;
}

static CUresult
cuda_verb_change_set (CudaCall *call)
{
  CUDA_MEMSET_NODE_PARAMS params = { .dst = cuda_call_get_memory (call, 3),
                                     .value = cuda_call_get_number (call, 4),
                                     .elementSize = 4,
                                     .width = call->n > 5 ? cuda_call_get_number (call, 5) : 4,
                                     .height = 1 };
  CUcontext context;

  cuda.cuCtxGetCurrent (&context);
  return cuda.cuGraphExecMemsetNodeSetParams (cuda_call_get_exec (call, 1), cuda_call_get_node (call, 2), &params,
                                              context);
}

static CUresult
cuda_verb_change_copy (CudaCall *call)
{
  CUDA_MEMCPY3D params = cuda_call_describe_copy (call, 3, 4);
  CUcontext context;

  cuda.cuCtxGetCurrent (&context);
  return cuda.cuGraphExecMemcpyNodeSetParams (cuda_call_get_exec (call, 1), cuda_call_get_node (call, 2), &params,
                                              context);
}

static CUresult
cuda_verb_enable (CudaCall *call)
{
  return cuda.cuGraphNodeSetEnabled (cuda_call_get_exec (call, 1), cuda_call_get_node (call, 2),
                                     cuda_call_get_number (call, 3));
}

static CUresult
cuda_verb_enabled (CudaCall *call)
{
  unsigned int enabled = 9;
  CUresult result = cuda.cuGraphNodeGetEnabled (cuda_call_get_exec (call, 1), cuda_call_get_node (call, 2), &enabled);

  return cuda_call_compare (call, result, enabled, cuda_call_get_number (call, 3));
}

const CudaVerb cuda_exec_verbs[] = {
  { "instantiate", cuda_verb_instantiate }, { "launch", cuda_verb_launch },
  { "upload", cuda_verb_upload },           { "destroy-exec", cuda_verb_destroy_exec },
  { "update", cuda_verb_update },           { "change-set", cuda_verb_change_set },
  { "change-copy", cuda_verb_change_copy }, { "enable", cuda_verb_enable },
  { "enabled", cuda_verb_enabled },         { NULL, NULL },
};
