/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Macros: how they are defined and found. */

#include "leat-preprocessor-private.h"

#include <string.h>

#define LEAT_PP_PARAMS_MAX 4096 /* a token's param holds less than 65536 */

/* @macro: NULL for a name that is no macro any more */
static void
leat_pp_set_macro (LeatPreprocessor *self, const char *name, gsize length, LeatPpMacro *macro)
{
  LeatPpWord *word = g_new (LeatPpWord, 1);

  word->text = g_string_chunk_insert_len (self->words, name, length);
  word->length = length;
  g_hash_table_replace (self->macros, word, macro);
}

/* A name that is left for compilers to expand is no macro for them either.  Where it is defined anew, what still has
 * the name behind that means theirs. */
void
leat_pp_undefine (LeatPreprocessor *self, const char *name, gsize length)
{
  const LeatPpMacro *before = leat_pp_find (self, name, length);
  g_autofree char *line = NULL;

  if (before == NULL)
    return;
  if (before->kind == LEAT_PP_KEPT && self->text != NULL && self->contexts->len == 0 && self->collecting == 0)
    {
      line = g_strdup_printf ("#undef %.*s", (int) length, name);
      leat_pp_write_line (self, self->file->line, line);
    }
  leat_pp_set_macro (self, name, length, NULL);
}

static gboolean
leat_pp_is_hash (const LeatPpToken *token, gboolean two)
{
  return token->kind == LEAT_PP_PUNCT
         && (two ? leat_pp_is (token, "##") || leat_pp_is (token, "%:%:")
                 : leat_pp_is (token, "#") || leat_pp_is (token, "%:"));
}

typedef struct
{
  LeatPpMacro *macro;
  GPtrArray *params; /* char* */
  GArray *body;
} LeatPpDefinition;

static void
leat_pp_definition_fail (LeatPreprocessor *self, const LeatPpDefinition *definition, const LeatPpToken *at,
                         const char *what)
{
  leat_pp_fail (self, at->line, at->column, "the macro \"%s\": %s", definition->macro->name, what);
}

/* `NAME...` or `...`, whose parenthesis must follow. */
static void
leat_pp_read_rest (LeatPreprocessor *self, LeatPpDefinition *definition, const LeatPpToken *at, const char *name)
{
  LeatPpToken token;

  definition->macro->is_variadic = TRUE;
  if (name != NULL)
    g_ptr_array_add (definition->params, g_strdup (name));
  if (!leat_pp_lex_line (self, &token) || !leat_pp_is (&token, ")"))
    leat_pp_definition_fail (self, definition, at, "expected \")\" after \"...\"");
}

/* The parameters between the parentheses, the first of which was read. */
static void
leat_pp_read_params (LeatPreprocessor *self, LeatPpDefinition *definition)
{
  LeatPpToken token;
  gboolean first = TRUE, after_name = FALSE;

  while (leat_pp_lex_line (self, &token))
    {
      g_autofree char *word = g_strndup (token.text, token.length);

      if (leat_pp_is (&token, ")") && (first || after_name))
        return;
      if (leat_pp_is (&token, "..."))
        {
          leat_pp_read_rest (self, definition, &token, after_name ? NULL : "__VA_ARGS__");
          return;
        }
      if (after_name ? !leat_pp_is (&token, ",") : token.kind != LEAT_PP_IDENT)
        break;
      if (definition->params->len == LEAT_PP_PARAMS_MAX)
        {
          leat_pp_definition_fail (self, definition, &token,
                                   "more than " G_STRINGIFY (LEAT_PP_PARAMS_MAX) " parameters");
          return;
        }
      if (!after_name && g_ptr_array_find_with_equal_func (definition->params, word, g_str_equal, NULL))
        {
          leat_pp_definition_fail (self, definition, &token, "two parameters of one name");
          return;
        }
      if (!after_name)
        g_ptr_array_add (definition->params, g_steal_pointer (&word));
      after_name = !after_name;
      first = FALSE;
    }
  if (self->error == NULL)
    leat_pp_definition_fail (self, definition, &token, "expected names with commas between, and a \")\"");
}

static void
leat_pp_read_param (LeatPpDefinition *definition, LeatPpToken *token)
{
  for (guint i = 0; token->kind == LEAT_PP_IDENT && i < definition->params->len; i++)
    if (leat_pp_is (token, g_ptr_array_index (definition->params, i)))
      {
        token->kind = LEAT_PP_PARAM;
        token->param = i;
      }
  if (token->kind == LEAT_PP_IDENT && definition->macro->is_variadic && leat_pp_is (token, "__VA_OPT__"))
    token->kind = LEAT_PP_OPTION;
}

