/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-job.h"

G_BEGIN_DECLS

/* The statistics of an open session, as --stats wants them.  @counts: (nullable): of leat_session_stop_counting () */
char *leat_launch_stats_to_string (const LeatLaunchJob *job, GVariant *counts, gboolean interrupted);
/* The statistics of jobs (element-type LeatLaunchJob), as one text in that format.  NULL where no job has any.
 * (transfer full) */
char *leat_launch_stats_join (const LeatLaunchOptions *options, const GPtrArray *jobs);
/* @output: where --stats wants it; NULL for standard error */
gboolean leat_launch_print_stats (const char *text, LeatOutputFile *output, GError **error);

G_END_DECLS
