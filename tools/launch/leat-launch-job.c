/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One pipeline that leat-launch runs: its session works in a thread, and the main thread says what there is to say.
 * Touches its own session only. */

#include "leat-launch-job.h"

#include "leat-launch-crash.h"
#include "leat-launch-accounting.h"
#include "leat-launch-stats.h"
#include "leat-launch-turns.h"

#include "driver/leat-thread-private.h"

#include <stdio.h>
#include <string.h>

static void
leat_launch_again_free (gpointer data)
{
  LeatLaunchAgain *self = data;

  g_free (self->node);
  g_free (self);
}

LeatLaunchJob *
leat_launch_job_new (const LeatLaunchOptions *options, guint index, LeatPipeline *pipeline, GCancellable *cancellable)
{
  LeatLaunchJob *self = g_new0 (LeatLaunchJob, 1);

  self->options = options;
  self->index = index;
  self->text = g_ptr_array_index (options->texts, index);
  self->name = options->texts->len > 1 ? self->text->name : NULL;
  self->pipeline = g_object_ref (pipeline);
  self->cancellable = cancellable;
  self->session = leat_session_new (pipeline, options->device);
  self->warned = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, leat_launch_again_free);
  g_object_set (self->session, "executor", options->executor, "early-start", options->early_start, "wait",
                options->wait, "repeat", (guint64) options->runs, "readback", options->readback, "timing",
                options->timing, "trace", options->trace_path, "lanes", options->lanes, "batch", options->batch,
                "budget", options->budget, "name", self->text->name, NULL);
  leat_launch_options_set_memo (options, self->session);
  leat_launch_options_set_persistent (options, self->session);
  return self;
}

/* Closing undoes what the sinks did not finish. */
void
leat_launch_job_free (LeatLaunchJob *self)
{
  leat_session_close (self->session);
  g_object_unref (self->session);
  g_clear_object (&self->device);
  g_hash_table_unref (self->warned);
  g_object_unref (self->pipeline);
  g_clear_error (&self->error);
  g_free (self->stats);
  g_free (self);
}

void
leat_launch_job_note (LeatLaunchJob *self, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  self->quieten (self->data);
  if (self->name != NULL)
    leat_tool_note ("%s: %s", self->name, text);
  else
    leat_tool_note ("%s", text);
}

/* Counts of the driver are of all sessions, so with several pipelines there are none. */
static gboolean
leat_launch_job_counts (const LeatLaunchJob *self)
{
  return self->options->stats_format != LEAT_STATS_NONE && self->name == NULL;
}

static gboolean
leat_launch_job_take_stats (LeatLaunchJob *self, gboolean interrupted, GError **error)
{
  g_autoptr (GVariant) counts = NULL;

  if (self->options->accounting_format != LEAT_FORMAT_NONE)
    {
      self->stats = leat_launch_accounting_to_string (self, error);
      return self->stats != NULL;
    }
  if (self->options->stats_format == LEAT_STATS_NONE)
    return TRUE;
  if (leat_launch_job_counts (self))
    {
      counts = leat_session_stop_counting (self->session, error);
      if (counts == NULL)
        return FALSE;
    }
  self->stats = leat_launch_stats_to_string (self, counts, interrupted);
  return TRUE;
}

void
leat_launch_job_fail (LeatLaunchJob *self, GError *error)
{
  gboolean interrupted = g_cancellable_is_cancelled (self->cancellable);

  if (interrupted && leat_session_is_open (self->session))
    leat_launch_job_take_stats (self, TRUE, NULL);
  leat_session_close (self->session);
  self->quieten (self->data);
  self->code = interrupted ? LEAT_EXIT_INTERRUPTED : leat_tool_exit_from_error (error);
  if (self->name != NULL && strstr (error->message, self->name) == NULL)
    g_prefix_error (&error, "%s: ", self->name);
  if (!interrupted)
    leat_tool_report (error);
  g_error_free (error);
}

static void
leat_launch_job_say_device (LeatLaunchJob *self)
{
  LeatDevice *device = leat_session_get_device (self->session);
  const char *note = leat_device_get_note (device);

  /* It is about the machine. */
  if (note != NULL && !self->options->quiet && self->index == 0)
    leat_tool_note ("%s", note);
  if (self->options->verbose)
    leat_launch_job_note (self, "device %s: %s", leat_device_get_id (device), leat_device_get_name (device));
}

static void
leat_launch_job_say_plan (LeatLaunchJob *self)
{
  g_autoptr (LeatPlan) plan = NULL;
  g_autofree char *text = NULL;

  if (!self->options->verbose || self->only_opens)
    return;
  /* It says what is done for many runs at once, or why that cannot be. */
  if (self->options->batch > 1)
    plan = leat_session_get_batch_plan (self->session, NULL);
  if (plan == NULL)
    plan = leat_session_dup_plan (self->session);
  text = leat_plan_to_text (plan);
  if (self->name != NULL)
    leat_launch_job_note (self, "the plan");
  leat_tool_say (text);
}

/* Where a sink put its result, as seen from the current folder; NULL when that is no file. (transfer full) */
static char *
leat_launch_job_dup_result (LeatNode *node)
{
  g_autofree char *given = NULL, *path = NULL, *here = NULL;
  GParamSpec *property = g_object_class_find_property (G_OBJECT_GET_CLASS (node), "path");
  gsize n;

  if (!LEAT_IS_ENDPOINT (node) || leat_endpoint_is_source (LEAT_ENDPOINT (node)) || property == NULL
      || property->value_type != G_TYPE_STRING)
    return NULL;
  g_object_get (node, "path", &given, NULL);
  if (given == NULL || g_str_equal (given, "-"))
    return NULL;
  path = leat_node_dup_path (node, "path");
  /* A reader of a pipe or a device sees what comes. */
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  here = g_get_current_dir ();
  n = strlen (here);
  return g_strdup (g_str_has_prefix (path, here) && path[n] == '/' ? path + n + 1 : path);
}

