/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A plan for several entries at once: the same ops for independent inputs.  Each entry has its own memory, one behind
 * the other; what is constant, and what is kept from run to run, is there once.  An op is done for all entries in one
 * piece where that can be, else once for each. */

#include "bind/leat-bound-plan-private.h"

#include "kernel/leat-kernel-source-private.h"
#include "leat-bind-private.h"

#define LEAT_ENTRY_COARSE 256 /* what memory is aligned to where that costs little */
#define LEAT_ENTRY_FINE   16  /* and where it does not: of the widest loads */

static guint64
leat_entries_round (guint64 bytes, guint64 to)
{
  return (bytes + to - 1) / to * to;
}

/* Coarsely aligned entries are read a little faster, but with small buffers most of a copy would be gaps.
 */
static guint64
leat_entries_get_stride (guint64 bytes)
{
  guint64 coarse = leat_entries_round (bytes, LEAT_ENTRY_COARSE);

  return coarse - bytes <= bytes / 8 ? coarse : MAX (leat_entries_round (bytes, LEAT_ENTRY_FINE), LEAT_ENTRY_FINE);
}

static void
leat_plan_set_strides (LeatPlan *self)
{
  for (guint i = 0; i < self->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (self, i), *root = leat_plan_get_root (self, i);
      LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);
      gboolean once = root->kind == LEAT_BUFFER_STATE || root->kind == LEAT_BUFFER_CONST;

      bound->n_entries = once ? 0 : LEAT_BOUND_PLAN (self)->traits.entries_most;
      bound->stride = bound->n_entries > 0 ? leat_entries_get_stride (root->bytes) : 0;
    }
}

static guint
leat_plan_count_users_of (LeatPlan *self, LeatBufferId root, LeatAccess access)
{
  guint n = 0;

  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);
      gboolean uses = FALSE;

      for (guint t = 0; t < op->n_touches && !LEAT_BOUND_OP (op)->elided; t++)
        uses =
          uses || ((op->touches[t].access & access) && leat_plan_get_root (self, op->touches[t].buffer)->id == root);
      n += uses;
    }
  return n;
}

/* Does the op touch what one run leaves for the next? */
static gboolean
leat_op_is_ordered (const LeatOp *op, LeatPlan *plan)
{
  for (guint t = 0; t < op->n_touches; t++)
    {
      const LeatBuffer *root = leat_plan_get_root (plan, op->touches[t].buffer);

      if (root->kind == LEAT_BUFFER_STATE && leat_plan_count_users_of (plan, root->id, LEAT_ACCESS_WRITE) > 0)
        return TRUE;
    }
  return FALSE;
}

static const char *
leat_kernel_op_why_spread (const LeatOp *op)
{
  if (op->cooperative)
    return "its blocks wait for each other";
  if (op->grid_by_occupancy)
    return "its grid is as large as the device runs at once";
  if (op->grid[2] != 1)
    return "its grid has a z of its own";
  return leat_kernel_source_why_not_wide (op->source, op->prototype->entry);
}

static const char *
leat_copy_op_why_spread (LeatPlan *self, const LeatOp *op)
{
  const LeatBuffer *from = leat_plan_get_buffer (self, op->from), *to = leat_plan_get_buffer (self, op->to);

  return LEAT_BOUND_BUFFER (from)->stride == 0 || LEAT_BOUND_BUFFER (to)->stride == 0 ? "one end of it is there once"
                                                                                      : NULL;
}

static const char *
leat_plan_why_spread (LeatPlan *self, const LeatOp *op)
{
  if (leat_op_is_ordered (op, self))
    return "it touches what is kept from run to run";
  if (leat_op_launches (op))
    return leat_kernel_op_why_spread (op);
  switch (op->kind)
    {
    case LEAT_OP_FOREIGN:
      return "it is foreign work";
    case LEAT_OP_LOOP:
      return "it does as many iterations as its data want";
    case LEAT_OP_COPY:
    case LEAT_OP_TRANSFER:
      return leat_copy_op_why_spread (self, op);
    default:
      return NULL;
    }
}

