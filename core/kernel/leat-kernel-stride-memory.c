/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* As long as a thread has the same items, it may look without a barrier for what it left in memory before or in a
 * grid-stride loop.  So a loop keeps its stride where the kernel touches memory outside it that one of the two writes.
 * Loops with the same bound give a thread the same items in either way. */

#include "leat-kernel-stride-private.h"

#define LEAT_STRIDE_ANY 0u

/* Pointers that may lead to the same memory have the same number; LEAT_STRIDE_ANY is like all. */
static guint
leat_stride_group (LeatStrideFinder *self, GHashTable *groups, guint index)
{
  LeatLocal *local = leat_stride_is_name (self, index) ? leat_locals_find (self->locals, index) : NULL;

  if (local != NULL)
    return GPOINTER_TO_UINT (g_hash_table_lookup (groups, local)) - 1;
  return leat_stride_is_name (self, index) && leat_kernel_calls_token_keeps (self->calls, index) ? LEAT_STRIDE_ANY + 1
                                                                                                 : G_MAXUINT;
}

static gboolean
leat_stride_leads_to_memory (LeatStrideFinder *self, const LeatLocal *local)
{
  LeatKernelType type;

  return local->is_pointer || (!leat_locals_lookup_type (self->locals, local->name, &type) && !local->is_array);
}

static void
leat_stride_join (GHashTable *groups, guint from, guint to)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, groups);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (GPOINTER_TO_UINT (value) == from + 1)
      g_hash_table_iter_replace (&iter, GUINT_TO_POINTER (to + 1));
}

/* LeatLocal -> 1 + its group: an address that comes from another is of one group with it, one that changes of any. */
static GHashTable *
leat_stride_group_locals (LeatStrideFinder *self)
{
  GHashTable *groups = g_hash_table_new (NULL, NULL);
  guint next = LEAT_STRIDE_ANY + 2;
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->locals->names);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const LeatLocal *local = value;
      gboolean any = local->is_changed || (!local->is_param && local->init_first == G_MAXUINT);

      if (leat_stride_leads_to_memory (self, local) && !local->is_shared)
        g_hash_table_insert (groups, value, GUINT_TO_POINTER ((any ? LEAT_STRIDE_ANY : next++) + 1));
    }
  g_hash_table_iter_init (&iter, self->locals->names);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const LeatLocal *local = value;

      if (!g_hash_table_contains (groups, local) || local->init_first == G_MAXUINT)
        continue;
      for (guint i = local->init_first; i <= local->init_last; i++)
        {
          guint group = leat_stride_group (self, groups, i);
          guint own = GPOINTER_TO_UINT (g_hash_table_lookup (groups, local)) - 1;

          if (group != G_MAXUINT && group != own)
            leat_stride_join (groups, MAX (group, own), MIN (group, own));
        }
    }
  return groups;
}

/* `const T *x`: nobody writes through it. */
static gboolean
leat_stride_is_read_only (LeatStrideFinder *self, const LeatLocal *local)
{
  static const char *const bounds[] = { ";", "{", "}", "(", ",", NULL };
  gboolean points = FALSE;

  for (guint i = local->name; i-- > 0 && !leat_tokens_is_any (self->tokens, i, bounds);)
    {
      points = points || leat_tokens_is (self->tokens, i, "*");
      if (points && leat_tokens_is (self->tokens, i, "const"))
        return TRUE;
    }
  return FALSE;
}

/* Whether the mention can be anything but a look: `x[i]` in an expression. */
static gboolean
leat_stride_may_write (LeatStrideFinder *self, guint index)
{
  static const char *const changes[] = { "=",  "+=", "-=",  "*=",  "/=", "%=", "&=",
                                         "|=", "^=", "<<=", ">>=", "++", "--", NULL };
  static const char *const before[] = { "&", "++", "--", NULL };
  LeatLocal *local = leat_locals_find (self->locals, index);
  guint next = index + 1;

  if (local != NULL && leat_stride_is_read_only (self, local))
    return FALSE;
  if (!leat_tokens_is (self->tokens, next, "[") || leat_tokens_is_any (self->tokens, index - 1, before))
    return TRUE;
  for (;;)
    if (leat_tokens_is (self->tokens, next, "["))
      next = leat_tokens_at (self->tokens, next)->match + 1;
    else if (leat_tokens_is (self->tokens, next, "."))
      next += 2;
    else
      break;
  return leat_tokens_is_any (self->tokens, next, changes) || leat_tokens_is (self->tokens, next, "(");
}

