/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The memory that reports take in a bound plan: a block for each op that may report, and for each lane. */

#include "leat-bind-private.h"
#include "kernel/device/leat-report-block.h"

/* A block for each, and for each lane: one behind the other for the lanes of an op. */
guint
leat_plan_count_report_blocks (LeatPlan *self)
{
  return leat_plan_count_reporting (self) * MAX (LEAT_BOUND_PLAN (self)->traits.entries, 1);
}

/* Of many lanes a few report, while the launches of others are under way, whose copies a copy of a block would wait
 * for: there the blocks are where the host reads and clears them itself.  Queues count in theirs all the time, which is
 * for the device's memory. */
gboolean
leat_plan_maps_reports (LeatPlan *self)
{
  gboolean maps = LEAT_BOUND_PLAN (self)->traits.entries_most > 1;

  for (guint i = 0; i < self->ops->len && maps; i++)
    maps = leat_op_get_queue (leat_plan_get_op (self, i), self, 0) == NULL;
  return maps;
}

guint64
leat_plan_get_report_bytes (LeatPlan *self)
{
  if (leat_plan_maps_reports (self))
    return 0;
  return (guint64) leat_plan_count_report_blocks (self) * sizeof (LeatReportBlock);
}

/* And on the host a word for each, behind the one for all; then the blocks where they are mapped. */
guint64
leat_plan_get_told_bytes (LeatPlan *self)
{
  guint n = leat_plan_count_report_blocks (self);
  guint64 bytes = n > 0 ? (n + (guint64) 1) * sizeof (guint64) : 0;

  return bytes + (leat_plan_maps_reports (self) ? n * sizeof (LeatReportBlock) : 0);
}
