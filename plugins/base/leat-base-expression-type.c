/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which parts of an expression are whole numbers, for the operators that take no others.  The compiler would say it
 * too, but of a kernel that nobody wrote. */

#include "leat-base-expression-private.h"
#include "leat-base-number.h"

#include <math.h>

/* Deeper ones are left to the compiler. */
#define LEAT_EXPRESSION_MAX_DEPTH 200

typedef enum
{
  LEAT_RANK_WHOLE,
  LEAT_RANK_FLOAT,
  LEAT_RANK_DOUBLE,
  LEAT_RANK_COMPLEX_FLOAT,
  LEAT_RANK_COMPLEX_DOUBLE,
} LeatRank;

static const char *const leat_rank_names[] = { "whole", "float", "double", "complex", "complex" };

typedef struct
{
  LeatExpression *expression;
  const LeatExpressionTypes *types;
  guint at, depth;
  gboolean is_too_deep;
  const LeatToken *culprit; /* NULL while all is well */
  LeatRank culprit_rank;
  gboolean is_left;
  const char *takes; /* what the culprit takes */
} LeatRankReader;

static LeatRank leat_rank_read (LeatRankReader *self);

/* From the loosest on. */
static const char *const levels[][5] = {
  { "||" },       { "&&" },     { "|" },           { "^" }, { "&" }, { "==", "!=" }, { "<", ">", "<=", ">=" },
  { "<<", ">>" }, { "+", "-" }, { "*", "/", "%" },
};

static const LeatToken *
leat_rank_peek (LeatRankReader *self)
{
  return self->at < self->expression->tokens->len ? &g_array_index (self->expression->tokens, LeatToken, self->at)
                                                  : NULL;
}

static gboolean
leat_rank_takes (LeatRankReader *self, const char *text)
{
  const LeatToken *token = leat_rank_peek (self);

  if (token == NULL || token->kind != LEAT_TOKEN_OPERATOR || !g_str_equal (token->text, text))
    return FALSE;
  self->at++;
  return TRUE;
}

static LeatRank
leat_rank_of_dtype (LeatDtype dtype)
{
  if (leat_number_is_complex (dtype))
    return dtype == LEAT_DTYPE_C64 ? LEAT_RANK_COMPLEX_FLOAT : LEAT_RANK_COMPLEX_DOUBLE;
  if (leat_number_is_real (dtype))
    return leat_number_get_rules (dtype) == LEAT_DTYPE_F64 ? LEAT_RANK_DOUBLE : LEAT_RANK_FLOAT;
  return LEAT_RANK_WHOLE;
}

static gboolean
leat_rank_is_complex (LeatRank rank)
{
  return rank >= LEAT_RANK_COMPLEX_FLOAT;
}

static void
leat_rank_blame_as (LeatRankReader *self, const LeatToken *token, LeatRank rank, gboolean is_left, const char *takes)
{
  if (self->culprit != NULL || self->is_too_deep)
    return;
  self->culprit = token;
  self->culprit_rank = rank;
  self->is_left = is_left;
  self->takes = takes;
}

static LeatRank
leat_rank_of_name (LeatRankReader *self, const char *name)
{
  const LeatExpressionTypes *types = self->types;

  for (guint i = 0; types->names[i] != NULL; i++)
    if (g_str_equal (types->names[i], name))
      return leat_rank_of_dtype (types->dtypes[i]);
  return leat_rank_of_dtype (types->others);
}

static LeatRank
leat_rank_of_part (LeatRank rank)
{
  return rank == LEAT_RANK_COMPLEX_FLOAT ? LEAT_RANK_FLOAT : LEAT_RANK_DOUBLE;
}

static LeatRank
leat_rank_read_call (LeatRankReader *self, const LeatToken *function)
{
  static const char *const keep[] = { "abs", "min", "max", NULL }, *const of_complex[] = { "real", "imag", "conj",
                                                                                           NULL };
  LeatRank rank = LEAT_RANK_WHOLE;

  do
    {
      LeatRank argument;

      self->at++; /* the parenthesis, or a comma */
      argument = leat_rank_read (self);
      rank = MAX (rank, argument);
    }
  while (!self->is_too_deep && leat_rank_peek (self)->kind == LEAT_TOKEN_COMMA);
  self->at++;
  if (g_strv_contains (of_complex, function->text))
    {
      if (!leat_rank_is_complex (rank))
        leat_rank_blame_as (self, function, rank, FALSE, "a complex number");
      return function->text[0] == 'c' ? rank : leat_rank_of_part (rank);
    }
  if (leat_rank_is_complex (rank) && g_str_equal (function->text, "abs"))
    return leat_rank_of_part (rank);
  if (leat_rank_is_complex (rank))
    leat_rank_blame_as (self, function, rank, FALSE, "real numbers");
  /* Of whole numbers the other functions are those for double. */
  return rank == LEAT_RANK_WHOLE && !g_strv_contains (keep, function->text) ? LEAT_RANK_DOUBLE : rank;
}

