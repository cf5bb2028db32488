/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Joins small transfers that are done by kernels into one launch.  Touches the ops of those transfers, and what other
 * ops wait for where that was one of them. */

#include "bind/leat-bound-plan-private.h"
#include "leat-bind-private.h"

/* Small transfers that kernels of ours do are one launch: each row of its grid is one of them.  Those that bring
 * results back are done when the last of the results is there, by the last of them; uploads all at the beginning, by
 * the first. Only such are taken as nothing on the device waits for (results), or that wait for nothing there
 * (uploads), so that no op comes to wait for what comes after it, and no memory is used again before its contents have
 * been read.  A persistent kernel launches none of them: there each is a stage of its own. */

#define LEAT_PACK_MOST_BYTES 65536 /* a larger one has the link to itself for a while */

static const guint leat_pack_sizes[] = { 2, 4, 8, 16 };

static void
leat_pack_append_kernel (GString *text, guint n)
{
  g_string_append_printf (text, "__global__ void leat_pack_%u (", n);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%sconst uint8_t *f%u, uint8_t *t%u, uint64_t b%u, uint64_t r%u", i > 0 ? ", " : "",
                            i, i, i, i);
  g_string_append (text, ")\n{\n  switch (blockIdx.y)\n    {\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "    case %u:\n      leat_transfer_live (f%u, t%u, b%u, r%u);\n      break;\n", i, i,
                            i, i, i);
  g_string_append (text, "    }\n}\n");
}

void
leat_pack_append_kernels (GString *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_pack_sizes); i++)
    leat_pack_append_kernel (text, leat_pack_sizes[i]);
}

static gboolean
leat_plan_is_small_move (LeatPlan *self, const LeatOp *op)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  return op->kind == LEAT_OP_TRANSFER && !bound->elided && bound->way == LEAT_TRANSFER_KERNEL
         && op->bytes <= LEAT_PACK_MOST_BYTES && leat_plan_get_user (self, op->from) == NULL
         && leat_plan_get_user (self, op->to) == NULL;
}

static gboolean
leat_plan_waits_on_device (LeatPlan *self, const LeatOp *op)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  for (guint i = 0; i < bound->n_after; i++)
    if (leat_op_is_on_device (leat_plan_get_op (self, bound->after[i])))
      return TRUE;
  return FALSE;
}

/* By op index: is there an op on the device that waits for it? (transfer full) */
static gboolean *
leat_plan_list_awaited (LeatPlan *self)
{
  gboolean *awaited = g_new0 (gboolean, self->ops->len + 1);

  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);
      const LeatBoundOp *bound = LEAT_BOUND_OP (op);

      for (guint k = 0; k < bound->n_after && leat_op_is_on_device (op); k++)
        awaited[bound->after[k]] = TRUE;
    }
  return awaited;
}

/* @ops: those that go together, in their order, at most as many as a kernel takes; what it has too many is never begun
 */
static void
leat_plan_set_pack_args (LeatPlan *self, LeatOp *carrier, GPtrArray *ops)
{
  g_autofree char *entry = NULL;
  guint size = 0;

  while (leat_pack_sizes[size] < ops->len)
    size++;
  leat_op_clear_args (carrier);
  entry = g_strdup_printf ("leat_pack_%u", leat_pack_sizes[size]);
  carrier->prototype = leat_kernel_source_get_prototype (carrier->source, entry, NULL);
  carrier->n_args = 4 * leat_pack_sizes[size];
  carrier->args = g_new0 (LeatOpArg, carrier->n_args);
  for (guint i = 0; i < leat_pack_sizes[size]; i++)
    {
      const LeatOp *op = g_ptr_array_index (ops, MIN (i, ops->len - 1));
      const LeatBuffer *from = leat_plan_get_buffer (self, op->from);

      carrier->args[4 * i] = (LeatOpArg){ .kind = LEAT_ARG_COUNT, .buffer = op->from };
      carrier->args[4 * i + 1] = (LeatOpArg){ .kind = LEAT_ARG_COUNT, .buffer = op->to };
      leat_op_set_value (&carrier->args[4 * i + 2], op->bytes);
      leat_op_set_value (&carrier->args[4 * i + 3], from->header ? leat_spec_get_row_bytes (from->spec) : 0);
      carrier->grid[0] = MAX (carrier->grid[0], op->grid[0]);
    }
  carrier->grid[1] = ops->len;
}

