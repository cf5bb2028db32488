/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: a recorded plan's ops, buffers, loops and fusibles once more, with room for what binding chooses.  It
 * borrows what they point to, and keeps the recorded plan for that. */

#include "leat-bind-private.h"

typedef struct
{
  LeatPlanClass parent_class;
} LeatBoundPlanClass;

/* clang-format off */
G_DEFINE_TYPE (LeatBoundPlan, leat_bound_plan, LEAT_TYPE_PLAN)
/* clang-format on */

/* A transfer by kernel has its kernel from binding; all else of the launch is the recorded op's. */
static void
leat_bound_op_free (gpointer op)
{
  LeatBoundOp *self = op;

  if (self->op.kind == LEAT_OP_TRANSFER)
    {
      g_clear_pointer (&self->op.source, leat_kernel_source_unref);
      leat_op_clear_args (&self->op);
    }
  g_free (self->after);
  g_free (self->early);
  g_free (self->why_cut);
  g_free (self);
}

/* What a buffer begins with may be what an earlier session has learned; all else of it is the recorded one's. */
static void
leat_bound_buffer_free (gpointer buffer)
{
  g_clear_pointer (&((LeatBoundBuffer *) buffer)->buffer.initial, g_bytes_unref);
  g_free (buffer);
}

static void
leat_bound_plan_finalize (GObject *object)
{
  LeatBoundPlan *self = (LeatBoundPlan *) object;

  g_array_unref (self->user_copies);
  g_array_unref (self->pieces);
  g_free (self->why_not_reusable);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (leat_bound_plan_parent_class)->finalize (object);
  g_clear_object (&self->recorded);
}

static void
leat_bound_plan_class_init (LeatBoundPlanClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = leat_bound_plan_finalize;
}

static void
leat_bound_plan_init (LeatBoundPlan *self)
{
  g_mutex_init (&self->lock);
  g_ptr_array_set_free_func (self->plan.ops, leat_bound_op_free);
  g_ptr_array_set_free_func (self->plan.buffers, leat_bound_buffer_free);
  g_ptr_array_set_free_func (self->plan.loops, g_free);
  g_ptr_array_set_free_func (self->plan.fusibles, g_free);
  self->user_copies = g_array_new (FALSE, FALSE, sizeof (guint));
  self->pieces = g_array_new (FALSE, FALSE, sizeof (LeatPiece));
}

static LeatPlanLoop *
leat_bound_plan_follow_loop (LeatBoundPlan *self, const LeatPlanLoop *recorded)
{
  return recorded != NULL ? g_ptr_array_index (self->plan.loops, recorded->index) : NULL;
}

static LeatOp *
leat_bound_plan_follow_op (LeatBoundPlan *self, const LeatOp *recorded)
{
  return recorded != NULL ? leat_plan_get_op (&self->plan, recorded->index) : NULL;
}

/* Before the ops, which point to them. */
static void
leat_bound_plan_take_loops (LeatBoundPlan *self)
{
  for (guint i = 0; i < self->recorded->loops->len; i++)
    {
      const LeatPlanLoop *recorded = g_ptr_array_index (self->recorded->loops, i);
      LeatBoundLoop *loop = g_new0 (LeatBoundLoop, 1);

      loop->loop = *recorded;
      loop->loop.parent = leat_bound_plan_follow_loop (self, recorded->parent);
      g_ptr_array_add (self->plan.loops, loop);
    }
}

static void
leat_bound_plan_take_ops (LeatBoundPlan *self)
{
  for (guint i = 0; i < self->recorded->ops->len; i++)
    {
      LeatBoundOp *bound = g_new0 (LeatBoundOp, 1);
      LeatOp *op = &bound->op;

      *op = *leat_plan_get_op (self->recorded, i);
      op->loop = leat_bound_plan_follow_loop (self, op->loop);
      op->runs = leat_bound_plan_follow_loop (self, op->runs);
      op->starts = leat_bound_plan_follow_loop (self, op->starts);
      g_ptr_array_add (self->plan.ops, bound);
    }
  for (guint i = 0; i < self->plan.loops->len; i++)
    {
      LeatPlanLoop *loop = g_ptr_array_index (self->plan.loops, i);

      loop->fused = leat_bound_plan_follow_op (self, loop->fused);
    }
}

static void
leat_bound_plan_take_buffers (LeatBoundPlan *self)
{
  for (guint i = 0; i < self->recorded->buffers->len; i++)
    {
      LeatBoundBuffer *bound = g_new0 (LeatBoundBuffer, 1);

      bound->buffer = *leat_plan_get_buffer (self->recorded, i);
      if (bound->buffer.initial != NULL)
        g_bytes_ref (bound->buffer.initial);
      bound->buffer.loop = leat_bound_plan_follow_loop (self, bound->buffer.loop);
      bound->root = i;
      g_ptr_array_add (self->plan.buffers, bound);
    }
}

static void
leat_bound_plan_take_fusibles (LeatBoundPlan *self)
{
  for (guint i = 0; i < self->recorded->fusibles->len; i++)
    {
      LeatBoundFusible *bound = g_new0 (LeatBoundFusible, 1);
      LeatFusible *fusible = &bound->fusible;

      *fusible = *(const LeatFusible *) g_ptr_array_index (self->recorded->fusibles, i);
      fusible->fused = leat_bound_plan_follow_op (self, fusible->fused);
      fusible->first = leat_bound_plan_follow_op (self, fusible->first);
      fusible->last = leat_bound_plan_follow_op (self, fusible->last);
      fusible->fused->fusible = fusible;
      g_ptr_array_add (self->plan.fusibles, bound);
    }
}

/* @recorded: (transfer full): finished */
LeatPlan *
leat_bound_plan_new (LeatPlan *recorded)
{
  LeatBoundPlan *self = g_object_new (LEAT_TYPE_BOUND_PLAN, NULL);

  self->recorded = recorded;
  leat_plan_share (&self->plan, recorded);
  leat_bound_plan_take_loops (self);
  leat_bound_plan_take_ops (self);
  leat_bound_plan_take_buffers (self);
  leat_bound_plan_take_fusibles (self);
  return &self->plan;
}

/**
 * leat_plan_get_device_bytes:
 * @self: a plan
 *
 * Gets the device memory that one lane needs: peak of what lives within a run, plus state and constants.
 *
 * Returns: bytes
 */
guint64
leat_plan_get_device_bytes (LeatPlan *self)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&bound->lock);

  return bound->arena_bytes + bound->own_bytes;
}

/**
 * leat_plan_get_host_bytes:
 * @self: a plan
 *
 * Gets the pinned host memory that one lane needs.
 *
 * Returns: bytes
 */
guint64
leat_plan_get_host_bytes (LeatPlan *self)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&bound->lock);

  return bound->staging_bytes;
}