static void
leat_launch_job_say_results (LeatLaunchJob *self)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (self->pipeline);

  if (self->options->save_path != NULL && !self->options->quiet)
    leat_launch_job_note (self, "wrote %s", self->options->save_path);
  for (guint i = 0; !self->options->quiet && i < nodes->len; i++)
    {
      g_autofree char *path = leat_launch_job_dup_result (nodes->pdata[i]);

      if (path != NULL)
        leat_launch_job_note (self, "wrote %s", path);
    }
}

static gboolean
leat_launch_job_draw (LeatLaunchJob *self, GError **error)
{
  g_autoptr (LeatOutputFile) output = NULL;
  g_autofree char *text = NULL;

  if (self->options->dot_path == NULL)
    return TRUE;
  output = leat_output_file_open (self->options->dot_path, error);
  if (output == NULL)
    return FALSE;
  text = leat_session_to_dot (self->session);
  return leat_tool_write (output, text, error);
}

/* A file without anything in it would be taken for one with the state. */
static gboolean
leat_launch_job_check_states (LeatLaunchJob *self, GError **error)
{
  const char *option = self->options->save_path != NULL ? "--save-state" : "--load-state";
  g_auto (GStrv) states = NULL;

  if (self->only_opens || (self->options->save_path == NULL && self->options->load_path == NULL))
    return TRUE;
  states = leat_session_list_states (self->session);
  if (states[0] != NULL)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "%s: the pipeline keeps nothing from run to run; add a node `state`, or a node with memory of its own, "
               "such as text:scan",
               option);
  return FALSE;
}

static gboolean
leat_launch_job_do_open (LeatLaunchJob *self, GError **error)
{
  const char *state = self->only_opens ? NULL : self->options->load_path;

  return leat_session_open (self->session, self->cancellable, error) && leat_launch_job_check_states (self, error)
         && (state == NULL || leat_session_load_state (self->session, state, error));
}

static gboolean
leat_launch_job_after_open (LeatLaunchJob *self, GError **error)
{
  g_set_object (&self->device, leat_session_get_device (self->session));
  leat_launch_job_say_device (self);
  leat_launch_job_say_plan (self);
  leat_launch_explain_crashes ();
  self->begun_us = g_get_monotonic_time ();
  self->runs = TRUE;
  return TRUE;
}

static gboolean
leat_launch_job_do_run (LeatLaunchJob *self, GError **error)
{
  const char *state = self->options->save_path;

  return (!leat_launch_job_counts (self) || leat_session_start_counting (self->session, error))
         && (self->scheduler != NULL ? leat_launch_turns_run (self, error)
                                     : leat_session_run (self->session, self->cancellable, error))
         && (state == NULL || leat_session_save_state (self->session, state, error))
         && leat_launch_job_draw (self, error);
}

static gboolean
leat_launch_job_after_run (LeatLaunchJob *self, GError **error)
{
  self->quieten (self->data);
  leat_launch_job_say_results (self);
  return leat_launch_job_take_stats (self, FALSE, error);
}

/* Each in the job's thread, and then in the main one. */
static const struct
{
  gboolean (*work) (LeatLaunchJob *self, GError **error);
  gboolean (*after) (LeatLaunchJob *self, GError **error);
} leat_launch_steps[] = {
  { leat_launch_job_do_open, leat_launch_job_after_open },
  { leat_launch_job_do_run, leat_launch_job_after_run },
};

static void leat_launch_job_begin_step (LeatLaunchJob *self);

static gboolean
leat_launch_job_end_step (gpointer data)
{
  LeatLaunchJob *self = data;
  guint n_steps = self->only_opens ? 1 : G_N_ELEMENTS (leat_launch_steps);

  if (self->thread != NULL)
    g_thread_join (g_steal_pointer (&self->thread));
  if (!self->ok || !leat_launch_steps[self->step].after (self, &self->error))
    leat_launch_job_fail (self, g_steal_pointer (&self->error));
  else if (++self->step < n_steps)
    {
      leat_launch_job_begin_step (self);
      return G_SOURCE_REMOVE;
    }
  self->runs = FALSE;
  if (!self->only_opens)
    leat_session_close (self->session);
  self->done (self, self->data);
  return G_SOURCE_REMOVE;
}

static gpointer
leat_launch_job_work (gpointer data)
{
  LeatLaunchJob *self = data;

  /* A write to a pipe that nobody reads can be called off. */
  g_cancellable_push_current (self->cancellable);
  self->ok = leat_launch_steps[self->step].work (self, &self->error);
  g_cancellable_pop_current (self->cancellable);
  g_idle_add (leat_launch_job_end_step, self);
  return NULL;
}

static void
leat_launch_job_begin_step (LeatLaunchJob *self)
{
  self->ok = FALSE;
  self->thread = leat_thread_start ("pipeline", leat_launch_job_work, self, &self->error);
  if (self->thread == NULL)
    g_idle_add (leat_launch_job_end_step, self);
}

void
leat_launch_job_start (LeatLaunchJob *self)
{
  leat_launch_job_begin_step (self);
}

void
leat_launch_job_open (LeatLaunchJob *self)
{
  self->only_opens = TRUE;
  leat_launch_job_begin_step (self);
}
