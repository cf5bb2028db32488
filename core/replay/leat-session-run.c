/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One run from its sources to its sinks: read, launch, wait, check, give.  Touches one flight and its lane, and the
 * session's ledger. */

#include "leat-session-stream-private.h"
#include "leat-session-reports-private.h"

#include "graph/leat-node-private.h"
#include "graph/leat-pipeline-private.h"
#include "lane/leat-nvtx-private.h"
#include "replay/leat-session.h"
#include "bind/leat-bind-private.h"
#include "lane/leat-lane-graph-private.h"
#include "leat-session-setup-private.h"
#include "leat-session-run-private.h"
#include "leat-session-told-private.h"
#include "leat-tuning-private.h"

#define LEAT_SESSION_SHORT_NS 500000

/* The steady state.  Nothing here allocates, looks anything up by name, or parses. */

/* Is what the program gave for the last run still on the device, and is nothing else to be brought there? */
static LeatPath
leat_session_choose_path (LeatSession *self, const LeatSessionFlight *flight)
{
  if (!self->options.reuse || LEAT_BOUND_PLAN (self->plan)->traits.persistent
      || LEAT_BOUND_PLAN (self->plan)->why_not_reusable != NULL || flight->run.streamed || flight->run.flushes)
    return LEAT_PATH_FULL;
  for (guint i = 0; i < self->ends.inputs->len; i++)
    {
      const LeatSessionInput *input = leat_session_get_input (self, i);

      if (input->on_device != input->generation)
        return LEAT_PATH_FULL;
    }
  return LEAT_PATH_REUSED;
}

/* The first run that can take a path pays for its graph; each brings what was bound since the last. */
gboolean
leat_session_prepare_path (LeatSession *self, LeatLane *lane, LeatPath path, GError **error)
{
  if (self->plan->users->len > 0 && !leat_lane_bring_bindings (lane, path, error))
    return FALSE;
  if (G_LIKELY (lane->executables[path].is_built))
    return TRUE;
  self->ledger.levels_changed = TRUE;
  return leat_lane_build_graph (lane, path, error);
}

/* From the next launch on the smallest pieces are graphs too. */
static G_NO_INLINE void
leat_session_settle_plan (LeatSession *self)
{
  self->ledger.levels_changed = TRUE;
  if (leat_plan_settle (self->plan, self->program->loaded))
    for (guint i = 0; i < self->lanes->len; i++)
      leat_lane_destroy_graphs (g_ptr_array_index (self->lanes, i));
}

static gboolean
leat_session_launch_path (LeatSession *self, LeatSessionFlight *flight, LeatPath path, GError **error)
{
  gboolean good;

  leat_nvtx_push ("launch");
  good = path == LEAT_PATH_TIMED ? leat_session_launch_measured (self, flight, error)
                                 : leat_lane_launch (flight->lane, path, error);
  leat_nvtx_pop ();
  if (G_UNLIKELY (flight->run.traced) && path != LEAT_PATH_TIMED)
    flight->run.marks[LEAT_MARK_LAUNCHED] = leat_session_now_ns ();
  return good;
}

/* A persistent kernel is not on the stream of what was launched. */
static gboolean
leat_session_await_steps (LeatSession *self, LeatLane *lane, LeatPath path, GError **error)
{
  if (!leat_session_is_persistent (self) || path != LEAT_PATH_FULL)
    return TRUE;
  leat_lane_note_other_wait (lane);
  return leat_lane_synchronize (lane, error);
}

static gboolean
leat_session_launch_all (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  LeatLane *lane = flight->lane;
  const guint64 steps = flight->run.steps;
  gboolean measured = steps == 0 && lane->timing != NULL && leat_session_is_next_measured (self);
  LeatPath path = measured ? LEAT_PATH_TIMED : leat_session_choose_path (self, flight);

  if (LEAT_BOUND_PLAN (self->plan)->prediction.waits == 0)
    return TRUE;
  if (G_UNLIKELY (LEAT_BOUND_PLAN (self->plan)->holds_back && self->ledger.stats.runs >= LEAT_SESSION_RUNS_TO_SETTLE))
    leat_session_settle_plan (self);
  if (!leat_session_prepare_path (self, lane, path, error))
    return FALSE;
  if (!leat_session_enter_buffers (self, error))
    return FALSE;
  if (!flight->run.streamed)
    leat_session_note_on_device (self, FALSE);
  leat_session_watch_loops (self, flight);
  if (!leat_lane_poison (lane, path, error))
    return FALSE;
  if (G_UNLIKELY (steps > 0)
      && (!leat_session_launch_steps (self, flight, steps, &path, error)
          || !leat_session_await_steps (self, lane, path, error)))
    return FALSE;
  if (!leat_session_launch_path (self, flight, path, error))
    return FALSE;
  leat_session_note_predicted (self, path);
  flight->run.path = path;
  flight->run.measured = measured;
  flight->run.launched = TRUE;
  return TRUE;
}

