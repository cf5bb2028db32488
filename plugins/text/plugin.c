/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The plugin `text`: the list of its nodes. */

#include "leat-text-report.h"
#include "leat-text-scan.h"

static const LeatNodeInfo *const nodes[] = {
  &leat_text_report_info,
  &leat_text_scan_info,
};

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo), LEAT_PLUGIN_ABI, "text", LEAT_VERSION, "LGPL-2.1-or-later", nodes, G_N_ELEMENTS (nodes),
};
