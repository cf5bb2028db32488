/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* From the names in an expression to what a kernel reads: items of an input, or a field of each.  A record is so many
 * bytes to the kernel, and a field is read at its place, byte by byte if that is no place for its type. */

#include "leat-base-map-values.h"

#include "leat-base-expression-private.h"
#include "leat-base-number.h"

#include <string.h>

#define LEAT_MAP_ALIGN 16 /* of a record: no type needs more */

/* What all records of an array begin at a multiple of. */
static guint64
leat_map_get_align (LeatSpec *spec)
{
  guint64 align = LEAT_MAP_ALIGN;

  while (leat_spec_get_item_bytes (spec) % align != 0)
    align /= 2;
  return align;
}

static void
leat_map_values_add (LeatMapValues *self, const char *name, LeatDtype dtype, char *item)
{
  g_ptr_array_add (self->names, g_strdup (name));
  g_array_append_val (self->dtypes, dtype);
  g_ptr_array_add (self->items, item);
}

static void
leat_map_values_add_input (LeatMapValues *self, const char *name, LeatSpec *spec)
{
  LeatDtype dtype = leat_spec_get_dtype (spec);

  leat_map_values_add (self, name, dtype, g_strdup_printf ("%s[i]", name));
  g_ptr_array_add (self->params, dtype == LEAT_DTYPE_RECORD ? g_strdup_printf ("leat_record_%s", name)
                                                            : g_strdup (leat_number_get_storage (dtype)));
}

static gboolean
leat_map_is_aligned (LeatSpec *spec, LeatDtype field, guint64 offset)
{
  gsize size = leat_dtype_get_size (field);

  return offset % size == 0 && leat_map_get_align (spec) % size == 0;
}

/* Field @token of the input @name. */
static gboolean
leat_map_values_add_field (LeatMapValues *self, LeatExpression *expression, const LeatToken *token, const char *name,
                           LeatSpec *spec, GError **error)
{
  g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  g_autoptr (GError) local = NULL;
  g_autoptr (LeatSpec) field = NULL;
  guint64 offset;
  const char *type;

  field = leat_spec_find_field (spec, token->text + strlen (name) + 1, &offset, &local);
  if (field == NULL)
    return leat_token_fail (expression->text, token->column, error, "input \"%s\" is %s: %s", name, text,
                            local->message);
  if (leat_spec_get_dtype (field) == LEAT_DTYPE_RECORD)
    {
      g_autofree char *first = leat_spec_dup_first_path (field);

      return leat_token_fail (expression->text, token->column, error, "%s is a record; take a field of it, as %s.%s",
                              token->text, token->text, first);
    }
  type = leat_number_get_storage (leat_spec_get_dtype (field));
  leat_map_values_add (self, token->text, leat_spec_get_dtype (field),
                       leat_map_is_aligned (spec, leat_spec_get_dtype (field), offset)
                         ? g_strdup_printf ("*(const %s *) (%s[i].at + %" G_GUINT64_FORMAT ")", type, name, offset)
                         : g_strdup_printf ("leat_take<%s> (%s[i].at + %" G_GUINT64_FORMAT ")", type, name, offset));
  return TRUE;
}

/* The input that a name begins with, G_MAXUINT for an argument. */
static guint
leat_map_find_input (char **inputs, const char *name)
{
  gsize length = strcspn (name, ".");

  for (guint i = 0; inputs[i] != NULL; i++)
    if (strlen (inputs[i]) == length && strncmp (inputs[i], name, length) == 0)
      return i;
  return G_MAXUINT;
}

static gboolean
leat_map_values_look_at (LeatMapValues *self, LeatExpression *expression, const LeatToken *token, char **inputs,
                         LeatSpec **specs, GError **error)
{
  guint at = token->kind == LEAT_TOKEN_NAME ? leat_map_find_input (inputs, token->text) : G_MAXUINT;
  gboolean is_field = token->kind == LEAT_TOKEN_NAME && strchr (token->text, '.') != NULL;

  if (at == G_MAXUINT && is_field)
    return leat_token_fail (
      expression->text, token->column, error,
      "%s is a field, and what stands before the dot is none of the inputs; set inputs=", token->text);
  if (at == G_MAXUINT || (!is_field && leat_spec_get_dtype (specs[at]) != LEAT_DTYPE_RECORD))
    return TRUE;
  if (!is_field)
    {
      g_autofree char *text = leat_spec_to_string (specs[at], LEAT_SPEC_STYLE_FILE);
      g_autofree char *first = leat_spec_dup_first_path (specs[at]);

      return leat_token_fail (expression->text, token->column, error, "input \"%s\" is %s: take a field, as %s.%s",
                              token->text, text, token->text, first);
    }
  return g_ptr_array_find_with_equal_func (self->names, token->text, g_str_equal, NULL)
         || leat_map_values_add_field (self, expression, token, inputs[at], specs[at], error);
}

