/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The plugin `csr`: the list of its nodes. */

#include "leat-csr-bfs.h"
#include "leat-csr-components.h"
#include "leat-csr-names.h"
#include "leat-csr-pagerank.h"
#include "leat-csr-reach.h"
#include "leat-csr-read.h"
#include "leat-csr-sssp.h"

static const LeatNodeInfo *const nodes[] = {
  &leat_csr_bfs_info,   &leat_csr_components_info, &leat_csr_names_info, &leat_csr_pagerank_info,
  &leat_csr_reach_info, &leat_csr_read_info,       &leat_csr_sssp_info,
};

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo), LEAT_PLUGIN_ABI, "csr", LEAT_VERSION, "LGPL-2.1-or-later", nodes, G_N_ELEMENTS (nodes),
};
