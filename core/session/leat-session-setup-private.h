/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-private.h"

G_BEGIN_DECLS

/* How a session becomes ready to run, changes, and leaves the device. */

void leat_session_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void leat_session_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec);
void leat_session_install_props (GObjectClass *klass);
void leat_session_list_changeable (LeatSession *self);
gboolean leat_session_take_changes (LeatSession *self, GError **error);
LeatSetupBase leat_session_get_base (LeatSession *self);
gboolean leat_session_make_setup (LeatSession *self, GError **error);
/* And its graph. */
gboolean leat_session_build_setup (LeatSession *self, GError **error);
void leat_session_drop_setups (LeatSession *self);
/* @growth: (nullable): why */
gboolean leat_session_take_plan (LeatSession *self, LeatPlan *plan, const LeatGrowth *growth, GError **error);
/* Bound as the one that runs.  @grows: the room of outputs may be another one, also where a stream goes on.
 * (transfer full) */
LeatPlan *leat_session_plan_anew (LeatSession *self, gboolean grows, GError **error);
/* After a run of a plan that may grow: had an output too little room?  The run says which then. */
gboolean leat_session_find_short (LeatSession *self, LeatFlight *flight);
/* Drops what the run left in the lane to be looked at when it ends. */
gboolean leat_session_forget_run (LeatSession *self, LeatLane *lane, GError **error);
/* No run is under way.  @buffer: of the plan that runs until then.  FALSE: that one goes on, unless the session has
 * failed. */
gboolean leat_session_grow (LeatSession *self, const LeatBuffer *buffer, guint64 needed, GError **error);
/* Before a run. @stream: faults are told on the bus, and the former values stay. */
/* Before many runs on the same inputs: what crosses the link goes once.  The session is taken, with no run under way.
 */
void leat_session_bind_for_repeat (LeatSession *self);
gboolean leat_session_take_props (LeatSession *self, gboolean stream, GError **error);
/* executor=persistent (leat-session-persistent.c): what is asked for; a binding that heeds it; and what came of it. */
gboolean leat_session_wants_persistent (LeatSession *self);
void leat_session_want_persistent (LeatSession *self, LeatTraits *traits);
/* Takes the error where it says that there can be no persistent kernel, and nobody insists on that; the plan is bound
 * anew. */
gboolean leat_session_give_up_persistent (LeatSession *self, GError **why);
/* @insist: it is an error where a persistent kernel cannot do the plan */
gboolean leat_plan_bind_persistent (LeatPlan *plan, LeatDevice *device, LeatBus *bus, gboolean insist,
                                    const LeatTraits *traits, GError **error);
gboolean leat_session_check_given_ports (LeatSession *self, GError **error);
gboolean leat_session_check_given (LeatSession *self, guint index, GBytes *bytes, GError **error);
void leat_session_put_given (LeatSession *self, guint index, gconstpointer data, gsize bytes, guint64 count);
void leat_session_put_given_bytes (LeatSession *self, guint index, GBytes *given);
GBytes *leat_session_take_given (LeatSession *self, guint index);
gboolean leat_session_is_fault_of_data (const GError *error);
/* With the session's store in place, and no lane. */
void leat_session_choose_scratch (LeatSession *self);
/* Around a run, from before it is launched. */
gboolean leat_session_enter_scratch (LeatSession *self, GError **error);
void leat_session_leave_scratch (LeatSession *self);
/* Whatever is under way has ended. */
void leat_session_drop_scratch (LeatSession *self);
/* Others have their part of the device's memory.  Whatever comes of it, settle follows. */
gboolean leat_session_ask_for_room (LeatSession *self, guint64 bytes, GError **error);
void leat_session_settle_room (LeatSession *self);
/* On the device from here on: for who has the session, and needs more than its staging memory. */
gboolean leat_session_bring_back (LeatSession *self, GCancellable *cancellable, GError **error);
void leat_session_drop_evicted (LeatSession *self);
/* Of batches: all that was made for them. */
void leat_session_drop_batch (LeatSession *self);
/* Has the first run find out what is fastest (leat-session-tuning.c). */
void leat_session_begin_tuning (LeatSession *self);
gboolean leat_session_fits_traits (gpointer session, const LeatTraits *traits);
gboolean leat_session_calibrate (LeatSession *self, LeatFlight *flight, GError **error);
/* When the session closes. */
void leat_session_remember_learned (LeatSession *self);
/* As take_open, and on the device. */
gboolean leat_session_take_program (LeatSession *self, GError **error);
/* Steps of opening, for a prediction. */
gboolean leat_session_check_may_open (LeatSession *self, GError **error);
gboolean leat_session_plan (LeatSession *self, GError **error);
gboolean leat_session_bind_plan (LeatSession *self, GError **error);

G_END_DECLS
