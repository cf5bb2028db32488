/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reads a list of pipelines, and writes out what stands for several.  Knows nothing of nodes. */

#include "leat-kernelc-list.h"

#include <string.h>

/* Those of a body have blanks around them. */
static const char *
leat_kernelc_list_find_choice (const char *text)
{
  for (const char *at = strchr (text, '{'); at != NULL; at = strchr (at + 1, '{'))
    if (!g_ascii_isspace (at[1]) && strchr (at, '}') != NULL)
      return at;
  return NULL;
}

/* Takes @text. */
static void
leat_kernelc_list_add (GPtrArray *list, char *text)
{
  const char *begin = leat_kernelc_list_find_choice (text);
  g_autofree char *whole = begin != NULL ? g_strndup (begin, (gsize) (strchr (begin, '}') + 1 - begin)) : NULL;
  g_autofree char *inner = whole != NULL ? g_strndup (whole + 1, strlen (whole) - 2) : NULL;
  g_auto (GStrv) choices = inner != NULL ? g_strsplit (inner, ",", -1) : NULL;

  if (begin == NULL)
    {
      g_ptr_array_add (list, text);
      return;
    }
  for (guint i = 0; choices[i] != NULL; i++)
    {
      GString *chosen = g_string_new (text);

      g_string_replace (chosen, whole, choices[i], 0);
      leat_kernelc_list_add (list, g_string_free (chosen, FALSE));
    }
  g_free (text);
}

GPtrArray *
leat_kernelc_list_read (const char *path, GError **error)
{
  g_autofree char *contents = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (GString) paragraph = g_string_new (NULL);
  GPtrArray *list;

  if (!g_file_get_contents (path, &contents, NULL, error))
    return NULL;
  list = g_ptr_array_new_with_free_func (g_free);
  lines = g_strsplit (contents, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      if (lines[i][0] == '#')
        continue;
      if (lines[i][0] != '\0')
        g_string_append_printf (paragraph, "%s\n", lines[i]);
      if (paragraph->len == 0 || (lines[i][0] != '\0' && lines[i + 1] != NULL))
        continue;
      leat_kernelc_list_add (list, g_strdup (paragraph->str));
      g_string_truncate (paragraph, 0);
    }
  return list;
}
