/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device-harness.h"

#include "device/leat-module-private.h"

#include <string.h>

static LeatModule *
load (DeviceHarness *harness)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) image = g_bytes_new_static (FAKE_DRIVER_IMAGE, sizeof FAKE_DRIVER_IMAGE);
  LeatModule *module = leat_module_load (harness->device, image, "math.cu", &error);

  g_assert_no_error (error);
  return module;
}

static void
assert_load_fails (LeatDevice *device, const char *image, gsize size, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (image, size);

  g_assert_null (leat_module_load (device, bytes, "math.cu", &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_IMAGE);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "math.cu"));
  g_assert_nonnull (strstr (error->message, text));
}

static void
test_module_load_reports_bad_images (void)
{
  DeviceHarness harness;

  device_harness_init (&harness, "1000000");
  assert_load_fails (harness.device, "", 0, "is empty");
  assert_load_fails (harness.device,
                     "\x7f"
                     "ELF",
                     5, "on cuda:0 (Fake 0, compute capability 9.0)");
  /* Text need not end in NUL; the driver's own words are passed on. */
  assert_load_fails (harness.device, ".version 8.0", 12, "line 3: no such instruction");
  device_harness_clear (&harness);
}

static void
test_module_get_function_reads_facts (void)
{
  g_autoptr (GError) error = NULL;
  DeviceHarness harness;
  g_autoptr (LeatModule) module = NULL;
  const LeatFunction *function;

  device_harness_init (&harness, "1000000");
  module = load (&harness);
  function = leat_module_get_function (module, "add", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (function->max_threads_per_block, ==, FAKE_DRIVER_THREADS);
  g_assert_cmpuint (function->static_shared_bytes, ==, FAKE_DRIVER_STATIC_SHARED);
  g_assert_cmpuint (function->max_dynamic_shared_bytes, ==, FAKE_DRIVER_SHARED_OPTIN - FAKE_DRIVER_STATIC_SHARED);
  /* Asked once only. */
  harness.fake.plan ("cuModuleGetFunction", CUDA_ERROR_UNKNOWN, 0);
  g_assert_true (leat_module_get_function (module, "add", &error) == function);
  g_clear_pointer (&module, leat_module_unref);
  device_harness_clear (&harness);
}

static void
test_module_get_function_names_what_there_is (void)
{
  g_autoptr (GError) error = NULL;
  DeviceHarness harness;
  g_autoptr (LeatModule) module = NULL;

  device_harness_init (&harness, "1000000");
  module = load (&harness);
  g_assert_null (leat_module_get_function (module, "sub", &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_NOT_FOUND);
  g_assert_cmpstr (error->message, ==, "the image of math.cu has no kernel \"sub\"; it has add, scale");
  g_clear_pointer (&module, leat_module_unref);
  device_harness_clear (&harness);
}

static void
test_module_get_function_reports_failures (void)
{
  g_autoptr (GError) error = NULL;
  DeviceHarness harness;
  g_autoptr (LeatModule) module = NULL;

  device_harness_init (&harness, "1000000");
  module = load (&harness);
  harness.fake.plan ("cuFuncLoad", CUDA_ERROR_OUT_OF_MEMORY, 0);
  g_assert_null (leat_module_get_function (module, "add", &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  g_clear_pointer (&module, leat_module_unref);
  device_harness_clear (&harness);
}

static void
test_module_launch_says_which_limit (void)
{
  static const struct
  {
    LeatLaunchShape shape;
    const char *text; /* NULL: fits */
  } rows[] = {
    { { { 1, 1, 1 }, { 256, 1, 1 }, 0, FALSE }, NULL },
    { { { 2147483647, 65535, 65535 }, { 4, 8, 8 }, 0, FALSE }, NULL },
    { { { 0, 1, 1 }, { 1, 1, 1 }, 0, FALSE }, "the grid 0x1x1 is empty in x" },
    { { { 1, 65536, 1 }, { 1, 1, 1 }, 0, FALSE }, "the grid 1x65536x1 is too large in y: Fake 0 allows at most 65535" },
    { { { 1, 1, 1 }, { 32, 0, 1 }, 0, FALSE }, "the block 32x0x1 is empty in y" },
    { { { 1, 1, 1 }, { 1, 1, 65 }, 0, FALSE }, "the block 1x1x65 is too large in z: Fake 0 allows at most 64" },
    { { { 1, 1, 1 }, { 1024, 2, 1 }, 0, FALSE },
      "a block of 2048 threads is too large: Fake 0 allows at most 1024; give it a smaller block=" },
    { { { 1, 1, 1 }, { 1024, 1024, 64 }, 0, FALSE }, "a block of 67108864 threads is too large" },
    { { { 1, 1, 1 }, { 257, 1, 1 }, 0, FALSE },
      "kernel \"add\", with 200 registers a thread, is compiled for at most 256; give it a smaller block=, or say "
      "in the __launch_bounds__" },
    { { { 1, 1, 1 }, { 1, 1, 1 }, 64513, FALSE }, "kernel \"add\" has 1024 of its own, and a block on Fake 0" },
    { { { 8, 1, 1 }, { 256, 1, 1 }, 0, TRUE }, NULL },
    { { { 3, 3, 1 }, { 256, 1, 1 }, 0, TRUE },
      "a cooperative grid of 9 blocks is too large: Fake 0 runs at most 8 of these at once (2 on each of 4" },
  };
  DeviceHarness harness;
  g_autoptr (LeatModule) module = NULL;
  const LeatFunction *function;

  device_harness_init (&harness, "1000000");
  module = load (&harness);
  function = leat_module_get_function (module, "add", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean fits = leat_module_prepare_launch (module, function, &rows[i].shape, "kernel k0", &error);

      if (rows[i].text == NULL)
        g_assert_no_error (error);
      else
        {
          g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_LAUNCH_LIMIT);
          g_test_message ("%s", error->message);
          g_assert_true (g_str_has_prefix (error->message, "kernel k0: "));
          g_assert_nonnull (strstr (error->message, rows[i].text));
        }
      g_assert_cmpint (fits, ==, rows[i].text == NULL);
    }
  g_clear_pointer (&module, leat_module_unref);
  device_harness_clear (&harness);
}

/* All of them, where a launch says the first. */
static void
test_module_list_faults (void)
{
  static const struct
  {
    LeatLaunchShape shape;
    const char *texts[8];
  } rows[] = {
    { { { 1, 1, 1 }, { 256, 1, 1 }, 0, FALSE }, { NULL } },
    { { { 8, 1, 1 }, { 256, 1, 1 }, 0, TRUE }, { NULL } },
    { { { 3, 3, 1 }, { 256, 1, 1 }, 0, TRUE }, { "a cooperative grid of 9 blocks is too large" } },
    { { { 1, 65536, 65536 }, { 2000, 0, 65 }, 64513, TRUE },
      { "block 2000x0x65 is too large in x", "block 2000x0x65 is empty in y", "block 2000x0x65 is too large in z",
        "grid 1x65536x65536 is too large in y", "grid 1x65536x65536 is too large in z",
        "kernel \"add\" has 1024 of its own" } },
    { { { 1, 1, 1 }, { 1024, 2, 1 }, 70000, FALSE },
      { "Fake 0 allows at most 1024", "is compiled for at most 256", "70000 bytes of dynamic shared memory" } },
  };
  DeviceHarness harness;
  g_autoptr (LeatModule) module = NULL;
  const LeatFunction *function;

  device_harness_init (&harness, "1000000");
  module = load (&harness);
  function = leat_module_get_function (module, "add", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GPtrArray) faults = g_ptr_array_new_with_free_func (g_free);
      guint n = 0;

      leat_module_list_faults (module, function, &rows[i].shape, "kernel k0", faults);
      for (; rows[i].texts[n] != NULL; n++)
        {
          g_assert_cmpuint (n, <, faults->len);
          g_test_message ("%s", (const char *) g_ptr_array_index (faults, n));
          g_assert_true (g_str_has_prefix (g_ptr_array_index (faults, n), "kernel k0: "));
          g_assert_nonnull (strstr (g_ptr_array_index (faults, n), rows[i].texts[n]));
        }
      g_assert_cmpuint (faults->len, ==, n);
    }
  g_clear_pointer (&module, leat_module_unref);
  device_harness_clear (&harness);
}

static void
test_module_launch_raises_shared_memory (void)
{
  DeviceHarness harness;
  g_autoptr (LeatModule) module = NULL;
  const LeatFunction *function;
  LeatLaunchShape shape = { { 1, 1, 1 }, { 32, 1, 1 }, FAKE_DRIVER_SHARED - FAKE_DRIVER_STATIC_SHARED, FALSE };

  device_harness_init (&harness, "1000000");
  module = load (&harness);
  function = leat_module_get_function (module, "add", NULL);
  g_assert_true (leat_module_prepare_launch (module, function, &shape, "k0", NULL));
  g_assert_cmpint (harness.fake.get_raised_shared (), ==, 0);
  shape.shared_bytes++;
  g_assert_true (leat_module_prepare_launch (module, function, &shape, "k0", NULL));
  g_assert_cmpint (harness.fake.get_raised_shared (), ==, (int) shape.shared_bytes);
  shape.shared_bytes--;
  g_assert_true (leat_module_prepare_launch (module, function, &shape, "k0", NULL));
  g_assert_cmpint (harness.fake.get_raised_shared (), ==, (int) shape.shared_bytes + 1);
  g_clear_pointer (&module, leat_module_unref);
  device_harness_clear (&harness);
}

/* A driver counts no block that has more shared memory than was asked for. */
static void
test_module_fill_device_raises_shared_memory (void)
{
  g_autoptr (GError) error = NULL;
  DeviceHarness harness;
  g_autoptr (LeatModule) module = NULL;
  LeatLaunchShape shape = { { 0, 0, 0 }, { 32, 4, 1 }, FAKE_DRIVER_SHARED, FALSE };
  guint blocks = 0;

  device_harness_init (&harness, "1000000");
  module = load (&harness);
  leat_module_fill_device (module, leat_module_get_function (module, "add", NULL), &shape, "k0", &blocks, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (blocks, ==, FAKE_DRIVER_RESIDENT * FAKE_DRIVER_PROCESSORS);
  g_assert_cmpint (harness.fake.get_raised_shared (), ==, FAKE_DRIVER_SHARED);
  g_clear_pointer (&module, leat_module_unref);
  device_harness_clear (&harness);
}

static void
test_module_fill_device_says_what_has_no_room (void)
{
  static const struct
  {
    LeatLaunchShape shape;
    const char *text;
  } rows[] = {
    { { { 0, 0, 0 }, { 128, 1, 1 }, 60000, FALSE },
      "k0: a multiprocessor of Fake 0 has no room for a block of 128 threads with 200 registers each and 61024 bytes "
      "of "
      "shared memory; take less of what is too much: a smaller block=, less shared memory, or fewer registers" },
    { { { 0, 0, 0 }, { 257, 1, 1 }, 0, FALSE }, "with 200 registers a thread, is compiled for at most 256" },
    { { { 0, 0, 0 }, { 32, 0, 1 }, 0, FALSE }, "the block 32x0x1 is empty in y" },
    { { { 0, 0, 0 }, { 32, 1, 1 }, 64513, FALSE }, "64513 bytes of dynamic shared memory are too many" },
  };
  DeviceHarness harness;
  g_autoptr (LeatModule) module = NULL;

  device_harness_init (&harness, "1000000");
  g_setenv ("FAKE_DRIVER_BLOCKS", "0", TRUE);
  module = load (&harness);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      guint blocks;

      g_assert_false (leat_module_fill_device (module, leat_module_get_function (module, "add", NULL), &rows[i].shape,
                                               "k0", &blocks, &error));
      g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_LAUNCH_LIMIT);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, rows[i].text));
    }
  g_unsetenv ("FAKE_DRIVER_BLOCKS");
  g_clear_pointer (&module, leat_module_unref);
  device_harness_clear (&harness);
}

