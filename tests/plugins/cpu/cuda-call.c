/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *
cuda_call_get_word (CudaCall *call, int i)
{
  return i < call->n ? call->words[i] : "";
}

int
cuda_call_get_index (CudaCall *call, int i)
{
  const char *word = cuda_call_get_word (call, i);

  return word[0] != '\0' ? abs (atoi (word + 1)) % CUDA_SCRIPT_OBJECTS : 0;
}

unsigned int
cuda_call_get_number (CudaCall *call, int i)
{
  return (unsigned int) strtoul (cuda_call_get_word (call, i), NULL, 0);
}

CUstream
cuda_call_get_stream (CudaCall *call, int i)
{
  const char *word = cuda_call_get_word (call, i);

  if (strcmp (word, "legacy") == 0)
    return CU_STREAM_LEGACY;
  if (strcmp (word, "null") == 0)
    return NULL;
  if (strcmp (word, "thread") == 0)
    return CU_STREAM_PER_THREAD;
  return call->objects->streams[cuda_call_get_index (call, i)];
}

CUevent
cuda_call_get_event (CudaCall *call, int i)
{
  return call->objects->events[cuda_call_get_index (call, i)];
}

CUgraph
cuda_call_get_graph (CudaCall *call, int i)
{
  return call->objects->graphs[cuda_call_get_index (call, i)];
}

CUgraphExec
cuda_call_get_exec (CudaCall *call, int i)
{
  return call->objects->execs[cuda_call_get_index (call, i)];
}

CUgraphNode
cuda_call_get_node (CudaCall *call, int i)
{
  return call->objects->nodes[cuda_call_get_index (call, i)];
}

/* Any kind of memory: unified addressing. */
CUdeviceptr
cuda_call_get_memory (CudaCall *call, int i)
{
  int index = cuda_call_get_index (call, i);

  switch (cuda_call_get_word (call, i)[0])
    {
    case 'h':
      return (CUdeviceptr) (uintptr_t) call->objects->pinned[index];
    case 'p':
      return (CUdeviceptr) (uintptr_t) call->objects->pageable[index];
    default:
      return call->objects->device[index];
    }
}

CUstreamCaptureMode
cuda_call_get_mode (CudaCall *call, int i)
{
  const char *word = cuda_call_get_word (call, i);

  return strcmp (word, "relaxed") == 0 ? CU_STREAM_CAPTURE_MODE_RELAXED
         : strcmp (word, "local") == 0 ? CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
                                       : CU_STREAM_CAPTURE_MODE_GLOBAL;
}

int
cuda_call_get_dependencies (CudaCall *call, int first, CUgraphNode *nodes)
{
  int n = 0;

  for (int i = first; i < call->n; i++)
    nodes[n++] = cuda_call_get_node (call, i);
  return n;
}

CUresult
cuda_call_compare (CudaCall *call, CUresult result, unsigned long long found, unsigned long long wanted)
{
  if (result != CUDA_SUCCESS || found == wanted)
    return result;
  snprintf (call->objects->detail, sizeof call->objects->detail, "found %llu", found);
  return CUDA_VERB_MISMATCH;
}
