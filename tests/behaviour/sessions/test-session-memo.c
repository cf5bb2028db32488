/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include "driver/leat-driver-private.h"

#define N   1024
#define MAP "app name=source spec=f32[<=1024] -> upload -> map expr=\"a*x+b\" a=2 b=1 -> readback -> app name=sink\n"

static void
open_with_memo (SessionFixture *fixture, const char *text)
{
  g_autoptr (GError) error = NULL;

  session_fixture_open (fixture, text, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture->session);
  g_object_set (fixture->session, "memo", LEAT_MEMO_EXACT, NULL);
  leat_session_open (fixture->session, NULL, &error);
  g_assert_no_error (error);
}

static void
run_and_check (SessionFixture *fixture, guint n, guint seed)
{
  float x[N] = { 0 };
  g_autoptr (GBytes) output = NULL;
  const float *y;

  for (guint i = 0; i < n; i++)
    x[i] = (float) ((i * 7 + seed) % 2053);
  output = session_fixture_run (fixture, x, n * sizeof *x);
  y = g_bytes_get_data (output, NULL);
  g_assert_cmpuint (g_bytes_get_size (output), ==, n * sizeof *x);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (y[i], ==, 2 * x[i] + 1);
}

/* A result that is known needs nothing of the device: the trace is empty. */
static void
test_session_memo_spares_the_device (void)
{
  SessionFixture fixture;
  LeatDriver *driver;
  g_autofree char *log = NULL;
  g_autoptr (GError) error = NULL;

  open_with_memo (&fixture, MAP);
  for (guint seed = 0; seed < 4; seed++)
    run_and_check (&fixture, N - seed, seed);
  driver = leat_device_get_driver (leat_session_get_device (fixture.session));
  leat_driver_trace_start (driver, TRUE, &error);
  g_assert_no_error (error);
  for (guint seed = 0; seed < 4; seed++)
    run_and_check (&fixture, N - seed, seed);
  log = leat_driver_trace_print (driver);
  leat_driver_trace_stop (driver);
  g_assert_cmpstr (log, ==, "");
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs"), ==, 8);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-full"), ==, 4);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-hits"), ==, 4);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-lookups"), ==, 8);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-held"), ==, 4);
  session_fixture_close (&fixture);
}

static void
test_session_memo_runs_what_is_new (void)
{
  SessionFixture fixture;

  open_with_memo (&fixture, MAP);
  run_and_check (&fixture, 10, 1);
  run_and_check (&fixture, 11, 1); /* a longer input that begins alike */
  run_and_check (&fixture, 10, 2);
  run_and_check (&fixture, 0, 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-hits"), ==, 0);
  run_and_check (&fixture, 0, 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-hits"), ==, 1);
  session_fixture_close (&fixture);
}

/* What lies behind the items of a shorter input is no part of it. */
static void
test_session_memo_looks_at_items_alone (void)
{
  static const guint counts[] = { 10, N, 0, N - 1, 10, 0, N };
  SessionFixture fixture;

  open_with_memo (&fixture, MAP);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    run_and_check (&fixture, counts[i], counts[i]);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-hits"), ==, 3);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-held"), ==, 4);
  session_fixture_close (&fixture);
}

#define BYTES 2048

/* Nor does it take room: a short input and its result are kept where long ones have no place. */
static void
test_session_memo_keeps_items_alone (void)
{
  const guint too_many = BYTES / 2 / sizeof (float); /* with their results, and what tells how many they are */
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  open_with_memo (&fixture, MAP);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "memo-bytes", (guint64) BYTES, NULL);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  run_and_check (&fixture, too_many, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-held"), ==, 0);
  run_and_check (&fixture, too_many / 2, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-held"), ==, 1);
  run_and_check (&fixture, too_many, 1);
  run_and_check (&fixture, too_many / 2, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-hits"), ==, 1);
  session_fixture_close (&fixture);
}

static guint
count_memo_warnings (LeatPipeline *pipeline)
{
  guint count = 0;

  for (;;)
    {
      g_autoptr (LeatMessage) message = leat_bus_pop (leat_pipeline_get_bus (pipeline), 0);

      if (message == NULL)
        return count;
      count += g_error_matches (leat_message_get_error (message), LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMO);
    }
}

static void
test_session_memo_turns_itself_off (void)
{
  SessionFixture fixture;

  open_with_memo (&fixture, MAP);
  for (guint seed = 0; seed < 255; seed++)
    run_and_check (&fixture, N, seed);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-held"), ==, 32);
  g_assert_cmpuint (count_memo_warnings (fixture.pipeline), ==, 0);
  for (guint seed = 255; seed < 300; seed++)
    run_and_check (&fixture, N, seed);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-lookups"), ==, 256);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-held"), ==, 0);
  g_assert_cmpuint (count_memo_warnings (fixture.pipeline), ==, 1);
  run_and_check (&fixture, N, 299);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-hits"), ==, 0);
  session_fixture_close (&fixture);
}

