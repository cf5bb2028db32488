/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What a round trip between the host and a kernel that stays on the device can cost, by several ways of saying that
 * data are there; beside a graph's launch and wait.
 *
 *   nvcc -std=c++17 -O3 -arch=sm_90 tests/bench/peers/run-signal.cu -o run-signal-peer && ./run-signal-peer [RUNS]
 *
 * One block.  Inputs: `word`, a thread polls a word and then all read mapped memory; `packets`, every thread polls its
 * own share, in which each 8 bytes are 4 of data and 4 of the run's number, with 1, 2 or 4 looks on their way at once;
 * `wc`, the same from write-combined memory.  Outputs: `word`, mapped memory and then a word as a release; `packets`,
 * as above.  `turns` is what is done between, in how many turns of a block with two barriers each, through the device's
 * memory; 0: in registers.  Every result is compared. */

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <emmintrin.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "must.cuh"

#define GIVE_UP_NS 5000000000ull
#define TRIP_CYCLES 2400 /* about what a look at the host's memory takes */

struct Words
{
  uint64_t number, unused_number[15], done, unused_done[15];
};

struct Trip
{
  Words *words;
  const uint4 *in, *in_packets; /* the host's memory; 16 bytes a thread, or 32 */
  uint4 *out, *out_packets;
  uint4 *from, *to; /* the device's memory */
  uint32_t runs, turns;
};

enum Say
{
  BY_WORD,
  BY_PACKETS
};

