/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_BASE_READBACK (leat_base_readback_get_type ())
G_DECLARE_FINAL_TYPE (LeatBaseReadback, leat_base_readback, LEAT, BASE_READBACK, LeatNode)

extern const LeatNodeInfo leat_base_readback_info;

G_END_DECLS
