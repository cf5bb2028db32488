/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Words of headers of the CUDA toolkit (leat-kernel-bring.c) that have to do with other threads.  A unit does not have
 * the text of those headers, so that its calls are followed up to these words.  Reads the unit only. */

#include "leat-kernel-bring-private.h"
#include "leat-kernel-calls-private.h"

#include <string.h>

/* Words that count where they are called, and words that count wherever they stand. */
typedef struct
{
  const char *header; /* a name, or how names begin */
  const char *const *waits;
  const char *const *own;
} LeatToolkitWords;

static const char *const leat_toolkit_group_waits[] = {
  "sync",
  "shfl",
  "shfl_up",
  "shfl_down",
  "shfl_xor",
  "any",
  "all",
  "ballot",
  "match_any",
  "match_all",
  "reduce",
  "coalesced_threads",
  "inclusive_scan",
  "exclusive_scan",
  "labeled_partition",
  "binary_partition",
  "wait_prior",
  "barrier_arrive",
  "barrier_wait",
  "wait",
  "invoke_one",
  "memcpy_async",
  NULL,
};
static const char *const leat_toolkit_group_own[] = {
  "this_thread_block",
  "this_grid",
  "coalesced_threads",
  "tiled_partition",
  "thread_rank",
  "thread_index",
  "group_index",
  "meta_group_rank",
  "block_rank",
  "block_index",
  "grid_group",
  "thread_block",
  NULL,
};
static const char *const leat_toolkit_barrier_waits[] = {
  "arrive_and_wait",
  "arrive_and_drop",
  "arrive",
  "wait",
  "wait_parity",
  "try_wait",
  "try_wait_parity",
  "memcpy_async",
  "make_pipeline",
  "producer_acquire",
  "producer_commit",
  "consumer_wait",
  "consumer_release",
  "pipeline_consumer_wait_prior",
  "quit",
  NULL,
};
static const char *const leat_toolkit_cub_waits[] = {
  "Sum",
  "Max",
  "Min",
  "Reduce",
  "InclusiveSum",
  "ExclusiveSum",
  "InclusiveScan",
  "ExclusiveScan",
  "HeadSegmentedSum",
  "TailSegmentedSum",
  "HeadSegmentedReduce",
  "TailSegmentedReduce",
  "Broadcast",
  "Sort",
  "SortDescending",
  "SortBlockedToStriped",
  "SortDescendingBlockedToStriped",
  "Load",
  "Store",
  NULL,
};
static const char *const leat_toolkit_matrix_waits[] = { "load_matrix_sync", "store_matrix_sync", "mma_sync", NULL };

static const LeatToolkitWords leat_toolkit_words[] = {
  { "cooperative_groups", leat_toolkit_group_waits, leat_toolkit_group_own },
  { "cuda/barrier", leat_toolkit_barrier_waits, NULL },
  { "cuda/std/barrier", leat_toolkit_barrier_waits, NULL },
  { "cuda/pipeline", leat_toolkit_barrier_waits, NULL },
  { "cub/", leat_toolkit_cub_waits, NULL },
  { "mma.h", leat_toolkit_matrix_waits, NULL },
};

guint
leat_toolkit_words_find (const LeatKernelUnit *unit)
{
  g_autoptr (GPtrArray) names = leat_kernel_unit_list_brought (unit);
  guint headers = 0;

  for (guint i = 0; i < names->len; i++)
    for (guint w = 0; w < G_N_ELEMENTS (leat_toolkit_words); w++)
      if (g_str_has_prefix (g_ptr_array_index (names, i), leat_toolkit_words[w].header))
        headers |= 1u << w;
  return headers;
}

static gboolean
leat_toolkit_is_called (const LeatKernelUnit *unit, guint token)
{
  return leat_tokens_is (unit->tokens, token + 1, "(") || leat_tokens_is (unit->tokens, token + 1, "<");
}

LeatToolkitTraits
leat_toolkit_words_read (const LeatKernelUnit *unit, guint headers, guint token)
{
  static const char *const grid[] = { "sync", "barrier_arrive", "barrier_wait", NULL };
  LeatToolkitTraits traits = 0;

  if (headers == 0)
    return 0;
  for (guint w = 0; w < G_N_ELEMENTS (leat_toolkit_words); w++)
    {
      const LeatToolkitWords *words = &leat_toolkit_words[w];

      if (!(headers & 1u << w))
        continue;
      if (leat_toolkit_is_called (unit, token) && leat_tokens_is_any (unit->tokens, token, words->waits))
        traits |= LEAT_TOOLKIT_WAITS | (leat_tokens_is_any (unit->tokens, token, grid) ? LEAT_TOOLKIT_GRID : 0);
      if (words->own != NULL && leat_tokens_is_any (unit->tokens, token, words->own))
        traits |= LEAT_TOOLKIT_OWN;
    }
  return traits;
}

/* Whether the function, or its parameter list, declares @name as a group of all threads of the grid: `grid_group g`,
 * `auto g = this_grid ()`. */
static gboolean
leat_toolkit_is_grid (const LeatKernelUnit *unit, const LeatDecl *decl, const char *name)
{
  static const char *const between[] = { "&", "const", "*", NULL };
  static const char *const ends[] = { ";", ",", ")", NULL };
  const LeatTokens *tokens = unit->tokens;

  for (guint i = decl->first; i < decl->last; i++)
    {
      guint at = i + 1;

      if (leat_tokens_is (tokens, i, "grid_group"))
        {
          while (leat_tokens_is_any (tokens, at, between))
            at++;
          if (leat_tokens_is (tokens, at, name))
            return TRUE;
        }
      if (!leat_tokens_is (tokens, i, name))
        continue;
      for (; at < decl->last && !leat_tokens_is_any (tokens, at, ends); at++)
        if (leat_tokens_is (tokens, at, "this_grid"))
          return TRUE;
    }
  return FALSE;
}

gboolean
leat_toolkit_words_sync_grid (const LeatKernelUnit *unit, const LeatDecl *decl, guint token)
{
  const LeatTokens *tokens = unit->tokens;
  gboolean member = leat_tokens_is (tokens, token - 1, ".") || leat_tokens_is (tokens, token - 1, "->");
  guint group = member ? token - 2 : token + 2;
  g_autofree char *name = NULL;

  if (member && leat_tokens_is (tokens, group, ")")) /* `this_grid ().sync ()` */
    return leat_tokens_is (tokens, leat_tokens_at (tokens, group)->match - 1, "this_grid");
  for (guint i = group; !member && i < leat_tokens_at (tokens, token + 1)->match; i++)
    if (leat_tokens_is (tokens, i, "this_grid"))
      return TRUE;
  if (leat_tokens_at (tokens, group)->kind != LEAT_TOKEN_IDENT)
    return FALSE;
  name = leat_tokens_dup (tokens, group);
  return leat_toolkit_is_grid (unit, decl, name);
}
