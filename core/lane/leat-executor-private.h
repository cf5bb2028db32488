/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-lane-private.h"

G_BEGIN_DECLS

/* A way in which a lane does its runs.  A path has one from what the plan captures of it; a lane may have another one
 * for each of its paths.  None has data: what it makes is in the lane. */
struct _LeatExecutorClass
{
  const char *name;
  /* Makes what the launches of a path need, with the device's context current. */
  gboolean (*prepare) (LeatLane *self, LeatPath path, GError **error);
  gboolean (*launch) (LeatLane *self, LeatPath path, GError **error);
  /* One look at the run that was launched last. */
  gboolean (*is_busy) (LeatLane *self);
  /* For that run.  Of each wait it counts one. */
  gboolean (*wait) (LeatLane *self, LeatWait wait, GError **error);
  /* (nullable): for all of it that is on no stream, which counts nothing. */
  gboolean (*finish) (LeatLane *self, GError **error);
  /* What prepare () made goes.  Was there anything of the device's? */
  gboolean (*drop) (LeatLane *self, LeatPath path);
};

extern const LeatExecutorClass leat_executor_graph;      /* what is captured is graphs; ops between them, one by one */
extern const LeatExecutorClass leat_executor_eager;      /* all ops one by one */
extern const LeatExecutorClass leat_executor_persistent; /* runs are stages of a kernel that is there already */

/* By what the plan captures. */
const LeatExecutorClass *leat_lane_choose_executor (LeatLane *self, LeatPath path);
/* Is there anything on the device that the path does? */
gboolean leat_lane_has_ops (LeatLane *self, LeatPath path, const LeatPiece *piece);

/* Of what is on the lane's stream. */
gboolean leat_lane_is_stream_busy (LeatLane *self);
gboolean leat_lane_wait_for_stream (LeatLane *self, LeatWait wait, GError **error);
/* How long a wait looks at the device without a rest. */
gint64 leat_lane_get_spin_us (LeatLane *self, LeatWait wait);

/* As leat_lane_launch (), of a path that is built. */
static inline gboolean
leat_lane_launch_built (LeatLane *self, LeatPath path, GError **error)
{
  return (*self->executables[path].executor->launch) (self, path, error);
}

G_END_DECLS
