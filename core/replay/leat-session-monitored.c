/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The part of an open session that others in the process may see while it runs: told numbers, atomic ones, and facts
 * that stay from open to close. */

#include "leat-session-private.h"

#include "graph/leat-app-private.h"
#include "monitor/leat-monitor-private.h"
#include "leat-session-told-private.h"

#include <stdlib.h>

/* Before it is let go the first time. */
void
leat_session_enter_monitor (LeatSession *self)
{
  static guint64 last_id;

  memset (&self->told.monitored, 0, sizeof self->told.monitored);
  __atomic_store_n (&self->told.id, __atomic_add_fetch (&last_id, 1, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
  self->told.apps = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < self->ends.endpoints->len; i++)
    if (LEAT_IS_APP (self->ends.endpoints->pdata[i]))
      g_ptr_array_add (self->told.apps, g_object_ref (self->ends.endpoints->pdata[i]));
  leat_sessions_add (self);
}

void
leat_session_leave_monitor (LeatSession *self)
{
  leat_sessions_remove (self);
  g_clear_pointer (&self->told.apps, g_ptr_array_unref);
}

static int
leat_session_compare_times (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  return x < y ? -1 : x > y;
}

/* Of the last runs. */
static void
leat_session_describe_latencies (LeatSession *self, GVariantDict *dict)
{
  guint32 times[LEAT_MONITORED_RECENT];
  guint n = MIN (__atomic_load_n (&self->told.monitored.n_recent, __ATOMIC_ACQUIRE), LEAT_MONITORED_RECENT);

  for (guint i = 0; i < n; i++)
    times[i] = __atomic_load_n (&self->told.monitored.recent_us[i], __ATOMIC_RELAXED);
  qsort (times, n, sizeof *times, leat_session_compare_times);
  g_variant_dict_insert (dict, "recent-runs", "u", n);
  if (n == 0)
    return;
  g_variant_dict_insert (dict, "p50-us", "u", times[n / 2]);
  g_variant_dict_insert (dict, "p99-us", "u", times[n - 1 - n / 100]);
}

GVariant *
leat_session_describe_queues (LeatSession *self)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < self->told.apps->len; i++)
    {
      LeatApp *app = self->told.apps->pdata[i];
      GVariantDict dict;

      g_variant_dict_init (&dict, NULL);
      g_variant_dict_insert (&dict, "node", "s", leat_node_get_name (LEAT_NODE (app)));
      g_variant_dict_insert (&dict, "is-source", "b", leat_endpoint_is_source (LEAT_ENDPOINT (app)));
      g_variant_dict_insert (&dict, "length", "u", leat_app_get_queue_length (app));
      g_variant_builder_add_value (&builder, g_variant_dict_end (&dict));
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
leat_session_describe_counters (LeatSession *self)
{
  guint n;
  const LeatCounter *counters = leat_counters_get (&n);
  LeatSessionStats stats;
  GVariantDict dict;

  leat_session_get_stats (self, &stats);
  g_variant_dict_init (&dict, NULL);
  for (guint i = 0; i < n; i++)
    g_variant_dict_insert (&dict, counters[i].name, "t", leat_counter_get (&counters[i], &stats));
  return g_variant_dict_end (&dict);
}

/* Of lanes that have a run under way, where that is. */
static GVariant *
leat_session_describe_lanes (LeatSession *self)
{
  static const char *const names[] = { NULL, "source", "queue", "device", "results", "sink" };
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint lane = 0; lane < LEAT_SESSION_MOST_LANES; lane++)
    {
      guint8 where = __atomic_load_n (&self->told.monitored.where[lane], __ATOMIC_RELAXED);
      GVariantDict dict;

      if (where == LEAT_AT_NOTHING)
        continue;
      g_variant_dict_init (&dict, NULL);
      g_variant_dict_insert (&dict, "lane", "u", lane);
      g_variant_dict_insert (&dict, "at", "s", names[where]);
      g_variant_builder_add_value (&builder, g_variant_dict_end (&dict));
    }
  return g_variant_builder_end (&builder);
}

static const char *
leat_session_get_use_name (LeatSession *self)
{
  if (leat_session_is_evicted (self))
    return "evicted";
  switch (g_atomic_int_get (&self->hold.use))
    {
    case LEAT_SESSION_RUNNING:
      return "running";
    case LEAT_SESSION_LAUNCHED:
      return "launched";
    case LEAT_SESSION_CHANGING:
      return "changing";
    default:
      return "idle";
    }
}

GVariant *
leat_session_describe_monitored (LeatSession *self)
{
  g_autoptr (GVariant) loops = leat_session_dup_loops (self);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_mutex_lock (&self->told.lock);
  leat_monitor_insert_text (&dict, "name", self->told.name);
  g_mutex_unlock (&self->told.lock);
  g_variant_dict_insert (&dict, "id", "t", self->told.id);
  leat_monitor_insert_text (&dict, "device", leat_device_get_id (self->device));
  g_variant_dict_insert (&dict, "state", "s", leat_session_get_use_name (self));
  g_variant_dict_insert (&dict, "waiting-for-device", "u",
                         __atomic_load_n (&self->told.monitored.filled, __ATOMIC_RELAXED));
  g_variant_dict_insert (&dict, "on-device", "u", __atomic_load_n (&self->told.monitored.launched, __ATOMIC_RELAXED));
  g_variant_dict_insert (&dict, "waiting-for-sinks", "u",
                         __atomic_load_n (&self->told.monitored.computed, __ATOMIC_RELAXED));
  g_variant_dict_insert_value (&dict, "lanes", leat_session_describe_lanes (self));
  leat_session_describe_latencies (self, &dict);
  g_variant_dict_insert_value (&dict, "queues", leat_session_describe_queues (self));
  g_variant_dict_insert_value (&dict, "loops", loops);
  g_variant_dict_insert_value (&dict, "counters", leat_session_describe_counters (self));
  return g_variant_dict_end (&dict);
}
