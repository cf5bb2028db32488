/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The table of macros: those of a file, and those that every compiler has. */

#include "leat-preprocessor-private.h"

static guint
leat_pp_word_hash (gconstpointer data)
{
  const LeatPpWord *self = data;
  guint hash = 2166136261u;

  for (guint i = 0; i < self->length; i++)
    hash = (hash ^ (guchar) self->text[i]) * 16777619u;
  return hash;
}

static gboolean
leat_pp_word_equal (gconstpointer a, gconstpointer b)
{
  const LeatPpWord *x = a, *y = b;

  return x->length == y->length && memcmp (x->text, y->text, x->length) == 0;
}

GHashTable *
leat_pp_macros_new (void)
{
  return g_hash_table_new_full (leat_pp_word_hash, leat_pp_word_equal, g_free, NULL);
}

void
leat_pp_macro_free (LeatPpMacro *self)
{
  g_free (self->name);
  g_free (self->body);
  g_free (self);
}
