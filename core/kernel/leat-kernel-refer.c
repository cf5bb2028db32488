/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Whether an item that a function mentions is bound to a reference, by which it may be set: `T &r = x[i]`,
 * `atomic_ref<T> r (x[i])`, `swap (x[i], y)`.  Reads the unit only. */

#include "leat-kernel-transform-private.h"

/* Functions, and members, of headers that take what they are given by reference. */
static const char *const leat_refer_takers[] = { "atomic_ref",
                                                 "swap",
                                                 "exchange",
                                                 "tie",
                                                 "Scan",
                                                 "InclusiveSum",
                                                 "ExclusiveSum",
                                                 "InclusiveScan",
                                                 "ExclusiveScan",
                                                 "compare_exchange_weak",
                                                 "compare_exchange_strong",
                                                 NULL };

/* The "(" or "{" of the list in which the token stands; 0 where there is none. */
static guint
leat_refer_find_list (const LeatTokens *tokens, guint index)
{
  for (guint i = index; i-- > 0 && !leat_tokens_is (tokens, i, ";");)
    if (leat_tokens_at (tokens, i)->match < i)
      i = leat_tokens_at (tokens, i)->match;
    else if (leat_tokens_is (tokens, i, "(") || leat_tokens_is (tokens, i, "{"))
      return i;
  return 0;
}

/* The name before template arguments that end at @index. */
static guint
leat_refer_find_template (const LeatTokens *tokens, guint index)
{
  gint depth = 0;

  for (guint i = index; i > 0; i--)
    {
      depth += leat_tokens_is (tokens, i, ">") ? 1 : leat_tokens_is (tokens, i, ">>") ? 2 : 0;
      depth -= leat_tokens_is (tokens, i, "<") ? 1 : 0;
      if (depth <= 0)
        return i - 1;
    }
  return 0;
}

/* `Type name (`, where the name stands at @index, and the type is no plain number. */
static gboolean
leat_refer_is_declared (const LeatTokens *tokens, guint index)
{
  static const char *const others[] = { "return",   "else",     "do",       "float",    "double",  "int",
                                        "unsigned", "char",     "short",    "long",     "signed",  "bool",
                                        "auto",     "case",     "int8_t",   "int16_t",  "int32_t", "int64_t",
                                        "uint8_t",  "uint16_t", "uint32_t", "uint64_t", "size_t",  NULL };

  return leat_tokens_is (tokens, index - 1, ">")
         || (leat_tokens_at (tokens, index - 1)->kind == LEAT_TOKEN_IDENT
             && !leat_tokens_is_any (tokens, index - 1, others));
}

/* Whether the name at @index is declared as another one for a type: `using Ref = cuda::atomic_ref<int>;`. */
static gboolean
leat_refer_is_alias (const LeatTokens *tokens, guint index)
{
  g_autofree char *name = leat_tokens_dup (tokens, index);

  for (guint i = 0; i + 2 < tokens->tokens->len; i++)
    if (leat_tokens_is (tokens, i, "using") && leat_tokens_is (tokens, i + 1, name)
        && leat_tokens_is (tokens, i + 2, "="))
      return TRUE;
  return FALSE;
}

/* `T &r = x[i]`; with `const T &r` it is read. */
static gboolean
leat_refer_names (const LeatTokens *tokens, guint index)
{
  guint name = index - 2, i = name - 2;

  if (!leat_tokens_is (tokens, index - 1, "=") || leat_tokens_at (tokens, name)->kind != LEAT_TOKEN_IDENT
      || !leat_tokens_is (tokens, name - 1, "&"))
    return FALSE;
  for (; i > 0 && (leat_tokens_at (tokens, i)->kind == LEAT_TOKEN_IDENT || leat_tokens_is (tokens, i, "::")); i--)
    if (leat_tokens_is (tokens, i, "const"))
      return FALSE;
  return TRUE;
}

gboolean
leat_kernel_unit_refers (const LeatKernelUnit *unit, guint first, guint next)
{
  static const char *const before[] = { "(", "{", ",", NULL }, *const after[] = { ")", "}", ",", NULL };
  const LeatTokens *tokens = unit->tokens;
  guint open, name;

  if (leat_refer_names (tokens, first))
    return TRUE;
  if (!leat_tokens_is_any (tokens, first - 1, before) || !leat_tokens_is_any (tokens, next, after))
    return FALSE;
  open = leat_refer_find_list (tokens, first);
  if (open < 2)
    return FALSE;
  name = leat_tokens_is (tokens, open - 1, ">") ? leat_refer_find_template (tokens, open - 1) : open - 1;
  if (name == 0 || leat_tokens_at (tokens, name)->kind != LEAT_TOKEN_IDENT)
    return FALSE;
  return leat_tokens_is_any (tokens, name, leat_refer_takers)
         || (name == open - 1 && leat_refer_is_declared (tokens, name)) || leat_refer_is_alias (tokens, name);
}
