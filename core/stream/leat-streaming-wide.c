/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Streaming with many runs in each launch.  The sources fill one lane after the other in the memory of a batch; where
 * as many are full as go into a launch, or nothing more has come for now, these are launched.  While the device works
 * on them the next are read, and the results of those before go to the sinks, in the order of the data. */

#include "leat-streaming-private.h"
#include "session/leat-kept-private.h"
#include "leat-batch-private.h"
#include "tell/leat-reports-private.h"

#include "graph/leat-pipeline-private.h"
#include "bind/leat-bind-private.h"
#include "session/leat-session-run-private.h"
#include "session/leat-session-setup-private.h"
#include "session/leat-session-told-private.h"

#include <string.h>

typedef struct
{
  LeatSession *session;
  LeatBatch *batch;
  GCancellable *cancellable;
  guint n;           /* lanes in a launch */
  LeatFlight *slots; /* for each lane that there is memory for: where it has its data */
  LeatBatchRun run;
  guint filled[LEAT_BATCH_FLIGHTS];       /* of each flight: lanes that have data and have not been given */
  gint64 launched_us[LEAT_BATCH_FLIGHTS]; /* 0: not yet */
  guint next;                             /* flight to be filled; it is the oldest too */
  GError *refusal;                        /* data of a lane were at fault: nothing more is read */
  gboolean is_clean;                      /* it was called off when no source had been asked for a lane that is lost */
} LeatWide;

/* A sink that takes what is on the device has no host memory of which each lane had a part. */
static gboolean
leat_session_has_sink_on_device (LeatSession *self)
{
  gboolean has = FALSE;

  for (guint i = 0; i < self->ends.outputs->len && !has; i++)
    has = leat_plan_get_root (self->batch->shape, leat_session_get_output (self, i)->buffer->id)->kind
          != LEAT_BUFFER_STAGING;
  return has;
}

/* For the plan that the session has now; what it was for another one is not asked again. */
static gboolean
leat_session_has_wide_plan (LeatSession *self)
{
  if (self->streaming.not_wide == self->plan)
    return FALSE;
  if (leat_session_have_batch (self, FALSE, NULL) && LEAT_BOUND_PLAN (self->batch->shape)->why_in_turn == NULL
      && LEAT_BOUND_PLAN (self->batch->shape)->traits.entries > 1 && !leat_session_has_sink_on_device (self))
    return TRUE;
  self->streaming.not_wide = self->plan;
  return FALSE;
}

gboolean
leat_session_should_widen (LeatSession *self)
{
  return self->options.batch_most > 1 && self->recall.memo == NULL && !self->plan->grows
         && leat_session_may_stream (self) && leat_session_has_wide_plan (self);
}

static void
leat_wide_place (LeatWide *self, const LeatBuffer *buffer, guint slot, LeatStaging *staging)
{
  guint8 *host = leat_batch_get_host (self->batch, buffer->id, slot);

  staging->view.data = host + (buffer->header ? LEAT_BUFFER_HEADER : 0);
  staging->count = buffer->header ? (guint64 *) host : NULL;
}

static void
leat_wide_make_slots (LeatWide *self)
{
  LeatSession *session = self->session;
  guint n_ports = session->ends.inputs->len + session->ends.outputs->len;

  self->slots = g_new0 (LeatFlight, self->run.n);
  for (guint slot = 0; slot < self->run.n; slot++)
    {
      LeatFlight *flight = &self->slots[slot];

      flight->lane = leat_session_get_flight (session, 0)->lane;
      flight->index = slot;
      flight->n_inputs = session->ends.inputs->len;
      flight->n_outputs = session->ends.outputs->len;
      flight->inputs = g_new (LeatStaging, n_ports);
      flight->outputs = flight->inputs + flight->n_inputs;
      for (guint i = 0; i < flight->n_inputs; i++)
        {
          flight->inputs[i] = leat_session_get_input (session, i)->staging;
          leat_wide_place (self, leat_session_get_input (session, i)->buffer, slot, &flight->inputs[i]);
        }
      for (guint i = 0; i < flight->n_outputs; i++)
        {
          flight->outputs[i] = leat_session_get_output (session, i)->staging;
          leat_wide_place (self, leat_session_get_output (session, i)->buffer, slot, &flight->outputs[i]);
        }
    }
}

