/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Checks whether the body of a grid-stride loop lets any thread have any item, for leat-kernel-stride.c.  Reads the
 * unit only. */

#include "leat-kernel-stride-private.h"

/* Tells whether any thread may have any item of a grid-stride loop.  Only a body of what is known to be harmless is let
 * pass: names that the body declares for itself; of the kernel's own variables numbers and addresses
 * that stay what they are and are the same for all threads; functions that get nothing to change; memory of the device.
 */

/* Words that end an item early, know the thread or its stride, or hide what happens. */
static const char *const leat_stride_words[] = { "return",  "goto",     "asm",        "__asm__",   "__asm",
                                                 "static",  "extern",   "__shared__", "new",       "delete",
                                                 "this",    "using",    "union",      "class",     "struct",
                                                 "typedef", "operator", "GRID_FOR",   "QUEUE_FOR", "FRONTIER_EACH",
                                                 "gridDim", "blockDim", NULL };

static const char *const leat_stride_dialect[] = { "leat_load_relaxed",
                                                   "leat_load_acquire",
                                                   "leat_store_relaxed",
                                                   "leat_store_release",
                                                   "leat_report",
                                                   "leat_report_at",
                                                   "leat_queue_push",
                                                   "leat_queue_try_push",
                                                   "leat_frontier_add",
                                                   "leat_frontier_has",
                                                   "leat_frontier_size",
                                                   "leat_load_plainly",
                                                   NULL };

gboolean
leat_stride_is_name (LeatStrideFinder *self, guint index)
{
  static const char *const before[] = { ".", "->", NULL };

  return leat_tokens_at (self->tokens, index)->kind == LEAT_TOKEN_IDENT
         && !leat_tokens_is_any (self->tokens, index - 1, before);
}

static gboolean
leat_stride_is_auto (LeatStrideFinder *self, const LeatLocal *local)
{
  static const char *const between[] = { "const", "*", NULL };
  guint index = local->name - 1;

  while (leat_tokens_is_any (self->tokens, index, between))
    index--;
  return leat_tokens_is (self->tokens, index, "auto");
}

/* Whether a declaration of the file has the name at @index. */
static gboolean
leat_stride_is_of_file (LeatStrideFinder *self, guint index)
{
  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);
      guint name = decl->kind == LEAT_DECL_FUNCTION ? decl->name : leat_kernel_unit_type_name (self->unit, decl);
      g_autofree char *word = name != G_MAXUINT ? leat_tokens_dup (self->tokens, name) : NULL;

      if (word != NULL && leat_tokens_is (self->tokens, index, word))
        return TRUE;
    }
  return FALSE;
}

/* A number, or a few (float4), or an address; what `auto` hides counts as it looks. */
static gboolean
leat_stride_is_plain (LeatStrideFinder *self, const LeatLocal *local)
{
  LeatKernelType type;

  if (local->is_pointer || leat_locals_lookup_type (self->locals, local->name, &type))
    return TRUE;
  if (!leat_stride_is_auto (self, local) || local->init_first == G_MAXUINT)
    return FALSE;
  for (guint i = local->init_first; i <= local->init_last; i++)
    {
      LeatLocal *other = leat_stride_is_name (self, i) ? leat_locals_find (self->locals, i) : NULL;

      if (leat_tokens_is (self->tokens, i, "[") && i == local->init_first)
        return FALSE;
      if ((other == NULL && leat_stride_is_name (self, i) && leat_stride_is_of_file (self, i))
          || (other != NULL && (other == local || !leat_stride_is_plain (self, other))))
        return FALSE;
    }
  return TRUE;
}

/* Whether it is, or its value comes from, memory that a block has for itself. */
static gboolean
leat_stride_is_of_block (LeatStrideFinder *self, const LeatLocal *local, guint depth)
{
  if (local->is_shared || depth > 8)
    return TRUE;
  for (guint i = local->init_first; local->init_first != G_MAXUINT && i <= local->init_last; i++)
    {
      LeatLocal *other = leat_stride_is_name (self, i) ? leat_locals_find (self->locals, i) : NULL;

      if (other != NULL ? other != local && leat_stride_is_of_block (self, other, depth + 1)
                        : leat_kernel_calls_token_is_of_block (self->calls, i))
        return TRUE;
    }
  return FALSE;
}

static gboolean
leat_stride_has_reference (LeatStrideFinder *self, guint first, guint end)
{
  for (guint i = first; i < end; i++)
    if (leat_kernel_unit_is_reference (self->unit, i))
      return TRUE;
  return FALSE;
}