/* The work costs so much more than looking that no noise of the machine hides it. */
static void
test_session_memo_stays_on_where_it_pays (void)
{
  SessionFixture fixture;

  open_with_memo (&fixture, "app name=source spec=f32[<=1024] -> upload -> "
                            "map expr=\"2*x+1+0*(sin(x)+sin(x+1)+sin(x+2)+sin(x+3)+sin(x+4)+sin(x+5)+sin(x+6)+sin(x+7)+"
                            "sin(x+8)+sin(x+9)+sin(x+10)+sin(x+11)+sin(x+12)+sin(x+13)+sin(x+14)+sin(x+15))\" "
                            "-> readback -> app name=sink\n");
  for (guint run = 0; run < 600; run++)
    run_and_check (&fixture, N, run % 8);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-hits"), ==, 592);
  g_assert_cmpuint (count_memo_warnings (fixture.pipeline), ==, 0);
  session_fixture_close (&fixture);
}

/* A run that is over before it is completed, so that nobody knows how long it took. */
static void
launch_and_pause (SessionFixture *fixture, guint8 value)
{
  float x[N] = { value };
  g_autoptr (GBytes) input = g_bytes_new (x, sizeof x), output = NULL;
  g_autoptr (GError) error = NULL;

  leat_app_push_bytes (fixture->source, input, &error);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_launch (fixture->session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  g_usleep (session_fixture_get_count (fixture, "memo-hits") > 0 ? 0 : 200000);
  g_assert_cmpint (leat_session_complete (fixture->session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  output = leat_app_pull_bytes (fixture->sink, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (((const float *) g_bytes_get_data (output, NULL))[0], ==, 2 * value + 1);
}

/* What a hit saves is not known then, and is not taken for nothing. */
static void
test_session_memo_without_times (void)
{
  SessionFixture fixture;

  open_with_memo (&fixture, MAP);
  for (guint run = 0; run < 300; run++)
    launch_and_pause (&fixture, 3);
  if (session_fixture_get_count (&fixture, "runs-timed") > 0)
    g_test_skip ("the device's driver tells of each run how long it took, or it took more than 200 ms");
  else
    {
      g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-hits"), ==, 299);
      g_assert_cmpuint (count_memo_warnings (fixture.pipeline), ==, 0);
    }
  session_fixture_close (&fixture);
}

static void
test_session_memo_refuses_state (void)
{
  g_autoptr (LeatPipeline) pipeline =
    leat_parse_text ("app name=source spec=u8[<=4096] + upload + text:scan patterns=ab + readback + app name=sink",
                     LEAT_TEXT_STYLE_TERMINAL, NULL, NULL);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  g_autoptr (GError) error = NULL;

  g_object_set (session, "memo", LEAT_MEMO_EXACT, NULL);
  g_assert_false (leat_session_open (session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMO);
  g_assert_nonnull (strstr (error->message, "is kept from run to run"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/session/memo/spares-the-device", test_session_memo_spares_the_device);
  g_test_add_func ("/leat/session/memo/runs-what-is-new", test_session_memo_runs_what_is_new);
  g_test_add_func ("/leat/session/memo/looks-at-items-alone", test_session_memo_looks_at_items_alone);
  g_test_add_func ("/leat/session/memo/keeps-items-alone", test_session_memo_keeps_items_alone);
  g_test_add_func ("/leat/session/memo/turns-itself-off", test_session_memo_turns_itself_off);
  g_test_add_func ("/leat/session/memo/stays-on-where-it-pays", test_session_memo_stays_on_where_it_pays);
  g_test_add_func ("/leat/session/memo/without-times", test_session_memo_without_times);
  g_test_add_func ("/leat/session/memo/refuses-state", test_session_memo_refuses_state);
  return g_test_run ();
}
