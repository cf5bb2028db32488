/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Searches in graphs that are on the device, their results with them, beside a plain one of two threads here. */

#include "leat-bench-search-session.h"

#include <string.h>

#define PLAIN_THREADS 2
#define PLAIN_RUNS    5

typedef struct
{
  LeatBenchSearch graph;
  LeatBenchSearchSession run;
} LeatBenchCsr;

static void
leat_bench_csr_clear (LeatBenchCsr *self)
{
  leat_bench_search_session_clear (&self->run);
  leat_bench_search_clear (&self->graph);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchCsr, leat_bench_csr_clear)

/* @checked: whether the levels come to the host */
static gboolean
leat_bench_csr_open (LeatBenchCsr *self, const LeatBench *bench, const char *node, gboolean checked, GError **error)
{
  g_autofree char *whole = g_strdup_printf ("%s source=%u", node, self->graph.source);

  return leat_bench_search_session_open (&self->run, bench, &self->graph, whole, "n.parents -> discard\n", "levels",
                                         checked, error);
}

static gboolean
leat_bench_csr_check (LeatBenchCsr *self, const LeatBench *bench, const char *node, const guint32 *levels,
                      GError **error)
{
  gboolean equal;

  if (!leat_bench_csr_open (self, bench, node, TRUE, error)
      || !leat_bench_search_session_measure (&self->run, 1, 0, NULL, error))
    return FALSE;
  equal = memcmp (self->run.found.data, levels, self->graph.vertices * sizeof *levels) == 0;
  leat_bench_search_session_clear (&self->run);
  if (!equal)
    g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED, "the levels are not those of a plain search");
  return equal;
}

static guint64
leat_bench_csr_run_plain (LeatBenchCsr *self, LeatBenchSeries *times, guint32 *levels)
{
  g_autofree guint32 *parents = g_new (guint32, self->graph.vertices);
  guint64 edges = 0;

  for (guint i = 0; i < PLAIN_RUNS; i++)
    {
      double begin = leat_bench_now_us ();

      edges = leat_bench_search_run_plain (&self->graph, PLAIN_THREADS, levels, parents);
      leat_bench_series_add (times, leat_bench_now_us () - begin);
    }
  return edges;
}

static void
leat_bench_csr_tell (LeatBenchCsr *self, LeatBench *bench, LeatBenchSeries *times, LeatBenchSeries *plain,
                     guint64 edges)
{
  const guint64 *report = self->run.report.data;
  LeatBenchSummary ours, theirs;

  leat_bench_series_summarize (times, &ours);
  leat_bench_series_summarize (plain, &theirs);
  leat_bench_report_add_times (bench->report, "replay", times);
  leat_bench_report_add_value (bench->report, "a level", ours.median / (double) MAX (report[0], 1), "us");
  leat_bench_report_add_value (bench->report, "levels", (double) report[0], "");
  leat_bench_report_add_value (bench->report, "alone", (double) report[3], "");
  leat_bench_report_add_value (bench->report, "apart", (double) report[7], "");
  leat_bench_report_add_value (bench->report, "pushed", (double) report[4], "");
  leat_bench_report_add_value (bench->report, "pulled", (double) report[5], "");
  leat_bench_report_add_value (bench->report, "edges", (double) edges / ours.median, "million a second");
  leat_bench_report_add_times (bench->report, "plain C, 2 threads", plain);
  leat_bench_report_add_value (bench->report, "plain C against it", theirs.median / ours.median, "x");
}

/* mode: the node; n: the scale; bytes: edges for each vertex of an R-MAT graph, 0 for a grid */
static gboolean
leat_bench_csr_run (LeatBench *bench, const LeatBenchCase *kind, gboolean mixed, GError **error)
{
  guint runs = leat_bench_case_get_runs (kind, bench);
  g_auto (LeatBenchCsr) self = { 0 };
  g_auto (LeatBenchSeries) times = { 0 }, plain = { 0 };
  g_autofree guint32 *levels = NULL;
  guint64 edges;

  leat_bench_series_init (&times, runs);
  leat_bench_series_init (&plain, PLAIN_RUNS);
  if (kind->bytes == 0)
    leat_bench_search_init_grid (&self.graph, kind->n);
  else
    leat_bench_search_init_rmat (&self.graph, kind->n, (guint) kind->bytes);
  if (mixed)
    leat_bench_search_mix_rows (&self.graph);
  levels = g_new (guint32, self.graph.vertices);
  edges = leat_bench_csr_run_plain (&self, &plain, levels);
  if (!leat_bench_search_save_graph (&self.graph, bench, error)
      || !leat_bench_csr_check (&self, bench, kind->mode, levels, error)
      || !leat_bench_csr_open (&self, bench, kind->mode, FALSE, error)
      || !leat_bench_search_session_measure (&self.run, LEAT_BENCH_SEARCH_SETTLE, runs, &times, error))
    return FALSE;
  leat_bench_csr_tell (&self, bench, &times, &plain, edges);
  return TRUE;
}

static gboolean
leat_bench_run_csr (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  return leat_bench_csr_run (bench, kind, FALSE, error);
}

static gboolean
leat_bench_run_csr_mixed (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  return leat_bench_csr_run (bench, kind, TRUE, error);
}

/* clang-format off */
#define BFS "csr:bfs symmetric=true"
const LeatBenchCase leat_bench_csrs[] = {
  { "bfs-grid-9", "a search from a corner of a grid of 512 x 512", leat_bench_run_csr, 0, 9, BFS, 50, TRUE },
  { "bfs-grid-12", "the same of 4096 x 4096: 8,190 levels", leat_bench_run_csr, 0, 12, BFS, 100, TRUE },
  { "bfs-rmat-16", "a search in R-MAT of 2^16 vertices, 16 edges each", leat_bench_run_csr, 16, 16, BFS, 50, TRUE },
  { "bfs-rmat-19", "the same of 2^19", leat_bench_run_csr, 16, 19, BFS, 100, TRUE },
  { "bfs-rmat-21", "the same of 2^21", leat_bench_run_csr, 16, 21, BFS, 100, TRUE },
  { "bfs-rmat-21-dense", "the same with 87 edges each", leat_bench_run_csr, 87, 21, BFS, 100, TRUE },
  { "bfs-rmat-21-mixed", "2^21 and 16 edges each, those of a vertex in any order", leat_bench_run_csr_mixed, 16, 21, BFS, 100, TRUE },
  { "bfs-rmat-21-push", "2^21 and 16 edges each, by pushing alone", leat_bench_run_csr, 16, 21, "csr:bfs", 100, TRUE },
  { NULL },
};
/* clang-format on */
