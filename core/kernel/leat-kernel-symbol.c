/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The names of entries: `scale<float, 256>` in parts, and the symbol that stands for it in texts and images. */

#include "leat-kernel-unit-private.h"

#include <string.h>

/* One blank where words meet, none elsewhere. (transfer full) */
static char *
leat_symbol_dup_tidy (const char *text)
{
  GString *out = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p++)
    if (!g_ascii_isspace (*p))
      {
        gboolean apart = p > text && g_ascii_isspace (p[-1]) && out->len > 0;
        char last = apart ? out->str[out->len - 1] : ' ';

        if (apart && (g_ascii_isalnum (last) || last == '_') && (g_ascii_isalnum (*p) || *p == '_'))
          g_string_append_c (out, ' ');
        g_string_append_c (out, *p);
      }
  return g_string_free (out, FALSE);
}

/* The arguments of an entry between its first "<" and its last ">"; NULL where it has none. */
char **
leat_kernel_split_entry (const char *entry, char **path)
{
  const char *open = strchr (entry, '<'), *close = strrchr (entry, '>'), *begin = open + 1;
  GPtrArray *arguments;
  gint depth = 0;

  if (open == NULL || close == NULL || close < open || close[1] != '\0')
    return NULL;
  arguments = g_ptr_array_new ();
  *path = g_strstrip (g_strndup (entry, open - entry));
  for (const char *p = begin; p <= close; p++)
    {
      if (p == close || (*p == ',' && depth == 0))
        {
          g_autofree char *argument = g_strndup (begin, p - begin);

          if (p != close || begin != open + 1 || *g_strstrip (argument) != '\0')
            g_ptr_array_add (arguments, leat_symbol_dup_tidy (argument));
          begin = p + 1;
        }
      depth += strchr ("<([", *p) != NULL ? 1 : strchr (">)]", *p) != NULL ? -1 : 0;
    }
  g_ptr_array_add (arguments, NULL);
  return (char **) g_ptr_array_free (arguments, FALSE);
}

/* `a::k(const float *, int)` */
static char *
leat_symbol_dup_overload (const char *path, const char *takes)
{
  g_autofree char *head = leat_kernel_dup_symbol (path);
  GString *out = g_string_new (head);

  g_string_append (out, "__takes_");
  for (const char *p = takes; *p != '\0'; p++)
    if (g_ascii_isalnum (*p) || *p == '*')
      g_string_append_c (out, *p == '*' ? 'P' : *p);
    else if (*p != ' ' || (p[1] != '*' && p[-1] != ','))
      g_string_append_c (out, '_');
  return g_string_free (out, FALSE);
}

char *
leat_kernel_dup_symbol (const char *entry)
{
  g_autofree char *path = NULL, *joined = NULL, *takes = NULL;
  g_auto (GStrv) arguments = NULL, parts = NULL;
  GString *out;

  if (strpbrk (entry, ":<(") == NULL) /* as most are, and it is asked for with every node */
    return g_strdup (entry);
  takes = leat_kernel_split_overload (entry, &path);
  if (takes != NULL)
    return leat_symbol_dup_overload (path, takes);
  arguments = leat_kernel_split_entry (entry, &path);
  parts = g_strsplit (arguments != NULL ? path : entry, "::", -1);
  joined = g_strjoinv ("__", parts);
  out = g_string_new (joined);

  for (guint i = 0; arguments != NULL && arguments[i] != NULL; i++)
    {
      g_string_append (out, i == 0 ? "__" : "_");
      for (const char *p = arguments[i]; *p != '\0'; p++)
        if (g_ascii_isalnum (*p))
          g_string_append_c (out, *p);
        else if (*p == '*' || *p == '-')
          g_string_append_c (out, *p == '*' ? 'P' : 'N');
        else
          g_string_append_c (out, '_');
    }
  return g_string_free (out, FALSE);
}
