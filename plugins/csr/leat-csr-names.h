/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_CSR_NAMES (leat_csr_names_get_type ())
G_DECLARE_FINAL_TYPE (LeatCsrNames, leat_csr_names, LEAT, CSR_NAMES, LeatEndpoint)

extern const LeatNodeInfo leat_csr_names_info;

G_END_DECLS
