/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* reduce, scan, unique, histogram and sort beside CUB, in one process, in turns, inside graphs.
 *
 *   mkdir texts; echo TEST_PRIMITIVE_TEXTS=texts build/tests/test-plugins-primitives-images | ./dev shell
 *   for t in reduce-f32 scan-f32 scan-u32 unique-u8 histogram-u8 histogram-f32 sort-u32; do
 *     nvcc -std=c++17 -O3 --fmad=false -arch=sm_90 -cubin -o texts/$t.cubin texts/$t.cu; done
 *   nvcc -std=c++17 -O3 -arch=sm_90 tests/bench/peers/primitives.cu -lcuda -o primitives-peer
 *   ./primitives-peer texts [--plain] [--once] [LOG2...]
 *
 * Kernels begin early, as they do in a session; with --plain they do not.  Sizes are 2^16, 2^20, 2^24 and 2^28 unless
 * some are named.  Each graph has the work 16 times up to 2^20, so that what a launch costs is no part of it.  With
 * --once it has it once and runs twice: for a sanitizer, says nothing of time. */

#include <cub/cub.cuh>
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define WARM   5
#define ROUNDS 41

static void
must (int result, const char *what)
{
  if (result == 0)
    return;
  fprintf (stderr, "%s: error %d\n", what, result);
  exit (2);
}
#define MUST(call) must ((int) (call), #call)

static bool is_early = true, is_once = false;

struct Kernels
{
  CUmodule module;

  Kernels (const std::string &folder, const char *name)
  {
    std::string path = folder + "/" + name + ".cubin";

    must ((int) cuModuleLoad (&module, path.c_str ()), path.c_str ());
  }
  void launch (cudaStream_t stream, const char *entry, uint64_t blocks, std::vector<uint64_t> values,
               unsigned threads = 256) const
  {
    CUfunction function;
    CUlaunchAttribute early = {};
    CUlaunchConfig config = {};
    std::vector<void *> params;

    MUST (cuModuleGetFunction (&function, module, entry));
    for (uint64_t &value : values)
      params.push_back (&value);
    early.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    early.value.programmaticStreamSerializationAllowed = 1;
    config.gridDimX = (unsigned) blocks;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = threads;
    config.hStream = stream;
    config.attrs = &early;
    config.numAttrs = is_early;
    MUST (cuLaunchKernelEx (&config, function, params.data (), nullptr));
  }
};

static std::vector<void *> taken; /* for one size */

/* Memory of the device; zeros at first. */
static uint64_t
take (size_t bytes)
{
  void *p;

  MUST (cudaMalloc (&p, bytes + 16));
  MUST (cudaMemset (p, 0, bytes + 16));
  taken.push_back (p);
  return (uint64_t) p;
}

template <class T>
static std::vector<T>
fetch (uint64_t from, size_t n)
{
  std::vector<T> data (n);

  MUST (cudaMemcpy (data.data (), (void *) from, n * sizeof (T), cudaMemcpyDeviceToHost));
  return data;
}

typedef std::function<void (cudaStream_t)> Work;

struct Contest
{
  const char *name;
  size_t bytes; /* that must be moved at least */
  Work ours, cub;
  std::function<bool ()> agree;
};

static cudaGraphExec_t
record (const Work &work, int times, cudaStream_t stream)
{
  cudaGraph_t graph;
  cudaGraphExec_t exec;

  MUST (cudaStreamBeginCapture (stream, cudaStreamCaptureModeRelaxed));
  for (int i = 0; i < times; i++)
    work (stream);
  MUST (cudaStreamEndCapture (stream, &graph));
  MUST (cudaGraphInstantiate (&exec, graph, 0));
  return exec;
}

static float
time_graph (cudaGraphExec_t exec, cudaStream_t stream, cudaEvent_t *events)
{
  float ms;

  MUST (cudaEventRecord (events[0], stream));
  MUST (cudaGraphLaunch (exec, stream));
  MUST (cudaEventRecord (events[1], stream));
  MUST (cudaEventSynchronize (events[1]));
  MUST (cudaEventElapsedTime (&ms, events[0], events[1]));
  return ms * 1000;
}

