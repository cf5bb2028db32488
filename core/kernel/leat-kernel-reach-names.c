/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The names by which kernels come to the declarations of a file, and to members of its types.  Reads the unit only. */

#include "leat-kernel-reach-private.h"

static void
leat_reach_add_name (LeatReach *self, GHashTable *names, guint token, guint index)
{
  char *word = leat_tokens_dup (self->tokens, token);
  GArray *all = g_hash_table_lookup (names, word);

  if (all == NULL)
    {
      all = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (names, word, all);
    }
  else
    g_free (word);
  g_array_append_val (all, index);
}

static void
leat_reach_name (LeatReach *self, guint token, guint decl)
{
  leat_reach_add_name (self, self->by_name, token, decl);
}

static gboolean
leat_reach_is_word (LeatReach *self, guint token)
{
  return leat_tokens_at (self->tokens, token)->kind == LEAT_TOKEN_IDENT
         && !leat_tokens_is_any (self->tokens, token, leat_kernel_type_words);
}

static gboolean
leat_reach_has_braces (LeatReach *self, const LeatDecl *decl)
{
  for (guint i = decl->first; i < decl->last; i++)
    if (leat_tokens_is (self->tokens, i, "{"))
      return TRUE;
  return FALSE;
}

/* The words of a type outside its braces, up to its bases; those of an enumeration inside too. */
static void
leat_reach_name_type (LeatReach *self, guint index)
{
  static const char *const ends[] = { ":", "<", "=", ";", NULL };
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);
  gboolean is_enum = FALSE, after = FALSE;
  guint name = leat_kernel_unit_type_name (self->unit, decl);

  if (name != G_MAXUINT)
    leat_reach_name (self, name, index);
  if (leat_tokens_is (self->tokens, decl->first, "typedef") && !leat_reach_has_braces (self, decl))
    return;
  for (guint i = decl->first; i < decl->last; i++)
    {
      guint match = leat_tokens_at (self->tokens, i)->match;

      is_enum = is_enum || leat_tokens_is (self->tokens, i, "enum");
      if (leat_tokens_is (self->tokens, i, "template"))
        i = leat_kernel_unit_skip_angles (self->unit, i + 1) - 1;
      else if (leat_tokens_is (self->tokens, i, "{"))
        {
          for (guint t = i; is_enum && t < match; t++)
            if (leat_reach_is_word (self, t))
              leat_reach_name (self, t, index);
          i = match;
          after = TRUE;
        }
      else if (!after && leat_tokens_is_any (self->tokens, i, ends)
               && !leat_tokens_is (self->tokens, decl->first, "typedef"))
        {
          if (leat_tokens_is (self->tokens, i, "="))
            return;
          while (i < decl->last && !leat_tokens_is (self->tokens, i + 1, "{"))
            i++;
        }
      else if (leat_reach_is_word (self, i))
        leat_reach_name (self, i, index);
    }
}

guint
leat_reach_find_owner (LeatReach *self, guint token, guint first)
{
  guint begin = token, i;

  while (begin > first && !leat_tokens_is (self->tokens, begin, "operator"))
    begin--;
  if (!leat_tokens_is (self->tokens, begin, "operator"))
    begin = token > first && leat_tokens_is (self->tokens, token - 1, "~") ? token - 1 : token;
  if (begin < first + 2 || !leat_tokens_is (self->tokens, begin - 1, "::"))
    return token;
  i = begin - 2;
  if (leat_tokens_is (self->tokens, i, ">"))
    while (i > first && !leat_tokens_is (self->tokens, i + 1, "<"))
      i--;
  return i;
}

static void
leat_reach_name_variable (LeatReach *self, guint index)
{
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);
  g_autoptr (GArray) pieces = leat_kernel_unit_split (self->unit, decl->first, decl->last);

  for (guint i = 0; i < pieces->len; i += 2)
    {
      guint name = leat_kernel_unit_declared_name (self->unit, g_array_index (pieces, guint, i),
                                                   g_array_index (pieces, guint, i + 1) + 1);

      if (name != G_MAXUINT)
        leat_reach_name (self, leat_reach_find_owner (self, name, g_array_index (pieces, guint, i)), index);
    }
}

gboolean
leat_reach_is_function (const LeatDecl *decl)
{
  return decl->kind == LEAT_DECL_FUNCTION || decl->kind == LEAT_DECL_PROTOTYPE;
}

void
leat_reach_list_names (LeatReach *self)
{
  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);

      if (leat_reach_is_function (decl) && !(decl->flags & LEAT_DECL_IS_OPERATOR)
          && leat_tokens_at (self->tokens, decl->name)->kind == LEAT_TOKEN_IDENT)
        leat_reach_name (self, decl->name, i);
      else if (decl->kind == LEAT_DECL_VARIABLE)
        leat_reach_name_variable (self, i);
      else if (decl->kind == LEAT_DECL_TYPE)
        leat_reach_name_type (self, i);
    }
  for (guint i = 0; i < self->members->len; i++)
    if (g_array_index (self->members, LeatLooseMember, i).name != G_MAXUINT)
      leat_reach_add_name (self, self->loose, g_array_index (self->members, LeatLooseMember, i).name, i);
}
