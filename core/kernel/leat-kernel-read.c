/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Whether a kernel takes what an output held before the launch: `hist[i]++`, `atomicAdd (&hist[i], 1)`, `x = y[i]`.
 * Only the first use in the order of the text counts: a kernel that stores first may well read afterwards, and one that
 * hands the array on is not followed, so that what is said is true of nearly every kernel. */

#include "leat-kernel-transform-private.h"

typedef enum
{
  LEAT_USE_NONE,
  LEAT_USE_READ,
  LEAT_USE_STORE,
  LEAT_USE_UNKNOWN, /* the address goes elsewhere */
} LeatUse;

/* Atomics that take the old value; an exchange is a store. */
static gboolean
leat_use_is_atomic (const LeatTokens *tokens, guint token)
{
  g_autofree char *word = NULL;

  if (leat_tokens_at (tokens, token)->kind != LEAT_TOKEN_IDENT || !leat_tokens_is (tokens, token + 1, "("))
    return FALSE;
  word = leat_tokens_dup (tokens, token);
  return (g_str_has_prefix (word, "atomic") && !g_str_has_prefix (word, "atomicExch"))
         || g_str_has_prefix (word, "leat_load_");
}

/* Where the first argument ends of the call whose parenthesis is at @open. */
static guint
leat_use_find_argument_end (const LeatTokens *tokens, guint open)
{
  guint close = leat_tokens_at (tokens, open)->match, i = open + 1;

  while (i < close && !leat_tokens_is (tokens, i, ","))
    {
      guint match = leat_tokens_at (tokens, i)->match;

      i = match != G_MAXUINT && match > i ? match + 1 : i + 1;
    }
  return i;
}

/* Whether what stands before @token is a value, so that `&` and `*` there are operators of two values. */
static gboolean
leat_use_follows_value (const LeatTokens *tokens, guint token)
{
  static const char *const words[] = { "return", "else", "do", NULL };
  LeatTokenKind kind = leat_tokens_at (tokens, token - 1)->kind;

  return (kind == LEAT_TOKEN_IDENT && !leat_tokens_is_any (tokens, token - 1, words)) || kind == LEAT_TOKEN_NUMBER
         || leat_tokens_is (tokens, token - 1, "]");
}

/* The use of an item that the tokens from @first to the one before @end name. */
static LeatUse
leat_use_of_item (const LeatTokens *tokens, guint first, guint end)
{
  static const char *const updates[] = {
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", NULL
  };

  /* A member of it, or an item of a row. */
  for (;;)
    if (leat_tokens_is (tokens, end, ".") && leat_tokens_at (tokens, end + 1)->kind == LEAT_TOKEN_IDENT)
      end += 2;
    else if (leat_tokens_is (tokens, end, "["))
      end = leat_tokens_at (tokens, end)->match + 1;
    else
      break;
  if (leat_tokens_is (tokens, first - 1, "(") && leat_tokens_is (tokens, end, ")"))
    {
      if (leat_tokens_is (tokens, first - 2, "sizeof") || leat_tokens_is (tokens, first - 2, "decltype"))
        return LEAT_USE_NONE;
      /* `(*sum)++` */
      if (leat_tokens_is_any (tokens, end + 1, updates) || leat_tokens_is (tokens, end + 1, "="))
        return leat_use_of_item (tokens, first - 1, end + 1);
    }
  if (leat_tokens_is (tokens, first - 1, "&") && !leat_use_follows_value (tokens, first - 1))
    return LEAT_USE_UNKNOWN;
  if (leat_tokens_is (tokens, end, "="))
    return LEAT_USE_STORE;
  return LEAT_USE_READ;
}

static LeatUse
leat_use_of_name (const LeatTokens *tokens, guint token)
{
  if (leat_tokens_is (tokens, token - 1, ".") || leat_tokens_is (tokens, token - 1, "->"))
    return LEAT_USE_NONE;
  if (leat_tokens_is (tokens, token + 1, "["))
    return leat_use_of_item (tokens, token, leat_tokens_at (tokens, token + 1)->match + 1);
  if (leat_tokens_is (tokens, token + 1, "->"))
    return leat_use_of_item (tokens, token, token + 3);
  if (leat_tokens_is (tokens, token - 1, "*"))
    return leat_use_of_item (tokens, token - 1, token + 1);
  return LEAT_USE_UNKNOWN;
}

guint
leat_kernel_unit_find_read (const LeatKernelUnit *unit, const LeatDecl *decl, const char *name)
{
  const LeatTokens *tokens = unit->tokens;
  guint atomic_end = 0;
  gboolean stored = FALSE;

  for (guint i = decl->body + 1; i < decl->last; i++)
    {
      LeatUse use;

      /* A store reads its right side before it writes. */
      if (stored && leat_tokens_is (tokens, i, ";"))
        return G_MAXUINT;
      if (leat_use_is_atomic (tokens, i))
        atomic_end = MAX (atomic_end, leat_use_find_argument_end (tokens, i + 1));
      if (!leat_tokens_is (tokens, i, name))
        continue;
      use = i < atomic_end ? LEAT_USE_READ : leat_use_of_name (tokens, i);
      if (use == LEAT_USE_READ)
        return i;
      if (use == LEAT_USE_UNKNOWN)
        return G_MAXUINT;
      stored = stored || use == LEAT_USE_STORE;
    }
  return G_MAXUINT;
}
