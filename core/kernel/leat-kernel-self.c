/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Gives the functions of a host text the CUDA thread that runs them.  A function that needs it, and that is called by
 * its plain name wherever it is mentioned, gets it as its first parameter, `leat_self`.  All other code finds it
 * through leat_running.  Both are written alike (device/leat-dialect-host-self.h). */

#include "leat-kernel-host-private.h"

typedef struct
{
  const LeatKernelUnit *unit; /* of the host text */
  const LeatTokens *tokens;
  LeatKernelCalls *calls;
  GArray *edits;
  GHashTable *kernels; /* char*: functions that are given their thread by the tables */
  GHashTable *given;   /* char*: functions that have the parameter */
  gboolean anywhere;
} LeatSelfWriter;

static gboolean
leat_self_writer_is_member (LeatSelfWriter *self, guint token)
{
  static const char *const before[] = { ".", "->", NULL };

  return token > 0 && leat_tokens_is_any (self->tokens, token - 1, before);
}

/* The "(" of a call, behind a name at @token and its template arguments; G_MAXUINT where it is not called. */
static guint
leat_self_writer_find_call (LeatSelfWriter *self, guint token)
{
  guint open = token + 1;

  if (leat_tokens_is (self->tokens, open, "<"))
    open = leat_kernel_unit_skip_angles (self->unit, open);
  return leat_tokens_is (self->tokens, open, "(") ? open : G_MAXUINT;
}

/* A kernel is given its thread by the tables, and nobody else calls it. */
static void
leat_self_writer_drop_kernel (LeatSelfWriter *self, const LeatDecl *decl)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, decl->name);

  if (g_hash_table_contains (self->kernels, name))
    g_hash_table_remove (self->given, name);
}

static gboolean
leat_self_writer_is_function (const LeatDecl *decl)
{
  return decl->kind == LEAT_DECL_FUNCTION || decl->kind == LEAT_DECL_PROTOTYPE;
}

/* Functions that need their thread and have a name of their own at file scope. */
static void
leat_self_writer_list_given (LeatSelfWriter *self)
{
  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);

      if (decl->kind == LEAT_DECL_FUNCTION && !(decl->flags & LEAT_DECL_IS_OPERATOR)
          && leat_kernel_unit_is_plain_name (self->unit, decl) && leat_kernel_calls_needs_self (self->calls, i))
        g_hash_table_add (self->given, leat_tokens_dup (self->tokens, decl->name));
    }
}

/* Not those that are mentioned in another way than by a call, or that a type may have a member of the name of. */
static void
leat_self_writer_drop_decl (LeatSelfWriter *self, const LeatDecl *decl)
{
  for (guint i = decl->first; i <= decl->last; i++)
    {
      g_autofree char *word = NULL;

      if (leat_tokens_at (self->tokens, i)->kind != LEAT_TOKEN_IDENT)
        continue;
      word = leat_tokens_dup (self->tokens, i);
      if (!g_hash_table_contains (self->given, word) || leat_self_writer_is_member (self, i))
        continue;
      if (decl->kind == LEAT_DECL_TYPE || leat_self_writer_find_call (self, i) == G_MAXUINT
          || (leat_self_writer_is_function (decl) && i == decl->name
              && !leat_kernel_unit_is_plain_name (self->unit, decl)))
        g_hash_table_remove (self->given, word);
    }
}

static gboolean
leat_self_writer_is_given (LeatSelfWriter *self, const LeatDecl *decl)
{
  g_autofree char *name = NULL;

  if (!leat_self_writer_is_function (decl) || (decl->flags & LEAT_DECL_IS_OPERATOR)
      || !leat_kernel_unit_is_plain_name (self->unit, decl))
    return FALSE;
  name = leat_tokens_dup (self->tokens, decl->name);
  return g_hash_table_contains (self->given, name) || g_hash_table_contains (self->kernels, name);
}

/* Whether the identifier at @token stands for a member of the thread. */
static gboolean
leat_self_writer_is_self (LeatSelfWriter *self, guint token)
{
  static const char *const indices[] = { "threadIdx",  "blockIdx",     "blockDim",       "gridDim",
                                         "leat_block", "leat_trimmed", "leat_ptx_carry", NULL };
  g_autofree char *word = leat_tokens_dup (self->tokens, token);

  if (!leat_kernel_calls_is_self (word) || leat_self_writer_is_member (self, token))
    return FALSE;
  if (leat_tokens_is (self->tokens, token - 1, "::")
      && leat_tokens_at (self->tokens, token - 2)->kind == LEAT_TOKEN_IDENT)
    return FALSE;
  return g_strv_contains (indices, word) || leat_self_writer_find_call (self, token) != G_MAXUINT;
}

/* Whether the tokens [first, last] need `leat_self` to be there. */
static gboolean
leat_self_writer_needs (LeatSelfWriter *self, guint first, guint last)
{
  for (guint i = first; i <= last; i++)
    if (leat_tokens_at (self->tokens, i)->kind == LEAT_TOKEN_IDENT)
      {
        g_autofree char *word = leat_tokens_dup (self->tokens, i);

        if (leat_kernel_calls_is_macro (word) || leat_self_writer_is_self (self, i)
            || (g_hash_table_contains (self->given, word) && !leat_self_writer_is_member (self, i)))
          return TRUE;
      }
  return FALSE;
}

