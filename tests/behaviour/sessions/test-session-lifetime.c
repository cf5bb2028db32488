/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fault-driver.h"
#include "session-fixture.h"

#include "driver/leat-driver-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* What stays, and for how long, when a run fails half way or a device goes. */

#define MAP "app name=source spec=f32[4] -> upload -> map expr=\"2*x\" -> readback -> app name=sink\n"

static const float x[4] = { 1, 2, 3, 4 }, twice[4] = { 2, 4, 6, 8 };

static void
run_and_check (SessionFixture *fixture)
{
  g_autoptr (GBytes) output = session_fixture_run (fixture, x, sizeof x);

  g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), twice, sizeof twice);
}

/* A run that must fail; nothing may come from it. */
static void
fail_and_check (SessionFixture *fixture, GQuark domain, int code)
{
  g_autoptr (GBytes) input = g_bytes_new (x, sizeof x);
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_app_push_bytes (fixture->source, input, NULL));
  g_assert_cmpint (leat_session_replay (fixture->session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, domain, code);
  g_assert_null (leat_app_pull_bytes (fixture->sink, 0, NULL));
}

/* What is kept has the plan with it, and so the pipeline. */
static void
drop (SessionFixture *fixture)
{
  leat_session_close (fixture->session);
  g_object_unref (fixture->session);
  g_object_unref (fixture->pipeline);
}

/* From the second call of a run on all fail, so nothing can prove that what was begun has ended: all of it stays, and
 * is nobody else's, until a session can prove it. */
static void
test_lifetime_keeps_what_may_be_in_flight (gconstpointer executor)
{
  SessionFixture fixture, next;
  guint64 alive;

  fault_driver_plant ("");
  session_fixture_open (&fixture, MAP, GPOINTER_TO_INT (executor));
  run_and_check (&fixture);
  alive = fault_driver_count_alive ();
  fault_driver_plant ("call:2+");
  fail_and_check (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_FAILED);
  drop (&fixture);
  g_assert_cmpuint (fault_driver_count_alive (), ==, alive);

  fault_driver_plant ("");
  session_fixture_open (&next, MAP, GPOINTER_TO_INT (executor));
  g_assert_cmpuint (fault_driver_count_alive (), <=, alive);
  run_and_check (&next);
  session_fixture_close (&next);
  g_assert_cmpuint (fault_driver_count_alive (), ==, 0);
}

/* Kept memory counts as in use: the pool gives it to nobody. */
static void
test_lifetime_kept_memory_is_not_reused (void)
{
  SessionFixture fixture;
  g_autoptr (LeatDevice) device = NULL;
  LeatMemoryCounts before, after;

  fault_driver_plant ("");
  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  device = g_object_ref (leat_session_get_device (fixture.session));
  run_and_check (&fixture);
  leat_device_get_memory_counts (device, LEAT_MEMORY_PINNED, &before);
  g_assert_cmpuint (before.live_count, >, 0);
  fault_driver_plant ("call:2+");
  fail_and_check (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_FAILED);
  drop (&fixture);
  leat_device_get_memory_counts (device, LEAT_MEMORY_PINNED, &after);
  g_assert_cmpuint (after.live_count, ==, before.live_count);

  fault_driver_plant ("");
  g_assert_true (leat_device_settle (device));
  leat_device_get_memory_counts (device, LEAT_MEMORY_PINNED, &after);
  g_assert_cmpuint (after.live_count, ==, 0);
  g_clear_object (&device);
  g_assert_cmpuint (fault_driver_count_alive (), ==, 0);
}

static void
on_released (gpointer thing)
{
  ++*(guint *) thing;
}

/* A device whose work hangs proves nothing, ever; one that failed runs nothing any more. */
static void
test_lifetime_quarantine (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = NULL;
  guint released = 0;

  fault_driver_plant ("");
  device = leat_device_open (NULL, &error);
  g_assert_no_error (error);
  g_assert_true (leat_device_settle (device));
  leat_device_quarantine (device, &released, on_released);
  leat_device_quarantine (device, &released, on_released);
  fault_driver_plant ("call:1+");
  g_assert_false (leat_device_settle (device));
  g_assert_cmpuint (released, ==, 0);
  fault_driver_plant ("");
  g_assert_true (leat_device_settle (device));
  g_assert_cmpuint (released, ==, 2);

  leat_device_quarantine (device, &released, on_released);
  leat_device_mark_dead (device, "it failed");
  g_assert_true (leat_device_settle (device));
  g_assert_cmpuint (released, ==, 3);
}

/* With what is called off as a hang does, no memory is given back: the driver would wait for it. */
static void
test_lifetime_hung (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = leat_device_open (NULL, &error);
  guint released = 0;

  g_assert_no_error (error);
  leat_device_quarantine (device, &released, on_released);
  leat_device_mark_hung (device, "it hangs");
  g_assert_true (leat_device_is_dead (device));
  g_assert_false (leat_device_settle (device));
  g_assert_cmpuint (released, ==, 0);
}

