/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The cases of leat-bench written by hand against the CUDA driver, as fast as we know how: graphs of explicit nodes,
 * pinned memory that the device sees, a wait that asks the stream again and again.  Same kernels, same geometry, same
 * changes of the input before each run and the same look at the results after it, outside the time that is taken.
 *
 *   driver [--block] IMAGE REPEAT      prints JSON; --block waits with cuStreamSynchronize
 */

#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SETTLE        50
#define MOST_NODES    1024
#define MOST_STIRRED  1024
#define CHAIN_NUMBERS (132 * 256)
#define BRANCHES      8
#define BRANCH_STEPS  2000

#define MUST(call) must ((call), #call)

static CUstream stream;
static CUcontext context;
static CUmodule module;
static void *image;
static size_t image_bytes;
static int repeat = 1000, block, first_case = 1, can_begin_early;

/* One graph with its memory: numbers in at @in, numbers out at @out. */
typedef struct
{
  size_t n, step;
  float *in, *out;                 /* pinned */
  CUdeviceptr in_there, out_there; /* the same, as the device sees it */
  CUdeviceptr device[BRANCHES + 2];
  CUgraph graph;
  CUgraphExec exec;
  CUgraphNode last, kernel;
} Subject;

typedef struct
{
  double *samples;
  int n;
} Series;

static void
must (CUresult result, const char *call)
{
  const char *name = "?";

  if (result == CUDA_SUCCESS)
    return;
  cuGetErrorName (result, &name);
  fprintf (stderr, "driver: %s: %s\n", call, name);
  exit (1);
}

static double
now_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static Series
series_new (int most)
{
  return (Series){ .samples = calloc (most, sizeof (double)) };
}

/* As leat-bench writes it. */
static void
series_print (Series *self, const char *figure, int first)
{
  const double *s = self->samples;
  int n = self->n;

  qsort (self->samples, n, sizeof (double), compare);
  printf ("%s\"%s\": {\"unit\": \"us\", \"runs\": %d, \"median\": %.4f, \"p10\": %.4f, \"p90\": %.4f, \"p99\": %.4f, "
          "\"least\": %.4f}",
          first ? "" : ", ", figure, n, s[n / 2], s[n / 10], s[n - 1 - n / 10], s[n - 1 - n / 100], s[0]);
  free (self->samples);
}

static void
case_begin (const char *name)
{
  printf ("%s\n  {\"name\": \"%s\", \"figures\": {", first_case ? "" : ",", name);
  first_case = 0;
}

static void
case_end (void)
{
  printf ("}}");
  fflush (stdout);
}

static void
case_print_one (const char *name, const char *figure, Series *series)
{
  case_begin (name);
  series_print (series, figure, 1);
  case_end ();
}

static CUfunction
find (const char *name)
{
  CUfunction function;

  MUST (cuModuleGetFunction (&function, module, name));
  return function;
}

static Subject
subject_new (size_t n)
{
  const unsigned flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  Subject self = { .n = n, .step = n > MOST_STIRRED ? n / MOST_STIRRED : 1 };

  MUST (cuMemHostAlloc ((void **) &self.in, n * sizeof (float), flags));
  MUST (cuMemHostAlloc ((void **) &self.out, n * sizeof (float), flags));
  MUST (cuMemHostGetDevicePointer (&self.in_there, self.in, 0));
  MUST (cuMemHostGetDevicePointer (&self.out_there, self.out, 0));
  memset (self.in, 0, n * sizeof (float));
  for (int i = 0; i < BRANCHES + 2; i++)
    MUST (cuMemAlloc (&self.device[i], n * sizeof (float)));
  MUST (cuGraphCreate (&self.graph, 0));
  return self;
}

static void
subject_free (Subject *self)
{
  if (self->exec != NULL)
    MUST (cuGraphExecDestroy (self->exec));
  MUST (cuGraphDestroy (self->graph));
  for (int i = 0; i < BRANCHES + 2; i++)
    MUST (cuMemFree (self->device[i]));
  MUST (cuMemFreeHost (self->in));
  MUST (cuMemFreeHost (self->out));
}

