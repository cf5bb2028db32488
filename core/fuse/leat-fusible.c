/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds the chains of kernels in a plan that may become one kernel without being asked for.  Adds that kernel to the
 * plan beside them, and enters in the ops of others why they stay apart. */

#include "leat-fuse-private.h"

#include "graph/leat-node-private.h"
#include "leat-recorder-group.h"

/* Chains that may become one kernel by themselves: kernels that stand one after the other in the plan, each of which
 * follows one before it.  Both are in the plan, the one kernel before those that it would take the place of, and
 * binding hides one of the two.
 *
 * They are looked for twice.  First with barriers and waits within them, which may take longer than the launches that
 * they save: these are for who measures, and not in bodies of loops, which become one kernel as a whole.  Then, within
 * those too, where each kernel goes item by item with those before it.  No barrier comes of that, and what only the
 * stretch reads is neither written nor read; so it is what is done where nobody measures. */

/* NULL: it may be a stage, and @stage is filled. (transfer full) */
static char *
leat_fusible_why_not (LeatFuser *self, LeatOp *op, LeatFuseStage *stage)
{
  const char *why = leat_fuser_why_not (self, op);
  g_autoptr (GError) error = NULL;

  *stage = (LeatFuseStage){ .op = op };
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
leat_fusible_why_not_item (LeatFuser *self, const LeatFuseStage *before, const LeatFuseStage *stage)
{
  if (stage->op->pattern != LEAT_PATTERN_ELEMENTWISE || before->op->pattern != LEAT_PATTERN_ELEMENTWISE)
    return "they do not go item by item";
  if (!leat_fuser_has_items (self, stage) || !leat_fuser_has_items (self, before)
      || !leat_fuser_has_same_items (self, before, stage))
    return "they are not over the same items";
  return leat_stage_why_border (before, stage);
}

static const char *
leat_fusible_why_separate_from (LeatFuser *self, const LeatFuseStage *before, const LeatFuseStage *stage,
                                gboolean is_free)
{
  if (leat_kernel_source_get_floats (before->op->source) != leat_kernel_source_get_floats (stage->op->source))
    return "their fp= differs";
  if (before->op->block[0] != stage->op->block[0])
    return "their blocks differ in size";
  return is_free ? leat_fusible_why_not_item (self, before, stage) : NULL;
}

/* NULL: it is the first kernel of the stretch, or goes on from one of it. */
static const char *
leat_fusible_why_separate (LeatFuser *self, const LeatFuseStage *stage, gboolean is_free)
{
  gboolean any = FALSE, follows = FALSE;

  for (guint i = 0; i < self->stages->len && !stage->alone; i++)
    {
      const LeatFuseStage *before = &g_array_index (self->stages, LeatFuseStage, i);
      const char *why = before->alone ? NULL : leat_fusible_why_separate_from (self, before, stage, is_free);

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
leat_fusible_trim (LeatFuser *self)
{
  while (self->stages->len > 0 && g_array_index (self->stages, LeatFuseStage, self->stages->len - 1).alone)
    g_array_set_size (self->stages, self->stages->len - 1);
}

static guint
leat_fusible_count_kernels (LeatFuser *self)
{
  guint n = 0;

  for (guint i = 0; i < self->stages->len; i++)
    n += !g_array_index (self->stages, LeatFuseStage, i).alone;
  return n;
}

/* The first reason stays: it is that of the longer stretch. */
static void
leat_fusible_tell (LeatFuser *self, LeatOp *op, const char *what, const char *why)
{
  if (op->why_separate == NULL && op->kind == LEAT_OP_KERNEL && op->runs == NULL)
    op->why_separate = g_strconcat (what, ": ", why, NULL);
}

static void
leat_fusible_collect (LeatFuser *self, gboolean is_free)
{
  const LeatPlanLoop *body = leat_plan_get_op (self->plan, self->first)->loop;

  for (guint i = self->first; i < self->plan->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self->plan, i);
      LeatFuseStage stage;
      g_autofree char *why_not = NULL;
      const char *why;

      if (op->loop != body || op->fusible != NULL)
        break;
      why_not = leat_fusible_why_not (self, op, &stage);
      why = why_not == NULL ? leat_fusible_why_separate (self, &stage, is_free) : NULL;
      if (why_not != NULL)
        leat_fusible_tell (self, op, "is not fused", why_not);
      else if (why != NULL && self->stages->len > 0)
        leat_fusible_tell (self, op, "is not fused with what stands before it", why);
      if (why_not != NULL || why != NULL)
        {
          leat_fuse_traits_clear (&stage.traits);
          break;
        }
      leat_fuser_add_stage (self, &stage);
    }
  leat_fusible_trim (self);
}

static void
leat_plan_add_fusible (LeatPlan *self, LeatOp *first, LeatOp *last, gboolean is_free)
{
  LeatFusible *fusible = g_new0 (LeatFusible, 1);

  fusible->first = first;
  fusible->last = last;
  fusible->fused = leat_plan_get_op (self, first->index - 1);
  fusible->is_free = is_free;
  fusible->fused->fusible = fusible;
  g_ptr_array_add (self->fusibles, fusible);
}

/* All of it would go item by item: there is nothing to add to the stretch that is found for that. */
static gboolean
leat_fusible_is_free (LeatFuser *self)
{
  for (guint i = 0; i < self->stages->len; i++)
    {
      const LeatFuseStage *stage = &g_array_index (self->stages, LeatFuseStage, i);

      if (!stage->alone
          && leat_fusible_why_not_item (self, &g_array_index (self->stages, LeatFuseStage, 0), stage) != NULL)
        return FALSE;
    }
  return !g_array_index (self->stages, LeatFuseStage, 0).alone;
}

/* Gives the last op that was looked at.  Ops that cannot be fused stay as they are. */
static guint
leat_plan_find_fusible (LeatPlan *self, guint first, gboolean is_free)
{
  static const LeatFuseCall call = { FALSE };
  LeatFuser fuser;
  guint last = first;

  leat_fuser_init (&fuser, self, NULL, first, G_MAXUINT, &call);
  fuser.is_chain = TRUE;
  leat_fusible_collect (&fuser, is_free);
  if (leat_fusible_count_kernels (&fuser) > 1 && (is_free || !leat_fusible_is_free (&fuser)))
    {
      LeatOp *begin = g_array_index (fuser.stages, LeatFuseStage, 0).op;
      LeatOp *end = g_array_index (fuser.stages, LeatFuseStage, fuser.stages->len - 1).op;

      fuser.node = end->node;
      leat_fuser_find_layers (&fuser);
      leat_fuser_find_waits (&fuser);
      if (leat_fuser_replace (&fuser, NULL))
        leat_plan_add_fusible (self, begin, end, is_free);
      last = end->index;
    }
  leat_fuser_clear (&fuser);
  return last;
}

static void
leat_plan_find_fusibles_of (LeatPlan *self, gboolean is_free)
{
  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      if ((op->kind == LEAT_OP_KERNEL || op->kind == LEAT_OP_COPY) && (is_free || op->loop == NULL))
        i = leat_plan_find_fusible (self, i, is_free);
    }
}

/* Why a kernel that begins anew does not go on from @before. */
static void
leat_plan_tell_begin (LeatPlan *self, LeatOp *before, LeatOp *op)
{
  static const LeatFuseCall call = { FALSE };
  const char *why = NULL;
  LeatFuser fuser;
  LeatFuseStage stage = { NULL };
  g_autofree char *why_not = NULL, *other = NULL;

  leat_fuser_init (&fuser, self, NULL, before->index, G_MAXUINT, &call);
  fuser.is_chain = TRUE;
  why_not = leat_fusible_why_not (&fuser, before, &stage);
  if (why_not == NULL)
    {
      leat_fuser_add_stage (&fuser, &stage);
      stage = (LeatFuseStage){ NULL };
      other = leat_fusible_why_not (&fuser, op, &stage);
      why = other == NULL ? leat_fusible_why_separate (&fuser, &stage, TRUE) : NULL;
    }
  else
    why = before->kind == LEAT_OP_KERNEL ? "that is not fused" : "that is no kernel";
  if (why != NULL)
    leat_fusible_tell (&fuser, op, "is not fused with what stands before it", why);
  leat_fuse_traits_clear (&stage.traits);
  leat_fuser_clear (&fuser);
}

/* An op behind a kernel that is not fused begins anew, too, and nobody has looked at the two. */
static void
leat_plan_tell_begins (LeatPlan *self)
{
  LeatOp *before = NULL;
  const LeatFusible *fusible = NULL;

  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      if (op->fusible != NULL || (op->kind == LEAT_OP_COPY && leat_op_is_of_count (self, op)))
        {
          fusible = op->fusible != NULL && op->fusible->is_free ? op->fusible : fusible;
          continue;
        }
      if (op->kind != LEAT_OP_KERNEL || op->runs != NULL || op->starts != NULL)
        {
          before = op->kind == LEAT_OP_COPY || op->kind == LEAT_OP_FILL ? op : NULL;
          continue;
        }
      if (before != NULL && before->loop == op->loop && (fusible == NULL || op == fusible->first))
        leat_plan_tell_begin (self, before, op);
      if (fusible != NULL && op == fusible->first && op->why_separate != NULL && fusible->fused->why_separate == NULL)
        fusible->fused->why_separate = g_strdup (op->why_separate);
      if (fusible != NULL && op == fusible->last)
        fusible = NULL;
      before = op;
    }
}

void
leat_plan_find_fusibles (LeatPlan *self, gboolean is_asked)
{
  leat_plan_find_fusibles_of (self, FALSE);
  leat_plan_find_fusibles_of (self, TRUE);
  leat_plan_tell_begins (self);
  for (guint i = 0; i < self->fusibles->len; i++)
    ((LeatFusible *) g_ptr_array_index (self->fusibles, i))->is_asked = is_asked;
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
leat_plan_find_needed_fusibles (LeatPlan *self)
{
  if (self->fusibles->len == 0 && self->users->len == 0 && leat_plan_has_several_files (self))
    leat_plan_find_fusibles (self, FALSE);
}
