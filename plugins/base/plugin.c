/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The plugin `base`: the list of its nodes. */

#include "graph/leat-app-private.h"
#include "leat-base-const.h"
#include "leat-base-discard.h"
#include "leat-base-kernel.h"
#include "leat-base-loop.h"
#include "leat-base-map.h"
#include "leat-base-megakernel.h"
#include "leat-base-readback.h"
#include "leat-base-state.h"
#include "leat-base-upload.h"

static const LeatNodeInfo *const leat_base_nodes[] = {
  &leat_app_info,        &leat_base_const_info,  &leat_base_discard_info,    &leat_base_kernel_info,
  &leat_base_loop_info,  &leat_base_map_info,    &leat_base_megakernel_info, &leat_base_readback_info,
  &leat_base_state_info, &leat_base_upload_info,
};

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo),        LEAT_PLUGIN_ABI, "base", LEAT_VERSION, "LGPL-2.1-or-later", leat_base_nodes,
  G_N_ELEMENTS (leat_base_nodes),
};
