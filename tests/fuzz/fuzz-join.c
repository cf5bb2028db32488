/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz-build.h"
#include "leat-fuzz.h"
#include "leat-join-case.h"

/* Every node joined with every other: pipelines as the input chooses them, some of their nodes in a megakernel, done by
 * every executor, with and without fuse=auto, run by run, repeated, as a stream or as a batch.  What comes is held
 * against C, and so is what comes when each op is launched by itself. */

const char *const leat_fuzz_words[] = { "\1\3", "\2\0\1", "\3\3\1", "\5\1\1\1", "\4\5", "\0\0\0", NULL };

#define RUNS_MOST 5

typedef struct
{
  JoinCase c;
  const char *loop_executor;
  LeatExecutor executor;
  LeatFuseMode fuse;
  gboolean optimise;
  gboolean grouped, calibrate;
  guint lanes, batch, way, n_runs;
  guint64 times; /* that each set of inputs is run */
  LeatPipeline *pipeline;
  LeatSession *session;
  GPtrArray *inputs, *wanted; /* GBytes: all of the first run, then all of the second */
  guint n_outputs;
} JoinFuzz;

enum
{
  ONE_BY_ONE,
  REPEATED,
  STREAM,
  BATCH,
  N_WAYS
};

static void
join_fuzz_choose (JoinFuzz *self, LeatFuzzChoices *choices)
{
  static const char *const loops[] = { "fused", "auto", "host", "while", "unrolled" };
  static const LeatExecutor executors[] = { LEAT_EXECUTOR_PERSISTENT, LEAT_EXECUTOR_GRAPH,
                                            LEAT_EXECUTOR_PERSISTENT_AUTO, LEAT_EXECUTOR_EAGER };
  static const guint batches[] = { 0, 2, 4 };
  static const guint times[] = { 2, 3, 67 };

  self->loop_executor = loops[leat_fuzz_choose (choices, G_N_ELEMENTS (loops))];
  self->executor = executors[leat_fuzz_choose (choices, G_N_ELEMENTS (executors))];
  self->grouped = leat_fuzz_choose (choices, 2) == 0;
  self->fuse = leat_fuzz_choose (choices, 2) == 0 ? LEAT_FUSE_MODE_OFF : LEAT_FUSE_MODE_AUTO;
  self->way = leat_fuzz_choose (choices, N_WAYS);
  self->n_runs = 1 + leat_fuzz_choose (choices, RUNS_MOST);
  self->lanes = leat_fuzz_choose (choices, 4);
  self->batch = batches[leat_fuzz_choose (choices, G_N_ELEMENTS (batches))];
  self->calibrate = leat_fuzz_choose (choices, 4) == 3;
  self->optimise = leat_fuzz_choose (choices, 4) < 3;
  self->times = self->way == REPEATED ? times[leat_fuzz_choose (choices, G_N_ELEMENTS (times))] : 1;
}

/* FALSE: that cannot be one kernel, or stay. */
static gboolean
join_fuzz_try_to_open (JoinFuzz *self, GError **error)
{
  g_autofree char *text = join_case_dup_text (&self->c, self->grouped, self->loop_executor);

  g_debug ("executor %d fuse %d optimise %d way %u lanes %u batch %u\n%s", self->executor, self->fuse, self->optimise,
           self->way, self->lanes, self->batch, text);
  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  if (self->pipeline == NULL)
    return FALSE;
  leat_pipeline_set_fuse (self->pipeline, self->fuse);
  leat_pipeline_set_optimise (self->pipeline, self->optimise);
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor", self->executor, "lanes", self->lanes, "batch", self->batch, "calibrate",
                self->calibrate, NULL);
  if (leat_session_open (self->session, NULL, error))
    return TRUE;
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
  return FALSE;
}

/* What is refused is done without what was asked for; a refusal without that is a fault. */
static void
join_fuzz_open (JoinFuzz *self)
{
  for (;;)
    {
      g_autoptr (GError) error = NULL;

      if (join_fuzz_try_to_open (self, &error))
        return;
      g_debug ("%s", error->message);
      g_assert_cmpint (error->domain, !=, LEAT_PARSE_ERROR);
      if (self->executor == LEAT_EXECUTOR_PERSISTENT
          && g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_PERSISTENT))
        self->executor = LEAT_EXECUTOR_GRAPH;
      else if (self->grouped)
        self->grouped = FALSE;
      else if (g_str_equal (self->loop_executor, "fused"))
        self->loop_executor = "auto";
      else
        g_assert_no_error (error);
    }
}

