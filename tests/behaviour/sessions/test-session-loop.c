/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "loop-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

/* Loops: who does them makes no difference to what comes out. */

/* As many iterations as the data want, in each run. */
static void
test_loop_until (gconstpointer data)
{
  const LoopCase *self = data;
  Loop loop;

  loop_open (&loop, halve_text, self->who, self->executor, 1);
  for (guint i = 0; i < 6; i++)
    halve_run (&loop, (float) (i * i) * 0.7f + 0.0001f, 0.5f, 0.5f, self->becomes);
  loop_close (&loop);
}

/* Arguments of the body and of the test, while the session is open. */
static void
test_loop_arguments (gconstpointer data)
{
  const LoopCase *self = data;
  g_autoptr (GError) error = NULL;
  LeatNode *node;
  Loop loop;

  loop_open (&loop, halve_text, self->who, self->executor, 1);
  halve_run (&loop, 1, 0.5f, 0.5f, NULL);
  node = leat_pipeline_get_node (loop.pipeline, "h", NULL);
  g_assert_true (leat_node_set_arg_double (node, "gain", 0.25, &error));
  halve_run (&loop, 1, 0.25f, 0.5f, NULL);
  node = leat_pipeline_get_node (loop.pipeline, "halve", NULL);
  g_assert_true (leat_node_set_arg_double (node, "limit", 64, &error));
  halve_run (&loop, 1, 0.25f, 64, NULL);
  g_assert_true (leat_node_set_arg_double (node, "limit", 0, &error));
  halve_run (&loop, 1, 0.25f, 0, NULL);
  g_assert_no_error (error);
  loop_close (&loop);
}

/* a, b = b, a + b, as often as it says, with a number that does not go on and one that changes from run to run. */
static const char pair_text[] = "leat 1\n"
                                "pair = loop max-iterations=12 carry=a:second,b:sum method=METHOD {\n"
                                "  in.b -> out.second\n"
                                "  s = map inputs=x,y,z expr=x+y+z+extra extra=0\n"
                                "  in.a -> s.x\n"
                                "  in.b -> s.y\n"
                                "  in.one -> s.z\n"
                                "  s -> out.sum\n"
                                "}\n"
                                "app name=a spec=u32[7] -> upload -> pair.a\n"
                                "app name=b spec=u32[7] -> upload -> pair.b\n"
                                "app name=one spec=u32[7] -> upload -> pair.one\n"
                                "pair.sum -> readback -> app name=out\n";

static void
test_loop_pair (gconstpointer data)
{
  const LoopCase *self = data;
  Loop loop;

  loop_open (&loop, pair_text, self->who, self->executor, 1);
  for (guint run = 0; run < 4; run++)
    {
      LeatNode *node = leat_pipeline_get_node (loop.pipeline, "s", NULL);
      guint32 a[7], b[7], one[7];
      g_autoptr (GBytes) out = NULL;

      g_assert_true (leat_node_set_arg_int64 (node, "extra", run * run, NULL));
      for (guint i = 0; i < 7; i++)
        {
          a[i] = i + run;
          b[i] = 3 * i;
          one[i] = run;
        }
      loop_push (&loop, "a", a, sizeof a);
      loop_push (&loop, "b", b, sizeof b);
      loop_push (&loop, "one", one, sizeof one);
      loop_replay (&loop);
      for (guint k = 0; k < 12; k++)
        for (guint i = 0; i < 7; i++)
          {
            guint32 sum = a[i] + b[i] + one[i] + run * run;

            a[i] = b[i];
            b[i] = sum;
          }
      out = loop_pull (&loop, "out");
      g_assert_cmpmem (g_bytes_get_data (out, NULL), g_bytes_get_size (out), b, sizeof b);
      loop_check_report (&loop, 0, 12, "cap", NULL);
    }
  loop_close (&loop);
}

/* Outputs that are inputs as they are, which the next iteration finds changed: the test, the series and who comes
 * behind the loop see what they were.  One of the two goes on by itself, the other does not. */
