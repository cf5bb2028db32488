/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench-cuda.h"

#include <math.h>

#include "device/leat-device-private.h"
#include "device/leat-module-private.h"
#include "kernel/leat-image-private.h"
#include "leat.h"

/* What an op of a graph costs on the CPU driver, beyond its own work: graphs of ops that do nothing, or next to
 * nothing, in a chain or side by side.  A graph of one op is timed as well and taken off, so what is left is an op's
 * share.  The best of many runs that are each shorter than a turn on the processor, so that other programs on the
 * machine change little. */

#define OPS   512
#define TRIES 1000

static const char source_text[] = "#include <stdint.h>\n"
                                  "__global__ void nothing (int *x) {}\n"
                                  "__global__ void one (int *x, uint64_t n)\n"
                                  "{\n"
                                  "  for (uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x; i < n;\n"
                                  "       i += (uint64_t) blockDim.x * gridDim.x)\n"
                                  "    x[i]++;\n"
                                  "}\n"
                                  "__global__ void turn (int *left, uint64_t handle)\n"
                                  "{\n"
                                  "  if (blockIdx.x == 0 && threadIdx.x == 0)\n"
                                  "    leat_graph_set_conditional (handle, --*left != 0);\n"
                                  "}\n";

typedef enum
{
  BENCH_KERNEL,
  BENCH_COPY,
  BENCH_FILL,
  BENCH_MIXED
} BenchKind;

typedef enum
{
  BENCH_CHAIN,
  BENCH_FAN,   /* all after one, and one after all */
  BENCH_LANES, /* eight chains */
  BENCH_LOOP   /* one kernel, as many turns as there would be ops */
} BenchShape;

typedef struct
{
  const char *name;
  BenchKind kind;
  BenchShape shape;
  guint blocks;
  const char *kernel;
} BenchCase;

static LeatDevice *device;
static const LeatDriverTable *cuda;
static LeatModule *module;
static CUstream stream;
static CUdeviceptr memory;

