/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Leaves out ops whose results nobody reads.  An op is needed if it has effects, or writes memory that a needed op
 * reads, in whatever order: iterations of a loop hand on to each other. */

#include "leat-optimise-private.h"

typedef struct
{
  LeatPlan *plan;
  gboolean *is_read;   /* by memory */
  gboolean *is_needed; /* by op */
} LeatLiveness;

/* A loop and its test touch all that comes into the body for the sake of lifetimes.  The test reads what it is given.
 */
static gboolean
leat_op_truly_reads (const LeatOp *self, const LeatTouch *touch)
{
  gboolean is_test = self->kind == LEAT_OP_KERNEL && self->loop != NULL && self->loop->last == self->index;

  if (self->kind == LEAT_OP_LOOP)
    return FALSE;
  for (guint i = 0; is_test && i < self->n_args; i++)
    if (self->args[i].buffer == touch->buffer)
      return TRUE;
  return !is_test && (touch->access & LEAT_ACCESS_READ) != 0;
}

static gboolean
leat_liveness_is_needed (LeatLiveness *self, const LeatOp *op)
{
  if (leat_op_has_effects (self->plan, op))
    return TRUE;
  for (guint i = 0; i < op->n_touches; i++)
    if ((op->touches[i].access & LEAT_ACCESS_WRITE)
        && self->is_read[leat_plan_follow_memory (self->plan, op->touches[i].buffer)])
      return TRUE;
  return FALSE;
}

static gboolean
leat_liveness_need (LeatLiveness *self, const LeatOp *op)
{
  if (self->is_needed[op->index] || !leat_liveness_is_needed (self, op))
    return FALSE;
  self->is_needed[op->index] = TRUE;
  for (guint i = 0; i < op->n_touches; i++)
    if (leat_op_truly_reads (op, &op->touches[i]))
      self->is_read[leat_plan_follow_memory (self->plan, op->touches[i].buffer)] = TRUE;
  return TRUE;
}

static void
leat_liveness_find (LeatLiveness *self)
{
  gboolean more = TRUE;

  while (more)
    {
      more = FALSE;
      for (guint i = self->plan->ops->len; i > 0; i--)
        more |= leat_liveness_need (self, leat_plan_get_op (self->plan, i - 1));
    }
}

static gboolean
leat_plan_has_op_of (LeatPlan *self, LeatNode *node)
{
  for (guint i = 0; i < self->ops->len; i++)
    if (leat_plan_get_op (self, i)->node == node)
      return TRUE;
  return FALSE;
}

static gboolean
leat_plan_remove_unneeded (LeatPlan *self, const gboolean *is_needed)
{
  guint n = self->ops->len;

  for (guint i = n; i > 0; i--)
    {
      LeatNode *node = leat_plan_get_op (self, i - 1)->node;

      if (is_needed[i - 1])
        continue;
      leat_plan_remove_op (self, i - 1);
      if (!leat_plan_has_op_of (self, node))
        leat_plan_note_pass (self, "dead", node, NULL);
    }
  return self->ops->len < n;
}

/* A loop no longer holds for its body what nothing in it touches. */
static void
leat_plan_release_inputs (LeatPlan *self, const LeatPlanLoop *loop)
{
  LeatOp *begin = leat_plan_get_op (self, loop->first), *test = leat_plan_get_op (self, loop->last);
  g_autofree gboolean *used = g_new0 (gboolean, self->buffers->len);
  LeatOp *const ends[] = { begin, test };

  for (guint i = loop->first + 1; i < loop->last; i++)
    for (guint t = 0; t < leat_plan_get_op (self, i)->n_touches; t++)
      used[leat_plan_get_op (self, i)->touches[t].buffer] = TRUE;
  for (guint i = 0; i < test->n_args; i++)
    if (test->args[i].buffer != LEAT_BUFFER_NONE)
      used[test->args[i].buffer] = TRUE;
  used[loop->memory] = used[loop->report] = TRUE;
  for (guint e = 0; e < G_N_ELEMENTS (ends); e++)
    {
      guint n = 0;

      for (guint t = 0; t < ends[e]->n_touches; t++)
        if (used[ends[e]->touches[t].buffer])
          ends[e]->touches[n++] = ends[e]->touches[t];
      ends[e]->n_touches = n;
    }
}

gboolean
leat_plan_remove_dead (LeatPlan *self)
{
  g_autofree gboolean *is_read = g_new0 (gboolean, self->buffers->len + 1);
  g_autofree gboolean *is_needed = g_new0 (gboolean, self->ops->len + 1);
  LeatLiveness liveness = { self, is_read, is_needed };

  leat_liveness_find (&liveness);
  if (!leat_plan_remove_unneeded (self, is_needed))
    return FALSE;
  for (guint i = self->loops->len; i > 0; i--)
    {
      const LeatPlanLoop *loop = g_ptr_array_index (self->loops, i - 1);

      if (!loop->is_kernel)
        leat_plan_release_inputs (self, loop);
    }
  return TRUE;
}
