/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda-call.h"

static const CudaVerb *const cuda_verbs[] = { cuda_stream_verbs,  cuda_memory_verbs, cuda_work_verbs,
                                              cuda_capture_verbs, cuda_graph_verbs,  cuda_exec_verbs };

CUresult
cuda_verb_run (CudaObjects *objects, char **words, int n_words)
{
  CudaCall call = { objects, words, n_words };

  objects->detail[0] = '\0';
  for (unsigned int i = 0; i < sizeof cuda_verbs / sizeof cuda_verbs[0]; i++)
    for (const CudaVerb *verb = cuda_verbs[i]; verb->name != NULL; verb++)
      if (strcmp (words[0], verb->name) == 0)
        return verb->run (&call);
  snprintf (objects->detail, sizeof objects->detail, "no verb \"%s\"", words[0]);
  return CUDA_VERB_MISMATCH;
}

CudaObjects *
cuda_objects_new (void)
{
  CudaObjects *objects = aligned_alloc (_Alignof(CudaObjects), sizeof (CudaObjects));

  memset (objects, 0, sizeof *objects);
  return objects;
}

/* In an order that frees even what a failed script left half done. */
void
cuda_objects_free (CudaObjects *objects)
{
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  CUgraph graph;

  cuda.cuThreadExchangeStreamCaptureMode (&mode);
  __atomic_store_n (&objects->gate, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < CUDA_SCRIPT_OBJECTS; i++)
    {
      CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

      if (objects->streams[i] != NULL && cuda.cuStreamIsCapturing (objects->streams[i], &status) == CUDA_SUCCESS
          && status != CU_STREAM_CAPTURE_STATUS_NONE)
        cuda.cuStreamEndCapture (objects->streams[i], &graph);
    }
  cuda.cuCtxSynchronize ();
  for (int i = 0; i < CUDA_SCRIPT_OBJECTS; i++)
    {
      if (objects->execs[i] != NULL)
        cuda.cuGraphExecDestroy (objects->execs[i]);
      if (objects->owned[i])
        cuda.cuGraphDestroy (objects->graphs[i]);
      if (objects->streams[i] != NULL)
        cuda.cuStreamDestroy (objects->streams[i]);
      if (objects->events[i] != NULL)
        cuda.cuEventDestroy (objects->events[i]);
      if (objects->device[i] != 0)
        cuda.cuMemFree (objects->device[i]);
      if (objects->pinned[i] != NULL)
        cuda.cuMemFreeHost (objects->pinned[i]);
    }
  mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  cuda.cuThreadExchangeStreamCaptureMode (&mode);
  free (objects);
}
