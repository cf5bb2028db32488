/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The output of --stats for one pipeline, as text, JSON or Prometheus.  Reads its session, plan and device, and changes
 * none of them. */

#include "leat-launch-stats.h"

#include "leat-launch-replays.h"

#include <stdio.h>
#include <string.h>

static GVariant *
leat_launch_stats_describe_device (LeatDevice *device)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "id", "s", leat_device_get_id (device));
  g_variant_dict_insert (&dict, "name", "s", leat_device_get_name (device));
  g_variant_dict_insert (&dict, "memory-bytes", "t", leat_device_get_memory_bytes (device));
  if (leat_device_get_note (device) != NULL)
    g_variant_dict_insert (&dict, "note", "s", leat_device_get_note (device));
  return g_variant_dict_end (&dict);
}

static GVariant *
leat_launch_stats_describe_plan (LeatPlan *plan)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "ops", "u", leat_plan_get_n_ops (plan));
  g_variant_dict_insert (&dict, "buffers", "u", leat_plan_get_n_buffers (plan));
  g_variant_dict_insert (&dict, "device-bytes", "t", leat_plan_get_device_bytes (plan));
  g_variant_dict_insert (&dict, "host-bytes", "t", leat_plan_get_host_bytes (plan));
  return g_variant_dict_end (&dict);
}

/* All that --stats tells, as one dictionary. */
static GVariant *
leat_launch_stats_collect (const LeatLaunchJob *job, GVariant *counts, gboolean interrupted)
{
  LeatSession *session = job->session;
  g_autoptr (GVariant) run = leat_session_dup_stats (session);
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (session);
  g_autoptr (GVariant) predicted = leat_plan_dup_prediction (plan);
  g_autoptr (GVariant) times = leat_session_dup_times (session);
  g_autoptr (GVariant) queues =
    leat_session_dup_work_queues (session, NULL); /* a session that failed has nothing to say */
  g_autoptr (GVariant) loops = leat_session_dup_loops (session);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  if (job->name != NULL)
    g_variant_dict_insert (&dict, "pipeline", "s", job->name);
  g_variant_dict_insert_value (&dict, "device", leat_launch_stats_describe_device (leat_session_get_device (session)));
  g_variant_dict_insert (&dict, "executor", "s", leat_launch_executor_get_name (job->options->executor));
  g_variant_dict_insert (&dict, "interrupted", "b", interrupted);
  g_variant_dict_insert_value (&dict, "plan", leat_launch_stats_describe_plan (plan));
  g_variant_dict_insert_value (&dict, "run", run);
  g_variant_dict_insert_value (&dict, "transfers", leat_launch_replays_describe_transfers (plan));
  g_variant_dict_insert_value (&dict, "predicted-a-run", predicted);
  if (counts != NULL)
    {
      g_autoptr (GVariant) so_far = leat_session_dup_predicted (session);

      g_variant_dict_insert_value (&dict, "predicted", so_far);
      g_variant_dict_insert_value (&dict, "counted", counts);
    }
  if (queues != NULL)
    g_variant_dict_insert_value (&dict, "queues", queues);
  if (g_variant_n_children (loops) > 0)
    g_variant_dict_insert_value (&dict, "loops", loops);
  if (job->options->timing == LEAT_TIMING_NODES)
    g_variant_dict_insert_value (&dict, "times", times);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

static guint64
leat_launch_stats_get (GVariant *stats, const char *name)
{
  guint64 value = 0;

  g_variant_lookup (stats, name, "t", &value);
  return value;
}

static void
leat_launch_stats_append_time (GVariant *stats, const char *name, const char *label, GString *text)
{
  gint64 us = 0;

  if (g_variant_lookup (stats, name, "x", &us))
    g_string_append_printf (text, "%-14s%.3f ms\n", label, us / 1000.0);
}

static void
leat_launch_stats_append_bytes (GVariant *stats, const char *name, const char *label, GString *text)
{
  guint64 bytes = leat_launch_stats_get (stats, name);
  g_autofree char *size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS | G_FORMAT_SIZE_LONG_FORMAT);

  g_string_append_printf (text, "%-14s%s\n", label, size);
}

