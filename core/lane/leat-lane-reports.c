/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Gets the reports of a lane's kernels after a run, and makes their blocks ready for the next.  Touches the lane's
 * report blocks and words only. */

#include "leat-lane-private.h"

/* Reports of a lane's kernels (leat-report-block.h).  A run in which none reports costs a look at a word of pinned
 * memory; where one did, its block is brought back, or read in place where it is mapped (leat-plan-reporting.c), and
 * both are made ready for the next run.
 *
 * All of that is between the end of one launch, which a wait of the host has seen, and the next launch of the same
 * lane. The wait orders writes of the device before reads of the host, and the launch orders writes of the host before
 * reads of the device.  So neither side needs a fence, and an atomic addition of the device's never meets the host. */

/* The ops that report stand in the order of their blocks. */
static const LeatOp *
leat_lane_get_reporting (LeatLane *self, guint index)
{
  for (guint i = 0; i < self->plan->ops->len; i++)
    if (leat_op_reports (leat_plan_get_op (self->plan, i)) && index-- == 0)
      return leat_plan_get_op (self->plan, i);
  return NULL;
}

static guint
leat_lane_get_width (LeatLane *self)
{
  return MAX (LEAT_BOUND_PLAN (self->plan)->traits.entries, 1);
}

/* Tells a kernel, in its block, where the words are that tell of it. */
static void
leat_lane_fill_block (LeatLane *self, guint index, LeatReportBlock *block)
{
  CUdeviceptr told = leat_memory_get_address (self->told);

  block->any = (uint64_t *) told;
  block->own = (uint64_t *) told + 1 + index;
}

/* Behind the words. */
static guint64
leat_lane_get_mapped_offset (LeatLane *self)
{
  return (1 + (guint64) self->n_reporting * leat_lane_get_width (self)) * sizeof (guint64);
}

/* NULL where they are on the device. */
static LeatReportBlock *
leat_lane_get_mapped_block (LeatLane *self, guint index)
{
  guint8 *host = leat_memory_get_host (self->told);

  return self->report_blocks == NULL ? (LeatReportBlock *) (host + leat_lane_get_mapped_offset (self)) + index : NULL;
}

static gboolean
leat_lane_write_blocks (LeatLane *self, GError **error)
{
  guint n = leat_plan_count_report_blocks (self->plan);
  g_autofree LeatReportBlock *blocks = g_new0 (LeatReportBlock, n);

  for (guint i = 0; i < n; i++)
    leat_lane_fill_block (self, i, &blocks[i]);
  return leat_memory_write (self->report_blocks, 0, blocks, n * sizeof *blocks, error);
}

/* The host's part stays when the device's is made again. */
static gboolean
leat_lane_allocate_told (LeatLane *self, GError **error)
{
  guint64 bytes = leat_plan_get_told_bytes (self->plan);
  const char *what = leat_plan_maps_reports (self->plan) ? "what kernels report" : "whether kernels reported";

  if (self->told == NULL)
    self->told = leat_lane_new_memory (self, LEAT_MEMORY_REPORTS, LEAT_MEMORY_PINNED, bytes, what, error);
  if (self->told != NULL)
    memset (leat_memory_get_host (self->told), 0, bytes);
  return self->told != NULL;
}

static void
leat_lane_fill_mapped (LeatLane *self)
{
  for (guint i = 0; i < leat_plan_count_report_blocks (self->plan); i++)
    leat_lane_fill_block (self, i, leat_lane_get_mapped_block (self, i));
}

gboolean
leat_lane_allocate_reports (LeatLane *self, GError **error)
{
  guint64 bytes = leat_plan_get_told_bytes (self->plan);

  self->n_reporting = leat_plan_count_reporting (self->plan);
  if (bytes == 0)
    return TRUE;
  if (!leat_lane_allocate_told (self, error))
    return FALSE;
  if (leat_plan_maps_reports (self->plan))
    {
      leat_lane_fill_mapped (self);
      return TRUE;
    }
  self->report_blocks = leat_lane_new_memory (self, LEAT_MEMORY_REPORTS, LEAT_MEMORY_DEVICE,
                                              leat_plan_get_report_bytes (self->plan), "what kernels report", error);
  return self->report_blocks != NULL && leat_lane_write_blocks (self, error);
}