/* Whether the type, or its function of that name, takes or keeps something by reference. */
static gboolean
leat_stride_type_refers (LeatStrideFinder *self, const LeatDecl *decl, const char *name)
{
  guint word = leat_kernel_unit_type_name (self->unit, decl);
  gboolean named = word != G_MAXUINT && leat_tokens_is (self->tokens, word, name);

  for (guint i = decl->first; i < decl->last; i++)
    {
      gboolean calls = leat_tokens_is (self->tokens, i, name) && leat_tokens_is (self->tokens, i + 1, "(");

      if (named && leat_tokens_is (self->tokens, i, "operator") && leat_tokens_is (self->tokens, i + 1, "("))
        calls = leat_tokens_is (self->tokens, (i += 2) + 1, "(");
      if (calls && leat_stride_has_reference (self, i + 1, leat_tokens_at (self->tokens, i + 1)->match))
        return TRUE;
    }
  return FALSE;
}

/* Whether a function of the file, or of one of its types, takes one of its parameters by reference. */
static gboolean
leat_stride_takes_reference (LeatStrideFinder *self, guint index)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, index);

  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);

      if (decl->kind == LEAT_DECL_FUNCTION && leat_tokens_is (self->tokens, decl->name, name)
          && leat_stride_has_reference (self, decl->params, leat_tokens_at (self->tokens, decl->params)->match))
        return TRUE;
      if (decl->kind == LEAT_DECL_TYPE && leat_stride_type_refers (self, decl, name))
        return TRUE;
    }
  return FALSE;
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

/* A function without a name that only looks at copies of what is let pass. */
static gboolean
leat_stride_is_pure (LeatStrideFinder *self, const LeatLocal *local)
{
  guint first = local->init_first;

  if (first == G_MAXUINT || !leat_tokens_is (self->tokens, first, "[")
      || leat_stride_has_reference (self, first, leat_tokens_at (self->tokens, first)->match))
    return FALSE;
  for (guint i = first; i <= local->init_last; i++)
    {
      LeatLocal *other = leat_stride_is_name (self, i) ? leat_locals_find (self->locals, i) : NULL;
      gboolean seen = other != NULL && (other->is_param || g_hash_table_contains (self->outer, other));

      if (leat_tokens_is (self->tokens, i, "mutable") || leat_stride_has_reference (self, i, i + 1)
          || (seen && (other->is_own || other->is_changed || !leat_stride_is_plain (self, other)))
          || (leat_stride_is_name (self, i) && other == NULL && leat_stride_takes_reference (self, i)))
        return FALSE;
    }
  return TRUE;
}

/* A variable of the kernel that the loop does not declare. */
static gboolean
leat_stride_forbids_outer (LeatStrideFinder *self, guint index, const LeatLocal *local)
{
  static const char *const before[] = { "(", ",", NULL }, *const after[] = { ")", ",", NULL };
  const LeatTokens *tokens = self->tokens;

  if (local->is_own || local->is_changed || leat_stride_is_of_block (self, local, 0))
    return TRUE;
  if (leat_tokens_is (tokens, index + 1, "("))
    return !leat_stride_is_pure (self, local);
  if (leat_tokens_is (tokens, index + 1, "."))
    return leat_tokens_is (tokens, index + 3, "(");
  if (leat_tokens_is (tokens, index + 1, "["))
    return !leat_stride_is_plain (self, local);
  if (local->is_array)
    return TRUE;
  if (leat_stride_is_plain (self, local))
    return FALSE;
  /* It may keep a reference to something else. */
  if (leat_stride_is_auto (self, local) && g_hash_table_size (self->unit->references) > 0)
    return TRUE;
  return leat_tokens_is (tokens, local->init_first, "[")
           ? !leat_stride_is_pure (self, local)
           : !leat_tokens_is_any (tokens, index - 1, before) || !leat_tokens_is_any (tokens, index + 1, after);
}

/* A reference to anything but memory of the device: another name for what must not change. */
static gboolean
leat_stride_refers (LeatStrideFinder *self, guint index)
{
  static const char *const ways[] = { "[", "->", NULL };
  const LeatTokens *tokens = self->tokens;
  static const char *const ends[] = { ">", ",", ")", NULL };
  guint to = index + 3;
  gboolean follows = FALSE;

  if (leat_tokens_is (tokens, index + 1, "["))
    return leat_tokens_is (tokens, index - 1, "auto");
  if (leat_tokens_is_any (tokens, index + 1, ends)) /* a type: `f<int &>`, `(int &) s` */
    return TRUE;
  if (leat_tokens_at (tokens, index + 1)->kind != LEAT_TOKEN_IDENT)
    return FALSE;
  if (leat_tokens_is (tokens, index + 2, ":") || leat_tokens_is (tokens, index + 2, "{"))
    return TRUE;
  if (leat_tokens_is (tokens, index + 2, "("))
    return leat_locals_is_declared_at (self->locals, index + 1) || leat_tokens_is (tokens, index - 1, ">");
  if (leat_tokens_is (tokens, index + 2, ")") && leat_tokens_is (tokens, index - 1, "("))
    return leat_tokens_is (tokens, index + 3, "=");
  if (!leat_tokens_is (tokens, index + 2, "="))
    return FALSE;
  for (; leat_tokens_is (tokens, to, "(") || leat_tokens_is (tokens, to, "*"); to++)
    follows = follows || leat_tokens_is (tokens, to, "*");
  return leat_tokens_at (tokens, to)->kind != LEAT_TOKEN_IDENT
         || !(follows || leat_tokens_is_any (tokens, to + 1, ways));
}

