/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A function's own names and the things that happen to them, as far as tokens tell.  In doubt a name counts as changed
 * and as different in every thread. */

#include "leat-kernel-locals-private.h"

static const char *const leat_locals_assignments[] = { "=",  "+=", "-=",  "*=",  "/=", "%=", "&=",
                                                       "|=", "^=", "<<=", ">>=", "++", "--", NULL };
static const char *const leat_locals_steps[] = { "++", "--", NULL };
static const char *const leat_locals_not_types[] = { "return", "else",   "case",     "goto",  "do", "sizeof",
                                                     "new",    "delete", "typename", "throw", NULL };

LeatLocal *
leat_locals_find (LeatLocals *self, guint token)
{
  g_autofree char *name = leat_tokens_dup (self->unit->tokens, token);

  return g_hash_table_lookup (self->names, name);
}

gboolean
leat_locals_is_declared_at (LeatLocals *self, guint token)
{
  return g_hash_table_contains (self->declared, GUINT_TO_POINTER (token));
}

/* `Rng<int> g`, where the ">" before the name closes what may follow a type's name, and not `n > i`; where brackets
 * follow, at the beginning of a statement. */
static gboolean
leat_locals_closes_type (LeatLocals *self, guint token, gboolean constructs)
{
  static const char *const begins[] = { ";", "{", "}", "const", NULL };
  const LeatTokens *tokens = self->unit->tokens;
  gint depth = 0;

  for (; token > self->decl->body && !leat_tokens_is (tokens, token, ";"); token--)
    {
      if (leat_tokens_is (tokens, token, "{"))
        return !constructs;
      depth += leat_tokens_is (tokens, token, ">") + 2 * leat_tokens_is (tokens, token, ">>")
               - leat_tokens_is (tokens, token, "<");
      if (depth == 0)
        return !constructs
               || (leat_tokens_at (tokens, token - 1)->kind == LEAT_TOKEN_IDENT
                   && leat_tokens_is_any (tokens, token - 2, begins));
    }
  return FALSE;
}

/* Whether the bracket at @close ends what is a type, or part of one: `decltype (x)`, `struct { .. }`. */
static gboolean
leat_locals_ends_type (LeatLocals *self, guint close)
{
  static const char *const words[] = { "decltype", "__typeof__", "__attribute__", "alignas", "__align__", NULL };
  static const char *const types[] = { "struct", "union", "enum", "class", NULL };
  const LeatTokens *tokens = self->unit->tokens;
  guint open = leat_tokens_at (tokens, close)->match;

  if (leat_tokens_is (tokens, close, ")"))
    return leat_tokens_is_any (tokens, open - 1, words);
  return leat_tokens_is (tokens, close, "}")
         && (leat_tokens_is_any (tokens, open - 1, types) || leat_tokens_is_any (tokens, open - 2, types));
}

/* `T x = ..`, `T *x;`, `T x[4]`, `T x (1)`: an identifier behind a type. */
static gboolean
leat_locals_begins_declaration (LeatLocals *self, guint token)
{
  const LeatTokens *tokens = self->unit->tokens;
  static const char *const after[] = { "=", ";", "[", ",", ":", "{", ")", "(", "__attribute__", NULL };
  static const char *const heads[] = { "for",
                                       "while",
                                       "if",
                                       "switch",
                                       "constexpr",
                                       "__align__",
                                       "__attribute__",
                                       "alignas",
                                       "__launch_bounds__",
                                       "__maxnreg__",
                                       "__cluster_dims__",
                                       NULL };
  gboolean constructs = leat_tokens_is (tokens, token + 1, "(");
  static const char *const marks[] = { "*", "&", "__restrict__", NULL };
  guint type = token;

  if (leat_tokens_at (tokens, token)->kind != LEAT_TOKEN_IDENT || !leat_tokens_is_any (tokens, token + 1, after)
      || leat_tokens_is_any (tokens, token, heads))
    return FALSE;
  while (type > 0 && leat_tokens_is_any (tokens, type - 1, marks))
    type--;
  if (type == 0)
    return FALSE;
  type--;
  if (leat_tokens_is (tokens, type, ">"))
    return type + 1 == token && leat_locals_closes_type (self, type, constructs);
  if (type + 1 == token && leat_locals_ends_type (self, type))
    return TRUE;
  if (leat_tokens_at (tokens, type)->kind != LEAT_TOKEN_IDENT
      || leat_tokens_is_any (tokens, type, leat_locals_not_types))
    return FALSE;
  /* `a * b;` and `a & b)` are expressions unless a statement begins with `a`. */
  if (type + 1 != token)
    {
      static const char *const begins[] = { ";",      "{",          "}",        "(",        ",", "const",
                                            "static", "__shared__", "volatile", "unsigned", NULL };
      return leat_tokens_is_any (tokens, type - 1, begins) && !leat_tokens_is (tokens, token + 1, ",")
             && !(constructs && leat_tokens_is (tokens, type - 1, "("));
    }
  return TRUE;
}

