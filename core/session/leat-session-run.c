/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One run from its sources to its sinks: launch, wait, check, give; leat-session-run-read.c has what reads.  Touches
 * one flight and its lane, and the session's ledger. */

#include "leat-session-private.h"
#include "tell/leat-reports-private.h"

#include "graph/leat-pipeline-private.h"
#include "lane/leat-nvtx-private.h"
#include "leat-session.h"
#include "bind/leat-bind-private.h"
#include "lane/leat-executor-private.h"
#include "lane/leat-lane-graph-private.h"
#include "leat-session-setup-private.h"
#include "leat-session-run-private.h"

#define LEAT_SESSION_SHORT_NS 500000

/* The steady state.  Nothing here allocates, looks anything up by name, or parses. */

/* Is what the program gave for the last run still on the device, and is nothing else to be brought there? */
static inline LeatPath
leat_session_choose_path (LeatSession *self, const LeatFlight *flight)
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
static gboolean
leat_session_prepare_path (LeatSession *self, LeatLane *lane, LeatPath path, GError **error)
{
  if (self->plan->users->len > 0 && !leat_lane_bring_bindings (lane, path, error))
    return FALSE;
  if (G_LIKELY (lane->executables[path].is_built))
    return TRUE;
  self->told.ledger.levels_changed = TRUE;
  return leat_lane_build_graph (lane, path, error);
}

/* From the next launch on the smallest pieces are graphs too. */
static G_NO_INLINE void
leat_session_settle_plan (LeatSession *self)
{
  self->told.ledger.levels_changed = TRUE;
  if (leat_plan_settle (self->plan, self->program->loaded))
    for (guint i = 0; i < self->lanes->len; i++)
      leat_lane_destroy_graphs (g_ptr_array_index (self->lanes, i));
}

/* A persistent kernel is not on the stream of what was launched. */
static gboolean
leat_session_await_steps (LeatSession *self, LeatLane *lane, LeatPath path, GError **error)
{
  if (self->program->persistent == NULL || path != LEAT_PATH_FULL)
    return TRUE;
  leat_lane_note_other_wait (lane);
  return leat_lane_synchronize (lane, error);
}

/* Runs without results before the one that has them, which goes by another path then. */
static gboolean
leat_session_launch_steps (LeatSession *self, LeatFlight *flight, GError **error)
{
  LeatLane *lane = flight->lane;
  const guint64 n = flight->run.steps;
  const LeatStepPaths paths =
    leat_step_paths_choose (flight->run.path, self->options.reuse && LEAT_BOUND_PLAN (self->plan)->stays_in_repeat);

  flight->run.path = paths.last;
  leat_lane_renew_repeated (lane, paths.others, n);
  return leat_session_prepare_path (self, lane, paths.first, error)
         && (n == 1 || leat_session_prepare_path (self, lane, paths.others, error))
         && leat_session_prepare_path (self, lane, paths.last, error)
         && leat_repeating_launch (&self->repeating, &self->told, flight, &paths, n, error)
         && leat_session_await_steps (self, lane, paths.last, error);
}

static gboolean
leat_session_launch_path (LeatSession *self, LeatFlight *flight, GError **error)
{
  const LeatPath path = flight->run.path;
  gboolean good;

  leat_nvtx_push ("launch");
  good = path == LEAT_PATH_TIMED ? leat_told_launch_measured (&self->told, flight, error)
                                 : leat_lane_launch (flight->lane, path, error);
  leat_nvtx_pop ();
  if (G_UNLIKELY (flight->run.traced) && path != LEAT_PATH_TIMED)
    flight->run.marks[LEAT_MARK_LAUNCHED] = leat_run_now_ns ();
  return good;
}

/* Steps that a settled session leaves out: its plan is what it was, and nothing of it is lent, bound, measured or a
 * loop. */
