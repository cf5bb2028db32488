/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-launch-run.h"

#include "leat-launch-crash.h"
#include "leat-launch-progress.h"
#include "leat-launch-signals.h"
#include "leat-launch-stats.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAT_LAUNCH_GRACE_S 2

/* The session works in a thread of GTask's; this one waits for it, for signals and for the bus. */
typedef struct
{
  const LeatLaunchOptions *options;
  LeatPipeline *pipeline;
  LeatSession *session;
  GCancellable *cancellable;
  GMainLoop *loop;
  LeatProgress *progress;
  LeatOutputFile *output; /* where a plan or the counts go; NULL: standard error */
  gboolean done;
  gboolean ok;
  GError *error;
} LeatLaunch;

typedef gboolean (*LeatLaunchStep) (LeatSession *session, GCancellable *cancellable, GError **error);

static void
leat_launch_step_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  LeatLaunch *self = data;
  LeatLaunchStep step = g_task_get_source_tag (task);

  self->ok = step (self->session, self->cancellable, &self->error);
  g_task_return_boolean (task, self->ok);
}

static void
leat_launch_step_done (GObject *source, GAsyncResult *result, gpointer data)
{
  LeatLaunch *self = data;

  self->done = TRUE;
  g_main_loop_quit (self->loop);
}

/* FALSE with @self's error set. */
static gboolean
leat_launch_await (LeatLaunch *self, LeatLaunchStep step)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, leat_launch_step_done, self);

  self->done = FALSE;
  g_task_set_source_tag (task, step);
  g_task_set_task_data (task, self, NULL);
  g_task_run_in_thread (task, leat_launch_step_thread);
  while (!self->done)
    g_main_loop_run (self->loop);
  return self->ok;
}

/* For what cannot be called off, such as a grid under way.  Output files that have a name already are taken away. */
static gboolean
leat_launch_give_up (gpointer data)
{
  quick_exit (LEAT_EXIT_INTERRUPTED);
  return G_SOURCE_REMOVE;
}

/* A person comes back to press the key again.  Who sends the others does not, or sends SIGKILL. */
static void
leat_launch_interrupted (int number, gpointer data)
{
  LeatLaunch *self = data;
  gboolean person = number == SIGINT;

  if (g_cancellable_is_cancelled (self->cancellable))
    leat_launch_give_up (self);
  leat_progress_clear (self->progress);
  if (!self->options->quiet)
    leat_tool_note ("interrupted; ending the run (%s)",
                    person ? "again: at once"
                           : "at once when it takes more than " G_STRINGIFY (LEAT_LAUNCH_GRACE_S) " s");
  g_cancellable_cancel (self->cancellable);
  if (!person)
    g_timeout_add_seconds (LEAT_LAUNCH_GRACE_S, leat_launch_give_up, NULL);
}

static void
leat_launch_take_message (LeatBus *bus, LeatMessage *message, LeatLaunch *self)
{
  LeatMessageType kind = leat_message_get_kind (message);

  if (kind == LEAT_MESSAGE_PROGRESS)
    leat_progress_update (self->progress, leat_message_get_details (message));
  if (kind != LEAT_MESSAGE_WARNING || leat_message_get_error (message) == NULL)
    return;
  leat_progress_clear (self->progress);
  leat_tool_note ("warning: %s", leat_message_get_error (message)->message);
}

static void
leat_launch_begin (LeatLaunch *self, const LeatLaunchOptions *options, LeatPipeline *pipeline)
{
  LeatBus *bus = leat_pipeline_get_bus (pipeline);

  self->options = options;
  self->pipeline = pipeline;
  self->session = leat_session_new (pipeline, options->device);
  g_object_set (self->session, "executor", options->executor, "early-start", options->early_start, "wait",
                options->wait, "repeat", (guint64) options->runs, "readback", options->readback, "timing",
                options->timing, "trace", options->trace_path, "lanes", options->lanes, "batch", options->batch, NULL);
  self->cancellable = g_cancellable_new ();
  self->loop = g_main_loop_new (NULL, FALSE);
  self->progress = options->quiet ? NULL : leat_progress_new (options->progress);
  leat_signals_take (leat_launch_interrupted, self);
  g_signal_connect (bus, "message", G_CALLBACK (leat_launch_take_message), self);
  leat_bus_add_watch (bus);
}