static gboolean
leat_session_try_ways (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  return leat_session_prepare_path (self, flight->lane, LEAT_PATH_FULL, error)
         && leat_session_calibrate (self, flight, error);
}

/* Trials are called off as what is launched for the run is. */
static gboolean
leat_session_do_until_stopped (LeatSession *self, LeatSessionFlight *flight,
                               gboolean (*step) (LeatSession *, LeatSessionFlight *, GError **), GError **error)
{
  const LeatStop stop = { &self->hold.closing, flight->run.cancellable };
  gboolean good;

  flight->lane->stop = &stop;
  good = step (self, flight, error);
  flight->lane->stop = NULL;
  if (G_UNLIKELY (!good))
    leat_session_forget_loops (self, flight->lane);
  if (G_UNLIKELY (!good && flight->run.on_device))
    {
      leat_session_call_off_steps (self);
      leat_session_forget_steps (self, flight);
    }
  return good;
}

static gboolean
leat_session_launch_work (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  return leat_session_do_until_stopped (self, flight, leat_session_launch_all, error);
}

/* Where a kernel says what was wrong, a count that came of it says nothing more. */
gboolean
leat_session_check_run (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  if (leat_session_check_reports (self, flight, error) && leat_session_check_loops (self, flight, error))
    return leat_lane_check_overs (flight->lane, error) && leat_lane_check_guard (flight->lane, error);
  leat_lane_check_overs (flight->lane, NULL);
  return FALSE;
}

static inline gboolean
leat_session_is_short (LeatSession *self, LeatSessionFlight *flight)
{
  return G_UNLIKELY (self->plan->grows) && leat_session_find_short (self, flight);
}

/* How long a run took is known only to who sees its end.  Of one that was left alone it is seen where the device is
 * still at it; the CPU driver begins when somebody waits. */
static void
leat_session_find_beginning (LeatLane *lane, LeatRun *run)
{
  if (lane->on_host)
    run->filled_us = g_get_monotonic_time ();
  else
    run->untimed = !leat_lane_is_busy (lane);
}

/* Blocks that were ended on the way have left counters by which the next run's would wait for what never comes, or for
 * too little.  Where these cannot be cleared that is worse, and the session is done with. */
void
leat_session_note_runaway (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  g_autoptr (GError) inner = NULL;

  if (!flight->lane->ran_away)
    return;
  flight->lane->ran_away = FALSE;
  if (!leat_lane_clear_marks (flight->lane, &inner))
    {
      g_clear_error (error);
      g_propagate_error (error, g_steal_pointer (&inner));
      return;
    }
  flight->run.refused = TRUE;
  self->ledger.stats.runs_refused++;
  leat_session_leave_buffers (self);
}

static gboolean
leat_session_wait_for_work (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  LeatLane *lane = flight->lane;
  LeatRun *run = &flight->run;
  gboolean good;

  leat_nvtx_push ("wait");
  if (G_UNLIKELY (run->apart))
    leat_session_find_beginning (lane, run);
  if (run->watched)
    good = leat_waiter_collect (self->await.waiter, &run->ended_us, error);
  else
    {
      good = leat_lane_wait (lane, g_atomic_int_get (&self->options.wait), error);
      run->ended_us = g_get_monotonic_time ();
    }
  if (G_UNLIKELY (!good))
    leat_session_note_runaway (self, flight, error);
  leat_nvtx_pop ();
  if (G_UNLIKELY (run->traced || run->measured))
    run->marks[LEAT_MARK_COMPUTED] = leat_session_now_ns ();
  run->launched = run->watched = FALSE;
  leat_session_forget_loops (self, lane);
  /* Work that did not end has the buffers until the session is closed. */
  if (good)
    leat_session_leave_buffers (self);
  if (G_UNLIKELY (!good))
    leat_session_forget_steps (self, flight);
  if (!good || !leat_session_check_steps (self, flight, error)
      || (run->measured && !leat_session_read_measured (self, flight, error))
      || !(leat_session_is_short (self, flight) ? leat_session_forget_run (self, lane, error)
                                                : leat_session_check_run (self, flight, error)))
    return FALSE;
  if (G_UNLIKELY (run->short_of != NULL))
    return TRUE;
  if (lane->timing != NULL && !run->measured && !run->untimed)
    leat_session_note_unmeasured (self, run->ended_us - run->filled_us);
  if (!run->streamed)
    leat_session_note_on_device (self, TRUE);
  if (G_LIKELY (!run->untimed))
    leat_lane_note_wait (lane, run->ended_us - run->filled_us);
  self->ledger.stats.runs_of[run->measured ? LEAT_PATH_FULL : run->path]++;
  leat_session_note_kernel_transfers (self, lane, run->path, 1);
  return TRUE;
}

