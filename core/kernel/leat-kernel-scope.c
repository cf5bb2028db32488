/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The namespaces of a kernel file: where they begin and end, the names of what they hold, and which of several
 * declarations of a name is meant. */

#include "leat-kernel-unit-private.h"

#include <string.h>

/* A namespace that is open while the file is scanned. */
typedef struct
{
  guint close; /* its "}" */
  guint outer;
} LeatOpenScope;

GPtrArray *
leat_scopes_new (void)
{
  GPtrArray *scopes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);

  g_ptr_array_add (scopes, g_new0 (char *, 1));
  return scopes;
}

/* The scope @outer with the names of the tokens [first, end) behind it, or none for a namespace without a name. */
static guint
leat_kernel_unit_add_scope (LeatKernelUnit *self, guint outer, guint first, guint end)
{
  char **parts = g_ptr_array_index (self->scopes, outer);
  GPtrArray *all = g_ptr_array_new ();

  for (guint i = 0; parts[i] != NULL; i++)
    g_ptr_array_add (all, g_strdup (parts[i]));
  for (guint i = first; i < end; i++)
    if (leat_tokens_at (self->tokens, i)->kind == LEAT_TOKEN_IDENT && !leat_tokens_is (self->tokens, i, "inline"))
      g_ptr_array_add (all, leat_tokens_dup (self->tokens, i));
  if (first == end)
    g_ptr_array_add (all, g_strdup (""));
  g_ptr_array_add (all, NULL);
  g_ptr_array_add (self->scopes, g_ptr_array_free (all, FALSE));
  return self->scopes->len - 1;
}

/* The "{" of the namespace that begins at @index; G_MAXUINT where none does: `namespace a = b;`. */
static guint
leat_kernel_unit_find_namespace (const LeatKernelUnit *self, guint index, guint *first)
{
  if (leat_tokens_is (self->tokens, index, "inline"))
    index++;
  if (!leat_tokens_is (self->tokens, index, "namespace"))
    return G_MAXUINT;
  index++;
  while (leat_kernel_unit_skip_attribute (self, index) != index)
    index = leat_kernel_unit_skip_attribute (self, index) + 1;
  *first = index;
  while (leat_tokens_at (self->tokens, index)->kind == LEAT_TOKEN_IDENT || leat_tokens_is (self->tokens, index, "::"))
    index++;
  return leat_tokens_is (self->tokens, index, "{") ? index : G_MAXUINT;
}

gboolean
leat_kernel_unit_pass_scope (LeatKernelUnit *self, GArray *open, guint *index, guint *scope)
{
  guint first = *index, brace = leat_kernel_unit_find_namespace (self, *index, &first);

  if (open->len > 0 && g_array_index (open, LeatOpenScope, open->len - 1).close == *index)
    {
      *scope = g_array_index (open, LeatOpenScope, open->len - 1).outer;
      g_array_set_size (open, open->len - 1);
      (*index)++;
      return TRUE;
    }
  if (brace == G_MAXUINT)
    return FALSE;
  g_array_append_val (open, ((LeatOpenScope){ leat_tokens_at (self->tokens, brace)->match, *scope }));
  *scope = leat_kernel_unit_add_scope (self, *scope, first, brace);
  *index = brace + 1;
  return TRUE;
}

GArray *
leat_open_scopes_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (LeatOpenScope));
}

char *
leat_kernel_unit_dup_scope (const LeatKernelUnit *self, const LeatDecl *decl)
{
  char **parts = g_ptr_array_index (self->scopes, decl->scope);
  GString *out = g_string_new (NULL);

  for (guint i = 0; parts[i] != NULL; i++)
    if (parts[i][0] != '\0')
      g_string_append_printf (out, "%s::", parts[i]);
  return g_string_free (out, FALSE);
}

void
leat_kernel_unit_append_opening (const LeatKernelUnit *self, const LeatDecl *decl, GString *out)
{
  char **parts = g_ptr_array_index (self->scopes, decl->scope);

  for (guint i = 0; parts[i] != NULL; i++)
    g_string_append_printf (out, "namespace %s { ", parts[i]);
}

void
leat_kernel_unit_append_closing (const LeatKernelUnit *self, const LeatDecl *decl, GString *out)
{
  char **parts = g_ptr_array_index (self->scopes, decl->scope);

  for (guint i = 0; parts[i] != NULL; i++)
    g_string_append (out, "} ");
  if (parts[0] != NULL)
    g_string_append_c (out, '\n');
}