static const char behind_text[] = "leat 1\n"
                                  "behind = loop until=\"was >= limit && seen >= limit\" limit=5 max-iterations=40\n"
                                  "    carry=x:was,z:more series=seen method=METHOD {\n"
                                  "  in.x -> map expr=x*10 -> out.ten\n"
                                  "  in.z -> out.was\n"
                                  "  in.z -> out.seen\n"
                                  "  in.z -> map expr=x+2 -> out.more\n"
                                  "}\n"
                                  "app name=x spec=u32[1] -> upload -> behind.x\n"
                                  "app name=z spec=u32[1] -> upload -> behind.z\n"
                                  "behind.ten -> readback -> app name=ten\n"
                                  "behind.was -> readback -> app name=was\n"
                                  "behind.seen -> readback -> app name=seen\n"
                                  "behind.more -> readback -> app name=more\n"
                                  "behind.series -> readback -> app name=series\n";

static void
check_word (Loop *loop, const char *name, guint32 wanted)
{
  g_autoptr (GBytes) out = loop_pull (loop, name);

  g_test_message ("%s", name);
  g_assert_cmpmem (g_bytes_get_data (out, NULL), g_bytes_get_size (out), &wanted, sizeof wanted);
}

static void
test_loop_behind (gconstpointer data)
{
  const LoopCase *self = data;
  Loop loop;

  loop_open (&loop, behind_text, self->who, self->executor, 1);
  for (guint32 run = 0; run < 4; run++)
    {
      guint32 x = 7, z = run, ten, was, series[40];
      g_autoptr (GBytes) all = NULL;
      guint n = 0;

      loop_push (&loop, "x", &x, sizeof x);
      loop_push (&loop, "z", &z, sizeof z);
      loop_replay (&loop);
      do
        {
          ten = x * 10;
          was = series[n++] = x = z;
          z += 2;
        }
      while (was < 5);
      check_word (&loop, "ten", ten);
      check_word (&loop, "was", was);
      check_word (&loop, "seen", was);
      check_word (&loop, "more", z);
      all = loop_pull (&loop, "series");
      g_assert_cmpmem (g_bytes_get_data (all, NULL), g_bytes_get_size (all), series, n * sizeof *series);
      loop_check_report (&loop, 0, n, "converged", NULL);
    }
  loop_close (&loop);
}

/* What comes in and goes on is a result, too: what it was in the last iteration, not what it becomes. */
static const char was_text[] = "leat 1\n"
                               "near = loop TEST max-iterations=9 carry=x:next,y:twice method=METHOD {\n"
                               "  h = map expr=x/2\n"
                               "  d = map expr=x*2\n"
                               "  in.x -> h -> out.next\n"
                               "  in.x -> out.was\n"
                               "  in.y -> d -> out.twice\n"
                               "  in.y -> out.before\n"
                               "}\n"
                               "app name=x spec=f32[1] -> upload -> near.x\n"
                               "app name=y spec=f32[1000] -> upload -> near.y\n"
                               "near.next -> readback -> app name=next\n"
                               "near.before -> readback -> app name=before\n";

/* Where the test looks at it, where other data go on from it, or neither. */
static void
test_loop_was (gconstpointer data)
{
  static const struct
  {
    const char *test, *more;
    guint iterations;
  } rows[] = { { "until=\"was-next < 1\"", "", 7 },
               { "until=\"was-next < 1\" series=was", "near.was -> readback -> app name=was\n", 7 },
               { "", "near.was -> readback -> app name=was\n", 9 } };
  const LoopCase *self = data;

  for (guint row = 0; row < G_N_ELEMENTS (rows); row++)
    {
      g_auto (GStrv) parts = g_strsplit (was_text, "TEST", -1);
      g_autofree char *whole = g_strjoinv (rows[row].test, parts);
      g_autofree char *text = g_strconcat (whole, rows[row].more, NULL);
      float x = 100, y[N], before[N];
      g_autoptr (GBytes) next = NULL, out = NULL, was = NULL;
      Loop loop;

      loop_open (&loop, text, self->who, self->executor, 1);
      for (guint i = 0; i < N; i++)
        {
          y[i] = (float) i;
          before[i] = (float) i * (float) (1 << (rows[row].iterations - 1));
        }
      loop_push (&loop, "x", &x, sizeof x);
      loop_push (&loop, "y", y, sizeof y);
      loop_replay (&loop);
      loop_check_report (&loop, 0, rows[row].iterations, row < 2 ? "converged" : "cap", NULL);
      x /= (float) (1 << rows[row].iterations);
      next = loop_pull (&loop, "next");
      check_floats (next, &x, 1);
      out = loop_pull (&loop, "before");
      check_floats (out, before, N);
      x *= 2;
      was = *rows[row].more != '\0' ? loop_pull (&loop, "was") : NULL;
      if (was != NULL)
        check_floats (was, &x, 1);
      loop_close (&loop);
    }
}

