/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-options.h"

G_BEGIN_DECLS

/* What an open session has done, as --stats wants it.  @counts: of leat_session_stop_counting () */
char *leat_launch_stats_to_string (const LeatLaunchOptions *options, LeatSession *session, GVariant *counts,
                                   gboolean interrupted);
/* @output: where --stats wants it; NULL for standard error */
gboolean leat_launch_print_stats (const char *text, LeatOutputFile *output, GError **error);

G_END_DECLS
