/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz.h"

#include "../core/parse/syntax-equal.h"

#include "leat.h"
#include "parse/leat-parser-private.h"

#include <string.h>

const char *const leat_fuzz_words[] = {
  "leat 1\n", "->",       " -> ",     " + ",        " , ",      "let a = ", "$a",     "${a}",   "$$",
  "\"",       "\\u{e4}",  "include ", "name=",      "=",        ".",        "\n",     "\n  ",   "#",
  "u8[4]",    "u8[<=4M]", "any",      "t:scan ",    "t:source", "t:up",     "t:down", "t:join", "t:split ",
  "t:kernel", "path=x",   "'",        "patterns=a", "f32:2x3",  "s.",       "\\",     "t:sink", "port.in=",
  " {\n",     "\n}",      " begin ",  " end",       "in.u",     "out.v",    "loop ",  "\n\t",   NULL,
};

/* Text that is right as syntax, whatever its nodes are, is written and read again: the same text.  Where names that are
 * referred to exist, it is the same syntax too. */
static void
check_syntax (const char *text, LeatTextStyle style, gboolean names_exist)
{
  g_autoptr (LeatErrorList) errors = leat_error_list_new ();
  g_autoptr (LeatSyntax) syntax = leat_parser_parse_text (text, style, errors);
  g_autoptr (LeatSyntax) again = NULL;
  g_autofree char *printed = NULL, *printed_again = NULL;

  if (!leat_error_list_is_empty (errors))
    return;
  printed = leat_syntax_print (syntax, style);
  again = leat_parser_parse_text (printed, style, errors);
  g_assert_true (leat_error_list_is_empty (errors));
  printed_again = leat_syntax_print (again, style);
  g_assert_cmpstr (printed, ==, printed_again);
  g_assert_true (!names_exist || syntax_equal (syntax, again));
}

/* A pipeline is written and read again, in both spellings: the same. */
static void
check_pipeline (LeatPipeline *pipeline, LeatTextStyle style)
{
  g_autofree char *text = leat_pipeline_to_text (pipeline, style, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) again = leat_parse_text (text, style, NULL, &error);
  g_autofree char *text_again = NULL;

  g_assert_no_error (error);
  text_again = leat_pipeline_to_text (again, style, NULL);
  g_assert_cmpstr (text, ==, text_again);
}

static void
check_errors (GPtrArray *errors)
{
  for (guint i = 0; i < errors->len; i++)
    {
      const GError *error = g_ptr_array_index (errors, i);

      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      g_assert_cmpuint (strlen (error->message), <, 1 << 20);
    }
}

static LeatPipeline *
read_args (const char *text, GPtrArray *errors)
{
  g_auto (GStrv) args = g_strsplit (text, "\n", -1);

  return leat_parse_args_full ((const char *const *) args, errors);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  g_autoptr (LeatPipeline) pipeline = NULL;
  LeatTextStyle style = g_str_has_prefix (text, "leat") ? LEAT_TEXT_STYLE_FILE : LEAT_TEXT_STYLE_TERMINAL;

  /* Other files are not ours to fuzz with. */
  if (strstr (text, "include") != NULL)
    return 0;
  if (g_str_has_prefix (text, "\n"))
    pipeline = read_args (text + 1, errors);
  else
    pipeline = leat_parse_text_full (text, style, NULL, errors);
  g_assert_cmpint (pipeline == NULL, ==, errors->len > 0);
  check_errors (errors);
  check_syntax (text, style, pipeline != NULL);
  if (pipeline != NULL)
    {
      check_pipeline (pipeline, LEAT_TEXT_STYLE_FILE);
      check_pipeline (pipeline, LEAT_TEXT_STYLE_TERMINAL);
    }
  return 0;
}
