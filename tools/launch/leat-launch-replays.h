/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-options.h"

G_BEGIN_DECLS

/* How runs were done, which --stats tells beside how long they took. */

/* How each transfer goes, and why: aa{sv} with node, mode and reason. (transfer floating) */
GVariant *leat_launch_replays_describe_transfers (LeatPlan *plan);
/* Lines for what there is to tell; a session of one kind of runs and no changes has few. @stats: the session's */
void leat_launch_replays_append (LeatPlan *plan, GVariant *stats, GString *text);

G_END_DECLS
