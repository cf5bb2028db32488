/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_BASE_KERNEL (leat_base_kernel_get_type ())
G_DECLARE_FINAL_TYPE (LeatBaseKernel, leat_base_kernel, LEAT, BASE_KERNEL, LeatNode)

extern const LeatNodeInfo leat_base_kernel_info;

G_END_DECLS
