/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The kernels of a file, by name. */

#include "leat-kernel-instance-private.h"

#include "leat-suggest.h"

/**
 * leat_kernel_source_list_entries:
 * @self: a source
 *
 * Names the `__global__` functions that can be launched, in the order of the file.  Templates are not among them. Where
 * several have one name, their parameters are a part of it: `k(const float *, int)`.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names
 */
char **
leat_kernel_source_list_entries (LeatKernelSource *self)
{
  GPtrArray *names = g_ptr_array_new ();

  g_return_val_if_fail (self != NULL, NULL);
  for (guint i = 0; i < self->kernels->len; i++)
    {
      const LeatDecl *decl = g_ptr_array_index (self->kernels, i);

      g_ptr_array_add (names, leat_kernel_unit_dup_full_name (self->unit, decl));
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

/* Edits that turn @a into @b. */
static guint
leat_kernel_source_name_distance (const char *a, const char *b)
{
  gsize n = strlen (b);
  g_autofree guint *row = g_new (guint, n + 1);

  for (gsize j = 0; j <= n; j++)
    row[j] = j;
  for (gsize i = 0; a[i] != '\0'; i++)
    {
      guint corner = row[0];

      row[0] = i + 1;
      for (gsize j = 0; j < n; j++)
        {
          guint above = row[j + 1], change = corner + (a[i] != b[j]);

          row[j + 1] = MIN (MIN (above, row[j]) + 1, change);
          corner = above;
        }
    }
  return row[n];
}

/* The __global__ template called @entry, or the first one where @entry is NULL. */
static const LeatDecl *
leat_kernel_source_find_template (LeatKernelSource *self, const char *entry)
{
  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);

      if (decl->kind == LEAT_DECL_FUNCTION && (decl->flags & LEAT_DECL_IS_GLOBAL)
          && (decl->flags & LEAT_DECL_IS_TEMPLATE)
          && (entry == NULL || leat_kernel_unit_is_called (self->unit, decl, entry)))
        return decl;
    }
  return NULL;
}

/* An instance of the template @name that the file launches, else one that its parameters suggest. */
static char *
leat_kernel_source_dup_instance (LeatKernelSource *self, const LeatDecl *decl, const char *name)
{
  const char *last = strstr (name, "::") != NULL ? strrchr (name, ':') + 1 : name;
  g_autofree char *prefix = g_strconcat (last, "<", NULL);

  for (guint i = 0; i < self->launched->len; i++)
    if (g_str_has_prefix (g_ptr_array_index (self->launched, i), prefix))
      return g_strconcat (name, (char *) g_ptr_array_index (self->launched, i) + strlen (last), NULL);
  return leat_kernel_unit_dup_likely_instance (self->unit, decl, name);
}

static void
leat_kernel_source_refuse_template (LeatKernelSource *self, const LeatDecl *decl, GError **error)
{
  g_autofree char *name = leat_kernel_unit_dup_full_name (self->unit, decl);
  g_autofree char *instance = leat_kernel_source_dup_instance (self, decl, name);

  leat_tokens_set_error (self->unit->tokens, decl->name, LEAT_KERNEL_ERROR_ENTRY, error,
                         "kernel \"%s\" is a template; name an instance of it, such as entry=\"%s\"", name, instance);
}