static void
leat_session_note_device_time (LeatSession *self, const LeatRun *run)
{
  self->ledger.stats.source_us += run->read_us - run->begin_us;
  if (G_LIKELY (!run->untimed))
    leat_session_note_device_us (self, run->ended_us - run->filled_us);
}

static void
leat_session_mark_filled (LeatRun *run)
{
  run->marks[LEAT_MARK_FILLED] = leat_session_now_ns ();
  run->marks[LEAT_MARK_HANDED] = run->marks[LEAT_MARK_LAUNCHED] = run->marks[LEAT_MARK_COMPUTED] =
    run->marks[LEAT_MARK_FILLED];
}

/* A clock that nobody needs is not looked at. */
static gboolean
leat_session_gives (LeatSession *self)
{
  for (guint i = 0; i < self->ends.outputs->len; i++)
    if (!leat_session_get_output (self, i)->direct)
      return TRUE;
  return FALSE;
}

static void
leat_session_note_read_end (LeatSession *self, const LeatSessionFlight *flight, LeatFlow flow)
{
  leat_monitored_note_where (&self->told.monitored, flight->index,
                             flow == LEAT_FLOW_DATA ? LEAT_AT_QUEUE : LEAT_AT_NOTHING);
}

/* Until the sources have given: what it needs of the session is that of who reads. */
LeatFlow
leat_session_read_run (LeatSession *self, LeatSessionFlight *flight, gboolean wait, GCancellable *cancellable,
                       GError **error)
{
  LeatRun *run = &flight->run;
  gboolean asks = leat_session_asks (self);
  LeatWatch watch;
  LeatFlow flow;

  leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_SOURCE);
  run->begin_us = asks ? g_get_monotonic_time () : 0;
  if (G_UNLIKELY (self->tracing.trace != NULL))
    run->marks[LEAT_MARK_BEGUN] = leat_session_now_ns ();
  leat_session_begin_watch (self, &watch);
  flow = leat_session_fill_all (self, flight, wait, cancellable, error);
  leat_session_end_watch (self, &watch);
  leat_session_note_read_end (self, flight, flow);
  if (flow != LEAT_FLOW_DATA)
    return flow;
  run->read_us = run->streamed ? g_get_monotonic_time () : 0;
  if (G_UNLIKELY (self->tracing.trace != NULL))
    leat_session_mark_filled (run);
  return flow;
}

gboolean
leat_session_begin_read (LeatSession *self, LeatSessionFlight *flight)
{
  if (G_UNLIKELY (self->tracing.trace != NULL))
    flight->run.marks[LEAT_MARK_BEGUN] = leat_session_now_ns ();
  if (!leat_session_begin_fill (self, flight))
    return FALSE;
  leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_SOURCE);
  return TRUE;
}

/* A run's time of reading is how long it was waited for: others are begun meanwhile. */
LeatFlow
leat_session_complete_read (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  LeatRun *run = &flight->run;
  LeatFlow flow;

  run->begin_us = g_get_monotonic_time ();
  leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_SOURCE);
  flow = leat_session_complete_fill (self, flight, error);
  leat_session_note_read_end (self, flight, flow);
  run->read_us = g_get_monotonic_time ();
  if (G_UNLIKELY (self->tracing.trace != NULL))
    leat_session_mark_filled (run);
  return flow;
}

/* A thread that waits for the CPU driver does the work itself.  With more than one run launched another one does, and
 * is woken for it, which is worth while for long runs that need not wait for each other. */
static gboolean
leat_session_goes_one_by_one (LeatSession *self, const LeatSessionFlight *flight)
{
  const LeatLane *lane = flight->lane;

  return lane->on_host && g_atomic_int_get (&self->options.wait) == LEAT_WAIT_AUTO
         && (lane->turn != NULL || lane->recent_ns < LEAT_SESSION_SHORT_NS);
}

