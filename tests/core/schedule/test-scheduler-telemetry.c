/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "scheduler-fixture.h"

#include "behaviour/sessions/exposition.h"

#include <string.h>

/* What a scheduler tells of itself, in each of the three ways: they say the same. */

#define N_SESSIONS 3

static guint64
get (GVariant *dict, const char *name)
{
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (dict, name, "t", &value));
  return value;
}

static gboolean
is (GVariant *dict, const char *name)
{
  gboolean value;

  g_assert_true (g_variant_lookup (dict, name, "b", &value));
  return value;
}

/* A run is told of before its place is free. */
static void
await_idle (SchedulerFixture *fixture)
{
  for (guint i = 0; scheduler_fixture_get_count (fixture, -1, "running") > 0; i++)
    {
      g_assert_cmpuint (i, <, 10000);
      g_usleep (1000);
    }
}

/* The third is evicted; the second is paused, and a run waits in it; three of the first were done, one too late. */
static void
set_up (SchedulerFixture *fixture, FixtureRun *runs)
{
  g_autoptr (GError) error = NULL;

  scheduler_fixture_open (fixture, N_SESSIONS);
  for (guint i = 0; i < N_SESSIONS; i++)
    {
      g_autofree char *name = g_strdup_printf ("the \"%u\"", i);

      g_object_set (scheduler_fixture_get (fixture, i), "name", name, "priority",
                    i == 0 ? LEAT_PRIORITY_HIGH : LEAT_PRIORITY_LOW, NULL);
    }
  leat_scheduler_pause (fixture->scheduler, scheduler_fixture_get (fixture, 0));
  scheduler_fixture_submit (fixture, &runs[0], 0, 0, NULL);
  scheduler_fixture_submit (fixture, &runs[1], 0, g_get_monotonic_time () + 20000, NULL);
  scheduler_fixture_submit (fixture, &runs[2], 0, 0, NULL);
  g_usleep (30000);
  leat_scheduler_resume (fixture->scheduler, scheduler_fixture_get (fixture, 0));
  scheduler_fixture_await (fixture, runs, 3);
  await_idle (fixture);
  leat_scheduler_pause (fixture->scheduler, scheduler_fixture_get (fixture, 1));
  scheduler_fixture_submit (fixture, &runs[3], 1, 0, NULL);
  g_assert_true (leat_session_evict (scheduler_fixture_get (fixture, 2), NULL, &error));
  g_assert_no_error (error);
}

static void
tear_down (SchedulerFixture *fixture, FixtureRun *runs)
{
  leat_scheduler_resume (fixture->scheduler, scheduler_fixture_get (fixture, 1));
  scheduler_fixture_await (fixture, runs, 4);
  for (guint i = 0; i < 4; i++)
    scheduler_fixture_clear_run (&runs[i]);
  scheduler_fixture_close (fixture);
}

/* What the plan says that a session takes. */
static guint64
get_planned_bytes (SchedulerFixture *fixture)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (scheduler_fixture_get (fixture, 0));

  g_assert_cmpuint (leat_plan_get_device_bytes (plan), >, 0);
  return leat_plan_get_device_bytes (plan);
}

static void
check_all (SchedulerFixture *fixture, GVariant *all)
{
  g_assert_cmpuint (get (all, "sessions"), ==, N_SESSIONS);
  g_assert_cmpuint (get (all, "sessions-waiting"), ==, 1);
  g_assert_cmpuint (get (all, "sessions-evicted"), ==, 1);
  g_assert_cmpuint (get (all, "queued"), ==, 1);
  g_assert_cmpuint (get (all, "running"), ==, 0);
  g_assert_cmpuint (get (all, "submitted"), ==, 4);
  g_assert_cmpuint (get (all, "done"), ==, 3);
  g_assert_cmpuint (get (all, "missed"), ==, 1);
  g_assert_cmpuint (get (all, "evictions"), ==, 0); /* the test did it, and not the scheduler */
  g_assert_cmpuint (get (all, "admitted-bytes"), ==, 2 * get_planned_bytes (fixture));
  g_assert_false (is (all, "paused"));
}

