/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-plan-fuse-private.h"

/* Chains that become one kernel by themselves: kernels that stand one after the other in the plan, each of which
 * follows one before it and goes item by item with it.  No barrier comes of that and no launch is added, each that is
 * joined saves one, and what only the chain reads is neither written nor read; so there is nothing to weigh up. */

static gboolean
leat_chain_reads_stage (LeatFuser *fuser, LeatOp *op, LeatStage *stage)
{
  *stage = (LeatStage){ .op = op };
  if (op->kind == LEAT_OP_COPY)
    {
      stage->alone = op->bytes == sizeof (guint64) && leat_plan_get_buffer (fuser->plan, op->to)->header;
      return stage->alone;
    }
  return op->kind == LEAT_OP_KERNEL && op->fusion == NULL && op->starts == NULL && !op->cooperative
         && !op->grid_by_occupancy && op->pattern == LEAT_PATTERN_ELEMENTWISE
         && leat_kernel_source_check_fuse (op->source, op->prototype->entry, FALSE, &stage->traits, NULL)
         && leat_fuser_has_items (fuser, stage);
}

/* The first kernel of the chain, or one that goes item by item with one of it. */
static gboolean
leat_chain_goes_on (LeatFuser *self, const LeatStage *stage)
{
  gboolean any = FALSE, follows = FALSE;

  for (guint i = 0; i < self->stages->len && !stage->alone; i++)
    {
      const LeatStage *before = &g_array_index (self->stages, LeatStage, i);

      if (before->alone)
        continue;
      any = TRUE;
      follows = follows || leat_fuser_conflict (self, before->op, stage->op);
      if (leat_stage_why_border (before, stage) != NULL || !leat_fuser_has_same_items (self, before, stage)
          || leat_kernel_source_is_strict (before->op->source) != leat_kernel_source_is_strict (stage->op->source))
        return FALSE;
    }
  return stage->alone || !any || follows;
}

/* A count that is handed on is handed on for the kernel behind it. */
static void
leat_chain_trim (LeatFuser *self)
{
  while (self->stages->len > 0 && g_array_index (self->stages, LeatStage, self->stages->len - 1).alone)
    g_array_set_size (self->stages, self->stages->len - 1);
}

static guint
leat_chain_count_kernels (LeatFuser *self)
{
  guint n = 0;

  for (guint i = 0; i < self->stages->len; i++)
    n += !g_array_index (self->stages, LeatStage, i).alone;
  return n;
}

static void
leat_chain_collect (LeatFuser *self)
{
  for (guint i = self->first; i < self->plan->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self->plan, i);
      LeatStage stage;

      if (op->loop != leat_plan_get_op (self->plan, self->first)->loop || !leat_chain_reads_stage (self, op, &stage))
        break;
      if (stage.alone)
        g_hash_table_insert (self->counts, GUINT_TO_POINTER (op->to + 1), GUINT_TO_POINTER (op->from + 1));
      if (!leat_chain_goes_on (self, &stage))
        {
          leat_fuse_traits_clear (&stage.traits);
          break;
        }
      if (!stage.alone)
        self->threads = MAX (self->threads, op->block[0] * op->block[1] * op->block[2]);
      g_array_append_val (self->stages, stage);
    }
  leat_chain_trim (self);
}

/* What cannot be joined stays as it is. */
static void
leat_plan_fuse_chain (LeatPlan *self, guint first)
{
  static const LeatFuseCall call = { FALSE };
  LeatFuser fuser;

  leat_fuser_init (&fuser, self, NULL, first, G_MAXUINT, &call);
  leat_chain_collect (&fuser);
  if (leat_chain_count_kernels (&fuser) > 1)
    {
      fuser.node = g_array_index (fuser.stages, LeatStage, fuser.stages->len - 1).op->node;
      fuser.is_chain = TRUE;
      leat_fuser_find_layers (&fuser);
      leat_fuser_replace (&fuser, NULL);
    }
  leat_fuser_clear (&fuser);
}

void
leat_plan_fuse_chains (LeatPlan *self)
{
  for (guint i = 0; i < self->ops->len; i++)
    if (leat_plan_get_op (self, i)->kind == LEAT_OP_KERNEL || leat_plan_get_op (self, i)->kind == LEAT_OP_COPY)
      leat_plan_fuse_chain (self, i);
}