static gboolean
leat_session_prepare_work (LeatSession *self, LeatFlight *flight, GError **error)
{
  LeatRun *run = &flight->run;

  if (G_UNLIKELY (LEAT_BOUND_PLAN (self->plan)->holds_back
                  && self->told.ledger.stats.runs >= LEAT_SESSION_RUNS_TO_SETTLE))
    leat_session_settle_plan (self);
  run->measured = run->steps == 0 && flight->lane->timing != NULL && leat_told_is_next_measured (&self->told);
  if (run->measured)
    run->path = LEAT_PATH_TIMED;
  if (!leat_session_prepare_path (self, flight->lane, run->path, error)
      || !leat_states_enter_buffers (&self->states, self->bindings.held, error))
    return FALSE;
  leat_told_watch_loops (&self->told, flight, g_atomic_int_get (&self->hold.closing));
  return TRUE;
}

static G_ALWAYS_INLINE inline gboolean
leat_session_launch_all (LeatSession *self, LeatFlight *flight, gboolean settled, GError **error)
{
  LeatLane *lane = flight->lane;
  LeatRun *run = &flight->run;

  run->path = leat_session_choose_path (self, flight);
  if (!settled && !leat_session_prepare_work (self, flight, error))
    return FALSE;
  if (G_UNLIKELY (!lane->executables[run->path].is_built) && !leat_session_prepare_path (self, lane, run->path, error))
    return FALSE;
  if (!run->streamed)
    leat_session_note_on_device (self, FALSE);
  if (!leat_lane_poison (lane, run->path, error))
    return FALSE;
  if (G_UNLIKELY (run->steps > 0) && !leat_session_launch_steps (self, flight, error))
    return FALSE;
  if (settled ? !leat_lane_launch_built (lane, run->path, error) : !leat_session_launch_path (self, flight, error))
    return FALSE;
  leat_session_note_predicted (self, run->path);
  if (!settled)
    run->launched = TRUE;
  return TRUE;
}

static gboolean
leat_session_try_ways (LeatSession *self, LeatFlight *flight, GError **error)
{
  return leat_session_prepare_path (self, flight->lane, LEAT_PATH_FULL, error)
         && leat_session_calibrate (self, flight, error);
}

/* Trials are called off as what is launched for the run is. */
static gboolean
leat_session_do_until_stopped (LeatSession *self, LeatFlight *flight,
                               gboolean (*step) (LeatSession *, LeatFlight *, GError **), GError **error)
{
  const LeatStop stop = { &self->hold.closing, flight->run.cancellable };
  gboolean good;

  flight->lane->stop = &stop;
  good = step (self, flight, error);
  flight->lane->stop = NULL;
  if (G_UNLIKELY (!good))
    leat_told_forget_loops (&self->told, flight->lane);
  if (G_UNLIKELY (!good && flight->run.on_device))
    {
      leat_repeating_call_off (&self->repeating);
      leat_repeating_forget (&self->repeating, flight);
    }
  return good;
}

static gboolean
leat_session_launch_unsettled (LeatSession *self, LeatFlight *flight, GError **error)
{
  return leat_session_launch_all (self, flight, FALSE, error);
}

static G_ALWAYS_INLINE inline gboolean
leat_session_launch_work (LeatSession *self, LeatFlight *flight, gboolean settled, GError **error)
{
  if (LEAT_BOUND_PLAN (self->plan)->prediction.waits == 0)
    return TRUE;
  return settled ? leat_session_launch_all (self, flight, TRUE, error)
                 : leat_session_do_until_stopped (self, flight, leat_session_launch_unsettled, error);
}

/* Where a kernel says what was wrong, a count that came of it says nothing more. */
static G_ALWAYS_INLINE inline gboolean
leat_session_check_work (LeatSession *self, LeatFlight *flight, gboolean settled, GError **error)
{
  LeatLane *lane = flight->lane;

  if ((!leat_lane_has_reports (lane) || leat_told_check_reports (&self->told, self->batch, flight, error))
      && (settled || leat_told_check_loops (&self->told, flight, error)))
    return (lane->overs == NULL || leat_lane_check_overs (lane, error)) && leat_lane_check_guard (lane, error);
  leat_lane_check_overs (lane, NULL);
  return FALSE;
}

