/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-bench-search-session.h"

#include <string.h>

/* A search by limits that are set, one by one, and by those that it has measured. */

#define SETTLE      3
#define SETTLE_LONG 26 /* until each limit was tried twice */
#define LIMITS      "n.limits -> readback -> app name=limits\n"
#define ROUNDS      2 /* in which each set has its turn */

/* The first as they are where nobody sets them. */
static const char *const sets[] = {
  "alone=256 pull-from=14 pull-until=24",
  "alone=32",
  "alone=64",
  "alone=128",
  "alone=512",
  "alone=1024",
  "pull-from=4",
  "pull-from=56",
  "pull-until=6",
  "pull-until=96",
  "alone=0 pull-from=0",
};

#define SETS     G_N_ELEMENTS (sets)
#define MEASURED (SETS - 1)

typedef struct
{
  LeatBenchSearch graph;
  LeatBenchSeries times[SETS];
  guint32 *levels;
  guint64 chosen[3]; /* by the last search that measured */
} LeatBenchLimits;

static void
leat_bench_limits_clear (LeatBenchLimits *self)
{
  for (guint i = 0; i < SETS; i++)
    leat_bench_series_clear (&self->times[i]);
  leat_bench_search_clear (&self->graph);
  g_free (self->levels);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchLimits, leat_bench_limits_clear)

/* Whatever the limits are, the levels are the same. */
static gboolean
leat_bench_limits_check (LeatBenchLimits *self, const LeatBench *bench, const char *node, GError **error)
{
  g_auto (LeatBenchSearchSession) run = { 0 };

  if (!leat_bench_search_session_open (&run, bench, &self->graph, node, NULL, "levels", TRUE, error)
      || !leat_bench_search_session_measure (&run, 1, 0, NULL, error))
    return FALSE;
  if (memcmp (run.found.data, self->levels, self->graph.vertices * sizeof *self->levels) == 0)
    return TRUE;
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED, "%s: the levels are not those of a plain search",
               node);
  return FALSE;
}

static gboolean
leat_bench_limits_measure (LeatBenchLimits *self, const LeatBench *bench, guint set, guint runs, GError **error)
{
  g_autofree char *node = g_strdup_printf ("csr:bfs symmetric=true source=%u %s", self->graph.source, sets[set]);
  g_auto (LeatBenchSearchSession) run = { 0 };
  LeatView limits;

  if (!leat_bench_limits_check (self, bench, node, error)
      || !leat_bench_search_session_open (&run, bench, &self->graph, node, LIMITS, "levels", FALSE, error)
      || !leat_session_map_output (run.session, "limits", &limits, error)
      || !leat_bench_search_session_measure (&run, set == MEASURED ? SETTLE_LONG : SETTLE, runs, &self->times[set],
                                             error))
    return FALSE;
  memcpy (self->chosen, limits.data, sizeof self->chosen);
  return TRUE;
}

static void
leat_bench_limits_tell (LeatBenchLimits *self, LeatBench *bench)
{
  LeatBenchSummary typed, measured, each;
  double best = G_MAXDOUBLE;

  for (guint i = 0; i < SETS; i++)
    {
      leat_bench_report_add_times (bench->report, sets[i], &self->times[i]);
      leat_bench_series_summarize (&self->times[i], &each);
      if (i != MEASURED)
        best = MIN (best, each.median);
    }
  leat_bench_series_summarize (&self->times[0], &typed);
  leat_bench_series_summarize (&self->times[MEASURED], &measured);
  leat_bench_report_add_value (bench->report, "measured-of-typed-in", 100 * measured.median / typed.median, "%");
  leat_bench_report_add_value (bench->report, "measured-of-best", 100 * measured.median / best, "%");
  leat_bench_report_add_value (bench->report, "alone", (double) self->chosen[0], "");
  leat_bench_report_add_value (bench->report, "pull-from", (double) self->chosen[1], "");
  leat_bench_report_add_value (bench->report, "pull-until", (double) self->chosen[2], "");
}

/* n: the scale; bytes: edges for each vertex of an R-MAT graph, 0 for a grid */
static gboolean
leat_bench_run_csr_limits (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  guint runs = leat_bench_case_get_runs (kind, bench);
  g_auto (LeatBenchLimits) self = { 0 };
  g_autofree guint32 *parents = NULL;

  if (kind->bytes == 0)
    leat_bench_search_init_grid (&self.graph, kind->n);
  else
    leat_bench_search_init_rmat (&self.graph, kind->n, (guint) kind->bytes);
  self.levels = g_new (guint32, self.graph.vertices);
  parents = g_new (guint32, self.graph.vertices);
  leat_bench_search_run_plain (&self.graph, 2, self.levels, parents);
  for (guint i = 0; i < SETS; i++)
    leat_bench_series_init (&self.times[i], ROUNDS * runs);
  if (!leat_bench_search_save_graph (&self.graph, bench, error))
    return FALSE;
  for (guint round = 0; round < ROUNDS; round++)
    for (guint i = 0; i < SETS; i++)
      if (!leat_bench_limits_measure (&self, bench, i, runs, error))
        return FALSE;
  leat_bench_limits_tell (&self, bench);
  return TRUE;
}

/* clang-format off */
const LeatBenchCase leat_bench_csr_limits[] = {
  { "bfs-limits-rmat-16", "searches in R-MAT of 2^16 vertices by limits set and measured", leat_bench_run_csr_limits, 16, 16, "", 20, TRUE },
  { "bfs-limits-rmat-19", "the same of 2^19", leat_bench_run_csr_limits, 16, 19, "", 30, TRUE },
  { "bfs-limits-rmat-21-dense", "the same of 2^21, 87 edges each", leat_bench_run_csr_limits, 87, 21, "", 20, TRUE },
  { "bfs-limits-grid-11", "the same of a grid of 2048 x 2048", leat_bench_run_csr_limits, 0, 11, "", 30, TRUE },
  { NULL },
};
/* clang-format on */
