/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The #line marks of a text, which carry base names, with the names that lead to the files. */

#include "leat-kernel-source-private.h"

#include <string.h>

void
leat_kernel_append_mark (GString *text, guint64 line, const char *file)
{
  g_string_append_printf (text, "#line %" G_GUINT64_FORMAT " \"", line);
  for (; *file != '\0'; file++)
    {
      if (*file == '"' || *file == '\\')
        g_string_append_c (text, '\\');
      g_string_append_c (text, *file == '\n' ? '_' : *file);
    }
  g_string_append_c (text, '"');
}

/* The file that the name in quotes at @at stands for; NULL where it is none of the user's. */
static const char *
leat_kernel_text_find_file (const LeatKernelText *self, const char *at, const char *end)
{
  for (guint i = 0; i < self->labels->len; i++)
    {
      const char *label = self->labels->pdata[i];

      if (strlen (label) == (gsize) (end - at) && strncmp (label, at, (gsize) (end - at)) == 0)
        return self->files->pdata[i];
    }
  return NULL;
}

/* Appends the rest of a line that begins with "#line ". */
static void
leat_kernel_text_append_mark (const LeatKernelText *self, GString *out, const char *line, const char *end)
{
  const char *open = memchr (line, '"', (gsize) (end - line));
  const char *close = open != NULL ? g_strrstr_len (line, end - line, "\"") : NULL;
  const char *file = close > open ? leat_kernel_text_find_file (self, open + 1, close) : NULL;

  if (file == NULL)
    g_string_append_len (out, line, end - line);
  else
    leat_kernel_append_mark (out, g_ascii_strtoull (line + strlen ("#line "), NULL, 10), file);
}

char *
leat_kernel_text_dup_marked (const LeatKernelText *self, const char *text)
{
  GString *out = g_string_new (NULL);

  while (*text != '\0')
    {
      const char *end = strchrnul (text, '\n');

      if (g_str_has_prefix (text, "#line "))
        leat_kernel_text_append_mark (self, out, text, end);
      else
        g_string_append_len (out, text, end - text);
      if (*end == '\n')
        g_string_append_c (out, '\n');
      text = *end == '\n' ? end + 1 : end;
    }
  return g_string_free (out, FALSE);
}
