/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Chooses how each loop is done, and which kernels that may be fused are. */

#include "leat-bind-private.h"

/* Of a loop without a test it is known how often the body comes; more than this is a graph too large to be worth it. */
#define LEAT_LOOP_MOST_UNROLLED 16
/* Nor is it made where that is asked for: each op of each iteration is a node, which takes memory and time to open. */
#define LEAT_LOOP_MOST_NODES 65536

static const char *
leat_plan_why_not_while (LeatPlan *self, const LeatPlanLoop *loop)
{
  if (!LEAT_BOUND_PLAN (self)->traits.whiles)
    return LEAT_BOUND_PLAN (self)->traits.bound ? "the driver has no nodes that do a body again and again" : NULL;
  if (loop->parent != NULL && LEAT_BOUND_LOOP (loop->parent)->method != LEAT_LOOP_WHILE)
    return "the loop around it is not one node of the graph";
  for (guint i = loop->first + 1; i <= loop->last; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      if (op->kind == LEAT_OP_FOREIGN)
        return "there is foreign work in its body";
      if (op->kind == LEAT_OP_LOOP && op->runs->asked == LEAT_LOOP_HOST)
        return "the host drives a loop in its body";
    }
  return NULL;
}

static const char *
leat_plan_why_not_unrolled (LeatPlan *self, const LeatPlanLoop *loop)
{
  if (loop->is_tested)
    return "it has a test";
  if (loop->parent != NULL)
    return "it is in a loop";
  for (guint i = loop->first + 1; i <= loop->last; i++)
    if (leat_plan_get_op (self, i)->kind == LEAT_OP_LOOP || leat_plan_get_op (self, i)->kind == LEAT_OP_FOREIGN)
      return "there is a loop or foreign work in its body";
  if (loop->most > LEAT_LOOP_MOST_NODES / MAX (loop->last - loop->first, 1))
    return "unrolled it would be more than " G_STRINGIFY (LEAT_LOOP_MOST_NODES) " nodes of the graph";
  return NULL;
}

gboolean
leat_plan_may_loop (LeatPlan *self, const LeatPlanLoop *loop, LeatLoopMethod method)
{
  if (loop->asked != LEAT_LOOP_AUTO || loop->parent != NULL)
    return FALSE;
  if (method == LEAT_LOOP_FUSED || method == LEAT_LOOP_HOST)
    return loop->fused != NULL;
  return method == LEAT_LOOP_WHILE
           ? leat_plan_why_not_while (self, loop) == NULL
           : leat_plan_why_not_unrolled (self, loop) == NULL && loop->most <= LEAT_LOOP_MOST_UNROLLED;
}

static void
leat_plan_choose_loop (LeatPlan *self, LeatPlanLoop *loop)
{
  LeatBoundLoop *bound = LEAT_BOUND_LOOP (loop);
  const char *why_not_while = leat_plan_why_not_while (self, loop);
  const char *why_not_unrolled = leat_plan_why_not_unrolled (self, loop);

  bound->why = "as asked";
  bound->method = loop->asked;
  if (loop->asked == LEAT_LOOP_HOST || loop->is_kernel)
    return;
  if (bound->measured != LEAT_LOOP_AUTO && leat_plan_may_loop (self, loop, bound->measured))
    {
      bound->method = bound->measured;
      bound->why = "it was measured to be the fastest";
      return;
    }
  if (loop->asked == LEAT_LOOP_UNROLLED && why_not_unrolled == NULL)
    return;
  if (loop->asked == LEAT_LOOP_AUTO && why_not_unrolled == NULL && loop->most <= LEAT_LOOP_MOST_UNROLLED)
    {
      bound->method = LEAT_LOOP_UNROLLED;
      bound->why = "it is as many iterations each time, and few";
      return;
    }
  if (loop->asked == LEAT_LOOP_UNROLLED)
    bound->why = why_not_unrolled;
  else if (loop->asked == LEAT_LOOP_AUTO)
    bound->why = "the device decides";
  bound->method = LEAT_LOOP_WHILE;
  if (why_not_while == NULL)
    return;
  bound->method = LEAT_LOOP_HOST;
  bound->why = why_not_while;
}

static void
leat_op_hide (LeatOp *op, gboolean hidden)
{
  LeatBoundOp *bound = LEAT_BOUND_OP (op);

  bound->hidden = bound->elided = hidden;
}

