/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_BASE_MEGAKERNEL (leat_base_megakernel_get_type ())
G_DECLARE_FINAL_TYPE (LeatBaseMegakernel, leat_base_megakernel, LEAT, BASE_MEGAKERNEL, LeatGroup)

extern const LeatNodeInfo leat_base_megakernel_info;

G_END_DECLS