gboolean
leat_session_needs_quiet (LeatSession *self, const LeatSessionFlight *flight)
{
  return flight->run.ends || leat_session_goes_one_by_one (self, flight)
         || (LEAT_BOUND_PLAN (self->plan)->prediction.foreign > 0
             && leat_changes_are_there (leat_pipeline_get_changes (self->pipeline)))
         || (LEAT_BOUND_PLAN (self->plan)->holds_back && self->ledger.stats.runs >= LEAT_SESSION_RUNS_TO_SETTLE);
}

/* Data that was read is counted once, however far the run gets. */
static void
leat_session_note_read (LeatSession *self, LeatSessionFlight *flight)
{
  self->ledger.stats.items_in += flight->run.items;
  self->ledger.stats.bytes_in += flight->run.bytes;
}

static gboolean
leat_session_start_work (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  LeatRun *run = &flight->run;

  leat_session_note_read (self, flight);
  leat_session_note_last (self, 0);
  if (!leat_device_check (self->device, error) || !leat_session_take_changes (self, error))
    return FALSE;
  run->number = run->streamed ? run->number : self->ledger.stats.runs + 1;
  run->traced = leat_session_is_traced (self);
  self->tracing.n += run->traced;
  run->steps = leat_session_count_steps (self, run);
  run->known = leat_session_recall (self, flight);
  if (!run->known && self->tuning.to_calibrate
      && !leat_session_do_until_stopped (self, flight, leat_session_try_ways, error))
    return FALSE;
  /* In memory that changes and trials may have moved. */
  if (run->ends && !leat_lane_set_ending (flight->lane, error))
    return FALSE;
  if (run->begin_us != 0 || !run->known)
    run->filled_us = g_get_monotonic_time ();
  run->read_us = run->streamed ? run->read_us : run->filled_us;
  run->begin_us = run->begin_us != 0 ? run->begin_us : run->filled_us;
  if (G_UNLIKELY (run->traced && !run->streamed))
    leat_session_mark_filled (run);
  if (G_UNLIKELY (run->traced))
    run->marks[LEAT_MARK_HANDED] = leat_session_now_ns ();
  return run->known || run->refused || leat_session_launch_work (self, flight, error);
}

gboolean
leat_session_start_run (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  gboolean good;

  leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_DEVICE);
  good = leat_session_start_work (self, flight, error);
  if (G_UNLIKELY (!good))
    leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_NOTHING);
  return good;
}

/* With the room that it needs, as often as more of it is found to be missing: what was cut off in one place is not
 * there to be counted in the next.  The flight stays where it is, as there are no more of them than before. */
static G_NO_INLINE gboolean
leat_session_run_whole (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  LeatRun *run = &flight->run;

  while (run->short_of != NULL)
    {
      if (!leat_session_grow (self, run->short_of, run->needed, error))
        {
          run->refused = !self->hold.failed;
          return FALSE;
        }
      run->short_of = NULL;
      run->done_again = TRUE;
      run->apart = FALSE;
      if (run->ends && !leat_lane_set_ending (flight->lane, error))
        return FALSE;
      run->filled_us = g_get_monotonic_time ();
      if (!leat_session_launch_work (self, flight, error) || !leat_session_wait_for_work (self, flight, error))
        return FALSE;
    }
  return TRUE;
}

/* A run whose result was known is no measurement of anything. */
static gboolean
leat_session_await_work (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  LeatRun *run = &flight->run;

  if (run->known)
    return TRUE;
  run->ended_us = run->filled_us;
  if (G_UNLIKELY (run->refused))
    {
      g_propagate_error (error, g_steal_pointer (&self->tuning.trial_error));
      return FALSE;
    }
  if (run->launched && !leat_session_wait_for_work (self, flight, error))
    return FALSE;
  /* One of several that are under way is for who has them all. */
  if (G_UNLIKELY (run->short_of != NULL) && (run->streamed || !leat_session_run_whole (self, flight, error)))
    return run->streamed;
  leat_session_note_device_time (self, run);
  /* A result that is known already would come without what was reported of it. */
  if (G_LIKELY (!run->reported))
    leat_session_remember (self, flight);
  return TRUE;
}

gboolean
leat_session_await_run (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  gboolean good = leat_session_await_work (self, flight, error);

  leat_monitored_note_where (&self->told.monitored, flight->index, good ? LEAT_AT_RESULTS : LEAT_AT_NOTHING);
  return good;
}

