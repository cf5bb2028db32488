/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sources in which a variable has values that a node gives it: a new source, whose text has an initialiser. */

#include "leat-kernel-variable-private.h"
#include "leat-kernel-source-internal-private.h"
#include <math.h>

/* A source whose variable has values, for the text of each target. */
typedef struct
{
  LeatKernelSource *from;
  char *name;
  char *values; /* as an initialiser */
  guint64 n, bytes;
} LeatFilled;

static void
leat_filled_free (gpointer data)
{
  LeatFilled *self = data;

  leat_kernel_source_unref (self->from);
  g_free (self->name);
  g_free (self->values);
  g_free (self);
}

static const LeatKernelVariable *
leat_variable_find (const LeatKernelUnit *unit, GArray *bare, const char *name)
{
  for (guint i = 0; i < bare->len; i++)
    if (leat_tokens_is (unit->tokens, g_array_index (bare, LeatKernelVariable, i).name, name))
      return &g_array_index (bare, LeatKernelVariable, i);
  return NULL;
}

/* The type of its items: the words of the declaration that say nothing of where it lies. */
static gboolean
leat_variable_read_type (const LeatKernelUnit *unit, const LeatKernelVariable *self, LeatKernelType *type)
{
  static const char *const left_out[] = { "__constant__", "__device__", "__managed__", "static",
                                          "const",        "volatile",   NULL };
  const LeatKernelUnit seen = leat_kernel_unit_seen_from (unit, self->decl);
  g_autoptr (GString) words = g_string_new (NULL);

  for (guint t = self->decl->first; t < self->type_end && !leat_tokens_is (unit->tokens, t, "*"); t++)
    {
      g_autofree char *word = leat_tokens_dup (unit->tokens, t);

      if (leat_kernel_unit_skip_attribute (unit, t) != t)
        t = leat_kernel_unit_skip_attribute (unit, t);
      else if (!leat_tokens_is_any (unit->tokens, t, left_out))
        g_string_append_printf (words, "%s%s", words->len ? " " : "", word);
    }
  return !leat_tokens_is (unit->tokens, self->name - 1, "*") && leat_kernel_unit_lookup_type (&seen, words->str, type)
         && leat_kernel_type_is_number (type);
}

/**
 * leat_kernel_source_check_filled: (skip)
 * @self: a source
 * @entry: one of its kernels
 * @error: return location for %LEAT_KERNEL_ERROR_SOURCE
 *
 * Looks whether all variables at file scope that a kernel reads have a value.
 *
 * Returns: %FALSE where nothing gives one of them a value
 *
 * Since: 0.1
 */
gboolean
leat_kernel_source_check_filled (LeatKernelSource *self, const char *entry, GError **error)
{
  g_autoptr (GArray) bare = leat_kernel_unit_list_bare (self->unit);
  g_autoptr (LeatKernelCalls) calls = NULL;
  g_autofree char *word = NULL, *way = NULL;
  LeatKernelType type;
  guint name;

  /* Who calls whom takes reading the whole text: not for each of a thousand nodes without a variable. */
  if (bare->len == 0)
    return TRUE;
  calls = leat_kernel_calls_new (self->unit);
  name = leat_kernel_unit_find_unfilled (self->unit, calls, leat_kernel_unit_find_kernel (self->unit, entry));
  if (name == G_MAXUINT)
    return TRUE;
  word = leat_tokens_dup (self->unit->tokens, name);
  way = leat_variable_read_type (self->unit, leat_variable_find (self->unit, bare, word), &type)
          ? g_strdup_printf ("set variables=%s=FILE.npy on the node, or a number in place of the file, ", word)
          : g_strdup ("");
  leat_tokens_set_error (self->unit->tokens, name, LEAT_KERNEL_ERROR_SOURCE, error,
                         "kernel %s reads \"%s\", and nothing gives it a value: a CUDA program would copy one there; "
                         "%swrite an initialiser, or make it an input of the kernel",
                         entry, word, way);
  return FALSE;
}

/**
 * leat_kernel_source_find_variable: (skip)
 * @self: a source
 * @name: a `__constant__` or `__device__` variable without an initialiser
 * @type: (out): the type of its items
 * @error: return location for %LEAT_KERNEL_ERROR_SOURCE
 *
 * Looks for a variable that leat_kernel_source_new_filled() can give a value, one item or an array.
 *
 * Returns: whether there is one
 *
 * Since: 0.1
 */
gboolean
leat_kernel_source_find_variable (LeatKernelSource *self, const char *name, LeatKernelType *type, GError **error)
{
  g_autoptr (GArray) bare = leat_kernel_unit_list_bare (self->unit);
  const LeatKernelVariable *variable = leat_variable_find (self->unit, bare, name);

  if (variable == NULL)
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE,
                 "%s has no __constant__ or __device__ variable \"%s\" without an initialiser", self->name, name);
  else if (!leat_variable_read_type (self->unit, variable, type))
    leat_tokens_set_error (
      self->unit->tokens, variable->name, LEAT_KERNEL_ERROR_SOURCE, error,
      "\"%s\" is neither a number nor an array of numbers, so it cannot be filled; write an initialiser, "
      "or make it an input of the kernel",
      name);
  else
    return TRUE;
  return FALSE;
}

