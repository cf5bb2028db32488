/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_CSR_COMPONENTS (leat_csr_components_get_type ())
G_DECLARE_FINAL_TYPE (LeatCsrComponents, leat_csr_components, LEAT, CSR_COMPONENTS, LeatNode)

extern const LeatNodeInfo leat_csr_components_info;

G_END_DECLS
