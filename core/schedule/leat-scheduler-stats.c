/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The counters of a scheduler, of each session and of all. */

#include "leat-scheduler-private.h"

#include "monitor/leat-monitor-private.h"

static const struct
{
  const char *name, *help;
  glong offset;
} leat_scheduler_counters[] = {
  /**
   * LeatScheduler:submitted:
   *
   * Runs that were taken.
   */
  { "submitted", "Runs that were taken", G_STRUCT_OFFSET (LeatMemberStats, submitted) },
  /**
   * LeatScheduler:refused:
   *
   * Runs that were not taken: the deadline had passed, the queue was full, the session was not open.
   */
  { "refused", "Runs that were not taken", G_STRUCT_OFFSET (LeatMemberStats, refused) },
  /**
   * LeatScheduler:done:
   *
   * Runs that were done.
   */
  { "done", "Runs that were done", G_STRUCT_OFFSET (LeatMemberStats, done) },
  /**
   * LeatScheduler:failed:
   *
   * Runs that were begun and ended with an error.
   */
  { "failed", "Runs that ended with an error", G_STRUCT_OFFSET (LeatMemberStats, failed) },
  /**
   * LeatScheduler:cancelled:
   *
   * Runs that were cancelled, before their turn or after it.
   */
  { "cancelled", "Runs that were cancelled", G_STRUCT_OFFSET (LeatMemberStats, cancelled) },
  /**
   * LeatScheduler:dropped:
   *
   * Runs that were taken and never begun: late ones, where those are dropped, and those of what was closed.
   */
  { "dropped", "Runs that were taken and never begun", G_STRUCT_OFFSET (LeatMemberStats, dropped) },
  /**
   * LeatScheduler:missed:
   *
   * Runs whose deadline passed before their end.
   */
  { "missed", "Runs whose deadline passed before their end", G_STRUCT_OFFSET (LeatMemberStats, missed) },
};

static guint64 *
leat_member_stats_get (LeatMemberStats *self, guint index)
{
  return (guint64 *) ((guint8 *) self + leat_scheduler_counters[index].offset);
}

void
leat_member_stats_add (LeatMemberStats *self, const LeatMemberStats *from)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_scheduler_counters); i++)
    *leat_member_stats_get (self, i) += *leat_member_stats_get ((LeatMemberStats *) from, i);
  self->device_us += from->device_us;
  self->last_turn = MAX (self->last_turn, from->last_turn);
  leat_histogram_add_all (&self->wait, &from->wait);
  leat_histogram_add_all (&self->run, &from->run);
}

/* All that is told is of one moment. */
static void
leat_scheduler_lock_stats (LeatScheduler *self)
{
  g_mutex_lock (&self->lock);
  g_mutex_lock (&self->accounts);
}

static void
leat_scheduler_unlock_stats (LeatScheduler *self)
{
  g_mutex_unlock (&self->accounts);
  g_mutex_unlock (&self->lock);
}

/* Of all sessions, those that were taken out included; with both locks held.  (transfer full) */
static LeatMemberStats *
leat_scheduler_sum (LeatScheduler *self)
{
  LeatMemberStats *sum = g_memdup2 (&self->former, sizeof self->former);

  for (guint i = 0; i < self->members->len; i++)
    leat_member_stats_add (sum, &((const LeatMember *) g_ptr_array_index (self->members, i))->stats);
  return sum;
}

/* The device memory that it has, or may have from now on. */
static guint64
leat_member_get_admitted (const LeatMember *self)
{
  return self->admitted > 0 ? self->admitted : leat_session_get_planned_bytes (self->session);
}

