/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The headers of device/ as they are put before a kernel's text: without comments, blank lines and the lines that only
 * a file needs, so that compilers have less to read and an edited comment does not change any image. */

#include "leat-kernel-resources.h"
#include "leat-kernel-transform-private.h"

#include <string.h>

static gboolean
leat_kernel_keeps_line (const char *line)
{
  const char *p = line + strspn (line, " \t");

  return *p != '\0' && !g_str_has_prefix (p, "#pragma once") && !g_str_has_prefix (p, "#include <std");
}

static void
leat_kernel_strip_comments (GString *text)
{
  for (char *open; (open = strstr (text->str, "/*")) != NULL;)
    {
      char *close = strstr (open, "*/");

      g_string_erase (text, open - text->str, close - open + 2);
    }
}

char *
leat_kernel_dup_device_text (const char *name)
{
  g_autofree char *path = g_strconcat ("/org/leat/device/", name, NULL);
  g_autoptr (GBytes) bytes =
    g_resource_lookup_data (leat_kernel_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autoptr (GString) text = g_string_new_len (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_auto (GStrv) lines = NULL;
  GString *out = g_string_sized_new (text->len);

  leat_kernel_strip_comments (text);
  lines = g_strsplit (text->str, "\n", -1);
  g_string_append_printf (out, "#line 1 \"%s\"\n", name);
  for (guint i = 0; lines[i] != NULL; i++)
    if (leat_kernel_keeps_line (lines[i]))
      g_string_append_printf (out, "%s\n", lines[i]);
  return g_string_free (out, FALSE);
}
