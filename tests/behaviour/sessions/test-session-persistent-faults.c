/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-driver.h"
#include "persistent-fixture.h"

/* A persistent kernel and dies, or never ends: it cannot say that it is gone, and nobody waits for its run. */

#define LIMIT_MS 50
#define MOST_US  (20 * G_USEC_PER_SEC)

static void
open_and_launch (SessionFixture *fixture, const char *plant)
{
  float x[PERSISTENT_N];
  g_autoptr (GBytes) input = NULL;
  g_autoptr (GError) error = NULL;

  persistent_fill (x, 1);
  input = g_bytes_new (x, sizeof x);
  fault_driver_plant ("");
  persistent_open (fixture, PERSISTENT_ONE, LEAT_EXECUTOR_PERSISTENT, 5000, LIMIT_MS);
  fault_driver_plant_on (plant);
  leat_app_push_bytes (fixture->source, input, &error);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_launch (fixture->session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
}

static void
check_that_all_is_well (void)
{
  SessionFixture fixture;

  fault_driver_plant ("");
  persistent_open (&fixture, PERSISTENT_ONE, LEAT_EXECUTOR_PERSISTENT, 5000, 0);
  persistent_check_scaled (&fixture, 2);
  session_fixture_close (&fixture);
}

static void
test_persistent_faults_dead (void)
{
  gint64 begin = g_get_monotonic_time ();
  SessionFixture fixture;

  open_and_launch (&fixture, "launch:1=ILLEGAL_ADDRESS");
  session_fixture_close (&fixture);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, MOST_US);
  check_that_all_is_well ();
}

/* Last of all, for a call of another session, and for the close: the device is lost to this process, and keeps what the
 * kernel may still use. */
static void
test_persistent_faults_hung (void)
{
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (LeatPipeline) pipeline = persistent_parse (PERSISTENT_COPIES);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  open_and_launch (&fixture, "launch:1=hang");
  g_assert_false (leat_session_open (session, NULL, &error));
  g_assert_nonnull (error);
  g_assert_cmpint (error->domain, ==, LEAT_DRIVER_ERROR);
  g_clear_error (&error);
  leat_session_close (fixture.session);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, MOST_US);
  g_assert_false (leat_session_open (fixture.session, NULL, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_DEVICE_LOST);
  g_object_unref (fixture.session);
  g_object_unref (fixture.pipeline);
}

/* A call of another session, for which the kernel is to leave. */
static void
test_persistent_faults_neighbour (void)
{
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (LeatPipeline) pipeline = persistent_parse (PERSISTENT_COPIES);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  open_and_launch (&fixture, "launch:1=ILLEGAL_ADDRESS");
  g_assert_false (leat_session_open (session, NULL, &error));
  g_assert_nonnull (error);
  g_assert_cmpint (error->domain, ==, LEAT_DRIVER_ERROR);
  session_fixture_close (&fixture);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, MOST_US);
  check_that_all_is_well ();
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!fault_driver_init_or_skip ())
    return 0;
  persistent_init ();
  g_test_add_func ("/leat/session-persistent-faults/dead", test_persistent_faults_dead);
  g_test_add_func ("/leat/session-persistent-faults/neighbour", test_persistent_faults_neighbour);
  g_test_add_func ("/leat/session-persistent-faults/hung", test_persistent_faults_hung);
  status = g_test_run ();
  persistent_clear ();
  return status;
}