/* An op that waited for one of them waits for the one that does them all. */
static void
leat_op_follow_carriers (LeatPlan *self, LeatOp *op)
{
  LeatBoundOp *bound_op = LEAT_BOUND_OP (op);
  guint n = 0;

  for (guint i = 0; i < bound_op->n_after; i++)
    {
      const LeatOp *before = leat_plan_get_op (self, bound_op->after[i]);
      const LeatBoundOp *bound_before = LEAT_BOUND_OP (before);
      guint index = bound_before->packed_with != NULL ? bound_before->packed_with->index : before->index;
      guint k = 0;

      while (k < n && bound_op->after[k] != index)
        k++;
      bound_op->after[k] = index;
      n = MAX (n, k + 1);
    }
  bound_op->n_after = n;
}

/* All that the ops of a pack wait for, but for what another one of it implies. */
static void
leat_plan_join_after (LeatPlan *self, const LeatAncestors *ancestors, LeatOp *carrier, GPtrArray *ops)
{
  LeatBoundOp *bound = LEAT_BOUND_OP (carrier);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < ops->len; i++)
    g_array_append_vals (all, ((LeatBoundOp *) g_ptr_array_index (ops, i))->after,
                         ((LeatBoundOp *) g_ptr_array_index (ops, i))->n_after);
  g_free (bound->after);
  g_free (bound->early);
  bound->after = g_new (guint, all->len + 1);
  bound->early = g_new0 (guint8, all->len + 1);
  bound->n_after = 0;
  for (guint i = 0; i < all->len; i++)
    {
      guint op = g_array_index (all, guint, i);
      gboolean implied = FALSE;

      for (guint k = 0; k < all->len && !implied; k++)
        {
          guint other = g_array_index (all, guint, k);

          implied = other == op ? k < i : leat_plan_is_before (ancestors, op, other);
        }
      if (!implied)
        bound->after[bound->n_after++] = op;
    }
}

static void
leat_plan_pack_ops (LeatPlan *self, const LeatAncestors *ancestors, GPtrArray *ops, gboolean back)
{
  LeatOp *carrier = ops->len > 0 ? g_ptr_array_index (ops, back ? ops->len - 1 : 0) : NULL;

  if (ops->len > 1)
    {
      leat_plan_set_pack_args (self, carrier, ops);
      leat_plan_join_after (self, ancestors, carrier, ops);
      for (guint i = 0; i < ops->len; i++)
        {
          LeatOp *op = g_ptr_array_index (ops, i);
          LeatBoundOp *bound = LEAT_BOUND_OP (op);

          bound->reason = "small ones go together";
          if (op == carrier)
            continue;
          bound->packed_with = carrier;
          bound->elided = TRUE;
        }
    }
  g_ptr_array_set_size (ops, 0);
}

/* Those of one direction, by as many as a kernel takes. */
static void
leat_plan_pack_direction (LeatPlan *self, const LeatAncestors *ancestors, const gboolean *awaited, gboolean back)
{
  g_autoptr (GPtrArray) ops = g_ptr_array_new ();

  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      if (!leat_plan_is_small_move (self, op) || LEAT_BOUND_OP (op)->gives_back != back
          || (back ? awaited[i] : leat_plan_waits_on_device (self, op) || !leat_plan_is_on_host (self, op->from)))
        continue;
      g_ptr_array_add (ops, op);
      if (ops->len == leat_pack_sizes[G_N_ELEMENTS (leat_pack_sizes) - 1])
        leat_plan_pack_ops (self, ancestors, ops, back);
    }
  leat_plan_pack_ops (self, ancestors, ops, back);
}

void
leat_bind_pack_transfers (LeatBoundPlan *bound)
{
  LeatPlan *self = &bound->plan;
  g_autofree gboolean *awaited = NULL;

  if (bound->traits.entries > 0 || bound->traits.persistent)
    return;
  awaited = leat_plan_list_awaited (self);
  leat_plan_pack_direction (self, &bound->ancestors, awaited, TRUE);
  leat_plan_pack_direction (self, &bound->ancestors, awaited, FALSE);
  for (guint i = 0; i < self->ops->len; i++)
    leat_op_follow_carriers (self, leat_plan_get_op (self, i));
}
