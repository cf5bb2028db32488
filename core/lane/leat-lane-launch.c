/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Launches a path of a lane: its graphs, and the ops between them. */

#include "leat-persistent-private.h"
#include "leat-lane-graph-private.h"

static inline gboolean
leat_lane_launch_graph (LeatLane *self, LeatExecutable *it, GError **error)
{
  CUresult result = (*self->table->cuGraphLaunch) (it->exec, leat_stream_get (self->stream));

  if (G_UNLIKELY (result != CUDA_SUCCESS))
    return leat_lane_fail_launch (self, result, 1, error);
  self->counts->work.launches++;
  leat_traffic_add (&self->counts->work.traffic, &it->traffic, 1);
  return TRUE;
}

/* In steady state a plan that is one graph is one call. */
static gboolean
leat_lane_launch_between (LeatLane *self, LeatPath path, guint first, guint end, GError **error)
{
  gboolean good;

  if (first >= end)
    return TRUE;
  if (!leat_device_push (self->program->device, error))
    return FALSE;
  good = leat_lane_launch_ops (self, path, first, end, error);
  leat_device_pop (self->program->device);
  return good;
}

/* Where lanes take turns within the graph, graph nodes do it. */
static gboolean
leat_lane_launch_piece (LeatLane *self, LeatExecutable *it, GError **error)
{
  if (G_LIKELY (self->turn == NULL || it->turn != NULL))
    return leat_lane_launch_graph (self, it, error);
  return leat_lane_await_turn (self, it->first, it->end, error) && leat_lane_launch_graph (self, it, error)
         && leat_lane_pass_turn (self, it->first, it->end, error);
}

gboolean
leat_lane_launch (LeatLane *self, LeatPath path, GError **error)
{
  LeatExecutable *head = &self->executables[path];
  guint at = 0;

  if (self->program->persistent != NULL && path == LEAT_PATH_FULL)
    return leat_persistent_ring (self->program->persistent, self, error);
  for (LeatExecutable *it = head; it != NULL && it->exec != NULL; it = it->next)
    {
      if (!leat_lane_launch_between (self, path, at, it->first, error) || !leat_lane_launch_piece (self, it, error))
        return FALSE;
      at = it->end;
    }
  head->launches++;
  return leat_lane_launch_between (self, path, at, self->plan->ops->len, error);
}
