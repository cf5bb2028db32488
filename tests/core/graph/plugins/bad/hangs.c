/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin that never comes back from being loaded.
 */
#include "leat.h"

#include <unistd.h>

__attribute__ ((constructor)) static void
hangs_at_once (void)
{
  for (;;)
    pause ();
}

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo), LEAT_PLUGIN_ABI, "hangs", "1", "LGPL-2.1-or-later", NULL, 0,
};