static double
median (std::vector<float> values)
{
  std::sort (values.begin (), values.end ());
  return values[values.size () / 2];
}

static bool
contend (const Contest &contest, int log2)
{
  int times = log2 <= 20 && !is_once ? 16 : 1, warm = is_once ? 1 : WARM, rounds = is_once ? 1 : ROUNDS;
  cudaStream_t stream;
  cudaEvent_t events[2];
  std::vector<float> ours, cub, ratios;
  cudaGraphExec_t execs[2];
  bool good;

  MUST (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking));
  MUST (cudaEventCreate (&events[0]));
  MUST (cudaEventCreate (&events[1]));
  execs[0] = record (contest.ours, times, stream);
  execs[1] = record (contest.cub, times, stream);
  for (int i = 0; i < warm + rounds; i++)
    {
      float a = time_graph (execs[0], stream, events) / times, b = time_graph (execs[1], stream, events) / times;

      if (i < warm)
        continue;
      ours.push_back (a);
      cub.push_back (b);
      ratios.push_back (a / b);
    }
  good = contest.agree ();
  printf ("%-14s 2^%d  ours %9.2f us  CUB %9.2f us  ratio %.3f  %7.1f GB/s  %s\n", contest.name, log2, median (ours),
          median (cub), median (ratios), (double) contest.bytes / median (ours) / 1000, good ? "agree" : "DIFFER");
  fflush (stdout);
  return good;
}

static bool
are_near (const std::vector<float> &a, const std::vector<float> &b, double scale)
{
  for (size_t i = 0; i < a.size (); i++)
    if (!(std::fabs ((double) a[i] - b[i]) <= scale))
      return false;
  return true;
}

static uint64_t
blocks_of (uint64_t work, uint64_t share, uint64_t most)
{
  return std::min (std::max ((work + share - 1) / share, (uint64_t) 1), most);
}

static Contest
make_reduce (const Kernels &kernels, uint64_t x, uint64_t n)
{
  uint64_t tiles = blocks_of (n * 4, 16384, UINT64_MAX), parts = take (16 * tiles), arrived = take (4), out = take (4);
  uint64_t live = take (8), theirs = take (4), room;
  size_t bytes = 0;

  MUST (cub::DeviceReduce::Sum (nullptr, bytes, (const float *) x, (float *) theirs, (int64_t) n));
  room = take (bytes);
  return { "reduce f32", n * 4,
           [=, &kernels] (cudaStream_t stream) {
             kernels.launch (stream, "reduce_tiles", std::min (tiles, (uint64_t) 792),
                             { x, n, 0, 1, tiles, parts, arrived, out, live });
           },
           [=] (cudaStream_t stream) {
             size_t size = bytes;
             MUST (cub::DeviceReduce::Sum ((void *) room, size, (const float *) x, (float *) theirs, (int64_t) n, stream));
           },
           [=] { return are_near (fetch<float> (out, 1), fetch<float> (theirs, 1), 1e-5 * (double) n); } };
}

static bool
agree (const std::vector<float> &a, const std::vector<float> &b)
{
  return are_near (a, b, 1e-5 * (double) a.size ());
}

static bool
agree (const std::vector<unsigned> &a, const std::vector<unsigned> &b)
{
  return a == b;
}

/* As leat_prefix_add_control () of the plugin. */
static uint64_t
take_control (uint64_t tiles)
{
  return take (8 * (48 + 4 * 528 + 4 * tiles));
}