static void
test_module_suggest_block_does_without_the_driver (void)
{
  g_autoptr (GError) error = NULL;
  DeviceHarness harness;
  g_autoptr (LeatModule) module = NULL;
  const LeatFunction *function;
  guint threads = 0, blocks = 0;

  fake_harness_init (&harness.fake, "FAKE_DRIVER_MISSING", "cuOccupancyMaxPotentialBlockSize", NULL);
  g_setenv ("LEAT_CUDA_DRIVER", harness.fake.path, TRUE);
  harness.device = leat_device_open ("cuda:0", NULL);
  module = load (&harness);
  function = leat_module_get_function (module, "add", NULL);
  leat_module_suggest_block (module, function, 0, &threads, &blocks, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (threads, ==, 256);
  g_assert_cmpuint (blocks, ==, FAKE_DRIVER_RESIDENT * FAKE_DRIVER_PROCESSORS);
  g_clear_pointer (&module, leat_module_unref);
  device_harness_clear (&harness);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/module/load/reports-bad-images", test_module_load_reports_bad_images);
  g_test_add_func ("/leat/module/get-function/reads-facts", test_module_get_function_reads_facts);
  g_test_add_func ("/leat/module/get-function/names-what-there-is", test_module_get_function_names_what_there_is);
  g_test_add_func ("/leat/module/get-function/reports-failures", test_module_get_function_reports_failures);
  g_test_add_func ("/leat/module/launch/says-which-limit", test_module_launch_says_which_limit);
  g_test_add_func ("/leat/module/launch/raises-shared-memory", test_module_launch_raises_shared_memory);
  g_test_add_func ("/leat/module/list-faults", test_module_list_faults);
  g_test_add_func ("/leat/module/fill-device/raises-shared-memory", test_module_fill_device_raises_shared_memory);
  g_test_add_func ("/leat/module/fill-device/says-what-has-no-room", test_module_fill_device_says_what_has_no_room);
  g_test_add_func ("/leat/module/suggest-block/does-without-the-driver",
                   test_module_suggest_block_does_without_the_driver);
  return g_test_run ();
}
