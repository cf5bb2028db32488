/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-source-private.h"
#include "leat-kernel-transform-private.h"
#include "leat-kernel-unit-private.h"

G_BEGIN_DECLS

struct _LeatKernelSource
{
  gatomicrefcount refs;
  char *name;
  gboolean strict;
  LeatKernelText *text;
  LeatKernelUnit *unit;
  GPtrArray *kernels;         /* LeatDecl, in the order of the file */
  LeatPrototype **prototypes; /* in step; NULL until asked for */
  LeatKernelCalls *calls;     /* NULL until the first of them */
  GPtrArray *warnings;        /* NULL until asked for: to find them costs as much as all the rest */
  GHashTable *entry_warnings; /* of those entries that were asked for: name -> strv */
  GMutex lock;                /* the two texts, the prototypes and the warnings */
  char *host_text;
  char *cuda_text;
};

/* What @from is, with another text of the same lines. (transfer full) */
LeatKernelSource *leat_kernel_source_new_edited (LeatKernelSource *from, const char *text, GError **error);

G_END_DECLS
