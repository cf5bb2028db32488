/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Two bound plans of one pipeline: how much of what was made for the one serves the other?  What a kernel's node in a
 * graph can be given in place (grid, block, shared memory, values of arguments) and the contents of constants are no
 * difference here. */

#include "bind/leat-bound-plan-private.h"

#include "kernel/leat-kernel-source-private.h"
#include "leat-bind-private.h"

#include <xxhash.h>

/* "kernel \"k0\"" */
static char *
leat_op_dup_title (const LeatOp *op)
{
  return g_strdup_printf ("%s \"%s\"", leat_node_get_id (op->node), leat_node_get_name (op->node));
}

static gboolean
leat_op_is_alike (const LeatOp *a, const LeatOp *b)
{
  const LeatBoundOp *bound_b = LEAT_BOUND_OP (b);
  const LeatBoundOp *bound_a = LEAT_BOUND_OP (a);

  return a->kind == b->kind && a->node == b->node && leat_op_launches (a) == leat_op_launches (b)
         && bound_a->elided == bound_b->elided && (bound_a->packed_with != NULL) == (bound_b->packed_with != NULL)
         && bound_a->kept == bound_b->kept && bound_a->by_slot == bound_b->by_slot
         && bound_a->n_after == bound_b->n_after
         && (bound_a->n_after == 0
             || memcmp (bound_a->after, bound_b->after, bound_a->n_after * sizeof *bound_a->after) == 0);
}

static gboolean
leat_op_has_same_touches (const LeatOp *a, const LeatOp *b)
{
  gboolean same = a->n_touches == b->n_touches;

  for (guint i = 0; same && i < a->n_touches; i++)
    same = a->touches[i].buffer == b->touches[i].buffer && a->touches[i].access == b->touches[i].access;
  return same;
}

static gboolean
leat_op_has_same_args (const LeatOp *a, const LeatOp *b)
{
  gboolean same = a->n_args == b->n_args;

  for (guint i = 0; same && i < a->n_args; i++)
    same = a->args[i].kind == b->args[i].kind && a->args[i].buffer == b->args[i].buffer
           && a->args[i].node == b->args[i].node
           && (a->args[i].kind != LEAT_ARG_TEXTURE || g_bytes_equal (a->args[i].value, b->args[i].value))
           && g_strcmp0 (a->args[i].name, b->args[i].name) == 0;
  return same;
}

static gboolean
leat_op_has_same_kernel (const LeatOp *a, const LeatOp *b)
{
  return leat_kernel_source_equal (a->source, b->source) && g_str_equal (a->prototype->entry, b->prototype->entry);
}

/* NULL: a node of a graph that was made for @a can be made to do @b in place. */
static const char *
leat_op_find_difference (const LeatOp *a, const LeatOp *b)
{
  /* Only the node itself knows its foreign work. */
  if (a->kind == LEAT_OP_FOREIGN)
    return "has foreign work, which is captured anew";
  if (!leat_op_has_same_touches (a, b))
    return "touches other buffers";
  if (a->to != b->to || a->from != b->from || a->bytes != b->bytes || a->value != b->value)
    return "moves other data";
  if (!leat_op_launches (a))
    return NULL;
  if (!leat_op_has_same_kernel (a, b))
    return "has another kernel";
  if (a->cooperative != b->cooperative || a->grid_by_occupancy != b->grid_by_occupancy)
    return "is launched in another way";
  return leat_op_has_same_args (a, b) ? NULL : "takes other arguments";
}

static gboolean
leat_buffer_is_same (const LeatBuffer *a, const LeatBuffer *b)
{
  const LeatBoundBuffer *bound_a = LEAT_BOUND_BUFFER (a);
  const LeatBoundBuffer *bound_b = LEAT_BOUND_BUFFER (b);

  return a->kind == b->kind && a->bytes == b->bytes && a->header == b->header && a->scope == b->scope
         && a->tells_flush == b->tells_flush && a->user == b->user && bound_a->place == bound_b->place
         && bound_a->root == bound_b->root && bound_a->offset == bound_b->offset && bound_a->kept == bound_b->kept
         && g_str_equal (a->name, b->name) && (a->array == NULL) == (b->array == NULL)
         && (a->array == NULL || g_bytes_equal (a->array, b->array)) && (a->spec == NULL) == (b->spec == NULL)
         && (a->spec == NULL || leat_spec_equal (a->spec, b->spec));
}

static const LeatBuffer *
leat_plan_find_other_buffer (LeatPlan *self, LeatPlan *other)
{
  for (guint i = 0; i < other->buffers->len; i++)
    if (i >= self->buffers->len
        || !leat_buffer_is_same (leat_plan_get_buffer (self, i), leat_plan_get_buffer (other, i)))
      return leat_plan_get_buffer (other, i);
  return NULL;
}

