/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib.h>
#include <string.h>

#include "cuda-table.h"
#include "engine-fixture.h"

/* Modules and their functions through the driver's calls: what they tell, what launches and nodes make of them. */

#define OK       CUDA_SUCCESS
#define BAD      CUDA_ERROR_INVALID_VALUE
#define STRAY    CUDA_ERROR_INVALID_HANDLE
#define IS(a, b) g_assert_cmpint (a, ==, b)

/* A device's limits, as LEAT_CPU_PROFILE below has them, and the rest as every profile. */
#define BLOCKS  8
#define THREADS 1024
#define SHARED  (164 * 1024)
#define OPTIN   (163 * 1024)

static CUmodule module;

static CUfunction
get_function (const char *name)
{
  CUfunction function = NULL;

  IS (cuda.cuModuleGetFunction (&function, module, name), OK);
  g_assert_nonnull (function);
  return function;
}

static void
test_module (void)
{
  CUmoduleLoadingMode mode = (CUmoduleLoadingMode) 0;
  CUfunction listed[64] = { 0 }, function = get_function ("look_back");
  CUfunctionLoadingState state = (CUfunctionLoadingState) 9;
  CUmodule of = NULL;
  unsigned int n = 0;
  const char *name;

  IS (cuda.cuModuleGetLoadingMode (&mode), OK);
  IS (mode, CU_MODULE_EAGER_LOADING);
  IS (cuda.cuModuleGetLoadingMode (NULL), BAD);
  IS (cuda.cuModuleGetFunctionCount (&n, module), OK);
  g_assert_cmpuint (n, >=, 20);
  g_assert_cmpuint (n, <, 63);
  IS (cuda.cuModuleEnumerateFunctions (listed, 2, module), OK);
  g_assert_nonnull (listed[1]);
  g_assert_null (listed[2]);
  IS (cuda.cuModuleEnumerateFunctions (listed, 64, module), OK);
  g_assert_null (listed[n]);
  for (guint i = 0; i < n; i++)
    {
      IS (cuda.cuFuncGetName (&name, listed[i]), OK);
      g_assert_true (get_function (name) == listed[i]);
      IS (cuda.cuFuncGetModule (&of, listed[i]), OK);
      g_assert_true (of == module);
      IS (cuda.cuFuncIsLoaded (&state, listed[i]), OK);
      IS (state, CU_FUNCTION_LOADING_STATE_LOADED);
      IS (cuda.cuFuncLoad (listed[i]), OK);
    }
  IS (cuda.cuModuleGetFunction (&function, module, "saxp"), CUDA_ERROR_NOT_FOUND);
  IS (cuda.cuModuleGetFunction (&function, NULL, "saxpy"), STRAY);
  IS (cuda.cuModuleGetFunction (NULL, module, "saxpy"), BAD);
  IS (cuda.cuModuleGetFunction (&function, module, NULL), BAD);
  IS (cuda.cuModuleGetFunctionCount (NULL, module), BAD);
  IS (cuda.cuModuleGetFunctionCount (&n, NULL), STRAY);
  IS (cuda.cuModuleEnumerateFunctions (NULL, 1, module), BAD);
  IS (cuda.cuModuleEnumerateFunctions (listed, 1, NULL), STRAY);
  IS (cuda.cuFuncGetName (NULL, function), BAD);
  IS (cuda.cuFuncGetName (&name, NULL), STRAY);
  IS (cuda.cuFuncGetModule (NULL, function), BAD);
  IS (cuda.cuFuncGetModule (&of, NULL), STRAY);
  IS (cuda.cuFuncIsLoaded (NULL, function), BAD);
  IS (cuda.cuFuncIsLoaded (&state, NULL), STRAY);
  IS (cuda.cuFuncLoad (NULL), STRAY);
  IS (cuda.cuModuleUnload (NULL), STRAY);
}

