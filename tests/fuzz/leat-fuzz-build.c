/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz-build.h"

void
leat_fuzz_use_build (void)
{
  static gsize once = 0;

  if (!g_once_init_enter (&once))
    return;
  g_setenv ("LEAT_PLUGIN_PATH", LEAT_FUZZ_PLUGINS, FALSE);
  g_setenv ("LEAT_CPU_DRIVER", LEAT_FUZZ_CPU_DRIVER, FALSE);
  g_once_init_leave (&once, 1);
}