LeatMapValues *
leat_map_values_new (LeatExpression *expression, char **inputs, LeatSpec **specs, GError **error)
{
  g_autoptr (LeatMapValues) self = g_new0 (LeatMapValues, 1);

  self->names = g_ptr_array_new_with_free_func (g_free);
  self->dtypes = g_array_new (FALSE, FALSE, sizeof (LeatDtype));
  self->items = g_ptr_array_new_with_free_func (g_free);
  self->params = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; inputs[i] != NULL; i++)
    leat_map_values_add_input (self, inputs[i], specs[i]);
  for (guint i = 0; i < expression->tokens->len; i++)
    if (!leat_map_values_look_at (self, expression, &g_array_index (expression->tokens, LeatToken, i), inputs, specs,
                                  error))
      return NULL;
  g_ptr_array_add (self->names, NULL);
  return g_steal_pointer (&self);
}

gboolean
leat_map_values_set_target (LeatMapValues *self, const char *path, LeatSpec *first, GError **error)
{
  const char *input = g_ptr_array_index (self->names, 0), *type;
  g_autofree char *text = leat_spec_to_string (first, LEAT_SPEC_STYLE_FILE);
  g_autoptr (GError) local = NULL;
  g_autoptr (LeatSpec) field = NULL;
  guint64 offset;

  field = leat_spec_find_field (first, path, &offset, &local);
  if (field == NULL || leat_spec_get_dtype (field) == LEAT_DTYPE_RECORD)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "into=%s: input \"%s\" is %s: %s", path, input, text,
                   local != NULL ? local->message : "that is a record; name a field of it");
      return FALSE;
    }
  self->target = leat_spec_get_dtype (field);
  type = leat_number_get_storage (self->target);
  self->store = g_strdup_printf ("leat_put<%s> (leat_one.at + %" G_GUINT64_FORMAT ", ", type, offset);
  return TRUE;
}

void
leat_map_values_free (LeatMapValues *self)
{
  g_ptr_array_unref (self->names);
  g_array_unref (self->dtypes);
  g_ptr_array_unref (self->items);
  g_ptr_array_unref (self->params);
  g_free (self->store);
  g_free (self);
}

LeatDtype
leat_map_values_get_dtype (const LeatMapValues *self, guint index)
{
  return g_array_index (self->dtypes, LeatDtype, index);
}

LeatDtype
leat_map_values_get_first (const LeatMapValues *self)
{
  g_autofree char *prefix = g_strconcat (g_ptr_array_index (self->names, 0), ".", NULL);
  guint i = 0;

  if (self->store != NULL)
    return self->target;
  if (leat_map_values_get_dtype (self, 0) == LEAT_DTYPE_RECORD)
    while (!g_str_has_prefix (g_ptr_array_index (self->names, i), prefix))
      i++;
  return leat_map_values_get_dtype (self, i);
}

void
leat_map_values_append_types (const LeatMapValues *self, LeatSpec **specs, GString *text)
{
  gboolean has_records = FALSE;

  for (guint i = 0; i < self->params->len; i++)
    {
      if (leat_map_values_get_dtype (self, i) != LEAT_DTYPE_RECORD)
        continue;
      has_records = TRUE;
      g_string_append_printf (
        text, "struct __align__ (%" G_GUINT64_FORMAT ") %s\n{\n  uint8_t at[%" G_GUINT64_FORMAT "];\n};\n",
        leat_map_get_align (specs[i]), (char *) g_ptr_array_index (self->params, i),
        leat_spec_get_item_bytes (specs[i]));
    }
  if (has_records)
    g_string_append (text, "template <class T> static __device__ __forceinline__ T\n"
                           "leat_take (const uint8_t *at)\n{\n"
                           "  T value;\n\n"
                           "  for (unsigned int k = 0; k < sizeof (T); k++)\n"
                           "    ((uint8_t *) &value)[k] = at[k];\n"
                           "  return value;\n}\n"
                           "template <class T> static __device__ __forceinline__ void\n"
                           "leat_put (uint8_t *at, T value)\n{\n"
                           "  for (unsigned int k = 0; k < sizeof (T); k++)\n"
                           "    at[k] = ((const uint8_t *) &value)[k];\n}\n");
}

void
leat_map_values_append_loop (const LeatMapValues *self, const char *value, GString *text)
{
  g_string_append (text, "  GRID_FOR (i, leat_items)\n");
  if (self->store == NULL)
    {
      g_string_append_printf (text, "    out[i] = %s;\n}\n", value);
      return;
    }
  g_string_append_printf (
    text, "    {\n      %s leat_one = %s[i];\n\n      %s%s);\n      out[i] = leat_one;\n    }\n}\n",
    (char *) g_ptr_array_index (self->params, 0), (char *) g_ptr_array_index (self->names, 0), self->store, value);
}
