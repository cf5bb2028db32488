/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "leat-regex-oracle.h"
#include "leat-text-regex-must.h"

#include <string.h>

/* Regexes as tables, without a device. */

static LeatRegex *
test_regex_parse (const char *text, gboolean fold)
{
  GError *error = NULL;
  LeatRegex *regex = leat_regex_parse (text, fold, FALSE, &error);

  g_assert_no_error (error);
  return regex;
}

static void
test_regex_refuses (void)
{
  static const struct
  {
    const char *text;
    int code;
    const char *says;
  } table[] = {
    { "", LEAT_GRAPH_ERROR_RANGE, "regex 1 is empty" },
    { "a,,b", LEAT_GRAPH_ERROR_RANGE, "regex 2 is empty" },
    { "a,", LEAT_GRAPH_ERROR_RANGE, "regex 2 is empty" },
    { "a(b", LEAT_GRAPH_ERROR_TYPE, "column 2: \"(\" is never closed" },
    { "x,a(b", LEAT_GRAPH_ERROR_TYPE, "column 4: \"(\" is never closed" },
    { "ab)", LEAT_GRAPH_ERROR_TYPE, "column 3: \")\" closes nothing" },
    { "a[b", LEAT_GRAPH_ERROR_TYPE, "column 2: \"[\" is never closed" },
    { "a[]", LEAT_GRAPH_ERROR_TYPE, "column 2: \"[\" is never closed" },
    { "[z-a]", LEAT_GRAPH_ERROR_TYPE, "column 2: the range \"z-a\" ends before it begins" },
    { "[a-\\d]", LEAT_GRAPH_ERROR_TYPE, "column 2: a range goes from one byte" },
    { "[[:alhpa:]]", LEAT_GRAPH_ERROR_TYPE, "column 2: unknown class" },
    { "[[:alpha]", LEAT_GRAPH_ERROR_TYPE, "column 2: unknown class" },
    { "[[.a.]]", LEAT_GRAPH_ERROR_TYPE, "column 2: \"[.\" asks for the ways of a language" },
    { "a\\", LEAT_GRAPH_ERROR_TYPE, "column 2: unknown escape" },
    { "a\\q", LEAT_GRAPH_ERROR_TYPE, "column 2: unknown escape" },
    { "\\x4", LEAT_GRAPH_ERROR_TYPE, "column 1: unknown escape" },
    { "a\\n", LEAT_GRAPH_ERROR_TYPE, "column 2: no match goes beyond a line" },
    { "[\\x0a]", LEAT_GRAPH_ERROR_TYPE, "column 2: no match goes beyond a line" },
    { "(a)\\1", LEAT_GRAPH_ERROR_TYPE, "column 4: \\1 is a back-reference" },
    { "a(?=b)", LEAT_GRAPH_ERROR_TYPE, "column 2: looking ahead or behind" },
    { "a(?<!b)", LEAT_GRAPH_ERROR_TYPE, "column 2: looking ahead or behind" },
    { "(?i)a", LEAT_GRAPH_ERROR_TYPE, "column 1: (?i) is not known; fold=true" },
    { "(?P<n>a)", LEAT_GRAPH_ERROR_TYPE, "column 1: \"(?\" is known as \"(?:\" alone" },
    { "*a", LEAT_GRAPH_ERROR_TYPE, "column 1: nothing for \"*\" to repeat" },
    { "a|+", LEAT_GRAPH_ERROR_TYPE, "column 3: nothing for \"+\" to repeat" },
    { "(?)", LEAT_GRAPH_ERROR_TYPE, "column 1: \"(?\"" },
    { "a*?", LEAT_GRAPH_ERROR_TYPE, "column 3: \"?\" right behind \"*\"" },
    { "a{2}{3}", LEAT_GRAPH_ERROR_TYPE, "column 5: \"{\" right behind \"{2}\"" },
    { "^*", LEAT_GRAPH_ERROR_TYPE, "column 2: a place in the line cannot be repeated" },
    { "a{", LEAT_GRAPH_ERROR_TYPE, "column 2: \"{\" must be {n}" },
    { "a{,}", LEAT_GRAPH_ERROR_TYPE, "column 2: \"{\" must be {n}" },
    { "a{3,2}", LEAT_GRAPH_ERROR_TYPE, "column 2: {3,2} has its numbers the wrong way round" },
    { "a{1001}", LEAT_GRAPH_ERROR_TYPE, "column 3: at most 1000 times" },
    { "a{99999999999999999999}", LEAT_GRAPH_ERROR_TYPE, "column 3: at most 1000 times" },
    { "((a{100}){100}){100}", LEAT_GRAPH_ERROR_RANGE, "regex 1 has more than 20000 steps" },
    { "(a|b)*a(a|b){20}c", LEAT_GRAPH_ERROR_RANGE, "needs more than 8192 states" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;

      g_test_message ("%s", table[i].text);
      g_assert_null (leat_regex_parse (table[i].text, FALSE, FALSE, &error));
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, table[i].code, table[i].says);
    }
}