/* A second device: the same driver once more, from a file of another name. */
static char *
make_second_driver (const char *first)
{
  g_autofree char *folder = g_dir_make_tmp ("leat-second-XXXXXX", NULL);
  char *path = g_build_filename (folder, "libleat-cpu.so.1", NULL);
  g_autofree char *contents = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (first, &contents, &size, NULL));
  g_assert_true (g_file_set_contents (path, contents, size, NULL));
  return path;
}

static void
remove_second_driver (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_unlink (path);
  g_rmdir (folder);
}

/* Each call that is made once for a driver, when it is opened; the next attempt is as good as the first. */
static void
test_lifetime_driver_fails_to_open (void)
{
  static const char *const calls[] = { "cuDriverGetVersion", "cuInit", "cuDeviceGetCount" };
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = NULL;
  g_autofree char *first = leat_driver_find_cpu (&error);
  g_autofree char *second = make_second_driver (first);

  g_setenv ("LEAT_CPU_DRIVER", second, TRUE);
  fault_driver_use (second);
  for (guint n = 0; n < G_N_ELEMENTS (calls); n++)
    {
      g_autofree char *plan = g_strdup_printf ("call:%u", n + 1);

      fault_driver_plant (plan);
      g_assert_null (leat_device_open (NULL, &error));
      g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_FAILED);
      g_assert_nonnull (strstr (error->message, calls[n]));
      g_clear_error (&error);
    }
  fault_driver_plant ("");
  device = leat_device_open (NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (device);
  g_setenv ("LEAT_CPU_DRIVER", first, TRUE);
  fault_driver_use (first);
  remove_second_driver (second);
}

static void
test_lifetime_device_lost (gconstpointer executor)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *first = leat_driver_find_cpu (&error);
  g_autofree char *second = make_second_driver (first);
  SessionFixture here, lost, other, next;
  LeatDevice *device;

  fault_driver_plant ("");
  session_fixture_open (&here, MAP, GPOINTER_TO_INT (executor));
  g_setenv ("LEAT_CPU_DRIVER", second, TRUE);
  session_fixture_open (&lost, MAP, GPOINTER_TO_INT (executor));
  session_fixture_open (&other, MAP, GPOINTER_TO_INT (executor));
  device = leat_session_get_device (lost.session);
  g_assert_true (device == leat_session_get_device (other.session));
  g_assert_true (device != leat_session_get_device (here.session));
  run_and_check (&lost);
  run_and_check (&other);
  run_and_check (&here);

  fault_driver_use (second);
  fault_driver_plant ("device-lost:1");
  fail_and_check (&lost, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_DEVICE_LOST);
  g_assert_true (leat_device_is_dead (device));
  fail_and_check (&lost, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_DEVICE_LOST);
  g_assert_cmpuint (fault_driver_count_calls (), >, 0);
  fault_driver_plant ("");
  fail_and_check (&other, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_DEVICE_LOST);
  g_assert_cmpuint (fault_driver_count_calls (), ==, 0);
  error = session_fixture_fail (MAP, NULL);
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_DEVICE_LOST);
  run_and_check (&here);

  session_fixture_close (&lost);
  session_fixture_close (&other);
  g_assert_cmpuint (fault_driver_count_alive (), ==, 0);
  g_setenv ("LEAT_CPU_DRIVER", first, TRUE);
  fault_driver_use (first);
  session_fixture_open (&next, MAP, GPOINTER_TO_INT (executor));
  run_and_check (&next);
  run_and_check (&here);
  session_fixture_close (&next);
  session_fixture_close (&here);
  g_assert_cmpuint (fault_driver_count_alive (), ==, 0);
  remove_second_driver (second);
}

int
main (int argc, char **argv)
{

  g_test_init (&argc, &argv, NULL);
  if (!fault_driver_init_or_skip ())
    return 0;
  g_test_add_data_func ("/leat/session/lifetime/keeps-what-may-be-in-flight/graph",
                        GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test_lifetime_keeps_what_may_be_in_flight);
  g_test_add_data_func ("/leat/session/lifetime/keeps-what-may-be-in-flight/eager",
                        GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test_lifetime_keeps_what_may_be_in_flight);
  g_test_add_func ("/leat/session/lifetime/driver-fails-to-open", test_lifetime_driver_fails_to_open);
  g_test_add_func ("/leat/session/lifetime/kept-memory-is-not-reused", test_lifetime_kept_memory_is_not_reused);
  g_test_add_func ("/leat/session/lifetime/quarantine", test_lifetime_quarantine);
  g_test_add_func ("/leat/session/lifetime/hung", test_lifetime_hung);
  g_test_add_data_func ("/leat/session/lifetime/device-lost/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_lifetime_device_lost);
  g_test_add_data_func ("/leat/session/lifetime/device-lost/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_lifetime_device_lost);
  return g_test_run ();
}
