/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The near spelling of a wrong word, for messages. */

#include "leat-suggest.h"

#include <string.h>

#define LEAT_SUGGEST_MAX_WORD  64
#define LEAT_SUGGEST_MAX_FILES 4096 /* names of a folder that are looked at for a typing error */

/* Edit distance where two swapped neighbours count as one edit, the way fingers slip.  Three rows suffice. */
static guint
leat_suggest_distance (const char *a, gsize n_a, const char *b, gsize n_b)
{
  guint rows[3][LEAT_SUGGEST_MAX_WORD + 1];

  for (gsize j = 0; j <= n_b; j++)
    rows[0][j] = j;
  for (gsize i = 1; i <= n_a; i++)
    {
      guint *row = rows[i % 3];
      const guint *above = rows[(i + 2) % 3];
      const guint *above2 = rows[(i + 1) % 3];

      row[0] = i;
      for (gsize j = 1; j <= n_b; j++)
        {
          guint change = above[j - 1] + (g_ascii_tolower (a[i - 1]) != g_ascii_tolower (b[j - 1]));

          row[j] = MIN (change, MIN (above[j], row[j - 1]) + 1);
          if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            row[j] = MIN (row[j], above2[j - 2] + 1);
        }
    }
  return rows[n_a % 3][n_b];
}

static gboolean
leat_suggest_is_near (guint distance, const char *a, gsize n_a, const char *b, gsize n_b)
{
  gsize longer = MAX (n_a, n_b);
  gboolean alike = n_a > 2 && n_b > 2 && g_ascii_strncasecmp (a, b, 2) == 0;

  return distance <= MAX (1, alike ? longer / 2 : longer / 3) && distance < longer;
}

/**
 * leat_suggest: (skip)
 * @word: what was written
 * @names: (array zero-terminated=1): what could have been meant
 *
 * Finds the name that @word is most likely a typing error of.
 *
 * At most a third of the longer word's letters may differ, half of them where both begin with the same two (one letter
 * always may), and the first of equally near names wins.
 *
 * Returns: (transfer none) (nullable): one of @names, or %NULL when none is near
 *
 * Since: 0.1
 */
const char *
leat_suggest (const char *word, const char *const *names)
{
  gsize n_word = strlen (word);
  guint best = G_MAXUINT;
  const char *found = NULL;

  if (n_word == 0 || n_word > LEAT_SUGGEST_MAX_WORD)
    return NULL;
  for (; names != NULL && *names != NULL; names++)
    {
      gsize n_name = strlen (*names);
      guint distance;

      if (n_name == 0 || n_name > LEAT_SUGGEST_MAX_WORD)
        continue;
      distance = leat_suggest_distance (word, n_word, *names, n_name);
      if (distance < best && leat_suggest_is_near (distance, word, n_word, *names, n_name))
        {
          best = distance;
          found = *names;
        }
    }
  return found;
}

/* The name in @dir that is nearest to @name.  @same: one with the same ending, of which only what is before it is
 * compared: the ending would make all of them near.  Otherwise one without it. */
static char *
leat_suggest_file_in (GDir *dir, const char *name, const char *ending, gboolean same)
{
  gsize n_ending = same ? strlen (ending) : 0;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *stem = g_strndup (name, strlen (name) - n_ending);
  const char *entry, *found;

  g_dir_rewind (dir);
  while (names->len < LEAT_SUGGEST_MAX_FILES && (entry = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (entry, ending) == same)
      g_ptr_array_add (names, g_strndup (entry, strlen (entry) - n_ending));
  g_ptr_array_add (names, NULL);
  found = leat_suggest (stem, (const char *const *) names->pdata);
  return found != NULL ? g_strconcat (found, same ? ending : NULL, NULL) : NULL;
}

/**
 * leat_suggest_file: (skip)
 * @path: (type filename): a file that is not there
 *
 * Finds the file of the same folder that was probably meant: one with the same ending, else any.
 *
 * Returns: (transfer full) (nullable): its name without the folder, or %NULL when none is near
 *
 * Since: 0.1
 */
char *
leat_suggest_file (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *ending = strrchr (name, '.');
  char *found;

  if (dir == NULL)
    return NULL;
  found = leat_suggest_file_in (dir, name, ending != NULL ? ending : "", TRUE);
  return found != NULL || ending == NULL ? found : leat_suggest_file_in (dir, name, ending, FALSE);
}
