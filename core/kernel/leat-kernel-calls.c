/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Functions that mention each other by name, and what follows: which of them can come to wait for other threads.  Names
 * stand for calls, so that the answer errs towards waiting. */

#include "leat-kernel-texture-private.h"
#include "leat-kernel-ptx-private.h"

#include <string.h>

struct _LeatKernelCalls
{
  const LeatKernelUnit *unit;
  GHashTable *by_name;   /* char* -> node number + 1; overloads share a node */
  GPtrArray *mentions;   /* node -> GArray of node numbers */
  GArray *traits;        /* node -> LEAT_CALLS_*, LeatKernelAsks */
  guint *nodes;          /* decl -> node */
  GHashTable *functions; /* names that count only where they are called */
  guint toolkit;         /* which headers of the CUDA toolkit the unit names */
};

enum
{
  LEAT_CALLS_WAITS = 1,
  LEAT_CALLS_GRID = 2,
  LEAT_CALLS_THREAD = 4,    /* the result depends on which thread asks */
  LEAT_CALLS_OTHERWISE = 8, /* it waits by anything else than __syncthreads () */
  LEAT_CALLS_BLOCK = 16,    /* it has to do with shared memory */
  LEAT_CALLS_KEEPS = 32,    /* it has to do with a variable of the file that kernels may change */
  LEAT_CALLS_SELF = 64,     /* it needs to know the thread that runs it */
};

/* Everything that needs other threads to make progress, or the runtime to know which thread asks. */
static gboolean
leat_kernel_calls_is_wait (const char *word)
{
  static const char *const words[] = { "__syncwarp",      "__any_sync",
                                       "__all_sync",      "__ballot_sync",
                                       "__activemask",    "__nanosleep",
                                       "leat_grid_sync",  "leat_queue_next_of_block",
                                       "leat_fuse_await", "leat_block_has_met",
                                       "QUEUE_EACH",      "__barrier_sync",
                                       "__uni_sync",      NULL };
  static const char *const prefixes[] = { "__syncthreads", "syncthreads_", "__shfl_", "__match_", "__reduce_" };

  if (word[0] != '_' && word[0] != 'l' && word[0] != 'Q' && word[0] != 's')
    return FALSE;
  if (g_strv_contains (words, word))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (word, prefixes[i]))
      return TRUE;
  return FALSE;
}

gboolean
leat_kernel_calls_is_self (const char *word)
{
  static const char *const words[] = { "threadIdx",
                                       "blockIdx",
                                       "blockDim",
                                       "gridDim",
                                       "printf",
                                       "malloc",
                                       "free",
                                       "clock",
                                       "clock64",
                                       "leat_block",
                                       "leat_trimmed",
                                       "leat_clock_now",
                                       "leat_trap",
                                       "leat_grid_piece",
                                       "leat_stride_piece",
                                       "leat_report",
                                       "leat_report_at",
                                       "leat_tick",
                                       "leat_graph_set_conditional",
                                       "__isLocal",
                                       "__isShared",
                                       "__isGlobal",
                                       "syncthreads_count",
                                       "syncthreads_and",
                                       "syncthreads_or",
                                       "__barrier_sync",
                                       "__uni_sync",
                                       "__prof_trigger",
                                       "__brkpt",
                                       "leat_block_begin",
                                       "leat_block_arrive",
                                       "leat_block_leave",
                                       "leat_block_end",
                                       NULL };

  if (g_strv_contains (words, word) || g_str_has_prefix (word, "__cvta_") || leat_kernel_ptx_is_member (word)
      || leat_kernel_texture_is_surface_access (word))
    return TRUE;
  /* Not the names of old, without `_sync`. */
  return leat_kernel_calls_is_wait (word) && !leat_kernel_calls_is_macro (word)
         && (g_str_has_suffix (word, "_sync") || !g_str_has_prefix (word, "__shfl"))
         && !g_str_equal (word, "leat_queue_next_of_block") && !g_str_equal (word, "leat_fuse_await");
}

