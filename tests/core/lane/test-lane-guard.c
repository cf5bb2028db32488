/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device/leat-memory-private.h"
#include "session-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

/* One item behind the end of a buffer.  A run with LEAT_POISON=1 tells of what was written, whatever the device and the
 * compiler; AddressSanitizer ends the program where what it watches reads or writes. */

#define N 64 /* 256 bytes of u32: nothing is left over where they are rounded up */

#define KERNEL "k = kernel source=\"%s\" entry=%s grid=1 block=64\n"
#define AROUND "app name=source spec=u32[64] -> upload -> k -> readback%s -> app name=sink\n"
#define LATER                                                                                                          \
  "app name=source spec=u32[64] -> upload -> kernel source=\"%s\" entry=widen grid=1 block=64 y=u32[5000] name=w\n"    \
  "w -> kernel source=\"%s\" entry=right grid=1 block=64 y=u32[64] name=n\n"                                           \
  "n -> kernel source=\"%s\" entry=writes grid=1 block=64 name=k -> readback -> app name=sink\n"
#define KEPT                                                                                                           \
  "s = state spec=u32[64]\nk = kernel source=\"%s\" entry=writes grid=1 block=64\n"                                    \
  "app name=source spec=u32[64] -> upload -> k -> s\ns -> readback -> app name=sink\n"

static const char kernels[] = "__global__ void right (const unsigned int *x, unsigned int *y)\n"
                              "{\n"
                              "  y[threadIdx.x] = x[threadIdx.x];\n"
                              "}\n"
                              "__global__ void writes (const unsigned int *x, unsigned int *y)\n"
                              "{\n"
                              "  for (unsigned int i = threadIdx.x; i <= 64; i += 64)\n"
                              "    y[i] = x[threadIdx.x];\n"
                              "}\n"
                              "__global__ void copies (const unsigned int *x, unsigned int *y)\n"
                              "{\n"
                              "  for (unsigned int i = threadIdx.x; i <= 64; i += 64)\n"
                              "    y[i] = x[i];\n"
                              "}\n"
                              "__global__ void reads (const unsigned int *x, unsigned int *y)\n"
                              "{\n"
                              "  unsigned int sum = 0;\n"
                              "  for (unsigned int i = threadIdx.x; i <= 64; i += 64)\n"
                              "    sum += x[i];\n"
                              "  y[threadIdx.x] = sum;\n"
                              "}\n"
                              "__global__ void widen (const unsigned int *x, unsigned int *y)\n"
                              "{\n"
                              "  for (unsigned int i = threadIdx.x; i < 5000; i += 64)\n"
                              "    y[i] = x[i % 64];\n"
                              "}\n";

static char *folder, *file;

static void
overrun_open (SessionFixture *self, const char *entry, const char *mode, LeatExecutor executor)
{
  g_autofree char *text = g_strdup_printf (KERNEL AROUND, file, entry, mode);

  session_fixture_open (self, text, executor);
}

static void
overrun_fill (guint32 *x, guint32 run)
{
  for (guint i = 0; i < N; i++)
    x[i] = (run + i) << 8; // the lowest byte, behind an end, is none that a pattern has
}

static GError *
overrun_try (SessionFixture *self, guint32 run)
{
  GError *error = NULL;
  guint32 x[N];
  g_autoptr (GBytes) found = NULL;

  overrun_fill (x, run);
  found = session_fixture_try (self, x, sizeof x, &error);
  if (error == NULL)
    g_assert_nonnull (found);
  return error;
}

static void
overrun_assert_told (const GError *error, const char *node, const char *what)
{
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERRUN);
  if (strstr (error->message, node) == NULL || strstr (error->message, what) == NULL)
    g_error ("\"%s\" names neither %s nor \"%s\"", error->message, node, what);
}

static void
test_overrun_is_told (gconstpointer executor)
{
  static const char *const entries[] = { "writes", "copies" };

  for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
    {
      SessionFixture fixture;
      g_autoptr (GError) error = NULL;

      overrun_open (&fixture, entries[i], " mode=copy", GPOINTER_TO_INT (executor));
      error = overrun_try (&fixture, 1);
      overrun_assert_told (error, "kernel \"k\"", "behind the end of k.y, which has 256 bytes: at byte 256");
      session_fixture_close (&fixture);
    }
}

/* What a transfer moves ends where the buffer does, at any byte. */
static void
test_overrun_transfers_are_not_told (gconstpointer executor)
{
  static const char *const modes[] = { "copy", "mapped", "kernel" };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    for (guint bytes = 1; bytes < 40; bytes += 6)
      {
        SessionFixture fixture;
        guint8 x[40] = { 1, 2, 3 };
        g_autofree char *text = g_strdup_printf (
          "app name=source spec=u8[%u] -> upload mode=%s -> map expr=x -> readback mode=%s -> app name=sink\n"
          "app name=other spec=u8[<=%u] -> upload mode=%s -> discard\n",
          bytes, modes[i], modes[i], bytes, modes[i]);

        session_fixture_open (&fixture, text, GPOINTER_TO_INT (executor));
        for (guint run = 1; run < 4; run++)
          {
            g_autoptr (GBytes) other = g_bytes_new (x, bytes), found = NULL;

            leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "other", NULL)), other, NULL);
            found = session_fixture_run (&fixture, x, bytes);
            g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), x, bytes);
          }
        session_fixture_close (&fixture);
      }
}

