/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Whether a kernel only reads what a parameter points to, though its type is no `const T *`.  Followed are `*x`, casts,
 * `x += n;`, further names (`T *row = x + n;`) and functions of the file.  Reads the unit only. */

#include "leat-kernel-transform-private.h"
#include "leat-kernel-variable-private.h"

typedef struct
{
  const LeatKernelUnit *unit;
  GHashTable *seen; /* the tokens of names that are followed */
  gboolean is_used;
} LeatReads;

static const char *const leat_reads_changes[] = { "=",  "+=", "-=",  "*=",  "/=", "%=", "&=",
                                                  "|=", "^=", "<<=", ">>=", "++", "--", NULL };
static const char *const leat_reads_steps[] = { "++", "--", NULL };

static gboolean leat_reads_follow (LeatReads *self, const LeatDecl *decl, guint name, guint first);

/* `x += n;`, `x++;`, `++x;`: the address alone changes. */
static gboolean
leat_reads_is_moved (const LeatTokens *tokens, guint index)
{
  static const char *const begins[] = { ";", "{", "}", ")", NULL }, *const moves[] = { "+=", "-=", NULL };
  static const char *const ends[] = { ";", ")", NULL };
  guint is_before = leat_tokens_is_any (tokens, index - 1, leat_reads_steps);

  if (!leat_tokens_is_any (tokens, index - 1 - is_before, begins))
    return FALSE;
  if (is_before || leat_tokens_is_any (tokens, index + 1, leat_reads_steps))
    return leat_tokens_is_any (tokens, index + 2 - is_before, ends);
  return leat_tokens_is_any (tokens, index + 1, moves);
}

/* `x != NULL`, `p < x`, `if (x)`. */
static gboolean
leat_reads_is_compared (const LeatTokens *tokens, guint index)
{
  static const char *const words[] = { "<", ">", "<=", ">=", "==", "!=", "&&", "||", NULL };

  return leat_tokens_is_any (tokens, index - 1, words) || leat_tokens_is_any (tokens, index + 1, words)
         || leat_tokens_is (tokens, index - 1, "!")
         || (leat_tokens_is (tokens, index - 1, "(") && leat_tokens_is (tokens, index - 2, "if")
             && leat_tokens_is (tokens, index + 1, ")"));
}

/* The "(" of a call that has what begins at @first as its argument number @argument; 0 where there is none. */
static guint
leat_reads_find_call (const LeatTokens *tokens, guint first, guint *argument)
{
  static const char *const members[] = { ".", "->", "::", NULL }, *const bounds[] = { ";", "{", "}", "<", NULL };
  guint open = first - 1;

  *argument = 0;
  if (!leat_tokens_is (tokens, open, ",") && !leat_tokens_is (tokens, open, "("))
    return 0;
  for (; open > 0 && !leat_tokens_is (tokens, open, "("); open--)
    if (leat_tokens_is_any (tokens, open, bounds))
      return 0;
    else if (leat_tokens_at (tokens, open)->match < open)
      open = leat_tokens_at (tokens, open)->match;
    else
      *argument += leat_tokens_is (tokens, open, ",");
  return open > 1 && leat_tokens_at (tokens, open - 1)->kind == LEAT_TOKEN_IDENT
             && !leat_tokens_is_any (tokens, open - 2, members)
           ? open
           : 0;
}

/* The next function from @index on that is called as the word at @token; the number of declarations where none is. */
static guint
leat_reads_next_function (const LeatKernelUnit *unit, guint token, guint index)
{
  g_autofree char *word = leat_tokens_dup (unit->tokens, token);

  for (; index < unit->decls->len; index++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, index);

      if (decl->kind == LEAT_DECL_FUNCTION && leat_tokens_is (unit->tokens, decl->name, word))
        break;
    }
  return index;
}

