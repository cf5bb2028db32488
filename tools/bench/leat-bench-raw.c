/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A graph for each set of inputs, written by hand against the driver, to compare batches with.  Touches memory of its
 * own only. */

#include "leat-bench-raw.h"

#include "leat-bench-module.h"

#include "device/leat-device-private.h"
#include "device/leat-stream-private.h"

#define STREAMS 8
#define BLOCK   128

struct _LeatBenchRaw
{
  LeatDevice *device;
  const LeatDriverTable *table;
  LeatModule *module;
  const LeatFunction *step, *head;
  guint n_lanes, n_in, n_out, n_kernels;
  LeatMemory *in, *out;                /* pinned, of all lanes */
  LeatMemory *x[STREAMS], *y[STREAMS]; /* of the device */
  LeatMemory *all_in, *all_out;        /* likewise, for the copies of all */
  LeatStream *streams[STREAMS];
  CUgraphExec *execs; /* by lane */
  gboolean pushed;
};

void
leat_bench_raw_free (LeatBenchRaw *self)
{
  for (guint i = 0; self->execs != NULL && i < self->n_lanes; i++)
    if (self->execs[i] != NULL)
      (*self->table->cuGraphExecDestroy) (self->execs[i]);
  g_free (self->execs);
  for (guint i = 0; i < STREAMS; i++)
    {
      g_clear_pointer (&self->streams[i], leat_stream_free);
      g_clear_pointer (&self->x[i], leat_memory_free);
      g_clear_pointer (&self->y[i], leat_memory_free);
    }
  g_clear_pointer (&self->in, leat_memory_free);
  g_clear_pointer (&self->out, leat_memory_free);
  g_clear_pointer (&self->all_in, leat_memory_free);
  g_clear_pointer (&self->all_out, leat_memory_free);
  g_clear_pointer (&self->module, leat_module_unref);
  if (self->pushed)
    leat_device_pop (self->device);
  g_object_unref (self->device);
  g_free (self);
}

static gboolean
leat_bench_raw_load (LeatBenchRaw *self, const LeatBench *bench, GError **error)
{
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new_from_file (bench->kernels, error);

  self->module = source != NULL ? leat_bench_module_load (self->device, source, error) : NULL;
  if (self->module != NULL)
    self->step = leat_module_get_function (self->module, "step", error);
  if (self->step != NULL)
    self->head = leat_module_get_function (self->module, "head", error);
  return self->head != NULL;
}

static gboolean
leat_bench_raw_take_memory (LeatBenchRaw *self, GError **error)
{
  gsize in = self->n_in * sizeof (float), out = self->n_out * sizeof (float);

  self->in = leat_memory_new (self->device, LEAT_MEMORY_PINNED, in * self->n_lanes, "in", error);
  self->out =
    self->in == NULL ? NULL : leat_memory_new (self->device, LEAT_MEMORY_PINNED, out * self->n_lanes, "out", error);
  self->all_in =
    self->out == NULL ? NULL : leat_memory_new (self->device, LEAT_MEMORY_DEVICE, in * self->n_lanes, "in", error);
  self->all_out =
    self->all_in == NULL ? NULL : leat_memory_new (self->device, LEAT_MEMORY_DEVICE, out * self->n_lanes, "out", error);
  for (guint i = 0; i < STREAMS && self->all_out != NULL; i++)
    {
      self->x[i] = leat_memory_new (self->device, LEAT_MEMORY_DEVICE, in, "x", error);
      self->y[i] = self->x[i] == NULL ? NULL : leat_memory_new (self->device, LEAT_MEMORY_DEVICE, in, "y", error);
      self->streams[i] = self->y[i] == NULL ? NULL : leat_stream_new (self->device, LEAT_STREAM_PRIORITY_NORMAL, error);
      if (self->streams[i] == NULL)
        return FALSE;
    }
  return self->all_out != NULL && leat_memory_clear (self->all_out, error);
}

static gboolean
leat_bench_raw_check (LeatBenchRaw *self, const char *call, CUresult result, GError **error)
{
  return result == CUDA_SUCCESS || leat_device_set_error (self->device, error, call, result, "a raw graph");
}

CUresult
leat_bench_raw_add_copy (LeatDevice *device, CUgraph graph, CUgraphNode *last, gboolean up, LeatMemory *host,
                         gsize offset, CUdeviceptr address, gsize bytes)
{
  CUDA_MEMCPY3D copy = { .WidthInBytes = bytes, .Height = 1, .Depth = 1 };
  CUgraphNode before = *last;
  guint8 *here = (guint8 *) leat_memory_get_host (host) + offset;

  copy.srcMemoryType = up ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  copy.dstMemoryType = up ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  copy.srcHost = up ? here : NULL;
  copy.dstDevice = up ? address : 0;
  copy.srcDevice = up ? 0 : address;
  copy.dstHost = up ? NULL : here;
  return (*leat_device_get_table (device)->cuGraphAddMemcpyNode) (last, graph, &before, before != NULL, &copy,
                                                                  leat_device_get_context (device));
}

