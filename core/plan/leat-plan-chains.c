/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-plan-fuse-private.h"

#include "graph/leat-node-private.h"

/* Chains that may become one kernel by themselves: kernels that stand one after the other in the plan, each of which
 * follows one before it.  Both are in the plan, the one kernel before those that it would take the place of, and
 * binding hides one of the two.
 *
 * They are looked for twice.  First with barriers and waits within them, which may take longer than the launches that
 * they save: these are for who measures, and not in bodies of loops, which become one kernel as a whole.  Then, within
 * those too, where each kernel goes item by item with those before it.  No barrier comes of that, and what only the
 * chain reads is neither written nor read; so it is what is done where nobody measures. */

/* NULL: it may be a stage, and @stage is filled. (transfer full) */
static char *
leat_chain_why_not (LeatFuser *self, LeatOp *op, LeatStage *stage)
{
  const char *why = leat_fuser_why_not (self, op);
  g_autoptr (GError) error = NULL;

  *stage = (LeatStage){ .op = op };
  if (why == NULL && op->kind == LEAT_OP_COPY && leat_op_is_of_count (self->plan, op))
    {
      stage->alone = TRUE;
      return NULL;
    }
  if (why == NULL && op->kind != LEAT_OP_KERNEL)
    why = "it is no kernel";
  if (why == NULL && op->grid_by_occupancy)
    why = "its grid is by occupancy";
  if (why == NULL && op->block[0] != leat_op_count_threads (op))
    why = "its blocks have several axes";
  if (why != NULL)
    return g_strdup (why);
  return leat_kernel_source_check_fuse (op->source, op->prototype->entry, FALSE, &stage->traits, &error)
           ? NULL
           : g_strdup (error->message);
}

/* NULL: it goes item by item with @before. */
static const char *
leat_chain_why_not_item (LeatFuser *self, const LeatStage *before, const LeatStage *stage)
{
  if (stage->op->pattern != LEAT_PATTERN_ELEMENTWISE || before->op->pattern != LEAT_PATTERN_ELEMENTWISE)
    return "they do not go item by item";
  if (!leat_fuser_has_items (self, stage) || !leat_fuser_has_items (self, before)
      || !leat_fuser_has_same_items (self, before, stage))
    return "they are not over the same items";
  return leat_stage_why_border (before, stage);
}

static const char *
leat_chain_why_apart_from (LeatFuser *self, const LeatStage *before, const LeatStage *stage, gboolean is_free)
{
  if (leat_kernel_source_is_strict (before->op->source) != leat_kernel_source_is_strict (stage->op->source))
    return "their fp= differs";
  if (before->op->block[0] != stage->op->block[0])
    return "their blocks differ in size";
  return is_free ? leat_chain_why_not_item (self, before, stage) : NULL;
}

/* NULL: it is the first kernel of the chain, or goes on from one of it. */
static const char *
leat_chain_why_apart (LeatFuser *self, const LeatStage *stage, gboolean is_free)
{
  gboolean any = FALSE, follows = FALSE;

  for (guint i = 0; i < self->stages->len && !stage->alone; i++)
    {
      const LeatStage *before = &g_array_index (self->stages, LeatStage, i);
      const char *why = before->alone ? NULL : leat_chain_why_apart_from (self, before, stage, is_free);

      if (why != NULL)
        return why;
      any = any || !before->alone;
      follows = follows || (!before->alone && leat_fuser_conflict (self, before->op, stage->op));
    }
  if (!any && !stage->alone && is_free
      && (stage->op->pattern != LEAT_PATTERN_ELEMENTWISE || !leat_fuser_has_items (self, stage)))
    return "it does not go item by item";
  return any && !follows ? "it does not follow from any of them" : NULL;
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

/* The first reason stays: it is that of the longer chain. */
static void
leat_chain_tell (LeatFuser *self, LeatOp *op, const char *what, const char *why)
{
  if (op->why_apart == NULL && op->kind == LEAT_OP_KERNEL && op->runs == NULL)
    op->why_apart = g_strconcat (what, ": ", why, NULL);
}

static void
leat_chain_collect (LeatFuser *self, gboolean is_free)
{
  const LeatPlanLoop *body = leat_plan_get_op (self->plan, self->first)->loop;

  for (guint i = self->first; i < self->plan->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self->plan, i);
      LeatStage stage;
      g_autofree char *why_not = NULL;
      const char *why;

      if (op->loop != body || op->chain != NULL)
        break;
      why_not = leat_chain_why_not (self, op, &stage);
      why = why_not == NULL ? leat_chain_why_apart (self, &stage, is_free) : NULL;
      if (why_not != NULL)
        leat_chain_tell (self, op, "is in no chain", why_not);
      else if (why != NULL && self->stages->len > 0)
        leat_chain_tell (self, op, "is not in one chain with what stands before it", why);
      if (why_not != NULL || why != NULL)
        {
          leat_fuse_traits_clear (&stage.traits);
          break;
        }
      leat_fuser_add_stage (self, &stage);
    }
  leat_chain_trim (self);
}