static inline gboolean
leat_session_is_short (LeatSession *self, LeatFlight *flight)
{
  return G_UNLIKELY (self->plan->grows) && leat_session_find_short (self, flight);
}

/* How long a run took is known only to who sees its end.  Of one that was left alone it is seen where the device is
 * still at it; the CPU driver begins when somebody waits. */
static void
leat_run_find_beginning (LeatLane *lane, LeatRun *run)
{
  if (lane->on_host)
    run->filled_us = g_get_monotonic_time ();
  else
    run->untimed = !leat_lane_is_busy (lane);
}

/* The wait has failed with @error: where a persistent kernel was ended because the run took too long, that leaves the
 * device as it was.  But blocks that were ended on the way have left counters by which the next run's would wait for
 * what never comes, or for too little.  Where these cannot be cleared the session is done with. */
static void
leat_session_note_runaway (LeatSession *self, LeatFlight *flight, GError **error)
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
  self->told.ledger.stats.runs_refused++;
  leat_states_leave_buffers (&self->states);
}

/* Ends what leat_session_prepare_work () began.  Work that did not end has the buffers until the session is closed. */
static gboolean
leat_session_leave_work (LeatSession *self, LeatFlight *flight, gboolean good, GError **error)
{
  leat_told_forget_loops (&self->told, flight->lane);
  if (good)
    leat_states_leave_buffers (&self->states);
  else
    leat_repeating_forget (&self->repeating, flight);
  return good && leat_repeating_check (&self->repeating, &self->told, flight, error)
         && (!flight->run.measured || leat_told_read_measured (&self->told, flight, error));
}

static G_ALWAYS_INLINE inline gboolean
leat_session_wait_for_work (LeatSession *self, LeatFlight *flight, gboolean settled, GError **error)
{
  LeatLane *lane = flight->lane;
  LeatRun *run = &flight->run;
  gboolean good;

  if (!settled)
    leat_nvtx_push ("wait");
  if (!settled && run->apart)
    leat_run_find_beginning (lane, run);
  if (!settled && run->watched)
    good = leat_waiter_collect (self->await.waiter, &run->ended_us, error);
  else
    {
      good = leat_lane_wait (lane, g_atomic_int_get (&self->options.wait), error);
      run->ended_us = g_get_monotonic_time ();
    }
  if (G_UNLIKELY (!good))
    leat_session_note_runaway (self, flight, error);
  if (!settled)
    leat_nvtx_pop ();
  if (!settled && (run->traced || run->measured))
    run->marks[LEAT_MARK_COMPUTED] = leat_run_now_ns ();
  if (!settled)
    run->launched = run->watched = FALSE;
  if (!settled && !leat_session_leave_work (self, flight, good, error))
    return FALSE;
  if (!good
      || !(!settled && leat_session_is_short (self, flight) ? leat_session_forget_run (self, lane, error)
                                                            : leat_session_check_work (self, flight, settled, error)))
    return FALSE;
  if (!settled && run->short_of != NULL)
    return TRUE;
  if (!settled && lane->timing != NULL && !run->measured && !run->untimed)
    leat_told_note_unmeasured (&self->told, run->ended_us - run->filled_us);
  if (settled || !run->streamed)
    leat_session_note_on_device (self, TRUE);
  if (settled || !run->untimed)
    leat_lane_note_wait (lane, run->ended_us - run->filled_us);
  self->told.ledger.stats.runs_of[run->measured ? LEAT_PATH_FULL : run->path]++;
  if (self->told.ledger.kernel_transfers->len > 0)
    leat_ledger_note_kernel_transfers (&self->told.ledger, self->plan, lane, run->path, 1);
  return TRUE;
}

