/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session-fixture.h"

#include "driver/leat-driver-private.h"

#include <string.h>

/* Calls that a program should not have made: each has a code of its own, and leaves the session as it was. */

#define FIXED   "app name=source spec=u8[4] -> upload -> readback -> app name=sink\n"
#define BOUNDED "app name=source spec=u8[<=4] -> upload -> readback -> app name=sink\n"

static gboolean
push (SessionFixture *fixture, gsize n, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new ("abcdefgh", n);

  return leat_app_push_bytes (fixture->source, bytes, error);
}

static gboolean
push_three (SessionFixture *fixture, GError **error)
{
  return push (fixture, 3, error);
}

static gboolean
push_five (SessionFixture *fixture, GError **error)
{
  return push (fixture, 5, error);
}

static gboolean
push_to_a_sink (SessionFixture *fixture, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new ("abcd", 4);

  return leat_app_push_bytes (fixture->sink, bytes, error);
}

static gboolean
pull_from_a_source (SessionFixture *fixture, GError **error)
{
  return leat_app_pull_bytes (fixture->source, 0, error) != NULL;
}

static gboolean
map_nothing (SessionFixture *fixture, GError **error)
{
  LeatView view;

  return leat_session_map_input (fixture->session, "sourc", &view, error);
}

static gboolean
map_a_sink (SessionFixture *fixture, GError **error)
{
  LeatView view;

  return leat_session_map_input (fixture->session, "sink", &view, error);
}

static gboolean
map_a_source (SessionFixture *fixture, GError **error)
{
  LeatView view;

  return leat_session_map_output (fixture->session, "source", &view, error);
}

static gboolean
count_three (SessionFixture *fixture, GError **error)
{
  return leat_session_set_input_count (fixture->session, "source", 3, error);
}

static gboolean
count_five (SessionFixture *fixture, GError **error)
{
  return leat_session_set_input_count (fixture->session, "source", 5, error);
}

static gboolean
open_again (SessionFixture *fixture, GError **error)
{
  return leat_session_open (fixture->session, NULL, error);
}

static gboolean
replay (SessionFixture *fixture, GError **error)
{
  return leat_session_replay (fixture->session, FALSE, NULL, error) != LEAT_FLOW_ERROR;
}

static gboolean
closed (SessionFixture *fixture, gboolean (*call) (SessionFixture *fixture, GError **error), GError **error)
{
  g_autoptr (GError) unexpected = NULL;
  gboolean good;

  leat_session_close (fixture->session);
  good = (*call) (fixture, error);
  leat_session_open (fixture->session, NULL, &unexpected);
  g_assert_no_error (unexpected);
  return good;
}

static gboolean
replay_closed (SessionFixture *fixture, GError **error)
{
  return closed (fixture, replay, error);
}

static gboolean
map_closed (SessionFixture *fixture, GError **error)
{
  return closed (fixture, map_nothing, error);
}

static gboolean
count_closed (SessionFixture *fixture, GError **error)
{
  return closed (fixture, count_three, error);
}

static gpointer
run_in_thread (gpointer session)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (leat_session_replay (session, TRUE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  return NULL;
}

/* While another thread waits for data in a run. */
static gboolean
meanwhile (SessionFixture *fixture, gboolean (*call) (SessionFixture *fixture, GError **error), GError **error)
{
  g_autoptr (GThread) thread = g_thread_new ("runs", run_in_thread, fixture->session);
  g_autoptr (GBytes) output = NULL;
  gboolean good;

  while (g_atomic_int_get (&fixture->session->hold.use) != LEAT_SESSION_RUNNING)
    g_usleep (100);
  good = (*call) (fixture, error);
  g_assert_true (push (fixture, 4, NULL));
  g_thread_join (g_steal_pointer (&thread));
  output = leat_app_pull_bytes (fixture->sink, 0, NULL);
  g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), "abcd", 4);
  return good;
}

static gboolean
replay_meanwhile (SessionFixture *fixture, GError **error)
{
  return meanwhile (fixture, replay, error);
}

static gboolean
open_meanwhile (SessionFixture *fixture, GError **error)
{
  return meanwhile (fixture, open_again, error);
}

static gboolean
count_meanwhile (SessionFixture *fixture, GError **error)
{
  return meanwhile (fixture, count_three, error);
}

