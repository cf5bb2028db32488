/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-bench-raw.h"

/* Many inputs in one call, against a graph launch for each and against the link. */

#define LANES  4096
#define ROUNDS 3 /* that are not measured */

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  LeatBenchRaw *raw;
  guint n_in, n_out, n_kernels;
  LeatView in, out;
  guint64 in_stride, out_stride;
  GPtrArray *inputs; /* GBytes in pageable memory */
  LeatBenchSeries place, pageable, launches, link;
} LeatBenchBatch;

static void
leat_bench_batch_clear (LeatBenchBatch *self)
{
  if (self->session != NULL)
    leat_session_close (self->session);
  g_clear_pointer (&self->raw, leat_bench_raw_free);
  g_clear_pointer (&self->inputs, g_ptr_array_unref);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
  leat_bench_series_clear (&self->place);
  leat_bench_series_clear (&self->pageable);
  leat_bench_series_clear (&self->launches);
  leat_bench_series_clear (&self->link);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchBatch, leat_bench_batch_clear)

static char *
leat_bench_batch_dup_text (const LeatBenchBatch *self, const LeatBench *bench)
{
  GString *text = g_string_new ("leat 1\n");
  gboolean head = self->n_out < self->n_in;

  g_string_append_printf (text, "app name=source spec=f32[%u] -> upload\n", self->n_in);
  for (guint i = 0; i + head < self->n_kernels; i++)
    g_string_append_printf (text, "  -> kernel source=\"%s\" entry=step a=1 b=1 block=128\n", bench->kernels);
  if (head)
    g_string_append_printf (text, "  -> kernel source=\"%s\" entry=head block=128 grid=1 y=f32[%u]\n", bench->kernels,
                            self->n_out);
  g_string_append (text, "  -> readback -> app name=sink\n");
  return g_string_free (text, FALSE);
}

static float
leat_bench_batch_number (guint lane, guint i)
{
  return (float) ((lane * 131 + i * 7) % 4093);
}

static void
leat_bench_batch_fill (LeatBenchBatch *self)
{
  self->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint lane = 0; lane < LANES; lane++)
    {
      float *x = g_new (float, self->n_in);

      for (guint i = 0; i < self->n_in; i++)
        x[i] = leat_bench_batch_number (lane, i);
      memcpy ((guint8 *) self->in.data + lane * self->in_stride, x, self->n_in * sizeof *x);
      memcpy (leat_bench_raw_get_in (self->raw) + (gsize) lane * self->n_in, x, self->n_in * sizeof *x);
      g_ptr_array_add (self->inputs, g_bytes_new_take (x, self->n_in * sizeof *x));
    }
}

static gboolean
leat_bench_batch_open (LeatBenchBatch *self, LeatBench *bench, GError **error)
{
  g_autofree char *text = leat_bench_batch_dup_text (self, bench);

  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  if (self->pipeline == NULL)
    return FALSE;
  self->session = leat_session_new (self->pipeline, bench->selector);
  g_object_set (self->session, "wait", bench->wait, NULL);
  if (!leat_session_open (self->session, NULL, error)
      || !leat_session_map_batch (self->session, "source", LANES, &self->in, &self->in_stride, error)
      || !leat_session_map_batch (self->session, "sink", LANES, &self->out, &self->out_stride, error))
    return FALSE;
  self->raw = leat_bench_raw_new (bench, LANES, self->n_in, self->n_out, self->n_kernels, error);
  if (self->raw == NULL)
    return FALSE;
  leat_bench_batch_fill (self);
  return TRUE;
}

/* @inputs: NULL for those in the session's own memory */
static double
leat_bench_batch_replay (LeatBenchBatch *self, GPtrArray *inputs, GError **error)
{
  double begin = leat_bench_now_us ();
  gboolean good = leat_session_replay_batch (self->session, LANES, inputs, NULL, NULL, error);

  return good ? leat_bench_now_us () - begin : -1;
}

