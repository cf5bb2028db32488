/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-kernel-locals-private.h"

#include <string.h>

/* Recognises the grid-stride loop.  A CPU runs the threads of a block one after another, so that a thread walking with
 * the stride of the grid would touch every cache line once per thread; where no result can depend on which thread has
 * which item, the loop is given neighbouring items instead.
 *
 * That is so when every thread of the grid reaches the loop, the body changes nothing of the thread's own that lives
 * longer than one item, reads nothing that tells one thread from another, and cannot leave the loop. */

typedef struct
{
  const LeatKernelUnit *unit;
  const LeatTokens *tokens;
  LeatKernelCalls *calls;
  LeatLocals *locals;
  LeatStrideLoop *loop;
} LeatStrideFinder;

/* The head of the loop at loop->keyword. */
static gboolean
leat_stride_read_head (LeatStrideFinder *self)
{
  LeatStrideLoop *loop = self->loop;
  guint first = loop->keyword + 2, condition, step, equals = first;

  loop->open = loop->keyword + 1;
  loop->close = leat_tokens_at (self->tokens, loop->open)->match;
  condition = leat_kernel_unit_find_semicolon (self->unit, first, loop->close);
  step = condition != G_MAXUINT ? leat_kernel_unit_find_semicolon (self->unit, condition + 1, loop->close) : G_MAXUINT;
  if (step == G_MAXUINT)
    return FALSE;
  while (equals < condition && !leat_tokens_is (self->tokens, equals, "="))
    equals++;
  loop->name = equals - 1;
  loop->type_first = first;
  loop->type_last = equals - 2;
  loop->bound_first = condition + 3;
  loop->bound_last = step - 1;
  if (equals >= condition || equals < first + 2 || loop->bound_first > loop->bound_last)
    return FALSE;
  {
    g_autofree char *name = leat_tokens_dup (self->tokens, loop->name);

    return leat_locals_is_grid_index (self->locals, equals + 1, condition - 1, 'x')
           && leat_tokens_is (self->tokens, condition + 1, name) && leat_tokens_is (self->tokens, condition + 2, "<")
           && leat_tokens_is (self->tokens, step + 1, name) && leat_tokens_is (self->tokens, step + 2, "+=")
           && leat_locals_is_grid_width (self->locals, step + 3, loop->close - 1);
  }
}

/* A bound that is the same for every thread and every item: names and arithmetic. */
static guint
leat_stride_check_bound (LeatStrideFinder *self)
{
  static const char *const allowed[] = { "+", "-", "*", "/", "%", "<<", ">>", "(", ")", ".", NULL };

  for (guint i = self->loop->bound_first; i <= self->loop->bound_last; i++)
    {
      const LeatToken *token = leat_tokens_at (self->tokens, i);
      LeatLocal *local = token->kind == LEAT_TOKEN_IDENT ? leat_locals_find (self->locals, i) : NULL;
      gboolean first = i == self->loop->bound_first || leat_tokens_is (self->tokens, i - 1, "(");

      if (token->kind == LEAT_TOKEN_PUNCT
          && (!leat_tokens_is_any (self->tokens, i, allowed) || (first && leat_tokens_is (self->tokens, i, "*"))))
        return i;
      if (token->kind == LEAT_TOKEN_IDENT
          && ((leat_tokens_is (self->tokens, i + 1, "(")) || leat_kernel_calls_token_is_own (self->calls, i)
              || (local != NULL && (local->is_own || local->is_changed))))
        return i;
    }
  return G_MAXUINT;
}

/* Whether @index lies in a loop or switch inside the body, so that a `break` there leaves only that. */
static gboolean
leat_stride_is_inside (LeatStrideFinder *self, guint index)
{
  static const char *const loops[] = { "for", "while", "switch", "do", NULL };

  for (guint i = self->loop->body_first; i < index; i++)
    if (leat_tokens_is_any (self->tokens, i, loops)
        && leat_kernel_unit_statement_end (self->unit, i, self->locals->decl->last) > index)
      return TRUE;
  return FALSE;
}