/* A loop that does as many iterations each time as its data want, three times. */
static void
test_loop_nested (gconstpointer data)
{
  const LoopCase *self = data;
  Loop loop;

  loop_open (&loop, nested_text, self->who, self->executor, 1);
  for (guint run = 0; run < 3; run++)
    {
      float x[N], series[50];
      g_autoptr (GBytes) out = NULL;
      guint last = 0;

      for (guint i = 0; i < N; i++)
        x[i] = (float) (i + 1) * (float) (run * 10 + 1);
      loop_push (&loop, "in", x, sizeof x);
      loop_replay (&loop);
      for (guint k = 0; k < 3; k++)
        {
          last = halve (x, 0.5f, 100, 50, series);
          for (guint i = 0; i < N; i++)
            x[i] *= 3;
        }
      out = loop_pull (&loop, "out");
      check_floats (out, x, N);
      loop_check_report (&loop, 0, 3, "cap", NULL);
      loop_check_report (&loop, 1, last, "converged", NULL);
    }
  loop_close (&loop);
}

/* What is in flight side by side has loops of its own. */
static void
test_loop_lanes (gconstpointer data)
{
  const LoopCase *self = data;
  g_autoptr (GError) error = NULL;
  Loop loop;

  loop_open (&loop, halve_text, self->who, self->executor, 4);
  for (guint run = 0; run < 12; run++)
    {
      float x[N];

      for (guint i = 0; i < N; i++)
        x[i] = (float) (run * run) * (float) (i + 1);
      loop_push (&loop, "in", x, sizeof x);
    }
  leat_app_end (LEAT_APP (leat_pipeline_get_node (loop.pipeline, "in", NULL)));
  leat_session_run (loop.session, NULL, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < 12; run++)
    {
      float x[N], series[40];
      g_autoptr (GBytes) out = loop_pull (&loop, "out"), all = loop_pull (&loop, "series");
      guint n;

      for (guint i = 0; i < N; i++)
        x[i] = (float) (run * run) * (float) (i + 1);
      n = halve (x, 0.5f, 0.5f, 40, series);
      check_floats (out, x, N);
      check_floats (all, series, n);
    }
  loop_close (&loop);
}

/* Outputs are called what their writer likes. */
static void
test_loop_names (void)
{
  static const char text[] =
    "leat 1\n"
    "l = loop until=\"ends > 10 && late > 10 && goes_on > 10\" carry=x:ends,y:late,z:goes_on {\n"
    "  in.x -> map expr=x+1 -> out.ends\n"
    "  in.y -> map expr=x+2 -> out.late\n"
    "  in.z -> map expr=x+3 -> out.goes_on\n"
    "}\n"
    "in = app spec=u32[1]\n"
    "up = upload\n"
    "in -> up -> l.x\n"
    "up -> l.y\n"
    "up -> l.z\n"
    "l.ends -> readback -> app name=out\n";
  guint32 x = 0, y;
  g_autoptr (GBytes) out = NULL;
  Loop loop;

  loop_open (&loop, text, "", LEAT_EXECUTOR_GRAPH, 1);
  loop_push (&loop, "in", &x, sizeof x);
  loop_replay (&loop);
  out = loop_pull (&loop, "out");
  memcpy (&y, g_bytes_get_data (out, NULL), sizeof y);
  g_assert_cmpuint (y, ==, 11);
  loop_close (&loop);
}

