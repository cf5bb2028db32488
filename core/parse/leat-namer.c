/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes names for nodes that the text does not name, by one rule for readers and writers of text. */

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

/* @stem with the digits of @number, for which printf () takes as long as for all else of a name. */
static char *
leat_namer_join (const char *stem, guint number)
{
  gsize length = strlen (stem);
  char *name;
  guint n_digits = 1;

  for (guint rest = number; rest >= 10; rest /= 10)
    n_digits++;
  name = g_malloc (length + n_digits + 1);
  memcpy (name, stem, length);
  name[length + n_digits] = '\0';
  for (; n_digits > 0; number /= 10)
    name[length + --n_digits] = (char) ('0' + number % 10);
  return name;
}

const char *
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
      name = leat_namer_join (stem, (*number)++);
    }
  while (g_hash_table_contains (self->taken, name));
  g_hash_table_add (self->taken, name);
  return name;
}
