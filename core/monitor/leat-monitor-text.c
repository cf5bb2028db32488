/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The names of an application and its sessions may be any bytes, but JSON and GVariant hold UTF-8 alone. */

#include "leat-monitor-private.h"

#include <string.h>

char *
leat_monitor_dup_text (const char *text)
{
  const char *end = text + strlen (text), *bad;
  GString *shown = g_string_new (NULL);

  while (!g_utf8_validate (text, end - text, &bad))
    {
      g_string_append_len (shown, text, bad - text);
      g_string_append_printf (shown, "\\x%02x", (guint) (guint8) *bad);
      text = bad + 1;
    }
  g_string_append (shown, text);
  return g_string_free (shown, FALSE);
}

void
leat_monitor_insert_text (GVariantDict *dict, const char *key, const char *text)
{
  g_variant_dict_insert_value (dict, key, g_variant_new_take_string (leat_monitor_dup_text (text != NULL ? text : "")));
}
