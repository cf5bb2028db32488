/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds the first item in which two arrays differ, and how many do. */

#include "leat-difference.h"

#include "leat-value.h"

#include <string.h>

void
leat_difference_clear (LeatDifference *self)
{
  g_free (self->place);
  g_free (self->values[0]);
  g_free (self->values[1]);
  *self = (LeatDifference){ 0 };
}

/* Are two items alike?  If not, and @place is given: appends which field is not, and puts what it holds into @values.
 */
static gboolean
leat_item_equal (LeatSpec *spec, const guint8 *a, const guint8 *b, double tolerance, GString *place, char **values)
{
  guint n_fields = leat_spec_get_n_fields (spec);
  guint64 items = leat_spec_get_items (spec);

  if (n_fields == 0 && leat_value_equal (leat_spec_get_dtype (spec), a, b, tolerance))
    return TRUE;
  if (n_fields == 0 && place != NULL)
    {
      values[0] = leat_value_to_text (leat_spec_get_dtype (spec), a);
      values[1] = leat_value_to_text (leat_spec_get_dtype (spec), b);
    }
  for (guint f = 0; f < n_fields; f++)
    {
      LeatSpec *field = leat_spec_get_field_spec (spec, f);
      guint64 offset = leat_spec_get_field_offset (spec, f), size = leat_spec_get_item_bytes (field);
      gsize before = place != NULL ? place->len : 0;

      items = leat_spec_get_items (field);
      for (guint64 i = 0; i < items; i++, offset += size)
        {
          if (place != NULL)
            g_string_append_printf (place, ".%s", leat_spec_get_field_name (spec, f));
          if (place != NULL && leat_spec_get_n_dims (field) > 0)
            g_string_append_printf (place, "[%" G_GUINT64_FORMAT "]", i);
          if (!leat_item_equal (field, a + offset, b + offset, tolerance, place, values))
            return FALSE;
          if (place != NULL)
            g_string_truncate (place, before);
        }
    }
  return n_fields > 0;
}

/* "[3,5]", or nothing of a single number. */
static GString *
leat_difference_start_place (LeatSpec *spec, guint64 index)
{
  guint n_dims = leat_spec_get_n_dims (spec);
  guint64 at[LEAT_SPEC_MAX_DIMS] = { 0 };
  GString *place = g_string_new (n_dims > 0 ? "[" : "");

  for (guint d = n_dims; d-- > 0; index /= MAX (1, leat_spec_get_dim (spec, d)))
    at[d] = d > 0 ? index % leat_spec_get_dim (spec, d) : index;
  for (guint d = 0; d < n_dims; d++)
    g_string_append_printf (place, "%" G_GUINT64_FORMAT "%s", at[d], d + 1 < n_dims ? "," : "]");
  return place;
}

static void
leat_difference_note (LeatDifference *self, LeatSpec *spec, guint64 index, const guint8 *a, const guint8 *b,
                      double tolerance)
{
  GString *place;

  if (self->n_differing++ > 0)
    return;
  place = leat_difference_start_place (spec, index);
  leat_item_equal (spec, a, b, tolerance, place, self->values);
  self->place = g_string_free (place, FALSE);
}

gboolean
leat_difference_find (LeatDifference *self, LeatSpec *spec, GBytes *a, GBytes *b, double tolerance)
{
  gsize size = leat_spec_get_item_bytes (spec), bytes[2];
  const guint8 *items[2] = { g_bytes_get_data (a, &bytes[0]), g_bytes_get_data (b, &bytes[1]) };

  *self = (LeatDifference){ .n_items = { bytes[0] / size, bytes[1] / size } };
  if (bytes[0] == bytes[1] && (bytes[0] == 0 || memcmp (items[0], items[1], bytes[0]) == 0))
    return FALSE;
  for (guint64 i = 0; i < MIN (self->n_items[0], self->n_items[1]); i++)
    if (!leat_item_equal (spec, items[0] + i * size, items[1] + i * size, tolerance, NULL, NULL))
      leat_difference_note (self, spec, i, items[0] + i * size, items[1] + i * size, tolerance);
  return self->n_differing > 0 || self->n_items[0] != self->n_items[1];
}

char *
leat_difference_to_text (const LeatDifference *self, const char *const *ways)
{
  guint64 both = MIN (self->n_items[0], self->n_items[1]);
  GString *text = g_string_new (NULL);

  if (self->n_items[0] != self->n_items[1])
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " items %s, %" G_GUINT64_FORMAT " %s", self->n_items[0], ways[0],
                            self->n_items[1], ways[1]);
  if (text->len > 0 && self->n_differing > 0)
    g_string_append (text, "; ");
  if (self->n_differing > 0)
    g_string_append_printf (text,
                            "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " items differ%s, first%s%s: %s %s, %s %s",
                            self->n_differing, both, self->n_differing == 1 ? "s" : "", *self->place != '\0' ? " " : "",
                            self->place, self->values[0], ways[0], self->values[1], ways[1]);
  return g_string_free (text, FALSE);
}