/* Macros of the dialect that need the thread. */
gboolean
leat_kernel_calls_is_macro (const char *word)
{
  static const char *const words[] = { "GRID_FOR",    "QUEUE_EACH", "LEAT_QUEUE_NOW", "__trap", "assert",
                                       "LEAT_THREAD", NULL };

  return g_strv_contains (words, word);
}

/* Whether a word stands for values that differ from thread to thread. */
static gboolean
leat_kernel_calls_is_own (const char *word)
{
  static const char *const words[] = { "threadIdx", "blockIdx", "clock", "clock64", "asm", "__asm__", "__asm", NULL };

  return g_strv_contains (words, word);
}

/* `threadIdx.y` and its like; @member is what stands behind the dot. */
static guint
leat_kernel_calls_read_index (const char *word, const char *member)
{
  gboolean thread = g_str_equal (word, "threadIdx") || g_str_equal (word, "thread_index");

  if (member == NULL || (!thread && !g_str_equal (word, "blockIdx") && !g_str_equal (word, "group_index")))
    return 0;
  if (g_str_equal (member, "y"))
    return thread ? LEAT_KERNEL_ASKS_THREAD_Y : LEAT_KERNEL_ASKS_BLOCK_Y;
  if (g_str_equal (member, "z"))
    return thread ? LEAT_KERNEL_ASKS_THREAD_Z : LEAT_KERNEL_ASKS_BLOCK_Z;
  return 0;
}

/* Whether a run can tell how often it was done. */
static gboolean
leat_kernel_calls_is_effect (const char *word)
{
  static const char *const words[] = { "printf",  "vprintf", "assert",  "__assert_fail", "__trap", "leat_trap",
                                       "__brkpt", "clock",   "clock64", "globaltimer",   "asm",    "__asm__",
                                       "__asm",   NULL };

  return g_strv_contains (words, word);
}

static gboolean
leat_kernel_calls_is_assembly (const char *word)
{
  static const char *const words[] = { "asm", "__asm__", "__asm", NULL };

  return g_strv_contains (words, word);
}

static guint
leat_kernel_calls_node (LeatKernelCalls *self, const char *name)
{
  guint node = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, name)), none = 0;

  if (node > 0)
    return node - 1;
  g_ptr_array_add (self->mentions, g_array_new (FALSE, FALSE, sizeof (guint)));
  g_array_append_val (self->traits, none);
  g_hash_table_insert (self->by_name, g_strdup (name), GUINT_TO_POINTER (self->mentions->len));
  return self->mentions->len - 1;
}

static void
leat_kernel_calls_mention (LeatKernelCalls *self, guint node, const char *word)
{
  guint callee = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, word));

  if (leat_kernel_calls_is_wait (word))
    g_array_index (self->traits, guint, node) |=
      LEAT_CALLS_WAITS
      | (g_str_equal (word, "leat_grid_sync") || g_str_equal (word, "leat_fuse_await") ? LEAT_CALLS_GRID : 0)
      | (!g_str_equal (word, "__syncthreads") && !g_str_equal (word, "__activemask") ? LEAT_CALLS_OTHERWISE : 0);
  if (leat_kernel_calls_is_own (word))
    g_array_index (self->traits, guint, node) |= LEAT_CALLS_THREAD;
  if (leat_kernel_calls_is_self (word) || leat_kernel_calls_is_macro (word))
    g_array_index (self->traits, guint, node) |= LEAT_CALLS_SELF;
  if (g_str_equal (word, "__shared__"))
    g_array_index (self->traits, guint, node) |= LEAT_CALLS_BLOCK;
  if (leat_kernel_calls_is_assembly (word))
    g_array_index (self->traits, guint, node) |= LEAT_KERNEL_ASKS_ASSEMBLY;
  if (leat_kernel_calls_is_effect (word))
    g_array_index (self->traits, guint, node) |= LEAT_KERNEL_ASKS_EFFECTS;
  if (g_str_equal (word, "__nanosleep"))
    g_array_index (self->traits, guint, node) |= LEAT_KERNEL_ASKS_PAUSE;
  if (g_str_equal (word, "leat_take_ticket"))
    g_array_index (self->traits, guint, node) |= LEAT_KERNEL_ASKS_TICKET;
  if (g_str_equal (word, "leat_report") || g_str_equal (word, "leat_report_at"))
    g_array_index (self->traits, guint, node) |= LEAT_KERNEL_ASKS_REPORTS;
  if (callee-- > 0)
    g_array_append_val (g_ptr_array_index (self->mentions, node), callee);
}

