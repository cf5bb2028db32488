/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* reduce, scan, histogram and sort, of data that are on the device and results that stay there. */

#include "leat-bench-case.h"

#define SETTLE           3
#define SORT_RUNS_A_TURN 5

typedef struct
{
  char *path;
  LeatPipeline *pipeline;
  LeatSession *session;
} LeatBenchPrimitive;

static void
leat_bench_primitive_clear (LeatBenchPrimitive *self)
{
  if (self->session != NULL)
    leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
  g_free (self->path);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchPrimitive, leat_bench_primitive_clear)

/* Whole numbers in no order, which as floats are as good; two make one of 64 bits. */
static gboolean
leat_bench_primitive_fill (LeatBenchPrimitive *self, const LeatBench *bench, guint64 n, const char *type,
                           GError **error)
{
  guint64 n_numbers = n * leat_dtype_get_size (leat_dtype_from_name (type)) / sizeof (guint32);
  g_autofree guint32 *numbers = g_new (guint32, n_numbers);

  for (guint64 i = 0; i < n_numbers; i++)
    {
      guint32 h = (guint32) i * 2654435761u;

      h = (h ^ h >> 16) * 0x85ebca6bu;
      numbers[i] = (h ^ h >> 13) >> 2; /* an exponent below that of infinity */
    }
  self->path = g_build_filename (bench->folder, "numbers.bin", NULL);
  return g_file_set_contents (self->path, (const char *) numbers, (gssize) (n_numbers * sizeof *numbers), error);
}

/* The source is there so that there are runs. @type: of the data; @node: what is measured */
static gboolean
leat_bench_primitive_open (LeatBenchPrimitive *self, const LeatBench *bench, guint64 n, const char *type,
                           const char *node, GError **error)
{
  LeatView in;
  g_autofree char *text = g_strdup_printf ("leat 1\napp name=source spec=u32[1] -> upload -> discard\n"
                                           "const path=\"%s\" spec=%s[%" G_GUINT64_FORMAT "] -> %s -> discard\n",
                                           self->path, type, n, node);

  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  if (self->pipeline == NULL)
    return FALSE;
  self->session = leat_session_new (self->pipeline, bench->selector);
  g_object_set (self->session, "wait", bench->wait, NULL);
  return leat_session_open (self->session, NULL, error) && leat_session_map_input (self->session, "source", &in, error);
}

static gboolean
leat_bench_primitive_measure (LeatBenchPrimitive *self, guint runs, LeatBenchSeries *times, GError **error)
{
  for (guint i = 0; i < SETTLE + runs; i++)
    {
      double begin = leat_bench_now_us ();

      if (leat_session_replay (self->session, FALSE, NULL, error) == LEAT_FLOW_ERROR)
        return FALSE;
      if (i >= SETTLE)
        leat_bench_series_add (times, leat_bench_now_us () - begin);
    }
  return TRUE;
}

/* mode: TYPE and the node, with a space between */
static gboolean
leat_bench_run_primitive (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  guint runs = leat_bench_case_get_runs (kind, bench);
  guint64 n = (guint64) 1 << kind->n;
  g_auto (GStrv) parts = g_strsplit (kind->mode, " ", 2);
  g_auto (LeatBenchPrimitive) self = { 0 };
  g_auto (LeatBenchSeries) times = { 0 };
  LeatBenchSummary summary;

  leat_bench_series_init (&times, runs);
  if (!leat_bench_primitive_fill (&self, bench, n, parts[0], error)
      || !leat_bench_primitive_open (&self, bench, n, parts[0], parts[1], error)
      || !leat_bench_primitive_measure (&self, runs, &times, error))
    return FALSE;
  leat_bench_series_summarize (&times, &summary);
  leat_bench_report_add_times (bench->report, "replay", &times);
  leat_bench_report_add_value (bench->report, "items", (double) n / summary.median, "million a second");
  return TRUE;
}