static void
bench_open (void)
{
  g_autoptr (LeatKernelSource) source = NULL;
  g_autoptr (GBytes) image = NULL;
  GError *error = NULL;
  LeatImageTarget target;

  device = leat_device_open ("cpu", &error);
  bench_must_not (error);
  cuda = leat_device_get_table (device);
  source = leat_kernel_source_new ("ops.cu", source_text, &error);
  bench_must_not (error);
  leat_image_target_parse ("host", &target, &error);
  bench_must_not (error);
  image = leat_image_get (source, &target, &error);
  bench_must_not (error);
  module = leat_module_load (device, image, "ops.cu", &error);
  bench_must_not (error);
  leat_device_push (device, NULL);
  bench_must (cuda->cuStreamCreate (&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  bench_must (cuda->cuMemAlloc (&memory, OPS * 64), "cuMemAlloc");
}

static CUgraphNode
bench_add_op (CUgraph graph, const BenchCase *c, guint index, const CUgraphNode *after, gsize n_after)
{
  static const BenchKind mixed[] = { BENCH_KERNEL, BENCH_COPY, BENCH_KERNEL, BENCH_FILL };
  BenchKind kind = c->kind == BENCH_MIXED ? mixed[index % G_N_ELEMENTS (mixed)] : c->kind;
  CUdeviceptr mine = memory + index * 64;
  guint64 n = 1;
  void *params[] = { &mine, &n };
  CUgraphNode node = NULL;
  CUcontext context = NULL;
  CUDA_KERNEL_NODE_PARAMS kernel = { .gridDimX = c->blocks,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = 32,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = params };
  CUDA_MEMCPY3D copy = { .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = mine,
                         .dstDevice = mine + 32,
                         .WidthInBytes = 4,
                         .Height = 1,
                         .Depth = 1 };
  CUDA_MEMSET_NODE_PARAMS fill = { .dst = mine, .value = 1, .elementSize = 4, .width = 1, .height = 1 };

  bench_must (cuda->cuCtxGetCurrent (&context), "cuCtxGetCurrent");
  if (kind == BENCH_KERNEL)
    {
      kernel.func = leat_module_get_function (module, c->kernel, NULL)->function;
      bench_must (cuda->cuGraphAddKernelNode (&node, graph, after, n_after, &kernel), "cuGraphAddKernelNode");
    }
  else if (kind == BENCH_COPY)
    bench_must (cuda->cuGraphAddMemcpyNode (&node, graph, after, n_after, &copy, context), "cuGraphAddMemcpyNode");
  else
    bench_must (cuda->cuGraphAddMemsetNode (&node, graph, after, n_after, &fill, context), "cuGraphAddMemsetNode");
  return node;
}

static void
bench_fill_loop (CUgraph graph, const BenchCase *c, guint n_turns)
{
  CUDA_MEMSET_NODE_PARAMS fill = { .dst = memory, .value = n_turns, .elementSize = 4, .width = 1, .height = 1 };
  CUgraphNodeParams loop = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
  CUDA_KERNEL_NODE_PARAMS kernel = {
    .gridDimX = c->blocks, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1, .blockDimZ = 1
  };
  CUgraphNode begin, node;
  CUcontext context = NULL;

  bench_must (cuda->cuCtxGetCurrent (&context), "cuCtxGetCurrent");
  bench_must (cuda->cuGraphAddMemsetNode (&begin, graph, NULL, 0, &fill, context), "cuGraphAddMemsetNode");
  loop.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  loop.conditional.size = 1;
  loop.conditional.ctx = context;
  bench_must (
    cuda->cuGraphConditionalHandleCreate (&loop.conditional.handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT),
    "cuGraphConditionalHandleCreate");
  bench_must (cuda->cuGraphAddNode (&node, graph, &begin, NULL, 1, &loop), "cuGraphAddNode");
  kernel.func = leat_module_get_function (module, c->kernel, NULL)->function;
  kernel.kernelParams = (void *[]){ &memory, &loop.conditional.handle };
  bench_must (cuda->cuGraphAddKernelNode (&node, loop.conditional.phGraph_out[0], NULL, 0, &kernel),
              "cuGraphAddKernelNode");
}

static void
bench_fill_graph (CUgraph graph, const BenchCase *c, guint n_ops)
{
  CUgraphNode nodes[OPS];

  if (c->shape == BENCH_LOOP)
    {
      bench_fill_loop (graph, c, n_ops);
      return;
    }
  for (guint i = 0; i < n_ops; i++)
    {
      guint back = c->shape == BENCH_LANES ? 8 : 1;

      if (c->shape != BENCH_FAN)
        nodes[i] = bench_add_op (graph, c, i, i >= back ? &nodes[i - back] : NULL, i >= back);
      else if (i == 0 || i < n_ops - 1)
        nodes[i] = bench_add_op (graph, c, i, nodes, i > 0);
      else
        nodes[i] = bench_add_op (graph, c, i, nodes + 1, n_ops - 2);
    }
}

/* Nanoseconds of one run of a graph of so many ops. */
static double
bench_run (const BenchCase *c, guint n_ops)
{
  CUgraph graph;
  CUgraphExec exec;
  double best = INFINITY;

  bench_must (cuda->cuGraphCreate (&graph, 0), "cuGraphCreate");
  bench_fill_graph (graph, c, n_ops);
  bench_must (cuda->cuGraphInstantiateWithFlags (&exec, graph, 0), "cuGraphInstantiate");
  for (guint try = 0; try < TRIES; try++)
    {
      double began = bench_now_ns ();

      bench_must (cuda->cuGraphLaunch (exec, stream), "cuGraphLaunch");
      bench_must (cuda->cuStreamSynchronize (stream), "cuStreamSynchronize");
      best = MIN (best, bench_now_ns () - began);
    }
  cuda->cuGraphExecDestroy (exec);
  cuda->cuGraphDestroy (graph);
  return best;
}

int
main (int argc, char **argv)
{
  static const BenchCase cases[] = {
    { "empty kernels, 1 block, chain", BENCH_KERNEL, BENCH_CHAIN, 1, "nothing" },
    { "empty kernels, 8 blocks, chain", BENCH_KERNEL, BENCH_CHAIN, 8, "nothing" },
    { "empty kernels, 1 block, side by side", BENCH_KERNEL, BENCH_FAN, 1, "nothing" },
    { "empty kernels, 8 blocks, side by side", BENCH_KERNEL, BENCH_FAN, 8, "nothing" },
    { "empty kernels, 1 block, 8 chains", BENCH_KERNEL, BENCH_LANES, 1, "nothing" },
    { "kernels on 1 item, 1 block, chain", BENCH_KERNEL, BENCH_CHAIN, 1, "one" },
    { "copies of 4 bytes, chain", BENCH_COPY, BENCH_CHAIN, 1, NULL },
    { "copies of 4 bytes, side by side", BENCH_COPY, BENCH_FAN, 1, NULL },
    { "fills of 4 bytes, chain", BENCH_FILL, BENCH_CHAIN, 1, NULL },
    { "kernels, copies and fills, chain", BENCH_MIXED, BENCH_CHAIN, 1, "nothing" },
    { "kernels, copies and fills, side by side", BENCH_MIXED, BENCH_FAN, 1, "nothing" },
    { "turns of a loop over a kernel, 1 block", BENCH_KERNEL, BENCH_LOOP, 1, "turn" },
    { "turns of a loop over a kernel, 8 blocks", BENCH_KERNEL, BENCH_LOOP, 8, "turn" },
  };

  bench_open ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const BenchCase *c = &cases[i];
      double one, all;

      if (argc > 1 && (guint) atoi (argv[1]) != i)
        continue;
      one = bench_run (c, 1);
      all = bench_run (c, OPS);
      g_print ("%-40s %7.1f ns an op   a graph of one %7.0f ns\n", c->name, (all - one) / (OPS - 1), one);
    }
  return 0;
}
