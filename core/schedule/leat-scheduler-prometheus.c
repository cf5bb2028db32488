/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The counters of a scheduler, in the text format of Prometheus: of all, and of each session. */

#include "leat-scheduler-private.h"

#include "monitor/leat-prometheus-private.h"

typedef struct
{
  const char *key, *name, *help; /* what it is called among the statistics, and here */
} LeatSample;

static const LeatSample leat_scheduler_samples[] = {
  { "sessions", "sessions", "Sessions that are in the scheduler" },
  { "sessions-waiting", "sessions_waiting", "Sessions of which a run waits for its turn and none is under way" },
  { "running", "sessions_running", "Sessions of which a run is under way" },
  { "sessions-evicted", "sessions_evicted", "Sessions that are off the device for a while" },
  { "queued", "queued_runs", "Runs that wait for their turn" },
  { "paused", "paused", "1 where no runs are begun" },
  { "admitted-bytes", "admitted_bytes", "Memory of the device that sessions have been admitted to" },
  { "allowed-bytes", "allowed_bytes", "Memory of the device that may be in use" },
  { "evictions", "evictions_total", "Sessions that left the device for others" },
  { "submitted", "submitted_total", "Runs that were taken" },
  { "refused", "refused_total", "Runs that were not taken" },
  { "done", "done_total", "Runs that were done" },
  { "failed", "failed_total", "Runs that ended with an error" },
  { "cancelled", "cancelled_total", "Runs that were cancelled" },
  { "dropped", "dropped_total", "Runs that were taken and never begun" },
  { "missed", "missed_deadlines_total", "Runs whose deadline passed before their end" },
  { "device-us", "device_seconds_total", "Time of the device, summed up over the runs" },
  { "wait-us", "wait_seconds_total", "Time from submission to turn" },
  { "run-us", "run_seconds_total", "Time from turn to end" },
};

static const LeatSample leat_member_samples[] = {
  { "queued", "session_queued_runs", "Runs of a session that wait for their turn" },
  { "running", "session_running", "1 where a run of the session is under way" },
  { "paused", "session_paused", "1 where no runs of the session are begun" },
  { "evicted", "session_evicted", "1 where the session is off the device for a while" },
  { "admitted-bytes", "session_admitted_bytes", "Memory of the device that the session has been admitted to" },
  { "done", "session_done_total", "Runs of a session that were done" },
  { "missed", "session_missed_deadlines_total", "Runs of a session whose deadline passed before their end" },
  { "device-us", "session_device_seconds_total", "Time of the device that a session has had" },
  { "wait-us", "session_wait_seconds_total", "Time from submission to turn of a session's runs" },
};

static void
leat_sample_append_head (const LeatSample *self, GString *out)
{
  g_autofree char *name = g_strconcat ("leat_scheduler_", self->name, NULL);

  leat_prometheus_append_head (out, name, self->help);
}

static void
leat_sample_append (const LeatSample *self, GString *out, GVariant *figures, const char *labels)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (figures, self->key, NULL);

  g_string_append_printf (out, "leat_scheduler_%s{%s} ", self->name, labels);
  if (g_str_has_suffix (self->key, "-us"))
    leat_prometheus_append_seconds (out, g_variant_get_int64 (value));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    g_string_append_printf (out, "%d\n", g_variant_get_boolean (value));
  else
    g_string_append_printf (out, "%" G_GUINT64_FORMAT "\n", g_variant_get_uint64 (value));
}

/* (transfer full) */
static char *
leat_member_dup_labels (GVariant *member, const char *labels)
{
  g_autoptr (GString) text = g_string_new (labels);
  const char *name = NULL, *priority = NULL;
  guint64 number = 0;

  g_variant_lookup (member, "name", "&s", &name);
  g_variant_lookup (member, "priority", "&s", &priority);
  g_variant_lookup (member, "number", "t", &number);
  g_string_append_c (text, ',');
  leat_prometheus_append_label (text, "pipeline", name);
  g_string_append_printf (text, ",session=\"%" G_GUINT64_FORMAT "\",priority=\"%s\"", number, priority);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
leat_scheduler_append_members (GString *out, GVariant *members, const char *labels)
{
  for (guint k = 0; g_variant_n_children (members) > 0 && k < G_N_ELEMENTS (leat_member_samples); k++)
    {
      leat_sample_append_head (&leat_member_samples[k], out);
      for (gsize i = 0; i < g_variant_n_children (members); i++)
        {
          g_autoptr (GVariant) member = g_variant_get_child_value (members, i);
          g_autofree char *all = leat_member_dup_labels (member, labels);

          leat_sample_append (&leat_member_samples[k], out, member, all);
        }
    }
}

/**
 * leat_scheduler_to_prometheus:
 * @self: a scheduler
 * @name: what the label "scheduler" is to say
 *
 * Prints what leat_scheduler_dup_stats () tells of all sessions, and the more important of each of them, in the text
 * format that Prometheus reads.  Every sample has the labels "device" and "scheduler"; those of a session also
 * "pipeline" (its #LeatSession:name), "session" (a number that no other of the scheduler has) and "priority".  Any
 * thread may ask.
 *
 * Returns: (transfer full): the text
 */
char *
leat_scheduler_to_prometheus (LeatScheduler *self, const char *name)
{
  g_autoptr (GString) labels = g_string_new (NULL);
  g_autoptr (GVariant) figures = NULL, members = NULL;
  GString *out;

  g_return_val_if_fail (LEAT_IS_SCHEDULER (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);
  out = g_string_new (NULL);
  figures = g_variant_ref_sink (leat_scheduler_describe (self));
  members = g_variant_lookup_value (figures, "members", NULL);
  leat_prometheus_append_label (labels, "device", leat_device_get_id (self->device));
  g_string_append_c (labels, ',');
  leat_prometheus_append_label (labels, "scheduler", name);
  for (guint i = 0; i < G_N_ELEMENTS (leat_scheduler_samples); i++)
    {
      leat_sample_append_head (&leat_scheduler_samples[i], out);
      leat_sample_append (&leat_scheduler_samples[i], out, figures, labels->str);
    }
  leat_scheduler_append_members (out, members, labels->str);
  return g_string_free (out, FALSE);
}