/* The session is one launch and one wait, whatever the iterations. */
static void
test_loop_launches (void)
{
  g_autoptr (GVariant) counts = NULL;
  g_autoptr (GError) error = NULL;
  guint64 launches = 0, waits = 0;
  Loop loop;

  loop_open (&loop, halve_text, "while", LEAT_EXECUTOR_GRAPH, 1);
  halve_run (&loop, 1, 0.5f, 0.5f, "while");
  g_assert_true (leat_session_start_counting (loop.session, &error));
  halve_run (&loop, 1, 0.5f, 0.5f, "while");
  halve_run (&loop, 1000, 0.5f, 0.5f, "while");
  counts = leat_session_stop_counting (loop.session, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (counts, "graph-launches", "t", &launches));
  g_assert_true (g_variant_lookup (counts, "waits", "t", &waits));
  g_assert_cmpuint (launches, ==, 2);
  g_assert_cmpuint (waits, ==, 2);
  loop_close (&loop);
}

typedef struct
{
  const char *name, *loop, *message;
} BadCase;

static const BadCase bad_cases[] = {
  { "no-end", "loop carry=x:y {\n  in.x -> map name=m expr=x+1 -> out.y\n}", "nothing would end the loop" },
  { "until-many", "loop until=\"y > 3\" carry=x:y {\n  in.x -> map name=m expr=x+1 -> out.y\n}",
    "loop \"l\": until= takes outputs of one number, and out.y is f32[8]" },
  { "until-text", "loop until=\"y >\" carry=x:y {\n  in.x -> map name=m expr=x+1 -> out.y\n}", "" },
  { "until-unset", "loop until=\"limit > iteration\" carry=x:y {\n  in.x -> map name=m expr=x+1 -> out.y\n}",
    "loop \"l\": until= has \"limit\", and the body brings no out.limit (there is y)" },
  { "until-misspelt",
    "loop until=\"mots < 3\" carry=x:y {\n  in.x -> map name=m expr=x+1 -> out.y\n  m -> reduce op=max -> out.most\n}",
    "until= has \"mots\", and the body brings no out.mots (did you mean \"most\"?)" },
  { "carry-form", "loop max-iterations=3 carry=x {\n  in.x -> map name=m expr=x+1 -> out.y\n}",
    "loop \"l\": carry=x: \"x\" is not IN:OUT" },
  { "carry-name", "loop max-iterations=3 carry=x:z {\n  in.x -> map name=m expr=x+1 -> out.y\n}", "has no port \"z\"" },
  { "carry-way", "loop max-iterations=3 carry=y:x {\n  in.x -> map name=m expr=x+1 -> out.y\n}",
    "loop \"l\": carry=y:x: \"y\" is what comes in and" },
  { "carry-spec", "loop max-iterations=3 carry=x:y {\n  in.x -> map name=m expr=x+1 type=u8 -> out.y\n}",
    "loop \"l\": in.x is f32[8] and would become out.y, which is u8[8]: make both the same" },
  { "series-name", "loop max-iterations=3 carry=x:y series=z {\n  in.x -> map name=m expr=x+1 -> out.y\n}",
    "loop \"l\": series=z: the body brings no out.z (there is y)" },
  { "series-many", "loop max-iterations=3 carry=x:y series=y {\n  in.x -> map name=m expr=x+1 -> out.y\n}",
    "loop \"l\": series= takes outputs of one number" },
  { "series-i",
    "loop max-iterations=3 carry=x:y series=i {\n  in.x -> map name=m expr=x+1 -> out.y\n"
    "  m -> reduce op=max -> out.i\n}",
    "give out.i another name" },
  { "series-dash",
    "loop max-iterations=3 carry=x:y series=a-b {\n  in.x -> map name=m expr=x+1 -> out.y\n"
    "  m -> reduce op=max -> out.a-b\n}",
    "give out.a-b another name" },
  { "state", "loop max-iterations=3 carry=x:y {\n  s = state spec=f32[8]\n  in.x -> s -> out.y\n}",
    "cannot be in the body of \"l\"" },
  { "readback", "loop max-iterations=3 carry=x:y {\n  in.x -> readback -> upload -> out.y\n}",
    "cannot be in the body of \"l\": all of a body is on the device" },
  { "source", "loop max-iterations=3 carry=x:y {\n  app name=k spec=f32[8] -> upload -> out.y\n}",
    "cannot be in the body of \"l\": data enters and leaves the pipeline outside" },
  { "two-writers", "loop max-iterations=3 carry=x:y {\n  in.x -> map expr=x -> out.y\n  in.x -> map expr=x -> out.y\n}",
    "an input has one link" },
  { "same-name", "loop max-iterations=3 carry=x:x {\n  in.x -> map expr=x -> out.x\n}", "another name" },
};