/* The log is for what cannot be loaded, and no longer than the room for it. */
static void
test_module_log (void)
{
  static const char other[64] = "something else that is long enough to hold a header";
  CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER };
  char log[300];
  void *values[2];
  CUmodule none = NULL;

  for (guint room = 0; room < sizeof log; room += 1 + 200 * (room > 9))
    {
      gboolean short_of = room < 11;

      memset (log, 'x', sizeof log);
      values[0] = GUINT_TO_POINTER (room);
      values[1] = log;
      IS (cuda.cuModuleLoadDataEx (&none, other, 2, options, values), CUDA_ERROR_INVALID_IMAGE);
      if (room == 0)
        g_assert_cmpint (log[0], ==, 'x');
      else
        g_assert_cmpuint (strlen (log), ==, GPOINTER_TO_UINT (values[0]));
      g_assert_true (!short_of || room == 0 || strlen (log) == room - 1);
      g_assert_true (short_of || g_pattern_match_simple ("*host image*", log));
      g_assert_null (none);
    }
  IS (cuda.cuModuleLoadDataEx (&none, other, 1, options, values), CUDA_ERROR_INVALID_IMAGE);
  IS (cuda.cuModuleLoadDataEx (&none, other, 1, options + 1, values + 1), CUDA_ERROR_INVALID_IMAGE);
  IS (cuda.cuModuleLoadDataEx (&none, other, 1, NULL, values), BAD);
  IS (cuda.cuModuleLoadDataEx (&none, other, 1, options, NULL), BAD);
  IS (cuda.cuModuleLoadData (&none, NULL), BAD);
  IS (cuda.cuModuleLoadData (NULL, other), BAD);
  IS (cuda.cuModuleLoad (NULL, "/proc/none"), BAD);
  IS (cuda.cuModuleLoad (&none, NULL), BAD);
  IS (cuda.cuModuleLoad (&none, "/proc/none"), CUDA_ERROR_FILE_NOT_FOUND);
}

/* A variable is memory of the device as any other, until its module goes. */
static void
test_global (void)
{
  g_autoptr (GBytes) image = engine_fixture_read_image (g_getenv ("ENGINE_IMAGE"));
  CUdeviceptr address = 0, base = 0;
  size_t bytes = 0;
  guint32 value = 0, type = 0;
  CUmodule other;

  IS (cuda.cuModuleLoadData (&other, g_bytes_get_data (image, NULL)), OK);
  IS (cuda.cuModuleGetGlobal (&address, &bytes, other, "counter"), OK);
  g_assert_cmpuint (bytes, ==, 4);
  IS (cuda.cuMemcpyDtoH (&value, address, 4), OK);
  g_assert_cmpuint (value, ==, 7);
  IS (cuda.cuMemcpyDtoH (&value, address, 5), BAD);
  IS (cuda.cuMemcpyHtoD (address, &(guint32){ 9 }, 4), OK);
  IS (cuda.cuMemcpyDtoH (&value, address, 4), OK);
  g_assert_cmpuint (value, ==, 9);
  IS (cuda.cuPointerGetAttribute (&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address), OK);
  g_assert_cmpuint (type, ==, CU_MEMORYTYPE_DEVICE);
  IS (cuda.cuMemGetAddressRange (&base, &bytes, address + 3), OK);
  g_assert_cmpuint (base, ==, address);
  g_assert_cmpuint (bytes, ==, 4);
  IS (cuda.cuMemFree (address), BAD);
  IS (cuda.cuModuleGetGlobal (NULL, NULL, other, "counter"), OK);
  IS (cuda.cuModuleGetGlobal (&address, NULL, other, "count"), CUDA_ERROR_NOT_FOUND);
  IS (cuda.cuModuleGetGlobal (&address, NULL, other, NULL), BAD);
  IS (cuda.cuModuleGetGlobal (&address, NULL, NULL, "counter"), STRAY);
  IS (cuda.cuModuleUnload (other), OK);
  IS (cuda.cuMemGetAddressRange (&base, &bytes, address), CUDA_ERROR_NOT_FOUND);
}

static void
test_params (void)
{
  CUfunction function = get_function ("saxpy");
  size_t offset, size;

  for (guint i = 0; i < 3; i++)
    {
      IS (cuda.cuFuncGetParamInfo (function, i, &offset, &size), OK);
      g_assert_cmpuint (offset, ==, 8 * i);
      g_assert_cmpuint (size, ==, 8);
    }
  IS (cuda.cuFuncGetParamInfo (function, 0, &offset, NULL), OK);
  IS (cuda.cuFuncGetParamInfo (function, 3, &offset, &size), BAD);
  IS (cuda.cuFuncGetParamInfo (function, 0, NULL, &size), BAD);
  IS (cuda.cuFuncGetParamInfo (NULL, 0, &offset, &size), STRAY);
}