static guint
leat_kernel_calls_read_asks (LeatKernelCalls *self, guint token, const char *word)
{
  const LeatTokens *tokens = self->unit->tokens;
  g_autofree char *member = NULL;

  if (g_str_equal (word, "extern") && leat_tokens_is (tokens, token + 1, "__shared__"))
    return LEAT_KERNEL_ASKS_SHARED;
  if (leat_tokens_assembly_waits (tokens, token))
    return LEAT_CALLS_WAITS | LEAT_CALLS_OTHERWISE;
  if (leat_tokens_is (tokens, token + 1, "(") && leat_tokens_is (tokens, token + 2, ")"))
    token += 2; /* `thread_index ().y` */
  if (!leat_tokens_is (tokens, token + 1, "."))
    return 0;
  member = leat_tokens_dup (tokens, token + 2);
  return leat_kernel_calls_read_index (word, member);
}

static void
leat_kernel_calls_mention_toolkit (LeatKernelCalls *self, guint index, guint token)
{
  guint *traits = &g_array_index (self->traits, guint, self->nodes[index]);
  LeatToolkitTraits own = leat_toolkit_words_read (self->unit, self->toolkit, token);

  if (own == 0)
    return;
  *traits |= LEAT_KERNEL_ASKS_TOOLKIT | (own & LEAT_TOOLKIT_OWN ? LEAT_CALLS_THREAD : 0);
  if (own & LEAT_TOOLKIT_WAITS)
    *traits |= LEAT_CALLS_WAITS | LEAT_CALLS_OTHERWISE;
  if ((own & LEAT_TOOLKIT_GRID)
      && leat_toolkit_words_sync_grid (self->unit, leat_kernel_unit_at (self->unit, index), token))
    *traits |= LEAT_CALLS_GRID;
}

static void
leat_kernel_calls_scan_decl (LeatKernelCalls *self, guint index)
{
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);
  gboolean is_function = decl->kind == LEAT_DECL_FUNCTION;

  for (guint i = is_function ? decl->body : decl->first; i < decl->last; i++)
    if (leat_tokens_at (self->unit->tokens, i)->kind == LEAT_TOKEN_IDENT)
      {
        g_autofree char *word = leat_tokens_dup (self->unit->tokens, i);

        /* A variable may well have the name of a kernel. */
        if (g_hash_table_contains (self->functions, word) && !leat_tokens_is (self->unit->tokens, i + 1, "(")
            && !leat_tokens_is (self->unit->tokens, i + 1, "<"))
          continue;
        leat_kernel_calls_mention (self, self->nodes[index], word);
        g_array_index (self->traits, guint, self->nodes[index]) |= leat_kernel_calls_read_asks (self, i, word);
        leat_kernel_calls_mention_toolkit (self, index, i);
      }
}

/* `__device__ int a, b;` has a node, which both names lead to. */
static void
leat_kernel_calls_add_variable (LeatKernelCalls *self, guint index)
{
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);
  g_autoptr (GArray) pieces = leat_kernel_unit_split (self->unit, decl->first, decl->last);

  if (leat_decl_keeps_data (self->unit, decl))
    g_array_index (self->traits, guint, self->nodes[index]) |= LEAT_CALLS_KEEPS | LEAT_KERNEL_ASKS_EFFECTS;
  for (guint i = 2; i < pieces->len; i += 2)
    {
      guint name = leat_kernel_unit_declared_name (self->unit, g_array_index (pieces, guint, i),
                                                   g_array_index (pieces, guint, i + 1) + 1);
      char *word = name != G_MAXUINT ? leat_tokens_dup (self->unit->tokens, name) : NULL;

      if (word != NULL && !g_hash_table_contains (self->by_name, word))
        g_hash_table_insert (self->by_name, word, GUINT_TO_POINTER (self->nodes[index] + 1));
      else
        g_free (word);
    }
}