static inline void
leat_session_note_device_time (LeatSession *self, const LeatRun *run)
{
  self->told.ledger.stats.source_us += run->read_us - run->begin_us;
  if (G_LIKELY (!run->untimed))
    leat_session_note_device_us (self, run->ended_us - run->filled_us);
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

/* A thread that waits for the CPU driver does the work itself.  With more than one run launched another one does, and
 * is woken for it, which is worth while for long runs that need not wait for each other. */
static gboolean
leat_session_goes_one_by_one (LeatSession *self, const LeatFlight *flight)
{
  const LeatLane *lane = flight->lane;

  return lane->on_host && g_atomic_int_get (&self->options.wait) == LEAT_WAIT_AUTO
         && (lane->turn != NULL || lane->recent_ns < LEAT_SESSION_SHORT_NS);
}

gboolean
leat_session_needs_quiet (LeatSession *self, const LeatFlight *flight)
{
  return flight->run.ends || leat_session_goes_one_by_one (self, flight)
         || (LEAT_BOUND_PLAN (self->plan)->prediction.foreign > 0
             && leat_changes_are_there (leat_pipeline_get_changes (self->pipeline)))
         || (LEAT_BOUND_PLAN (self->plan)->holds_back && self->told.ledger.stats.runs >= LEAT_SESSION_RUNS_TO_SETTLE);
}

/* Data that was read is counted once, however far the run gets. */
static void
leat_session_note_read (LeatSession *self, LeatFlight *flight)
{
  self->told.ledger.stats.items_in += flight->run.items;
  self->told.ledger.stats.bytes_in += flight->run.bytes;
}

/* The one that ends the stream is done once.  The run tells, not the session: a thread that reads ahead may have come
 * to the end while this one launches runs before it. */
static guint64
leat_session_count_steps (const LeatSession *self, const LeatRun *run)
{
  return self->options.readback == LEAT_READBACK_FINAL && !run->flushes ? self->options.repeat - 1 : 0;
}

/* Steps that a settled session leaves out before the device begins. */
static gboolean
leat_session_begin_work (LeatSession *self, LeatFlight *flight, GError **error)
{
  LeatRun *run = &flight->run;

  run->traced = leat_told_is_traced (&self->told);
  self->told.tracing.n += run->traced;
  run->steps = leat_session_count_steps (self, run);
  if (!run->known && self->tuning.to_calibrate
      && !leat_session_do_until_stopped (self, flight, leat_session_try_ways, error))
    return FALSE;
  /* In memory that changes and trials may have moved. */
  return !run->ends || leat_lane_set_ending (flight->lane, error);
}

/* Times that nobody asks for where no source was asked. */
static void
leat_run_note_filled (LeatRun *run)
{
  run->read_us = run->streamed ? run->read_us : run->filled_us;
  run->begin_us = run->begin_us != 0 ? run->begin_us : run->filled_us;
  if (run->traced && !run->streamed)
    leat_run_mark_filled (run);
  if (run->traced)
    run->marks[LEAT_MARK_HANDED] = leat_run_now_ns ();
}

static G_ALWAYS_INLINE inline gboolean
leat_session_start_work (LeatSession *self, LeatFlight *flight, gboolean settled, GError **error)
{
  LeatRun *run = &flight->run;

  leat_session_note_read (self, flight);
  leat_session_note_last (self, 0);
  if ((!settled && !leat_device_check (self->device, error))
      || (leat_changes_are_there (leat_pipeline_get_changes (self->pipeline))
          && !leat_session_take_changes (self, error)))
    return FALSE;
  run->number = !settled && run->streamed ? run->number : self->told.ledger.stats.runs + 1;
  run->known = self->recall.memo != NULL && leat_recall_find (&self->recall, &self->told, flight);
  if (!settled && !leat_session_begin_work (self, flight, error))
    return FALSE;
  if (run->begin_us != 0 || !run->known)
    run->filled_us = g_get_monotonic_time ();
  if (!settled)
    leat_run_note_filled (run);
  return run->known || run->refused || leat_session_launch_work (self, flight, settled, error);
}

gboolean
leat_session_start_run (LeatSession *self, LeatFlight *flight, GError **error)
{
  gboolean good;

  leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_DEVICE);
  good = leat_session_start_work (self, flight, FALSE, error);
  if (G_UNLIKELY (!good))
    leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_NOTHING);
  return good;
}

