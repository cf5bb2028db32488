/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"
#include "bind/leat-bound-plan-private.h"
#include "toy-nodes.h"
#include "bind/leat-bind-private.h"

#include <json-glib/json-glib.h>

static const LeatTraits discrete = { .bound = TRUE, .integrated = FALSE };
static const LeatTraits integrated = { .bound = TRUE, .integrated = TRUE };

static void
give_node (LeatPipeline *pipeline, LeatNode *node)
{
  g_autoptr (GError) error = NULL;

  leat_pipeline_add (pipeline, node, &error);
  g_assert_no_error (error);
  g_object_unref (node);
}

static LeatPipeline *
make_pipeline (LeatNode **nodes, guint n_nodes, const char *const (*links)[2], guint n_links)
{
  LeatPipeline *pipeline = leat_pipeline_new ();
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n_nodes; i++)
    {
      give_node (pipeline, nodes[i]);
    }
  for (guint i = 0; i < n_links; i++)
    {
      leat_pipeline_link (pipeline, links[i][0], links[i][1], &error);
      g_assert_no_error (error);
    }
  return pipeline;
}

/* source, upload, @n stages, readback, sink */
static LeatPlan *
plan_chain (const char *spec, guint n, gboolean in_place, LeatTransferMode mode)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (GError) error = NULL;
  LeatPlan *plan;
  const char *last = "up";

  give_node (pipeline, toy_source_new ("source", spec));
  give_node (pipeline, toy_upload_new ("up", mode));
  leat_pipeline_link (pipeline, "source", "up", &error);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("s%u", i);

      give_node (pipeline, toy_stage_new (name, in_place));
      leat_pipeline_link (pipeline, last, name, &error);
      last = leat_node_get_name (leat_pipeline_get_node (pipeline, name, NULL));
    }
  give_node (pipeline, toy_readback_new ("down", mode));
  give_node (pipeline, toy_sink_new ("sink"));
  leat_pipeline_link (pipeline, last, "down", &error);
  leat_pipeline_link (pipeline, "down", "sink", &error);
  g_assert_no_error (error);
  leat_pipeline_set_optimise (pipeline, FALSE); /* toys copy, which plans leave out */
  plan = leat_plan_new (pipeline, &error);
  g_assert_no_error (error);
  return plan;
}

static guint64
predicted (LeatPlan *plan, const char *name)
{
  g_autoptr (GVariant) prediction = leat_plan_dup_prediction (plan);
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (prediction, name, "t", &value));
  return value;
}

static void
test_plan_chain_shares_memory (void)
{
  g_autoptr (LeatPlan) plan = plan_chain ("f32[1024]", 6, FALSE, LEAT_TRANSFER_COPY);

  g_assert_cmpuint (leat_plan_get_n_ops (plan), ==, 10);
  /* Seven device buffers in a row: at any time two are live. */
  g_assert_cmpuint (leat_plan_get_device_bytes (plan), ==, 2 * 4096);
  g_assert_cmpuint (leat_plan_get_host_bytes (plan), ==, 2 * 4096);
}

static void
test_plan_in_place_needs_one_buffer (void)
{
  g_autoptr (LeatPlan) plan = plan_chain ("f32[1024]", 6, TRUE, LEAT_TRANSFER_COPY);

  g_assert_cmpuint (leat_plan_get_device_bytes (plan), ==, 4096);
  g_assert_cmpuint (predicted (plan, "fills"), ==, 6);
}

static void
test_plan_integrated_device_maps (void)
{
  g_autoptr (LeatPlan) plan = plan_chain ("f32[1024]", 1, FALSE, LEAT_TRANSFER_AUTO);

  leat_plan_bind (plan, &discrete);
  g_assert_cmpuint (predicted (plan, "copies"), ==, 3);
  g_assert_cmpuint (predicted (plan, "upload-bytes"), ==, 4096);
  g_assert_cmpuint (predicted (plan, "readback-bytes"), ==, 4096);
  leat_plan_bind (plan, &integrated);
  g_assert_cmpuint (predicted (plan, "copies"), ==, 1);
  g_assert_cmpuint (predicted (plan, "upload-bytes"), ==, 0);
  g_assert_cmpuint (predicted (plan, "readback-bytes"), ==, 0);
  g_assert_cmpuint (leat_plan_get_device_bytes (plan), ==, 0);
  leat_plan_bind (plan, &discrete);
  g_assert_cmpuint (predicted (plan, "copies"), ==, 3);
}

