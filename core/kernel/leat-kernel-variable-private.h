/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-unit-private.h"

G_BEGIN_DECLS

/* A number of any type that such a variable can hold. */
typedef union
{
  guint64 u;
  gint64 i;
  float f;
  double d;
} LeatKernelNumber;

/* Is there a value for all that the kernel reads? */
gboolean leat_kernel_source_check_filled (LeatKernelSource *self, const char *entry, GError **error);
/* Whether all that the kernel does with the items of a pointer is to look at them. */
gboolean leat_kernel_source_only_reads (LeatKernelSource *self, const char *entry, const char *name);
/* The "file:line" of a loop in which the kernel waits for all blocks of its grid, otherwise than by leat_grid_sync ();
 * NULL where there is none. (transfer full) */
char *leat_kernel_source_dup_grid_wait (LeatKernelSource *self, const char *entry);
/* The type of what a variable without an initialiser holds, one or several. */
gboolean leat_kernel_source_find_variable (LeatKernelSource *self, const char *name, LeatKernelType *type,
                                           GError **error);
/* The source with @n @items, of the lanes of its type, as the initialiser of a variable. (transfer full) */
LeatKernelSource *leat_kernel_source_new_filled (LeatKernelSource *self, const char *name, gconstpointer items,
                                                 guint64 n, GError **error);

G_END_DECLS
