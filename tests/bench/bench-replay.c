/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bench-cuda.h"

#include "device/leat-device-private.h"
#include "device/leat-module-private.h"
#include "kernel/leat-image-private.h"
#include "leat.h"

#include <glib/gstdio.h>
#include <string.h>

/* A session's replay against the driver calls that a CUDA programmer would write for the same work: one kernel, a*x+b,
 * bytes in and bytes out, as one graph that copies through pinned memory, or whose kernel reads and writes the pinned
 * memory itself.  Same device, same image, same kinds of memory; alternating; results compared first; other bytes each
 * round.  Prints medians of one replay, from the bytes in the program's memory to the result there. */

#define ROUNDS 400
#define SETTLE 50

static const char source_text[] =
  "#include <stdint.h>\n"
  "__global__ void axpb (const float *x, uint64_t x_count, float *y, float a, float b)\n"
  "{\n"
  "  for (uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x; i < x_count;\n"
  "       i += (uint64_t) blockDim.x * gridDim.x)\n"
  "    y[i] = a * x[i] + b;\n"
  "}\n";

typedef struct
{
  LeatDevice *device;
  const LeatDriverTable *cuda;
  LeatModule *module;
  CUfunction function;
  CUstream stream;
  void *in, *out; /* pinned */
  CUdeviceptr x, y;
  CUgraph graph;
  CUgraphExec exec;
} Raw;

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  LeatApp *source, *sink;
} Side;

static double leat_times[ROUNDS], raw_times[ROUNDS];

static void
raw_load (Raw *raw)
{
  g_autoptr (LeatKernelSource) source = NULL;
  g_autoptr (GBytes) image = NULL;
  GError *error = NULL;
  const LeatDeviceFacts *facts;
  g_autofree char *target_name = NULL;
  LeatImageTarget target;

  raw->device = leat_device_open (NULL, &error);
  bench_must_not (error);
  facts = leat_device_get_facts (raw->device);
  raw->cuda = leat_device_get_table (raw->device);
  target_name = leat_device_is_cpu (raw->device)
                  ? g_strdup ("host")
                  : g_strdup_printf ("sm_%u%u", facts->compute_major, facts->compute_minor);
  source = leat_kernel_source_new ("axpb.cu", source_text, &error);
  bench_must_not (error);
  leat_image_target_parse (target_name, &target, &error);
  bench_must_not (error);
  image = leat_image_get (source, &target, &error);
  bench_must_not (error);
  raw->module = leat_module_load (raw->device, image, "axpb.cu", &error);
  bench_must_not (error);
  raw->function = leat_module_get_function (raw->module, "axpb", &error)->function;
}

static CUgraphNode
raw_add_copy (Raw *raw, CUgraphNode after, gboolean down, gsize bytes)
{
  CUDA_MEMCPY3D copy = { .srcMemoryType = down ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
                         .dstMemoryType = down ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                         .WidthInBytes = bytes,
                         .Height = 1,
                         .Depth = 1 };
  CUgraphNode node;
  CUcontext context;

  if (down)
    copy.srcDevice = raw->y, copy.dstHost = raw->out;
  else
    copy.srcHost = raw->in, copy.dstDevice = raw->x;
  bench_must (raw->cuda->cuCtxGetCurrent (&context), "cuCtxGetCurrent");
  bench_must (
    raw->cuda->cuGraphAddMemcpyNode (&node, raw->graph, after != NULL ? &after : NULL, after != NULL, &copy, context),
    "cuGraphAddMemcpyNode");
  return node;
}

static CUgraphNode
raw_add_kernel (Raw *raw, CUgraphNode after, gboolean mapped, guint64 n)
{
  CUdeviceptr x = raw->x, y = raw->y;
  float a = 2, b = 1;
  gint32 waits = FALSE; /* for no others */
  void *params[] = { &x, &n, &y, &a, &b, &waits };
  CUDA_KERNEL_NODE_PARAMS launch = { .func = raw->function,
                                     .gridDimX = (guint) MIN ((n + 255) / 256, 2048),
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = 256,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = params };
  CUgraphNode node;

  if (mapped)
    {
      bench_must (raw->cuda->cuMemHostGetDevicePointer (&x, raw->in, 0), "cuMemHostGetDevicePointer");
      bench_must (raw->cuda->cuMemHostGetDevicePointer (&y, raw->out, 0), "cuMemHostGetDevicePointer");
    }
  bench_must (
    raw->cuda->cuGraphAddKernelNode (&node, raw->graph, after != NULL ? &after : NULL, after != NULL, &launch),
    "cuGraphAddKernelNode");
  return node;
}

