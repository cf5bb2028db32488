/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_CSR_READ (leat_csr_read_get_type ())
G_DECLARE_FINAL_TYPE (LeatCsrRead, leat_csr_read, LEAT, CSR_READ, LeatNode)

extern const LeatNodeInfo leat_csr_read_info;

G_END_DECLS
