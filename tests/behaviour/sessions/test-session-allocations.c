/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "allocation-watch.h"
#include "device/leat-memory-private.h"
#include "leat.h"
#include "planted-source.h"

#include <glib/gstdio.h>
#include <string.h>

/* In steady state a run asks for no memory: not libleat, no plugin, no kernel.  What the driver asks for is its own
 * affair and is reported.  What may by name: messages on the bus, and the bytes that an app sink hands to the program.
 */

#define N_WARM 4
#define N_RUNS 16
#define N_ALL  (N_WARM + N_RUNS + 4)
#define CHUNK  4096

static const char *const exempt[] = { "leat_session_post_progress", "leat_bus_post", "leat_app_drain", NULL };

typedef struct
{
  const char *name;
  const char *text; /* IN and OUT stand for files, STATS for a kernel's source */
} Case;

/* A file of single precision numbers that read as text too. */
static const Case cases[] = {
  { "copy", "io:file path=IN chunk=4096 -> upload -> readback -> io:file path=OUT\n" },
  { "map", "io:file path=IN out=f32[1024] -> upload mode=copy -> map expr=\"gain*x+1\" gain=2 -> readback mode=copy "
           "-> io:file path=OUT\n" },
  { "rows", "io:file path=IN out=f32[<=256,4] -> upload -> map expr=2*x -> readback -> io:file path=OUT\n" },
  { "barriers", "k = kernel source=STATS entry=partials grid=4 block=256 x=f32[n] part=f64[4,4]\n"
                "io:file path=IN out=f32[1024] -> upload -> k -> readback -> io:file path=OUT\n" },
  { "scan", "io:file path=IN chunk=4096 -> upload -> text:scan patterns=cat,dog -> readback -> io:file path=OUT\n" },
  { "device-sink", "io:file path=IN chunk=4096 -> upload -> text:scan patterns=cat,dog -> discard\n" },
};

typedef struct
{
  char *folder, *in, *out, *stats;
} Fixture;

static void
fixture_set_up (Fixture *self, gconstpointer data)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  while (text->len < N_ALL * CHUNK)
    g_string_append (text, "one cat, two cats, a dog ");
  self->folder = g_dir_make_tmp ("leat-allocations-XXXXXX", &error);
  g_assert_no_error (error);
  self->in = g_build_filename (self->folder, "in", NULL);
  self->out = g_build_filename (self->folder, "out", NULL);
  self->stats = g_test_build_filename (G_TEST_DIST, "..", "graphs", "stats.cu", NULL);
  g_file_set_contents (self->in, text->str, N_ALL * CHUNK, &error);
  g_assert_no_error (error);
}

static void
fixture_tear_down (Fixture *self, gconstpointer data)
{
  g_unlink (self->in);
  g_unlink (self->out);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->in);
  g_free (self->out);
  g_free (self->stats);
  g_free (self->folder);
}

/* Quoted: a folder's name may have spaces. */
static void
fixture_fill_in (GString *text, const char *word, const char *path)
{
  g_autofree char *quoted = g_strdup_printf ("=\"%s\"", path);

  g_string_replace (text, word, quoted, 0);
}

