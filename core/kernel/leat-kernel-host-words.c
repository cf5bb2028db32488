/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Words that only code of the host has: of its library, of C's files, of CUDA's runtime.  Reads the unit only. */

#include "leat-kernel-plain-private.h"

#include <string.h>

static gboolean
leat_host_words_use_std (const LeatKernelUnit *unit)
{
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);

      if (decl->kind == LEAT_DECL_OTHER && leat_tokens_is (unit->tokens, decl->first, "using")
          && leat_tokens_is (unit->tokens, decl->first + 1, "namespace")
          && leat_tokens_is (unit->tokens, decl->first + 2, "std"))
        return TRUE;
    }
  return FALSE;
}

/* A name of the host's library.  Without `std::` it is one where it is used as a type or a stream, and no name that
 * people give to things of their own. */
static gboolean
leat_host_words_is_library (const LeatKernelUnit *unit, guint token)
{
  static const char *const clear[] = { "string",
                                       "wstring",
                                       "string_view",
                                       "vector",
                                       "unordered_map",
                                       "unordered_set",
                                       "istream",
                                       "ostream",
                                       "iostream",
                                       "ifstream",
                                       "ofstream",
                                       "fstream",
                                       "stringstream",
                                       "istringstream",
                                       "cout",
                                       "cerr",
                                       "cin",
                                       "clog",
                                       "endl",
                                       "ostringstream",
                                       "unique_ptr",
                                       "shared_ptr",
                                       "weak_ptr",
                                       "make_unique",
                                       "make_shared",
                                       "lock_guard",
                                       "unique_lock",
                                       "exception",
                                       "logic_error",
                                       "runtime_error",
                                       "random_device",
                                       "mt19937",
                                       "out_of_range",
                                       "invalid_argument",
                                       NULL };
  static const char *const others[] = { "to_string",
                                        "deque",
                                        "list",
                                        "forward_list",
                                        "map",
                                        "multimap",
                                        "set",
                                        "multiset",
                                        "queue",
                                        "stack",
                                        "function",
                                        "thread",
                                        "mutex",
                                        "chrono",
                                        "future",
                                        "async",
                                        "filesystem",
                                        "any",
                                        "variant",
                                        "condition_variable",
                                        "initializer_list",
                                        NULL };
  static const char *const behind[] = { "<", "&", "*", "<<", ">>", "(", "{", NULL };

  if (leat_tokens_is (unit->tokens, token - 1, "::"))
    return leat_tokens_is (unit->tokens, token - 2, "std")
           && (leat_tokens_is_any (unit->tokens, token, clear) || leat_tokens_is_any (unit->tokens, token, others));
  return leat_tokens_is_any (unit->tokens, token, clear)
         && (leat_tokens_is_any (unit->tokens, token + 1, behind)
             || leat_tokens_at (unit->tokens, token + 1)->kind == LEAT_TOKEN_IDENT)
         && leat_host_words_use_std (unit);
}

/* `cudaMalloc (`: a GPU has none of its functions, but for those of early starts. */
static gboolean
leat_host_words_is_runtime_call (const LeatTokens *tokens, guint token)
{
  static const char *const device[] = { "cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion",
                                        NULL };
  const LeatToken *at = leat_tokens_at (tokens, token);
  const char *word = tokens->text->text + at->offset;

  return at->length > 4 && g_str_has_prefix (word, "cuda") && g_ascii_isupper (word[4])
         && leat_tokens_is (tokens, token + 1, "(") && !leat_tokens_is_any (tokens, token, device);
}

gboolean
leat_kernel_unit_names_host (const LeatKernelUnit *unit, guint first, guint last)
{
  static const char *const words[] = { "throw",   "try",     "FILE",   "stdout", "stderr", "stdin",
                                       "fprintf", "fopen",   "fwrite", "fread",  "fflush", "exit",
                                       "abort",   "va_list", "getenv", "<<<",    NULL };
  static const char *const before[] = { ".", "->", "::", NULL };

  for (guint i = first; i <= last; i++)
    if (leat_host_words_is_library (unit, i) || leat_host_words_is_runtime_call (unit->tokens, i)
        || (leat_tokens_is_any (unit->tokens, i, words) && !leat_tokens_is_any (unit->tokens, i - 1, before)))
      return TRUE;
  return FALSE;
}
