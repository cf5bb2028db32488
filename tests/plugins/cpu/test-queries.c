/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib.h>
#include <string.h>

#include "cuda-table.h"

/* What the driver tells of devices, contexts, streams and memory, and what it refuses to tell. */

#define OK       CUDA_SUCCESS
#define BAD      CUDA_ERROR_INVALID_VALUE
#define STRAY    CUDA_ERROR_INVALID_DEVICE
#define UNMADE   ((CUcontext) (guintptr) 64)
#define IS(a, b) g_assert_cmpint (a, ==, b)

static void
test_device (void)
{
  static const char uuid[16] = "Leat CPU driver";
  size_t all = 0, total = 1, unused;
  int n = 0, version = 0;
  CUdevice device = 7;
  CUuuid found;

  IS (cuda.cuDriverGetVersion (&version), OK);
  IS (version, 13000);
  IS (cuda.cuDriverGetVersion (NULL), BAD);
  IS (cuda.cuDeviceGetCount (&n), OK);
  IS (n, 1);
  IS (cuda.cuDeviceGetCount (NULL), BAD);
  IS (cuda.cuDeviceGet (&device, 0), OK);
  IS (device, 0);
  IS (cuda.cuDeviceGet (&device, 1), STRAY);
  IS (cuda.cuDeviceGet (NULL, 0), BAD);
  IS (cuda.cuDeviceTotalMem (&all, 0), OK);
  IS (cuda.cuMemGetInfo (&unused, &total), OK);
  g_assert_cmpuint (all, ==, total);
  g_assert_cmpuint (unused, <=, total);
  IS (cuda.cuMemGetInfo (NULL, NULL), OK);
  IS (cuda.cuDeviceTotalMem (&all, 1), STRAY);
  IS (cuda.cuDeviceTotalMem (NULL, 0), BAD);
  IS (cuda.cuDeviceGetUuid (&found, 0), OK);
  g_assert_cmpmem (found.bytes, 16, uuid, 16);
  IS (cuda.cuDeviceGetUuid (&found, 1), STRAY);
  IS (cuda.cuDeviceGetUuid (NULL, 0), BAD);
}

static void
test_device_names (void)
{
  char text[64];
  CUdevice device = 7;

  IS (cuda.cuDeviceGetName (text, sizeof text, 0), OK);
  g_assert_cmpstr (text, ==, "Leat CPU");
  IS (cuda.cuDeviceGetName (text, 5, 0), OK);
  g_assert_cmpstr (text, ==, "Leat");
  IS (cuda.cuDeviceGetName (text, 1, 0), OK);
  g_assert_cmpstr (text, ==, "");
  IS (cuda.cuDeviceGetName (text, 0, 0), BAD);
  IS (cuda.cuDeviceGetName (NULL, 5, 0), BAD);
  IS (cuda.cuDeviceGetName (text, 5, 1), STRAY);
  memset (text, 'x', sizeof text);
  IS (cuda.cuDeviceGetPCIBusId (text, 13, 0), OK);
  g_assert_cmpstr (text, ==, "0000:00:00.0");
  IS (cuda.cuDeviceGetPCIBusId (text, 12, 0), BAD);
  IS (cuda.cuDeviceGetPCIBusId (NULL, 13, 0), BAD);
  IS (cuda.cuDeviceGetPCIBusId (text, 13, 1), STRAY);
  IS (cuda.cuDeviceGetByPCIBusId (&device, text), OK);
  IS (device, 0);
  IS (cuda.cuDeviceGetByPCIBusId (&device, "0000:00:00.1"), STRAY);
  IS (cuda.cuDeviceGetByPCIBusId (NULL, text), BAD);
  IS (cuda.cuDeviceGetByPCIBusId (&device, NULL), BAD);
}

