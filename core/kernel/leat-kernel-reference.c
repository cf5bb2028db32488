/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Names of types behind which a reference hides: `typedef int &ref;`, `using ref = int &;`, `struct Ref { int &to; };`,
 * and whatever is made of these.  Names are taken as they stand, wherever they stand. */

#include "leat-kernel-unit-private.h"

static const char *const leat_reference_types[] = { "struct", "class", "union", NULL };

gboolean
leat_kernel_unit_is_reference (const LeatKernelUnit *self, guint token)
{
  static const char *const marks[] = { "&", "&&", "decltype", NULL };
  g_autofree char *word = NULL;

  if (leat_tokens_is_any (self->tokens, token, marks))
    return TRUE;
  if (g_hash_table_size (self->references) == 0 || leat_tokens_at (self->tokens, token)->kind != LEAT_TOKEN_IDENT)
    return FALSE;
  word = leat_tokens_dup (self->tokens, token);
  return g_hash_table_contains (self->references, word);
}

/* One past what the definition at @first says, or G_MAXUINT where none is there. */
static guint
leat_reference_end (const LeatKernelUnit *self, guint first)
{
  const LeatTokens *tokens = self->tokens;

  for (guint i = first; leat_tokens_at (tokens, i)->kind != LEAT_TOKEN_END; i++)
    {
      if (leat_tokens_is (tokens, i, ";"))
        return i;
      if (leat_tokens_is (tokens, i, "{"))
        i = leat_tokens_at (tokens, i)->match;
    }
  return G_MAXUINT;
}

/* `typedef int (&row)[4];`, `typedef void fn (int &);` */
static guint
leat_reference_name_of_typedef (const LeatKernelUnit *self, guint first, guint end)
{
  const LeatTokens *tokens = self->tokens;
  guint open = leat_tokens_is (tokens, end - 1, ")") ? leat_tokens_at (tokens, end - 1)->match : G_MAXUINT;

  if (open != G_MAXUINT && leat_tokens_at (tokens, open - 1)->kind == LEAT_TOKEN_IDENT)
    return open - 1;
  return leat_kernel_unit_declared_name (self, first + 1, end);
}

/* Whether a member of the type in [first, end), or what it is made of, is a reference. */
static gboolean
leat_reference_is_kept (const LeatKernelUnit *self, guint first, guint end)
{
  guint braces = 0;

  for (guint i = first; i < end; i++)
    if (leat_tokens_is (self->tokens, i, "(") || (leat_tokens_is (self->tokens, i, "{") && braces++ > 0))
      i = leat_tokens_at (self->tokens, i)->match;
    else if (leat_kernel_unit_is_reference (self, i)
             && (leat_tokens_at (self->tokens, i)->kind == LEAT_TOKEN_IDENT
                 || leat_tokens_is (self->tokens, i + 2, ";")))
      return TRUE;
  return FALSE;
}

static gboolean
leat_reference_is_in (const LeatKernelUnit *self, guint first, guint end)
{
  for (guint i = first; i < end; i++)
    if (leat_kernel_unit_is_reference (self, i))
      return TRUE;
  return FALSE;
}

/* The name that the definition at @index gives to something with a reference in it, or G_MAXUINT. */
static guint
leat_reference_name (const LeatKernelUnit *self, guint index)
{
  const LeatTokens *tokens = self->tokens;
  static const char *const parameters[] = { "<", ",", NULL }; /* `template <class T>` */
  guint end, name = index + 1;

  if (index > 0 && leat_tokens_is_any (tokens, index - 1, parameters))
    return G_MAXUINT;
  end = leat_reference_end (self, index);
  if (end == G_MAXUINT)
    return G_MAXUINT;
  if (leat_tokens_is (tokens, index, "typedef"))
    return (leat_tokens_is_any (tokens, index + 1, leat_reference_types) ? leat_reference_is_kept (self, index + 2, end)
                                                                         : leat_reference_is_in (self, index, end))
             ? leat_reference_name_of_typedef (self, index, end)
             : G_MAXUINT;
  if (leat_tokens_is (tokens, index, "using"))
    return leat_tokens_is (tokens, index + 2, "=") && leat_reference_is_in (self, index + 3, end) ? name : G_MAXUINT;
  while (leat_kernel_unit_skip_attribute (self, name) != name)
    name = leat_kernel_unit_skip_attribute (self, name) + 1;
  return leat_reference_is_kept (self, name + 1, end) ? name : G_MAXUINT;
}

void
leat_kernel_unit_find_references (LeatKernelUnit *self)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint));
  gboolean changed = TRUE;

  self->references = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; leat_tokens_at (self->tokens, i)->kind != LEAT_TOKEN_END; i++)
    if (leat_tokens_is (self->tokens, i, "typedef") || leat_tokens_is (self->tokens, i, "using")
        || leat_tokens_is_any (self->tokens, i, leat_reference_types))
      g_array_append_val (places, i);
  while (changed)
    {
      changed = FALSE;
      for (guint i = 0; i < places->len; i++)
        {
          guint name = leat_reference_name (self, g_array_index (places, guint, i));

          if (name != G_MAXUINT && leat_tokens_at (self->tokens, name)->kind == LEAT_TOKEN_IDENT)
            changed |= g_hash_table_add (self->references, leat_tokens_dup (self->tokens, name));
        }
    }
}