static void
check_attribute (CUfunction function, CUfunction_attribute attribute, int expected)
{
  int value = -99;

  IS (cuda.cuFuncGetAttribute (&value, attribute, function), OK);
  IS (value, expected);
}

static void
test_attributes (void)
{
  CUfunction function = get_function ("tree_sum");
  const int expected[] = { THREADS, 4096, 0, 0, 16, 80, 80, 0, 48 * 1024 - 4096, -1, 0, 0, 0, 0, 0, 0 };
  int value;

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_test_message ("attribute %u", i);
      check_attribute (function, (CUfunction_attribute) i, expected[i]);
    }
  IS (cuda.cuFuncGetAttribute (&value, (CUfunction_attribute) 16, function), BAD);
  IS (cuda.cuFuncGetAttribute (NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, function), BAD);
  IS (cuda.cuFuncGetAttribute (&value, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL), STRAY);
  IS (cuda.cuFuncSetAttribute (function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1), BAD);
  IS (cuda.cuFuncSetAttribute (function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, OPTIN - 4095), BAD);
  check_attribute (function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 48 * 1024 - 4096);
  IS (cuda.cuFuncSetAttribute (function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, OPTIN - 4096), OK);
  check_attribute (function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, OPTIN - 4096);
  IS (cuda.cuFuncSetAttribute (function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0), OK);
  check_attribute (function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0);
  for (int i = -2; i <= 101; i++)
    {
      gboolean good = i >= -1 && i <= 100;

      IS (cuda.cuFuncSetAttribute (function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, i), good ? OK : BAD);
      check_attribute (function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, CLAMP (i, -1, 100));
    }
  IS (cuda.cuFuncSetAttribute (function, CU_FUNC_ATTRIBUTE_NUM_REGS, 1), BAD);
  IS (cuda.cuFuncSetAttribute (NULL, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0), STRAY);
}

/* How many blocks there is room for, put in one by one. */
static int
count_blocks (int threads, gsize static_shared, gsize dynamic_shared)
{
  gsize shared = static_shared + dynamic_shared, warps = (threads + 31) / 32;
  int n = 0;

  if (threads > THREADS || dynamic_shared > 48 * 1024 - static_shared)
    return 0;
  while (n < BLOCKS && (n + 1) * warps * 32 <= THREADS && (n + 1) * shared <= SHARED)
    n++;
  return n;
}

static size_t
shared_of_block (int threads)
{
  return threads > 512 ? 48 * 1024 + 1 : 0; /* more than there may be */
}

static void
test_occupancy (void)
{
  static const gsize dynamics[] = { 0,         1,      1000, 20992, 20993, 30000, 48 * 1024 - 2056, 48 * 1024 - 2055,
                                    48 * 1024, 1 << 20 };
  CUfunction function = get_function ("look_back");
  int n;

  for (int threads = 1; threads <= THREADS + 1; threads += threads % 32 == 1 ? 30 : 1)
    for (guint i = 0; i < G_N_ELEMENTS (dynamics); i++)
      {
        n = -1;
        IS (cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor (&n, function, threads, dynamics[i]), OK);
        if (n != count_blocks (threads, 8 * 257, dynamics[i]))
          g_error ("%d threads, %zu bytes: %d blocks", threads, dynamics[i], n);
      }
  for (unsigned int flags = 0; flags <= 2; flags++)
    IS (cuda.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags (&n, function, 32, 0, flags), flags < 2 ? OK : BAD);
  IS (cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor (&n, function, 0, 0), BAD);
  IS (cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor (&n, function, -1, 0), BAD);
  IS (cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor (NULL, function, 32, 0), BAD);
  IS (cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor (&n, NULL, 32, 0), STRAY);
}

