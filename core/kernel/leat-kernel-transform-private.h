/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-source-private.h"
#include "leat-kernel-unit-private.h"

G_BEGIN_DECLS

/* The source transformation, by pieces.  Changes are edits of the inlined text; what is taken out leaves its line ends
 * behind, so that lines stay where the user wrote them. */

typedef struct
{
  guint begin, end; /* bytes of the text */
  guint order;
  char *text;
} LeatEdit;

GArray *leat_edits_new (void);
/* Replaces the bytes of the tokens @first to @last. */
void leat_edits_replace (GArray *edits, const LeatTokens *tokens, guint first, guint last, const char *format, ...)
  G_GNUC_PRINTF (5, 6);
void leat_edits_insert_before (GArray *edits, const LeatTokens *tokens, guint index, const char *format, ...)
  G_GNUC_PRINTF (4, 5);
void leat_edits_insert_after (GArray *edits, const LeatTokens *tokens, guint index, const char *format, ...)
  G_GNUC_PRINTF (4, 5);
/* Of two edits that overlap the earlier and wider one holds. */
char *leat_edits_apply (GArray *edits, const LeatTokens *tokens);
/* The same for the stretch of the tokens @first to @last. */
char *leat_edits_apply_range (GArray *edits, const LeatTokens *tokens, guint first, guint last);

/* The calls between functions: which functions may wait for other threads, and what a kernel can reach. */
typedef struct _LeatKernelCalls LeatKernelCalls;

LeatKernelCalls *leat_kernel_calls_new (const LeatKernelUnit *unit);
void leat_kernel_calls_free (LeatKernelCalls *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatKernelCalls, leat_kernel_calls_free)

/* Indices are those of unit->decls. */
gboolean leat_kernel_calls_may_wait (LeatKernelCalls *self, guint decl);
gboolean leat_kernel_calls_syncs_grid (LeatKernelCalls *self, guint decl);
gboolean leat_kernel_calls_reaches (LeatKernelCalls *self, guint decl, guint callee);
/* Whether a token (a function's name, or an intrinsic) can lead to a wait. */
gboolean leat_kernel_calls_token_waits (LeatKernelCalls *self, guint token);
/* To one by anything else than __syncthreads (). */
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
} LeatKernelAsks;

LeatKernelAsks leat_kernel_calls_get_asks (LeatKernelCalls *self, guint decl);

/* Where the body of the lambda begins whose captures begin at @open; G_MAXUINT where there is none. */
guint leat_kernel_unit_find_lambda (const LeatKernelUnit *unit, const LeatDecl *decl, guint open);
GArray *leat_kernel_unit_list_returns (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl);
/* Where threads wait for others of their block that may have returned (leat-kernel-leave.c). */
guint leat_kernel_unit_find_missed_wait (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl,
                                         gboolean otherwise);
guint leat_kernel_unit_find_partial_wait (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl);
/* Notes in @prototype what the body of @decl says about its launch. */
void leat_kernel_unit_note_launch (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl,
                                   LeatPrototype *prototype);
/* The token where @decl first takes what the array @name held before the launch, or G_MAXUINT. */
guint leat_kernel_unit_find_read (const LeatKernelUnit *unit, const LeatDecl *decl, const char *name);

/* A loop `for (T i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) body`. */
typedef struct
{
  guint keyword;                 /* `for` */
  guint open, close;             /* its parentheses */
  guint type_first, type_last;   /* T */
  guint name;                    /* i */
  guint init_first, init_last;   /* where the thread begins */
  guint bound_first, bound_last; /* n */
  guint body_first, body_last;
  guint blocker; /* the token that forbids another order of items, or G_MAXUINT */
} LeatStrideLoop;

/* (element-type LeatStrideLoop): those of the function @decl. */
GArray *leat_kernel_unit_find_stride_loops (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl);

gboolean leat_kernel_unit_check_variants (const LeatKernelUnit *unit, GError **error);
gboolean leat_kernel_unit_check_kernels (const LeatKernelUnit *unit, GError **error);
/* @entry: (nullable): a kernel, of which and of what it calls the warnings are wanted; else those of the whole file */
GPtrArray *leat_kernel_unit_list_warnings (const LeatKernelUnit *unit, const LeatDecl *entry);

char *leat_kernel_unit_to_host (const LeatKernelUnit *unit, LeatKernelForm form, GError **error);
char *leat_kernel_unit_to_cuda (const LeatKernelUnit *unit, LeatKernelForm form, GError **error);

/* Where lanes read what other lanes of their warp wrote, and nothing makes them wait; G_MAXUINT where there is no such.
 */
guint leat_kernel_unit_find_warp_step (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl);

/* The N of `__launch_bounds__ (N, M)`: tokens from *@first to before *@end. */
gboolean leat_kernel_unit_find_bounds (const LeatKernelUnit *unit, const LeatDecl *decl, guint *first, guint *end);
/* Its value; 0 where there is none or tokens do not tell. */
guint leat_kernel_unit_read_bounds (const LeatKernelUnit *unit, const LeatDecl *decl);

/* The name of a variable that @entry reads and nothing in the file gives a value, or G_MAXUINT. */
guint leat_kernel_unit_find_unfilled (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *entry);

/* Why the lanes of a batch cannot be one launch of the kernel @decl; NULL where they can. */
const char *leat_kernel_unit_why_not_wide (const LeatKernelUnit *unit, LeatKernelCalls *calls, guint decl);
/* Is it a variable in which a kernel may leave something for the next launch? */
gboolean leat_decl_keeps_data (const LeatKernelUnit *unit, const LeatDecl *decl);
/* Are there such variables? */
gboolean leat_kernel_unit_keeps_data (const LeatKernelUnit *unit);
/* Then: the first variable in which it does. (transfer full) */
char *leat_kernel_unit_dup_kept_name (const LeatKernelUnit *unit);

/* The text of an embedded device header, comments and includes taken out. */
char *leat_kernel_dup_device_text (const char *name);

G_END_DECLS
