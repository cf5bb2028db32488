/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fake-driver-harness.h"

#include <glib/gstdio.h>
#include <string.h>

#define ABSENT "/proc/nonexistent/libcuda.so.1"

/* One fake driver as CUDA's, one as the CPU's; either path may be replaced. */
typedef struct
{
  FakeHarness cuda;
  FakeHarness cpu;
} Drivers;

static void
drivers_init (Drivers *self, const char *cuda_devices)
{
  LeatDriver *cuda;

  fake_harness_init (&self->cuda, "FAKE_DRIVER_DEVICES", cuda_devices, NULL);
  cuda = leat_driver_open (LEAT_DRIVER_CUDA, self->cuda.path, NULL);
  g_assert_nonnull (cuda);
  fake_harness_init (&self->cpu, "FAKE_DRIVER_DEVICES", "1", NULL);
  g_setenv ("LEAT_CUDA_DRIVER", self->cuda.path, TRUE);
  g_setenv ("LEAT_CPU_DRIVER", self->cpu.path, TRUE);
}

static void
drivers_clear (Drivers *self)
{
  fake_harness_clear (&self->cuda);
  fake_harness_clear (&self->cpu);
}

static void
assert_selects (const char *selector, const char *path, guint ordinal, const char *note)
{
  g_autoptr (GError) error = NULL;
  LeatDriverChoice choice;

  leat_driver_select (selector, &choice, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (leat_driver_get_path (choice.driver), ==, path);
  g_assert_cmpuint (choice.ordinal, ==, ordinal);
  g_assert_cmpstr (choice.note, ==, note);
}

static void
assert_refuses (const char *selector, LeatDriverError code, const char *text)
{
  g_autoptr (GError) error = NULL;
  LeatDriverChoice choice;

  g_assert_false (leat_driver_select (selector, &choice, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, (int) code);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, text));
}

static void
test_select_takes_what_is_named (void)
{
  Drivers drivers;

  drivers_init (&drivers, "2");
  assert_selects ("auto", drivers.cuda.path, 0, NULL);
  assert_selects ("cuda", drivers.cuda.path, 0, NULL);
  assert_selects ("cuda:0", drivers.cuda.path, 0, NULL);
  assert_selects ("cuda:1", drivers.cuda.path, 1, NULL);
  assert_selects ("cpu", drivers.cpu.path, 0, NULL);
  drivers_clear (&drivers);
}

static void
test_select_reads_environment (void)
{
  Drivers drivers;

  drivers_init (&drivers, "2");
  assert_selects (NULL, drivers.cuda.path, 0, NULL);
  g_setenv ("LEAT_DEVICE", "cuda:1", TRUE);
  assert_selects (NULL, drivers.cuda.path, 1, NULL);
  assert_selects ("", drivers.cuda.path, 1, NULL);
  assert_selects ("cpu", drivers.cpu.path, 0, NULL);
  g_setenv ("LEAT_DEVICE", "gpu", TRUE);
  assert_refuses (NULL, LEAT_DRIVER_ERROR_SELECTOR, "\"gpu\" is no device");
  drivers_clear (&drivers);
}

static void
test_select_refuses_other_words (void)
{
  static const char *const words[] = { "gpu",   "CPU",   "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:99999999999",
                                       "cuda1", "cpu:0", " cpu" };

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    assert_refuses (words[i], LEAT_DRIVER_ERROR_SELECTOR, "use auto, cpu, or cuda:N");
}

static void
test_select_auto_runs_on_cpu_without_driver (void)
{
  Drivers drivers;

  drivers_init (&drivers, "2");
  g_setenv ("LEAT_CUDA_DRIVER", ABSENT, TRUE);
  assert_selects ("auto", drivers.cpu.path, 0, "no CUDA driver found; running on the CPU");
  drivers_clear (&drivers);
}

static void
test_select_auto_runs_on_cpu_without_device (void)
{
  Drivers drivers;

  drivers_init (&drivers, "0");
  assert_selects ("auto", drivers.cpu.path, 0, "no CUDA device found; running on the CPU");
  drivers_clear (&drivers);
}