typedef struct
{
  const char *name;
  const char *text;
  gboolean (*call) (SessionFixture *fixture, GError **error);
  const char *domain;
  int code;
  const char *word; /* that the message must have */
} CallsCase;

static const CallsCase cases[] = {
  { "push-too-little", FIXED, push_three, "leat-graph-error-quark", LEAT_GRAPH_ERROR_DATA, "source" },
  { "push-too-much", FIXED, push_five, "leat-graph-error-quark", LEAT_GRAPH_ERROR_DATA, "source" },
  { "push-more-than-the-bound", BOUNDED, push_five, "leat-graph-error-quark", LEAT_GRAPH_ERROR_DATA, "source" },
  { "push-to-sink", FIXED, push_to_a_sink, "leat-graph-error-quark", LEAT_GRAPH_ERROR_DIRECTION, "sink" },
  { "pull-from-source", FIXED, pull_from_a_source, "leat-graph-error-quark", LEAT_GRAPH_ERROR_DIRECTION, "source" },
  { "map-unknown", FIXED, map_nothing, "leat-graph-error-quark", LEAT_GRAPH_ERROR_UNKNOWN_NAME, "source" },
  { "map-sink-as-input", FIXED, map_a_sink, "leat-graph-error-quark", LEAT_GRAPH_ERROR_DIRECTION, "sink" },
  { "map-source-as-output", FIXED, map_a_source, "leat-graph-error-quark", LEAT_GRAPH_ERROR_DIRECTION, "source" },
  { "count-beyond-room", BOUNDED, count_five, "leat-graph-error-quark", LEAT_GRAPH_ERROR_RANGE, "5" },
  { "count-of-fixed", FIXED, count_three, "leat-graph-error-quark", LEAT_GRAPH_ERROR_RANGE, "3" },
  { "open-twice", FIXED, open_again, "leat-session-error-quark", LEAT_SESSION_ERROR_STATE, "already" },
  { "replay-closed", FIXED, replay_closed, "leat-session-error-quark", LEAT_SESSION_ERROR_STATE, "not open" },
  { "map-closed", FIXED, map_closed, "leat-session-error-quark", LEAT_SESSION_ERROR_STATE, "not open" },
  { "count-closed", FIXED, count_closed, "leat-session-error-quark", LEAT_SESSION_ERROR_STATE, "not open" },
  { "replay-in-two-threads", FIXED, replay_meanwhile, "leat-session-error-quark", LEAT_SESSION_ERROR_BUSY, "thread" },
  { "open-during-a-run", FIXED, open_meanwhile, "leat-session-error-quark", LEAT_SESSION_ERROR_BUSY, "thread" },
  { "count-during-a-run", FIXED, count_meanwhile, "leat-session-error-quark", LEAT_SESSION_ERROR_BUSY, "thread" },
};

/* Each call that needs an open session, by number; G_MAXINT for one that there is not. */
static int
call_closed (LeatSession *self, guint number, GError **error)
{
  const LeatPortMemory memory = { "source", 256, 4, 4 };
  guint64 n = 0;
  LeatView view;

  switch (number)
    {
    case 0:
      return leat_session_replay (self, FALSE, NULL, error) != LEAT_FLOW_ERROR;
    case 1:
      return leat_session_launch (self, NULL, error) != LEAT_FLOW_ERROR;
    case 2:
      return leat_session_complete (self, NULL, error) != LEAT_FLOW_ERROR;
    case 3:
      return leat_session_repeat (self, 3, FALSE, NULL, error) != LEAT_FLOW_ERROR;
    case 4:
      return leat_session_run (self, NULL, error);
    case 5:
      return leat_session_map_input (self, "source", &view, error);
    case 6:
      return leat_session_map_output (self, "sink", &view, error);
    case 7:
      return leat_session_set_input_count (self, "source", 1, error);
    case 8:
      return leat_session_map_batch (self, "source", 2, &view, &n, error);
    case 9:
      return leat_session_set_entry_count (self, "source", 0, 1, error);
    case 10:
      return leat_session_get_entry_count (self, "source", 0, &n, error);
    case 11:
      return leat_session_replay_batch (self, 1, NULL, NULL, NULL, error);
    case 12:
      return leat_session_get_batch_plan (self, error) != NULL;
    case 13:
      return leat_session_bind_input (self, "source", 256, 4, 4, error);
    case 14:
      return leat_session_bind_inputs (self, &memory, 1, error);
    case 15:
      return leat_session_bind_output (self, "sink", 256, 4, error);
    case 16:
      return leat_session_evict (self, NULL, error);
    case 17:
      return leat_session_restore (self, NULL, error);
    case 18:
      return leat_session_get_state (self, "sum", error) != NULL;
    case 19:
      return leat_session_save_state (self, "/proc/none", error);
    case 20:
      return leat_session_load_state (self, "/proc/none", error);
    case 21:
      return leat_session_dup_work_queues (self, error) != NULL;
    case 22:
      return leat_session_start_counting (self, error);
    case 23:
      return leat_session_stop_counting (self, error) != NULL;
    default:
      return G_MAXINT;
    }
}

