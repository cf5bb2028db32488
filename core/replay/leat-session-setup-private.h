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
guint64 leat_session_get_cached_bytes (LeatSession *self);
/* The setup for @plan's shapes that is kept; NULL where there is none. */
LeatSetup *leat_session_find_setup (LeatSession *self, LeatPlan *plan);
/* Takes one out of those that are kept. (transfer full) */
LeatSetup *leat_session_steal_setup (LeatSession *self, LeatSetup *setup);
/* Puts the oldest into @out until what is left and @bytes fit. */
gboolean leat_session_make_room (LeatSession *self, guint64 bytes, GPtrArray *out);
/* @growth: (nullable): why */
gboolean leat_session_take_plan (LeatSession *self, LeatPlan *plan, const LeatGrowth *growth, GError **error);
/* Bound as the one that runs.  @grows: the room of outputs may be another one, also where a stream goes on.
 * (transfer full) */
LeatPlan *leat_session_plan_anew (LeatSession *self, gboolean grows, GError **error);
/* After a run of a plan that may grow: had an output too little room?  The run says which then. */
gboolean leat_session_find_short (LeatSession *self, LeatSessionFlight *flight);
/* Drops what the run left in the lane to be looked at when it ends. */
gboolean leat_session_forget_run (LeatSession *self, LeatLane *lane, GError **error);
/* No run is under way.  @buffer: of the plan that runs until then.  FALSE: that one goes on, unless the session has
 * failed. */
gboolean leat_session_grow (LeatSession *self, const LeatBuffer *buffer, guint64 needed, GError **error);
GPtrArray *leat_session_growths_new (void);
GVariant *leat_session_print_growths (LeatSession *self);
/* Before a run. @stream: faults are told on the bus, and the former values stay. */
gboolean leat_session_take_props (LeatSession *self, gboolean stream, GError **error);
/* executor=persistent (leat-session-persistent.c): what is asked for; a binding that heeds it; and what came of it. */
gboolean leat_session_wants_persistent (LeatSession *self);
void leat_session_want_persistent (LeatSession *self, LeatTraits *traits);
/* Takes the error where it says that there can be no persistent kernel, and nobody insists on that; the plan is bound
 * anew. */
gboolean leat_session_give_up_persistent (LeatSession *self, GError **why);
gboolean leat_session_bind_persistent (LeatSession *self, LeatPlan *plan, const LeatTraits *traits, GError **error);
gboolean leat_session_is_persistent (LeatSession *self);
void leat_session_note_persistent (LeatSession *self);
gboolean leat_session_check_memo (LeatPlan *plan, GError **error);
gboolean leat_session_make_memo (LeatSession *self, GError **error);
void leat_session_drop_memo (LeatSession *self);
gboolean leat_session_recall (LeatSession *self, const LeatSessionFlight *flight);
void leat_session_remember (LeatSession *self, const LeatSessionFlight *flight);
/* Remembers the inputs and results at the session's spans, where other inputs were looked for last. */
void leat_session_remember_spans (LeatSession *self);
/* A lane of a batch has the inputs of another one. */
void leat_session_note_equal (LeatSession *self);
gboolean leat_session_check_given_ports (LeatSession *self, GError **error);
gboolean leat_session_check_given (LeatSession *self, guint index, GBytes *bytes, GError **error);
LeatGivenBefore *leat_session_begin_given (LeatSession *self);
void leat_session_end_given (LeatSession *self, LeatGivenBefore *before);
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
/* Those that are kept beside the one that runs. */
void leat_session_drop_other_setups (LeatSession *self);
/* Others have their part of the device's memory.  Whatever comes of it, settle follows. */
gboolean leat_session_ask_for_room (LeatSession *self, guint64 bytes, GError **error);
void leat_session_settle_room (LeatSession *self);
/* Around the work of a run: what is done with these buffers elsewhere is done before or after it. */
gboolean leat_session_enter_buffers (LeatSession *self, GError **error);
void leat_session_leave_buffers (LeatSession *self);
/* States that were lent and are not the session's any more: their memory is another, or it is closed. */
void leat_session_call_in_states (LeatSession *self);
/* On the device from here on: for who has the session, and needs more than its staging memory. */
gboolean leat_session_bring_back (LeatSession *self, GCancellable *cancellable, GError **error);
void leat_session_drop_evicted (LeatSession *self);
/* Data that further lanes keep for themselves while they are not there (leat-session-away.c). */
GPtrArray *leat_session_away_new (void);
void leat_session_forget_away (LeatSession *self);
/* Before lanes beyond the first go: the host has it then.  FALSE: it has nothing of lanes that are there. */
gboolean leat_session_put_lanes_away (LeatSession *self, GCancellable *cancellable, GError **error);
/* When there are more of them. */
gboolean leat_session_bring_lanes_back (LeatSession *self, GError **error);
/* As take_open, and on the device. */
gboolean leat_session_take_program (LeatSession *self, GError **error);
/* Steps of opening, for a prediction. */
gboolean leat_session_check_may_open (LeatSession *self, GError **error);
gboolean leat_session_plan (LeatSession *self, GError **error);
gboolean leat_session_bind_plan (LeatSession *self, GError **error);

G_END_DECLS
