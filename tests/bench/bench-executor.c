/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench.h"

#include "leat.h"

/* What a graph saves over launching the same ops one by one, and what making it costs: chains of kernels that do next
 * to nothing, by a session with executor=graph and one with executor=eager, in turn.  From the two follows after how
 * many runs a graph has paid for itself (LEAT_SESSION_RUNS_TO_SETTLE is that of one op). */

#define RUNS 2000

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  double times[RUNS];
} BenchSide;

static void
bench_open (BenchSide *self, guint n_kernels, LeatExecutor executor)
{
  g_autoptr (GString) text = g_string_new ("leat 1\napp name=source spec=f32[1024] -> upload mode=mapped");
  g_autoptr (GError) error = NULL;
  LeatView view;

  for (guint i = 0; i < n_kernels; i++)
    g_string_append (text, " -> map expr=\"x+1\"");
  g_string_append (text, " -> readback mode=mapped -> app name=sink\n");
  self->pipeline = leat_parse_text (text->str, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor", executor, "reuse", FALSE, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
  leat_session_map_input (self->session, "source", &view, &error);
  leat_session_map_output (self->session, "sink", &view, &error);
  g_assert_no_error (error);
}

static void
bench_close (BenchSide *self)
{
  leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

static void
bench_run (BenchSide *self, guint run)
{
  g_autoptr (GError) error = NULL;
  double begin = bench_now_us ();

  leat_session_replay (self->session, FALSE, NULL, &error);
  self->times[run] = bench_now_us () - begin;
  g_assert_no_error (error);
}

/* What opening takes more with a graph, the least of several tries. */
static double
bench_get_build_us (BenchSide *side, guint n_kernels, LeatExecutor executor)
{
  double least = G_MAXDOUBLE;

  for (guint i = 0; i < 15; i++)
    {
      g_autoptr (GVariant) stats = NULL;
      gint64 us = 0;

      bench_open (side, n_kernels, executor);
      stats = leat_session_dup_stats (side->session);
      g_variant_lookup (stats, "open-build-us", "x", &us);
      least = MIN (least, us);
      bench_close (side);
    }
  return least;
}

static void
bench_case (guint n_kernels)
{
  static BenchSide graph, eager;
  double build = bench_get_build_us (&graph, n_kernels, LEAT_EXECUTOR_GRAPH)
                 - bench_get_build_us (&eager, n_kernels, LEAT_EXECUTOR_EAGER);
  double with, without;

  bench_open (&graph, n_kernels, LEAT_EXECUTOR_GRAPH);
  bench_open (&eager, n_kernels, LEAT_EXECUTOR_EAGER);
  for (guint run = 0; run < RUNS; run++)
    {
      bench_run (&graph, run);
      bench_run (&eager, run);
    }
  with = bench_get_median (graph.times, RUNS);
  without = bench_get_median (eager.times, RUNS);
  g_print ("%7u %12.2f %12.2f %12.1f ", n_kernels, with, without, build);
  if (without > with)
    g_print ("%12.0f\n", build / (without - with));
  else
    g_print ("%12s\n", "never");
  bench_close (&graph);
  bench_close (&eager);
}

int
main (void)
{
  static const guint sizes[] = { 1, 2, 4, 16, 64 };

  g_print ("%7s %12s %12s %12s %12s\n", "kernels", "graph us", "eager us", "build us", "pays after");
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    bench_case (sizes[i]);
  return 0;
}