/* Of the block sizes with the most threads at a time the largest. */
static void
test_block_size (void)
{
  static const struct
  {
    CUoccupancyB2DSize of_block;
    gsize shared;
    int limit, size, n; /* n: of such blocks at a time */
  } cases[] = {
    { NULL, 0, 0, 1024, 1 },     { NULL, 0, 1024, 1024, 1 },
    { NULL, 0, 1023, 512, 2 },   { NULL, 0, 511, 256, 4 },
    { NULL, 0, 127, 96, 8 },     { NULL, 0, 33, 32, 8 },
    { NULL, 0, 1, 32, 8 },       { NULL, 0, 5000, 1024, 1 },
    { NULL, 40000, 0, 1024, 1 }, { shared_of_block, 1 << 20, 0, 512, 2 },
  };
  CUfunction function = get_function ("saxpy");
  int grid, size;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      grid = size = -1;
      g_test_message ("case %u", i);
      IS (cuda.cuOccupancyMaxPotentialBlockSize (&grid, &size, function, cases[i].of_block, cases[i].shared,
                                                 cases[i].limit),
          OK);
      IS (size, cases[i].size);
      IS (grid, 8 * cases[i].n);
    }
  for (unsigned int flags = 0; flags <= 2; flags++)
    IS (cuda.cuOccupancyMaxPotentialBlockSizeWithFlags (&grid, &size, function, NULL, 0, 0, flags),
        flags < 2 ? OK : BAD);
  IS (cuda.cuOccupancyMaxPotentialBlockSize (&grid, &size, function, NULL, 1 << 20, 0), BAD);
  IS (cuda.cuOccupancyMaxPotentialBlockSize (&grid, &size, function, NULL, 0, -1), BAD);
  IS (cuda.cuOccupancyMaxPotentialBlockSize (NULL, &size, function, NULL, 0, 0), BAD);
  IS (cuda.cuOccupancyMaxPotentialBlockSize (&grid, NULL, function, NULL, 0, 0), BAD);
  IS (cuda.cuOccupancyMaxPotentialBlockSize (&grid, &size, NULL, NULL, 0, 0), STRAY);
}

static void
test_available_shared (void)
{
  CUfunction function = get_function ("look_back");
  size_t bytes;

  for (int n = 0; n <= BLOCKS + 1; n++)
    for (int threads = 0; threads <= THREADS + 32; threads += 32)
      {
        gboolean fits = n > 0 && threads > 0 && n <= count_blocks (threads, 8 * 257, 0);

        bytes = 1;
        IS (cuda.cuOccupancyAvailableDynamicSMemPerBlock (&bytes, function, n, threads), fits ? OK : BAD);
        g_assert_cmpuint (bytes, ==, fits ? MIN (SHARED / n, OPTIN) - 8 * 257 : 1);
      }
  IS (cuda.cuOccupancyAvailableDynamicSMemPerBlock (&bytes, function, -1, 32), BAD);
  IS (cuda.cuOccupancyAvailableDynamicSMemPerBlock (&bytes, function, 1, -1), BAD);
  IS (cuda.cuOccupancyAvailableDynamicSMemPerBlock (NULL, function, 1, 32), BAD);
  IS (cuda.cuOccupancyAvailableDynamicSMemPerBlock (&bytes, NULL, 1, 32), STRAY);
}

static void
test_launch_attributes (void)
{
  static const struct
  {
    CUlaunchAttributeID id;
    CUlaunchAttributeValue value;
    CUresult result;
  } cases[] = {
    { CU_LAUNCH_ATTRIBUTE_PRIORITY, { .priority = 3 }, OK },
    { CU_LAUNCH_ATTRIBUTE_COOPERATIVE, { .cooperative = 0 }, OK },
    { CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, { .clusterDim = { 1, 1, 1 } }, OK },
    { CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, { .clusterDim = { 2, 1, 1 } }, CUDA_ERROR_NOT_SUPPORTED },
    { CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, { .clusterDim = { 1, 2, 1 } }, CUDA_ERROR_NOT_SUPPORTED },
    { CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, { .clusterDim = { 1, 1, 2 } }, CUDA_ERROR_NOT_SUPPORTED },
    { CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, { .priority = 0 }, CUDA_ERROR_NOT_SUPPORTED },
    { CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, { .priority = 0 }, CUDA_ERROR_NOT_SUPPORTED },
    { CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, { .priority = 0 }, CUDA_ERROR_NOT_SUPPORTED },
  };
  CUfunction function = get_function ("which_form"), ring = get_function ("indices");
  guint32 out = 0;
  void *pointer = &out, *params[] = { &pointer };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      CUlaunchAttribute attributes[] = { { .id = CU_LAUNCH_ATTRIBUTE_PRIORITY },
                                         { .id = cases[i].id, .value = cases[i].value } };
      CUlaunchConfig config = { 1, 1, 1, 1, 1, 1, .attrs = attributes, .numAttrs = 2 };

      g_test_message ("case %u", i);
      out = 0;
      IS (cuda.cuLaunchKernelEx (&config, function, params, NULL), cases[i].result);
      IS (cuda.cuCtxSynchronize (), OK);
      g_assert_cmpuint (out > 0, ==, cases[i].result == OK);
    }
  CUlaunchAttribute together = { .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = { .cooperative = 2 } };
  CUlaunchConfig config = { 8 * BLOCKS + 1, 1, 1, 1, 1, 1, .attrs = &together, .numAttrs = 1 };
  IS (cuda.cuLaunchKernelEx (&config, ring, params, NULL), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  config.attrs = NULL;
  IS (cuda.cuLaunchKernelEx (&config, ring, params, NULL), BAD);
  IS (cuda.cuLaunchKernelEx (NULL, ring, params, NULL), BAD);
  config.numAttrs = 0;
  IS (cuda.cuLaunchKernelEx (&config, NULL, params, NULL), STRAY);
  IS (cuda.cuLaunchHostFunc (NULL, NULL, NULL), BAD);
}

