/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* An op follows the last writer of what it reads, and the last writer and all readers since of what it writes.  Ops
 * that are elided still carry dependencies from one side to the other: their neighbours meet in the shared memory. */

#include "bind/leat-bound-plan-private.h"
#include "leat-bind-private.h"

#define LEAT_BITS (8 * sizeof (gulong))

typedef struct
{
  guint writer; /* op, or G_MAXUINT */
  guint reader; /* the last of those since that write: a place in LeatPlanUses.readers, or G_MAXUINT */
} LeatMemoryUse;

typedef struct
{
  guint op;
  guint before; /* the reader before this one, likewise */
} LeatMemoryReader;

typedef struct
{
  LeatMemoryUse *of; /* by root */
  GArray *readers;   /* LeatMemoryReader */
  GArray *direct;    /* guint: ops that the one at hand follows */
} LeatPlanUses;

static gboolean
leat_bits_test (const gulong *bits, guint index)
{
  return (bits[index / LEAT_BITS] >> (index % LEAT_BITS)) & 1;
}

static void
leat_bits_set (gulong *bits, guint index)
{
  bits[index / LEAT_BITS] |= 1ul << (index % LEAT_BITS);
}

static void
leat_plan_uses_collect (LeatPlanUses *self, const LeatTouch *touch, const LeatMemoryUse *use)
{
  if (use->writer != G_MAXUINT)
    g_array_append_val (self->direct, use->writer);
  if ((touch->access & LEAT_ACCESS_WRITE) == 0)
    return;
  for (guint r = use->reader; r != G_MAXUINT; r = g_array_index (self->readers, LeatMemoryReader, r).before)
    g_array_append_val (self->direct, g_array_index (self->readers, LeatMemoryReader, r).op);
}

static void
leat_plan_uses_note (LeatPlanUses *self, const LeatOp *op, const LeatTouch *touch, LeatMemoryUse *use)
{
  LeatMemoryReader reader = { op->index, use->reader };

  if (touch->access & LEAT_ACCESS_WRITE)
    {
      use->writer = op->index;
      use->reader = G_MAXUINT;
      return;
    }
  use->reader = self->readers->len;
  g_array_append_val (self->readers, reader);
}

/* Ops that find bound memory by the table read the table. */
static void
leat_plan_uses_pass_slots (LeatPlanUses *self, LeatPlan *plan, const LeatOp *op)
{
  const LeatTouch touch = { plan->table, LEAT_ACCESS_READ };

  if (!LEAT_BOUND_OP (op)->by_slot)
    return;
  leat_plan_uses_collect (self, &touch, &self->of[plan->table]);
  leat_plan_uses_note (self, op, &touch, &self->of[plan->table]);
}

/* Fills `direct` with what @op follows, and enters what it does itself. */
static void
leat_plan_uses_pass (LeatPlanUses *self, LeatPlan *plan, const LeatOp *op)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  g_array_set_size (self->direct, 0);
  if (op->loop != NULL)
    g_array_append_val (self->direct, op->loop->first);
  for (guint t = 0; t < op->n_touches && !bound->elided; t++)
    leat_plan_uses_collect (self, &op->touches[t], &self->of[leat_plan_get_root (plan, op->touches[t].buffer)->id]);
  for (guint t = 0; t < op->n_touches && !bound->elided; t++)
    leat_plan_uses_note (self, op, &op->touches[t], &self->of[leat_plan_get_root (plan, op->touches[t].buffer)->id]);
  leat_plan_uses_pass_slots (self, plan, op);
}

static int
leat_op_index_compare (gconstpointer a, gconstpointer b)
{
  guint first = *(const guint *) a, second = *(const guint *) b;

  return first < second ? -1 : first > second;
}

/* Ops that are over when @op ends are over when one begins that follows it.  But a run may leave out an upload that is
 * kept: then it stands for nothing that comes before it. */