/* The same ops in the same graphs? */
static gboolean
leat_plan_has_same_pieces (LeatPlan *self, LeatPlan *other)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  LeatBoundPlan *bound_other = LEAT_BOUND_PLAN (other);
  gboolean same = bound->pieces->len == bound_other->pieces->len;

  for (guint i = 0; same && i < bound->pieces->len; i++)
    {
      const LeatPiece *a = &g_array_index (bound->pieces, LeatPiece, i),
                      *b = &g_array_index (bound_other->pieces, LeatPiece, i);

      same = a->first == b->first && a->end == b->end && a->captured == b->captured;
    }
  return same;
}

static gboolean
leat_plan_is_alike (LeatPlan *self, LeatPlan *other, char **why)
{
  if (self->ops->len != other->ops->len)
    {
      *why = g_strdup_printf ("there were %u ops and are %u", self->ops->len, other->ops->len);
      return FALSE;
    }
  for (guint i = 0; i < self->ops->len; i++)
    {
      g_autofree char *title = NULL;

      if (leat_op_is_alike (leat_plan_get_op (self, i), leat_plan_get_op (other, i)))
        continue;
      title = leat_op_dup_title (leat_plan_get_op (other, i));
      *why = g_strdup_printf ("%s has other work or other dependencies", title);
      return FALSE;
    }
  return TRUE;
}

/* Why matters to people who wonder what a change cost. @why: (transfer full): NULL with LEAT_PLANS_MATCH. */
LeatPlanLikeness
leat_plan_compare (LeatPlan *self, LeatPlan *other, char **why)
{
  const LeatBuffer *buffer = leat_plan_find_other_buffer (self, other);

  *why = NULL;
  if (!leat_plan_is_alike (self, other, why))
    return LEAT_PLANS_DIFFER;
  if (!leat_plan_has_same_pieces (self, other))
    {
      *why = g_strdup ("other ops are captured");
      return LEAT_PLANS_ALIKE;
    }
  if (buffer != NULL || self->buffers->len != other->buffers->len)
    {
      *why = g_strdup_printf ("the buffer %s is another", buffer != NULL ? buffer->name : "of a node");
      return LEAT_PLANS_ALIKE;
    }
  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (other, i);
      const char *difference = leat_op_find_difference (leat_plan_get_op (self, i), op);
      g_autofree char *title = NULL;

      if (difference == NULL)
        continue;
      title = leat_op_dup_title (op);
      *why = g_strdup_printf ("%s %s", title, difference);
      return LEAT_PLANS_ALIKE;
    }
  return LEAT_PLANS_MATCH;
}

/* Do the data have other sizes? */
gboolean
leat_plan_has_shape_of (LeatPlan *self, LeatPlan *other)
{
  gboolean same = self->buffers->len == other->buffers->len;

  for (guint i = 0; same && i < self->buffers->len; i++)
    same = leat_plan_get_buffer (self, i)->bytes == leat_plan_get_buffer (other, i)->bytes;
  return same;
}

#define LEAT_HASH(state, field) XXH3_64bits_update (state, &(field), sizeof (field))

static void
leat_plan_hash_text (XXH3_state_t *state, const char *text)
{
  XXH3_64bits_update (state, text, strlen (text) + 1);
}

static void
leat_plan_hash_op (XXH3_state_t *state, const LeatOp *op)
{
  /* Together, since what an update takes does not depend on its bytes. */
  const guint64 facts[] = { op->kind,  (gsize) op->node, LEAT_BOUND_OP (op)->elided, op->to, op->from,
                            op->bytes, op->value };

  LEAT_HASH (state, facts);
  for (guint i = 0; i < op->n_touches; i++)
    LEAT_HASH (state, op->touches[i].buffer);
  for (guint i = 0; i < op->n_args; i++)
    {
      const guint64 arg = (guint64) op->args[i].kind << 32 | op->args[i].buffer;

      LEAT_HASH (state, arg);
    }
  if (!leat_op_launches (op))
    return;
  LEAT_HASH (state, leat_kernel_source_get_text (op->source)->hash);
  leat_plan_hash_text (state, op->prototype->entry);
}

/* Equal for plans that match; for others hardly ever. */
guint64
leat_plan_hash (LeatPlan *self)
{
  XXH3_state_t *state = XXH3_createState ();
  guint64 hash;

  XXH3_64bits_reset (state);
  for (guint i = 0; i < self->ops->len; i++)
    leat_plan_hash_op (state, leat_plan_get_op (self, i));
  for (guint i = 0; i < self->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self, i);
      const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);
      const guint64 facts[] = { buffer->kind, buffer->bytes, bound->place, bound->root, bound->offset };

      LEAT_HASH (state, facts);
      leat_plan_hash_text (state, buffer->name);
    }
  hash = XXH3_64bits_digest (state);
  XXH3_freeState (state);
  return hash;
}