static const char *const leat_locals_heads[] = { "if", "while", "for", "switch", NULL };

/* Whether the brackets that ")" at @close ends are a cast's: `(int *)`, `(word)`, not `(a)` or `f (a)`. */
static gboolean
leat_locals_ends_cast (LeatLocals *self, guint close)
{
  const LeatTokens *tokens = self->unit->tokens;
  guint open = leat_tokens_at (tokens, close)->match;

  if (leat_tokens_is (tokens, close - 1, "*"))
    return TRUE;
  if (leat_tokens_at (tokens, open - 1)->kind != LEAT_TOKEN_PUNCT || leat_tokens_is (tokens, open - 1, ">")
      || leat_locals_find (self, close - 1) != NULL)
    return FALSE;
  for (guint i = open + 1; i < close; i++)
    if (leat_tokens_at (tokens, i)->kind != LEAT_TOKEN_IDENT)
      return FALSE;
  return TRUE;
}

/* Whether the `&` or `*` at @token has nothing to its left that it could join. */
static gboolean
leat_locals_is_prefix (LeatLocals *self, guint token)
{
  const LeatTokens *tokens = self->unit->tokens;

  if (leat_tokens_is (tokens, token - 1, ")"))
    return leat_tokens_is_any (tokens, leat_tokens_at (tokens, token - 1)->match - 1, leat_locals_heads)
           || leat_locals_ends_cast (self, token - 1);
  return leat_tokens_at (tokens, token - 1)->kind == LEAT_TOKEN_PUNCT && !leat_tokens_is (tokens, token - 1, "]");
}

static gboolean
leat_locals_takes_address (LeatLocals *self, guint token)
{
  return leat_tokens_is (self->unit->tokens, token, "&") && leat_locals_is_prefix (self, token);
}

/* `(a)++`, `&(a)`, `(i > 3 ? a : b).x = 1`: what stands in brackets that change as a whole may be what changes. */
static gboolean
leat_locals_is_in_changed (LeatLocals *self, guint token)
{
  static const char *const bounds[] = { ";", "{", "}", "[", NULL };
  const LeatTokens *tokens = self->unit->tokens;

  if (leat_tokens_is (tokens, token + 1, "->"))
    return FALSE;
  for (guint i = token - 1; i > self->decl->body && !leat_tokens_is_any (tokens, i, bounds); i--)
    {
      guint match = leat_tokens_at (tokens, i)->match, next = match + 1;

      if (match < i)
        i = match;
      else if (leat_tokens_is (tokens, i, "(") && match != G_MAXUINT
               && !leat_tokens_is_any (tokens, i - 1, leat_locals_heads))
        {
          if (leat_tokens_is (tokens, i - 1, "*") && leat_locals_is_prefix (self, i - 1))
            return FALSE;
          while (leat_tokens_is (tokens, next, ".") || leat_tokens_is (tokens, next, "["))
            next = leat_tokens_is (tokens, next, ".") ? next + 2 : leat_tokens_at (tokens, next)->match + 1;
          if (leat_tokens_is_any (tokens, next, leat_locals_assignments)
              || leat_tokens_is_any (tokens, i - 1, leat_locals_steps) || leat_locals_takes_address (self, i - 1))
            return TRUE;
        }
    }
  return FALSE;
}

gboolean
leat_locals_is_changed_at (LeatLocals *self, guint token)
{
  const LeatTokens *tokens = self->unit->tokens;
  LeatLocal *local = leat_locals_find (self, token);
  guint next = token + 1;
  gboolean indexed = FALSE;

  /* `++p[i]` and `&p[i]` are about what p points to. */
  if ((leat_tokens_is_any (tokens, token - 1, leat_locals_steps) || leat_locals_takes_address (self, token - 1))
      && !(leat_tokens_is (tokens, next, "[") && local != NULL && !local->is_array))
    return TRUE;
  for (;;)
    {
      if (leat_tokens_is (tokens, next, "["))
        {
          indexed = TRUE;
          next = leat_tokens_at (tokens, next)->match + 1;
        }
      else if (leat_tokens_is (tokens, next, "."))
        next += 2;
      else
        break;
    }
  if (leat_tokens_is (tokens, token - 1, "*") && next == token + 1
      && !leat_tokens_is_any (tokens, next, leat_locals_steps))
    return FALSE;
  if (indexed && local != NULL && !local->is_array && !leat_tokens_is (tokens, token + 1, "."))
    return FALSE;
  return (local != NULL && local->is_array && next == token + 1) /* whoever has its address */
         || leat_tokens_is_any (tokens, next, leat_locals_assignments) || leat_locals_is_in_changed (self, token);
}

