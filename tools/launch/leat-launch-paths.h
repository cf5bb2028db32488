/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-options.h"

G_BEGIN_DECLS

/* Is nothing that the options say to write a file of a pipeline's, or that of another option, and do no two pipelines
 * write one file or read standard input?  LEAT_GRAPH_ERROR_TWO_WRITERS if not. */
gboolean leat_launch_check_paths (const LeatLaunchOptions *options, const GPtrArray *pipelines, GError **error);

G_END_DECLS
