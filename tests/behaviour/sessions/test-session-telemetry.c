/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "exposition.h"
#include "timing-fixture.h"
#include "session/leat-session-told-private.h"

#define CHAIN                                                                                                          \
  "app name=source spec=f32[1000] -> upload name=up mode=copy -> map name=twice expr=2*x -> readback name=back "       \
  "mode=copy -> app name=sink\n"
#define N     1000
#define BYTES (N * sizeof (float))

static void
run (SessionFixture *fixture, guint runs)
{
  for (guint i = 0; i < runs; i++)
    {
      float x[N] = { (float) i };
      g_autoptr (GBytes) output = session_fixture_run (fixture, x, sizeof x);

      g_assert_cmpfloat (*(const float *) g_bytes_get_data (output, NULL), ==, 2.0f * i);
    }
}

static void
check_text (LeatSession *session, const char *name, GVariant *value)
{
  g_autofree char *text = NULL;

  g_object_get (session, name, &text, NULL);
  g_assert_cmpstr (text, ==, g_variant_get_string (value, NULL));
}

/* A time is signed, as its difference to another may be; whoever asks for one number gets the same. */
static void
check_number (LeatSession *session, const char *name, GVariant *value)
{
  guint64 number = leat_session_get_number (session, name);

  g_test_message ("%s", name);
  if (g_str_has_suffix (name, "-us"))
    g_assert_cmpint (g_variant_get_int64 (value), ==, (gint64) number);
  else
    g_assert_cmpuint (g_variant_get_uint64 (value), ==, number);
}

/* The property is the dictionary.  Each of its texts is a property too. */
static void
test_telemetry_property (void)
{
  SessionFixture fixture;
  g_autoptr (GVariant) stats = NULL, same = NULL;
  GVariantIter iter;
  const char *name;
  GVariant *value;
  guint n = 0;

  session_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH);
  run (&fixture, 7);
  g_object_set (leat_pipeline_get_node (fixture.pipeline, "back", NULL), "mode", LEAT_TRANSFER_KERNEL, NULL);
  run (&fixture, 1);
  stats = leat_session_dup_stats (fixture.session);
  g_object_get (fixture.session, "stats", &same, NULL);
  g_assert_cmpvariant (stats, same);
  g_variant_iter_init (&iter, stats);
  while (g_variant_iter_loop (&iter, "{&sv}", &name, &value))
    if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
      check_text (fixture.session, name, value);
    else if (!g_variant_is_container (value))
      {
        check_number (fixture.session, name, value);
        n++;
      }
  g_assert_cmpuint (n, >=, 83);
  session_fixture_close (&fixture);
}

static void
test_telemetry_counts (void)
{
  static const struct
  {
    const char *name;
    guint64 value;
  } expected[] = {
    { "runs", 7 },         { "runs-full", 7 },         { "runs-reused", 0 },       { "memo-hits", 0 },
    { "items-in", 7 * N }, { "bytes-in", 7 * BYTES },  { "bytes-out", 7 * BYTES }, { "bytes-up", 7 * BYTES },
    { "changes", 0 },      { "bytes-back", 7 * BYTES }
  };
  SessionFixture fixture;

  session_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH);
  run (&fixture, 7);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_test_message ("%s", expected[i].name);
      g_assert_cmpuint (session_fixture_get_count (&fixture, expected[i].name), ==, expected[i].value);
    }
  session_fixture_close (&fixture);
}

/* What is left out on the way is not counted as sent. */
static void
test_telemetry_counts_resident (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatView view;

  session_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH);
  g_assert_true (leat_session_map_input (fixture.session, "source", &view, &error));
  g_assert_true (leat_session_map_output (fixture.session, "sink", &view, &error));
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-reused"), ==, 4);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "bytes-up"), ==, BYTES);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "bytes-back"), ==, 5 * BYTES);
  session_fixture_close (&fixture);
}

/* Of bounded data a kernel moves what is live; the items are counted. */
static void
test_telemetry_counts_live (gconstpointer executor)
{
  static const struct
  {
    guint items;
    guint64 bytes;
  } runs[] = { { 5, 20 }, { 0, 0 }, { 64, 256 }, { 8, 32 } };
  SessionFixture fixture;
  guint64 sum = 0;
  float x[64] = { 0 };

  session_fixture_open (&fixture,
                        "app name=source spec=f32[<=64] -> upload mode=kernel -> map expr=x+1 -> readback mode=kernel "
                        "-> app name=sink\n",
                        GPOINTER_TO_INT (executor));
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_bytes_unref (session_fixture_run (&fixture, x, runs[i].items * sizeof *x));
      sum += runs[i].bytes;
      g_assert_cmpuint (session_fixture_get_count (&fixture, "bytes-up"), ==, sum);
      g_assert_cmpuint (session_fixture_get_count (&fixture, "bytes-back"), ==, sum);
    }
  session_fixture_close (&fixture);
}

