/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_BASE_MAP (leat_base_map_get_type ())
G_DECLARE_FINAL_TYPE (LeatBaseMap, leat_base_map, LEAT, BASE_MAP, LeatNode)

extern const LeatNodeInfo leat_base_map_info;

G_END_DECLS
