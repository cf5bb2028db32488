/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_CSR_REACH (leat_csr_reach_get_type ())
G_DECLARE_FINAL_TYPE (LeatCsrReach, leat_csr_reach, LEAT, CSR_REACH, LeatNode)

extern const LeatNodeInfo leat_csr_reach_info;

G_END_DECLS
