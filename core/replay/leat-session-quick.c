/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The short way through a run, for a session whose next run needs no more than a launch and a wait.  Touches the flight
 * of that run and the session's ledger. */

#include "leat-session-private.h"

#include "graph/leat-pipeline-private.h"
#include "lane/leat-nvtx-private.h"
#include "leat-session-run-private.h"
#include "leat-session-setup-private.h"
#include "leat-session-told-private.h"

/* The short way through a run.  When a run has ended the session finds out once whether the next one needs anything but
 * its launch, the wait and the figures: nobody asks its sources or gives to its sinks, it is neither measured nor
 * traced, no loop and no memory of the program's is to be looked after.  That holds until somebody else takes the
 * session (leat_session_take ()).  Anything that others may change without taking it is looked at in each run. */

typedef struct
{
  LeatSession *session;
  LeatSessionFlight *flight;
  LeatPath path;
  gboolean refused;     /* a kernel reported an error, or was ended */
  guint64 items, bytes; /* from sources */
} LeatQuick;

static gboolean
leat_session_is_in_place (LeatSession *self)
{
  for (guint i = 0; i < self->ends.inputs->len; i++)
    if (!leat_session_get_input (self, i)->direct)
      return FALSE;
  for (guint i = 0; i < self->ends.outputs->len; i++)
    if (!leat_session_get_output (self, i)->direct)
      return FALSE;
  return self->ends.inputs->len > 0;
}

/* Does the plan want no more of a run than that it is launched? */
static gboolean
leat_plan_is_plain (const LeatPlan *self)
{
  return LEAT_BOUND_PLAN (self)->prediction.waits > 0 && LEAT_BOUND_PLAN (self)->prediction.foreign == 0
         && self->users->len == 0 && self->loops->len == 0 && !self->grows && !LEAT_BOUND_PLAN (self)->holds_back;
}

gboolean
leat_session_may_be_quick (LeatSession *self)
{
  return leat_session_is_in_place (self) && leat_plan_is_plain (self->plan) && !self->options.never_quick
         && !self->tuning.to_calibrate && self->tracing.trace == NULL
         && leat_session_get_flight (self, 0)->lane->timing == NULL && self->scratch.used == NULL
         && self->states.lent->len == 0 && self->bindings.held == NULL
         && self->hold.is_pushed == leat_session_wants_push (self);
}

/* By other threads, or by properties of the session that nobody need take it for. */
static gboolean
leat_session_is_disturbed (LeatSession *self, GCancellable *cancellable)
{
  return leat_changes_have_props (leat_pipeline_get_changes (self->pipeline)) || g_atomic_int_get (&self->hold.closing)
         || g_atomic_pointer_get (&self->scratch.wanted) != NULL || !leat_device_check (self->device, NULL)
         || self->options.repeat > 1 || leat_nvtx.push != NULL
         || (cancellable != NULL && g_cancellable_is_cancelled (cancellable));
}

static inline guint64
leat_staging_get_count (const LeatSessionStaging *self)
{
  return self->count != NULL ? *self->count : self->view.count;
}

static inline guint64
leat_staging_get_bytes (const LeatSessionStaging *self, guint64 count)
{
  return self->row_bytes != 0 ? count * self->row_bytes : self->view.capacity;
}

/* Finds out how much data the inputs have, and whether any of it is new. */
static void
leat_quick_read (LeatQuick *self)
{
  LeatSession *session = self->session;
  gboolean fresh = !session->options.reuse || LEAT_BOUND_PLAN (session->plan)->why_not_reusable != NULL
                   || LEAT_BOUND_PLAN (session->plan)->traits.persistent;

  for (guint i = 0; i < session->ends.inputs->len; i++)
    {
      const LeatSessionInput *input = leat_session_get_input (session, i);
      const LeatSessionStaging *staging = &self->flight->inputs[i];
      guint64 count = leat_staging_get_count (staging);

      self->items += count;
      self->bytes += leat_staging_get_bytes (staging, count);
      fresh |= input->on_device != input->generation;
    }
  self->path = fresh ? LEAT_PATH_FULL : LEAT_PATH_REUSED;
}

/* For what goes by it, which is rare. */
static void
leat_quick_fill_run (const LeatQuick *self)
{
  self->flight->run = (LeatRun){ .path = self->path, .number = self->session->ledger.stats.runs + 1 };
}

/* Takes the reports of kernels. */
static G_NO_INLINE gboolean
leat_quick_take_reports (LeatQuick *self, GError **error)
{
  leat_quick_fill_run (self);
  if (leat_session_check_run (self->session, self->flight, error))
    return TRUE;
  self->refused = self->flight->run.refused;
  self->session->ledger.stats.runs += self->refused;
  return FALSE;
}

