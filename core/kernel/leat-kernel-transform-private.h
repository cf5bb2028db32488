/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-calls-private.h"
#include "leat-kernel-source-private.h"

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

/* Whether the item at the tokens from @first to before @next is bound to a reference (leat-kernel-refer.c). */
gboolean leat_kernel_unit_refers (const LeatKernelUnit *unit, guint first, guint next);

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
/* The blocks of `__cluster_dims__ (X, Y, Z)`; 1 along an axis that it does not name, or that tokens do not tell. */
void leat_kernel_unit_read_cluster (const LeatKernelUnit *unit, const LeatDecl *decl, guint cluster[3]);
/* Its value; 0 where there is none or tokens do not tell. */
guint leat_kernel_unit_read_bounds (const LeatKernelUnit *unit, const LeatDecl *decl);

/* Whether all that the kernel @decl does with the items of its pointer @name is to read them. */
gboolean leat_kernel_unit_only_reads (const LeatKernelUnit *self, const LeatDecl *decl, guint name);

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
