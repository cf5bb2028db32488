/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin with some toy nodes.
 */
#include "../toy.h"

#include <stdlib.h>

/* So that a test can tell whether the plugin was loaded into it. */
__attribute__ ((constructor)) static void
toy_note_loading (void)
{
  setenv ("LEAT_TEST_TOY_LOADED", "1", 1);
}

static const LeatNodeInfo *const toy_nodes[] = { &toy_filter_info, &toy_source_info, &toy_sink_info };

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo), LEAT_PLUGIN_ABI, "toy", "1.2.3", "LGPL-2.1-or-later", toy_nodes, G_N_ELEMENTS (toy_nodes),
};