/* The kernel, or all that it would take the place of: what comes before the body, that, and the test. */
static void
leat_plan_hide_other (LeatPlan *self, const LeatPlanLoop *loop)
{
  gboolean joint = LEAT_BOUND_LOOP (loop)->method == LEAT_LOOP_FUSED;

  if (loop->fused == NULL)
    return;
  leat_op_hide (loop->fused, !joint);
  for (guint i = loop->fused->index + 1; i <= loop->last; i++)
    leat_op_hide (leat_plan_get_op (self, i), joint);
}

/* Before anything else of the ops is decided. */
void
leat_bind_choose_loops (LeatBoundPlan *bound)
{
  LeatPlan *self = &bound->plan;

  for (guint i = 0; i < self->loops->len; i++)
    {
      LeatPlanLoop *loop = g_ptr_array_index (self->loops, i);

      if (bound->traits.ways != NULL && loop->fused != NULL)
        LEAT_BOUND_LOOP (loop)->measured = (LeatLoopMethod) bound->traits.ways[loop->first];
      leat_plan_choose_loop (self, loop);
      leat_plan_hide_other (self, loop);
    }
}

/* The op that stands for @before where @op looks at it: itself in the same body, or the outermost loop that has it and
 * not @op.  NULL where it is outside of the body that @op is in: what its loop waits for, it need not. */
static const LeatOp *
leat_plan_lift (LeatPlan *self, const LeatPlanLoop *body, const LeatOp *before)
{
  while (before->loop != body && before->loop != NULL)
    before = leat_plan_get_op (self, before->loop->first);
  return before->loop == body ? before : NULL;
}

static void
leat_op_add_after (GArray *after, guint index)
{
  for (guint i = 0; i < after->len; i++)
    if (g_array_index (after, guint, i) == index)
      return;
  g_array_append_val (after, index);
}

/* Collects the ops that @op waits for, as seen from @body. */
static void
leat_plan_collect_after (LeatPlan *self, const LeatOp *op, const LeatPlanLoop *body, guint but, GArray *after)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  for (guint i = 0; i < bound->n_after; i++)
    {
      const LeatOp *before = leat_plan_lift (self, body, leat_plan_get_op (self, bound->after[i]));

      if (before != NULL && before->index != but)
        leat_op_add_after (after, before->index);
    }
}

static void
leat_op_take_after (LeatOp *op, GArray *after)
{
  LeatBoundOp *bound = LEAT_BOUND_OP (op);

  g_free (bound->after);
  g_free (bound->early);
  bound->n_after = after->len;
  bound->n_early = 0;
  bound->early = g_new0 (guint8, after->len + 1);
  bound->after = (guint *) g_array_free (after, FALSE);
}

static gboolean
leat_op_takes (LeatPlan *plan, const LeatOp *op, LeatBufferId id)
{
  for (guint i = 0; i < op->n_args; i++)
    if (op->args[i].buffer != LEAT_BUFFER_NONE
        && leat_plan_get_root (plan, op->args[i].buffer) == leat_plan_get_root (plan, id))
      return TRUE;
  return FALSE;
}

/* A carried buffer may be copied beside the test, where that does not look at it: a node that loops waits for its whole
 * body.  The test touches all carried buffers for the sake of lifetimes. */
static gboolean
leat_plan_is_beside_test (LeatPlan *self, const LeatPlanLoop *loop, const LeatOp *op)
{
  return LEAT_BOUND_LOOP (loop)->method == LEAT_LOOP_WHILE && op->kind == LEAT_OP_COPY && op->loop == loop
         && leat_plan_get_buffer (self, op->to)->carried
         && !leat_op_takes (self, leat_plan_get_op (self, loop->last), op->to);
}

/* Lists the ops that the test waits for.  An op done beside the test is replaced by those it waits for. */
static void
leat_plan_list_before_test (LeatPlan *self, const LeatPlanLoop *loop, const LeatOp *op, GArray *after)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  for (guint i = 0; i < bound->n_after; i++)
    {
      const LeatOp *before = leat_plan_get_op (self, bound->after[i]);

      if (leat_plan_is_beside_test (self, loop, before))
        leat_plan_list_before_test (self, loop, before, after);
      else
        leat_op_add_after (after, before->index);
    }
}

