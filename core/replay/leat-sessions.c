/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The sessions of the process that are open. */

#include "leat-session-private.h"

#include "monitor/leat-monitor-private.h"
#include "leat-session-told-private.h"

static GMutex leat_sessions_lock;
static GPtrArray *leat_sessions;      /* LeatSession, not owned; in the order in which they were opened */
static gint64 leat_sessions_since_us; /* when the first one was */

static GVariant *
leat_sessions_describe (void)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; leat_sessions != NULL && i < leat_sessions->len; i++)
    g_variant_builder_add_value (&builder, leat_session_describe_monitored (leat_sessions->pdata[i]));
  return g_variant_builder_end (&builder);
}

/* Each device once. */
static GVariant *
leat_sessions_describe_devices (void)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; leat_sessions != NULL && i < leat_sessions->len; i++)
    {
      LeatDevice *device = leat_session_get_device (leat_sessions->pdata[i]);
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
leat_sessions_tell (GVariantDict *dict)
{
  g_mutex_lock (&leat_sessions_lock);
  g_variant_dict_insert (dict, "up-us", "x", g_get_monotonic_time () - leat_sessions_since_us);
  g_variant_dict_insert_value (dict, "devices", leat_sessions_describe_devices ());
  g_variant_dict_insert_value (dict, "sessions", leat_sessions_describe ());
  g_mutex_unlock (&leat_sessions_lock);
}

void
leat_sessions_add (LeatSession *session)
{
  g_mutex_lock (&leat_sessions_lock);
  if (leat_sessions == NULL)
    {
      leat_sessions = g_ptr_array_new ();
      leat_sessions_since_us = g_get_monotonic_time ();
    }
  g_ptr_array_add (leat_sessions, session);
  g_mutex_unlock (&leat_sessions_lock);
  leat_monitor_join (LEAT_MONITOR_SESSIONS, leat_sessions_tell);
}

GVariant *
leat_sessions_dup_queues (LeatSession *session)
{
  GVariant *queues = NULL;

  g_mutex_lock (&leat_sessions_lock);
  if (leat_sessions != NULL && g_ptr_array_find (leat_sessions, session, NULL))
    queues = g_variant_ref_sink (leat_session_describe_queues (session));
  g_mutex_unlock (&leat_sessions_lock);
  return queues;
}

/* Waits until nobody looks at it. */
void
leat_sessions_remove (LeatSession *session)
{
  g_mutex_lock (&leat_sessions_lock);
  g_ptr_array_remove (leat_sessions, session);
  g_mutex_unlock (&leat_sessions_lock);
}
