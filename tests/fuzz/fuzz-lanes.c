/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz-build.h"
#include "leat-fuzz.h"
#include "leat-lanes-case.h"

#include <string.h>

/* Small pipelines as the input chooses them, with many small transfers, which become one launch, and many runs: one by
 * one, as a stream through several lanes or launches of several, or as a batch.  What comes is held against C. */

const char *const leat_fuzz_words[] = { "\1\1", "\2\0\1", "\3\1\10", "\4\1\14", "\10\13", "\0\0\0", NULL };

typedef struct
{
  LanesCase c;
  LeatPipeline *pipeline;
  LeatSession *session;
  GPtrArray *inputs, *wanted; /* GBytes: all of the first run, then all of the second */
  guint n_outputs;
} LanesFuzz;

static LeatApp *
lanes_fuzz_get_app (LanesFuzz *self, const char *kind, guint number)
{
  g_autofree char *name = g_strdup_printf ("%s%u", kind, number);

  return LEAT_APP (leat_pipeline_get_node (self->pipeline, name, NULL));
}

static void
lanes_fuzz_make_data (LanesFuzz *self, guint32 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed + 1);

  self->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  self->wanted = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint run = 0; run < self->c.n_runs; run++)
    for (guint i = 0; i < self->c.n_chains; i++)
      {
        const LanesChain *chain = &self->c.chains[i];
        GBytes *input = lanes_chain_make_input (chain, random);

        g_ptr_array_add (self->inputs, input);
        for (guint k = 0; k < lanes_chain_get_outputs (chain); k++)
          g_ptr_array_add (self->wanted, lanes_chain_compute (chain, k, input));
      }
  self->n_outputs = self->wanted->len / self->c.n_runs;
}

static void
lanes_fuzz_check (LanesFuzz *self, guint run, guint output, GBytes *found)
{
  GBytes *wanted = g_ptr_array_index (self->wanted, run * self->n_outputs + output);

  g_assert_nonnull (found);
  g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), g_bytes_get_data (wanted, NULL),
                   g_bytes_get_size (wanted));
}

static void
lanes_fuzz_push (LanesFuzz *self, guint run)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < self->c.n_chains; i++)
    {
      leat_app_push_bytes (lanes_fuzz_get_app (self, "in", i),
                           g_ptr_array_index (self->inputs, run * self->c.n_chains + i), &error);
      g_assert_no_error (error);
    }
}

static void
lanes_fuzz_pull (LanesFuzz *self, guint run)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < self->n_outputs; i++)
    {
      g_autoptr (GBytes) found = leat_app_pull_bytes (lanes_fuzz_get_app (self, "out", i), 0, &error);

      g_assert_no_error (error);
      lanes_fuzz_check (self, run, i, found);
    }
}

static void
lanes_fuzz_run_one_by_one (LanesFuzz *self)
{
  g_autoptr (GError) error = NULL;

  for (guint run = 0; run < self->c.n_runs; run++)
    {
      lanes_fuzz_push (self, run);
      g_assert_cmpint (leat_session_replay (self->session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      lanes_fuzz_pull (self, run);
    }
}

static void
lanes_fuzz_run_stream (LanesFuzz *self)
{
  g_autoptr (GError) error = NULL;

  for (guint run = 0; run < self->c.n_runs; run++)
    lanes_fuzz_push (self, run);
  for (guint i = 0; i < self->c.n_chains; i++)
    leat_app_end (lanes_fuzz_get_app (self, "in", i));
  leat_session_run (self->session, NULL, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < self->c.n_runs; run++)
    lanes_fuzz_pull (self, run);
}

static void
lanes_fuzz_run_batch (LanesFuzz *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) results = NULL;

  leat_session_replay_batch (self->session, self->c.n_runs, self->inputs, &results, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (results->len, ==, self->wanted->len);
  for (guint i = 0; i < results->len; i++)
    lanes_fuzz_check (self, i / self->n_outputs, i % self->n_outputs, g_ptr_array_index (results, i));
}

static void
lanes_fuzz_open (LanesFuzz *self, LeatFuzzChoices *choices)
{
  static const guint batches[] = { 0, 2, 4, 8 };
  g_autofree char *text = lanes_case_dup_text (&self->c);
  g_autoptr (GError) error = NULL;

  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  leat_pipeline_set_fuse (self->pipeline, LEAT_FUSE_MODE_OFF);
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor",
                leat_fuzz_choose (choices, 2) == 1 ? LEAT_EXECUTOR_EAGER : LEAT_EXECUTOR_GRAPH, "lanes",
                leat_fuzz_choose (choices, 5), "batch", batches[leat_fuzz_choose (choices, G_N_ELEMENTS (batches))],
                "calibrate", leat_fuzz_choose (choices, 4) == 3, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static void (*const ways[]) (LanesFuzz * self) = { lanes_fuzz_run_one_by_one, lanes_fuzz_run_stream,
                                                     lanes_fuzz_run_batch };
  LeatFuzzChoices choices = { data, size, 0 };
  LanesFuzz self = { 0 };
  guint way;

  leat_fuzz_use_build ();
  way = leat_fuzz_choose (&choices, G_N_ELEMENTS (ways));
  lanes_case_make (&self.c, &choices);
  lanes_fuzz_open (&self, &choices);
  lanes_fuzz_make_data (&self, leat_fuzz_choose (&choices, 256));
  ways[way](&self);
  leat_session_close (self.session);
  g_object_unref (self.session);
  g_object_unref (self.pipeline);
  g_ptr_array_unref (self.inputs);
  g_ptr_array_unref (self.wanted);
  return 0;
}