static void
test_plan_mapped_input_is_not_overwritten (void)
{
  g_autoptr (LeatPlan) plan = plan_chain ("f32[1024]", 1, TRUE, LEAT_TRANSFER_MAPPED);

  leat_plan_bind (plan, &integrated);
  /* The stage works in place, so the upload must be a copy, into the memory that the sink will read. */
  g_assert_cmpuint (predicted (plan, "copies"), ==, 1);
  g_assert_cmpuint (predicted (plan, "device-copy-bytes"), ==, 4096);
  g_assert_cmpuint (leat_plan_get_root (plan, 0)->id, ==, 0);
}

/* A copy writes the whole buffer, so nothing is won by letting it write through the link. */
static void
test_plan_copied_result_is_not_mapped (void)
{
  g_autoptr (LeatPlan) plan = plan_chain ("u8[<=1000]", 1, FALSE, LEAT_TRANSFER_AUTO);

  leat_plan_bind (plan, &discrete);
  g_assert_cmpuint (predicted (plan, "upload-bytes"), ==, 1000 + LEAT_BUFFER_HEADER);
  g_assert_cmpuint (predicted (plan, "readback-bytes"), ==, 1000 + LEAT_BUFFER_HEADER);
  g_assert_cmpuint (predicted (plan, "copies"), ==, 3);
}

static void
test_plan_branches_stay_parallel (void)
{
  LeatNode *nodes[] = { toy_source_new ("source", "f32[1024]"),
                        toy_upload_new ("up", LEAT_TRANSFER_COPY),
                        toy_stage_new ("left", FALSE),
                        toy_stage_new ("right", FALSE),
                        toy_join_new ("join"),
                        toy_readback_new ("down", LEAT_TRANSFER_COPY),
                        toy_sink_new ("sink") };
  static const char *const links[][2] = { { "source", "up" },       { "up", "left.in" },       { "up", "right.in" },
                                          { "left.out", "join.a" }, { "right.out", "join.b" }, { "join", "down" },
                                          { "down", "sink" } };
  g_autoptr (LeatPipeline) pipeline = make_pipeline (nodes, G_N_ELEMENTS (nodes), links, G_N_ELEMENTS (links));
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPlan) plan = NULL;

  leat_pipeline_set_optimise (pipeline, FALSE);
  plan = leat_plan_new (pipeline, &error);
  g_assert_no_error (error);
  /* ops: 0 source, 1 up, 2 left, 3 right, 4 join a, 5 join b, 6 down, 7 sink */
  g_assert_cmpuint (LEAT_BOUND_OP (leat_plan_get_op (plan, 2))->n_after, ==, 1);
  g_assert_cmpuint (LEAT_BOUND_OP (leat_plan_get_op (plan, 2))->after[0], ==, 1);
  g_assert_cmpuint (LEAT_BOUND_OP (leat_plan_get_op (plan, 3))->n_after, ==, 1);
  g_assert_cmpuint (LEAT_BOUND_OP (leat_plan_get_op (plan, 3))->after[0], ==, 1);
  g_assert_cmpuint (LEAT_BOUND_OP (leat_plan_get_op (plan, 5))->n_after, ==, 2);
  /* left and right may run at once: their results must not share memory */
  g_assert_cmpuint (leat_plan_get_device_bytes (plan), ==, 4 * 4096);
}