static gboolean
leat_locals_is_behind_star (LeatLocals *self, guint token)
{
  static const char *const between[] = { "__restrict__", "const", "volatile", NULL };

  do
    token--;
  while (leat_tokens_is_any (self->unit->tokens, token, between));
  return leat_tokens_is (self->unit->tokens, token, "*");
}

static LeatLocal *
leat_locals_add (LeatLocals *self, guint token)
{
  char *name = leat_tokens_dup (self->unit->tokens, token);
  LeatLocal *local = g_hash_table_lookup (self->names, name);

  if (local != NULL)
    {
      /* Two of one name: nothing is known of either. */
      local->is_changed = local->is_own = TRUE;
      g_free (name);
      return local;
    }
  local = g_new0 (LeatLocal, 1);
  local->name = token;
  local->init_first = local->init_last = G_MAXUINT;
  g_hash_table_insert (self->names, name, local);
  return local;
}

/* Whether what is declared at @token is, or keeps, another name of something else. */
static gboolean
leat_locals_is_reference (LeatLocals *self, guint token)
{
  static const char *const bounds[] = { ";", "{", "}", "(", NULL };
  const LeatTokens *tokens = self->unit->tokens;

  if (leat_tokens_is (tokens, token - 1, "&"))
    return TRUE;
  for (guint i = token - 1; i > self->decl->body && !leat_tokens_is_any (tokens, i, bounds); i--)
    {
      if (leat_tokens_at (tokens, i)->match < i)
        i = leat_tokens_at (tokens, i)->match;
      else if (leat_tokens_at (tokens, i)->kind == LEAT_TOKEN_IDENT && leat_kernel_unit_is_reference (self->unit, i))
        return TRUE;
    }
  return FALSE;
}

/* Returns the token behind the declarator. */
static guint
leat_locals_add_declarator (LeatLocals *self, guint token)
{
  const LeatTokens *tokens = self->unit->tokens;
  LeatLocal *local = leat_locals_add (self, token);
  guint i = token + 1;

  g_hash_table_add (self->declared, GUINT_TO_POINTER (token));
  local->is_array = local->is_array || leat_tokens_is (tokens, i, "[");
  local->is_pointer = leat_locals_is_behind_star (self, token);
  for (guint k = token; k-- > 0 && !leat_tokens_is (tokens, k, ";") && !leat_tokens_is (tokens, k, "{")
                        && !leat_tokens_is (tokens, k, "}");)
    if (leat_tokens_is (tokens, k, "__shared__"))
      local->is_shared = TRUE;
  if (local->is_shared)
    local->is_array = FALSE;
  while (leat_tokens_is (tokens, i, "["))
    i = leat_tokens_at (tokens, i)->match + 1;
  /* Declared bare, it gets its value later; a reference is another name of something else. */
  if (!leat_tokens_is (tokens, i, "="))
    local->is_changed = local->is_changed || !local->is_shared;
  else
    {
      local->init_first = i + 1;
      for (i++; !leat_tokens_is (tokens, i, ";") && !leat_tokens_is (tokens, i, ",") && i < self->decl->last; i++)
        if (leat_tokens_at (tokens, i)->match != G_MAXUINT && leat_tokens_at (tokens, i)->match > i)
          i = leat_tokens_at (tokens, i)->match;
      local->init_last = i - 1;
    }
  if (leat_tokens_is (tokens, i, "(") || leat_tokens_is (tokens, i, "{"))
    i = leat_tokens_at (tokens, i)->match + 1;
  if (leat_locals_is_reference (self, token))
    local->is_changed = local->is_own = TRUE;
  return i;
}

/* A declarator and those behind its comma: `int a = 1, *b, c[2]`. */
static void
leat_locals_add_declared (LeatLocals *self, guint token)
{
  static const char *const after[] = { "=", ";", "[", ",", "(", "{", NULL };
  const LeatTokens *tokens = self->unit->tokens;

  for (;;)
    {
      token = leat_locals_add_declarator (self, token);
      if (!leat_tokens_is (tokens, token, ","))
        return;
      for (token++; leat_tokens_is (tokens, token, "*") || leat_tokens_is (tokens, token, "&");)
        token++;
      if (leat_tokens_at (tokens, token)->kind != LEAT_TOKEN_IDENT || !leat_tokens_is_any (tokens, token + 1, after))
        return;
    }
}

