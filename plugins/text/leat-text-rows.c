/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The meaning of rows of `text:scan`, put into their spec for `text:report` and read from it. */

#include "leat-text-rows.h"

#define LEAT_TEXT_ROWS_TYPE "(susbms)"
#define LEAT_TEXT_ROWS_KIND "text:hits"

LeatSpec *
leat_text_rows_describe (const LeatTextRows *self, LeatSpec *spec)
{
  return leat_spec_new_with_meaning (spec, g_variant_new (LEAT_TEXT_ROWS_TYPE, LEAT_TEXT_ROWS_KIND, (guint) self->emit,
                                                          self->by, self->fold, self->patterns));
}

gboolean
leat_text_rows_read (LeatTextRows *self, LeatSpec *spec)
{
  GVariant *meaning = leat_spec_get_meaning (spec);
  const char *kind;
  guint32 emit;

  if (meaning == NULL || !g_variant_is_of_type (meaning, G_VARIANT_TYPE (LEAT_TEXT_ROWS_TYPE)))
    return FALSE;
  g_variant_get (meaning, "(&su&sbm&s)", &kind, &emit, &self->by, &self->fold, &self->patterns);
  self->emit = (LeatTextEmit) emit;
  return g_str_equal (kind, LEAT_TEXT_ROWS_KIND);
}
