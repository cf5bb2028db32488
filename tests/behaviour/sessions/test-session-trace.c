/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timing-fixture.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

/* Two branches, so that the device may have two tracks. */
#define FORK                                                                                                           \
  "both = map inputs=a,b expr=a+b\n"                                                                                   \
  "app name=source spec=f32[1000] -> upload name=up mode=copy -> map name=twice expr=2*x -> both.a\n"                  \
  "up -> map name=more expr=x+1 -> both.b\n"                                                                           \
  "both -> readback name=back mode=copy -> app name=sink\n"
#define N 1000

typedef struct
{
  SessionFixture session;
  char *folder, *path;
} Fixture;

static void
fixture_open (Fixture *self, const char *text, LeatTimingMode timing)
{
  g_autoptr (GError) error = NULL;

  self->folder = g_dir_make_tmp ("leat-trace-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "a \"trace\".json", NULL);
  session_fixture_open (&self->session, text, LEAT_EXECUTOR_GRAPH);
  leat_session_close (self->session.session);
  g_object_set (self->session.session, "trace", self->path, "timing", timing, NULL);
  leat_session_open (self->session.session, NULL, &error);
  g_assert_no_error (error);
}

static void
fixture_close (Fixture *self)
{
  session_fixture_close (&self->session);
  g_unlink (self->path);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->path);
  g_free (self->folder);
}

static void
fixture_run (Fixture *self, guint runs)
{
  for (guint run = 0; run < runs; run++)
    {
      float x[N] = { (float) run };
      g_autoptr (GBytes) output = session_fixture_run (&self->session, x, sizeof x);

      g_assert_cmpfloat (*(const float *) g_bytes_get_data (output, NULL), ==, 3.0f * run + 1);
    }
}

/* What was written, which must be JSON: an array of objects. */
static JsonArray *
fixture_read (Fixture *self, JsonParser *parser)
{
  g_autoptr (GError) error = NULL;

  leat_session_close (self->session.session);
  json_parser_load_from_file (parser, self->path, &error);
  g_assert_no_error (error);
  return json_node_get_array (json_parser_get_root (parser));
}

static guint
count_events (JsonArray *events, const char *phase, const char *name)
{
  guint n = 0;

  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *event = json_array_get_object_element (events, i);

      n += g_str_equal (json_object_get_string_member (event, "ph"), phase)
           && (name == NULL || g_str_equal (json_object_get_string_member (event, "name"), name));
    }
  return n;
}

static gboolean
has_track (JsonArray *events, const char *name)
{
  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *event = json_array_get_object_element (events, i);

      if (g_str_equal (json_object_get_string_member (event, "name"), "thread_name")
          && g_str_equal (json_object_get_string_member (json_object_get_object_member (event, "args"), "name"), name))
        return TRUE;
    }
  return FALSE;
}

static double
get_number (JsonObject *event, const char *name)
{
  return json_node_get_double (json_object_get_member (event, name));
}

/* Events of one track neither overlap nor go back. */
static void
check_tracks (JsonArray *events)
{
  double ends[16] = { 0 };

  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *event = json_array_get_object_element (events, i);
      gint64 track = json_object_get_int_member (event, "tid");

      if (!g_str_equal (json_object_get_string_member (event, "ph"), "X"))
        continue;
      g_assert_cmpint (track, >, 0);
      g_assert_cmpint (track, <, G_N_ELEMENTS (ends));
      g_assert_cmpfloat (get_number (event, "dur"), >=, 0);
      g_assert_cmpfloat (get_number (event, "ts"), >=, ends[track] - 0.0011);
      ends[track] = get_number (event, "ts") + get_number (event, "dur");
    }
}

static void
test_trace_steps (void)
{
  static const char *const steps[] = { "fill", "launch", "wait", "drain" };
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonArray *events;
  Fixture fixture;

  fixture_open (&fixture, FORK, LEAT_TIMING_OFF);
  fixture_run (&fixture, 5);
  events = fixture_read (&fixture, parser);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    g_assert_cmpuint (count_events (events, "X", steps[i]), ==, 5);
  g_assert_cmpuint (count_events (events, "X", NULL), ==, 20);
  g_assert_cmpuint (count_events (events, "M", "process_name"), ==, 1);
  g_assert_true (has_track (events, "lane 0, host"));
  g_assert_false (has_track (events, "lane 0, device"));
  check_tracks (events);
  fixture_close (&fixture);
}

static void
test_trace_nodes (void)
{
  static const char *const nodes[] = { "up", "twice", "more", "both", "back" };
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonArray *events;
  Fixture fixture;

  fixture_open (&fixture, FORK, LEAT_TIMING_NODES);
  fixture_run (&fixture, 70);
  events = fixture_read (&fixture, parser);
  /* Every run, also where no more than samples are measured otherwise. */
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    g_assert_cmpuint (count_events (events, "X", nodes[i]), ==, 70);
  g_assert_true (has_track (events, "lane 0, device"));
  check_tracks (events);
  fixture_close (&fixture);
}

static void
test_trace_refuses_folder (void)
{
  Fixture fixture;
  g_autoptr (GError) error = NULL;

  fixture_open (&fixture, FORK, LEAT_TIMING_OFF);
  leat_session_close (fixture.session.session);
  g_object_set (fixture.session.session, "trace", fixture.folder, NULL);
  g_assert_false (leat_session_open (fixture.session.session, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY);
  g_assert_nonnull (strstr (error->message, fixture.folder));
  g_assert_false (leat_session_is_open (fixture.session.session));
  fixture_close (&fixture);
}

/* A disk that is full spoils the trace and not the run. */
static void
test_trace_full_disk (void)
{
  Fixture fixture;
  g_autoptr (LeatMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  fixture_open (&fixture, FORK, LEAT_TIMING_OFF);
  leat_session_close (fixture.session.session);
  g_object_set (fixture.session.session, "trace", "/dev/full", NULL);
  leat_session_open (fixture.session.session, NULL, &error);
  g_assert_no_error (error);
  fixture_run (&fixture, 100);
  leat_session_close (fixture.session.session);
  message = leat_bus_pop (leat_pipeline_get_bus (fixture.session.pipeline), 0);
  g_assert_nonnull (message);
  g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_WARNING);
  g_assert_error (leat_message_get_error (message), G_IO_ERROR, G_IO_ERROR_NO_SPACE);
  fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/session/trace/steps", test_trace_steps);
  g_test_add_func ("/leat/session/trace/nodes", test_trace_nodes);
  g_test_add_func ("/leat/session/trace/refuses-folder", test_trace_refuses_folder);
  g_test_add_func ("/leat/session/trace/full-disk", test_trace_full_disk);
  return g_test_run ();
}