/* A persistent kernel may be ended, and nothing else has happened then. */
static G_NO_INLINE gboolean
leat_quick_fail_wait (LeatQuick *self, GError **error)
{
  leat_quick_fill_run (self);
  leat_session_note_runaway (self->session, self->flight, error);
  self->refused = self->flight->run.refused;
  self->session->ledger.stats.runs += self->refused;
  return FALSE;
}

static inline gboolean
leat_quick_check (LeatQuick *self, GError **error)
{
  LeatLane *lane = self->flight->lane;

  if (G_UNLIKELY (leat_lane_has_reports (lane)))
    return leat_quick_take_reports (self, error);
  return (lane->overs == NULL || leat_lane_check_overs (lane, error)) && leat_lane_check_guard (lane, error);
}

static void
leat_quick_note (const LeatQuick *self, gint64 device_us)
{
  LeatSession *session = self->session;

  leat_session_note_on_device (session, TRUE);
  leat_lane_note_wait (self->flight->lane, device_us);
  session->ledger.stats.runs_of[self->path]++;
  if (session->ledger.kernel_transfers->len > 0)
    leat_session_note_kernel_transfers (session, self->flight->lane, self->path, 1);
  leat_session_note_device_us (session, device_us);
}

static gboolean
leat_quick_compute (LeatQuick *self, GError **error)
{
  LeatSession *session = self->session;
  LeatLane *lane = self->flight->lane;
  gint64 begin_us = g_get_monotonic_time (), device_us;

  if (!lane->executables[self->path].is_built && !leat_session_prepare_path (session, lane, self->path, error))
    return FALSE;
  leat_session_note_on_device (session, FALSE);
  if (!leat_lane_poison (lane, self->path, error) || !leat_lane_launch (lane, self->path, error))
    return FALSE;
  leat_session_note_predicted (session, self->path);
  if (!leat_lane_wait (lane, g_atomic_int_get (&session->options.wait), error))
    return leat_quick_fail_wait (self, error);
  device_us = g_get_monotonic_time () - begin_us;
  if (!leat_quick_check (self, error))
    return FALSE;
  leat_quick_note (self, device_us);
  return TRUE;
}

/* With a memo. */
static G_NO_INLINE gboolean
leat_quick_recall (LeatQuick *self, GError **error)
{
  if (leat_session_recall (self->session, self->flight))
    return TRUE;
  leat_quick_fill_run (self);
  if (!leat_quick_compute (self, error))
    return FALSE;
  if (!self->flight->run.reported)
    leat_session_remember (self->session, self->flight);
  return TRUE;
}

static gboolean
leat_quick_give (LeatQuick *self, GError **error)
{
  LeatSession *session = self->session;
  guint64 taken = 0;

  for (guint i = 0; i < session->ends.outputs->len; i++)
    {
      const LeatSessionStaging *staging = &self->flight->outputs[i];
      guint64 count = leat_staging_get_count (staging);

      if (G_UNLIKELY (count > staging->most))
        return leat_session_drain_all (session, self->flight, NULL, error);
      taken += leat_staging_get_bytes (staging, count);
    }
  session->ledger.stats.bytes_out += taken;
  session->ledger.stats.runs++;
  return TRUE;
}

/* As leat_session_start_run () and what follows it. */
static gboolean
leat_quick_run (LeatQuick *self, GError **error)
{
  LeatSession *session = self->session;

  session->ledger.stats.items_in += self->items;
  session->ledger.stats.bytes_in += self->bytes;
  leat_session_note_last (session, 0);
  if (leat_changes_are_there (leat_pipeline_get_changes (session->pipeline))
      && !leat_session_take_changes (session, error))
    return FALSE;
  return (session->recall.memo != NULL ? leat_quick_recall (self, error) : leat_quick_compute (self, error))
         && leat_quick_give (self, error);
}

gboolean
leat_session_replay_quickly (LeatSession *self, GCancellable *cancellable, LeatFlow *flow, GError **error)
{
  LeatQuick quick = { .session = self };

  if (!self->hold.quick || leat_session_is_disturbed (self, cancellable))
    return FALSE;
  *flow = LEAT_FLOW_ERROR;
  if (self->hold.is_pushed && !leat_device_push (self->device, error))
    return TRUE;
  leat_session_give (self, LEAT_SESSION_RUNNING);
  self->ledger.n_quick++;
  quick.flight = leat_session_get_flight (self, 0);
  leat_quick_read (&quick);
  leat_monitored_note_where (&self->told.monitored, 0, LEAT_AT_DEVICE);
  self->hold.quick = leat_quick_run (&quick, error);
  leat_monitored_note_where (&self->told.monitored, 0, LEAT_AT_NOTHING);
  if (self->hold.quick)
    *flow = LEAT_FLOW_DATA;
  self->hold.failed = !self->hold.quick && !quick.refused;
  if (G_LIKELY (self->hold.quick && !self->ledger.levels_changed))
    leat_session_tell_run (self);
  else
    leat_session_tell_stats (self);
  if (self->hold.is_pushed)
    leat_device_pop (self->device);
  return TRUE;
}
