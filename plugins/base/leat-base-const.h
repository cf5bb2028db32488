/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_BASE_CONST (leat_base_const_get_type ())
G_DECLARE_FINAL_TYPE (LeatBaseConst, leat_base_const, LEAT, BASE_CONST, LeatNode)

extern const LeatNodeInfo leat_base_const_info;

G_END_DECLS
