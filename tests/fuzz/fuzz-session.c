/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz-build.h"
#include "leat-fuzz.h"
#include "leat-session-drive.h"

#include <unistd.h>

/* A session as the input chooses it, and what is done with it step by step: memory that is pushed, mapped and bound,
 * runs by hand, in halves, repeated, in batches and streams, states that are saved, loaded, lent and taken off the
 * device, what is set meanwhile, and reports.  What comes of each run is held against C. */

const char *const leat_fuzz_words[] = { "\1\2", "\2\0\1", "\3\3\1", "\0\7\0", "\7\77\1", "\6\1\5", "\11\4", NULL };

#define STEPS_MOST  40
#define BATCH_MOST  6
#define STREAM_MOST 14

typedef struct
{
  SessionDrive drive;
  LeatFuzzChoices choices;
  ModelStates saved;
  gboolean has_saved;
  char *path;
} SessionFuzz;

static guint
session_fuzz_choose (SessionFuzz *self, guint n)
{
  return leat_fuzz_choose (&self->choices, n);
}

static gboolean
session_fuzz_is_queued (SessionFuzz *self)
{
  for (guint i = 0; i < self->drive.model.n_inputs; i++)
    if (self->drive.ins[i].way != DRIVE_QUEUE)
      return FALSE;
  for (guint i = 0; i < MODEL_OUTS; i++)
    if (self->drive.model.has[i] && self->drive.outs[i].way != DRIVE_QUEUE)
      return FALSE;
  return TRUE;
}

/* Each input has new data, others of the program's, or where that can be what it had. */
static void
session_fuzz_feed (SessionFuzz *self)
{
  SessionDrive *drive = &self->drive;
  guint how = session_fuzz_choose (self, 256);
  ModelItems inputs[MODEL_INPUTS_MOST];

  session_model_make_inputs (&drive->model, drive->random, inputs);
  for (guint i = 0; i < drive->model.n_inputs; i++, how >>= 4)
    {
      DriveEnd *in = &drive->ins[i];
      guint slot = (how >> 2) % DRIVE_SLOTS;

      if (!in->fed || how % 4 < 2)
        session_drive_feed (drive, i, &inputs[i], slot);
      else if (how % 4 == 2 && in->way == DRIVE_USER
               && (drive->model.bounded || drive->contents[slot].n == drive->model.room)
               && drive->contents[slot].n <= drive->model.room)
        session_drive_rebind (drive, i, slot);
    }
}

/* @runs: on what the inputs have now; the results are those of the last. */
static void
session_fuzz_compute (SessionFuzz *self, guint runs, ModelResult *result)
{
  SessionDrive *drive = &self->drive;
  ModelItems inputs[MODEL_INPUTS_MOST];

  for (guint i = 0; i < drive->model.n_inputs; i++)
    inputs[i] = drive->ins[i].now;
  for (guint i = 0; i < runs; i++)
    {
      session_model_run (&drive->model, inputs, result);
      drive->warnings += result->warnings;
      drive->errors += result->errors;
    }
}

static void
session_fuzz_expect (LeatFlow flow, const ModelResult *result, GError *error)
{
  if (result->errors > 0)
    {
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
      return;
    }
  g_assert_no_error (error);
  g_assert_cmpint (flow, ==, LEAT_FLOW_DATA);
}

static void
session_fuzz_set_arg (SessionFuzz *self)
{
  g_autoptr (GError) error = NULL;

  self->drive.model.a = 1 + session_fuzz_choose (self, 9);
  g_debug ("a=%u", self->drive.model.a);
  leat_node_set_arg_int64 (leat_pipeline_get_node (self->drive.pipeline, "m", NULL), "a", self->drive.model.a, &error);
  g_assert_no_error (error);
}

/* While a run is under way, for the next. */
static LeatFlow
session_fuzz_complete (SessionFuzz *self, GError **error)
{
  if (session_fuzz_choose (self, 3) == 1)
    session_fuzz_set_arg (self);
  return leat_session_complete (self->drive.session, NULL, error);
}

