/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cuda-table.h"

#define CUDA_SCRIPT_THREADS 2
#define CUDA_SCRIPT_OBJECTS 10
#define CUDA_SCRIPT_BYTES   65536

/* What a verb returns when the call succeeded and what it reported is not what the script says. */
#define CUDA_VERB_MISMATCH ((CUresult) 100000)

typedef struct
{
  _Alignas(4096) unsigned int pageable[CUDA_SCRIPT_OBJECTS][1024]; /* a page each, side by side */
  CUstream streams[CUDA_SCRIPT_OBJECTS];
  CUevent events[CUDA_SCRIPT_OBJECTS];
  CUgraph graphs[CUDA_SCRIPT_OBJECTS];
  CUgraphExec execs[CUDA_SCRIPT_OBJECTS];
  CUgraphNode nodes[CUDA_SCRIPT_OBJECTS];
  CUdeviceptr device[CUDA_SCRIPT_OBJECTS];
  unsigned int *pinned[CUDA_SCRIPT_OBJECTS];
  CUgraphConditionalHandle conditions[CUDA_SCRIPT_OBJECTS];
  int owned[CUDA_SCRIPT_OBJECTS]; /* graphs that the script must destroy */
  int host_calls;                 /* how often host functions ran */
  int begun;                      /* the host function of `host-late` */
  int gate;                       /* host functions of `block` wait until it is 1 */
  CUresult host_result;           /* of the driver call made in a host function */
  char detail[128];
} CudaObjects;

CudaObjects *cuda_objects_new (void);
void cuda_objects_free (CudaObjects *objects);
CUresult cuda_verb_run (CudaObjects *objects, char **words, int n_words);
