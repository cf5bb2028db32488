/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A LeatLane whose plan is for several lanes.  An op done for all of them at once has one graph node, which is given
 * less to do where fewer are live than there is memory for.  For an op done entry by entry the addresses are those of
 * one entry for a moment. */

#include "leat-lane-private.h"

#include "graph/leat-pipeline-private.h"
#include "bind/leat-bind-private.h"
#include "leat-lane-graph-private.h"

static gboolean
leat_lane_pack_spread (LeatLane *self, const LeatOp *op, GError **error)
{
  guint n = LEAT_BOUND_PLAN (self->plan)->traits.entries;
  gboolean good = TRUE;

  if (self->spread[op->index] == NULL)
    self->spread[op->index] = g_new0 (LeatLaunch, n);
  for (guint i = 0; i < n && good; i++)
    {
      leat_lane_shift (self, i);
      good = leat_launch_pack (&self->spread[op->index][i], self, op, error);
    }
  leat_lane_shift (self, 0);
  return good;
}

void
leat_lane_free_spread (LeatLane *self)
{
  for (guint i = 0; self->spread != NULL && i < self->plan->ops->len; i++)
    {
      for (guint entry = 0; self->spread[i] != NULL && entry < LEAT_BOUND_PLAN (self->plan)->traits.entries; entry++)
        leat_launch_clear (&self->spread[i][entry]);
      g_free (self->spread[i]);
    }
  g_free (self->spread);
}

/* TRUE: it is elsewhere now. */
static gboolean
leat_lane_place_staging (LeatLane *self, LeatMemory *const *staging, guint at)
{
  gboolean moved = FALSE;

  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      LeatBufferId root = leat_plan_get_root (self->plan, i)->id;
      guint64 skipped = LEAT_BOUND_BUFFER (leat_plan_get_buffer (self->plan, i))->stride * at;
      CUdeviceptr address;

      if (staging[root] == NULL)
        continue;
      address = leat_memory_get_address (staging[root]) + skipped;
      moved = moved || self->addresses[i] != address;
      self->addresses[i] = address;
      self->hosts[i] = (guint8 *) leat_memory_get_host (staging[root]) + skipped;
    }
  return moved;
}

static gboolean
leat_lane_update_entries_of (LeatLane *self, const LeatOp *op, gboolean moved, gboolean resized, GError **error)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);
  gboolean changed = resized || (moved && op->kind == LEAT_OP_TRANSFER);

  if (!leat_op_is_on_device (op) || leat_op_goes_by_entry (op) || !changed)
    return TRUE;
  if (moved && op->kind == LEAT_OP_TRANSFER && bound->wide
      && !leat_launch_pack (&self->launches[op->index], self, op, error))
    return FALSE;
  if (bound->wide)
    return leat_lane_update_kernel (self, LEAT_PATH_FULL, op, error);
  return op->kind == LEAT_OP_FILL || leat_lane_update_copy (self, LEAT_PATH_FULL, op, error);
}

gboolean
leat_lane_set_entries (LeatLane *self, LeatMemory *const *staging, guint at, guint live, GError **error)
{
  gboolean moved = leat_lane_place_staging (self, staging, at), resized = live != self->live;
  gboolean good = TRUE;

  g_assert (live >= 1 && live <= LEAT_BOUND_PLAN (self->plan)->traits.entries);
  self->live = live;
  if ((!moved && !resized) || !leat_device_push (self->program->device, error))
    return !moved && !resized;
  for (guint i = 0; i < self->plan->ops->len && good; i++)
    good = leat_lane_update_entries_of (self, leat_plan_get_op (self->plan, i), moved, resized, error);
  leat_device_pop (self->program->device);
  return good;
}

/* A spread plan has many graph nodes, which are made anew. */
gboolean
leat_lane_take_arguments (LeatLane *self, GError **error)
{
  gboolean good = leat_lane_pack_launches (self, error);

  if (leat_plan_spreads (self->plan))
    leat_lane_destroy_graphs (self);
  if (!good || !leat_device_push (self->program->device, error))
    return FALSE;
  for (guint i = 0; i < self->plan->ops->len && good; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      if (LEAT_BOUND_OP (op)->wide)
        good = leat_lane_update_kernel (self, LEAT_PATH_FULL, op, error);
    }
  leat_device_pop (self->program->device);
  return good;
}

static gboolean
leat_lane_pack_all (LeatLane *self, GError **error)
{
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self->plan, i);

      if (!leat_op_launches (op))
        continue;
      if (LEAT_BOUND_OP (op)->why_spread != NULL ? !leat_lane_pack_spread (self, op, error)
                                                 : !leat_launch_pack (&self->launches[i], self, op, error))
        return FALSE;
    }
  return TRUE;
}

/* Another thread may set arguments at any time. */
gboolean
leat_lane_pack_launches (LeatLane *self, GError **error)
{
  LeatChanges *changes = leat_pipeline_get_changes (self->plan->pipeline);
  gboolean good;

  leat_changes_lock (changes);
  good = leat_lane_pack_all (self, error);
  leat_changes_unlock (changes);
  return good;
}