static void
session_fuzz_run (SessionFuzz *self, gboolean in_halves)
{
  g_autoptr (GError) error = NULL;
  ModelResult result;
  LeatFlow flow;

  session_fuzz_feed (self);
  session_drive_poison_outputs (&self->drive);
  g_debug (in_halves ? "launch and complete" : "replay");
  session_fuzz_compute (self, 1, &result);
  if (!in_halves)
    flow = leat_session_replay (self->drive.session, FALSE, NULL, &error);
  else if ((flow = leat_session_launch (self->drive.session, NULL, &error)) == LEAT_FLOW_DATA)
    flow = session_fuzz_complete (self, &error);
  session_fuzz_expect (flow, &result, error);
  session_drive_check_outputs (&self->drive, &result);
  session_drive_check_counts (&self->drive);
}

static void
session_fuzz_repeat (SessionFuzz *self)
{
  static const guint times[] = { 2, 3, 4, 5, 1, 63, 64, 65, 130, 7 };
  guint n = times[session_fuzz_choose (self, G_N_ELEMENTS (times))];
  g_autoptr (GError) error = NULL;
  ModelResult result;
  LeatFlow flow;

  session_fuzz_feed (self);
  session_drive_poison_outputs (&self->drive);
  g_debug ("repeat %u", n);
  session_fuzz_compute (self, n, &result);
  flow = leat_session_repeat (self->drive.session, n, FALSE, NULL, &error);
  session_fuzz_expect (flow, &result, error);
  session_drive_check_outputs (&self->drive, &result);
  session_drive_check_counts (&self->drive);
}

static void
session_fuzz_save (SessionFuzz *self)
{
  g_autoptr (GError) error = NULL;

  if (!session_model_has_states (&self->drive.model))
    return;
  g_debug ("save");
  leat_session_save_state (self->drive.session, self->path, &error);
  g_assert_no_error (error);
  self->saved = self->drive.model.states;
  self->has_saved = TRUE;
}

static void
session_fuzz_load (SessionFuzz *self)
{
  g_autoptr (GError) error = NULL;

  if (!self->has_saved)
    return;
  g_debug ("load");
  leat_session_load_state (self->drive.session, self->path, &error);
  g_assert_no_error (error);
  self->drive.model.states = self->saved;
}

static void
session_fuzz_evict (SessionFuzz *self)
{
  g_autoptr (GError) error = NULL;

  g_debug ("evict");
  leat_session_evict (self->drive.session, NULL, &error);
  g_assert_no_error (error);
  if (session_fuzz_choose (self, 2) == 0)
    return;
  g_debug ("restore");
  leat_session_restore (self->drive.session, NULL, &error);
  g_assert_no_error (error);
}

static void
session_fuzz_set (SessionFuzz *self, const char *node, guint number, const char *prop, const char *value)
{
  g_autofree char *name = number == G_MAXUINT ? g_strdup (node) : g_strdup_printf ("%s%u", node, number);
  g_autoptr (GError) error = NULL;

  g_debug ("%s %s=%s", name, prop, value);
  leat_node_set_from_string (leat_pipeline_get_node (self->drive.pipeline, name, NULL), prop, value, &error);
  g_assert_no_error (error);
}

static void
session_fuzz_set_prop (SessionFuzz *self)
{
  guint what = session_fuzz_choose (self, 4), value = session_fuzz_choose (self, 12);
  const char *mode = session_model_get_mode (value % MODEL_MODES);

  if (what == 0)
    {
      self->drive.model.expr = value % MODEL_EXPRS;
      session_fuzz_set (self, "m", G_MAXUINT, "expr", session_model_get_expr (&self->drive.model));
    }
  else if (what == 1)
    session_fuzz_set (self, "m", G_MAXUINT, "block", value % 2 == 0 ? "64" : "256");
  else if (what == 2)
    session_fuzz_set (self, "up", value % self->drive.model.n_inputs, "mode", mode);
  else if (self->drive.model.has[value % MODEL_OUTS])
    session_fuzz_set (self, "back", value % MODEL_OUTS, "mode", mode);
}