static void
leat_plan_add_chain (LeatPlan *self, LeatOp *first, LeatOp *last, gboolean is_free)
{
  LeatPlanChain *chain = g_new0 (LeatPlanChain, 1);

  chain->first = first;
  chain->last = last;
  chain->joint = leat_plan_get_op (self, first->index - 1);
  chain->is_free = is_free;
  chain->joint->chain = chain;
  g_ptr_array_add (self->chains, chain);
}

/* All of it would go item by item: there is nothing to add to the chain that is found for that. */
static gboolean
leat_chain_is_free (LeatFuser *self)
{
  for (guint i = 0; i < self->stages->len; i++)
    {
      const LeatStage *stage = &g_array_index (self->stages, LeatStage, i);

      if (!stage->alone && leat_chain_why_not_item (self, &g_array_index (self->stages, LeatStage, 0), stage) != NULL)
        return FALSE;
    }
  return !g_array_index (self->stages, LeatStage, 0).alone;
}

/* Gives the last op that was looked at.  What cannot be joined stays as it is. */
static guint
leat_plan_find_chain (LeatPlan *self, guint first, gboolean is_free)
{
  static const LeatFuseCall call = { FALSE };
  LeatFuser fuser;
  guint last = first;

  leat_fuser_init (&fuser, self, NULL, first, G_MAXUINT, &call);
  fuser.is_chain = TRUE;
  leat_chain_collect (&fuser, is_free);
  if (leat_chain_count_kernels (&fuser) > 1 && (is_free || !leat_chain_is_free (&fuser)))
    {
      LeatOp *begin = g_array_index (fuser.stages, LeatStage, 0).op;
      LeatOp *end = g_array_index (fuser.stages, LeatStage, fuser.stages->len - 1).op;

      fuser.node = end->node;
      leat_fuser_find_layers (&fuser);
      if (leat_fuser_replace (&fuser, NULL))
        leat_plan_add_chain (self, begin, end, is_free);
      last = end->index;
    }
  leat_fuser_clear (&fuser);
  return last;
}

static void
leat_plan_find_chains_of (LeatPlan *self, gboolean is_free)
{
  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      if ((op->kind == LEAT_OP_KERNEL || op->kind == LEAT_OP_COPY) && (is_free || op->loop == NULL))
        i = leat_plan_find_chain (self, i, is_free);
    }
}

/* Why a kernel that begins anew does not go on from @before. */
static void
leat_plan_tell_begin (LeatPlan *self, LeatOp *before, LeatOp *op)
{
  static const LeatFuseCall call = { FALSE };
  const char *why = NULL;
  LeatFuser fuser;
  LeatStage stage = { NULL };
  g_autofree char *why_not = NULL, *other = NULL;

  leat_fuser_init (&fuser, self, NULL, before->index, G_MAXUINT, &call);
  fuser.is_chain = TRUE;
  why_not = leat_chain_why_not (&fuser, before, &stage);
  if (why_not == NULL)
    {
      leat_fuser_add_stage (&fuser, &stage);
      stage = (LeatStage){ NULL };
      other = leat_chain_why_not (&fuser, op, &stage);
      why = other == NULL ? leat_chain_why_apart (&fuser, &stage, TRUE) : NULL;
    }
  else
    why = before->kind == LEAT_OP_KERNEL ? "that is in no chain" : "that is no kernel";
  if (why != NULL)
    leat_chain_tell (&fuser, op, "is not in one chain with what stands before it", why);
  leat_fuse_traits_clear (&stage.traits);
  leat_fuser_clear (&fuser);
}

