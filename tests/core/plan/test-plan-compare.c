/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"
#include "plan/leat-plan-private.h"
#include "toy-nodes.h"

#include <string.h>

typedef struct
{
  LeatPipeline *pipeline;
  LeatNode *source;
} Chain;

static void
chain_add (Chain *self, const char *before, LeatNode *node)
{
  g_autoptr (GError) error = NULL;

  leat_pipeline_add (self->pipeline, node, &error);
  g_assert_no_error (error);
  if (before != NULL)
    leat_pipeline_link (self->pipeline, before, leat_node_get_name (node), &error);
  g_assert_no_error (error);
  g_object_unref (node);
}

static void
chain_init (Chain *self)
{
  self->pipeline = leat_pipeline_new ();
  self->source = g_object_new (LEAT_TYPE_APP, "name", "source", "spec", "f32[1024]", NULL);
  chain_add (self, NULL, self->source);
  chain_add (self, "source", toy_upload_new ("up", LEAT_TRANSFER_COPY));
  chain_add (self, "up", toy_stage_new ("stage", FALSE));
  chain_add (self, "stage", toy_readback_new ("down", LEAT_TRANSFER_COPY));
  chain_add (self, "down", toy_sink_new ("sink"));
}

static LeatPlan *
chain_plan (Chain *self, gboolean integrated)
{
  g_autoptr (GError) error = NULL;
  LeatPlan *plan = leat_plan_new (self->pipeline, &error);

  g_assert_no_error (error);
  leat_plan_bind (plan, &(LeatTraits){ .bound = TRUE, .integrated = integrated });
  return plan;
}

static void
test_plan_compare_same (void)
{
  Chain chain;
  g_autoptr (LeatPlan) a = NULL;
  g_autoptr (LeatPlan) b = NULL;
  g_autofree char *why = NULL;

  chain_init (&chain);
  a = chain_plan (&chain, FALSE);
  b = chain_plan (&chain, FALSE);
  g_assert_cmpint (leat_plan_compare (a, b, &why), ==, LEAT_PLANS_MATCH);
  g_assert_cmpstr (why, ==, NULL);
  g_assert_cmpuint (leat_plan_hash (a), ==, leat_plan_hash (b));
  g_assert_true (leat_plan_has_shape_of (a, b));
  g_object_unref (chain.pipeline);
}

static void
test_plan_compare_sizes (void)
{
  Chain chain;
  g_autoptr (LeatPlan) a = NULL;
  g_autoptr (LeatPlan) b = NULL;
  g_autofree char *why = NULL;

  chain_init (&chain);
  a = chain_plan (&chain, FALSE);
  g_object_set (chain.source, "spec", "f32[2048]", NULL);
  b = chain_plan (&chain, FALSE);
  g_assert_cmpint (leat_plan_compare (a, b, &why), ==, LEAT_PLANS_ALIKE);
  g_assert_nonnull (strstr (why, "source.out"));
  g_assert_cmpuint (leat_plan_hash (a), !=, leat_plan_hash (b));
  g_assert_false (leat_plan_has_shape_of (a, b));
  g_object_unref (chain.pipeline);
}

/* As many bytes and another meaning is another plan over memory of the same shape. */
static void
test_plan_compare_types (void)
{
  Chain chain;
  g_autoptr (LeatPlan) a = NULL;
  g_autoptr (LeatPlan) b = NULL;
  g_autofree char *why = NULL;

  chain_init (&chain);
  a = chain_plan (&chain, FALSE);
  g_object_set (chain.source, "spec", "i32[1024]", NULL);
  b = chain_plan (&chain, FALSE);
  g_assert_cmpint (leat_plan_compare (a, b, &why), ==, LEAT_PLANS_ALIKE);
  g_assert_true (leat_plan_has_shape_of (a, b));
  g_object_unref (chain.pipeline);
}

static void
test_plan_compare_work (void)
{
  Chain chain;
  g_autoptr (LeatPlan) a = NULL;
  g_autoptr (LeatPlan) b = NULL;
  g_autofree char *why = NULL;

  chain_init (&chain);
  a = chain_plan (&chain, FALSE);
  b = chain_plan (&chain, FALSE);
  leat_plan_get_op (b, 2)->elided = TRUE;
  g_assert_cmpint (leat_plan_compare (a, b, &why), ==, LEAT_PLANS_DIFFER);
  g_assert_nonnull (strstr (why, "\"stage\""));
  g_object_unref (chain.pipeline);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/plan/compare/same", test_plan_compare_same);
  g_test_add_func ("/leat/plan/compare/sizes", test_plan_compare_sizes);
  g_test_add_func ("/leat/plan/compare/types", test_plan_compare_types);
  g_test_add_func ("/leat/plan/compare/work", test_plan_compare_work);
  return g_test_run ();
}
