/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The kernels of a file with the parameters of their wrappers. */

#include "leat-kernel-entry-private.h"
#include "leat-kernel-report-private.h"

static void
leat_entry_param_clear (gpointer data)
{
  LeatEntryParam *param = data;

  g_free (param->declaration);
  g_free (param->name);
}

GArray *
leat_entry_params_new (void)
{
  GArray *params = g_array_new (FALSE, FALSE, sizeof (LeatEntryParam));

  g_array_set_clear_func (params, leat_entry_param_clear);
  return params;
}

static void
leat_entry_free (gpointer data)
{
  LeatEntry *self = data;

  g_free (self->name);
  g_free (self->function);
  g_free (self->scope);
  g_clear_pointer (&self->params, g_array_unref);
  g_clear_pointer (&self->wrapper, g_array_unref);
  g_free (self->arguments);
  g_free (self->wrapper_arguments);
  g_free (self->launch_bounds);
  g_free (self);
}

/* What stands behind the name: "" of `T name[4] = x`, "[3]" of `T name[2][3]`; @pointer: whether it is an array at all.
 * (transfer full) */
static char *
leat_entry_dup_rest (const LeatKernelUnit *unit, guint open, guint last, gboolean *pointer)
{
  guint end = open;

  *pointer = open <= last && leat_tokens_is (unit->tokens, open, "[");
  if (*pointer)
    end = open = leat_tokens_at (unit->tokens, open)->match + 1;
  while (end <= last && !leat_tokens_is (unit->tokens, end, "="))
    end++;
  return end > open ? leat_tokens_dup_range (unit->tokens, open, end - 1) : g_strdup ("");
}

/* `T name[4] = x` becomes `T * name`, and `T name[2][3]` becomes `T (* name)[3]`. */
static gboolean
leat_entry_read_param (LeatEntry *self, const LeatKernelUnit *unit, guint first, guint last, GError **error)
{
  guint name = leat_kernel_unit_declared_name (unit, first, last + 1), open = name + 1;
  g_autofree char *before = NULL, *rest = NULL;
  gboolean pointer;
  LeatEntryParam param;

  if (name == G_MAXUINT || name == first)
    {
      leat_tokens_set_error (unit->tokens, first, LEAT_KERNEL_ERROR_PROTOTYPE, error,
                             "this parameter has no name; ports and arguments are called by the names of parameters");
      return FALSE;
    }
  before = leat_tokens_dup_range (unit->tokens, first, name - 1);
  param.name = leat_tokens_dup (unit->tokens, name);
  while (open <= last && leat_kernel_unit_skip_attribute (unit, open) != open)
    open = leat_kernel_unit_skip_attribute (unit, open) + 1;
  rest = leat_entry_dup_rest (unit, open, last, &pointer);
  if (pointer && rest[0] != '\0')
    param.declaration = g_strdup_printf ("%s (* %s)%s", before, param.name, rest);
  else
    param.declaration = g_strdup_printf ("%s %s%s%s", before, pointer ? "* " : "", param.name, rest);
  g_array_append_val (self->params, param);
  return TRUE;
}

/* One of the parameters that stand for a count: `uint64_t x_count_most`. */
static void
leat_entry_add_count_param (LeatEntry *self, const LeatEntryParam *from, const char *type, const char *suffix)
{
  LeatEntryParam param;

  param.name = g_strdup_printf ("%s_%s", from->name, suffix);
  param.declaration = g_strdup_printf ("%s%s", type, param.name);
  g_array_append_val (self->wrapper, param);
}

gboolean
leat_entry_resolves (const LeatParam *param)
{
  return param->form == LEAT_TEXTURE_NONE && (param->kind == LEAT_PARAM_INPUT || param->kind == LEAT_PARAM_OUTPUT);
}

/* Items are nowhere at an odd address: that is the address of a slot, one byte on.  A slot may be written by a kernel
 * that is still running when this one begins, so it must not be taken from a cache of constants. */
