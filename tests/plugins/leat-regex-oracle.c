/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-regex-oracle.h"

#include <string.h>

GRegex *
leat_regex_oracle_new (const char *regex, gboolean fold)
{
  GRegexCompileFlags flags = G_REGEX_RAW | G_REGEX_DOTALL | G_REGEX_DOLLAR_ENDONLY | (fold ? G_REGEX_CASELESS : 0);

  /* PCRE knows no borders \< and \>, and takes {,3} for four bytes. */
  if (strstr (regex, "\\<") != NULL || strstr (regex, "\\>") != NULL || strstr (regex, "{,") != NULL)
    return NULL;
  return g_regex_new (regex, flags, 0, NULL);
}

/* What its automaton gives first is the longest. */
GArray *
leat_regex_oracle_find (GRegex *oracle, const char *line, gsize length)
{
  g_autoptr (GArray) hits = g_array_new (FALSE, FALSE, sizeof (LeatRegexHit));

  for (gsize at = 0; at <= length;)
    {
      g_autoptr (GMatchInfo) info = NULL;
      g_autoptr (GError) error = NULL;
      int begin, end;
      LeatRegexHit hit;

      g_regex_match_all_full (oracle, line, (gssize) length, (int) at, G_REGEX_MATCH_NOTEMPTY, &info, &error);
      if (error != NULL)
        return NULL;
      if (!g_match_info_matches (info) || !g_match_info_fetch_pos (info, 0, &begin, &end))
        break;
      hit.begin = (gsize) begin;
      hit.length = (gsize) (end - begin);
      g_array_append_val (hits, hit);
      at = (gsize) end;
    }
  return g_steal_pointer (&hits);
}

int
leat_regex_oracle_test (GRegex *oracle, const char *line, gsize length)
{
  g_autoptr (GError) error = NULL;
  gboolean matches = g_regex_match_all_full (oracle, line, (gssize) length, 0, 0, NULL, &error);

  return error != NULL ? -1 : matches;
}

/* An automaton as kernels/regex.cu describes it. */
typedef struct
{
  const guint32 *words;
  const guint8 *classes;
  const guint32 *rows;
} LeatRegexTable;

static LeatRegexTable
leat_regex_table_open (GBytes *bytes)
{
  LeatRegexTable self = { .words = g_bytes_get_data (bytes, NULL) };

  self.classes = (const guint8 *) (self.words + 6);
  self.rows = self.words + 6 + 64;
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, (6 + 64 + self.words[5]) * sizeof (guint32));
  return self;
}

static guint32
leat_regex_table_step (const LeatRegexTable *self, guint32 row, guint8 byte)
{
  guint32 next;

  g_assert_cmpuint (row + self->classes[byte], <, self->words[5]);
  next = self->rows[row + self->classes[byte]];
  g_assert_cmpuint (next % self->words[0], ==, 0);
  return next;
}

gboolean
leat_regex_walk_test (LeatRegex *regex, const char *line, gsize length)
{
  LeatRegexTable table = leat_regex_table_open (regex->line);
  guint32 row = table.words[1];

  for (gsize at = 0; at <= length && row < table.words[4]; at++)
    row = leat_regex_table_step (&table, row, at < length ? (guint8) line[at] : '\n');
  return row >= table.words[4];
}

/* Where the longest match that begins at @begin ends; @begin for none. */
static gsize
leat_regex_walk_longest (const LeatRegexTable *table, const char *line, gsize length, gsize begin)
{
  guint before = begin == 0                                      ? LEAT_REGEX_AFTER_LINE_END
                 : leat_regex_is_word ((guint8) line[begin - 1]) ? LEAT_REGEX_AFTER_WORD
                                                                 : LEAT_REGEX_AFTER_OTHER;
  guint32 row = table->words[1 + before];
  gsize best = begin;

  for (gsize at = begin; at <= length; at++)
    {
      row = leat_regex_table_step (table, row, at < length ? (guint8) line[at] : '\n');
      if (row >= table->words[4])
        best = at;
      if (row == 0)
        break;
    }
  return best;
}

GArray *
leat_regex_walk_find (LeatRegex *regex, const char *line, gsize length)
{
  LeatRegexTable table = leat_regex_table_open (regex->match);
  GArray *hits = g_array_new (FALSE, FALSE, sizeof (LeatRegexHit));

  for (gsize at = 0; at < length;)
    {
      gsize end = leat_regex_walk_longest (&table, line, length, at);
      LeatRegexHit hit = { at, end - at };

      if (end > at)
        g_array_append_val (hits, hit);
      at = MAX (end, at + 1);
    }
  return hits;
}

static gboolean
leat_regex_walk_has_key (const guint32 *key, const char *line, gsize length)
{
  guint8 value[8], fold[8], mask[8];

  memcpy (value, key, 8);
  memcpy (fold, key + 2, 8);
  memcpy (mask, key + 4, 8);
  for (gsize at = 0; at < length; at++)
    {
      gsize i = 0;

      while (i < 8 && (mask[i] == 0 || (at + i < length && ((guint8) line[at + i] | fold[i]) == value[i])))
        i++;
      if (i == 8)
        return TRUE;
    }
  return FALSE;
}

gboolean
leat_regex_walk_filter (LeatRegex *regex, const char *line, gsize length)
{
  const guint32 *words = g_bytes_get_data (regex->filter, NULL);
  gboolean has = words[0] == 0;

  for (guint i = 0; words[0] == 1 && i < words[1] && !has; i++)
    has = leat_regex_walk_has_key (words + 2 + 6 * i, line, length);
  for (guint i = 0; words[0] == 2 && i < words[1] && !has; i++)
    for (gsize at = 0; at <= length && !has; at++)
      has = (at < length ? (guint8) line[at] : '\n') - words[2 + 2 * i] <= words[3 + 2 * i];
  return has;
}

static void
leat_regex_random_append (GRand *random, GString *regex, guint depth)
{
  static const char *const atoms[] = { "a",   "b", "ab", "c", ".", "[ab]", "[^a]", "[[:digit:]]", "\\w",
                                       "\\W", "1", " ",  "^", "$", "\\b",  "\\B",  "[a-c]",       "abc" };
  static const char *const times[] = { "*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,2}", "{0}" };
  guint kind = (guint) g_rand_int_range (random, 0, depth < 4 ? 8 : 3);

  if (kind < 3)
    g_string_append (regex, atoms[g_rand_int_range (random, 0, G_N_ELEMENTS (atoms))]);
  else if (kind < 5)
    {
      leat_regex_random_append (random, regex, depth + 1);
      leat_regex_random_append (random, regex, depth + 1);
    }
  else
    {
      g_string_append_c (regex, '(');
      leat_regex_random_append (random, regex, depth + 1);
      if (kind == 5)
        {
          g_string_append_c (regex, '|');
          leat_regex_random_append (random, regex, depth + 1);
        }
      g_string_append_c (regex, ')');
      if (kind > 5)
        g_string_append (regex, times[g_rand_int_range (random, 0, G_N_ELEMENTS (times))]);
    }
}

char *
leat_regex_random_new (GRand *random)
{
  GString *regex = g_string_new (NULL);

  leat_regex_random_append (random, regex, 0);
  return g_string_free (regex, FALSE);
}

char *
leat_regex_random_text (GRand *random, gsize length, const char *letters)
{
  char *text = g_malloc (length + 1);
  gint32 n = (gint32) strlen (letters);

  for (gsize i = 0; i < length; i++)
    text[i] = letters[g_rand_int_range (random, 0, n)];
  text[length] = '\0';
  return text;
}
