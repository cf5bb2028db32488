/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The counters of a session, in the text format of Prometheus. */

#include "leat-reports-private.h"

#include "monitor/leat-prometheus-private.h"
#include "leat-told-private.h"

/* "first-result-us" becomes leat_first_result_seconds, "runs" leat_runs_total, "source-us" leat_source_seconds_total.
 */
static char *
leat_prometheus_dup_name (const LeatCounter *counter)
{
  g_autoptr (GString) name = g_string_new ("leat_");
  gboolean time = leat_counter_is_time (counter);

  g_string_append_len (name, counter->name, strlen (counter->name) - (time ? strlen ("-us") : 0));
  g_string_replace (name, "-", "_", 0);
  if (time)
    g_string_append (name, "_seconds");
  if (counter->kind == LEAT_COUNTER_SUM || counter->kind == LEAT_COUNTER_SPENT)
    g_string_append (name, "_total");
  return g_string_free (g_steal_pointer (&name), FALSE);
}

static void
leat_prometheus_append_counter (GString *out, const LeatCounter *counter, const LeatSessionStats *stats,
                                const char *labels)
{
  g_autofree char *name = leat_prometheus_dup_name (counter);
  guint64 value = leat_counter_get (counter, stats);

  leat_prometheus_append_head (out, name, counter->help);
  g_string_append_printf (out, "%s{%s} ", name, labels);
  if (leat_counter_is_time (counter))
    leat_prometheus_append_seconds (out, (gint64) value);
  else
    g_string_append_printf (out, "%" G_GUINT64_FORMAT "\n", value);
}

static void
leat_prometheus_append_nodes (GString *out, LeatTold *self, const char *labels)
{
  static const char name[] = "leat_node_seconds_total", samples[] = "leat_node_samples_total";
  const LeatSessionTimes *times = &self->times;

  leat_prometheus_append_head (out, name, "Time of a node on the device in the runs that were measured");
  for (guint i = 0; i < times->nodes->len; i++)
    {
      const LeatNodeTimes *node = &g_array_index (times->nodes, LeatNodeTimes, i);

      g_string_append_printf (out, "%s{%s,", name, labels);
      leat_prometheus_append_label (out, "node", node->node);
      g_string_append_c (out, ',');
      leat_prometheus_append_label (out, "op", node->op);
      g_string_append_printf (out, ",index=\"%u\"} %" G_GINT64_FORMAT ".%09d\n", node->index, node->sum_ns / 1000000000,
                              (int) (node->sum_ns % 1000000000));
    }
  leat_prometheus_append_head (out, samples, "Runs that were measured");
  g_string_append_printf (out, "%s{%s} %" G_GUINT64_FORMAT "\n", samples, labels, times->samples);
}

static void
leat_prometheus_append_reports (GString *out, LeatTold *self, const char *labels)
{
  static const char name[] = "leat_node_reports_total";
  g_autoptr (GVariant) reports = g_variant_ref_sink (leat_told_print_reports (self));

  if (g_variant_n_children (reports) == 0)
    return;
  leat_prometheus_append_head (out, name, "What the kernel of a node reported");
  for (gsize i = 0; i < g_variant_n_children (reports); i++)
    {
      g_autoptr (GVariant) report = g_variant_get_child_value (reports, i);
      const char *node = NULL, *severity = NULL;
      guint64 count = 0;
      guint code = 0;

      g_variant_lookup (report, "node", "&s", &node);
      g_variant_lookup (report, "severity", "&s", &severity);
      g_variant_lookup (report, "code", "u", &code);
      g_variant_lookup (report, "count", "t", &count);
      g_string_append_printf (out, "%s{%s,", name, labels);
      leat_prometheus_append_label (out, "node", node);
      g_string_append_printf (out, ",code=\"%u\",severity=\"%s\"} %" G_GUINT64_FORMAT "\n", code, severity, count);
    }
}