static void
subject_add_copy (Subject *self, int down, CUdeviceptr device)
{
  CUDA_MEMCPY3D copy = { .srcMemoryType = down ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
                         .dstMemoryType = down ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                         .WidthInBytes = self->n * sizeof (float),
                         .Height = 1,
                         .Depth = 1 };
  CUgraphNode node;

  if (down)
    copy.srcDevice = device, copy.dstHost = self->out;
  else
    copy.srcHost = self->in, copy.dstDevice = device;
  MUST (cuGraphAddMemcpyNode (&node, self->graph, self->last != NULL ? &self->last : NULL, self->last != NULL, &copy,
                              context));
  self->last = node;
}

static CUDA_KERNEL_NODE_PARAMS
describe_launch (CUfunction function, size_t items, unsigned threads, void **params)
{
  CUDA_KERNEL_NODE_PARAMS launch;

  memset (&launch, 0, sizeof launch);
  launch.func = function;
  launch.gridDimX = (unsigned) ((items + threads - 1) / threads);
  launch.gridDimY = launch.gridDimZ = launch.blockDimY = launch.blockDimZ = 1;
  launch.blockDimX = threads;
  launch.kernelParams = params;
  return launch;
}

static CUgraphNode
subject_add_kernel (Subject *self, const CUDA_KERNEL_NODE_PARAMS *launch, const CUgraphNode *after, size_t n_after)
{
  CUgraphNode node;

  MUST (cuGraphAddKernelNode (&node, self->graph, after, n_after, launch));
  return node;
}

/* Behind the last one, which need not have ended for it to begin: both let others begin at once, and then wait. */
static void
subject_add_early (Subject *self, const CUDA_KERNEL_NODE_PARAMS *launch)
{
  const CUgraphEdgeData edge = { .from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
                                 .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC };
  CUgraphNodeParams params;
  CUgraphNode node;

  memset (&params, 0, sizeof params);
  params.type = CU_GRAPH_NODE_TYPE_KERNEL;
  memcpy (&params.kernel, launch, sizeof *launch);
#if CUDA_VERSION >= 13000
  MUST (cuGraphAddNode (&node, self->graph, &self->last, &edge, self->last != NULL, &params));
#else
  MUST (cuGraphAddNode_v2 (&node, self->graph, &self->last, &edge, self->last != NULL, &params));
#endif
  self->last = node;
}

static void
subject_add_axpb (Subject *self, CUdeviceptr x, CUdeviceptr y)
{
  uint64_t n = self->n / 4;
  float a = 2, b = 1;
  void *params[] = { &x, &n, &y, &a, &b };
  CUDA_KERNEL_NODE_PARAMS launch = describe_launch (find ("axpb"), n, 128, params);

  self->last = subject_add_kernel (self, &launch, &self->last, self->last != NULL);
  self->kernel = self->last;
}

static void
subject_add_chain (Subject *self, int length, CUdeviceptr first, CUdeviceptr end, int early)
{
  CUfunction function = find (early ? "step_early" : "step");
  uint64_t n = self->n;
  float one = 1;

  for (int i = 0; i < length; i++)
    {
      CUdeviceptr x = i == 0 ? first : self->device[i % 2];
      CUdeviceptr y = i == length - 1 ? end : self->device[(i + 1) % 2];
      void *params[] = { &x, &n, &y, &one, &one };
      CUDA_KERNEL_NODE_PARAMS launch = describe_launch (function, n, 256, params);

      if (early)
        subject_add_early (self, &launch);
      else
        self->last = subject_add_kernel (self, &launch, &self->last, self->last != NULL);
    }
}

static void
subject_instantiate (Subject *self)
{
  MUST (cuGraphInstantiateWithFlags (&self->exec, self->graph, 0));
  MUST (cuGraphUpload (self->exec, stream));
  MUST (cuStreamSynchronize (stream));
}

