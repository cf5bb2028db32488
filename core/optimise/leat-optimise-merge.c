/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes nodes that do the same with the same inputs one node: common subexpressions, seen as the stretches of ops that
 * a node recorded.  Readers of the second one read what the first one gives. */

#include "leat-optimise-private.h"

#include "kernel/leat-kernel-source-private.h"

/* Ops that stand together, of one node and in one body. */
typedef struct
{
  guint first, n;
} LeatStretch;

typedef struct
{
  LeatPlan *plan;
  LeatStretch a, b;
  GHashTable *pairs; /* LeatBufferId of b's own -> that of a + 1 */
} LeatMerge;

static LeatStretch
leat_plan_get_stretch (LeatPlan *self, guint first)
{
  const LeatOp *op = leat_plan_get_op (self, first);
  LeatStretch stretch = { first, 1 };

  while (first + stretch.n < self->ops->len && leat_plan_get_op (self, first + stretch.n)->node == op->node
         && leat_plan_get_op (self, first + stretch.n)->loop == op->loop)
    stretch.n++;
  return stretch;
}

static gboolean
leat_stretch_writes (LeatPlan *plan, const LeatStretch *self, LeatBufferId memory)
{
  return leat_plan_writes_between (plan, self->first, self->first + self->n, memory, NULL);
}

/* Does anything but the stretch write the memory?  Also what works in place of one of its buffers does. */
static gboolean
leat_stretch_is_only_writer (LeatPlan *plan, const LeatStretch *self, LeatBufferId memory)
{
  return !leat_plan_writes_between (plan, 0, self->first, memory, NULL)
         && !leat_plan_writes_between (plan, self->first + self->n, plan->ops->len, memory, NULL);
}

static gboolean
leat_buffers_are_same_const (const LeatBuffer *self, const LeatBuffer *other)
{
  return self->kind == LEAT_BUFFER_CONST && other->kind == LEAT_BUFFER_CONST && leat_buffers_are_alike (self, other)
         && self->initial != NULL && other->initial != NULL && g_bytes_equal (self->initial, other->initial);
}

/* Whether @b is to the second stretch what @a is to the first. */
static gboolean
leat_merge_pair (LeatMerge *self, LeatBufferId a, LeatBufferId b)
{
  const LeatBuffer *one, *other;
  gpointer known = g_hash_table_lookup (self->pairs, GUINT_TO_POINTER (b));

  if (a == LEAT_BUFFER_NONE || b == LEAT_BUFFER_NONE || a == b)
    return a == b
           && (a == LEAT_BUFFER_NONE
               || !leat_stretch_writes (self->plan, &self->b, leat_plan_follow_memory (self->plan, a)));
  if (known != NULL)
    return GPOINTER_TO_UINT (known) == a + 1;
  one = leat_plan_get_buffer (self->plan, a);
  other = leat_plan_get_buffer (self->plan, b);
  if (leat_buffers_are_same_const (one, other))
    return TRUE;
  if (!leat_plan_buffer_is_plain (self->plan, a) || !leat_plan_buffer_is_plain (self->plan, b)
      || one->loop != other->loop || !leat_buffers_are_alike (one, other)
      || !leat_stretch_writes (self->plan, &self->a, a) || !leat_stretch_writes (self->plan, &self->b, b)
      || !leat_stretch_is_only_writer (self->plan, &self->a, a)
      || !leat_stretch_is_only_writer (self->plan, &self->b, b))
    return FALSE;
  g_hash_table_insert (self->pairs, GUINT_TO_POINTER (b), GUINT_TO_POINTER (a + 1));
  return TRUE;
}

static gboolean
leat_merge_match_args (LeatMerge *self, const LeatOp *a, const LeatOp *b)
{
  for (guint i = 0; i < a->n_args; i++)
    {
      const LeatOpArg *one = &a->args[i], *other = &b->args[i];

      if (one->kind != other->kind || !leat_op_arg_is_fixed (one) || (one->value == NULL) != (other->value == NULL)
          || (one->value != NULL && !g_bytes_equal (one->value, other->value))
          || !leat_merge_pair (self, one->buffer, other->buffer))
        return FALSE;
    }
  return TRUE;
}

static gboolean
leat_op_launches_like (const LeatOp *self, const LeatOp *other)
{
  return leat_kernel_source_equal (self->source, other->source)
         && g_str_equal (self->prototype->entry, other->prototype->entry)
         && memcmp (self->grid, other->grid, sizeof self->grid) == 0
         && memcmp (self->block, other->block, sizeof self->block) == 0 && self->shared_bytes == other->shared_bytes
         && self->cooperative == other->cooperative && self->grid_by_occupancy == other->grid_by_occupancy
         && self->grid_most == other->grid_most && self->n_choices == other->n_choices
         && (self->n_choices == 0
             || memcmp (self->choices, other->choices, self->n_choices * sizeof *self->choices) == 0);
}

/* The touches of both follow from what has been compared, but for their order. */
static gboolean
leat_merge_match_touches (LeatMerge *self, const LeatOp *a, const LeatOp *b)
{
  for (guint i = 0; i < a->n_touches; i++)
    if (a->touches[i].access != b->touches[i].access
        || !leat_merge_pair (self, a->touches[i].buffer, b->touches[i].buffer))
      return FALSE;
  return TRUE;
}

