/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The counters of a scheduler, of each session and of all. */

#include "leat-scheduler-private.h"

#include "monitor/leat-monitor-private.h"

static const struct
{
  const char *name;
  glong offset;
} leat_scheduler_counters[] = {
  { "submitted", G_STRUCT_OFFSET (LeatMemberStats, submitted) },
  { "refused", G_STRUCT_OFFSET (LeatMemberStats, refused) },
  { "done", G_STRUCT_OFFSET (LeatMemberStats, done) },
  { "failed", G_STRUCT_OFFSET (LeatMemberStats, failed) },
  { "cancelled", G_STRUCT_OFFSET (LeatMemberStats, cancelled) },
  { "dropped", G_STRUCT_OFFSET (LeatMemberStats, dropped) },
  { "missed", G_STRUCT_OFFSET (LeatMemberStats, missed) },
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
 * Gets what has happened since the session was added, or since the scheduler was made. Any thread may ask.
 * #LeatScheduler:stats is the same, of all sessions.
 *
 * The list has each key with the type of its value. A key that ends in `-us` is in microseconds, a key that has `bytes`
 * in it is in bytes. Percentiles are right within a sixteenth.
 *
 * Runs:
 * - `submitted` t: runs that were taken
 * - `refused` t: runs that were not taken: the deadline had passed, the queue was full, the session was not open
 * - `done` t: runs that were done
 * - `failed` t: runs that were begun and ended with an error
 * - `cancelled` t: runs that were cancelled, before their turn or after it
 * - `dropped` t: runs that were taken and never begun: late ones, where those are dropped, and those of what was closed
 * - `missed` t: runs whose deadline passed before their end
 * - `queued` t: runs that wait now
 * - `running` t: runs that are under way now
 * - `last-turn` t: the number of the last run, among all that the scheduler began
 *
 * Times of runs:
 * - `device-us` x: the device's time, summed over the runs
 * - `wait-us` x: time from submission to turn, summed over the runs
 * - `wait-p50-us` x, `wait-p90-us` x, `wait-p99-us` x, `wait-p999-us` x: percentiles of it
 * - `wait-most-us` x: the most of it
 * - `run-us` x: time from turn to end, summed over the runs
 * - `run-p50-us` x, `run-p90-us` x, `run-p99-us` x, `run-p999-us` x: percentiles of it
 * - `run-most-us` x: the most of it
 *
 * The state now:
 * - `paused` b: whether it is paused
 * - `admitted-bytes` t: device memory, by the plans of the sessions that are on the device
 *
 * Of one session:
 * - `share` d: its part of the device's time of all
 * - `priority` s: its priority
 * - `evicted` b: whether it is evicted
 *
 * Of all sessions:
 * - `sessions` t: sessions that are in the scheduler
 * - `sessions-waiting` t: sessions that wait for a turn
 * - `sessions-evicted` t: sessions that are evicted
 * - `evictions` t: evictions of idle sessions, for others
 * - `allowed-bytes` t: device memory that they may have
 *
 * Returns: (transfer full): a dictionary (a{sv}); it is empty for a session that is not in the scheduler
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
