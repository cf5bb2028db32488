/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Takes a kernel file apart at file scope: functions, variables, types. */

#include "leat-kernel-report-private.h"

#include <string.h>

static const struct
{
  const char *word;
  LeatDeclFlags flag;
} leat_unit_flags[] = {
  { "__global__", LEAT_DECL_IS_GLOBAL },  { "__device__", LEAT_DECL_IS_DEVICE },
  { "__managed__", LEAT_DECL_IS_DEVICE }, { "__constant__", LEAT_DECL_IS_CONSTANT },
  { "__shared__", LEAT_DECL_IS_SHARED },  { "static", LEAT_DECL_IS_STATIC },
  { "extern", LEAT_DECL_IS_EXTERN },      { "constexpr", LEAT_DECL_IS_CONSTEXPR },
  { "template", LEAT_DECL_IS_TEMPLATE },  { "LEAT_HOST_VARIANT", LEAT_DECL_IS_VARIANT },
  { "operator", LEAT_DECL_IS_OPERATOR },
};

const LeatDecl *
leat_kernel_unit_at (const LeatKernelUnit *self, guint index)
{
  g_assert (index < self->decls->len);
  return &g_array_index (self->decls, LeatDecl, index);
}

static guint
leat_kernel_unit_match (const LeatKernelUnit *self, guint index)
{
  return leat_tokens_at (self->tokens, index)->match;
}

guint
leat_kernel_unit_skip_angles (const LeatKernelUnit *self, guint index)
{
  gint depth = 0;

  for (; leat_tokens_at (self->tokens, index)->kind != LEAT_TOKEN_END; index++)
    {
      if (leat_tokens_is (self->tokens, index, "<"))
        depth++;
      else if (leat_tokens_is (self->tokens, index, ">"))
        depth--;
      else if (leat_tokens_is (self->tokens, index, ">>"))
        depth -= 2;
      else if (leat_tokens_is (self->tokens, index, ">>>"))
        depth -= 3;
      else if (leat_tokens_is (self->tokens, index, "("))
        index = leat_kernel_unit_match (self, index);
      if (depth <= 0)
        return index + 1;
    }
  return index;
}

/* The name before the template arguments that end before @index, as in `f<int> (`; G_MAXUINT where there are none. */
static guint
leat_kernel_unit_find_arguments (const LeatKernelUnit *self, guint index, guint first)
{
  if (!leat_tokens_is (self->tokens, index - 1, ">"))
    return G_MAXUINT;
  for (guint i = index - 1; i > first; i--)
    if (leat_tokens_is (self->tokens, i, "<") && leat_tokens_at (self->tokens, i - 1)->kind == LEAT_TOKEN_IDENT
        && leat_kernel_unit_skip_angles (self, i) == index)
      return i - 1;
  return G_MAXUINT;
}

/* The last token before the "(" at @index, attributes left out: `f [[noreturn]] (`. */
static guint
leat_kernel_unit_find_before (const LeatKernelUnit *self, guint index)
{
  while (index > 1 && leat_tokens_is (self->tokens, index - 1, "]")
         && leat_tokens_is (self->tokens, leat_kernel_unit_match (self, index - 1) + 1, "["))
    index = leat_kernel_unit_match (self, index - 1);
  return index - 1;
}

/* Whether the "(" at @index opens the parameters of a function rather than `int (*f) (int)` or an attribute's. */
static gboolean
leat_kernel_unit_opens_params (LeatKernelUnit *self, guint index, guint first, gboolean operator)
{
  static const char *const behind[] = { "const",         "volatile", "noexcept", "override", "final",
                                        "__attribute__", "requires", "try",      NULL };
  guint next = leat_kernel_unit_match (self, index) + 1;

  if (index == first || leat_tokens_is (self->tokens, index + 1, "*"))
    return FALSE;
  /* `MACRO (256) __global__ void k (...)`, with a macro of a header that is not there. */
  if (!operator&& leat_tokens_at (self->tokens, next)->kind == LEAT_TOKEN_IDENT
      && !leat_tokens_is_any (self->tokens, next, behind))
    return FALSE;
  if (operator)
    return TRUE;
  return (leat_tokens_at (self->tokens, leat_kernel_unit_find_before (self, index))->kind == LEAT_TOKEN_IDENT
          || leat_kernel_unit_find_arguments (self, index, first) != G_MAXUINT)
         && !leat_tokens_is_any (self->tokens, leat_kernel_unit_find_before (self, index), leat_kernel_attribute_words);
}

