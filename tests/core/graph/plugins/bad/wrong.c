/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin whose description is wrong: a default that is out of its range.
 */
#include "leat.h"

static const LeatProp wrong_props[] = {
  { sizeof (LeatProp), "radius", LEAT_PROP_UINT, 0, 0, .def.u = 65, .min.u = 1, .max.u = 64, .blurb = "Radius" },
};
static const LeatNodeInfo wrong_node = {
  sizeof (LeatNodeInfo), "wrong:node", NULL, "", "", wrong_props, 1, NULL, 0, leat_node_get_type,
};
static const LeatNodeInfo *const wrong_nodes[] = { &wrong_node };

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo), LEAT_PLUGIN_ABI, "wrong", "1", "LGPL-2.1-or-later", wrong_nodes, 1,
};
