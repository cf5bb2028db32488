/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The list of sessions that are open in the process, for the monitor.  Touches the list, and reads what each tells. */

#include "leat-told-private.h"

#include "monitor/leat-monitor-private.h"

static GMutex leat_told_list_lock;
static GPtrArray *leat_told_list;      /* LeatTold, not owned; in the order in which they were opened */
static gint64 leat_told_list_since_us; /* when the first one was */

static GVariant *
leat_told_list_describe (void)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; leat_told_list != NULL && i < leat_told_list->len; i++)
    g_variant_builder_add_value (&builder, leat_told_describe_monitored (leat_told_list->pdata[i]));
  return g_variant_builder_end (&builder);
}

/* Each device once. */
static GVariant *
leat_told_list_describe_devices (void)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; leat_told_list != NULL && i < leat_told_list->len; i++)
    {
      LeatDevice *device = ((LeatTold *) leat_told_list->pdata[i])->seen_on;
      LeatMemoryCounts counts;
      GVariantDict dict;

      if (!g_hash_table_add (seen, device))
        continue;
      leat_device_get_memory_counts (device, LEAT_MEMORY_DEVICE, &counts);
      g_variant_dict_init (&dict, NULL);
      leat_monitor_insert_text (&dict, "id", leat_device_get_id (device));
      leat_monitor_insert_text (&dict, "name", leat_device_get_name (device));
      g_variant_dict_insert (&dict, "memory-bytes", "t", leat_device_get_memory_bytes (device));
      g_variant_dict_insert (&dict, "live-bytes", "t", counts.live_bytes);
      g_variant_dict_insert (&dict, "peak-bytes", "t", counts.peak_bytes);
      g_variant_dict_insert (&dict, "is-dead", "b", leat_device_is_dead (device));
      g_variant_builder_add_value (&builder, g_variant_dict_end (&dict));
    }
  return g_variant_builder_end (&builder);
}

static void
leat_told_list_tell (GVariantDict *dict)
{
  g_mutex_lock (&leat_told_list_lock);
  g_variant_dict_insert (dict, "up-us", "x", g_get_monotonic_time () - leat_told_list_since_us);
  g_variant_dict_insert_value (dict, "devices", leat_told_list_describe_devices ());
  g_variant_dict_insert_value (dict, "sessions", leat_told_list_describe ());
  g_mutex_unlock (&leat_told_list_lock);
}

void
leat_told_list_add (LeatTold *told)
{
  g_mutex_lock (&leat_told_list_lock);
  if (leat_told_list == NULL)
    {
      leat_told_list = g_ptr_array_new ();
      leat_told_list_since_us = g_get_monotonic_time ();
    }
  g_ptr_array_add (leat_told_list, told);
  g_mutex_unlock (&leat_told_list_lock);
  leat_monitor_join (LEAT_MONITOR_SESSIONS, leat_told_list_tell);
}

GVariant *
leat_told_list_dup_queues (LeatTold *told)
{
  GVariant *queues = NULL;

  g_mutex_lock (&leat_told_list_lock);
  if (leat_told_list != NULL && g_ptr_array_find (leat_told_list, told, NULL))
    queues = g_variant_ref_sink (leat_told_describe_queues (told));
  g_mutex_unlock (&leat_told_list_lock);
  return queues;
}

/* Waits until nobody looks at it. */
void
leat_told_list_remove (LeatTold *told)
{
  g_mutex_lock (&leat_told_list_lock);
  g_ptr_array_remove (leat_told_list, told);
  g_mutex_unlock (&leat_told_list_lock);
}