static void
leat_wide_clear (LeatWide *self)
{
  for (guint slot = 0; self->slots != NULL && slot < self->run.n; slot++)
    g_free (self->slots[slot].inputs);
  g_free (self->slots);
  g_clear_error (&self->refusal);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatWide, leat_wide_clear)

static guint
leat_wide_count_launched (LeatWide *self)
{
  guint n = 0;

  for (guint i = 0; i < self->batch->n_flights; i++)
    n += self->launched_us[i] != 0 ? self->filled[i] : 0;
  return n;
}

/* Results of one lane, or what it failed with: the first such is what the call ends with, all are on the bus. */
static gboolean
leat_wide_give (LeatWide *self, guint slot, GError **error)
{
  LeatFlight *flight = &self->slots[slot];
  GError **failure = (GError **) &g_ptr_array_index (self->batch->errors, slot);
  LeatSession *session = self->session;

  if (*failure != NULL && self->refusal == NULL)
    self->refusal = g_error_copy (*failure);
  if (*failure == NULL && !leat_session_give_run (session, flight, self->cancellable, error))
    return FALSE;
  g_clear_error (failure);
  session->told.ledger.stats.sink_us += flight->run.sink_us;
  if (session->told.ledger.stats.runs++ == 0)
    session->told.ledger.stats.first_us = g_get_monotonic_time () - session->told.ledger.open_since_us;
  return TRUE;
}

/* Runs are counted since the session was opened, in the order of the data. @others: lanes that are given before */
static void
leat_wide_set_before (LeatWide *self, guint index, guint others)
{
  self->run.before = self->session->told.ledger.stats.runs + others - (guint64) index * self->n;
}

/* The first of all lanes that fail is what the call ends with. */
static void
leat_wide_tell (LeatWide *self, guint first, guint n)
{
  LeatSession *session = self->session;
  guint cause = first;

  while (cause < first + n && g_ptr_array_index (self->batch->errors, cause) == NULL)
    cause++;
  if (self->refusal != NULL || cause == first + n)
    cause = G_MAXUINT;
  leat_batch_run_tell (session, cause == G_MAXUINT || leat_batch_run_is_untold (session, cause));
  leat_batch_run_tell_failed (session, &self->run, cause);
}

static gboolean
leat_wide_complete (LeatWide *self, guint index, GError **error)
{
  LeatSession *session = self->session;
  guint first = index * self->n, n = self->filled[index];
  gboolean good;

  if (self->launched_us[index] == 0)
    return TRUE;
  leat_wide_set_before (self, index, 0);
  good = leat_batch_run_complete (session, &self->run, &self->batch->flights[index], error);
  session->told.ledger.stats.device_us += g_get_monotonic_time () - self->launched_us[index];
  leat_wide_tell (self, first, n);
  for (guint i = 0; i < n && good; i++)
    good = leat_wide_give (self, first + i, error);
  self->filled[index] = 0;
  self->launched_us[index] = 0;
  if (good)
    leat_session_tell_stats (session);
  if (good)
    leat_session_post_progress (session);
  return good;
}

static gboolean
leat_wide_complete_all (LeatWide *self, GError **error)
{
  gboolean good = TRUE;

  for (guint i = 0; i < self->batch->n_flights && good; i++)
    good = leat_wide_complete (self, (self->next + i) % self->batch->n_flights, error);
  return good;
}

/* Arguments of kernels may have been set; a graph with nodes for each lane is made anew then. */
static gboolean
leat_wide_take_changes (LeatWide *self, GError **error)
{
  LeatSession *session = self->session;

  if (!leat_changes_are_there (leat_pipeline_get_changes (session->pipeline)))
    return TRUE;
  return leat_wide_complete_all (self, error) && leat_session_take_changes (session, error)
         && leat_session_renew_batch (session, error);
}

