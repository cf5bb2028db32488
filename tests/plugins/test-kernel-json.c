/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <string.h>

/* Structures and vectors by value, set by JSON: the same as argument by argument. */

static const char kernel[] =
  "struct Inner { short s; bool on; };\n"
  "struct Params { float gain; double bias; int clip[2]; Inner in[2]; unsigned long long big; };\n"
  "__global__ void k (const double *x, double *y, uint64_t x_count, Params p, float3 v, int n)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    y[i] = x[i] * p.gain + p.bias + 10 * p.clip[0] + 100 * p.clip[1] + p.in[1].s + v.z + n;\n"
  "}\n";

static LeatPipeline *
make_pipeline (void)
{
  g_autofree char *path = leat_harness_dup_path ("json.cu");
  g_autofree char *text = g_strdup_printf (
    "leat 1\na = app spec=f64[2]\nk = kernel source=\"%s\" n=0\nb = app\na -> upload -> k -> readback -> b\n", path);
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline;

  leat_harness_write_file (path, kernel, strlen (kernel));
  pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  return pipeline;
}

/* All that is set: "p.gain=2 p.bias=1" */
static char *
dup_set (LeatNode *node)
{
  g_auto (GStrv) names = leat_node_list_args (node);
  GString *text = g_string_new (NULL);

  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *value = leat_node_dup_as_string (node, names[i]);

      if (value != NULL && !g_str_equal (names[i], "n"))
        g_string_append_printf (text, "%s%s=%s", text->len > 0 ? " " : "", names[i], value);
    }
  return g_string_free (text, FALSE);
}

