/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The declarations of a file that its kernels can come to, by name.  All others, a program's host code among them, are
 * nothing to a compiler of kernels.  Reads the unit only. */

#include "leat-kernel-reach-private.h"

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

/* A member function that is defined outside its type. */
static gboolean
leat_reach_is_outside (LeatReach *self, const LeatDecl *decl)
{
  return leat_reach_is_function (decl) && leat_reach_find_owner (self, decl->name, decl->first) != decl->name;
}

/* Whether the members that the name @word has in types are for the host, as `void T::word ()` then is. */
static gboolean
leat_reach_is_of_host (LeatReach *self, const char *word)
{
  GArray *members = g_hash_table_lookup (self->loose, word);

  for (guint m = 0; members != NULL && m < members->len; m++)
    if (g_array_index (self->members, LeatLooseMember, g_array_index (members, guint, m)).is_host)
      return TRUE;
  return FALSE;
}

static void
leat_reach_keep_members (LeatReach *self, const char *word)
{
  GArray *members = g_hash_table_lookup (self->loose, word);

  for (guint m = 0; members != NULL && m < members->len; m++)
    {
      guint index = g_array_index (members, guint, m);
      LeatLooseMember *member = &g_array_index (self->members, LeatLooseMember, index);

      if (member->is_host || member->is_kept)
        continue;
      member->is_kept = TRUE;
      if (self->kept[member->decl]) /* else it is looked through with the type */
        g_queue_push_tail (&self->todo, GUINT_TO_POINTER (self->unit->decls->len + index));
    }
}

static void
leat_reach_keep (LeatReach *self, guint index)
{
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);
  gboolean is_outside = leat_reach_is_outside (self, decl);
  g_autofree char *word = is_outside ? leat_tokens_dup (self->tokens, decl->name) : NULL;

  if (self->kept[index] || leat_reach_is_host (self, decl) || leat_reach_is_said_again (self, decl))
    return;
  if ((is_outside || decl->kind == LEAT_DECL_VARIABLE) && !leat_reach_is_for_device (decl)
      && ((is_outside && leat_reach_is_of_host (self, word))
          || leat_kernel_unit_names_host (self->unit, decl->first, decl->last)))
    return;
  self->kept[index] = TRUE;
  g_queue_push_tail (&self->todo, GUINT_TO_POINTER (index));
  if (is_outside)
    leat_reach_keep_members (self, word);
}

/* The member that begins at @token and goes, so far; NULL where none does. */
static const LeatLooseMember *
leat_reach_find_gone (LeatReach *self, guint token)
{
  guint low = 0, high = self->members->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (g_array_index (self->members, LeatLooseMember, middle).first < token)
        low = middle + 1;
      else
        high = middle;
    }
  for (; low < self->members->len && g_array_index (self->members, LeatLooseMember, low).first == token; low++)
    if (!g_array_index (self->members, LeatLooseMember, low).is_kept)
      return &g_array_index (self->members, LeatLooseMember, low);
  return NULL;
}

/* Keeps what the word at @token can name.  @is_inside: where members go by their names alone */
static void
leat_reach_follow (LeatReach *self, guint token, gboolean is_inside)
{
  static const char *const before[] = { ".", "->", "::", NULL };
  g_autofree char *word = leat_tokens_dup (self->tokens, token);
  GArray *decls = g_hash_table_lookup (self->by_name, word);

  for (guint d = 0; decls != NULL && d < decls->len; d++)
    leat_reach_keep (self, g_array_index (decls, guint, d));
  if (is_inside || leat_tokens_is_any (self->tokens, token - 1, before))
    leat_reach_keep_members (self, word);
}

static void
leat_reach_look_through (LeatReach *self, guint index)
{
  const LeatDecl *decl = index < self->unit->decls->len ? leat_kernel_unit_at (self->unit, index) : NULL;
  const LeatLooseMember *own =
    decl == NULL ? &g_array_index (self->members, LeatLooseMember, index - self->unit->decls->len) : NULL;
  gboolean is_inside = own != NULL || decl->kind == LEAT_DECL_TYPE || leat_reach_is_outside (self, decl);
  guint last = own != NULL ? own->last : decl->last;

  for (guint i = own != NULL ? own->first : decl->first; i <= last; i++)
    {
      const LeatLooseMember *gone = leat_reach_find_gone (self, i);

      if (gone != NULL)
        i = gone->last;
      else if (leat_tokens_at (self->tokens, i)->kind == LEAT_TOKEN_IDENT)
        leat_reach_follow (self, i, is_inside);
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
leat_kernel_unit_find_reached (const LeatKernelUnit *unit, GArray **members)
{
  g_autoptr (GHashTable) by_name =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
  g_autoptr (GHashTable) loose =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
  LeatReach self = { unit,
                     unit->tokens,
                     by_name,
                     loose,
                     leat_kernel_unit_list_loose_members (unit),
                     G_QUEUE_INIT,
                     g_new0 (guint8, unit->decls->len + 1) };

  leat_reach_run (&self);
  *members = self.members;
  return self.kept;
}
