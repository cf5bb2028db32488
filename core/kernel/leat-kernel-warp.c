/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds code that takes the lanes of a warp to go step by step together: `v[t] += v[t + 16]; v[t] += v[t + 8]; ...` in
 * shared memory, without __syncwarp () between.  CUDA does not promise that since compute capability 7.0, though GPUs
 * mostly do it; a CPU runs a thread until it waits. */

#include "leat-kernel-locals-private.h"

#include <string.h>

typedef struct
{
  const LeatKernelUnit *unit;
  const LeatTokens *tokens;
  LeatKernelCalls *calls;
  const LeatDecl *decl;
  LeatLocals *locals;
} LeatWarpFinder;

/* `a[x] op ... a[x + offset] ...;` */
typedef struct
{
  guint array, end; /* the first token and the ";" */
  guint64 offset;   /* 0: no number */
} LeatWarpStep;

/* The word in front of a declared name, in its declaration. */
static gboolean
leat_warp_is_declared_as (LeatWarpFinder *self, guint name, const char *word)
{
  static const char *const bounds[] = { ";", "{", "}", "(", NULL };

  for (guint i = name; i-- > 0 && !leat_tokens_is_any (self->tokens, i, bounds);)
    if (leat_tokens_is (self->tokens, i, word))
      return TRUE;
  return FALSE;
}

static gboolean
leat_warp_comes_from_shared (LeatWarpFinder *self, const LeatLocal *local, guint depth)
{
  if (local->is_shared)
    return TRUE;
  for (guint i = local->init_first; local->init_first != G_MAXUINT && depth < 8 && i <= local->init_last; i++)
    {
      LeatLocal *other =
        leat_tokens_at (self->tokens, i)->kind == LEAT_TOKEN_IDENT ? leat_locals_find (self->locals, i) : NULL;

      if (other != NULL ? other != local && leat_warp_comes_from_shared (self, other, depth + 1)
                        : leat_kernel_calls_token_is_of_block (self->calls, i))
        return TRUE;
    }
  return FALSE;
}

/* Is it shared memory?  A pointer that a function is given may lead there. */
static gboolean
leat_warp_is_shared (LeatWarpFinder *self, guint token, gboolean *maybe)
{
  LeatLocal *local = leat_locals_find (self->locals, token);

  *maybe = local != NULL && local->is_param && local->is_pointer && !(self->decl->flags & LEAT_DECL_IS_GLOBAL);
  if (local == NULL)
    return leat_kernel_calls_token_is_of_block (self->calls, token);
  return (local->is_array || local->is_pointer || local->is_shared) && leat_warp_comes_from_shared (self, local, 0);
}

static gboolean
leat_warp_is_volatile (LeatWarpFinder *self, guint token)
{
  LeatLocal *local = leat_locals_find (self->locals, token);

  return local != NULL && leat_warp_is_declared_as (self, local->name, "volatile");
}

/* Whether the index in the bracket at @other is that at @open with something added; @offset: how much, if a number. */
static gboolean
leat_warp_is_beside (LeatWarpFinder *self, guint open, guint other, guint64 *offset)
{
  static const char *const signs[] = { "+", "-", "^", NULL };
  guint length = leat_tokens_at (self->tokens, open)->match - open - 1;
  guint sign = other + 1 + length, last = leat_tokens_at (self->tokens, other)->match - 1;
  g_autofree char *number = NULL;

  for (guint i = 1; i <= length; i++)
    {
      g_autofree char *word = leat_tokens_dup (self->tokens, open + i);

      if (!leat_tokens_is (self->tokens, other + i, word))
        return FALSE;
    }
  if (sign >= last || !leat_tokens_is_any (self->tokens, sign, signs))
    return FALSE;
  number = leat_tokens_dup (self->tokens, last);
  *offset = sign + 1 == last ? g_ascii_strtoull (number, NULL, 0) : 0;
  return TRUE;
}

/* Whether a step begins at @token. */
static gboolean
leat_warp_read_step (LeatWarpFinder *self, guint token, LeatWarpStep *step)
{
  static const char *const stores[] = { "=", "+=", "-=", "*=", "&=", "|=", "^=", NULL };
  g_autofree char *name = NULL;
  guint open = token + 1, close;

  if (leat_tokens_at (self->tokens, token)->kind != LEAT_TOKEN_IDENT || !leat_tokens_is (self->tokens, open, "["))
    return FALSE;
  close = leat_tokens_at (self->tokens, open)->match;
  if (!leat_tokens_is_any (self->tokens, close + 1, stores))
    return FALSE;
  name = leat_tokens_dup (self->tokens, token);
  step->array = token;
  step->end = leat_kernel_unit_find_semicolon (self->unit, close, self->decl->last);
  for (guint i = close + 2; step->end != G_MAXUINT && i < step->end; i++)
    if (leat_tokens_is (self->tokens, i, name) && leat_tokens_is (self->tokens, i + 1, "[")
        && leat_warp_is_beside (self, open, i + 1, &step->offset))
      return TRUE;
  return FALSE;
}

static gboolean
leat_warp_waits (LeatWarpFinder *self, guint first, guint end)
{
  for (guint i = first; i < end; i++)
    if (leat_kernel_calls_token_waits (self->calls, i))
      return TRUE;
  return FALSE;
}

