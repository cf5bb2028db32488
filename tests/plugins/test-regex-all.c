/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "leat-regex-oracle.h"

#include <string.h>

/* All small regexes with bounded repeats between letters, over all short lines, beside `grep -E`: what the automaton
 * finds, and that its filter lets all of that through.  An argument `all` asks for many more of them. */

/* So many regexes have one grep: each has lines that begin with its number, and so has its part of grep's regex. */
#define REGEX_ALL_BATCH 64

typedef struct
{
  GPtrArray *regexes; /* char *, of this batch */
  GPtrArray *lines;
  guint n; /* regexes in all */
} RegexAll;

static gboolean regex_all_many;

/* All strings of `letters` up to that length, with and without a letter in front and behind that no repeat has. */
static void
regex_all_add_lines (GPtrArray *lines, const char *letters, guint most)
{
  static const char *const ends[] = { "", "c" };
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (all, g_strdup (""));
  for (guint i = 0; i < all->len && strlen (g_ptr_array_index (all, i)) < most; i++)
    for (const char *letter = letters; *letter != '\0'; letter++)
      g_ptr_array_add (all, g_strdup_printf ("%s%c", (char *) g_ptr_array_index (all, i), *letter));
  for (guint i = 0; i < all->len; i++)
    for (guint e = 0; e < 4; e++)
      g_ptr_array_add (lines, g_strconcat (ends[e / 2], (char *) g_ptr_array_index (all, i), ends[e % 2], NULL));
}

/* grep's word on each line of each regex. */
static guint8 *
regex_all_ask_grep (RegexAll *self)
{
  g_autoptr (GString) regex = g_string_new ("");
  g_autoptr (GString) text = g_string_new ("");
  guint8 *has = g_new0 (guint8, (gsize) self->regexes->len * self->lines->len);
  g_autofree char *regex_path = leat_harness_dup_path ("regex"), *text_path = leat_harness_dup_path ("text");
  const char *argv[] = { "grep", "-n", "-a", "-E", "-f", regex_path, text_path, NULL };
  g_auto (GStrv) envp = g_environ_setenv (g_get_environ (), "LC_ALL", "C", TRUE);
  g_autofree char *said = NULL;
  GError *error = NULL;

  for (guint i = 0; i < self->regexes->len; i++)
    {
      g_string_append_printf (regex, "^%u:(.*)(%s)\n", i, (char *) g_ptr_array_index (self->regexes, i));
      for (guint k = 0; k < self->lines->len; k++)
        g_string_append_printf (text, "%u:%s\n", i, (char *) g_ptr_array_index (self->lines, k));
    }
  leat_harness_write_file (regex_path, regex->str, regex->len);
  leat_harness_write_file (text_path, text->str, text->len);
  g_spawn_sync (NULL, (char **) argv, envp, G_SPAWN_SEARCH_PATH, NULL, NULL, &said, NULL, NULL, &error);
  g_assert_no_error (error);
  for (const char *at = said; *at != '\0'; at = strchr (at, '\n') + 1)
    has[g_ascii_strtoull (at, NULL, 10) - 1] = TRUE;
  return has;
}

static void
regex_all_check_one (RegexAll *self, const char *text, const guint8 *has)
{
  GError *error = NULL;
  g_autoptr (LeatRegex) regex = leat_regex_parse (text, FALSE, FALSE, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < self->lines->len; i++)
    {
      const char *line = g_ptr_array_index (self->lines, i);
      gsize length = strlen (line);

      if (leat_regex_walk_test (regex, line, length) != has[i])
        g_error ("%s in \"%s\": grep says %d", text, line, has[i]);
      if (has[i] && !leat_regex_walk_filter (regex, line, length))
        g_error ("%s in \"%s\": the filter lets it go by", text, line);
    }
}

static void
regex_all_check (RegexAll *self)
{
  g_autofree guint8 *has = regex_all_ask_grep (self);

  for (guint i = 0; i < self->regexes->len; i++)
    regex_all_check_one (self, g_ptr_array_index (self->regexes, i), has + (gsize) i * self->lines->len);
  self->n += self->regexes->len;
  g_ptr_array_set_size (self->regexes, 0);
}

