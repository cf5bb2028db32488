/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* compact's kernel beside cub::DeviceSelect::If, in one process and in turns, for several sets of its parameters.
 *
 *   nvcc -std=c++17 -O3 -arch=sm_90 -I core/kernel/device -I plugins/primitives/kernels \
 *     tests/bench/peers/select.cu -o select-peer && ./select-peer
 *
 * Without arguments the table of all; ./select-peer VARIANT... those alone; --sweep sizes at the borders of tiles, 100
 * runs of each, compared with CUB's (for a sanitizer too: --sweep=3); --most=LOG2 the table up to that size.  Our kernels
 * begin early, as they do in a session; with --plain they do not.  Up to 2^20 items it is 16 of them in a graph that
 * is timed, so that what a launch by itself costs is no part of it. */

#include <cub/cub.cuh>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
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

#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_ (x)

struct Variant
{
  const char *name;
  const void *kernel;
  uint32_t threads, tile, shared;
  bool in_place, few;
  uint32_t cluster; /* blocks of one */
};

#define VARIANT t512r4
#define COMPACT_THREADS 512
#define COMPACT_RUNS 4
#define COMPACT_BLOCKS 2
#include "select-variant.cuh"
#define VARIANT t768r4
#define COMPACT_THREADS 768
#define COMPACT_RUNS 4
#define COMPACT_BLOCKS 2
#include "select-variant.cuh"
#define VARIANT t384r5
#define COMPACT_THREADS 384
#define COMPACT_RUNS 5
#define COMPACT_BLOCKS 3
#include "select-variant.cuh"
#define VARIANT t512r4wide
#define COMPACT_THREADS 512
#define COMPACT_RUNS 4
#define COMPACT_WIDE 1
#include "select-variant.cuh"
#define VARIANT t512r2b3
#define COMPACT_THREADS 512
#define COMPACT_RUNS 2
#define COMPACT_BLOCKS 3
#include "select-variant.cuh"
#define VARIANT t512r1
#define COMPACT_THREADS 512
#define COMPACT_RUNS 1
#include "select-variant.cuh"
#define VARIANT t256r4b4
#define COMPACT_THREADS 256
#define COMPACT_RUNS 4
#define COMPACT_BLOCKS 4
#include "select-variant.cuh"
#define VARIANT t1024r4
#define COMPACT_THREADS 1024
#define COMPACT_RUNS 4
#include "select-variant.cuh"
#define VARIANT place
#define COMPACT_THREADS 512
#define COMPACT_RUNS 4
#define COMPACT_BLOCKS 2
#define COMPACT_IN_PLACE 1
#include "select-variant.cuh"
#define VARIANT place768r4
#define COMPACT_THREADS 768
#define COMPACT_RUNS 4
#define COMPACT_BLOCKS 2
#define COMPACT_IN_PLACE 1
#include "select-variant.cuh"
#define VARIANT few256r4
#define COMPACT_THREADS 256
#define COMPACT_RUNS 4
#define COMPACT_PACK 1
#define COMPACT_FEW 1
#include "select-variant.cuh"
#define VARIANT few512r4
#define COMPACT_THREADS 512
#define COMPACT_RUNS 4
#define COMPACT_PACK 1
#define COMPACT_FEW 1
#include "select-variant.cuh"
#define VARIANT few512r8
#define COMPACT_THREADS 512
#define COMPACT_RUNS 8
#define COMPACT_PACK 1
#define COMPACT_FEW 1
#include "select-variant.cuh"
#define VARIANT few512r16
#define COMPACT_THREADS 512
#define COMPACT_RUNS 16
#define COMPACT_PACK 1
#define COMPACT_FEW 1
#include "select-variant.cuh"
#define VARIANT fewplace
#define COMPACT_THREADS 256
#define COMPACT_RUNS 4
#define COMPACT_PACK 1
#define COMPACT_IN_PLACE 1
#define COMPACT_FEW 1
#include "select-variant.cuh"
#define VARIANT cl8t256r2
#define COMPACT_THREADS 256
#define COMPACT_RUNS 2
#define COMPACT_PACK 1
#define COMPACT_FEW 1
#define COMPACT_CLUSTER 8
#include "select-variant.cuh"
#define VARIANT cl8t512r4
#define COMPACT_THREADS 512
#define COMPACT_RUNS 4
#define COMPACT_PACK 1
#define COMPACT_FEW 1
#define COMPACT_CLUSTER 8
#include "select-variant.cuh"
#define VARIANT few256r2
#define COMPACT_THREADS 256
#define COMPACT_RUNS 2
#define COMPACT_PACK 1
#define COMPACT_FEW 1
#include "select-variant.cuh"
#define VARIANT few1024r8
#define COMPACT_THREADS 1024
#define COMPACT_RUNS 8
#define COMPACT_PACK 1
#define COMPACT_FEW 1
#include "select-variant.cuh"
#define VARIANT cl8place
#define COMPACT_THREADS 256
#define COMPACT_RUNS 4
#define COMPACT_PACK 1
#define COMPACT_IN_PLACE 1
#define COMPACT_FEW 1
#define COMPACT_CLUSTER 8
#include "select-variant.cuh"

