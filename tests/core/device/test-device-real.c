/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* On the device that LEAT_DEVICE names: a GPU, or the CPU driver. */

#include "device/leat-memory-private.h"
#include "device/leat-module-private.h"
#include "device/leat-stream-private.h"
#include "kernel/leat-image-private.h"

#include <string.h>

#define N_ITEMS 100000

static const char kernel_text[] = "__global__ void scale (const float *x, float *y, float a, int n)\n"
                                  "{\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "  if (i < n)\n"
                                  "    y[i] = a * x[i];\n"
                                  "}\n"
                                  "__global__ void crash (const float *x, float *y, float a, int n)\n"
                                  "{\n"
                                  "  y[threadIdx.x] = x[threadIdx.x];\n"
                                  "}\n";

static LeatDevice *
open_device (void)
{
  g_autoptr (GError) error = NULL;
  LeatDevice *device = leat_device_open (NULL, &error);

  g_assert_no_error (error);
  return device;
}

/* NULL, and the test skipped, where nothing can compile for the device. */
static LeatModule *
load_kernels (LeatDevice *device)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) image = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("kernels.cu", kernel_text, &error);
  const LeatDeviceFacts *facts = leat_device_get_facts (device);
  LeatImageTarget target = { LEAT_IMAGE_HOST, "native", 0 };
  LeatModule *module;

  g_assert_no_error (error);
  if (!leat_device_is_cpu (device))
    target = (LeatImageTarget){ LEAT_IMAGE_CUBIN, "", facts->compute_major * 10 + facts->compute_minor };
  image = leat_image_get (source, &target, &error);
  if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
    {
      g_test_skip (error->message);
      return NULL;
    }
  g_assert_no_error (error);
  module = leat_module_load (device, image, "kernels.cu", &error);
  g_assert_no_error (error);
  return module;
}

static LeatMemory *
take (LeatDevice *device, LeatMemoryKind kind, guint64 bytes)
{
  g_autoptr (GError) error = NULL;
  LeatMemory *memory = leat_memory_new (device, kind, bytes, "a test", &error);

  g_assert_no_error (error);
  return memory;
}

static void
test_real_facts_make_sense (void)
{
  g_autoptr (LeatDevice) device = open_device ();
  const LeatDeviceFacts *facts = leat_device_get_facts (device);

  g_test_message ("%s: %s, compute capability %u.%u, %u multiprocessors, driver %d", leat_device_get_id (device),
                  facts->name, facts->compute_major, facts->compute_minor, facts->multiprocessors,
                  facts->driver_version);
  g_assert_cmpint (facts->driver_version, >=, LEAT_CUDA_OLDEST);
  g_assert_cmpuint (facts->memory_bytes, >, 0);
  g_assert_cmpuint (facts->multiprocessors, >, 0);
  g_assert_cmpuint (facts->warp_size, ==, 32);
  g_assert_cmpuint (facts->max_threads_per_block, >=, 32);
  g_assert_cmpuint (facts->max_block[0], >=, facts->max_threads_per_block);
  g_assert_cmpuint (facts->max_grid[0], >, 65535);
  g_assert_cmpuint (facts->max_shared_per_block, >=, 16384);
  g_assert_cmpuint (facts->max_shared_per_block_optin, >=, facts->max_shared_per_block);
  g_assert_true (facts->can_map_host);
  g_assert_true (facts->unified_addressing);
  g_assert_cmpuint (leat_device_get_budget (device), <=, facts->memory_bytes);
}

