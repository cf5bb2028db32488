/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The plugin `image`: the list of its nodes. */

#include "leat-image-read.h"
#include "leat-image-write.h"

static const LeatNodeInfo *const leat_image_nodes[] = {
  &leat_image_read_info,
  &leat_image_write_info,
};

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo),         LEAT_PLUGIN_ABI, "image", LEAT_VERSION, "LGPL-2.1-or-later", leat_image_nodes,
  G_N_ELEMENTS (leat_image_nodes),
};