/* What stands behind a kernel that is in no chain begins anew, too, and nobody has looked at the two. */
static void
leat_plan_tell_begins (LeatPlan *self)
{
  LeatOp *before = NULL;
  const LeatPlanChain *chain = NULL;

  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      if (op->chain != NULL || (op->kind == LEAT_OP_COPY && leat_op_is_of_count (self, op)))
        {
          chain = op->chain != NULL && op->chain->is_free ? op->chain : chain;
          continue;
        }
      if (op->kind != LEAT_OP_KERNEL || op->runs != NULL || op->starts != NULL)
        {
          before = op->kind == LEAT_OP_COPY || op->kind == LEAT_OP_FILL ? op : NULL;
          continue;
        }
      if (before != NULL && before->loop == op->loop && (chain == NULL || op == chain->first))
        leat_plan_tell_begin (self, before, op);
      if (chain != NULL && op == chain->first && op->why_apart != NULL && chain->joint->why_apart == NULL)
        chain->joint->why_apart = g_strdup (op->why_apart);
      if (chain != NULL && op == chain->last)
        chain = NULL;
      before = op;
    }
}

void
leat_plan_find_chains (LeatPlan *self, gboolean is_asked)
{
  leat_plan_find_chains_of (self, FALSE);
  leat_plan_find_chains_of (self, TRUE);
  leat_plan_tell_begins (self);
  for (guint i = 0; i < self->chains->len; i++)
    ((LeatPlanChain *) g_ptr_array_index (self->chains, i))->is_asked = is_asked;
}

static gboolean
leat_plan_has_several_files (LeatPlan *self)
{
  const LeatOp *first = NULL;

  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      if (op->kind != LEAT_OP_KERNEL)
        continue;
      first = first != NULL ? first : op;
      if (!leat_kernel_source_equal (op->source, first->source))
        return TRUE;
    }
  return FALSE;
}

void
leat_plan_find_needed_chains (LeatPlan *self)
{
  if (self->chains->len == 0 && self->users->len == 0 && leat_plan_has_several_files (self))
    leat_plan_find_chains (self, FALSE);
}

static void
leat_plan_choose_chain (LeatPlan *self, LeatPlanChain *chain)
{
  if (self->traits.ways != NULL)
    chain->measured = (LeatJoinWay) self->traits.ways[chain->joint->index];
  chain->way = chain->measured;
  chain->why = chain->way == LEAT_JOIN_JOINED ? "it was measured to be faster so" : "it was measured to be slower so";
  if (chain->measured != LEAT_JOIN_AUTO && chain->is_asked)
    return;
  if (self->traits.persistent || !chain->is_asked)
    {
      chain->way = self->traits.persistent ? LEAT_JOIN_JOINED : LEAT_JOIN_APART;
      chain->why = self->traits.persistent ? "a persistent kernel is made of one file" : "nobody has asked for it";
      return;
    }
  chain->way = chain->is_free ? LEAT_JOIN_JOINED : LEAT_JOIN_APART;
  chain->why = chain->is_free ? "nothing is waited for in it" : "nobody has measured it";
}

/* What a loop or a longer chain has hidden stays so. */
void
leat_plan_choose_chains (LeatPlan *self)
{
  for (guint i = 0; i < self->chains->len; i++)
    {
      LeatPlanChain *chain = g_ptr_array_index (self->chains, i);
      gboolean joined;

      chain->is_gone = chain->first->hidden;
      leat_plan_choose_chain (self, chain);
      joined = chain->way == LEAT_JOIN_JOINED && !chain->is_gone;
      chain->joint->hidden = chain->joint->elided = !joined;
      for (guint k = chain->first->index; joined && k <= chain->last->index; k++)
        leat_plan_get_op (self, k)->hidden = leat_plan_get_op (self, k)->elided = TRUE;
    }
}