/* The branches read one buffer each, the second copy of the join only waits for the first. */
static void
test_plan_dot_draws_every_buffer (void)
{
  LeatNode *nodes[] = { toy_source_new ("source", "f32[1024]"),
                        toy_upload_new ("up", LEAT_TRANSFER_COPY),
                        toy_stage_new ("left", FALSE),
                        toy_stage_new ("right", TRUE),
                        toy_join_new ("join"),
                        toy_readback_new ("down", LEAT_TRANSFER_COPY),
                        toy_sink_new ("sink") };
  static const char *const links[][2] = { { "source", "up" },         { "up", "left.in" },
                                          { "left.out", "right.in" }, { "left.out", "join.a" },
                                          { "right.out", "join.b" },  { "join", "down" },
                                          { "down", "sink" } };
  /* ops: 0 source, 1 up, 2 left, 3 right, 4 join a, 5 join b, 6 down, 7 sink */
  static const char *const data[] = { "op0 -> op1", "op1 -> op2", "op2 -> op3", "op2 -> op4",
                                      "op3 -> op5", "op5 -> op6", "op6 -> op7" };
  g_autoptr (LeatPipeline) pipeline = make_pipeline (nodes, G_N_ELEMENTS (nodes), links, G_N_ELEMENTS (links));
  g_autoptr (LeatPlan) plan = NULL;
  g_autofree char *dot = NULL;
  g_auto (GStrv) arrows = NULL;

  leat_pipeline_set_optimise (pipeline, FALSE);
  plan = leat_plan_new (pipeline, NULL);
  dot = leat_plan_to_dot (plan);
  arrows = g_strsplit (dot, " -> ", -1);
  g_test_message ("%s", dot);
  for (guint i = 0; i < G_N_ELEMENTS (data); i++)
    {
      g_autofree char *line = g_strdup_printf ("  %s [label=\"f32[1024]\"];\n", data[i]);

      g_assert_nonnull (strstr (dot, line));
    }
  g_assert_nonnull (strstr (dot, "  op4 -> op5 [style=dashed];\n"));
  g_assert_cmpuint (g_strv_length (arrows), ==, G_N_ELEMENTS (data) + 2);
}

static void
test_plan_refuses_an_empty_pipeline (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_plan_new (pipeline, &error));
  g_assert_error (error, LEAT_PLAN_ERROR, LEAT_PLAN_ERROR_EMPTY);
}

static void
test_plan_refuses_impossible_sizes (void)
{
  LeatNode *nodes[] = { toy_source_new ("source", "f64[400000000000000000]"), toy_sink_new ("sink") };
  static const char *const links[][2] = { { "source", "sink" } };
  g_autoptr (LeatPipeline) pipeline = make_pipeline (nodes, G_N_ELEMENTS (nodes), links, G_N_ELEMENTS (links));
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_plan_new (pipeline, &error));
  g_assert_error (error, LEAT_PLAN_ERROR, LEAT_PLAN_ERROR_SIZE);
  g_assert_nonnull (strstr (error->message, "source.out"));
}

static void
test_plan_refuses_an_unlinked_input (void)
{
  LeatNode *nodes[] = { toy_stage_new ("alone", FALSE) };
  g_autoptr (LeatPipeline) pipeline = make_pipeline (nodes, 1, NULL, 0);
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_plan_new (pipeline, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNLINKED);
}

static void
test_plan_json_agrees (void)
{
  g_autoptr (LeatPlan) plan = plan_chain ("f32[1024]", 2, FALSE, LEAT_TRANSFER_COPY);
  g_autofree char *text = leat_plan_to_json (plan);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  JsonObject *root;

  json_parser_load_from_data (parser, text, -1, &error);
  g_assert_no_error (error);
  root = json_node_get_object (json_parser_get_root (parser));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (root, "ops")), ==, leat_plan_get_n_ops (plan));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (root, "buffers")), ==,
                    leat_plan_get_n_buffers (plan));
  g_assert_cmpint (json_object_get_int_member (root, "device-bytes"), ==, leat_plan_get_device_bytes (plan));
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (root, "prediction"), "copies"), ==, 4);
}