static void
check_node (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *expected)
{
  CUDA_KERNEL_NODE_PARAMS found = { 0 };
  CUDA_KERNEL_NODE_PARAMS same;

  IS (cuda.cuGraphKernelNodeGetParams (node, &found), OK);
  g_assert_cmpmem (found.kernelParams[0], 8, expected->kernelParams[0], 8);
  same = found;
  same.kernelParams = expected->kernelParams;
  g_assert_cmpmem (&same, sizeof same, expected, sizeof *expected);
}

static void
check_node_attributes (CUgraphNode node, int priority, int cooperative)
{
  CUkernelNodeAttrValue value;

  memset (&value, 0xee, sizeof value);
  IS (cuda.cuGraphKernelNodeGetAttribute (node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value), OK);
  IS (value.priority, priority);
  IS (cuda.cuGraphKernelNodeGetAttribute (node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value), OK);
  IS (value.cooperative, cooperative);
  IS (cuda.cuGraphKernelNodeGetAttribute (node, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &value), OK);
  IS (value.priority, 0);
}

static void
test_node_attributes (CUgraphNode node, CUgraphNode other, CUgraphNode empty)
{
  CUkernelNodeAttrValue priority = { .priority = -3 }, cooperative = { .cooperative = 2 }, none = { { 0 } };

  check_node_attributes (node, 0, 0);
  IS (cuda.cuGraphKernelNodeSetAttribute (node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &priority), OK);
  check_node_attributes (node, -3, 0);
  IS (cuda.cuGraphKernelNodeSetAttribute (node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &cooperative), OK);
  check_node_attributes (node, -3, 1);
  IS (cuda.cuGraphKernelNodeCopyAttributes (other, node), OK);
  check_node_attributes (other, -3, 1);
  IS (cuda.cuGraphKernelNodeSetAttribute (node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &none), OK);
  check_node_attributes (node, -3, 0);
  IS (cuda.cuGraphKernelNodeSetAttribute (node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &none),
      CUDA_ERROR_NOT_SUPPORTED);
  IS (cuda.cuGraphKernelNodeSetAttribute (node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &none),
      CUDA_ERROR_NOT_SUPPORTED);
  IS (cuda.cuGraphKernelNodeSetAttribute (node, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &none), OK);
  IS (cuda.cuGraphKernelNodeSetAttribute (node, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL), BAD);
  IS (cuda.cuGraphKernelNodeSetAttribute (empty, CU_LAUNCH_ATTRIBUTE_PRIORITY, &none), BAD);
  IS (cuda.cuGraphKernelNodeGetAttribute (node, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL), BAD);
  IS (cuda.cuGraphKernelNodeGetAttribute (empty, CU_LAUNCH_ATTRIBUTE_PRIORITY, &none), BAD);
  IS (cuda.cuGraphKernelNodeCopyAttributes (empty, node), BAD);
  IS (cuda.cuGraphKernelNodeCopyAttributes (node, empty), BAD);
}

