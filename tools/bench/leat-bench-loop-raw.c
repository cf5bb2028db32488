/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A loop written by hand against the driver, to compare `loop` with: by a conditional graph node, and by the host.
 * Touches memory of its own only. */

#include "leat-bench-loop-raw.h"

#include "leat-bench-module.h"
#include "leat-bench-raw.h"
#include "leat-bench-series.h"

#include "device/leat-device-private.h"
#include "device/leat-memory-private.h"
#include "device/leat-stream-private.h"

#define BLOCK 256

static const char leat_bench_loop_text[] =
  "__global__ void shift (const float *x, float *y, uint64_t n)\n"
  "{\n"
  "  GRID_FOR (i, n)\n"
  "    y[i] = x[i + 257 < n ? i + 257 : i + 257 - n] + 1;\n"
  "}\n"
  "__global__ void decide (const float *x, float *y, uint64_t n, float *top, float limit, uint64_t handle)\n"
  "{\n"
  "  GRID_FOR (i, n)\n"
  "    {\n"
  "      float next = x[i + 257 < n ? i + 257 : i + 257 - n] + 1;\n"
  "      y[i] = next;\n"
  "      if (i == 0)\n"
  "        top[0] = next;\n"
  "      if (i == 0 && handle != 0)\n"
  "        leat_graph_set_conditional (handle, next < limit);\n"
  "    }\n"
  "}\n";

struct _LeatBenchLoopRaw
{
  LeatDevice *device;
  const LeatDriverTable *table;
  LeatModule *module;
  const LeatFunction *shift, *decide;
  guint64 n;
  float limit;
  LeatMemory *in, *out, *told; /* pinned; the last is one number */
  LeatMemory *x, *y, *top;     /* of the device */
  LeatStream *stream;
  CUgraphExec exec; /* NULL without conditional nodes */
  gboolean pushed;
};

void
leat_bench_loop_raw_free (LeatBenchLoopRaw *self)
{
  LeatMemory **memory[] = { &self->in, &self->out, &self->told, &self->x, &self->y, &self->top };

  if (self->exec != NULL)
    (*self->table->cuGraphExecDestroy) (self->exec);
  for (guint i = 0; i < G_N_ELEMENTS (memory); i++)
    g_clear_pointer (memory[i], leat_memory_free);
  g_clear_pointer (&self->stream, leat_stream_free);
  g_clear_pointer (&self->module, leat_module_unref);
  if (self->pushed)
    leat_device_pop (self->device);
  g_object_unref (self->device);
  g_free (self);
}

static gboolean
leat_bench_loop_raw_load (LeatBenchLoopRaw *self, GError **error)
{
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("loop", leat_bench_loop_text, error);

  self->module = source != NULL ? leat_bench_module_load (self->device, source, error) : NULL;
  if (self->module != NULL)
    self->shift = leat_module_get_function (self->module, "shift", error);
  if (self->shift != NULL)
    self->decide = leat_module_get_function (self->module, "decide", error);
  return self->decide != NULL;
}

static gboolean
leat_bench_loop_raw_take_memory (LeatBenchLoopRaw *self, GError **error)
{
  const struct
  {
    LeatMemory **memory;
    LeatMemoryKind kind;
    guint64 n;
    const char *what;
  } rows[] = { { &self->in, LEAT_MEMORY_PINNED, self->n, "in" }, { &self->out, LEAT_MEMORY_PINNED, self->n, "out" },
               { &self->told, LEAT_MEMORY_PINNED, 1, "told" },   { &self->x, LEAT_MEMORY_DEVICE, self->n, "x" },
               { &self->y, LEAT_MEMORY_DEVICE, self->n, "y" },   { &self->top, LEAT_MEMORY_DEVICE, 1, "top" } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      *rows[i].memory = leat_memory_new (self->device, rows[i].kind, rows[i].n * sizeof (float), rows[i].what, error);
      if (*rows[i].memory == NULL)
        return FALSE;
    }
  self->stream = leat_stream_new (self->device, LEAT_STREAM_PRIORITY_NORMAL, error);
  return self->stream != NULL;
}

