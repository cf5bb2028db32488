/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bind/leat-bound-plan-private.h"

/* Where data come from that copies have brought. */

#define BUFFERS 6
#define BYTES   1000

static LeatPlan *
make_plan (void)
{
  LeatPlan *plan = g_object_new (LEAT_TYPE_PLAN, NULL);

  for (guint i = 0; i < BUFFERS; i++)
    leat_plan_add_buffer (plan, LEAT_BUFFER_DEVICE, "b", NULL, BYTES);
  return plan;
}

static void
add_copy (LeatPlan *plan, LeatOpKind kind, LeatBufferId to, LeatBufferId from, guint64 bytes)
{
  LeatOp *op = leat_plan_add_op (plan, kind, NULL);

  op->to = to;
  op->from = from;
  op->bytes = bytes;
}

static void
check_origins (LeatPlan *plan, const LeatBufferId expected[BUFFERS])
{
  g_autofree LeatBufferId *origins = leat_plan_list_origins (plan);

  for (guint i = 0; i < BUFFERS; i++)
    {
      g_assert_cmpuint (origins[i], ==, expected[i]);
      g_assert_true (leat_plan_get_origin (plan, i) == leat_plan_get_buffer (plan, expected[i]));
    }
}

static void
test_origin_goes_back (void)
{
  g_autoptr (LeatPlan) plan = make_plan ();

  add_copy (plan, LEAT_OP_TRANSFER, 1, 0, BYTES);
  add_copy (plan, LEAT_OP_COPY, 2, 1, BYTES);
  add_copy (plan, LEAT_OP_TRANSFER, 3, 2, BYTES);
  check_origins (plan, (const LeatBufferId[]){ 0, 0, 0, 0, 4, 5 });
}

/* What was there before a copy wrote over it was copied; a count alone brings no data, nor does a fill. */
static void
test_origin_goes_by_order (void)
{
  g_autoptr (LeatPlan) plan = make_plan ();

  add_copy (plan, LEAT_OP_COPY, 2, 1, BYTES);
  add_copy (plan, LEAT_OP_COPY, 1, 0, BYTES);
  add_copy (plan, LEAT_OP_COPY, 3, 0, sizeof (guint64));
  add_copy (plan, LEAT_OP_FILL, 4, 0, BYTES);
  add_copy (plan, LEAT_OP_COPY, 5, 2, BYTES);
  check_origins (plan, (const LeatBufferId[]){ 0, 0, 1, 3, 4, 1 });
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/plan/origin/goes-back", test_origin_goes_back);
  g_test_add_func ("/leat/plan/origin/goes-by-order", test_origin_goes_by_order);
  return g_test_run ();
}
