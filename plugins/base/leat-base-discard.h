/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_BASE_DISCARD (leat_base_discard_get_type ())
G_DECLARE_FINAL_TYPE (LeatBaseDiscard, leat_base_discard, LEAT, BASE_DISCARD, LeatEndpoint)

extern const LeatNodeInfo leat_base_discard_info;

G_END_DECLS
