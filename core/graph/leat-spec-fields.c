/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What a spec says about its items: their bytes, and the fields of records. */

#include "leat-graph-error-private.h"
#include "leat-spec-private.h"

#include <string.h>

/**
 * leat_spec_get_item_bytes:
 * @self: a spec
 *
 * Gets the size of one item: of its type, or of a record with all that is between its fields.
 *
 * Returns: bytes; 0 where the type is not known
 *
 * Since: 0.1
 */
guint64
leat_spec_get_item_bytes (LeatSpec *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->record != NULL ? self->record->bytes : leat_dtype_get_size (self->dtype);
}

/**
 * leat_spec_get_n_fields:
 * @self: a spec
 *
 * Gets the number of fields of an item.
 *
 * Returns: how many; 0 where items are no records
 *
 * Since: 0.1
 */
guint
leat_spec_get_n_fields (LeatSpec *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->record != NULL ? self->record->fields->len : 0;
}

static const LeatField *
leat_spec_peek_field (LeatSpec *self, guint index)
{
  g_return_val_if_fail (self != NULL && index < leat_spec_get_n_fields (self), NULL);

  return leat_record_get (self->record, index);
}

/**
 * leat_spec_get_field_name:
 * @self: a spec of records
 * @index: which field, in the order of their places
 *
 * Gets the name of a field.
 *
 * Returns: (transfer none): the name
 *
 * Since: 0.1
 */
const char *
leat_spec_get_field_name (LeatSpec *self, guint index)
{
  const LeatField *field = leat_spec_peek_field (self, index);

  return field != NULL ? field->name : NULL;
}

/**
 * leat_spec_get_field_spec:
 * @self: a spec of records
 * @index: which field, in the order of their places
 *
 * Gets type and shape of a field: a scalar spec, or one with dimensions for an array; its items may be records.
 *
 * Returns: (transfer none): the spec, which is fixed
 *
 * Since: 0.1
 */
LeatSpec *
leat_spec_get_field_spec (LeatSpec *self, guint index)
{
  const LeatField *field = leat_spec_peek_field (self, index);

  return field != NULL ? field->spec : NULL;
}

/**
 * leat_spec_get_field_offset:
 * @self: a spec of records
 * @index: which field, in the order of their places
 *
 * Gets where a field begins in an item.
 *
 * Returns: bytes
 *
 * Since: 0.1
 */
guint64
leat_spec_get_field_offset (LeatSpec *self, guint index)
{
  const LeatField *field = leat_spec_peek_field (self, index);

  return field != NULL ? field->offset : 0;
}

static void
leat_spec_set_field_error (LeatSpec *self, const char *part, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  for (guint i = 0; i < leat_spec_get_n_fields (self); i++)
    g_ptr_array_add (names, leat_record_get (self->record, i)->name);
  g_ptr_array_add (names, NULL);
  hint = leat_graph_error_hint (part, (const char *const *) names->pdata, "fields");
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "no field \"%s\"%s", part, hint);
}

/**
 * leat_spec_dup_first_path:
 * @self: a spec
 *
 * Names the first number in an item, as leat_spec_find_field() takes it: `place.0`.  For messages that tell what to
 * write.
 *
 * Returns: (transfer full): the path; empty where items are no records
 *
 * Since: 0.1
 */
char *
leat_spec_dup_first_path (LeatSpec *self)
{
  GString *path = NULL;

  g_return_val_if_fail (self != NULL, NULL);

  path = g_string_new (NULL);
  for (LeatSpec *spec = self; spec->record != NULL;)
    {
      const LeatField *field = leat_record_get (spec->record, 0);

      g_string_append_printf (path, "%s%s", path->len > 0 ? "." : "", field->name);
      for (guint i = 0; i < field->spec->n_dims; i++)
        g_string_append (path, ".0");
      spec = field->spec;
    }
  return g_string_free (path, FALSE);
}

/* The parts of a path that are places in the dimensions of @spec. @n: (out): of them; @at: (out): which item */
static gboolean
leat_spec_find_item (LeatSpec *spec, char **parts, guint *n, guint64 *at, GError **error)
{
  *at = 0;
  for (*n = 0; *n < spec->n_dims; (*n)++)
    {
      guint64 place, most = spec->dims[*n].number;
      const char *part = parts[*n];
      g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);

      if (part == NULL || !g_ascii_string_to_unsigned (part, 10, 0, most - 1, &place, NULL))
        {
          g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                       "%s is an array: a place from .0 to .%" G_GUINT64_FORMAT " comes next%s%s", text, most - 1,
                       part != NULL ? ", not ." : "", part != NULL ? part : "");
          return FALSE;
        }
      *at = *at * most + place;
    }
  return TRUE;
}

/**
 * leat_spec_find_field:
 * @self: a spec
 * @path: a field, and with dots what it is in: `mass`, `pos.x`, `clip.0`
 * @offset: (out): where it begins in an item, in bytes
 * @error: return location
 *
 * Finds one number or record in an item.
 *
 * Returns: (transfer full): the spec of a scalar, or %NULL with %LEAT_GRAPH_ERROR_SPEC
 *
 * Since: 0.1
 */
LeatSpec *
leat_spec_find_field (LeatSpec *self, const char *path, guint64 *offset, GError **error)
{
  g_auto (GStrv) parts = NULL;
  LeatSpec *spec = self;
  guint64 at;
  guint n;

  g_return_val_if_fail (self != NULL && path != NULL && offset != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  parts = g_strsplit (*path != '\0' ? path : ".", ".", -1);
  *offset = 0;
  for (char **part = parts; *part != NULL; part += n + 1)
    {
      const LeatField *field = spec->record != NULL ? leat_record_find (spec->record, *part) : NULL;

      if (field == NULL)
        {
          leat_spec_set_field_error (spec, *part, error);
          return NULL;
        }
      spec = field->spec;
      if (!leat_spec_find_item (spec, part + 1, &n, &at, error))
        return NULL;
      *offset += field->offset + at * leat_spec_get_item_bytes (spec);
    }
  return leat_spec_new_with_shape (spec, NULL, 0, FALSE);
}