static void
test_loop_refused (gconstpointer data)
{
  const BadCase *self = data;
  g_autofree char *text = g_strdup_printf ("leat 1\nl = %s\napp name=in spec=f32[8] -> upload -> l.x\n"
                                           "l.y -> readback -> app name=out\n",
                                           self->loop);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatPlan) plan = pipeline != NULL ? leat_plan_new (pipeline, &error) : NULL;

  g_assert_null (plan);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, self->message));
}

/* As many nodes as the graph would have are too many: it is done otherwise, and the plan says why. */
static void
test_loop_many (void)
{
  static const struct
  {
    const char *most, *said;
  } rows[] = {
    { "32768", ", 32768 times, unrolled (as asked)" },
    { "32769", ", 32769 times, while (unrolled it would be more than 65536 nodes of the graph)" },
    { "9223372036854775807", "times, while (unrolled it would be more than 65536 nodes of the graph)" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf ("app name=in spec=f32[8] + upload + loop method=unrolled "
                                               "max-iterations=%s begin in.a + map expr=x+1 + out.b end + readback + "
                                               "app name=out",
                                               rows[i].most);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_TERMINAL, NULL, &error);
      g_autoptr (LeatPlan) plan = pipeline != NULL ? leat_plan_new (pipeline, &error) : NULL;
      g_autofree char *said = NULL;

      g_assert_no_error (error);
      said = leat_plan_to_text (plan);
      if (strstr (said, rows[i].said) == NULL)
        g_error ("the plan does not say \"%s\":\n%s", rows[i].said, said);
    }
}

/* What shows only when all of the body is known is told where it stands in the file. */
static void
test_loop_places (void)
{
  static const struct
  {
    const char *loop, *begin;
  } cases[] = {
    { "loop max-iterations=3 carry=x", "2:33: loop \"l\": carry=x: " },
    { "loop max-iterations=3 carry=x:y series=z", "2:44: loop \"l\": series=z: " },
    { "loop carry=x:y until=z<3", "2:26: loop \"l\": until= has \"z\"" },
    { "loop max-iterations=3 carry=x:z", "2:33: loop \"l\" has no port \"z\"" },
  };
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("leat-loop-XXXXXX", &error);
  g_autofree char *path = g_build_filename (folder, "l.leat", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf ("leat 1\nl = %s {\n  in.x -> map expr=x+1 -> out.y\n}\n"
                                               "app name=in spec=f32[8] -> upload -> l.x\n"
                                               "l.y -> readback -> app name=out\n",
                                               cases[i].loop);
      g_autofree char *begin = g_strdup_printf ("%s:%s", path, cases[i].begin);
      g_autoptr (LeatPipeline) pipeline = NULL;
      g_autoptr (LeatPlan) plan = NULL;

      g_assert_true (g_file_set_contents (path, text, -1, &error));
      pipeline = leat_parse_file (path, NULL, &error);
      g_assert_no_error (error);
      plan = leat_plan_new (pipeline, &error);
      g_assert_null (plan);
      g_assert_nonnull (error);
      g_test_message ("%s", error->message);
      g_assert_true (g_str_has_prefix (error->message, begin));
      g_clear_error (&error);
    }
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* What follows from a fault in a body is not told: ports that it would have made, of this loop or of one around it. */
static void
test_loop_faults (void)
{
  static const char text[] = "leat 1\n"
                             "o = loop max-iterations=5 carry=x:y {\n"
                             "  i = loop max-iterations=2 carry=a:b {\n"
                             "    in.a -> map expr=\"x +\" -> out.b\n"
                             "  }\n"
                             "  in.x -> i.a\n"
                             "  i.b -> out.y\n"
                             "}\n"
                             "app name=in spec=f32[8] -> upload -> o.x\n"
                             "o.y -> readback -> app name=out\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);

  g_assert_null (pipeline);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_prefix (error->message, "line 4, column "));
  g_assert_null (strstr (error->message, "more error"));
}

