/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib.h>
#include <stddef.h>
#include <string.h>

#include "cpu/leat-cpu-counters.h"
#include "cuda-table.h"

/* What the driver knows of memory: of each kind, at each end. */

#define OK       CUDA_SUCCESS
#define BAD      CUDA_ERROR_INVALID_VALUE
#define BYTES    1000
#define IS(a, b) g_assert_cmpint (a, ==, b)

typedef enum
{
  DEVICE,
  POOL,
  PINNED,
  REGISTERED,
  N_KINDS
} Kind;

static _Alignas(4096) char registered[4096];

static CUdeviceptr
memory_new (Kind kind)
{
  CUdeviceptr address = 0;
  void *host = registered;

  switch (kind)
    {
    case DEVICE:
      IS (cuda.cuMemAlloc (&address, BYTES), OK);
      return address;
    case POOL:
      IS (cuda.cuMemAllocAsync (&address, BYTES, NULL), OK);
      return address;
    case PINNED:
      IS (cuda.cuMemHostAlloc (&host, BYTES, CU_MEMHOSTALLOC_PORTABLE), OK);
      break;
    default:
      IS (cuda.cuMemHostRegister (host, BYTES, 0), OK);
      break;
    }
  return (CUdeviceptr) (guintptr) host;
}

static void
memory_free (Kind kind, CUdeviceptr address)
{
  switch (kind)
    {
    case DEVICE:
      IS (cuda.cuMemFree (address), OK);
      break;
    case POOL:
      IS (cuda.cuMemFreeAsync (address, NULL), OK);
      break;
    case PINNED:
      IS (cuda.cuMemFreeHost ((void *) (guintptr) address), OK);
      break;
    default:
      IS (cuda.cuMemHostUnregister ((void *) (guintptr) address), OK);
      break;
    }
  IS (cuda.cuCtxSynchronize (), OK);
}

/* What an attribute of @inside, in memory that begins at @base, has to be; FALSE: there is none. */
static gboolean
get_expected (CUpointer_attribute attribute, Kind kind, CUdeviceptr base, CUdeviceptr inside, guint64 *value,
              gsize *bytes)
{
  gboolean device = kind == DEVICE || kind == POOL;
  CUcontext context;

  *bytes = 8;
  *value = 0;
  switch (attribute)
    {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      IS (cuda.cuCtxGetCurrent (&context), OK);
      *value = (guintptr) context;
      return TRUE;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *value = inside;
      return TRUE;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      *value = device ? 0 : inside;
      return !device;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      *value = base;
      return TRUE;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      *value = BYTES;
      return TRUE;
    default:
      break;
    }
  *bytes = 4;
  switch (attribute)
    {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *value = device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      return TRUE;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      *value = 1;
      return TRUE;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      *value = 3;
      return TRUE;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return TRUE;
    default:
      return FALSE;
    }
}

static void
check_attribute (CUpointer_attribute attribute, Kind kind, CUdeviceptr base, CUdeviceptr inside)
{
  guint64 value, alone = 0, together = 0;
  void *to[] = { &together };
  gsize bytes;
  gboolean has = get_expected (attribute, kind, base, inside, &value, &bytes);

  memset (&alone, 0xee, bytes);
  memset (&together, 0xee, bytes);
  g_test_message ("attribute %d of kind %d", (int) attribute, (int) kind);
  g_assert_cmpint (cuda.cuPointerGetAttribute (&alone, attribute, inside) == OK, ==, has);
  IS (cuda.cuPointerGetAttributes (1, &attribute, to, inside), OK);
  if (has)
    g_assert_cmpuint (alone, ==, value);
  g_assert_cmpuint (together, ==, value);
}

static void
test_attributes (void)
{
  CUpointer_attribute id = CU_POINTER_ATTRIBUTE_BUFFER_ID;
  guint64 last = 0;

  for (Kind kind = DEVICE; kind < N_KINDS; kind++)
    {
      CUdeviceptr base = memory_new (kind);
      guint64 ids[2] = { 0 }, block = 0;
      void *to = &block;

      for (int i = CU_POINTER_ATTRIBUTE_CONTEXT; i <= CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID + 1; i++)
        if (i != (int) id && i != CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID)
          for (guint at = 0; at < BYTES; at += BYTES - 1)
            check_attribute ((CUpointer_attribute) i, kind, base, base + at);
      IS (cuda.cuPointerGetAttribute (&ids[0], id, base), OK);
      IS (cuda.cuPointerGetAttribute (&ids[1], CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, base + 1), OK);
      IS (cuda.cuPointerGetAttributes (1, &id, &to, base), OK);
      g_assert_cmpuint (ids[0], ==, ids[1]);
      g_assert_cmpuint (ids[0], ==, block);
      g_assert_cmpuint (ids[0], >, last);
      last = ids[0];
      IS (cuda.cuPointerGetAttribute (&ids[0], id, base + BYTES), BAD);
      IS (cuda.cuPointerGetAttribute (NULL, id, base), BAD);
      IS (cuda.cuPointerGetAttributes (0, &id, &to, base), BAD);
      IS (cuda.cuPointerGetAttributes (1, NULL, &to, base), BAD);
      IS (cuda.cuPointerGetAttributes (1, &id, NULL, base), BAD);
      to = NULL;
      IS (cuda.cuPointerGetAttributes (1, &id, &to, base), BAD);
      memory_free (kind, base);
      IS (cuda.cuPointerGetAttribute (&ids[0], id, base), BAD);
    }
}

