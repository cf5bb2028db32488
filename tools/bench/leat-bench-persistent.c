/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A run that is handed to a persistent kernel, against the same run as a graph whose kernel reads and writes the
 * application's memory.  Also against graphs in which there is nothing, or a kernel that does nothing: one of each in
 * turn. */

#include "leat-bench-module.h"
#include "leat-bench-subject.h"

#include "device/leat-stream-private.h"

#define SETTLE 50

static const LeatBenchRule leat_bench_axpb = { 2, 1 };

/* A graph in which there is nothing to do, with a kernel that does nothing or without one: the latter never gets to the
 * device. */
typedef struct
{
  LeatModule *module; /* NULL: no kernel */
  LeatDevice *device;
  const LeatDriverTable *table;
  LeatStream *stream;
  CUgraph graph;
  CUgraphExec exec;
} LeatBenchEmpty;

static void
leat_bench_empty_clear (LeatBenchEmpty *self)
{
  if (self->device == NULL || !leat_device_push (self->device, NULL))
    return;
  if (self->exec != NULL)
    (*self->table->cuGraphExecDestroy) (self->exec);
  if (self->graph != NULL)
    (*self->table->cuGraphDestroy) (self->graph);
  leat_device_pop (self->device);
  g_clear_pointer (&self->stream, leat_stream_free);
  g_clear_pointer (&self->module, leat_module_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchEmpty, leat_bench_empty_clear)

static const LeatFunction *
leat_bench_empty_load (LeatBenchEmpty *self, GError **error)
{
  g_autoptr (LeatKernelSource) source =
    leat_kernel_source_new ("nothing", "__global__ void nothing (void) {}\n", error);

  self->module = source != NULL ? leat_bench_module_load (self->device, source, error) : NULL;
  return self->module != NULL ? leat_module_get_function (self->module, "nothing", error) : NULL;
}

static CUresult
leat_bench_empty_fill (LeatBenchEmpty *self, const LeatFunction *function)
{
  gint32 waits = FALSE; /* for no others */
  void *params[] = { &waits };
  CUgraphNode node;
  CUDA_KERNEL_NODE_PARAMS kernel = {
    .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1, .blockDimZ = 1, .kernelParams = params
  };

  if (function == NULL)
    return (*self->table->cuGraphAddEmptyNode) (&node, self->graph, NULL, 0);
  kernel.func = function->function;
  return (*self->table->cuGraphAddKernelNode) (&node, self->graph, NULL, 0, &kernel);
}

static gboolean
leat_bench_empty_init (LeatBenchEmpty *self, LeatDevice *device, gboolean has_kernel, GError **error)
{
  const LeatFunction *function = NULL;
  CUresult result;

  self->device = device;
  self->table = leat_device_get_table (device);
  if (has_kernel && (function = leat_bench_empty_load (self, error)) == NULL)
    return FALSE;
  self->stream = leat_stream_new (device, LEAT_STREAM_PRIORITY_NORMAL, error);
  if (self->stream == NULL || !leat_device_push (device, error))
    return FALSE;
  result = (*self->table->cuGraphCreate) (&self->graph, 0);
  if (result == CUDA_SUCCESS)
    result = leat_bench_empty_fill (self, function);
  if (result == CUDA_SUCCESS)
    result = (*self->table->cuGraphInstantiateWithFlags) (&self->exec, self->graph, 0);
  leat_device_pop (device);
  return result == CUDA_SUCCESS
         || leat_device_set_error (device, error, "cuGraphInstantiateWithFlags", result, "an empty graph");
}

/* Microseconds; negative after an error. */
static double
leat_bench_empty_launch (LeatBenchEmpty *self, GError **error)
{
  double begin = leat_bench_now_us ();
  CUstream stream = leat_stream_get (self->stream);
  CUresult result = (*self->table->cuGraphLaunch) (self->exec, stream);

  while (result == CUDA_SUCCESS && (result = (*self->table->cuStreamQuery) (stream)) == CUDA_ERROR_NOT_READY)
    result = CUDA_SUCCESS;
  if (result == CUDA_SUCCESS)
    return leat_bench_now_us () - begin;
  leat_device_set_error (self->device, error, "cuGraphLaunch", result, "an empty graph");
  return -1;
}

static gboolean
leat_bench_signal_open (LeatBenchSubject *self, const LeatBench *bench, const LeatBenchCase *kind,
                        LeatExecutor executor, const char *mode, GError **error)
{
  g_autofree char *text =
    g_strdup_printf ("leat 1\n"
                     "app name=source spec=f32[%" G_GSIZE_FORMAT ",4] -> upload mode=%s -> kernel source=\"%s\" "
                     "entry=axpb a=2 b=1 block=256 -> readback mode=%s -> app name=sink\n",
                     kind->bytes / 16, mode, bench->kernels, mode);

  return leat_bench_subject_open (self, bench, text, error, "executor", executor, "persistent-idle-ms", 10000, NULL)
         && leat_bench_subject_try (self, &leat_bench_axpb, error);
}

static gboolean
leat_bench_signal_replay (LeatBenchSubject *self, guint round, LeatBenchSeries *times, GError **error)
{
  double us;

  leat_bench_subject_stir (self, round);
  us = leat_bench_subject_replay (self, TRUE, error);
  if (us < 0 || !leat_bench_subject_check (self, round, &leat_bench_axpb, error))
    return FALSE;
  if (round >= SETTLE)
    leat_bench_series_add (times, us);
  return TRUE;
}

/* Of the medians. */
static void
leat_bench_signal_compare (LeatBench *bench, const char *figure, LeatBenchSeries *one, LeatBenchSeries *other)
{
  LeatBenchSummary a, b;

  leat_bench_series_summarize (one, &a);
  leat_bench_series_summarize (other, &b);
  leat_bench_report_add_value (bench->report, figure, 100 * a.median / b.median, "%");
}

static gboolean
leat_bench_run_signal (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_auto (LeatBenchSubject) persistent = { 0 }, mapped = { 0 };
  g_auto (LeatBenchEmpty) empty = { 0 }, idle = { 0 };
  g_auto (LeatBenchSeries) signalled = { 0 }, launched = { 0 }, nothing = { 0 }, idled = { 0 };
  guint runs = leat_bench_case_get_runs (kind, bench);

  leat_bench_series_init (&signalled, runs);
  leat_bench_series_init (&launched, runs);
  leat_bench_series_init (&nothing, runs);
  leat_bench_series_init (&idled, runs);
  if (!leat_bench_signal_open (&mapped, bench, kind, LEAT_EXECUTOR_GRAPH, "mapped", error)
      || !leat_bench_empty_init (&empty, bench->device, FALSE, error)
      || !leat_bench_empty_init (&idle, bench->device, TRUE, error)
      || !leat_bench_signal_open (&persistent, bench, kind, LEAT_EXECUTOR_PERSISTENT, "auto", error))
    return FALSE;
  for (guint round = 0; round < SETTLE + runs; round++)
    {
      double us = leat_bench_empty_launch (&empty, error), kernel_us = leat_bench_empty_launch (&idle, error);

      if (us < 0 || kernel_us < 0 || !leat_bench_signal_replay (&persistent, round, &signalled, error)
          || !leat_bench_signal_replay (&mapped, round, &launched, error))
        return FALSE;
      if (round >= SETTLE)
        {
          leat_bench_series_add (&nothing, us);
          leat_bench_series_add (&idled, kernel_us);
        }
    }
  leat_bench_report_add_times (bench->report, "persistent", &signalled);
  leat_bench_report_add_times (bench->report, "mapped-graph", &launched);
  leat_bench_report_add_times (bench->report, "kernel-of-nothing", &idled);
  leat_bench_report_add_times (bench->report, "empty-graph", &nothing);
  leat_bench_signal_compare (bench, "of-kernel-of-nothing", &signalled, &idled);
  leat_bench_signal_compare (bench, "of-mapped-graph", &signalled, &launched);
  return TRUE;
}

#define DOORBELL(size, bytes)                                                                                          \
  {                                                                                                                    \
    "signal-" size, "a persistent kernel is signalled; against a mapped graph and an empty one",                       \
      leat_bench_run_signal, bytes, 0, "mapped", 1, FALSE                                                              \
  }

/* clang-format off */
const LeatBenchCase leat_bench_signal[] = {
  DOORBELL ("512", 512),
  DOORBELL ("4k", 4096),
  DOORBELL ("64k", 65536),
  { NULL },
};
/* clang-format on */