char *
leat_entry_dup_resolver (const char *qualifiers)
{
  return g_strdup_printf ("template <class T> %s T *leat_resolve (T *p) { return (unsigned long) p & 1 "
                          "? *(T *volatile const *) ((unsigned long) p - 1) : p; }\n",
                          qualifiers);
}

static void
leat_entry_add_wrapped (LeatEntry *self, GString *arguments, const LeatEntryParam *from, const LeatParam *to,
                        gboolean indirect)
{
  LeatEntryParam param = { NULL, NULL };
  gboolean resolves = indirect && leat_entry_resolves (to);

  if (arguments->len > 0)
    g_string_append (arguments, ", ");
  if (to->kind != LEAT_PARAM_INPUT_COUNT)
    {
      param.declaration = g_strdup (from->declaration);
      param.name = g_strdup (from->name);
      g_string_append_printf (arguments, resolves ? "leat_resolve (%s)" : "%s", from->name);
      g_array_append_val (self->wrapper, param);
      self->differs = self->differs || resolves;
      return;
    }
  self->differs = TRUE;
  leat_entry_add_count_param (self, from, "const uint64_t * ", "where");
  leat_entry_add_count_param (self, from, "uint64_t ", "value");
  leat_entry_add_count_param (self, from, "uint64_t ", "most");
  leat_entry_add_count_param (self, from, "uint64_t * ", "over");
  g_string_append_printf (arguments, "(%s) leat_take_count (%s_where, %s_value, %s_most, %s_over)", to->type,
                          from->name, from->name, from->name, from->name);
}

/* The block that the kernel reports to goes behind all else; launched by its own name, it has none. */
static void
leat_entry_add_reports (LeatEntry *self)
{
  const char *comma = self->params->len > 0 ? ", " : "";
  g_autofree char *arguments = g_steal_pointer (&self->arguments);
  g_autofree char *wrapped = g_steal_pointer (&self->wrapper_arguments);
  LeatEntryParam param;

  self->reports = TRUE;
  self->arguments = g_strconcat (arguments, comma, "nullptr", NULL);
  if (self->wrapper == NULL)
    return;
  self->differs = TRUE;
  self->wrapper_arguments = g_strconcat (wrapped, comma, "leat_reports", NULL);
  param.declaration = g_strdup ("LeatReportBlock * leat_reports");
  param.name = g_strdup ("leat_reports");
  g_array_append_val (self->wrapper, param);
}

/* A kernel that cannot be bound has no wrapper; it can still be launched under its own name. */
static void
leat_entry_wrap (LeatEntry *self, const LeatKernelUnit *unit, gboolean indirect)
{
  g_autoptr (LeatPrototype) prototype = leat_kernel_unit_parse_prototype (unit, self->decl, NULL);
  GString *arguments;

  if (prototype == NULL)
    return;
  arguments = g_string_new (NULL);
  self->wrapper = leat_entry_params_new ();
  for (guint i = 0; i < self->params->len; i++)
    leat_entry_add_wrapped (self, arguments, &g_array_index (self->params, LeatEntryParam, i), &prototype->params[i],
                            indirect);
  self->wrapper_arguments = g_string_free (arguments, FALSE);
}

/* Whether a word in front of a kernel's name is about how it is launched. */
static gboolean
leat_entry_is_bounds (const LeatKernelUnit *unit, guint token)
{
  static const char *const words[] = { "__launch_bounds__", "__maxnreg__", "__cluster_dims__", "LEAT_CLUSTER", NULL };

  return leat_tokens_is_any (unit->tokens, token, words) && leat_tokens_is (unit->tokens, token + 1, "(");
}

static char *
leat_entry_dup_bounds (const LeatKernelUnit *unit, const LeatDecl *decl)
{
  GString *bounds = g_string_new (NULL);

  for (guint i = decl->first; i < decl->name; i++)
    if (leat_entry_is_bounds (unit, i))
      {
        guint close = leat_tokens_at (unit->tokens, i + 1)->match;
        g_autofree char *words = leat_tokens_dup_range (unit->tokens, i, close);

        g_string_append_printf (bounds, "%s ", words);
        i = close;
      }
  return g_string_free (bounds, FALSE);
}