static void
leat_launch_stats_append_busy (GVariant *stats, const char *who, const char *label, GString *text)
{
  g_autofree char *busy_name = g_strconcat (who, "-busy-us", NULL), *idle_name = g_strconcat (who, "-idle-us", NULL);
  gint64 busy = 0, idle = 0;

  g_variant_lookup (stats, busy_name, "x", &busy);
  g_variant_lookup (stats, idle_name, "x", &idle);
  g_string_append_printf (text, "%-14s%.3f ms busy, %.3f ms idle\n", label, busy / 1000.0, idle / 1000.0);
}

static void
leat_launch_stats_append_lanes (GVariant *stats, GString *text)
{
  guint64 most = leat_launch_stats_get (stats, "in-flight-most");

  g_string_append_printf (text, "%-14s%" G_GUINT64_FORMAT, "lanes", leat_launch_stats_get (stats, "lanes-used"));
  if (most == 0)
    {
      g_string_append_c (text, '\n');
      return;
    }
  g_string_append_printf (text, ", at most %" G_GUINT64_FORMAT " runs in flight\n", most);
  leat_launch_stats_append_busy (stats, "reader", "  reader", text);
  leat_launch_stats_append_busy (stats, "lanes", "  device", text);
  leat_launch_stats_append_busy (stats, "writer", "  writer", text);
}

static void
leat_launch_stats_append_runs (GVariant *stats, GString *text)
{
  guint64 runs = leat_launch_stats_get (stats, "runs"), timed = leat_launch_stats_get (stats, "runs-timed");
  gint64 least = 0, most = 0, sum = 0;

  g_string_append_printf (text, "%-14s%" G_GUINT64_FORMAT "\n", "runs", runs);
  leat_launch_stats_append_bytes (stats, "bytes-in", "in", text);
  leat_launch_stats_append_bytes (stats, "bytes-out", "out", text);
  leat_launch_stats_append_time (stats, "open-us", "open", text);
  leat_launch_stats_append_time (stats, "open-plan-us", "  plan", text);
  leat_launch_stats_append_time (stats, "open-attach-us", "  device", text);
  leat_launch_stats_append_time (stats, "open-bind-us", "  bind", text);
  leat_launch_stats_append_time (stats, "open-load-us", "  kernels", text);
  leat_launch_stats_append_time (stats, "open-build-us", "  graph", text);
  leat_launch_stats_append_time (stats, "open-start-us", "  ends", text);
  leat_launch_stats_append_time (stats, "first-result-us", "first result", text);
  leat_launch_stats_append_time (stats, "source-us", "sources", text);
  leat_launch_stats_append_time (stats, "device-us", "device", text);
  g_variant_lookup (stats, "device-us", "x", &sum);
  g_variant_lookup (stats, "device-min-us", "x", &least);
  g_variant_lookup (stats, "device-max-us", "x", &most);
  if (timed > 0)
    g_string_append_printf (text, "%-14s%.3f ms: least %.3f, most %.3f\n", "  a run", sum / 1000.0 / timed,
                            least / 1000.0, most / 1000.0);
  leat_launch_stats_append_time (stats, "sink-us", "sinks", text);
  leat_launch_stats_append_lanes (stats, text);
}

/* Over all runs: what the plans say, and what the driver counted.  Only what both know.  A plan says what a run with
 * results takes: with @silent ones there is nothing to compare. */
static void
leat_launch_stats_append_counts (GVariant *predicted, GVariant *counts, guint64 silent, GString *text)
{
  GVariantIter iter;
  const char *name;
  guint64 value, expected;

  g_string_append_printf (text, "%-14s%12s%12s\n", "all runs", silent > 0 ? "" : "predicted", "counted");
  g_variant_iter_init (&iter, counts);
  while (g_variant_iter_next (&iter, "{&st}", &name, &value))
    if (g_variant_lookup (predicted, name, "t", &expected) && silent > 0)
      g_string_append_printf (text, "%-14s%12s%12" G_GUINT64_FORMAT "\n", name, "", value);
    else if (g_variant_lookup (predicted, name, "t", &expected))
      g_string_append_printf (text, "%-14s%12" G_GUINT64_FORMAT "%12" G_GUINT64_FORMAT "\n", name, expected, value);
}

