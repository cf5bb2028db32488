/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The list patterns= of `text:scan`: parsed, bounded in how often it can occur, and written as tables for the kernels.
 * The tables are the caller's. */

#include "leat-text-patterns.h"

#include "leat-text-distance.h"

struct _LeatPatterns
{
  GPtrArray *list;   /* GBytes */
  GHashTable *known; /* the same, to their place in the list */
  guint longest;
  double density;            /* occurrences a position, from the periods; at most `nesting` */
  guint nesting;             /* patterns that can match at one position */
  LeatTextDistance distance; /* of occurrences; no bytes where that is not known */
  gboolean fold;
};

void
leat_patterns_free (LeatPatterns *self)
{
  g_hash_table_unref (self->known);
  g_ptr_array_unref (self->list);
  g_free (self);
}

static gboolean
leat_patterns_unescape (const char **at, GByteArray *into, const char *text, GError **error)
{
  static const char names[] = "nrt0\\,";
  static const char values[] = "\n\r\t\0\\,";
  const char *escape = *at + 1;
  const char *name = *escape != '\0' ? strchr (names, *escape) : NULL;
  guint8 byte;

  if (*escape == 'x' && g_ascii_isxdigit (escape[1]) && g_ascii_isxdigit (escape[2]))
    {
      byte = (guint8) (g_ascii_xdigit_value (escape[1]) * 16 + g_ascii_xdigit_value (escape[2]));
      *at = escape + 3;
    }
  else if (name != NULL)
    {
      byte = (guint8) values[name - names];
      *at = escape + 1;
    }
  else
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE,
                   "patterns \"%s\", column %zu: unknown escape; \\n \\r \\t \\0 \\xHH \\, and \\\\ are known", text,
                   (gsize) (*at - text) + 1);
      return FALSE;
    }
  g_byte_array_append (into, &byte, 1);
  return TRUE;
}

/* Twice the same pattern would count everything twice, which nobody wants to know. */
static gboolean
leat_patterns_insert (LeatPatterns *self, GByteArray *pattern, GError **error)
{
  GBytes *bytes;
  gpointer first;

  for (guint i = 0; self->fold && i < pattern->len; i++)
    pattern->data[i] = (guint8) g_ascii_tolower ((char) pattern->data[i]);
  bytes = g_bytes_new (pattern->data, pattern->len);
  if (g_hash_table_lookup_extended (self->known, bytes, NULL, &first))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                   "pattern %u is pattern %u again; each is listed once", self->list->len + 1,
                   GPOINTER_TO_UINT (first));
      g_bytes_unref (bytes);
      return FALSE;
    }
  g_ptr_array_add (self->list, bytes);
  g_hash_table_insert (self->known, bytes, GUINT_TO_POINTER (self->list->len));
  self->longest = MAX (self->longest, pattern->len);
  g_byte_array_set_size (pattern, 0);
  return TRUE;
}

static gboolean
leat_patterns_add (LeatPatterns *self, GByteArray *pattern, const char *text, GError **error)
{
  if (pattern->len == 0)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "patterns \"%s\": pattern %u is empty", text,
                 self->list->len + 1);
  else if (pattern->len > LEAT_PATTERN_MAX_BYTES)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "pattern %u has %u bytes; at most %u are allowed",
                 self->list->len + 1, pattern->len, LEAT_PATTERN_MAX_BYTES);
  else if (self->list->len == LEAT_PATTERNS_MAX)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "more than %u patterns", LEAT_PATTERNS_MAX);
  else
    return leat_patterns_insert (self, pattern, error);
  return FALSE;
}

static gboolean
leat_patterns_split (LeatPatterns *self, const char *text, GError **error)
{
  g_autoptr (GByteArray) pattern = g_byte_array_new ();
  const char *at = text;

  while (*at != '\0')
    {
      if (*at == '\\')
        {
          if (!leat_patterns_unescape (&at, pattern, text, error))
            return FALSE;
          continue;
        }
      if (*at == ',' && !leat_patterns_add (self, pattern, text, error))
        return FALSE;
      if (*at != ',')
        g_byte_array_append (pattern, (const guint8 *) at, 1);
      at++;
    }
  return leat_patterns_add (self, pattern, text, error);
}

/* The smallest shift at which a string agrees with itself: how near two occurrences can be.  Knuth, Morris, Pratt:
 * Fast pattern matching in strings, 1977 (the failure function). */
static gsize
leat_patterns_get_period (GBytes *pattern)
{
  gsize length;
  const guint8 *bytes = g_bytes_get_data (pattern, &length);
  g_autofree gsize *failure = g_new0 (gsize, length);

  for (gsize i = 1, k = 0; i < length; i++)
    {
      while (k > 0 && bytes[i] != bytes[k])
        k = failure[k - 1];
      k += bytes[i] == bytes[k];
      failure[i] = k;
    }
  return length - failure[length - 1];
}

static int
leat_patterns_compare (gconstpointer a, gconstpointer b)
{
  return g_bytes_compare (*(GBytes *const *) a, *(GBytes *const *) b);
}

static gboolean
leat_patterns_is_prefix (GBytes *prefix, GBytes *of)
{
  gsize length, other;
  const guint8 *bytes = g_bytes_get_data (prefix, &length);
  const guint8 *begin = g_bytes_get_data (of, &other);

  return length <= other && memcmp (bytes, begin, length) == 0;
}

