/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What compute-sanitizer's synccheck says of a kernel in which nothing is wrong, in a WHILE node and outside of one.
 *
 *   nvcc -std=c++17 -O3 -arch=sm_90 -lineinfo tests/bench/peers/while-sync.cu -o while-sync
 *   compute-sanitizer --tool synccheck ./while-sync graph
 *   compute-sanitizer --tool synccheck ./while-sync while
 *
 * The kernel has one store of each warp's first thread and two barriers, which all threads pass. */

#include "must.cuh"

#include <cstdio>
#include <cstring>

#define ITERATIONS 20
#define THREADS    256

__global__ void
begin (unsigned int *done)
{
  *done = 0;
}

__global__ void __launch_bounds__ (THREADS)
work (unsigned int *out)
{
  __shared__ unsigned int parts[THREADS / 32];

  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = threadIdx.x;
  __syncthreads ();
  out[threadIdx.x] = parts[threadIdx.x % (THREADS / 32)];
  __syncthreads ();
}

__global__ void
test (unsigned int *done, cudaGraphConditionalHandle handle)
{
  cudaGraphSetConditional (handle, ++*done < ITERATIONS);
}

static cudaGraphNode_t
add (cudaGraph_t graph, cudaGraphNode_t after, const void *kernel, unsigned int threads, void **args)
{
  cudaKernelNodeParams params = {};
  cudaGraphNode_t node;

  params.func = (void *) kernel;
  params.gridDim = dim3 (1);
  params.blockDim = dim3 (threads);
  params.kernelParams = args;
  MUST (cudaGraphAddKernelNode (&node, graph, after != nullptr ? &after : nullptr, after != nullptr, &params));
  return node;
}

static cudaGraph_t
add_loop (cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle *handle)
{
  cudaGraphNodeParams params = {};
  cudaGraphNode_t node;

  MUST (cudaGraphConditionalHandleCreate (handle, graph, 1, cudaGraphCondAssignDefault));
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = *handle;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 1;
#if CUDART_VERSION >= 13000
  MUST (cudaGraphAddNode (&node, graph, &after, nullptr, 1, &params));
#else
  MUST (cudaGraphAddNode (&node, graph, &after, 1, &params));
#endif
  return params.conditional.phGraph_out[0];
}

int
main (int argc, char **argv)
{
  bool loops = argc > 1 && strcmp (argv[1], "while") == 0;
  unsigned int *out, *done, is[THREADS];
  cudaGraph_t graph;
  cudaGraphNode_t last;
  cudaGraphExec_t exec;
  cudaGraphConditionalHandle handle;
  void *done_args[] = { &done, &handle }, *work_args[] = { &out };

  MUST (cudaMalloc (&out, sizeof is));
  MUST (cudaMalloc (&done, sizeof *done));
  MUST (cudaGraphCreate (&graph, 0));
  last = add (graph, nullptr, (const void *) begin, 1, done_args);
  if (loops)
    {
      cudaGraph_t body = add_loop (graph, last, &handle);

      add (body, add (body, nullptr, (const void *) work, THREADS, work_args), (const void *) test, 1, done_args);
    }
  for (int i = 0; i < ITERATIONS && !loops; i++)
    last = add (graph, last, (const void *) work, THREADS, work_args);
  MUST (cudaGraphInstantiate (&exec, graph, 0));
  MUST (cudaGraphLaunch (exec, nullptr));
  MUST (cudaMemcpy (is, out, sizeof is, cudaMemcpyDeviceToHost));
  for (unsigned int i = 0; i < THREADS; i++)
    if (is[i] != 32 * (i % (THREADS / 32)))
      return printf ("thread %u has %u\n", i, is[i]), 1;
  printf ("%s: right\n", loops ? "while" : "graph");
  return 0;
}
