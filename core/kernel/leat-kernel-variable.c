/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* `__constant__` and `__device__` variables that a host program fills by cudaMemcpyToSymbol ().  Here no host program
 * runs, so a kernel that reads one without a value is refused; the values that a node has for it become its initialiser
 * in the text, and with that part of every image. */

#include "leat-kernel-variable-private.h"

#include "leat-kernel-locals-private.h"
#include "leat-kernel-source-internal-private.h"

#include <math.h>
#include <string.h>

static void
leat_variable_add_words (const LeatKernelUnit *unit, GHashTable *words, guint first, guint end)
{
  for (guint t = first; t < end; t++)
    g_hash_table_add (words, leat_tokens_dup (unit->tokens, t));
}

/* `p` in `__constant__ point p;` has a value where the type says which, or one by whose name it goes. */
static gboolean
leat_variable_has_type_with_values (const LeatKernelUnit *unit, const LeatKernelVariable *self)
{
  static const char *const names[] = { "typedef", "using", NULL };
  g_autoptr (GHashTable) words = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  leat_variable_add_words (unit, words, self->decl->first, self->type_end);
  for (guint i = unit->decls->len; i-- > 0;)
    {
      const LeatDecl *type = leat_kernel_unit_at (unit, i);
      guint word = leat_kernel_unit_type_name (unit, type);
      g_autofree char *name = word != G_MAXUINT ? leat_tokens_dup (unit->tokens, word) : NULL;

      if (name == NULL || !g_hash_table_contains (words, name))
        continue;
      leat_variable_add_words (unit, words, type->first, type->last);
      for (guint t = type->first; t < type->last && !leat_tokens_is_any (unit->tokens, type->first, names); t++)
        if (leat_tokens_is (unit->tokens, t, "=")
            || (leat_tokens_is (unit->tokens, t, name) && leat_tokens_is (unit->tokens, t + 1, "(")))
          return TRUE;
    }
  return FALSE;
}

static gboolean
leat_variable_is_bare (const LeatKernelUnit *unit, const LeatKernelVariable *self)
{
  static const char *const values[] = { "=", "{", "(", NULL };

  for (guint t = self->name + 1; t <= self->last; t++)
    if (leat_kernel_unit_skip_attribute (unit, t) != t)
      t = leat_kernel_unit_skip_attribute (unit, t);
    else if (leat_tokens_is (unit->tokens, t, "[")) /* `mask[(2 * R + 1)]` */
      t = leat_tokens_at (unit->tokens, t)->match;
    else if (leat_tokens_is_any (unit->tokens, t, values))
      return FALSE;
  return !leat_variable_has_type_with_values (unit, self);
}

/* (element-type LeatKernelVariable): those of which the declaration gives no value. */
GArray *
leat_kernel_unit_list_bare (const LeatKernelUnit *unit)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (LeatKernelVariable));

  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);
      gboolean is_device = (decl->flags & (LEAT_DECL_IS_DEVICE | LEAT_DECL_IS_CONSTANT)) != 0;
      gboolean is_other = (decl->flags & (LEAT_DECL_IS_SHARED | LEAT_DECL_IS_TEMPLATE | LEAT_DECL_IS_CONSTEXPR)) != 0;
      g_autoptr (GArray) pieces = NULL;
      guint type_end;

      if (decl->kind != LEAT_DECL_VARIABLE || !is_device || is_other)
        continue;
      pieces = leat_kernel_unit_split (unit, decl->first, decl->last);
      type_end = leat_kernel_unit_declared_name (unit, decl->first, g_array_index (pieces, guint, 1) + 1);
      if (type_end == G_MAXUINT)
        continue;
      for (guint p = 0; p < pieces->len; p += 2)
        {
          guint first = g_array_index (pieces, guint, p), last = g_array_index (pieces, guint, p + 1);
          LeatKernelVariable variable = { decl, leat_kernel_unit_declared_name (unit, first, last + 1), last,
                                          type_end };

          if (variable.name != G_MAXUINT && leat_variable_is_bare (unit, &variable))
            g_array_append_val (list, variable);
        }
    }
  return list;
}