static void
check_one (SchedulerFixture *fixture, GVariant *one, guint i)
{
  const char *priority;

  g_assert_true (g_variant_lookup (one, "priority", "&s", &priority));
  g_assert_cmpstr (priority, ==, i == 0 ? "high" : "low");
  g_assert_cmpuint (get (one, "done"), ==, i == 0 ? 3 : 0);
  g_assert_cmpuint (get (one, "missed"), ==, i == 0 ? 1 : 0);
  g_assert_cmpuint (get (one, "queued"), ==, i == 1 ? 1 : 0);
  g_assert_cmpint (is (one, "paused"), ==, i == 1);
  g_assert_cmpint (is (one, "evicted"), ==, i == 2);
  g_assert_cmpuint (get (one, "admitted-bytes"), ==, i == 2 ? 0 : get_planned_bytes (fixture));
}

static void
test_telemetry_stats (void)
{
  SchedulerFixture fixture;
  FixtureRun runs[4];
  g_autoptr (GVariant) all = NULL;

  set_up (&fixture, runs);
  all = leat_scheduler_dup_stats (fixture.scheduler, NULL);
  check_all (&fixture, all);
  g_object_set (fixture.scheduler, "budget", (guint64) 123456, NULL);
  g_clear_pointer (&all, g_variant_unref);
  all = leat_scheduler_dup_stats (fixture.scheduler, NULL);
  g_assert_cmpuint (get (all, "allowed-bytes"), ==, 123456);
  for (guint i = 0; i < N_SESSIONS; i++)
    {
      g_autoptr (GVariant) one = leat_scheduler_dup_stats (fixture.scheduler, scheduler_fixture_get (&fixture, i));

      check_one (&fixture, one, i);
    }
  tear_down (&fixture, runs);
}

static void
check_session_id (SchedulerFixture *fixture, GVariant *snapshot, GVariant *member, guint i)
{
  g_autoptr (GVariant) sessions = g_variant_lookup_value (snapshot, "sessions", NULL);
  const char *name = NULL, *other = NULL;

  g_assert_cmpuint (get (member, "number"), ==, i + 1);
  g_assert_true (g_variant_lookup (member, "name", "&s", &name));
  for (gsize k = 0; k < g_variant_n_children (sessions); k++)
    {
      g_autoptr (GVariant) session = g_variant_get_child_value (sessions, k);

      if (get (session, "id") == get (member, "session"))
        g_variant_lookup (session, "name", "&s", &other);
    }
  g_assert_cmpstr (name, ==, other);
}

static void
test_telemetry_snapshot (void)
{
  SchedulerFixture fixture;
  FixtureRun runs[4];
  g_autoptr (GVariant) snapshot = NULL, schedulers = NULL, one = NULL, members = NULL, after = NULL, none = NULL;
  const char *device;

  set_up (&fixture, runs);
  snapshot = leat_monitor_dup_snapshot ();
  schedulers = g_variant_lookup_value (snapshot, "schedulers", NULL);
  g_assert_cmpuint (g_variant_n_children (schedulers), ==, 1);
  one = g_variant_get_child_value (schedulers, 0);
  g_assert_true (g_variant_lookup (one, "device", "&s", &device));
  g_assert_cmpstr (device, ==, leat_device_get_id (leat_session_get_device (scheduler_fixture_get (&fixture, 0))));
  check_all (&fixture, one);
  members = g_variant_lookup_value (one, "members", NULL);
  g_assert_cmpuint (g_variant_n_children (members), ==, N_SESSIONS);
  for (guint i = 0; i < N_SESSIONS; i++)
    {
      g_autoptr (GVariant) member = g_variant_get_child_value (members, i);

      check_one (&fixture, member, i);
      check_session_id (&fixture, snapshot, member, i);
    }
  tear_down (&fixture, runs);
  after = leat_monitor_dup_snapshot ();
  none = g_variant_lookup_value (after, "schedulers", NULL);
  g_assert_cmpuint (g_variant_n_children (none), ==, 0);
}

