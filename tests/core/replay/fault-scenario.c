/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-scenario.h"

#include <glib/gstdio.h>
#include <string.h>

static char *fault_graphs;
static char *fault_folder;

void
fault_scenario_init (const char *folder)
{
  fault_graphs = g_test_build_filename (G_TEST_DIST, "..", "graphs", NULL);
  fault_folder = g_strdup (folder);
}

static void
fill (guint8 *bytes, gsize n, guint seed)
{
  for (gsize i = 0; i < n; i++)
    bytes[i] = (guint8) ("the cab of a black cat"[(i * 5 + seed) % 22] & 0x7f);
}

typedef LeatFlow (*FaultReplay) (LeatSession *session, GError **error);

static LeatFlow
replay (LeatSession *session, GError **error)
{
  return leat_session_replay (session, FALSE, NULL, error);
}

static LeatFlow
replay_in_halves (LeatSession *session, GError **error)
{
  LeatFlow flow = leat_session_launch (session, NULL, error);

  return flow == LEAT_FLOW_DATA ? leat_session_complete (session, NULL, error) : flow;
}

/* One run by the queues. */
static gboolean
run_by (FaultReplay replay_it, LeatSession *session, LeatApp *source, LeatApp *sink, gsize n, guint seed,
        GPtrArray *outputs, GError **error)
{
  g_autofree guint8 *data = g_malloc (n);
  g_autoptr (GBytes) input = NULL;
  g_autoptr (GError) unexpected = NULL;
  GBytes *output;

  fill (data, n, seed);
  input = g_bytes_new (data, n);
  leat_app_push_bytes (source, input, &unexpected);
  g_assert_no_error (unexpected);
  if ((*replay_it) (session, error) == LEAT_FLOW_ERROR)
    {
      g_assert_null (leat_app_pull_bytes (sink, 0, NULL));
      return FALSE;
    }
  output = leat_app_pull_bytes (sink, 0, &unexpected);
  g_assert_no_error (unexpected);
  g_ptr_array_add (outputs, output);
  return TRUE;
}

static gboolean
run (LeatSession *session, LeatApp *source, LeatApp *sink, gsize n, guint seed, GPtrArray *outputs, GError **error)
{
  return run_by (replay, session, source, sink, n, seed, outputs, error);
}

/* Runs whose ends are slept for, and told of by another thread.  Looking would be as many calls as it takes time. */
static gboolean
run_and_wait (LeatSession *session, LeatApp *source, LeatApp *sink, gsize n, GPtrArray *outputs, GError **error)
{
  g_object_set (session, "wait", LEAT_WAIT_BLOCK, NULL);
  if (!run (session, source, sink, n, 3, outputs, error))
    return FALSE;
  return run_by (replay_in_halves, session, source, sink, n, 4, outputs, error)
         && leat_session_get_fd (session, error) >= 0
         && run_by (replay_in_halves, session, source, sink, n, 5, outputs, error);
}

/* One run in place; with @fill_it FALSE on what the input holds. */
static gboolean
run_in_place (LeatSession *session, gboolean fill_it, gsize n, guint seed, GPtrArray *outputs, GError **error)
{
  g_autoptr (GError) unexpected = NULL;
  LeatView in, out;

  leat_session_map_output (session, "sink", &out, &unexpected);
  g_assert_no_error (unexpected);
  if (fill_it)
    {
      leat_session_map_input (session, "source", &in, &unexpected);
      g_assert_no_error (unexpected);
      fill (in.data, MIN (n, in.capacity), seed);
      leat_session_set_input_count (session, "source", leat_spec_get_dim (in.spec, 0), &unexpected);
      g_assert_no_error (unexpected);
    }
  if (leat_session_replay (session, FALSE, NULL, error) == LEAT_FLOW_ERROR)
    return FALSE;
  leat_session_map_output (session, "sink", &out, &unexpected);
  g_assert_no_error (unexpected);
  g_ptr_array_add (outputs, g_bytes_new (out.data, leat_view_get_bytes (&out)));
  return TRUE;
}

static void
change (const FaultScenario *self, LeatPipeline *pipeline, double value)
{
  g_autoptr (GError) unexpected = NULL;

  if (self->arg == NULL)
    return;
  leat_node_set_arg (leat_pipeline_get_node (pipeline, self->arg_node, NULL), self->arg, g_variant_new_double (value),
                     &unexpected);
  g_assert_no_error (unexpected);
}

/* By the queues, with a change between runs; in place; again with a memo; asleep and in two halves; to the end. */
static gboolean
drive_app (const FaultScenario *self, LeatExecutor executor, GPtrArray *outputs, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (self->text, "GRAPHS", -1);
  g_autofree char *text = g_strjoinv (fault_graphs, parts);
  g_autoptr (GError) unexpected = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &unexpected);
  g_autoptr (LeatSession) session = NULL;
  LeatApp *source, *sink;

  g_assert_no_error (unexpected);
  source = LEAT_APP (leat_pipeline_get_node (pipeline, "source", NULL));
  sink = LEAT_APP (leat_pipeline_get_node (pipeline, "sink", NULL));
  session = leat_session_new (pipeline, NULL);
  g_object_set (session, "executor", executor, NULL);
  if (!leat_session_open (session, NULL, error) || !run (session, source, sink, self->bytes, 1, outputs, error)
      || !run (session, source, sink, self->bytes, 2, outputs, error))
    return FALSE;
  change (self, pipeline, 3);
  if (!run (session, source, sink, self->bytes, 1, outputs, error)
      || !run_in_place (session, TRUE, self->bytes, 2, outputs, error)
      || !run_in_place (session, FALSE, self->bytes, 0, outputs, error))
    return FALSE;
  change (self, pipeline, 2);
  if (!run_in_place (session, FALSE, self->bytes, 0, outputs, error))
    return FALSE;
  leat_session_close (session);
  if (self->memo)
    g_object_set (session, "memo", LEAT_MEMO_EXACT, NULL);
  if (!leat_session_open (session, NULL, error) || !run (session, source, sink, self->bytes, 1, outputs, error)
      || !run (session, source, sink, self->bytes, 1, outputs, error))
    return FALSE;
  leat_session_close (session);
  g_object_set (session, "memo", LEAT_MEMO_OFF, NULL);
  if (!leat_session_open (session, NULL, error) || !run_and_wait (session, source, sink, self->bytes, outputs, error))
    return FALSE;
  leat_app_end (source);
  return leat_session_run (session, NULL, error);
}

