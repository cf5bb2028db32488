/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-entry-private.h"

G_BEGIN_DECLS

/* An image with LEAT_KERNEL_PERSISTENT has one kernel more, LEAT_PERSISTENT_SYMBOL, which stays on the device and runs
 * those of the file as stages (device/leat-persistent.h). */

/* Why a kernel cannot be a stage; static; NULL where it can. */
const char *leat_kernel_unit_why_no_stage (const LeatKernelUnit *unit, LeatKernelCalls *calls, guint index);

/* Lets every loop of a function that may have no end look whether time is up. */
void leat_kernel_unit_edit_budget (const LeatKernelUnit *unit, LeatKernelCalls *calls, GArray *edits, guint index);

/* The texts before the text, and behind it.  (transfer full) */
char *leat_kernel_dup_cuda_persistent_words (void);
char *leat_kernel_dup_cuda_persistent_text (void);
char *leat_kernel_unit_dup_cuda_stages (const LeatKernelUnit *unit, GPtrArray *entries);
/* The same for the host: before the struct of a thread; inside of it; behind the file; and the function that the CPU
 * driver calls. */
char *leat_kernel_dup_host_persistent_words (void);
char *leat_kernel_dup_host_persistent_members (void);
char *leat_kernel_unit_dup_host_stages (const LeatKernelUnit *unit, GPtrArray *entries);
char *leat_kernel_dup_host_persistent_entry (void);

G_END_DECLS
