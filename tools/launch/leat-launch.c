/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The tool leat-launch: pipelines are read, checked and planned, then printed or run. */

#include "leat-compare.h"
#include "leat-launch-options.h"
#include "leat-launch-paths.h"
#include "leat-launch-run.h"

#include "device/leat-device-private.h"
#include "leat-code.h"
#include "leat.h"
#include "parse/leat-parse.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define LEAT_LAUNCH_CAPABILITY 80

/* Reads, validates and plans: what needs no device.  The errors are those of the first of the three that has any. */
static LeatPipeline *
leat_launch_load (const LeatLaunchOptions *options, const LeatLaunchText *text, LeatPlan **plan, GPtrArray *errors)
{
  g_autoptr (LeatPipeline) pipeline = leat_launch_text_read (text, errors);
  GError *error = NULL;

  if (pipeline == NULL)
    return NULL;
  if (!leat_dumps_add (options->wrong.dumps, pipeline, &error))
    {
      g_ptr_array_add (errors, error);
      return NULL;
    }
  leat_pipeline_set_fuse (pipeline, options->fuse);
  leat_pipeline_set_optimise (pipeline, options->optimise);
  if (plan == NULL)
    return g_steal_pointer (&pipeline);
  g_clear_object (plan);
  *plan = leat_plan_new (pipeline, &error);
  if (*plan != NULL)
    return g_steal_pointer (&pipeline);
  g_ptr_array_add (errors, error);
  return NULL;
}

/* Says of which of several pipelines the errors from @first on are, where they do not. */
static void
leat_launch_name_errors (const LeatLaunchOptions *options, const LeatLaunchText *text, GPtrArray *errors, guint first)
{
  for (guint i = first; options->texts->len > 1 && i < errors->len; i++)
    if (strstr (((GError *) errors->pdata[i])->message, text->name) == NULL)
      g_prefix_error ((GError **) &errors->pdata[i], "%s: ", text->name);
}

/* All of them, or none and the errors of all.  @plan: (nullable): of the last one.  (element-type LeatPipeline) */
static GPtrArray *
leat_launch_load_all (const LeatLaunchOptions *options, LeatPlan **plan, GPtrArray *errors)
{
  g_autoptr (GPtrArray) pipelines = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < options->texts->len; i++)
    {
      const LeatLaunchText *text = options->texts->pdata[i];
      guint n_before = errors->len;
      LeatPipeline *pipeline = leat_launch_load (options, text, plan, errors);

      leat_launch_name_errors (options, text, errors, n_before);
      if (pipeline != NULL)
        g_ptr_array_add (pipelines, pipeline);
    }
  return errors->len == 0 ? g_steal_pointer (&pipelines) : NULL;
}

/* Finds faults that are there only here and now, such as a folder that is missing. */
static void
leat_launch_check_endpoints (LeatPipeline *pipeline, GPtrArray *errors)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);

  for (guint i = 0; i < nodes->len; i++)
    {
      GError *error = NULL;

      if (LEAT_IS_ENDPOINT (nodes->pdata[i]) && !leat_endpoint_check (nodes->pdata[i], &error))
        g_ptr_array_add (errors, error);
    }
}

static LeatExit
leat_launch_check (const LeatLaunchOptions *options, const GPtrArray *pipelines, GPtrArray *errors)
{
  for (guint i = 0; i < pipelines->len; i++)
    {
      const LeatLaunchText *text = options->texts->pdata[i];
      guint n_before = errors->len;

      leat_launch_check_endpoints (pipelines->pdata[i], errors);
      leat_launch_name_errors (options, text, errors, n_before);
      if (options->verbose && errors->len == n_before)
        leat_tool_print_line ("%s: ok", options->texts->len > 1 ? text->name
                                        : text->is_file         ? text->words[0]
                                                                : "pipeline");
    }
  return errors->len > 0 ? leat_tool_report_all (errors) : LEAT_EXIT_OK;
}

/* @plan: NULL when it is to be bound to a device first */
static LeatExit
leat_launch_print_plan (const LeatLaunchOptions *options, LeatPipeline *pipeline, LeatPlan *plan)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatOutputFile) output =
    leat_launch_open_output (options->plan_path != NULL ? options->plan_path : "-", &error);
  g_autofree char *text = NULL;

  if (output != NULL && plan == NULL)
    return leat_launch_print_bound (options, pipeline, output);
  if (output != NULL)
    text = leat_launch_plan_to_string (plan, options->plan_format);
  if (text != NULL && leat_tool_write (output, text, &error))
    return LEAT_EXIT_OK;
  leat_tool_report (error);
  return leat_tool_exit_from_error (error);
}

