/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "leat-text-patterns.h"

#include <string.h>

static LeatPatterns *
test_patterns_parse (const char *text)
{
  GError *error = NULL;
  LeatPatterns *patterns = leat_patterns_parse (text, FALSE, &error);

  g_assert_no_error (error);
  return patterns;
}

static void
test_patterns_spelling (void)
{
  static const struct
  {
    const char *text;
    guint index;
    const char *bytes;
    gsize length;
  } table[] = {
    { "whale", 0, "whale", 5 }, { "whale,sea", 1, "sea", 3 },
    { "a\\,b,c", 0, "a,b", 3 }, { "\\n\\r\\t\\0", 0, "\n\r\t\0", 4 },
    { "\\\\", 0, "\\", 1 },     { "\\x00\\xfF\\x2c", 0, "\0\xff,", 3 },
    { " a ", 0, " a ", 3 },     { "\xc3\xa9", 0, "\xc3\xa9", 2 },
    { "\\x41a", 0, "Aa", 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (LeatPatterns) patterns = test_patterns_parse (table[i].text);
      GBytes *found = leat_patterns_get (patterns, table[i].index);

      g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), table[i].bytes, table[i].length);
    }
}

static void
test_patterns_refuses (void)
{
  static const struct
  {
    const char *text;
    int code;
    const char *says;
  } table[] = {
    { "", LEAT_GRAPH_ERROR_RANGE, "pattern 1 is empty" },
    { "a,,b", LEAT_GRAPH_ERROR_RANGE, "pattern 2 is empty" },
    { "a,", LEAT_GRAPH_ERROR_RANGE, "pattern 2 is empty" },
    { ",", LEAT_GRAPH_ERROR_RANGE, "pattern 1 is empty" },
    { "a,b,a", LEAT_GRAPH_ERROR_RANGE, "pattern 3 is pattern 1 again" },
    { "a,\\x61", LEAT_GRAPH_ERROR_RANGE, "pattern 2 is pattern 1 again" },
    { "ab\\q", LEAT_GRAPH_ERROR_TYPE, "column 3: unknown escape" },
    { "ab\\", LEAT_GRAPH_ERROR_TYPE, "column 3" },
    { "\\x4", LEAT_GRAPH_ERROR_TYPE, "column 1" },
    { "\\xg0", LEAT_GRAPH_ERROR_TYPE, "column 1" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;

      g_assert_null (leat_patterns_parse (table[i].text, FALSE, &error));
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, table[i].code, table[i].says);
    }
}

