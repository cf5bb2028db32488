/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Pragmas: what is for the preprocessor is obeyed, and the rest kept on a line of its own for compilers. */

#include "leat-preprocessor-private.h"

#include <string.h>

/* `push_macro ("X")` and its like: X. */
static char *
leat_pp_dup_pragma_name (const char *words)
{
  const char *open = strchr (words, '"'), *close = open != NULL ? strchr (open + 1, '"') : NULL;

  return close != NULL ? g_strndup (open + 1, close - open - 1) : NULL;
}

/* Pragmas whose numbers may be macros. */
static gboolean
leat_pp_pragma_expands (const char *words)
{
  static const char *const known[] = { "unroll", "nounroll", "GCC unroll", "clang loop", "omp" };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_has_prefix (words, known[i]) && !g_ascii_isalnum (words[strlen (known[i])]))
      return TRUE;
  return FALSE;
}

/* Those that have to do with files or macros are for us, and the rest for compilers. */
static gboolean
leat_pp_obey_pragma (LeatPreprocessor *self, const char *words)
{
  static const char *const dropped[] = { "GCC system_header", "GCC dependency", "GCC pch_preprocess",
                                         "GCC poison",        "GCC warning",    "GCC error",
                                         "message",           "region",         "endregion" };
  g_autofree char *name = NULL;

  if (g_str_equal (words, "once"))
    {
      leat_pp_mark_once (self);
      return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (dropped); i++)
    if (g_str_has_prefix (words, dropped[i]))
      return TRUE;
  if (!g_str_has_prefix (words, "push_macro") && !g_str_has_prefix (words, "pop_macro"))
    return FALSE;
  name = leat_pp_dup_pragma_name (words);
  if (name != NULL && words[1] == 'u')
    leat_pp_push_macro (self, name);
  else if (name != NULL)
    leat_pp_pop_macro (self, name);
  return TRUE;
}

void
leat_pp_pragma (LeatPreprocessor *self, guint line)
{
  LeatPreprocessorFile before = *self->file;
  g_autofree char *words = leat_pp_dup_line (self), *text = NULL;

  if (self->error != NULL || leat_pp_obey_pragma (self, words))
    return;
  if (leat_pp_pragma_expands (words))
    {
      *self->file = before;
      g_free (words);
      words = leat_pp_dup_expanded_line (self);
    }
  text = g_strdup_printf ("#pragma %s", words);
  leat_pp_write_line (self, line, text);
}

/* `_Pragma ("words")`, of which the name was read. */
void
leat_pp_pragma_operator (LeatPreprocessor *self, const LeatPpToken *name)
{
  g_autofree char *inner = NULL, *words = NULL, *text = NULL;
  LeatPpToken tokens[3];
  const char *open;

  for (guint i = 0; i < 3; i++)
    do
      leat_pp_next (self, &tokens[i]);
    while (tokens[i].kind == LEAT_PP_PADDING);
  open = tokens[1].kind == LEAT_PP_STRING ? memchr (tokens[1].text, '"', tokens[1].length) : NULL;
  if (!leat_pp_is (&tokens[0], "(") || open == NULL || !leat_pp_is (&tokens[2], ")"))
    {
      leat_pp_fail (self, name->line != 0 ? name->line : self->use_line,
                    name->line != 0 ? name->column : self->use_column,
                    "expected a string in parentheses after _Pragma");
      return;
    }
  inner = g_strndup (open + 1, tokens[1].text + tokens[1].length - open - 2);
  words = g_strcompress (inner);
  g_strstrip (g_strdelimit (words, "\n", ' '));
  if (leat_pp_obey_pragma (self, words))
    return;
  text = g_strdup_printf ("#pragma %s", words);
  leat_pp_write_line (self, MAX (name->line, self->text_line), text);
}
