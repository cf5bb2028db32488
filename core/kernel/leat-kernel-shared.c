/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Shared memory on the host: `__shared__ T a[4], b;` becomes references into the block's arena, `extern __shared__ T
 * d[];` a pointer to its dynamic part.  The types go into typedefs, so that any declarator is left to the compiler. */

#include "leat-kernel-host-private.h"
#include "leat-kernel-locals-private.h"

#include <string.h>

static guint
leat_host_writer_add_slot (LeatHostWriter *self, guint decl)
{
  guint owner = 0;

  while (owner < self->owners->len && g_array_index (self->owners, guint, owner) != decl)
    owner++;
  if (owner == self->owners->len)
    g_array_append_val (self->owners, decl);
  g_array_append_val (self->slots, owner);
  return self->slots->len - 1;
}

/* First and last token of the declaration around the `__shared__` at @index, without the ";". */
static gboolean
leat_host_writer_find_statement (LeatHostWriter *self, guint index, guint *first, guint *end)
{
  static const char *const before[] = { ";", "{", "}", ")", ":", NULL };
  const LeatTokens *tokens = self->unit->tokens;

  *first = *end = index;
  while (*first > 0 && !leat_tokens_is_any (tokens, *first - 1, before))
    (*first)--;
  while (!leat_tokens_is (tokens, *end, ";") && leat_tokens_at (tokens, *end)->kind != LEAT_TOKEN_END)
    {
      guint match = leat_tokens_at (tokens, *end)->match;

      if (match != G_MAXUINT && match < *end)
        return FALSE;
      *end = match != G_MAXUINT && match > *end ? match + 1 : *end + 1;
    }
  return leat_tokens_at (tokens, *end)->kind != LEAT_TOKEN_END;
}

/* The words of the type that the declarators of [first, end) share; *@rest is where the first declarator begins. */
static char *
leat_host_writer_dup_base (LeatHostWriter *self, guint first, guint end, guint *rest)
{
  static const char *const left_out[] = { "__shared__", "extern", "static", "__device__", NULL };
  const LeatTokens *tokens = self->unit->tokens;
  guint piece_end = first;
  GString *base = g_string_new (NULL);

  while (piece_end < end && !leat_tokens_is (tokens, piece_end, ","))
    {
      guint match = leat_tokens_at (tokens, piece_end)->match;

      if (leat_tokens_is (tokens, piece_end, "<"))
        while (piece_end < end && !leat_tokens_is (tokens, piece_end, ">"))
          piece_end++;
      piece_end = match != G_MAXUINT && match > piece_end ? match + 1 : piece_end + 1;
    }
  *rest = leat_kernel_unit_declared_name (self->unit, first, piece_end);
  if (*rest == G_MAXUINT) // for who reads the declarators, and misses the name
    *rest = first;
  while (*rest > first
         && (leat_tokens_is (tokens, *rest - 1, "*") || leat_tokens_is (tokens, *rest - 1, "(")
             || leat_tokens_is (tokens, *rest - 1, "const")))
    (*rest)--;
  for (guint i = first; i < *rest; i++)
    if (!leat_tokens_is_any (tokens, i, left_out))
      {
        g_autofree char *word = leat_tokens_dup (tokens, i);

        /* A typedef takes the attribute alone. */
        g_string_append_printf (base, "%s ", g_str_equal (word, "alignas") ? "__align__" : word);
      }
  return g_string_free (base, FALSE);
}

/* One declarator, tokens [first, last], of a type with the words @base. */
static gboolean
leat_host_writer_append_shared (LeatHostWriter *self, GString *out, const char *base, guint first, guint last,
                                guint decl, gboolean is_extern, GError **error)
{
  const LeatTokens *tokens = self->unit->tokens;
  gboolean is_local = leat_kernel_unit_at (self->unit, decl)->kind != LEAT_DECL_VARIABLE;
  guint name = leat_kernel_unit_declared_name (self->unit, first, last + 1);
  g_autofree char *before = NULL, *after = NULL, *word = NULL;

  if (name == G_MAXUINT)
    {
      leat_tokens_set_error (tokens, first, LEAT_KERNEL_ERROR_SYNTAX, error, "expected the name of a shared variable");
      return FALSE;
    }
  before = name > first ? leat_tokens_dup_range (tokens, first, name - 1) : g_strdup ("");
  after = name < last ? leat_tokens_dup_range (tokens, name + 1, last) : g_strdup ("");
  word = leat_tokens_dup (tokens, name);
  for (guint i = name + 1; i <= last; i++)
    if (leat_tokens_is (tokens, i, "="))
      {
        leat_tokens_set_error (tokens, name, LEAT_KERNEL_ERROR_SYNTAX, error,
                               "shared memory cannot have an initialiser; write \"%s\" in the kernel", word);
        return FALSE;
      }
  if (is_extern)
    g_string_append_printf (
      out, "typedef %s%s leat_t_%s%s; auto *const %s = leat_dynamic (leat_block, (leat_t_%s *) nullptr); ", base,
      before, word, after, word, word);
  else
    {
      /* Each instance of a template has a local type of its own, and with it memory of its own. */
      if (is_local)
        g_string_append_printf (out, "struct leat_i_%s; ", word);
      g_string_append_printf (out,
                              "typedef %s%s leat_t_%s%s; leat_t_%s &%s = *leat_shared<%u, %s%s, leat_t_%s, alignof "
                              "(leat_t_%s)>::at (leat_block->shared); ",
                              base, before, word, after, word, word, leat_host_writer_add_slot (self, decl),
                              is_local ? "leat_i_" : "void", is_local ? word : "", word, word);
    }
  return TRUE;
}

static char *
leat_host_writer_dup_shared (LeatHostWriter *self, guint first, guint end, guint decl, GError **error)
{
  gboolean is_extern = FALSE;
  guint rest;
  g_autofree char *base = leat_host_writer_dup_base (self, first, end, &rest);
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GArray) pieces = NULL;

  for (guint i = first; i < end; i++)
    is_extern = is_extern || leat_tokens_is (self->unit->tokens, i, "extern");
  pieces = leat_kernel_unit_split (self->unit, rest, end);
  for (guint i = 0; i < pieces->len; i += 2)
    if (!leat_host_writer_append_shared (self, out, base, g_array_index (pieces, guint, i),
                                         g_array_index (pieces, guint, i + 1), decl, is_extern, error))
      return NULL;
  return g_string_free (g_steal_pointer (&out), FALSE);
}

/* Whether the function mentions one of the names that the declaration at file scope declares. */
static gboolean
leat_host_writer_mentions (LeatHostWriter *self, const LeatDecl *function, const LeatDecl *variable)
{
  g_autoptr (GArray) pieces = leat_kernel_unit_split (self->unit, variable->first, variable->last);

  for (guint p = 0; p < pieces->len; p += 2)
    {
      guint name = leat_kernel_unit_declared_name (self->unit, g_array_index (pieces, guint, p),
                                                   g_array_index (pieces, guint, p + 1) + 1);
      g_autofree char *word = name != G_MAXUINT ? leat_tokens_dup (self->unit->tokens, name) : NULL;

      for (guint i = function->body; word != NULL && i < function->last; i++)
        if (leat_tokens_is (self->unit->tokens, i, word))
          return TRUE;
    }
  return FALSE;
}

/* Whether the function has a variable of its own of one of these names. */
static gboolean
leat_host_writer_hides (LeatHostWriter *self, const LeatDecl *function, const LeatDecl *variable)
{
  g_autoptr (LeatLocals) locals = leat_locals_new (self->unit, self->calls, function);
  g_autoptr (GArray) pieces = leat_kernel_unit_split (self->unit, variable->first, variable->last);

  for (guint p = 0; p < pieces->len; p += 2)
    {
      guint name = leat_kernel_unit_declared_name (self->unit, g_array_index (pieces, guint, p),
                                                   g_array_index (pieces, guint, p + 1) + 1);

      if (name != G_MAXUINT && leat_locals_find (locals, name) != NULL)
        return TRUE;
    }
  return FALSE;
}

/* A static shared variable at file scope is one object, whoever mentions it: its slot is made once, with itself as the
 * owner. */
static gboolean
leat_host_writer_share_file_scope (LeatHostWriter *self, const LeatDecl *function, GError **error)
{
  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *variable = leat_kernel_unit_at (self->unit, i);
      guint n_slots = self->slots->len, known = G_MAXUINT;
      g_autofree char *text = NULL;

      if (variable->kind != LEAT_DECL_VARIABLE || !(variable->flags & LEAT_DECL_IS_SHARED)
          || !leat_host_writer_mentions (self, function, variable) || leat_host_writer_hides (self, function, variable))
        continue;
      for (guint s = 0; s < n_slots && known == G_MAXUINT; s++)
        if (g_array_index (self->owners, guint, g_array_index (self->slots, guint, s)) == i)
          known = s;
      text = leat_host_writer_dup_shared (self, variable->first, variable->last, i, error);
      if (text == NULL)
        return FALSE;
      if (known != G_MAXUINT)
        {
          /* The numbers just given out stand for the ones given out the first time. */
          for (guint s = n_slots; s < self->slots->len; s++)
            {
              g_autofree char *from = g_strdup_printf ("leat_shared<%u,", s),
                              *to = g_strdup_printf ("leat_shared<%u,", known + s - n_slots);
              g_auto (GStrv) halves = g_strsplit (text, from, 2);

              g_free (text);
              text = g_strjoinv (to, halves);
            }
          g_array_set_size (self->slots, n_slots);
        }
      leat_edits_insert_after (self->edits, self->unit->tokens, function->body, " %s", text);
    }
  return TRUE;
}

gboolean
leat_host_writer_edit_shared (LeatHostWriter *self, guint decl, GError **error)
{
  const LeatDecl *function = leat_kernel_unit_at (self->unit, decl);

  for (guint i = function->kind == LEAT_DECL_FUNCTION ? function->body : function->first; i < function->last; i++)
    {
      guint first, end;
      g_autofree char *text = NULL;

      if (!leat_tokens_is (self->unit->tokens, i, "__shared__")
          || !leat_host_writer_find_statement (self, i, &first, &end))
        continue;
      text = leat_host_writer_dup_shared (self, first, end, decl, error);
      if (text == NULL)
        return FALSE;
      leat_edits_replace (self->edits, self->unit->tokens, first, end, "%s", text);
      i = end;
    }
  return function->kind != LEAT_DECL_FUNCTION || leat_host_writer_share_file_scope (self, function, error);
}
