/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The declarations of a file that its kernels can come to, by name.  All others, a program's host code among them, are
 * nothing to a compiler of kernels.  Reads the unit only. */

#include "leat-kernel-plain-private.h"

typedef struct
{
  const LeatKernelUnit *unit;
  const LeatTokens *tokens;
  GHashTable *by_name; /* char* -> GArray of decls */
  GQueue todo;         /* decls that are kept, and not looked through */
  guint8 *kept;
} LeatReach;

static void
leat_reach_name (LeatReach *self, guint token, guint decl)
{
  char *word = leat_tokens_dup (self->tokens, token);
  GArray *decls = g_hash_table_lookup (self->by_name, word);

  if (decls == NULL)
    {
      decls = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (self->by_name, word, decls);
    }
  else
    g_free (word);
  g_array_append_val (decls, decl);
}

static gboolean
leat_reach_is_word (LeatReach *self, guint token)
{
  return leat_tokens_at (self->tokens, token)->kind == LEAT_TOKEN_IDENT
         && !leat_tokens_is_any (self->tokens, token, leat_kernel_type_words);
}

static gboolean
leat_reach_has_braces (LeatReach *self, const LeatDecl *decl)
{
  for (guint i = decl->first; i < decl->last; i++)
    if (leat_tokens_is (self->tokens, i, "{"))
      return TRUE;
  return FALSE;
}

/* The words of a type outside its braces, up to its bases; those of an enumeration inside too. */
static void
leat_reach_name_type (LeatReach *self, guint index)
{
  static const char *const ends[] = { ":", "<", "=", ";", NULL };
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);
  gboolean is_enum = FALSE, after = FALSE;
  guint name = leat_kernel_unit_type_name (self->unit, decl);

  if (name != G_MAXUINT)
    leat_reach_name (self, name, index);
  if (leat_tokens_is (self->tokens, decl->first, "typedef") && !leat_reach_has_braces (self, decl))
    return;
  for (guint i = decl->first; i < decl->last; i++)
    {
      guint match = leat_tokens_at (self->tokens, i)->match;

      is_enum = is_enum || leat_tokens_is (self->tokens, i, "enum");
      if (leat_tokens_is (self->tokens, i, "template"))
        i = leat_kernel_unit_skip_angles (self->unit, i + 1) - 1;
      else if (leat_tokens_is (self->tokens, i, "{"))
        {
          for (guint t = i; is_enum && t < match; t++)
            if (leat_reach_is_word (self, t))
              leat_reach_name (self, t, index);
          i = match;
          after = TRUE;
        }
      else if (!after && leat_tokens_is_any (self->tokens, i, ends)
               && !leat_tokens_is (self->tokens, decl->first, "typedef"))
        {
          if (leat_tokens_is (self->tokens, i, "="))
            return;
          while (i < decl->last && !leat_tokens_is (self->tokens, i + 1, "{"))
            i++;
        }
      else if (leat_reach_is_word (self, i))
        leat_reach_name (self, i, index);
    }
}

/* The type before `::` of a member that is defined at file scope, with its name at @token; @token for others. */
static guint
leat_reach_find_owner (LeatReach *self, guint token, guint first)
{
  guint begin = token, i;

  while (begin > first && !leat_tokens_is (self->tokens, begin, "operator"))
    begin--;
  if (!leat_tokens_is (self->tokens, begin, "operator"))
    begin = token > first && leat_tokens_is (self->tokens, token - 1, "~") ? token - 1 : token;
  if (begin < first + 2 || !leat_tokens_is (self->tokens, begin - 1, "::"))
    return token;
  i = begin - 2;
  if (leat_tokens_is (self->tokens, i, ">"))
    while (i > first && !leat_tokens_is (self->tokens, i + 1, "<"))
      i--;
  return i;
}

static void
leat_reach_name_variable (LeatReach *self, guint index)
{
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);
  g_autoptr (GArray) pieces = leat_kernel_unit_split (self->unit, decl->first, decl->last);

  for (guint i = 0; i < pieces->len; i += 2)
    {
      guint name = leat_kernel_unit_declared_name (self->unit, g_array_index (pieces, guint, i),
                                                   g_array_index (pieces, guint, i + 1) + 1);

      if (name != G_MAXUINT)
        leat_reach_name (self, leat_reach_find_owner (self, name, g_array_index (pieces, guint, i)), index);
    }
}

static gboolean
leat_reach_says (LeatReach *self, const LeatDecl *decl, const char *word)
{
  guint end = decl->params != G_MAXUINT ? decl->params : decl->last;

  for (guint i = decl->first; i < end; i++)
    if (leat_tokens_is (self->tokens, i, word))
      return TRUE;
  return FALSE;
}

