/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_PRIMITIVES_SCAN (leat_primitives_scan_get_type ())
G_DECLARE_FINAL_TYPE (LeatPrimitivesScan, leat_primitives_scan, LEAT, PRIMITIVES_SCAN, LeatNode)

extern const LeatNodeInfo leat_primitives_scan_info;

G_END_DECLS
