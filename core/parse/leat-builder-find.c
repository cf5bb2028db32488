/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Names that statements use: finds a node, or tells which there are. */

#include "leat-builder-private.h"

LeatBuilderNode *
leat_builder_find (LeatBuilder *self, const char *name)
{
  return g_hash_table_lookup (self->by_name, name);
}

const char **
leat_builder_list_names (LeatBuilder *self)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < self->nodes->len; i++)
    {
      LeatBuilderNode *built = g_ptr_array_index (self->nodes, i);

      if (built->syntax->name != NULL)
        g_ptr_array_add (names, built->syntax->name);
    }
  g_ptr_array_add (names, NULL);
  return (const char **) g_ptr_array_free (names, FALSE);
}

void
leat_builder_take_faults (LeatBuilder *self, const LeatSourcePos *pos)
{
  for (guint i = 0; i < self->faults->len; i++)
    leat_error_list_take (self->errors, pos, g_error_copy (g_ptr_array_index (self->faults, i)));
  g_ptr_array_set_size (self->faults, 0);
}

LeatBuilderNode *
leat_builder_find_end (LeatBuilder *self, const char *name)
{
  if (self->holder == NULL || !leat_syntax_is_body_word (name))
    return NULL;
  return g_str_equal (name, "in") ? self->holder->begin : self->holder->end;
}
