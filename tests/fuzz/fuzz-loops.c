/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz-build.h"
#include "leat-fuzz.h"
#include "leat-loops-case.h"

/* Loops as the input chooses them: nodes in the body, loops among them, what goes on and where to, also inputs that are
 * outputs as they are, the test, who does the iterations.  What comes is held against C. */

const char *const leat_fuzz_words[] = { "\1\2", "\2\0\1", "\3\3\1", "\1\1\1\1", "\4\5", "\0\0\0", NULL };

#define RUNS 2

typedef struct
{
  LoopsCase c;
  LeatPipeline *pipeline;
  LeatSession *session;
} LoopsFuzz;

static void
loops_fuzz_open (LoopsFuzz *self, LeatFuzzChoices *choices)
{
  static const char *const executors[] = { "while", "fused", "host", "unrolled", "auto" };
  const char *executor = executors[leat_fuzz_choose (choices, G_N_ELEMENTS (executors))];
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (g_str_equal (executor, "fused") && loops_case_is_nested (&self->c))
    executor = "auto";
  text = loops_case_dup_text (&self->c, executor);
  g_debug ("%s", text);
  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  leat_pipeline_set_fuse (self->pipeline,
                          leat_fuzz_choose (choices, 3) == 2 ? LEAT_FUSE_MODE_AUTO : LEAT_FUSE_MODE_OFF);
  leat_pipeline_set_optimise (self->pipeline, leat_fuzz_choose (choices, 4) < 3);
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor",
                leat_fuzz_choose (choices, 4) == 3 ? LEAT_EXECUTOR_EAGER : LEAT_EXECUTOR_GRAPH, "calibrate",
                leat_fuzz_choose (choices, 4) == 3, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
}

static void
loops_fuzz_push (LoopsFuzz *self, const guint32 *inputs)
{
  for (guint i = 0; i < self->c.n_inputs; i++)
    {
      g_autofree char *name = g_strdup_printf ("in%u", i);
      g_autoptr (GBytes) bytes = g_bytes_new (inputs + i * self->c.n_items, self->c.n_items * sizeof *inputs);
      g_autoptr (GError) error = NULL;

      if (!self->c.is_used[i])
        continue;
      leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, name, NULL)), bytes, &error);
      g_assert_no_error (error);
    }
}

static void
loops_fuzz_check (LoopsFuzz *self, const char *name, const guint32 *wanted, gsize n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) found =
    leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, name, NULL)), 0, &error);

  g_assert_no_error (error);
  g_assert_nonnull (found);
  g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), wanted, n * sizeof *wanted);
}

static void
loops_fuzz_check_all (LoopsFuzz *self, const LoopsResult *wanted)
{
  for (guint i = 0; i < self->c.n_outputs; i++)
    {
      g_autofree char *name = g_strdup_printf ("out%u", i);

      if (wanted->outputs[i] != NULL)
        loops_fuzz_check (self, name, wanted->outputs[i], self->c.n_items);
    }
  loops_fuzz_check (self, "series", wanted->series, wanted->iterations);
}

static void
loops_fuzz_check_report (LoopsFuzz *self, const LoopsResult *wanted)
{
  g_autoptr (GVariant) loops = leat_session_dup_loops (self->session);
  g_autoptr (GVariant) one = g_variant_get_child_value (loops, 0);
  const char *end = NULL;
  guint64 iterations = 0;

  g_assert_true (g_variant_lookup (one, "iterations", "t", &iterations));
  g_assert_true (g_variant_lookup (one, "end", "&s", &end));
  g_assert_cmpuint (iterations, ==, wanted->iterations);
  g_assert_cmpstr (end, ==, wanted->converged ? "converged" : "cap");
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  LeatFuzzChoices choices = { data, size, 0 };
  LoopsFuzz self = { 0 };
  g_autoptr (GRand) random = NULL;

  leat_fuzz_use_build ();
  loops_case_make (&self.c, &choices);
  loops_fuzz_open (&self, &choices);
  random = g_rand_new_with_seed (leat_fuzz_choose (&choices, 256));
  for (guint run = 0; run < RUNS; run++)
    {
      g_autofree guint32 *inputs = loops_case_make_inputs (&self.c, random);
      g_autoptr (GError) error = NULL;
      LoopsResult wanted;

      loops_fuzz_push (&self, inputs);
      g_assert_cmpint (leat_session_replay (self.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      loops_case_compute (&self.c, inputs, &wanted);
      loops_fuzz_check_all (&self, &wanted);
      loops_fuzz_check_report (&self, &wanted);
      loops_result_clear (&wanted);
    }
  leat_session_close (self.session);
  g_object_unref (self.session);
  g_object_unref (self.pipeline);
  return 0;
}
