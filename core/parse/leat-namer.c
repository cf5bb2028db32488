/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-namer-private.h"

#include <string.h>

LeatNamer *
leat_namer_new (void)
{
  LeatNamer *self = g_new0 (LeatNamer, 1);

  self->taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->counters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

void
leat_namer_free (LeatNamer *self)
{
  g_hash_table_unref (self->taken);
  g_hash_table_unref (self->counters);
  g_free (self);
}

void
leat_namer_take (LeatNamer *self, const char *name)
{
  g_hash_table_add (self->taken, g_strdup (name));
}

char *
leat_namer_make (LeatNamer *self, const char *id)
{
  const char *colon = strrchr (id, ':');
  const char *stem = colon != NULL ? colon + 1 : id;
  guint *number = g_hash_table_lookup (self->counters, stem);
  char *name = NULL;

  if (number == NULL)
    {
      number = g_new0 (guint, 1);
      g_hash_table_insert (self->counters, g_strdup (stem), number);
    }
  do
    {
      g_free (name);
      name = g_strdup_printf ("%s%u", stem, (*number)++);
    }
  while (g_hash_table_contains (self->taken, name));
  leat_namer_take (self, name);
  return name;
}
