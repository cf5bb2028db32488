/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Memory that the application brings.  It is noted here and packed at once into the parameters of the head; the next
 * launch brings them to the device.  They hold all slots, and the node gets them once however many have changed.  A
 * copy has its addresses in its own node. */

#include "leat-lane-private.h"
#include "bind/leat-bind-private.h"
#include "leat-lane-graph-private.h"

static LeatBuffer *
leat_lane_get_slot (LeatLane *self, guint slot)
{
  return leat_plan_get_buffer (self->plan, g_array_index (self->plan->users, LeatBufferId, slot));
}

void
leat_lane_place_users (LeatLane *self)
{
  for (guint i = 0; i < self->plan->users->len; i++)
    {
      LeatBuffer *buffer = leat_lane_get_slot (self, i);

      /* Where its count is; where its items are is known only in a run. */
      if (buffer->count_in != LEAT_BUFFER_NONE)
        {
          self->addresses[buffer->id] = self->addresses[buffer->count_in];
          self->hosts[buffer->id] = self->hosts[buffer->count_in];
        }
      else if (buffer->header)
        self->addresses[buffer->id] =
          self->addresses[self->plan->table] + (guint64) i * LEAT_PLAN_SLOT_BYTES + sizeof (guint64);
    }
}

static gboolean
leat_lane_copies_slot (LeatLane *self, guint slot)
{
  LeatBufferId id = g_array_index (self->plan->users, LeatBufferId, slot);

  for (guint i = 0; i < LEAT_BOUND_PLAN (self->plan)->user_copies->len; i++)
    {
      const LeatOp *op =
        leat_plan_get_op (self->plan, g_array_index (LEAT_BOUND_PLAN (self->plan)->user_copies, guint, i));

      if (leat_plan_get_root (self->plan, op->from)->id == id || leat_plan_get_root (self->plan, op->to)->id == id)
        return TRUE;
    }
  return FALSE;
}

/* A head that is not packed yet is packed with all slots. */
static inline void
leat_lane_pack_binding (LeatLane *self, guint slot)
{
  guint head = slot / LEAT_PLAN_HEAD_MOST;

  if (self->launches[head].storage != NULL)
    leat_launch_put_binding (&self->launches[head], leat_plan_get_op (self->plan, head), slot, &self->bindings[slot]);
}

static gboolean
leat_lane_has_graphs (LeatLane *self)
{
  for (guint path = 0; path < LEAT_N_PATHS; path++)
    if (self->executables[path].is_built)
      return TRUE;
  return FALSE;
}

void
leat_lane_bind (LeatLane *self, guint slot, const LeatBinding *to)
{
  LeatBinding *binding = &self->bindings[slot];
  gboolean same = binding->given == to->given && binding->address == to->address && binding->on_device == to->on_device;

  if (binding->bytes != to->bytes)
    self->checked = 0; /* there may be other memory in what is new of it */
  binding->bytes = to->bytes;
  if (same && binding->count == to->count)
    return;
  /* A node of a copy stays one between the same kinds of memory, also when nothing was bound meanwhile. */
  if (binding->on_device != to->on_device && leat_lane_has_graphs (self) && leat_lane_copies_slot (self, slot))
    self->is_kind_changed = TRUE;
  *binding = *to;
  binding->serial = ++self->bound;
  leat_lane_pack_binding (self, slot);
}

/* The memory stays the program's when another plan of the same pipeline is run, where it still fits. */
void
leat_lane_take_bindings (LeatLane *self, LeatLane *from)
{
  for (guint i = 0; i < self->plan->users->len; i++)
    {
      const LeatBinding none = { .on_device = self->bindings[i].on_device };
      gboolean fits = i < from->plan->users->len
                      && leat_spec_equal (leat_lane_get_slot (self, i)->spec, leat_lane_get_slot (from, i)->spec);

      leat_lane_bind (self, i, fits ? &from->bindings[i] : &none);
    }
}

/* Is there anything in these slots that the path does not know yet? */
static gboolean
leat_lane_is_stale (LeatLane *self, const LeatOp *head, guint64 known)
{
  for (guint i = 0; i < head->n_slots; i++)
    if (self->bindings[head->first_slot + i].serial > known
        && LEAT_BOUND_BUFFER (leat_lane_get_slot (self, head->first_slot + i))->by_slot)
      return TRUE;
  return FALSE;
}

static gboolean
leat_lane_is_copy_stale (LeatLane *self, const LeatOp *op, guint64 known)
{
  const LeatBuffer *from = leat_plan_get_user (self->plan, op->from), *to = leat_plan_get_user (self->plan, op->to);

  return (from != NULL && self->bindings[from->slot].serial > known)
         || (to != NULL && self->bindings[to->slot].serial > known);
}

static gboolean
leat_lane_update_heads (LeatLane *self, LeatPath path, guint64 known, GError **error)
{
  for (guint i = 0; i < self->plan->ops->len && leat_plan_get_op (self->plan, i)->is_head; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      if (!LEAT_BOUND_OP (op)->elided && leat_lane_is_stale (self, op, known)
          && !leat_lane_update_kernel (self, path, op, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
leat_lane_update_copies (LeatLane *self, LeatPath path, guint64 known, GError **error)
{
  for (guint i = 0; i < LEAT_BOUND_PLAN (self->plan)->user_copies->len; i++)
    {
      const LeatOp *op =
        leat_plan_get_op (self->plan, g_array_index (LEAT_BOUND_PLAN (self->plan)->user_copies, guint, i));

      if (leat_lane_is_copy_stale (self, op, known) && !leat_lane_update_copy (self, path, op, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
leat_lane_update_bindings (LeatLane *self, LeatPath path, GError **error)
{
  guint64 known = self->executables[path].bound;
  gboolean good = leat_device_push (self->program->device, error);

  if (!good)
    return FALSE;
  good = leat_lane_update_heads (self, path, known, error) && leat_lane_update_copies (self, path, known, error);
  leat_device_pop (self->program->device);
  if (good)
    self->executables[path].bound = self->bound;
  return good;
}

gboolean
leat_lane_bring_bindings (LeatLane *self, LeatPath path, GError **error)
{
  const LeatExecutable *head = &self->executables[path];

  if (G_UNLIKELY (self->is_kind_changed))
    leat_lane_destroy_graphs (self);
  self->is_kind_changed = FALSE;
  return !head->is_built || head->bound == self->bound || leat_lane_update_bindings (self, path, error);
}