/* And of the program's own memory the items. */
static void
test_telemetry_counts_bound (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatMemory *memory;
  guint64 at;

  session_fixture_open (&fixture,
                        "app name=source memory=user spec=f32[<=64] -> upload mode=kernel -> map expr=x+1 "
                        "-> readback mode=kernel -> app name=sink memory=user\n",
                        LEAT_EXECUTOR_GRAPH);
  memory = leat_memory_new (leat_session_get_device (fixture.session), LEAT_MEMORY_PINNED, 1024, "data", &error);
  g_assert_no_error (error);
  memset (leat_memory_get_host (memory), 0, 1024);
  at = (guint64) (guintptr) leat_memory_get_host (memory);
  for (guint i = 1; i <= 3; i++)
    {
      const LeatPortMemory source = { "source", at, 256, i };

      leat_session_bind_inputs (fixture.session, &source, 1, &error);
      g_assert_no_error (error);
      leat_session_bind_output (fixture.session, "sink", at + 512, 512, &error);
      g_assert_no_error (error);
      g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture, "bytes-up"), ==, 4 + 8 + 12);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "bytes-back"), ==, 4 + 8 + 12);
  leat_session_close (fixture.session);
  leat_memory_free (memory);
  session_fixture_close (&fixture);
}

static void
test_telemetry_prometheus (void)
{
  SessionFixture fixture;
  g_autofree char *text = NULL;
  g_autoptr (GHashTable) samples = NULL;
  g_autofree char *labels = NULL, *runs = NULL, *node = NULL;
  const char *device;

  timing_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH, LEAT_TIMING_NODES);
  run (&fixture, 7);
  text = leat_session_to_prometheus (fixture.session, "a \"b\"\\c\nd");
  samples = exposition_parse (text);
  device = leat_device_get_id (leat_session_get_device (fixture.session));
  labels = g_strdup_printf ("device=\"%s\",pipeline=\"a \\\"b\\\"\\\\c\\nd\"", device);
  runs = g_strdup_printf ("leat_runs_total{%s}", labels);
  g_assert_cmpstr (g_hash_table_lookup (samples, runs), ==, "7");
  node = g_strdup_printf ("leat_node_seconds_total{%s,node=\"up\",op=\"transfer\",index=\"1\"}", labels);
  g_assert_nonnull (g_hash_table_lookup (samples, node));
  g_assert_cmpfloat (g_ascii_strtod (g_hash_table_lookup (samples, node), NULL), <, 1);
  session_fixture_close (&fixture);
}

/* What waits in the queues of the program's nodes, also while nothing runs; and nothing when it is closed. */
static void
test_telemetry_prometheus_apps (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL, *closed = NULL, *in = NULL, *out = NULL;
  g_autoptr (GHashTable) samples = NULL;
  float x[N] = { 0 };
  const char *device;

  session_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (x, sizeof x);

      leat_app_push_bytes (fixture.source, bytes, &error);
      g_assert_no_error (error);
    }
  text = leat_session_to_prometheus (fixture.session, "p");
  samples = exposition_parse (text);
  device = leat_device_get_id (leat_session_get_device (fixture.session));
  in = g_strdup_printf ("leat_app_queue_items{device=\"%s\",pipeline=\"p\",node=\"source\",direction=\"in\"}", device);
  out = g_strdup_printf ("leat_app_queue_items{device=\"%s\",pipeline=\"p\",node=\"sink\",direction=\"out\"}", device);
  g_assert_cmpstr (g_hash_table_lookup (samples, in), ==, "3");
  g_assert_cmpstr (g_hash_table_lookup (samples, out), ==, "0");
  leat_session_close (fixture.session);
  closed = leat_session_to_prometheus (fixture.session, "p");
  g_assert_null (strstr (closed, "leat_app_queue_items"));
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/session/telemetry/property", test_telemetry_property);
  g_test_add_func ("/leat/session/telemetry/counts", test_telemetry_counts);
  g_test_add_func ("/leat/session/telemetry/counts-reused", test_telemetry_counts_resident);
  g_test_add_func ("/leat/session/telemetry/prometheus", test_telemetry_prometheus);
  g_test_add_func ("/leat/session/telemetry/prometheus/apps", test_telemetry_prometheus_apps);
  exposition_add_tests ();
  g_test_add_data_func ("/leat/session/telemetry/counts/live/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_telemetry_counts_live);
  g_test_add_data_func ("/leat/session/telemetry/counts/live/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_telemetry_counts_live);
  g_test_add_func ("/leat/session/telemetry/counts/bound", test_telemetry_counts_bound);
  return g_test_run ();
}
