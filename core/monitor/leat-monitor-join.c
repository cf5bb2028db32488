/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Takes in what tells of sessions or schedulers.  The first session begins the socket that LEAT_MONITOR asks for. */

#include "leat-monitor-private.h"

/* LEAT_MONITOR asks for a socket from the first session on. */
static void
leat_monitor_start_as_asked (void)
{
  const char *asked = g_getenv ("LEAT_MONITOR");
  g_autoptr (GError) error = NULL;

  if (asked == NULL || *asked == '\0' || g_str_equal (asked, "0"))
    return;
  if (!leat_monitor_start (g_str_equal (asked, "1") ? NULL : asked, &error)
      && !g_error_matches (error, LEAT_MONITOR_ERROR, LEAT_MONITOR_ERROR_STATE))
    g_message ("LEAT_MONITOR: %s", error->message);
}

void
leat_monitor_join (LeatMonitorKind kind, LeatMonitorTeller teller)
{
  if (leat_monitor_add_teller (kind, teller) && kind == LEAT_MONITOR_SESSIONS)
    leat_monitor_start_as_asked ();
}