static void
test_kernel_json_sets (void)
{
  static const char *const table[][3] = {
    { "p", "{\"gain\": 2, \"bias\": 1e300}", "p.gain=2 p.bias=1e+300" },
    { "p", " { \"clip\" : [ -1 , 2 ] } ", "p.clip.0=-1 p.clip.1=2" },
    { "p", "{}", "" },
    /* as the reader of pipeline files leaves it */
    { "p", "{gain:2,in:[[1,true],{on:false}]}", "p.gain=2 p.in.0.s=1 p.in.0.on=true p.in.1.on=false" },
    { "p", "{\"clip\": {\"1\": 7}}", "p.clip.1=7" },
    { "p", "{\"gain\": 1, \"gain\": 3}", "p.gain=3" },
    { "p", "{\"big\": 18446744073709551615}", "p.big=18446744073709551615" },
    { "p", "[2, 3, [4, 5], [[6, true], [7, false]], 8]",
      "p.gain=2 p.bias=3 p.clip.0=4 p.clip.1=5 p.in.0.s=6 p.in.0.on=true p.in.1.s=7 p.in.1.on=false p.big=8" },
    { "p.clip", "[4, 5]", "p.clip.0=4 p.clip.1=5" },
    { "p.in.1", "{\"s\": 9}", "p.in.1.s=9" },
    { "v", "[1, 2.5, 3]", "v.x=1 v.y=2.5 v.z=3" },
    { "arg.v", "{\"y\": 2}", "v.y=2" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (LeatPipeline) pipeline = make_pipeline ();
      LeatNode *node = leat_pipeline_get_node (pipeline, "k", NULL);
      g_autoptr (GError) error = NULL;
      g_autofree char *text = NULL;

      g_test_message ("%s=%s", table[i][0], table[i][1]);
      leat_node_set_from_string (node, table[i][0], table[i][1], &error);
      g_assert_no_error (error);
      text = dup_set (node);
      g_assert_cmpstr (text, ==, table[i][2]);
    }
}

static void
test_kernel_json_refuses (void)
{
  static const struct
  {
    const char *name, *text;
    int code;
    const char *says;
  } table[] = {
    { "p", "{\"gian\": 2}", LEAT_GRAPH_ERROR_TYPE, "column 2: \"p\" has no member \"gian\" (did you mean \"gain\"?)" },
    { "p", "{\"gain\": 2, \"in\": [{}, {\"t\": 1}]}", LEAT_GRAPH_ERROR_TYPE,
      "column 25: \"p.in.1\" has no member \"t\" (there are s and on)" },
    { "p", "{\"gain\": \"2\"}", LEAT_GRAPH_ERROR_TYPE, "argument \"p.gain\" takes a number, not \"\"2\"\"" },
    { "p", "{\"gain\": true}", LEAT_GRAPH_ERROR_TYPE, "argument \"p.gain\" takes a number" },
    { "p", "{\"gain\": null}", LEAT_GRAPH_ERROR_TYPE, "argument \"p.gain\" takes a number" },
    { "p", "{\"gain\": 1e300}", LEAT_GRAPH_ERROR_RANGE, "\"p.gain\" is a 32-bit float" },
    { "p", "{\"gain\": {}}", LEAT_GRAPH_ERROR_TYPE, "column 10: \"p.gain\" takes a number" },
    { "p", "{\"gain\": [1]}", LEAT_GRAPH_ERROR_TYPE, "column 10: \"p.gain\" takes a number" },
    { "p", "{\"gain\":}", LEAT_GRAPH_ERROR_TYPE, "column 9: \"p.gain\" takes a number" },
    { "p", "{\"clip\": [1]}", LEAT_GRAPH_ERROR_TYPE, "column 10: \"p.clip\" has 2 members, and fewer are given" },
    { "p", "{\"clip\": [1, 2, 3]}", LEAT_GRAPH_ERROR_TYPE, "\"p.clip\" has 2 members, and more are given" },
    { "p", "{\"clip\": 1}", LEAT_GRAPH_ERROR_TYPE, "\"p.clip\" has members (0, 1): give it {\"0\": VALUE, ...} or" },
    { "p", "{\"clip\": [1, 2.5]}", LEAT_GRAPH_ERROR_TYPE, "argument \"p.clip.1\" takes a whole number" },
    { "p", "{\"in\": [{\"s\": 32768}, {}]}", LEAT_GRAPH_ERROR_RANGE, "argument \"p.in.0.s\" is -32768 to 32767" },
    { "p", "{\"in\": [{\"on\": 2}, {}]}", LEAT_GRAPH_ERROR_TYPE, "argument \"p.in.0.on\" takes true or false" },
    { "p", "{\"big\": -1}", LEAT_GRAPH_ERROR_RANGE, "argument \"p.big\" is 0 to 18446744073709551615" },
    { "p", "3", LEAT_GRAPH_ERROR_TYPE, "column 1: \"p\" has members (gain, bias, clip, in, big): give it" },
    { "p", "", LEAT_GRAPH_ERROR_TYPE, "column 1: \"p\" has members" },
    { "p", "{\"gain\": 2", LEAT_GRAPH_ERROR_TYPE, "column 11: expected \",\" or \"}\"" },
    { "p", "{\"gain\" 2}", LEAT_GRAPH_ERROR_TYPE, "column 9: expected \":\" behind \"gain\"" },
    { "p", "{\"gain: 2}", LEAT_GRAPH_ERROR_TYPE, "column 2: expected the name of a member" },
    { "p", "{\"gain\": 2} 3", LEAT_GRAPH_ERROR_TYPE, "column 13: nothing may follow" },
    { "p", "{\"gain\": 2 \"bias\": 3}", LEAT_GRAPH_ERROR_TYPE, "column 12: expected \",\" or \"}\"" },
    { "v", "[1, 2", LEAT_GRAPH_ERROR_TYPE, "\"v\" has 3 members, and fewer are given" },
    { "v", "[1, 2, 3", LEAT_GRAPH_ERROR_TYPE, "expected \",\" or \"]\"" },
    { "n", "{\"x\": 1}", LEAT_GRAPH_ERROR_TYPE, "argument \"n\" takes a whole number" },
    { "q", "{\"x\": 1}", LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY, "no property \"q\"" },
  };
  g_autoptr (LeatPipeline) pipeline = make_pipeline ();
  LeatNode *node = leat_pipeline_get_node (pipeline, "k", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = NULL;

      g_test_message ("%s=%s", table[i].name, table[i].text);
      g_assert_false (leat_node_set_from_string (node, table[i].name, table[i].text, &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, LEAT_GRAPH_ERROR, table[i].code);
      g_assert_nonnull (strstr (error->message, table[i].says));
      /* All or nothing. */
      text = dup_set (node);
      g_assert_cmpstr (text, ==, "");
    }
}

static void
count_change (LeatNode *node, const char *name, gpointer data)
{
  (*(guint *) data)++;
}

static double
run_once (LeatSession *session, LeatPipeline *pipeline)
{
  g_autoptr (GBytes) bytes = g_bytes_new ((double[]){ 3, 5 }, 16), result = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), bytes, &error));
  leat_session_replay (session, TRUE, NULL, &error);
  g_assert_no_error (error);
  result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, &error);
  g_assert_no_error (error);
  return ((const double *) g_bytes_get_data (result, NULL))[1];
}

