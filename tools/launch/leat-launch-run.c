/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* All pipelines of a command line, run at the same time: threads, signals, messages, exit code.  Each session is its
 * job's, see leat-launch-job.c. */

#include "leat-launch-run.h"

#include "graph/leat-output-file-private.h"
#include "leat-launch-job.h"
#include "leat-launch-progress.h"
#include "leat-launch-signals.h"
#include "leat-launch-stats.h"
#include "leat-launch-turns.h"
#include "leat-launch-warnings.h"
#include "leat-recording.h"

#include <signal.h>
#include <stdlib.h>

#define LEAT_LAUNCH_GRACE_S     2
#define LEAT_LAUNCH_PROGRESS_MS 100

/* Sessions work in threads of their own; this one waits for them, for signals and for the buses. */
typedef struct
{
  const LeatLaunchOptions *options;
  GPtrArray *jobs; /* LeatLaunchJob */
  guint n_busy;
  GCancellable *cancellable;
  GMainLoop *loop;
  LeatProgress *progress;
  LeatScheduler *scheduler; /* NULL: they do not take turns */
  LeatRecord *record;       /* NULL: none is made */
  LeatOutputFile *output;   /* where a plan or the counts go; NULL: standard error */
} LeatLaunch;

/* For what cannot be called off, such as a grid under way.  Output files that have a name already are taken away. */
static gboolean
leat_launch_give_up (gpointer data)
{
  quick_exit (LEAT_EXIT_INTERRUPTED);
  return G_SOURCE_REMOVE;
}

/* A person comes back to press the key again.  A sender of another signal does not, or sends SIGKILL. */
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
leat_launch_quieten (gpointer data)
{
  leat_progress_clear (((LeatLaunch *) data)->progress);
}

static void
leat_launch_take_message (LeatBus *bus, LeatMessage *message, LeatLaunchJob *job)
{
  LeatLaunch *self = job->data;

  if (leat_message_get_kind (message) == LEAT_MESSAGE_PROGRESS)
    leat_progress_update (self->progress, job->index, leat_message_get_details (message));
  leat_launch_job_warn (job, message);
}

static void
leat_launch_job_ended (LeatLaunchJob *job, gpointer data)
{
  LeatLaunch *self = data;

  leat_progress_end (self->progress, job->index);
  if (--self->n_busy == 0)
    g_main_loop_quit (self->loop);
}

static void
leat_launch_add_job (LeatLaunch *self, LeatPipeline *pipeline)
{
  LeatBus *bus = leat_pipeline_get_bus (pipeline);
  LeatLaunchJob *job = leat_launch_job_new (self->options, self->jobs->len, pipeline, self->cancellable);

  job->done = leat_launch_job_ended;
  job->quieten = leat_launch_quieten;
  job->data = self;
  g_ptr_array_add (self->jobs, job);
  if (self->record != NULL)
    leat_record_watch (self->record, job->session);
  g_signal_connect (bus, "message", G_CALLBACK (leat_launch_take_message), job);
  leat_bus_add_watch (bus);
}

static void
leat_launch_begin (LeatLaunch *self, const LeatLaunchOptions *options, LeatPipeline *const *pipelines, guint n)
{
  g_autofree const char **names = g_new0 (const char *, n + 1);

  self->options = options;
  self->cancellable = g_cancellable_new ();
  self->loop = g_main_loop_new (NULL, FALSE);
  self->jobs = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_launch_job_free);
  for (guint i = 0; i < n; i++)
    {
      leat_launch_add_job (self, pipelines[i]);
      names[i] = ((LeatLaunchJob *) self->jobs->pdata[i])->name;
    }
  self->progress = options->quiet ? NULL : leat_progress_new (options->progress, n, names);
  leat_signals_take (leat_launch_interrupted, self);
}

static void
leat_launch_await (LeatLaunch *self, void (*start) (LeatLaunchJob *job))
{
  self->n_busy = self->jobs->len;
  for (guint i = 0; i < self->jobs->len; i++)
    start (self->jobs->pdata[i]);
  g_main_loop_run (self->loop);
}

