/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The cases `compact` and `compact-back` of leat-bench.  Each opens sessions of its own, and checks their results
 * against a loop on the host. */

#include "leat-bench-fetch.h"

#include <string.h>

/* compact, of data that are on the device: 2^n numbers of which so many in a hundred are kept.
 *
 * Where the rows stay there: in turns with it, where processors are the device, as many threads copy the same numbers.
 * Where the rows are brought back: in turns with it, the same by hand (leat-bench-fetch.h). */

#define SETTLE      3
#define BACK_SETTLE 50 /* a graph of one kernel is made after some runs */

typedef struct
{
  guint64 n;
  guint32 limit;
  guint32 *numbers, *copies;
  guint32 *kept; /* what should come */
  guint64 n_kept;
  char *path;
  LeatPipeline *pipeline;
  LeatSession *session;
} LeatBenchCompact;

typedef struct
{
  guint32 *to;
  const guint32 *from;
  gsize bytes;
} LeatBenchCopy;

static void
leat_bench_compact_clear (LeatBenchCompact *self)
{
  if (self->session != NULL)
    leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
  g_free (self->numbers);
  g_free (self->copies);
  g_free (self->kept);
  g_free (self->path);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchCompact, leat_bench_compact_clear)

static gboolean
leat_bench_compact_fill (LeatBenchCompact *self, const LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  guint32 h;

  self->n = (guint64) 1 << kind->n;
  self->limit = (guint32) MIN (G_MAXUINT32, g_ascii_strtod (kind->mode, NULL) / 100 * 4294967296.0);
  self->numbers = g_new (guint32, self->n);
  self->copies = g_new0 (guint32, self->n);
  self->kept = g_new0 (guint32, self->n);
  for (guint64 i = 0; i < self->n; i++)
    {
      h = (guint32) i * 2654435761u;
      h = (h ^ h >> 16) * 0x85ebca6bu;
      h = (h ^ h >> 13) * 0xc2b2ae35u;
      self->numbers[i] = h ^ h >> 16;
      if (self->numbers[i] < self->limit)
        self->kept[self->n_kept++] = self->numbers[i];
    }
  self->path = g_build_filename (bench->folder, "numbers.bin", NULL);
  return g_file_set_contents (self->path, (const char *) self->numbers, (gssize) (self->n * sizeof *self->numbers),
                              error);
}

/* The source is there so that there are runs. @behind: of the node "few", what becomes of the rows */
static gboolean
leat_bench_compact_open (LeatBenchCompact *self, const LeatBench *bench, const char *behind, GError **error)
{
  LeatView in;
  g_autofree char *text = g_strdup_printf (
    "leat 1\napp name=source spec=u32[1] -> upload -> discard\nconst path=\"%s\" spec=u32[%" G_GUINT64_FORMAT
    "] -> compact name=few where=x<limit limit=%u -> %s\n",
    self->path, self->n, self->limit, behind);

  if (self->session != NULL)
    leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  if (self->pipeline == NULL)
    return FALSE;
  self->session = leat_session_new (self->pipeline, bench->selector);
  g_object_set (self->session, "wait", bench->wait, NULL);
  return leat_session_open (self->session, NULL, error) && leat_session_map_input (self->session, "source", &in, error);
}

static gboolean
leat_bench_compact_compare (const LeatBenchCompact *self, gconstpointer found, gsize bytes, GError **error)
{
  if (bytes == self->n_kept * sizeof *self->kept && memcmp (found, self->kept, bytes) == 0)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
               "%zu bytes came, which are not the %" G_GUINT64_FORMAT " that should", bytes,
               self->n_kept * sizeof *self->kept);
  return FALSE;
}

/* The result is compared with that of a loop. */
static gboolean
leat_bench_compact_check (LeatBenchCompact *self, GError **error)
{
  LeatApp *app = LEAT_APP (leat_pipeline_get_node (self->pipeline, "sink", NULL));
  g_autoptr (GBytes) found = NULL;

  for (guint i = 0; i < 2; i++)
    {
      g_clear_pointer (&found, g_bytes_unref);
      if (leat_session_replay (self->session, FALSE, NULL, error) == LEAT_FLOW_ERROR
          || (found = leat_app_pull_bytes (app, 0, error)) == NULL
          || !leat_bench_compact_compare (self, g_bytes_get_data (found, NULL), g_bytes_get_size (found), error))
        return FALSE;
    }
  return TRUE;
}