/* Whether a function of the file takes one of its parameters by reference. */
static gboolean
leat_stride_takes_reference (LeatStrideFinder *self, guint index)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, index);

  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);

      if (decl->kind == LEAT_DECL_FUNCTION && leat_tokens_is (self->tokens, decl->name, name))
        for (guint k = decl->params; k < leat_tokens_at (self->tokens, decl->params)->match; k++)
          if (leat_tokens_is (self->tokens, k, "&"))
            return TRUE;
    }
  return FALSE;
}

/* Whether the name at @index is one that the body declares for itself. */
static gboolean
leat_stride_is_inner (LeatStrideFinder *self, guint index)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, index);

  for (guint i = self->loop->body_first; i <= index; i++)
    if (leat_tokens_is (self->tokens, i, name) && leat_locals_is_declared_at (self->locals, i))
      return TRUE;
  return FALSE;
}

static gboolean
leat_stride_forbids (LeatStrideFinder *self, guint index)
{
  static const char *const leaving[] = { "return", "goto", "asm", "__asm__", NULL };
  g_autofree char *name = leat_tokens_dup (self->tokens, index);
  LeatLocal *local;

  if (leat_tokens_at (self->tokens, index)->kind != LEAT_TOKEN_IDENT)
    return leat_tokens_is (self->tokens, index, "[")
           && (leat_tokens_is (self->tokens, index + 1, "&") || leat_tokens_is (self->tokens, index + 1, "=")
               || leat_tokens_is (self->tokens, index + 1, "]"));
  if (leat_tokens_is (self->tokens, index - 1, ".") || leat_tokens_is (self->tokens, index - 1, "->"))
    return FALSE;
  if (leat_tokens_is_any (self->tokens, index, leaving) || leat_kernel_calls_token_waits (self->calls, index)
      || leat_kernel_calls_token_is_own (self->calls, index) || leat_stride_takes_reference (self, index))
    return TRUE;
  if (leat_tokens_is (self->tokens, index, "break"))
    return !leat_stride_is_inside (self, index);
  local = leat_locals_find (self->locals, index);
  if (local == NULL)
    return FALSE;
  if (leat_tokens_is (self->tokens, self->loop->name, name))
    return leat_locals_is_changed_at (self->locals, index);
  if (leat_stride_is_inner (self, index))
    return FALSE;
  return local->is_own || local->is_changed || (local->is_array && !leat_tokens_is (self->tokens, index + 1, "["));
}

static guint
leat_stride_find_blocker (LeatStrideFinder *self, gboolean reached)
{
  guint blocker = leat_stride_check_bound (self);

  if (!reached)
    return self->loop->keyword;
  for (guint i = self->loop->body_first; blocker == G_MAXUINT && i <= self->loop->body_last; i++)
    if (leat_stride_forbids (self, i))
      blocker = i;
  return blocker;
}

GArray *
leat_kernel_unit_find_stride_loops (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl)
{
  GArray *loops = g_array_new (FALSE, TRUE, sizeof (LeatStrideLoop));
  g_autoptr (LeatLocals) locals = leat_locals_new (unit, calls, decl);
  LeatStrideFinder finder = { unit, unit->tokens, calls, locals, NULL };
  gboolean left = FALSE; /* some threads may have returned before */
  gint depth = 0;

  for (guint i = decl->body + 1; i < decl->last; i++)
    {
      LeatStrideLoop loop = { .keyword = i };
      static const char *const before[] = { ";", "{", "}", NULL };

      depth += leat_tokens_is (unit->tokens, i, "{") - leat_tokens_is (unit->tokens, i, "}");
      left = left || leat_tokens_is (unit->tokens, i, "return") || leat_tokens_is (unit->tokens, i, "goto");
      finder.loop = &loop;
      if (!leat_tokens_is (unit->tokens, i, "for") || !leat_tokens_is (unit->tokens, i + 1, "(")
          || !leat_stride_read_head (&finder))
        continue;
      loop.body_first = loop.close + 1;
      loop.body_last = leat_kernel_unit_statement_end (unit, loop.body_first, decl->last) - 1;
      loop.blocker = leat_stride_find_blocker (&finder, depth == 0 && !left && (decl->flags & LEAT_DECL_IS_GLOBAL)
                                                          && leat_tokens_is_any (unit->tokens, i - 1, before));
      g_array_append_val (loops, loop);
    }
  return loops;
}
