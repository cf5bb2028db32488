/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Binding: the choices that depend on what the device is, as a list of passes over a bound plan.  Each is made from the
 * ops and LeatTraits alone, so that it can be tested, printed and repeated without a device. */

#include "leat-bind-private.h"

/* Nothing is chosen yet: each buffer has its own memory, or that of the input that it overwrites. */
static void
leat_bind_begin (LeatBoundPlan *bound)
{
  for (guint i = 0; i < bound->plan.buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (&bound->plan, i);
      LeatBoundBuffer *place = LEAT_BOUND_BUFFER (leat_plan_get_buffer (&bound->plan, i));

      place->root = buffer->in_place_of != LEAT_BUFFER_NONE ? buffer->in_place_of : buffer->id;
      place->offset = 0;
      place->by_slot = FALSE;
      place->first_op = place->last_op = G_MAXUINT;
      place->n_writers = 0;
    }
  for (guint i = 0; i < bound->plan.ops->len; i++)
    {
      LeatBoundOp *op = LEAT_BOUND_OP (leat_plan_get_op (&bound->plan, i));

      op->elided = op->hidden = FALSE;
    }
}

static void
leat_bind_count_writers (LeatBoundPlan *bound)
{
  for (guint i = 0; i < bound->plan.ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (&bound->plan, i);

      for (guint t = 0; t < op->n_touches && !LEAT_BOUND_OP (op)->hidden; t++)
        if (op->touches[t].access & LEAT_ACCESS_WRITE)
          LEAT_BOUND_BUFFER (leat_plan_get_root (&bound->plan, op->touches[t].buffer))->n_writers++;
    }
}

/* Each goes by what those before it have chosen. */
static void (*const leat_bind_passes[]) (LeatBoundPlan *bound) = {
  leat_bind_begin,
  leat_bind_choose_loops,      /* who does each loop: the graph, the host, or one kernel */
  leat_bind_choose_fusibles,   /* which kernels are one */
  leat_bind_choose_blocks,     /* how large the blocks of kernels are, where there is a choice */
  leat_bind_count_writers,     /* of each memory, by the ops that are left */
  leat_bind_choose_transfers,  /* by copy, mapped or by kernel */
  leat_bind_find_slots,        /* which ops find the program's memory through the table */
  leat_bind_find_reusable,     /* which uploads a run on the same inputs leaves out */
  leat_bind_find_dependencies, /* what each op waits for */
  leat_bind_widen,             /* how each op is done for several entries */
  leat_bind_lay_out,           /* where each buffer lies */
  leat_bind_pack_transfers,    /* which small transfers are one launch */
  leat_bind_lift_dependencies, /* what is seen of a loop from outside of it */
  leat_bind_find_pieces,       /* which ops are one graph */
  leat_bind_predict,           /* what a run costs */
};

/* Makes all of a bound plan that is not recorded, anew where it was bound before. */
void
leat_plan_bind (LeatPlan *self, const LeatTraits *traits)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&bound->lock);

  bound->traits = *traits;
  bound->why_not_early = "the kernels are not loaded";
  if (traits->persistent)
    bound->traits.ways = NULL; /* nothing of it is measured */
  for (guint i = 0; i < G_N_ELEMENTS (leat_bind_passes); i++)
    leat_bind_passes[i](bound);
  leat_ancestors_clear (&bound->ancestors);
  bound->traits.ways = NULL; /* the caller's */
}
