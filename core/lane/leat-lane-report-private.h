/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernel/device/leat-report-block.h"
#include "leat-lane-params-private.h"

G_BEGIN_DECLS

/* The reports of one op with one code, in one run. */
typedef struct
{
  const LeatOp *op;
  guint entry; /* of a batch; 0 in other runs */
  guint64 run; /* counted from 1 */
  guint code;  /* LEAT_REPORT_CODES for all that a file cannot declare */
  guint64 count;
  guint n_records; /* of the first that came, in the order of their indices */
  LeatReportRecord records[LEAT_REPORT_KEPT];
  const LeatBuffer *queue; /* NULL; or it is no report of the kernel's own but of what became of this queue: */
  LeatQueueTotals totals;
  const GError *error; /* not owned: that was made of it, for the lane of a batch; NULL: none */
} LeatReport;

/* The totals of the items of a queue, on this lane. */
typedef struct
{
  const LeatOp *op;
  const LeatBuffer *queue;
  LeatQueueTotals totals;
} LeatLaneQueue;

gboolean leat_lane_allocate_reports (LeatLane *self, GError **error);
/* As if nothing had run: what was reported and the sums of queues. */
gboolean leat_lane_clear_reports (LeatLane *self, GError **error);
/* Where a kernel reports to; 0 for one that does not. */
CUdeviceptr leat_lane_get_report_block (LeatLane *self, const LeatOp *op);
/* After a run: has any kernel reported?  Costs a look at a word. */
gboolean leat_lane_has_reports (LeatLane *self);
/* That lane of a plan for several? */
gboolean leat_lane_has_reports_of (LeatLane *self, guint entry);
/* The first from @first on that has, of those before @end; @end where none has. */
guint leat_lane_find_reports (LeatLane *self, guint first, guint end);
/* Adds what they reported to @reports (LeatReport), in the order of the ops; all is as before the run then. */
gboolean leat_lane_take_reports (LeatLane *self, GArray *reports, GError **error);
/* Those of one lane of a plan for several; that any has is still said. */
gboolean leat_lane_take_reports_of (LeatLane *self, guint entry, GArray *reports, GError **error);
void leat_lane_end_reports (LeatLane *self);
/* Between runs: adds all of them to @queues (LeatLaneQueue), in the order of the ops. */
gboolean leat_lane_read_queues (LeatLane *self, GArray *queues, GError **error);

G_END_DECLS
