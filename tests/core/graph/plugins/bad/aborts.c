/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin that gives up while it is loaded.
 */
#include "leat.h"

#include <stdlib.h>

__attribute__ ((constructor)) static void
aborts_at_once (void)
{
  abort ();
}

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo), LEAT_PLUGIN_ABI, "aborts", "1", "LGPL-2.1-or-later", NULL, 0,
};