/* Is @token in an `if` that lets one warp in? */
static gboolean
leat_warp_is_guarded (LeatWarpFinder *self, guint token)
{
  static const char *const sizes[] = { "32", "31", "warpSize", "32u", "32U", NULL };

  for (guint i = self->decl->body; i < token; i++)
    {
      guint close = leat_tokens_is (self->tokens, i, "if") ? leat_tokens_at (self->tokens, i + 1)->match : 0;

      if (close == 0 || close > token
          || leat_kernel_unit_statement_end (self->unit, close + 1, self->decl->last) <= token)
        continue;
      for (guint k = i + 2; k < close; k++)
        if (leat_tokens_is_any (self->tokens, k, sizes))
          return TRUE;
    }
  return FALSE;
}

/* Steps that follow each other, each half or double as far as the one before. */
static guint
leat_warp_find_chain (LeatWarpFinder *self, const LeatWarpStep *first)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, first->array);
  LeatWarpStep before = *first, step;
  guint n = 0, place = G_MAXUINT, needed = 2;
  gboolean maybe, shared = leat_warp_is_shared (self, first->array, &maybe);

  if ((shared && leat_warp_is_guarded (self, first->array)) || leat_warp_is_volatile (self, first->array))
    needed = 1;
  for (guint i = first->end; before.offset > 0 && i < self->decl->last; i++)
    {
      if (leat_kernel_calls_token_waits (self->calls, i))
        break;
      if (!leat_tokens_is (self->tokens, i, name) || !leat_warp_read_step (self, i, &step))
        continue;
      if (step.offset == 0 || (step.offset != 2 * before.offset && 2 * step.offset != before.offset))
        break;
      place = place == G_MAXUINT ? i : place;
      n++;
      i = step.end;
      before = step;
    }
  return n >= needed && (shared || maybe) ? place : G_MAXUINT;
}

/* Whether the head of a loop, from @open on, halves or doubles something. */
static gboolean
leat_warp_halves (LeatWarpFinder *self, guint open)
{
  static const char *const steps[] = { ">>=", "<<=", "/=", "*=", ">>", "<<", "/", "*", NULL };
  guint close = leat_tokens_at (self->tokens, open)->match;
  guint step = leat_kernel_unit_find_semicolon (self->unit, open + 1, close);

  step = step != G_MAXUINT ? leat_kernel_unit_find_semicolon (self->unit, step + 1, close) : G_MAXUINT;
  for (guint i = step; step != G_MAXUINT && i < close; i++)
    if (leat_tokens_is_any (self->tokens, i, steps))
      return TRUE;
  return FALSE;
}

/* A step in a loop over distances, in which nobody waits. */
static guint
leat_warp_find_in_loop (LeatWarpFinder *self, const LeatWarpStep *step)
{
  gboolean maybe, shared = leat_warp_is_shared (self, step->array, &maybe);

  if (step->offset > 0 || !(shared || (maybe && leat_warp_is_volatile (self, step->array))))
    return G_MAXUINT;
  for (guint i = self->decl->body; i < step->array; i++)
    {
      guint end;

      if (!leat_tokens_is (self->tokens, i, "for") || !leat_tokens_is (self->tokens, i + 1, "(")
          || !leat_warp_halves (self, i + 1))
        continue;
      end = leat_kernel_unit_statement_end (self->unit, i, self->decl->last);
      if (end > step->array && !leat_warp_waits (self, i, end))
        return step->array;
    }
  return G_MAXUINT;
}

/* `v[t] = a; b = v[t ^ 1];` */
static guint
leat_warp_find_exchange (LeatWarpFinder *self, guint store)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, store);
  guint open = store + 1, close = leat_tokens_at (self->tokens, open)->match;
  guint64 offset;
  gboolean maybe;

  if (!leat_tokens_is (self->tokens, close + 1, "=") || !leat_warp_is_volatile (self, store)
      || !leat_warp_is_shared (self, store, &maybe))
    return G_MAXUINT;
  for (guint i = leat_kernel_unit_find_semicolon (self->unit, close, self->decl->last); i < self->decl->last; i++)
    {
      if (leat_kernel_calls_token_waits (self->calls, i))
        return G_MAXUINT;
      if (leat_tokens_is (self->tokens, i, name) && leat_tokens_is (self->tokens, i + 1, "[")
          && leat_warp_is_beside (self, open, i + 1, &offset))
        return i;
    }
  return G_MAXUINT;
}

guint
leat_kernel_unit_find_warp_step (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl)
{
  g_autoptr (LeatLocals) locals = leat_locals_new (unit, calls, decl);
  LeatWarpFinder finder = { unit, unit->tokens, calls, decl, locals };
  guint found = G_MAXUINT;

  for (guint i = decl->body; found == G_MAXUINT && i < decl->last; i++)
    {
      LeatWarpStep step = { 0 };

      if (leat_warp_read_step (&finder, i, &step))
        {
          found = leat_warp_find_chain (&finder, &step);
          if (found == G_MAXUINT)
            found = leat_warp_find_in_loop (&finder, &step);
        }
      else if (leat_tokens_at (unit->tokens, i)->kind == LEAT_TOKEN_IDENT && leat_tokens_is (unit->tokens, i + 1, "["))
        found = leat_warp_find_exchange (&finder, i);
    }
  return found;
}
