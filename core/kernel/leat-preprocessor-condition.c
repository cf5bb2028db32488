/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The conditions of #if: C++'s constant expressions of 64 bits, signed or not. */

#include "leat-preprocessor-private.h"

#define LEAT_PP_CONDITION_DEPTH 200

typedef struct
{
  LeatPreprocessor *pp;
  LeatPpToken token; /* the next */
  guint line, column;
  guint depth;
  guint idle; /* what is read now decides nothing, where not 0 */
} LeatPpCondition;

static LeatPpValue leat_pp_condition_choose (LeatPpCondition *self);

static void
leat_pp_condition_fail (LeatPpCondition *self, const char *what)
{
  const LeatPpToken *token = &self->token;

  if (token->kind == LEAT_PP_END)
    leat_pp_fail (self->pp, self->line, self->column, "this condition cannot be evaluated: %s, and it ends", what);
  else
    leat_pp_fail (self->pp, self->line, self->column, "this condition cannot be evaluated: %s at \"%.*s\"", what,
                  (int) token->length, token->text);
}

static void
leat_pp_condition_read (LeatPpCondition *self)
{
  do
    leat_pp_next (self->pp, &self->token);
  while (self->token.kind == LEAT_PP_PADDING);
}

/* C++ has words for some operators. */
static gboolean
leat_pp_condition_is (LeatPpCondition *self, const char *operator)
{
  static const char *const words[][2] = { { "and", "&&" },  { "or", "||" }, { "not", "!" },   { "bitand", "&" },
                                          { "bitor", "|" }, { "xor", "^" }, { "compl", "~" }, { "not_eq", "!=" } };

  if (self->token.kind == LEAT_PP_PUNCT)
    return leat_pp_is (&self->token, operator);
  for (guint i = 0; self->token.kind == LEAT_PP_IDENT && i < G_N_ELEMENTS (words); i++)
    if (leat_pp_is (&self->token, words[i][0]))
      return g_str_equal (words[i][1], operator);
  return FALSE;
}

static gboolean
leat_pp_condition_take (LeatPpCondition *self, const char *operator)
{
  if (!leat_pp_condition_is (self, operator))
    return FALSE;
  leat_pp_condition_read (self);
  return TRUE;
}

static LeatPpValue
leat_pp_condition_literal (LeatPpCondition *self)
{
  LeatPpValue value = { 0, FALSE };
  const char *fault = self->token.kind == LEAT_PP_NUMBER ? leat_pp_value_read_number (&value, &self->token)
                                                         : leat_pp_value_read_character (&value, &self->token);

  if (fault != NULL)
    leat_pp_condition_fail (self, fault);
  leat_pp_condition_read (self);
  return value;
}

/* `defined X` or `defined (X)`, whether or not a macro brought the word. */
static LeatPpValue
leat_pp_condition_defined (LeatPpCondition *self)
{
  LeatPpValue value = { 0, FALSE };
  gboolean enclosed;

  self->pp->prevent++;
  leat_pp_condition_read (self);
  enclosed = leat_pp_condition_take (self, "(");
  if (self->token.kind != LEAT_PP_IDENT)
    leat_pp_condition_fail (self, "\"defined\" needs a name");
  else
    value.bits = leat_pp_find (self->pp, self->token.text, self->token.length) != NULL;
  if (enclosed)
    {
      leat_pp_condition_read (self);
      if (!leat_pp_condition_is (self, ")"))
        leat_pp_condition_fail (self, "expected \")\"");
    }
  self->pp->prevent--;
  leat_pp_condition_read (self);
  return value;
}

/* The attributes of C++17, with the numbers of the standard. */
static guint64
leat_pp_get_attribute (const char *name)
{
  static const struct
  {
    const char *name;
    guint64 value;
  } known[] = { { "noreturn", 200809 },    { "carries_dependency", 200809 }, { "deprecated", 201309 },
                { "fallthrough", 201603 }, { "nodiscard", 201603 },          { "maybe_unused", 201603 } };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (known[i].name, name))
      return known[i].value;
  return 0;
}

static LeatPpValue
leat_pp_condition_attribute (LeatPpCondition *self)
{
  g_autoptr (GString) name = g_string_new (NULL);
  LeatPpValue value = { 0, FALSE };

  self->pp->prevent++;
  leat_pp_condition_read (self);
  if (!leat_pp_condition_take (self, "("))
    leat_pp_condition_fail (self, "expected \"(\"");
  while (self->token.kind != LEAT_PP_END && !leat_pp_condition_is (self, ")"))
    {
      g_string_append_len (name, self->token.text, self->token.length);
      leat_pp_condition_read (self);
    }
  self->pp->prevent--;
  value.bits = leat_pp_get_attribute (name->str);
  leat_pp_condition_read (self);
  return value;
}

static LeatPpValue
leat_pp_condition_word (LeatPpCondition *self)
{
  LeatPpValue value = { 0, FALSE };

  if (leat_pp_is (&self->token, "defined"))
    return leat_pp_condition_defined (self);
  if (leat_pp_is (&self->token, "__has_cpp_attribute"))
    return leat_pp_condition_attribute (self);
  if (leat_pp_is (&self->token, "__has_include"))
    value.bits = leat_pp_has_include (self->pp);
  else if (leat_pp_is (&self->token, "__has_include_next"))
    leat_pp_condition_fail (self, "there is no next folder for headers");
  else
    value.bits = leat_pp_is (&self->token, "true");
  leat_pp_condition_read (self);
  return value;
}

