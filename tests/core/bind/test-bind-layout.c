/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bind/leat-bound-plan-private.h"
#include "bind/leat-bind-private.h"

/* Plans of many branches, made by hand: where each buffer lies must be what the rule says, which is done here step by
 * step.  The rule: the largest first, at the lowest offset where it is clear of all that it may not share with. */

#define ALIGNMENT 256
#define PLANS     12

static LeatBufferId
add_step (LeatPlan *plan, LeatBufferId from, GRand *rand)
{
  LeatBufferId to = leat_plan_add_buffer (plan, LEAT_BUFFER_DEVICE, "b", NULL, g_rand_int_range (rand, 1, 8) * 700);
  LeatOp *op = leat_plan_add_op (plan, LEAT_OP_COPY, NULL);

  leat_op_touch (op, from, LEAT_ACCESS_READ);
  leat_op_touch (op, to, LEAT_ACCESS_WRITE);
  op->from = from;
  op->to = to;
  return to;
}

/* Some branches go on from others, some meet, and the steps come in any order. */
static LeatPlan *
make_wide_plan (GRand *rand)
{
  LeatPlan *plan = g_object_new (LEAT_TYPE_PLAN, NULL);
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (LeatBufferId));
  LeatBufferId first = leat_plan_add_buffer (plan, LEAT_BUFFER_DEVICE, "b", NULL, 1000);
  guint n_steps = g_rand_int_range (rand, 40, 400), n_branches = g_rand_int_range (rand, 1, 120);
  LeatBufferId second = add_step (plan, first, rand);

  for (guint i = 0; i < n_branches; i++)
    g_array_append_val (ends, second);
  for (guint i = 0; i < n_steps; i++)
    {
      LeatBufferId *end = &g_array_index (ends, LeatBufferId, g_rand_int_range (rand, 0, n_branches));
      LeatBufferId other = g_array_index (ends, LeatBufferId, g_rand_int_range (rand, 0, n_branches));

      *end = add_step (plan, *end, rand);
      if (g_rand_int_range (rand, 0, 8) == 0 && other != *end)
        leat_op_touch (leat_plan_get_op (plan, plan->ops->len - 1), other, LEAT_ACCESS_READ);
    }
  return leat_bound_plan_new (plan);
}

static gboolean
op_touches (const LeatOp *op, LeatBufferId id)
{
  for (guint t = 0; t < op->n_touches; t++)
    if (op->touches[t].buffer == id)
      return TRUE;
  return FALSE;
}

/* By op and op: is the second surely over before the first begins? */
static gboolean *
list_reaches (LeatPlan *plan)
{
  guint n = plan->ops->len;
  gboolean *reaches = g_new0 (gboolean, n * n);

  for (guint i = 0; i < n; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);

      for (guint e = 0; e < LEAT_BOUND_OP (op)->n_after; e++)
        {
          reaches[i * n + LEAT_BOUND_OP (op)->after[e]] = TRUE;
          for (guint k = 0; k < n; k++)
            reaches[i * n + k] |= reaches[LEAT_BOUND_OP (op)->after[e] * n + k];
        }
    }
  return reaches;
}

static gboolean
is_before (LeatPlan *plan, const gboolean *reaches, LeatBufferId a, LeatBufferId b)
{
  guint n = plan->ops->len;

  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < n && op_touches (leat_plan_get_op (plan, i), a); j++)
      if (op_touches (leat_plan_get_op (plan, j), b) && !reaches[j * n + i])
        return FALSE;
  return TRUE;
}

static int
compare_sizes (gconstpointer a, gconstpointer b)
{
  const LeatBuffer *first = *(LeatBuffer *const *) a, *second = *(LeatBuffer *const *) b;

  return first->bytes != second->bytes ? (first->bytes < second->bytes ? 1 : -1) : (first->id < second->id ? -1 : 1);
}

static guint64
get_end (const LeatBuffer *buffer)
{
  return LEAT_BOUND_BUFFER (buffer)->offset + (buffer->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Among those before it in @order, which lie where they do. */
static guint64
find_offset (LeatPlan *plan, GPtrArray *order, guint index, const gboolean *reaches)
{
  LeatBoundBuffer buffer = *(LeatBoundBuffer *) order->pdata[index];
  gboolean moved = TRUE;

  buffer.offset = 0;
  while (moved)
    {
      moved = FALSE;
      for (guint i = 0; i < index; i++)
        {
          const LeatBuffer *other = order->pdata[i];

          if (LEAT_BOUND_BUFFER (other)->offset >= get_end (&buffer.buffer) || get_end (other) <= buffer.offset
              || is_before (plan, reaches, buffer.buffer.id, other->id)
              || is_before (plan, reaches, other->id, buffer.buffer.id))
            continue;
          buffer.offset = get_end (other);
          moved = TRUE;
        }
    }
  return buffer.offset;
}

static void
check_plan (LeatPlan *plan)
{
  g_autoptr (GPtrArray) order = g_ptr_array_new ();
  g_autofree gboolean *reaches = list_reaches (plan);
  guint64 end = 0;

  for (guint i = 0; i < plan->buffers->len; i++)
    g_ptr_array_add (order, leat_plan_get_buffer (plan, i));
  g_ptr_array_sort (order, compare_sizes);
  for (guint i = 0; i < order->len; i++)
    {
      const LeatBuffer *buffer = order->pdata[i];

      g_assert_cmpuint (LEAT_BOUND_BUFFER (buffer)->offset, ==, find_offset (plan, order, i, reaches));
      end = MAX (end, get_end (buffer));
    }
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->arena_bytes, ==, end);
}

static void
test_layout_of_many_branches (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  const LeatTraits traits = { .bound = TRUE };

  for (guint i = 0; i < PLANS; i++)
    {
      g_autoptr (LeatPlan) plan = make_wide_plan (rand);

      leat_plan_bind (plan, &traits);
      check_plan (plan);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/bind/layout/of-many-branches", test_layout_of_many_branches);
  return g_test_run ();
}