/* Of a list that is too large it is said which regexes take what, those that take most first: 2^12 sets of the last
 * letters and the match. */
static void
test_regex_refuses_costs (void)
{
  static const struct
  {
    const char *text, *says;
  } table[] = {
    { "foo,(a|b)*a(a|b){20}c,x{9}",
      "of the 3, each by itself, take most states: number 2 ((a|b)*a(a|b){20}c) too many, "
      "number 3 (x{9}) 11, number 1 (foo) 5" },
    { "(a|b)*a(a|b){11},(c|d)*c(c|d){11},e", "by itself, take most states: number 1 ((a|b)*a(a|b){11}) 4097, number 2 "
                                             "((c|d)*c(c|d){11}) 4097, number 3 (e) 3" },
    { "a,(b|c)*b(b|c){14}ddddddddddddddddddddddddddddddd",
      "number 2 ((b|c)*b(b|c){14}dddddddddddddddddddddddd...) too" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;

      g_assert_null (leat_regex_parse (table[i].text, FALSE, TRUE, &error));
      g_test_message ("%s", error->message);
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, table[i].says);
    }
}

/* Which regexes have a $ that is never behind a carriage return, so that lines that end in two bytes matter to them. */
static void
test_regex_plain_ends (void)
{
  static const struct
  {
    const char *text;
    gboolean wants;
  } table[] = {
    { "a", FALSE },       { "a$", TRUE },    { "a\\r$", FALSE },   { "a\\r?$", FALSE },  { "a.*$", FALSE },
    { "a[^b]$", FALSE },  { "^$", TRUE },    { "(a|b$)c?", TRUE }, { "a\\s*$", FALSE },  { "a.b$", TRUE },
    { "a$,b\\r$", TRUE }, { "a\\$", FALSE }, { "[$]", FALSE },     { "(.a?)*$", FALSE }, { "a\\b$", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (LeatRegex) regex = test_regex_parse (table[i].text, FALSE);

      g_test_message ("%s", table[i].text);
      g_assert_cmpint (regex->wants_plain_ends, ==, table[i].wants);
    }
}

static void
test_regex_refuses_depth (void)
{
  g_autofree char *open = g_strnfill (LEAT_REGEX_MAX_DEPTH + 1, '(');
  g_autofree char *close = g_strnfill (LEAT_REGEX_MAX_DEPTH + 1, ')');
  g_autofree char *deep = g_strconcat (open, "a", close, NULL);
  g_autofree char *fitting = g_strconcat (open + 1, "a", close + 1, NULL);
  g_autoptr (LeatRegex) regex = test_regex_parse (fitting, FALSE);
  GError *error = NULL;

  g_assert_cmpuint (regex->least, ==, 1);
  g_assert_null (leat_regex_parse (deep, FALSE, FALSE, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE, "more than 200 parentheses");
}

/* "BEGIN+LENGTH " for each match. */
static void
test_regex_finds (void)
{
  static const struct
  {
    const char *regex, *line, *found;
  } table[] = {
    { "ab+c", "abcxabbbc", "0+3 4+5 " },
    { "a|ab|abc", "abcd", "0+3 " },
    { "a*", "baac", "1+2 " },
    { "(a|ab)(c|bcd)", "abcd", "0+4 " },
    { "abcd|c", "abcd", "0+4 " },
    { "^a", "aaa", "0+1 " },
    { "a$", "aaa", "2+1 " },
    { "^$", "", "" },
    { "\\bcat\\b", "cat concat cat", "0+3 11+3 " },
    { "\\<c|t\\>", "cat concat", "0+1 2+1 4+1 9+1 " },
    { "\\B.", "ab c", "1+1 " },
    { "[]a]+", "x]a]", "1+3 " },
    { "[^]a]+", "x]by", "0+1 2+2 " },
    { "[a-]+", "b-a", "1+2 " },
    { "[\\]\\-]", "a-]", "1+1 2+1 " },
    { "\\x41\\t\\.", "A\t.", "0+3 " },
    { "a{2,3}", "aaaaaaa", "0+3 3+3 " },
    { "a{,2}b", "aaab", "1+3 " },
    { "(?:ab)+", "ababa", "0+4 " },
    { "()a||b", "ab", "0+1 1+1 " },
    { "a,b", "ab", "0+1 1+1 " },
    { "a\\,b", "a,b", "0+3 " },
    { "(a,b)", "a,b", "0+3 " },
    { "[,]", "a,b", "1+1 " },
    { "a{1,2}", "aaa", "0+2 2+1 " },
    { "}]", "a}]", "1+2 " },
    { "\\d+\\D\\s\\S", "12- x", "0+5 " },
    { "[[:upper:][:digit:]_]+", "aB1_c", "1+3 " },
    { "\xc3\xa9", "\xc3\xa9", "0+2 " },
    { ".", "\xff", "0+1 " },
    { "[^\\x00-\\xff]", "abc", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (LeatRegex) regex = test_regex_parse (table[i].regex, FALSE);
      g_autoptr (GArray) hits = leat_regex_walk_find (regex, table[i].line, strlen (table[i].line));
      g_autoptr (GString) found = g_string_new (NULL);

      g_test_message ("%s", table[i].regex);
      for (guint j = 0; j < hits->len; j++)
        g_string_append_printf (found, "%zu+%zu ", g_array_index (hits, LeatRegexHit, j).begin,
                                g_array_index (hits, LeatRegexHit, j).length);
      g_assert_cmpstr (found->str, ==, table[i].found);
    }
}

static void
test_regex_folds (void)
{
  static const struct
  {
    const char *regex, *line;
    gboolean matches;
  } table[] = {
    { "cAt", "CaT", TRUE }, { "[a-c]+$", "xABC", TRUE }, { "[^a]", "A", FALSE }, { "[^a]", "B", TRUE },
    { "\\x41", "a", TRUE }, { "[@-\\[]", "`", FALSE },   { "\\W", "a", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (LeatRegex) regex = test_regex_parse (table[i].regex, TRUE);

      g_test_message ("%s", table[i].regex);
      g_assert_cmpint (leat_regex_walk_test (regex, table[i].line, strlen (table[i].line)), ==, table[i].matches);
    }
}

/* Automata are the smallest, and rows for lines that cannot match any more are one. */
static void
test_regex_sizes (void)
{
  static const struct
  {
    const char *regex;
    guint line_rows, match_rows, least;
  } table[] = {
    { "a", 4, 4, 1 },        { "abc", 6, 6, 3 }, { "(a|b|c|d)x", 5, 5, 2 },
    { "ab|cb|db", 5, 5, 2 }, { "^ab", 5, 5, 2 }, { "(foo|bar)+x{2,4}", 10, 12, 5 },
    { "a{0}b{3}", 6, 6, 3 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (LeatRegex) regex = test_regex_parse (table[i].regex, FALSE);
      const guint32 *line = g_bytes_get_data (regex->line, NULL), *match = g_bytes_get_data (regex->match, NULL);

      g_test_message ("%s: %u and %u", table[i].regex, line[5] / line[0], match[5] / match[0]);
      g_assert_cmpuint (regex->least, ==, table[i].least);
      g_assert_cmpuint (line[5] / line[0], ==, table[i].line_rows);
      g_assert_cmpuint (match[5] / match[0], ==, table[i].match_rows);
    }
}

/* What a line must hold. */
static void
test_regex_keys (void)
{
  static const struct
  {
    const char *regex;
    gboolean fold;
    const char *keys; /* with spaces between */
  } table[] = {
    { "ab+c", FALSE, "ab" },
    { "[a-z]+foo[0-9]", FALSE, "foo" },
    { "x(ab){2,}y", FALSE, "xabab" },
    { "(warr(an)*ty|lic.*ense)z", FALSE, "warr nse" },
    { "foo|bar", FALSE, "foo bar" },
    { "FOO", TRUE, "foo" },
    { "a*", FALSE, "" },
    { "a|b*", FALSE, "" },
    { "[0-9]+", FALSE, "" },
    { "(a|)b", FALSE, "ab b" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;
      g_autoptr (GPtrArray) list = leat_regex_parse_list (table[i].regex, table[i].fold, &error);
      LeatRegexKey keys[LEAT_REGEX_MAX_KEYS];
      g_autoptr (GString) found = g_string_new (NULL);
      guint n;

      g_assert_no_error (error);
      n = leat_regex_find_keys (list, keys);
      for (guint k = 0; k < n; k++)
        {
          char bytes[9] = { 0 };

          memcpy (bytes, &keys[k].value, 8);
          g_string_append_printf (found, "%s%s", k > 0 ? " " : "", bytes);
        }
      g_test_message ("%s: %s", table[i].regex, found->str);
      g_assert_cmpstr (found->str, ==, table[i].keys);
    }
}

static void
test_regex_compare_line (LeatRegex *regex, GRegex *oracle, const char *text, const char *line, gsize length)
{
  g_autoptr (GArray) wanted = leat_regex_oracle_find (oracle, line, length);
  g_autoptr (GArray) found = leat_regex_walk_find (regex, line, length);
  int matches = leat_regex_oracle_test (oracle, line, length);

  g_assert_nonnull (wanted);
  if (found->len != wanted->len || leat_regex_walk_test (regex, line, length) != matches)
    g_test_message ("\"%s\" in \"%s\"", text, line);
  g_assert_cmpmem (found->data, found->len * sizeof (LeatRegexHit), wanted->data, wanted->len * sizeof (LeatRegexHit));
  g_assert_cmpint (leat_regex_walk_test (regex, line, length), ==, matches);
  g_assert_true (!matches || leat_regex_walk_filter (regex, line, length));
}

/* Against GLib's. */
static void
test_regex_random (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (guint round = 0; round < 1500; round++)
    {
      gboolean fold = g_rand_boolean (random);
      g_autofree char *text = leat_regex_random_new (random);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatRegex) regex = leat_regex_parse (text, fold, FALSE, &error);
      g_autoptr (GRegex) oracle = leat_regex_oracle_new (text, fold);

      if (regex == NULL && error->code == LEAT_GRAPH_ERROR_RANGE)
        continue; /* too large, or empty */
      g_assert_no_error (error);
      g_assert_nonnull (oracle);
      for (guint i = 0; i < 12; i++)
        {
          gsize length = (gsize) g_rand_int_range (random, 0, 24);
          g_autofree char *line = leat_regex_random_text (random, length, i % 2 ? "ab" : "aabbcC1 _B");

          test_regex_compare_line (regex, oracle, text, line, length);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/text/regex/refuses", test_regex_refuses);
  g_test_add_func ("/leat/text/regex/refuses-depth", test_regex_refuses_depth);
  g_test_add_func ("/leat/text/regex/finds", test_regex_finds);
  g_test_add_func ("/leat/text/regex/folds", test_regex_folds);
  g_test_add_func ("/leat/text/regex/refuses/costs", test_regex_refuses_costs);
  g_test_add_func ("/leat/text/regex/plain-ends", test_regex_plain_ends);
  g_test_add_func ("/leat/text/regex/sizes", test_regex_sizes);
  g_test_add_func ("/leat/text/regex/keys", test_regex_keys);
  g_test_add_func ("/leat/text/regex/random", test_regex_random);
  return g_test_run ();
}
