/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-options.h"

G_BEGIN_DECLS

/* Runs the pipeline as the options say and in the way of --compare, and prints the first difference. LEAT_EXIT_FAILED
 * where there is one. */
LeatExit leat_launch_compare (const LeatLaunchOptions *options);

G_END_DECLS