static void
test_select_auto_reports_failing_driver (void)
{
  FakeHarness fake;

  fake_harness_init (&fake, "FAKE_DRIVER_INIT", "999", NULL);
  g_setenv ("LEAT_CUDA_DRIVER", fake.path, TRUE);
  g_setenv ("LEAT_CPU_DRIVER", fake.path, TRUE);
  assert_refuses ("auto", LEAT_DRIVER_ERROR_FAILED, "use the device cpu to run without it");
  g_setenv ("FAKE_DRIVER_INIT", "0", TRUE);
  g_setenv ("FAKE_DRIVER_VERSION", "12000", TRUE);
  assert_refuses ("auto", LEAT_DRIVER_ERROR_TOO_OLD, "use the device cpu to run without it");
  fake_harness_clear (&fake);
}

static void
test_select_cuda_is_strict (void)
{
  Drivers drivers;

  drivers_init (&drivers, "2");
  assert_refuses ("cuda:2", LEAT_DRIVER_ERROR_NO_DEVICE, "has 2, the last is cuda:1");
  g_setenv ("LEAT_CUDA_DRIVER", ABSENT, TRUE);
  assert_refuses ("cuda:0", LEAT_DRIVER_ERROR_NO_DRIVER, "install NVIDIA's driver");
  drivers_clear (&drivers);

  drivers_init (&drivers, "0");
  assert_refuses ("cuda:0", LEAT_DRIVER_ERROR_NO_DEVICE, "use the device cpu");
  drivers_clear (&drivers);
}

static void
test_select_cpu_is_strict (void)
{
  Drivers drivers;

  drivers_init (&drivers, "2");
  g_setenv ("LEAT_CPU_DRIVER", ABSENT, TRUE);
  assert_refuses ("cpu", LEAT_DRIVER_ERROR_NO_DRIVER, ABSENT);
  drivers_clear (&drivers);
}

static void
test_select_cpu_is_found_beside_plugins (void)
{
  FakeHarness fake;
  g_autofree char *library = NULL;
  g_autofree char *folders = NULL;
  g_autofree char *found = NULL;
  const char *before = g_getenv ("LEAT_PLUGIN_PATH");
  g_autofree char *kept = g_strdup (before);

  fake_harness_init (&fake, NULL);
  library = g_build_filename (fake.folder, "libleat-cpu.so.1", NULL);
  g_assert_cmpint (g_rename (fake.path, library), ==, 0);
  folders = g_strdup_printf ("/proc/nonexistent:%s", fake.folder);
  g_setenv ("LEAT_PLUGIN_PATH", folders, TRUE);
  found = leat_driver_find_cpu (NULL);
  g_assert_cmpstr (found, ==, library);
  assert_selects ("cpu", library, 0, NULL);

  g_remove (library);
  if (kept != NULL)
    g_setenv ("LEAT_PLUGIN_PATH", kept, TRUE);
  else
    g_unsetenv ("LEAT_PLUGIN_PATH");
  fake_harness_clear (&fake);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/driver/select/takes-what-is-named", test_select_takes_what_is_named);
  g_test_add_func ("/leat/driver/select/reads-environment", test_select_reads_environment);
  g_test_add_func ("/leat/driver/select/refuses-other-words", test_select_refuses_other_words);
  g_test_add_func ("/leat/driver/select/auto-runs-on-cpu-without-driver", test_select_auto_runs_on_cpu_without_driver);
  g_test_add_func ("/leat/driver/select/auto-runs-on-cpu-without-device", test_select_auto_runs_on_cpu_without_device);
  g_test_add_func ("/leat/driver/select/auto-reports-failing-driver", test_select_auto_reports_failing_driver);
  g_test_add_func ("/leat/driver/select/cuda-is-strict", test_select_cuda_is_strict);
  g_test_add_func ("/leat/driver/select/cpu-is-strict", test_select_cpu_is_strict);
  g_test_add_func ("/leat/driver/select/cpu-is-found-beside-plugins", test_select_cpu_is_found_beside_plugins);
  return g_test_run ();
}
