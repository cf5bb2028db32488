/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <string.h>

/* The manual pages say what the tools do: the options of one are the options of the other, and the exit codes. */

/* The page as it is installed. */
static char *
manual_get_path (const char *tool)
{
  g_autofree char *name = g_strconcat (tool, ".1", NULL);

  return g_test_build_filename (G_TEST_BUILT, "..", "docs", name, NULL);
}

/* With dashes as they are read. (transfer full) */
static char *
manual_read (const char *tool)
{
  g_autofree char *path = manual_get_path (tool);
  g_autoptr (GString) text = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *page = NULL;

  g_file_get_contents (path, &page, NULL, &error);
  g_assert_no_error (error);
  text = g_string_new (page);
  g_string_replace (text, "\\-", "-", 0);
  return g_strdup (text->str);
}

/* A section, without its heading. (transfer full) */
static char *
manual_get_section (const char *page, const char *heading)
{
  g_autofree char *line = g_strdup_printf ("\n.SH %s\n", heading);
  const char *begin = strstr (page, line);
  const char *end;

  g_assert_nonnull (begin);
  begin += strlen (line) - 1;
  end = strstr (begin, "\n.SH ");
  return end != NULL ? g_strndup (begin, end - begin) : g_strdup (begin);
}

static int
manual_compare_words (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* The first group of all matches, sorted, each once, with spaces between. (transfer full) */
static char *
manual_find_words (const char *text, const char *pattern)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_MULTILINE, 0, NULL);
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GMatchInfo) match = NULL;
  GString *all = g_string_new (NULL);

  for (g_regex_match (regex, text, 0, &match); g_match_info_matches (match); g_match_info_next (match, NULL))
    g_ptr_array_add (words, g_match_info_fetch (match, 1));
  g_ptr_array_sort (words, manual_compare_words);
  for (guint i = 0; i < words->len; i++)
    if (i == 0 || strcmp (words->pdata[i], words->pdata[i - 1]) != 0)
      g_string_append_printf (all, "%s ", (char *) words->pdata[i]);
  return g_string_free (all, FALSE);
}

/* All tools but one are on the path. (transfer full) */
static char *
manual_find_tool (const char *tool)
{
  char *path = g_find_program_in_path (tool);

  return path != NULL ? path : g_test_build_filename (G_TEST_BUILT, "..", "core", tool, NULL);
}

static void
test_manual_has_the_options (gconstpointer tool)
{
  g_autofree char *program = manual_find_tool (tool);
  g_autoptr (ToolResult) help = tool_run (NULL, ((const char *const[]){ program, "--help", NULL }));
  g_autofree char *page = manual_read (tool);
  g_autofree char *section = manual_get_section (page, "OPTIONS");
  g_autofree char *in_help = manual_find_words (help->out, "^  (?:-\\w, )?(--[a-z-]+)");
  g_autofree char *in_page = manual_find_words (section, "^\\.TP\\n\\.BR? .*?(--[a-z-]+)");
  g_autofree char *short_in_help = manual_find_words (help->out, "^  (-\\w), --");
  g_autofree char *short_in_page = manual_find_words (section, "^\\.TP\\n\\.BR? (-\\w)\\b");

  g_test_message ("%s", in_page);
  g_assert_cmpint (help->code, ==, 0);
  tool_assert_contains (in_help, "--help ");
  g_assert_cmpstr (in_page, ==, in_help);
  g_assert_cmpstr (short_in_page, ==, short_in_help);
}

static void
test_manual_has_the_exit_codes (void)
{
  g_autoptr (ToolResult) help = tool_run (NULL, ((const char *const[]){ "leat-launch", "--help", NULL }));
  g_autofree char *page = manual_read ("leat-launch");
  g_autofree char *section = manual_get_section (page, "EXIT STATUS");
  const char *summary = strstr (help->out, "Exit status:");
  g_autofree char *in_help = NULL;
  g_autofree char *in_page = manual_find_words (section, "^\\.TP\\n\\.B (\\d+)$");

  g_assert_nonnull (summary);
  in_help = manual_find_words (summary, "(?:Exit status: |, |,\n)(\\d+) ");
  g_assert_cmpstr (in_help, ==, "0 1 130 2 3 4 5 ");
  g_assert_cmpstr (in_page, ==, in_help);
}

static void
test_manual_renders (gconstpointer tool)
{
  g_autofree char *path = manual_get_path (tool);
  g_autofree char *groff = g_find_program_in_path ("groff");
  g_autoptr (ToolResult) result = NULL;

  if (groff == NULL)
    {
      g_test_skip ("there is no groff");
      return;
    }
  result = tool_run (NULL, ((const char *const[]){ groff, "-man", "-Tascii", "-ww", path, NULL }));
  g_assert_cmpint (result->code, ==, 0);
  g_assert_cmpstr (result->err, ==, "");
  tool_assert_contains (result->out, tool);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/tools/manual/has-the-options/launch", "leat-launch", test_manual_has_the_options);
  g_test_add_data_func ("/leat/tools/manual/has-the-options/inspect", "leat-inspect", test_manual_has_the_options);
  g_test_add_data_func ("/leat/tools/manual/has-the-options/kernelc", "leat-kernelc", test_manual_has_the_options);
  g_test_add_data_func ("/leat/tools/manual/has-the-options/compile", "leat-compile", test_manual_has_the_options);
  g_test_add_data_func ("/leat/tools/manual/has-the-options/bench", "leat-bench", test_manual_has_the_options);
  g_test_add_data_func ("/leat/tools/manual/has-the-options/top", "leat-top", test_manual_has_the_options);
  g_test_add_func ("/leat/tools/manual/has-the-exit-codes", test_manual_has_the_exit_codes);
  g_test_add_data_func ("/leat/tools/manual/renders/launch", "leat-launch", test_manual_renders);
  g_test_add_data_func ("/leat/tools/manual/renders/inspect", "leat-inspect", test_manual_renders);
  g_test_add_data_func ("/leat/tools/manual/renders/kernelc", "leat-kernelc", test_manual_renders);
  g_test_add_data_func ("/leat/tools/manual/renders/compile", "leat-compile", test_manual_renders);
  g_test_add_data_func ("/leat/tools/manual/renders/bench", "leat-bench", test_manual_renders);
  g_test_add_data_func ("/leat/tools/manual/renders/top", "leat-top", test_manual_renders);
  return g_test_run ();
}
