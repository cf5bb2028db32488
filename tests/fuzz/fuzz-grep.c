/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz-build.h"
#include "leat-fuzz.h"
#include "leat-grep-scan.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Regexes that text:scan and grep -E spell alike, and lines, as the input chooses them: both must find the same.  That
 * is offsets and matches (-ob), lines with their numbers (-n), and how many these are (-c), all in the C locale. */

#define GREP_TOO_LONG 124 /* the status of timeout */

const char *const leat_fuzz_words[] = { "\1\1\1", "\5\5", "\7\4\2", "\11\3", "\377", "\0", "\20\40\60", NULL };

/* NULL where it takes too long: what glibc does for `((a{,2}|A)|[^a]|B{0})+` doubles with each byte of a line. */
static char *
leat_fuzz_run_grep (const LeatGrepCase *c, const char *path, const char *const *options)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  const char *const environment[] = { "LC_ALL=C", "PATH=/usr/bin:/bin", NULL };
  g_autofree char *says = NULL, *found = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  g_ptr_array_add (words, (gpointer) "timeout");
  g_ptr_array_add (words, (gpointer) "1");
  g_ptr_array_add (words, (gpointer) "grep");
  g_ptr_array_add (words, (gpointer) (c->fold ? "-aiE" : "-aE"));
  for (; *options != NULL; options++)
    g_ptr_array_add (words, (gpointer) *options);
  for (guint i = 0; c->regexes[i] != NULL; i++)
    {
      g_ptr_array_add (words, (gpointer) "-e");
      g_ptr_array_add (words, c->regexes[i]);
    }
  g_ptr_array_add (words, (gpointer) path);
  g_ptr_array_add (words, NULL);
  g_spawn_sync (NULL, (char **) words->pdata, (char **) environment,
                G_SPAWN_SEARCH_PATH_FROM_ENVP | G_SPAWN_LEAVE_DESCRIPTORS_OPEN, NULL, NULL, &found, &says, &status,
                &error);
  g_assert_no_error (error);
  if (g_spawn_check_wait_status (status, &error) || g_error_matches (error, G_SPAWN_EXIT_ERROR, 1))
    return g_steal_pointer (&found);
  if (!g_error_matches (error, G_SPAWN_EXIT_ERROR, GREP_TOO_LONG))
    g_error ("grep, of \"%s\": %s%s", c->list, error->message, says);
  return NULL;
}

static void
leat_fuzz_check (const LeatGrepCase *c, const char *who, const GString *found, const char *option, const char *wanted)
{
  if (g_str_equal (found->str, wanted))
    return;
  g_printerr ("regex %s%s, %zu bytes at a time\n--- text\n%s\n--- %s\n%s--- grep %s\n%s", c->list,
              c->fold ? ", folded" : "", c->chunk, c->text->str, who, found->str, option, wanted);
  g_error ("%s and grep differ", who);
}

/* One of the three things that are asked for. */
typedef struct
{
  LeatGrepPrint print;
  const char *emit;
  const char *options[3];
} LeatFuzzQuestion;

/* What the automata find by themselves, and in one case of two what the node makes of them in runs over
 * pieces of the text. */
static void
leat_fuzz_compare (const LeatGrepCase *c, LeatRegex *regex, const LeatFuzzQuestion *question, const char *path)
{
  g_autofree char *wanted = leat_fuzz_run_grep (c, path, question->options);
  g_autoptr (GString) found = g_string_new (NULL), scanned = NULL;

  if (wanted == NULL)
    return;
  question->print (c, regex, found);
  leat_fuzz_check (c, "the tables", found, question->options[0], wanted);
  if (c->chunk == 0)
    return;
  scanned = leat_grep_scan (c, question->emit, c->chunk);
  leat_fuzz_check (c, "text:scan", scanned, question->options[0], wanted);
}

/* A file that is nowhere, by a name that others can open. */
static char *
leat_fuzz_write_text (const GString *text, int *fd)
{
  *fd = memfd_create ("lines", MFD_CLOEXEC);
  g_assert_cmpint (*fd, >=, 0);
  g_assert_cmpint (write (*fd, text->str, text->len), ==, text->len);
  return g_strdup_printf ("/proc/%d/fd/%d", (int) getpid (), *fd);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static const LeatFuzzQuestion questions[] = { { leat_grep_case_print_matches, "offset", { "-o", "-b" } },
                                                { leat_grep_case_print_lines, "line", { "-n" } },
                                                { leat_grep_case_print_count, "count", { "-c" } } };
  g_autoptr (LeatGrepCase) c = leat_grep_case_new (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatRegex) regex = leat_regex_parse (c->list, c->fold, FALSE, &error);
  g_autofree char *path = NULL;
  int fd;

  if (regex == NULL)
    {
      /* Too many states, or nothing at all. */
      if (!g_error_matches (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE))
        g_error ("\"%s\" was refused: %s", c->list, error->message);
      return 0;
    }
  leat_fuzz_use_build ();
  path = leat_fuzz_write_text (c->text, &fd);
  for (guint i = 0; i < G_N_ELEMENTS (questions); i++)
    leat_fuzz_compare (c, regex, &questions[i], path);
  close (fd);
  return 0;
}
