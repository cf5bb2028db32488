/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes it possible to end a persistent kernel.  The condition of each loop that may have no end also counts its
 * rounds, and looks at the clock every so many of them.  A kernel that would need more than that is no stage. */

#include "leat-kernel-queue-private.h"
#include "leat-kernel-persistent-private.h"

#include <string.h>

static gboolean
leat_budget_has_word (const LeatKernelUnit *unit, const LeatDecl *decl, const char *const *words)
{
  for (guint i = decl->first; i <= decl->last; i++)
    if (leat_tokens_is_any (unit->tokens, i, words))
      return TRUE;
  return FALSE;
}

/* The last token of a lambda that begins at @open and does not take all by reference: the count of rounds is not there
 * for it.  G_MAXUINT where there is none. */
static guint
leat_budget_find_apart (const LeatKernelUnit *unit, const LeatDecl *decl, guint open)
{
  static const char *const after[] = { "]", ",", NULL };
  guint body = leat_kernel_unit_find_lambda (unit, decl, open);

  if (body == G_MAXUINT
      || (leat_tokens_is (unit->tokens, open + 1, "&") && leat_tokens_is_any (unit->tokens, open + 2, after)))
    return G_MAXUINT;
  return leat_tokens_at (unit->tokens, body)->match;
}

static gboolean
leat_budget_hides_loop (const LeatKernelUnit *unit, const LeatDecl *decl)
{
  static const char *const loops[] = { "for", "while", NULL };

  for (guint i = decl->body + 1; i < decl->last; i++)
    {
      guint last = leat_budget_find_apart (unit, decl, i);

      for (guint k = i; last != G_MAXUINT && k < last; k++)
        if (leat_tokens_is_any (unit->tokens, k, loops))
          return TRUE;
    }
  return FALSE;
}

/* Does its text reach no loop that is out of sight? */
static const char *
leat_budget_why_not_seen (const LeatKernelUnit *unit, LeatKernelCalls *calls, guint index)
{
  static const char *const jumps[] = { "goto", NULL }, *const loops[] = { "for", "while", NULL };

  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);
      gboolean own = i == index || leat_kernel_calls_reaches (calls, index, i);

      if (decl->kind == LEAT_DECL_TYPE && leat_budget_has_word (unit, decl, loops))
        return "a type of its file has a loop, in which it could not be ended";
      if (decl->kind != LEAT_DECL_FUNCTION || !own)
        continue;
      if (!(decl->flags & LEAT_DECL_IS_GLOBAL) && leat_kernel_calls_reaches (calls, i, i))
        return "a function that it calls calls itself, and could not be ended";
      if (leat_budget_has_word (unit, decl, jumps))
        return "there is a goto in it, and it could not be ended";
      if (leat_budget_hides_loop (unit, decl))
        return "there is a loop in a lambda that does not take all by reference, in which it could not be ended";
      if ((decl->flags & (LEAT_DECL_IS_OPERATOR | LEAT_DECL_IS_CONSTEXPR)) && leat_budget_has_word (unit, decl, loops))
        return "there is a loop in an operator or constexpr function that it calls, in which it could not be ended";
    }
  return NULL;
}

const char *
leat_kernel_unit_why_no_stage (const LeatKernelUnit *unit, LeatKernelCalls *calls, guint index)
{
  if (leat_kernel_unit_has_queue (unit, leat_kernel_unit_at (unit, index)))
    return "it has a queue of its own";
  if (leat_kernel_unit_at (unit, index)->scope != 0)
    return "it is in a namespace";
  if (leat_kernel_calls_get_asks (calls, index) & LEAT_KERNEL_ASKS_ASSEMBLY)
    return "there is assembly in it";
  if (leat_kernel_calls_get_asks (calls, index) & LEAT_KERNEL_ASKS_TOOLKIT)
    return "it asks a header of the CUDA toolkit for its place in the grid";
  if ((leat_kernel_calls_get_asks (calls, index) & LEAT_KERNEL_ASKS_PAUSE)
      && !leat_kernel_calls_syncs_grid (calls, index))
    return "its blocks may wait for each other, and as a stage they run in turn";
  /* A thread that has returned would go on to the barriers behind the kernel while others wait at one in it. */
  if (leat_kernel_unit_find_missed_wait (unit, calls, leat_kernel_unit_at (unit, index), FALSE) != G_MAXUINT)
    return "it may return before a barrier that its other threads wait at";
  if (leat_kernel_unit_keeps_data (unit))
    return "its file has variables on the device, which other launches of it would not share";
  return leat_budget_why_not_seen (unit, calls, index);
}

/* `while (a)`, also behind `do`. */
static void
leat_budget_edit_while (const LeatKernelUnit *unit, GArray *edits, guint open)
{
  leat_edits_insert_after (edits, unit->tokens, open, "leat_tick (leat_ticks) && (");
  leat_edits_insert_before (edits, unit->tokens, leat_tokens_at (unit->tokens, open)->match, ")");
}

/* `for (a; b; c)`; one over the elements of something ends. */
static void
leat_budget_edit_for (const LeatKernelUnit *unit, GArray *edits, guint open)
{
  guint close = leat_tokens_at (unit->tokens, open)->match, first = G_MAXUINT, second = G_MAXUINT;

  for (guint i = open + 1; i < close && second == G_MAXUINT; i++)
    {
      if (leat_tokens_is_any (unit->tokens, i, (const char *const[]){ "(", "{", "[", NULL }))
        i = leat_tokens_at (unit->tokens, i)->match;
      else if (leat_tokens_is (unit->tokens, i, ";"))
        *(first == G_MAXUINT ? &first : &second) = i;
    }
  if (second == G_MAXUINT)
    return;
  leat_edits_insert_after (edits, unit->tokens, first, " leat_tick (leat_ticks)%s", second > first + 1 ? " && (" : "");
  if (second > first + 1)
    leat_edits_insert_before (edits, unit->tokens, second, ")");
}

static gboolean
leat_budget_is_stride (const GArray *strides, guint keyword)
{
  for (guint i = 0; i < strides->len; i++)
    if (g_array_index (strides, LeatStrideLoop, i).keyword == keyword)
      return TRUE;
  return FALSE;
}

/* Loops that stride over the grid end by themselves. */
void
leat_kernel_unit_edit_budget (const LeatKernelUnit *unit, LeatKernelCalls *calls, GArray *edits, guint index)
{
  const LeatDecl *decl = leat_kernel_unit_at (unit, index);
  g_autoptr (GArray) strides = leat_kernel_unit_find_stride_loops (unit, calls, decl);

  if (decl->flags & (LEAT_DECL_IS_OPERATOR | LEAT_DECL_IS_CONSTEXPR | LEAT_DECL_IS_VARIANT))
    return;
  leat_edits_insert_after (edits, unit->tokens, decl->body, " unsigned int leat_ticks = 0; (void) leat_ticks;");
  for (guint i = decl->body + 1; i < decl->last; i++)
    {
      guint apart = leat_budget_find_apart (unit, decl, i);

      i = apart != G_MAXUINT ? apart : i;
      if (!leat_tokens_is (unit->tokens, i + 1, "(") || leat_budget_is_stride (strides, i))
        continue;
      if (leat_tokens_is (unit->tokens, i, "while"))
        leat_budget_edit_while (unit, edits, i + 1);
      else if (leat_tokens_is (unit->tokens, i, "for"))
        leat_budget_edit_for (unit, edits, i + 1);
    }
}