/* The items that wait in the app queues. */
static void
leat_prometheus_append_apps (GString *out, GVariant *queues, const char *labels)
{
  static const char name[] = "leat_app_queue_items";

  if (queues == NULL || g_variant_n_children (queues) == 0)
    return;
  leat_prometheus_append_head (out, name, "What waits in the queue of an app node");
  for (gsize i = 0; i < g_variant_n_children (queues); i++)
    {
      g_autoptr (GVariant) queue = g_variant_get_child_value (queues, i);
      const char *node = NULL;
      gboolean is_source = FALSE;
      guint length = 0;

      g_variant_lookup (queue, "node", "&s", &node);
      g_variant_lookup (queue, "is-source", "b", &is_source);
      g_variant_lookup (queue, "length", "u", &length);
      g_string_append_printf (out, "%s{%s,", name, labels);
      leat_prometheus_append_label (out, "node", node);
      g_string_append_printf (out, ",direction=\"%s\"} %u\n", is_source ? "in" : "out", length);
    }
}

static const struct
{
  const char *key, *name, *help;
} leat_prometheus_queues[] = {
  { "capacity", "leat_queue_capacity_items", "Items that a queue of a kernel has room for" },
  { "most", "leat_queue_most_items", "Items that were pushed and not done at one time, at most" },
  { "pushed", "leat_queue_pushed_total", "Items that were pushed" },
  { "claimed", "leat_queue_claimed_total", "Items that were claimed" },
  { "requeued", "leat_queue_requeued_total", "Items that were put back" },
  { "overflows", "leat_queue_overflows_total", "Items that there was no room for" },
};

/* Those of kernels, as leat_session_dup_work_queues () had them last. */
static void
leat_prometheus_append_queues (GString *out, GVariant *queues, const char *labels)
{
  for (guint k = 0; queues != NULL && g_variant_n_children (queues) > 0 && k < G_N_ELEMENTS (leat_prometheus_queues);
       k++)
    {
      leat_prometheus_append_head (out, leat_prometheus_queues[k].name, leat_prometheus_queues[k].help);
      for (gsize i = 0; i < g_variant_n_children (queues); i++)
        {
          g_autoptr (GVariant) queue = g_variant_get_child_value (queues, i);
          const char *node = NULL, *name = NULL;
          guint64 value = 0;

          g_variant_lookup (queue, "node", "&s", &node);
          g_variant_lookup (queue, "queue", "&s", &name);
          g_variant_lookup (queue, leat_prometheus_queues[k].key, "t", &value);
          g_string_append_printf (out, "%s{%s,", leat_prometheus_queues[k].name, labels);
          leat_prometheus_append_label (out, "node", node);
          g_string_append_c (out, ',');
          leat_prometheus_append_label (out, "queue", name);
          g_string_append_printf (out, "} %" G_GUINT64_FORMAT "\n", value);
        }
    }
}

char *
leat_told_to_prometheus (LeatTold *self, const char *pipeline)
{
  g_autoptr (GString) labels = g_string_new (NULL);
  g_autoptr (GVariant) apps = NULL, queues = NULL;
  GString *out = g_string_new (NULL);
  LeatSessionStats stats;
  const LeatCounter *counters;
  guint n;

  leat_told_get_stats (self, &stats);
  counters = leat_counters_get (&n);
  g_mutex_lock (&self->lock);
  leat_prometheus_append_label (labels, "device", self->device != NULL ? self->device : "");
  g_mutex_unlock (&self->lock);
  g_string_append_c (labels, ',');
  leat_prometheus_append_label (labels, "pipeline", pipeline);
  for (guint i = 0; i < n; i++)
    leat_prometheus_append_counter (out, &counters[i], &stats, labels->str);
  g_mutex_lock (&self->lock);
  if (self->times.nodes->len > 0)
    leat_prometheus_append_nodes (out, self, labels->str);
  queues = self->queues != NULL ? g_variant_ref (self->queues) : NULL;
  g_mutex_unlock (&self->lock);
  apps = leat_told_list_dup_queues (self);
  leat_prometheus_append_apps (out, apps, labels->str);
  leat_prometheus_append_queues (out, queues, labels->str);
  leat_prometheus_append_reports (out, self, labels->str);
  return g_string_free (out, FALSE);
}