char **
leat_kernel_source_list_templates (LeatKernelSource *self)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);
      g_autofree char *name =
        decl->kind == LEAT_DECL_FUNCTION && (decl->flags & LEAT_DECL_IS_GLOBAL) && (decl->flags & LEAT_DECL_IS_TEMPLATE)
          ? leat_kernel_unit_dup_full_name (self->unit, decl)
          : NULL;

      if (name != NULL && !g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        g_ptr_array_add (names, g_steal_pointer (&name));
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

/* The kernels, and of each template an instance. */
static char *
leat_kernel_source_dup_choices (LeatKernelSource *self, char **names)
{
  g_autoptr (GString) list = g_string_new (NULL);
  g_auto (GStrv) templates = leat_kernel_source_list_templates (self);

  for (guint i = 0; names[i] != NULL; i++)
    g_string_append_printf (list, "%s%s", i ? ", " : "", names[i]);
  for (guint i = 0; templates[i] != NULL; i++)
    {
      const LeatDecl *decl = leat_kernel_source_find_template (self, templates[i]);
      g_autofree char *instance = leat_kernel_source_dup_instance (self, decl, templates[i]);

      g_string_append_printf (list, "%s%s", list->len ? ", " : "", instance);
    }
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/* Those of @names that are kernels called @entry, which others are called too: `"k(int *)" (line 3)`.  NULL where there
 * are none. */
static char *
leat_kernel_source_dup_overloads (LeatKernelSource *self, char **names, const char *entry)
{
  g_autofree char *split = NULL, *takes = leat_kernel_split_overload (entry, &split);
  g_autofree char *path = g_strconcat (takes != NULL ? split : entry, "(", NULL);
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; names[i] != NULL; i++)
    {
      const LeatDecl *decl = g_ptr_array_index (self->kernels, i);
      const char *open = strchr (names[i], '('),
                 *last = open != NULL ? g_strrstr_len (names[i], open - names[i], "::") : NULL;

      if (g_str_has_prefix (names[i], path) || (last != NULL && g_str_has_prefix (last + strlen ("::"), path)))
        g_string_append_printf (list, "%s\"%s\" (line %u)", list->len ? ", " : "", names[i],
                                leat_tokens_at (self->unit->tokens, decl->name)->line);
    }
  return list->len > 0 ? g_string_free (g_steal_pointer (&list), FALSE) : NULL;
}

static void
leat_kernel_source_refuse_entry (LeatKernelSource *self, const char *entry, GError **error)
{
  g_auto (GStrv) names = leat_kernel_source_list_entries (self), templates = leat_kernel_source_list_templates (self);
  g_autofree char *list = leat_kernel_source_dup_choices (self, names);
  const char *near = NULL;
  guint best = entry != NULL ? MAX (strlen (entry) / 3, 1) + 1 : 0;
  g_autofree char *overloads = entry != NULL ? leat_kernel_source_dup_overloads (self, names, entry) : NULL;
  const LeatDecl *template = entry != NULL || names[0] == NULL ? leat_kernel_source_find_template (self, entry) : NULL;

  if (overloads != NULL)
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY,
                   "%s: kernels called \"%s\" differ in their parameters; name one with its types, as in entry=%s",
                   self->name, entry, overloads);
      return;
    }
  if (template != NULL && (entry != NULL || g_strv_length (templates) == 1))
    {
      leat_kernel_source_refuse_template (self, template, error);
      return;
    }
  for (guint i = 0; entry != NULL && names[i] != NULL; i++)
    {
      guint distance = leat_kernel_source_name_distance (entry, names[i]);

      if (distance < best)
        best = distance, near = names[i];
    }
  if (names[0] == NULL && templates[0] == NULL)
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY, "%s: no __global__ function in this file",
                 self->name);
  else if (entry == NULL)
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY, "%s: choose an entry: %s", self->name, list);
  else if (near != NULL)
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY, "%s: no kernel \"%s\" (did you mean \"%s\"?)",
                 self->name, entry, near);
  else
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY, "%s: no kernel \"%s\"; there are: %s", self->name,
                 entry, list);
}

static void
leat_kernel_source_note_launches (LeatKernelSource *self, LeatPrototype *prototype)
{
  g_autoptr (GPtrArray) parts = leat_kernel_source_list_parts (self, FALSE);

  for (guint i = 1; i < parts->len; i++)
    {
      LeatKernelSource *part = g_ptr_array_index (parts, i);
      const LeatPrototype *other = leat_kernel_unit_find_kernel (part->unit, prototype->entry) != NULL
                                     ? leat_kernel_source_get_prototype (part, prototype->entry, NULL)
                                     : NULL;

      if (other == NULL)
        continue;
      prototype->has_dynamic_shared |= other->has_dynamic_shared;
      prototype->has_assembly |= other->has_assembly;
      prototype->reports |= other->reports;
      prototype->syncs_grid |= other->syncs_grid;
      prototype->has_effects |= other->has_effects;
    }
}

/* Neither the kernel nor a function that it calls may launch another; others of the file may. */
static gboolean
leat_kernel_source_check_launches (LeatKernelSource *self, const LeatDecl *kernel, GError **error)
{
  const LeatDecl *first = leat_kernel_unit_at (self->unit, 0);

  for (guint i = 0; i < self->unit->decls->len; i++)
    if (first[i].kind == LEAT_DECL_FUNCTION
        && (first + i == kernel
            || (!(first[i].flags & LEAT_DECL_IS_GLOBAL) && leat_kernel_calls_reaches (self->calls, kernel - first, i)))
        && !leat_kernel_unit_check_launches (self->unit, first + i, error))
      return FALSE;
  return TRUE;
}