void
leat_launch_say_warnings (LeatPipeline *pipeline)
{
  LeatMessage *message;

  while ((message = leat_bus_pop (leat_pipeline_get_bus (pipeline), 0)) != NULL)
    {
      if (leat_message_get_kind (message) == LEAT_MESSAGE_WARNING && leat_message_get_error (message) != NULL)
        leat_tool_note ("warning: %s", leat_message_get_error (message)->message);
      leat_message_unref (message);
    }
}

/* Closing undoes what the sinks did not finish, so it comes before anything is said. */
static void
leat_launch_end (LeatLaunch *self)
{
  leat_session_close (self->session);
  leat_bus_remove_watch (leat_pipeline_get_bus (self->pipeline));
  leat_launch_say_warnings (self->pipeline);
  g_clear_pointer (&self->progress, leat_progress_free);
  g_clear_object (&self->session);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->loop, g_main_loop_unref);
  g_clear_error (&self->error);
}

/* Did the program that reads standard output go away?  It knows that, and needs no message. */
static gboolean
leat_launch_lost_reader (void)
{
  struct pollfd out = { STDOUT_FILENO, POLLOUT, 0 };

  return poll (&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

static void
leat_launch_say_device (LeatLaunch *self)
{
  LeatDevice *device = leat_session_get_device (self->session);
  const char *note = leat_device_get_note (device);

  if (note != NULL && !self->options->quiet)
    leat_tool_note ("%s", note);
  if (self->options->verbose)
    leat_tool_note ("device %s: %s", leat_device_get_id (device), leat_device_get_name (device));
}

static void
leat_launch_say_plan (LeatLaunch *self)
{
  g_autofree char *text = NULL;

  if (!self->options->verbose)
    return;
  text = leat_plan_to_text (leat_session_get_plan (self->session));
  fputs (text, stderr);
}

static gboolean
leat_launch_run_counted (LeatSession *session, GCancellable *cancellable, GError **error)
{
  return leat_session_start_counting (session, error) && leat_session_run (session, cancellable, error);
}

static char *
leat_launch_dup_stats (LeatLaunch *self, gboolean interrupted, GError **error)
{
  g_autoptr (GVariant) counts = leat_session_stop_counting (self->session, error);

  return counts != NULL ? leat_launch_stats_to_string (self->options, self->session, counts, interrupted) : NULL;
}

static gboolean
leat_launch_say_stats (LeatLaunch *self)
{
  g_autofree char *text = NULL;

  if (self->options->stats_format == LEAT_STATS_NONE)
    return TRUE;
  text = leat_launch_dup_stats (self, FALSE, &self->error);
  return text != NULL && leat_launch_print_stats (text, self->output, &self->error);
}

static gboolean
leat_launch_draw (LeatLaunch *self)
{
  g_autoptr (LeatOutputFile) output = NULL;
  g_autofree char *text = NULL;

  if (self->options->dot_path == NULL)
    return TRUE;
  output = leat_output_file_open (self->options->dot_path, &self->error);
  text = leat_session_to_dot (self->session);
  return output != NULL && leat_tool_write (output, text, &self->error);
}

/* What was measured is the session's, and it is told after the session is closed. */
static LeatExit
leat_launch_end_interrupted (LeatLaunch *self)
{
  gboolean counted = self->options->stats_format != LEAT_STATS_NONE && leat_session_is_open (self->session);
  g_autofree char *text = counted ? leat_launch_dup_stats (self, TRUE, NULL) : NULL;
  g_autoptr (GError) error = NULL;

  leat_session_close (self->session);
  leat_progress_clear (self->progress);
  if (text != NULL && !leat_launch_print_stats (text, self->output, &error))
    leat_tool_report (error);
  return LEAT_EXIT_INTERRUPTED;
}

static LeatExit
leat_launch_fail (LeatLaunch *self)
{
  if (g_cancellable_is_cancelled (self->cancellable))
    return leat_launch_end_interrupted (self);
  leat_session_close (self->session);
  leat_progress_clear (self->progress);
  if (self->options->verbose || !leat_launch_lost_reader ())
    leat_tool_report (self->error);
  return leat_tool_exit_from_error (self->error);
}

/* Where a sink put its result, as seen from the current folder; NULL when that is no file. (transfer full) */
static char *
leat_launch_dup_result (LeatNode *node)
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
  /* Who reads from a pipe or a device sees what comes. */
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  here = g_get_current_dir ();
  n = strlen (here);
  return g_strdup (g_str_has_prefix (path, here) && path[n] == '/' ? path + n + 1 : path);
}

static void
leat_launch_say_results (LeatLaunch *self)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (self->pipeline);

  for (guint i = 0; !self->options->quiet && i < nodes->len; i++)
    {
      g_autofree char *path = leat_launch_dup_result (nodes->pdata[i]);

      if (path != NULL)
        leat_tool_note ("wrote %s", path);
    }
}

