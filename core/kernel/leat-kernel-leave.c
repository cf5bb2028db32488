/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-kernel-locals-private.h"

/* Threads that return while others of their block still wait for each other.
 *
 * A barrier does without a thread that has ended.  One that has returned from a function into a larger kernel has not
 * ended, and would come to other barriers: leat_fuse_leave () sees to it that it comes to all of the function's. */

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
leat_leave_may_miss (const LeatKernelUnit *unit, const LeatDecl *decl, guint wait)
{
  for (guint i = decl->body + 1; i < decl->last; i++)
    if (leat_tokens_is (unit->tokens, i, "return") && (i < wait || leat_leave_share_loop (unit, decl, i, wait)))
      return TRUE;
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
  for (guint i = decl->body + 1; i < decl->last; i++)
    if (leat_tokens_at (unit->tokens, i)->kind == LEAT_TOKEN_IDENT && leat_kernel_calls_token_waits (calls, i)
        && (!otherwise || leat_kernel_calls_token_waits_otherwise (calls, i))
        && !leat_leave_asks_who_is_there (unit->tokens, i) && leat_leave_may_miss (unit, decl, i))
      return i;
  return G_MAXUINT;
}