/* Inputs of all lanes of a batch, which may have one another's, and what comes of them. */
static GPtrArray *
session_fuzz_make_lanes (SessionFuzz *self, guint n, ModelResult *results)
{
  SessionDrive *drive = &self->drive;
  GPtrArray *bytes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  ModelItems inputs[MODEL_INPUTS_MOST];

  for (guint lane = 0; lane < n; lane++)
    {
      if (lane == 0 || session_fuzz_choose (self, 3) != 1)
        session_model_make_inputs (&drive->model, drive->random, inputs);
      for (guint i = 0; i < drive->model.n_inputs; i++)
        g_ptr_array_add (bytes, g_bytes_new (inputs[i].items, inputs[i].n * sizeof (guint32)));
      session_model_run (&drive->model, inputs, &results[lane]);
      drive->warnings += results[lane].warnings;
      drive->errors += results[lane].errors;
    }
  return bytes;
}

static void
session_fuzz_check_lane (SessionFuzz *self, const ModelResult *wanted, GPtrArray *found, guint lane)
{
  guint n_outs = 0, index = 0;

  for (guint i = 0; i < MODEL_OUTS; i++)
    n_outs += self->drive.model.has[i];
  for (guint i = 0; i < MODEL_OUTS; i++)
    if (self->drive.model.has[i])
      {
        GBytes *bytes = g_ptr_array_index (found, lane * n_outs + index++);

        g_assert_true ((bytes == NULL) == (wanted->errors > 0));
        if (bytes != NULL)
          session_drive_check_bytes (&self->drive, wanted, i, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
      }
}

static void
session_fuzz_batch (SessionFuzz *self)
{
  guint n = 1 + session_fuzz_choose (self, BATCH_MOST);
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GPtrArray) found = NULL;
  g_autofree ModelResult *wanted = g_new (ModelResult, n);
  g_autoptr (GError) error = NULL;

  if (self->drive.model.user_in || self->drive.model.user_out)
    return;
  g_debug ("batch of %u", n);
  inputs = session_fuzz_make_lanes (self, n, wanted);
  leat_session_replay_batch (self->drive.session, n, inputs, &found, NULL, &error);
  g_assert_no_error (error);
  for (guint lane = 0; lane < n; lane++)
    {
      g_autoptr (GError) failure = leat_session_dup_entry_error (self->drive.session, lane);

      g_assert_true ((failure != NULL) == (wanted[lane].errors > 0));
      session_fuzz_check_lane (self, &wanted[lane], found, lane);
    }
  session_drive_check_counts (&self->drive);
}

/* To the end, which errors of data put off, and then the session is opened again. */
static void
session_fuzz_stream (SessionFuzz *self)
{
  guint n = 1 + session_fuzz_choose (self, STREAM_MOST);
  g_autofree ModelResult *wanted = g_new (ModelResult, n);
  g_autoptr (GError) error = NULL;

  if (!session_fuzz_is_queued (self))
    return;
  g_debug ("stream of %u", n);
  for (guint i = 0; i < n; i++)
    {
      session_fuzz_feed (self);
      session_fuzz_compute (self, 1, &wanted[i]);
    }
  for (guint i = 0; i < self->drive.model.n_inputs; i++)
    {
      g_autofree char *name = g_strdup_printf ("in%u", i);

      leat_app_end (LEAT_APP (leat_pipeline_get_node (self->drive.pipeline, name, NULL)));
    }
  while (!leat_session_run (self->drive.session, NULL, &error))
    {
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
      g_clear_error (&error);
    }
  for (guint i = 0; i < n; i++)
    if (wanted[i].errors == 0)
      session_drive_check_outputs (&self->drive, &wanted[i]);
  session_drive_check_counts (&self->drive);
  session_drive_close (&self->drive);
  session_drive_open (&self->drive);
}

