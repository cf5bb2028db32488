/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The plugin `cub`: the list of its nodes. */

#include "leat-cub-sort.h"

static const LeatNodeInfo *const nodes[] = {
  &leat_cub_sort_info,
};

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo), LEAT_PLUGIN_ABI, "cub", LEAT_VERSION, "LGPL-2.1-or-later", nodes, G_N_ELEMENTS (nodes),
};
