/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Writes a spec as text, in the spelling of files or in that of a shell. */

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

  text = g_string_new (leat_dtype_get_name (self->dtype));
  if (self->has_shape && style == LEAT_SPEC_STYLE_FILE)
    leat_spec_print_file (self, text);
  else if (self->has_shape)
    leat_spec_print_shell (self, text);
  return g_string_free (text, FALSE);
}