/* One line for each variable: NAME=DEFAULT, and the comment. */
static LeatExit
leat_launch_print_variables (const LeatLaunchOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) variables = leat_parse_list_variables (leat_launch_options_get_text (options)->words[0], &error);
  const char *name, *value, *comment;
  GVariantIter iter;

  if (variables == NULL)
    {
      leat_tool_report (error);
      return leat_tool_exit_from_error (error);
    }
  g_variant_iter_init (&iter, variables);
  while (g_variant_iter_next (&iter, "(&s&s&s)", &name, &value, &comment))
    {
      g_auto (GStrv) lines = g_strsplit (comment, "\n", -1);

      leat_tool_print_line ("%s=%s", name, value);
      for (guint i = 0; lines[i] != NULL; i++)
        leat_tool_print_line ("    %s", lines[i]);
    }
  return LEAT_EXIT_OK;
}

/* Where no device is opened, as for the oldest that is supported in full. */
static gboolean
leat_launch_write_code (const LeatLaunchOptions *options, LeatPlan *plan, GError **error)
{
  gboolean opens = options->task == LEAT_LAUNCH_RUN || options->bound;
  g_autoptr (LeatDevice) device = opens ? leat_device_open (options->device, error) : NULL;
  const LeatDeviceFacts *facts = device != NULL && !leat_device_is_cpu (device) ? leat_device_get_facts (device) : NULL;
  guint capability = facts != NULL ? facts->compute_major * 10 + facts->compute_minor : LEAT_LAUNCH_CAPABILITY;

  return (!opens || device != NULL) && leat_code_write (plan, options->wrong.code_folder, capability, error);
}

static LeatExit
leat_launch_do (const LeatLaunchOptions *options)
{
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  g_autoptr (LeatPlan) plan = NULL;
  g_autoptr (GPtrArray) pipelines = NULL;
  g_autoptr (LeatRecord) record = NULL;
  g_autoptr (GError) error = NULL;
  gboolean logical = options->task == LEAT_LAUNCH_CHECK || (options->task == LEAT_LAUNCH_PLAN && !options->bound);

  if (options->task == LEAT_LAUNCH_VARIABLES)
    return leat_launch_print_variables (options);
  leat_tool_add_plugin_paths (options->plugin_paths);
  if (options->wrong.compare != LEAT_COMPARE_OFF)
    return leat_launch_compare (options);
  if (options->wrong.record_path != NULL)
    record = leat_record_new (options->wrong.record_runs);
  /* A session makes its own plan. */
  pipelines = leat_launch_load_all (options, logical || options->wrong.code_folder != NULL ? &plan : NULL, errors);
  if (pipelines == NULL)
    return leat_tool_report_all (errors);
  if (!leat_launch_check_paths (options, pipelines, &error))
    return leat_tool_report_usage ("%s", error->message);
  if (options->wrong.code_folder != NULL && !leat_launch_write_code (options, plan, &error))
    {
      leat_tool_report (error);
      return leat_tool_exit_from_error (error);
    }
  for (guint i = 0; logical && i < pipelines->len; i++)
    leat_launch_say_warnings (pipelines->pdata[i]);
  if (options->task == LEAT_LAUNCH_CHECK)
    return leat_launch_check (options, pipelines, errors);
  if (options->task == LEAT_LAUNCH_RUN)
    return leat_launch_run (options, pipelines, record);
  return leat_launch_print_plan (options, pipelines->pdata[0], options->bound ? NULL : plan);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatLaunchOptions) options = NULL;

  leat_tool_start ("leat-launch");
  /* A reader that goes away is an error like any other, so that sinks are undone. */
  signal (SIGPIPE, SIG_IGN);
  signal (SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error like a full disk */
  options = leat_launch_options_new (argc, argv, &error);
  if (options == NULL)
    return leat_tool_report_usage ("%s", error->message);
  if (options->version)
    {
      puts ("leat-launch " LEAT_VERSION);
      return leat_tool_finish_output (LEAT_EXIT_OK);
    }
  leat_tool_take_notes (options->quiet);
  return leat_tool_finish_output (leat_launch_do (options));
}