/* The reports of kernels, by node and code. */
static void
leat_launch_stats_append_reports (GVariant *stats, GString *text)
{
  g_autoptr (GVariant) reports = g_variant_lookup_value (stats, "reports-by-code", G_VARIANT_TYPE ("aa{sv}"));

  for (gsize i = 0; i < g_variant_n_children (reports); i++)
    {
      g_autoptr (GVariant) report = g_variant_get_child_value (reports, i);
      const char *node = NULL, *severity = NULL, *words = NULL;

      g_variant_lookup (report, "node", "&s", &node);
      g_variant_lookup (report, "severity", "&s", &severity);
      g_variant_lookup (report, "text", "&s", &words);
      g_string_append_printf (text, "%-14s%" G_GUINT64_FORMAT " of %s: %s\n", severity,
                              leat_launch_stats_get (report, "count"), node, words);
    }
}

/* The items that went through the kernels' work queues. */
static void
leat_launch_stats_append_queues (LeatSession *session, GString *text)
{
  g_autoptr (GVariant) queues = leat_session_dup_work_queues (session, NULL);

  for (gsize i = 0; queues != NULL && i < g_variant_n_children (queues); i++)
    {
      g_autoptr (GVariant) queue = g_variant_get_child_value (queues, i);
      const char *node = NULL, *name = NULL;

      g_variant_lookup (queue, "node", "&s", &node);
      g_variant_lookup (queue, "queue", "&s", &name);
      g_string_append_printf (text,
                              "%-14s%s of %s: %" G_GUINT64_FORMAT " items pushed, %" G_GUINT64_FORMAT
                              " requeued, at most %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                              " places taken, %" G_GUINT64_FORMAT " items lost\n",
                              "queue", name, node, leat_launch_stats_get (queue, "pushed"),
                              leat_launch_stats_get (queue, "requeued"), leat_launch_stats_get (queue, "most"),
                              leat_launch_stats_get (queue, "capacity"), leat_launch_stats_get (queue, "overflows"));
    }
}

/* How often loops went round in the last run, and why they ended. */
static void
leat_launch_stats_append_loops (LeatSession *session, GString *text)
{
  g_autoptr (GVariant) loops = leat_session_dup_loops (session);

  for (gsize i = 0; i < g_variant_n_children (loops); i++)
    {
      g_autoptr (GVariant) loop = g_variant_get_child_value (loops, i);
      const char *node = NULL, *method = NULL, *end = NULL;

      g_variant_lookup (loop, "node", "&s", &node);
      g_variant_lookup (loop, "method", "&s", &method);
      g_variant_lookup (loop, "end", "&s", &end);
      g_string_append_printf (text,
                              "%-14s%s: iterations %" G_GUINT64_FORMAT ", %s (%s); runs %" G_GUINT64_FORMAT
                              ", most %" G_GUINT64_FORMAT ", total %" G_GUINT64_FORMAT "\n",
                              "loop", node, leat_launch_stats_get (loop, "iterations"), end, method,
                              leat_launch_stats_get (loop, "runs"), leat_launch_stats_get (loop, "most"),
                              leat_launch_stats_get (loop, "total"));
    }
}

/* Of the persistent kernel. */
static void
leat_launch_stats_append_persistent (GVariant *stats, GString *text)
{
  guint64 runs = leat_launch_stats_get (stats, "persistent-runs");

  if (runs > 0)
    g_string_append_printf (text,
                            "%-14sruns %" G_GUINT64_FORMAT ", launches %" G_GUINT64_FORMAT ", leaves %" G_GUINT64_FORMAT
                            ", runaways %" G_GUINT64_FORMAT "\n",
                            "persistent", runs, leat_launch_stats_get (stats, "persistent-launches"),
                            leat_launch_stats_get (stats, "persistent-leaves"),
                            leat_launch_stats_get (stats, "runaways"));
}

static double
leat_launch_stats_get_time (GVariant *dict, const char *name)
{
  double us = 0;

  g_variant_lookup (dict, name, "d", &us);
  return us;
}

static void
leat_launch_stats_append_node (GVariant *node, GString *text)
{
  const char *name = NULL, *op = NULL;
  g_autofree char *size = g_format_size_full (leat_launch_stats_get (node, "bytes"), G_FORMAT_SIZE_IEC_UNITS);

  g_variant_lookup (node, "node", "&s", &name);
  g_variant_lookup (node, "op", "&s", &op);
  g_string_append_printf (text, "%10.2f%10.2f%10.2f%12s  %s (%s)\n", leat_launch_stats_get_time (node, "mean-us"),
                          leat_launch_stats_get_time (node, "least-us"), leat_launch_stats_get_time (node, "most-us"),
                          size, name, op);
}