/* once: whatever the number of tiles, which is so where the order of sums does not count */
template <class T>
static Contest
make_scan (const char *name, const Kernels &kernels, uint64_t x, uint64_t n, bool once)
{
  uint64_t tiles = blocks_of (n, 4096, UINT64_MAX), blocks = std::min (tiles, (uint64_t) 528);
  uint64_t parts = take (16 * (2 * tiles + 1)), arrived = take (4), out = take (4 * n), live = take (8);
  uint64_t control = take_control (tiles), theirs = take (4 * n), room;
  size_t bytes = 0;

  MUST (cub::DeviceScan::InclusiveSum (nullptr, bytes, (const T *) x, (T *) theirs, (int64_t) n));
  room = take (bytes);
  once = once || tiles <= 1024; /* LEAT_PREFIX_ONCE */
  return { name, n * 8,
           [=, &kernels] (cudaStream_t stream) {
             if (once)
               {
                 kernels.launch (stream, "scan_once", blocks, { x, n, 0, n, parts, control, 1, out, live });
                 return;
               }
             kernels.launch (stream, "scan_sum", blocks, { x, n, 0, n, parts, arrived });
             kernels.launch (stream, "scan_give", blocks, { x, n, 0, n, parts, 1, out, live });
           },
           [=] (cudaStream_t stream) {
             size_t size = bytes;
             MUST (cub::DeviceScan::InclusiveSum ((void *) room, size, (const T *) x, (T *) theirs, (int64_t) n, stream));
           },
           [=] { return agree (fetch<T> (out, n), fetch<T> (theirs, n)); } };
}

static Contest
make_unique (const Kernels &kernels, uint64_t x, uint64_t n)
{
  uint64_t tiles = blocks_of (n, 4096, UINT64_MAX), blocks = std::min (tiles, (uint64_t) 528);
  uint64_t parts = take (16 * (2 * tiles + 1)), control = take_control (tiles), out = take (n), live = take (8);
  uint64_t starts_live = take (8), theirs = take (n), runs = take (8), room;
  size_t bytes = 0;

  MUST (cub::DeviceSelect::Unique (nullptr, bytes, (const uint8_t *) x, (uint8_t *) theirs, (int64_t *) runs, (int64_t) n));
  room = take (bytes);
  return { "unique u8", n,
           [=, &kernels] (cudaStream_t stream) {
             kernels.launch (stream, "unique_give", blocks, { x, n, parts, control, out, 0, live, starts_live });
           },
           [=] (cudaStream_t stream) {
             size_t size = bytes;
             MUST (cub::DeviceSelect::Unique ((void *) room, size, (const uint8_t *) x, (uint8_t *) theirs,
                                              (int64_t *) runs, (int64_t) n, stream));
           },
           [=] {
             uint64_t found = fetch<uint64_t> (live, 1)[0];
             return found == fetch<uint64_t> (runs, 1)[0] && fetch<uint8_t> (out, found) == fetch<uint8_t> (theirs, found);
           } };
}

template <class T>
static Contest
make_histogram (const char *name, const Kernels &kernels, uint64_t x, uint64_t n, T low, T high)
{
  uint64_t blocks = blocks_of (n, 16384, 528);
  uint64_t out = take (8 * 256), theirs = take (4 * 256), room;
  /* of bytes the end is 256, which is none */
  int end = sizeof (T) == 1 ? 256 : 1, begin = 0;
  size_t bytes = 0;
  auto call = [=] (void *memory, size_t &size, cudaStream_t stream) {
    if (sizeof (T) == 1)
      MUST (cub::DeviceHistogram::HistogramEven (memory, size, (const uint8_t *) x, (unsigned *) theirs, 257, begin, end,
                                                 (int64_t) n, stream));
    else
      MUST (cub::DeviceHistogram::HistogramEven (memory, size, (const float *) x, (unsigned *) theirs, 257, (float) low,
                                                 (float) high, (int64_t) n, stream));
  };

  call (nullptr, bytes, 0);
  room = take (bytes);
  return { name, n * sizeof (T),
           [=, &kernels] (cudaStream_t stream) {
             if (blocks > 1)
               kernels.launch (stream, "histogram_clear", 1, { out }, 512);
             kernels.launch (stream, "histogram_of_few", blocks, { x, n, out }, 512);
           },
           [=] (cudaStream_t stream) {
             size_t size = bytes;
             call ((void *) room, size, stream);
           },
           [=] {
             auto a = fetch<uint64_t> (out, 256);
             auto b = fetch<unsigned> (theirs, 256);
             return std::equal (a.begin (), a.end (), b.begin ());
           } };
}