/* The "(" around what stands at @index in its statement, or 0. */
static guint
leat_variable_find_bracket (const LeatKernelUnit *unit, guint index)
{
  static const char *const bounds[] = { ";", "{", "}", NULL };

  for (guint i = index; i-- > 0 && !leat_tokens_is_any (unit->tokens, i, bounds);)
    if (leat_tokens_at (unit->tokens, i)->match < i)
      i = leat_tokens_at (unit->tokens, i)->match;
    else if (leat_tokens_is (unit->tokens, i, "("))
      return i;
  return 0;
}

/* Which argument of the call with its "(" at @open the token @index is in, from 0. */
static guint
leat_variable_find_argument (const LeatKernelUnit *unit, guint open, guint index)
{
  g_autoptr (GArray) pieces = leat_kernel_unit_split (unit, open + 1, leat_tokens_at (unit->tokens, open)->match);
  guint argument = 0;

  while (2 * argument + 1 < pieces->len && g_array_index (pieces, guint, 2 * argument + 1) < index)
    argument++;
  return argument;
}

/* Whether the parameter @argument in (@open, its partner) is a `T &`, or with @pointers a `T *`, of no `const T`. */
static gboolean
leat_variable_param_changes (const LeatKernelUnit *unit, guint open, guint argument, gboolean pointers)
{
  guint close = leat_tokens_at (unit->tokens, open)->match;
  g_autoptr (GArray) pieces = leat_kernel_unit_split (unit, open + 1, close);
  gboolean is_const = FALSE;

  if (leat_tokens_is (unit->tokens, close - 1, ".") || leat_tokens_is (unit->tokens, close - 1, "..."))
    return TRUE;
  if (2 * argument + 1 >= pieces->len) /* another function of the name is called */
    return FALSE;
  for (guint t = g_array_index (pieces, guint, 2 * argument); t <= g_array_index (pieces, guint, 2 * argument + 1); t++)
    {
      is_const = is_const || leat_tokens_is (unit->tokens, t, "const");
      if (!is_const && ((pointers && leat_tokens_is (unit->tokens, t, "*")) || leat_kernel_unit_is_reference (unit, t)))
        return TRUE;
    }
  return FALSE;
}

/* Whether a function of the file that is called with the brackets at @open changes what it gets at @index; @others:
 * what is said of those that the file does not have. */
static gboolean
leat_variable_call_changes (const LeatKernelUnit *unit, guint open, guint index, gboolean pointers, gboolean others)
{
  guint argument = open > 0 ? leat_variable_find_argument (unit, open, index) : 0;
  gboolean known = FALSE;

  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);
      g_autofree char *name = decl->kind == LEAT_DECL_FUNCTION ? leat_tokens_dup (unit->tokens, decl->name) : NULL;

      if (name == NULL || !leat_tokens_is (unit->tokens, open - 1, name))
        continue;
      known = TRUE;
      if ((decl->flags & LEAT_DECL_IS_TEMPLATE) && pointers)
        return TRUE;
      if (leat_variable_param_changes (unit, decl->params, argument, pointers))
        return TRUE;
    }
  return !known && others;
}

/* `const T *p = x;`, where @index is that of `x`. */
static gboolean
leat_variable_is_kept_const (const LeatKernelUnit *unit, guint index)
{
  static const char *const bounds[] = { ";", "{", "}", NULL };
  const LeatTokens *tokens = unit->tokens;
  guint first = index;

  while (first > 0 && !leat_tokens_is_any (tokens, first - 1, bounds))
    first--;
  for (guint t = first; t < index && !leat_tokens_is (tokens, t, "="); t++)
    if (leat_tokens_is (tokens, t, "const"))
      return leat_tokens_is (tokens, t + 1, "auto") || leat_tokens_is (tokens, t + 2, "*")
             || leat_tokens_is (tokens, t + 1, "*");
  return FALSE;
}

