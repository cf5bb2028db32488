/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Where a session lets its first run find out what is fastest, and undoes what that left behind.  Touches LeatTuning,
 * the setup's key and the counts of work. */

#include "leat-session-private.h"

#include "bind/leat-bind-private.h"
#include "leat-session-plan-private.h"
#include "leat-session-setup-private.h"

/* Copies take memory of the device that mapped data do not. */
gboolean
leat_session_fits_traits (gpointer session, const LeatTraits *traits)
{
  LeatSession *self = session;

  if (self->options.budget == 0)
    return TRUE;
  leat_plan_bind (self->plan, traits);
  return leat_session_fit_lanes (self, 1) == 1;
}

void
leat_session_begin_tuning (LeatSession *self)
{
  leat_tuning_begin (&self->tuning, self->plan, self->device,
                     self->options.calibrate && self->options.executor != LEAT_EXECUTOR_EAGER
                       && !LEAT_BOUND_PLAN (self->plan)->traits.persistent);
  if (self->options.calibrate)
    leat_plan_recall_learned (self->plan, self->device);
}

void
leat_session_remember_learned (LeatSession *self)
{
  if (self->options.calibrate && !self->hold.failed && self->told.ledger.stats.runs > 0)
    leat_states_remember_learned (&self->states, self->device);
}

/* Undoes the changes of trials to data that outlives a run, also where a trial failed. @states: (nullable): as they
 * were before */
static gboolean
leat_session_undo_trials (LeatSession *self, LeatLane *lane, GPtrArray *states, GError **error)
{
  leat_states_call_in (&self->states);
  return leat_lane_clear_reports (lane, error) && (states == NULL || leat_states_write (&self->states, states, error));
}

/* A callback that is called in every run may count the runs. */
static gboolean
leat_session_has_outside (LeatSession *self)
{
  for (guint i = 0; i < self->plan->ops->len; i++)
    if (leat_op_get_why_alone (leat_plan_get_op (self->plan, i)) != NULL)
      return TRUE;
  return FALSE;
}

/* With the inputs of the first run in place.  A loop that runs away in the first trial ends the run, which
 * fails when it is waited for. */
gboolean
leat_session_calibrate (LeatSession *self, LeatFlight *flight, GError **error)
{
  const LeatWorkCounts work = self->told.ledger.graph_counts.work;
  const gint64 unseen_waits = self->told.ledger.graph_counts.unseen_waits;
  LeatMemoryTally tally;
  /* The contents that the application wrote before the first run. */
  g_autoptr (GPtrArray) states = NULL;
  gboolean good;

  leat_memory_account_get (self->account, &tally);
  self->tuning.to_calibrate = FALSE;
  self->told.ledger.levels_changed = TRUE;
  if (leat_session_has_outside (self) || !leat_tuning_take_band (&self->tuning, flight))
    return TRUE;
  if (self->states.given && (states = leat_states_read (&self->states, error)) == NULL)
    return FALSE;
  good = leat_tuning_calibrate (&self->tuning, &self->told, flight, error);
  good = leat_session_undo_trials (self, flight->lane, states, good ? error : NULL) && good;
  self->tuning.ways_known = self->tuning.ways_known && good;
  self->setup->key = leat_plan_hash (self->plan);
  leat_ledger_list_kernel_transfers (&self->told.ledger, self->plan);
  self->told.ledger.graph_counts.work = work;
  self->told.ledger.graph_counts.unseen_waits = unseen_waits;
  leat_memory_account_leave_out (self->account, &tally);
  return good;
}