gboolean
leat_session_give_run (LeatSession *self, LeatSessionFlight *flight, GCancellable *cancellable, GError **error)
{
  LeatRun *run = &flight->run;
  gboolean gives = leat_session_gives (self) && (!run->known || run->streamed);
  gint64 begin_us = gives ? g_get_monotonic_time () : 0;
  LeatWatch watch;
  gboolean good;

  if (G_UNLIKELY (run->traced))
    run->marks[LEAT_MARK_GIVEN] = leat_session_now_ns ();
  leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_SINK);
  leat_session_begin_watch (self, &watch);
  good = leat_session_drain_all (self, flight, cancellable, error);
  leat_session_end_watch (self, &watch);
  leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_NOTHING);
  if (!good)
    return FALSE;
  run->sink_us = gives ? g_get_monotonic_time () - begin_us : 0;
  if (G_UNLIKELY (run->traced))
    leat_session_trace_run (self, flight);
  return TRUE;
}

LeatFlow
leat_session_begin_run (LeatSession *self, LeatSessionFlight *flight, gboolean wait, GCancellable *cancellable,
                        GError **error)
{
  LeatFlow flow;

  /* Data that one source gave while another had nothing yet belongs to this run. */
  flight->run = (LeatRun){ .items = self->ends.n_filled > 0 ? flight->run.items : 0,
                           .bytes = self->ends.n_filled > 0 ? flight->run.bytes : 0 };
  if (!leat_device_check (self->device, error))
    return LEAT_FLOW_ERROR;
  flow = leat_session_read_run (self, flight, wait, cancellable, error);
  if (flow == LEAT_FLOW_END)
    leat_session_note_read (self, flight);
  if (flow != LEAT_FLOW_DATA)
    return flow;
  if (G_UNLIKELY (!leat_session_check_sinks (self, error)))
    {
      leat_session_keep_read (self, flight);
      flight->run.refused = TRUE;
      return LEAT_FLOW_ERROR;
    }
  flight->run.cancellable = cancellable;
  flow = leat_session_start_run (self, flight, error) ? LEAT_FLOW_DATA : LEAT_FLOW_ERROR;
  flight->run.cancellable = NULL;
  return flow;
}

static LeatFlow
leat_session_end_one (LeatSession *self, LeatSessionFlight *flight, GCancellable *cancellable, GError **error)
{
  if (!leat_session_await_run (self, flight, error))
    {
      self->ledger.stats.runs += flight->run.refused;
      return LEAT_FLOW_ERROR;
    }
  if (!leat_session_give_run (self, flight, cancellable, error))
    return LEAT_FLOW_ERROR;
  self->ledger.stats.bytes_out += flight->run.taken;
  self->ledger.stats.sink_us += flight->run.sink_us;
  if (self->ledger.stats.runs == 0)
    self->ledger.stats.first_us = g_get_monotonic_time () - self->ledger.open_since_us;
  self->ledger.stats.runs += flight->run.known ? 1 : 1 + flight->run.steps;
  return LEAT_FLOW_DATA;
}

/* Those after the first on the same inputs, when each gives its results. */
static LeatFlow
leat_session_run_again (LeatSession *self, LeatSessionFlight *flight, GCancellable *cancellable, GError **error)
{
  LeatRun *run = &flight->run;

  if (!leat_session_may_go_on (self, cancellable, error))
    return LEAT_FLOW_ERROR;
  run->begin_us = run->read_us = run->filled_us = g_get_monotonic_time ();
  run->number = self->ledger.stats.runs + 1;
  run->taken = 0;
  run->known = run->traced = FALSE;
  run->refused = !leat_session_check_sinks (self, error);
  if (G_UNLIKELY (run->refused))
    return LEAT_FLOW_ERROR;
  leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_DEVICE);
  return leat_session_launch_work (self, flight, error) ? leat_session_end_one (self, flight, cancellable, error)
                                                        : LEAT_FLOW_ERROR;
}

LeatFlow
leat_session_end_run (LeatSession *self, LeatSessionFlight *flight, GCancellable *cancellable, GError **error)
{
  const guint64 n = flight->run.steps == 0 && !flight->run.flushes ? self->options.repeat : 1;
  LeatFlow flow = leat_session_end_one (self, flight, cancellable, error);

  for (guint64 i = 1; i < n && flow == LEAT_FLOW_DATA; i++)
    flow = leat_session_run_again (self, flight, cancellable, error);
  return flow;
}
