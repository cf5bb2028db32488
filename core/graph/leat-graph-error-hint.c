/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The end of a message about an unknown name: the near spelling, or the names that there are. */

#include "leat-graph-error-private.h"

#define LEAT_GRAPH_ERROR_SHORT_LIST 8

char *
leat_graph_error_join (const char *const *names)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; names[i] != NULL; i++)
    {
      if (i > 0)
        g_string_append (text, names[i + 1] == NULL ? " and " : ", ");
      g_string_append (text, names[i]);
    }
  return g_string_free (text, FALSE);
}

/**
 * leat_graph_error_hint:
 * @word: a name that nothing has
 * @names: (array zero-terminated=1) (nullable): the names that there are
 * @plural: what has such names, as in "outputs"
 *
 * Makes the end of a message about an unknown name: ` (did you mean "sum"?)` where one is near, ` (there are a, b and
 * c)` where the list is short, ` (it has no outputs)` where there is none, else nothing.
 *
 * Returns: (transfer full): the text, which may be empty
 *
 * Since: 0.1
 */
char *
leat_graph_error_hint (const char *word, const char *const *names, const char *plural)
{
  const char *near = leat_suggest (word, names);
  guint n = 0;
  g_autofree char *list = NULL;

  if (near != NULL)
    return g_strdup_printf (" (did you mean \"%s\"?)", near);
  while (names != NULL && names[n] != NULL)
    n++;
  if (n == 0)
    return g_strdup_printf (" (it has no %s)", plural);
  if (n > LEAT_GRAPH_ERROR_SHORT_LIST)
    return g_strdup ("");
  list = leat_graph_error_join (names);
  return g_strdup_printf (n == 1 ? " (there is %s)" : " (there are %s)", list);
}
