/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-job.h"

G_BEGIN_DECLS

/* Says a warning, but of what a kernel reports in run after run the first time only. */
void leat_launch_job_warn (LeatLaunchJob *self, LeatMessage *message);
/* How often each was left out. */
void leat_launch_job_sum_warnings (LeatLaunchJob *self);

G_END_DECLS