static gboolean
leat_stride_forbids_file (LeatStrideFinder *self, guint index)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, index);

  if (g_str_has_prefix (name, "leat_"))
    return !leat_tokens_is_any (self->tokens, index, leat_stride_dialect);
  return leat_kernel_calls_token_waits (self->calls, index) || leat_kernel_calls_token_is_own (self->calls, index)
         || leat_kernel_calls_token_is_of_block (self->calls, index) || leat_stride_takes_reference (self, index);
}

/* A name that nobody is known to declare and that is changed or looked into all the same: a declaration of the kernel's
 * that is not followed. */
static gboolean
leat_stride_is_odd (LeatStrideFinder *self, guint index)
{
  static const char *const known[] = { "threadIdx", "blockIdx", NULL };

  return (leat_locals_is_changed_at (self->locals, index) || leat_tokens_is (self->tokens, index + 1, ".")
          || leat_tokens_is (self->tokens, index + 1, "["))
         && !leat_tokens_is_any (self->tokens, index, known) && !leat_kernel_calls_token_is_known (self->calls, index);
}

static gboolean
leat_stride_forbids (LeatStrideFinder *self, guint index)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, index);
  LeatLocal *local;

  if (leat_tokens_is (self->tokens, index, "["))
    return leat_tokens_is (self->tokens, index + 1, "&") || leat_tokens_is (self->tokens, index + 1, "=")
           || leat_tokens_is (self->tokens, index + 1, "]");
  if (leat_tokens_at (self->tokens, index)->kind != LEAT_TOKEN_IDENT)
    return leat_stride_has_reference (self, index, index + 1) && leat_stride_refers (self, index);
  if (!leat_stride_is_name (self, index))
    return leat_tokens_is (self->tokens, index + 1, "(") && leat_stride_takes_reference (self, index);
  if (leat_tokens_is_any (self->tokens, index, leat_stride_words) || leat_kernel_unit_is_reference (self->unit, index))
    return TRUE;
  if (leat_tokens_is (self->tokens, index, "break"))
    return !leat_stride_is_inside (self, index);
  if (leat_tokens_is (self->tokens, self->loop->name, name))
    return leat_locals_is_changed_at (self->locals, index);
  local = leat_locals_find (self->locals, index);
  if (local != NULL && (local->is_param || g_hash_table_contains (self->outer, local)))
    return leat_stride_forbids_outer (self, index, local);
  return !leat_stride_is_inner (self, index)
         && (leat_stride_forbids_file (self, index) || leat_stride_is_odd (self, index));
}

/* The kernel's variables whose blocks are still open where the loop begins. */
static void
leat_stride_list_outer (LeatStrideFinder *self)
{
  const LeatTokens *tokens = self->tokens;

  g_hash_table_remove_all (self->outer);
  for (guint i = self->locals->decl->body + 1; i < self->loop->keyword; i++)
    {
      guint match = leat_tokens_at (tokens, i)->match;
      gboolean binds =
        leat_tokens_is (tokens, i, "[")
        || (leat_tokens_is (tokens, i, "(")
            && (match == i + 2 || (match == i + 3 && leat_tokens_at (tokens, i + 1)->kind == LEAT_TOKEN_PUNCT)));

      if (leat_locals_is_declared_at (self->locals, i))
        g_hash_table_add (self->outer, leat_locals_find (self->locals, i));
      if (match == G_MAXUINT || match < i)
        continue;
      for (guint k = i + 1; binds && k < match; k++)
        if (leat_locals_is_declared_at (self->locals, k))
          g_hash_table_add (self->outer, leat_locals_find (self->locals, k));
      i = match;
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
      if (token->kind == LEAT_TOKEN_IDENT && leat_stride_is_name (self, i)
          && (leat_tokens_is (self->tokens, i + 1, "(") || leat_kernel_calls_token_is_own (self->calls, i)
              || leat_kernel_calls_token_keeps (self->calls, i)
              || (local != NULL ? local->is_own || local->is_changed || leat_stride_is_of_block (self, local, 0)
                                : leat_kernel_calls_token_is_of_block (self->calls, i))))
        return i;
    }
  return G_MAXUINT;
}

guint
leat_stride_check_body (LeatStrideFinder *self)
{
  guint blocker = leat_stride_check_bound (self);

  leat_stride_list_outer (self);
  for (guint i = self->loop->body_first; blocker == G_MAXUINT && i <= self->loop->body_last; i++)
    if (leat_stride_forbids (self, i))
      blocker = i;
  return blocker;
}
