/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_PRIMITIVES_REDUCE (leat_primitives_reduce_get_type ())
G_DECLARE_FINAL_TYPE (LeatPrimitivesReduce, leat_primitives_reduce, LEAT, PRIMITIVES_REDUCE, LeatNode)

extern const LeatNodeInfo leat_primitives_reduce_info;

G_END_DECLS
