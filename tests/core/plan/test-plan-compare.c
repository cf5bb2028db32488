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

/* Two plans of a chain, the second after its source got @spec (NULL: as before). */
typedef struct
{
  Chain chain;
  LeatPlan *a, *b;
} Pair;

static void
pair_init (Pair *self, const char *spec)
{
  chain_init (&self->chain);
  self->a = chain_plan (&self->chain, FALSE);
  if (spec != NULL)
    g_object_set (self->chain.source, "spec", spec, NULL);
  self->b = chain_plan (&self->chain, FALSE);
}

/* @word: that the reason must have; NULL: there must be none. */
static void
pair_check (Pair *self, LeatPlanLikeness likeness, const char *word, gboolean same_shape)
{
  g_autofree char *why = NULL;

  g_assert_cmpint (leat_plan_compare (self->a, self->b, &why), ==, likeness);
  if (word == NULL)
    g_assert_cmpstr (why, ==, NULL);
  else
    g_assert_nonnull (strstr (why, word));
  g_assert_cmpint (leat_plan_has_shape_of (self->a, self->b), ==, same_shape);
  g_object_unref (self->a);
  g_object_unref (self->b);
  g_object_unref (self->chain.pipeline);
}

static void
test_plan_compare_same (void)
{
  Pair pair;

  pair_init (&pair, NULL);
  g_assert_cmpuint (leat_plan_hash (pair.a), ==, leat_plan_hash (pair.b));
  pair_check (&pair, LEAT_PLANS_MATCH, NULL, TRUE);
}

static void
test_plan_compare_sizes (void)
{
  Pair pair;

  pair_init (&pair, "f32[2048]");
  g_assert_cmpuint (leat_plan_hash (pair.a), !=, leat_plan_hash (pair.b));
  pair_check (&pair, LEAT_PLANS_ALIKE, "source.out", FALSE);
}

/* As many bytes and another meaning is another plan over memory of the same shape. */
static void
test_plan_compare_types (void)
{
  Pair pair;

  pair_init (&pair, "i32[1024]");
  pair_check (&pair, LEAT_PLANS_ALIKE, "source.out", TRUE);
}

static void
test_plan_compare_work (void)
{
  Pair pair;

  pair_init (&pair, NULL);
  leat_plan_get_op (pair.b, 2)->elided = TRUE;
  pair_check (&pair, LEAT_PLANS_DIFFER, "\"stage\"", TRUE);
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