/* Where the parenthesis of each __VA_OPT__ closes. */
static void
leat_pp_close_options (LeatPreprocessor *self, LeatPpDefinition *definition)
{
  LeatPpToken *body = (LeatPpToken *) definition->body->data;
  guint n = definition->body->len;

  for (guint i = 0; i < n; i++)
    {
      guint depth = 0, end = i + 1;

      if (body[i].kind != LEAT_PP_OPTION)
        continue;
      for (; end < n; end++)
        {
          if (leat_pp_is (&body[end], "("))
            depth++;
          else if (leat_pp_is (&body[end], ")") && --depth == 0)
            break;
          if (depth == 0)
            break;
        }
      if (end >= n || !leat_pp_is (&body[end], ")") || end - i > G_MAXUINT16)
        {
          leat_pp_definition_fail (self, definition, &body[i], "__VA_OPT__ needs parentheses that close");
          return;
        }
      for (guint k = i + 1; k < end; k++)
        if (body[k].kind == LEAT_PP_OPTION)
          {
            leat_pp_definition_fail (self, definition, &body[k], "__VA_OPT__ cannot stand in another one");
            return;
          }
      body[i].param = end - i;
    }
}

/* `#` and `##` become flags. */
static void
leat_pp_read_body (LeatPreprocessor *self, LeatPpDefinition *definition)
{
  LeatPpToken token, hash;
  gboolean hashed = FALSE, pasted = FALSE;

  while (leat_pp_lex_line (self, &token))
    {
      LeatPpToken *before =
        definition->body->len > 0 ? &g_array_index (definition->body, LeatPpToken, definition->body->len - 1) : NULL;

      leat_pp_read_param (definition, &token);
      if (hashed && token.kind != LEAT_PP_PARAM && token.kind != LEAT_PP_OPTION)
        {
          leat_pp_definition_fail (self, definition, &hash, "\"#\" is not followed by a parameter");
          return;
        }
      if (!hashed && leat_pp_is_hash (&token, TRUE))
        {
          if (before == NULL)
            leat_pp_definition_fail (self, definition, &token,
                                     "\"##\" joins two tokens, and there is none on its left");
          else
            before->flags |= LEAT_PP_PASTE;
          pasted = TRUE;
          continue;
        }
      if (!hashed && definition->macro->is_function && leat_pp_is_hash (&token, FALSE))
        {
          hash = token;
          hashed = TRUE;
          continue;
        }
      if (hashed)
        token.flags = (token.flags & ~LEAT_PP_WHITE) | (hash.flags & LEAT_PP_WHITE) | LEAT_PP_STRINGIFY;
      if (before == NULL)
        token.flags &= ~LEAT_PP_WHITE;
      hashed = pasted = FALSE;
      g_array_append_val (definition->body, token);
    }
  if (hashed)
    leat_pp_definition_fail (self, definition, &hash, "\"#\" is not followed by a parameter");
  if (pasted)
    leat_pp_definition_fail (self, definition, &token, "\"##\" joins two tokens, and there is none on its right");
}

static void
leat_pp_finish_definition (LeatPreprocessor *self, LeatPpDefinition *definition)
{
  LeatPpMacro *macro = definition->macro;

  leat_pp_close_options (self, definition);
  macro->n_params = definition->params->len;
  macro->n_body = definition->body->len;
  macro->body = g_memdup2 (definition->body->data, macro->n_body * sizeof *macro->body);
  /* They are of the place where the macro is used. */
  for (guint i = 0; i < macro->n_body; i++)
    macro->body[i].line = macro->body[i].column = 0;
}

void
leat_pp_define (LeatPreprocessor *self)
{
  g_autoptr (GPtrArray) params = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) body = g_array_new (FALSE, FALSE, sizeof (LeatPpToken));
  LeatPpDefinition definition = { g_new0 (LeatPpMacro, 1), params, body };
  LeatPpToken name;

  g_ptr_array_add (self->owned, definition.macro);
  if (!leat_pp_lex_line (self, &name) || name.kind != LEAT_PP_IDENT || leat_pp_is (&name, "defined"))
    {
      leat_pp_fail (self, self->file->line, 0, "expected a name after #define");
      return;
    }
  definition.macro->name = g_strndup (name.text, name.length);
  if (leat_pp_peek (self->file) == '(')
    {
      leat_pp_step (self->file);
      definition.macro->is_function = TRUE;
      leat_pp_read_params (self, &definition);
    }
  leat_pp_read_body (self, &definition);
  leat_pp_finish_definition (self, &definition);
  if (self->error == NULL)
    leat_pp_set_macro (self, name.text, name.length, definition.macro);
}

void
leat_pp_push_macro (LeatPreprocessor *self, const char *name)
{
  GPtrArray *stack = g_hash_table_lookup (self->pushed, name);

  if (stack == NULL)
    {
      stack = g_ptr_array_new ();
      g_hash_table_insert (self->pushed, g_strdup (name), stack);
    }
  g_ptr_array_add (stack, leat_pp_find (self, name, strlen (name)));
}

void
leat_pp_pop_macro (LeatPreprocessor *self, const char *name)
{
  GPtrArray *stack = g_hash_table_lookup (self->pushed, name);

  if (stack != NULL && stack->len > 0)
    leat_pp_set_macro (self, name, strlen (name), g_ptr_array_steal_index (stack, stack->len - 1));
}
