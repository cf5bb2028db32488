/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-private.h"

G_BEGIN_DECLS

/* The figures that a session collects of itself, and hands to its LeatTold (leat-session-stats.c). */

/* After the opening, and after what may change any of them. */
void leat_session_tell_stats (LeatSession *self);
/* The same after a run of which nothing else has changed. */
void leat_session_tell_run (LeatSession *self);
/* One number of leat_session_dup_stats (), for benchmarks: between runs that are timed, making the dictionary would
 * push other data out of the processor's caches. */
guint64 leat_session_get_number (LeatSession *self, const char *name);
/* "running", "evicted" and so on; any thread may ask. @session: LeatSession */
const char *leat_session_get_state_name (gconstpointer session);

G_END_DECLS
