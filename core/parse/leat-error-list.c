/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Collects the errors of a text with their places, and gives them in the order of the text. */

#include "leat-error-list-private.h"

typedef struct
{
  LeatSourcePos pos;
  GError *error;
} LeatErrorEntry;

static void
leat_error_entry_free (gpointer data)
{
  LeatErrorEntry *entry = data;

  g_clear_error (&entry->error);
  g_free (entry);
}

LeatErrorList *
leat_error_list_new (void)
{
  LeatErrorList *self = g_new0 (LeatErrorList, 1);

  self->entries = g_ptr_array_new_with_free_func (leat_error_entry_free);
  return self;
}

void
leat_error_list_free (LeatErrorList *self)
{
  g_ptr_array_unref (self->entries);
  g_free (self);
}

gboolean
leat_error_list_is_empty (const LeatErrorList *self)
{
  return self->entries->len == 0;
}

guint
leat_error_list_get_length (const LeatErrorList *self)
{
  return self->entries->len + self->dropped;
}

gboolean
leat_error_list_has (const LeatErrorList *self, LeatParseError code)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      const LeatErrorEntry *entry = g_ptr_array_index (self->entries, i);

      if (g_error_matches (entry->error, LEAT_PARSE_ERROR, code))
        return TRUE;
    }
  return FALSE;
}

void
leat_error_list_take (LeatErrorList *self, const LeatSourcePos *pos, GError *error)
{
  g_autofree char *where = pos != NULL ? leat_source_pos_to_string (pos) : NULL;
  LeatErrorEntry *entry;

  if (self->entries->len >= LEAT_ERROR_LIST_MAX)
    {
      self->dropped++;
      g_error_free (error);
      return;
    }
  if (where != NULL)
    g_prefix_error (&error, "%s: ", where);
  entry = g_new0 (LeatErrorEntry, 1);
  if (pos != NULL)
    entry->pos = *pos;
  entry->error = error;
  g_ptr_array_add (self->entries, entry);
}

void
leat_error_list_add (LeatErrorList *self, const LeatSourcePos *pos, LeatParseError code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  leat_error_list_take (self, pos, g_error_new_valist (LEAT_PARSE_ERROR, code, format, args));
  va_end (args);
}

static int
leat_error_entry_compare (gconstpointer a, gconstpointer b)
{
  const LeatErrorEntry *const *first = a, *const *second = b;

  return leat_source_pos_compare (&(*first)->pos, &(*second)->pos);
}

void
leat_error_list_move (LeatErrorList *self, GPtrArray *errors)
{
  /* g_ptr_array_sort () is stable: errors of one place stay in the order in which they were found. */
  g_ptr_array_sort (self->entries, leat_error_entry_compare);
  for (guint i = 0; i < self->entries->len; i++)
    {
      LeatErrorEntry *entry = g_ptr_array_index (self->entries, i);

      g_ptr_array_add (errors, g_steal_pointer (&entry->error));
    }
  if (self->dropped > 0)
    g_ptr_array_add (errors, g_error_new (LEAT_PARSE_ERROR, LEAT_PARSE_ERROR_LIMIT,
                                          "%u more errors are not listed; correct the first ones and try again",
                                          self->dropped));
  g_ptr_array_set_size (self->entries, 0);
  self->dropped = 0;
}
