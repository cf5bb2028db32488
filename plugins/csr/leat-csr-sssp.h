/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_CSR_SSSP (leat_csr_sssp_get_type ())
G_DECLARE_FINAL_TYPE (LeatCsrSssp, leat_csr_sssp, LEAT, CSR_SSSP, LeatNode)

extern const LeatNodeInfo leat_csr_sssp_info;

G_END_DECLS
