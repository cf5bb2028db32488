/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_PRIMITIVES_UNIQUE (leat_primitives_unique_get_type ())
G_DECLARE_FINAL_TYPE (LeatPrimitivesUnique, leat_primitives_unique, LEAT, PRIMITIVES_UNIQUE, LeatNode)

extern const LeatNodeInfo leat_primitives_unique_info;

G_END_DECLS
