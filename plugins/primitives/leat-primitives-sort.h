/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_PRIMITIVES_SORT (leat_primitives_sort_get_type ())
G_DECLARE_FINAL_TYPE (LeatPrimitivesSort, leat_primitives_sort, LEAT, PRIMITIVES_SORT, LeatNode)

extern const LeatNodeInfo leat_primitives_sort_info;

G_END_DECLS