/* Spreads traits from callees to callers until nothing changes. */
static void
leat_kernel_calls_close (LeatKernelCalls *self)
{
  gboolean changed = TRUE;

  while (changed)
    {
      changed = FALSE;
      for (guint node = 0; node < self->mentions->len; node++)
        {
          GArray *callees = g_ptr_array_index (self->mentions, node);
          guint *traits = &g_array_index (self->traits, guint, node), before = *traits;

          for (guint i = 0; i < callees->len; i++)
            *traits |= g_array_index (self->traits, guint, g_array_index (callees, guint, i));
          changed = changed || *traits != before;
        }
    }
}

LeatKernelCalls *
leat_kernel_calls_new (const LeatKernelUnit *unit)
{
  LeatKernelCalls *self = g_new0 (LeatKernelCalls, 1);

  self->unit = unit;
  self->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->mentions = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  self->traits = g_array_new (FALSE, TRUE, sizeof (guint));
  self->nodes = g_new (guint, unit->decls->len + 1);
  self->toolkit = leat_toolkit_words_find (unit);
  self->functions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);
      guint name = decl->kind == LEAT_DECL_FUNCTION   ? decl->name
                   : decl->kind == LEAT_DECL_VARIABLE ? leat_kernel_unit_declared_name (unit, decl->first, decl->last)
                                                      : leat_kernel_unit_type_name (unit, decl);
      g_autofree char *word = NULL;

      word = name != G_MAXUINT && !(decl->flags & LEAT_DECL_IS_VARIANT) ? leat_tokens_dup (unit->tokens, name)
                                                                        : g_strdup_printf ("#%u", i);
      if (decl->kind == LEAT_DECL_FUNCTION && !(decl->flags & LEAT_DECL_IS_OPERATOR))
        g_hash_table_add (self->functions, g_strdup (word));
      self->nodes[i] = leat_kernel_calls_node (self, word);
      if (decl->kind == LEAT_DECL_VARIABLE)
        leat_kernel_calls_add_variable (self, i);
    }
  for (guint i = 0; i < unit->decls->len; i++)
    leat_kernel_calls_scan_decl (self, i);
  leat_kernel_calls_close (self);
  return self;
}

void
leat_kernel_calls_free (LeatKernelCalls *self)
{
  g_hash_table_unref (self->by_name);
  g_ptr_array_unref (self->mentions);
  g_array_unref (self->traits);
  g_hash_table_unref (self->functions);
  g_free (self->nodes);
  g_free (self);
}

gboolean
leat_kernel_calls_may_wait (LeatKernelCalls *self, guint decl)
{
  return (g_array_index (self->traits, guint, self->nodes[decl]) & LEAT_CALLS_WAITS) != 0;
}

gboolean
leat_kernel_calls_syncs_grid (LeatKernelCalls *self, guint decl)
{
  return (g_array_index (self->traits, guint, self->nodes[decl]) & LEAT_CALLS_GRID) != 0;
}

gboolean
leat_kernel_calls_needs_self (LeatKernelCalls *self, guint decl)
{
  return (g_array_index (self->traits, guint, self->nodes[decl]) & LEAT_CALLS_SELF) != 0;
}

LeatKernelAsks
leat_kernel_calls_get_asks (LeatKernelCalls *self, guint decl)
{
  return g_array_index (self->traits, guint, self->nodes[decl]);
}