/* The times that the device's clock gave. */
static void
leat_launch_stats_append_nodes (LeatSession *session, GString *text)
{
  static const char *const parts[] = { "wall-us", "launch-us", "wait-us", "work-us", "queue-us" };
  g_autoptr (GVariant) times = leat_session_dup_times (session);
  g_autoptr (GVariant) nodes = g_variant_lookup_value (times, "nodes", G_VARIANT_TYPE ("aa{sv}"));

  g_string_append_printf (
    text, "measured      %" G_GUINT64_FORMAT " of the runs; means:", leat_launch_stats_get (times, "samples"));
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    g_string_append_printf (text, "%s %.*s %.2f us", i > 0 ? "," : "", (int) (strlen (parts[i]) - strlen ("-us")),
                            parts[i], leat_launch_stats_get_time (times, parts[i]));
  g_string_append_printf (text, "\n%10s%10s%10s%12s  %s\n", "mean us", "least us", "most us", "bytes", "node");
  for (gsize i = 0; i < g_variant_n_children (nodes); i++)
    {
      g_autoptr (GVariant) node = g_variant_get_child_value (nodes, i);

      leat_launch_stats_append_node (node, text);
    }
}

static char *
leat_launch_stats_to_text (const LeatLaunchJob *job, GVariant *counts, gboolean interrupted)
{
  LeatSession *session = job->session;
  g_autoptr (GVariant) stats = leat_session_dup_stats (session);
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (session);
  g_autoptr (GVariant) predicted = leat_session_dup_predicted (session);
  LeatDevice *device = leat_session_get_device (session);
  GString *text = g_string_new (NULL);

  if (job->name != NULL)
    g_string_append_printf (text, "%-14s%s\n", "pipeline", job->name);
  g_string_append_printf (text, "%-14s%s: %s\n", "device", leat_device_get_id (device), leat_device_get_name (device));
  g_string_append_printf (text, "%-14s%s\n", "executor", leat_launch_executor_get_name (job->options->executor));
  if (interrupted)
    g_string_append_printf (text, "%-14s%s\n", "interrupted", "what follows is up to then");
  leat_launch_stats_append_runs (stats, text);
  leat_launch_replays_append (plan, stats, text);
  leat_launch_stats_append_reports (stats, text);
  leat_launch_stats_append_queues (session, text);
  leat_launch_stats_append_loops (session, text);
  leat_launch_stats_append_persistent (stats, text);
  if (counts != NULL)
    leat_launch_stats_append_counts (predicted, counts, leat_launch_stats_get (stats, "runs-silent"), text);
  if (job->options->timing == LEAT_TIMING_NODES)
    leat_launch_stats_append_nodes (session, text);
  return g_string_free (text, FALSE);
}

/* The file's name without its ending; a pipeline of the command line has none.  Of several, what messages call it,
 * which no other is called. */
static char *
leat_launch_stats_to_prometheus (const LeatLaunchJob *job)
{
  g_autofree char *name = job->text->is_file ? g_path_get_basename (job->text->words[0]) : g_strdup ("-");

  g_autoptr (GVariant) queues = leat_session_dup_work_queues (job->session, NULL); /* so that they are told */

  if (g_str_has_suffix (name, ".leat"))
    name[strlen (name) - strlen (".leat")] = '\0';
  return leat_session_to_prometheus (job->session, job->name != NULL ? job->name : name);
}

char *
leat_launch_stats_to_string (const LeatLaunchJob *job, GVariant *counts, gboolean interrupted)
{
  g_autoptr (GVariant) stats = NULL;

  if (job->options->stats_format == LEAT_STATS_PROMETHEUS)
    return leat_launch_stats_to_prometheus (job);
  if (job->options->stats_format != LEAT_STATS_JSON)
    return leat_launch_stats_to_text (job, counts, interrupted);
  stats = leat_launch_stats_collect (job, counts, interrupted);
  return leat_tool_variant_to_json (stats);
}

gboolean
leat_launch_print_stats (const char *text, LeatOutputFile *output, GError **error)
{
  if (output != NULL)
    return leat_tool_write (output, text, error);
  leat_tool_say (text);
  return TRUE;
}