static void
leat_op_imply (const LeatOp *op, const gulong *ancestors, gulong *before, gsize words)
{
  for (gsize w = 0; w < op->index / LEAT_BITS + 1 && !LEAT_BOUND_OP (op)->kept; w++)
    before[w] |= ancestors[op->index * words + w];
}

/* Of the direct predecessors, those stay that no other one implies.  @before: what is over when @op begins. */
static void
leat_plan_set_after (LeatPlan *self, LeatOp *op, GArray *direct, const gulong *ancestors, gulong *before, gsize words)
{
  LeatBoundOp *bound = LEAT_BOUND_OP (op);

  if (direct->len > 1)
    g_array_sort (direct, leat_op_index_compare);
  g_free (bound->after);
  g_free (bound->early);
  bound->after = g_new (guint, direct->len);
  bound->early = g_new0 (guint8, direct->len + 1);
  bound->n_after = bound->n_early = 0;
  for (guint i = 0; i < direct->len; i++)
    leat_op_imply (leat_plan_get_op (self, g_array_index (direct, guint, i)), ancestors, before, words);
  for (guint i = 0; i < direct->len; i++)
    {
      guint p = g_array_index (direct, guint, i);

      if (leat_bits_test (before, p))
        continue;
      bound->after[bound->n_after++] = p;
      leat_bits_set (before, p);
    }
}

gboolean
leat_plan_is_before (const LeatAncestors *self, guint first, guint second)
{
  return leat_bits_test (self->bits + second * self->words, first);
}

/* Finds what each op waits for. @ancestors: for every op, the set of ops that are surely over when it begins; to be
 * freed with leat_ancestors_clear (). */
void
leat_bind_find_dependencies (LeatBoundPlan *bound)
{
  LeatPlan *self = &bound->plan;
  LeatAncestors *ancestors = &bound->ancestors;
  LeatPlanUses uses = { g_new (LeatMemoryUse, self->buffers->len),
                        g_array_new (FALSE, FALSE, sizeof (LeatMemoryReader)),
                        g_array_new (FALSE, FALSE, sizeof (guint)) };

  ancestors->words = self->ops->len / LEAT_BITS + 1;
  ancestors->bits = g_new0 (gulong, ancestors->words * MAX (self->ops->len, 1));
  for (guint i = 0; i < self->buffers->len; i++)
    uses.of[i] = (LeatMemoryUse){ G_MAXUINT, G_MAXUINT };
  for (guint i = 0; i < self->ops->len; i++)
    {
      leat_plan_uses_pass (&uses, self, leat_plan_get_op (self, i));
      leat_plan_set_after (self, leat_plan_get_op (self, i), uses.direct, ancestors->bits,
                           ancestors->bits + i * ancestors->words, ancestors->words);
    }
  g_free (uses.of);
  g_array_unref (uses.readers);
  g_array_unref (uses.direct);
}

void
leat_ancestors_list (const LeatAncestors *self, guint op, GArray *ops)
{
  const gulong *bits = self->bits + op * self->words;

  for (gsize w = 0; w < self->words; w++)
    for (gulong left = bits[w]; left != 0; left &= left - 1)
      {
        guint found = w * LEAT_BITS + (guint) __builtin_ctzl (left);

        g_array_append_val (ops, found);
      }
}

void
leat_ancestors_invert (const LeatAncestors *self, guint n_ops, LeatAncestors *inverse)
{
  g_autoptr (GArray) ops = g_array_new (FALSE, FALSE, sizeof (guint));

  inverse->words = self->words;
  inverse->bits = g_new0 (gulong, self->words * MAX (n_ops, 1));
  for (guint i = 0; i < n_ops; i++)
    {
      g_array_set_size (ops, 0);
      leat_ancestors_list (self, i, ops);
      for (guint k = 0; k < ops->len; k++)
        leat_bits_set (inverse->bits + g_array_index (ops, guint, k) * inverse->words, i);
    }
}

void
leat_ancestors_clear (LeatAncestors *self)
{
  g_clear_pointer (&self->bits, g_free);
}
