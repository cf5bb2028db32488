/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "loop-fixture.h"

#include <dlfcn.h>
#include <string.h>

#include "cpu/leat-cpu-counters.h"

/* How loops end, and what is told of them before. */

/* One that would never end does, in each of several runs, and the session goes on. */
static void
test_loop_budget (gconstpointer data)
{
  static const char text[] = "leat 1\n"
                             "away = loop until=\"y < limit\" limit=0 carry=x:y budget=0.1 method=METHOD {\n"
                             "  in.x -> map expr=x+1 -> out.y\n"
                             "}\n"
                             "app name=in spec=u64[1] -> upload -> away.x\n"
                             "away.y -> readback -> app name=out\n";
  const LoopCase *self = data;
  Loop loop;

  loop_open (&loop, text, self->who, self->executor, 1);
  for (guint run = 0; run < 5; run++)
    {
      guint64 x = run;
      gint64 begin;
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) out = NULL;

      loop_push (&loop, "in", &x, sizeof x);
      begin = g_get_monotonic_time ();
      g_assert_cmpint (leat_session_replay (loop.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
      g_assert_nonnull (strstr (error->message, "loop \"away\" had not come to its end"));
      g_assert_nonnull (strstr (error->message, "each of which hands on away.x u64[1]: set budget"));
      g_assert_cmpint (g_get_monotonic_time () - begin, >, 90000);
    }
  g_assert_true (leat_node_set_arg_double (leat_pipeline_get_node (loop.pipeline, "away", NULL), "limit", 10, NULL));
  {
    guint64 x = 4, y;
    g_autoptr (GBytes) out = NULL;

    loop_push (&loop, "in", &x, sizeof x);
    loop_replay (&loop);
    out = loop_pull (&loop, "out");
    memcpy (&y, g_bytes_get_data (out, NULL), sizeof y);
    g_assert_cmpuint (y, ==, 5);
  }
  loop_close (&loop);
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (50000);
  g_cancellable_cancel (cancellable);
  return NULL;
}

static gpointer
close_soon (gpointer session)
{
  g_usleep (50000);
  leat_session_close (session);
  return NULL;
}

static const char endless_text[] = "leat 1\n"
                                   "away = loop until=\"y < 0\" carry=x:y budget=1000 method=METHOD {\n"
                                   "  in.x -> map expr=x+1 -> out.y\n"
                                   "}\n"
                                   "app name=in spec=f32[1] -> upload -> away.x\n"
                                   "away.y -> readback -> app name=out\n";

typedef struct
{
  const char *name, *who;
  gboolean closes;
} CalledOff;

static const CalledOff called_off_cases[] = {
  { "cancelled/host", "host", FALSE }, { "cancelled/while", "while", FALSE }, { "closed/host", "host", TRUE },
  { "closed/while", "while", TRUE },   { "closed/fused", "fused", TRUE },     { "cancelled/fused", "fused", FALSE },
};

/* It is called off between two iterations, whoever drives it, and can be begun anew. */
static void
test_loop_called_off (gconstpointer data)
{
  const CalledOff *self = data;
  const gboolean closes = self->closes;
  Loop loop;

  loop_open (&loop, endless_text, self->who, LEAT_EXECUTOR_GRAPH, 1);
  for (guint run = 0; run < 2; run++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      const float x = 0;
      GThread *thread;

      loop_push (&loop, "in", &x, sizeof x);
      thread =
        closes ? g_thread_new ("close", close_soon, loop.session) : g_thread_new ("cancel", cancel_soon, cancellable);
      g_assert_cmpint (leat_session_replay (loop.session, FALSE, cancellable, &error), ==, LEAT_FLOW_ERROR);
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_thread_join (thread);
      g_clear_error (&error);
      leat_session_close (loop.session);
      leat_session_open (loop.session, NULL, &error);
      g_assert_no_error (error);
    }
  loop_close (&loop);
}

/* A loop within a loop that runs away ends those around it and beside it, and it is the one that is named. */
static void
test_loop_budget_within (gconstpointer data)
{
  static const char text[] = "leat 1\n"
                             "outer = loop max-iterations=1000000 until=\"b < 0\" carry=a:b budget=0 method=METHOD {\n"
                             "  inner = loop until=\"y < limit\" limit=0 carry=x:y budget=0.1 {\n"
                             "    in.x -> map expr=x+1 -> out.y\n"
                             "  }\n"
                             "  beside = loop max-iterations=1000000 carry=x:y budget=0 method=host {\n"
                             "    in.x -> map expr=x+1 -> out.y\n"
                             "  }\n"
                             "  in.a -> inner.x\n"
                             "  inner.y -> beside.x\n"
                             "  beside.y -> out.b\n"
                             "}\n"
                             "app name=in spec=u64[1] -> upload -> outer.a\n"
                             "outer.b -> readback -> app name=out\n";
  const LoopCase *self = data;
  Loop loop;

  loop_open (&loop, text, self->who, self->executor, 1);
  for (guint run = 0; run < 2; run++)
    {
      const guint64 x = 1;
      g_autoptr (GError) error = NULL;

      loop_push (&loop, "in", &x, sizeof x);
      g_assert_cmpint (leat_session_replay (loop.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
      g_assert_nonnull (strstr (error->message, "loop \"inner\" had not come to its end"));
      loop_check_report (&loop, 0, 1, "around", NULL);
      loop_check_report (&loop, 2, 1, "around", NULL);
    }
  loop_close (&loop);
}

/* However often it is done again before the host looks. */
static void
test_loop_budget_around_unrolled (void)
{
  static const char text[] = "leat 1\n"
                             "outer = loop max-iterations=5 carry=a:b method=unrolled {\n"
                             "  inner = loop until=\"y < 0\" carry=x:y budget=0.1 method=fused {\n"
                             "    in.x -> map expr=x+1 -> out.y\n"
                             "  }\n"
                             "  in.a -> inner.x\n"
                             "  inner.y -> out.b\n"
                             "}\n"
                             "app name=in spec=f32[1] -> upload -> outer.a\n"
                             "outer.b -> readback -> app name=out\n";
  Loop loop;

  loop_open (&loop, text, "unrolled", LEAT_EXECUTOR_GRAPH, 1);
  for (guint run = 0; run < 2; run++)
    {
      const float x = 1;
      g_autoptr (GError) error = NULL;

      loop_push (&loop, "in", &x, sizeof x);
      g_assert_cmpint (leat_session_replay (loop.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
      g_assert_nonnull (strstr (error->message, "loop \"inner\" had not come to its end"));
    }
  loop_close (&loop);
}

/* In the third of ten runs; what is run after these is none the worse. */
static void
test_loop_budget_repeated (gconstpointer who)
{
  static const char text[] = "leat 1\n"
                             "st = state spec=f32[1]\n"
                             "add = map inputs=a,b expr=a+b\n"
                             "away = loop until=\"y != 3\" carry=x:y budget=0.1 method=METHOD {\n"
                             "  in.x -> map expr=x*1 -> out.y\n"
                             "}\n"
                             "app name=in spec=f32[1] -> upload -> add.b\n"
                             "st -> add.a\n"
                             "add -> away.x\n"
                             "away.y -> st\n"
                             "away.y -> readback -> app name=out\n";
  const float x = 1;
  g_autoptr (GError) error = NULL;
  gint64 begin;
  Loop loop;

  loop_open (&loop, text, who, LEAT_EXECUTOR_GRAPH, 1);
  loop_push (&loop, "in", &x, sizeof x);
  begin = g_get_monotonic_time ();
  g_assert_cmpint (leat_session_repeat (loop.session, 500, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  /* Not each of them takes its time. */
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 20 * G_USEC_PER_SEC);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
  g_assert_nonnull (strstr (error->message, "in one of 500 runs, loop \"away\" had not come to its end"));
  g_clear_error (&error);
  loop_push (&loop, "in", &x, sizeof x);
  g_assert_cmpint (leat_session_repeat (loop.session, 10, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  loop_close (&loop);
}

/* Of what is bounded the number of items is told that was there in the end; not where it is not known any more. */
static void
test_loop_budget_bounded (gconstpointer data)
{
  static const char *const behind[] = { "", "map expr=x+1 -> ",
                                        "compact where=\"x > 200\" -> compact where=\"x > 201\" -> " };
  const LoopCase *self = data;

  for (guint i = 0; i < G_N_ELEMENTS (behind); i++)
    {
      g_autofree char *text =
        g_strdup_printf ("leat 1\n"
                         "away = loop until=\"n > 5000\" carry=x:kept budget=0.1 method=METHOD {\n"
                         "  c = compact where=\"x > 0\"\n"
                         "  h = map expr=\"x < 100 ? x-1 : x\"\n"
                         "  in.x -> c -> h -> out.kept\n"
                         "  c -> reduce op=count -> out.n\n"
                         "}\n"
                         "app name=in spec=i32[<=1000] -> upload -> away.x\n"
                         "away.kept -> %sreadback mode=copy -> app name=out\n",
                         behind[i]);
      Loop loop;

      loop_open (&loop, text, self->who, self->executor, 1);
      for (guint run = 1; run < 3; run++)
        {
          const guint stay = 123 * run;
          g_autofree char *told =
            g_strdup_printf ("each of which hands on away.x i32[<=1000] (%u at the end): set budget", stay);
          gint32 x[N];
          g_autoptr (GError) error = NULL;

          for (guint k = 0; k < N; k++)
            x[k] = k < stay ? 100 : (gint32) (k % 4); /* gone soon */
          loop_push (&loop, "in", x, sizeof x);
          g_assert_cmpint (leat_session_replay (loop.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
          g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
          g_test_message ("%s", error->message);
          if (strstr (error->message, told) == NULL
              && (i == 0 || strstr (error->message, "hands on away.x i32[<=1000]: set budget") == NULL))
            g_error ("\"%s\" does not say \"%s\"", error->message, told);
        }
      loop_close (&loop);
    }
}

/* What kernels keep of what comes in is less from iteration to iteration, until nothing is over. */
static void
test_loop_compact (gconstpointer data)
{
  static const char text[] = "leat 1\n"
                             "fewer = loop until=\"n == 0\" max-iterations=40 carry=x:kept series=n method=METHOD {\n"
                             "  c = compact where=\"x > 0\"\n"
                             "  h = map expr=x-1\n"
                             "  in.x -> c -> h -> out.kept\n"
                             "  c -> reduce op=count -> out.n\n"
                             "}\n"
                             "app name=in spec=i32[<=1000] -> upload -> fewer.x\n"
                             "fewer.series -> readback -> app name=series\n"
                             "fewer.iterations -> readback -> app name=iterations\n";
  const LoopCase *self = data;
  Loop loop;

  loop_open (&loop, text, self->who, self->executor, 1);
  for (gint run = 1; run < 4; run++)
    {
      const gint largest = 7 * run;
      gint32 x[N];
      guint64 counts[40], iterations;
      g_autoptr (GBytes) series = NULL, done = NULL;

      for (gint i = 0; i < N; i++)
        x[i] = i * 31 % (largest + 1);
      loop_push (&loop, "in", x, sizeof x);
      loop_replay (&loop);
      for (gint k = 0; k <= largest; k++)
        {
          counts[k] = 0;
          for (guint i = 0; i < N; i++)
            counts[k] += x[i] > k;
        }
      series = loop_pull (&loop, "series");
      g_assert_cmpmem (g_bytes_get_data (series, NULL), g_bytes_get_size (series), counts,
                       (gsize) (largest + 1) * sizeof *counts);
      done = loop_pull (&loop, "iterations");
      memcpy (&iterations, g_bytes_get_data (done, NULL), sizeof iterations);
      g_assert_cmpuint (iterations, ==, (guint64) largest + 1);
    }
  loop_close (&loop);
}

static guint64
get_total (GVariant *of, const char *name)
{
  guint64 total = G_MAXUINT64;

  g_assert_true (g_variant_lookup (of, name, "t", &total));
  return total;
}

/* What is told of all runs: the most iterations of one, whichever it was, and their sum. */
static void
test_loop_totals (gconstpointer data)
{
  static const char text[] = "leat 1\n"
                             "l = loop until=\"y >= limit\" limit=10 max-iterations=9 carry=x:y method=METHOD {\n"
                             "  in.x -> map expr=x+1 -> out.y\n"
                             "}\n"
                             "app name=in spec=u64[1] -> upload -> l.x\n"
                             "l.y -> readback -> app name=out\n";
  static const struct
  {
    guint64 begin, iterations;
    const char *end;
  } runs[] = { { 6, 4, "converged" }, { 8, 2, "converged" }, { 0, 9, "cap" }, { 3, 7, "converged" } };
  const LoopCase *self = data;
  guint64 most = 0, total = 0;
  Loop loop;

  loop_open (&loop, text, self->who, self->executor, 1);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_autoptr (GBytes) out = NULL;
      g_autoptr (GVariant) loops = NULL, one = NULL;

      loop_push (&loop, "in", &runs[i].begin, sizeof runs[i].begin);
      loop_replay (&loop);
      out = loop_pull (&loop, "out");
      most = MAX (most, runs[i].iterations);
      total += runs[i].iterations;
      loop_check_report (&loop, 0, runs[i].iterations, runs[i].end, NULL);
      loops = leat_session_dup_loops (loop.session);
      g_assert_cmpuint (g_variant_n_children (loops), ==, 1);
      one = g_variant_get_child_value (loops, 0);
      g_assert_cmpuint (get_total (one, "runs"), ==, i + 1);
      g_assert_cmpuint (get_total (one, "most"), ==, most);
      g_assert_cmpuint (get_total (one, "total"), ==, total);
    }
  loop_close (&loop);
}

/* Kernels that graphs have run, as the CPU driver counts them; 0 with another driver. */
static guint64
count_kernels (void)
{
  const char *path = g_getenv ("LEAT_CPU_DRIVER");
  LeatCpuCounters counters = { .size = sizeof counters };
  void *driver = path != NULL ? dlopen (path, RTLD_NOW) : NULL;
  LeatCpuGetCounters get = driver != NULL ? (LeatCpuGetCounters) dlsym (driver, LEAT_CPU_COUNTERS_SYMBOL) : NULL;

  if (get != NULL)
    get (&counters);
  if (driver != NULL)
    dlclose (driver);
  return counters.graph_kernels_run;
}

/* What an iteration launches: two runs differ in as much for each iteration that one has more. */
static void
test_loop_predicted (void)
{
  guint64 before, kernels[2], said = 0;
  Loop loop;

  loop_open (&loop, halve_text, "while", LEAT_EXECUTOR_GRAPH, 1);
  halve_run (&loop, 1, 0.5f, 0.5f, "while");
  if (count_kernels () == 0)
    g_test_skip ("only the CPU driver counts what graphs run");
  else
    {
      g_autoptr (LeatPlan) plan = leat_session_dup_plan (loop.session);
      g_autoptr (GVariant) prediction = leat_plan_dup_prediction (plan);

      /* 1000 is under 0.5 after one halving less than 2000. */
      for (guint i = 0; i < 2; i++)
        {
          before = count_kernels ();
          halve_run (&loop, (float) (i + 1), 0.5f, 0.5f, "while");
          kernels[i] = count_kernels () - before;
        }
      g_assert_true (g_variant_lookup (prediction, "iteration-kernels", "t", &said));
      g_assert_cmpuint (said, >, 0);
      g_assert_cmpuint (kernels[1] - kernels[0], ==, said);
    }
  loop_close (&loop);
}

/* Frames of loops, one within the other, with their ops in them. */
static void
test_loop_drawn (void)
{
  g_autoptr (LeatPlan) plan = NULL;
  g_autofree char *dot = NULL, *text = NULL;
  const char *outer, *inner;
  guint depth = 0, deepest = 0;
  Loop loop;

  loop_open (&loop, nested_text, "while", LEAT_EXECUTOR_GRAPH, 1);
  plan = leat_session_dup_plan (loop.session);
  dot = leat_plan_to_dot (plan);
  text = leat_plan_to_text (plan);
  outer = strstr (dot, "label=\"outer, while\"");
  inner = strstr (dot, "label=\"inner, while\"");
  g_assert_nonnull (outer);
  g_assert_nonnull (inner);
  g_assert_true (outer < inner);
  for (const char *at = dot; *at != '\0'; at++)
    {
      depth += *at == '{';
      depth -= *at == '}';
      deepest = MAX (deepest, depth);
      if (g_str_has_prefix (at, " -> "))
        g_assert_cmpuint (depth, ==, 1);
    }
  g_assert_cmpuint (depth, ==, 0);
  g_assert_cmpuint (deepest, ==, 3);
  g_assert_nonnull (strstr (text, "; in an iteration "));
  g_assert_nonnull (strstr (text, ", 1 loop"));
  loop_close (&loop);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases ("budget", TRUE, test_loop_budget);
  add_cases ("budget-within", FALSE, test_loop_budget_within);
  add_cases ("budget-bounded", FALSE, test_loop_budget_bounded);
  g_test_add_func ("/leat/session/loop/budget-around-unrolled", test_loop_budget_around_unrolled);
  g_test_add_data_func ("/leat/session/loop/budget-repeated/while", "while", test_loop_budget_repeated);
  g_test_add_data_func ("/leat/session/loop/budget-repeated/host", "host", test_loop_budget_repeated);
  g_test_add_data_func ("/leat/session/loop/budget-repeated/fused", "fused", test_loop_budget_repeated);
  add_cases ("compact", FALSE, test_loop_compact);
  add_cases ("totals", TRUE, test_loop_totals);
  for (guint i = 0; i < G_N_ELEMENTS (called_off_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/session/loop/called-off/", called_off_cases[i].name, NULL);

      g_test_add_data_func (path, &called_off_cases[i], test_loop_called_off);
    }
  g_test_add_func ("/leat/session/loop/predicted", test_loop_predicted);
  g_test_add_func ("/leat/session/loop/drawn", test_loop_drawn);
  return g_test_run ();
}
