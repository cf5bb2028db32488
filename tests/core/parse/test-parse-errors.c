/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"
#include "error-cases.h"

#include <string.h>

static const char *const parse_codes[] = {
  "FAILED",
  "SYNTAX",
  "QUOTE",
  "ENCODING",
  "VERSION",
  "NAME",
  "DUPLICATE",
  "VARIABLE_UNKNOWN",
  "VARIABLE_DUPLICATE",
  "VARIABLE_OVERRIDE",
  "VALUE",
  "INCLUDE",
  "INCLUDE_CYCLE",
  "IO",
  "LIMIT",
  "EMPTY",
};
static const char *const graph_codes[] = {
  "GRAPH_FAILED", "UNKNOWN_NODE", "UNKNOWN_PROPERTY", "UNKNOWN_PORT", "UNKNOWN_NAME", "DUPLICATE_NAME", "TYPE",
  "RANGE",        "MISSING",      "UNLINKED",         "TWO_WRITERS",  "DIRECTION",    "CYCLE",          "SPEC",
  "RESIDENCE",    "AMBIGUOUS",    "PLUGIN",           "GRAPH_IO",     "DATA",         "BUSY",
};

static char *
describe (GPtrArray *errors)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < errors->len; i++)
    {
      const GError *error = g_ptr_array_index (errors, i);
      const char *code = "?";

      if (error->domain == LEAT_PARSE_ERROR)
        code = parse_codes[error->code];
      else if (error->domain == LEAT_GRAPH_ERROR)
        code = graph_codes[error->code];
      g_string_append_printf (text, "%s: %s\n", code, error->message);
    }
  return g_string_free (text, FALSE);
}

static void
check (const ErrorCase *cases, guint n, LeatTextStyle style)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
      g_autoptr (LeatPipeline) pipeline = leat_parse_text_full (cases[i].text, style, NULL, errors);
      g_autofree char *said = describe (errors);

      g_assert_cmpint (pipeline == NULL, ==, errors->len > 0);
      if (g_strcmp0 (said, cases[i].errors) == 0)
        continue;
      g_test_message ("of %s\nit says\n%sinstead of\n%s", cases[i].text, said, cases[i].errors);
      ok = FALSE;
    }
  g_assert_true (ok);
}

static void
test_parse_errors_file (void)
{
  check (file_cases, G_N_ELEMENTS (file_cases), LEAT_TEXT_STYLE_FILE);
}

static void
test_parse_errors_terminal (void)
{
  check (terminal_cases, G_N_ELEMENTS (terminal_cases), LEAT_TEXT_STYLE_TERMINAL);
}

static void
test_parse_errors_args (void)
{
  const char *const args[] = { "t:source", "path=a", "+", "t:up", "+", "t:scan", "pattern=x y", NULL };
  const char *const shell_took_it[] = { "t:source", "path=a", "-", NULL };
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  g_autofree char *said = NULL;

  g_assert_null (leat_parse_args_full (args, errors));
  g_assert_null (leat_parse_args_full (shell_took_it, errors));
  said = describe (errors);
  g_assert_cmpstr (said, ==, args_errors);
}

/* One error for bindings: the first, and how many more. */
static void
test_parse_errors_single (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_parse_text ("leat 1\nt:nothing\n", LEAT_TEXT_STYLE_FILE, NULL, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NODE);
  g_assert_null (strstr (error->message, "more"));
  g_clear_error (&error);
  g_assert_null (leat_parse_text ("leat 1\nt:nothing\nx..y -> z\n\"", LEAT_TEXT_STYLE_FILE, NULL, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NODE);
  g_assert_true (g_str_has_suffix (error->message, "(and 3 more errors)"));
}

/* A fault on every line: what is kept is bounded, and the rest is counted. */
static void
test_parse_errors_many (void)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  const GError *last;

  for (int i = 0; i < 1000; i++)
    g_string_append (text, "= x\n");
  g_assert_null (leat_parse_text_full (text->str, LEAT_TEXT_STYLE_FILE, NULL, errors));
  g_assert_cmpuint (errors->len, ==, 101);
  last = g_ptr_array_index (errors, 100);
  g_assert_error (last, LEAT_PARSE_ERROR, LEAT_PARSE_ERROR_LIMIT);
  g_assert_cmpstr (last->message, ==, "900 more errors are not listed; correct the first ones and try again");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/parse/errors/file", test_parse_errors_file);
  g_test_add_func ("/leat/parse/errors/terminal", test_parse_errors_terminal);
  g_test_add_func ("/leat/parse/errors/args", test_parse_errors_args);
  g_test_add_func ("/leat/parse/errors/single", test_parse_errors_single);
  g_test_add_func ("/leat/parse/errors/many", test_parse_errors_many);
  return g_test_run ();
}
