/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Enumerations and the error domain of schedulers, registered. */

#include "schedule/leat-scheduler.h"

/**
 * leat_scheduler_error_quark:
 *
 * Gets the domain of #LeatSchedulerError.
 *
 * Returns: the quark
 */
/* clang-format off */
G_DEFINE_QUARK (leat-scheduler-error-quark, leat_scheduler_error)
/* clang-format on */

GType
leat_scheduler_error_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_SCHEDULER_ERROR_CLOSED, "LEAT_SCHEDULER_ERROR_CLOSED", "closed" },
                                       { LEAT_SCHEDULER_ERROR_MEMBER, "LEAT_SCHEDULER_ERROR_MEMBER", "member" },
                                       { LEAT_SCHEDULER_ERROR_DEADLINE, "LEAT_SCHEDULER_ERROR_DEADLINE", "deadline" },
                                       { LEAT_SCHEDULER_ERROR_LATE, "LEAT_SCHEDULER_ERROR_LATE", "late" },
                                       { LEAT_SCHEDULER_ERROR_FULL, "LEAT_SCHEDULER_ERROR_FULL", "full" },
                                       { LEAT_SCHEDULER_ERROR_BUDGET, "LEAT_SCHEDULER_ERROR_BUDGET", "budget" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatSchedulerError", values));
  return type;
}

GType
leat_share_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_SHARE_TIME, "LEAT_SHARE_TIME", "time" },
                                       { LEAT_SHARE_RUNS, "LEAT_SHARE_RUNS", "runs" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatShare", values));
  return type;
}