/* Past what names the item of `*(T *) &x[2]` whose "(" is at @open, with the brackets around and members of it. */
static guint
leat_variable_find_item_end (const LeatKernelUnit *unit, guint open)
{
  const LeatTokens *tokens = unit->tokens;
  guint end = leat_tokens_at (tokens, open)->match + 1;

  if (leat_tokens_is (tokens, end, ")") && leat_tokens_at (tokens, end)->match == open - 2)
    end++;
  while (leat_tokens_is (tokens, end, "."))
    end += 2;
  return end;
}

/* Whether an address that is taken at @index, by `&x` or by an array's name, is one to read from. */
static gboolean
leat_variable_address_is_read (const LeatKernelUnit *unit, guint index)
{
  static const char *const readers[] = { "__ldg",
                                         "__ldca",
                                         "__ldcg",
                                         "__ldcs",
                                         "__ldcv",
                                         "__ldlu",
                                         "leat_load_relaxed",
                                         "sizeof",
                                         "load_matrix_sync",
                                         "leat_load_acquire",
                                         "leat_load_plainly",
                                         NULL };
  static const char *const changes[] = { "=",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=",
                                         "^=", "<<=", ">>=", "++", "--", "[",  NULL };
  const LeatTokens *tokens = unit->tokens;
  guint open = leat_variable_find_bracket (unit, index);

  if (open == 0)
    return leat_variable_is_kept_const (unit, index);
  if (leat_tokens_is_any (tokens, open - 1, readers))
    return TRUE;
  if (leat_tokens_is (tokens, open - 1, "*"))
    return !leat_tokens_is_any (tokens, leat_variable_find_item_end (unit, open), changes);
  return !leat_variable_call_changes (unit, open, index, TRUE, TRUE);
}

/* `&x`, and not `a & x`. */
static gboolean
leat_variable_is_addressed (const LeatKernelUnit *unit, guint index)
{
  const LeatTokens *tokens = unit->tokens;

  if (!leat_tokens_is (tokens, index - 1, "&"))
    return FALSE;
  if (leat_tokens_is (tokens, index - 2, ")"))
    return leat_tokens_is (tokens, index - 3, "*");
  return leat_tokens_is (tokens, index - 2, "return")
         || (leat_tokens_at (tokens, index - 2)->kind == LEAT_TOKEN_PUNCT && !leat_tokens_is (tokens, index - 2, "]"));
}

gboolean
leat_kernel_unit_may_set (const LeatKernelUnit *unit, guint index, guint n_dims)
{
  static const char *const changes[] = { "=",  "+=", "-=",  "*=",  "/=", "%=", "&=",
                                         "|=", "^=", "<<=", ">>=", "++", "--", NULL };
  static const char *const before[] = { "++", "--", NULL };
  guint next = index + 1, n_indices = 0;

  if (leat_tokens_is_any (unit->tokens, index - 1, before))
    return TRUE;
  for (;;)
    if (leat_tokens_is (unit->tokens, next, "["))
      {
        next = leat_tokens_at (unit->tokens, next)->match + 1;
        n_indices++;
      }
    else if (leat_tokens_is (unit->tokens, next, "."))
      next += 2;
    else
      break;
  if (leat_tokens_is_any (unit->tokens, next, changes) || leat_tokens_is (unit->tokens, next, "(")
      || leat_kernel_unit_refers (unit, index, next))
    return TRUE;
  if (leat_variable_is_addressed (unit, index) || n_indices < n_dims)
    return !leat_variable_address_is_read (unit, index);
  return leat_variable_call_changes (unit, leat_variable_find_bracket (unit, index), index, FALSE, FALSE);
}