static gpointer
leat_bench_copy_run (gpointer data)
{
  LeatBenchCopy *self = data;

  memcpy (self->to, self->from, self->bytes);
  return NULL;
}

/* By as many threads as there are processors. */
static void
leat_bench_compact_copy (LeatBenchCompact *self)
{
  guint n_threads = g_get_num_processors ();
  g_autofree LeatBenchCopy *parts = g_new (LeatBenchCopy, n_threads);
  g_autofree GThread **threads = g_new (GThread *, n_threads);

  for (guint i = 0; i < n_threads; i++)
    {
      guint64 first = self->n * i / n_threads, end = self->n * (i + 1) / n_threads;

      parts[i] = (LeatBenchCopy){ self->copies + first, self->numbers + first, (end - first) * sizeof *self->numbers };
      threads[i] = g_thread_new ("copy", leat_bench_copy_run, &parts[i]);
    }
  for (guint i = 0; i < n_threads; i++)
    g_thread_join (threads[i]);
}

static gboolean
leat_bench_compact_measure (LeatBenchCompact *self, guint runs, LeatBenchSeries *times, LeatBenchSeries *copies,
                            GError **error)
{
  for (guint i = 0; i < SETTLE + runs; i++)
    {
      double begin = leat_bench_now_us (), middle;

      if (leat_session_replay (self->session, FALSE, NULL, error) == LEAT_FLOW_ERROR)
        return FALSE;
      middle = leat_bench_now_us ();
      if (copies != NULL)
        leat_bench_compact_copy (self);
      if (i >= SETTLE)
        leat_bench_series_add (times, middle - begin);
      if (i >= SETTLE && copies != NULL)
        leat_bench_series_add (copies, leat_bench_now_us () - middle);
    }
  return TRUE;
}

static gboolean
leat_bench_run_compact (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  guint runs = leat_bench_case_get_runs (kind, bench);
  gboolean copies = leat_device_is_cpu (bench->device);
  g_auto (LeatBenchCompact) self = { 0 };
  g_auto (LeatBenchSeries) times = { 0 }, copy_times = { 0 };
  LeatBenchSummary summary;

  leat_bench_series_init (&times, runs);
  leat_bench_series_init (&copy_times, runs);
  if (!leat_bench_compact_fill (&self, bench, kind, error)
      || !leat_bench_compact_open (&self, bench, "readback -> app name=sink", error)
      || !leat_bench_compact_check (&self, error) || !leat_bench_compact_open (&self, bench, "discard", error)
      || !leat_bench_compact_measure (&self, runs, &times, copies ? &copy_times : NULL, error))
    return FALSE;
  leat_bench_series_summarize (&times, &summary);
  leat_bench_report_add_times (bench->report, "replay", &times);
  leat_bench_report_add_value (bench->report, "rows", self.n / summary.median, "million a second");
  if (copies)
    leat_bench_report_add_times (bench->report, "copy", &copy_times);
  return TRUE;
}

/* Microseconds until the rows are in the application's memory; negative after an error. */
static double
leat_bench_compact_bring (LeatBenchCompact *self, GError **error)
{
  double begin = leat_bench_now_us (), us;
  LeatView out;

  if (leat_session_replay (self->session, FALSE, NULL, error) == LEAT_FLOW_ERROR
      || !leat_session_map_output (self->session, "sink", &out, error))
    return -1;
  us = leat_bench_now_us () - begin;
  return leat_bench_compact_compare (self, out.data, out.count * sizeof *self->kept, error) ? us : -1;
}