static void
await_stream (void)
{
  CUresult result;

  if (block)
    {
      MUST (cuStreamSynchronize (stream));
      return;
    }
  while ((result = cuStreamQuery (stream)) == CUDA_ERROR_NOT_READY)
    ;
  must (result, "cuStreamQuery");
}

/* Microseconds of launch and wait; the launch call's own at @launch_us. */
static double
subject_replay (Subject *self, double *launch_us)
{
  double begin = now_us ();

  MUST (cuGraphLaunch (self->exec, stream));
  if (launch_us != NULL)
    *launch_us = now_us () - begin;
  await_stream ();
  return now_us () - begin;
}

static float
number (size_t i, unsigned round)
{
  return (float) ((i * 31 + round * 7919u) % 4093);
}

static void
subject_stir (Subject *self, unsigned round)
{
  for (size_t i = round % self->step; i < self->n; i += self->step)
    self->in[i] = number (i, round);
}

static void
subject_look (Subject *self, size_t from, size_t step, unsigned round, double times, double plus)
{
  for (size_t i = from; i < self->n; i += step)
    if (self->out[i] != (float) (times * number (i, round) + plus))
      {
        fprintf (stderr, "driver: wrong result: number %zu is %.9g in run %u\n", i, self->out[i], round);
        exit (1);
      }
}

static void
subject_try (Subject *self, double times, double plus)
{
  for (size_t i = 0; i < self->n; i++)
    self->in[i] = number (i, 123);
  subject_replay (self, NULL);
  subject_look (self, 0, 1, 123, times, plus);
}

/* @launches: NULL or where the launch calls go */
static Series
subject_measure (Subject *self, int runs, double times, double plus, Series *launches)
{
  Series series = series_new (runs);

  subject_try (self, times, plus);
  for (int round = 0; round < SETTLE + runs; round++)
    {
      double us, launch_us;

      subject_stir (self, round);
      us = subject_replay (self, &launch_us);
      subject_look (self, round % self->step, self->step, round, times, plus);
      if (round < SETTLE)
        continue;
      if (launches != NULL)
        launches->samples[launches->n++] = launch_us;
      series.samples[series.n++] = us;
    }
  return series;
}

static int
runs_of (int divisor)
{
  return repeat / divisor > 5 ? repeat / divisor : 5;
}

/* mode: "copy", "mapped", "copy-mapped" (in by copy, out in place), "mapped-copy" */
static void
run_round_trip (const char *size, size_t bytes, const char *mode, int divisor)
{
  int copy_in = strncmp (mode, "copy", 4) == 0;
  int copy_out = strcmp (mode, "copy") == 0 || strcmp (mode, "mapped-copy") == 0;
  Subject self = subject_new (bytes / sizeof (float));
  char name[64];
  Series series;

  if (copy_in)
    subject_add_copy (&self, 0, self.device[0]);
  subject_add_axpb (&self, copy_in ? self.device[0] : self.in_there, copy_out ? self.device[1] : self.out_there);
  if (copy_out)
    subject_add_copy (&self, 1, self.device[1]);
  subject_instantiate (&self);
  series = subject_measure (&self, runs_of (divisor), 2, 1, NULL);
  snprintf (name, sizeof name, "round-trip-%s-%s", size, mode);
  case_print_one (name, "replay", &series);
  subject_free (&self);
}

/* The input lies on the device; another one each time, brought there outside the time. */
static void
run_resident (const char *size, size_t bytes, int divisor)
{
  Subject self = subject_new (bytes / sizeof (float));
  int runs = runs_of (divisor);
  Series series = series_new (runs);
  char name[64];

  subject_add_axpb (&self, self.device[0], self.device[1]);
  subject_add_copy (&self, 1, self.device[1]);
  subject_instantiate (&self);
  for (int round = 0; round < SETTLE + runs; round++)
    {
      double us;

      subject_stir (&self, round);
      MUST (cuMemcpyHtoDAsync (self.device[0], self.in, bytes, stream));
      MUST (cuStreamSynchronize (stream));
      us = subject_replay (&self, NULL);
      subject_look (&self, round % self.step, self.step, round, 2, 1);
      if (round >= SETTLE)
        series.samples[series.n++] = us;
    }
  snprintf (name, sizeof name, "resident-%s", size);
  case_print_one (name, "replay", &series);
  subject_free (&self);
}