gboolean
leat_lane_clear_reports (LeatLane *self, GError **error)
{
  return self->report_blocks == NULL || (leat_lane_allocate_told (self, error) && leat_lane_write_blocks (self, error));
}

/* Of the lane that it is shifted to. */
CUdeviceptr
leat_lane_get_report_block (LeatLane *self, const LeatOp *op)
{
  CUdeviceptr blocks;
  guint before = 0;

  if (self->told == NULL || !leat_op_reports (op))
    return 0;
  blocks = self->report_blocks != NULL ? leat_memory_get_address (self->report_blocks)
                                       : leat_memory_get_address (self->told) + leat_lane_get_mapped_offset (self);
  for (guint i = 0; i < op->index; i++)
    before += leat_op_reports (leat_plan_get_op (self->plan, i));
  return blocks + (before * leat_lane_get_width (self) + self->shift) * sizeof (LeatReportBlock);
}

gboolean
leat_lane_has_reports (LeatLane *self)
{
  return self->told != NULL && *(volatile const guint64 *) leat_memory_get_host (self->told) != 0;
}

gboolean
leat_lane_has_reports_of (LeatLane *self, guint lane)
{
  const guint64 *own = (const guint64 *) leat_memory_get_host (self->told) + 1;
  guint width = leat_lane_get_width (self);

  for (guint i = 0; i < self->n_reporting; i++)
    if (own[i * width + lane] != 0)
      return TRUE;
  return FALSE;
}

/* The words of a kernel's lanes lie together, so that many are looked at at once. */
static guint
leat_words_find (const guint64 *words, guint first, guint end)
{
  const guint step = 16;
  guint at = first;

  for (; at + step <= end; at += step)
    {
      guint64 any = 0;

      for (guint i = 0; i < step; i++)
        any |= words[at + i];
      if (any != 0)
        break;
    }
  while (at < end && words[at] == 0)
    at++;
  return at;
}

guint
leat_lane_find_reports (LeatLane *self, guint first, guint end)
{
  const guint64 *own = (const guint64 *) leat_memory_get_host (self->told) + 1;

  for (guint i = 0; i < self->n_reporting; i++, own += leat_lane_get_width (self))
    end = leat_words_find (own, first, end);
  return end;
}

static int
leat_report_compare_indices (gconstpointer a, gconstpointer b)
{
  const LeatReportRecord *x = a, *y = b;

  return x->index != y->index ? (x->index < y->index ? -1 : 1) : (x->value > y->value) - (x->value < y->value);
}

/* Which were first is chance where many threads report; their order need not be. */
static void
leat_lane_add_row (const LeatOp *op, const LeatReportBlock *block, guint row, GArray *reports)
{
  LeatReport report = { .op = op, .code = row, .count = block->counts[row] };

  report.n_records = MIN (report.count, LEAT_REPORT_KEPT);
  memcpy (report.records, block->records[row], report.n_records * sizeof *report.records);
  qsort (report.records, report.n_records, sizeof *report.records, leat_report_compare_indices);
  g_array_append_val (reports, report);
}

/* A queue that all went well with is no news. */
static void
leat_lane_add_queue (LeatLane *self, const LeatOp *op, guint number, const LeatQueueTotals *totals, GArray *reports)
{
  LeatReport report = { .op = op, .queue = leat_op_get_queue (op, self->plan, number), .totals = *totals };

  report.code = report.records[0].code = LEAT_REPORT_ROWS + number; /* behind those of the file */
  report.count = totals->lost + totals->misused + (totals->stuck > 0);
  if (report.count > 0)
    g_array_append_val (reports, report);
}