static gboolean
leat_bench_batch_check (LeatBenchBatch *self, const char *who, const guint8 *out, guint64 stride, GError **error)
{
  float more = (float) (self->n_kernels - (self->n_out < self->n_in));

  for (guint lane = 0; lane < LANES; lane++)
    for (guint i = 0; i < self->n_out; i++)
      if (((const float *) (out + lane * stride))[i] != leat_bench_batch_number (lane, i) + more)
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s: number %u of lane %u is wrong", who, i, lane);
          return FALSE;
        }
  return TRUE;
}

static gboolean
leat_bench_batch_note (LeatBenchSeries *series, guint round, double us)
{
  if (us >= 0 && round >= ROUNDS)
    leat_bench_series_add (series, us);
  return us >= 0;
}

/* All of them in turn, so that what else the machine does is the same for all. */
static gboolean
leat_bench_batch_take_turn (LeatBenchBatch *self, guint round, GError **error)
{
  const guint8 *raw = (const guint8 *) leat_bench_raw_get_out (self->raw);

  return leat_bench_batch_note (&self->place, round, leat_bench_batch_replay (self, NULL, error))
         && leat_bench_batch_check (self, "the batch", self->out.data, self->out_stride, error)
         && leat_bench_batch_note (&self->pageable, round, leat_bench_batch_replay (self, self->inputs, error))
         && leat_bench_batch_check (self, "the batch", self->out.data, self->out_stride, error)
         && leat_bench_batch_note (&self->launches, round, leat_bench_raw_launch_all (self->raw, error))
         && leat_bench_batch_check (self, "raw graphs", raw, self->n_out * sizeof (float), error)
         && leat_bench_batch_note (&self->link, round, leat_bench_raw_copy_both_ways (self->raw, error));
}

static void
leat_bench_batch_report (LeatBenchBatch *self, LeatBench *bench)
{
  LeatBenchSummary place, pageable, launches, link;

  leat_bench_series_summarize (&self->place, &place);
  leat_bench_series_summarize (&self->pageable, &pageable);
  leat_bench_series_summarize (&self->launches, &launches);
  leat_bench_series_summarize (&self->link, &link);
  leat_bench_report_add_times (bench->report, "batch", &self->place);
  leat_bench_report_add_times (bench->report, "batch-pageable", &self->pageable);
  leat_bench_report_add_times (bench->report, "raw-launches", &self->launches);
  leat_bench_report_add_times (bench->report, "link-both-ways", &self->link);
  leat_bench_report_add_value (bench->report, "lanes", LANES * 1e6 / place.median, "a second");
  leat_bench_report_add_value (bench->report, "lanes-pageable", LANES * 1e6 / pageable.median, "a second");
  leat_bench_report_add_value (bench->report, "of-the-link", 100 * link.median / place.median, "%");
  leat_bench_report_add_value (bench->report, "of-raw-launches", 100 * launches.median / place.median, "%");
}

static gboolean
leat_bench_run_batch (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_auto (LeatBenchBatch) self = { .n_in = kind->bytes / sizeof (float), .n_kernels = kind->n };
  guint runs = leat_bench_case_get_runs (kind, bench);

  self.n_out = kind->n > 1 ? 64 : self.n_in;
  leat_bench_series_init (&self.place, runs);
  leat_bench_series_init (&self.pageable, runs);
  leat_bench_series_init (&self.launches, runs);
  leat_bench_series_init (&self.link, runs);
  if (!leat_bench_batch_open (&self, bench, error))
    return FALSE;
  for (guint round = 0; round < ROUNDS + runs; round++)
    if (!leat_bench_batch_take_turn (&self, round, error))
      return FALSE;
  leat_bench_batch_report (&self, bench);
  return TRUE;
}

/* clang-format off */
const LeatBenchCase leat_bench_batches[] = {
  { "batch-64k", "4,096 lanes of 64 KiB in and out, one kernel", leat_bench_run_batch, 65536, 1, NULL, 50, TRUE },
  { "batch-4k", "4,096 lanes of 4 KiB in and 256 bytes out, eight kernels", leat_bench_run_batch, 4096, 8, NULL, 50,
    TRUE },
  { NULL },
};
/* clang-format on */
