/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The changes that passes make to a recorded plan, and the notes on them. */

#include "leat-optimise-private.h"

#include "plan/leat-plan-aligned-private.h"

void
leat_plan_remove_op (LeatPlan *self, guint index)
{
  g_ptr_array_remove_index (self->ops, index);
  leat_plan_renumber (self, index, -1);
}

/* To the end of another plan with the same buffers. */
void
leat_plan_hand_over_op (LeatPlan *self, guint index, LeatPlan *to)
{
  LeatOp *op = g_ptr_array_steal_index (self->ops, index);

  leat_plan_renumber (self, index, -1);
  op->index = to->ops->len;
  g_ptr_array_add (to->ops, op);
}

/* To before op number @to, which comes before it. */
void
leat_plan_move_op (LeatPlan *self, guint index, guint to)
{
  LeatOp *op = g_ptr_array_steal_index (self->ops, index);

  leat_plan_renumber (self, index, -1);
  g_ptr_array_insert (self->ops, (gint) to, op);
  leat_plan_renumber (self, to, 1);
}

/* In its place: equal ops keep to have equal touches. */
static void
leat_op_replace_touch (LeatOp *self, LeatBufferId from, LeatBufferId to)
{
  LeatAccess access = 0;
  guint n = 0, at = G_MAXUINT;

  for (guint i = 0; i < self->n_touches; i++)
    {
      const LeatTouch touch = self->touches[i];

      if (touch.buffer != from && touch.buffer != to)
        self->touches[n++] = touch;
      else
        {
          access |= touch.access;
          if (at == G_MAXUINT)
            at = n++;
        }
    }
  self->n_touches = n;
  if (at != G_MAXUINT)
    self->touches[at] = (LeatTouch){ to, access };
}

static void
leat_op_replace_buffer (LeatOp *self, LeatBufferId from, LeatBufferId to)
{
  leat_op_replace_touch (self, from, to);
  for (guint i = 0; i < self->n_args; i++)
    if (self->args[i].buffer == from)
      self->args[i].buffer = to;
  self->to = self->to == from ? to : self->to;
  self->from = self->from == from ? to : self->from;
  self->counts_like = self->counts_like == from ? to : self->counts_like;
}

static void
leat_delays_replace_buffer (GArray *delays, LeatBufferId from, LeatBufferId to)
{
  for (guint i = 0; i < delays->len; i++)
    if (g_array_index (delays, LeatDelay, i).from == from)
      g_array_index (delays, LeatDelay, i).from = to;
}

static void
leat_plan_replace_port_buffer (LeatPlan *self, LeatBufferId from, LeatBufferId to)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->ports);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (GPOINTER_TO_UINT (value) == from + 1)
      g_hash_table_iter_replace (&iter, GUINT_TO_POINTER (to + 1));
}

void
leat_plan_replace_buffer (LeatPlan *self, LeatBufferId from, LeatBufferId to)
{
  for (guint i = 0; i < self->ops->len; i++)
    leat_op_replace_buffer (leat_plan_get_op (self, i), from, to);
  leat_delays_replace_buffer (self->delays, from, to);
  for (guint i = 0; i < self->loops->len; i++)
    leat_delays_replace_buffer (((LeatPlanLoop *) g_ptr_array_index (self->loops, i))->delays, from, to);
  for (guint i = 0; i < self->aligned->len; i++)
    for (guint k = 0; k < 2; k++)
      if (g_array_index (self->aligned, LeatAligned, i).buffers[k] == from)
        g_array_index (self->aligned, LeatAligned, i).buffers[k] = to;
  leat_plan_replace_port_buffer (self, from, to);
}

void
leat_plan_note_pass (LeatPlan *self, const char *pass, LeatNode *node, LeatNode *into)
{
  const LeatPassNote note = { pass, node, into };

  /* A node may have several ops. */
  for (guint i = 0; i < self->pass_notes->len; i++)
    {
      const LeatPassNote *other = &g_array_index (self->pass_notes, LeatPassNote, i);

      if (g_str_equal (other->pass, pass) && other->node == node && other->into == into)
        return;
    }
  g_array_append_val (self->pass_notes, note);
}