static const Variant *const variants[] = { &t512r4::variant, &t768r4::variant, &t384r5::variant, &t512r4wide::variant, &t512r2b3::variant, &t512r1::variant, &t256r4b4::variant, &t1024r4::variant, &place::variant, &place768r4::variant, &few256r4::variant, &few512r4::variant, &few512r8::variant, &few512r16::variant, &fewplace::variant, &cl8t256r2::variant, &cl8t512r4::variant, &cl8place::variant, &few256r2::variant, &few1024r8::variant };

struct Below
{
  uint32_t limit;
  __host__ __device__ bool operator() (uint32_t x) const { return x < limit; }
};

__global__ void
fill (uint32_t *x, size_t n)
{
  GRID_FOR (i, n)
    {
      uint32_t h = (uint32_t) i * 2654435761u ^ (uint32_t) (i >> 32);

      h = (h ^ h >> 16) * 0x85ebca6bu;
      h = (h ^ h >> 13) * 0xc2b2ae35u;
      x[i] = h ^ h >> 16;
    }
}

__global__ void
differ (const uint32_t *a, const uint32_t *b, size_t n, unsigned long long *differences)
{
  GRID_FOR (i, n)
    if (a[i] != b[i])
      atomicAdd (differences, 1ull);
}

/* What reading alone takes. */
__global__ void
look (const uint4 *x, size_t n, uint32_t *out)
{
  uint32_t sum = 0;

  for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < n; i += 4 * (size_t) gridDim.x * blockDim.x)
    {
      size_t step = (size_t) gridDim.x * blockDim.x;
      uint4 v[4];

#pragma unroll
      for (int k = 0; k < 4; k++)
        v[k] = i + k * step < n ? x[i + k * step] : make_uint4 (0, 0, 0, 0);
#pragma unroll
      for (int k = 0; k < 4; k++)
        sum ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
  if (sum == 12345)
    *out = sum;
}

__global__ void
nothing (void)
{
  leat_wait_for_others (1);
}

static const size_t most = (size_t) 1 << 28;
static uint32_t *in, *out, *wanted;
static uint64_t *count, *wanted_count;
static std::map<const Variant *, uint64_t *> controls; /* each with sets of its own length */
static unsigned long long *differences;
static void *space;
static size_t space_bytes;
static cudaStream_t stream;
static int multiprocessors;

static void
launch_cub (size_t n, uint32_t limit)
{
  MUST (cub::DeviceSelect::If (space, space_bytes, in, wanted, wanted_count, n, Below{ limit }, stream));
}

static bool is_early = true;

static void
launch_kernel (const void *kernel, unsigned int grid, unsigned int threads, size_t shared, void **args)
{
  cudaLaunchAttribute early = {};
  cudaLaunchConfig_t config = {};

  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim = dim3 (grid);
  config.blockDim = dim3 (threads);
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = is_early;
  MUST (cudaLaunchKernelExC (&config, kernel, args));
}