static void
leat_histogram_print (const LeatHistogram *self, const char *name, GVariantDict *dict)
{
  static const struct
  {
    const char *name;
    double share;
  } percentiles[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p999", 0.999 } };
  g_autofree char *most = g_strdup_printf ("%s-most-us", name), *sum = g_strdup_printf ("%s-us", name);

  for (guint i = 0; i < G_N_ELEMENTS (percentiles); i++)
    {
      g_autofree char *key = g_strdup_printf ("%s-%s-us", name, percentiles[i].name);

      g_variant_dict_insert (dict, key, "x", leat_histogram_get_percentile (self, percentiles[i].share));
    }
  g_variant_dict_insert (dict, most, "x", self->most_us);
  g_variant_dict_insert (dict, sum, "x", self->sum_us);
}

static void
leat_member_stats_print (const LeatMemberStats *self, GVariantDict *dict)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_scheduler_counters); i++)
    g_variant_dict_insert (dict, leat_scheduler_counters[i].name, "t",
                           *leat_member_stats_get ((LeatMemberStats *) self, i));
  g_variant_dict_insert (dict, "device-us", "x", self->device_us);
  g_variant_dict_insert (dict, "last-turn", "t", self->last_turn);
  leat_histogram_print (&self->wait, "wait", dict);
  leat_histogram_print (&self->run, "run", dict);
}

static const char *
leat_member_get_priority_name (const LeatMember *self)
{
  static const char *const names[LEAT_N_PRIORITIES] = {
    [LEAT_PRIORITY_LOW] = "low", [LEAT_PRIORITY_NORMAL] = "normal", [LEAT_PRIORITY_HIGH] = "high"
  };

  return names[leat_session_get_priority (self->session)];
}

static void
leat_scheduler_print_member (const LeatMember *member, gint64 all_us, GVariantDict *dict)
{
  g_variant_dict_insert (dict, "priority", "s", leat_member_get_priority_name (member));
  g_variant_dict_insert (dict, "admitted-bytes", "t", leat_member_get_admitted (member));
  g_variant_dict_insert (dict, "evicted", "b", leat_session_is_evicted (member->session));
  g_variant_dict_insert (dict, "queued", "t", (guint64) member->waiting.length);
  g_variant_dict_insert (dict, "running", "t", (guint64) (member->running != NULL));
  g_variant_dict_insert (dict, "share", "d", all_us > 0 ? (double) member->stats.device_us / (double) all_us : 0.0);
  g_variant_dict_insert (dict, "paused", "b", member->paused);
  leat_member_stats_print (&member->stats, dict);
}

/* How many sessions do what now, and what they have together. */
static void
leat_scheduler_print_now (LeatScheduler *self, GVariantDict *dict)
{
  guint64 queued = 0, running = 0, waiting = 0, evicted = 0, bytes = 0;

  for (guint i = 0; i < self->members->len; i++)
    {
      const LeatMember *member = g_ptr_array_index (self->members, i);

      queued += member->waiting.length;
      running += member->running != NULL;
      waiting += member->waiting.length > 0 && member->running == NULL;
      evicted += leat_session_is_evicted (member->session);
      bytes += leat_member_get_admitted (member);
    }
  g_variant_dict_insert (dict, "sessions", "t", (guint64) self->members->len);
  g_variant_dict_insert (dict, "sessions-waiting", "t", waiting);
  g_variant_dict_insert (dict, "sessions-evicted", "t", evicted);
  g_variant_dict_insert (dict, "queued", "t", queued);
  g_variant_dict_insert (dict, "running", "t", running);
  g_variant_dict_insert (dict, "admitted-bytes", "t", bytes);
  g_variant_dict_insert (dict, "allowed-bytes", "t", leat_scheduler_get_allowed (self));
}

static void
leat_scheduler_print_all (LeatScheduler *self, const LeatMemberStats *sum, GVariantDict *dict)
{
  leat_scheduler_print_now (self, dict);
  g_variant_dict_insert (dict, "evictions", "t", self->n_evicted);
  g_variant_dict_insert (dict, "paused", "b", self->paused);
  leat_member_stats_print (sum, dict);
}

static void
leat_scheduler_print (LeatScheduler *self, LeatSession *session, GVariantDict *dict)
{
  g_autofree LeatMemberStats *sum = leat_scheduler_sum (self);
  const LeatMember *member = session != NULL ? leat_scheduler_find (self, session, NULL) : NULL;

  if (member != NULL)
    leat_scheduler_print_member (member, sum->device_us, dict);
  if (session == NULL)
    leat_scheduler_print_all (self, sum, dict);
}

