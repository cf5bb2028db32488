/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A search by limits that are set, one by one, and by those that it has measured. */

#include "leat-bench-search-session.h"

#include <string.h>

#define SETTLE    3
#define ROUNDS    2 /* in which each set has its turn */
#define SETS_MOST 12

/* A search, and its sets of limits.  With the first set most graphs do well; the last set measures. */
typedef struct
{
  const char *node, *links, *result;
  gboolean tells_bits; /* for each source, in 64 bits, and not levels */
  const char *sets[SETS_MOST];
} LeatBenchLimitsKind;

static const LeatBenchLimitsKind searches[] = {
  { "csr:bfs symmetric=true",
    "n.limits -> readback -> app name=limits\n",
    "levels",
    FALSE,
    { "alone=256 pull-from=14 pull-until=24", "alone=32 pull-from=14", "alone=64 pull-from=14",
      "alone=128 pull-from=14", "alone=512 pull-from=14", "alone=1024 pull-from=14", "alone=256 pull-from=4",
      "alone=256 pull-from=56", "alone=256 pull-until=6", "alone=256 pull-until=96", "", NULL } },
  { "csr:reach",
    NULL,
    "reached",
    TRUE,
    { "alone=512", "alone=32", "alone=128", "alone=256", "alone=1024", "alone=2048", "", NULL } },
};

typedef struct
{
  const LeatBenchLimitsKind *kind;
  guint n_sets;
  LeatBenchSearch graph;
  LeatBenchSeries times[SETS_MOST];
  guint32 *levels;
  guint64 chosen[3]; /* by the last search that measured */
} LeatBenchLimits;

static void
leat_bench_limits_clear (LeatBenchLimits *self)
{
  for (guint i = 0; i < self->n_sets; i++)
    leat_bench_series_clear (&self->times[i]);
  leat_bench_search_clear (&self->graph);
  g_free (self->levels);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchLimits, leat_bench_limits_clear)

static gboolean
leat_bench_limits_open (LeatBenchLimits *self, const LeatBench *bench, guint set, gboolean checked,
                        LeatBenchSearchSession *run, GError **error)
{
  g_autofree char *node = g_strdup_printf ("%s %s", self->kind->node, self->kind->sets[set]);
  g_autofree char *source = g_strdup_printf ("const path=\"%s/source.bin\" spec=u32[1] -> n.sources\n", bench->folder);
  g_autofree char *links = g_strconcat (source, checked ? NULL : self->kind->links, NULL);

  return leat_bench_search_session_open (run, bench, &self->graph, node, links, self->kind->result, checked, error);
}

/* Whatever the limits are, what is found is what a plain search finds. */
static gboolean
leat_bench_limits_check (LeatBenchLimits *self, const LeatBench *bench, guint set, GError **error)
{
  g_auto (LeatBenchSearchSession) run = { 0 };
  gboolean right = TRUE;

  if (!leat_bench_limits_open (self, bench, set, TRUE, &run, error)
      || !leat_bench_search_session_measure (&run, 1, 0, NULL, error))
    return FALSE;
  for (guint32 v = 0; v < self->graph.vertices && right; v++)
    right = self->kind->tells_bits ? ((const guint64 *) run.found.data)[v] == (self->levels[v] != G_MAXUINT32)
                                   : ((const guint32 *) run.found.data)[v] == self->levels[v];
  if (!right)
    g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED, "%s %s: not what a plain search finds",
                 self->kind->node, self->kind->sets[set]);
  return right;
}

static gboolean
leat_bench_limits_measure (LeatBenchLimits *self, const LeatBench *bench, guint set, guint runs, GError **error)
{
  guint settle = set + 1 == self->n_sets ? LEAT_BENCH_SEARCH_SETTLE : SETTLE;
  g_auto (LeatBenchSearchSession) run = { 0 };
  LeatView limits = { 0 };

  if (!leat_bench_limits_check (self, bench, set, error)
      || !leat_bench_limits_open (self, bench, set, FALSE, &run, error)
      || (self->kind->links != NULL && !leat_session_map_output (run.session, "limits", &limits, error))
      || !leat_bench_search_session_measure (&run, settle, runs, &self->times[set], error))
    return FALSE;
  if (limits.data != NULL)
    memcpy (self->chosen, limits.data, sizeof self->chosen);
  else
    self->chosen[0] = ((const guint64 *) run.report.data)[3];
  return TRUE;
}

static void
leat_bench_limits_tell (LeatBenchLimits *self, LeatBench *bench)
{
  LeatBenchSummary typed, each;
  double best = G_MAXDOUBLE;

  leat_bench_series_summarize (&self->times[0], &typed);
  for (guint i = 0; i < self->n_sets; i++)
    {
      const char *name = self->kind->sets[i];

      leat_bench_report_add_times (bench->report, *name != '\0' ? name : "measured", &self->times[i]);
      leat_bench_series_summarize (&self->times[i], &each);
      if (i + 1 < self->n_sets)
        best = MIN (best, each.median);
    }
  leat_bench_report_add_value (bench->report, "measured-of-typed-in", 100 * each.median / typed.median, "%");
  leat_bench_report_add_value (bench->report, "measured-of-best", 100 * each.median / best, "%");
  leat_bench_report_add_value (bench->report, "alone", (double) self->chosen[0], "");
  if (self->kind->links == NULL)
    return;
  leat_bench_report_add_value (bench->report, "pull-from", (double) self->chosen[1], "");
  leat_bench_report_add_value (bench->report, "pull-until", (double) self->chosen[2], "");
}

/* n: the scale; bytes: edges for each vertex of an R-MAT graph, 0 for a grid */
static gboolean
leat_bench_run_csr_limits (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  guint runs = leat_bench_case_get_runs (kind, bench);
  g_auto (LeatBenchLimits) self = { .kind = &searches[g_str_equal (kind->mode, "csr:reach")] };
  g_autofree guint32 *parents = NULL;

  if (kind->bytes == 0)
    leat_bench_search_init_grid (&self.graph, kind->n);
  else
    leat_bench_search_init_rmat (&self.graph, kind->n, (guint) kind->bytes);
  self.levels = g_new (guint32, self.graph.vertices);
  parents = g_new (guint32, self.graph.vertices);
  leat_bench_search_run_plain (&self.graph, 2, self.levels, parents);
  for (; self.kind->sets[self.n_sets] != NULL; self.n_sets++)
    leat_bench_series_init (&self.times[self.n_sets], ROUNDS * runs);
  if (!leat_bench_search_save_graph (&self.graph, bench, error)
      || !leat_bench_search_save (bench, "source.bin", &self.graph.source, 1, error))
    return FALSE;
  for (guint round = 0; round < ROUNDS; round++)
    for (guint i = 0; i < self.n_sets; i++)
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
  { "reach-limits-rmat-19", "what a source reaches in R-MAT of 2^19 vertices by limits set and measured", leat_bench_run_csr_limits, 16, 19, "csr:reach", 30, TRUE },
  { "reach-limits-grid-10", "the same in a grid of 1024 x 1024", leat_bench_run_csr_limits, 0, 10, "csr:reach", 20, TRUE },
  { NULL },
};
/* clang-format on */