/* From now on the program fills, or reads, the memory of one end. */
static void
session_fuzz_map (SessionFuzz *self)
{
  guint which = session_fuzz_choose (self, MODEL_INPUTS_MOST + MODEL_OUTS);
  g_autofree char *name = g_strdup_printf ("out%u", which - MODEL_INPUTS_MOST);
  g_autoptr (GError) error = NULL;
  LeatView view;

  if (which < self->drive.model.n_inputs && self->drive.ins[which].way == DRIVE_QUEUE)
    self->drive.ins[which].way = DRIVE_MAPPED;
  if (which < MODEL_INPUTS_MOST || !self->drive.model.has[which - MODEL_INPUTS_MOST]
      || self->drive.outs[which - MODEL_INPUTS_MOST].way != DRIVE_QUEUE)
    return;
  g_debug ("map %s", name);
  leat_session_map_output (self->drive.session, name, &view, &error);
  g_assert_no_error (error);
  self->drive.outs[which - MODEL_INPUTS_MOST].way = DRIVE_MAPPED;
}

/* Looks at a state, and writes a part of it. */
static void
session_fuzz_lend (SessionFuzz *self)
{
  SessionModel *model = &self->drive.model;
  const guint32 value = session_fuzz_choose (self, 256);
  g_autoptr (GBytes) bytes = g_bytes_new (&value, sizeof value);
  g_autoptr (LeatDeviceBuffer) state = NULL;
  g_autoptr (GBytes) found = NULL;
  g_autoptr (GError) error = NULL;

  if (!model->has[MODEL_SUM])
    return;
  g_debug ("lend");
  state = leat_session_get_state (self->drive.session, "before", &error);
  g_assert_no_error (error);
  found = leat_device_buffer_download (state, 0, model->room * sizeof value, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), model->states.sum,
                   model->room * sizeof value);
  leat_device_buffer_upload (state, (model->room - 1) * sizeof value, bytes, &error);
  g_assert_no_error (error);
  model->states.sum[model->room - 1] = value;
}

/* Data of another size, where nothing goes on that would have to be as large.  It takes a run until memory that is
 * mapped is that of the new size. */
static void
session_fuzz_set_room (SessionFuzz *self)
{
  SessionModel *model = &self->drive.model;
  g_autofree char *spec = NULL;

  if (session_model_has_states (model) || model->few_room > 0 || model->user_in || model->user_out
      || !session_fuzz_is_queued (self))
    return;
  session_model_choose_room (model, &self->choices);
  spec = session_model_dup_spec (model);
  for (guint i = 0; i < model->n_inputs; i++)
    session_fuzz_set (self, "in", i, "spec", spec);
  session_fuzz_run (self, FALSE);
}

/* Another session takes over what the first has kept, and goes on in its place. */
static void
session_fuzz_fork (SessionFuzz *self)
{
  SessionDrive *drive = &self->drive;
  g_autoptr (LeatSession) former = drive->session;
  g_autoptr (LeatPipeline) pipeline = drive->pipeline;
  const ModelStates states = drive->model.states;
  g_autoptr (GError) error = NULL;

  g_debug ("fork");
  session_drive_make (drive, leat_pipeline_get_fuse (pipeline), former);
  session_drive_open (drive);
  if (session_model_has_states (&drive->model))
    leat_session_copy_state (drive->session, former, &error);
  g_assert_no_error (error);
  drive->model.states = states;
  leat_session_close (former);
  session_drive_bind_outputs (drive, &self->choices);
}

/* The first source has given its data, and other things are done before the second has. */
static void
session_fuzz_run_in_parts (SessionFuzz *self)
{
  SessionDrive *drive = &self->drive;
  ModelItems inputs[MODEL_INPUTS_MOST];
  g_autoptr (GError) error = NULL;
  ModelResult result;
  LeatFlow flow;

  if (drive->model.n_inputs < 2 || drive->ins[0].way != DRIVE_QUEUE || drive->ins[1].way != DRIVE_QUEUE)
    return;
  session_model_make_inputs (&drive->model, drive->random, inputs);
  session_drive_feed (drive, 0, &inputs[0], 0);
  g_assert_cmpint (leat_session_replay (drive->session, FALSE, NULL, &error), ==, LEAT_FLOW_EMPTY);
  g_debug ("one has given");
  switch (session_fuzz_choose (self, 6))
    {
    case 1:
      session_fuzz_batch (self);
      break;
    case 2:
      session_fuzz_evict (self);
      break;
    case 3:
      session_fuzz_set_prop (self);
      break;
    case 4:
      session_fuzz_load (self);
      break;
    case 5:
      session_fuzz_set_arg (self);
      break;
    default:
      break;
    }
  session_drive_feed (drive, 1, &inputs[1], 0);
  session_drive_poison_outputs (drive);
  session_fuzz_compute (self, 1, &result);
  flow = leat_session_replay (drive->session, FALSE, NULL, &error);
  session_fuzz_expect (flow, &result, error);
  session_drive_check_outputs (drive, &result);
  session_drive_check_counts (drive);
}