static void
check_sample (GHashTable *samples, const char *device, const char *name, const char *more, guint64 value)
{
  g_autofree char *key =
    g_strdup_printf ("leat_scheduler_%s{device=\"%s\",scheduler=\"a\\\\b\"%s}", name, device, more);
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, value);

  g_test_message ("%s", key);
  g_assert_cmpstr (g_hash_table_lookup (samples, key), ==, text);
}

static void
test_telemetry_prometheus (void)
{
  SchedulerFixture fixture;
  FixtureRun runs[4];
  g_autofree char *text = NULL;
  g_autoptr (GHashTable) samples = NULL;
  const char *device;
  guint64 bytes;

  set_up (&fixture, runs);
  text = leat_scheduler_to_prometheus (fixture.scheduler, "a\\b");
  samples = exposition_parse (text);
  device = leat_device_get_id (leat_session_get_device (scheduler_fixture_get (&fixture, 0)));
  bytes = get_planned_bytes (&fixture);
  check_sample (samples, device, "sessions", "", N_SESSIONS);
  check_sample (samples, device, "sessions_waiting", "", 1);
  check_sample (samples, device, "sessions_running", "", 0);
  check_sample (samples, device, "sessions_evicted", "", 1);
  check_sample (samples, device, "missed_deadlines_total", "", 1);
  check_sample (samples, device, "evictions_total", "", 0);
  check_sample (samples, device, "admitted_bytes", "", 2 * bytes);
  check_sample (samples, device, "session_missed_deadlines_total",
                ",pipeline=\"the \\\"0\\\"\",session=\"1\",priority=\"high\"", 1);
  check_sample (samples, device, "session_paused", ",pipeline=\"the \\\"1\\\"\",session=\"2\",priority=\"low\"", 1);
  check_sample (samples, device, "session_admitted_bytes", ",pipeline=\"the \\\"2\\\"\",session=\"3\",priority=\"low\"",
                0);
  tear_down (&fixture, runs);
}

static void
test_telemetry_prometheus_without_sessions (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = leat_device_open (NULL, &error);
  g_autoptr (LeatScheduler) scheduler = NULL;
  g_autoptr (GHashTable) samples = NULL;
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  scheduler = leat_scheduler_new (device);
  text = leat_scheduler_to_prometheus (scheduler, "");
  samples = exposition_parse (text);
  g_assert_cmpuint (g_hash_table_size (samples), >, 10);
  g_assert_null (strstr (text, "session_"));
}

static gpointer
ask_often (gpointer stop)
{
  while (!g_atomic_int_get ((gint *) stop))
    g_variant_unref (leat_monitor_dup_snapshot ());
  return NULL;
}

/* Whoever watches may do so while schedulers come and go. */
static void
test_telemetry_while_they_go (void)
{
  gint stop = FALSE;
  GThread *thread = g_thread_new ("watch", ask_often, &stop);

  for (guint round = 0; round < 10; round++)
    {
      SchedulerFixture fixture;
      FixtureRun runs[6];

      scheduler_fixture_open (&fixture, 2);
      for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
        scheduler_fixture_submit (&fixture, &runs[i], i % 2, 0, NULL);
      scheduler_fixture_await (&fixture, runs, G_N_ELEMENTS (runs));
      for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
        scheduler_fixture_clear_run (&runs[i]);
      scheduler_fixture_close (&fixture);
    }
  g_atomic_int_set (&stop, TRUE);
  g_thread_join (thread);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/scheduler/telemetry/stats", test_telemetry_stats);
  g_test_add_func ("/leat/scheduler/telemetry/snapshot", test_telemetry_snapshot);
  g_test_add_func ("/leat/scheduler/telemetry/prometheus", test_telemetry_prometheus);
  g_test_add_func ("/leat/scheduler/telemetry/prometheus/without-sessions", test_telemetry_prometheus_without_sessions);
  g_test_add_func ("/leat/scheduler/telemetry/while-they-go", test_telemetry_while_they_go);
  return g_test_run ();
}
