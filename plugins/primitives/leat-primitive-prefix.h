/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-primitive-call.h"

G_BEGIN_DECLS

/* What nodes that stand on kernels/scan-core.cu have in common. */

#define LEAT_PREFIX_THREADS 256

/* Appends Part, shuffle_up () and the switches.  Acc must be known, and be what __shfl_up_sync () takes. */
void leat_prefix_write (gboolean segmented, gboolean ordered, gboolean inclusive, GString *head);
/* @acc_bytes: of an Acc */
guint64 leat_prefix_count_tiles (guint64 items, gsize acc_bytes, gboolean segmented);
guint64 leat_prefix_count_blocks (guint64 tiles);
/* Memory for the tiles' sums. */
LeatBufferId leat_prefix_add_parts (LeatRecorder *recorder, guint64 tiles);

G_END_DECLS
