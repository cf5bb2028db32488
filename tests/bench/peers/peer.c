/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_STIRRED 1024

CUstream stream;
CUcontext context;
CUmodule module;
void *image;
int repeat = 1000, block;
static int first_case = 1;

void
must (CUresult result, const char *call)
{
  const char *name = "?";

  if (result == CUDA_SUCCESS)
    return;
  cuGetErrorName (result, &name);
  fprintf (stderr, "driver: %s: %s\n", call, name);
  exit (1);
}

double
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

Series
series_new (int most)
{
  return (Series){ .samples = calloc (most, sizeof (double)) };
}

/* As leat-bench writes it. */
void
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

void
case_begin (const char *name)
{
  printf ("%s\n  {\"name\": \"%s\", \"figures\": {", first_case ? "" : ",", name);
  first_case = 0;
}

void
case_end (void)
{
  printf ("}}");
  fflush (stdout);
}

void
case_print_one (const char *name, const char *figure, Series *series)
{
  case_begin (name);
  series_print (series, figure, 1);
  case_end ();
}

CUfunction
find (const char *name)
{
  CUfunction function;

  MUST (cuModuleGetFunction (&function, module, name));
  return function;
}

Subject
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

void
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

void
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

CUDA_KERNEL_NODE_PARAMS
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

CUgraphNode
subject_add_kernel (Subject *self, const CUDA_KERNEL_NODE_PARAMS *launch, const CUgraphNode *after, size_t n_after)
{
  CUgraphNode node;

  MUST (cuGraphAddKernelNode (&node, self->graph, after, n_after, launch));
  return node;
}

void
subject_add_axpb (Subject *self, CUdeviceptr x, CUdeviceptr y)
{
  uint64_t n = self->n / 4;
  float a = 2, b = 1;
  void *params[] = { &x, &n, &y, &a, &b };
  CUDA_KERNEL_NODE_PARAMS launch = describe_launch (find ("axpb"), n, 128, params);

  self->last = subject_add_kernel (self, &launch, &self->last, self->last != NULL);
  self->kernel = self->last;
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

void
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

void
subject_instantiate (Subject *self)
{
  MUST (cuGraphInstantiateWithFlags (&self->exec, self->graph, 0));
  MUST (cuGraphUpload (self->exec, stream));
  MUST (cuStreamSynchronize (stream));
}

void
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

double
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

void
subject_stir (Subject *self, unsigned round)
{
  for (size_t i = round % self->step; i < self->n; i += self->step)
    self->in[i] = number (i, round);
}

void
subject_look (Subject *self, size_t from, size_t step, unsigned round, double times, double plus)
{
  for (size_t i = from; i < self->n; i += step)
    if (self->out[i] != (float) (times * number (i, round) + plus))
      {
        fprintf (stderr, "driver: wrong result: number %zu is %.9g in run %u\n", i, self->out[i], round);
        exit (1);
      }
}

void
subject_try (Subject *self, double times, double plus)
{
  for (size_t i = 0; i < self->n; i++)
    self->in[i] = number (i, 123);
  subject_replay (self, NULL);
  subject_look (self, 0, 1, 123, times, plus);
}

Series
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

Series
subject_measure_unchanged (Subject *self, int runs)
{
  Series series = series_new (runs);

  for (int round = 0; round < SETTLE + runs; round++)
    {
      double us = subject_replay (self, NULL);

      if (round >= SETTLE)
        series.samples[series.n++] = us;
    }
  return series;
}

int
runs_of (int divisor)
{
  return repeat / divisor > 5 ? repeat / divisor : 5;
}

void
read_image (const char *path)
{
  FILE *file = fopen (path, "rb");
  long bytes;
  size_t image_bytes;

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
