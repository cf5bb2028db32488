/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-lane-private.h"

G_BEGIN_DECLS

/* The persistent kernel on the device for a bound plan, and the host's side of its run signal: a run is a few words
 * written to memory that the device reads, and a look at one that it writes.  The kernel is launched by the first run,
 * and again by the first one after it has left: because nothing was signalled for a while, because a driver call might
 * have waited for it, or because its parameters have changed.
 *
 * One thread at a time signals; any thread may make it leave. */

/* The first op that cannot be a stage, with the reason and what would do; LEAT_SESSION_ERROR_PERSISTENT. */
gboolean leat_persistent_check_plan (LeatPlan *plan, GError **error);

/* Makes of an error that tells of a limit of the device one that says what to do without a persistent kernel. */
void leat_persistent_explain_limit (GError **error);

/* @plan: bound for the persistent executor, with its kernels loaded */
LeatPersistent *leat_persistent_new (LeatDevice *device, LeatPlan *plan, const LeatLoadedKernel *loaded,
                                     GError **error);
/* It leaves first. */
void leat_persistent_free (LeatPersistent *self);

/* Hands the lane's run to it. */
gboolean leat_persistent_ring (LeatPersistent *self, LeatLane *lane, GError **error);
gboolean leat_persistent_is_done (LeatPersistent *self, LeatLane *lane);
/* Until the lane's run has ended.  LEAT_SESSION_ERROR_RUNAWAY where that took too long and was ended.
 * @spin_us: to look without a rest */
gboolean leat_persistent_wait (LeatPersistent *self, LeatLane *lane, gint64 spin_us, GError **error);
void leat_persistent_get_counts (LeatPersistent *self, LeatPersistentCounts *counts);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatPersistent, leat_persistent_free)

G_END_DECLS
