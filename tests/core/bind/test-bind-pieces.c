/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bind/leat-bound-plan-private.h"
#include "toy-nodes.h"
#include "bind/leat-bind-private.h"

static const LeatTraits discrete = { .bound = TRUE };

static void
give_node (LeatPipeline *pipeline, LeatNode *node, const char *after)
{
  g_autoptr (GError) error = NULL;

  leat_pipeline_add (pipeline, node, &error);
  if (after != NULL)
    leat_pipeline_link (pipeline, after, leat_node_get_name (node), &error);
  g_assert_no_error (error);
  g_object_unref (node);
}

/* source, upload, @n stages, readback, sink */
static LeatPlan *
make_chain (guint n)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *last = g_strdup ("up");
  LeatPlan *plan;

  give_node (pipeline, toy_source_new ("source", "u8[64]"), NULL);
  give_node (pipeline, toy_upload_new ("up", LEAT_TRANSFER_COPY), "source");
  for (guint i = 0; i < n; i++)
    {
      char *name = g_strdup_printf ("s%u", i);

      give_node (pipeline, toy_stage_new (name, FALSE), last);
      g_free (last);
      last = name;
    }
  give_node (pipeline, toy_readback_new ("down", LEAT_TRANSFER_COPY), last);
  give_node (pipeline, toy_sink_new ("sink"), "down");
  leat_pipeline_set_optimise (pipeline, FALSE); /* toys copy, which plans leave out */
  plan = leat_plan_new (pipeline, &error);
  g_assert_no_error (error);
  return plan;
}

static const LeatPiece *
get_piece (LeatPlan *plan, guint index)
{
  return &g_array_index (LEAT_BOUND_PLAN (plan)->pieces, LeatPiece, index);
}

static void
test_pieces_one_graph (void)
{
  g_autoptr (LeatPlan) plan = make_chain (3);
  g_autofree char *text = NULL;

  leat_plan_bind (plan, &discrete);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->pieces->len, ==, 1);
  g_assert_true (get_piece (plan, 0)->captured);
  g_assert_cmpuint (get_piece (plan, 0)->n_ops, ==, 5);
  g_assert_cmpuint (get_piece (plan, 0)->end, ==, plan->ops->len);
  g_assert_cmpuint (leat_plan_count_graphs (plan), ==, 1);
  text = leat_plan_to_text (plan);
  g_assert_null (strstr (text, "one by one"));
}

/* A cut takes one op out; a piece of one op beside it stays out as well, until the plan is settled. */
static void
test_pieces_cut (void)
{
  g_autoptr (LeatPlan) plan = make_chain (3);
  g_autofree char *json = NULL;

  leat_plan_bind (plan, &discrete);
  leat_plan_cut_at (plan, leat_plan_get_op (plan, 2), "it reads a clock", NULL);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->pieces->len, ==, 2);
  g_assert_false (get_piece (plan, 0)->captured);
  g_assert_cmpuint (get_piece (plan, 0)->n_ops, ==, 2);
  g_assert_true (get_piece (plan, 1)->captured);
  g_assert_cmpuint (get_piece (plan, 1)->first, ==, 3);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->prediction.graph_launches, ==, 1);
  g_assert_true (leat_plan_settle (plan, NULL));
  g_assert_false (leat_plan_settle (plan, NULL));
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->pieces->len, ==, 3);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->prediction.graph_launches, ==, 2);
  g_assert_cmpstr (get_piece (plan, 1)->why_not, ==, "it reads a clock");
  json = leat_plan_to_json (plan);
  g_assert_nonnull (strstr (json, "\"why-not\" : \"it reads a clock\""));
}

static void
test_pieces_as_asked (void)
{
  g_autoptr (LeatPlan) plan = make_chain (3);
  LeatTraits traits = discrete;

  traits.capture = LEAT_CAPTURE_NONE;
  leat_plan_bind (plan, &traits);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->pieces->len, ==, 1);
  g_assert_false (get_piece (plan, 0)->captured);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->prediction.graph_launches, ==, 0);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->prediction.waits, ==, 1);
  traits.capture = LEAT_CAPTURE_ALL;
  leat_plan_bind (plan, &traits);
  leat_plan_cut_at (plan, leat_plan_get_op (plan, 2), "it reads a clock", NULL);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->prediction.graph_launches, ==, 2);
}

/* Whatever is cut, every op on the device is in one piece, in order, and no graph has an op that was cut. */
static void
test_pieces_random_cuts (void)
{
  for (guint round = 0; round < 200; round++)
    {
      g_autoptr (LeatPlan) plan = make_chain (12);
      LeatTraits traits = discrete;
      guint at = 0, n_ops = 0;

      traits.capture = round % 2 == 0 ? LEAT_CAPTURE_AUTO : LEAT_CAPTURE_ALL;
      leat_plan_bind (plan, &traits);
      for (guint cut = 0; cut < round % 9; cut++)
        leat_plan_cut_at (plan, leat_plan_get_op (plan, (guint) g_test_rand_int_range (1, 15)), "for a test", NULL);
      for (guint i = 0; i < LEAT_BOUND_PLAN (plan)->pieces->len; i++)
        {
          const LeatPiece *piece = get_piece (plan, i);

          g_assert_cmpuint (piece->first, >=, at);
          for (guint j = at; j < piece->first; j++)
            g_assert_false (leat_op_is_on_device (leat_plan_get_op (plan, j)));
          for (guint j = piece->first; j < piece->end && piece->captured; j++)
            g_assert_null (leat_plan_get_op (plan, j)->why_eager);
          g_assert_true (piece->captured != (piece->why_not != NULL));
          g_assert_false (i > 0 && !piece->captured && !get_piece (plan, i - 1)->captured);
          at = piece->end;
          n_ops += piece->n_ops;
        }
      g_assert_cmpuint (at, ==, plan->ops->len);
      g_assert_cmpuint (n_ops, ==, 14);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/bind/pieces/one-graph", test_pieces_one_graph);
  g_test_add_func ("/leat/bind/pieces/cut", test_pieces_cut);
  g_test_add_func ("/leat/bind/pieces/as-asked", test_pieces_as_asked);
  g_test_add_func ("/leat/bind/pieces/random-cuts", test_pieces_random_cuts);
  return g_test_run ();
}