char *
leat_kernel_unit_dup_symbol (const LeatKernelUnit *self, const LeatDecl *decl)
{
  g_autofree char *scope = leat_kernel_unit_dup_scope (self, decl), *name = leat_tokens_dup (self->tokens, decl->name);
  g_auto (GStrv) parts = g_strsplit (scope, "::", -1);
  g_autofree char *prefix = g_strjoinv ("__", parts);

  return g_str_has_prefix (name, prefix) ? g_strdup (name) : g_strconcat (prefix, name, NULL);
}

char *
leat_kernel_unit_dup_full_name (const LeatKernelUnit *self, const LeatDecl *decl)
{
  g_autofree char *scope = leat_kernel_unit_dup_scope (self, decl), *name = leat_tokens_dup (self->tokens, decl->name);
  g_auto (GStrv) parts = g_strsplit (scope, "::", -1);
  g_autofree char *prefix = g_strjoinv ("__", parts);
  g_autofree char *instance = self->instance != NULL ? leat_kernel_dup_symbol (self->instance) : NULL;

  if (g_strcmp0 (instance, name) == 0)
    return g_strdup (self->instance);
  for (guint i = 0; i < self->tokens->text->overloads->len; i++)
    {
      const char *entry = g_ptr_array_index (self->tokens->text->overloads, i);
      g_autofree char *symbol = leat_kernel_dup_symbol (entry);

      if (g_str_equal (symbol, name))
        return g_strdup (entry);
    }
  return g_strconcat (scope, g_str_has_prefix (name, prefix) ? name + strlen (prefix) : name, NULL);
}

LeatKernelUnit
leat_kernel_unit_seen_from (const LeatKernelUnit *self, const LeatDecl *decl)
{
  LeatKernelUnit seen = *self;

  seen.from = decl->scope;
  return seen;
}

LeatKernelUnit
leat_kernel_unit_seen_at (const LeatKernelUnit *self, guint token)
{
  for (guint i = 0; i < self->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self, i);

      if (decl->first <= token && token <= decl->last)
        return leat_kernel_unit_seen_from (self, decl);
    }
  return *self;
}

void
leat_name_search_init (LeatNameSearch *self, const LeatKernelUnit *unit, const char *words)
{
  char **path = g_strsplit (words, " :: ", -1);
  guint n = g_strv_length (path);

  *self = (LeatNameSearch){ unit, path, n > 0 ? path[n - 1] : "", 0, FALSE };
}

void
leat_name_search_clear (LeatNameSearch *self)
{
  g_clear_pointer (&self->path, g_strfreev);
}

/* The names of a scope without those of namespaces that have none, which anyone around sees into. */
static GPtrArray *
leat_name_search_list_scope (const LeatNameSearch *self, guint scope)
{
  char **parts = g_ptr_array_index (self->unit->scopes, scope);
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; parts[i] != NULL; i++)
    if (parts[i][0] != '\0')
      g_ptr_array_add (names, parts[i]);
  return names;
}

static gboolean
leat_names_equal (const GPtrArray *names, guint first, char **others, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!g_str_equal (g_ptr_array_index (names, first + i), others[i]))
      return FALSE;
  return TRUE;
}

/* How near what the path says in the scope of @decl is: 2 and more where C++ looks from inside to outside; 1 where a
 * `using` may bring it; 0 where it is another's. */
static guint
leat_name_search_measure (const LeatNameSearch *self, const LeatDecl *decl)
{
  g_autoptr (GPtrArray) own = leat_name_search_list_scope (self, decl->scope);
  g_autoptr (GPtrArray) from = leat_name_search_list_scope (self, self->unit->from);
  guint n = g_strv_length (self->path) - 1;

  if (own->len < n || !leat_names_equal (own, own->len - n, self->path, n))
    return 0;
  if (own->len - n <= from->len && leat_names_equal (own, 0, (char **) from->pdata, own->len - n))
    return own->len - n + 2;
  return 1;
}

gboolean
leat_name_search_takes (LeatNameSearch *self, const LeatDecl *decl)
{
  guint nearness = leat_name_search_measure (self, decl);

  self->is_ambiguous = nearness > self->nearness ? FALSE : self->is_ambiguous || (nearness == 1 && self->nearness == 1);
  if (nearness <= self->nearness)
    return FALSE;
  self->nearness = nearness;
  return TRUE;
}
