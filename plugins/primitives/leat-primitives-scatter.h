/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_PRIMITIVES_SCATTER (leat_primitives_scatter_get_type ())
G_DECLARE_FINAL_TYPE (LeatPrimitivesScatter, leat_primitives_scatter, LEAT, PRIMITIVES_SCATTER, LeatNode)

extern const LeatNodeInfo leat_primitives_scatter_info;

G_END_DECLS