/* The name of the function whose parameters begin at @index. */
static guint
leat_kernel_unit_find_function (const LeatKernelUnit *self, guint index, const LeatDecl *decl)
{
  guint name =
    decl->flags & LEAT_DECL_IS_OPERATOR ? G_MAXUINT : leat_kernel_unit_find_arguments (self, index, decl->first);

  return name != G_MAXUINT ? name : leat_kernel_unit_find_before (self, index);
}

/* Past `a (x), b{ y }` of a constructor, to the "{" of its body. */
static guint
leat_kernel_unit_skip_initialisers (const LeatKernelUnit *self, guint index)
{
  static const char *const opens[] = { "(", "{", NULL };

  for (; leat_tokens_at (self->tokens, index)->kind != LEAT_TOKEN_END; index++)
    {
      while (!leat_tokens_is_any (self->tokens, index, opens)
             && leat_tokens_at (self->tokens, index)->kind != LEAT_TOKEN_END)
        index++;
      if (leat_tokens_at (self->tokens, index)->kind == LEAT_TOKEN_END)
        break;
      index = leat_kernel_unit_match (self, index) + 1;
      if (!leat_tokens_is (self->tokens, index, ","))
        break;
    }
  return index;
}

/* Finds where the declaration at decl->first ends and what it is.  Returns FALSE at a syntax error. */
static gboolean
leat_kernel_unit_read_decl (LeatKernelUnit *self, LeatDecl *decl, GError **error)
{
  gboolean is_type = leat_tokens_is_any (self->tokens, decl->first, leat_kernel_type_words), assigned = FALSE;
  guint i = decl->first, braces = G_MAXUINT;

  for (;; i++)
    {
      const LeatToken *token = leat_tokens_at (self->tokens, i);

      if (token->kind == LEAT_TOKEN_END)
        {
          leat_tokens_set_error (self->tokens, decl->first, LEAT_KERNEL_ERROR_SYNTAX, error,
                                 "this declaration has no end; is a \";\" missing?");
          return FALSE;
        }
      if (!assigned && decl->params == G_MAXUINT)
        for (guint f = 0; f < G_N_ELEMENTS (leat_unit_flags); f++)
          if (leat_tokens_is (self->tokens, i, leat_unit_flags[f].word))
            decl->flags |= leat_unit_flags[f].flag;
      if (leat_tokens_is (self->tokens, i, "template"))
        {
          i = leat_kernel_unit_skip_angles (self, i + 1) - 1;
          is_type = leat_tokens_is_any (self->tokens, i + 1, leat_kernel_type_words);
        }
      else if (leat_tokens_is (self->tokens, i, "<") && !assigned && decl->params == G_MAXUINT && i > decl->first
               && leat_tokens_at (self->tokens, i - 1)->kind == LEAT_TOKEN_IDENT
               && !(decl->flags & LEAT_DECL_IS_OPERATOR))
        i = leat_kernel_unit_skip_angles (self, i) - 1;
      else if (leat_tokens_is (self->tokens, i, "("))
        {
          if (!is_type && !assigned && decl->params == G_MAXUINT
              && leat_kernel_unit_opens_params (self, i, decl->first, decl->flags & LEAT_DECL_IS_OPERATOR))
            decl->params = i, decl->name = leat_kernel_unit_find_function (self, i, decl);
          i = token->match;
        }
      else if (leat_tokens_is (self->tokens, i, "["))
        i = token->match;
      else if (leat_tokens_is (self->tokens, i, "="))
        assigned = assigned || !leat_tokens_is (self->tokens, i - 1, "operator");
      else if (decl->params != G_MAXUINT && leat_tokens_is (self->tokens, i, ":"))
        i = leat_kernel_unit_skip_initialisers (self, i + 1) - 1;
      else if (leat_tokens_is (self->tokens, i, ";"))
        break;
      else if (leat_tokens_is (self->tokens, i, "{"))
        {
          if (decl->params != G_MAXUINT && !assigned)
            {
              decl->kind = LEAT_DECL_FUNCTION;
              decl->body = i;
              decl->last = token->match;
              return TRUE;
            }
          braces = i;
          i = token->match;
        }
    }
  decl->last = i;
  if (decl->params != G_MAXUINT)
    decl->kind = LEAT_DECL_PROTOTYPE;
  else if (is_type
           && (leat_tokens_is (self->tokens, decl->first, "typedef")
               || leat_tokens_is (self->tokens, decl->first, "using") || braces == G_MAXUINT
               || leat_kernel_unit_match (self, braces) + 1 == i))
    decl->kind = LEAT_DECL_TYPE;
  else
    decl->kind = LEAT_DECL_VARIABLE;
  return TRUE;
}