static void
test_nodes (void)
{
  guint32 out[3] = { 0 };
  void *pointers[] = { &out[0], &out[1], &out[2] },
       *params[][1] = { { &pointers[0] }, { &pointers[1] }, { &pointers[2] } };
  CUDA_KERNEL_NODE_PARAMS first = { get_function ("indices"), 1, 1, 1, 1, 1, 1, 100, params[0] };
  CUDA_KERNEL_NODE_PARAMS second = { get_function ("count_global"), 2, 3, 4, 1, 1, 1, 0, params[1] };
  CUgraphNodeParams any = { .type = CU_GRAPH_NODE_TYPE_KERNEL };
  CUgraphNode node, other, empty;
  CUgraphExec exec;
  CUgraph graph;

  IS (cuda.cuGraphCreate (&graph, 0), OK);
  IS (cuda.cuGraphAddEmptyNode (&empty, graph, NULL, 0), OK);
  IS (cuda.cuGraphAddKernelNode (&node, graph, NULL, 0, &first), OK);
  IS (cuda.cuGraphAddKernelNode (&other, graph, NULL, 0, &first), OK);
  check_node (node, &first);
  IS (cuda.cuGraphKernelNodeSetParams (node, &second), OK);
  check_node (node, &second);
  any.kernel = first;
  IS (cuda.cuGraphNodeSetParams (node, &any), OK);
  check_node (node, &first);
  IS (cuda.cuGraphKernelNodeSetParams (empty, &first), BAD);
  IS (cuda.cuGraphKernelNodeSetParams (node, NULL), BAD);
  IS (cuda.cuGraphKernelNodeGetParams (node, NULL), BAD);
  IS (cuda.cuGraphKernelNodeGetParams (empty, &second), BAD);
  test_node_attributes (node, other, empty);
  IS (cuda.cuGraphDestroyNode (other), OK);
  IS (cuda.cuGraphInstantiateWithFlags (&exec, graph, 0), OK);
  any.kernel = (CUDA_KERNEL_NODE_PARAMS){ first.func, 1, 1, 1, 1, 1, 1, 0, params[2] };
  IS (cuda.cuGraphExecNodeSetParams (exec, node, &any), OK);
  IS (cuda.cuGraphExecKernelNodeSetParams (exec, empty, &any.kernel), BAD);
  IS (cuda.cuGraphExecKernelNodeSetParams (exec, other, &any.kernel), BAD);
  IS (cuda.cuGraphLaunch (exec, NULL), OK);
  IS (cuda.cuCtxSynchronize (), OK);
  g_assert_cmpuint (out[0], ==, 0);
  g_assert_cmpuint (out[2], ==, 1);
  any.kernel.func = NULL;
  IS (cuda.cuGraphExecNodeSetParams (exec, node, &any), BAD);
  any.kernel.kern = (CUkernel) &any;
  IS (cuda.cuGraphExecNodeSetParams (exec, node, &any), CUDA_ERROR_NOT_SUPPORTED);
  IS (cuda.cuGraphExecDestroy (exec), OK);
  IS (cuda.cuGraphDestroy (graph), OK);
}

int
main (int argc, char **argv)
{
  g_autoptr (GBytes) image = NULL;

  g_test_init (&argc, &argv, NULL);
  g_setenv ("LEAT_CPU_PROFILE", "multiprocessors=8,blocks-per-multiprocessor=8", TRUE);
  image = engine_fixture_read_image (g_getenv ("ENGINE_IMAGE"));
  if (cuda_table_open (g_getenv ("LEAT_CPU_DRIVER")) != 0
      || cuda.cuModuleLoadData (&module, g_bytes_get_data (image, NULL)) != OK)
    return 1;
  g_test_add_func ("/leat/cpu/functions/module", test_module);
  g_test_add_func ("/leat/cpu/functions/module-log", test_module_log);
  g_test_add_func ("/leat/cpu/functions/global", test_global);
  g_test_add_func ("/leat/cpu/functions/params", test_params);
  g_test_add_func ("/leat/cpu/functions/attributes", test_attributes);
  g_test_add_func ("/leat/cpu/functions/occupancy", test_occupancy);
  g_test_add_func ("/leat/cpu/functions/block-size", test_block_size);
  g_test_add_func ("/leat/cpu/functions/available-shared", test_available_shared);
  g_test_add_func ("/leat/cpu/functions/launch-attributes", test_launch_attributes);
  g_test_add_func ("/leat/cpu/functions/nodes", test_nodes);
  return g_test_run ();
}
