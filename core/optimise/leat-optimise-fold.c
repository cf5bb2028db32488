/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Takes what depends on constants alone out of the runs, into a plan of its own, which is run once before the kernels
 * are given their constants (lane/leat-program-fold.c). */

#include "leat-optimise-private.h"

/* Of all results that stay on the device. */
#define LEAT_FOLD_MOST_BYTES (64u << 20)

/* An op is folded if all memory that it touches is constant, or written by folded ops alone.  Something must be
 * constant to begin with: a kernel without inputs is left as it is, as it may well be there to be measured. */
typedef struct
{
  LeatPlan *plan;
  gboolean *is_folded; /* by op */
  gboolean *is_open;   /* by memory: an op that stays writes it */
  gboolean *is_kept;   /* by memory: an op that stays reads what folded ones wrote */
} LeatFold;

/* By memory: the buffer that a folded op wrote last, and the op's number. */
typedef struct
{
  LeatBufferId buffer;
  guint op;
} LeatFoldResult;

static gboolean
leat_fold_has_fixed_args (const LeatOp *op)
{
  for (guint i = 0; i < op->n_args; i++)
    if (!leat_op_arg_is_fixed (&op->args[i]))
      return FALSE;
  return TRUE;
}

static gboolean
leat_fold_may_touch (LeatFold *self, const LeatTouch *touch)
{
  LeatBufferId memory = leat_plan_follow_memory (self->plan, touch->buffer);
  const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, memory);

  if (buffer->kind == LEAT_BUFFER_CONST)
    return touch->access == LEAT_ACCESS_READ;
  return buffer->kind == LEAT_BUFFER_DEVICE && !self->is_open[memory] && !buffer->carried && !buffer->is_marks
         && buffer->queue == NULL && buffer->array == NULL
         && leat_plan_get_buffer (self->plan, touch->buffer)->grows == NULL;
}

static gboolean
leat_fold_may_take (LeatFold *self, const LeatOp *op)
{
  if ((op->kind != LEAT_OP_KERNEL && op->kind != LEAT_OP_COPY && op->kind != LEAT_OP_FILL) || op->loop != NULL
      || op->fusion != NULL || leat_op_has_effects (self->plan, op) || !leat_fold_has_fixed_args (op))
    return FALSE;
  for (guint i = 0; i < op->n_touches; i++)
    if (!leat_fold_may_touch (self, &op->touches[i]))
      return FALSE;
  return op->n_touches > 0;
}

/* Does it read anything that is there before it? */
static gboolean
leat_fold_has_inputs (LeatFold *self, const LeatOp *op)
{
  for (guint i = 0; i < op->n_touches; i++)
    if (op->touches[i].access & LEAT_ACCESS_READ)
      return TRUE;
  return op->kind != LEAT_OP_KERNEL;
}

static void
leat_fold_leave (LeatFold *self, const LeatOp *op)
{
  self->is_folded[op->index] = FALSE;
  for (guint i = 0; i < op->n_touches; i++)
    if (op->touches[i].access & LEAT_ACCESS_WRITE)
      self->is_open[leat_plan_follow_memory (self->plan, op->touches[i].buffer)] = TRUE;
}

/* All are candidates at first; one that stays makes those that touch what it writes stay. */
static void
leat_fold_choose (LeatFold *self)
{
  gboolean changed = TRUE;

  for (guint i = 0; i < self->plan->ops->len; i++)
    self->is_folded[i] = TRUE;
  while (changed)
    {
      changed = FALSE;
      for (guint i = 0; i < self->plan->ops->len; i++)
        {
          const LeatOp *op = leat_plan_get_op (self->plan, i);

          if (!self->is_folded[i] || (leat_fold_may_take (self, op) && leat_fold_has_inputs (self, op)))
            continue;
          leat_fold_leave (self, op);
          changed = TRUE;
        }
    }
}

/* (transfer full) */
static LeatFoldResult *
leat_fold_list_results (LeatFold *self)
{
  LeatFoldResult *results = g_new (LeatFoldResult, self->plan->buffers->len + 1);

  for (guint i = 0; i < self->plan->buffers->len; i++)
    results[i] = (LeatFoldResult){ LEAT_BUFFER_NONE, 0 };
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      for (guint t = 0; t < op->n_touches && self->is_folded[i]; t++)
        if (op->touches[t].access & LEAT_ACCESS_WRITE)
          results[leat_plan_follow_memory (self->plan, op->touches[t].buffer)] =
            (LeatFoldResult){ op->touches[t].buffer, i };
    }
  return results;
}

/* What stays reads memory as it is in the end, of a fixed size and not too large. */
static gboolean
leat_fold_may_keep (LeatFold *self, const LeatOp *op, const LeatFoldResult *results, guint64 *bytes)
{
  for (guint t = 0; t < op->n_touches; t++)
    {
      LeatBufferId id = op->touches[t].buffer, memory = leat_plan_follow_memory (self->plan, id);

      if (results[memory].buffer == LEAT_BUFFER_NONE)
        continue;
      *bytes += self->is_kept[memory] ? 0 : leat_plan_get_buffer (self->plan, id)->bytes;
      self->is_kept[memory] = TRUE;
      if (results[memory].buffer != id || results[memory].op > op->index
          || leat_plan_get_buffer (self->plan, id)->header || *bytes > LEAT_FOLD_MOST_BYTES)
        return FALSE;
    }
  return TRUE;
}

static gboolean
leat_fold_may_be_done (LeatFold *self, const LeatFoldResult *results)
{
  guint64 bytes = 0;
  guint n = 0;

  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      n += self->is_folded[i];
      if (!self->is_folded[i] && !leat_fold_may_keep (self, op, results, &bytes))
        return FALSE;
    }
  return n > 0;
}

/* What no op reads that stays is memory like any other while the folded ops run. */
static void
leat_fold_make_constants (LeatFold *self, const LeatFoldResult *results)
{
  for (guint i = 0; i < self->plan->buffers->len; i++)
    if (self->is_kept[i])
      {
        LeatBuffer *result = leat_plan_get_buffer (self->plan, results[i].buffer);

        leat_plan_get_buffer (self->plan->folded, i)->kind = LEAT_BUFFER_STATE;
        result->kind = LEAT_BUFFER_CONST;
        result->in_place_of = LEAT_BUFFER_NONE;
        result->is_folded = TRUE;
      }
}

gboolean
leat_plan_fold (LeatPlan *self)
{
  g_autofree gboolean *is_folded = g_new0 (gboolean, self->ops->len + 1);
  g_autofree gboolean *is_open = g_new0 (gboolean, self->buffers->len + 1);
  g_autofree gboolean *is_kept = g_new0 (gboolean, self->buffers->len + 1);
  g_autofree LeatFoldResult *results = NULL;
  LeatFold fold = { self, is_folded, is_open, is_kept };
  guint at = 0, n = self->ops->len;

  /* Once: what it leaves depends on more. */
  if (self->folded != NULL)
    return FALSE;
  leat_fold_choose (&fold);
  results = leat_fold_list_results (&fold);
  if (!leat_fold_may_be_done (&fold, results))
    return FALSE;
  self->folded = leat_plan_new_beside (self);
  leat_fold_make_constants (&fold, results);
  for (guint i = 0; i < n; i++)
    if (is_folded[i])
      {
        leat_plan_note_pass (self, "fold", leat_plan_get_op (self, at)->node, NULL);
        leat_plan_hand_over_op (self, at, self->folded);
      }
    else
      at++;
  return TRUE;
}
