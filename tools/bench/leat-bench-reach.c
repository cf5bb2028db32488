/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* csr:reach with many sources at once, beside the same with one. */

#include "leat-bench-search-session.h"

#define MANY          64
#define FACTOR        16 /* edges for each vertex */
#define PLAIN_THREADS 2

/* Vertices with edges, the first of which is the graph's own source. */
static gboolean
leat_bench_reach_save_sources (const LeatBenchSearch *graph, const LeatBench *bench, GError **error)
{
  guint32 sources[MANY], v = graph->source;

  for (guint i = 0; i < MANY; i++)
    {
      sources[i] = v;
      v = (guint32) ((v + (guint64) graph->vertices / MANY + 1) % graph->vertices);
      while (graph->offsets[v] == graph->offsets[v + 1])
        v = (v + 1) % graph->vertices;
    }
  return leat_bench_search_save (bench, "sources.bin", sources, MANY, error)
         && leat_bench_search_save (bench, "source.bin", sources, 1, error);
}

static gboolean
leat_bench_reach_open (LeatBenchSearchSession *self, const LeatBenchSearch *graph, const LeatBench *bench,
                       guint sources, gboolean checked, GError **error)
{
  g_autofree char *links = g_strdup_printf ("const path=\"%s/source%s.bin\" spec=u32[%u] -> n.sources\n", bench->folder,
                                            sources > 1 ? "s" : "", sources);

  return leat_bench_search_session_open (self, bench, graph, "csr:reach", links, "reached", checked, error);
}

/* The bit of the first source beside a plain search. */
static gboolean
leat_bench_reach_check (const LeatBenchSearch *graph, const LeatBench *bench, GError **error)
{
  g_autofree guint32 *levels = g_new (guint32, graph->vertices), *parents = g_new (guint32, graph->vertices);
  g_auto (LeatBenchSearchSession) self = { 0 };
  const guint64 *reached;

  if (!leat_bench_reach_open (&self, graph, bench, MANY, TRUE, error)
      || !leat_bench_search_session_measure (&self, 1, 0, NULL, error))
    return FALSE;
  leat_bench_search_run_plain (graph, PLAIN_THREADS, levels, parents);
  reached = self.found.data;
  for (guint32 v = 0; v < graph->vertices; v++)
    if ((reached[v] & 1) != (levels[v] != G_MAXUINT32))
      {
        g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED,
                     "what the first source reaches is not what a plain search does, at vertex %u", v);
        return FALSE;
      }
  return TRUE;
}

static gboolean
leat_bench_reach_run_one (const LeatBenchSearch *graph, LeatBench *bench, guint sources, LeatBenchSeries *times,
                          guint runs, GError **error)
{
  g_autofree char *name = g_strdup_printf ("%u source%s", sources, sources > 1 ? "s" : ""), *rounds = NULL;
  g_auto (LeatBenchSearchSession) self = { 0 };

  if (!leat_bench_reach_open (&self, graph, bench, sources, FALSE, error)
      || !leat_bench_search_session_measure (&self, LEAT_BENCH_SEARCH_SETTLE, runs, times, error))
    return FALSE;
  rounds = g_strconcat (name, ", rounds", NULL);
  leat_bench_report_add_times (bench->report, name, times);
  leat_bench_report_add_value (bench->report, rounds, (double) ((const guint64 *) self.report.data)[0], "");
  return TRUE;
}

/* n: the scale of an R-MAT graph */
static gboolean
leat_bench_run_reach (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  guint runs = leat_bench_case_get_runs (kind, bench);
  g_auto (LeatBenchSearch) graph = { 0 };
  g_auto (LeatBenchSeries) one = { 0 }, many = { 0 };
  LeatBenchSummary of_one, of_many;

  leat_bench_series_init (&one, runs);
  leat_bench_series_init (&many, runs);
  leat_bench_search_init_rmat (&graph, kind->n, FACTOR);
  if (!leat_bench_search_save_graph (&graph, bench, error) || !leat_bench_reach_save_sources (&graph, bench, error)
      || !leat_bench_reach_check (&graph, bench, error)
      || !leat_bench_reach_run_one (&graph, bench, 1, &one, runs, error)
      || !leat_bench_reach_run_one (&graph, bench, MANY, &many, runs, error))
    return FALSE;
  leat_bench_series_summarize (&one, &of_one);
  leat_bench_series_summarize (&many, &of_many);
  leat_bench_report_add_value (bench->report, "64 sources against one", of_many.median / of_one.median, "x");
  return TRUE;
}

/* clang-format off */
const LeatBenchCase leat_bench_reaches[] = {
  { "reach-64", "what 64 sources reach in R-MAT of 2^20 vertices, 16 edges each", leat_bench_run_reach, 0, 20, NULL, 100, TRUE },
  { "reach-64-small", "the same of 2^14", leat_bench_run_reach, 0, 14, NULL, 50, TRUE },
  { NULL },
};
/* clang-format on */
