/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-options.h"

G_BEGIN_DECLS

/* Runs the pipeline to its end; what went wrong has been said on standard error. */
LeatExit leat_launch_run (const LeatLaunchOptions *options, LeatPipeline *pipeline);
/* What the pipeline's bus holds of warnings, each once. */
void leat_launch_say_warnings (LeatPipeline *pipeline);
/* Prints to @output the plan with what opening a session chose; nothing runs. */
LeatExit leat_launch_print_bound (const LeatLaunchOptions *options, LeatPipeline *pipeline, LeatOutputFile *output);
/* In the format asked for. (transfer full) */
char *leat_launch_plan_to_string (LeatPlan *plan, LeatFormat format);

G_END_DECLS
