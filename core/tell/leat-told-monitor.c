/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The part of an open session that others in the process may see while it runs: told numbers, atomic ones, and facts
 * that stay from open to close. */

#include "leat-told-private.h"

#include "graph/leat-app-private.h"
#include "monitor/leat-monitor-private.h"

#include <stdlib.h>

/* Before the session is let go the first time. */
void
leat_told_enter_monitor (LeatTold *self, GPtrArray *endpoints, LeatDevice *device)
{
  static guint64 last_id;

  memset (&self->monitored, 0, sizeof self->monitored);
  __atomic_store_n (&self->id, __atomic_add_fetch (&last_id, 1, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
  self->apps = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < endpoints->len; i++)
    if (LEAT_IS_APP (endpoints->pdata[i]))
      g_ptr_array_add (self->apps, g_object_ref (endpoints->pdata[i]));
  self->seen_on = device;
  leat_told_list_add (self);
}

void
leat_told_leave_monitor (LeatTold *self)
{
  leat_told_list_remove (self);
  g_clear_pointer (&self->apps, g_ptr_array_unref);
}

static int
leat_told_compare_times (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  return x < y ? -1 : x > y;
}

/* Of the last runs. */
static void
leat_told_describe_latencies (LeatTold *self, GVariantDict *dict)
{
  guint32 times[LEAT_MONITORED_RECENT];
  guint n = MIN (__atomic_load_n (&self->monitored.n_recent, __ATOMIC_ACQUIRE), LEAT_MONITORED_RECENT);

  for (guint i = 0; i < n; i++)
    times[i] = __atomic_load_n (&self->monitored.recent_us[i], __ATOMIC_RELAXED);
  qsort (times, n, sizeof *times, leat_told_compare_times);
  g_variant_dict_insert (dict, "recent-runs", "u", n);
  if (n == 0)
    return;
  g_variant_dict_insert (dict, "p50-us", "u", times[n / 2]);
  g_variant_dict_insert (dict, "p99-us", "u", times[n - 1 - n / 100]);
}

GVariant *
leat_told_describe_queues (LeatTold *self)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < self->apps->len; i++)
    {
      LeatApp *app = self->apps->pdata[i];
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
leat_told_describe_counters (LeatTold *self)
{
  guint n;
  const LeatCounter *counters = leat_counters_get (&n);
  LeatSessionStats stats;
  GVariantDict dict;

  leat_told_get_stats (self, &stats);
  g_variant_dict_init (&dict, NULL);
  for (guint i = 0; i < n; i++)
    g_variant_dict_insert (&dict, counters[i].name, "t", leat_counter_get (&counters[i], &stats));
  return g_variant_dict_end (&dict);
}

/* Of lanes that have a run under way, where that is. */
static GVariant *
leat_told_describe_lanes (LeatTold *self)
{
  static const char *const names[] = { NULL, "source", "queue", "device", "results", "sink" };
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint lane = 0; lane < LEAT_SESSION_MOST_LANES; lane++)
    {
      guint8 where = __atomic_load_n (&self->monitored.where[lane], __ATOMIC_RELAXED);
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

GVariant *
leat_told_describe_monitored (LeatTold *self)
{
  g_autoptr (GVariant) loops = leat_told_dup_loops (self);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_mutex_lock (&self->lock);
  leat_monitor_insert_text (&dict, "name", self->name);
  g_mutex_unlock (&self->lock);
  g_variant_dict_insert (&dict, "id", "t", self->id);
  leat_monitor_insert_text (&dict, "device", leat_device_get_id (self->seen_on));
  g_variant_dict_insert (&dict, "state", "s", self->get_state (self->owner));
  g_variant_dict_insert (&dict, "waiting-for-device", "u", __atomic_load_n (&self->monitored.filled, __ATOMIC_RELAXED));
  g_variant_dict_insert (&dict, "on-device", "u", __atomic_load_n (&self->monitored.launched, __ATOMIC_RELAXED));
  g_variant_dict_insert (&dict, "waiting-for-sinks", "u",
                         __atomic_load_n (&self->monitored.computed, __ATOMIC_RELAXED));
  g_variant_dict_insert_value (&dict, "lanes", leat_told_describe_lanes (self));
  leat_told_describe_latencies (self, &dict);
  g_variant_dict_insert_value (&dict, "queues", leat_told_describe_queues (self));
  g_variant_dict_insert_value (&dict, "loops", loops);
  g_variant_dict_insert_value (&dict, "counters", leat_told_describe_counters (self));
  return g_variant_dict_end (&dict);
}