/* A plan of random ops over random buffers, made by hand. */
static LeatPlan *
make_random_plan (GRand *rand)
{
  LeatPlan *plan = g_object_new (LEAT_TYPE_PLAN, NULL);
  guint n_buffers = g_rand_int_range (rand, 1, 12), n_ops = g_rand_int_range (rand, 1, 90);

  for (guint i = 0; i < n_buffers; i++)
    leat_plan_add_buffer (plan, LEAT_BUFFER_DEVICE, "b", NULL, g_rand_int_range (rand, 1, 5000));
  for (guint i = 0; i < n_ops; i++)
    {
      LeatOp *op = leat_plan_add_op (plan, LEAT_OP_COPY, NULL);
      guint n = g_rand_int_range (rand, 1, 4);

      for (guint t = 0; t < n; t++)
        leat_op_touch (op, g_rand_int_range (rand, 0, n_buffers), g_rand_int_range (rand, 1, 4));
      op->to = op->from = op->touches[0].buffer;
    }
  return leat_bound_plan_new (plan);
}

static gboolean
ops_conflict (const LeatOp *a, const LeatOp *b)
{
  for (guint i = 0; i < a->n_touches; i++)
    for (guint j = 0; j < b->n_touches; j++)
      if (a->touches[i].buffer == b->touches[j].buffer
          && ((a->touches[i].access | b->touches[j].access) & LEAT_ACCESS_WRITE))
        return TRUE;
  return FALSE;
}

/* Reachability by the printed edges alone. */
static gboolean
op_reaches (LeatPlan *plan, guint from, guint to, gboolean skip_direct)
{
  const LeatOp *op = leat_plan_get_op (plan, to);

  for (guint i = 0; i < LEAT_BOUND_OP (op)->n_after; i++)
    {
      if (LEAT_BOUND_OP (op)->after[i] == from && !skip_direct)
        return TRUE;
      if (LEAT_BOUND_OP (op)->after[i] > from && op_reaches (plan, from, LEAT_BOUND_OP (op)->after[i], FALSE))
        return TRUE;
    }
  return FALSE;
}

static gboolean
buffers_may_share (LeatPlan *plan, LeatBufferId a, LeatBufferId b)
{
  for (guint i = 0; i < plan->ops->len; i++)
    for (guint j = 0; j < plan->ops->len; j++)
      {
        const LeatOp *first = leat_plan_get_op (plan, i), *second = leat_plan_get_op (plan, j);
        gboolean touches_a = FALSE, touches_b = FALSE;

        for (guint t = 0; t < first->n_touches; t++)
          touches_a |= first->touches[t].buffer == a;
        for (guint t = 0; t < second->n_touches; t++)
          touches_b |= second->touches[t].buffer == b;
        if (touches_a && touches_b && (i == j || !op_reaches (plan, i, j, FALSE)))
          return FALSE;
      }
  return TRUE;
}

static void
check_edges (LeatPlan *plan)
{
  for (guint j = 0; j < plan->ops->len; j++)
    {
      const LeatOp *op = leat_plan_get_op (plan, j);

      for (guint i = 0; i < j; i++)
        if (ops_conflict (leat_plan_get_op (plan, i), op))
          g_assert_true (op_reaches (plan, i, j, FALSE));
      for (guint e = 0; e < LEAT_BOUND_OP (op)->n_after; e++)
        {
          g_assert_true (ops_conflict (leat_plan_get_op (plan, LEAT_BOUND_OP (op)->after[e]), op));
          g_assert_false (op_reaches (plan, LEAT_BOUND_OP (op)->after[e], j, TRUE));
        }
    }
}

/* A buffer that no op touches has no memory. */
static gboolean
buffer_has_memory (LeatPlan *plan, guint id)
{
  const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (leat_plan_get_buffer (plan, id));
  gboolean touched = FALSE;

  for (guint i = 0; i < plan->ops->len; i++)
    for (guint t = 0; t < leat_plan_get_op (plan, i)->n_touches; t++)
      touched = touched || leat_plan_get_op (plan, i)->touches[t].buffer == id;
  g_assert_cmpint (bound->place == LEAT_PLACE_NOWHERE, ==, !touched);
  return touched;
}