/* The graph as it stands, from file to file.  What had the output's name before must be there after an error. */
static gboolean
drive_file (const FaultScenario *self, LeatExecutor executor, GPtrArray *outputs, GError **error)
{
  g_autofree char *graph = self->file != NULL ? g_build_filename (fault_graphs, self->file, NULL) : NULL;
  g_autofree char *name = g_strconcat ("out", self->suffix, NULL);
  g_autofree char *output = g_build_filename (fault_folder, name, NULL);
  g_autofree char *set_output = g_strconcat ("output=", output, NULL);
  g_autofree char *input = g_strconcat (fault_folder, G_DIR_SEPARATOR_S "in", self->suffix, NULL);
  g_autofree char *set_input = g_strconcat ("input=", input, NULL);
  const char *variables[] = { set_output, set_input, NULL };
  g_autoptr (GError) unexpected = NULL;
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  char *contents;
  gsize size;
  gboolean good;

  pipeline = graph != NULL ? leat_parse_file (graph, variables, &unexpected)
                           : leat_parse_text (self->text, LEAT_TEXT_STYLE_FILE, variables, &unexpected);
  g_assert_no_error (unexpected);
  g_assert_true (g_file_set_contents (output, "before", -1, NULL));
  session = leat_session_new (pipeline, NULL);
  g_object_set (session, "executor", executor, NULL);
  good = leat_session_open (session, NULL, error) && leat_session_run (session, NULL, error);
  g_clear_object (&session);
  g_assert_true (g_file_get_contents (output, &contents, &size, NULL));
  if (good)
    g_ptr_array_add (outputs, g_bytes_new_take (contents, size));
  else
    {
      g_assert_cmpstr (contents, ==, "before");
      g_free (contents);
    }
  return good;
}

const FaultScenario fault_scenarios[] = {
  { "scan", drive_app,
    "leat 1\n"
    "app name=source spec=u8[<=64] -> upload -> text:scan patterns=cab,cat -> readback -> app name=sink\n",
    64, NULL, NULL, FALSE, NULL, NULL },
  { "edges", drive_app,
    "leat 1\n"
    "app name=source spec=u8[8,8,3] -> upload mode=kernel\n"
    "  -> kernel source=\"GRAPHS/edges.cu\" entry=gray block=16x16 rgb=u8[h,w,3] out=f32[h,w]\n"
    "  -> kernel source=\"GRAPHS/edges.cu\" entry=blur block=16x16\n"
    "  -> kernel source=\"GRAPHS/edges.cu\" entry=sobel block=16x16\n"
    "  -> kernel name=last source=\"GRAPHS/edges.cu\" entry=threshold limit=2\n"
    "  -> readback mode=copy -> app name=sink\n",
    192, "last", "limit", TRUE, NULL, NULL },
  { "stats", drive_app,
    "leat 1\n"
    "scaled = map expr=\"scale*x+offset\" scale=2 offset=1\n"
    "parts = kernel source=\"GRAPHS/stats.cu\" entry=partials grid=64 block=256 x=f32[n] part=f64[64,4]\n"
    "final = kernel source=\"GRAPHS/stats.cu\" entry=finish grid=1 block=64 part=f64[64,4] x=f32[n] result=f64[4]\n"
    "app name=source spec=f32[16] -> upload mode=copy -> scaled\n"
    "scaled -> parts -> final.part\n"
    "scaled -> final.x\n"
    "final -> readback mode=copy -> app name=sink\n",
    64, "scaled", "scale", TRUE, NULL, NULL },
  { "check", drive_app,
    "leat 1\n"
    "app name=source spec=f32[16] -> upload mode=copy\n"
    "  -> kernel name=last source=\"GRAPHS/check.cu\" limit=0 -> readback mode=copy -> app name=sink\n",
    64, "last", "limit", TRUE, NULL, NULL },
  { "scan-file", drive_file,
    "leat 1\n"
    "let input = \"\"\n"
    "let output = \"\"\n"
    "io:file path=$input chunk=48 -> upload -> text:scan patterns=cab,cat -> readback -> io:file path=$output\n",
    0, NULL, NULL, FALSE, NULL, ".txt" },
  { "edges-file", drive_file, NULL, 0, NULL, NULL, FALSE, "edges.leat", ".png" },
  { "stats-file", drive_file, NULL, 0, NULL, NULL, FALSE, "stats.leat", ".npy" },
};
const guint fault_n_scenarios = G_N_ELEMENTS (fault_scenarios);