static LeatPipeline *
fixture_parse (Fixture *self, const char *text)
{
  g_autoptr (GString) whole = g_string_new ("leat 1\n");
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline;

  g_string_append (whole, text);
  fixture_fill_in (whole, "=IN", self->in);
  fixture_fill_in (whole, "=OUT", self->out);
  fixture_fill_in (whole, "=STATS", self->stats);
  pipeline = leat_parse_text (whole->str, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  return pipeline;
}

static LeatSession *
allocations_open (LeatPipeline *pipeline, LeatExecutor executor)
{
  LeatSession *session = leat_session_new (pipeline, NULL);
  g_autoptr (GError) error = NULL;

  g_object_set (session, "executor", executor, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  return session;
}

static void
allocations_replay (LeatSession *session, guint n)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      LeatFlow flow = leat_session_replay (session, TRUE, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (flow, ==, LEAT_FLOW_DATA);
    }
}

static void
allocations_assert_none (void)
{
  g_auto (AllocationReport) report = { { 0 } };

  allocation_watch_report (exempt, &report);
  g_test_message ("the driver's: %u, exempt: %u", report.counts[ALLOCATION_DRIVER], report.counts[ALLOCATION_EXEMPT]);
  if (report.counts[ALLOCATION_OURS] + report.counts[ALLOCATION_DRIVER] > 0)
    g_test_message ("%s", report.text);
  g_assert_cmpuint (report.counts[ALLOCATION_OURS], ==, 0);
}

static gboolean
allocations_skip (void)
{
  if (allocation_watch_why_not () == NULL)
    return FALSE;
  g_test_skip (allocation_watch_why_not ());
  return TRUE;
}

static void
allocations_check (Fixture *fixture, const Case *row, LeatExecutor executor)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;

  if (allocations_skip ())
    return;
  pipeline = fixture_parse (fixture, row->text);
  session = allocations_open (pipeline, executor);
  allocations_replay (session, N_WARM);
  allocation_watch_start ();
  allocations_replay (session, N_RUNS);
  allocation_watch_stop ();
  leat_session_close (session);
  allocations_assert_none ();
}

static void
test_allocations_none_in_a_graph (Fixture *fixture, gconstpointer data)
{
  allocations_check (fixture, data, LEAT_EXECUTOR_GRAPH);
}

static void
test_allocations_none_eager (Fixture *fixture, gconstpointer data)
{
  allocations_check (fixture, data, LEAT_EXECUTOR_EAGER);
}

/* The program's own pushes and pulls are outside the watch. */
static void
test_allocations_app (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GError) error = NULL;
  static float x[256];
  LeatNode *source;

  if (allocations_skip ())
    return;
  pipeline =
    fixture_parse (fixture, "app name=source spec=f32[256] -> upload -> map expr=2*x+1 -> readback -> app name=sink\n");
  source = leat_pipeline_get_node (pipeline, "source", NULL);
  session = allocations_open (pipeline, GPOINTER_TO_INT (data));
  for (guint i = 0; i < N_WARM + N_RUNS; i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (x, sizeof x);

      leat_app_push_bytes (LEAT_APP (source), bytes, &error);
      g_assert_no_error (error);
    }
  allocations_replay (session, N_WARM);
  allocation_watch_start ();
  allocations_replay (session, N_RUNS);
  allocation_watch_stop ();
  leat_session_close (session);
  allocations_assert_none ();
}