static gboolean
leat_launch_load_state (LeatLaunch *self)
{
  const char *path = self->options->load_path;

  return path == NULL || leat_session_load_state (self->session, path, &self->error);
}

static gboolean
leat_launch_save_state (LeatLaunch *self)
{
  const char *path = self->options->save_path;

  if (path == NULL)
    return TRUE;
  if (!leat_session_save_state (self->session, path, &self->error))
    return FALSE;
  if (!self->options->quiet)
    leat_tool_note ("wrote %s", path);
  return TRUE;
}

static LeatExit
leat_launch_run_steps (LeatLaunch *self)
{
  gboolean counted = self->options->stats_format != LEAT_STATS_NONE;

  if (!leat_launch_await (self, leat_session_open))
    return leat_launch_fail (self);
  leat_launch_say_device (self);
  leat_launch_say_plan (self);
  if (!leat_launch_load_state (self))
    return leat_launch_fail (self);
  leat_launch_explain_crashes ();
  if (!leat_launch_await (self, counted ? leat_launch_run_counted : leat_session_run))
    return leat_launch_fail (self);
  leat_progress_clear (self->progress);
  if (!leat_launch_save_state (self))
    return leat_launch_fail (self);
  leat_launch_say_results (self);
  return leat_launch_say_stats (self) && leat_launch_draw (self) ? LEAT_EXIT_OK : leat_launch_fail (self);
}

/* A run would wait for its first push for ever. */
static gboolean
leat_launch_check_sources (LeatPipeline *pipeline, GError **error)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);

  for (guint i = 0; i < nodes->len; i++)
    if (LEAT_IS_APP (nodes->pdata[i]) && leat_endpoint_is_source (nodes->pdata[i]))
      {
        g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNLINKED,
                     "app \"%s\" gives what a program pushes, and leat-launch pushes nothing: run the pipeline from a "
                     "program, or put a source in its place, such as io:file or io:npy",
                     leat_node_get_name (nodes->pdata[i]));
        return FALSE;
      }
  return TRUE;
}

LeatExit
leat_launch_run (const LeatLaunchOptions *options, LeatPipeline *pipeline)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatOutputFile) output = NULL;
  LeatLaunch self = { NULL };
  LeatExit code;

  /* Not after a run that was in vain. */
  if (leat_launch_check_sources (pipeline, &error) && options->stats_path != NULL)
    self.output = output = leat_output_file_open (options->stats_path, &error);
  if (error != NULL)
    {
      leat_tool_report (error);
      return leat_tool_exit_from_error (error);
    }
  leat_launch_begin (&self, options, pipeline);
  code = leat_launch_run_steps (&self);
  leat_launch_end (&self);
  return code;
}

char *
leat_launch_plan_to_string (LeatPlan *plan, LeatFormat format)
{
  g_autofree char *json = NULL;

  if (format == LEAT_FORMAT_DOT)
    return leat_plan_to_dot (plan);
  if (format == LEAT_FORMAT_TEXT)
    return leat_plan_to_text (plan);
  json = leat_plan_to_json (plan);
  return g_strconcat (json, "\n", NULL);
}

static LeatExit
leat_launch_print_bound_steps (LeatLaunch *self)
{
  g_autoptr (LeatPlan) plan = NULL;
  g_autofree char *text = NULL;

  if (!leat_launch_await (self, leat_session_open))
    return leat_launch_fail (self);
  leat_launch_say_device (self);
  plan = self->options->batch > 1 ? leat_session_get_batch_plan (self->session, &self->error)
                                  : g_object_ref (leat_session_get_plan (self->session));
  if (plan == NULL)
    return leat_launch_fail (self);
  text = leat_launch_plan_to_string (plan, self->options->plan_format);
  return leat_tool_write (self->output, text, &self->error) ? LEAT_EXIT_OK : leat_launch_fail (self);
}

LeatExit
leat_launch_print_bound (const LeatLaunchOptions *options, LeatPipeline *pipeline, LeatOutputFile *output)
{
  LeatLaunch self = { .output = output };
  LeatExit code;

  leat_launch_begin (&self, options, pipeline);
  code = leat_launch_print_bound_steps (&self);
  leat_launch_end (&self);
  return code;
}
