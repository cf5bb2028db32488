/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-lane-private.h"

G_BEGIN_DECLS

struct _LeatForeign
{
  LeatLane *lane;
  const LeatOp *op;
  gboolean capturing;
};

/* Lets the callback of @op put its work on the lane's stream. */
gboolean leat_lane_call_foreign (LeatLane *self, const LeatOp *op, gboolean capturing, GError **error);

/* The fault of a capture. */
typedef struct
{
  char *why;        /* NULL: nothing */
  const char *call; /* the call at fault; NULL where none is known */
} LeatCaptureFault;

void leat_capture_fault_clear (LeatCaptureFault *self);

/* Captures the work of @op into a graph of its own, which must be destroyed; NULL where that failed. */
CUgraph leat_lane_capture_foreign (LeatLane *self, const LeatOp *op, LeatCaptureFault *fault);
/* Captures it into the graph of @to, behind what @op waits for.  After a fault that graph is of no use. */
gboolean leat_lane_add_foreign (LeatLane *self, LeatExecutable *to, const LeatOp *op, const CUgraphNode *after,
                                gsize n_after, LeatCaptureFault *fault);

/* Takes the op out of the graphs, and says so; clears the fault. */
void leat_lane_cut (LeatLane *self, LeatOp *op, LeatCaptureFault *fault);

G_END_DECLS