static void
session_fuzz_step (SessionFuzz *self)
{
  switch (session_fuzz_choose (self, 20))
    {
    case 0:
    case 1:
      return session_fuzz_run (self, FALSE);
    case 2:
      return session_fuzz_run (self, TRUE);
    case 3:
      return session_fuzz_repeat (self);
    case 4:
      return session_fuzz_batch (self);
    case 5:
      return session_fuzz_stream (self);
    case 6:
      return session_fuzz_map (self);
    case 7:
      return session_fuzz_save (self);
    case 8:
      return session_fuzz_load (self);
    case 9:
      return session_fuzz_evict (self);
    case 10:
      return session_fuzz_set_arg (self);
    case 11:
      return session_fuzz_set_prop (self);
    case 12:
      return session_drive_bind_outputs (&self->drive, &self->choices);
    case 13:
      return session_fuzz_lend (self);
    case 14:
      return session_fuzz_set_room (self);
    case 15:
      return session_fuzz_fork (self);
    case 16:
      return session_fuzz_run_in_parts (self);
    default:
      return session_fuzz_run (self, FALSE);
    }
}

static void
session_fuzz_set_up (SessionFuzz *self)
{
  static const LeatExecutor executors[] = { LEAT_EXECUTOR_GRAPH, LEAT_EXECUTOR_EAGER, LEAT_EXECUTOR_AUTO,
                                            LEAT_EXECUTOR_GRAPH, LEAT_EXECUTOR_PERSISTENT_AUTO };
  SessionDrive *drive = &self->drive;
  SessionModel *model = &drive->model;
  guint executor = session_fuzz_choose (self, G_N_ELEMENTS (executors)), options = session_fuzz_choose (self, 256);
  gboolean memo = (options & 1) != 0 && !session_model_has_states (model) && !model->user_in && !model->user_out;

  session_drive_make (drive, (options & 2) != 0 ? LEAT_FUSE_MODE_AUTO : LEAT_FUSE_MODE_OFF, NULL);
  drive->random = g_rand_new_with_seed (session_fuzz_choose (self, 256));
  g_object_set (drive->session, "executor", executors[executor], "memo", memo ? LEAT_MEMO_EXACT : LEAT_MEMO_OFF,
                "calibrate", (options & 12) == 12, "reuse", (options & 48) != 48, "lanes", (options >> 6) & 3, "batch",
                session_fuzz_choose (self, 2) * 4, "timing",
                session_fuzz_choose (self, 8) == 7 ? LEAT_TIMING_NODES : LEAT_TIMING_OFF, NULL);
  g_debug ("executor %u, options %x, memo %d", executor, options, memo);
  session_drive_open (drive);
  session_drive_bind_outputs (drive, &self->choices);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  SessionFuzz self = { .choices = { data, size, 0 } };

  leat_fuzz_use_build ();
  g_setenv ("LEAT_CPU_PROFILE", "integrated=0,multiprocessors=8,blocks-per-multiprocessor=2", FALSE);
  /* What an input comes to does not depend on those before it. */
  g_setenv ("LEAT_LEARNED", "", FALSE);
  self.path = g_strdup_printf ("fuzz-session-%d.state", (int) getpid ());
  session_model_make (&self.drive.model, &self.choices);
  session_fuzz_set_up (&self);
  for (guint i = 0; i < STEPS_MOST && self.choices.at < self.choices.size; i++)
    session_fuzz_step (&self);
  session_drive_free (&self.drive);
  if (self.has_saved)
    unlink (self.path);
  g_free (self.path);
  return 0;
}