G_GNUC_PRINTF (2, 3)
static void
regex_all_add (RegexAll *self, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (self->regexes, g_strdup_vprintf (format, args));
  va_end (args);
  if (self->regexes->len == REGEX_ALL_BATCH)
    regex_all_check (self);
}

static void
regex_all_init (RegexAll *self)
{
  self->n = 0;
  self->regexes = g_ptr_array_new_with_free_func (g_free);
  self->lines = g_ptr_array_new_with_free_func (g_free);
  regex_all_add_lines (self->lines, "ab", regex_all_many ? 8 : 6);
}

static void
regex_all_finish (RegexAll *self, guint least)
{
  if (self->regexes->len > 0)
    regex_all_check (self);
  g_test_message ("%u regexes, %u lines each", self->n, self->lines->len);
  g_assert_cmpuint (self->n, >=, least);
  g_ptr_array_unref (self->regexes);
  g_ptr_array_unref (self->lines);
}

/* "{2,4}", also without an end; the greatest number is @most. */
static char *
regex_all_repeat (guint from, guint to, guint most)
{
  return to > most ? g_strdup_printf ("{%u,}", from) : g_strdup_printf ("{%u,%u}", from, to);
}

static void
test_regex_all_one (void)
{
  static const char *const parts[] = { "a", "(ab)", "[ab]", "(a|b)", "(a|ab)", ".", "(a?b)" };
  static const char *const before[] = { "", "c", "b", "ca" }, *const behind[] = { "", "c", "b", "bc", "$" };
  const guint most = regex_all_many ? 6 : 3, n_parts = regex_all_many ? G_N_ELEMENTS (parts) : 4;
  RegexAll self;

  regex_all_init (&self);
  for (guint p = 0; p < n_parts; p++)
    for (guint from = 0; from <= most; from++)
      for (guint to = MAX (from, 1); to <= most + 1; to++)
        for (guint b = 0; b < G_N_ELEMENTS (before); b++)
          for (guint e = 0; e < G_N_ELEMENTS (behind); e++)
            {
              g_autofree char *repeat = regex_all_repeat (from, to, most);

              regex_all_add (&self, "%s%s%s%s", before[b], parts[p], repeat, behind[e]);
            }
  regex_all_finish (&self, 900);
}

static void
test_regex_all_two (void)
{
  static const char *const frames[] = { "%s%s", "c%s%sc", "(%s%s)", "%sa%s", "(%s|c%s)" };
  static const char *const parts[] = { "a", "b", "(ab)", "[ab]" };
  const guint most = regex_all_many ? 3 : 2, n_frames = regex_all_many ? G_N_ELEMENTS (frames) : 2;
  const guint n_parts = regex_all_many ? G_N_ELEMENTS (parts) : 2, n = most + 1;
  RegexAll self;

  regex_all_init (&self);
  for (guint p = 0; p < n_parts * n_parts; p++)
    for (guint i = 0; i < n * n * n * n; i++)
      {
        guint from = i % n, to = MAX (MAX (from, i / n % n), 1), other = i / n / n % n;
        guint other_to = MAX (MAX (other, i / n / n / n), 1);
        g_autofree char *one = regex_all_repeat (from, to, most), *two = regex_all_repeat (other, other_to, most);
        g_autofree char *left = g_strconcat (parts[p % n_parts], one, NULL);
        g_autofree char *right = g_strconcat (parts[p / n_parts], two, NULL);

        for (guint f = 0; f < n_frames; f++)
          {
            g_auto (GStrv) pieces = g_strsplit (frames[f], "%s", 3);

            regex_all_add (&self, "%s%s%s%s%s", pieces[0], left, pieces[1], right, pieces[2]);
          }
      }
  regex_all_finish (&self, 600);
}

int
main (int argc, char **argv)
{
  g_autofree char *grep = g_find_program_in_path ("grep");
  int result;

  g_test_init (&argc, &argv, NULL);
  regex_all_many = argc > 1 && g_str_equal (argv[argc - 1], "all");
  if (grep == NULL)
    {
      g_print ("1..0 # SKIP no grep here\n");
      return 0;
    }
  g_test_add_func ("/leat/text/regex/all/one-repeat", test_regex_all_one);
  g_test_add_func ("/leat/text/regex/all/two-repeats", test_regex_all_two);
  result = g_test_run ();
  leat_harness_remove_files ();
  return result;
}
