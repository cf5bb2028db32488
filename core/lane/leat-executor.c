/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which executor does a path of a lane, and a launch by it. */

#include "leat-executor-private.h"

#include "bind/leat-bind-private.h"

static gboolean
leat_lane_captures (LeatLane *self, LeatPath path)
{
  for (guint i = 0; i < LEAT_BOUND_PLAN (self->plan)->pieces->len; i++)
    {
      const LeatPiece *piece = &g_array_index (LEAT_BOUND_PLAN (self->plan)->pieces, LeatPiece, i);

      if (piece->captured && leat_lane_has_ops (self, path, piece))
        return TRUE;
    }
  return FALSE;
}

const LeatExecutorClass *
leat_lane_choose_executor (LeatLane *self, LeatPath path)
{
  if (self->program->persistent != NULL && path == LEAT_PATH_FULL)
    return &leat_executor_persistent;
  return leat_lane_captures (self, path) ? &leat_executor_graph : &leat_executor_eager;
}

gboolean
leat_lane_launch (LeatLane *self, LeatPath path, GError **error)
{
  const LeatExecutorClass *executor = self->executables[path].executor;

  /* A path of which nothing was built is done as the plan says. */
  if (G_UNLIKELY (executor == NULL))
    executor = leat_lane_choose_executor (self, path);
  return (*executor->launch) (self, path, error);
}
