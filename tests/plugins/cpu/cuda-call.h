/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cuda-verbs.h"

/* A statement of a script under way. */
typedef struct
{
  CudaObjects *objects;
  char **words;
  int n;
} CudaCall;

typedef struct
{
  const char *name;
  CUresult (*run) (CudaCall *call);
} CudaVerb;

extern const CudaVerb cuda_stream_verbs[];
extern const CudaVerb cuda_memory_verbs[];
extern const CudaVerb cuda_work_verbs[];
extern const CudaVerb cuda_capture_verbs[];
extern const CudaVerb cuda_graph_verbs[];
extern const CudaVerb cuda_exec_verbs[];

/* Word @i as what it names. */
const char *cuda_call_get_word (CudaCall *call, int i);
int cuda_call_get_index (CudaCall *call, int i);
unsigned int cuda_call_get_number (CudaCall *call, int i);
CUstream cuda_call_get_stream (CudaCall *call, int i);
CUevent cuda_call_get_event (CudaCall *call, int i);
CUgraph cuda_call_get_graph (CudaCall *call, int i);
CUgraphExec cuda_call_get_exec (CudaCall *call, int i);
CUgraphNode cuda_call_get_node (CudaCall *call, int i);
CUdeviceptr cuda_call_get_memory (CudaCall *call, int i);
CUstreamCaptureMode cuda_call_get_mode (CudaCall *call, int i);
int cuda_call_get_dependencies (CudaCall *call, int first, CUgraphNode *nodes);
CUresult cuda_call_compare (CudaCall *call, CUresult result, unsigned long long found, unsigned long long wanted);

/* Used by more than one kind of verb. */
void cuda_host_count (void *data);
CUDA_MEMCPY3D cuda_call_describe_copy (CudaCall *call, int to, int from);