/* By the numbers of CUDA's documents; 0 is for what this driver lacks. */
static void
test_device_attributes (void)
{
  static const int facts[][2] = {
    { 1, 1024 },        { 2, 1024 },        { 3, 1024 },     { 4, 64 },   { 5, 2147483647 },  { 6, 65535 },
    { 7, 65535 },       { 8, 49152 },       { 9, 65536 },    { 10, 32 },  { 11, 2147483647 }, { 12, 65536 },
    { 13, 2000000 },    { 15, 1 },          { 17, 0 },       { 18, 1 },   { 19, 1 },          { 20, 0 },
    { 31, 1 },          { 32, 0 },          { 36, 1600000 }, { 37, 128 }, { 39, 1024 },       { 40, 2 },
    { 41, 1 },          { 75, 8 },          { 76, 0 },       { 78, 1 },   { 79, 1 },          { 80, 1 },
    { 81, 164 * 1024 }, { 82, 65536 },      { 83, 0 },       { 86, 1 },   { 87, 2 },          { 91, 1 },
    { 95, 1 },          { 97, 163 * 1024 }, { 99, 1 },       { 106, 1 },  { 113, 1 },         { 115, 1 },
    { 122, 1 },         { 123, 1 },         { 126, 1 },      { 200, 0 },
  };
  int value;

  for (guint i = 0; i < G_N_ELEMENTS (facts); i++)
    {
      value = -1;
      g_test_message ("attribute %d", facts[i][0]);
      IS (cuda.cuDeviceGetAttribute (&value, (CUdevice_attribute) facts[i][0], 0), OK);
      IS (value, facts[i][1]);
    }
  IS (cuda.cuDeviceGetAttribute (&value, (CUdevice_attribute) 0, 0), BAD);
  IS (cuda.cuDeviceGetAttribute (&value, (CUdevice_attribute) -1, 0), BAD);
  IS (cuda.cuDeviceGetAttribute (&value, (CUdevice_attribute) 201, 0), BAD);
  IS (cuda.cuDeviceGetAttribute (NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0), BAD);
  IS (cuda.cuDeviceGetAttribute (&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1), STRAY);
}

static void
test_graph_memory (void)
{
  for (guint i = 0; i <= 4; i++)
    {
      guint64 value = 5, zero = 0, one = 1;
      gboolean high = i == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH || i == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;

      IS (cuda.cuDeviceGetGraphMemAttribute (0, (CUgraphMem_attribute) i, &value), i < 4 ? OK : BAD);
      g_assert_cmpuint (value, ==, i < 4 ? 0 : 5);
      IS (cuda.cuDeviceSetGraphMemAttribute (0, (CUgraphMem_attribute) i, &zero), high ? OK : BAD);
      IS (cuda.cuDeviceSetGraphMemAttribute (0, (CUgraphMem_attribute) i, &one), BAD);
      IS (cuda.cuDeviceGetGraphMemAttribute (0, (CUgraphMem_attribute) i, NULL), BAD);
      IS (cuda.cuDeviceSetGraphMemAttribute (0, (CUgraphMem_attribute) i, NULL), BAD);
      IS (cuda.cuDeviceGetGraphMemAttribute (1, (CUgraphMem_attribute) i, &value), STRAY);
      IS (cuda.cuDeviceSetGraphMemAttribute (1, (CUgraphMem_attribute) i, &zero), STRAY);
    }
  IS (cuda.cuDeviceGraphMemTrim (0), OK);
  IS (cuda.cuDeviceGraphMemTrim (1), STRAY);
}

static void
test_context (void)
{
  CUcontext context = NULL;
  unsigned int version = 0, flags = 77;
  unsigned long long id = 0, again = 0;
  CUdevice device = 7;

  IS (cuda.cuCtxGetCurrent (&context), OK);
  g_assert_nonnull (context);
  IS (cuda.cuCtxGetCurrent (NULL), BAD);
  IS (cuda.cuCtxGetDevice (&device), OK);
  IS (device, 0);
  IS (cuda.cuCtxGetDevice (NULL), BAD);
  IS (cuda.cuCtxGetApiVersion (context, &version), OK);
  IS (version, 3020);
  IS (cuda.cuCtxGetApiVersion (NULL, &version), OK);
  IS (cuda.cuCtxGetApiVersion (UNMADE, &version), CUDA_ERROR_INVALID_CONTEXT);
  IS (cuda.cuCtxGetApiVersion (context, NULL), BAD);
  IS (cuda.cuCtxGetFlags (&flags), OK);
  IS (flags, 0);
  IS (cuda.cuCtxGetFlags (NULL), BAD);
  IS (cuda.cuDevicePrimaryCtxSetFlags (0, CU_CTX_SCHED_BLOCKING_SYNC), OK);
  IS (cuda.cuCtxGetFlags (&flags), OK);
  IS (flags, CU_CTX_SCHED_BLOCKING_SYNC);
  IS (cuda.cuDevicePrimaryCtxSetFlags (0, 0), OK);
  IS (cuda.cuCtxGetId (context, &id), OK);
  IS (cuda.cuCtxGetId (NULL, &again), OK);
  g_assert_cmpuint (id, >, 0);
  g_assert_cmpuint (id, ==, again);
  IS (cuda.cuCtxGetId (UNMADE, &id), CUDA_ERROR_INVALID_CONTEXT);
  IS (cuda.cuCtxGetId (context, NULL), BAD);
}

