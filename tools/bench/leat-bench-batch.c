/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Many inputs in one call, against a graph launch for each and against the link. */

#include "leat-bench-lanes.h"
#include "leat-bench-raw.h"

#define LANES  4096
#define ROUNDS 3 /* that are not measured */

typedef struct
{
  LeatBenchLanes lanes;
  LeatBenchRaw *raw;
  guint n_in, n_out, n_kernels;
  GPtrArray *inputs; /* GBytes in pageable memory */
  LeatBenchSeries place, pageable, launches, link;
} LeatBenchBatch;

static void
leat_bench_batch_clear (LeatBenchBatch *self)
{
  leat_bench_lanes_clear (&self->lanes);
  g_clear_pointer (&self->raw, leat_bench_raw_free);
  g_clear_pointer (&self->inputs, g_ptr_array_unref);
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

/* The same in pageable memory, and for the raw launches. */
static void
leat_bench_batch_fill (LeatBenchBatch *self)
{
  gsize bytes = self->n_in * sizeof (float);

  self->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint lane = 0; lane < LANES; lane++)
    {
      const float *x = leat_bench_lanes_get_in (&self->lanes, lane);

      memcpy (leat_bench_raw_get_in (self->raw) + (gsize) lane * self->n_in, x, bytes);
      g_ptr_array_add (self->inputs, g_bytes_new (x, bytes));
    }
}

static gboolean
leat_bench_batch_open (LeatBenchBatch *self, LeatBench *bench, GError **error)
{
  g_autofree char *text = leat_bench_batch_dup_text (self, bench);

  if (!leat_bench_lanes_open (&self->lanes, bench, text, LANES, self->n_in, error))
    return FALSE;
  self->raw = leat_bench_raw_new (bench, LANES, self->n_in, self->n_out, self->n_kernels, error);
  if (self->raw == NULL)
    return FALSE;
  leat_bench_batch_fill (self);
  return TRUE;
}

/* @raw: of the raw launches; else of the batch */
static gboolean
leat_bench_batch_check (LeatBenchBatch *self, gboolean raw, GError **error)
{
  float more = (float) (self->n_kernels - (self->n_out < self->n_in));
  gboolean good = TRUE;

  for (guint lane = 0; lane < LANES && good; lane++)
    {
      const float *out = raw ? leat_bench_raw_get_out (self->raw) + (gsize) lane * self->n_out
                             : leat_bench_lanes_get_out (&self->lanes, lane);

      good = leat_bench_lanes_check (raw ? "raw graphs" : "the batch", out, lane, self->n_out, more, error);
    }
  return good;
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
  return leat_bench_batch_note (&self->place, round, leat_bench_lanes_replay (&self->lanes, NULL, error))
         && leat_bench_batch_check (self, FALSE, error)
         && leat_bench_batch_note (&self->pageable, round, leat_bench_lanes_replay (&self->lanes, self->inputs, error))
         && leat_bench_batch_check (self, FALSE, error)
         && leat_bench_batch_note (&self->launches, round, leat_bench_raw_launch_all (self->raw, error))
         && leat_bench_batch_check (self, TRUE, error)
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
