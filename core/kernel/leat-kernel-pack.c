/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Structures whose members stand closer than their types ask for: `__attribute__ ((packed))` and `#pragma pack (1)`.
 * Reads the unit only. */

#include "leat-kernel-plain-private.h"

#include <string.h>

/* The number in `push, 1`; 0 where there is none. */
static guint
leat_pack_read_number (const char *words, const char *end)
{
  const char *digit = words;

  while (digit < end && !g_ascii_isdigit (*digit))
    digit++;
  return digit < end ? (guint) g_ascii_strtoull (digit, NULL, 10) : 0;
}

/* Follows one directive; @most: what counts now, 0 for no bound; @outer: what counts again after a pop. */
static void
leat_pack_follow (const char *words, gsize length, guint *most, GArray *outer)
{
  g_autofree char *line = g_strndup (words, length);
  const char *word = line + strspn (line, "# \t"), *open = strchr (word, '('), *close = strchr (word, ')');
  guint number;

  if (!g_str_has_prefix (word, "pragma") || open == NULL || close == NULL || close < open)
    return;
  word += strlen ("pragma");
  word += strspn (word, " \t");
  if (!g_str_has_prefix (word, "pack") || word + strlen ("pack") + strspn (word + strlen ("pack"), " \t") != open)
    return;
  number = leat_pack_read_number (open, close);
  if (g_strstr_len (open, close - open, "push") != NULL)
    g_array_append_val (outer, *most);
  if (g_strstr_len (open, close - open, "pop") == NULL)
    *most = number != 0 || g_strstr_len (open, close - open, "push") == NULL ? number : *most;
  else
    {
      *most = outer->len > 0 ? g_array_index (outer, guint, outer->len - 1) : 0;
      g_array_set_size (outer, outer->len > 0 ? outer->len - 1 : 0);
    }
}

static gboolean
leat_pack_has_word (const LeatKernelUnit *unit, guint first, guint end)
{
  static const char *const words[] = { "packed", "__packed__", NULL };

  for (guint i = first; i < end; i++)
    if (leat_tokens_is_any (unit->tokens, i, words))
      return TRUE;
  return FALSE;
}

/* The most that a member of the structure with its "{" at @open is aligned to; 0 where its type says. */
guint
leat_kernel_unit_read_pack (const LeatKernelUnit *unit, guint open)
{
  guint offset = leat_tokens_at (unit->tokens, open)->offset, most = 0;
  g_autoptr (GArray) outer = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);

      if (decl->first <= open && open <= decl->last
          && (leat_pack_has_word (unit, decl->first, open)
              || leat_pack_has_word (unit, leat_tokens_at (unit->tokens, open)->match, decl->last)))
        return 1;
    }
  for (guint i = 0; i < unit->tokens->directives->len; i++)
    {
      const LeatTokenGap *gap = &g_array_index (unit->tokens->directives, LeatTokenGap, i);

      if (gap->offset < offset)
        leat_pack_follow (unit->tokens->text->text + gap->offset, gap->length, &most, outer);
    }
  return most;
}