/* `int x`, `int a, x`, and not `return x`, `f (a, x)`. */
static gboolean
leat_variable_is_behind_type (const LeatKernelUnit *unit, guint index)
{
  if (leat_tokens_is (unit->tokens, index - 1, ","))
    return leat_variable_find_bracket (unit, index) == 0;
  return leat_tokens_at (unit->tokens, index - 1)->kind == LEAT_TOKEN_IDENT
         && !leat_tokens_is (unit->tokens, index - 1, "return");
}

/* Whether @decl has something of its own by that name: a parameter, a local variable, a member. */
static gboolean
leat_variable_is_hidden (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatKernelVariable *self,
                         const LeatDecl *decl)
{
  static const char *const after[] = { ";", ",", "=", "[", "{", ")", NULL };
  g_autofree char *name = leat_tokens_dup (unit->tokens, self->name);

  if (decl->kind == LEAT_DECL_FUNCTION)
    {
      g_autoptr (LeatLocals) locals = leat_locals_new (unit, calls, decl);

      return leat_locals_find (locals, self->name) != NULL;
    }
  for (guint t = decl->first + 1; t < decl->last; t++)
    if (leat_tokens_is (unit->tokens, t, name) && leat_tokens_is_any (unit->tokens, t + 1, after)
        && leat_variable_is_behind_type (unit, t))
      return TRUE;
  return FALSE;
}

/* A mention of the variable in the function, or in the functions of the type; with @sets one that may give it a value.
 */
static gboolean
leat_variable_is_mentioned (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatKernelVariable *self,
                            const LeatDecl *decl, gboolean sets)
{
  static const char *const before[] = { ".", "->", NULL };
  g_autofree char *name = leat_tokens_dup (unit->tokens, self->name);
  guint n_dims = 0;

  if (decl == self->decl)
    return FALSE;
  for (guint t = self->name + 1; leat_tokens_is (unit->tokens, t, "["); t = leat_tokens_at (unit->tokens, t)->match + 1)
    n_dims++;
  for (guint t = decl->kind == LEAT_DECL_FUNCTION ? decl->body : decl->first; t < decl->last; t++)
    if (leat_tokens_is (unit->tokens, t, name) && !leat_tokens_is_any (unit->tokens, t - 1, before)
        && (!sets || leat_kernel_unit_may_set (unit, t, n_dims)))
      return !leat_variable_is_hidden (unit, calls, self, decl);
  return FALSE;
}

/* No kernel can write what is __constant__. */
static gboolean
leat_variable_is_set (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatKernelVariable *self)
{
  if (self->decl->flags & LEAT_DECL_IS_CONSTANT)
    return FALSE;
  for (guint i = 0; i < unit->decls->len; i++)
    if (leat_variable_is_mentioned (unit, calls, self, leat_kernel_unit_at (unit, i), TRUE))
      return TRUE;
  return FALSE;
}

/* Calls of an operator cannot be seen by a name. */
static gboolean
leat_variable_is_used (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatKernelVariable *self, guint entry)
{
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);

      if ((i == entry || (decl->flags & LEAT_DECL_IS_OPERATOR) || leat_kernel_calls_reaches (calls, entry, i))
          && leat_variable_is_mentioned (unit, calls, self, decl, FALSE))
        return TRUE;
    }
  return FALSE;
}

guint
leat_kernel_unit_find_unfilled (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *entry)
{
  g_autoptr (GArray) bare = leat_kernel_unit_list_bare (unit);

  for (guint i = 0; i < bare->len; i++)
    {
      const LeatKernelVariable *variable = &g_array_index (bare, LeatKernelVariable, i);

      if (leat_variable_is_used (unit, calls, variable, (guint) (entry - leat_kernel_unit_at (unit, 0)))
          && !leat_variable_is_set (unit, calls, variable))
        return variable->name;
    }
  return G_MAXUINT;
}
