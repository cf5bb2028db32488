/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds barriers that some threads of a block never come to, because they have returned or a condition keeps them away.
 * Changes nothing of the unit. */

#include "leat-kernel-locals-private.h"

/* Threads that return while others of their block still wait for each other.
 *
 * A barrier does without a thread that has ended.  One that has returned from a function into a larger kernel has not
 * ended, and would come to other barriers: so it says that it leaves, and those of the function do without it too. */

/* Where the body of the lambda begins whose captures begin at @open; G_MAXUINT where there is none. */
guint
leat_kernel_unit_find_lambda (const LeatKernelUnit *unit, const LeatDecl *decl, guint open)
{
  static const char *const operands[] = { ")", "]", NULL };
  const LeatTokens *tokens = unit->tokens;
  guint i = leat_tokens_is (tokens, open, "[") ? leat_tokens_at (tokens, open)->match + 1 : G_MAXUINT;

  if (i == G_MAXUINT || leat_tokens_is_any (tokens, open - 1, operands)
      || (leat_tokens_at (tokens, open - 1)->kind == LEAT_TOKEN_IDENT && !leat_tokens_is (tokens, open - 1, "return"))
      || (!leat_tokens_is (tokens, i, "(") && !leat_tokens_is (tokens, i, "{")))
    return G_MAXUINT;
  while (i < decl->last && !leat_tokens_is (tokens, i, "{") && !leat_tokens_is (tokens, i, ";"))
    i = leat_tokens_is (tokens, i, "(") ? leat_tokens_at (tokens, i)->match + 1 : i + 1;
  return leat_tokens_is (tokens, i, "{") ? i : G_MAXUINT;
}

/* The kernel's own, and not those of lambdas in it. (element-type guint) */
GArray *
leat_kernel_unit_list_returns (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl)
{
  GArray *returns = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = decl->body + 1; i < decl->last; i++)
    {
      guint lambda = leat_kernel_unit_find_lambda (unit, decl, i);

      if (lambda != G_MAXUINT)
        i = leat_tokens_at (unit->tokens, lambda)->match;
      else if (leat_tokens_is (unit->tokens, i, "return"))
        g_array_append_val (returns, i);
    }
  return returns;
}

/* A loop's keyword; of `do` and `while` both, which does no harm. */
static gboolean
leat_leave_is_loop (const LeatTokens *tokens, guint token)
{
  static const char *const words[] = { "for", "while", "do", "GRID_FOR", "QUEUE_FOR", NULL };

  return leat_tokens_is_any (tokens, token, words);
}

/* Is there a loop in which both stand, so that either may come before the other? */
static gboolean
leat_leave_share_loop (const LeatKernelUnit *unit, const LeatDecl *decl, guint one, guint other)
{
  for (guint i = decl->body + 1; i < MIN (one, other); i++)
    if (leat_leave_is_loop (unit->tokens, i) && leat_kernel_unit_statement_end (unit, i, decl->last) > MAX (one, other))
      return TRUE;
  return FALSE;
}

static gboolean
leat_leave_may_miss (const LeatKernelUnit *unit, const LeatDecl *decl, const GArray *returns, guint wait)
{
  for (guint i = 0; i < returns->len; i++)
    {
      guint leaving = g_array_index (returns, guint, i);

      if (leaving < wait || leat_leave_share_loop (unit, decl, leaving, wait))
        return TRUE;
    }
  return FALSE;
}

/* `__shfl_sync (__activemask (), ...)` asks for those alone that are there. */
static gboolean
leat_leave_asks_who_is_there (const LeatTokens *tokens, guint wait)
{
  return leat_tokens_is (tokens, wait, "__activemask")
         || (leat_tokens_is (tokens, wait + 1, "(") && leat_tokens_is (tokens, wait + 2, "__activemask"));
}

/* The first place in the kernel at which threads wait for others that may have returned; G_MAXUINT where there is none.
 * @otherwise: by anything else than __syncthreads () */
guint
leat_kernel_unit_find_missed_wait (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl,
                                   gboolean otherwise)
{
  g_autoptr (GArray) returns = leat_kernel_unit_list_returns (unit, calls, decl);

  for (guint i = decl->body + 1; i < decl->last; i++)
    if (leat_tokens_at (unit->tokens, i)->kind == LEAT_TOKEN_IDENT && leat_kernel_calls_token_waits (calls, i)
        && (!otherwise || leat_kernel_calls_token_waits_otherwise (calls, i))
        && !leat_leave_asks_who_is_there (unit->tokens, i) && leat_leave_may_miss (unit, decl, returns, i))
      return i;
  return G_MAXUINT;
}

#define LEAT_LEAVE_DEPTH 16

/* Does what the token stands for differ among the threads of a block?  What is made of the block's number alone does
 * not. */
static gboolean
leat_leave_is_own (const LeatKernelUnit *unit, LeatKernelCalls *calls, LeatLocals *locals, guint token, guint depth)
{
  const LeatLocal *local =
    leat_tokens_at (unit->tokens, token)->kind == LEAT_TOKEN_IDENT ? leat_locals_find (locals, token) : NULL;

  if (local == NULL)
    return leat_kernel_calls_token_is_own (calls, token) && !leat_tokens_is (unit->tokens, token, "blockIdx");
  if (!local->is_own || local->is_shared)
    return FALSE;
  if (local->init_first == G_MAXUINT || local->is_changed || depth == LEAT_LEAVE_DEPTH)
    return TRUE;
  for (guint i = local->init_first; i <= local->init_last; i++)
    if (leat_leave_is_own (unit, calls, locals, i, depth + 1))
      return TRUE;
  return FALSE;
}

static gboolean
leat_leave_condition_is_own (const LeatKernelUnit *unit, LeatKernelCalls *calls, LeatLocals *locals, guint open)
{
  for (guint i = open + 1; i < leat_tokens_at (unit->tokens, open)->match; i++)
    if (leat_leave_is_own (unit, calls, locals, i, 0))
      return TRUE;
  return FALSE;
}

/* A barrier of the block to which only some of its threads come, those for which a condition holds: the others end.
 * G_MAXUINT where there is none. */
guint
leat_kernel_unit_find_partial_wait (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl)
{
  static const char *const words[] = { "if", "for", "while", NULL };
  g_autoptr (LeatLocals) locals = leat_locals_new (unit, calls, decl);

  for (guint i = decl->body + 1; i < decl->last; i++)
    {
      guint end;

      if (!leat_tokens_is_any (unit->tokens, i, words) || !leat_tokens_is (unit->tokens, i + 1, "(")
          || !leat_leave_condition_is_own (unit, calls, locals, i + 1))
        continue;
      end = leat_kernel_unit_statement_end (unit, i, decl->last);
      for (guint k = leat_tokens_at (unit->tokens, i + 1)->match; k < end; k++)
        if (leat_tokens_is (unit->tokens, k, "__syncthreads"))
          return k;
    }
  return G_MAXUINT;
}
