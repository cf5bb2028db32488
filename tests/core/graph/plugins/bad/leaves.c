/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin that ends the process while it is loaded, having written nonsense to standard output and standard error.
 */
#include "leat.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__ ((constructor)) static void
leaves_at_once (void)
{
  puts ("nonsense");
  fputs ("nonsense\n", stderr);
  exit (7);
}

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo), LEAT_PLUGIN_ABI, "leaves", "1", "LGPL-2.1-or-later", NULL, 0,
};
