/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-fuse-private.h"
#include "kernel/leat-kernel-source-internal-private.h"

G_BEGIN_DECLS

/* One of the files that one kernel is made of.  Its declarations at file scope get names of their own, so that any two
 * files can stand in one text. */
typedef struct _LeatFuseFile LeatFuseFile;

LeatFuseFile *leat_fuse_file_new (LeatKernelSource *source, guint number);
void leat_fuse_file_free (LeatFuseFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatFuseFile, leat_fuse_file_free)

gboolean leat_fuse_file_is_of (LeatFuseFile *self, LeatKernelSource *source);
/* Asks for a function; its name. (transfer full) */
char *leat_fuse_file_use (LeatFuseFile *self, const char *entry, LeatFuseForm form);
char *leat_fuse_file_dup_text (LeatFuseFile *self, const LeatKernelTarget *target, GError **error);
/* `#include` of what stands before that text. (transfer full) */
char *leat_fuse_file_dup_brought (LeatFuseFile *self);
/* LeatKernelAsked */
guint leat_fuse_file_get_asks (LeatFuseFile *self);

/* The loop over all items of a grid in a kernel: `GRID_FOR (i, n)`, or the loop that is taken for it. */
typedef struct
{
  guint first, last;             /* its head */
  guint name;                    /* i */
  guint type_first, type_last;   /* of i; G_MAXUINT where it has that of n */
  guint bound_first, bound_last; /* n */
  guint end;                     /* one past its statement */
} LeatFuseLoop;

/* (element-type LeatFuseLoop) */
GArray *leat_kernel_unit_find_fuse_loops (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl);

G_END_DECLS
