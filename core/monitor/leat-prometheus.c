/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Writes samples in the text format of Prometheus: labels, heads and seconds. */

#include "leat-prometheus-private.h"

#include "leat-monitor-private.h"

void
leat_prometheus_append_label (GString *out, const char *name, const char *value)
{
  g_autofree char *text = leat_monitor_dup_text (value);

  g_string_append_printf (out, "%s=\"", name);
  for (const char *c = text; *c != '\0'; c++)
    if (*c == '\n')
      g_string_append (out, "\\n");
    else if (*c == '"' || *c == '\\')
      g_string_append_printf (out, "\\%c", *c);
    else
      g_string_append_c (out, *c);
  g_string_append_c (out, '"');
}

void
leat_prometheus_append_head (GString *out, const char *name, const char *help)
{
  g_string_append_printf (out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
                          g_str_has_suffix (name, "_total") ? "counter" : "gauge");
}

void
leat_prometheus_append_seconds (GString *out, gint64 us)
{
  g_string_append_printf (out, "%" G_GINT64_FORMAT ".%06d\n", us / G_USEC_PER_SEC, (int) (us % G_USEC_PER_SEC));
}
