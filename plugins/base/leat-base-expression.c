/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A token list is all that is needed: the compiler knows C's grammar, this finds the names. */

#include "leat-base-comparison.h"
#include "leat-base-expression-private.h"
#include "leat-base-number.h"

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

/* Inputs may be called "real" and "imag", as many are; a parenthesis makes functions of these names. */
static gboolean
leat_expression_is_function (const char *name, const char *behind)
{
  static const char *const both[] = { "real", "imag", "conj", NULL };

  while (g_ascii_isspace (*behind))
    behind++;
  return leat_token_is_function (name) && (*behind == '(' || !g_strv_contains (both, name));
}

static void
leat_expression_add_name (LeatExpression *self, const char *start, gsize length, gsize at)
{
  g_autofree char *name = g_strndup (start, length);
  LeatTokenKind kind = leat_expression_is_function (name, start + length) ? LEAT_TOKEN_FUNCTION : LEAT_TOKEN_NAME;

  leat_expression_add (self, kind, start, length, at);
  name[strcspn (name, ".")] = '\0';
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
      while (g_ascii_isalnum (start[length]) || start[length] == '_'
             || (self->has_fields && start[length] == '.' && g_ascii_isalnum (start[length + 1])))
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

static LeatExpression *
leat_expression_read (const char *text, gboolean has_fields, GError **error)
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
  self->has_fields = has_fields;
  self->tokens = g_array_new (FALSE, FALSE, sizeof (LeatToken));
  g_array_set_clear_func (self->tokens, (GDestroyNotify) leat_token_clear);
  self->names = g_ptr_array_new_with_free_func (g_free);
  for (gsize at = 0; text[at] != '\0';)
    {
      gsize length = g_ascii_isspace (text[at]) ? 1 : leat_expression_scan (self, text, at);

      if (length == 0)
        {
          leat_token_fail (text, at, error, "this character does not belong in an expression%s",
                           text[at] == '='   ? "; == compares"
                           : text[at] == '.' ? "; a field is taken by map, as with expr=x.mass, before this node"
                                             : "");
          return NULL;
        }
      at += length;
    }
  if (!leat_token_check (self->tokens, text, error) || !leat_comparison_check (self->tokens, text, error))
    return NULL;
  g_ptr_array_add (self->names, NULL);
  return g_steal_pointer (&self);
}

LeatExpression *
leat_expression_parse (const char *text, GError **error)
{
  return leat_expression_read (text, FALSE, error);
}

LeatExpression *
leat_expression_parse_with_fields (const char *text, GError **error)
{
  return leat_expression_read (text, TRUE, error);
}

const char *const *
leat_expression_list_names (LeatExpression *self)
{
  return (const char *const *) self->names->pdata;
}

/* The text of an expression that becomes one for a kernel.  A division becomes a call (leat-dialect-mixed.h), in front
 * of all that its operator stands behind: the product that is there so far. */
typedef struct
{
  GString *text;
  GArray *products; /* LeatProduct, one for each open parenthesis and one for the whole */
  gboolean after_operand;
} LeatExpressionWriter;

typedef struct
{
  gsize begin;
  gboolean open; /* a call that ends with the operand that comes */
} LeatProduct;

static LeatProduct *
leat_expression_writer_get_product (LeatExpressionWriter *self)
{
  return &g_array_index (self->products, LeatProduct, self->products->len - 1);
}

static void
leat_expression_writer_open (LeatExpressionWriter *self)
{
  LeatProduct product = { .begin = self->text->len };

  g_array_append_val (self->products, product);
  self->after_operand = FALSE;
}

static void
leat_expression_writer_end_operand (LeatExpressionWriter *self)
{
  LeatProduct *product = leat_expression_writer_get_product (self);

  if (product->open)
    g_string_append_c (self->text, ')');
  product->open = FALSE;
  self->after_operand = TRUE;
}

static void
leat_expression_writer_begin_product (LeatExpressionWriter *self)
{
  leat_expression_writer_get_product (self)->begin = self->text->len;
  self->after_operand = FALSE;
}