static void
test_calls_closed (void)
{
  SessionFixture fixture;
  int result = 0;

  session_fixture_open (&fixture, FIXED, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  for (guint i = 0; result != G_MAXINT; i++)
    {
      g_autoptr (GError) error = NULL;

      g_test_message ("call %u", i);
      result = call_closed (fixture.session, i, &error);
      if (result == G_MAXINT)
        break;
      g_assert_false (result);
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
    }
  session_fixture_close (&fixture);
}

/* What the description of a property says it is by itself. */
static void
test_calls_defaults (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  guint n = 0;
  g_autofree GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (session), &n);

  g_assert_cmpuint (n, >, 20);
  for (guint i = 0; i < n; i++)
    {
      g_auto (GValue) value = G_VALUE_INIT;

      if ((specs[i]->flags & G_PARAM_READWRITE) != G_PARAM_READWRITE || specs[i]->flags & G_PARAM_CONSTRUCT_ONLY)
        continue;
      g_value_init (&value, specs[i]->value_type);
      g_object_get_property (G_OBJECT (session), specs[i]->name, &value);
      if (!g_param_value_defaults (specs[i], &value))
        g_error ("%s is not what its description says", specs[i]->name);
    }
}

/* After the refusal the session does what it did before it. */
static void
test_calls_case (gconstpointer data)
{
  const CallsCase *c = data;
  SessionFixture fixture;
  g_autoptr (GBytes) before = NULL, after = NULL;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, c->text, LEAT_EXECUTOR_GRAPH);
  before = session_fixture_run (&fixture, "wxyz", 4);
  g_assert_false ((*c->call) (&fixture, &error));
  g_assert_error (error, g_quark_try_string (c->domain), c->code);
  if (strstr (error->message, c->word) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, c->word);
  if (c->call != count_three && c->call != count_five)
    {
      after = session_fixture_run (&fixture, "wxyz", 4);
      g_assert_cmpmem (g_bytes_get_data (after, NULL), g_bytes_get_size (after), "wxyz", 4);
    }
  session_fixture_close (&fixture);
}

#define TWO                                                                                                            \
  "sum = map inputs=a,b expr=\"a+b\"\n"                                                                                \
  "app name=source spec=u8[2] -> upload -> sum.a\n"                                                                    \
  "app name=other spec=u8[2] -> upload -> sum.b\n"                                                                     \
  "sum -> readback -> app name=sink\n"

static void
push_bytes (LeatApp *app, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;

  leat_app_push_bytes (app, bytes, &error);
  g_assert_no_error (error);
}

/* With an input too few there is no run, and nothing is lost; what has been given cannot become something else. */
static void
test_calls_one_of_two_inputs (void)
{
  SessionFixture fixture;
  LeatNode *other;
  g_autoptr (GBytes) output = NULL;
  g_autofree char *spec = NULL;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, TWO, LEAT_EXECUTOR_GRAPH);
  other = leat_pipeline_get_node (fixture.pipeline, "other", NULL);
  push_bytes (fixture.source, "ab");
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_EMPTY);
  g_assert_null (leat_app_pull_bytes (fixture.sink, 0, NULL));
  g_object_set (fixture.source, "spec", "u8[4]", NULL);
  g_object_set (other, "spec", "u8[4]", NULL);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY);
  g_assert_nonnull (strstr (error->message, "it has given data for the run to come"));
  g_clear_error (&error);
  g_object_get (other, "spec", &spec, NULL);
  g_assert_cmpstr (spec, ==, "u8[2]");
  push_bytes (LEAT_APP (other), "\1\2");
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  output = leat_app_pull_bytes (fixture.sink, 0, NULL);
  g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), "bd", 2);
  session_fixture_close (&fixture);
}

