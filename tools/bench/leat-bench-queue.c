/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Measures the items that a work queue on the device passes in a second, and the time from one thread to another.  The
 * kernels count, so that each run shows that no item was lost. */

#include "leat-bench-case.h"

#define SETTLE 5

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  guint32 *in;
  const guint64 *out;
} LeatBenchQueue;

static void
leat_bench_queue_clear (LeatBenchQueue *self)
{
  if (self->session != NULL)
    leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchQueue, leat_bench_queue_clear)

static gboolean
leat_bench_queue_open (LeatBenchQueue *self, const LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_autofree char *text =
    g_strdup_printf ("leat 1\napp name=source spec=u32[1] -> upload -> kernel name=k source=\"%s\" entry=%s block=128 "
                     "grid=occupancy queue=%u sum=u64[1] clear=sum -> readback -> app name=sink\n",
                     bench->queue_kernels, kind->mode, 1u << kind->n);
  LeatView in, out;

  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  if (self->pipeline == NULL)
    return FALSE;
  self->session = leat_session_new (self->pipeline, bench->selector);
  g_object_set (self->session, "wait", bench->wait, NULL);
  if (!leat_session_open (self->session, NULL, error) || !leat_session_map_input (self->session, "source", &in, error)
      || !leat_session_map_output (self->session, "sink", &out, error))
    return FALSE;
  self->in = in.data;
  self->out = out.data;
  return TRUE;
}

/* Items that there must be when all is done: all numbers, all nodes of a tree, or all times that the one came back. */
static guint64
leat_bench_queue_count (const LeatBenchCase *kind)
{
  return ((guint64) 1 << kind->n) - g_str_equal (kind->mode, "tree");
}

static gboolean
leat_bench_queue_run (LeatBenchQueue *self, const LeatBenchCase *kind, LeatBenchSeries *times, gboolean counts,
                      GError **error)
{
  double begin = leat_bench_now_us ();

  *self->in = kind->n;
  if (leat_session_replay (self->session, FALSE, NULL, error) == LEAT_FLOW_ERROR)
    return FALSE;
  if (counts)
    leat_bench_series_add (times, leat_bench_now_us () - begin);
  if (*self->out == leat_bench_queue_count (kind))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
               "%" G_GUINT64_FORMAT " items came out and %" G_GUINT64_FORMAT " should", *self->out,
               leat_bench_queue_count (kind));
  return FALSE;
}

static gboolean
leat_bench_run_queue (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  guint runs = leat_bench_case_get_runs (kind, bench);
  g_auto (LeatBenchQueue) self = { 0 };
  g_auto (LeatBenchSeries) times = { 0 };
  LeatBenchSummary summary;

  leat_bench_series_init (&times, runs);
  if (!leat_bench_queue_open (&self, bench, kind, error))
    return FALSE;
  for (guint i = 0; i < SETTLE + runs; i++)
    if (!leat_bench_queue_run (&self, kind, &times, i >= SETTLE, error))
      return FALSE;
  leat_bench_series_summarize (&times, &summary);
  leat_bench_report_add_times (bench->report, "replay", &times);
  leat_bench_report_add_value (bench->report, "items", leat_bench_queue_count (kind) / summary.median,
                               "million a second");
  leat_bench_report_add_value (bench->report, "item", summary.median / leat_bench_queue_count (kind) * 1e3, "ns");
  return TRUE;
}

/* clang-format off */
const LeatBenchCase leat_bench_queues[] = {
  { "work-pass", "2^20 numbers through a queue on the device", leat_bench_run_queue, 0, 20, "pass", 10, FALSE },
  { "work-tree", "2^20 items of which each brings two others", leat_bench_run_queue, 0, 20, "tree", 10, FALSE },
  { "work-relay", "one item that goes back 4,096 times: what a hand-off takes", leat_bench_run_queue, 0, 12, "relay", 10,
    FALSE },
  { NULL },
};
/* clang-format on */