static GVariant *
leat_scheduler_describe_member (const LeatMember *member, gint64 all_us)
{
  g_autofree char *name = NULL;
  GVariantDict dict;

  g_object_get (member->session, "name", &name, NULL);
  g_variant_dict_init (&dict, NULL);
  leat_monitor_insert_text (&dict, "name", name);
  g_variant_dict_insert (&dict, "number", "t", member->number);
  g_variant_dict_insert (&dict, "session", "t", leat_session_get_monitored_id (member->session));
  leat_scheduler_print_member (member, all_us, &dict);
  return g_variant_dict_end (&dict);
}

GVariant *
leat_scheduler_describe (LeatScheduler *self)
{
  g_autofree LeatMemberStats *sum = NULL;
  GVariantBuilder members;
  GVariantDict dict;

  g_variant_builder_init (&members, G_VARIANT_TYPE ("aa{sv}"));
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "id", "t", self->id);
  leat_monitor_insert_text (&dict, "device", leat_device_get_id (self->device));
  leat_scheduler_lock_stats (self);
  sum = leat_scheduler_sum (self);
  leat_scheduler_print_all (self, sum, &dict);
  for (guint i = 0; i < self->members->len; i++)
    g_variant_builder_add_value (&members,
                                 leat_scheduler_describe_member (g_ptr_array_index (self->members, i), sum->device_us));
  leat_scheduler_unlock_stats (self);
  g_variant_dict_insert_value (&dict, "members", g_variant_builder_end (&members));
  return g_variant_dict_end (&dict);
}

/**
 * leat_scheduler_dup_stats:
 * @self: a scheduler
 * @session: (nullable): a session that is in it; %NULL for all, those that were taken out included
 *
 * Gets what has happened since the session was added, or since the scheduler was made.
 *
 * Returns: (transfer full): a dictionary (a{sv}): submitted t, and of them done t, failed t, cancelled t and dropped t
 *   (taken and never begun); refused t (not taken), missed t (deadlines that passed before the run's end), queued t and
 *   running t (now), paused b, admitted-bytes t (of the device's memory, by the plans of those that are on it);
 * last-turn t (the number of the last run among all that the scheduler began); device-us x (the device's time, summed
 * up over the runs), and of a session share d (of the device's time of all); times in microseconds from submission to
 * turn, wait-p50-us x, wait-p90-us x, wait-p99-us x, wait-p999-us x, wait-most-us x and their sum wait-us x, and from
 * turn to end, run-p50-us x and so on, percentiles within a sixteenth; of a session priority s and evicted b; of all,
 * allowed-bytes t, sessions t, of these sessions-waiting t (for a turn) and sessions-evicted t, and evictions t (of
 * idle ones, for others).  Empty for a session that is not in it
 */
GVariant *
leat_scheduler_dup_stats (LeatScheduler *self, LeatSession *session)
{
  GVariantDict dict;

  g_return_val_if_fail (LEAT_IS_SCHEDULER (self), NULL);
  g_variant_dict_init (&dict, NULL);
  leat_scheduler_lock_stats (self);
  leat_scheduler_print (self, session, &dict);
  leat_scheduler_unlock_stats (self);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

void
leat_scheduler_install_counters (GObjectClass *klass, guint first_id)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_scheduler_counters); i++)
    g_object_class_install_property (klass, first_id + i,
                                     g_param_spec_uint64 (leat_scheduler_counters[i].name, NULL,
                                                          leat_scheduler_counters[i].help, 0, G_MAXUINT64, 0,
                                                          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

gboolean
leat_scheduler_get_counter (LeatScheduler *self, guint index, GValue *value)
{
  g_autofree LeatMemberStats *sum = NULL;

  if (index >= G_N_ELEMENTS (leat_scheduler_counters))
    return FALSE;
  leat_scheduler_lock_stats (self);
  sum = leat_scheduler_sum (self);
  leat_scheduler_unlock_stats (self);
  g_value_set_uint64 (value, *leat_member_stats_get (sum, index));
  return TRUE;
}
