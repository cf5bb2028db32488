/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The errors of planning: their domain and its codes. */

#include "plan/leat-plan-error.h"

/**
 * leat_plan_error_quark:
 *
 * Gets the domain of #LeatPlanError.
 *
 * Returns: the quark
 */
/* clang-format off */
G_DEFINE_QUARK (leat-plan-error-quark, leat_plan_error)
/* clang-format on */

/* A registered type, so that the description for other languages gives the domain to the codes, not to LeatPlan. */
GType
leat_plan_error_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_PLAN_ERROR_FAILED, "LEAT_PLAN_ERROR_FAILED", "failed" },
                                       { LEAT_PLAN_ERROR_EMPTY, "LEAT_PLAN_ERROR_EMPTY", "empty" },
                                       { LEAT_PLAN_ERROR_SIZE, "LEAT_PLAN_ERROR_SIZE", "size" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatPlanError", values));
  return type;
}
