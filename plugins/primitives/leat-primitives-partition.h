/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_PRIMITIVES_PARTITION (leat_primitives_partition_get_type ())
G_DECLARE_FINAL_TYPE (LeatPrimitivesPartition, leat_primitives_partition, LEAT, PRIMITIVES_PARTITION, LeatNode)

extern const LeatNodeInfo leat_primitives_partition_info;

G_END_DECLS