/* Where what is spread has a graph for each power of two, the rest of a flight takes several launches. */
static gboolean
leat_wide_launch (LeatWide *self, guint index, GError **error)
{
  LeatSession *session = self->session;
  guint first = index * self->n, all = self->filled[index], n;

  if (all == 0)
    return TRUE;
  if (!leat_wide_take_changes (self, error))
    return FALSE;
  leat_wide_set_before (self, index, leat_wide_count_launched (self));
  for (guint done = 0; done < all; done += n)
    {
      n = leat_plan_spreads (self->batch->shape) ? leat_batch_choose_n (self->batch, all - done, all) : all;
      if (done > 0 && !leat_batch_run_complete (session, &self->run, &self->batch->flights[index], error))
        return FALSE;
      if (!leat_batch_run_launch (session, &self->run, index, first + done, n, error))
        return FALSE;
    }
  self->launched_us[index] = g_get_monotonic_time ();
  session->told.ledger.stats.in_flight_most =
    MAX (session->told.ledger.stats.in_flight_most, leat_wide_count_launched (self));
  return TRUE;
}

/* One lane.  While anything is under way nothing is waited for. */
static LeatFlow
leat_wide_read (LeatWide *self, guint slot, gboolean wait, GError **error)
{
  LeatSession *session = self->session;
  LeatFlight *flight = &self->slots[slot];
  LeatFlow flow;

  if (session->ends.n_filled == 0)
    flight->run = (LeatRun){ .streamed = TRUE };
  flow = leat_session_read_run (session, flight, wait, self->cancellable, error);
  self->is_clean = flow == LEAT_FLOW_ERROR && flight->run.refused;
  if (flow != LEAT_FLOW_DATA)
    return flow;
  session->told.ledger.stats.items_in += flight->run.items;
  session->told.ledger.stats.bytes_in += flight->run.bytes;
  session->told.ledger.stats.source_us += flight->run.read_us - flight->run.begin_us;
  return LEAT_FLOW_DATA;
}

/* A sink that does not wait may be full with what is given to it before this lane: that goes first.  Counted as read is
 * what was, so it is read no more. */
static LeatFlow
leat_wide_find_room (LeatWide *self, guint index, GError **error)
{
  LeatSession *session = self->session;
  guint ahead = leat_wide_count_launched (self) + self->filled[index];
  LeatFlight *flight = &self->slots[index * self->n + self->filled[index]];

  if (leat_session_has_room (session, ahead))
    return LEAT_FLOW_DATA;
  leat_session_keep_read (session, flight);
  session->told.ledger.stats.items_in -= flight->run.items;
  session->told.ledger.stats.bytes_in -= flight->run.bytes;
  self->is_clean = ahead == 0 && !leat_session_check_sinks (session, error);
  return self->is_clean ? LEAT_FLOW_ERROR : LEAT_FLOW_EMPTY;
}

/* As many lanes as there are data for.  EMPTY: none for now. */
static LeatFlow
leat_wide_fill (LeatWide *self, guint index, gboolean wait, GError **error)
{
  LeatFlow flow = LEAT_FLOW_DATA;

  while (self->filled[index] < self->n && flow == LEAT_FLOW_DATA)
    {
      gboolean may_wait = wait && self->filled[index] == 0;

      if (!leat_session_may_go_on (self->session, self->cancellable, error))
        {
          self->is_clean = TRUE;
          return LEAT_FLOW_ERROR;
        }
      flow = leat_wide_read (self, index * self->n + self->filled[index], may_wait, error);
      if (flow == LEAT_FLOW_DATA)
        flow = leat_wide_find_room (self, index, error);
      self->filled[index] += flow == LEAT_FLOW_DATA;
    }
  return flow;
}

/* Carries over data that some sources gave already for a lane, while others have nothing for it yet. */
static void
leat_wide_carry (LeatWide *self, guint from, guint to)
{
  LeatSession *session = self->session;

  if (from == to)
    return;
  for (guint i = 0; i < session->ends.n_filled; i++)
    {
      const LeatBuffer *buffer = leat_session_get_input (session, i)->buffer;

      memcpy (leat_batch_get_host (self->batch, buffer->id, to), leat_batch_get_host (self->batch, buffer->id, from),
              buffer->bytes);
    }
  self->slots[to].run = self->slots[from].run;
}