/* Whether what the tokens [first, ...) name is an argument that a function of the file takes by reference. */
static gboolean
leat_reads_is_referred (const LeatKernelUnit *unit, guint first)
{
  guint argument, open = leat_reads_find_call (unit->tokens, first, &argument);

  for (guint i = open != 0 ? leat_reads_next_function (unit, open - 1, 0) : unit->decls->len; i < unit->decls->len;
       i = leat_reads_next_function (unit, open - 1, i + 1))
    {
      guint params = leat_kernel_unit_at (unit, i)->params, close = leat_tokens_at (unit->tokens, params)->match;
      g_autoptr (GArray) pieces = leat_kernel_unit_split (unit, params + 1, close);

      for (guint t = 2 * argument + 1 < pieces->len ? g_array_index (pieces, guint, 2 * argument) : close;
           t < close && t <= g_array_index (pieces, guint, 2 * argument + 1); t++)
        if (leat_kernel_unit_is_reference (unit, t) || leat_tokens_is (unit->tokens, t, "&&"))
          return TRUE;
    }
  return FALSE;
}

/* Whether the item that the tokens [first, end) name is taken for its value. */
static gboolean
leat_reads_value (const LeatReads *self, guint first, guint end)
{
  const LeatTokens *tokens = self->unit->tokens;

  for (;;)
    if (leat_tokens_is (tokens, end, "["))
      end = leat_tokens_at (tokens, end)->match + 1;
    else if (leat_tokens_is (tokens, end, ".") || leat_tokens_is (tokens, end, "->"))
      end += 2;
    else if (leat_tokens_is (tokens, first - 1, "(") && leat_tokens_is (tokens, end, ")")
             && leat_tokens_at (tokens, first - 2)->kind == LEAT_TOKEN_PUNCT)
      first--, end++;
    else
      break;
  return !leat_tokens_is_any (tokens, end, leat_reads_changes) && !leat_tokens_is (tokens, end, "(")
         && !leat_tokens_is_any (tokens, first - 1, leat_reads_steps) && !leat_tokens_is (tokens, first - 1, "&")
         && !leat_kernel_unit_refers (self->unit, first, end) && !leat_reads_is_referred (self->unit, first);
}

/* `T *name = ` before @index: the name's token, or 0. */
static guint
leat_reads_find_name (const LeatTokens *tokens, guint index)
{
  static const char *const bounds[] = { ";", "{", "}", "(", NULL };
  static const char *const behind[] = { "*", "const", "auto", "__restrict__", "__restrict", NULL };
  guint name = index - 2, first = name;

  if (!leat_tokens_is (tokens, index - 1, "=") || leat_tokens_at (tokens, name)->kind != LEAT_TOKEN_IDENT
      || !leat_tokens_is_any (tokens, name - 1, behind))
    return 0;
  while (first > 0 && !leat_tokens_is_any (tokens, first - 1, bounds))
    first--;
  return leat_tokens_at (tokens, first)->kind == LEAT_TOKEN_IDENT ? name : 0; /* `*name = ` is none */
}

/* What becomes of the address in the tokens [first, end). */
static gboolean
leat_reads_address (LeatReads *self, const LeatDecl *decl, guint first, guint end)
{
  const LeatTokens *tokens = self->unit->tokens;
  guint name = leat_reads_find_name (tokens, first);

  if (leat_tokens_is (tokens, end, "[") || leat_tokens_is (tokens, end, "->"))
    return leat_reads_value (self, first, end);
  if (leat_tokens_is (tokens, first - 1, "*"))
    return leat_reads_value (self, first - 1, end + leat_tokens_is_any (tokens, end, leat_reads_steps));
  return name != 0 && leat_reads_follow (self, decl, name, end);
}

/* Where the cast of the address at @index begins, or 0; @end: what is behind it and its brackets. */
static guint
leat_reads_find_cast (const LeatTokens *tokens, guint index, guint *end)
{
  guint open = leat_tokens_at (tokens, index - 1)->match, i = index - 3;

  if (leat_tokens_is (tokens, index - 1, ")") && leat_tokens_is (tokens, index - 2, "*"))
    {
      guint around = leat_tokens_is (tokens, open - 1, "(") && leat_tokens_is (tokens, index + 1, ")");

      *end = index + 1 + around;
      return open - around;
    }
  if (!leat_tokens_is (tokens, index - 1, "(") || !leat_tokens_is (tokens, index + 1, ")")
      || !leat_tokens_is (tokens, index - 2, ">") || !leat_tokens_is (tokens, index - 3, "*"))
    return 0;
  while (i > 0 && !leat_tokens_is (tokens, i, "<"))
    i--;
  *end = index + 2;
  return i > 0 && leat_tokens_is (tokens, i - 1, "reinterpret_cast") ? i - 1 : 0;
}

