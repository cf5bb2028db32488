/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which declarations of a unit may have a name, so that nobody who looks for one goes through all of a large file. */

#include "leat-kernel-unit-private.h"

#include <string.h>

/* Once for each declaration. */
static void
leat_named_add (GHashTable *names, char *word, guint index)
{
  GArray *all = g_hash_table_lookup (names, word);

  if (all == NULL)
    {
      all = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (names, g_strdup (word), all);
    }
  if (all->len == 0 || g_array_index (all, guint, all->len - 1) != index)
    g_array_append_val (all, index);
  g_free (word);
}

/* The symbol of what stands behind all namespaces: that of `k<T>` for `a::b::k<T>`. */
static char *
leat_named_dup_last (const char *name)
{
  const char *sep;

  while ((sep = g_strstr_len (name, strcspn (name, "<("), "::")) != NULL)
    name = sep + strlen ("::");
  return leat_kernel_dup_symbol (name);
}

/* The names that `typedef W name;`, `using name = W;` and `enum name` give. */
static void
leat_named_add_type (LeatKernelUnit *self, guint index)
{
  static const char *const bounds[] = { "{", ":", NULL };
  const LeatDecl *decl = leat_kernel_unit_at (self, index);
  gboolean is_typedef = leat_tokens_is (self->tokens, decl->first, "typedef");
  guint first = decl->first + is_typedef;

  if (leat_tokens_is (self->tokens, decl->first, "using"))
    leat_named_add (self->types, leat_tokens_dup (self->tokens, decl->first + 1), index);
  else if (leat_tokens_is (self->tokens, first, "enum"))
    for (guint t = first; t < decl->last && !leat_tokens_is_any (self->tokens, t, bounds); t++)
      leat_named_add (self->types, leat_tokens_dup (self->tokens, t), index);
  else if (!is_typedef)
    return;
  if (decl->last > 0)
    leat_named_add (self->types, leat_tokens_dup (self->tokens, decl->last - 1), index);
}

static void
leat_named_add_kernel (LeatKernelUnit *self, guint index)
{
  const LeatDecl *decl = leat_kernel_unit_at (self, index);
  g_autofree char *full = decl->scope != 0 ? leat_kernel_unit_dup_full_name (self, decl) : NULL;

  leat_named_add (self->called, leat_tokens_dup (self->tokens, decl->name), index);
  if (full != NULL)
    leat_named_add (self->called, leat_named_dup_last (full), index);
}

void
leat_kernel_unit_set_names (LeatKernelUnit *self, const char *instance)
{
  leat_kernel_unit_clear_names (self);
  self->instance = instance;
  self->called = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
  self->types = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
  for (guint i = 0; i < self->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self, i);

      if (decl->kind == LEAT_DECL_TYPE)
        leat_named_add_type (self, i);
      else if (decl->kind == LEAT_DECL_FUNCTION && (decl->flags & (LEAT_DECL_IS_GLOBAL | LEAT_DECL_IS_VARIANT)))
        leat_named_add_kernel (self, i);
    }
}

void
leat_kernel_unit_clear_names (LeatKernelUnit *self)
{
  g_clear_pointer (&self->called, g_hash_table_unref);
  g_clear_pointer (&self->types, g_hash_table_unref);
}

const GArray *
leat_kernel_unit_list_called (const LeatKernelUnit *self, const char *name)
{
  g_autofree char *last = leat_named_dup_last (name);

  return g_hash_table_lookup (self->called, last);
}

const GArray *
leat_kernel_unit_list_types (const LeatKernelUnit *self, const char *name)
{
  return g_hash_table_lookup (self->types, name);
}
