/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_BASE_STATE (leat_base_state_get_type ())
G_DECLARE_FINAL_TYPE (LeatBaseState, leat_base_state, LEAT, BASE_STATE, LeatNode)

extern const LeatNodeInfo leat_base_state_info;

G_END_DECLS
