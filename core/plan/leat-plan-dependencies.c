/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-plan-private.h"

/* An op follows the last writer of what it reads, and the last writer and all readers since of what it writes.  Ops
 * that are elided still carry dependencies from one side to the other: their neighbours meet in the shared memory. */

#define LEAT_BITS (8 * sizeof (gulong))

typedef struct
{
  guint writer;    /* op, or G_MAXUINT */
  GArray *readers; /* guint ops since that write */
} LeatMemoryUse;

static void
leat_memory_use_clear (LeatMemoryUse *use)
{
  g_array_unref (use->readers);
}

static gboolean
leat_bits_test (const gulong *bits, guint index)
{
  return (bits[index / LEAT_BITS] >> (index % LEAT_BITS)) & 1;
}

/* The first that is set, from @from on and before @end; @end where none is.  Most are not, so words are skipped. */
static guint
leat_bits_find (const gulong *bits, guint from, guint end)
{
  guint word = from / LEAT_BITS;
  gulong rest;

  if (from >= end)
    return end;
  rest = bits[word] & (~0ul << (from % LEAT_BITS));
  while (rest == 0 && (word + 1) * LEAT_BITS < end)
    rest = bits[++word];
  return rest != 0 ? MIN (word * LEAT_BITS + (guint) __builtin_ctzl (rest), end) : end;
}

static void
leat_bits_set (gulong *bits, guint index)
{
  bits[index / LEAT_BITS] |= 1ul << (index % LEAT_BITS);
}

static void
leat_plan_collect_one (const LeatTouch *touch, LeatMemoryUse *use, gulong *direct)
{
  if (use->writer != G_MAXUINT)
    leat_bits_set (direct, use->writer);
  if (touch->access & LEAT_ACCESS_WRITE)
    for (guint r = 0; r < use->readers->len; r++)
      leat_bits_set (direct, g_array_index (use->readers, guint, r));
}

static void
leat_plan_note_use (const LeatOp *op, const LeatTouch *touch, LeatMemoryUse *use)
{
  if (touch->access & LEAT_ACCESS_WRITE)
    {
      use->writer = op->index;
      g_array_set_size (use->readers, 0);
    }
  else
    g_array_append_val (use->readers, op->index);
}

/* What goes by the table of what is bound reads it. */
static void
leat_plan_collect_slots (LeatPlan *self, const LeatOp *op, GArray *uses, gulong *direct)
{
  const LeatTouch touch = { self->table, LEAT_ACCESS_READ };
  LeatMemoryUse *use;

  if (!op->by_slot)
    return;
  use = &g_array_index (uses, LeatMemoryUse, self->table);
  leat_plan_collect_one (&touch, use, direct);
  leat_plan_note_use (op, &touch, use);
}

/* Bit sets of the direct predecessors of every op, @words words each. */
static gulong *
leat_plan_find_direct (LeatPlan *self, gsize words)
{
  g_autoptr (GArray) uses = g_array_sized_new (FALSE, TRUE, sizeof (LeatMemoryUse), self->buffers->len);
  gulong *direct = g_new0 (gulong, MAX (words * self->ops->len, 1));

  g_array_set_size (uses, self->buffers->len);
  g_array_set_clear_func (uses, (GDestroyNotify) leat_memory_use_clear);
  for (guint i = 0; i < uses->len; i++)
    g_array_index (uses, LeatMemoryUse, i) = (LeatMemoryUse){ G_MAXUINT, g_array_new (FALSE, FALSE, sizeof (guint)) };
  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      for (guint t = 0; t < op->n_touches && !op->elided; t++)
        {
          LeatBufferId root = leat_plan_get_root (self, op->touches[t].buffer)->id;

          leat_plan_collect_one (&op->touches[t], &g_array_index (uses, LeatMemoryUse, root), direct + i * words);
        }
      for (guint t = 0; t < op->n_touches && !op->elided; t++)
        {
          LeatBufferId root = leat_plan_get_root (self, op->touches[t].buffer)->id;

          leat_plan_note_use (op, &op->touches[t], &g_array_index (uses, LeatMemoryUse, root));
        }
      leat_plan_collect_slots (self, op, uses, direct + i * words);
      direct[i * words + i / LEAT_BITS] &= ~(1ul << (i % LEAT_BITS));
    }
  return direct;
}

static gulong *
leat_plan_close_over (LeatPlan *self, const gulong *direct, gsize words)
{
  gulong *ancestors = g_new0 (gulong, MAX (words * self->ops->len, 1));

  for (guint i = 0; i < self->ops->len; i++)
    for (guint p = leat_bits_find (direct + i * words, 0, i); p < i; p = leat_bits_find (direct + i * words, p + 1, i))
      {
        leat_bits_set (ancestors + i * words, p);
        for (gsize w = 0; w < p / LEAT_BITS + 1; w++)
          ancestors[i * words + w] |= ancestors[p * words + w];
      }
  return ancestors;
}

/* For every op, the set of ops that are surely over when it begins. */
gulong *
leat_plan_dup_ancestors (LeatPlan *self, gsize *words)
{
  g_autofree gulong *direct = NULL;

  *words = self->ops->len / LEAT_BITS + 1;
  direct = leat_plan_find_direct (self, *words);
  return leat_plan_close_over (self, direct, *words);
}

gboolean
leat_plan_is_before (const gulong *ancestors, gsize words, guint first, guint second)
{
  return leat_bits_test (ancestors + second * words, first);
}

/* Keeps of the direct predecessors those that no other one implies. */
static void
leat_plan_set_after (LeatPlan *self, LeatOp *op, const gulong *direct, const gulong *ancestors, gsize words)
{
  g_autoptr (GArray) after = g_array_new (FALSE, FALSE, sizeof (guint));
  const gulong *mine = direct + op->index * words;

  for (guint p = leat_bits_find (mine, 0, op->index); p < op->index; p = leat_bits_find (mine, p + 1, op->index))
    {
      gboolean implied = FALSE;

      for (guint q = leat_bits_find (mine, p + 1, op->index); q < op->index && !implied;
           q = leat_bits_find (mine, q + 1, op->index))
        implied = leat_plan_is_before (ancestors, words, p, q);
      if (!implied)
        g_array_append_val (after, p);
    }
  g_free (op->after);
  g_free (op->early);
  op->n_after = after->len;
  op->early = g_new0 (guint8, after->len + 1);
  op->n_early = 0;
  op->after = (guint *) g_array_free (g_steal_pointer (&after), FALSE);
}

void
leat_plan_find_dependencies (LeatPlan *self)
{
  gsize words = self->ops->len / LEAT_BITS + 1;
  g_autofree gulong *direct = leat_plan_find_direct (self, words);
  g_autofree gulong *ancestors = leat_plan_close_over (self, direct, words);

  for (guint i = 0; i < self->ops->len; i++)
    leat_plan_set_after (self, leat_plan_get_op (self, i), direct, ancestors, words);
}