/* Whether the parameter number @argument of the function is a pointer through which it only reads. */
static gboolean
leat_reads_parameter (LeatReads *self, const LeatDecl *decl, guint argument)
{
  const LeatTokens *tokens = self->unit->tokens;
  guint close = leat_tokens_at (tokens, decl->params)->match, stars = 0, first, last, name;
  g_autoptr (GArray) pieces = leat_kernel_unit_split (self->unit, decl->params + 1, close);

  if (2 * argument + 1 >= pieces->len)
    return FALSE;
  first = g_array_index (pieces, guint, 2 * argument);
  last = g_array_index (pieces, guint, 2 * argument + 1);
  for (guint i = first; i <= last; i++)
    if (leat_kernel_unit_is_reference (self->unit, i) || leat_tokens_is (tokens, i, "&&"))
      return FALSE;
    else
      stars += leat_tokens_is (tokens, i, "*") || leat_tokens_is (tokens, i, "[");
  name = leat_kernel_unit_declared_name (self->unit, first, last + 1);
  return stars == 1 && name != G_MAXUINT && leat_reads_follow (self, decl, name, decl->body);
}

/* Whether the mention at @index is an argument, `x`, `x + n` or `&x[n]`, of functions of the file that only read. */
static gboolean
leat_reads_call (LeatReads *self, guint index)
{
  const LeatKernelUnit *unit = self->unit;
  guint argument,
    open = leat_reads_find_call (unit->tokens, index - leat_tokens_is (unit->tokens, index - 1, "&"), &argument);
  guint first = open != 0 ? leat_reads_next_function (unit, open - 1, 0) : unit->decls->len;

  for (guint i = first; i < unit->decls->len; i = leat_reads_next_function (unit, open - 1, i + 1))
    if (!leat_reads_parameter (self, leat_kernel_unit_at (unit, i), argument))
      return FALSE;
  return first < unit->decls->len;
}

static gboolean
leat_reads_mention (LeatReads *self, const LeatDecl *decl, guint index)
{
  const LeatTokens *tokens = self->unit->tokens;
  guint end = 0, cast = leat_reads_find_cast (tokens, index, &end);
  gboolean is_address = leat_tokens_is (tokens, index - 1, "&");
  guint name = leat_reads_find_name (tokens, index - is_address);

  if (!leat_kernel_unit_may_set (self->unit, index, 1) && leat_tokens_is (tokens, index - 1, "(")
      && leat_tokens_is (tokens, index - 2, "*")) /* `*(x + n)` */
    return leat_reads_value (self, index - 2, leat_tokens_at (tokens, index - 1)->match + 1);
  if (!leat_kernel_unit_may_set (self->unit, index, 1))
    return name == 0 || !leat_tokens_is (tokens, name - 1, "auto") || leat_reads_follow (self, decl, name, index);
  if (leat_reads_is_moved (tokens, index) || leat_reads_is_compared (tokens, index) || leat_reads_call (self, index))
    return TRUE;
  if (cast != 0)
    return leat_reads_address (self, decl, cast, end);
  if (is_address)
    return name != 0 && leat_reads_follow (self, decl, name, index);
  return !leat_tokens_is (tokens, index + 1, "[") && leat_reads_address (self, decl, index, index + 1);
}

/* Whether all mentions of the address whose name is declared at @name, from the token @first on, only read. */
static gboolean
leat_reads_follow (LeatReads *self, const LeatDecl *decl, guint name, guint first)
{
  static const char *const members[] = { ".", "->", NULL };
  g_autofree char *word = leat_tokens_dup (self->unit->tokens, name);

  if (!g_hash_table_add (self->seen, GUINT_TO_POINTER (name)))
    return TRUE;
  for (guint t = first; t < decl->last; t++)
    if (leat_tokens_is (self->unit->tokens, t, word) && !leat_tokens_is_any (self->unit->tokens, t - 1, members))
      {
        self->is_used = TRUE;
        if (!leat_reads_mention (self, decl, t))
          return FALSE;
      }
  return TRUE;
}

gboolean
leat_kernel_unit_only_reads (const LeatKernelUnit *self, const LeatDecl *decl, guint name)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  LeatReads reads = { self, seen, FALSE };

  return leat_reads_follow (&reads, decl, name, decl->body) && reads.is_used;
}
