/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Chooses among the sizes of blocks that a kernel may have.  Sets the block and the grid of bound ops, and says why. */

#include "leat-bind-private.h"

#include <string.h>

/* The first is the usual one. */
void
leat_bind_choose_blocks (LeatBoundPlan *bound)
{
  for (guint i = 0; i < bound->plan.ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (&bound->plan, i);
      LeatBoundOp *own = LEAT_BOUND_OP (op);

      if (op->n_choices == 0)
        continue;
      if (bound->traits.ways != NULL && bound->traits.ways[i] <= op->n_choices)
        own->block_measured = bound->traits.ways[i];
      own->block_way = bound->traits.persistent || own->block_measured == 0 ? 1 : own->block_measured;
      memcpy (op->block, op->choices[own->block_way - 1].block, sizeof op->block);
      memcpy (op->grid, op->choices[own->block_way - 1].grid, sizeof op->grid);
    }
}

gboolean
leat_plan_has_blocks (LeatPlan *self)
{
  for (guint i = 0; i < self->ops->len; i++)
    if (leat_plan_get_op (self, i)->n_choices > 0)
      return TRUE;
  return FALSE;
}

void
leat_plan_note_block_gain (LeatPlan *self, LeatOp *op, double gain)
{
  g_mutex_lock (&LEAT_BOUND_PLAN (self)->lock);
  LEAT_BOUND_OP (op)->block_gain = gain;
  g_mutex_unlock (&LEAT_BOUND_PLAN (self)->lock);
}

static void
leat_op_list_blocks (const LeatOp *op, GString *text)
{
  for (guint i = 1; i < op->n_choices; i++)
    g_string_append_printf (text, "%s%s", i == 1 ? "" : i + 1 == op->n_choices ? " or " : ", ", op->choices[i].name);
}

void
leat_op_describe_block (const LeatOp *op, GString *text)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  if (op->n_choices == 0)
    return;
  if (bound->block_measured == 0)
    {
      g_string_append (text, " (or ");
      leat_op_list_blocks (op, text);
      g_string_append (text, ", if the first run measures that to be faster)");
    }
  else if (bound->block_measured == 1)
    g_string_append (text, " (measured: no other is faster)");
  else if (bound->block_gain > 0)
    g_string_append_printf (text, " (measured: a run is %.2f times as fast as with %s)", bound->block_gain,
                            op->choices[0].name);
  else
    g_string_append_printf (text, " (measured to be faster than %s)", op->choices[0].name);
}