static gboolean
leat_entry_read (LeatEntry *self, const LeatKernelUnit *unit, gboolean indirect, GError **error)
{
  guint close = leat_tokens_at (unit->tokens, self->decl->params)->match;
  g_autoptr (GArray) pieces = leat_kernel_unit_split (unit, self->decl->params + 1, close);
  GString *arguments = g_string_new (NULL);

  self->params = leat_entry_params_new ();
  self->function = leat_tokens_dup (unit->tokens, self->decl->name);
  self->name = g_strdup (self->function);
  self->scope = leat_kernel_unit_dup_scope (unit, self->decl);
  self->launch_bounds = leat_entry_dup_bounds (unit, self->decl);
  if (!(pieces->len == 2 && close == self->decl->params + 2 && leat_tokens_is (unit->tokens, close - 1, "void")))
    for (guint i = 0; i < pieces->len; i += 2)
      {
        if (!leat_entry_read_param (self, unit, g_array_index (pieces, guint, i), g_array_index (pieces, guint, i + 1),
                                    error))
          {
            g_string_free (arguments, TRUE);
            return FALSE;
          }
        g_string_append_printf (arguments, "%s%s", i ? ", " : "",
                                g_array_index (self->params, LeatEntryParam, i / 2).name);
      }
  self->arguments = g_string_free (arguments, FALSE);
  leat_entry_wrap (self, unit, indirect);
  return TRUE;
}

GPtrArray *
leat_kernel_unit_list_entries (const LeatKernelUnit *unit, gboolean indirect, GError **error)
{
  g_autoptr (LeatKernelCalls) calls = leat_kernel_unit_mentions_reports (unit) ? leat_kernel_calls_new (unit) : NULL;
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (leat_entry_free);
  g_autoptr (GPtrArray) kernels = leat_kernel_unit_list_kernels (unit);

  for (guint i = 0; i < kernels->len; i++)
    {
      LeatEntry *entry = g_new0 (LeatEntry, 1);

      entry->decl = g_ptr_array_index (kernels, i);
      entry->index = entry->decl - leat_kernel_unit_at (unit, 0);
      g_ptr_array_add (entries, entry);
      if (!leat_entry_read (entry, unit, indirect, error))
        return NULL;
      if (calls != NULL && leat_kernel_unit_reports (unit, calls, entry->decl))
        leat_entry_add_reports (entry);
    }
  return g_steal_pointer (&entries);
}

void
leat_entry_strip_qualifiers (GArray *edits, const LeatKernelUnit *unit, const LeatDecl *decl, const char *const *words)
{
  for (guint i = decl->first; i < decl->name; i++)
    {
      if (leat_entry_is_bounds (unit, i))
        {
          guint close = leat_tokens_at (unit->tokens, i + 1)->match;

          leat_edits_replace (edits, unit->tokens, i, close, "%s", "");
          i = close;
        }
      else if (leat_tokens_is_any (unit->tokens, i, words)
               || (i > decl->first && leat_tokens_is (unit->tokens, i - 1, "extern")
                   && leat_tokens_at (unit->tokens, i)->kind == LEAT_TOKEN_STRING))
        leat_edits_replace (edits, unit->tokens, i, i, "%s", "");
    }
  for (guint i = decl->params; i < leat_tokens_at (unit->tokens, decl->params)->match; i++)
    if (leat_tokens_is (unit->tokens, i, "__grid_constant__"))
      leat_edits_replace (edits, unit->tokens, i, i, "%s", "");
}

guint
leat_entry_find_head (const LeatKernelUnit *unit, const LeatDecl *decl)
{
  guint head = decl->first;

  while (leat_tokens_is (unit->tokens, head, "[") && leat_tokens_is (unit->tokens, head + 1, "["))
    head = leat_tokens_at (unit->tokens, head)->match + 1;
  return head;
}
