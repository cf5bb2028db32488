/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-primitive-call.h"

G_BEGIN_DECLS

/* Common to nodes that are built on kernels/prefix.cu. */

#define LEAT_PREFIX_THREADS 256
/* Where order counts one kernel does it up to so many tiles; each then reads the sums of all before. */
#define LEAT_PREFIX_ONCE 1024

/* Appends Part, shuffle_up () and the switches.  Acc must be known, and be what __shfl_up_sync () takes,
 * or with @pairs two of that. */
void leat_prefix_write (gboolean segmented, gboolean ordered, gboolean pairs, GString *head);
/* Acc and all that, for plain counts. */
void leat_prefix_write_counts (GString *head);
/* @acc_bytes: of an Acc */
guint64 leat_prefix_count_tiles (guint64 items, gsize acc_bytes, gboolean segmented);
guint64 leat_prefix_count_blocks (guint64 tiles);
/* The memory in which kernels/prefix-once.cu keeps track of the tiles. */
LeatBufferId leat_prefix_add_control (LeatRecorder *recorder, guint64 tiles);
/* Memory for the tiles' sums, and for that of all. */
LeatBufferId leat_prefix_add_parts (LeatRecorder *recorder, guint64 tiles);

G_END_DECLS