static void
leat_lane_add_block (LeatLane *self, const LeatOp *op, const LeatReportBlock *block, GArray *reports)
{
  for (guint row = 0; row < LEAT_REPORT_ROWS; row++)
    if (block->counts[row] > 0)
      leat_lane_add_row (op, block, row, reports);
  for (guint i = 0; i < LEAT_QUEUES_MOST; i++)
    if (leat_op_get_queue (op, self->plan, i) != NULL)
      leat_lane_add_queue (self, op, i, &block->queues[i], reports);
}

/* Ready for the next run: what no count tells of is not looked at, and the sums of queues stay. */
static void
leat_report_block_renew (LeatReportBlock *self)
{
  for (guint i = 0; i < LEAT_QUEUES_MOST; i++)
    {
      self->queues[i].told += self->queues[i].lost;
      self->queues[i].lost = self->queues[i].stuck = self->queues[i].misused = 0;
    }
  memset (self->counts, 0, sizeof self->counts);
}

static gboolean
leat_lane_take_block (LeatLane *self, const LeatOp *op, guint index, GArray *reports, GError **error)
{
  LeatReportBlock *mapped = leat_lane_get_mapped_block (self, index);
  g_autofree LeatReportBlock *copy = mapped == NULL ? g_new (LeatReportBlock, 1) : NULL;
  LeatReportBlock *block = mapped != NULL ? mapped : copy;

  if (mapped == NULL && !leat_memory_read (self->report_blocks, index * sizeof *block, block, sizeof *block, error))
    return FALSE;
  leat_lane_add_block (self, op, block, reports);
  leat_report_block_renew (block);
  if (mapped != NULL)
    return TRUE;
  leat_lane_fill_block (self, index, block);
  return leat_memory_write (self->report_blocks, index * sizeof *block, block, sizeof *block, error);
}

gboolean
leat_lane_take_reports_of (LeatLane *self, guint lane, GArray *reports, GError **error)
{
  guint64 *told = leat_memory_get_host (self->told);
  guint index = lane;

  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      if (!leat_op_reports (op))
        continue;
      if (told[1 + index] != 0 && !leat_lane_take_block (self, op, index, reports, error))
        return FALSE;
      told[1 + index] = 0;
      index += leat_lane_get_width (self);
    }
  return TRUE;
}

void
leat_lane_end_reports (LeatLane *self)
{
  *(guint64 *) leat_memory_get_host (self->told) = 0;
}

gboolean
leat_lane_take_reports (LeatLane *self, GArray *reports, GError **error)
{
  for (guint lane = 0; lane < leat_lane_get_width (self); lane++)
    if (!leat_lane_take_reports_of (self, lane, reports, error))
      return FALSE;
  leat_lane_end_reports (self);
  return TRUE;
}

static gboolean
leat_lane_read_block (LeatLane *self, guint index, GArray *queues, GError **error)
{
  g_autofree LeatReportBlock *block = g_new (LeatReportBlock, 1);
  LeatLaneQueue queue = { .op = leat_lane_get_reporting (self, index) };

  if (leat_op_get_queue (queue.op, self->plan, 0) == NULL)
    return TRUE;
  if (!leat_memory_read (self->report_blocks, index * sizeof *block, block, sizeof *block, error))
    return FALSE;
  for (guint i = 0; (queue.queue = leat_op_get_queue (queue.op, self->plan, i)) != NULL; i++)
    {
      queue.totals = block->queues[i];
      queue.totals.lost += queue.totals.told;
      g_array_append_val (queues, queue);
    }
  return TRUE;
}

gboolean
leat_lane_read_queues (LeatLane *self, GArray *queues, GError **error)
{
  guint n = leat_plan_count_reporting (self->plan);

  for (guint i = 0; i < n; i++)
    if (!leat_lane_read_block (self, i, queues, error))
      return FALSE;
  return TRUE;
}
