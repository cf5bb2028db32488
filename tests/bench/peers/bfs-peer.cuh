/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* csr:bfs's device code as the node has it compiled, without a node, and memory for graphs. */
#pragma once

#include <cassert>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#ifndef __CUDA_ARCH__
extern "C"
{
__device__ int leat_wrappers_wait; /* which the dialect declares for the device alone */
}
#endif
#include "leat-dialect-cuda.h"
#include "leat-dialect-cuda-grid.h"
#include "must.cuh"

#ifndef BFS_THREADS
#define BFS_THREADS 640
#endif

/* What the node and the dialect put in front of the kernel. */
#define LEAT_REPORT(name, severity, text) enum { name };
LEAT_REPORT (ITERATIONS_SPENT = 4, error, "")
LEAT_REPORT (ITERATIONS_SPENT_TOLD = 5, warning, "")
LEAT_REPORT (TIME_SPENT = 7, error, "")
__device__ unsigned int reports;
template <class T>
__device__ __noinline__ void
leat_report_at (int, uint64_t, T)
{
  atomicAdd (&reports, 1u);
}
typedef uint32_t Offset;
#define EDGE_SHIFT 0
#define PULLS 1
#ifndef PARENTS
#define PARENTS 0
#endif
#define TUNES 0
#define TUNES_ALONE 0
#define TUNES_PULL 0
#include "frontier.cu"
#include "tune.cu"
#include "bfs-level.cu"
#include "bfs-alone.cu"
#include "bfs-tune.cu"
#include "bfs-parents.cu"
#include "bfs.cu"

template <class T>
static T *
place (const std::vector<T> &values)
{
  T *p;

  MUST (cudaMalloc (&p, values.size () * sizeof (T)));
  MUST (cudaMemcpy (p, values.data (), values.size () * sizeof (T), cudaMemcpyHostToDevice));
  return p;
}

template <class T>
static T *
room (uint64_t n)
{
  return place (std::vector<T> (n));
}