/* A part of each entry's memory, or memory with other gaps. */
static gboolean
leat_op_goes_by_rows (const LeatOp *op, LeatPlan *plan)
{
  const LeatBuffer *to = leat_plan_get_buffer (plan, op->to);
  const LeatBuffer *from = op->from != LEAT_BUFFER_NONE ? leat_plan_get_buffer (plan, op->from) : to;

  return op->bytes != to->bytes || LEAT_BOUND_BUFFER (from)->stride != LEAT_BOUND_BUFFER (to)->stride
         || op->bytes != from->bytes;
}

static void
leat_plan_widen_op (LeatPlan *self, LeatOp *op)
{
  LeatBoundOp *bound = LEAT_BOUND_OP (op);
  gboolean launches = leat_op_launches (op);

  bound->why_spread = leat_plan_why_spread (self, op);
  bound->wide = bound->why_spread == NULL && launches;
  bound->by_rows =
    bound->why_spread == NULL && !launches && op->kind != LEAT_OP_FOREIGN && leat_op_goes_by_rows (op, self);
  /* A library may use one memory of its own for all its calls, and a grid barrier lies in the module. */
  bound->in_order = bound->why_spread != NULL
                    && (op->kind == LEAT_OP_FOREIGN || op->cooperative || leat_op_is_ordered (op, self)
                        || (launches && leat_kernel_source_why_not_wide (op->source, op->prototype->entry) != NULL));
  if (bound->wide)
    op->grid[2] = LEAT_BOUND_PLAN (self)->traits.entries;
}

/* Where two ops touch it, the one of an entry must not come before the other of the entry before. */
static const char *
leat_plan_why_in_turn (LeatPlan *self)
{
  if (self->loops->len > 0)
    return "a loop does as many iterations as its data want";
  if (self->users->len > 0)
    return "the program brings memory of its own";
  if (self->flush)
    return "a node keeps data back until the end";
  for (guint i = 0; i < self->buffers->len; i++)
    if (leat_plan_get_buffer (self, i)->array != NULL)
      return "a kernel has a texture or a surface, of which there is one";
  for (guint i = 0; i < self->buffers->len; i++)
    if (leat_plan_get_buffer (self, i)->kind == LEAT_BUFFER_STATE
        && leat_plan_count_users_of (self, i, LEAT_ACCESS_WRITE) > 0
        && leat_plan_count_users_of (self, i, LEAT_ACCESS_READ_WRITE) > 1)
      return "several ops touch what is kept from run to run";
  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      if (leat_op_get_queue (op, self, 0) != NULL)
        return "a kernel has a queue, and the entry that overflows it would not be known";
      if (op->kind == LEAT_OP_KERNEL && leat_kernel_source_keeps_data (op->source))
        return "a kernel's file has variables that outlive a launch";
      for (guint t = 0; t < op->n_touches && LEAT_BOUND_OP (op)->why_spread != NULL; t++)
        if (leat_plan_get_root (self, op->touches[t].buffer)->kind == LEAT_BUFFER_STAGING)
          return "an op that cannot be done for all entries at once reaches the host's memory";
    }
  return NULL;
}

void
leat_bind_widen (LeatBoundPlan *bound)
{
  LeatPlan *self = &bound->plan;

  bound->why_in_turn = NULL;
  if (bound->traits.entries == 0)
    return;
  leat_plan_set_strides (self);
  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      if (leat_op_is_on_device (op))
        leat_plan_widen_op (self, op);
    }
  bound->why_in_turn = leat_plan_why_in_turn (self);
  if (leat_plan_spreads (self))
    bound->traits.early = LEAT_EARLY_NONE; /* what comes after the entries of an op waits for no kernel of theirs */
}

gboolean
leat_plan_spreads (LeatPlan *self)
{
  for (guint i = 0; i < self->ops->len; i++)
    if (LEAT_BOUND_OP (leat_plan_get_op (self, i))->why_spread != NULL)
      return TRUE;
  return FALSE;
}

gboolean
leat_plan_is_ordered (LeatPlan *self)
{
  for (guint i = 0; i < self->ops->len; i++)
    if (LEAT_BOUND_OP (leat_plan_get_op (self, i))->in_order)
      return TRUE;
  return FALSE;
}
