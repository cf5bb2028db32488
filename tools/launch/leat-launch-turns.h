/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-job.h"

G_BEGIN_DECLS

/* Pipelines that take turns by priority: a scheduler says whose run is next. */

/* "high" for all of @n pipelines, or "high,low" for each.  (array length=n) (transfer full) */
LeatPriority *leat_launch_priorities_parse (const char *text, guint n, GError **error);
/* All jobs (element-type LeatLaunchJob) on the device that the options name.  (transfer full) */
LeatScheduler *leat_launch_turns_begin (const LeatLaunchOptions *options, const GPtrArray *jobs, GError **error);
/* In the place of leat_session_run (). */
gboolean leat_launch_turns_run (LeatLaunchJob *job, GError **error);
/* The fields of LEAT_MESSAGE_PROGRESS, which nobody sends for runs that take turns. (transfer floating) */
GVariant *leat_launch_turns_describe_progress (LeatLaunchJob *job);

G_END_DECLS