static void
run_chain (int length, int divisor, int early)
{
  Subject self = subject_new (CHAIN_NUMBERS);
  Series launches = series_new (runs_of (divisor)), series;
  char name[64];

  subject_add_chain (&self, length, self.in_there, self.out_there, early);
  subject_instantiate (&self);
  series = subject_measure (&self, runs_of (divisor), 1, length, &launches);
  snprintf (name, sizeof name, "%schain-%d", early ? "early-" : "", length);
  case_begin (name);
  series_print (&series, "replay", 1);
  series_print (&launches, "launch", 0);
  case_end ();
  subject_free (&self);
}

/* Kernels on device memory alone: what programs that look for the floor of a chain measure. */
static void
run_bare_chain (int length, int divisor)
{
  Subject self = subject_new (CHAIN_NUMBERS);
  Series series = series_new (runs_of (divisor));
  char name[64];

  subject_add_chain (&self, length, self.device[0], self.device[length % 2], 0);
  subject_instantiate (&self);
  for (int round = 0; round < SETTLE + runs_of (divisor); round++)
    {
      double us = subject_replay (&self, NULL);

      if (round >= SETTLE)
        series.samples[series.n++] = us;
    }
  snprintf (name, sizeof name, "bare-chain-%d", length);
  case_print_one (name, "replay", &series);
  subject_free (&self);
}

static void
run_fan_out (int divisor)
{
  Subject self = subject_new (256);
  CUgraphNode branches[BRANCHES];
  uint64_t n = self.n;
  void *sum[BRANCHES + 2] = { &self.device[1], &n };
  CUDA_KERNEL_NODE_PARAMS launch;
  Series series;

  subject_add_copy (&self, 0, self.device[0]);
  for (int i = 0; i < BRANCHES; i++)
    {
      float one = 1, plus = i + 1;
      uint32_t steps = BRANCH_STEPS;
      void *params[] = { &self.device[0], &n, &self.device[1 + i], &one, &plus, &steps };

      launch = describe_launch (find ("work"), n, 256, params);
      branches[i] = subject_add_kernel (&self, &launch, &self.last, 1);
    }
  for (int i = 1; i < BRANCHES; i++)
    sum[i + 1] = &self.device[1 + i];
  sum[BRANCHES + 1] = &self.out_there;
  launch = describe_launch (find ("sum8"), n, 256, sum);
  self.last = subject_add_kernel (&self, &launch, branches, BRANCHES);
  subject_instantiate (&self);
  series = subject_measure (&self, runs_of (divisor), BRANCHES, BRANCH_STEPS * BRANCHES * (BRANCHES + 1) / 2.0, NULL);
  case_print_one ("fan-out-8", "replay", &series);
  subject_free (&self);
}

static double
change_and_replay (Subject *self, float a)
{
  uint64_t n = self->n / 4;
  float b = 1;
  void *params[] = { &self->in_there, &n, &self->out_there, &a, &b };
  CUDA_KERNEL_NODE_PARAMS launch = describe_launch (find ("axpb"), n, 128, params);
  double begin = now_us ();

  MUST (cuGraphExecKernelNodeSetParams (self->exec, self->kernel, &launch));
  subject_replay (self, NULL);
  return now_us () - begin;
}

static void
run_argument (void)
{
  Subject self = subject_new (1024);
  int runs = runs_of (1);
  Series same = series_new (runs), changed = series_new (runs);

  subject_add_axpb (&self, self.in_there, self.out_there);
  subject_instantiate (&self);
  for (int round = 0; round < SETTLE + runs; round++)
    {
      double with, without, a = 2 + round % 32;

      subject_stir (&self, round);
      with = change_and_replay (&self, a);
      subject_look (&self, 0, 1, round, a, 1);
      subject_stir (&self, round + 1);
      without = subject_replay (&self, NULL);
      subject_look (&self, 0, 1, round + 1, a, 1);
      if (round < SETTLE)
        continue;
      changed.samples[changed.n++] = with;
      same.samples[same.n++] = without;
    }
  case_begin ("argument");
  series_print (&same, "replay", 1);
  series_print (&changed, "set-and-replay", 0);
  case_end ();
  subject_free (&self);
}

