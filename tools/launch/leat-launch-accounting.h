/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-job.h"

G_BEGIN_DECLS

/* The accounting of an open session: planned figures beside counted ones, as --accounting wants it. */
char *leat_launch_accounting_to_string (const LeatLaunchJob *job, GError **error);

G_END_DECLS
