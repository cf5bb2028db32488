/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Places within a function that do not see its parameters and locals: lambdas that do not capture all, and types that
 * it declares.  Reads the unit only. */

#include "leat-kernel-unit-private.h"

/* The "{" of the lambda whose "[" is at @open, if it captures nothing by default; else G_MAXUINT. */
static guint
leat_closed_find_lambda (const LeatTokens *tokens, guint open)
{
  static const char *const before[] = { "]", ")", ">", NULL };
  const LeatToken *previous = leat_tokens_at (tokens, open - 1);
  guint close = leat_tokens_at (tokens, open)->match, i = close + 1;

  if ((previous->kind == LEAT_TOKEN_IDENT && !leat_tokens_is (tokens, open - 1, "return"))
      || previous->kind == LEAT_TOKEN_STRING || leat_tokens_is_any (tokens, open - 1, before)
      || leat_tokens_is (tokens, open + 1, "["))
    return G_MAXUINT;
  if (leat_tokens_is (tokens, open + 1, "=")
      || (leat_tokens_is (tokens, open + 1, "&") && (open + 2 == close || leat_tokens_is (tokens, open + 2, ","))))
    return G_MAXUINT;
  while (leat_tokens_at (tokens, i)->kind == LEAT_TOKEN_IDENT)
    i++;
  if (leat_tokens_is (tokens, i, "("))
    i = leat_tokens_at (tokens, i)->match + 1;
  while (!leat_tokens_is (tokens, i, "{") && !leat_tokens_is (tokens, i, ";")
         && leat_tokens_at (tokens, i)->match == G_MAXUINT && leat_tokens_at (tokens, i)->kind != LEAT_TOKEN_END)
    i++;
  return leat_tokens_is (tokens, i, "{") ? i : G_MAXUINT;
}

/* The "{" of the type that is declared at @token; else G_MAXUINT. */
static guint
leat_closed_find_type (const LeatTokens *tokens, guint token)
{
  static const char *const words[] = { "struct", "class", "union", NULL }, *const ends[] = { ";", "(", ")", "=", NULL };
  guint i = token + 1;

  if (!leat_tokens_is_any (tokens, token, words))
    return G_MAXUINT;
  while (!leat_tokens_is (tokens, i, "{") && !leat_tokens_is_any (tokens, i, ends)
         && leat_tokens_at (tokens, i)->kind != LEAT_TOKEN_END)
    i++;
  return leat_tokens_is (tokens, i, "{") ? i : G_MAXUINT;
}

guint
leat_kernel_unit_find_closed (const LeatKernelUnit *self, guint token)
{
  return leat_tokens_is (self->tokens, token, "[") ? leat_closed_find_lambda (self->tokens, token)
                                                   : leat_closed_find_type (self->tokens, token);
}