static Contest
make_sort (const Kernels &kernels, uint64_t x, uint64_t n)
{
  uint64_t tiles = blocks_of (n, 4096, UINT64_MAX), counts = take (tiles * 1024), totals = take (1024), none = take (64);
  uint64_t stages[2] = { take (4 * n), take (4 * n) }, out = take (4 * n), theirs = take (4 * n), room;
  size_t bytes = 0;

  MUST (cub::DeviceRadixSort::SortKeys (nullptr, bytes, (const unsigned *) x, (unsigned *) theirs, (int64_t) n));
  room = take (bytes);
  return { "sort u32", n * 8,
           [=, &kernels] (cudaStream_t stream) {
             for (uint64_t digit = 0; digit < 4; digit++)
               {
                 uint64_t from = digit == 0 ? x : stages[digit % 2], to = digit == 3 ? out : stages[1 - digit % 2];

                 kernels.launch (stream, "sort_count", tiles, { from, n, 8 * digit, tiles, counts });
                 kernels.launch (stream, "sort_place", 32, { tiles, counts, totals });
                 kernels.launch (
                   stream, "sort_move", tiles,
                   { from, n, none, digit == 0, 8 * digit, tiles, counts, totals, to, none, none + 16, none + 32 });
               }
           },
           [=] (cudaStream_t stream) {
             size_t size = bytes;
             MUST (cub::DeviceRadixSort::SortKeys ((void *) room, size, (const unsigned *) x, (unsigned *) theirs,
                                                   (int64_t) n, 0, 32, stream));
           },
           [=] { return fetch<unsigned> (out, n) == fetch<unsigned> (theirs, n); } };
}

int
main (int argc, char **argv)
{
  std::string folder = argc > 1 ? argv[1] : ".";
  std::vector<int> sizes;
  bool good = true;

  for (int i = 2; i < argc; i++)
    if (strcmp (argv[i], "--plain") == 0)
      is_early = false;
    else if (strcmp (argv[i], "--once") == 0)
      is_once = true;
    else
      sizes.push_back (atoi (argv[i]));
  if (sizes.empty ())
    sizes = { 16, 20, 24, 28 };
  MUST (cudaFree (nullptr));
  Kernels reduce (folder, "reduce-f32"), scan (folder, "scan-f32"), sort (folder, "sort-u32");
  Kernels bytes (folder, "histogram-u8"), floats (folder, "histogram-f32");
  Kernels scan_whole (folder, "scan-u32"), unique (folder, "unique-u8");

  for (int log2 : sizes)
    {
      uint64_t n = (uint64_t) 1 << log2, words = take (4 * n), reals = take (4 * n), same = take (n);
      std::vector<unsigned> random (n);
      std::vector<float> unit (n);
      uint64_t seed = 1;

      for (uint64_t i = 0; i < n; i++)
        {
          seed = seed * 6364136223846793005u + 1442695040888963407u;
          random[i] = (unsigned) (seed >> 32);
          unit[i] = (float) (random[i] >> 8) / 16777216.0f;
        }
      MUST (cudaMemcpy ((void *) words, random.data (), 4 * n, cudaMemcpyHostToDevice));
      MUST (cudaMemcpy ((void *) reals, unit.data (), 4 * n, cudaMemcpyHostToDevice));
      MUST (cudaMemset ((void *) same, 77, n));
      good &= contend (make_reduce (reduce, reals, n), log2);
      good &= contend (make_scan<float> ("scan f32", scan, reals, n, false), log2);
      good &= contend (make_scan<unsigned> ("scan u32", scan_whole, words, n, true), log2);
      good &= contend (make_unique (unique, words, n), log2);
      good &= contend (make_histogram<uint8_t> ("histogram u8", bytes, words, n, 0, 255), log2);
      good &= contend (make_histogram<uint8_t> ("  all alike", bytes, same, n, 0, 255), log2);
      good &= contend (make_histogram<float> ("histogram f32", floats, reals, n, 0, 1), log2);
      good &= contend (make_sort (sort, words, n), log2);
      for (void *p : taken)
        MUST (cudaFree (p));
      taken.clear ();
    }
  return good ? 0 : 1;
}
