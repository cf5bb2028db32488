/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The domain of the monitor's errors. */

#include "leat-monitor.h"

/**
 * leat_monitor_error_quark:
 *
 * Gets the domain of #LeatMonitorError.
 *
 * Returns: the quark
 */
/* clang-format off */
G_DEFINE_QUARK (leat-monitor-error-quark, leat_monitor_error)
/* clang-format on */

/* A registered type, so that the description for other languages gives the domain to the codes. */
GType
leat_monitor_error_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { LEAT_MONITOR_ERROR_FAILED, "LEAT_MONITOR_ERROR_FAILED", "failed" },
    { LEAT_MONITOR_ERROR_STATE, "LEAT_MONITOR_ERROR_STATE", "state" },
    { LEAT_MONITOR_ERROR_PATH, "LEAT_MONITOR_ERROR_PATH", "path" },
    { LEAT_MONITOR_ERROR_BUSY, "LEAT_MONITOR_ERROR_BUSY", "busy" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatMonitorError", values));
  return type;
}