static void
test_real_memory_holds_data (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = open_device ();
  g_autoptr (LeatMemory) memory = take (device, LEAT_MEMORY_DEVICE, 1 << 20);
  g_autofree guint8 *out = g_malloc (1 << 20);
  g_autofree guint8 *in = g_malloc0 (1 << 20);

  for (guint i = 0; i < 1 << 20; i++)
    out[i] = (guint8) (i * 7 + i / 256);
  g_assert_true (leat_memory_write (memory, 0, out, 1 << 20, &error));
  g_assert_true (leat_memory_read (memory, 0, in, 1 << 20, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (in, 1 << 20, out, 1 << 20);
  g_assert_cmpuint (leat_memory_get_address (memory) % 256, ==, 0);
}

static void
test_real_pinned_is_seen_by_the_device (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = open_device ();
  g_autoptr (LeatStream) stream = leat_stream_new (device, LEAT_STREAM_PRIORITY_HIGH, &error);
  g_autoptr (LeatMemory) from = take (device, LEAT_MEMORY_PINNED, 4096);
  g_autoptr (LeatMemory) to = take (device, LEAT_MEMORY_PINNED, 4096);
  const LeatDriverTable *table = leat_device_get_table (device);

  g_assert_no_error (error);
  memset (leat_memory_get_host (from), 42, 4096);
  memset (leat_memory_get_host (to), 0, 4096);
  g_assert_true (leat_device_push (device, &error));
  g_assert_cmpint (
    table->cuMemcpyAsync (leat_memory_get_address (to), leat_memory_get_address (from), 4096, leat_stream_get (stream)),
    ==, CUDA_SUCCESS);
  leat_device_pop (device);
  g_assert_true (leat_stream_synchronize (stream, &error));
  g_assert_cmpmem (leat_memory_get_host (to), 4096, leat_memory_get_host (from), 4096);
}

static void
test_real_memory_refuses_too_much (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = open_device ();
  g_autoptr (LeatMemory) memory = NULL;
  guint64 bytes = leat_device_get_memory_bytes (device);

  memory = leat_memory_new (device, LEAT_MEMORY_DEVICE, bytes, "everything", &error);
  g_assert_null (memory);
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  g_clear_error (&error);

  /* Past the budget, the driver has the last word, and the device lives on. */
  leat_device_set_budget (device, bytes);
  memory = leat_memory_new (device, LEAT_MEMORY_DEVICE, bytes - (4 << 20), "nearly everything", &error);
  if (memory == NULL)
    g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  g_assert_false (leat_device_is_dead (device));
}

static void
test_real_events_order_streams (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = open_device ();
  g_autoptr (LeatStream) first = leat_stream_new (device, LEAT_STREAM_PRIORITY_NORMAL, &error);
  g_autoptr (LeatStream) second = leat_stream_new (device, LEAT_STREAM_PRIORITY_LOW, &error);
  g_autoptr (LeatEvent) start = leat_event_new (device, LEAT_EVENT_TIMING, &error);
  g_autoptr (LeatEvent) end = leat_event_new (device, LEAT_EVENT_TIMING | LEAT_EVENT_BLOCKING, &error);
  g_autoptr (LeatMemory) memory = take (device, LEAT_MEMORY_DEVICE, 1 << 20);
  const LeatDriverTable *table = leat_device_get_table (device);
  guint8 last = 0;
  float ms = -1;
  gboolean is_done = FALSE;

  g_assert_no_error (error);
  g_assert_true (leat_device_push (device, &error));
  g_assert_true (leat_event_record (start, first, &error));
  for (guint value = 1; value <= 100; value++)
    table->cuMemsetD8Async (leat_memory_get_address (memory), (unsigned char) value, 1 << 20, leat_stream_get (first));
  g_assert_true (leat_event_record (end, first, &error));
  g_assert_true (leat_stream_wait (second, end, &error));
  g_assert_cmpint (
    table->cuMemcpyDtoHAsync (&last, leat_memory_get_address (memory) + (1 << 20) - 1, 1, leat_stream_get (second)), ==,
    CUDA_SUCCESS);
  leat_device_pop (device);
  g_assert_true (leat_stream_synchronize (second, &error));
  g_assert_cmpuint (last, ==, 100);
  g_assert_true (leat_event_synchronize (end, &error));
  g_assert_true (leat_event_synchronize_timed (end, 1000000, "nothing", &error));
  g_assert_true (leat_stream_query (first, &is_done, &error));
  g_assert_true (is_done);
  g_assert_true (leat_event_get_elapsed_ms (start, end, &ms, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (ms, >=, 0);
}

static gpointer
wait_elsewhere (gpointer stream)
{
  return GINT_TO_POINTER (leat_stream_synchronize (stream, NULL));
}

/* A thread that waits need not have the context current. */
static void
test_real_streams_are_waited_for_by_any_thread (void)
{
  g_autoptr (LeatDevice) device = open_device ();
  g_autoptr (LeatStream) stream = leat_stream_new (device, LEAT_STREAM_PRIORITY_NORMAL, NULL);
  GThread *thread = g_thread_new ("wait", wait_elsewhere, stream);

  g_assert_true (GPOINTER_TO_INT (g_thread_join (thread)));
}

static void
assert_launches (LeatDevice *device, LeatModule *module, LeatStream *stream)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatMemory) x = take (device, LEAT_MEMORY_PINNED, N_ITEMS * sizeof (float));
  g_autoptr (LeatMemory) y = take (device, LEAT_MEMORY_PINNED, N_ITEMS * sizeof (float));
  const LeatFunction *function = leat_module_get_function (module, "scale", &error);
  CUdeviceptr from = leat_memory_get_address (x), to = leat_memory_get_address (y);
  float a = 2;
  int n = N_ITEMS;
  gint32 waits = FALSE;
  void *params[] = { &from, &to, &a, &n, &waits };
  LeatLaunchShape shape = { { (N_ITEMS + 127) / 128, 1, 1 }, { 128, 1, 1 }, 0, FALSE };

  g_assert_no_error (error);
  for (int i = 0; i < N_ITEMS; i++)
    ((float *) leat_memory_get_host (x))[i] = (float) i;
  leat_module_prepare_launch (module, function, &shape, "scale", &error);
  g_assert_no_error (error);
  g_assert_true (leat_device_push (device, NULL));
  g_assert_cmpint (leat_device_get_table (device)->cuLaunchKernel (function->function, shape.grid[0], 1, 1, 128, 1, 1,
                                                                   0, leat_stream_get (stream), params, NULL),
                   ==, CUDA_SUCCESS);
  leat_device_pop (device);
  leat_stream_synchronize (stream, &error);
  g_assert_no_error (error);
  for (int i = 0; i < N_ITEMS; i++)
    g_assert_cmpfloat (((float *) leat_memory_get_host (y))[i], ==, 2 * (float) i);
}

static void
test_real_module_launches (void)
{
  g_autoptr (LeatDevice) device = open_device ();
  g_autoptr (LeatStream) stream = leat_stream_new (device, LEAT_STREAM_PRIORITY_NORMAL, NULL);
  g_autoptr (LeatModule) module = load_kernels (device);

  if (module != NULL)
    assert_launches (device, module, stream);
}

static void
test_real_module_knows_its_kernels (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = open_device ();
  g_autoptr (LeatModule) module = load_kernels (device);
  const LeatDeviceFacts *facts = leat_device_get_facts (device);
  const LeatFunction *function;
  LeatLaunchShape shape = { { 1, 1, 1 }, { facts->max_threads_per_block + 1, 1, 1 }, 0, FALSE };
  guint threads = 0, blocks = 0, resident = 0;

  if (module == NULL)
    return;
  function = leat_module_get_function (module, "scale", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (function->max_threads_per_block, >=, 32);
  g_assert_true (leat_module_suggest_block (module, function, 0, &threads, &blocks, &error));
  g_assert_true (leat_module_get_occupancy (module, function, threads, 0, &resident, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (threads, >=, 32);
  g_assert_cmpuint (resident, >=, 1);
  g_assert_cmpuint (blocks, ==, resident * facts->multiprocessors);

  g_assert_false (leat_module_prepare_launch (module, function, &shape, "scale", &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_LAUNCH_LIMIT);
  g_clear_error (&error);
  g_assert_null (leat_module_get_function (module, "scales", &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_NOT_FOUND);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "kernels.cu"));
  g_assert_nonnull (strstr (error->message, "scale"));
}

static void
test_real_module_refuses_other_images (void)
{
  static const char elf[64] = "\x7f"
                              "ELF\x02\x01\x01";
  g_autoptr (LeatDevice) device = open_device ();

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) image =
        i == 0 ? g_bytes_new_static ("not an image", 12) : g_bytes_new_static (elf, sizeof elf);

      g_assert_null (leat_module_load (device, image, "junk", &error));
      g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_IMAGE);
      g_test_message ("%s", error->message);
      g_assert_false (leat_device_is_dead (device));
    }
}

/* In a process of its own: the device is lost to it. */
static void
test_real_crash_child (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = NULL;
  g_autoptr (LeatStream) stream = NULL;
  g_autoptr (LeatModule) module = NULL;
  const LeatFunction *function;
  CUdeviceptr nowhere = 0x10;
  float a = 0;
  int n = 0;
  gint32 waits = FALSE;
  void *params[] = { &nowhere, &nowhere, &a, &n, &waits };

  device = open_device ();
  stream = leat_stream_new (device, LEAT_STREAM_PRIORITY_NORMAL, NULL);
  module = load_kernels (device);
  if (module == NULL)
    return;
  function = leat_module_get_function (module, "crash", &error);
  g_assert_no_error (error);
  g_assert_true (leat_device_push (device, NULL));
  leat_device_get_table (device)->cuLaunchKernel (function->function, 1, 1, 1, 32, 1, 1, 0, leat_stream_get (stream),
                                                  params, NULL);
  leat_device_pop (device);
  g_assert_false (leat_stream_synchronize (stream, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_LAUNCH_FAILED);
  g_assert_true (leat_device_is_dead (device));
  g_clear_error (&error);
  g_assert_null (leat_memory_new (device, LEAT_MEMORY_DEVICE, 16, "too late", &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_DEVICE_LOST);
}

/* Whether the context is there when nobody has the device open. */
static gboolean
is_context_there (void)
{
  LeatDevice *device = open_device ();
  const LeatDriverTable *table = leat_device_get_table (device);
  CUdevice ordinal = leat_device_get_facts (device)->device;
  unsigned flags;
  int active = -1;

  g_object_unref (device);
  g_assert_cmpint (table->cuDevicePrimaryCtxGetState (ordinal, &flags, &active), ==, CUDA_SUCCESS);
  return active;
}

/* A GPU's is kept unless the user says otherwise, and the CPU's where the user says so. */
static void
test_real_context_is_kept (void)
{
  g_autoptr (LeatDevice) device = open_device ();
  gboolean is_cpu = leat_device_is_cpu (device);

  g_clear_object (&device);
  for (guint turn = 0; turn < 2; turn++)
    {
      g_setenv ("LEAT_KEEP_CONTEXT", "1", TRUE);
      g_assert_true (is_context_there ());
      g_assert_true (is_context_there ());
      g_setenv ("LEAT_KEEP_CONTEXT", "0", TRUE);
      g_assert_false (is_context_there ());
      g_assert_false (is_context_there ());
      g_unsetenv ("LEAT_KEEP_CONTEXT");
      g_assert_cmpint (is_context_there (), ==, !is_cpu);
    }
}

static void
test_real_device_dies_of_a_crash (void)
{
  if (g_test_subprocess ())
    {
      test_real_crash_child ();
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = NULL;

  g_test_init (&argc, &argv, NULL);
  /* For test_real_crash_child: the CPU driver reads it when it is opened.  A GPU needs no fault planted. */
  if (g_test_subprocess ())
    g_setenv ("LEAT_CPU_FAULT", "launch:1=ILLEGAL_ADDRESS", TRUE);
  device = leat_device_open (NULL, &error);
  if (g_error_matches (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_NO_DRIVER))
    {
      g_print ("1..0 # SKIP %s\n", error->message);
      return 0;
    }
  g_clear_object (&device);
  g_test_add_func ("/leat/device/real/facts-make-sense", test_real_facts_make_sense);
  g_test_add_func ("/leat/device/real/memory-holds-data", test_real_memory_holds_data);
  g_test_add_func ("/leat/device/real/pinned-is-seen-by-the-device", test_real_pinned_is_seen_by_the_device);
  g_test_add_func ("/leat/device/real/memory-refuses-too-much", test_real_memory_refuses_too_much);
  g_test_add_func ("/leat/device/real/events-order-streams", test_real_events_order_streams);
  g_test_add_func ("/leat/device/real/streams-are-waited-for-by-any-thread",
                   test_real_streams_are_waited_for_by_any_thread);
  g_test_add_func ("/leat/device/real/module-launches", test_real_module_launches);
  g_test_add_func ("/leat/device/real/module-knows-its-kernels", test_real_module_knows_its_kernels);
  g_test_add_func ("/leat/device/real/module-refuses-other-images", test_real_module_refuses_other_images);
  g_test_add_func ("/leat/device/real/context-is-kept", test_real_context_is_kept);
  g_test_add_func ("/leat/device/real/dies-of-a-crash", test_real_device_dies_of_a_crash);
  return g_test_run ();
}