/* With the room that it needs, as often as more of it is found to be missing: what was cut off in one place is not
 * there to be counted in the next.  The flight stays where it is, as there are no more of them than before. */
static G_NO_INLINE gboolean
leat_session_run_whole (LeatSession *self, LeatFlight *flight, GError **error)
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
      if (!leat_session_launch_work (self, flight, FALSE, error)
          || !leat_session_wait_for_work (self, flight, FALSE, error))
        return FALSE;
    }
  return TRUE;
}

/* A run whose result was known is no measurement of anything. */
static G_ALWAYS_INLINE inline gboolean
leat_session_await_work (LeatSession *self, LeatFlight *flight, gboolean settled, GError **error)
{
  LeatRun *run = &flight->run;

  if (run->known)
    return TRUE;
  if (!settled)
    run->ended_us = run->filled_us;
  if (!settled && run->refused)
    {
      g_propagate_error (error, g_steal_pointer (&self->tuning.trial_error));
      return FALSE;
    }
  if ((settled || run->launched) && !leat_session_wait_for_work (self, flight, settled, error))
    return FALSE;
  /* One of several that are under way is for who has them all. */
  if (!settled && run->short_of != NULL && (run->streamed || !leat_session_run_whole (self, flight, error)))
    return run->streamed;
  if (settled)
    leat_session_note_device_us (self, run->ended_us - run->filled_us);
  else
    leat_session_note_device_time (self, run);
  /* A result that is known already would come without what was reported of it. */
  if (self->recall.memo != NULL && !run->reported)
    leat_recall_keep (&self->recall, flight);
  return TRUE;
}

gboolean
leat_session_await_run (LeatSession *self, LeatFlight *flight, GError **error)
{
  const gboolean good = leat_session_await_work (self, flight, FALSE, error);

  leat_monitored_note_where (&self->told.monitored, flight->index, good ? LEAT_AT_RESULTS : LEAT_AT_NOTHING);
  return good;
}

gboolean
leat_session_give_run (LeatSession *self, LeatFlight *flight, GCancellable *cancellable, GError **error)
{
  LeatRun *run = &flight->run;
  const gboolean gives = leat_session_gives (self) && (!run->known || run->streamed);
  const gint64 begin_us = gives ? g_get_monotonic_time () : 0;
  LeatWatch watch;
  gboolean good;

  if (G_UNLIKELY (run->traced))
    run->marks[LEAT_MARK_GIVEN] = leat_run_now_ns ();
  leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_SINK);
  leat_session_begin_watch (self, &watch);
  good = leat_session_drain_all (self, flight, cancellable, error);
  leat_session_end_watch (self, &watch);
  leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_NOTHING);
  if (!good)
    return FALSE;
  run->sink_us = gives ? g_get_monotonic_time () - begin_us : 0;
  if (G_UNLIKELY (run->traced))
    leat_told_trace_run (&self->told, flight);
  return TRUE;
}

LeatFlow
leat_session_begin_run (LeatSession *self, LeatFlight *flight, gboolean wait, GCancellable *cancellable, GError **error)
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

static inline void
leat_session_note_end (LeatSession *self, const LeatRun *run)
{
  LeatSessionStats *stats = &self->told.ledger.stats;

  stats->bytes_out += run->taken;
  stats->sink_us += run->sink_us;
  if (G_UNLIKELY (stats->runs == 0))
    stats->first_us = g_get_monotonic_time () - self->told.ledger.open_since_us;
  stats->runs += run->known ? 1 : 1 + run->steps;
}

