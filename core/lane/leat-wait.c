/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The ways to wait for a run, registered. */

#include "leat-wait.h"

GType
leat_wait_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_WAIT_AUTO, "LEAT_WAIT_AUTO", "auto" },
                                       { LEAT_WAIT_SPIN, "LEAT_WAIT_SPIN", "spin" },
                                       { LEAT_WAIT_BLOCK, "LEAT_WAIT_BLOCK", "block" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatWait", values));
  return type;
}
