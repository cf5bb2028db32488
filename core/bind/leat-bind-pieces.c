/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which stretches of the op list become a graph each, and which are launched op by op.  They run in their order on one
 * stream, so that nothing has to be waited for between them. */

#include "bind/leat-bound-plan-private.h"
#include "leat-bind-private.h"

/* Why nothing of the plan is captured; NULL where something may be. */
static const char *
leat_plan_why_not_captured (LeatPlan *self)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);

  if (bound->traits.capture == LEAT_CAPTURE_NONE)
    return "as asked";
  if (bound->traits.capture == LEAT_CAPTURE_ALL)
    return NULL;
  for (guint i = 0; i < self->ops->len; i++)
    if (leat_plan_get_op (self, i)->kind == LEAT_OP_SOURCE)
      return NULL;
  return "without a source there is one run, and a graph would be launched once";
}

static void
leat_plan_add_piece (LeatPlan *self, guint first, guint end, const char *why_not)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  LeatPiece *last = bound->pieces->len > 0 ? &g_array_index (bound->pieces, LeatPiece, bound->pieces->len - 1) : NULL;
  LeatPiece piece = { first, end, 0, why_not == NULL, why_not };

  for (guint i = first; i < end; i++)
    piece.n_ops += leat_op_is_on_device (leat_plan_get_op (self, i));
  if (piece.n_ops == 0 && last != NULL)
    last->end = end;
  else if (last != NULL && !last->captured && !piece.captured)
    {
      last->end = end;
      last->n_ops += piece.n_ops;
    }
  else if (piece.n_ops > 0)
    g_array_append_val (bound->pieces, piece);
}

/* A graph of one op is launched by one call, as the op itself is. */
static const char *
leat_plan_why_held_back (LeatPlan *self, guint first, guint end)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  guint n = 0;
  gboolean foreign = FALSE;

  if (bound->traits.capture != LEAT_CAPTURE_AUTO || bound->traits.settled)
    return NULL;
  for (guint i = first; i < end; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      n += leat_op_is_on_device (op);
      foreign = foreign || op->kind == LEAT_OP_FOREIGN || op->kind == LEAT_OP_LOOP;
    }
  if (n != 1 || foreign)
    return NULL;
  bound->holds_back = TRUE;
  return "a graph of one op pays for itself only when it is launched often";
}

static guint
leat_plan_find_cut (LeatPlan *self, guint from)
{
  while (from < self->ops->len && leat_op_get_why_eager (leat_plan_get_op (self, from)) == NULL)
    from++;
  return from;
}

void
leat_bind_find_pieces (LeatBoundPlan *bound)
{
  LeatPlan *self = &bound->plan;
  const char *why_not = leat_plan_why_not_captured (self);
  guint at = 0;

  g_array_set_size (bound->pieces, 0);
  bound->holds_back = FALSE;
  while (at < self->ops->len)
    {
      guint cut = why_not == NULL ? leat_plan_find_cut (self, at) : self->ops->len;

      if (cut > at)
        leat_plan_add_piece (self, at, cut, why_not != NULL ? why_not : leat_plan_why_held_back (self, at, cut));
      if (cut < self->ops->len)
        leat_plan_add_piece (self, cut, cut + 1, leat_op_get_why_eager (leat_plan_get_op (self, cut)));
      at = cut + 1;
    }
}

guint
leat_plan_count_graphs (LeatPlan *self)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  guint count = 0;

  for (guint i = 0; i < bound->pieces->len; i++)
    count += g_array_index (bound->pieces, LeatPiece, i).captured;
  return count;
}

/* It was found out that it can be, and what becomes of it. */
void
leat_plan_note_captured (LeatPlan *self, LeatOp *op, guint n_nodes)
{
  LeatBoundOp *bound = LEAT_BOUND_OP (op);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&LEAT_BOUND_PLAN (self)->lock);

  bound->n_captured_nodes = n_nodes;
  bound->tried = TRUE;
}
