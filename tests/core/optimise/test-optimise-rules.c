/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "optimise/leat-optimise-private.h"

#include "leat.h"
#include "toy-nodes.h"

/* Each rule of a recorded plan, broken once. */

static LeatPlan *
rules_record (void)
{
  static const char *const links[][2] = {
    { "source", "up" }, { "up", "s0" }, { "s0", "s1" }, { "s1", "down" }, { "down", "sink" }
  };
  LeatNode *nodes[] = {
    toy_source_new ("source", "f32[64]"), toy_upload_new ("up", LEAT_TRANSFER_COPY),     toy_stage_new ("s0", FALSE),
    toy_stage_new ("s1", FALSE),          toy_readback_new ("down", LEAT_TRANSFER_COPY), toy_sink_new ("sink")
  };
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (GError) error = NULL;
  LeatPlan *plan;

  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      leat_pipeline_add (pipeline, nodes[i], &error);
      g_assert_no_error (error);
      g_object_unref (nodes[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (links); i++)
    leat_pipeline_link (pipeline, links[i][0], links[i][1], &error);
  plan = leat_plan_record_all (pipeline, &error);
  g_assert_no_error (error);
  return plan;
}

static void
rules_expect (LeatPlan *plan, const char *what)
{
  g_autofree char *broken = leat_plan_find_broken_rule (plan);
  g_autoptr (GError) error = NULL;

  if (broken == NULL || strstr (broken, what) == NULL)
    g_error ("\"%s\" does not say \"%s\"", broken != NULL ? broken : "nothing is broken", what);
  g_assert_false (leat_plan_optimise (plan, &error));
  g_assert_nonnull (strstr (error->message, "the plan is not whole as it was recorded: "));
  g_assert_nonnull (strstr (error->message, "optimise=off"));
}

static void
test_rules_hold (void)
{
  g_autoptr (LeatPlan) plan = rules_record ();
  g_autofree char *broken = leat_plan_find_broken_rule (plan);

  g_assert_null (broken);
}

/* ops: 0 source, 1 up, 2 s0, 3 s1, 4 down, 5 sink */
static void
test_rules_numbers (void)
{
  g_autoptr (LeatPlan) plan = rules_record ();

  leat_plan_get_op (plan, 3)->index = 2;
  rules_expect (plan, "has another number than its place, 3");
}

static void
test_rules_buffers (void)
{
  g_autoptr (LeatPlan) plan = rules_record ();

  leat_plan_get_op (plan, 2)->touches[0].buffer = 99;
  rules_expect (plan, "touches buffer 99, which is not there");
}

static void
test_rules_moves (void)
{
  g_autoptr (LeatPlan) plan = rules_record ();

  leat_plan_get_op (plan, 2)->bytes = 257;
  rules_expect (plan, "moves more than its buffers have");
}

static void
test_rules_reads_of_nothing (void)
{
  g_autoptr (LeatPlan) plan = rules_record ();

  leat_plan_remove_op (plan, 2);
  rules_expect (plan, "op 2 (copy of toy:node \"s1\") reads s0.out, which nobody writes");
}

static void
test_rules_reads_too_early (void)
{
  g_autoptr (LeatPlan) plan = rules_record ();

  leat_plan_move_op (plan, 3, 2);
  rules_expect (plan, "reads s0.out, which is written behind it");
}

static void
test_rules_two_writers (void)
{
  g_autoptr (LeatPlan) plan = rules_record ();
  LeatOp *op = leat_plan_get_op (plan, 3);

  leat_op_touch (op, leat_plan_get_op (plan, 2)->to, LEAT_ACCESS_WRITE);
  rules_expect (plan, "writes s0.out, which \"s0\" writes too");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/optimise/rules/hold", test_rules_hold);
  g_test_add_func ("/leat/optimise/rules/numbers", test_rules_numbers);
  g_test_add_func ("/leat/optimise/rules/buffers", test_rules_buffers);
  g_test_add_func ("/leat/optimise/rules/moves", test_rules_moves);
  g_test_add_func ("/leat/optimise/rules/reads-of-nothing", test_rules_reads_of_nothing);
  g_test_add_func ("/leat/optimise/rules/reads-too-early", test_rules_reads_too_early);
  g_test_add_func ("/leat/optimise/rules/two-writers", test_rules_two_writers);
  return g_test_run ();
}
