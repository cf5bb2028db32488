/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reads the fields of a record in a spec: `{a:u8,b:f32[3]@4,@20}`, or `{a:u8+b:f32:3@4+@20}` as a shell leaves it
 * alone. */

#include "leat-spec-reader-private.h"

#include <string.h>

/* Behind an "@": a byte at or behind @least. */
static gboolean
leat_spec_reader_place (LeatSpecReader *self, const char *what, guint64 least, guint64 *place, GError **error)
{
  const char *start = ++self->at;

  if (!g_ascii_isdigit (*start))
    {
      leat_spec_reader_fail (self, error, "expected a number of bytes behind @");
      return FALSE;
    }
  if (!leat_spec_reader_size (self, place, error))
    return FALSE;
  if (*place >= least && *place < LEAT_SPEC_MAX_BYTES)
    return TRUE;
  self->at = start;
  leat_spec_reader_fail (self, error,
                         *place < least
                           ? "%s is %" G_GUINT64_FORMAT ", and the fields before it end at %" G_GUINT64_FORMAT
                             "; fields stand in the order of their places, and none over another"
                           : "%s is %" G_GUINT64_FORMAT ", which is more than an item can have (fields end at "
                             "%" G_GUINT64_FORMAT ")",
                         what, *place, least);
  return FALSE;
}

/* (transfer full) (nullable) */
static char *
leat_spec_reader_field_name (LeatSpecReader *self, const LeatRecord *record, GError **error)
{
  const char *start = self->at, *end = start;
  g_autofree char *name = NULL;

  while (g_ascii_isalnum (*end) || *end == '_')
    end++;
  name = g_strndup (start, MIN (end - start, LEAT_SPEC_MAX_NAME + 1));
  if (end == start || g_ascii_isdigit (*start))
    leat_spec_reader_fail (self, error, "expected a field, as in x:f32");
  else if (strlen (name) > LEAT_SPEC_MAX_NAME)
    leat_spec_reader_fail (self, error, "a name has at most %d letters", LEAT_SPEC_MAX_NAME);
  else if (leat_record_find (record, name) != NULL)
    leat_spec_reader_fail (self, error, "there is a field \"%s\" already", name);
  else
    {
      self->at = end;
      leat_spec_reader_skip_space (self);
      if (*self->at == ':')
        return g_steal_pointer (&name);
      leat_spec_reader_fail (self, error, "expected \":\" and a type behind the field \"%s\"", name);
    }
  return NULL;
}

/* One with a size of its own; `f32` is one number. (transfer full) (nullable) */
static LeatSpec *
leat_spec_reader_field_spec (LeatSpecReader *self, GError **error)
{
  const char *start = self->at;
  g_autoptr (LeatSpec) spec = leat_spec_reader_spec (self, error);

  if (spec != NULL && !leat_spec_has_shape (spec) && spec->dtype != LEAT_DTYPE_ANY)
    return leat_spec_new_with_shape (spec, NULL, 0, FALSE);
  if (spec == NULL || (leat_spec_is_fixed (spec) && !leat_spec_is_bounded (spec)))
    return g_steal_pointer (&spec);
  self->at = start;
  leat_spec_reader_fail (self, error,
                         "a field has a size that is known: a type, and numbers for an array, as in f32[3]");
  return NULL;
}

static gboolean
leat_spec_reader_field (LeatSpecReader *self, LeatRecord *record, GError **error)
{
  guint64 place = leat_record_get_end (record);
  g_autofree char *name = leat_spec_reader_field_name (self, record, error);
  g_autoptr (LeatSpec) spec = NULL;

  if (name == NULL)
    return FALSE;
  self->at++;
  leat_spec_reader_skip_space (self);
  spec = leat_spec_reader_field_spec (self, error);
  if (spec == NULL)
    return FALSE;
  leat_spec_reader_skip_space (self);
  if (*self->at == '@' && !leat_spec_reader_place (self, "the place of this field", place, &place, error))
    return FALSE;
  leat_record_append (record, name, g_steal_pointer (&spec), place);
  if (leat_record_count_fields (record) <= LEAT_RECORD_MAX_FIELDS && record->bytes <= LEAT_SPEC_MAX_BYTES)
    return TRUE;
  leat_spec_reader_fail (self, error, "a record has at most %d fields, and 2^62 bytes", LEAT_RECORD_MAX_FIELDS);
  return FALSE;
}

/* Fields up to the "}", of which the last may be `@SIZE`. */
static gboolean
leat_spec_reader_fields (LeatSpecReader *self, LeatRecord *record, GError **error)
{
  for (;;)
    {
      gboolean is_size = FALSE;

      self->at++;
      leat_spec_reader_skip_space (self);
      is_size = *self->at == '@' && record->bytes > 0;
      if (is_size ? !leat_spec_reader_place (self, "the size", record->bytes, &record->bytes, error)
                  : !leat_spec_reader_field (self, record, error))
        return FALSE;
      leat_spec_reader_skip_space (self);
      if (*self->at == '}')
        return TRUE;
      if (!is_size && (*self->at == ',' || *self->at == '+'))
        continue;
      leat_spec_reader_fail (self, error, is_size ? "expected \"}\" behind the size" : "expected \",\" or \"}\"");
      return FALSE;
    }
}

LeatRecord *
leat_spec_reader_record (LeatSpecReader *self, GError **error)
{
  g_autoptr (LeatRecord) record = leat_record_new ();
  const LeatSpecReader outside = *self;

  if (self->depth == LEAT_RECORD_MAX_DEPTH)
    {
      leat_spec_reader_fail (self, error, "records are nested at most %d deep", LEAT_RECORD_MAX_DEPTH);
      return NULL;
    }
  self->depth++;
  if (!leat_spec_reader_fields (self, record, error))
    return NULL;
  self->at++;
  self->depth = outside.depth;
  self->style = outside.style;
  self->comma = outside.comma;
  return g_steal_pointer (&record);
}
