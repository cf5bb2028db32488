/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <glib-object.h>

G_BEGIN_DECLS

#define LEAT_PLAN_ERROR (leat_plan_error_quark ())

/**
 * LeatPlanError:
 * @LEAT_PLAN_ERROR_FAILED: none of the others
 * @LEAT_PLAN_ERROR_EMPTY: the pipeline has no node
 * @LEAT_PLAN_ERROR_SIZE: sizes add up to more than 64 bits can tell
 *
 * Errors of planning, beside those of %LEAT_GRAPH_ERROR and %LEAT_KERNEL_ERROR.
 */
typedef enum
{
  LEAT_PLAN_ERROR_FAILED,
  LEAT_PLAN_ERROR_EMPTY,
  LEAT_PLAN_ERROR_SIZE,
} LeatPlanError;

GQuark leat_plan_error_quark (void);

#define LEAT_TYPE_PLAN_ERROR (leat_plan_error_get_type ())
GType leat_plan_error_get_type (void) G_GNUC_CONST;

G_END_DECLS