static CUresult
leat_bench_loop_raw_add_body (LeatBenchLoopRaw *self, CUgraph body, guint64 handle)
{
  CUdeviceptr x = leat_memory_get_address (self->x), y = leat_memory_get_address (self->y);
  CUdeviceptr top = leat_memory_get_address (self->top);
  gint32 waits = FALSE; /* for no others */
  void *shift[] = { &x, &y, &self->n, &waits }, *decide[] = { &y, &x, &self->n, &top, &self->limit, &handle, &waits };
  CUDA_KERNEL_NODE_PARAMS kernel = { .func = self->shift->function,
                                     .gridDimX = (unsigned) ((self->n + BLOCK - 1) / BLOCK),
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = BLOCK,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = shift };
  CUgraphNode first, last;
  CUresult result = (*self->table->cuGraphAddKernelNode) (&first, body, NULL, 0, &kernel);

  kernel.func = self->decide->function;
  kernel.kernelParams = decide;
  return result == CUDA_SUCCESS ? (*self->table->cuGraphAddKernelNode) (&last, body, &first, 1, &kernel) : result;
}

static CUresult
leat_bench_loop_raw_add_while (LeatBenchLoopRaw *self, CUgraph graph, CUgraphNode *last)
{
  CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
  CUgraphNode before = *last;
  guint64 handle = 0;
  CUresult result = (*self->table->cuGraphConditionalHandleCreate) (
    &params.conditional.handle, graph, leat_device_get_context (self->device), 1, CU_GRAPH_COND_ASSIGN_DEFAULT);

  handle = params.conditional.handle;
  params.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  params.conditional.size = 1;
  params.conditional.ctx = leat_device_get_context (self->device);
  if (result == CUDA_SUCCESS)
    result = (*self->table->cuGraphAddNode) (last, graph, &before, NULL, 1, &params);
  return result == CUDA_SUCCESS ? leat_bench_loop_raw_add_body (self, params.conditional.phGraph_out[0], handle)
                                : result;
}

static gboolean
leat_bench_loop_raw_build (LeatBenchLoopRaw *self, GError **error)
{
  const CUdeviceptr x = leat_memory_get_address (self->x);
  const gsize bytes = self->n * sizeof (float);
  CUgraphNode last = NULL;
  CUgraph graph;
  CUresult result;

  if (self->table->cuGraphConditionalHandleCreate == NULL || self->table->cuGraphAddNode == NULL)
    return TRUE;
  result = (*self->table->cuGraphCreate) (&graph, 0);
  if (result != CUDA_SUCCESS)
    return leat_device_set_error (self->device, error, "cuGraphCreate", result, "a raw loop");
  result = leat_bench_raw_add_copy (self->device, graph, &last, TRUE, self->in, 0, x, bytes);
  if (result == CUDA_SUCCESS)
    result = leat_bench_loop_raw_add_while (self, graph, &last);
  if (result == CUDA_SUCCESS)
    result = leat_bench_raw_add_copy (self->device, graph, &last, FALSE, self->out, 0, x, bytes);
  if (result == CUDA_SUCCESS)
    result = (*self->table->cuGraphInstantiateWithFlags) (&self->exec, graph, 0);
  (*self->table->cuGraphDestroy) (graph);
  return result == CUDA_SUCCESS
         || leat_device_set_error (self->device, error, "cuGraphInstantiateWithFlags", result, "a raw loop");
}

