/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"
#include "bind/leat-bound-plan-private.h"
#include "toy-nodes.h"
#include "bind/leat-bind-private.h"

static void
add_behind (LeatPipeline *pipeline, const char *before, LeatNode *node)
{
  g_autoptr (GError) error = NULL;

  leat_pipeline_add (pipeline, node, &error);
  g_assert_no_error (error);
  if (before != NULL)
    leat_pipeline_link (pipeline, before, leat_node_get_name (node), &error);
  g_assert_no_error (error);
  g_object_unref (node);
}

/* @source, upload, three stages, readback, @sink */
static LeatPlan *
plan_between (LeatNode *source, gboolean in_place, LeatTransferMode up, LeatTransferMode down, LeatNode *sink)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (GError) error = NULL;
  LeatPlan *plan;

  add_behind (pipeline, NULL, source);
  add_behind (pipeline, "source", toy_upload_new ("up", up));
  add_behind (pipeline, "up", toy_stage_new ("first", in_place));
  add_behind (pipeline, "first", toy_stage_new ("second", FALSE));
  add_behind (pipeline, "second", toy_stage_new ("third", FALSE));
  add_behind (pipeline, "third", toy_readback_new ("down", down));
  add_behind (pipeline, "down", sink);
  leat_pipeline_set_optimise (pipeline, FALSE); /* toys copy, which plans leave out */
  plan = leat_plan_new (pipeline, &error);
  g_assert_no_error (error);
  leat_plan_bind (plan, &(LeatTraits){ .bound = TRUE });
  return plan;
}

static LeatPlan *
plan_behind (LeatNode *source, gboolean in_place, LeatTransferMode mode)
{
  return plan_between (source, in_place, mode, LEAT_TRANSFER_COPY, toy_sink_new ("sink"));
}

static LeatNode *
make_app (void)
{
  return g_object_new (LEAT_TYPE_APP, "name", "source", "spec", "f32[1024]", NULL);
}

static guint
count_kept_ops (LeatPlan *plan)
{
  guint count = 0;

  for (guint i = 0; i < leat_plan_get_n_ops (plan); i++)
    count += LEAT_BOUND_OP (leat_plan_get_op (plan, i))->kept;
  return count;
}

/* The input keeps its memory to itself, beside the two that the chain needs. */
static void
test_plan_reuse_keeps_the_memory_of_an_input (void)
{
  g_autoptr (LeatPlan) plan = plan_behind (make_app (), FALSE, LEAT_TRANSFER_COPY);

  g_assert_null (LEAT_BOUND_PLAN (plan)->why_not_reusable);
  g_assert_cmpuint (count_kept_ops (plan), ==, 1);
  g_assert_cmpuint (leat_plan_get_device_bytes (plan), ==, 3 * 4096);
}

static void
check_refused (LeatPlan *plan, const char *why, guint64 bytes)
{
  g_autofree char *text = leat_plan_to_text (plan);

  g_assert_nonnull (LEAT_BOUND_PLAN (plan)->why_not_reusable);
  g_assert_nonnull (strstr (LEAT_BOUND_PLAN (plan)->why_not_reusable, why));
  g_assert_nonnull (strstr (text, why));
  g_assert_cmpuint (count_kept_ops (plan), ==, 0);
  g_assert_cmpuint (leat_plan_get_device_bytes (plan), ==, bytes);
}

static void
test_plan_reuse_refuses_an_input_that_is_written_over (void)
{
  g_autoptr (LeatPlan) plan = plan_behind (make_app (), TRUE, LEAT_TRANSFER_COPY);

  check_refused (plan, "\"first\" writes over the input", 2 * 4096);
}

static void
test_plan_reuse_refuses_a_stream (void)
{
  g_autoptr (LeatPlan) plan = plan_behind (toy_source_new ("source", "f32[1024]"), FALSE, LEAT_TRANSFER_COPY);

  check_refused (plan, "\"source\" gives new data in every run", 2 * 4096);
}