static CUresult
refuse_launch (CUgraphExec exec, CUstream stream)
{
  return CUDA_ERROR_UNKNOWN;
}

/* A session that failed writes nowhere (but what LEAT_POISON=1 itself writes before a run), and the next one is as good
 * as the first. */
static void
test_calls_failed_session_leaves_outputs (void)
{
  SessionFixture fixture;
  LeatDriverTable *table, real;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GError) error = NULL;
  LeatView in, out;

  session_fixture_open (&fixture, FIXED, LEAT_EXECUTOR_GRAPH);
  table = (LeatDriverTable *) leat_device_get_table (leat_session_get_device (fixture.session));
  real = *table;
  g_assert_true (leat_session_map_output (fixture.session, "sink", &out, NULL));
  g_assert_true (leat_session_map_input (fixture.session, "source", &in, NULL));
  memcpy (in.data, "abcd", 4);
  memcpy (out.data, "mine", 4);
  table->cuGraphLaunch = refuse_launch;
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_FAILED);
  g_clear_error (&error);
  *table = real;
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED);
  g_clear_error (&error);
  g_assert_false (leat_session_map_output (fixture.session, "sink", &out, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED);
  g_clear_error (&error);
  if (g_strcmp0 (g_getenv ("LEAT_POISON"), "1") != 0)
    g_assert_cmpmem (out.data, 4, "mine", 4);
  leat_session_close (fixture.session);
  g_assert_true (leat_session_open (fixture.session, NULL, &error));
  output = session_fixture_run (&fixture, "wxyz", 4);
  g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), "wxyz", 4);
  session_fixture_close (&fixture);
}

static CUresult
refuse_wait (CUevent event)
{
  return CUDA_ERROR_UNKNOWN;
}

static CUresult
refuse_stream (CUstream stream)
{
  return CUDA_ERROR_UNKNOWN;
}

/* Nobody knows which kernel of a graph failed: each node that has one is named, and once, however many it has. */
static void
test_calls_failed_wait_names_nodes (void)
{
  static const struct
  {
    const char *nodes, *names, *not ;
  } graphs[] = { { "map name=only expr=x+1", "map \"only\"", "one of" },
                 { "sort name=many", "sort \"many\"", "one of" },
                 { "sort name=many -> map name=then expr=x+1", "one of sort \"many\", map \"then\"",
                   "\"many\", sort" } };

  for (guint i = 0; i < G_N_ELEMENTS (graphs); i++)
    {
      g_autofree char *text = g_strdup_printf (
        "app name=source spec=u32[5000] -> upload mode=copy -> %s -> readback mode=copy -> app name=sink\n",
        graphs[i].nodes);
      SessionFixture fixture;
      LeatDriverTable *table, real;
      g_autofree guint32 *x = g_new0 (guint32, 5000);
      g_autoptr (GBytes) bytes = g_bytes_new (x, 5000 * sizeof *x);
      g_autoptr (GError) error = NULL;

      session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
      table = (LeatDriverTable *) leat_device_get_table (leat_session_get_device (fixture.session));
      real = *table;
      g_assert_true (leat_app_push_bytes (fixture.source, bytes, NULL));
      table->cuEventQuery = table->cuEventSynchronize = refuse_wait;
      table->cuStreamQuery = table->cuStreamSynchronize = refuse_stream;
      g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
      *table = real;
      g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_FAILED);
      g_assert_nonnull (strstr (error->message, graphs[i].names));
      g_assert_null (strstr (error->message, graphs[i].not ));
      session_fixture_close (&fixture);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/session/calls/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_calls_case);
    }
  g_test_add_func ("/leat/session/calls/one-of-two-inputs", test_calls_one_of_two_inputs);
  g_test_add_func ("/leat/session/calls/failed-session-leaves-outputs", test_calls_failed_session_leaves_outputs);
  g_test_add_func ("/leat/session/calls/failed-wait-names-nodes", test_calls_failed_wait_names_nodes);
  g_test_add_func ("/leat/session/calls/closed", test_calls_closed);
  g_test_add_func ("/leat/session/calls/defaults", test_calls_defaults);
  return g_test_run ();
}