/* TRUE when the tokens at *@index were `extern "C" {`, a lone ";" or the like and have been passed. */
static gboolean
leat_kernel_unit_skip_linkage (LeatKernelUnit *self, guint *index)
{
  guint i = *index, close;

  if (leat_tokens_is (self->tokens, i, ";"))
    {
      (*index)++;
      return TRUE;
    }
  for (guint k = 0; k < self->linkage->len; k++)
    if (g_array_index (self->linkage, guint, k) == i)
      {
        (*index)++;
        return TRUE;
      }
  if (!leat_tokens_is (self->tokens, i, "extern") || leat_tokens_at (self->tokens, i + 1)->kind != LEAT_TOKEN_STRING
      || !leat_tokens_is (self->tokens, i + 2, "{"))
    return FALSE;
  close = leat_kernel_unit_match (self, i + 2);
  for (guint k = i; k <= i + 2; k++)
    g_array_append_val (self->linkage, k);
  g_array_append_val (self->linkage, close);
  *index = i + 3;
  return TRUE;
}

static gboolean
leat_kernel_unit_check_word (LeatKernelUnit *self, guint index, GError **error)
{
  if (leat_tokens_at (self->tokens, index)->kind == LEAT_TOKEN_PUNCT && !leat_tokens_is (self->tokens, index, "::")
      && !leat_tokens_is (self->tokens, index, "["))
    {
      g_autofree char *word = leat_tokens_dup (self->tokens, index);

      leat_tokens_set_error (self->tokens, index, LEAT_KERNEL_ERROR_SYNTAX, error,
                             "expected a declaration and found \"%s\"", word);
      return FALSE;
    }
  return TRUE;
}

static gboolean
leat_kernel_unit_scan (LeatKernelUnit *self, GError **error)
{
  g_autoptr (GArray) open = leat_open_scopes_new ();
  guint scope = 0;

  for (guint i = 0; leat_tokens_at (self->tokens, i)->kind != LEAT_TOKEN_END;)
    {
      LeatDecl decl = { LEAT_DECL_OTHER, 0, i, i, scope, G_MAXUINT, G_MAXUINT, G_MAXUINT };

      if (leat_kernel_unit_skip_linkage (self, &i) || leat_kernel_unit_pass_scope (self, open, &i, &scope))
        continue;
      decl.first = i;
      if (leat_kernel_unit_skip_report (self, i, &decl.last))
        decl.kind = LEAT_DECL_REPORT;
      else if (!leat_kernel_unit_check_word (self, i, error) || !leat_kernel_unit_read_decl (self, &decl, error))
        return FALSE;
      if (leat_tokens_is (self->tokens, i, "static_assert") || leat_tokens_is (self->tokens, i, "namespace")
          || (leat_tokens_is (self->tokens, i, "using") && leat_tokens_is (self->tokens, i + 1, "namespace")))
        decl.kind = LEAT_DECL_OTHER;
      g_array_append_val (self->decls, decl);
      i = decl.last + 1;
    }
  return TRUE;
}

