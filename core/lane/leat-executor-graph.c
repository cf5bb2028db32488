/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Executor: a path is a graph for each piece of the plan that is captured, in a list.  Ops between them go to the same
 * stream one by one. */

#include "leat-executor-private.h"

#include "bind/leat-bind-private.h"
#include "leat-lane-graph-private.h"

static LeatExecutable *
leat_lane_add_executable (LeatLane *self, LeatPath path, const LeatPiece *piece)
{
  LeatExecutable *head = &self->executables[path], *it = head, *fresh;

  if (head->end == 0)
    fresh = head;
  else
    {
      while (it->next != NULL)
        it = it->next;
      fresh = it->next = g_new0 (LeatExecutable, 1);
      fresh->nodes = head->nodes;
      fresh->ends = head->ends;
      fresh->copies = head->copies;
      fresh->loops = head->loops;
      fresh->unrolled = head->unrolled;
    }
  fresh->first = piece->first;
  fresh->end = piece->end;
  return fresh;
}

static gboolean
leat_executor_graph_prepare (LeatLane *self, LeatPath path, GError **error)
{
  for (guint i = 0; i < LEAT_BOUND_PLAN (self->plan)->pieces->len; i++)
    {
      LeatPiece piece = g_array_index (LEAT_BOUND_PLAN (self->plan)->pieces, LeatPiece, i);

      if (piece.captured && leat_lane_has_ops (self, path, &piece)
          && !leat_lane_fill_graph (self, path, leat_lane_add_executable (self, path, &piece), error))
        return FALSE;
    }
  return TRUE;
}

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

/* Where lanes take turns within the graph, graph nodes do it. */
static gboolean
leat_lane_launch_piece (LeatLane *self, LeatExecutable *it, GError **error)
{
  if (G_LIKELY (self->turn == NULL || it->turn != NULL))
    return leat_lane_launch_graph (self, it, error);
  return leat_lane_await_turn (self, it->first, it->end, error) && leat_lane_launch_graph (self, it, error)
         && leat_lane_pass_turn (self, it->first, it->end, error);
}

static gboolean
leat_executor_graph_launch (LeatLane *self, LeatPath path, GError **error)
{
  LeatExecutable *head = &self->executables[path];
  guint at = 0;

  for (LeatExecutable *it = head; it != NULL && it->exec != NULL; it = it->next)
    {
      if (!leat_lane_launch_between (self, path, at, it->first, error) || !leat_lane_launch_piece (self, it, error))
        return FALSE;
      at = it->end;
    }
  head->launches++;
  return leat_lane_launch_between (self, path, at, self->plan->ops->len, error);
}

static gboolean
leat_executor_graph_drop (LeatLane *self, LeatPath path)
{
  LeatExecutable *head = &self->executables[path], *next;
  gboolean built = FALSE;

  for (LeatExecutable *it = head; it != NULL; it = next)
    {
      next = it->next;
      built = built || it->exec != NULL;
      leat_lane_drop_graph (self, it->exec, it->graph);
      if (it != head)
        g_free (it);
    }
  return built;
}

const LeatExecutorClass leat_executor_graph = {
  .name = "graph",
  .prepare = leat_executor_graph_prepare,
  .launch = leat_executor_graph_launch,
  .is_busy = leat_lane_is_stream_busy,
  .wait = leat_lane_wait_for_stream,
  .drop = leat_executor_graph_drop,
};
