/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-unit-private.h"

G_BEGIN_DECLS

/* The text of the families of functions that the file names, on the CPU. */
char *leat_kernel_unit_dup_host_families (const LeatKernelUnit *self);
/* The same for those that are members: a struct for each, which derives from the one before and the first from the
 * struct
 * *@base; that becomes the last. */
char *leat_kernel_unit_dup_host_members (const LeatKernelUnit *self, const char **base);

G_END_DECLS