static double
leat_bench_compact_fetch (LeatBenchCompact *self, LeatBenchFetch *fetch, GError **error)
{
  double begin = leat_bench_now_us (), us;
  gconstpointer items;
  guint64 count;

  if (!leat_bench_fetch_run (fetch, error))
    return -1;
  us = leat_bench_now_us () - begin;
  items = leat_bench_fetch_get_items (fetch, &count);
  return leat_bench_compact_compare (self, items, count * sizeof *self->kept, error) ? us : -1;
}

static gboolean
leat_bench_compact_compete (LeatBenchCompact *self, LeatBenchFetch *fetch, guint runs, LeatBenchSeries *times,
                            LeatBenchSeries *by_hand, GError **error)
{
  for (guint i = 0; i < BACK_SETTLE + runs; i++)
    {
      double us = leat_bench_compact_bring (self, error), fetch_us = us;

      if (us >= 0)
        fetch_us = leat_bench_compact_fetch (self, fetch, error);
      if (fetch_us < 0)
        return FALSE;
      if (i < BACK_SETTLE)
        continue;
      leat_bench_series_add (times, us);
      leat_bench_series_add (by_hand, fetch_us);
    }
  return TRUE;
}

static gboolean
leat_bench_run_compact_back (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  guint runs = leat_bench_case_get_runs (kind, bench);
  g_auto (LeatBenchCompact) self = { 0 };
  g_autoptr (LeatBenchFetch) fetch = NULL;
  g_auto (LeatBenchSeries) times = { 0 }, by_hand = { 0 };
  LeatBenchSummary summary, hand_summary;
  LeatView out;

  leat_bench_series_init (&times, runs);
  leat_bench_series_init (&by_hand, runs);
  if (!leat_bench_compact_fill (&self, bench, kind, error)
      || !leat_bench_compact_open (&self, bench, "readback -> app name=sink", error)
      || !leat_session_map_output (self.session, "sink", &out, error)
      || (fetch = leat_bench_fetch_new (bench, self.session, "few", error)) == NULL
      || !leat_bench_compact_compete (&self, fetch, runs, &times, &by_hand, error))
    return FALSE;
  leat_bench_series_summarize (&times, &summary);
  leat_bench_series_summarize (&by_hand, &hand_summary);
  leat_bench_report_add_times (bench->report, "replay", &times);
  leat_bench_report_add_times (bench->report, "by-hand", &by_hand);
  leat_bench_report_add_value (bench->report, "came", (double) self.n_kept * sizeof *self.kept, "bytes");
  leat_bench_report_add_value (bench->report, "of-by-hand", 100 * summary.median / hand_summary.median, "%");
  return TRUE;
}

/* clang-format off */
#define CASE(n, kept, divisor, only_named)                                                                             \
  { "compact-" #n "-" #kept, "2^" #n " numbers of which " #kept " % are kept", leat_bench_run_compact, 0, n, #kept,    \
    divisor, only_named }
#define BACK(name, n, kept, divisor, only_named)                                                                       \
  { "compact-back-" name, kept " % of 2^" #n " numbers are kept and brought back; against count, wait, copy by hand",  \
    leat_bench_run_compact_back, 0, n, kept, divisor, only_named }
const LeatBenchCase leat_bench_compacts[] = {
  CASE (10, 50, 1, FALSE),
  CASE (16, 50, 1, FALSE),
  CASE (20, 1, 10, FALSE),
  CASE (20, 50, 10, FALSE),
  CASE (24, 1, 50, TRUE),
  CASE (24, 50, 50, TRUE),
  CASE (26, 0, 100, TRUE),
  CASE (26, 1, 100, TRUE),
  CASE (26, 10, 100, TRUE),
  CASE (26, 50, 100, TRUE),
  CASE (26, 90, 100, TRUE),
  CASE (26, 100, 100, TRUE),
  CASE (28, 1, 100, TRUE),
  CASE (28, 50, 100, TRUE),
  BACK ("4k", 10, "50", 1, FALSE),
  BACK ("256k", 16, "10", 1, FALSE),
  BACK ("64m", 24, "1", 10, TRUE),
  BACK ("64m-few", 24, "0.05", 10, TRUE),
  { NULL },
};
/* clang-format on */