/* It lives as long as it is retained, and is another one after that. */
static void
test_context_lives (void)
{
  CUcontext context, same;
  unsigned long long id = 0, again = 0;
  unsigned int flags;
  int active;

  IS (cuda.cuCtxGetId (NULL, &id), OK);
  IS (cuda.cuDevicePrimaryCtxRetain (&context, 0), OK);
  IS (cuda.cuDevicePrimaryCtxRelease (0), OK);
  IS (cuda.cuDevicePrimaryCtxGetState (0, &flags, &active), OK);
  IS (active, 1);
  IS (cuda.cuCtxGetId (NULL, &again), OK);
  g_assert_cmpuint (id, ==, again);
  IS (cuda.cuDevicePrimaryCtxRelease (0), OK);
  IS (cuda.cuDevicePrimaryCtxGetState (0, &flags, &active), OK);
  IS (active, 0);
  IS (cuda.cuDevicePrimaryCtxRelease (0), CUDA_ERROR_INVALID_CONTEXT);
  IS (cuda.cuDevicePrimaryCtxRetain (&same, 0), OK);
  g_assert_true (same == context);
  IS (cuda.cuCtxGetId (NULL, &again), OK);
  g_assert_cmpuint (again, ==, id + 1);
  IS (cuda.cuDevicePrimaryCtxRetain (NULL, 0), BAD);
  IS (cuda.cuDevicePrimaryCtxRetain (&same, 1), STRAY);
  IS (cuda.cuDevicePrimaryCtxRelease (1), STRAY);
  IS (cuda.cuDevicePrimaryCtxReset (1), STRAY);
  IS (cuda.cuDevicePrimaryCtxSetFlags (1, 0), STRAY);
  IS (cuda.cuDevicePrimaryCtxGetState (1, &flags, &active), STRAY);
  IS (cuda.cuDevicePrimaryCtxGetState (0, NULL, &active), BAD);
  IS (cuda.cuDevicePrimaryCtxGetState (0, &flags, NULL), BAD);
}

static void
test_context_stack (void)
{
  CUcontext context = NULL, found = UNMADE;
  guint most = 1;

  IS (cuda.cuCtxGetCurrent (&context), OK);
  IS (cuda.cuCtxPushCurrent (UNMADE), CUDA_ERROR_INVALID_CONTEXT);
  IS (cuda.cuCtxPushCurrent (NULL), CUDA_ERROR_INVALID_CONTEXT);
  IS (cuda.cuCtxSetCurrent (UNMADE), CUDA_ERROR_INVALID_CONTEXT);
  while (cuda.cuCtxPushCurrent (context) == OK)
    most++;
  IS (most, 32);
  IS (cuda.cuCtxPushCurrent (context), CUDA_ERROR_OUT_OF_MEMORY);
  IS (cuda.cuCtxSetCurrent (context), OK);
  IS (cuda.cuCtxSetCurrent (NULL), OK);
  for (guint i = 0; i < most - 1; i++)
    {
      found = NULL;
      IS (cuda.cuCtxGetCurrent (&found), OK);
      g_assert_true (found == context);
      found = NULL;
      IS (cuda.cuCtxPopCurrent (i % 2 == 0 ? &found : NULL), OK);
      g_assert_true (found == (i % 2 == 0 ? context : NULL));
    }
  IS (cuda.cuCtxPopCurrent (&found), CUDA_ERROR_INVALID_CONTEXT);
  IS (cuda.cuCtxSetCurrent (NULL), OK);
  IS (cuda.cuCtxSynchronize (), CUDA_ERROR_INVALID_CONTEXT);
  IS (cuda.cuCtxGetCurrent (&found), OK);
  g_assert_null (found);
  IS (cuda.cuCtxSetCurrent (context), OK);
  IS (cuda.cuCtxSetCurrent (context), OK);
  IS (cuda.cuCtxPopCurrent (NULL), OK);
  IS (cuda.cuCtxPopCurrent (NULL), CUDA_ERROR_INVALID_CONTEXT);
  IS (cuda.cuCtxSetCurrent (context), OK);
}

static void
test_limits (void)
{
  static const size_t values[] = { 0, 1 << 20, 8 << 20, 2, 2048, 64, 0, 0 };
  size_t value, before;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_test_message ("limit %u", i);
      IS (cuda.cuCtxGetLimit (&before, (CUlimit) i), OK);
      if (i == CU_LIMIT_STACK_SIZE)
        g_assert_cmpuint (before, >=, 4096);
      else
        g_assert_cmpuint (before, ==, values[i]);
      IS (cuda.cuCtxSetLimit ((CUlimit) i, (1 << 20) + 65536 * i), OK);
    }
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      IS (cuda.cuCtxGetLimit (&value, (CUlimit) i), OK);
      g_assert_cmpuint (value, ==, (1 << 20) + 65536 * i);
    }
  IS (cuda.cuCtxGetLimit (NULL, CU_LIMIT_STACK_SIZE), BAD);
  IS (cuda.cuCtxGetLimit (&value, (CUlimit) 8), CUDA_ERROR_UNSUPPORTED_LIMIT);
  IS (cuda.cuCtxSetLimit ((CUlimit) 8, 1), CUDA_ERROR_UNSUPPORTED_LIMIT);
}

