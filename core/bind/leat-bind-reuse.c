/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Inputs that a program gives by hand may be the same in the next run.  Their uploads can be left out then, if what
 * they brought to the device is still there when a run has ended: no op writes it, and no other buffer lies in its
 * memory. */

#include "bind/leat-bound-plan-private.h"

#include "graph/leat-app.h"
#include "plan/leat-op-private.h"
#include "leat-bind-private.h"

/* By root; NULL where no source fills it. (transfer container) */
static const LeatOp **
leat_plan_list_sources (LeatPlan *self)
{
  const LeatOp **sources = g_new0 (const LeatOp *, self->buffers->len + 1);

  for (guint i = self->ops->len; i > 0; i--)
    {
      const LeatOp *op = leat_plan_get_op (self, i - 1);

      if (op->kind == LEAT_OP_SOURCE)
        sources[leat_plan_get_root (self, op->touches[0].buffer)->id] = op;
    }
  return sources;
}

static gboolean
leat_plan_is_upload (LeatPlan *self, const LeatOp *op)
{
  return op->kind == LEAT_OP_TRANSFER && !LEAT_BOUND_OP (op)->elided
         && leat_plan_get_root (self, op->from)->kind == LEAT_BUFFER_STAGING
         && leat_plan_get_root (self, op->to)->kind == LEAT_BUFFER_DEVICE;
}

static gboolean
leat_plan_is_readback (LeatPlan *self, const LeatOp *op)
{
  return op->kind == LEAT_OP_TRANSFER && !LEAT_BOUND_OP (op)->elided
         && leat_plan_get_root (self, op->to)->kind == LEAT_BUFFER_STAGING
         && leat_plan_get_root (self, op->from)->kind != LEAT_BUFFER_STAGING;
}

/* (transfer full) (nullable) */
static char *
leat_plan_why_not_kept (LeatPlan *self, const LeatOp *op, const LeatOp *source)
{
  const LeatOp *writer = leat_plan_find_other_writer (self, leat_plan_get_root (self, op->to)->id, op);

  if (writer != NULL)
    return g_strdup_printf ("%s \"%s\" writes over the input %s", leat_node_get_id (writer->node),
                            leat_node_get_name (writer->node), leat_plan_get_buffer (self, op->from)->name);
  writer = leat_plan_find_other_writer (self, leat_plan_get_root (self, op->from)->id, source != NULL ? source : op);
  if (writer != NULL)
    return g_strdup_printf ("%s is uploaded, which %s \"%s\" writes in every run",
                            leat_plan_get_buffer (self, op->from)->name, leat_node_get_id (writer->node),
                            leat_node_get_name (writer->node));
  return NULL;
}

/* A repeat asks it once. */
static char *
leat_plan_why_new (const LeatOp *source)
{
  if (source == NULL || LEAT_IS_APP (source->node))
    return NULL;
  return g_strdup_printf ("%s \"%s\" gives new data in every run", leat_node_get_id (source->node),
                          leat_node_get_name (source->node));
}

static void
leat_plan_mark_kept (LeatPlan *self)
{
  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);
      LeatBoundOp *bound = LEAT_BOUND_OP (op);

      bound->kept = leat_plan_is_upload (self, op);
      if (bound->kept)
        LEAT_BOUND_BUFFER (leat_plan_get_root (self, op->to))->kept = TRUE;
    }
}

/* All uploads can be left out of a run, or none is. */
void
leat_bind_find_reusable (LeatBoundPlan *bound)
{
  LeatPlan *self = &bound->plan;
  g_autofree const LeatOp **sources = leat_plan_list_sources (self);
  g_autofree char *why_new = NULL;
  guint uploads = 0;

  g_clear_pointer (&bound->why_not_reusable, g_free);
  for (guint i = 0; i < self->buffers->len; i++)
    LEAT_BOUND_BUFFER (leat_plan_get_buffer (self, i))->kept = FALSE;
  for (guint i = 0; i < self->ops->len; i++)
    LEAT_BOUND_OP (leat_plan_get_op (self, i))->gives_back = leat_plan_is_readback (self, leat_plan_get_op (self, i));
  for (guint i = 0; i < self->ops->len && bound->why_not_reusable == NULL; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      LEAT_BOUND_OP (op)->kept = FALSE;
      if (!leat_plan_is_upload (self, op))
        continue;
      uploads++;
      bound->why_not_reusable = leat_plan_why_not_kept (self, op, sources[leat_plan_get_root (self, op->from)->id]);
      if (why_new == NULL)
        why_new = leat_plan_why_new (sources[leat_plan_get_root (self, op->from)->id]);
    }
  if (uploads == 0)
    bound->why_not_reusable = g_strdup ("nothing is uploaded");
  bound->stays_in_repeat = bound->why_not_reusable == NULL && (why_new == NULL || bound->traits.repeated);
  if (bound->why_not_reusable == NULL)
    bound->why_not_reusable = g_steal_pointer (&why_new);
  if (bound->why_not_reusable == NULL || bound->stays_in_repeat)
    leat_plan_mark_kept (self);
}