/* The node of this tree and CUB's on the same keys, in turns. */
static gboolean
leat_bench_measure_sorts (LeatBench *bench, LeatBenchPrimitive *own, LeatBenchPrimitive *cub, guint runs,
                          GError **error)
{
  g_auto (LeatBenchSeries) own_times = { 0 }, cub_times = { 0 };
  LeatBenchSummary own_summary, cub_summary;
  guint turns = (runs + SORT_RUNS_A_TURN - 1) / SORT_RUNS_A_TURN;

  leat_bench_series_init (&own_times, turns * SORT_RUNS_A_TURN);
  leat_bench_series_init (&cub_times, turns * SORT_RUNS_A_TURN);
  for (guint i = 0; i < turns; i++)
    if (!leat_bench_primitive_measure (own, SORT_RUNS_A_TURN, &own_times, error)
        || !leat_bench_primitive_measure (cub, SORT_RUNS_A_TURN, &cub_times, error))
      return FALSE;
  leat_bench_series_summarize (&own_times, &own_summary);
  leat_bench_series_summarize (&cub_times, &cub_summary);
  leat_bench_report_add_times (bench->report, "sort", &own_times);
  leat_bench_report_add_times (bench->report, "cub:sort", &cub_times);
  leat_bench_report_add_value (bench->report, "sort", own_summary.median / cub_summary.median, "x of cub:sort's time");
  return TRUE;
}

/* mode: TYPE and what is said to both nodes, with a space between */
static gboolean
leat_bench_run_sorts (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  guint64 n = (guint64) 1 << kind->n;
  g_auto (GStrv) parts = g_strsplit (kind->mode, " ", 2);
  g_autofree char *own_node = g_strdup_printf ("sort %s", parts[1]),
                  *cub_node = g_strdup_printf ("cub:sort %s", parts[1]);
  g_auto (LeatBenchPrimitive) own = { 0 }, cub = { 0 };
  g_autoptr (GError) why = NULL;

  if (!leat_bench_primitive_fill (&own, bench, n, parts[0], error))
    return FALSE;
  cub.path = g_strdup (own.path);
  if (!leat_bench_primitive_open (&own, bench, n, parts[0], own_node, error))
    return FALSE;
  if (leat_bench_primitive_open (&cub, bench, n, parts[0], cub_node, &why))
    return leat_bench_measure_sorts (bench, &own, &cub, leat_bench_case_get_runs (kind, bench), error);
  leat_bench_report_add_note (bench->report, why->message);
  return TRUE;
}

/* clang-format off */
#define SORTS(type, n, divisor)                                                                                        \
  { "sorts-" type "-" #n, type " sort and cub:sort of 2^" #n ", in turns", leat_bench_run_sorts, 0, n,                 \
    type " order=ascending", divisor, TRUE }
#define CASE(name, text, n, divisor, only_named)                                                                       \
  { name "-" #n, text " of 2^" #n, leat_bench_run_primitive, 0, n, text, divisor, only_named }
const LeatBenchCase leat_bench_primitives[] = {
  CASE ("reduce", "f32 reduce", 16, 1, FALSE),
  CASE ("reduce", "f32 reduce", 20, 10, FALSE),
  CASE ("reduce", "f32 reduce", 26, 100, TRUE),
  CASE ("reduce-min", "u32 reduce op=min", 20, 10, TRUE),
  CASE ("scan", "f32 scan", 16, 1, TRUE),
  CASE ("scan", "f32 scan", 20, 10, FALSE),
  CASE ("scan", "f32 scan", 26, 100, TRUE),
  CASE ("scan-u32", "u32 scan type=u32", 20, 10, TRUE),
  CASE ("histogram", "u32 histogram max=1073741824", 16, 1, TRUE),
  CASE ("histogram", "u32 histogram max=1073741824", 20, 10, FALSE),
  CASE ("histogram", "u32 histogram max=1073741824", 26, 100, TRUE),
  CASE ("sort", "u32 sort", 12, 1, TRUE),
  CASE ("sort", "u32 sort", 20, 50, FALSE),
  CASE ("sort", "u32 sort", 26, 100, TRUE),
  SORTS ("u32", 16, 10),
  SORTS ("u32", 20, 50),
  SORTS ("u32", 26, 100),
  SORTS ("f32", 20, 50),
  SORTS ("u64", 20, 50),
  { NULL },
};
/* clang-format on */
