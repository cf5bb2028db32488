/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"
#include "parse/leat-parser-private.h"
#include "body-cases.h"

#include <string.h>

static const char *
name_code (const GError *error)
{
  g_assert_true (error->domain == LEAT_PARSE_ERROR);
  switch (error->code)
    {
    case LEAT_PARSE_ERROR_SYNTAX:
      return "SYNTAX";
    case LEAT_PARSE_ERROR_NAME:
      return "NAME";
    case LEAT_PARSE_ERROR_QUOTE:
      return "QUOTE";
    case LEAT_PARSE_ERROR_LIMIT:
      return "LIMIT";
    default:
      return "?";
    }
}

/* @said: what is wrong with it, a line each */
static LeatSyntax *
read_text (const char *text, LeatTextStyle style, GString *said)
{
  g_autoptr (LeatErrorList) errors = leat_error_list_new ();
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  LeatSyntax *syntax = leat_parser_parse_text (text, style, errors);

  leat_error_list_move (errors, list);
  for (guint i = 0; i < list->len; i++)
    {
      const GError *error = g_ptr_array_index (list, i);

      g_string_append_printf (said, "%s: %s\n", name_code (error), error->message);
    }
  return syntax;
}

static LeatSyntax *
read_right (const char *text, LeatTextStyle style)
{
  g_autoptr (GString) said = g_string_new (NULL);
  LeatSyntax *syntax = read_text (text, style, said);

  g_assert_cmpstr (said->str, ==, "");
  return syntax;
}

static void
check_errors (const BodyCase *cases, guint n, LeatTextStyle style)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GString) said = g_string_new (NULL);
      g_autoptr (LeatSyntax) syntax = read_text (cases[i].text, style, said);

      if (g_str_equal (said->str, cases[i].errors))
        continue;
      g_test_message ("of %s\nit says\n%sinstead of\n%s", cases[i].text, said->str, cases[i].errors);
      ok = FALSE;
    }
  g_assert_true (ok);
}

static void
test_bodies_errors (void)
{
  check_errors (body_file_cases, G_N_ELEMENTS (body_file_cases), LEAT_TEXT_STYLE_FILE);
  check_errors (body_terminal_cases, G_N_ELEMENTS (body_terminal_cases), LEAT_TEXT_STYLE_TERMINAL);
}

static void
test_bodies_args (void)
{
  const char *const args[] = { "a", "+", "loop", "p=x y", "begin", "in.u", "+", "b", "end", NULL };
  const char *const wrong[] = { "a", "+", "loop", "begin", "b", NULL };
  g_autoptr (LeatErrorList) errors = leat_error_list_new ();
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  g_autoptr (LeatSyntax) syntax = leat_parser_parse_args (args, errors);
  g_autofree char *text = leat_syntax_print (syntax, LEAT_TEXT_STYLE_TERMINAL);
  g_autoptr (LeatSyntax) open = NULL;

  g_assert_true (leat_error_list_is_empty (errors));
  g_assert_cmpstr (text, ==, "a + loop p='x y' begin in.u + b end");
  open = leat_parser_parse_args (wrong, errors);
  leat_error_list_move (errors, list);
  g_assert_cmpuint (list->len, ==, 1);
  g_assert_cmpstr (((GError *) g_ptr_array_index (list, 0))->message, ==,
                   "argument 4, column 1: the body that \"begin\" opens is not ended; expected \"end\" before the end "
                   "of the text");
}

/* @depth bodies in each other. */
static char *
nest (guint depth, LeatTextStyle style)
{
  GString *text = g_string_new (style == LEAT_TEXT_STYLE_FILE ? "leat 1\n" : "");

  for (guint i = 0; i < depth; i++)
    g_string_append_printf (text, style == LEAT_TEXT_STYLE_FILE ? "%*sloop {\n" : "%*sloop begin ", (int) i, "");
  g_string_append_printf (text, style == LEAT_TEXT_STYLE_FILE ? "%*sa\n" : "%*sa", (int) depth, "");
  for (guint i = 0; i < depth; i++)
    g_string_append (text, style == LEAT_TEXT_STYLE_FILE ? "}\n" : " end");
  return g_string_free (text, FALSE);
}

static void
test_bodies_limit_depth (void)
{
  static const LeatTextStyle styles[] = { LEAT_TEXT_STYLE_FILE, LEAT_TEXT_STYLE_TERMINAL };

  for (guint i = 0; i < G_N_ELEMENTS (styles); i++)
    {
      g_autofree char *deep = nest (LEAT_SYNTAX_MAX_BODY_DEPTH, styles[i]);
      g_autofree char *deeper = nest (LEAT_SYNTAX_MAX_BODY_DEPTH + 1, styles[i]);
      g_autofree char *deepest = nest (400, styles[i]);
      g_autoptr (GString) said = g_string_new (NULL);
      g_autoptr (GString) said_most = g_string_new (NULL);
      g_autoptr (LeatSyntax) right = read_right (deep, styles[i]);
      g_autoptr (LeatSyntax) wrong = read_text (deeper, styles[i], said);
      g_autoptr (LeatSyntax) most = read_text (deepest, styles[i], said_most);

      g_assert_true (g_str_has_prefix (said->str, "LIMIT: line "));
      g_assert_true (g_str_has_suffix (said->str, ": bodies are nested deeper than 16\n"));
      g_assert_cmpstr (said_most->str, ==, said->str);
    }
}

/* The limits of a text hold for all of it, however it is nested. */
static void
test_bodies_limit_nodes (void)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");
  g_autoptr (GString) said = g_string_new (NULL);
  g_autoptr (LeatSyntax) syntax = NULL;

  for (guint i = 0; i < 64; i++)
    {
      g_string_append (text, "loop {\n");
      for (guint j = 0; j < 63; j++)
        g_string_append (text, " a\n");
      g_string_append (text, "}\n");
    }
  syntax = read_right (text->str, LEAT_TEXT_STYLE_FILE);
  g_string_append (text, "loop {\n a\n}\n");
  g_clear_pointer (&syntax, leat_syntax_free);
  syntax = read_text (text->str, LEAT_TEXT_STYLE_FILE, said);
  g_assert_cmpstr (said->str, ==, "LIMIT: line 4162, column 1: more than 4096 nodes\n");
}

/* A text that is cut off for its length has no end of its body either, which is not told on top. */
static void
test_bodies_limit_words (void)
{
  g_autoptr (GString) text = g_string_new ("a + loop begin b");
  g_autoptr (GString) said = g_string_new (NULL);
  g_autoptr (LeatSyntax) syntax = NULL;

  for (guint i = 0; i < 1000; i++)
    g_string_append (text, " + s.");
  for (guint i = 0; i < 100000; i++)
    g_string_append (text, " ,");
  g_string_append (text, " end");
  syntax = read_text (text->str, LEAT_TEXT_STYLE_TERMINAL, said);
  g_assert_nonnull (strstr (said->str, "LIMIT: line 1, column "));
  g_assert_null (strstr (said->str, "is not ended"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/parse/body-errors/all", test_bodies_errors);
  g_test_add_func ("/leat/parse/body-errors/args", test_bodies_args);
  g_test_add_func ("/leat/parse/body-errors/limit-depth", test_bodies_limit_depth);
  g_test_add_func ("/leat/parse/body-errors/limit-nodes", test_bodies_limit_nodes);
  g_test_add_func ("/leat/parse/body-errors/limit-words", test_bodies_limit_words);
  return g_test_run ();
}
