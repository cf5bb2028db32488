/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-base-expression-private.h"

/* A token list is all that is needed: the compiler knows C's grammar, this finds the names. */

#define LEAT_EXPRESSION_MAX_BYTES 16384

static const char *const operators[] = { "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/",
                                         "%",  "<",  ">",  "!",  "~",  "&",  "|",  "^",  "?", ":", NULL };

static void
leat_token_clear (LeatToken *token)
{
  g_free (token->text);
}

void
leat_expression_free (LeatExpression *self)
{
  g_array_unref (self->tokens);
  g_ptr_array_unref (self->names);
  g_free (self->text);
  g_free (self);
}

static void
leat_expression_add (LeatExpression *self, LeatTokenKind kind, const char *start, gsize length, gsize at)
{
  LeatToken token = { kind, g_strndup (start, length), (guint) at };

  g_array_append_val (self->tokens, token);
}

static void
leat_expression_add_name (LeatExpression *self, const char *start, gsize length, gsize at)
{
  g_autofree char *name = g_strndup (start, length);
  LeatTokenKind kind = leat_token_is_function (name) ? LEAT_TOKEN_FUNCTION : LEAT_TOKEN_NAME;

  leat_expression_add (self, kind, start, length, at);
  if (kind == LEAT_TOKEN_NAME && !g_ptr_array_find_with_equal_func (self->names, name, g_str_equal, NULL))
    g_ptr_array_add (self->names, g_steal_pointer (&name));
}

static gsize
leat_expression_measure_number (const char *start, gboolean *fraction)
{
  char *end = NULL;

  *fraction = FALSE;
  if (start[0] == '0' && (start[1] == 'x' || start[1] == 'X'))
    {
      g_ascii_strtoull (start, &end, 16);
      return end - start;
    }
  g_ascii_strtod (start, &end);
  for (const char *at = start; at < end; at++)
    *fraction |= *at == '.' || *at == 'e' || *at == 'E';
  return end - start;
}

static gsize
leat_expression_measure_operator (const char *start)
{
  for (guint i = 0; operators[i] != NULL; i++)
    if (g_str_has_prefix (start, operators[i]))
      return strlen (operators[i]);
  return 0;
}

/* Adds the token that begins at @at; returns its length, 0 when there is none. */
static gsize
leat_expression_scan (LeatExpression *self, const char *text, gsize at)
{
  const char *start = text + at;
  gboolean fraction;
  gsize length = 0;

  if (g_ascii_isalpha (*start) || *start == '_')
    {
      while (g_ascii_isalnum (start[length]) || start[length] == '_')
        length++;
      leat_expression_add_name (self, start, length, at);
    }
  else if (g_ascii_isdigit (*start) || (*start == '.' && g_ascii_isdigit (start[1])))
    {
      length = leat_expression_measure_number (start, &fraction);
      leat_expression_add (self, fraction ? LEAT_TOKEN_FRACTION : LEAT_TOKEN_NUMBER, start, length, at);
    }
  else if (*start == '(' || *start == ')' || *start == ',')
    leat_expression_add (self,
                         *start == '('   ? LEAT_TOKEN_OPEN
                         : *start == ')' ? LEAT_TOKEN_CLOSE
                                         : LEAT_TOKEN_COMMA,
                         start, length = 1, at);
  else if ((length = leat_expression_measure_operator (start)) > 0)
    leat_expression_add (self, LEAT_TOKEN_OPERATOR, start, length, at);
  return length;
}

LeatExpression *
leat_expression_parse (const char *text, GError **error)
{
  g_autoptr (LeatExpression) self = g_new0 (LeatExpression, 1);

  if (strlen (text) > LEAT_EXPRESSION_MAX_BYTES)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                   "an expression of %zu bytes; at most %d are allowed", strlen (text), LEAT_EXPRESSION_MAX_BYTES);
      g_clear_pointer (&self, g_free);
      return NULL;
    }
  self->text = g_strdup (text);
  self->tokens = g_array_new (FALSE, FALSE, sizeof (LeatToken));
  g_array_set_clear_func (self->tokens, (GDestroyNotify) leat_token_clear);
  self->names = g_ptr_array_new_with_free_func (g_free);
  for (gsize at = 0; text[at] != '\0';)
    {
      gsize length = g_ascii_isspace (text[at]) ? 1 : leat_expression_scan (self, text, at);

      if (length == 0)
        {
          leat_token_fail (text, at, error, "this character does not belong in an expression%s",
                           text[at] == '=' ? "; == compares" : "");
          return NULL;
        }
      at += length;
    }
  if (!leat_token_check (self->tokens, text, error))
    return NULL;
  g_ptr_array_add (self->names, NULL);
  return g_steal_pointer (&self);
}

const char *const *
leat_expression_list_names (LeatExpression *self)
{
  return (const char *const *) self->names->pdata;
}

char *
leat_expression_to_c (LeatExpression *self, const char *const *inputs, gboolean single)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->tokens->len; i++)
    {
      LeatToken *token = &g_array_index (self->tokens, LeatToken, i);

      g_string_append (text, token->text);
      if (token->kind == LEAT_TOKEN_NAME && g_strv_contains (inputs, token->text))
        g_string_append (text, "[i]");
      if (token->kind == LEAT_TOKEN_FRACTION && single)
        g_string_append_c (text, 'f');
      if (token->kind == LEAT_TOKEN_OPERATOR || token->kind == LEAT_TOKEN_COMMA)
        g_string_append_c (text, ' ');
    }
  return g_string_free (text, FALSE);
}