static void
launch_ours (const Variant *v, size_t n, uint32_t limit)
{
  uint64_t rows = n, room = n, tiles = (n + v->tile - 1) / v->tile;
  const uint32_t *from = v->in_place ? out : in;
  uint64_t *control = controls[v];
  void *args[] = { &from, &rows, &limit, &out, &count, &room, &control, &tiles };
  int each = 0;
  unsigned int grid = (unsigned int) tiles;

  MUST (cudaFuncSetAttribute (v->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) v->shared));
  if (tiles > 264)
    {
      MUST (cudaOccupancyMaxActiveBlocksPerMultiprocessor (&each, v->kernel, (int) v->threads, v->shared));
      grid = (unsigned int) (each * multiprocessors);
    }
  if (v->cluster > 8)
    MUST (cudaFuncSetAttribute (v->kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  launch_kernel (v->kernel, v->cluster > 1 ? v->cluster : grid > 0 ? grid : 1, v->threads, v->shared, args);
}

/* @v: NULL for CUB */
static void
launch (const Variant *v, size_t n, uint32_t limit)
{
  if (v == NULL)
    launch_cub (n, limit);
  else
    launch_ours (v, n, limit);
}

static bool
suits (const Variant *v, size_t n)
{
  return !v->few || (n + v->tile - 1) / v->tile <= (v->cluster > 1 ? v->cluster : 128);
}

static bool
check (const Variant *v, size_t n, uint32_t limit)
{
  uint64_t found = 0, right = 0;
  unsigned long long different = 0;

  MUST (cudaMemsetAsync (out, 0xee, n * 4 + 64, stream));
  if (v->in_place)
    MUST (cudaMemcpyAsync (out, in, n * 4, cudaMemcpyDeviceToDevice, stream));
  MUST (cudaMemsetAsync (differences, 0, 8, stream));
  MUST (cudaMemsetAsync (count, 0xee, 8, stream));
  launch (v, n, limit);
  MUST (cudaMemcpyAsync (&right, wanted_count, 8, cudaMemcpyDeviceToHost, stream));
  MUST (cudaMemcpyAsync (&found, count, 8, cudaMemcpyDeviceToHost, stream));
  MUST (cudaStreamSynchronize (stream));
  if (found == right)
    differ<<<1056, 256, 0, stream>>> (out, wanted, right, differences);
  MUST (cudaMemcpyAsync (&different, differences, 8, cudaMemcpyDeviceToHost, stream));
  MUST (cudaStreamSynchronize (stream));
  if (found == right && different == 0)
    return true;
  printf ("WRONG %s n=%zu limit=%u: %lu kept, not %lu; %llu of them wrong\n", v->name, n, limit, found, right, different);
  return false;
}

static void
ask_cub (size_t n, uint32_t limit)
{
  MUST (cudaMemsetAsync (wanted_count, 0, 8, stream));
  launch_cub (n, limit);
  MUST (cudaStreamSynchronize (stream));
}

struct Times
{
  std::vector<double> us;

  double at (double part) { std::sort (us.begin (), us.end ()); return us[(size_t) (part * (us.size () - 1))]; }
};

static cudaEvent_t before, after;

static double
take_us (cudaGraphExec_t graph, const Variant *v, size_t n, uint32_t limit, int repeats)
{
  float ms;

  if (v != NULL && v->in_place && graph == NULL)
    MUST (cudaMemcpyAsync (out, in, n * 4, cudaMemcpyDeviceToDevice, stream));
  MUST (cudaEventRecord (before, stream));
  if (graph != NULL)
    MUST (cudaGraphLaunch (graph, stream));
  else
    launch (v, n, limit);
  MUST (cudaEventRecord (after, stream));
  MUST (cudaEventSynchronize (after));
  MUST (cudaEventElapsedTime (&ms, before, after));
  return ms * 1e3 / repeats;
}

static cudaGraphExec_t
make_graph (const Variant *v, size_t n, uint32_t limit, int repeats)
{
  cudaGraph_t graph;
  cudaGraphExec_t exec;

  MUST (cudaStreamBeginCapture (stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < repeats; i++)
    launch (v, n, limit);
  MUST (cudaStreamEndCapture (stream, &graph));
  MUST (cudaGraphInstantiate (&exec, graph, 0));
  MUST (cudaGraphDestroy (graph));
  return exec;
}

/* The ratios of all variants for this size. */
static void
compare (std::vector<const Variant *> chosen, size_t n, double part, std::map<const Variant *, std::vector<double>> &ratios)
{
  uint32_t limit = (uint32_t) std::min (4294967295.0, part * 4294967296.0);

  chosen.erase (std::remove_if (chosen.begin (), chosen.end (), [n] (const Variant *v) { return !suits (v, n); }),
                chosen.end ());
  bool in_graph = n <= (size_t) 1 << 20;
  int repeats = in_graph ? 16 : 1, rounds = n > (size_t) 1 << 24 ? 15 : 41;
  std::vector<Times> times (chosen.size () + 1);
  std::vector<cudaGraphExec_t> graphs (chosen.size () + 1);

  for (size_t i = 0; i <= chosen.size () && in_graph; i++)
    graphs[i] = make_graph (i == 0 ? NULL : chosen[i - 1], n, limit, repeats);
  for (int round = 0; round < rounds + 3; round++)
    for (size_t i = 0; i <= chosen.size (); i++)
      {
        double us = take_us (graphs[i], i == 0 ? NULL : chosen[i - 1], n, limit, repeats);

        if (round >= 3)
          times[i].us.push_back (us);
      }
  printf ("n=2^%-2d kept %5.1f %%  cub %9.2f us [%.2f-%.2f]\n", 63 - __builtin_clzll (n), 100 * part, times[0].at (0.5),
          times[0].at (0.1), times[0].at (0.9));
  for (size_t i = 1; i <= chosen.size (); i++)
    {
      double ratio = times[0].at (0.5) / times[i].at (0.5);

      printf ("    %-12s %9.2f us [%.2f-%.2f]  %.3fx of cub's speed  %.0f GB/s\n", chosen[i - 1]->name, times[i].at (0.5),
              times[i].at (0.1), times[i].at (0.9), ratio, n * 4.0 * (1 + part) / times[i].at (0.5) / 1e3);
      ratios[chosen[i - 1]].push_back (ratio);
    }
  for (size_t i = 0; i <= chosen.size () && in_graph; i++)
    MUST (cudaGraphExecDestroy (graphs[i]));
}

static size_t
control_bytes (const Variant *v)
{
  return (48 + 3 * (most / v->tile + 1)) * sizeof (uint64_t);
}

static void
set_up (void)
{
  MUST (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking));
  MUST (cudaDeviceGetAttribute (&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  MUST (cudaEventCreate (&before));
  MUST (cudaEventCreate (&after));
  for (uint32_t **p : { &in, &out, &wanted })
    MUST (cudaMalloc (p, most * 4 + 256));
  MUST (cudaMalloc (&count, 256));
  MUST (cudaMalloc (&wanted_count, 256));
  MUST (cudaMalloc (&differences, 256));
  for (const Variant *v : variants)
    MUST (cudaMalloc (&controls[v], control_bytes (v)));
  MUST (cub::DeviceSelect::If (NULL, space_bytes, in, wanted, wanted_count, most, Below{ 1 }, stream));
  MUST (cudaMalloc (&space, space_bytes));
  fill<<<1056, 256, 0, stream>>> (in, most);
  MUST (cudaStreamSynchronize (stream));
}

/* The sets lie elsewhere for another length. */
static void
clear_controls (void)
{
  for (const Variant *v : variants)
    MUST (cudaMemsetAsync (controls[v], 0, control_bytes (v), stream));
}

static bool
sweep (const std::vector<const Variant *> &chosen, int repeats)
{
  static const uint32_t limits[] = { 0, 1, 42949673, 2147483648u, 4252017623u, 4294967295u };
  bool good = true;

  for (const Variant *v : chosen)
    {
      std::vector<size_t> sizes = { 0, 1, 31, 32, 33, 127, 1000003, 3 * 1000 * 1000 + 7 };

      for (size_t tiles : { 1, 2, 3, 31, 32, 33, 255, 256, 257, 264, 265, 529, 2000 })
        for (int off = -1; off <= 1; off++)
          sizes.push_back (tiles * v->tile + off);
      for (size_t n : sizes)
        for (uint32_t limit : limits)
          {
            if (!suits (v, n))
              continue;
            ask_cub (n, limit);
            clear_controls ();
            for (int i = 0; i < repeats && good; i++)
              good = check (v, n, limit);
          }
      printf ("%-12s %s\n", v->name, good ? "right" : "WRONG");
    }
  return good;
}

/* What a kernel takes that does nothing, in a graph of 64. */
static void
measure_nothing (void)
{
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  Times times;

  MUST (cudaStreamBeginCapture (stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 64; i++)
    launch_kernel ((const void *) nothing, 1, 256, 0, NULL);
  MUST (cudaStreamEndCapture (stream, &graph));
  MUST (cudaGraphInstantiate (&exec, graph, 0));
  for (int i = 0; i < 41; i++)
    times.us.push_back (take_us (exec, NULL, 0, 0, 64));
  printf ("a kernel that does nothing takes %.2f us\n", times.at (0.5));
  MUST (cudaGraphExecDestroy (exec));
  MUST (cudaGraphDestroy (graph));
}

static int largest = 28;

static void
measure (const std::vector<const Variant *> &chosen)
{
  std::map<const Variant *, std::vector<double>> ratios;
  Times reading;

  for (int i = 0; i < 21; i++)
    {
      float ms;

      MUST (cudaEventRecord (before, stream));
      look<<<multiprocessors * 8, 256, 0, stream>>> ((const uint4 *) in, most / 4, out);
      MUST (cudaEventRecord (after, stream));
      MUST (cudaEventSynchronize (after));
      MUST (cudaEventElapsedTime (&ms, before, after));
      reading.us.push_back (ms * 1e3);
    }
  measure_nothing ();
  printf ("reading 2^28 takes %.1f us: %.0f GB/s\n", reading.at (0.5), most * 4.0 / reading.at (0.5) / 1e3);
  for (int shift : { 10, 12, 14, 16, 18, 20, 22, 24, 26, 28 })
    {
      if (shift > largest)
        break;
      ratios.clear ();
      for (double part : { 0.0, 0.01, 0.1, 0.5, 0.9, 1.0 })
        {
          clear_controls ();
          compare (chosen, (size_t) 1 << shift, part, ratios);
        }
      printf ("== n=2^%d, least and median over what is kept:", shift);
      for (const Variant *v : chosen)
        {
          std::vector<double> &list = ratios[v];

          std::sort (list.begin (), list.end ());
          if (!list.empty ())
            printf ("  %s %.2f/%.2f", v->name, list[0], list[list.size () / 2]);
        }
      printf ("\n");
    }
}

int
main (int argc, char **argv)
{
  std::vector<const Variant *> chosen;
  int repeats = 0;

  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "--plain") == 0)
      is_early = false;
    else if (strncmp (argv[i], "--most=", 7) == 0)
      largest = atoi (argv[i] + 7);
    else if (strncmp (argv[i], "--sweep", 7) == 0)
      repeats = argv[i][7] == '=' ? atoi (argv[i] + 8) : 100;
    else
      for (const Variant *v : variants)
        if (strcmp (v->name, argv[i]) == 0)
          chosen.push_back (v);
  if (chosen.empty ())
    chosen.assign (std::begin (variants), std::end (variants));
  set_up ();
  if (!sweep (chosen, repeats > 0 ? repeats : 2))
    return 1;
  if (repeats == 0)
    measure (chosen);
  return 0;
}