static gboolean
leat_variable_append_item (GString *out, const char *dtype, guint bytes, const void *at)
{
  LeatKernelNumber item = { 0 };

  memcpy (&item, at, bytes);
  if (dtype[0] == 'f')
    {
      double value = bytes == 4 ? item.f : item.d;

      if (!isfinite (value))
        return FALSE;
      g_string_append_printf (out, "%a%s", value, bytes == 4 ? "f" : "");
    }
  else if (dtype[0] == 'u')
    g_string_append_printf (out, "%" G_GUINT64_FORMAT "u%s", item.u, bytes == 8 ? "ll" : "");
  else
    {
      item.i = (gint64) (item.u << (64 - 8 * bytes)) >> (64 - 8 * bytes);
      g_string_append_printf (out, "(%s) %" G_GUINT64_FORMAT "ull", bytes == 8 ? "long long" : "int", (guint64) item.i);
    }
  return TRUE;
}

/* `{ 1, 2 }`, for a bool `{ true, false }`; NULL where an item is no number. */
static char *
leat_variable_dup_items (const LeatKernelType *type, gconstpointer items, guint64 n)
{
  g_autoptr (GString) out = g_string_new ("{ ");

  for (guint64 i = 0; i < n; i++)
    {
      const guint8 *at = (const guint8 *) items + i * type->lane_bytes;

      if (type->is_bool)
        g_string_append (out, *at ? "true" : "false");
      else if (!leat_variable_append_item (out, type->dtype, type->lane_bytes, at))
        return NULL;
      g_string_append (out, ", ");
    }
  g_string_append_c (out, '}');
  return g_string_free (g_steal_pointer (&out), FALSE);
}

/* A target whose conditions leave the variable out has no use for its values; where they give it another type, the
 * compiler says so. */
static char *
leat_filled_make (gpointer data, const LeatKernelTarget *target, GError **error)
{
  const LeatFilled *self = data;
  const LeatKernelSource *part = leat_kernel_source_get_for (self->from, target, error);
  g_autoptr (GArray) bare = NULL, edits = NULL;
  const LeatKernelVariable *variable;

  if (part == NULL)
    return NULL;
  bare = leat_kernel_unit_list_bare (part->unit);
  variable = leat_variable_find (part->unit, bare, self->name);
  if (variable == NULL)
    return g_strdup (part->text->text);
  edits = leat_edits_new ();
  leat_edits_insert_after (edits, part->unit->tokens, variable->last, " = %s", self->values);
  leat_edits_insert_after (edits, part->unit->tokens, variable->decl->last,
                           " static_assert (sizeof (%s) == %" G_GUINT64_FORMAT
                           ", \"variable %s is not of the size of the %" G_GUINT64_FORMAT " values for it\");",
                           self->name, self->bytes, self->name, self->n);
  return leat_edits_apply (edits, part->unit->tokens);
}

/**
 * leat_kernel_source_new_filled: (skip)
 * @self: a source
 * @name: a variable that leat_kernel_source_find_variable() finds
 * @items: its lanes, one behind the other
 * @n: how many lanes
 * @error: return location for %LEAT_KERNEL_ERROR_SOURCE
 *
 * Makes a source in which a variable has values, as a CUDA program gives it by `cudaMemcpyToSymbol ()`.
 *
 * Returns: (transfer full): the new source; @self stays as it is
 *
 * Since: 0.1
 */
LeatKernelSource *
leat_kernel_source_new_filled (LeatKernelSource *self, const char *name, gconstpointer items, guint64 n, GError **error)
{
  g_autofree char *values = NULL;
  LeatKernelSource *made;
  LeatKernelType type;
  LeatFilled *filled;

  if (!leat_kernel_source_find_variable (self, name, &type, error))
    return NULL;
  values = leat_variable_dup_items (&type, items, n);
  if (values == NULL)
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE,
                   "the values of \"%s\" are not all finite numbers, and no others can be an initialiser; make it an "
                   "input of the kernel",
                   name);
      return NULL;
    }
  filled = g_new (LeatFilled, 1);
  *filled =
    (LeatFilled){ leat_kernel_source_ref (self), g_strdup (name), g_steal_pointer (&values), n, n * type.lane_bytes };
  made = leat_kernel_source_new_made (self->name, self->instance, leat_filled_make, filled, leat_filled_free,
                                      leat_kernel_source_get_asks (self), error);
  if (made != NULL)
    leat_kernel_source_set_floats (made, self->floats);
  return made;
}