static void
allocations_launch (LeatSession *session, guint n)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpint (leat_session_launch (session, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      g_assert_cmpint (leat_session_complete (session, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
    }
}

/* In two halves, the end of each run being told by the session's thread. */
static void
test_allocations_launch (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  LeatView view;

  if (allocations_skip ())
    return;
  pipeline =
    fixture_parse (fixture, "app name=source spec=f32[256] -> upload -> map expr=2*x+1 -> readback -> app name=sink\n");
  session = allocations_open (pipeline, GPOINTER_TO_INT (data));
  g_assert_true (leat_session_map_input (session, "source", &view, NULL));
  g_assert_true (leat_session_map_output (session, "sink", &view, NULL));
  g_assert_cmpint (leat_session_get_fd (session, NULL), >=, 0);
  allocations_launch (session, N_WARM);
  allocation_watch_start ();
  allocations_launch (session, N_RUNS);
  allocation_watch_stop ();
  leat_session_close (session);
  allocations_assert_none ();
}

static void
allocations_rebind (LeatSession *session, LeatMemory *memory, guint n)
{
  guint64 address = leat_memory_get_address (memory);

  for (guint i = 0; i < n; i++)
    {
      g_assert_true (leat_session_bind_input (session, "source", address + i % 4 * 1024, 1024, 256, NULL));
      g_assert_true (leat_session_bind_output (session, "sink", address + (4 + i % 4) * 1024, 1024, NULL));
      g_assert_cmpint (leat_session_replay (session, FALSE, NULL, NULL), ==, LEAT_FLOW_DATA);
    }
}

/* Other memory in each run; what the driver says of it is known after the first. */
static void
test_allocations_rebind (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = NULL;
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  LeatMemory *memory;

  if (allocations_skip ())
    return;
  text = g_strdup_printf ("app name=source memory=user spec=f32[256] -> upload mode=%s -> map expr=2*x+1 -> readback "
                          "mode=%s -> app name=sink memory=user\n",
                          (const char *) data, (const char *) data);
  pipeline = fixture_parse (fixture, text);
  session = allocations_open (pipeline, LEAT_EXECUTOR_GRAPH);
  memory = leat_memory_new (leat_session_get_device (session), LEAT_MEMORY_PINNED, 8 * 1024, "a test", NULL);
  g_assert_nonnull (memory);
  allocations_rebind (session, memory, N_WARM);
  allocation_watch_start ();
  allocations_rebind (session, memory, N_RUNS);
  allocation_watch_stop ();
  leat_session_close (session);
  leat_memory_free (memory);
  allocations_assert_none ();
}

/* What a program does that fills and reads in place, and sets an argument before each run. */
static void
allocations_set_and_replay (LeatSession *session, LeatNode *node, guint n)
{
  g_autoptr (GError) error = NULL;
  LeatView view;

  for (guint i = 0; i < n; i++)
    {
      g_assert_true (leat_session_map_input (session, "source", &view, &error));
      memset (view.data, 0, view.capacity);
      g_assert_true (leat_node_set_arg_double (node, "a", i, &error));
      g_assert_true (leat_node_set_arg_int64 (node, "b", i, &error));
      allocations_replay (session, 1);
      g_assert_true (leat_session_map_output (session, "sink", &view, &error));
      g_assert_cmpfloat (*(const float *) view.data, ==, (float) i);
    }
}

static void
test_allocations_argument (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  LeatNode *node;
  LeatView view;

  if (allocations_skip ())
    return;
  pipeline = fixture_parse (fixture, "app name=source spec=f32[256] -> upload -> map name=m expr=\"a*x+b\" a=1 b=1 -> "
                                     "readback -> app name=sink\n");
  node = leat_pipeline_get_node (pipeline, "m", NULL);
  session = allocations_open (pipeline, GPOINTER_TO_INT (data));
  g_assert_true (leat_session_map_output (session, "sink", &view, NULL));
  allocations_set_and_replay (session, node, N_WARM);
  allocation_watch_start ();
  allocations_set_and_replay (session, node, N_RUNS);
  allocation_watch_stop ();
  leat_session_close (session);
  allocations_assert_none ();
}

/* Through leat_session_run (), which posts messages; the source keeps the watch, so that beginning and end are out of
 * it, and is slow enough for a message or two. */
static void
allocations_run (gboolean planted, guint lanes, guint batch, AllocationReport *report)
{
  g_autoptr (LeatPipeline) pipeline = planted_source_make_pipeline (planted);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  g_autoptr (GError) error = NULL;

  g_object_set (session, "executor", LEAT_EXECUTOR_GRAPH, "lanes", lanes, "batch", batch, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  leat_session_run (session, NULL, &error);
  g_assert_no_error (error);
  leat_session_close (session);
  allocation_watch_report (exempt, report);
  g_test_message ("exempt: %u\n%s", report->counts[ALLOCATION_EXEMPT], report->text);
}

static void
test_allocations_of_messages (Fixture *fixture, gconstpointer data)
{
  g_auto (AllocationReport) report = { { 0 } };

  if (allocations_skip ())
    return;
  allocations_run (FALSE, 1, 0, &report);
  g_assert_cmpuint (report.counts[ALLOCATION_OURS], ==, 0);
  g_assert_cmpuint (report.counts[ALLOCATION_EXEMPT], >, 0);
}

/* With several runs under way, or several in a launch. */
static void
test_allocations_stream (Fixture *fixture, gconstpointer data)
{
  guint wide = GPOINTER_TO_UINT (data);
  g_auto (AllocationReport) report = { { 0 } };

  if (allocations_skip ())
    return;
  allocations_run (FALSE, wide > 0 ? 0 : 3, wide, &report);
  g_assert_cmpuint (report.counts[ALLOCATION_OURS], ==, 0);
}

static void
allocations_replay_batch (LeatSession *session, guint n, guint times)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < times; i++)
    {
      leat_session_replay_batch (session, n, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
    }
}

/* In the session's own memory; the number of lanes differs from that of a launch. */
static void
test_allocations_batch (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  guint64 stride;
  LeatView view;

  if (allocations_skip ())
    return;
  pipeline =
    fixture_parse (fixture, "app name=source spec=f32[256] -> upload -> map expr=2*x+1 -> readback -> app name=sink\n");
  session = allocations_open (pipeline, GPOINTER_TO_INT (data));
  g_object_set (session, "batch", 16, NULL);
  g_assert_true (leat_session_map_batch (session, "source", 100, &view, &stride, NULL));
  allocations_replay_batch (session, 100, N_WARM);
  allocation_watch_start ();
  allocations_replay_batch (session, 100, N_RUNS);
  allocation_watch_stop ();
  leat_session_close (session);
  allocations_assert_none ();
}

static void
test_allocations_planted_are_seen (Fixture *fixture, gconstpointer data)
{
  g_auto (AllocationReport) report = { { 0 } };

  if (allocations_skip ())
    return;
  allocations_run (TRUE, 1, 0, &report);
  g_assert_cmpuint (report.counts[ALLOCATION_OURS], ==, PLANTED_SOURCE_WATCHED);
  g_assert_nonnull (strstr (report.text, "planted_source_fill"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, data, function) g_test_add (name, Fixture, data, fixture_set_up, function, fixture_tear_down)
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *graph = g_strconcat ("/leat/session/allocations/none-in-a-graph/", cases[i].name, NULL);
      g_autofree char *eager = g_strconcat ("/leat/session/allocations/none-eager/", cases[i].name, NULL);

      ADD (graph, &cases[i], test_allocations_none_in_a_graph);
      ADD (eager, &cases[i], test_allocations_none_eager);
    }
  ADD ("/leat/session/allocations/app/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test_allocations_app);
  ADD ("/leat/session/allocations/app/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test_allocations_app);
  ADD ("/leat/session/allocations/launch/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test_allocations_launch);
  ADD ("/leat/session/allocations/launch/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test_allocations_launch);
  ADD ("/leat/session/allocations/rebind/auto", "auto", test_allocations_rebind);
  ADD ("/leat/session/allocations/rebind/copy", "copy", test_allocations_rebind);
  ADD ("/leat/session/allocations/argument/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test_allocations_argument);
  ADD ("/leat/session/allocations/argument/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test_allocations_argument);
  ADD ("/leat/session/allocations/lanes", GUINT_TO_POINTER (0), test_allocations_stream);
  ADD ("/leat/session/allocations/wide", GUINT_TO_POINTER (2), test_allocations_stream);
  ADD ("/leat/session/allocations/batch/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test_allocations_batch);
  ADD ("/leat/session/allocations/batch/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test_allocations_batch);
  ADD ("/leat/session/allocations/of-messages", NULL, test_allocations_of_messages);
  ADD ("/leat/session/allocations/planted-are-seen", NULL, test_allocations_planted_are_seen);
  return g_test_run ();
}