static void
test_patterns_length (void)
{
  g_autofree char *longest = g_strnfill (LEAT_PATTERN_MAX_BYTES, 'a');
  g_autofree char *longer = g_strnfill (LEAT_PATTERN_MAX_BYTES + 1, 'a');
  g_autoptr (LeatPatterns) patterns = test_patterns_parse (longest);
  GError *error = NULL;

  g_assert_cmpuint (leat_patterns_get_longest (patterns), ==, LEAT_PATTERN_MAX_BYTES);
  g_assert_null (leat_patterns_parse (longer, FALSE, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "4097 bytes; at most 4096");
}

static void
test_patterns_number (void)
{
  GString *text = g_string_new ("0");
  GError *error = NULL;

  for (guint i = 1; i < LEAT_PATTERNS_MAX; i++)
    g_string_append_printf (text, ",%u", i);
  {
    g_autoptr (LeatPatterns) patterns = test_patterns_parse (text->str);

    g_assert_cmpuint (leat_patterns_get_count (patterns), ==, LEAT_PATTERNS_MAX);
  }
  g_string_append (text, ",x");
  g_assert_null (leat_patterns_parse (text->str, FALSE, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "more than 65536");
  g_string_free (text, TRUE);
}

/* What the bound is made of: one pattern occurs at most once a period, and at one place only patterns that begin each
 * other do. */
static void
test_patterns_bound (void)
{
  static const struct
  {
    const char *text;
    guint64 starts;
    guint64 least, most; /* what may be said: what really fits, and not much more */
  } table[] = {
    { "a", 1000, 1000, 1000 },
    { "aaaa", 1000, 997, 1000 },
    { "abcd", 1000, 250, 252 },
    { "abab", 1000, 499, 502 },
    { "abc,xyz", 1000, 334, 335 },
    { "a,aa,aaa", 1000, 2994, 3000 },
    { "a,ab,abc", 1000, 1000, 1837 },
    { "a,b,c,d", 1000, 1000, 1000 },
    { "whale", 1, 1, 1 },
    { "whale", 0, 0, 2 },
    { "ab,abc,b", 1000, 1000, 1505 },
    { "warranty,copyrights,qualified-name", 4194304, 524288, 524291 },
    { "abcabd,dabca", 1000, 333, 335 },
    { "license,licenses", 1000, 250, 252 },
    { "abcd,abcdabcd", 1001, 502, 503 },
    /* more than a number holds */
    { "a,aa,aaa", G_GUINT64_CONSTANT (0x6000000000000000), G_GUINT64_CONSTANT (0x6000000000000000), G_MAXUINT64 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (LeatPatterns) patterns = test_patterns_parse (table[i].text);
      guint64 bound = leat_patterns_get_bound (patterns, table[i].starts);

      g_test_message ("%s: %" G_GUINT64_FORMAT, table[i].text, bound);
      g_assert_cmpuint (bound, >=, table[i].least);
      g_assert_cmpuint (bound, <=, table[i].most);
    }
}

static guint64
test_patterns_count (LeatPatterns *patterns, const char *text, gsize length, gsize starts)
{
  guint64 n = 0;

  for (guint i = 0; i < leat_patterns_get_count (patterns); i++)
    {
      gsize size;
      gconstpointer bytes = g_bytes_get_data (leat_patterns_get (patterns, i), &size);

      for (gsize at = 0; at < starts && at + size <= length; at++)
        n += memcmp (text + at, bytes, size) == 0;
    }
  return n;
}

/* No text may hold more than the bound says: random patterns of two letters against texts made of them. */
static void
test_patterns_bound_holds (void)
{
  for (guint round = 0; round < 300; round++)
    {
      g_autoptr (GHashTable) words = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      g_autoptr (GString) list = g_string_new (NULL);
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (LeatPatterns) patterns = NULL;

      for (guint i = 0; i < 4; i++)
        {
          char word[10] = { 0 };
          guint length = g_test_rand_int_range (1, 9);

          for (guint j = 0; j < length; j++)
            word[j] = "ab"[g_test_rand_int_range (0, 2)];
          if (g_hash_table_add (words, g_strdup (word)))
            g_string_append_printf (list, "%s%s", list->len > 0 ? "," : "", word);
        }
      patterns = test_patterns_parse (list->str);
      for (guint first = 0; first < leat_patterns_get_count (patterns); first++)
        {
          GBytes *word = leat_patterns_get (patterns, first);

          g_string_set_size (text, 0);
          while (text->len < 200)
            g_string_append_len (text, g_bytes_get_data (word, NULL), (gssize) g_bytes_get_size (word));
          for (gsize starts = 1; starts <= 150; starts += 7)
            g_assert_cmpuint (test_patterns_count (patterns, text->str, text->len, starts), <=,
                              leat_patterns_get_bound (patterns, starts));
        }
    }
}

#define SHORT_STARTS  9
#define SHORT_LONGEST 5

/* Of all texts of two letters that are so long, how many occurrences has the one with the most? */
static guint64
test_patterns_find_most (LeatPatterns *patterns)
{
  const guint length = SHORT_STARTS + SHORT_LONGEST - 1;
  char text[SHORT_STARTS + SHORT_LONGEST];
  guint64 most = 0;

  for (guint bits = 0; bits < 1u << length; bits++)
    {
      for (guint i = 0; i < length; i++)
        text[i] = "ab"[bits >> i & 1];
      most = MAX (most, test_patterns_count (patterns, text, length, SHORT_STARTS));
    }
  return most;
}

static void
test_patterns_bound_of_all_texts (void)
{
  for (guint round = 0; round < 60; round++)
    {
      g_autoptr (GHashTable) words = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      g_autoptr (GString) list = g_string_new (NULL);
      g_autoptr (LeatPatterns) patterns = NULL;

      for (guint i = 0; i < 1 + round % 5; i++)
        {
          char word[SHORT_LONGEST + 1] = { 0 };
          guint length = g_test_rand_int_range (1, SHORT_LONGEST + 1);

          for (guint j = 0; j < length; j++)
            word[j] = "ab"[g_test_rand_int_range (0, 2)];
          if (g_hash_table_add (words, g_strdup (word)))
            g_string_append_printf (list, "%s%s", list->len > 0 ? "," : "", word);
        }
      patterns = test_patterns_parse (list->str);
      g_test_message ("%s", list->str);
      g_assert_cmpuint (test_patterns_find_most (patterns), <=, leat_patterns_get_bound (patterns, SHORT_STARTS));
    }
}

static void
test_patterns_pairs (void)
{
  static const struct
  {
    const char *text;
    const char *pairs;
  } table[] = {
    { "whale,sea,whole", "whse" }, { "ab,ac", "abac" }, { "a,bc", "" }, { "aa,bb,cc,dd", "" }, { "ab,ab\\x00", "ab" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (LeatPatterns) patterns = test_patterns_parse (table[i].text);
      g_autoptr (GBytes) pairs = leat_patterns_dup_pairs (patterns, 3);

      g_assert_cmpmem (g_bytes_get_data (pairs, NULL), g_bytes_get_size (pairs), table[i].pairs,
                       strlen (table[i].pairs));
    }
}

/* Every pattern is in the bucket of its first byte, once, with its place in the bytes. */
static void
test_patterns_tables (void)
{
  g_autoptr (LeatPatterns) patterns = test_patterns_parse ("sea,whale,ship,\\xff,w");
  g_autoptr (GBytes) bytes = leat_patterns_dup_bytes (patterns);
  g_autoptr (GBytes) tables = leat_patterns_dup_tables (patterns);
  const guint8 *all = g_bytes_get_data (bytes, NULL);
  const guint32 *words = g_bytes_get_data (tables, NULL);
  guint seen = 0;

  g_assert_cmpuint (g_bytes_get_size (tables), ==, (257 + 3 * 5) * sizeof *words);
  for (guint first = 0; first < 256; first++)
    for (guint k = words[first]; k < words[first + 1]; k++)
      {
        const guint32 *entry = words + 257 + 3 * k;
        GBytes *pattern = leat_patterns_get (patterns, entry[0]);

        g_assert_cmpmem (all + entry[1], entry[2], g_bytes_get_data (pattern, NULL), g_bytes_get_size (pattern));
        g_assert_cmpuint (all[entry[1]], ==, first);
        g_assert_false ((seen >> entry[0]) & 1);
        seen |= 1u << entry[0];
      }
  g_assert_cmphex (seen, ==, 0x1f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/text/patterns/spelling", test_patterns_spelling);
  g_test_add_func ("/leat/text/patterns/refuses", test_patterns_refuses);
  g_test_add_func ("/leat/text/patterns/length", test_patterns_length);
  g_test_add_func ("/leat/text/patterns/number", test_patterns_number);
  g_test_add_func ("/leat/text/patterns/bound", test_patterns_bound);
  g_test_add_func ("/leat/text/patterns/bound-holds", test_patterns_bound_holds);
  g_test_add_func ("/leat/text/patterns/bound-of-all-texts", test_patterns_bound_of_all_texts);
  g_test_add_func ("/leat/text/patterns/pairs", test_patterns_pairs);
  g_test_add_func ("/leat/text/patterns/tables", test_patterns_tables);
  return g_test_run ();
}
