/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-grep-case.h"

#include "leat-fuzz-choices.h"

#include <string.h>

#define GREP_DEPTH_MOST   4
#define GREP_REGEXES_MOST 3
#define GREP_LINES_MOST   60
#define GREP_LENGTH_MOST  24

typedef struct
{
  LeatFuzzChoices choices;
  guint places; /* borders of lines and words that were written */
} GrepWriter;

static guint
grep_choose (GrepWriter *self, guint n)
{
  return leat_fuzz_choose (&self->choices, n);
}

static void
grep_append_one_of (GrepWriter *self, GString *regex, const char *const *words, guint n)
{
  g_string_append (regex, words[grep_choose (self, n)]);
}

#define GREP_ONE_OF(writer, regex, words) grep_append_one_of (writer, regex, words, G_N_ELEMENTS (words))

/* One byte, or a set of bytes. */
static void
grep_append_atom (GrepWriter *self, GString *regex)
{
  static const char *const letters[] = {
    "a", "b", "c", "A", "B", "1", "_", " ", "-", "ab", "abc", "\\.", "\\*", "\377"
  };
  static const char *const sets[] = { ".",      "[ab]",  "[^a]", "[a-c]", "[]a]", "[^]a]", "[a-]", "[-a]",
                                      "[^a-c]", "[*.+]", "\\w",  "\\W",   "\\s",  "\\S",   "[a^]", "[$1]" };
  static const char *const classes[] = { "alpha", "digit", "alnum", "upper", "lower",  "space",
                                         "blank", "punct", "print", "graph", "xdigit", "cntrl" };

  switch (grep_choose (self, 4))
    {
    case 0:
    case 1:
      GREP_ONE_OF (self, regex, letters);
      return;
    case 2:
      GREP_ONE_OF (self, regex, sets);
      return;
    default:
      g_string_append (regex, grep_choose (self, 3) == 0 ? "[^[:" : "[[:");
      GREP_ONE_OF (self, regex, classes);
      g_string_append (regex, grep_choose (self, 3) == 0 ? ":]_b]" : ":]]");
    }
}

static void
grep_append_times (GrepWriter *self, GString *regex)
{
  static const char *const times[] = { "*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,2}", "{,2}", "{0}", "{1}" };

  GREP_ONE_OF (self, regex, times);
}

static void grep_append (GrepWriter *self, GString *regex, guint depth);

/* A group with a border in it is not repeated: glibc forgets borders where it does, so that `(|\BB1){1,2}` has it find
 * B1 at the beginning of a line, where `(|\BB1)` does not. */
static void
grep_append_group (GrepWriter *self, GString *regex, guint depth)
{
  guint before = self->places;

  g_string_append_c (regex, '(');
  grep_append (self, regex, depth);
  for (guint n = grep_choose (self, 3); n > 0; n--)
    {
      g_string_append_c (regex, '|');
      if (grep_choose (self, 6) != 5)
        grep_append (self, regex, depth);
    }
  g_string_append_c (regex, ')');
  if (self->places == before && grep_choose (self, 2) == 1)
    grep_append_times (self, regex);
}

static void
grep_append (GrepWriter *self, GString *regex, guint depth)
{
  static const char *const places[] = { "^", "$", "\\b", "\\B", "\\<", "\\>" };

  switch (grep_choose (self, depth < GREP_DEPTH_MOST ? 9 : 3))
    {
    case 0:
    case 1:
      grep_append_atom (self, regex);
      return;
    case 2:
      self->places++;
      GREP_ONE_OF (self, regex, places);
      return;
    case 3:
      grep_append_atom (self, regex);
      grep_append_times (self, regex);
      return;
    case 4:
    case 5:
      grep_append (self, regex, depth + 1);
      grep_append (self, regex, depth + 1);
      return;
    default:
      grep_append_group (self, regex, depth + 1);
      return;
    }
}

/* Some of them with alternatives that no parentheses hold. */
static char *
grep_make_regex (GrepWriter *self)
{
  GString *regex = g_string_new (NULL);

  grep_append (self, regex, 0);
  if (grep_choose (self, 4) == 3)
    {
      g_string_append_c (regex, '|');
      grep_append (self, regex, 1);
    }
  return g_string_free (regex, FALSE);
}