static void
raw_open (Raw *raw, gsize bytes, gboolean mapped)
{
  const guint flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  CUgraphNode last = NULL;

  bench_must (raw->cuda->cuStreamCreate (&raw->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  bench_must (raw->cuda->cuMemHostAlloc (&raw->in, bytes, flags), "cuMemHostAlloc");
  bench_must (raw->cuda->cuMemHostAlloc (&raw->out, bytes, flags), "cuMemHostAlloc");
  bench_must (raw->cuda->cuMemAlloc (&raw->x, bytes), "cuMemAlloc");
  bench_must (raw->cuda->cuMemAlloc (&raw->y, bytes), "cuMemAlloc");
  bench_must (raw->cuda->cuGraphCreate (&raw->graph, 0), "cuGraphCreate");
  if (!mapped)
    last = raw_add_copy (raw, NULL, FALSE, bytes);
  last = raw_add_kernel (raw, last, mapped, bytes / sizeof (float));
  if (!mapped)
    raw_add_copy (raw, last, TRUE, bytes);
  bench_must (raw->cuda->cuGraphInstantiateWithFlags (&raw->exec, raw->graph, 0), "cuGraphInstantiateWithFlags");
}

static void
raw_close (Raw *raw)
{
  raw->cuda->cuGraphExecDestroy (raw->exec);
  raw->cuda->cuGraphDestroy (raw->graph);
  raw->cuda->cuMemFree (raw->x);
  raw->cuda->cuMemFree (raw->y);
  raw->cuda->cuMemFreeHost (raw->in);
  raw->cuda->cuMemFreeHost (raw->out);
  raw->cuda->cuStreamDestroy (raw->stream);
}

static GBytes *
raw_run (Raw *raw, GBytes *input)
{
  gsize bytes = g_bytes_get_size (input);

  memcpy (raw->in, g_bytes_get_data (input, NULL), bytes);
  bench_must (raw->cuda->cuGraphLaunch (raw->exec, raw->stream), "cuGraphLaunch");
  bench_must (raw->cuda->cuStreamSynchronize (raw->stream), "cuStreamSynchronize");
  return g_bytes_new (raw->out, bytes);
}

static void
side_open (Side *side, const char *path, gsize bytes, const char *mode)
{
  g_autofree char *text = g_strdup_printf ("app name=source spec=f32:%" G_GSIZE_FORMAT " + upload mode=%s + kernel "
                                           "source=%s a=2 b=1 block=256 + readback mode=%s + app name=sink",
                                           bytes / sizeof (float), mode, path, mode);
  GError *error = NULL;

  side->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_TERMINAL, NULL, &error);
  bench_must_not (error);
  side->session = leat_session_new (side->pipeline, NULL);
  leat_session_open (side->session, NULL, &error);
  bench_must_not (error);
  side->source = LEAT_APP (leat_pipeline_get_node (side->pipeline, "source", NULL));
  side->sink = LEAT_APP (leat_pipeline_get_node (side->pipeline, "sink", NULL));
}

static void
side_close (Side *side)
{
  leat_session_close (side->session);
  g_clear_object (&side->session);
  g_clear_object (&side->pipeline);
}

static GBytes *
side_run (Side *side, GBytes *input)
{
  GError *error = NULL;
  GBytes *output;

  leat_app_push_bytes (side->source, input, &error);
  bench_must_not (error);
  leat_session_replay (side->session, FALSE, NULL, &error);
  bench_must_not (error);
  output = leat_app_pull_bytes (side->sink, 0, &error);
  bench_must_not (error);
  return output;
}

static GBytes *
make_input (gsize bytes, guint round)
{
  float *x = g_malloc (bytes);

  for (gsize i = 0; i < bytes / sizeof (float); i++)
    x[i] = (float) ((i * 31 + round * 7919) % 4093);
  return g_bytes_new_take (x, bytes);
}

static void
report (gsize bytes, const char *mode, guint n)
{
  bench_sort (leat_times, n);
  bench_sort (raw_times, n);
  g_print ("%9" G_GSIZE_FORMAT " B  %-7s ratio %5.2f  leat %9.2f us [%.2f, %.2f]  calls %9.2f us [%.2f, %.2f]\n", bytes,
           mode, leat_times[n / 2] / raw_times[n / 2], leat_times[n / 2], leat_times[n / 10],
           leat_times[n - 1 - n / 10], raw_times[n / 2], raw_times[n / 10], raw_times[n - 1 - n / 10]);
}

static void
bench (Raw *raw, const char *path, gsize bytes, const char *mode)
{
  guint n = bytes > (1 << 20) ? ROUNDS / 4 : ROUNDS;
  Side side;

  raw_open (raw, bytes, g_str_equal (mode, "mapped"));
  side_open (&side, path, bytes, mode);
  for (guint round = 0; round < SETTLE + n; round++)
    {
      g_autoptr (GBytes) input = make_input (bytes, round);
      double a = bench_now_us ();
      g_autoptr (GBytes) mine = side_run (&side, input);
      double b = bench_now_us ();
      g_autoptr (GBytes) theirs = raw_run (raw, input);
      double c = bench_now_us ();

      if (!g_bytes_equal (mine, theirs))
        g_error ("%s, %" G_GSIZE_FORMAT " bytes: the two sides differ", mode, bytes);
      leat_times[round < SETTLE ? 0 : round - SETTLE] = b - a;
      raw_times[round < SETTLE ? 0 : round - SETTLE] = c - b;
    }
  report (bytes, mode, n);
  side_close (&side);
  raw_close (raw);
}

int
main (void)
{
  static const gsize sizes[] = { 4096, 65536, 1 << 20, 16 << 20 };
  g_autofree char *folder = g_dir_make_tmp ("leat-bench-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "axpb.cu", NULL);
  GError *error = NULL;
  Raw raw = { 0 };

  g_file_set_contents (path, source_text, -1, &error);
  bench_must_not (error);
  raw_load (&raw);
  g_print ("%s: medians [tenth, ninetieth percentile] of %u replays, %u above 1 MiB\n",
           leat_device_get_name (raw.device), ROUNDS, ROUNDS / 4);
  leat_device_push (raw.device, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      bench (&raw, path, sizes[i], "copy");
      bench (&raw, path, sizes[i], "mapped");
    }
  leat_device_pop (raw.device);
  leat_module_unref (raw.module);
  g_object_unref (raw.device);
  g_remove (path);
  g_remove (folder);
  return 0;
}
