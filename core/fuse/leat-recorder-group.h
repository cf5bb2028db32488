/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "../plan/leat-recorder.h"

G_BEGIN_DECLS

/**
 * LeatFuseCall:
 * @is_checked: whether kernels that say which items they touch are held to it
 *
 * Describes how kernels are fused, for leat_recorder_end_fusion().
 */
typedef struct
{
  gboolean is_checked;
} LeatFuseCall;

/* For groups: what is recorded between the two becomes one kernel. */
guint leat_recorder_begin_fusion (LeatRecorder *self);
gboolean leat_recorder_end_fusion (LeatRecorder *self, guint first, const LeatFuseCall *call, GError **error);

/* At the end of a loop's body: the kernel that tests. */
gboolean leat_recorder_end_loop (LeatRecorder *self, const LeatKernelCall *test, GError **error);

G_END_DECLS