LeatBenchLoopRaw *
leat_bench_loop_raw_new (LeatBench *bench, guint n, float limit, GError **error)
{
  g_autoptr (LeatBenchLoopRaw) self = g_new0 (LeatBenchLoopRaw, 1);

  self->device = g_object_ref (bench->device);
  self->table = leat_device_get_table (self->device);
  self->n = n;
  self->limit = limit;
  self->pushed = leat_device_push (self->device, error);
  if (!self->pushed || !leat_bench_loop_raw_load (self, error) || !leat_bench_loop_raw_take_memory (self, error)
      || !leat_bench_loop_raw_build (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

gboolean
leat_bench_loop_raw_has_graph (LeatBenchLoopRaw *self)
{
  return self->exec != NULL;
}

float *
leat_bench_loop_raw_get_in (LeatBenchLoopRaw *self)
{
  return leat_memory_get_host (self->in);
}

const float *
leat_bench_loop_raw_get_out (LeatBenchLoopRaw *self)
{
  return leat_memory_get_host (self->out);
}

/* On a GPU by asking again and again, which is the shortest. */
static CUresult
leat_bench_loop_raw_wait (LeatBenchLoopRaw *self)
{
  CUresult result = CUDA_ERROR_NOT_READY;

  while (!leat_device_is_cpu (self->device) && result == CUDA_ERROR_NOT_READY)
    result = (*self->table->cuStreamQuery) (leat_stream_get (self->stream));
  return leat_device_is_cpu (self->device) ? (*self->table->cuStreamSynchronize) (leat_stream_get (self->stream))
                                           : result;
}

static double
leat_bench_loop_raw_end (LeatBenchLoopRaw *self, double begin, CUresult result, GError **error)
{
  if (result == CUDA_SUCCESS)
    return leat_bench_now_us () - begin;
  leat_device_set_error (self->device, error, "a launch", result, "a raw loop");
  return -1;
}

double
leat_bench_loop_raw_run_graph (LeatBenchLoopRaw *self, GError **error)
{
  double begin = leat_bench_now_us ();
  CUresult result = (*self->table->cuGraphLaunch) (self->exec, leat_stream_get (self->stream));

  if (result == CUDA_SUCCESS)
    result = leat_bench_loop_raw_wait (self);
  return leat_bench_loop_raw_end (self, begin, result, error);
}

static CUresult
leat_bench_loop_raw_launch (LeatBenchLoopRaw *self, const LeatFunction *function, void **params)
{
  return (*self->table->cuLaunchKernel) (function->function, (unsigned) ((self->n + BLOCK - 1) / BLOCK), 1, 1, BLOCK, 1,
                                         1, 0, leat_stream_get (self->stream), params, NULL);
}

static CUresult
leat_bench_loop_raw_iterate (LeatBenchLoopRaw *self)
{
  CUdeviceptr x = leat_memory_get_address (self->x), y = leat_memory_get_address (self->y);
  CUdeviceptr top = leat_memory_get_address (self->top);
  guint64 handle = 0;
  gint32 waits = FALSE; /* for no others */
  void *shift[] = { &x, &y, &self->n, &waits }, *decide[] = { &y, &x, &self->n, &top, &self->limit, &handle, &waits };
  CUresult result = leat_bench_loop_raw_launch (self, self->shift, shift);

  if (result == CUDA_SUCCESS)
    result = leat_bench_loop_raw_launch (self, self->decide, decide);
  if (result == CUDA_SUCCESS)
    result = (*self->table->cuMemcpyDtoHAsync) (leat_memory_get_host (self->told), top, sizeof (float),
                                                leat_stream_get (self->stream));
  return result == CUDA_SUCCESS ? leat_bench_loop_raw_wait (self) : result;
}

double
leat_bench_loop_raw_run_host (LeatBenchLoopRaw *self, GError **error)
{
  const volatile float *told = leat_memory_get_host (self->told);
  const gsize bytes = self->n * sizeof (float);
  double begin = leat_bench_now_us ();
  CUresult result = (*self->table->cuMemcpyHtoDAsync) (
    leat_memory_get_address (self->x), leat_memory_get_host (self->in), bytes, leat_stream_get (self->stream));

  do
    if (result == CUDA_SUCCESS)
      result = leat_bench_loop_raw_iterate (self);
  while (result == CUDA_SUCCESS && *told < self->limit);
  if (result == CUDA_SUCCESS)
    result = (*self->table->cuMemcpyDtoHAsync) (leat_memory_get_host (self->out), leat_memory_get_address (self->x),
                                                bytes, leat_stream_get (self->stream));
  if (result == CUDA_SUCCESS)
    result = leat_bench_loop_raw_wait (self);
  return leat_bench_loop_raw_end (self, begin, result, error);
}
