/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_BASE_LOOP (leat_base_loop_get_type ())
G_DECLARE_FINAL_TYPE (LeatBaseLoop, leat_base_loop, LEAT, BASE_LOOP, LeatGroup)

extern const LeatNodeInfo leat_base_loop_info;

G_END_DECLS
