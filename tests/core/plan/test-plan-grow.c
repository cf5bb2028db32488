/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bind/leat-bound-plan-private.h"
#include "toy-nodes.h"

/* Which output had too little room for a count: plans made by hand, of which each op writes a buffer of its own from
 * some before it, beside the set of buffers that what is there came through. */

#define PLANS   300
#define BUFFERS 12
#define COUNT   100

static const LeatOpKind kinds[] = { LEAT_OP_COPY, LEAT_OP_TRANSFER, LEAT_OP_FOREIGN, LEAT_OP_KERNEL, LEAT_OP_FILL };

/* @from: by buffer, those that it was handed on from, as bits */
static LeatPlan *
make_plan (GRand *rand, LeatPort *port, guint from[BUFFERS])
{
  LeatPlan *plan = g_object_new (LEAT_TYPE_PLAN, NULL);

  for (guint i = 0; i < BUFFERS; i++)
    {
      const guint64 room = COUNT - 1 + g_rand_int_range (rand, 0, 3);
      g_autoptr (LeatSpec) spec = leat_spec_new (LEAT_DTYPE_U8, &room, 1, TRUE);
      LeatBufferId id = leat_plan_add_buffer (plan, LEAT_BUFFER_DEVICE, "b", spec, room);
      guint kind = g_rand_int_range (rand, 0, G_N_ELEMENTS (kinds)), n = i > 0 ? g_rand_int_range (rand, 1, 3) : 0;
      LeatOp *op = leat_plan_add_op (plan, kinds[kind], NULL);

      leat_plan_get_buffer (plan, id)->grows = g_rand_boolean (rand) ? port : NULL;
      from[i] = 0;
      for (guint k = 0; k < n; k++)
        {
          guint other = g_rand_int_range (rand, 0, i);

          leat_op_touch (op, other, LEAT_ACCESS_READ);
          from[i] |= kind < 3 ? 1u << other | from[other] : 0;
        }
      leat_op_touch (op, id, LEAT_ACCESS_WRITE);
    }
  return plan;
}

static void
test_grow_find_short (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  g_autoptr (LeatNode) node = toy_stage_new ("stage", FALSE);

  for (guint p = 0; p < PLANS; p++)
    {
      guint from[BUFFERS];
      g_autoptr (LeatPlan) plan = make_plan (rand, leat_node_get_port (node, "out", NULL), from);

      for (guint id = 0; id < BUFFERS; id++)
        {
          const LeatBuffer *found = leat_plan_find_short (plan, id, COUNT);
          guint wanted = 0;

          for (guint i = 0; i < BUFFERS; i++)
            {
              const LeatBuffer *buffer = leat_plan_get_buffer (plan, i);

              if (((from[id] | 1u << id) & 1u << i) && buffer->grows != NULL
                  && leat_spec_get_dim (buffer->spec, 0) < COUNT)
                wanted |= 1u << i;
            }
          g_assert_true (found == NULL ? wanted == 0 : (wanted & 1u << found->id) != 0);
          if (wanted & 1u << id)
            g_assert_cmpuint (found->id, ==, id);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/plan/grow/find-short", test_grow_find_short);
  return g_test_run ();
}