static gboolean
leat_reach_is_function (const LeatDecl *decl)
{
  return decl->kind == LEAT_DECL_FUNCTION || decl->kind == LEAT_DECL_PROTOTYPE;
}

static gboolean
leat_reach_is_for_device (const LeatDecl *decl)
{
  return (decl->flags & (LEAT_DECL_IS_DEVICE | LEAT_DECL_IS_GLOBAL | LEAT_DECL_IS_CONSTEXPR | LEAT_DECL_IS_VARIANT))
         != 0;
}

/* Whether another function of the name is one for the device. */
static gboolean
leat_reach_has_twin (LeatReach *self, const LeatDecl *decl)
{
  g_autofree char *word = leat_tokens_dup (self->tokens, decl->name);
  GArray *decls = g_hash_table_lookup (self->by_name, word);

  for (guint i = 0; decls != NULL && i < decls->len; i++)
    {
      const LeatDecl *other = leat_kernel_unit_at (self->unit, g_array_index (decls, guint, i));

      if (leat_reach_is_function (other) && (other->flags & (LEAT_DECL_IS_DEVICE | LEAT_DECL_IS_GLOBAL)))
        return TRUE;
    }
  return FALSE;
}

/* Never: functions for the host alone, and instances that a program asks for. */
static gboolean
leat_reach_is_host (LeatReach *self, const LeatDecl *decl)
{
  if (leat_tokens_is (self->tokens, decl->first, "template") && !leat_tokens_is (self->tokens, decl->first + 1, "<"))
    return TRUE;
  if (decl->kind == LEAT_DECL_PROTOTYPE && (decl->flags & LEAT_DECL_IS_GLOBAL)) /* nobody calls it */
    return TRUE;
  if (!leat_reach_is_function (decl) || leat_reach_is_for_device (decl))
    return FALSE;
  return leat_reach_says (self, decl, "__host__") || leat_reach_has_twin (self, decl)
         || leat_tokens_is (self->tokens, decl->name, "main")
         || !leat_kernel_unit_check_launches (self->unit, decl, NULL);
}

/* `extern __constant__ int n;` says nothing where the file has the variable itself. */
static gboolean
leat_reach_is_said_again (LeatReach *self, const LeatDecl *decl)
{
  guint name = leat_kernel_unit_declared_name (self->unit, decl->first, decl->last);
  g_autofree char *word = name != G_MAXUINT ? leat_tokens_dup (self->tokens, name) : NULL;
  GArray *decls = word != NULL ? g_hash_table_lookup (self->by_name, word) : NULL;

  if (decl->kind != LEAT_DECL_VARIABLE || !(decl->flags & LEAT_DECL_IS_EXTERN) || (decl->flags & LEAT_DECL_IS_SHARED))
    return FALSE;
  for (guint i = 0; decls != NULL && i < decls->len; i++)
    {
      const LeatDecl *other = leat_kernel_unit_at (self->unit, g_array_index (decls, guint, i));

      if (other->kind == LEAT_DECL_VARIABLE && !(other->flags & LEAT_DECL_IS_EXTERN))
        return TRUE;
    }
  return FALSE;
}

static void
leat_reach_keep (LeatReach *self, guint index)
{
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);

  if (self->kept[index] || leat_reach_is_host (self, decl) || leat_reach_is_said_again (self, decl))
    return;
  self->kept[index] = TRUE;
  g_queue_push_tail (&self->todo, GUINT_TO_POINTER (index));
}

static void
leat_reach_look_through (LeatReach *self, guint index)
{
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);

  for (guint i = decl->first; i <= decl->last; i++)
    {
      g_autofree char *word =
        leat_tokens_at (self->tokens, i)->kind == LEAT_TOKEN_IDENT ? leat_tokens_dup (self->tokens, i) : NULL;
      GArray *decls = word != NULL ? g_hash_table_lookup (self->by_name, word) : NULL;

      for (guint d = 0; decls != NULL && d < decls->len; d++)
        leat_reach_keep (self, g_array_index (decls, guint, d));
    }
}

static void
leat_reach_spread (LeatReach *self)
{
  while (!g_queue_is_empty (&self->todo))
    leat_reach_look_through (self, GPOINTER_TO_UINT (g_queue_pop_head (&self->todo)));
}

static gboolean
leat_reach_names_kept (LeatReach *self, guint token)
{
  g_autofree char *word = leat_tokens_dup (self->tokens, token);
  GArray *decls = g_hash_table_lookup (self->by_name, word);

  for (guint d = 0; decls != NULL && d < decls->len; d++)
    if (self->kept[g_array_index (decls, guint, d)])
      return TRUE;
  return FALSE;
}

