/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "loop-fixture.h"

#include <string.h>

void
loop_open_measured (Loop *self, const char *text, const char *who, LeatExecutor executor, guint lanes,
                    gboolean calibrate)
{
  g_auto (GStrv) parts = g_strsplit (text, "METHOD", -1);
  g_autofree char *whole = g_strjoinv (who, parts);
  g_autoptr (GError) error = NULL;

  self->pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor", executor, "lanes", lanes, "calibrate", calibrate, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
}

void
loop_open (Loop *self, const char *text, const char *who, LeatExecutor executor, guint lanes)
{
  loop_open_measured (self, text, who, executor, lanes, FALSE);
}

void
loop_close (Loop *self)
{
  leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

void
loop_push (Loop *self, const char *name, gconstpointer data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;

  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, name, NULL)), bytes, &error);
  g_assert_no_error (error);
}

GBytes *
loop_pull (Loop *self, const char *name)
{
  g_autoptr (GError) error = NULL;
  GBytes *bytes = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, name, NULL)), 0, &error);

  g_assert_no_error (error);
  g_assert_nonnull (bytes);
  return bytes;
}

void
loop_replay (Loop *self)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (leat_session_replay (self->session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
}

void
loop_check_report (Loop *self, guint index, guint64 iterations, const char *end, const char *executor)
{
  g_autoptr (GVariant) loops = leat_session_dup_loops (self->session);
  g_autoptr (GVariant) one = g_variant_get_child_value (loops, index);
  const char *text = NULL, *who = NULL;
  guint64 done = 0;

  g_assert_true (g_variant_lookup (one, "iterations", "t", &done));
  g_assert_true (g_variant_lookup (one, "end", "&s", &text));
  g_assert_true (g_variant_lookup (one, "method", "&s", &who));
  g_assert_cmpuint (done, ==, iterations);
  g_assert_cmpstr (text, ==, end);
  if (executor != NULL)
    g_assert_cmpstr (who, ==, executor);
}

void
check_floats (GBytes *bytes, const float *expected, gsize n)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);

  g_assert_cmpmem (data, size, expected, n * sizeof *expected);
}

const char halve_text[] = "leat 1\n"
                          "halve = loop max-iterations=40 until=\"most < limit\" limit=0.5 carry=x:half\n"
                          "    method=METHOD series=most {\n"
                          "  h = map expr=x*gain gain=0.5\n"
                          "  in.x -> h -> out.half\n"
                          "  h -> reduce op=max -> out.most\n"
                          "}\n"
                          "app name=in spec=f32[1000] -> upload -> halve.x\n"
                          "halve.half -> readback -> app name=out\n"
                          "halve.series -> readback -> app name=series\n"
                          "halve.iterations -> readback -> app name=iterations\n";

guint
halve (float *x, float gain, float limit, guint most, float *series)
{
  for (guint n = 0;; n++)
    {
      series[n] = 0;
      for (guint i = 0; i < N; i++)
        {
          x[i] *= gain;
          series[n] = MAX (series[n], x[i]);
        }
      if (series[n] < limit || n + 1 == most)
        return n + 1;
    }
}

void
halve_run (Loop *loop, float scale, float gain, float limit, const char *executor)
{
  float x[N], series[40];
  guint64 counted;
  g_autoptr (GBytes) out = NULL, all = NULL, iterations = NULL;
  guint n;

  for (guint i = 0; i < N; i++)
    x[i] = scale * (float) (i + 1);
  loop_push (loop, "in", x, sizeof x);
  loop_replay (loop);
  n = halve (x, gain, limit, 40, series);
  out = loop_pull (loop, "out");
  check_floats (out, x, N);
  all = loop_pull (loop, "series");
  check_floats (all, series, n);
  iterations = loop_pull (loop, "iterations");
  memcpy (&counted, g_bytes_get_data (iterations, NULL), sizeof counted);
  g_assert_cmpuint (counted, ==, n);
  loop_check_report (loop, 0, n, series[n - 1] < limit ? "converged" : "cap", executor);
}

static const LoopCase cases[] = {
  { "auto", "while", LEAT_EXECUTOR_GRAPH },  { "while", "while", LEAT_EXECUTOR_GRAPH },
  { "unrolled", NULL, LEAT_EXECUTOR_GRAPH }, { "host", "host", LEAT_EXECUTOR_GRAPH },
  { "auto", NULL, LEAT_EXECUTOR_EAGER },     { "host", "host", LEAT_EXECUTOR_EAGER },
  { "unrolled", NULL, LEAT_EXECUTOR_EAGER },
};

static const LoopCase joint_cases[] = {
  { "fused", "fused", LEAT_EXECUTOR_GRAPH },
  { "fused", "fused", LEAT_EXECUTOR_EAGER },
};

const char nested_text[] = "leat 1\n"
                           "outer = loop max-iterations=3 carry=a:b method=METHOD {\n"
                           "  inner = loop max-iterations=50 until=\"most < 100\" carry=x:y {\n"
                           "    h = map expr=x/2\n"
                           "    in.x -> h -> out.y\n"
                           "    h -> reduce op=max -> out.most\n"
                           "  }\n"
                           "  in.a -> inner.x\n"
                           "  inner.y -> map expr=x*3 -> out.b\n"
                           "}\n"
                           "app name=in spec=f32[1000] -> upload -> outer.a\n"
                           "outer.b -> readback -> app name=out\n";

static void
add_case (const char *what, const LoopCase *one, GTestDataFunc test)
{
  g_autofree char *path = g_strdup_printf ("/leat/session/loop/%s/%s-%s", what, one->who,
                                           one->executor == LEAT_EXECUTOR_GRAPH ? "graph" : "eager");

  g_test_add_data_func (path, one, test);
}

void
add_cases (const char *what, gboolean joint, GTestDataFunc test)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    add_case (what, &cases[i], test);
  for (guint i = 0; joint && i < G_N_ELEMENTS (joint_cases); i++)
    add_case (what, &joint_cases[i], test);
}
