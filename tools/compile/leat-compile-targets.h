/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernel/leat-image-private.h"

G_BEGIN_DECLS

/* What images are made for, in the order in which a loader takes them: the best first. */

/* @list: (nullable): "x86-64-v3,sm_80,compute_75"; NULL: this machine, and what the NVRTC here compiles for.
 * (element-type LeatImageTarget) (transfer full) (nullable) */
GPtrArray *leat_compile_targets_new (const char *list, GError **error);

/* Images in all forms that were asked for, of what was gathered (leat-compile-gather.h). */
gboolean leat_compile_targets_make (const GPtrArray *targets, GError **error);
gboolean leat_compile_targets_have (const GPtrArray *targets, const LeatImageTarget *target);

G_END_DECLS