static CUresult
leat_bench_raw_add_kernel (LeatBenchRaw *self, CUgraph graph, CUgraphNode *last, gboolean is_last, CUdeviceptr x,
                           CUdeviceptr y)
{
  gboolean head = is_last && self->n_out < self->n_in;
  uint64_t n = head ? self->n_out : self->n_in;
  float a = 1, b = 1;
  gint32 waits = FALSE; /* for no others */
  void *step[] = { &x, &n, &y, &a, &b, &waits }, *few[] = { &x, &y, &n, &waits };
  CUDA_KERNEL_NODE_PARAMS kernel = { .func = head ? self->head->function : self->step->function,
                                     .gridDimX = (unsigned) ((n + BLOCK - 1) / BLOCK),
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = BLOCK,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = head ? few : step };
  CUgraphNode before = *last;

  return (*self->table->cuGraphAddKernelNode) (last, graph, &before, 1, &kernel);
}

static CUresult
leat_bench_raw_fill_graph (LeatBenchRaw *self, CUgraph graph, guint lane)
{
  CUdeviceptr ends[] = { leat_memory_get_address (self->x[lane % STREAMS]),
                         leat_memory_get_address (self->y[lane % STREAMS]) };
  const gsize in = self->n_in * sizeof (float), out = self->n_out * sizeof (float);
  CUgraphNode last = NULL;
  CUresult result = leat_bench_raw_add_copy (self->device, graph, &last, TRUE, self->in, lane * in, ends[0], in);

  for (guint i = 0; i < self->n_kernels && result == CUDA_SUCCESS; i++)
    result = leat_bench_raw_add_kernel (self, graph, &last, i + 1 == self->n_kernels, ends[i % 2], ends[(i + 1) % 2]);
  if (result != CUDA_SUCCESS)
    return result;
  return leat_bench_raw_add_copy (self->device, graph, &last, FALSE, self->out, lane * out, ends[self->n_kernels % 2],
                                  out);
}

static gboolean
leat_bench_raw_build (LeatBenchRaw *self, GError **error)
{
  self->execs = g_new0 (CUgraphExec, self->n_lanes);
  for (guint i = 0; i < self->n_lanes; i++)
    {
      CUgraph graph;
      CUresult result = (*self->table->cuGraphCreate) (&graph, 0);

      if (result != CUDA_SUCCESS)
        return leat_bench_raw_check (self, "cuGraphCreate", result, error);
      result = leat_bench_raw_fill_graph (self, graph, i);
      if (result == CUDA_SUCCESS)
        result = (*self->table->cuGraphInstantiateWithFlags) (&self->execs[i], graph, 0);
      (*self->table->cuGraphDestroy) (graph);
      if (!leat_bench_raw_check (self, "cuGraphInstantiateWithFlags", result, error))
        return FALSE;
    }
  return TRUE;
}

LeatBenchRaw *
leat_bench_raw_new (LeatBench *bench, guint n_lanes, guint n_in, guint n_out, guint n_kernels, GError **error)
{
  g_autoptr (LeatBenchRaw) self = g_new0 (LeatBenchRaw, 1);

  self->device = g_object_ref (bench->device);
  self->table = leat_device_get_table (self->device);
  self->n_lanes = n_lanes;
  self->n_in = n_in;
  self->n_out = n_out;
  self->n_kernels = n_kernels;
  self->pushed = leat_device_push (self->device, error);
  if (!self->pushed || !leat_bench_raw_load (self, bench, error) || !leat_bench_raw_take_memory (self, error)
      || !leat_bench_raw_build (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

float *
leat_bench_raw_get_in (LeatBenchRaw *self)
{
  return leat_memory_get_host (self->in);
}

const float *
leat_bench_raw_get_out (LeatBenchRaw *self)
{
  return leat_memory_get_host (self->out);
}

static double
leat_bench_raw_finish (LeatBenchRaw *self, double begin, GError **error)
{
  for (guint i = 0; i < STREAMS; i++)
    if (!leat_stream_synchronize (self->streams[i], error))
      return -1;
  return leat_bench_now_us () - begin;
}

double
leat_bench_raw_launch_all (LeatBenchRaw *self, GError **error)
{
  double begin = leat_bench_now_us ();

  for (guint i = 0; i < self->n_lanes; i++)
    {
      CUresult result = (*self->table->cuGraphLaunch) (self->execs[i], leat_stream_get (self->streams[i % STREAMS]));

      if (!leat_bench_raw_check (self, "cuGraphLaunch", result, error))
        return -1;
    }
  return leat_bench_raw_finish (self, begin, error);
}

double
leat_bench_raw_copy_both_ways (LeatBenchRaw *self, GError **error)
{
  double begin = leat_bench_now_us ();
  CUresult result =
    (*self->table->cuMemcpyHtoDAsync) (leat_memory_get_address (self->all_in), leat_memory_get_host (self->in),
                                       leat_memory_get_bytes (self->in), leat_stream_get (self->streams[0]));

  if (!leat_bench_raw_check (self, "cuMemcpyHtoDAsync", result, error))
    return -1;
  result = (*self->table->cuMemcpyDtoHAsync) (leat_memory_get_host (self->out), leat_memory_get_address (self->all_out),
                                              leat_memory_get_bytes (self->out), leat_stream_get (self->streams[1]));
  if (!leat_bench_raw_check (self, "cuMemcpyDtoHAsync", result, error))
    return -1;
  return leat_bench_raw_finish (self, begin, error);
}
