/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_PRIMITIVES_HISTOGRAM (leat_primitives_histogram_get_type ())
G_DECLARE_FINAL_TYPE (LeatPrimitivesHistogram, leat_primitives_histogram, LEAT, PRIMITIVES_HISTOGRAM, LeatNode)

extern const LeatNodeInfo leat_primitives_histogram_info;

G_END_DECLS