/* Module, memory, graph, ready to launch: what a program that knows all in advance does. */
static void
run_open (int n_nodes, int divisor)
{
  int runs = runs_of (divisor);
  Series series = series_new (runs);
  CUmodule kept = module;
  char name[64];

  for (int round = 0; round < 1 + runs; round++)
    {
      double begin = now_us ();
      Subject self;

      MUST (cuModuleLoadData (&module, image));
      self = subject_new (256);
      subject_add_chain (&self, n_nodes - 4, self.in_there, self.out_there, 0);
      subject_instantiate (&self);
      if (round > 0)
        series.samples[series.n++] = now_us () - begin;
      subject_try (&self, 1, n_nodes - 4);
      subject_free (&self);
      MUST (cuModuleUnload (module));
    }
  module = kept;
  snprintf (name, sizeof name, "open-%d", n_nodes);
  case_print_one (name, "parse-to-ready", &series);
}

static void
read_image (const char *path)
{
  FILE *file = fopen (path, "rb");
  long bytes;

  if (file == NULL || fseek (file, 0, SEEK_END) != 0 || (bytes = ftell (file)) < 0)
    {
      perror (path);
      exit (1);
    }
  rewind (file);
  image_bytes = (size_t) bytes;
  image = malloc (image_bytes + 1);
  if (image == NULL || fread (image, 1, image_bytes, file) != image_bytes)
    {
      perror (path);
      exit (1);
    }
  fclose (file);
}

static void
run_all (void)
{
  static const char *const modes[] = { "copy", "mapped", "copy-mapped", "mapped-copy" };
  static const struct
  {
    const char *size;
    size_t bytes;
    int divisor;
  } sizes[] = { { "4k", 4096, 1 }, { "64k", 65536, 1 }, { "1m", 1 << 20, 2 }, { "16m", 16 << 20, 20 } };

  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    {
      for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        run_round_trip (sizes[i].size, sizes[i].bytes, modes[m], sizes[i].divisor);
      run_resident (sizes[i].size, sizes[i].bytes, sizes[i].divisor);
    }
  run_chain (1, 1, 0);
  run_chain (32, 2, 0);
  run_chain (512, 10, 0);
  if (can_begin_early)
    {
      run_chain (32, 2, 1);
      run_chain (512, 10, 1);
    }
  run_bare_chain (1, 1);
  run_bare_chain (16, 2);
  run_bare_chain (256, 10);
  run_fan_out (10);
  run_argument ();
  run_open (10, 20);
  run_open (100, 40);
  run_open (1000, 100);
}

int
main (int argc, char **argv)
{
  CUdevice device;
  char name[128] = "";

  block = argc > 1 && strcmp (argv[1], "--block") == 0;
  if (argc - block != 3)
    {
      fprintf (stderr, "usage: driver [--block] IMAGE REPEAT\n");
      return 2;
    }
  read_image (argv[1 + block]);
  repeat = atoi (argv[2 + block]);
  MUST (cuInit (0));
  MUST (cuDeviceGet (&device, 0));
  MUST (cuDeviceGetName (name, sizeof name, device));
  MUST (cuDeviceGetAttribute (&can_begin_early, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  can_begin_early = can_begin_early >= 9;
  MUST (cuDevicePrimaryCtxRetain (&context, device));
  MUST (cuCtxSetCurrent (context));
  MUST (cuStreamCreate (&stream, CU_STREAM_NON_BLOCKING));
  MUST (cuModuleLoadData (&module, image));
  printf ("{\"peer\": \"driver\", \"device-name\": \"%s\", \"repeat\": %d, \"cases\": [", name, repeat);
  run_all ();
  printf ("]}\n");
  return 0;
}