/* The longest chain of patterns each of which begins the next: sorted, such a chain is a stack. */
static guint
leat_patterns_measure_nesting (LeatPatterns *self)
{
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  g_autoptr (GPtrArray) chain = g_ptr_array_new ();
  guint deepest = 0;

  g_ptr_array_extend (sorted, self->list, NULL, NULL);
  g_ptr_array_sort (sorted, leat_patterns_compare);
  for (guint i = 0; i < sorted->len; i++)
    {
      GBytes *pattern = g_ptr_array_index (sorted, i);

      while (chain->len > 0 && !leat_patterns_is_prefix (g_ptr_array_index (chain, chain->len - 1), pattern))
        g_ptr_array_set_size (chain, chain->len - 1);
      g_ptr_array_add (chain, pattern);
      deepest = MAX (deepest, chain->len);
    }
  return deepest;
}

LeatPatterns *
leat_patterns_parse (const char *text, gboolean fold, GError **error)
{
  g_autoptr (LeatPatterns) self = g_new0 (LeatPatterns, 1);

  self->list = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  self->known = g_hash_table_new (g_bytes_hash, g_bytes_equal);
  self->fold = fold;
  if (!leat_patterns_split (self, text, error))
    return NULL;
  for (guint i = 0; i < self->list->len; i++)
    self->density += 1.0 / leat_patterns_get_period (g_ptr_array_index (self->list, i));
  self->nesting = leat_patterns_measure_nesting (self);
  leat_text_distance_measure (&self->distance, self->list);
  return g_steal_pointer (&self);
}

guint
leat_patterns_get_count (LeatPatterns *self)
{
  return self->list->len;
}

GBytes *
leat_patterns_get (LeatPatterns *self, guint index)
{
  return g_ptr_array_index (self->list, index);
}

guint
leat_patterns_get_longest (LeatPatterns *self)
{
  return self->longest;
}

/* All but as many as there are patterns are as far from the one before as can be told of all: a chain of patterns that
 * come once each may be nearer. */
static guint64
leat_patterns_bound_by_distance (LeatPatterns *self, guint64 starts)
{
  guint64 steps;

  if (self->distance.bytes == 0 || starts == 0 || !g_uint64_checked_mul (&steps, starts - 1, self->distance.steps))
    return G_MAXUINT64;
  return steps / self->distance.bytes + self->list->len;
}

/* Occurrences of one pattern are at least its period apart, and at one position only patterns that begin each other can
 * match: these bounds are exact in the worst case of one kind.  Where patterns are few, what is known of each two of
 * them gives another. */
guint64
leat_patterns_get_bound (LeatPatterns *self, guint64 starts)
{
  double by_period = (double) starts * self->density + self->list->len;
  guint64 by_position, by_distance = leat_patterns_bound_by_distance (self, starts);

  /* Beyond 2^63 a sum of doubles says too little, and nothing has that size. */
  if (!g_uint64_checked_mul (&by_position, starts, self->nesting) || by_position > G_MAXINT64)
    by_position = G_MAXUINT64;
  by_position = MIN (by_position, by_distance);
  if (by_period >= 0x1p63)
    return by_position;
  return by_period < by_position ? (guint64) by_period + 1 : by_position;
}

GBytes *
leat_patterns_dup_bytes (LeatPatterns *self)
{
  GByteArray *bytes = g_byte_array_new ();

  for (guint i = 0; i < self->list->len; i++)
    {
      gsize length;
      const guint8 *data = g_bytes_get_data (g_ptr_array_index (self->list, i), &length);

      g_byte_array_append (bytes, data, (guint) length);
    }
  return g_byte_array_free_to_bytes (bytes);
}

GBytes *
leat_patterns_dup_tables (LeatPatterns *self)
{
  GArray *words = g_array_new (FALSE, TRUE, sizeof (guint32));
  guint32 n_entries = 0;
  gsize size;

  g_array_set_size (words, 257);
  for (guint first = 0; first < 256; first++)
    {
      guint32 offset = 0;

      g_array_index (words, guint32, first) = n_entries;
      for (guint i = 0; i < self->list->len; i++)
        {
          gsize length;
          const guint8 *data = g_bytes_get_data (g_ptr_array_index (self->list, i), &length);
          guint32 entry[3] = { i, offset, (guint32) length };

          offset += length;
          if (data[0] != first)
            continue;
          g_array_append_vals (words, entry, 3);
          n_entries++;
        }
    }
  g_array_index (words, guint32, 256) = n_entries;
  size = words->len * sizeof (guint32);
  return g_bytes_new_take (g_array_free (words, FALSE), size);
}

GBytes *
leat_patterns_dup_pairs (LeatPatterns *self, guint max)
{
  g_autoptr (GByteArray) pairs = g_byte_array_new ();

  for (guint i = 0; i < self->list->len; i++)
    {
      gsize length;
      const guint8 *data = g_bytes_get_data (g_ptr_array_index (self->list, i), &length);
      gboolean known = FALSE;

      for (guint p = 0; p < pairs->len && length > 1 && !known; p += 2)
        known = memcmp (pairs->data + p, data, 2) == 0;
      if (length > 1 && known)
        continue;
      if (length < 2 || pairs->len / 2 == max)
        return g_bytes_new (NULL, 0);
      g_byte_array_append (pairs, data, 2);
    }
  return g_byte_array_free_to_bytes (g_steal_pointer (&pairs));
}
