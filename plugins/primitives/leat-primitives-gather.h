/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_PRIMITIVES_GATHER (leat_primitives_gather_get_type ())
G_DECLARE_FINAL_TYPE (LeatPrimitivesGather, leat_primitives_gather, LEAT, PRIMITIVES_GATHER, LeatNode)

extern const LeatNodeInfo leat_primitives_gather_info;

G_END_DECLS