/* As many runs as make the short way the usual one. */
static void
test_overrun_right_is_not_told (gconstpointer executor)
{
  static const char *const modes[] = { " mode=copy", " mode=mapped", " mode=kernel" };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      SessionFixture fixture;

      overrun_open (&fixture, "right", modes[i], GPOINTER_TO_INT (executor));
      for (guint run = 1; run < 6; run++)
        g_assert_no_error (overrun_try (&fixture, run));
      session_fixture_close (&fixture);
    }
}

/* What the kernel writes is the host's memory. */
static void
test_overrun_of_a_mapped_result (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  overrun_open (&fixture, "writes", " mode=mapped", LEAT_EXECUTOR_GRAPH);
  error = overrun_try (&fixture, 1);
  overrun_assert_told (error, "kernel \"k\"", "behind the end of k.y");
  session_fixture_close (&fixture);
}

/* It begins where something larger lay that is not needed any more. */
static void
test_overrun_after_something_larger (void)
{
  SessionFixture fixture;
  g_autofree char *text = g_strdup_printf (LATER, file, file, file);
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  error = overrun_try (&fixture, 1);
  overrun_assert_told (error, "kernel \"k\"", "behind the end of k.y, which has 256 bytes: at byte 256");
  session_fixture_close (&fixture);
}

/* A state, and who writes it is one that begins behind the end of what it was given. */
static void
test_overrun_of_a_state (void)
{
  SessionFixture fixture;
  g_autofree char *text = g_strdup_printf (KEPT, file);
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  error = overrun_try (&fixture, 1);
  overrun_assert_told (error, "kernel \"k\"", "which has 256 bytes: at byte 256");
  session_fixture_close (&fixture);
}

static void
test_overrun_in_a_batch (gconstpointer entry)
{
  gboolean right = strcmp (entry, "right") == 0;
  SessionFixture fixture;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref), results = NULL;
  g_autoptr (GError) error = NULL;

  overrun_open (&fixture, entry, " mode=copy", LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "batch", 8, NULL);
  for (guint lane = 0; lane < 8; lane++)
    {
      guint32 x[N];

      overrun_fill (x, lane);
      g_ptr_array_add (inputs, g_bytes_new (x, sizeof x));
    }
  leat_session_replay_batch (fixture.session, 8, inputs, &results, NULL, &error);
  if (right)
    g_assert_no_error (error);
  else
    overrun_assert_told (error, "kernel \"k\"", "behind the end of k.y");
  session_fixture_close (&fixture);
}

/* The rest is for AddressSanitizer, which ends the program. */

static gboolean
overrun_is_watched (void)
{
#ifdef __SANITIZE_ADDRESS__
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = leat_device_open (NULL, &error);

  g_assert_no_error (error);
  if (leat_device_is_cpu (device))
    return TRUE;
  g_test_skip ("AddressSanitizer does not see a GPU's memory");
#else
  g_test_skip ("this is a build without AddressSanitizer (./dev sanitize)");
#endif
  return FALSE;
}

static void
overrun_assert_ends (const char *report)
{
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr (report);
}

/* A kernel that is compiled with it, also where it only reads; the line in the kernel's file is named. */
static void
test_overrun_ends_a_kernel (gconstpointer entry)
{
  if (g_test_subprocess ())
    {
      SessionFixture fixture;

      g_setenv ("LEAT_KERNEL_SANITIZE", "address", TRUE);
      overrun_open (&fixture, entry, "", LEAT_EXECUTOR_EAGER);
      g_clear_error (&(GError *){ overrun_try (&fixture, 1) });
      session_fixture_close (&fixture);
      return;
    }
  if (overrun_is_watched ())
    overrun_assert_ends ("*AddressSanitizer: use-after-poison*overrun.cu:*");
}

static LeatMemory *
overrun_take (LeatDevice *device, LeatMemoryKind kind)
{
  g_autoptr (GError) error = NULL;
  LeatMemory *memory = leat_memory_new (device, kind, 1100, "a test", &error);

  g_assert_no_error (error);
  return memory;
}

/* What the pool has rounded up, when the host writes there. */
static void
test_overrun_ends_the_host (gconstpointer kind)
{
  if (g_test_subprocess ())
    {
      g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);
      g_autoptr (LeatMemory) memory = overrun_take (device, GPOINTER_TO_INT (kind));
      guint8 *bytes = (guint8 *) (guintptr) leat_memory_get_address (memory);

      memset (bytes, 1, 1100);
      g_printerr ("so far all is well\n");
      bytes[1100] = 1;
      return;
    }
  if (overrun_is_watched ())
    overrun_assert_ends ("*so far all is well*AddressSanitizer: use-after-poison*test_overrun_ends_the_host*");
}

