/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-unit-private.h"

G_BEGIN_DECLS

#define LEAT_FAMILY_BASE "leat_placer"

/* The text of the families of functions that the file names, on the CPU. */
char *leat_kernel_unit_dup_host_families (const LeatKernelUnit *self);
/* `struct leat_placer` that derives from the struct @base and has those that are members; empty where the file names
 * none. */
char *leat_kernel_unit_dup_host_members (const LeatKernelUnit *self, const char *base);

G_END_DECLS
