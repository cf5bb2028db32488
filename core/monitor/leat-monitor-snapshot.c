/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The monitor's description of the process, and the one request that there is for it. */

#include "leat-monitor-private.h"

#include <json-glib/json-glib.h>
#include <string.h>
#include <unistd.h>

#define REQUEST_SNAPSHOT "snapshot"

static gpointer leat_monitor_tellers[LEAT_MONITOR_N_KINDS]; /* atomic: LeatMonitorTeller; NULL where none has joined */

gboolean
leat_monitor_add_teller (LeatMonitorKind kind, LeatMonitorTeller teller)
{
  return g_atomic_pointer_compare_and_exchange (&leat_monitor_tellers[kind], NULL, (gpointer) teller);
}

/* Before there was any. */
static void
leat_monitor_tell_nothing (LeatMonitorKind kind, GVariantDict *dict)
{
  GVariant *none = g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("a{sv}"), NULL, 0));

  if (kind == LEAT_MONITOR_SESSIONS)
    {
      g_variant_dict_insert (dict, "up-us", "x", (gint64) 0);
      g_variant_dict_insert_value (dict, "devices", none);
      g_variant_dict_insert_value (dict, "sessions", none);
    }
  else
    g_variant_dict_insert_value (dict, "schedulers", none);
  g_variant_unref (none);
}

/**
 * leat_monitor_dup_snapshot:
 *
 * Tells what the sessions and schedulers of this process do at this moment.
 *
 * That is what the socket of leat_monitor_start () gives, without one.  Any thread may call it; no run waits for it.
 *
 * Returns: (transfer full): a dictionary (a{sv}): program, pid, version, time-us (of the monotonic clock), up-us (since
 * the first session was opened), devices, sessions and schedulers (aa{sv}); docs/reference/monitor.md lists what is in
 * these
 */
GVariant *
leat_monitor_dup_snapshot (void)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  leat_monitor_insert_text (&dict, "program", g_get_prgname ());
  g_variant_dict_insert (&dict, "pid", "i", (gint32) getpid ());
  g_variant_dict_insert (&dict, "version", "s", LEAT_VERSION);
  g_variant_dict_insert (&dict, "time-us", "x", g_get_monotonic_time ());
  for (guint kind = 0; kind < LEAT_MONITOR_N_KINDS; kind++)
    {
      LeatMonitorTeller teller = (LeatMonitorTeller) g_atomic_pointer_get (&leat_monitor_tellers[kind]);

      if (teller != NULL)
        teller (&dict);
      else
        leat_monitor_tell_nothing ((LeatMonitorKind) kind, &dict);
    }
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

char *
leat_monitor_answer (const char *request, gsize size)
{
  g_autoptr (GVariant) snapshot = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *text = NULL;

  if (size > 0 && request[size - 1] == '\r')
    size--;
  if (size != strlen (REQUEST_SNAPSHOT) || memcmp (request, REQUEST_SNAPSHOT, size) != 0)
    return g_strdup ("{\"error\":\"there is one request: snapshot\"}\n");
  snapshot = leat_monitor_dup_snapshot ();
  root = json_gvariant_serialize (snapshot);
  text = json_to_string (root, FALSE);
  return g_strconcat (text, "\n", NULL);
}
