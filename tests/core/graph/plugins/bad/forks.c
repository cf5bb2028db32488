/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin that gives up while it is loaded and leaves a process behind, which has all that was open.
 */
#include "leat.h"

#include <stdlib.h>
#include <unistd.h>

__attribute__ ((constructor)) static void
forks_at_once (void)
{
  if (fork () == 0)
    {
      sleep (20);
      _exit (0);
    }
  abort ();
}

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo), LEAT_PLUGIN_ABI, "forks", "1", "LGPL-2.1-or-later", NULL, 0,
};
