/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin that crashes while it is loaded.
 */
#include "leat.h"

#include <signal.h>

__attribute__ ((constructor)) static void
crashes_at_once (void)
{
  raise (SIGSEGV);
}

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo), LEAT_PLUGIN_ABI, "crashes", "1", "LGPL-2.1-or-later", NULL, 0,
};