gboolean
leat_kernel_unit_check_launches (const LeatKernelUnit *self, const LeatDecl *decl, GError **error)
{
  for (guint i = decl->first; i < decl->last; i++)
    if (leat_tokens_is (self->tokens, i, "<<<"))
      {
        leat_tokens_set_error (self->tokens, i, LEAT_KERNEL_ERROR_SYNTAX, error,
                               "device code cannot launch kernels here; make a node of each kernel instead");
        return FALSE;
      }
  return TRUE;
}

LeatKernelUnit *
leat_kernel_unit_new (const LeatKernelText *text, GError **error)
{
  g_autoptr (LeatKernelUnit) self = g_new0 (LeatKernelUnit, 1);

  self->decls = g_array_new (FALSE, FALSE, sizeof (LeatDecl));
  self->linkage = g_array_new (FALSE, FALSE, sizeof (guint));
  self->scopes = leat_scopes_new ();
  self->reports = leat_report_codes_new ();
  self->tokens = leat_tokens_new (text, error);
  if (self->tokens == NULL || !leat_kernel_unit_scan (self, error))
    return NULL;
  leat_kernel_unit_find_references (self);
  return g_steal_pointer (&self);
}

void
leat_kernel_unit_free (LeatKernelUnit *self)
{
  g_clear_pointer (&self->tokens, leat_tokens_free);
  g_array_unref (self->decls);
  g_array_unref (self->linkage);
  g_ptr_array_unref (self->scopes);
  g_array_unref (self->reports);
  g_clear_pointer (&self->reporting, g_hash_table_unref);
  g_clear_pointer (&self->references, g_hash_table_unref);
  g_free (self);
}

guint
leat_kernel_unit_type_name (const LeatKernelUnit *self, const LeatDecl *decl)
{
  guint name = decl->first;

  if (decl->kind != LEAT_DECL_TYPE)
    return G_MAXUINT;
  if (leat_tokens_is (self->tokens, name, "typedef"))
    return leat_kernel_unit_declared_name (self, name + 1, decl->last);
  while (leat_tokens_is (self->tokens, name, "template"))
    name = leat_kernel_unit_skip_angles (self, name + 1);
  name += leat_tokens_is_any (self->tokens, name + 1, leat_kernel_type_words) ? 2 : 1; /* `enum class` */
  while (leat_kernel_unit_skip_attribute (self, name) != name)
    name = leat_kernel_unit_skip_attribute (self, name) + 1;
  return leat_tokens_at (self->tokens, name)->kind == LEAT_TOKEN_IDENT ? name : G_MAXUINT;
}

gboolean
leat_kernel_unit_is_plain_name (const LeatKernelUnit *self, const LeatDecl *decl)
{
  static const char *const before[] = { "::", "~", NULL };

  return decl->name > 0 && !leat_tokens_is_any (self->tokens, decl->name - 1, before);
}

gboolean
leat_kernel_unit_is_called (const LeatKernelUnit *self, const LeatDecl *decl, const char *name)
{
  g_autofree char *symbol = NULL, *full = NULL;

  if (leat_tokens_is (self->tokens, decl->name, name))
    return TRUE;
  symbol = leat_kernel_dup_symbol (name);
  if (leat_tokens_is (self->tokens, decl->name, symbol))
    return TRUE;
  if (decl->scope == 0)
    return FALSE;
  full = leat_kernel_unit_dup_full_name (self, decl);
  /* `a::b::k<T>`, `b::k<T>` and `k<T>` */
  for (const char *tail = full, *sep; tail != NULL; tail = sep != NULL ? sep + strlen ("::") : NULL)
    {
      g_autofree char *own = leat_kernel_dup_symbol (tail);

      if (g_str_equal (own, symbol))
        return TRUE;
      sep = g_strstr_len (tail, strcspn (tail, "<("), "::");
    }
  return FALSE;
}