static void
test_streams (void)
{
  static const int asked[][2] = { { 0, 0 }, { -5, -5 }, { -6, -5 }, { 1, 0 }, { -2, -2 } };
  CUstream none = (CUstream) (guintptr) 64, defaults[] = { NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD };
  int least = 9, greatest = 9, priority;
  CUstream streams[G_N_ELEMENTS (asked)];
  unsigned long long id, last = 0;
  CUcontext current, context;
  unsigned int flags;

  IS (cuda.cuCtxGetStreamPriorityRange (&least, &greatest), OK);
  IS (least, 0);
  IS (greatest, -5);
  IS (cuda.cuCtxGetStreamPriorityRange (NULL, NULL), OK);
  IS (cuda.cuCtxGetCurrent (&current), OK);
  for (guint i = 0; i < G_N_ELEMENTS (asked); i++)
    {
      IS (cuda.cuStreamCreateWithPriority (&streams[i], i % 2, asked[i][0]), OK);
      IS (cuda.cuStreamGetPriority (streams[i], &priority), OK);
      IS (priority, asked[i][1]);
      IS (cuda.cuStreamGetFlags (streams[i], &flags), OK);
      IS (flags, i % 2);
      IS (cuda.cuStreamGetId (streams[i], &id), OK);
      g_assert_cmpuint (id, >, last);
      last = id;
      context = NULL;
      IS (cuda.cuStreamGetCtx (streams[i], &context), OK);
      g_assert_true (context == current);
    }
  for (guint i = 0; i < G_N_ELEMENTS (defaults); i++)
    {
      context = NULL;
      IS (cuda.cuStreamGetCtx (defaults[i], &context), OK);
      g_assert_true (context == current);
      IS (cuda.cuStreamDestroy (defaults[i]), CUDA_ERROR_INVALID_HANDLE);
    }
  IS (cuda.cuStreamGetCtx (streams[0], NULL), BAD);
  IS (cuda.cuStreamGetId (streams[0], NULL), BAD);
  IS (cuda.cuStreamGetFlags (streams[0], NULL), BAD);
  IS (cuda.cuStreamGetPriority (streams[0], NULL), BAD);
  IS (cuda.cuStreamCreate (NULL, 0), BAD);
  IS (cuda.cuStreamCreate (&none, 2), BAD);
  for (guint i = 0; i < G_N_ELEMENTS (asked); i++)
    IS (cuda.cuStreamDestroy (streams[i]), OK);
  none = (CUstream) g_malloc0 (4096);
  IS (cuda.cuStreamGetCtx (none, &context), CUDA_ERROR_INVALID_HANDLE);
  IS (cuda.cuStreamGetId (none, &id), CUDA_ERROR_INVALID_HANDLE);
  IS (cuda.cuStreamGetFlags (none, &flags), CUDA_ERROR_INVALID_HANDLE);
  IS (cuda.cuStreamGetPriority (none, &priority), CUDA_ERROR_INVALID_HANDLE);
  IS (cuda.cuStreamQuery (none), CUDA_ERROR_INVALID_HANDLE);
  IS (cuda.cuStreamSynchronize (none), CUDA_ERROR_INVALID_HANDLE);
  IS (cuda.cuStreamDestroy (none), CUDA_ERROR_INVALID_HANDLE);
  g_free (none);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("LEAT_CPU_WORKERS", "2", TRUE);
  if (cuda_table_open (g_getenv ("LEAT_CPU_DRIVER")) != 0)
    return 1;
  g_test_add_func ("/leat/cpu/queries/device", test_device);
  g_test_add_func ("/leat/cpu/queries/device-names", test_device_names);
  g_test_add_func ("/leat/cpu/queries/device-attributes", test_device_attributes);
  g_test_add_func ("/leat/cpu/queries/graph-memory", test_graph_memory);
  g_test_add_func ("/leat/cpu/queries/streams", test_streams);
  g_test_add_func ("/leat/cpu/queries/context", test_context);
  g_test_add_func ("/leat/cpu/queries/context-lives", test_context_lives);
  g_test_add_func ("/leat/cpu/queries/context-stack", test_context_stack);
  g_test_add_func ("/leat/cpu/queries/limits", test_limits);
  return g_test_run ();
}
