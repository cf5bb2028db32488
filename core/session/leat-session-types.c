/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Registers the enumerations of sessions. */

#include "leat-session.h"

GType
leat_executor_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_EXECUTOR_AUTO, "LEAT_EXECUTOR_AUTO", "auto" },
                                       { LEAT_EXECUTOR_GRAPH, "LEAT_EXECUTOR_GRAPH", "graph" },
                                       { LEAT_EXECUTOR_EAGER, "LEAT_EXECUTOR_EAGER", "eager" },
                                       { LEAT_EXECUTOR_PERSISTENT, "LEAT_EXECUTOR_PERSISTENT", "persistent" },
                                       { LEAT_EXECUTOR_PERSISTENT_AUTO, "LEAT_EXECUTOR_PERSISTENT_AUTO",
                                         "persistent-auto" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatExecutor", values));
  return type;
}

GType
leat_early_start_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_EARLY_START_AUTO, "LEAT_EARLY_START_AUTO", "auto" },
                                       { LEAT_EARLY_START_OFF, "LEAT_EARLY_START_OFF", "off" },
                                       { LEAT_EARLY_START_ON, "LEAT_EARLY_START_ON", "on" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatEarlyStart", values));
  return type;
}

GType
leat_priority_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_PRIORITY_LOW, "LEAT_PRIORITY_LOW", "low" },
                                       { LEAT_PRIORITY_NORMAL, "LEAT_PRIORITY_NORMAL", "normal" },
                                       { LEAT_PRIORITY_HIGH, "LEAT_PRIORITY_HIGH", "high" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatPriority", values));
  return type;
}

GType
leat_timing_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_TIMING_OFF, "LEAT_TIMING_OFF", "off" },
                                       { LEAT_TIMING_NODES, "LEAT_TIMING_NODES", "nodes" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatTimingMode", values));
  return type;
}

GType
leat_memo_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_MEMO_OFF, "LEAT_MEMO_OFF", "off" },
                                       { LEAT_MEMO_EXACT, "LEAT_MEMO_EXACT", "exact" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatMemoMode", values));
  return type;
}

GType
leat_readback_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_READBACK_FINAL, "LEAT_READBACK_FINAL", "final" },
                                       { LEAT_READBACK_EACH, "LEAT_READBACK_EACH", "each" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatReadback", values));
  return type;
}