static void
test_kernel_json_runs (void)
{
  g_autoptr (LeatPipeline) pipeline = make_pipeline ();
  LeatNode *node = leat_pipeline_get_node (pipeline, "k", NULL);
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GError) error = NULL;
  guint n_changes = 0;

  g_assert_true (leat_node_set_from_string (
    node, "p", "{\"gain\": 2, \"bias\": 0.5, \"clip\": [1, 2], \"in\": [[1, true], [7, true]], \"big\": 1}", &error));
  g_assert_true (leat_node_set_from_string (node, "v", "[1, 2, 1000]", &error));
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (run_once (session, pipeline), ==, 5 * 2 + 0.5 + 10 + 200 + 7 + 1000);
  g_signal_connect (node, "arg-changed", G_CALLBACK (count_change), &n_changes);
  g_assert_true (leat_node_set_from_string (node, "p", "{\"gain\": 3, \"clip\": [4, 5]}", &error));
  g_assert_cmpuint (n_changes, ==, 3);
  g_assert_cmpfloat (run_once (session, pipeline), ==, 5 * 3 + 0.5 + 40 + 500 + 7 + 1000);
  leat_session_close (session);
}

/* A pipeline file, whose reader takes quotes away and ends a word at a blank. */
static void
test_kernel_json_in_a_file (void)
{
  static const char *const spellings[] = { "p={\"gain\":2,\"clip\":[1,2]}", "p=\"{gain: 2, clip: [1, 2]}\"",
                                           "p=\"{\\\"gain\\\": 2, \\\"clip\\\": [1, 2]}\"" };

  for (guint i = 0; i < G_N_ELEMENTS (spellings); i++)
    {
      g_autofree char *path = leat_harness_dup_path ("json.cu");
      g_autofree char *text =
        g_strdup_printf ("leat 1\nk = kernel source=\"%s\" %s n=0\napp spec=f64[2] -> upload -> k -> "
                         "readback -> discard\n",
                         path, spellings[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPipeline) pipeline = NULL;
      g_autofree char *set = NULL;

      leat_harness_write_file (path, kernel, strlen (kernel));
      pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
      g_assert_no_error (error);
      set = dup_set (leat_pipeline_get_node (pipeline, "k", NULL));
      g_assert_cmpstr (set, ==, "p.gain=2 p.clip.0=1 p.clip.1=2");
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel-json/sets", test_kernel_json_sets);
  g_test_add_func ("/leat/kernel-json/refuses", test_kernel_json_refuses);
  g_test_add_func ("/leat/kernel-json/runs", test_kernel_json_runs);
  g_test_add_func ("/leat/kernel-json/in-a-file", test_kernel_json_in_a_file);
  return g_test_run ();
}