/* All at once, and each no further than its type is wide; of a device that is none. */
static void
test_attributes_of_unknown (void)
{
  static const struct
  {
    CUpointer_attribute attribute;
    guint64 value;
  } cases[] = {
    { CU_POINTER_ATTRIBUTE_CONTEXT, 0 },
    { CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0xeeeeeeee00000000 },
    { CU_POINTER_ATTRIBUTE_DEVICE_POINTER, 0 },
    { CU_POINTER_ATTRIBUTE_HOST_POINTER, 0 },
    { CU_POINTER_ATTRIBUTE_BUFFER_ID, 0 },
    { CU_POINTER_ATTRIBUTE_IS_MANAGED, 0xeeeeeeee00000000 },
    { CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 0xeeeeeeeefffffffe },
    { CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, 0 },
    { CU_POINTER_ATTRIBUTE_RANGE_SIZE, 0 },
    { CU_POINTER_ATTRIBUTE_MAPPED, 0xeeeeeeee00000000 },
  };
  CUpointer_attribute attributes[G_N_ELEMENTS (cases)];
  guint64 values[G_N_ELEMENTS (cases)];
  void *to[G_N_ELEMENTS (cases)];

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      attributes[i] = cases[i].attribute;
      to[i] = &values[i];
    }
  memset (values, 0xee, sizeof values);
  IS (cuda.cuPointerGetAttributes (G_N_ELEMENTS (cases), attributes, to, (CUdeviceptr) (guintptr) values), OK);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("attribute %d", (int) attributes[i]);
      g_assert_cmphex (values[i], ==, cases[i].value);
    }
}

