/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Writes a spec as text, in the spelling of files or in that of a shell.  The fields of a record are written likewise.
 */

#include "leat-spec-private.h"

#include <string.h>

static void
leat_spec_print_dim (const LeatDim *dim, LeatSpecStyle style, GString *text)
{
  if (dim->kind == LEAT_DIM_NUMBER)
    g_string_append_printf (text, "%" G_GUINT64_FORMAT, dim->number);
  else if (dim->kind == LEAT_DIM_NAME)
    g_string_append (text, dim->name);
  else
    g_string_append (text, style == LEAT_SPEC_STYLE_FILE ? "*" : "any");
}

/* `x` stands between dimensions in the shell spelling unless a name has an x of its own: a comma cannot be mistaken,
 * and one after a single dimension says that the x in it separates nothing.  A first name `ma` and an x would read as
 * `max`. */
static gboolean
leat_spec_needs_comma (LeatSpec *self)
{
  if (self->n_dims > 1 && self->dims[0].kind == LEAT_DIM_NAME && strcmp (self->dims[0].name, "ma") == 0)
    return TRUE;
  for (guint i = 0; i < self->n_dims; i++)
    if (self->dims[i].kind == LEAT_DIM_NAME && strchr (self->dims[i].name, 'x') != NULL)
      return TRUE;
  return FALSE;
}

static void
leat_spec_print_file (LeatSpec *self, GString *text)
{
  g_string_append (text, self->bounded ? "[<=" : "[");
  for (guint i = 0; i < self->n_dims; i++)
    {
      if (i > 0)
        g_string_append_c (text, ',');
      leat_spec_print_dim (&self->dims[i], LEAT_SPEC_STYLE_FILE, text);
    }
  g_string_append_c (text, ']');
}

static void
leat_spec_print_shell (LeatSpec *self, GString *text)
{
  gboolean comma = leat_spec_needs_comma (self);

  g_string_append (text, self->bounded ? ":max" : ":");
  if (self->n_dims == 0)
    g_string_append (text, "scalar");
  for (guint i = 0; i < self->n_dims; i++)
    {
      if (i > 0)
        g_string_append_c (text, comma ? ',' : 'x');
      leat_spec_print_dim (&self->dims[i], LEAT_SPEC_STYLE_SHELL, text);
    }
  if (comma && self->n_dims == 1)
    g_string_append_c (text, ',');
}

static void leat_spec_print_field (LeatSpec *self, LeatSpecStyle style, GString *text);

/* A place is told where the field before does not end there. */
void
leat_record_print (const LeatRecord *self, LeatSpecStyle style, GString *text)
{
  const char *const between = style == LEAT_SPEC_STYLE_FILE ? "," : "+";
  guint64 end = 0;

  for (guint i = 0; i < self->fields->len; i++)
    {
      const LeatField *field = leat_record_get (self, i);

      g_string_append_printf (text, "%s%s:", i == 0 ? "{" : between, field->name);
      leat_spec_print_field (field->spec, style, text);
      if (field->offset != end)
        g_string_append_printf (text, "@%" G_GUINT64_FORMAT, field->offset);
      end = field->offset + leat_spec_get_bytes (field->spec);
    }
  if (self->bytes != end)
    g_string_append_printf (text, "%s@%" G_GUINT64_FORMAT, between, self->bytes);
  g_string_append_c (text, '}');
}

static void
leat_spec_print_items (LeatSpec *self, LeatSpecStyle style, GString *text)
{
  if (self->record != NULL)
    leat_record_print (self->record, style, text);
  else
    g_string_append (text, leat_dtype_get_name (self->dtype));
}

/* Of a field, which is one item unless it has dimensions. */
static void
leat_spec_print_field (LeatSpec *self, LeatSpecStyle style, GString *text)
{
  leat_spec_print_items (self, style, text);
  if (self->n_dims > 0 && style == LEAT_SPEC_STYLE_FILE)
    leat_spec_print_file (self, text);
  else if (self->n_dims > 0)
    leat_spec_print_shell (self, text);
}

/**
 * leat_spec_to_string:
 * @self: a spec
 * @style: which spelling
 *
 * Writes a spec as leat_spec_parse() reads it: either spelling gives an equal spec back.
 *
 * Returns: (transfer full): the text
 *
 * Since: 0.1
 */
char *
leat_spec_to_string (LeatSpec *self, LeatSpecStyle style)
{
  GString *text;

  g_return_val_if_fail (self != NULL, NULL);

  text = g_string_new (NULL);
  leat_spec_print_items (self, style, text);
  if (self->has_shape && style == LEAT_SPEC_STYLE_FILE)
    leat_spec_print_file (self, text);
  else if (self->has_shape)
    leat_spec_print_shell (self, text);
  return g_string_free (text, FALSE);
}