/* The test comes after all of the body, so that whatever waits for it waits for the iteration. */
static void
leat_plan_end_body (LeatPlan *self, const LeatPlanLoop *loop)
{
  LeatOp *test = leat_plan_get_op (self, loop->last);
  GArray *after = g_array_new (FALSE, FALSE, sizeof (guint));

  leat_plan_list_before_test (self, loop, test, after);
  for (guint i = loop->first + 1; i < loop->last; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);
      gboolean is_awaited = op->loop != loop || LEAT_BOUND_OP (op)->elided || leat_plan_is_beside_test (self, loop, op);

      for (guint k = i + 1; k < loop->last && !is_awaited; k++)
        for (guint e = 0; e < LEAT_BOUND_OP (leat_plan_get_op (self, k))->n_after && !is_awaited; e++)
          is_awaited = LEAT_BOUND_OP (leat_plan_get_op (self, k))->after[e] == i;
      if (!is_awaited)
        leat_op_add_after (after, i);
    }
  leat_op_take_after (test, after);
}

void
leat_bind_lift_dependencies (LeatBoundPlan *bound)
{
  LeatPlan *self = &bound->plan;

  for (guint i = 0; self->loops->len > 0 && i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);
      GArray *after = g_array_new (FALSE, FALSE, sizeof (guint));

      leat_plan_collect_after (self, op, op->loop, G_MAXUINT, after);
      /* Those of its body are still as they were found, since they come behind it. */
      for (guint k = i + 1; op->kind == LEAT_OP_LOOP && k <= op->runs->last; k++)
        leat_plan_collect_after (self, leat_plan_get_op (self, k), op->loop, op->index, after);
      leat_op_take_after (op, after);
    }
  for (guint i = 0; i < self->loops->len; i++)
    if (((LeatBoundLoop *) g_ptr_array_index (self->loops, i))->method != LEAT_LOOP_FUSED)
      leat_plan_end_body (self, g_ptr_array_index (self->loops, i));
}

static void
leat_plan_choose_fusible (LeatPlan *self, LeatFusible *fusible)
{
  LeatBoundFusible *bound_fusible = LEAT_BOUND_FUSIBLE (fusible);
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);

  if (bound->traits.ways != NULL)
    bound_fusible->measured = (LeatFusionChoice) bound->traits.ways[fusible->fused->index];
  bound_fusible->way = bound_fusible->measured;
  bound_fusible->why =
    bound_fusible->way == LEAT_FUSION_FUSED ? "it was measured to be faster so" : "it was measured to be slower so";
  if (bound_fusible->measured != LEAT_FUSION_AUTO && fusible->is_asked)
    return;
  if (bound->traits.persistent || !fusible->is_asked)
    {
      bound_fusible->way = bound->traits.persistent ? LEAT_FUSION_FUSED : LEAT_FUSION_SEPARATE;
      bound_fusible->why =
        bound->traits.persistent ? "a persistent kernel is made of one file" : "nobody has asked for it";
      return;
    }
  bound_fusible->way = fusible->is_free ? LEAT_FUSION_FUSED : LEAT_FUSION_SEPARATE;
  bound_fusible->why = fusible->is_free ? "nothing is waited for in it" : "nobody has measured it";
}

/* Ops that a loop or a longer stretch has hidden stay hidden. */
void
leat_bind_choose_fusibles (LeatBoundPlan *bound)
{
  LeatPlan *self = &bound->plan;

  for (guint i = 0; i < self->fusibles->len; i++)
    {
      LeatFusible *fusible = g_ptr_array_index (self->fusibles, i);
      LeatBoundFusible *bound_fusible = LEAT_BOUND_FUSIBLE (fusible);
      gboolean fused;

      bound_fusible->is_gone = LEAT_BOUND_OP (fusible->first)->hidden;
      leat_plan_choose_fusible (self, fusible);
      fused = bound_fusible->way == LEAT_FUSION_FUSED && !bound_fusible->is_gone;
      LEAT_BOUND_OP (fusible->fused)->hidden = LEAT_BOUND_OP (fusible->fused)->elided = !fused;
      for (guint k = fusible->first->index; fused && k <= fusible->last->index; k++)
        LEAT_BOUND_OP (leat_plan_get_op (self, k))->hidden = LEAT_BOUND_OP (leat_plan_get_op (self, k))->elided = TRUE;
    }
}
