/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-primitives-compact.h"
#include "leat-primitives-reduce.h"

static const LeatNodeInfo *const nodes[] = {
  &leat_primitives_compact_info,
  &leat_primitives_reduce_info,
};

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo), LEAT_PLUGIN_ABI, "primitives", LEAT_VERSION, "LGPL-2.1-or-later", nodes,
  G_N_ELEMENTS (nodes),
};