/* Inside a lambda without captures, and in members of a local type, the function's parameter is out of reach. */
static void
leat_self_writer_edit_out_of_reach (LeatSelfWriter *self, guint token)
{
  guint body = leat_kernel_unit_find_closed (self->unit, token);
  gboolean is_lambda = leat_tokens_is (self->tokens, token, "[");

  if (body == G_MAXUINT || !leat_self_writer_needs (self, body, leat_tokens_at (self->tokens, body)->match))
    return;
  self->anywhere = TRUE;
  leat_edits_insert_after (self->edits, self->tokens, body, "%s",
                           is_lambda ? " auto *const leat_self = leat_find_self ();"
                                     : " static void leat_self (leat_anywhere) {}");
}

/* `threadIdx` becomes `leat_me (leat_self)->threadIdx`, `f (x)` becomes `f (leat_me (leat_self), x)`. */
static void
leat_self_writer_edit_word (LeatSelfWriter *self, guint token, gboolean given)
{
  g_autofree char *word = leat_tokens_dup (self->tokens, token);
  guint open = leat_self_writer_find_call (self, token);

  if (leat_self_writer_is_self (self, token))
    {
      gboolean global = leat_tokens_is (self->tokens, token - 1, "::");

      leat_edits_replace (self->edits, self->tokens, global ? token - 1 : token, token, "leat_me (leat_self)->%s",
                          word);
      self->anywhere = self->anywhere || !given;
    }
  else if (g_hash_table_contains (self->given, word) && open != G_MAXUINT && !leat_self_writer_is_member (self, token))
    {
      gboolean empty = leat_tokens_at (self->tokens, open)->match == open + 1;

      leat_edits_insert_after (self->edits, self->tokens, open, "leat_me (leat_self)%s", empty ? "" : ", ");
      self->anywhere = self->anywhere || !given;
    }
  else if (leat_kernel_calls_is_macro (word))
    self->anywhere = self->anywhere || !given;
}

static void
leat_self_writer_edit_params (LeatSelfWriter *self, const LeatDecl *decl)
{
  guint close = leat_tokens_at (self->tokens, decl->params)->match;
  gboolean none = close == decl->params + 1;

  if (close == decl->params + 2 && leat_tokens_is (self->tokens, decl->params + 1, "void"))
    leat_edits_replace (self->edits, self->tokens, decl->params + 1, decl->params + 1, "leat_module *leat_self");
  else
    leat_edits_insert_after (self->edits, self->tokens, decl->params, "leat_module *leat_self%s", none ? "" : ", ");
}

static void
leat_self_writer_edit_decl (LeatSelfWriter *self, const LeatDecl *decl)
{
  gboolean given = leat_self_writer_is_given (self, decl), function = decl->kind == LEAT_DECL_FUNCTION;

  if (given)
    leat_self_writer_edit_params (self, decl);
  for (guint i = given ? decl->params : decl->first; i <= decl->last; i++)
    {
      if (function && i > decl->params)
        leat_self_writer_edit_out_of_reach (self, i);
      if (leat_tokens_at (self->tokens, i)->kind == LEAT_TOKEN_IDENT
          && !(leat_self_writer_is_function (decl) && i == decl->name))
        leat_self_writer_edit_word (self, i, given);
    }
}

static void
leat_self_writer_edit (LeatSelfWriter *self, LeatHostWriter *host)
{
  for (guint i = 0; i < host->entries->len; i++)
    {
      const LeatEntry *entry = g_ptr_array_index (host->entries, i);

      g_hash_table_add (self->kernels, g_strdup (entry->function));
      g_hash_table_add (self->kernels, g_strconcat ("leat_variant_", entry->function, NULL));
    }
  leat_self_writer_list_given (self);
  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);

      leat_self_writer_drop_decl (self, decl);
      if (leat_self_writer_is_function (decl))
        leat_self_writer_drop_kernel (self, decl);
    }
  for (guint i = 0; i < self->unit->decls->len; i++)
    leat_self_writer_edit_decl (self, leat_kernel_unit_at (self->unit, i));
}

char *
leat_kernel_dup_with_selves (LeatHostWriter *host, const char *text, gboolean *anywhere, GError **error)
{
  g_autoptr (GArray) spots = g_array_new (FALSE, FALSE, sizeof (LeatKernelSpot)), edits = leat_edits_new ();
  LeatKernelText written = *host->unit->tokens->text;
  g_autoptr (LeatKernelUnit) unit = NULL;
  g_autoptr (LeatKernelCalls) calls = NULL;
  g_autoptr (GHashTable) kernels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) given = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  LeatSelfWriter self = { .edits = edits, .kernels = kernels, .given = given };

  written.text = (char *) text;
  written.spots = spots;
  unit = leat_kernel_unit_new (&written, error);
  if (unit == NULL)
    return NULL;
  calls = leat_kernel_calls_new (unit);
  self.unit = unit;
  self.tokens = unit->tokens;
  self.calls = calls;
  leat_self_writer_edit (&self, host);
  *anywhere = self.anywhere;
  return leat_edits_apply (edits, unit->tokens);
}
