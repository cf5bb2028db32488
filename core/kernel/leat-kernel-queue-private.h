/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-unit-private.h"

G_BEGIN_DECLS

/* Has the kernel @decl a queue? */
gboolean leat_kernel_unit_has_queue (const LeatKernelUnit *self, const LeatDecl *decl);
/* The text before that of kernels with queues on a GPU, and on the CPU; empty for others. */
char *leat_kernel_unit_dup_cuda_queue_text (const LeatKernelUnit *self);
char *leat_kernel_unit_dup_host_queue_text (const LeatKernelUnit *self);
/* The words of T where @words are those of `LeatQueue<T>`, else NULL. */
char *leat_kernel_queue_dup_item (const char *words);

G_END_DECLS
