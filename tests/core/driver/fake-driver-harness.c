/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fake-driver-harness.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gmodule.h>

static const char *const fake_harness_variables[] = {
  "FAKE_DRIVER_VERSION", "FAKE_DRIVER_DEVICES", "FAKE_DRIVER_MISSING", "FAKE_DRIVER_MEMORY", "FAKE_DRIVER_INIT",
  "LEAT_DEVICE",         "LEAT_CUDA_DRIVER",    "LEAT_CPU_DRIVER",     "LEAT_MEMORY_BUDGET", "LEAT_PINNED_BUDGET",
};

static void
fake_harness_unset (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fake_harness_variables); i++)
    g_unsetenv (fake_harness_variables[i]);
}

static void
fake_harness_copy (FakeHarness *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "core", "driver", "libfake-driver.so", NULL);
  g_autoptr (GFile) from = g_file_new_for_path (path);
  g_autoptr (GFile) to = NULL;

  self->folder = g_dir_make_tmp ("leat-fake-XXXXXX", &error);
  g_assert_no_error (error);
  self->path = g_build_filename (self->folder, "libfake.so", NULL);
  to = g_file_new_for_path (self->path);
  g_file_copy (from, to, G_FILE_COPY_NONE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
fake_harness_find_symbols (FakeHarness *self)
{
  /* Stays open, as the driver does. */
  GModule *module = g_module_open (self->path, G_MODULE_BIND_LOCAL);

  g_assert_nonnull (module);
  g_assert_true (g_module_symbol (module, "fake_driver_plan", (gpointer *) &self->plan));
  g_assert_true (g_module_symbol (module, "fake_driver_get_live_bytes", (gpointer *) &self->get_live_bytes));
  g_assert_true (g_module_symbol (module, "fake_driver_get_raised_shared", (gpointer *) &self->get_raised_shared));
  g_module_make_resident (module);
}

void
fake_harness_init (FakeHarness *self, ...)
{
  va_list variables;

  fake_harness_unset ();
  fake_harness_copy (self);
  fake_harness_find_symbols (self);
  va_start (variables, self);
  for (const char *name = va_arg (variables, const char *); name != NULL; name = va_arg (variables, const char *))
    g_setenv (name, va_arg (variables, const char *), TRUE);
  va_end (variables);
}

void
fake_harness_clear (FakeHarness *self)
{
  fake_harness_unset ();
  g_remove (self->path);
  g_rmdir (self->folder);
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->folder, g_free);
}