static LeatRank
leat_rank_read_value (LeatRankReader *self)
{
  const LeatToken *token = leat_rank_peek (self);
  LeatRank rank;

  self->at++;
  switch (token->kind)
    {
    case LEAT_TOKEN_NAME:
      return leat_rank_of_name (self, token->text);
    case LEAT_TOKEN_FRACTION:
      return self->types->single ? LEAT_RANK_FLOAT : LEAT_RANK_DOUBLE;
    case LEAT_TOKEN_FUNCTION:
      return leat_rank_read_call (self, token);
    case LEAT_TOKEN_OPEN:
      rank = leat_rank_read (self);
      self->at++;
      return rank;
    default:
      return LEAT_RANK_WHOLE;
    }
}

static void
leat_rank_blame (LeatRankReader *self, const LeatToken *token, LeatRank rank, gboolean is_left)
{
  if (rank != LEAT_RANK_WHOLE)
    leat_rank_blame_as (self, token, rank, is_left, "whole numbers");
}

/* Complex numbers have no order. */
static void
leat_rank_blame_order (LeatRankReader *self, const LeatToken *token, LeatRank rank, gboolean is_left)
{
  static const char *const order[] = { "<", ">", "<=", ">=", NULL };

  if (leat_rank_is_complex (rank) && g_strv_contains (order, token->text))
    leat_rank_blame_as (self, token, rank, is_left, "real numbers");
}

/* -x, !x, ~x and so on, as many as there are. */
static LeatRank
leat_rank_read_prefixed (LeatRankReader *self)
{
  guint first = self->at, last;
  LeatRank rank;

  while (leat_rank_peek (self)->kind == LEAT_TOKEN_OPERATOR)
    self->at++;
  last = self->at;
  rank = leat_rank_read_value (self);
  for (guint i = last; i > first; i--)
    {
      const LeatToken *token = &g_array_index (self->expression->tokens, LeatToken, i - 1);

      if (token->text[0] == '~')
        leat_rank_blame (self, token, rank, FALSE);
      if (token->text[0] == '!')
        rank = LEAT_RANK_WHOLE;
    }
  return rank;
}

/* An operator of that level that comes next, NULL for none. */
static const LeatToken *
leat_rank_take_level (LeatRankReader *self, guint level)
{
  const LeatToken *token = leat_rank_peek (self);

  for (guint i = 0; i < G_N_ELEMENTS (levels[level]) && levels[level][i] != NULL; i++)
    if (leat_rank_takes (self, levels[level][i]))
      return token;
  return NULL;
}

static gboolean
leat_rank_is_for_whole (const LeatToken *operation)
{
  static const char *const whole[] = { "%", "&", "|", "^", "<<", ">>", NULL };

  return g_strv_contains (whole, operation->text);
}

static gboolean
leat_rank_is_truth (const LeatToken *operation)
{
  static const char *const truth[] = { "<", ">", "<=", ">=", "==", "!=", "&&", "||", NULL };

  return g_strv_contains (truth, operation->text);
}

static LeatRank
leat_rank_read_level (LeatRankReader *self, guint level)
{
  const LeatToken *token;
  LeatRank rank;

  if (level == G_N_ELEMENTS (levels))
    return leat_rank_read_prefixed (self);
  rank = leat_rank_read_level (self, level + 1);
  while (!self->is_too_deep && (token = leat_rank_take_level (self, level)) != NULL)
    {
      LeatRank right = leat_rank_read_level (self, level + 1);

      if (leat_rank_is_for_whole (token))
        {
          leat_rank_blame (self, token, rank, TRUE);
          leat_rank_blame (self, token, right, FALSE);
        }
      leat_rank_blame_order (self, token, rank, TRUE);
      leat_rank_blame_order (self, token, right, FALSE);
      rank = leat_rank_is_truth (token) ? LEAT_RANK_WHOLE : MAX (rank, right);
    }
  return rank;
}

/* With `a ? b : c`, of which there may be many one in the other. */
static LeatRank
leat_rank_read (LeatRankReader *self)
{
  LeatRank rank, other;

  if (self->is_too_deep || ++self->depth > LEAT_EXPRESSION_MAX_DEPTH)
    {
      self->is_too_deep = TRUE;
      return LEAT_RANK_WHOLE;
    }
  rank = leat_rank_read_level (self, 0);
  if (!self->is_too_deep && leat_rank_takes (self, "?"))
    {
      rank = leat_rank_read (self);
      self->at++; /* the colon */
      other = leat_rank_read (self);
      rank = MAX (rank, other);
    }
  self->depth--;
  return rank;
}