/* Whether a parameter has a type of the file that is kept, or one of CUDA's. */
static gboolean
leat_reach_takes_kept (LeatReach *self, const LeatDecl *decl)
{
  guint close = leat_tokens_at (self->tokens, decl->params)->match;

  for (guint i = decl->params + 1; i < close; i++)
    {
      g_autofree char *word = leat_tokens_dup (self->tokens, i);
      LeatKernelType type;

      if (leat_reach_names_kept (self, i)
          || (leat_kernel_unit_lookup_type (self->unit, word, &type)
              && (type.lanes > 1 || leat_kernel_type_get_header (word) != NULL)))
        return TRUE;
    }
  return FALSE;
}

/* Operators and members come with the types that they are for, since no name leads to them. */
static gboolean
leat_reach_comes_along (LeatReach *self, const LeatDecl *decl)
{
  guint owner;

  if (!leat_reach_is_function (decl))
    return FALSE;
  if (!leat_kernel_unit_is_plain_name (self->unit, decl) || (decl->flags & LEAT_DECL_IS_OPERATOR))
    owner = leat_reach_find_owner (self, decl->name, decl->first);
  else
    return FALSE;
  if (owner != decl->name)
    return leat_reach_is_for_device (decl) && leat_reach_names_kept (self, owner);
  if (leat_reach_is_for_device (decl))
    return TRUE;
  for (guint i = decl->first; i <= decl->last; i++)
    if (leat_tokens_is (self->tokens, i, "std"))
      return FALSE;
  return leat_reach_takes_kept (self, decl);
}

/* Other declarations: those about namespaces of the file, and assertions about what is kept. */
static gboolean
leat_reach_keeps_other (LeatReach *self, const LeatDecl *decl)
{
  static const char *const known[] = { "cooperative_groups", "nvcuda", "cuda", NULL };
  gboolean about_namespace = leat_tokens_is (self->tokens, decl->first, "namespace")
                             || leat_tokens_is (self->tokens, decl->first + 1, "namespace");

  for (guint i = decl->first + 1; i < decl->last; i++)
    {
      g_autofree char *word = leat_tokens_dup (self->tokens, i);

      if (leat_tokens_is_any (self->tokens, i, known))
        return TRUE;
      if (g_str_equal (word, "std"))
        return FALSE;
      for (guint s = 1; about_namespace && s < self->unit->scopes->len; s++)
        if (g_strv_contains (g_ptr_array_index (self->unit->scopes, s), word))
          return TRUE;
      if (!about_namespace && g_hash_table_contains (self->by_name, word) && !leat_reach_names_kept (self, i))
        return FALSE;
    }
  return !about_namespace;
}

static void
leat_reach_list_names (LeatReach *self)
{
  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);

      if (leat_reach_is_function (decl) && !(decl->flags & LEAT_DECL_IS_OPERATOR)
          && leat_tokens_at (self->tokens, decl->name)->kind == LEAT_TOKEN_IDENT)
        leat_reach_name (self, decl->name, i);
      else if (decl->kind == LEAT_DECL_VARIABLE)
        leat_reach_name_variable (self, i);
      else if (decl->kind == LEAT_DECL_TYPE)
        leat_reach_name_type (self, i);
    }
}

static void
leat_reach_run (LeatReach *self)
{
  gboolean more = TRUE;

  leat_reach_list_names (self);
  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);

      if (decl->kind == LEAT_DECL_REPORT || (decl->flags & (LEAT_DECL_IS_GLOBAL | LEAT_DECL_IS_VARIANT))
          || (decl->kind == LEAT_DECL_VARIABLE && !(decl->flags & LEAT_DECL_IS_EXTERN)
              && (decl->flags & (LEAT_DECL_IS_DEVICE | LEAT_DECL_IS_CONSTANT))))
        leat_reach_keep (self, i);
    }
  while (more)
    {
      more = FALSE;
      leat_reach_spread (self);
      for (guint i = 0; i < self->unit->decls->len; i++)
        if (!self->kept[i] && leat_reach_comes_along (self, leat_kernel_unit_at (self->unit, i)))
          {
            leat_reach_keep (self, i);
            more = more || self->kept[i];
          }
    }
  for (guint i = 0; i < self->unit->decls->len; i++)
    if (leat_kernel_unit_at (self->unit, i)->kind == LEAT_DECL_OTHER)
      self->kept[i] = leat_reach_keeps_other (self, leat_kernel_unit_at (self->unit, i));
}

guint8 *
leat_kernel_unit_find_reached (const LeatKernelUnit *unit)
{
  g_autoptr (GHashTable) by_name =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
  LeatReach self = { unit, unit->tokens, by_name, G_QUEUE_INIT, g_new0 (guint8, unit->decls->len + 1) };

  leat_reach_run (&self);
  return self.kept;
}