/* One flight: what it had before is given, then it is filled and launched.  DATA where more may come. */
static LeatFlow
leat_wide_turn (LeatWide *self, GError **error)
{
  g_autoptr (GError) inner = NULL;
  guint index = self->next;
  guint end;
  LeatFlow flow;

  if (!leat_wide_complete (self, index, error))
    return LEAT_FLOW_ERROR;
  if (self->refusal != NULL)
    return LEAT_FLOW_END;
  flow = leat_wide_fill (self, index, leat_wide_count_launched (self) == 0, &inner);
  if (flow == LEAT_FLOW_EMPTY && self->filled[index] == 0)
    return leat_wide_complete_all (self, error) ? LEAT_FLOW_DATA : LEAT_FLOW_ERROR;
  self->next = (index + 1) % self->batch->n_flights;
  end = index * self->n + self->filled[index];
  if (!leat_wide_launch (self, index, error))
    return LEAT_FLOW_ERROR;
  if (self->session->ends.n_filled > 0 && (flow == LEAT_FLOW_EMPTY || self->is_clean))
    {
      if (!leat_wide_complete_all (self, error))
        return LEAT_FLOW_ERROR;
      leat_wide_carry (self, end, self->next * self->n);
    }
  /* Data that was read before a source failed is good. */
  if (inner != NULL && leat_wide_complete_all (self, error))
    g_propagate_error (error, g_steal_pointer (&inner));
  else
    self->is_clean = FALSE;
  return flow == LEAT_FLOW_EMPTY ? LEAT_FLOW_DATA : flow;
}

static LeatFlow
leat_wide_go (LeatWide *self, GError **error)
{
  LeatChanges *changes = leat_pipeline_get_changes (self->session->pipeline);
  LeatFlow flow = LEAT_FLOW_DATA;

  while (flow == LEAT_FLOW_DATA && !leat_changes_have_props (changes))
    flow = leat_wide_turn (self, error);
  if (flow != LEAT_FLOW_ERROR && !leat_wide_complete_all (self, error))
    flow = LEAT_FLOW_ERROR;
  return flow;
}

/* For who goes on, which is the first lane. */
static void
leat_wide_keep_read (LeatWide *self)
{
  LeatSession *session = self->session;
  g_auto (LeatKept) kept = { 0 };

  if (session->ends.n_filled == 0)
    return;
  leat_kept_init (&kept, session, &self->slots[self->next * self->n], session->ends.n_filled);
  leat_kept_put (&kept, session, leat_session_get_flight (session, 0));
}

static LeatFlow
leat_wide_settle (LeatWide *self, LeatFlow flow, GError **error)
{
  LeatSession *session = self->session;
  LeatFlight *flight = leat_session_get_flight (session, 0);

  leat_monitored_clear_where (&session->told.monitored);
  leat_wide_keep_read (self);
  if (flow == LEAT_FLOW_ERROR)
    leat_batch_run_abandon (session);
  if (flow != LEAT_FLOW_ERROR && self->refusal == NULL)
    return flow == LEAT_FLOW_DATA ? flow : leat_session_settle (session, flow, error);
  flight->run.refused =
    flow != LEAT_FLOW_ERROR && g_error_matches (self->refusal, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
  if (flow != LEAT_FLOW_ERROR)
    g_propagate_error (error, g_steal_pointer (&self->refusal));
  if (flow == LEAT_FLOW_ERROR && self->is_clean)
    {
      leat_session_tell_stats (session);
      return flow;
    }
  return leat_session_settle (session, LEAT_FLOW_ERROR, error);
}

LeatFlow
leat_session_stream_wide (LeatSession *self, GCancellable *cancellable, GError **error)
{
  g_auto (LeatWide) wide = { .session = self, .cancellable = cancellable };
  LeatBatch *batch;

  if (!leat_session_take_props (self, TRUE, error))
    return LEAT_FLOW_ERROR;
  if (!leat_session_should_widen (self))
    return LEAT_FLOW_DATA;
  wide.batch = batch = self->batch;
  wide.n = LEAT_BOUND_PLAN (batch->shape)->traits.entries;
  wide.run = (LeatBatchRun){ .n = wide.n * batch->n_flights, .in_place = TRUE };
  if (!leat_batch_make_room (batch, &batch->ring, wide.run.n, error) || !leat_session_take_changes (self, error)
      || !leat_session_renew_batch (self, error))
    return leat_session_settle (self, LEAT_FLOW_ERROR, error);
  leat_batch_begin_errors (batch, wide.run.n);
  g_array_set_size (batch->reports, 0);
  leat_told_take_refusal (&self->told, NULL);
  leat_wide_make_slots (&wide);
  self->told.ledger.stats.lanes = wide.run.n;
  return leat_wide_settle (&wide, leat_wide_go (&wide, error), error);
}