static LeatExit
leat_launch_get_code (LeatLaunch *self)
{
  LeatExit code = LEAT_EXIT_OK;

  for (guint i = 0; i < self->jobs->len && code == LEAT_EXIT_OK; i++)
    code = ((LeatLaunchJob *) self->jobs->pdata[i])->code;
  return g_cancellable_is_cancelled (self->cancellable) && code != LEAT_EXIT_OK ? LEAT_EXIT_INTERRUPTED : code;
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

static void
leat_launch_say_last_warnings (LeatLaunchJob *job)
{
  LeatMessage *message;

  while ((message = leat_bus_pop (leat_pipeline_get_bus (job->pipeline), 0)) != NULL)
    {
      leat_launch_job_warn (job, message);
      leat_message_unref (message);
    }
  leat_launch_job_sum_warnings (job);
}

/* Sessions are closed before the last is said. */
static void
leat_launch_end (LeatLaunch *self)
{
  for (guint i = 0; i < self->jobs->len; i++)
    {
      LeatLaunchJob *job = self->jobs->pdata[i];

      leat_session_close (job->session);
      g_signal_handlers_disconnect_by_data (leat_pipeline_get_bus (job->pipeline), job);
      leat_bus_remove_watch (leat_pipeline_get_bus (job->pipeline));
      leat_launch_say_last_warnings (job);
    }
  if (self->scheduler != NULL)
    leat_scheduler_close (self->scheduler);
  g_clear_object (&self->scheduler);
  g_clear_pointer (&self->progress, leat_progress_free);
  g_clear_pointer (&self->jobs, g_ptr_array_unref);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->loop, g_main_loop_unref);
}

/* A run would wait for its first push for ever. */
gboolean
leat_launch_check_sources (LeatPipeline *pipeline, GError **error)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);

  for (guint i = 0; i < nodes->len; i++)
    if (LEAT_IS_APP (nodes->pdata[i]) && leat_endpoint_is_source (nodes->pdata[i])
        && g_object_get_data (G_OBJECT (pipeline), LEAT_RECORDING_FED) == NULL)
      {
        g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNLINKED,
                     "app \"%s\" takes data from an application, and leat-launch pushes none: run the pipeline from an "
                     "application, or put a source in its place, such as io:file or io:npy",
                     leat_node_get_name (nodes->pdata[i]));
        return FALSE;
      }
  return TRUE;
}