static void
test_plan_reuse_refuses_where_nothing_is_uploaded (void)
{
  g_autoptr (LeatPlan) plan = plan_behind (make_app (), FALSE, LEAT_TRANSFER_MAPPED);

  check_refused (plan, "nothing is uploaded", 2 * 4096);
}

static gboolean
is_before_without_kept (LeatPlan *plan, guint first, const LeatOp *op)
{
  for (guint i = 0; i < LEAT_BOUND_OP (op)->n_after; i++)
    {
      const LeatOp *before = leat_plan_get_op (plan, LEAT_BOUND_OP (op)->after[i]);

      if (before->index == first || (!LEAT_BOUND_OP (before)->kept && is_before_without_kept (plan, first, before)))
        return TRUE;
    }
  return FALSE;
}

/* What finds the program's memory through the table waits for the kernel that writes it, with or without uploads. */
static void
test_plan_reuse_leaves_nobody_without_the_table (void)
{
  LeatNode *source = make_app (), *sink = g_object_new (LEAT_TYPE_APP, "name", "sink", NULL);
  g_autoptr (LeatPlan) plan = NULL;
  guint by_slot = 0;

  g_assert_true (leat_node_set_from_string (source, "memory", "user", NULL));
  g_assert_true (leat_node_set_from_string (sink, "memory", "user", NULL));
  plan = plan_between (source, FALSE, LEAT_TRANSFER_KERNEL, LEAT_TRANSFER_KERNEL, sink);
  g_assert_true (leat_plan_get_op (plan, 0)->is_head);
  g_assert_cmpuint (count_kept_ops (plan), ==, 1);
  for (guint i = 0; i < leat_plan_get_n_ops (plan); i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);

      if (!LEAT_BOUND_OP (op)->by_slot || LEAT_BOUND_OP (op)->kept)
        continue;
      by_slot++;
      g_assert_true (is_before_without_kept (plan, 0, op));
    }
  g_assert_cmpuint (by_slot, ==, 1);
}

/* The results of one part are the input of the next. */
static void
test_plan_reuse_refuses_what_comes_back (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPlan) plan = NULL;

  add_behind (pipeline, NULL, make_app ());
  add_behind (pipeline, "source", toy_upload_new ("up", LEAT_TRANSFER_COPY));
  add_behind (pipeline, "up", toy_stage_new ("first", FALSE));
  add_behind (pipeline, "first", toy_readback_new ("back", LEAT_TRANSFER_COPY));
  add_behind (pipeline, "back", toy_upload_new ("again", LEAT_TRANSFER_COPY));
  add_behind (pipeline, "again", toy_stage_new ("second", FALSE));
  add_behind (pipeline, "second", toy_readback_new ("down", LEAT_TRANSFER_COPY));
  add_behind (pipeline, "down", toy_sink_new ("sink"));
  leat_pipeline_set_optimise (pipeline, FALSE); /* toys copy, which plans leave out */
  plan = leat_plan_new (pipeline, &error);
  g_assert_no_error (error);
  leat_plan_bind (plan, &(LeatTraits){ .bound = TRUE });
  check_refused (plan, "\"back\" writes in every run", 2 * 4096);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/bind/reuse/keeps-the-memory-of-an-input", test_plan_reuse_keeps_the_memory_of_an_input);
  g_test_add_func ("/leat/bind/reuse/refuses-an-input-that-is-written-over",
                   test_plan_reuse_refuses_an_input_that_is_written_over);
  g_test_add_func ("/leat/bind/reuse/refuses-a-stream", test_plan_reuse_refuses_a_stream);
  g_test_add_func ("/leat/bind/reuse/refuses-where-nothing-is-uploaded",
                   test_plan_reuse_refuses_where_nothing_is_uploaded);
  g_test_add_func ("/leat/bind/reuse/leaves-nobody-without-the-table", test_plan_reuse_leaves_nobody_without_the_table);
  g_test_add_func ("/leat/bind/reuse/refuses-what-comes-back", test_plan_reuse_refuses_what_comes_back);
  return g_test_run ();
}