/* Under the lock. */
static LeatPrototype *
leat_kernel_source_make_prototype (LeatKernelSource *self, const LeatDecl *decl, GError **error)
{
  LeatPrototype *prototype;

  if (self->calls == NULL)
    self->calls = leat_kernel_calls_new (self->unit);
  prototype = leat_kernel_source_check_launches (self, decl, error)
                ? leat_kernel_unit_parse_prototype (self->unit, decl, error)
                : NULL;
  if (prototype == NULL)
    return NULL;
  leat_kernel_unit_note_launch (self->unit, self->calls, decl, prototype);
  leat_kernel_source_note_launches (self, prototype);
  return prototype;
}

/**
 * leat_kernel_source_get_prototype: (skip)
 * @self: a source
 * @entry: (nullable): the kernel; %NULL where there is only one
 * @error: return location for an error
 *
 * Reads the parameters of a kernel by the conventions.
 *
 * Returns: (transfer none): the prototype, owned by the source, or %NULL with %LEAT_KERNEL_ERROR_ENTRY or
 *   %LEAT_KERNEL_ERROR_PROTOTYPE
 */
const LeatPrototype *
leat_kernel_source_get_prototype (LeatKernelSource *self, const char *entry, GError **error)
{
  const LeatDecl *decl = NULL;
  const LeatPrototype *prototype;
  guint index = 0;

  g_return_val_if_fail (self != NULL, NULL);
  if (entry == NULL && self->kernels->len == 1)
    decl = g_ptr_array_index (self->kernels, 0);
  else if (entry != NULL)
    decl = leat_kernel_unit_find_kernel (self->unit, entry);
  if (decl == NULL || !g_ptr_array_find (self->kernels, decl, &index))
    {
      leat_kernel_source_refuse_entry (self, entry, error);
      return NULL;
    }
  g_mutex_lock (&self->lock);
  if (self->prototypes[index] == NULL)
    self->prototypes[index] = leat_kernel_source_make_prototype (self, decl, error);
  prototype = self->prototypes[index];
  g_mutex_unlock (&self->lock);
  return prototype;
}

/**
 * leat_kernel_source_list_warnings:
 * @self: a source
 *
 * Says what is worth saying and is no error, such as a loop that waits without `__nanosleep`.
 *
 * Returns: (transfer none) (array zero-terminated=1): lines that begin with `file:line:column: `
 */
const char *const *
leat_kernel_source_list_warnings (LeatKernelSource *self)
{
  const char *const *lines;

  g_return_val_if_fail (self != NULL, NULL);
  g_mutex_lock (&self->lock);
  if (self->warnings == NULL)
    {
      self->warnings = leat_kernel_unit_list_warnings (self->unit, NULL);
      g_ptr_array_add (self->warnings, NULL);
    }
  lines = (const char *const *) self->warnings->pdata;
  g_mutex_unlock (&self->lock);
  return lines;
}

/* Each is looked for once: many nodes may run the same kernel.  Under the lock. */
static const char *const *
leat_kernel_source_find_entry_warnings (LeatKernelSource *self, const char *entry)
{
  static const char *const none[] = { NULL };
  const LeatDecl *decl;
  GPtrArray *warnings;

  if (self->entry_warnings == NULL)
    self->entry_warnings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_strfreev);
  if (g_hash_table_contains (self->entry_warnings, entry))
    return g_hash_table_lookup (self->entry_warnings, entry);
  decl = leat_kernel_unit_find_kernel (self->unit, entry);
  if (decl == NULL)
    return none;
  warnings = leat_kernel_unit_list_warnings (self->unit, decl);
  g_ptr_array_add (warnings, NULL);
  g_hash_table_insert (self->entry_warnings, g_strdup (entry), g_ptr_array_free (warnings, FALSE));
  return g_hash_table_lookup (self->entry_warnings, entry);
}

static const char *const *
leat_kernel_source_get_entry_warnings (LeatKernelSource *self, const char *entry)
{
  const char *const *lines;

  g_mutex_lock (&self->lock);
  lines = leat_kernel_source_find_entry_warnings (self, entry);
  g_mutex_unlock (&self->lock);
  return lines;
}

/**
 * leat_kernel_source_list_entry_warnings:
 * @self: a source
 * @entry: a kernel of it
 *
 * Does leat_kernel_source_list_warnings() for one kernel and the functions that it calls.
 *
 * Returns: (transfer full) (array zero-terminated=1): lines that begin with `file:line:column: `; empty where there is
 *   no such kernel
 */
char **
leat_kernel_source_list_entry_warnings (LeatKernelSource *self, const char *entry)
{
  g_return_val_if_fail (self != NULL && entry != NULL, NULL);
  return g_strdupv ((char **) leat_kernel_source_get_entry_warnings (self, entry));
}
