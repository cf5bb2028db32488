/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-lane-private.h"

G_BEGIN_DECLS

/* The times of one run of a lane, by the device's own clocks: when each op began and ended.  Only the runs that are
 * measured record anything; all others go as they would without. */

typedef struct
{
  gint64 begin_ns, end_ns; /* from when the stream came to the run */
} LeatOpTime;

struct _LeatTiming
{
  LeatLane *lane;     /* not owned */
  LeatEvent *first;   /* the stream comes to the run */
  LeatEvent *last;    /* and has done it */
  LeatEvent **begins; /* by op index; NULL where they are never used */
  LeatEvent **ends;   /* likewise */
  LeatMemory *clocks; /* begin and end of each op whose kernel tells; NULL where none does */
  LeatMemory *copies; /* pinned: what was copied from there */
  guint64 (*told)[2]; /* the same, for the host */
  LeatOpTime *times;  /* of the last measured run, by op index; both 0 where nothing was measured */
  gint64 span_ns;     /* from the first event to the last */
  gint64 work_ns;     /* from the beginning of the first op to the end of the last */
};

LeatTiming *leat_timing_new (LeatLane *lane, GError **error);
void leat_timing_free (LeatTiming *self);

/* Is there anything to measure about an op, as the plan is bound now?  And who does: its kernel, or events around it?
 */
gboolean leat_timing_has_op (LeatTiming *self, const LeatOp *op);
gboolean leat_timing_tells (LeatTiming *self, const LeatOp *op);
gboolean leat_timing_uses_events (LeatTiming *self, const LeatOp *op);
/* Where the wrapper of @op's kernel leaves its times. */
/* Of the device's memory, and of pinned memory. */
guint64 leat_timing_get_clock_bytes (LeatPlan *plan);
CUdeviceptr leat_timing_get_clock (LeatTiming *self, const LeatOp *op);

/* Around a measured run, on its stream; the context must be current, and for the times too. */
gboolean leat_timing_begin (LeatTiming *self, GError **error);
gboolean leat_timing_end (LeatTiming *self, GError **error);
/* When it has completed: fills in the times. */
gboolean leat_timing_read (LeatTiming *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatTiming, leat_timing_free)

G_END_DECLS
