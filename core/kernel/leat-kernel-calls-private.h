/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-unit-private.h"

G_BEGIN_DECLS

/* The calls between functions: which functions may wait for other threads, and what a kernel can reach. */
typedef struct _LeatKernelCalls LeatKernelCalls;

LeatKernelCalls *leat_kernel_calls_new (const LeatKernelUnit *unit);
void leat_kernel_calls_free (LeatKernelCalls *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatKernelCalls, leat_kernel_calls_free)

/* Indices are those of unit->decls. */
gboolean leat_kernel_calls_may_wait (LeatKernelCalls *self, guint decl);
gboolean leat_kernel_calls_syncs_grid (LeatKernelCalls *self, guint decl);
/* Whether it needs to know the thread that runs it. */
gboolean leat_kernel_calls_needs_self (LeatKernelCalls *self, guint decl);
/* Whether a word is a member of a thread on the CPU, or a macro that uses one. */
gboolean leat_kernel_calls_is_self (const char *word);
gboolean leat_kernel_calls_is_macro (const char *word);
gboolean leat_kernel_calls_reaches (LeatKernelCalls *self, guint decl, guint callee);
/* For each declaration of the unit whether @decl reaches it: at once for all. (transfer full) */
guint8 *leat_kernel_calls_list_reached (LeatKernelCalls *self, guint decl);
/* Whether a token (a function's name, or an intrinsic) can lead to a wait. */
gboolean leat_kernel_calls_token_waits (LeatKernelCalls *self, guint token);
/* Of one that can: to one by anything else than __syncthreads (). */
gboolean leat_kernel_calls_token_waits_otherwise (LeatKernelCalls *self, guint token);
/* Whether it can tell one thread from another. */
gboolean leat_kernel_calls_token_is_own (LeatKernelCalls *self, guint token);
/* Whether it is a name that the file declares. */
gboolean leat_kernel_calls_token_is_known (LeatKernelCalls *self, guint token);
/* Whether it is, or leads to, memory that a block has for itself. */
gboolean leat_kernel_calls_token_is_of_block (LeatKernelCalls *self, guint token);
/* Whether it is, or leads to, a variable of the file that kernels may change. */
gboolean leat_kernel_calls_token_keeps (LeatKernelCalls *self, guint token);

/* Things that a function, and all that it calls, asks for. */
typedef enum
{
  LEAT_KERNEL_ASKS_THREAD_Y = 1 << 8,
  LEAT_KERNEL_ASKS_THREAD_Z = 1 << 9,
  LEAT_KERNEL_ASKS_BLOCK_Y = 1 << 10,
  LEAT_KERNEL_ASKS_BLOCK_Z = 1 << 11,
  LEAT_KERNEL_ASKS_SHARED = 1 << 12, /* extern __shared__ */
  LEAT_KERNEL_ASKS_ASSEMBLY = 1 << 13,
  LEAT_KERNEL_ASKS_REPORTS = 1 << 14,
  LEAT_KERNEL_ASKS_PAUSE = 1 << 15, /* in a loop that waits, perhaps for another block */
  LEAT_KERNEL_ASKS_TICKET = 1 << 16,
  LEAT_KERNEL_ASKS_TOOLKIT = 1 << 17, /* what headers of the CUDA toolkit know of threads and blocks */
  LEAT_KERNEL_ASKS_EFFECTS = 1 << 18, /* beside what it writes, which tell how often it was done */
} LeatKernelAsks;

LeatKernelAsks leat_kernel_calls_get_asks (LeatKernelCalls *self, guint decl);

/* leat-kernel-calls-toolkit.c: words of headers of the CUDA toolkit, of which the unit does not have the text. */
typedef enum
{
  LEAT_TOOLKIT_WAITS = 1 << 0, /* other threads have to come there too */
  LEAT_TOOLKIT_OWN = 1 << 1,   /* it differs from thread to thread */
  LEAT_TOOLKIT_GRID = 1 << 2,  /* all threads of the grid have to come there */
} LeatToolkitTraits;

/* The headers that the unit names, as bits for leat_toolkit_words_read (). */
guint leat_toolkit_words_find (const LeatKernelUnit *unit);
/* What the word at @token means; 0 where it is none of theirs. @headers: that the unit names */
LeatToolkitTraits leat_toolkit_words_read (const LeatKernelUnit *unit, guint headers, guint token);
/* Whether the token waits for the grid by a group of its threads, which @decl has made or taken. */
gboolean leat_toolkit_words_sync_grid (const LeatKernelUnit *unit, const LeatDecl *decl, guint token);

G_END_DECLS