/* With two outputs in the body nobody can tell which is meant, and one of these is given as the example. */
static void
test_loop_ambiguous (void)
{
  static const char text[] = "app name=in spec=f32[8] + upload + loop name=l max-iterations=3 carry=a:b begin "
                             "in.a + map name=m expr=x+1 + out.b , m. + reduce op=max + out.c end + readback + "
                             "app name=out";
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_TERMINAL, NULL, &error);

  g_assert_null (pipeline);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "say which of iterations, series, b and c is meant, as in l.b"));
}

/* A loop in the midst of a chain gives what its body brings, though it has outputs of its own too. */
static void
test_loop_chain (void)
{
  static const char *const texts[] = {
    "app name=in spec=f32[8] + upload + loop max-iterations=3 carry=a:b begin in.a + map expr=x+1 + out.b end + "
    "readback + app name=out",
    "app name=in spec=f32[8] + upload + loop max-iterations=3 begin in.a + loop max-iterations=1 begin in.c + "
    "map expr=x+1 + out.d end + out.b end + readback + app name=out",
  };

  for (guint t = 0; t < G_N_ELEMENTS (texts); t++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPipeline) pipeline = leat_parse_text (texts[t], LEAT_TEXT_STYLE_TERMINAL, NULL, &error);
      g_autofree char *written = NULL;
      g_autoptr (GBytes) out = NULL;
      float x[8];
      Loop loop;

      g_assert_no_error (error);
      written = leat_pipeline_to_text (pipeline, LEAT_TEXT_STYLE_FILE, NULL);
      loop_open (&loop, written, "", LEAT_EXECUTOR_GRAPH, 1);
      for (guint i = 0; i < 8; i++)
        x[i] = (float) i;
      loop_push (&loop, "in", x, sizeof x);
      loop_replay (&loop);
      out = loop_pull (&loop, "out");
      for (guint i = 0; i < 8; i++)
        x[i] += 3;
      check_floats (out, x, 8);
      loop_close (&loop);
    }
}

/* A link over the border of a body, either way. */
static void
test_loop_borders (void)
{
  static const char *const texts[] = {
    "leat 1\nl = loop max-iterations=3 carry=x:y {\n  m = map expr=x+1\n  in.x -> m -> out.y\n}\n"
    "app name=in spec=f32[8] -> upload name=u -> l.x\nm -> readback -> app name=out\n",
    "leat 1\nl = loop max-iterations=3 carry=x:y {\n  m = map expr=x+1 inputs=x\n  u -> m -> out.y\n}\n"
    "app name=in spec=f32[8] -> upload name=u -> l.x\nl.y -> readback -> app name=out\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPipeline) pipeline = leat_parse_text (texts[i], LEAT_TEXT_STYLE_FILE, NULL, &error);

      g_assert_null (pipeline);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, "is in the body of \"l\" and the"));
    }
}

