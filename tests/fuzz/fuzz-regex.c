/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz.h"
#include "leat-regex-oracle.h"

#include <string.h>

const char *const leat_fuzz_words[] = {
  "(",   ")",  "|",   "*",   "+",   "?",  "{2}",       "{1,3}", "{,2}",  "{2,}", "[", "]", "^",  "$",  ".",  "\\b",
  "\\B", "\\", "\\w", "\\D", "\\s", "[^", "[:digit:]", "-",     "\\x41", "(?:",  "a", "b", "ab", "\n", NULL,
};

static void
leat_fuzz_compare (LeatRegex *regex, GRegex *oracle, const char *line, gsize length)
{
  g_autoptr (GArray) found = leat_regex_walk_find (regex, line, length);
  g_autoptr (GArray) wanted = leat_regex_oracle_find (oracle, line, length);
  gboolean matches = leat_regex_walk_test (regex, line, length);
  int test = leat_regex_oracle_test (oracle, line, length);

  g_assert_true (!matches || leat_regex_walk_filter (regex, line, length));
  g_assert_true (found->len == 0 || matches);
  if (wanted == NULL || test < 0)
    return; /* GLib has given up */
  g_assert_cmpint (matches, ==, test);
  g_assert_cmpmem (found->data, found->len * sizeof (LeatRegexHit), wanted->data, wanted->len * sizeof (LeatRegexHit));
}

/* The first line is a regex, the others are looked through.  What is refused is said shortly; what is taken finds what
 * GLib's regexes find. */
int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, MIN (size, 400));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  gboolean fold = size % 2;
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatRegex) regex = NULL;
  g_autoptr (GRegex) oracle = NULL;

  /* Numbers in braces multiply, and what takes a second to refuse lets few inputs through. */
  if (lines[0] == NULL || strlen (lines[0]) > 60)
    return 0;
  regex = leat_regex_parse (lines[0], fold, FALSE, &error);
  g_assert_cmpint (regex == NULL, ==, error != NULL);
  if (regex == NULL)
    {
      g_assert_cmpuint (strlen (error->message), <, 400);
      return 0;
    }
  oracle = regex->n == 1 ? leat_regex_oracle_new (lines[0], fold) : NULL;
  for (guint i = 1; lines[i] != NULL && oracle != NULL; i++)
    if (g_str_is_ascii (lines[i])) /* which other bytes are letters depends on how PCRE was built */
      leat_fuzz_compare (regex, oracle, lines[i], strlen (lines[i]));
  return 0;
}