/* A constant that is surely not 0. */
static gboolean
leat_token_is_divisor (const LeatToken *self)
{
  return self->kind == LEAT_TOKEN_FRACTION
         || (self->kind == LEAT_TOKEN_NUMBER && strpbrk (self->text, "123456789abcdefABCDEF") != NULL);
}

static void
leat_expression_writer_divide (LeatExpressionWriter *self, const LeatToken *token)
{
  LeatProduct *product = leat_expression_writer_get_product (self);

  g_string_insert (self->text, (gssize) product->begin, token->text[0] == '/' ? "leat_quotient (" : "leat_rest (");
  g_string_append (self->text, ", ");
  product->open = TRUE;
  self->after_operand = FALSE;
}

/* A shift by the width or more never happens to a compiler for GPUs, which draws conclusions from that: unless the
 * amount is known to be less, `a << leat_by () << b` is a shift that has all amounts (leat-dialect-mixed.h). */
static gboolean
leat_token_may_shift_out (const LeatToken *self)
{
  if (!g_str_equal (self->text, "<<") && !g_str_equal (self->text, ">>"))
    return FALSE;
  return self[1].kind != LEAT_TOKEN_NUMBER || g_ascii_strtoull (self[1].text, NULL, 0) >= 32;
}

static void
leat_expression_writer_add_operator (LeatExpressionWriter *self, const LeatToken *token)
{
  gboolean divides = g_str_equal (token->text, "/") || g_str_equal (token->text, "%");

  if (self->after_operand && divides && !leat_token_is_divisor (token + 1))
    {
      leat_expression_writer_divide (self, token);
      return;
    }
  if (leat_token_may_shift_out (token))
    g_string_append_printf (self->text, "%s leat_by ()", token->text);
  g_string_append_printf (self->text, "%s ", token->text);
  if (self->after_operand && !divides && !g_str_equal (token->text, "*"))
    leat_expression_writer_begin_product (self);
  self->after_operand = FALSE;
}

static void
leat_expression_writer_add_input (LeatExpressionWriter *self, const char *name, const char *const *inputs,
                                  const LeatDtype *dtypes, const char *const *items)
{
  g_autofree char *item = g_strconcat (name, "[i]", NULL), *value = NULL;
  guint at = 0;

  while (!g_str_equal (inputs[at], name))
    at++;
  value = leat_number_dup_read (dtypes != NULL ? dtypes[at] : LEAT_DTYPE_ANY, items != NULL ? items[at] : item);
  g_string_append (self->text, value);
}

char *
leat_expression_to_c (LeatExpression *self, const char *const *inputs, const LeatDtype *dtypes,
                      const char *const *items, gboolean single)
{
  g_autoptr (GArray) products = g_array_new (FALSE, FALSE, sizeof (LeatProduct));
  LeatExpressionWriter writer = { .text = g_string_new (NULL), .products = products };

  leat_expression_writer_open (&writer);
  for (guint i = 0; i < self->tokens->len; i++)
    {
      const LeatToken *token = &g_array_index (self->tokens, LeatToken, i);

      if (token->kind == LEAT_TOKEN_OPERATOR)
        {
          leat_expression_writer_add_operator (&writer, token);
          continue;
        }
      if (token->kind == LEAT_TOKEN_NAME && g_strv_contains (inputs, token->text))
        leat_expression_writer_add_input (&writer, token->text, inputs, dtypes, items);
      else
        g_string_append (writer.text, token->text);
      if (token->kind == LEAT_TOKEN_FRACTION && single)
        g_string_append_c (writer.text, 'f');
      if (token->kind == LEAT_TOKEN_OPEN)
        leat_expression_writer_open (&writer);
      else if (token->kind == LEAT_TOKEN_COMMA)
        {
          g_string_append_c (writer.text, ' ');
          leat_expression_writer_begin_product (&writer);
        }
      else if (token->kind != LEAT_TOKEN_FUNCTION)
        {
          if (token->kind == LEAT_TOKEN_CLOSE)
            g_array_set_size (products, products->len - 1);
          leat_expression_writer_end_operand (&writer);
        }
    }
  return g_string_free (writer.text, FALSE);
}
