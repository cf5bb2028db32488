/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds remainders whose quotient is taken too.  A GPU, which cannot divide, makes these of the quotient, so that
 * nothing is taken away from what is divided by zero; other remainders by zero are what the quotient is.  Values get
 * the name of the first that was made in the same way; for what was loaded, since the last store. */

#include "leat-image-values-private.h"

#include <string.h>

typedef struct
{
  GHashTable *names;  /* of a value: that of the first like it */
  GHashTable *made;   /* how a value was made: the first such */
  GHashTable *stored; /* of a variable on the stack: the value that was stored last */
  GHashTable *quotients;
  guint version; /* of all other memory */
} LeatPairs;

static gboolean
leat_pairs_is_name (char c)
{
  return g_ascii_isalnum (c) || c == '.' || c == '_' || c == '-' || c == '$';
}

/* @text with each value's first name instead of its own. */
static char *
leat_pairs_dup_renamed (LeatPairs *self, const char *text)
{
  GString *out = g_string_new (NULL);

  while (*text != '\0' && !g_str_has_prefix (text, ", !"))
    {
      g_autofree char *name = NULL;
      const char *first;
      gsize length = 1;

      while (*text == '%' && leat_pairs_is_name (text[length]))
        length++;
      name = g_strndup (text, length);
      first = g_hash_table_lookup (self->names, name);
      g_string_append (out, first != NULL ? first : name);
      text += length;
    }
  return g_string_free (out, FALSE);
}

/* The pointer that a load takes or a store is made to: the first name behind the last "* " or "ptr ". */
static char *
leat_pairs_dup_pointer (const char *text)
{
  const char *comma = strstr (text, ", align"), *at = comma != NULL ? comma : text + strlen (text);
  gsize length = 0;

  while (at > text && at[-1] != '%')
    at--;
  while (leat_pairs_is_name (at[length]))
    length++;
  return g_strdup_printf ("%%%.*s", (int) length, at);
}

static void
leat_pairs_note_store (LeatPairs *self, const char *text)
{
  g_autofree char *pointer = leat_pairs_dup_pointer (text), *head = g_strndup (text, strcspn (text, ","));
  const char *value = strrchr (head, ' ') + 1, *first = g_hash_table_lookup (self->names, value);

  if (g_hash_table_contains (self->stored, pointer))
    g_hash_table_insert (self->stored, g_steal_pointer (&pointer), g_strdup (first != NULL ? first : value));
  else
    self->version++;
}

/* Like which value @name is, made by @text; NULL where it is the first such. */
static const char *
leat_pairs_find_like (LeatPairs *self, const char *name, const char *text, const char *renamed)
{
  static const char *const others[] = { "call ", "alloca ", "phi ", "atomicrmw ", "cmpxchg ", "va_arg " };
  g_autofree char *made = NULL;
  const char *first;
  gboolean loads = g_str_has_prefix (text, "load "), is_other = FALSE;

  if (loads)
    {
      g_autofree char *pointer = leat_pairs_dup_pointer (text);

      if ((first = g_hash_table_lookup (self->stored, pointer)) != NULL && *first != '\0')
        return first;
    }
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    is_other = is_other || g_str_has_prefix (text, others[i]);
  made = g_strdup_printf ("%s #%u %s", renamed, loads ? self->version : 0, is_other ? name : "");
  first = g_hash_table_lookup (self->made, made);
  if (first == NULL)
    g_hash_table_insert (self->made, g_steal_pointer (&made), g_strdup (name));
  return first;
}

static void
leat_pairs_note_value (LeatPairs *self, const char *name, const char *text)
{
  g_autofree char *renamed = leat_pairs_dup_renamed (self, text);
  const char *first = leat_pairs_find_like (self, name, text, renamed);

  g_hash_table_insert (self->names, g_strdup (name), g_strdup (first != NULL ? first : name));
  if (g_str_has_prefix (text, "alloca "))
    g_hash_table_insert (self->stored, g_strdup (name), g_strdup (""));
  else if (g_str_has_prefix (text, "call ") && strstr (text, "@llvm.") == NULL)
    self->version++;
  else if (g_str_has_prefix (text, "sdiv ") || g_str_has_prefix (text, "udiv "))
    g_hash_table_add (self->quotients, g_strdup (renamed));
}

static void
leat_pairs_read_line (LeatPairs *self, const char *line)
{
  const char *equals = strstr (line, " = ");

  if (g_str_has_prefix (line, "  store "))
    leat_pairs_note_store (self, line);
  else if (g_str_has_prefix (line, "  call ") && strstr (line, "@llvm.") == NULL)
    self->version++;
  else if (g_str_has_prefix (line, "  %") && equals != NULL)
    {
      g_autofree char *name = g_strndup (line + 2, equals - line - 2);

      leat_pairs_note_value (self, name, equals + 3);
    }
}

/* Of the function that ends at line @end: adds the lines of its remainders to @pairs. */
static void
leat_pairs_read_function (char **lines, guint begin, guint end, GHashTable *pairs)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) stored = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) quotients = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  LeatPairs self = { names, made, stored, quotients, 0 };

  for (guint i = begin; i < end; i++)
    leat_pairs_read_line (&self, lines[i]);
  for (guint i = begin; i < end && g_hash_table_size (quotients) > 0; i++)
    {
      const char *equals = strstr (lines[i], " = "), *text = equals != NULL ? equals + 3 : "";
      g_autofree char *renamed = NULL, *quotient = NULL;

      if (!g_str_has_prefix (text, "srem ") && !g_str_has_prefix (text, "urem "))
        continue;
      renamed = leat_pairs_dup_renamed (&self, text);
      quotient = g_strdup_printf ("%cdiv%s", renamed[0], renamed + 4);
      if (g_hash_table_contains (quotients, quotient))
        g_hash_table_add (pairs, lines[i]);
    }
}

GHashTable *
leat_image_values_find_pairs (char **lines)
{
  GHashTable *pairs = g_hash_table_new (NULL, NULL);
  guint begin = 0;
  gboolean divides = FALSE;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      if (g_str_has_prefix (lines[i], "define "))
        begin = i, divides = FALSE;
      divides = divides || strstr (lines[i], "rem i") != NULL;
      if (divides && g_str_has_prefix (lines[i], "}"))
        leat_pairs_read_function (lines, begin, i, pairs);
    }
  return pairs;
}
