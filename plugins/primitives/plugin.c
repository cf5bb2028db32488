/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The plugin `primitives`: the list of its nodes. */

#include "leat-primitives-compact.h"
#include "leat-primitives-gather.h"
#include "leat-primitives-histogram.h"
#include "leat-primitives-partition.h"
#include "leat-primitives-reduce.h"
#include "leat-primitives-scan.h"
#include "leat-primitives-scatter.h"
#include "leat-primitives-sort.h"
#include "leat-primitives-unique.h"

static const LeatNodeInfo *const nodes[] = {
  &leat_primitives_compact_info,   &leat_primitives_gather_info, &leat_primitives_histogram_info,
  &leat_primitives_partition_info, &leat_primitives_reduce_info, &leat_primitives_scan_info,
  &leat_primitives_scatter_info,   &leat_primitives_sort_info,   &leat_primitives_unique_info,
};

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo), LEAT_PLUGIN_ABI, "primitives",         LEAT_VERSION,
  "LGPL-2.1-or-later",     nodes,           G_N_ELEMENTS (nodes),
};
