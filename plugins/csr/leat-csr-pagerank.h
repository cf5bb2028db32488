/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_CSR_PAGERANK (leat_csr_pagerank_get_type ())
G_DECLARE_FINAL_TYPE (LeatCsrPagerank, leat_csr_pagerank, LEAT, CSR_PAGERANK, LeatNode)

extern const LeatNodeInfo leat_csr_pagerank_info;

G_END_DECLS