static gboolean
leat_merge_match_ops (LeatMerge *self, const LeatOp *a, const LeatOp *b)
{
  if (a->kind != b->kind || a->n_args != b->n_args || a->n_touches != b->n_touches || a->fusion != NULL
      || b->fusion != NULL || leat_op_has_effects (self->plan, a) || leat_op_has_effects (self->plan, b))
    return FALSE;
  if (a->kind == LEAT_OP_KERNEL && (!leat_op_launches_like (a, b) || !leat_merge_match_args (self, a, b)))
    return FALSE;
  return a->bytes == b->bytes && a->value == b->value && a->mode == b->mode && leat_merge_pair (self, a->to, b->to)
         && leat_merge_pair (self, a->from, b->from) && leat_merge_pair (self, a->counts_like, b->counts_like)
         && leat_merge_match_touches (self, a, b);
}

/* Nobody may write in between what both read. */
static gboolean
leat_merge_inputs_stay (LeatMerge *self)
{
  for (guint i = self->b.first; i < self->b.first + self->b.n; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      for (guint t = 0; t < op->n_touches; t++)
        {
          LeatBufferId id = op->touches[t].buffer;

          if (!g_hash_table_contains (self->pairs, GUINT_TO_POINTER (id))
              && leat_plan_writes_between (self->plan, self->a.first, self->b.first,
                                           leat_plan_follow_memory (self->plan, id), NULL))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
leat_merge_match (LeatMerge *self)
{
  if (self->a.n != self->b.n
      || leat_plan_get_op (self->plan, self->a.first)->loop != leat_plan_get_op (self->plan, self->b.first)->loop)
    return FALSE;
  for (guint i = 0; i < self->a.n; i++)
    if (!leat_merge_match_ops (self, leat_plan_get_op (self->plan, self->a.first + i),
                               leat_plan_get_op (self->plan, self->b.first + i)))
      return FALSE;
  return g_hash_table_size (self->pairs) > 0 && leat_merge_inputs_stay (self);
}

static void
leat_merge_do (LeatMerge *self)
{
  GHashTableIter iter;
  gpointer b, a;

  leat_plan_note_pass (self->plan, "merge", leat_plan_get_op (self->plan, self->b.first)->node,
                       leat_plan_get_op (self->plan, self->a.first)->node);
  for (guint i = self->b.n; i > 0; i--)
    leat_plan_remove_op (self->plan, self->b.first + i - 1);
  g_hash_table_iter_init (&iter, self->pairs);
  while (g_hash_table_iter_next (&iter, &b, &a))
    leat_plan_replace_buffer (self->plan, GPOINTER_TO_UINT (b), GPOINTER_TO_UINT (a) - 1);
}

/* Only of buffers that both must have: constants may be two. */
static guint
leat_plan_hash_touches (LeatPlan *self, const LeatStretch *stretch, const LeatOp *op)
{
  guint hash = op->n_touches;

  for (guint t = 0; t < op->n_touches; t++)
    if (leat_plan_get_buffer (self, op->touches[t].buffer)->kind != LEAT_BUFFER_CONST
        && !leat_stretch_writes (self, stretch, leat_plan_follow_memory (self, op->touches[t].buffer)))
      hash = hash * 31 + op->touches[t].buffer;
  return hash;
}

/* Equal for stretches that may match. */
static guint
leat_plan_hash_stretch (LeatPlan *self, const LeatStretch *stretch)
{
  guint hash = stretch->n;

  for (guint i = stretch->first; i < stretch->first + stretch->n; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      hash = hash * 31 + op->kind;
      if (op->kind == LEAT_OP_KERNEL)
        hash = hash * 31 + g_str_hash (op->prototype->entry) + op->n_args;
      hash = (hash * 31 + (guint) op->bytes) * 31 + leat_plan_hash_touches (self, stretch, op);
    }
  return hash;
}

/* Merges the stretch at @b with the first before it that does the same. */
static gboolean
leat_plan_merge_stretch (LeatPlan *self, GArray *before, LeatStretch b)
{
  for (guint i = 0; before != NULL && i < before->len; i++)
    {
      g_autoptr (GHashTable) pairs = g_hash_table_new (NULL, NULL);
      LeatMerge merge = { self, g_array_index (before, LeatStretch, i), b, pairs };

      if (!leat_merge_match (&merge))
        continue;
      leat_merge_do (&merge);
      return TRUE;
    }
  return FALSE;
}

gboolean
leat_plan_merge_equal (LeatPlan *self)
{
  g_autoptr (GHashTable) by_hash = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  gboolean changed = FALSE;

  for (guint at = 0; at < self->ops->len;)
    {
      LeatStretch stretch = leat_plan_get_stretch (self, at);
      gpointer hash = GUINT_TO_POINTER (leat_plan_hash_stretch (self, &stretch));
      GArray *before = g_hash_table_lookup (by_hash, hash);

      if (leat_plan_merge_stretch (self, before, stretch))
        {
          changed = TRUE;
          continue;
        }
      if (before == NULL)
        {
          before = g_array_new (FALSE, FALSE, sizeof (LeatStretch));
          g_hash_table_insert (by_hash, hash, before);
        }
      g_array_append_val (before, stretch);
      at += stretch.n;
    }
  return changed;
}