/* A name without namespaces may be that of one in a namespace, if there is but one. */
static const LeatDecl *
leat_kernel_unit_find (const LeatKernelUnit *self, const char *name, LeatDeclFlags flag)
{
  const LeatDecl *found = NULL;

  for (guint i = 0; i < self->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self, i);

      if (decl->kind != LEAT_DECL_FUNCTION || !(decl->flags & flag) || (decl->flags & LEAT_DECL_IS_TEMPLATE)
          || !leat_kernel_unit_is_called (self, decl, name))
        continue;
      if (leat_tokens_is (self->tokens, decl->name, name))
        return decl;
      if (found != NULL && found->scope != decl->scope)
        return NULL;
      found = found != NULL ? found : decl;
    }
  return found;
}

/* Any kernel may be named with its parameters, though no other has its name. */
const LeatDecl *
leat_kernel_unit_find_kernel (const LeatKernelUnit *self, const char *entry)
{
  const LeatDecl *found = leat_kernel_unit_find (self, entry, LEAT_DECL_IS_GLOBAL);
  g_autofree char *path = NULL, *own = NULL;
  g_autofree char *takes = found == NULL ? leat_kernel_split_overload (entry, &path) : NULL;

  if (takes == NULL)
    return found;
  found = leat_kernel_unit_find (self, path, LEAT_DECL_IS_GLOBAL);
  own = found != NULL ? leat_kernel_unit_dup_signature (self, found) : NULL;
  return g_strcmp0 (own, takes) == 0 ? found : NULL;
}

const LeatDecl *
leat_kernel_unit_find_variant (const LeatKernelUnit *self, const char *entry)
{
  return leat_kernel_unit_find (self, entry, LEAT_DECL_IS_VARIANT);
}

GPtrArray *
leat_kernel_unit_list_kernels (const LeatKernelUnit *self)
{
  GPtrArray *kernels = g_ptr_array_new ();

  for (guint i = 0; i < self->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self, i);
      g_autofree char *name = NULL;

      if (decl->kind != LEAT_DECL_FUNCTION || !(decl->flags & LEAT_DECL_IS_GLOBAL)
          || (decl->flags & LEAT_DECL_IS_TEMPLATE))
        continue;
      name = leat_tokens_dup (self->tokens, decl->name);
      /* The two sides of an #if may each have one of the name. */
      if (leat_kernel_unit_find_kernel (self, name) == decl)
        g_ptr_array_add (kernels, (gpointer) decl);
    }
  return kernels;
}

GArray *
leat_kernel_unit_split (const LeatKernelUnit *self, guint first, guint end)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (guint));
  guint begin = first;
  gint angles = 0;

  for (guint i = first; i <= end; i++)
    {
      guint match = leat_tokens_at (self->tokens, i)->match;

      /* In a text that makes no sense a bracket may belong to one outside. */
      if (match != G_MAXUINT && match > i && match < end)
        i = match;
      else if (leat_tokens_is (self->tokens, i, "<"))
        angles++;
      else if (leat_tokens_is (self->tokens, i, ">"))
        angles--;
      else if (angles > 1 && leat_tokens_is (self->tokens, i, ">>")) /* no shift */
        angles -= 2;
      else if (angles > 2 && leat_tokens_is (self->tokens, i, ">>>"))
        angles -= 3;
      if (i == end || (angles <= 0 && leat_tokens_is (self->tokens, i, ",")))
        {
          guint last = i - 1;

          if (i > begin)
            {
              g_array_append_val (pieces, begin);
              g_array_append_val (pieces, last);
            }
          begin = i + 1;
        }
    }
  return pieces;
}