static void
join_fuzz_make_data (JoinFuzz *self, guint32 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed + 1);
  JoinMemory memory = { 0 };

  self->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  self->wanted = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint run = 0; run < self->n_runs; run++)
    {
      JoinData data[JOIN_VALUES_MOST] = { { NULL, 0 } };

      for (guint i = 0; i < self->c.n_inputs; i++)
        g_ptr_array_add (self->inputs, join_case_make_input (&self->c, i, random));
      for (guint64 time = 0; time < self->times; time++)
        {
          join_data_clear (data, self->c.n_values);
          join_case_compute (&self->c, self->inputs, run * self->c.n_inputs, &memory, data);
        }
      for (guint v = 0; v < self->c.n_values; v++)
        if (self->c.values[v].is_read)
          g_ptr_array_add (self->wanted, join_case_make_bytes (&self->c, v, &data[v]));
      join_data_clear (data, self->c.n_values);
    }
  self->n_outputs = self->wanted->len / self->n_runs;
  join_memory_clear (&memory);
}

static LeatApp *
join_fuzz_get_app (JoinFuzz *self, const char *kind, guint number)
{
  g_autofree char *name = g_strdup_printf ("%s%u", kind, number);

  return LEAT_APP (leat_pipeline_get_node (self->pipeline, name, NULL));
}

static void
join_fuzz_push (JoinFuzz *self, guint run)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < self->c.n_inputs; i++)
    {
      leat_app_push_bytes (join_fuzz_get_app (self, "in", i),
                           g_ptr_array_index (self->inputs, run * self->c.n_inputs + i), &error);
      g_assert_no_error (error);
    }
}

static void
join_fuzz_check (JoinFuzz *self, guint run, guint output, GBytes *found)
{
  GBytes *wanted = g_ptr_array_index (self->wanted, run * self->n_outputs + output);

  g_assert_nonnull (found);
  g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), g_bytes_get_data (wanted, NULL),
                   g_bytes_get_size (wanted));
}

static void
join_fuzz_pull (JoinFuzz *self, guint run)
{
  guint output = 0;

  for (guint v = 0; v < self->c.n_values; v++)
    {
      g_autoptr (GBytes) found = NULL;
      g_autoptr (GError) error = NULL;

      if (!self->c.values[v].is_read)
        continue;
      found = leat_app_pull_bytes (join_fuzz_get_app (self, "out", v), 0, &error);
      g_assert_no_error (error);
      join_fuzz_check (self, run, output++, found);
    }
}

static void
join_fuzz_run_by_run (JoinFuzz *self)
{
  for (guint run = 0; run < self->n_runs; run++)
    {
      g_autoptr (GError) error = NULL;

      join_fuzz_push (self, run);
      if (self->times > 1)
        leat_session_repeat (self->session, self->times, FALSE, NULL, &error);
      else
        leat_session_replay (self->session, FALSE, NULL, &error);
      g_assert_no_error (error);
      join_fuzz_pull (self, run);
    }
}

static void
join_fuzz_run_stream (JoinFuzz *self)
{
  g_autoptr (GError) error = NULL;

  for (guint run = 0; run < self->n_runs; run++)
    join_fuzz_push (self, run);
  for (guint i = 0; i < self->c.n_inputs; i++)
    leat_app_end (join_fuzz_get_app (self, "in", i));
  leat_session_run (self->session, NULL, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < self->n_runs; run++)
    join_fuzz_pull (self, run);
}

static void
join_fuzz_run_batch (JoinFuzz *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) results = NULL;

  leat_session_replay_batch (self->session, self->n_runs, self->inputs, &results, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (results->len, ==, self->wanted->len);
  for (guint i = 0; i < results->len; i++)
    join_fuzz_check (self, i / self->n_outputs, i % self->n_outputs, g_ptr_array_index (results, i));
}

static void
join_fuzz_run (JoinFuzz *self)
{
  join_fuzz_open (self);
  if (self->way == BATCH)
    join_fuzz_run_batch (self);
  else if (self->way == STREAM)
    join_fuzz_run_stream (self);
  else
    join_fuzz_run_by_run (self);
  leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  LeatFuzzChoices choices = { data, size, 0 };
  JoinFuzz self = { 0 };
  guint32 seed;

  leat_fuzz_use_build ();
  join_fuzz_choose (&self, &choices);
  seed = leat_fuzz_choose (&choices, 256);
  join_case_make (&self.c, &choices);
  join_fuzz_make_data (&self, seed);
  join_fuzz_run (&self);
  /* The same by single launches, without what joins any. */
  self.executor = LEAT_EXECUTOR_EAGER;
  self.fuse = LEAT_FUSE_MODE_OFF;
  self.optimise = FALSE;
  self.grouped = FALSE;
  self.loop_executor = "host";
  self.way = self.times > 1 ? REPEATED : ONE_BY_ONE;
  join_fuzz_run (&self);
  g_ptr_array_unref (self.inputs);
  g_ptr_array_unref (self.wanted);
  return 0;
}