static void
check_layout (LeatPlan *plan)
{
  for (guint a = 0; a < plan->buffers->len; a++)
    for (guint b = 0; b < a && buffer_has_memory (plan, a); b++)
      {
        const LeatBuffer *x = leat_plan_get_buffer (plan, a), *y = leat_plan_get_buffer (plan, b);
        gboolean overlap = LEAT_BOUND_BUFFER (x)->offset < LEAT_BOUND_BUFFER (y)->offset + y->bytes
                           && LEAT_BOUND_BUFFER (y)->offset < LEAT_BOUND_BUFFER (x)->offset + x->bytes;

        if (overlap && buffer_has_memory (plan, b))
          g_assert_true (buffers_may_share (plan, a, b) || buffers_may_share (plan, b, a));
        g_assert_cmpuint (LEAT_BOUND_BUFFER (x)->offset % 256, ==, 0);
        g_assert_cmpuint (LEAT_BOUND_BUFFER (x)->offset + x->bytes, <=, LEAT_BOUND_PLAN (plan)->arena_bytes);
      }
}

static void
test_plan_random_ops_keep_their_promises (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());

  for (guint round = 0; round < 60; round++)
    {
      g_autoptr (LeatPlan) plan = make_random_plan (rand);

      leat_plan_bind (plan, &discrete);
      check_edges (plan);
      check_layout (plan);
    }
}

/* Nodes may be taken out of the pipeline while somebody still holds the plan. */
static void
test_plan_outlives_removed_nodes (void)
{
  g_autoptr (LeatPlan) plan = plan_chain ("f32[1024]", 3, FALSE, LEAT_TRANSFER_COPY);
  g_autofree char *before = leat_plan_to_text (plan), *after = NULL;
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (plan->pipeline);

  for (guint i = nodes->len; i > 0; i--)
    leat_pipeline_remove (plan->pipeline, g_ptr_array_index (nodes, i - 1));
  g_clear_pointer (&nodes, g_ptr_array_unref);
  after = leat_plan_to_text (plan);
  g_assert_cmpstr (after, ==, before);
  for (guint i = 0; i < leat_plan_get_n_ops (plan); i++)
    {
      g_assert_true (LEAT_IS_NODE (leat_plan_get_op (plan, i)->node));
      g_assert_null (leat_node_get_pipeline (leat_plan_get_op (plan, i)->node));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/plan/layout/chain-shares-memory", test_plan_chain_shares_memory);
  g_test_add_func ("/leat/plan/layout/in-place-needs-one-buffer", test_plan_in_place_needs_one_buffer);
  g_test_add_func ("/leat/plan/bind/integrated-device-maps", test_plan_integrated_device_maps);
  g_test_add_func ("/leat/plan/bind/mapped-input-is-not-overwritten", test_plan_mapped_input_is_not_overwritten);
  g_test_add_func ("/leat/plan/bind/copied-result-is-not-mapped", test_plan_copied_result_is_not_mapped);
  g_test_add_func ("/leat/plan/dependencies/branches-stay-parallel", test_plan_branches_stay_parallel);
  g_test_add_func ("/leat/plan/dependencies/random-ops-keep-their-promises", test_plan_random_ops_keep_their_promises);
  g_test_add_func ("/leat/plan/refuses-an-empty-pipeline", test_plan_refuses_an_empty_pipeline);
  g_test_add_func ("/leat/plan/refuses-impossible-sizes", test_plan_refuses_impossible_sizes);
  g_test_add_func ("/leat/plan/refuses-an-unlinked-input", test_plan_refuses_an_unlinked_input);
  g_test_add_func ("/leat/plan/dot/draws-every-buffer", test_plan_dot_draws_every_buffer);
  g_test_add_func ("/leat/plan/outlives-removed-nodes", test_plan_outlives_removed_nodes);
  g_test_add_func ("/leat/plan/json/agrees", test_plan_json_agrees);
  return g_test_run ();
}
