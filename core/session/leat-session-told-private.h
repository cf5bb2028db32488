/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-private.h"

G_BEGIN_DECLS

/* What the session collects of itself for LeatTold, and the sums over its memory. */

void leat_session_tell_stats (LeatSession *self);
/* The same after a run of which nothing else has changed. */
void leat_session_tell_run (LeatSession *self);
/* One number of leat_session_dup_stats (), for benchmarks: between runs that are timed, making the dictionary would
 * push other data out of the processor's caches. */
guint64 leat_session_get_number (LeatSession *self, const char *name);
/* "running", "evicted" and so on; any thread may ask. @session: LeatSession */
const char *leat_session_get_state_name (gconstpointer session);
/* Would what is planned take more than the session may? */
gboolean leat_session_check_budget (LeatSession *self, GError **error);
/* Of the device's memory, for the first lane: what must be free so that it can be opened, or come back. */
guint64 leat_session_get_needed_bytes (LeatSession *self);
/* Of @most lanes; 0: not even one. */
guint leat_session_fit_lanes (LeatSession *self, guint most);

G_END_DECLS
