/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_CUB_SORT (leat_cub_sort_get_type ())
G_DECLARE_FINAL_TYPE (LeatCubSortNode, leat_cub_sort, LEAT, CUB_SORT, LeatNode)

extern const LeatNodeInfo leat_cub_sort_info;

G_END_DECLS
