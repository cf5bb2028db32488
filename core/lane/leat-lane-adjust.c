/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A lane takes over a plan that matches its own: the same kernels over the same memory, with other launches. */

#include "leat-lane-timing-private.h"
#include "bind/leat-bind-private.h"
#include "leat-lane-graph-private.h"

/* Everything that belongs to one plan; exchanged as a whole. */
typedef struct
{
  LeatPlan *plan;
  LeatProgram *program;
  GArray *counted;
  LeatLaunch *launches;
} LeatLaneSide;

static void
leat_lane_swap_side (LeatLane *self, LeatLaneSide *side)
{
  LeatLaneSide mine = { self->plan, self->program, self->counted, self->launches };

  self->plan = side->plan;
  self->program = side->program;
  self->counted = side->counted;
  self->launches = side->launches;
  *side = mine;
}

static void
leat_lane_side_clear (LeatLaneSide *self)
{
  for (guint i = 0; i < self->plan->ops->len; i++)
    leat_launch_clear (&self->launches[i]);
  g_free (self->launches);
  g_array_unref (self->counted);
  g_object_unref (self->plan);
  leat_program_unref (self->program);
}

static gboolean
leat_launch_equal (const LeatLaunch *a, const LeatLaunch *b)
{
  if (a->n_params != b->n_params)
    return FALSE;
  for (guint i = 0; i < a->n_params; i++)
    if (memcmp (a->params[i], b->params[i], LEAT_PARAM_SLOT) != 0)
      return FALSE;
  return TRUE;
}

static gboolean
leat_lane_op_differs (LeatLane *self, const LeatLaneSide *old, const LeatOp *op)
{
  const LeatOp *was = leat_plan_get_op (old->plan, op->index);

  return memcmp (old->program->loaded[op->index].grid, self->program->loaded[op->index].grid, sizeof op->grid) != 0
         || memcmp (was->block, op->block, sizeof op->block) != 0 || was->shared_bytes != op->shared_bytes
         || old->program->functions[op->index] != self->program->functions[op->index]
         || !leat_launch_equal (&old->launches[op->index], &self->launches[op->index]);
}

static gboolean
leat_lane_update_op (LeatLane *self, const LeatOp *op, gboolean *broken, GError **error)
{
  leat_lane_drop_repeats (self);
  for (guint path = 0; path < LEAT_N_PATHS; path++)
    {
      if (!self->executables[path].is_built || leat_path_skips (path, op))
        continue;
      *broken = TRUE;
      if (!leat_lane_update_kernel (self, path, op, error))
        return FALSE;
    }
  return TRUE;
}

/* With another block a kernel may fit with the clock around it that did not, or the other way round: the graph of
 * measured runs has other nodes then. */
static gboolean
leat_lane_tells_likewise (LeatLane *self, const LeatLaneSide *old)
{
  const LeatFunction **was = old->program->timed, **is = self->program->timed;

  for (guint i = 0; i < self->plan->ops->len; i++)
    if ((was != NULL && was[i] != NULL) != (is != NULL && is[i] != NULL))
      return FALSE;
  return TRUE;
}

/* Nothing is half done once all of it is. */
static gboolean
leat_lane_update_ops (LeatLane *self, const LeatLaneSide *old, gboolean *broken, GError **error)
{
  if (!leat_lane_tells_likewise (self, old))
    leat_lane_destroy_path (self, LEAT_PATH_TIMED);
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      if (leat_op_launches (op) && leat_lane_op_differs (self, old, op)
          && !leat_lane_update_op (self, op, broken, error))
        return FALSE;
    }
  *broken = FALSE;
  return TRUE;
}

/* A constant of other contents may be elsewhere now.  FALSE: what has it in a graph that is no kernel takes no other.
 */
static gboolean
leat_lane_find_constants (LeatLane *self)
{
  gboolean good = TRUE;

  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      const LeatBuffer *root = leat_plan_get_root (self->plan, i);
      const LeatBlock *block = g_ptr_array_index (self->program->blocks, root->id);
      CUdeviceptr address = block != NULL ? leat_memory_get_address (block->memory) : self->addresses[i];

      for (guint o = 0; address != self->addresses[i] && o < self->plan->ops->len; o++)
        {
          const LeatOp *op = leat_plan_get_op (self->plan, o);

          for (guint t = 0; t < op->n_touches && !leat_op_launches (op); t++)
            good = good && op->touches[t].buffer != i;
        }
      self->addresses[i] = address;
    }
  return good;
}

static gboolean
leat_lane_check_constants (LeatLane *self, gboolean *broken, GError **error)
{
  if (leat_lane_find_constants (self))
    return TRUE;
  *broken = TRUE;
  g_set_error_literal (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED,
                       "a constant that other sessions have too, and that is copied, is elsewhere now");
  return FALSE;
}

gboolean
leat_lane_adjust (LeatLane *self, LeatPlan *plan, LeatProgram *program, gboolean *broken, GError **error)
{
  LeatLaneSide side = { g_object_ref (plan), leat_program_ref (program), leat_plan_list_counted (plan),
                        g_new0 (LeatLaunch, plan->ops->len + 1) };
  gboolean good;

  *broken = FALSE;
  leat_lane_swap_side (self, &side);
  leat_plan_take_early (self->plan, side.plan); /* the graph keeps the edges that it was made with */
  good = leat_lane_check_constants (self, broken, error) && leat_lane_pack_launches (self, error)
         && leat_device_push (program->device, error);
  if (good)
    {
      good = leat_lane_update_ops (self, &side, broken, error);
      leat_device_pop (program->device);
    }
  if (!good)
    {
      leat_lane_swap_side (self, &side);
      leat_lane_find_constants (self);
    }
  leat_lane_side_clear (&side);
  return good;
}