/* `T *q = p + 1`: another name, and no access yet. */
static gboolean
leat_stride_only_names (LeatStrideFinder *self, guint index)
{
  GHashTableIter iter;
  gpointer value;

  if (leat_locals_is_declared_at (self->locals, index))
    return TRUE;
  g_hash_table_iter_init (&iter, self->locals->names);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const LeatLocal *local = value;

      if (local->is_pointer && index >= local->init_first && index <= local->init_last && local->init_first != G_MAXUINT
          && leat_tokens_at (self->tokens, index + 1)->match == G_MAXUINT)
        return TRUE;
    }
  return FALSE;
}

/* A barrier of the grid at which every thread arrives between the two. */
static gboolean
leat_stride_is_apart (LeatStrideFinder *self, guint first, guint end)
{
  guint depth = 0;

  for (guint i = self->locals->decl->body + 1; i < end; i++)
    {
      depth += leat_tokens_is (self->tokens, i, "{");
      depth -= leat_tokens_is (self->tokens, i, "}") && depth > 0;
      if (i > first && depth == 0 && leat_tokens_is (self->tokens, i, "leat_grid_sync"))
        return TRUE;
    }
  return FALSE;
}

static gboolean
leat_stride_has (const LeatStrideLoop *loop, guint index)
{
  return index >= loop->keyword && index <= loop->body_last;
}

/* The other loop gives each thread the same items as this does. */
static gboolean
leat_stride_is_alike (LeatStrideFinder *self, const LeatStrideLoop *loop, const LeatStrideLoop *other)
{
  g_autofree char *bound = leat_tokens_dup_range (self->tokens, loop->bound_first, loop->bound_last);
  g_autofree char *others = leat_tokens_dup_range (self->tokens, other->bound_first, other->bound_last);
  guint first = MIN (loop->body_last, other->body_last), end = MAX (loop->keyword, other->keyword);

  if (other->blocker != G_MAXUINT || !g_str_equal (bound, others))
    return FALSE;
  for (guint i = first; i < end; i++)
    if (leat_kernel_calls_token_waits (self->calls, i))
      return FALSE;
  return TRUE;
}

static gboolean
leat_stride_meets (LeatStrideFinder *self, GHashTable *groups, guint group, gboolean writes, guint index)
{
  guint other = leat_stride_group (self, groups, index);

  return other != G_MAXUINT && (other == group || other == LEAT_STRIDE_ANY || group == LEAT_STRIDE_ANY)
         && (writes || leat_stride_may_write (self, index)) && !leat_stride_only_names (self, index);
}

/* Whether the kernel, outside @loop, touches what is mentioned at @index inside it. */
static gboolean
leat_stride_is_met (LeatStrideFinder *self, GHashTable *groups, GArray *loops, const LeatStrideLoop *loop, guint index)
{
  const LeatDecl *decl = self->locals->decl;
  guint group = leat_stride_group (self, groups, index);
  gboolean writes = group != G_MAXUINT && leat_stride_may_write (self, index);

  if (group == G_MAXUINT || leat_stride_only_names (self, index))
    return FALSE;
  for (guint i = decl->body + 1; i < decl->last; i++)
    {
      const LeatStrideLoop *other = NULL;

      if (i == loop->keyword)
        i = loop->body_last;
      if (leat_stride_has (loop, i) || !leat_stride_meets (self, groups, group, writes, i)
          || leat_stride_is_apart (self, MIN (i, loop->body_last), MAX (i, loop->keyword)))
        continue;
      for (guint k = 0; k < loops->len && other == NULL; k++)
        if (leat_stride_has (&g_array_index (loops, LeatStrideLoop, k), i))
          other = &g_array_index (loops, LeatStrideLoop, k);
      if (other == NULL || !leat_stride_is_alike (self, loop, other))
        return TRUE;
    }
  return FALSE;
}

void
leat_stride_check_memory (LeatStrideFinder *self, GArray *loops)
{
  g_autoptr (GHashTable) groups = leat_stride_group_locals (self);
  gboolean changed = loops->len > 0;

  while (changed)
    {
      changed = FALSE;
      for (guint i = 0; i < loops->len; i++)
        {
          LeatStrideLoop *loop = &g_array_index (loops, LeatStrideLoop, i);

          for (guint t = loop->body_first; loop->blocker == G_MAXUINT && t <= loop->body_last; t++)
            if (leat_stride_is_met (self, groups, loops, loop, t))
              {
                loop->blocker = t;
                changed = TRUE;
              }
        }
    }
}
