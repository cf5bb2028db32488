/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The fields of a record: its life, what it has, and how two of them differ. */

#include "leat-spec-private.h"

#include <string.h>

static void
leat_field_clear (gpointer data)
{
  LeatField *self = data;

  g_free (self->name);
  leat_spec_unref (self->spec);
}

LeatRecord *
leat_record_new (void)
{
  LeatRecord *self = g_new0 (LeatRecord, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->fields = g_array_new (FALSE, FALSE, sizeof (LeatField));
  g_array_set_clear_func (self->fields, leat_field_clear);
  return self;
}

LeatRecord *
leat_record_ref (LeatRecord *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
leat_record_unref (LeatRecord *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_array_unref (self->fields);
  g_free (self);
}

const LeatField *
leat_record_get (const LeatRecord *self, guint index)
{
  return &g_array_index (self->fields, LeatField, index);
}

const LeatField *
leat_record_find (const LeatRecord *self, const char *name)
{
  for (guint i = 0; i < self->fields->len; i++)
    if (g_str_equal (leat_record_get (self, i)->name, name))
      return leat_record_get (self, i);
  return NULL;
}

guint64
leat_record_get_end (const LeatRecord *self)
{
  const LeatField *last = self->fields->len > 0 ? leat_record_get (self, self->fields->len - 1) : NULL;

  return last != NULL ? last->offset + leat_spec_get_bytes (last->spec) : 0;
}

void
leat_record_append (LeatRecord *self, const char *name, LeatSpec *spec, guint64 offset)
{
  LeatField field = { g_strdup (name), spec, offset };

  g_array_append_val (self->fields, field);
  self->bytes = leat_record_get_end (self);
}

guint
leat_record_count_fields (const LeatRecord *self)
{
  guint n = self->fields->len;

  for (guint i = 0; i < self->fields->len; i++)
    if (leat_record_get (self, i)->spec->record != NULL)
      n += leat_record_count_fields (leat_record_get (self, i)->spec->record);
  return n;
}

/* `pos:f32[3]@4` */
static char *
leat_field_dup_text (const LeatField *self)
{
  g_autofree char *type = leat_spec_to_string (self->spec, LEAT_SPEC_STYLE_FILE);

  if (g_str_has_suffix (type, "[]"))
    type[strlen (type) - 2] = '\0';
  return g_strdup_printf ("%s:%s@%" G_GUINT64_FORMAT, self->name, type, self->offset);
}

char *
leat_record_dup_difference (const LeatRecord *self, const LeatRecord *other)
{
  for (guint i = 0; i < MAX (self->fields->len, other->fields->len); i++)
    {
      g_autofree char *a = i < self->fields->len ? leat_field_dup_text (leat_record_get (self, i)) : NULL;
      g_autofree char *b = i < other->fields->len ? leat_field_dup_text (leat_record_get (other, i)) : NULL;

      if (a == NULL || b == NULL)
        return g_strdup_printf ("field %u, %s, is in one of them only", i + 1, a != NULL ? a : b);
      if (!g_str_equal (a, b))
        return g_strdup_printf ("field %u is %s and %s", i + 1, a, b);
    }
  if (self->bytes == other->bytes)
    return NULL;
  return g_strdup_printf ("an item has %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT " bytes", self->bytes,
                          other->bytes);
}
