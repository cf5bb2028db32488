/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Loops in the list of ops: who does them, and what waits for what.  An iteration begins when the one before it is
 * over, so that within a body the order of ops is all that there is, and seen from outside a loop is one op. */

#include "leat-plan-private.h"

void
leat_plan_loop_free (LeatPlanLoop *self)
{
  g_array_unref (self->delays);
  g_free (self->fused_test);
  g_strfreev (self->operands);
  g_free (self->why_not_fused);
  g_free (self);
}

/* Loops know their ops by number. */
void
leat_plan_renumber (LeatPlan *self, guint first, gint n_more)
{
  for (guint i = first; i < self->ops->len; i++)
    leat_plan_get_op (self, i)->index = i;
  for (guint i = 0; i < self->loops->len; i++)
    {
      LeatPlanLoop *loop = g_ptr_array_index (self->loops, i);

      loop->first += loop->first >= first ? n_more : 0;
      loop->last += loop->last >= first ? n_more : 0;
    }
}

const char *
leat_loop_method_get_name (LeatLoopMethod method)
{
  static const char *const names[] = { "auto", "while", "unrolled", "host", "fused" };

  return names[method];
}