/* Written and read again it is the same pipeline. */
static void
test_loop_text (void)
{
  static const char *const texts[] = { halve_text, pair_text, nested_text };
  static const LeatTextStyle styles[] = { LEAT_TEXT_STYLE_FILE, LEAT_TEXT_STYLE_TERMINAL };

  for (guint i = 0; i < G_N_ELEMENTS (texts) * G_N_ELEMENTS (styles); i++)
    {
      LeatTextStyle style = styles[i % 2];
      g_auto (GStrv) parts = g_strsplit (texts[i / 2], "METHOD", -1);
      g_autofree char *text = g_strjoinv ("host", parts);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPipeline) first = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
      g_autofree char *written = leat_pipeline_to_text (first, style, NULL);
      g_autoptr (LeatPipeline) second = leat_parse_text (written, style, NULL, &error);
      g_autofree char *again = NULL;

      g_assert_no_error (error);
      again = leat_pipeline_to_text (second, style, NULL);
      g_assert_cmpstr (again, ==, written);
    }
}

/* Does the test wait for the copy of what goes on, which is the op before it? */
static gboolean
beside_waits (const char *text, const char *who)
{
  g_auto (GStrv) lines = NULL;
  g_autofree char *plan_text = NULL;
  g_autoptr (LeatPlan) plan = NULL;
  guint copy = G_MAXUINT;
  const char *after = NULL;
  Loop loop;

  loop_open (&loop, text, who, LEAT_EXECUTOR_GRAPH, 1);
  plan = leat_session_dup_plan (loop.session);
  plan_text = leat_plan_to_text (plan);
  g_test_message ("%s", plan_text);
  lines = g_strsplit (plan_text, "\n", -1);
  for (guint i = 0; lines[i] != NULL && after == NULL; i++)
    if (strstr (lines[i], "loop_test grid") != NULL)
      {
        copy = (guint) g_ascii_strtoull (lines[i - 1], NULL, 10);
        g_assert_nonnull (strstr (lines[i - 1], " copy "));
        after = strstr (lines[i], "  after ");
        g_assert_nonnull (after);
        after += strlen ("  after ");
      }
  loop_close (&loop);
  for (; after != NULL; after = strchr (after, ',') != NULL ? strchr (after, ',') + 1 : NULL)
    if (g_ascii_strtoull (after, NULL, 10) == copy)
      return TRUE;
  return FALSE;
}

/* A node that loops waits for all of its body, so that what the test does not look at is copied beside it. */
static void
test_loop_beside (void)
{
  static const char text[] = "leat 1\n"
                             "l = loop until=\"most > 300\" carry=x:y method=METHOD {\n"
                             "  in.x -> map expr=x+1 -> out.y\n"
                             "  in.x -> reduce op=max -> out.most\n"
                             "}\n"
                             "app name=in spec=f32[1000] -> upload -> l.x\n"
                             "l.y -> readback -> app name=out\n";

  g_assert_false (beside_waits (text, "while"));
  g_assert_true (beside_waits (text, "host"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases ("until", TRUE, test_loop_until);
  add_cases ("arguments", TRUE, test_loop_arguments);
  add_cases ("was", TRUE, test_loop_was);
  add_cases ("pair", TRUE, test_loop_pair);
  add_cases ("behind", TRUE, test_loop_behind);
  add_cases ("nested", FALSE, test_loop_nested);
  add_cases ("lanes", TRUE, test_loop_lanes);
  g_test_add_func ("/leat/session/loop/names", test_loop_names);
  g_test_add_func ("/leat/session/loop/launches", test_loop_launches);
  g_test_add_func ("/leat/session/loop/beside", test_loop_beside);
  for (guint i = 0; i < G_N_ELEMENTS (bad_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/session/loop/refused/", bad_cases[i].name, NULL);

      g_test_add_data_func (path, &bad_cases[i], test_loop_refused);
    }
  g_test_add_func ("/leat/session/loop/borders", test_loop_borders);
  g_test_add_func ("/leat/session/loop/places", test_loop_places);
  g_test_add_func ("/leat/session/loop/many", test_loop_many);
  g_test_add_func ("/leat/session/loop/faults", test_loop_faults);
  g_test_add_func ("/leat/session/loop/ambiguous", test_loop_ambiguous);
  g_test_add_func ("/leat/session/loop/chain", test_loop_chain);
  g_test_add_func ("/leat/session/loop/text", test_loop_text);
  return g_test_run ();
}
