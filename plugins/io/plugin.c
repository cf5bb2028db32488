/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The plugin `io`: the list of its nodes. */

#include "leat-io-file.h"
#include "leat-io-npy.h"

static const LeatNodeInfo *const leat_io_nodes[] = {
  &leat_io_file_info,
  &leat_io_npy_info,
};

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo),      LEAT_PLUGIN_ABI, "io", LEAT_VERSION, "LGPL-2.1-or-later", leat_io_nodes,
  G_N_ELEMENTS (leat_io_nodes),
};