static gboolean
leat_launch_check_all_sources (const GPtrArray *pipelines, GError **error)
{
  for (guint i = 0; i < pipelines->len; i++)
    if (!leat_launch_check_sources (pipelines->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* A pipe's reader is waited for while a signal still ends the process. (transfer full) */
LeatOutputFile *
leat_launch_open_output (const char *path, GError **error)
{
  g_autoptr (LeatOutputFile) output = leat_output_file_open (path, error);

  return output != NULL && leat_output_file_await (output, NULL, error) ? g_steal_pointer (&output) : NULL;
}

/* Of all that have any. */
static LeatExit
leat_launch_say_stats (LeatLaunch *self, LeatExit code)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = leat_launch_stats_join (self->options, self->jobs);

  leat_progress_clear (self->progress);
  if (text == NULL || leat_launch_print_stats (text, self->output, &error))
    return code;
  leat_tool_report (error);
  return code != LEAT_EXIT_OK ? code : leat_tool_exit_from_error (error);
}

static gboolean
leat_launch_start_monitor (const LeatLaunchOptions *options, GError **error)
{
  g_autofree char *path = NULL;

  if (options->monitor == NULL)
    return TRUE;
  if (!leat_monitor_start (*options->monitor != '\0' ? options->monitor : NULL, error))
    return FALSE;
  path = leat_monitor_dup_path ();
  if (options->verbose)
    leat_tool_note ("leat-top finds it at %s", path);
  return TRUE;
}

static gboolean
leat_launch_ask_for_progress (gpointer data)
{
  LeatLaunch *self = data;

  for (guint i = 0; i < self->jobs->len; i++)
    {
      LeatLaunchJob *job = self->jobs->pdata[i];
      g_autoptr (GVariant) details = NULL;

      if (!job->runs)
        continue;
      details = g_variant_ref_sink (leat_launch_turns_describe_progress (job));
      leat_progress_update (self->progress, i, details);
    }
  return G_SOURCE_CONTINUE;
}

static LeatExit
leat_launch_run_jobs (LeatLaunch *self)
{
  g_autoptr (GError) error = NULL;
  guint timer = 0;

  if (self->options->priorities != NULL)
    {
      self->scheduler = leat_launch_turns_begin (self->options, self->jobs, &error);
      timer = g_timeout_add (LEAT_LAUNCH_PROGRESS_MS, leat_launch_ask_for_progress, self);
    }
  if (error == NULL)
    leat_launch_await (self, leat_launch_job_start);
  if (timer > 0)
    g_source_remove (timer);
  if (error == NULL)
    return leat_launch_say_stats (self, leat_launch_get_code (self));
  leat_tool_report (error);
  return leat_tool_exit_from_error (error);
}

/* There is one pipeline, and its session is closed: it becomes what is recorded. */
static LeatExit
leat_launch_write_record (LeatLaunch *self, LeatPipeline *pipeline, LeatDevice *device, LeatExit code)
{
  g_autoptr (GError) error = NULL;

  if (self->record == NULL)
    return code;
  if (device == NULL)
    leat_tool_note ("nothing ran, so nothing is recorded");
  else if (!leat_record_write (self->record, self->options, pipeline, device, &error))
    {
      leat_tool_report (error);
      return code != LEAT_EXIT_OK ? code : leat_tool_exit_from_error (error);
    }
  else if (!self->options->quiet)
    leat_tool_note ("wrote %s", self->options->wrong.record_path);
  return code;
}

LeatExit
leat_launch_run (const LeatLaunchOptions *options, const GPtrArray *pipelines, LeatRecord *record)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatOutputFile) output = NULL;
  g_autoptr (LeatDevice) device = NULL;
  LeatLaunch self = { .record = record };
  LeatExit code;

  /* Not after a run that was in vain. */
  if (leat_launch_check_all_sources (pipelines, &error) && options->stats_path != NULL)
    self.output = output = leat_launch_open_output (options->stats_path, &error);
  if (error != NULL || !leat_launch_start_monitor (options, &error))
    {
      leat_tool_report (error);
      return leat_tool_exit_from_error (error);
    }
  leat_launch_begin (&self, options, (LeatPipeline *const *) pipelines->pdata, pipelines->len);
  code = leat_launch_run_jobs (&self);
  g_set_object (&device, ((LeatLaunchJob *) self.jobs->pdata[0])->device);
  leat_launch_end (&self);
  code = leat_launch_write_record (&self, pipelines->pdata[0], device, code);
  leat_monitor_stop ();
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
leat_launch_write_bound (LeatLaunch *self)
{
  LeatLaunchJob *job = self->jobs->pdata[0];
  g_autoptr (LeatPlan) plan = NULL;
  GError *error = NULL;
  g_autofree char *text = NULL;

  if (job->code != LEAT_EXIT_OK)
    return job->code;
  plan = self->options->batch > 1 ? leat_session_get_batch_plan (job->session, &error)
                                  : leat_session_dup_plan (job->session);
  if (plan != NULL)
    text = leat_launch_plan_to_string (plan, self->options->plan_format);
  if (plan == NULL || !leat_tool_write (self->output, text, &error))
    leat_launch_job_fail (job, error);
  return job->code;
}

LeatExit
leat_launch_print_bound (const LeatLaunchOptions *options, LeatPipeline *pipeline, LeatOutputFile *output)
{
  LeatLaunch self = { .output = output };
  LeatExit code;

  leat_launch_begin (&self, options, &pipeline, 1);
  leat_launch_await (&self, leat_launch_job_open);
  code = leat_launch_write_bound (&self);
  leat_launch_end (&self);
  return code;
}