static gboolean
leat_kernel_calls_walk (LeatKernelCalls *self, guint node, guint wanted, guint8 *seen)
{
  GArray *callees = g_ptr_array_index (self->mentions, node);

  for (guint i = 0; i < callees->len; i++)
    {
      guint callee = g_array_index (callees, guint, i);

      if (callee == wanted)
        return TRUE;
      if (seen[callee])
        continue;
      seen[callee] = TRUE;
      if (leat_kernel_calls_walk (self, callee, wanted, seen))
        return TRUE;
    }
  return FALSE;
}

gboolean
leat_kernel_calls_reaches (LeatKernelCalls *self, guint decl, guint callee)
{
  g_autofree guint8 *seen = g_new0 (guint8, self->mentions->len);

  return leat_kernel_calls_walk (self, self->nodes[decl], self->nodes[callee], seen);
}

guint8 *
leat_kernel_calls_list_reached (LeatKernelCalls *self, guint decl)
{
  g_autofree guint8 *seen = g_new0 (guint8, self->mentions->len);
  guint8 *reached = g_new (guint8, self->unit->decls->len);

  leat_kernel_calls_walk (self, self->nodes[decl], G_MAXUINT, seen);
  for (guint i = 0; i < self->unit->decls->len; i++)
    reached[i] = seen[self->nodes[i]];
  return reached;
}

static gboolean
leat_kernel_calls_token_has (LeatKernelCalls *self, guint token, guint trait)
{
  g_autofree char *word = leat_tokens_dup (self->unit->tokens, token);
  guint node = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, word));

  return node > 0 && (g_array_index (self->traits, guint, node - 1) & trait) != 0;
}

gboolean
leat_kernel_calls_token_is_known (LeatKernelCalls *self, guint token)
{
  g_autofree char *word = leat_tokens_dup (self->unit->tokens, token);

  return g_hash_table_contains (self->by_name, word);
}

gboolean
leat_kernel_calls_token_is_of_block (LeatKernelCalls *self, guint token)
{
  return leat_tokens_is (self->unit->tokens, token, "__shared__")
         || leat_kernel_calls_token_has (self, token, LEAT_CALLS_BLOCK);
}

gboolean
leat_kernel_calls_token_keeps (LeatKernelCalls *self, guint token)
{
  return leat_kernel_calls_token_has (self, token, LEAT_CALLS_KEEPS);
}

gboolean
leat_kernel_calls_token_waits (LeatKernelCalls *self, guint token)
{
  g_autofree char *word = leat_tokens_dup (self->unit->tokens, token);
  guint node = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, word));

  return leat_kernel_calls_is_wait (word) || leat_tokens_assembly_waits (self->unit->tokens, token)
         || (node > 0 && (g_array_index (self->traits, guint, node - 1) & LEAT_CALLS_WAITS))
         || (leat_toolkit_words_read (self->unit, self->toolkit, token) & LEAT_TOOLKIT_WAITS);
}

gboolean
leat_kernel_calls_token_waits_otherwise (LeatKernelCalls *self, guint token)
{
  g_autofree char *word = leat_tokens_dup (self->unit->tokens, token);
  guint node = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, word));

  if (leat_kernel_calls_is_wait (word))
    return !g_str_equal (word, "__syncthreads");
  if (leat_tokens_assembly_waits (self->unit->tokens, token))
    return TRUE;
  if (node == 0)
    return (leat_toolkit_words_read (self->unit, self->toolkit, token) & LEAT_TOOLKIT_WAITS) != 0;
  return (g_array_index (self->traits, guint, node - 1) & LEAT_CALLS_OTHERWISE) != 0;
}

gboolean
leat_kernel_calls_token_is_own (LeatKernelCalls *self, guint token)
{
  g_autofree char *word = leat_tokens_dup (self->unit->tokens, token);
  guint node = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, word));

  return leat_kernel_calls_is_own (word)
         || (node > 0 && (g_array_index (self->traits, guint, node - 1) & LEAT_CALLS_THREAD))
         || (leat_toolkit_words_read (self->unit, self->toolkit, token) & LEAT_TOOLKIT_OWN);
}
