/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-options.h"

G_BEGIN_DECLS

/* Is nothing that the options say to write a file of the pipeline's, or that of another option?  G_OPTION_ERROR. */
gboolean leat_launch_check_paths (const LeatLaunchOptions *options, LeatPipeline *pipeline, GError **error);

G_END_DECLS