static LeatPpValue
leat_pp_condition_operand (LeatPpCondition *self)
{
  static const char *const signs[] = { "!", "~", "-", "+" };
  LeatPpValue value = { 0, FALSE };

  if (++self->depth > LEAT_PP_CONDITION_DEPTH)
    {
      leat_pp_condition_fail (self, "it is nested too deep");
      return value;
    }
  for (guint i = 0; i < G_N_ELEMENTS (signs); i++)
    if (leat_pp_condition_take (self, signs[i]))
      {
        value = leat_pp_condition_operand (self);
        self->depth--;
        if (i == 0)
          return (LeatPpValue){ value.bits == 0, FALSE };
        value.bits = i == 1 ? ~value.bits : i == 2 ? -value.bits : value.bits;
        return value;
      }
  if (leat_pp_condition_take (self, "("))
    {
      value = leat_pp_condition_choose (self);
      while (self->pp->error == NULL && leat_pp_condition_take (self, ","))
        value = leat_pp_condition_choose (self);
      if (!leat_pp_condition_is (self, ")"))
        leat_pp_condition_fail (self, "expected \")\"");
      leat_pp_condition_read (self);
    }
  else if (self->token.kind == LEAT_PP_NUMBER || self->token.kind == LEAT_PP_CHAR)
    value = leat_pp_condition_literal (self);
  else if (self->token.kind == LEAT_PP_IDENT)
    value = leat_pp_condition_word (self);
  else
    leat_pp_condition_fail (self, "expected a number or a name");
  self->depth--;
  return value;
}

static const struct
{
  const char *name;
  guint level;
} leat_pp_operators[] = {
  { "||", 1 }, { "&&", 2 }, { "|", 3 },  { "^", 4 },  { "&", 5 }, { "==", 6 }, { "!=", 6 }, { "<", 7 },  { ">", 7 },
  { "<=", 7 }, { ">=", 7 }, { "<<", 8 }, { ">>", 8 }, { "+", 9 }, { "-", 9 },  { "*", 10 }, { "/", 10 }, { "%", 10 },
};

static LeatPpValue
leat_pp_condition_binary (LeatPpCondition *self, guint level)
{
  LeatPpValue value = leat_pp_condition_operand (self);

  while (self->pp->error == NULL)
    {
      guint found = G_MAXUINT;
      gboolean both, decided;
      LeatPpValue other;

      for (guint i = 0; i < G_N_ELEMENTS (leat_pp_operators) && found == G_MAXUINT; i++)
        if (leat_pp_condition_is (self, leat_pp_operators[i].name))
          found = i;
      if (found == G_MAXUINT || leat_pp_operators[found].level < level)
        return value;
      both = leat_pp_operators[found].level <= 2;
      decided = both && (value.bits != 0) == (leat_pp_operators[found].level == 1);
      leat_pp_condition_read (self);
      self->idle += decided;
      other = leat_pp_condition_binary (self, leat_pp_operators[found].level + 1);
      self->idle -= decided;
      if (both)
        value = (LeatPpValue){ decided ? value.bits != 0 : other.bits != 0, FALSE };
      else if (!leat_pp_value_apply (&value, leat_pp_operators[found].name, other) && self->idle == 0)
        leat_pp_condition_fail (self, "it divides by zero");
    }
  return value;
}

static LeatPpValue
leat_pp_condition_choose (LeatPpCondition *self)
{
  LeatPpValue value = leat_pp_condition_binary (self, 1), yes, no;
  gboolean holds = value.bits != 0;

  if (!leat_pp_condition_take (self, "?"))
    return value;
  if (++self->depth > LEAT_PP_CONDITION_DEPTH)
    {
      leat_pp_condition_fail (self, "it is nested too deep");
      return value;
    }
  self->idle += !holds;
  yes = leat_pp_condition_choose (self);
  while (self->pp->error == NULL && leat_pp_condition_take (self, ","))
    yes = leat_pp_condition_choose (self);
  self->idle -= !holds;
  if (!leat_pp_condition_take (self, ":"))
    leat_pp_condition_fail (self, "expected \":\"");
  self->idle += holds;
  no = leat_pp_condition_choose (self);
  self->idle -= holds;
  self->depth--;
  value.bits = holds ? yes.bits : no.bits;
  value.is_unsigned = yes.is_unsigned || no.is_unsigned;
  return value;
}

gboolean
leat_pp_evaluate (LeatPreprocessor *pp)
{
  LeatPpCondition self = { .pp = pp, .line = pp->file->line, .column = pp->file->at - pp->file->line_start + 1 };
  LeatPpValue value;

  leat_pp_condition_read (&self);
  value = leat_pp_condition_choose (&self);
  while (pp->error == NULL && leat_pp_condition_take (&self, ","))
    value = leat_pp_condition_choose (&self);
  if (self.token.kind != LEAT_PP_END)
    leat_pp_condition_fail (&self, "expected an operator");
  return value.bits != 0;
}
