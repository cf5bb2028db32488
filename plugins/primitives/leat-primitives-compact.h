/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_PRIMITIVES_COMPACT (leat_primitives_compact_get_type ())
G_DECLARE_FINAL_TYPE (LeatPrimitivesCompact, leat_primitives_compact, LEAT, PRIMITIVES_COMPACT, LeatNode)

extern const LeatNodeInfo leat_primitives_compact_info;

G_END_DECLS