__device__ __forceinline__ uint64_t
now_ns ()
{
  uint64_t ns;

  asm volatile ("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

__device__ __forceinline__ uint4
load (const uint4 *p)
{
  uint4 v;

  asm volatile ("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                : "l"(p));
  return v;
}

__device__ __forceinline__ void
store (uint4 *p, uint32_t a, uint32_t b, uint32_t number)
{
  asm volatile ("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(a), "r"(number), "r"(b), "r"(number)
                : "memory");
}

__device__ __forceinline__ bool
give_up (uint64_t since, uint32_t looks)
{
  return looks % 1024 == 1023 && now_ns () - since > GIVE_UP_NS;
}

/* A share is two packets of 16 bytes; the looks that are still on their way when one has found what it looked for serve
 * the next run. */
template <int DEPTH> struct Looks
{
  uint4 low[DEPTH], high[DEPTH];
  uint32_t next;

  __device__ __forceinline__ void
  begin (const Trip &t)
  {
#pragma unroll
    for (int i = 0; i < DEPTH; i++)
      {
        low[i] = load (t.in_packets + threadIdx.x);
        high[i] = load (t.in_packets + blockDim.x + threadIdx.x);
        for (int64_t until = clock64 () + TRIP_CYCLES / DEPTH; DEPTH > 1 && clock64 () < until;)
          ;
      }
  }

  __device__ __forceinline__ bool
  receive (const Trip &t, uint32_t number, uint4 *v)
  {
    const uint64_t since = now_ns ();

    for (uint32_t looks = 0; !give_up (since, looks); looks += DEPTH)
      {
#pragma unroll
        for (int i = 0; i < DEPTH; i++)
          {
            const bool good =
              low[i].y == number && low[i].w == number && high[i].y == number && high[i].w == number;

            if (good)
              *v = { low[i].x, low[i].z, high[i].x, high[i].z };
            low[i] = load (t.in_packets + threadIdx.x);
            high[i] = load (t.in_packets + blockDim.x + threadIdx.x);
            if (good)
              return true;
          }
      }
    return false;
  }
};

__device__ __forceinline__ bool
hear (const Trip &t, uint32_t number, uint4 *v)
{
  __shared__ bool lost;

  if (threadIdx.x == 0)
    {
      const uint64_t since = now_ns ();
      uint32_t looks = 0;
      uint64_t seen;

      do
        asm volatile ("ld.acquire.sys.u64 %0, [%1];" : "=l"(seen) : "l"(&t.words->number) : "memory");
      while (seen != number && !give_up (since, looks++));
      lost = seen != number;
    }
  __syncthreads ();
  *v = t.in[threadIdx.x];
  return !lost;
}

__device__ __forceinline__ uint4
work (uint4 v)
{
  return { v.x * 3 + 1, v.y * 3 + 1, v.z * 3 + 1, v.w * 3 + 1 };
}

/* As a stage whose blocks are done in turn: each thread one item of 4 bytes a turn. */
__device__ __forceinline__ uint4
work_in_turns (const Trip &t, uint4 v)
{
  const uint32_t each = blockDim.x * 4 / t.turns;

  t.from[threadIdx.x] = v;
  __syncthreads ();
  for (uint32_t turn = 0; turn < t.turns; turn++)
    {
      __syncthreads ();
      for (uint32_t i = threadIdx.x; i < each; i += blockDim.x)
        ((volatile uint32_t *) t.to)[turn * each + i] = ((volatile uint32_t *) t.from)[turn * each + i] * 3 + 1;
      __syncthreads ();
    }
  return load (t.to + threadIdx.x);
}

template <Say IN, int DEPTH, Say OUT>
__global__ void
stay (const __grid_constant__ Trip t)
{
  Looks<DEPTH> looks;
  uint4 v = {};

  if (IN == BY_PACKETS)
    looks.begin (t);
  for (uint32_t number = 1; number <= t.runs; number++)
    {
      if (!(IN == BY_PACKETS ? looks.receive (t, number, &v) : hear (t, number, &v)))
        asm volatile ("exit;");
      v = t.turns == 0 ? work (v) : work_in_turns (t, v);
      if (OUT == BY_PACKETS)
        {
          store (t.out_packets + threadIdx.x, v.x, v.y, number);
          store (t.out_packets + blockDim.x + threadIdx.x, v.z, v.w, number);
          continue;
        }
      t.out[threadIdx.x] = v;
      __syncthreads ();
      if (threadIdx.x == 0)
        asm volatile ("st.release.sys.u64 [%0], %1;" ::"l"(&t.words->done), "l"((uint64_t) number) : "memory");
    }
}

__global__ void
nothing ()
{
}

/* Cycles of a barrier, by kind. */
__global__ void
meet_in_cluster (int64_t *cycles, int n)
{
  cooperative_groups::cluster_group all = cooperative_groups::this_cluster ();

  all.sync ();
  int64_t begin = clock64 ();
  for (int i = 0; i < n; i++)
    all.sync ();
  if (threadIdx.x == 0 && blockIdx.x == 0)
    *cycles = (clock64 () - begin) / n;
}

__global__ void
meet_by_count (int64_t *cycles, int n, uint32_t *count)
{
  int64_t begin = 0;

  for (int i = 0; i <= n; i++)
    {
      if (i == 1)
        begin = clock64 ();
      __syncthreads ();
      if (threadIdx.x == 0)
        {
          uint32_t seen;

          asm volatile ("red.release.gpu.add.u32 [%0], 1;" ::"l"(count) : "memory");
          do
            asm volatile ("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(count) : "memory");
          while (seen < (i + 1) * gridDim.x);
        }
      __syncthreads ();
    }
  if (threadIdx.x == 0 && blockIdx.x == 0)
    *cycles = (clock64 () - begin) / n;
}

/* Cycles of a fence of the whole system by one thread, after a block has written so much to the host's memory. */
__global__ void
fence (int64_t *cycles, uint4 *to, int written)
{
  if (threadIdx.x < written)
    to[threadIdx.x] = { threadIdx.x, 1, 2, 3 };
  __syncthreads ();
  if (threadIdx.x != 0)
    return;
  int64_t begin = clock64 ();
  __threadfence_system ();
  *cycles = clock64 () - begin;
}

static double
now_us ()
{
  return std::chrono::duration<double, std::micro> (std::chrono::steady_clock::now ().time_since_epoch ()).count ();
}

static void
tell (const char *what, std::vector<double> &us)
{
  std::sort (us.begin (), us.end ());
  printf ("%-58s p50 %7.2f  p99 %7.2f  least %7.2f us\n", what, us[us.size () / 2], us[us.size () * 99 / 100], us[0]);
  fflush (stdout);
}

/* Each packet is 8 bytes that are written at once, here two of them. */
static void
pack (uint4 *packets, const uint32_t *data, uint32_t words, uint32_t number)
{
  const __m128i numbers = _mm_set1_epi32 ((int) number);

  for (uint32_t i = 0; i < words; i += 4)
    {
      const uint32_t share = i / 4, half = words / 4;
      const __m128i v = _mm_loadu_si128 ((const __m128i *) (data + i));

      _mm_store_si128 ((__m128i *) (packets + share), _mm_unpacklo_epi32 (v, numbers));
      _mm_store_si128 ((__m128i *) (packets + half + share), _mm_unpackhi_epi32 (v, numbers));
    }
  _mm_sfence ();
}

static bool
unpack (uint32_t *data, const volatile uint32_t *packets, uint32_t words, uint32_t number)
{
  const double since = now_us ();

  for (uint32_t i = 0; i < words; i++)
    {
      const uint32_t at = (i % 4 < 2 ? 0 : words / 2) + i / 4 * 2 + i % 2;
      uint64_t packet;

      for (uint32_t looks = 1;; looks++)
        {
          packet = __atomic_load_n ((const uint64_t *) packets + at, __ATOMIC_RELAXED);
          if (packet >> 32 == number)
            break;
          if (looks % 65536 == 0 && now_us () - since > 3e6)
            return false;
        }
      data[i] = (uint32_t) packet;
    }
  return true;
}

static bool
await (const uint64_t *done, uint32_t number)
{
  const double since = now_us ();

  for (uint32_t looks = 1; __atomic_load_n (done, __ATOMIC_ACQUIRE) != number; looks++)
    if (looks % 65536 == 0 && now_us () - since > 3e6)
      return false;
  return true;
}

template <class T>
static T *
pinned (size_t bytes, unsigned flags = cudaHostAllocMapped)
{
  void *p;

  MUST (cudaHostAlloc (&p, bytes, flags));
  memset (p, 0, bytes);
  return (T *) p;
}

template <Say IN, int DEPTH, Say OUT>
static void
measure (const char *name, uint32_t bytes, uint32_t turns, uint32_t runs, bool wc)
{
  const uint32_t threads = bytes / 16, words = bytes / 4;
  Trip t = {};
  std::vector<uint32_t> data (words), got (words);
  std::vector<double> us;
  char what[96];
  cudaStream_t stream;
  bool lost = false;

  MUST (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking));
  t.words = pinned<Words> (sizeof (Words));
  t.in = pinned<uint4> (bytes);
  t.out = pinned<uint4> (bytes);
  t.in_packets = pinned<uint4> (2 * bytes, cudaHostAllocMapped | (wc ? cudaHostAllocWriteCombined : 0));
  t.out_packets = pinned<uint4> (2 * bytes);
  MUST (cudaMalloc (&t.from, bytes));
  MUST (cudaMalloc (&t.to, bytes));
  t.runs = runs;
  t.turns = turns;
  stay<IN, DEPTH, OUT><<<1, threads, 0, stream>>> (t);
  MUST (cudaGetLastError ());
  for (uint32_t number = 1; number <= runs && !lost; number++)
    {
      for (uint32_t i = 0; i < words; i++)
        data[i] = number * 2654435761u + i;
      const double begin = now_us ();
      if (IN == BY_PACKETS)
        pack ((uint4 *) t.in_packets, data.data (), words, number);
      else
        {
          memcpy ((void *) t.in, data.data (), bytes);
          __atomic_store_n (&t.words->number, number, __ATOMIC_RELEASE);
        }
      if (OUT == BY_PACKETS)
        lost = !unpack (got.data (), (const volatile uint32_t *) t.out_packets, words, number);
      else
        {
          lost = !await (&t.words->done, number);
          memcpy (got.data (), t.out, bytes);
        }
      const double took = now_us () - begin;
      if (number > runs / 10)
        us.push_back (took);
      for (uint32_t i = 0; i < words && !lost; i++)
        if (got[i] != data[i] * 3 + 1)
          {
            printf ("%s: run %u, word %u is wrong\n", name, number, i);
            exit (1);
          }
    }
  MUST (cudaStreamSynchronize (stream));
  snprintf (what, sizeof what, "%s, %u B, %u turns%s", name, bytes, turns, lost ? ", LOST" : "");
  if (!us.empty ())
    tell (what, us);
  MUST (cudaFreeHost (t.words));
  MUST (cudaFreeHost ((void *) t.in));
  MUST (cudaFreeHost (t.out));
  MUST (cudaFreeHost ((void *) t.in_packets));
  MUST (cudaFreeHost (t.out_packets));
  MUST (cudaFree (t.from));
  MUST (cudaFree (t.to));
  MUST (cudaStreamDestroy (stream));
}

static void
measure_graphs (uint32_t runs)
{
  for (int full = 0; full < 2; full++)
    {
      cudaStream_t stream;
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      std::vector<double> us;

      MUST (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking));
      MUST (cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal));
      if (full)
        nothing<<<1, 32, 0, stream>>> ();
      MUST (cudaStreamEndCapture (stream, &graph));
      MUST (cudaGraphInstantiate (&exec, graph, 0));
      for (uint32_t i = 0; i < runs; i++)
        {
          const double begin = now_us ();

          MUST (cudaGraphLaunch (exec, stream));
          while (cudaStreamQuery (stream) == cudaErrorNotReady)
            ;
          us.push_back (now_us () - begin);
        }
      tell (full ? "graph of a kernel that does nothing, launch and wait" : "graph of nothing, launch and wait", us);
      MUST (cudaGraphExecDestroy (exec));
      MUST (cudaGraphDestroy (graph));
      MUST (cudaStreamDestroy (stream));
    }
}

static void
measure_barriers ()
{
  int64_t *cycles = pinned<int64_t> (sizeof *cycles);
  uint4 *to = pinned<uint4> (16384);
  uint32_t *count;

  MUST (cudaMalloc (&count, sizeof *count));
  MUST (cudaFuncSetAttribute (meet_in_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (unsigned blocks : { 2u, 4u, 8u, 16u, 32u })
    {
      int n = 1000;
      cudaLaunchAttribute attribute = {};
      cudaLaunchConfig_t config = {};

      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim.x = blocks;
      attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
      config.gridDim = blocks;
      config.blockDim = 256;
      config.attrs = &attribute;
      config.numAttrs = 1;
      if (blocks <= 16)
        {
          MUST (cudaLaunchKernelEx (&config, meet_in_cluster, cycles, n));
          MUST (cudaDeviceSynchronize ());
          printf ("barrier of a cluster, %2u blocks of 256 %28s %6lld cycles\n", blocks, "", (long long) *cycles);
        }
      MUST (cudaMemset (count, 0, sizeof *count));
      void *args[] = { &cycles, &n, &count };
      MUST (cudaLaunchCooperativeKernel ((const void *) meet_by_count, blocks, 256, args, 0, 0));
      MUST (cudaDeviceSynchronize ());
      printf ("barrier by a count, %2u blocks of 256 %30s %6lld cycles\n", blocks, "", (long long) *cycles);
    }
  for (int written : { 0, 1, 64, 256, 1024 })
    {
      fence<<<1, 1024>>> (cycles, to, written);
      MUST (cudaDeviceSynchronize ());
      printf ("fence of the system after %5d x 16 B to the host %16s %6lld cycles\n", written, "",
              (long long) *cycles);
    }
}

int
main (int argc, char **argv)
{
  const uint32_t runs = argc > 1 ? (uint32_t) atoi (argv[1]) : 20000;
  cudaDeviceProp about;

  MUST (cudaGetDeviceProperties (&about, 0));
  printf ("%s, %u runs\n", about.name, runs);
  measure_graphs (runs);
  measure_barriers ();
  for (uint32_t bytes : { 512u, 4096u, 16384u })
    {
      measure<BY_WORD, 1, BY_WORD> ("word, word", bytes, 0, runs, false);
      measure<BY_WORD, 1, BY_PACKETS> ("word, packets", bytes, 0, runs, false);
      measure<BY_PACKETS, 1, BY_WORD> ("packets, word", bytes, 0, runs, false);
      measure<BY_PACKETS, 1, BY_PACKETS> ("packets, packets", bytes, 0, runs, false);
      measure<BY_PACKETS, 2, BY_PACKETS> ("packets by 2 looks, packets", bytes, 0, runs, false);
      measure<BY_PACKETS, 4, BY_PACKETS> ("packets by 4 looks, packets", bytes, 0, runs, false);
      measure<BY_PACKETS, 1, BY_PACKETS> ("wc packets, packets", bytes, 0, runs, true);
      measure<BY_PACKETS, 2, BY_PACKETS> ("wc packets by 2 looks, packets", bytes, 0, runs, true);
      measure<BY_PACKETS, 1, BY_PACKETS> ("packets, packets", bytes, 1, runs, false);
      measure<BY_PACKETS, 1, BY_PACKETS> ("packets, packets", bytes, 4, runs, false);
      measure<BY_PACKETS, 2, BY_PACKETS> ("packets by 2 looks, packets", bytes, 4, runs, false);
    }
  return 0;
}