static gboolean
leat_expression_fail_arg (LeatExpression *self, const LeatToken *token, const char *const *inputs, GError **error)
{
  const char *near = leat_suggest (token->text, inputs);
  g_autofree char *list = g_strjoinv (", ", (char **) inputs);

  if (near != NULL)
    leat_token_fail (self->text, token->column, error, "\"%s\" is not an input, and is not set (did you mean \"%s\"?)",
                     token->text, near);
  else
    leat_token_fail (
      self->text, token->column, error,
      "\"%s\" is not one of the inputs (%s), and is not set: give it a value, as in %s=VALUE on the node", token->text,
      list, token->text);
  if (error != NULL)
    (*error)->code = LEAT_GRAPH_ERROR_MISSING;
  return FALSE;
}

gboolean
leat_expression_check_names (LeatExpression *self, const char *const *known, const char *hint, GError **error)
{
  for (guint i = 0; i < self->tokens->len; i++)
    {
      const LeatToken *token = &g_array_index (self->tokens, LeatToken, i);

      if (token->kind == LEAT_TOKEN_NAME && !g_strv_contains (known, token->text))
        return leat_token_fail (self->text, token->column, error, "no value \"%s\"; %s", token->text, hint);
    }
  return TRUE;
}

static gboolean
leat_expression_check_args (LeatExpression *self, LeatNode *node, const char *const *inputs, GError **error)
{
  for (guint i = 0; i < self->tokens->len; i++)
    {
      const LeatToken *token = &g_array_index (self->tokens, LeatToken, i);
      g_autoptr (GVariant) value = NULL;

      if (token->kind != LEAT_TOKEN_NAME || g_strv_contains (inputs, token->text))
        continue;
      value = leat_node_dup_arg (node, token->text);
      if (value == NULL)
        return leat_expression_fail_arg (self, token, inputs, error);
    }
  return TRUE;
}

/* A float that is too large would be infinite, and every comparison with it the same. */
static gboolean
leat_expression_check_fractions (LeatExpression *self, GError **error)
{
  for (guint i = 0; i < self->tokens->len; i++)
    {
      const LeatToken *token = &g_array_index (self->tokens, LeatToken, i);

      if (token->kind == LEAT_TOKEN_FRACTION && isinf ((float) g_ascii_strtod (token->text, NULL)))
        return leat_token_fail (self->text, token->column, error,
                                "%s does not fit in f32, the type that numbers have beside f32", token->text);
    }
  return TRUE;
}

/* Nothing is dropped unasked. */
static gboolean
leat_expression_check_result (LeatExpression *self, LeatDtype result, GError **error)
{
  if (result == LEAT_DTYPE_ANY || result == LEAT_DTYPE_BOOL || leat_number_is_complex (result))
    return TRUE;
  return leat_token_fail (
    self->text, 0, error,
    "the value is complex, and the result, %s, is not: take type=c64 or type=c128, or one of real "
    "(z), imag (z) and abs (z)",
    leat_dtype_get_name (result));
}

gboolean
leat_expression_check_types (LeatExpression *self, const LeatExpressionTypes *types, GError **error)
{
  LeatRankReader reader = { .expression = self, .types = types };
  const char *where;
  LeatRank rank;

  if (types->single && !leat_expression_check_fractions (self, error))
    return FALSE;
  rank = leat_rank_read (&reader);
  if (reader.culprit == NULL)
    return !leat_rank_is_complex (rank) || leat_expression_check_result (self, types->result, error);
  where = reader.culprit->kind == LEAT_TOKEN_FUNCTION ? "its argument"
          : reader.culprit->text[0] == '~'            ? "what follows it"
          : reader.is_left                            ? "its left side"
                                                      : "its right side";
  return leat_token_fail (self->text, reader.culprit->column, error, "%s takes %s, and %s is %s%s",
                          reader.culprit->text, reader.takes, where, leat_rank_names[reader.culprit_rank],
                          reader.culprit->text[0] == '%'               ? "; fmod (a, b) is the remainder of those"
                          : leat_rank_is_complex (reader.culprit_rank) ? "; real (z), imag (z) and abs (z) are real"
                                                                       : "");
}

gboolean
leat_expression_check (LeatExpression *self, LeatNode *node, const char *prop, const LeatExpressionTypes *types,
                       GError **error)
{
  leat_node_blame (node, prop);
  if (!leat_expression_check_args (self, node, types->names, error)
      || !leat_expression_check_types (self, types, error))
    {
      g_prefix_error (error, "%s \"%s\": ", leat_node_get_id (node), leat_node_get_name (node));
      return FALSE;
    }
  leat_node_blame (node, NULL);
  return TRUE;
}