static void
test_ranges (void)
{
  for (Kind kind = DEVICE; kind < N_KINDS; kind++)
    {
      CUdeviceptr base = memory_new (kind), found = 0;
      void *host = (void *) (guintptr) base;
      size_t bytes = 0;
      unsigned int flags = 99;

      for (guint at = 0; at < BYTES; at += BYTES - 1)
        {
          IS (cuda.cuMemGetAddressRange (&found, &bytes, base + at), OK);
          g_assert_cmpuint (found, ==, base);
          g_assert_cmpuint (bytes, ==, BYTES);
        }
      IS (cuda.cuMemGetAddressRange (NULL, NULL, base), OK);
      IS (cuda.cuMemGetAddressRange (&found, &bytes, base + BYTES), CUDA_ERROR_NOT_FOUND);
      IS (cuda.cuMemHostGetDevicePointer (&found, (char *) host + 8, 0),
          kind == PINNED || kind == REGISTERED ? OK : BAD);
      g_assert_cmpuint (found, ==, kind == PINNED || kind == REGISTERED ? base + 8 : base);
      IS (cuda.cuMemHostGetDevicePointer (&found, host, 1), BAD);
      IS (cuda.cuMemHostGetDevicePointer (NULL, host, 0), BAD);
      IS (cuda.cuMemHostGetFlags (&flags, host), kind == PINNED ? OK : BAD);
      IS (flags, kind == PINNED ? CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP : 99);
      IS (cuda.cuMemHostGetFlags (NULL, host), BAD);
      if (kind != DEVICE && kind != POOL)
        IS (cuda.cuMemFree (base), BAD);
      if (kind != PINNED)
        IS (cuda.cuMemFreeHost (host), BAD);
      if (kind != POOL)
        IS (cuda.cuMemFreeAsync (base, NULL), BAD);
      if (kind != REGISTERED)
        IS (cuda.cuMemHostUnregister (host), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
      if (kind == POOL)
        IS (cuda.cuMemFreeAsync (base + 1, NULL), BAD);
      if (kind == DEVICE)
        IS (cuda.cuMemFree (base + 1), BAD);
      memory_free (kind, base);
    }
}

static void
test_arguments (void)
{
  void *host = registered;
  CUdeviceptr address = 5;
  size_t pitch = 0;

  IS (cuda.cuMemAlloc (&address, 0), BAD);
  IS (cuda.cuMemAlloc (NULL, 8), BAD);
  IS (cuda.cuMemAllocAsync (&address, 0, NULL), BAD);
  IS (cuda.cuMemAllocAsync (NULL, 8, NULL), BAD);
  IS (cuda.cuMemHostAlloc (NULL, 8, 0), BAD);
  IS (cuda.cuMemHostAlloc (&host, 8, 8), BAD);
  IS (cuda.cuMemHostRegister (NULL, 8, 0), BAD);
  IS (cuda.cuMemHostRegister (host, 0, 0), BAD);
  IS (cuda.cuMemHostRegister (host, 8, 16), BAD);
  IS (cuda.cuMemHostRegister (host, 8, 15), OK);
  IS (cuda.cuMemHostUnregister (host), OK);
  IS (cuda.cuMemHostUnregister (NULL), BAD);
  IS (cuda.cuMemFreeHost (NULL), OK);
  IS (cuda.cuMemHostAlloc (&host, 0, 0), OK);
  g_assert_null (host);
  IS (cuda.cuMemHostAlloc (&host, 8, 7), OK);
  IS (cuda.cuMemFreeHost (host), OK);
  IS (cuda.cuMemAllocHost (&host, 8), OK);
  IS (cuda.cuMemFreeHost (host), OK);
  for (guint element = 0; element <= 17; element++)
    {
      gboolean good = element == 4 || element == 8 || element == 16;

      IS (cuda.cuMemAllocPitch (&address, &pitch, 8, 2, element), good ? OK : BAD);
      if (good)
        IS (cuda.cuMemFree (address), OK);
    }
  IS (cuda.cuMemAllocPitch (&address, NULL, 8, 2, 4), BAD);
  IS (cuda.cuMemAllocPitch (&address, &pitch, G_MAXSIZE - 510, 1, 4), BAD);
  IS (cuda.cuMemAllocPitch (&address, &pitch, G_MAXSIZE / 2 + 1, 2, 4), BAD);
}

static void
test_pitch (void)
{
  static const size_t widths[][2] = { { 1, 512 }, { 511, 512 }, { 512, 512 }, { 513, 1024 }, { 1024, 1024 } };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      size_t pitch = 0, bytes = 0;
      CUdeviceptr address;

      IS (cuda.cuMemAllocPitch (&address, &pitch, widths[i][0], 3, 4), OK);
      g_assert_cmpuint (pitch, ==, widths[i][1]);
      IS (cuda.cuMemGetAddressRange (NULL, &bytes, address), OK);
      g_assert_cmpuint (bytes, ==, 3 * pitch);
      IS (cuda.cuMemFree (address), OK);
    }
}

static void
check_pool (CUmemoryPool pool, CUmemPool_attribute attribute, guint64 expected)
{
  guint64 value = 0;

  IS (cuda.cuMemPoolGetAttribute (pool, attribute, &value), OK);
  g_test_message ("attribute %d", (int) attribute);
  g_assert_cmpuint (value, ==, expected);
}