/* Lines of any length, some of them empty, the last one with or without its end. */
static GString *
grep_make_text (GrepWriter *self)
{
  static const char *const letters[] = { "ab", "aabbcC1 _B", "abcABC123.*+-_]^$ \t\377\1", "a \n" };
  const char *of = letters[grep_choose (self, G_N_ELEMENTS (letters))];
  g_autoptr (GRand) random = g_rand_new_with_seed (1 + grep_choose (self, 256) * 256 + grep_choose (self, 256));
  gint32 lines = g_rand_int_range (random, 0, GREP_LINES_MOST), n = (gint32) strlen (of);
  GString *text = g_string_new (NULL);

  for (gint32 i = 0; i < lines; i++)
    {
      for (gint32 k = g_rand_int_range (random, 0, GREP_LENGTH_MOST); k > 0; k--)
        g_string_append_c (text, of[g_rand_int_range (random, 0, n)]);
      if (i + 1 < lines || g_rand_boolean (random))
        g_string_append_c (text, '\n');
    }
  return text;
}

LeatGrepCase *
leat_grep_case_new (const guint8 *data, gsize size)
{
  static const gsize chunks[] = { 0, 0, 0, 0, 4096, 5, 64, 333 };
  GrepWriter writer = { { data, size, 0 }, 0 };
  LeatGrepCase *self = g_new0 (LeatGrepCase, 1);
  guint n = grep_choose (&writer, 4) == 3 ? 1 + grep_choose (&writer, GREP_REGEXES_MOST) : 1;

  self->fold = grep_choose (&writer, 3) == 2;
  self->chunk = chunks[grep_choose (&writer, G_N_ELEMENTS (chunks))];
  self->text = grep_make_text (&writer);
  self->regexes = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    self->regexes[i] = grep_make_regex (&writer);
  self->list = g_strjoinv (",", self->regexes);
  return self;
}

void
leat_grep_case_free (LeatGrepCase *self)
{
  g_strfreev (self->regexes);
  g_free (self->list);
  g_string_free (self->text, TRUE);
  g_free (self);
}

/* The line at @at; its end belongs to none. */
static gsize
grep_measure_line (const LeatGrepCase *self, gsize at)
{
  const char *end = memchr (self->text->str + at, '\n', self->text->len - at);

  return end != NULL ? (gsize) (end - self->text->str) - at : self->text->len - at;
}

void
leat_grep_case_print_matches (const LeatGrepCase *self, LeatRegex *regex, GString *found)
{
  for (gsize at = 0, length; at < self->text->len; at += length + 1)
    {
      const char *line = self->text->str + at;
      g_autoptr (GArray) hits = NULL;

      length = grep_measure_line (self, at);
      hits = leat_regex_walk_find (regex, line, length);
      for (guint i = 0; i < hits->len; i++)
        {
          const LeatRegexHit *hit = &g_array_index (hits, LeatRegexHit, i);

          g_string_append_printf (found, "%zu:", at + hit->begin);
          g_string_append_len (found, line + hit->begin, (gssize) hit->length);
          g_string_append_c (found, '\n');
        }
    }
}

/* A line that matches must also pass the filter that is looked at before. */
static gboolean
grep_test_line (LeatRegex *regex, const char *line, gsize length)
{
  gboolean matches = leat_regex_walk_test (regex, line, length);

  g_assert_true (!matches || leat_regex_walk_filter (regex, line, length));
  return matches;
}

void
leat_grep_case_print_lines (const LeatGrepCase *self, LeatRegex *regex, GString *found)
{
  guint number = 1;

  for (gsize at = 0, length; at < self->text->len; at += length + 1, number++)
    {
      length = grep_measure_line (self, at);
      if (!grep_test_line (regex, self->text->str + at, length))
        continue;
      g_string_append_printf (found, "%u:", number);
      g_string_append_len (found, self->text->str + at, (gssize) length);
      g_string_append_c (found, '\n');
    }
}

void
leat_grep_case_print_count (const LeatGrepCase *self, LeatRegex *regex, GString *found)
{
  guint count = 0;

  for (gsize at = 0, length; at < self->text->len; at += length + 1)
    {
      length = grep_measure_line (self, at);
      count += grep_test_line (regex, self->text->str + at, length);
    }
  g_string_append_printf (found, "%u\n", count);
}