static gboolean
leat_locals_range_is_own (LeatLocals *self, LeatKernelCalls *calls, guint first, guint last)
{
  for (guint i = first; i <= last; i++)
    {
      LeatLocal *local;
      g_autofree char *word = NULL;

      if (leat_tokens_at (self->unit->tokens, i)->kind != LEAT_TOKEN_IDENT)
        continue;
      word = leat_tokens_dup (self->unit->tokens, i);
      local = g_hash_table_lookup (self->names, word);
      if (local != NULL && local->name >= first && local->name <= last) /* the parameter of a lambda */
        local = NULL;
      if (g_str_has_prefix (word, "atomic") || leat_kernel_calls_token_is_own (calls, i)
          || leat_kernel_calls_token_waits (calls, i)
          || (local != NULL && (local->is_own || (local->is_changed && !local->is_shared))))
        return TRUE;
    }
  return FALSE;
}

/* Own-ness follows initialisers until nothing changes. */
static void
leat_locals_close (LeatLocals *self, LeatKernelCalls *calls)
{
  gboolean changed = TRUE;

  while (changed)
    {
      GHashTableIter iter;
      gpointer value;

      changed = FALSE;
      g_hash_table_iter_init (&iter, self->names);
      while (g_hash_table_iter_next (&iter, NULL, &value))
        {
          LeatLocal *local = value;

          if (local->is_own || local->init_first == G_MAXUINT
              || !leat_locals_range_is_own (self, calls, local->init_first, local->init_last))
            continue;
          local->is_own = changed = TRUE;
        }
    }
}

static void
leat_locals_add_param (LeatLocals *self, guint name)
{
  LeatLocal *local = leat_locals_add (self, name);

  local->is_param = TRUE;
  local->is_pointer = leat_locals_is_behind_star (self, name);
}

/* Names in declarators that are not followed: `auto [a, b] = ..`, `int (*p)[4] = ..`, `int (&r)[4] = ..`. */
static void
leat_locals_add_odd (LeatLocals *self, guint token)
{
  const LeatTokens *tokens = self->unit->tokens;
  gboolean binds = FALSE;
  guint last = leat_tokens_at (tokens, token)->match;

  if (leat_tokens_is (tokens, token, "["))
    for (guint i = token; i-- > token - 3 && !binds;)
      binds = leat_tokens_is (tokens, i, "auto");
  else if (leat_tokens_is (tokens, token, "(") && leat_tokens_at (tokens, token - 1)->kind == LEAT_TOKEN_IDENT)
    binds = last == token + 3 && (leat_tokens_is (tokens, token + 1, "*") || leat_tokens_is (tokens, token + 1, "&"))
            && (leat_tokens_is (tokens, last + 1, "[") || leat_tokens_is (tokens, last + 1, "("));
  /* `int (x) = 0` */
  binds = binds
          || (leat_tokens_is (tokens, token, "(") && last == token + 2 && leat_tokens_is (tokens, last + 1, "=")
              && leat_tokens_at (tokens, token - 1)->kind == LEAT_TOKEN_IDENT);
  for (guint i = token + 1; binds && i < last; i++)
    if (leat_tokens_at (tokens, i)->kind == LEAT_TOKEN_IDENT)
      {
        LeatLocal *local = leat_locals_add (self, i);

        g_hash_table_add (self->declared, GUINT_TO_POINTER (i));
        local->is_changed = local->is_own = TRUE;
      }
}

LeatLocals *
leat_locals_new (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl)
{
  LeatLocals *self = g_new0 (LeatLocals, 1);
  guint close = leat_tokens_at (unit->tokens, decl->params)->match;
  g_autoptr (GArray) pieces = leat_kernel_unit_split (unit, decl->params + 1, close);

  self->unit = unit;
  self->decl = decl;
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->declared = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < pieces->len; i += 2)
    {
      guint name = leat_kernel_unit_declared_name (unit, g_array_index (pieces, guint, i),
                                                   g_array_index (pieces, guint, i + 1) + 1);

      if (name != G_MAXUINT)
        leat_locals_add_param (self, name);
    }
  for (guint i = decl->body + 1; i < decl->last; i++)
    if (!leat_locals_is_declared_at (self, i) && leat_locals_begins_declaration (self, i))
      leat_locals_add_declared (self, i);
    else if (leat_tokens_at (unit->tokens, i)->match != G_MAXUINT && leat_tokens_at (unit->tokens, i)->match > i)
      leat_locals_add_odd (self, i);
  for (guint i = decl->body + 1; i < decl->last; i++)
    {
      LeatLocal *local = leat_tokens_at (unit->tokens, i)->kind == LEAT_TOKEN_IDENT ? leat_locals_find (self, i) : NULL;

      if (local != NULL && local->name != i && leat_locals_is_changed_at (self, i))
        local->is_changed = TRUE;
    }
  leat_locals_close (self, calls);
  return self;
}

void
leat_locals_free (LeatLocals *self)
{
  g_hash_table_unref (self->names);
  g_hash_table_unref (self->declared);
  g_free (self);
}