static void
test_pool (void)
{
  CUmemoryPool pool = NULL, same = NULL;
  guint64 zero = 0, one = 1, huge = G_GUINT64_CONSTANT (5) << 32;
  CUdeviceptr a, b;

  IS (cuda.cuDeviceGetDefaultMemPool (&pool, 0), OK);
  IS (cuda.cuDeviceGetMemPool (&same, 0), OK);
  g_assert_nonnull (pool);
  g_assert_true (pool == same);
  IS (cuda.cuDeviceGetDefaultMemPool (&same, 1), CUDA_ERROR_INVALID_DEVICE);
  IS (cuda.cuDeviceGetDefaultMemPool (NULL, 0), BAD);
  for (int i = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES; i < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD; i++)
    {
      check_pool (pool, (CUmemPool_attribute) i, 1);
      IS (cuda.cuMemPoolSetAttribute (pool, (CUmemPool_attribute) i, &zero), OK);
      check_pool (pool, (CUmemPool_attribute) i, 0);
      IS (cuda.cuMemPoolSetAttribute (pool, (CUmemPool_attribute) i, &(int){ 4 }), OK);
      check_pool (pool, (CUmemPool_attribute) i, 1);
    }
  check_pool (pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 0);
  IS (cuda.cuMemPoolSetAttribute (pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &huge), OK);
  check_pool (pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, huge);
  for (int i = CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT; i <= CU_MEMPOOL_ATTR_USED_MEM_CURRENT; i += 2)
    {
      CUmemPool_attribute current = (CUmemPool_attribute) i, high = (CUmemPool_attribute) (i + 1);

      IS (cuda.cuMemPoolSetAttribute (pool, high, &zero), OK);
      IS (cuda.cuMemAllocAsync (&a, 100, NULL), OK);
      IS (cuda.cuMemAllocAsync (&b, 1000, NULL), OK);
      check_pool (pool, current, 1100);
      IS (cuda.cuMemFreeAsync (b, NULL), OK);
      IS (cuda.cuCtxSynchronize (), OK);
      check_pool (pool, current, 100);
      check_pool (pool, high, 1100);
      IS (cuda.cuMemPoolSetAttribute (pool, high, &one), BAD);
      IS (cuda.cuMemPoolSetAttribute (pool, current, &zero), BAD);
      IS (cuda.cuMemPoolSetAttribute (pool, high, &zero), OK);
      check_pool (pool, high, 100);
      IS (cuda.cuMemFree (a), OK);
      check_pool (pool, current, 0);
    }
  IS (cuda.cuMemPoolGetAttribute (pool, (CUmemPool_attribute) 0, &zero), BAD);
  IS (cuda.cuMemPoolGetAttribute (pool, (CUmemPool_attribute) 99, &zero), BAD);
  IS (cuda.cuMemPoolSetAttribute (pool, (CUmemPool_attribute) 99, &zero), BAD);
  IS (cuda.cuMemPoolGetAttribute (pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, NULL), BAD);
  IS (cuda.cuMemPoolSetAttribute (pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, NULL), BAD);
  IS (cuda.cuMemPoolGetAttribute (NULL, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero), BAD);
  IS (cuda.cuMemPoolSetAttribute (NULL, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero), BAD);
  IS (cuda.cuMemPoolTrimTo (pool, 0), OK);
  IS (cuda.cuMemPoolTrimTo (NULL, 0), BAD);
}

/* Of blocks small and so big that the system gives them; the rest of the device's memory goes down as they come. */
static void
test_bytes (void)
{
  static const size_t sizes[] = { 1, 100, (4 << 20) - 1, 4 << 20, (4 << 20) + 1 };
  LeatCpuGetCounters get = (LeatCpuGetCounters) cuda_table_find (LEAT_CPU_COUNTERS_SYMBOL);
  LeatCpuCounters before = { .size = sizeof before }, now = before;
  CUdeviceptr addresses[G_N_ELEMENTS (sizes)];
  size_t all, unused, left, bytes = 0;

  IS (cuda.cuMemGetInfo (&unused, &all), OK);
  get (&before);
  g_assert_cmpuint (before.device_bytes, ==, all - unused);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      IS (cuda.cuMemAlloc (&addresses[i], sizes[i]), OK);
      IS (cuda.cuMemsetD8Async (addresses[i], 1, sizes[i], NULL), OK);
      bytes += sizes[i];
      IS (cuda.cuMemGetInfo (&left, &all), OK);
      get (&now);
      g_assert_cmpuint (unused - left, ==, bytes);
      g_assert_cmpuint (now.device_bytes - before.device_bytes, ==, bytes);
      g_assert_cmpuint (now.device_bytes_peak, ==, MAX (before.device_bytes_peak, now.device_bytes));
    }
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    IS (cuda.cuMemFree (addresses[i]), OK);
  get (&now);
  g_assert_cmpuint (now.device_bytes, ==, before.device_bytes);
  g_assert_cmpuint (now.device_bytes_peak, ==, MAX (before.device_bytes_peak, before.device_bytes + bytes));
  IS (cuda.cuMemAlloc (&addresses[0], all + 1), CUDA_ERROR_OUT_OF_MEMORY);
  IS (cuda.cuMemAllocAsync (&addresses[0], all + 1, NULL), CUDA_ERROR_OUT_OF_MEMORY);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (cuda_table_open (g_getenv ("LEAT_CPU_DRIVER")) != 0)
    return 1;
  g_test_add_func ("/leat/cpu/addresses/attributes", test_attributes);
  g_test_add_func ("/leat/cpu/addresses/attributes-of-unknown", test_attributes_of_unknown);
  g_test_add_func ("/leat/cpu/addresses/ranges", test_ranges);
  g_test_add_func ("/leat/cpu/addresses/arguments", test_arguments);
  g_test_add_func ("/leat/cpu/addresses/pitch", test_pitch);
  g_test_add_func ("/leat/cpu/addresses/pool", test_pool);
  g_test_add_func ("/leat/cpu/addresses/bytes", test_bytes);
  return g_test_run ();
}
