/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "../graph/leat-pipeline.h"

G_BEGIN_DECLS

#define LEAT_TYPE_PLAN (leat_plan_get_type ())
G_DECLARE_FINAL_TYPE (LeatPlan, leat_plan, LEAT, PLAN, GObject)

LeatPlan *leat_plan_new (LeatPipeline *pipeline, GError **error);
guint64 leat_plan_get_device_bytes (LeatPlan *self);
guint64 leat_plan_get_host_bytes (LeatPlan *self);
guint leat_plan_get_n_ops (LeatPlan *self);
guint leat_plan_get_n_buffers (LeatPlan *self);
GVariant *leat_plan_dup_prediction (LeatPlan *self);
char *leat_plan_to_text (LeatPlan *self);
char *leat_plan_to_json (LeatPlan *self);
char *leat_plan_to_dot (LeatPlan *self);

G_END_DECLS
