/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-options.h"

G_BEGIN_DECLS

/* What an open session has done.  @counts: of leat_session_stop_counting (); @output: NULL for standard error */
gboolean leat_launch_print_stats (const LeatLaunchOptions *options, LeatSession *session, GVariant *counts,
                                  LeatOutputFile *output, GError **error);

G_END_DECLS