static LeatFlow
leat_session_end_one (LeatSession *self, LeatFlight *flight, GCancellable *cancellable, GError **error)
{
  if (!leat_session_await_run (self, flight, error))
    {
      self->told.ledger.stats.runs += flight->run.refused;
      return LEAT_FLOW_ERROR;
    }
  if (!leat_session_give_run (self, flight, cancellable, error))
    return LEAT_FLOW_ERROR;
  leat_session_note_end (self, &flight->run);
  return LEAT_FLOW_DATA;
}

/* Those after the first on the same inputs, when each gives its results. */
static LeatFlow
leat_session_run_again (LeatSession *self, LeatFlight *flight, GCancellable *cancellable, GError **error)
{
  LeatRun *run = &flight->run;

  if (!leat_session_may_go_on (self, cancellable, error))
    return LEAT_FLOW_ERROR;
  run->begin_us = run->read_us = run->filled_us = g_get_monotonic_time ();
  run->number = self->told.ledger.stats.runs + 1;
  run->taken = 0;
  run->known = run->traced = FALSE;
  run->refused = !leat_session_check_sinks (self, error);
  if (G_UNLIKELY (run->refused))
    return LEAT_FLOW_ERROR;
  leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_DEVICE);
  return leat_session_launch_work (self, flight, FALSE, error) ? leat_session_end_one (self, flight, cancellable, error)
                                                               : LEAT_FLOW_ERROR;
}

LeatFlow
leat_session_end_run (LeatSession *self, LeatFlight *flight, GCancellable *cancellable, GError **error)
{
  const guint64 n = flight->run.steps == 0 && !flight->run.flushes ? self->options.repeat : 1;
  LeatFlow flow = leat_session_end_one (self, flight, cancellable, error);

  for (guint64 i = 1; i < n && flow == LEAT_FLOW_DATA; i++)
    flow = leat_session_run_again (self, flight, cancellable, error);
  return flow;
}

/* Nobody takes them: the program looks where they are. */
static inline gboolean
leat_session_count_results (LeatSession *self, LeatFlight *flight, GError **error)
{
  for (guint i = 0; i < flight->n_outputs; i++)
    {
      const LeatStaging *staging = &flight->outputs[i];
      const guint64 count = leat_staging_get_count (staging);

      if (G_UNLIKELY (count > staging->most))
        return leat_session_drain_all (self, flight, NULL, error);
      flight->run.taken += leat_staging_get_bytes (staging, count);
    }
  return TRUE;
}

/* The run of a session that is settled (leat_session_replay ()): the same as any other, compiled once more without the
 * steps that are rare.  What the memory of inputs holds is taken as it is. */
LeatFlow
leat_session_run_settled (LeatSession *self, GError **error)
{
  LeatFlight *flight = leat_session_get_flight (self, 0);
  LeatRun *run = &flight->run;
  gboolean good;

  self->told.ledger.n_settled++;
  leat_run_begin_again (run);
  for (guint i = 0; i < flight->n_inputs; i++)
    leat_run_add_input (run, &flight->inputs[i]);
  leat_monitored_note_where (&self->told.monitored, 0, LEAT_AT_DEVICE);
  good = leat_session_start_work (self, flight, TRUE, error) && leat_session_await_work (self, flight, TRUE, error);
  leat_monitored_note_where (&self->told.monitored, 0, LEAT_AT_NOTHING);
  if (G_UNLIKELY (!good))
    self->told.ledger.stats.runs += run->refused;
  if (!good || !leat_session_count_results (self, flight, error))
    return LEAT_FLOW_ERROR;
  leat_session_note_end (self, run);
  return LEAT_FLOW_DATA;
}
