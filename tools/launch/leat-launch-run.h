/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-options.h"
#include "leat-record.h"

G_BEGIN_DECLS

/* Runs all pipelines (element-type LeatPipeline) at the same time, each to its end.  Signals end all; what becomes of
 * one is nothing to the others.  @record: (nullable): is written when they have ended.  The exit code is that of the
 * first one that failed. */
LeatExit leat_launch_run (const LeatLaunchOptions *options, const GPtrArray *pipelines, LeatRecord *record);
/* Waits for a pipe's first reader; before a run, whose signals would not end that. (transfer full) */
LeatOutputFile *leat_launch_open_output (const char *path, GError **error);
/* Has it no source that only an application feeds? */
gboolean leat_launch_check_sources (LeatPipeline *pipeline, GError **error);
/* Says the warnings on the bus of a pipeline that is not run. */
void leat_launch_say_warnings (LeatPipeline *pipeline);
/* The plan as it is on a device. */
LeatExit leat_launch_print_bound (const LeatLaunchOptions *options, LeatPipeline *pipeline, LeatOutputFile *output);
char *leat_launch_plan_to_string (LeatPlan *plan, LeatFormat format);

G_END_DECLS
