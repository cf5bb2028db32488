/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_CSR_BFS (leat_csr_bfs_get_type ())
G_DECLARE_FINAL_TYPE (LeatCsrBfs, leat_csr_bfs, LEAT, CSR_BFS, LeatNode)

extern const LeatNodeInfo leat_csr_bfs_info;

G_END_DECLS