/* And when the driver does. */
static void
test_overrun_ends_the_driver (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);
      g_autoptr (LeatMemory) memory = overrun_take (device, LEAT_MEMORY_DEVICE);
      const LeatDriverTable *table = leat_device_get_table (device);

      g_assert_true (leat_device_push (device, NULL));
      (*table->cuMemsetD8) (leat_memory_get_address (memory), 1, 1100);
      (*table->cuStreamSynchronize) (NULL);
      g_printerr ("so far all is well\n");
      (*table->cuMemsetD8) (leat_memory_get_address (memory), 1, 1101);
      (*table->cuStreamSynchronize) (NULL);
      leat_device_pop (device);
      return;
    }
  if (overrun_is_watched ())
    overrun_assert_ends ("*so far all is well*AddressSanitizer: use-after-poison*");
}

/* A block that was given back, which the pool keeps, and has again when it was taken. */
static void
test_overrun_ends_who_has_nothing (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);
      LeatMemory *memory = overrun_take (device, LEAT_MEMORY_DEVICE);
      guint8 *bytes = (guint8 *) (guintptr) leat_memory_get_address (memory);

      leat_memory_free (memory);
      memory = overrun_take (device, LEAT_MEMORY_DEVICE);
      g_assert_true ((guint8 *) (guintptr) leat_memory_get_address (memory) == bytes);
      memset (bytes, 1, 1100);
      leat_memory_free (memory);
      g_printerr ("so far all is well\n");
      bytes[0] = 1;
      return;
    }
  if (overrun_is_watched ())
    overrun_assert_ends ("*so far all is well*AddressSanitizer: use-after-poison*");
}

static void
add (const char *name, GTestDataFunc test)
{
  static const char *const names[] = { "graph", "eager", "resident" };
  static const LeatExecutor executors[] = { LEAT_EXECUTOR_GRAPH, LEAT_EXECUTOR_EAGER, LEAT_EXECUTOR_PERSISTENT_AUTO };

  for (guint i = 0; i < G_N_ELEMENTS (executors); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/session/overrun/%s/%s", name, names[i]);

      g_test_add_data_func (path, GINT_TO_POINTER (executors[i]), test);
    }
}

/* A program that is ended removes nothing: those that a case starts have the folder of the first. */
static void
overrun_write_kernels (void)
{
  folder = g_test_subprocess () ? g_strdup (g_getenv ("OVERRUN_FOLDER")) : g_dir_make_tmp ("leat-overrun-XXXXXX", NULL);
  file = g_build_filename (folder, "overrun.cu", NULL);
  if (g_test_subprocess ())
    return;
  g_setenv ("OVERRUN_FOLDER", folder, TRUE);
  g_assert_true (g_file_set_contents (file, kernels, -1, NULL));
}

static void
overrun_remove_kernels (void)
{
  if (!g_test_subprocess ())
    {
      g_unlink (file);
      g_rmdir (folder);
    }
  g_free (file);
  g_free (folder);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  overrun_write_kernels ();
  add ("is-told", test_overrun_is_told);
  add ("right-is-not-told", test_overrun_right_is_not_told);
  add ("transfers-are-not-told", test_overrun_transfers_are_not_told);
  g_test_add_func ("/leat/session/overrun/of-a-mapped-result", test_overrun_of_a_mapped_result);
  g_test_add_func ("/leat/session/overrun/after-something-larger", test_overrun_after_something_larger);
  g_test_add_func ("/leat/session/overrun/of-a-state", test_overrun_of_a_state);
  g_test_add_data_func ("/leat/session/overrun/in-a-batch/wrong", "writes", test_overrun_in_a_batch);
  g_test_add_data_func ("/leat/session/overrun/in-a-batch/right", "right", test_overrun_in_a_batch);
  g_test_add_data_func ("/leat/session/overrun/ends-a-kernel/writes", "writes", test_overrun_ends_a_kernel);
  g_test_add_data_func ("/leat/session/overrun/ends-a-kernel/reads", "reads", test_overrun_ends_a_kernel);
  g_test_add_data_func ("/leat/session/overrun/ends-the-host/device", GINT_TO_POINTER (LEAT_MEMORY_DEVICE),
                        test_overrun_ends_the_host);
  g_test_add_data_func ("/leat/session/overrun/ends-the-host/pinned", GINT_TO_POINTER (LEAT_MEMORY_PINNED),
                        test_overrun_ends_the_host);
  g_test_add_func ("/leat/session/overrun/ends-the-driver", test_overrun_ends_the_driver);
  g_test_add_func ("/leat/session/overrun/ends-who-has-nothing", test_overrun_ends_who_has_nothing);
  status = g_test_run ();
  overrun_remove_kernels ();
  return status;
}
