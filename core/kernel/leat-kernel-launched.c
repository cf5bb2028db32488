/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The instances of template kernels that a program's own launches ask for, `scale<float, 256><<<...>>>`: these are
 * named to a user who has to choose one.  Reads the unit only. */

#include "leat-kernel-plain-private.h"

/* Whether the file, or every file, knows what the word of a template argument is: no parameter of a function around. */
static gboolean
leat_launched_knows (const LeatKernelUnit *unit, guint token)
{
  static const char *const words[] = { "true", "false", "sizeof", NULL };
  static const char *const spaces[] = { "std", "cuda", "cub", "nvcuda", "cooperative_groups", NULL };
  g_autofree char *word = leat_tokens_dup (unit->tokens, token);
  LeatKernelType type;

  if (leat_tokens_is (unit->tokens, token - 1, "::"))
    return TRUE;
  for (guint i = 0; leat_tokens_is (unit->tokens, token + 1, "::") && i < unit->scopes->len; i++)
    if (g_strv_contains (spaces, word) || g_strv_contains (g_ptr_array_index (unit->scopes, i), word))
      return TRUE;

  if (leat_tokens_at (unit->tokens, token)->kind != LEAT_TOKEN_IDENT || g_strv_contains (words, word)
      || leat_kernel_unit_lookup_type (unit, word, &type))
    return TRUE;
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);
      guint name = decl->kind == LEAT_DECL_TYPE ? leat_kernel_unit_type_name (unit, decl)
                   : decl->kind == LEAT_DECL_VARIABLE && (decl->flags & LEAT_DECL_IS_CONSTEXPR)
                     ? leat_kernel_unit_declared_name (unit, decl->first, decl->last)
                     : G_MAXUINT;

      if (name != G_MAXUINT && leat_tokens_is (unit->tokens, name, word))
        return TRUE;
    }
  return FALSE;
}

/* The arguments [open, end), tidy; NULL where one of them is not known. */
static char *
leat_launched_dup_arguments (const LeatKernelUnit *unit, guint open, guint end)
{
  GString *out = g_string_new (NULL);

  for (guint i = open; i < end; i++)
    {
      g_autofree char *word = leat_tokens_dup (unit->tokens, i);
      gboolean apart =
        out->len > 0 && (g_ascii_isalnum (word[0]) || word[0] == '_')
        && (g_ascii_isalnum (out->str[out->len - 1]) || out->str[out->len - 1] == '_' || out->str[out->len - 1] == ',');

      if (!leat_launched_knows (unit, i))
        {
          g_string_free (out, TRUE);
          return NULL;
        }
      g_string_append_printf (out, "%s%s", apart || (out->len > 0 && out->str[out->len - 1] == ',') ? " " : "", word);
    }
  return g_string_free (out, FALSE);
}

GPtrArray *
leat_kernel_unit_list_launched (const LeatKernelUnit *unit)
{
  GPtrArray *found = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 1; leat_tokens_at (unit->tokens, i)->kind != LEAT_TOKEN_END; i++)
    {
      g_autofree char *name = NULL, *arguments = NULL, *entry = NULL;
      guint end;

      if (leat_tokens_at (unit->tokens, i)->kind != LEAT_TOKEN_IDENT || !leat_tokens_is (unit->tokens, i + 1, "<"))
        continue;
      end = leat_kernel_unit_skip_angles (unit, i + 1);
      if (!leat_tokens_is (unit->tokens, end, "<<<"))
        continue;
      name = leat_tokens_dup (unit->tokens, i);
      arguments = leat_launched_dup_arguments (unit, i + 1, end);
      if (arguments == NULL)
        continue;
      entry = g_strconcat (name, arguments, NULL);
      if (!g_ptr_array_find_with_equal_func (found, entry, g_str_equal, NULL))
        g_ptr_array_add (found, g_steal_pointer (&entry));
    }
  return found;
}
