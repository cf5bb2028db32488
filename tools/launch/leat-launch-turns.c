/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Pipelines that take turns, for --priority: a scheduler in the place of each session's own runs.  Touches the jobs'
 * sessions through that scheduler. */

#include "leat-launch-turns.h"

/* How long a pipeline whose sources have nothing leaves the others alone, before it asks again. */
#define LEAT_LAUNCH_PAUSE_LEAST_US 100
#define LEAT_LAUNCH_PAUSE_MOST_US  10000

static gboolean
leat_launch_priority_parse (const char *nick, LeatPriority *priority, GError **error)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (LEAT_TYPE_PRIORITY);
  const GEnumValue *value = g_enum_get_value_by_nick (G_ENUM_CLASS (klass), nick);

  if (value != NULL)
    {
      *priority = (LeatPriority) value->value;
      return TRUE;
    }
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--priority=%s: expected low, normal or high", nick);
  return FALSE;
}

LeatPriority *
leat_launch_priorities_parse (const char *text, guint n, GError **error)
{
  g_auto (GStrv) nicks = g_strsplit (text, ",", -1);
  g_autofree LeatPriority *priorities = g_new0 (LeatPriority, n);
  guint n_nicks = g_strv_length (nicks);

  if (n_nicks != 1 && n_nicks != n)
    {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                   "--priority=%s names %u priorities, and there %s %u %s: name one for all, or one for each", text,
                   n_nicks, n == 1 ? "is" : "are", n, n == 1 ? "pipeline" : "pipelines");
      return NULL;
    }
  for (guint i = 0; i < n; i++)
    if (!leat_launch_priority_parse (nicks[n_nicks == 1 ? 0 : i], &priorities[i], error))
      return NULL;
  return g_steal_pointer (&priorities);
}

LeatScheduler *
leat_launch_turns_begin (const LeatLaunchOptions *options, const GPtrArray *jobs, GError **error)
{
  g_autoptr (LeatDevice) device = leat_device_open (options->device, error);
  g_autoptr (LeatScheduler) scheduler = device != NULL ? leat_scheduler_new (device) : NULL;

  for (guint i = 0; scheduler != NULL && i < jobs->len; i++)
    {
      LeatLaunchJob *job = g_ptr_array_index (jobs, i);

      g_object_set (job->session, "priority", options->priorities[i], NULL);
      if (!leat_scheduler_add (scheduler, job->session, error))
        return NULL;
      job->scheduler = scheduler;
    }
  return g_steal_pointer (&scheduler);
}

/* A run that waits for data would keep its place from the others; it is called off where it is too. */
static LeatFlow
leat_launch_turns_take (LeatLaunchJob *job, gulong *pause_us, GError **error)
{
  LeatFlow flow = leat_scheduler_replay (job->scheduler, job->session, NULL, 0, NULL, job->cancellable, error);

  if (flow != LEAT_FLOW_EMPTY)
    {
      *pause_us = LEAT_LAUNCH_PAUSE_LEAST_US;
      return flow;
    }
  if (g_cancellable_set_error_if_cancelled (job->cancellable, error))
    return LEAT_FLOW_ERROR;
  g_usleep (*pause_us);
  *pause_us = MIN (2 * *pause_us, LEAT_LAUNCH_PAUSE_MOST_US);
  return flow;
}

gboolean
leat_launch_turns_run (LeatLaunchJob *job, GError **error)
{
  gulong pause_us = LEAT_LAUNCH_PAUSE_LEAST_US;
  LeatFlow flow;

  do
    flow = leat_launch_turns_take (job, &pause_us, error);
  while (flow == LEAT_FLOW_DATA || flow == LEAT_FLOW_EMPTY);
  return flow == LEAT_FLOW_END;
}

GVariant *
leat_launch_turns_describe_progress (LeatLaunchJob *job)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (job->session);
  guint64 runs = 0, bytes = 0;
  GVariantDict dict;

  g_variant_lookup (stats, "runs", "t", &runs);
  g_variant_lookup (stats, "bytes-in", "t", &bytes);
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "runs", "t", runs);
  g_variant_dict_insert (&dict, "bytes", "t", bytes);
  g_variant_dict_insert (&dict, "seconds", "d", (g_get_monotonic_time () - job->begun_us) / (double) G_USEC_PER_SEC);
  return g_variant_dict_end (&dict);
}
