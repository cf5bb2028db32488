/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How many lanes a session streams over, and whether it pays.  With lanes=auto the first runs are done one after the
 * other; what they took in the source, on the device and in the sink says what would be gained by doing these beside
 * each other. */

#include "leat-streaming-private.h"

#include "lane/leat-lane-graph-private.h"
#include "session/leat-session-run-private.h"
#include "session/leat-session-setup-private.h"
#include "session/leat-session-plan-private.h"

#include <sys/resource.h>

#define LEAT_LANES_TRIAL     4          /* runs before the first look; each look later is after four times as many */
#define LEAT_LANES_GAIN_US   50         /* of a run, at least; to hand a run from thread to thread takes time too */
#define LEAT_LANES_SHARE     10         /* and a tenth of it */
#define LEAT_LANES_MOST_HOST (1u << 30) /* pinned bytes that further lanes may take, */
#define LEAT_LANES_RESERVED  (1u << 27) /* and up to which they are allocated while the first one works */

/* Memory that the program fills or reads is that of one lane. */
static gboolean
leat_session_is_queued (LeatSession *self)
{
  for (guint i = 0; i < self->ends.inputs->len; i++)
    if (leat_session_get_input (self, i)->direct)
      return FALSE;
  for (guint i = 0; i < self->ends.outputs->len; i++)
    if (leat_session_get_output (self, i)->direct)
      return FALSE;
  return self->ends.inputs->len > 0;
}

/* A program that pushes and pulls decides itself how far ahead it is. */
static gboolean
leat_session_has_app (LeatSession *self)
{
  for (guint i = 0; i < self->ends.inputs->len; i++)
    if (LEAT_IS_APP (leat_session_get_input (self, i)->op->node))
      return TRUE;
  for (guint i = 0; i < self->ends.outputs->len; i++)
    if (LEAT_IS_APP (leat_session_get_output (self, i)->op->node))
      return TRUE;
  return FALSE;
}

static gboolean
leat_session_has_room_for_lanes (LeatSession *self)
{
  guint64 more = MAX (leat_session_fit_lanes (self, LEAT_LANES_AUTO), 1) - 1;
  guint64 unused;

  if (more == 0 || leat_plan_get_host_bytes (self->plan) * more > LEAT_LANES_MOST_HOST)
    return FALSE;
  if (!leat_device_push (self->device, NULL))
    return FALSE;
  unused = leat_lane_get_unused_bytes (g_ptr_array_index (self->lanes, 0));
  leat_device_pop (self->device);
  return leat_plan_get_device_bytes (self->plan) * more <= unused / 2;
}

/* The runs since the last look.  Where the device is the processors that sources and sinks run on, nothing is gained
 * but the time that these wait. */
static gboolean
leat_session_gains_by_lanes (LeatSession *self, const LeatLanesTrial *since, guint n)
{
  gint64 source_us = self->told.ledger.stats.source_us - since->source_us;
  gint64 device_us = self->told.ledger.stats.device_us - since->device_us;
  gint64 sink_us = self->told.ledger.stats.sink_us - since->sink_us;
  gint64 all_us = source_us + device_us + sink_us;
  gint64 gain_us = all_us - MAX (MAX (source_us, device_us), sink_us);

  if (self->ends.watches_waits)
    gain_us = MIN (gain_us, self->ends.waited_us - since->waited_us);
  return gain_us > (gint64) n * LEAT_LANES_GAIN_US && gain_us > all_us / LEAT_LANES_SHARE;
}

static void
leat_session_begin_trial (LeatSession *self, LeatLanesTrial *trial)
{
  self->ends.watches_waits = leat_session_get_flight (self, 0)->lane->on_host;
  trial->began_us = g_get_monotonic_time ();
  trial->source_us = self->told.ledger.stats.source_us;
  trial->device_us = self->told.ledger.stats.device_us;
  trial->sink_us = self->told.ledger.stats.sink_us;
  trial->waited_us = self->ends.waited_us;
}

/* Each look is at the last few runs; the first of all is no example. */
static gboolean
leat_session_look_at_gain (LeatSession *self, LeatLanesTrial *trial)
{
  guint n = trial->n++;
  gboolean gains;

  trial->next = MAX (trial->next, 1 + LEAT_LANES_TRIAL);
  if (n == trial->next - LEAT_LANES_TRIAL)
    leat_session_begin_trial (self, trial);
  if (n != trial->next)
    return FALSE;
  gains = leat_session_gains_by_lanes (self, trial, LEAT_LANES_TRIAL);
  self->ends.watches_waits = FALSE;
  trial->run_ns = MAX ((g_get_monotonic_time () - trial->began_us) * 1000 / LEAT_LANES_TRIAL, 1);
  trial->next *= 4;
  return gains && leat_session_has_room_for_lanes (self);
}

/* Runs that are repeated are of one lane, and so are those that work on buffers which the program has too. */
static gboolean
leat_session_needs_one_lane (LeatSession *self)
{
  return self->options.n_lanes == 1 || self->options.repeat > 1 || self->states.lent->len > 0
         || self->bindings.held != NULL;
}

gboolean
leat_session_may_stream (LeatSession *self)
{
  return !leat_session_needs_one_lane (self) && !self->ends.ended && !self->tuning.to_calibrate
         && self->ends.n_filled == 0 && leat_session_is_queued (self);
}

/* With as many as have a state that waits for them. */
static guint
leat_session_choose_lanes (LeatSession *self)
{
  return leat_session_fit_lanes (self, MAX (LEAT_LANES_AUTO, self->states.away->len));
}

/* That are not there yet. */
static guint
leat_session_count_more_lanes (LeatSession *self)
{
  guint n = leat_session_choose_lanes (self);

  return n > self->lanes->len ? n - self->lanes->len : 0;
}

/* Pinning memory is what takes long: the first lane works on meanwhile. */
static LeatReserve *
leat_session_reserve_lanes (LeatSession *self)
{
  const guint more = leat_session_count_more_lanes (self);
  LeatReserve *reserve = leat_reserve_new (self->device);
  gboolean good = more * leat_plan_get_host_bytes (self->plan) <= LEAT_LANES_RESERVED;

  for (guint i = 0; i < more && good; i++)
    for (guint k = 0; k < self->plan->buffers->len; k++)
      {
        const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, k);

        if (LEAT_BOUND_BUFFER (buffer)->place == LEAT_PLACE_STAGING)
          leat_reserve_add (reserve, LEAT_MEMORY_PINNED, buffer->bytes + LEAT_BOUND_BUFFER (buffer)->zone);
      }
  leat_reserve_begin (reserve);
  return reserve;
}

void
leat_session_end_trial (LeatLanesTrial *trial)
{
  g_clear_pointer (&trial->reserve, leat_reserve_free);
}

gboolean
leat_session_should_stream (LeatSession *self, LeatLanesTrial *trial)
{
  if (!leat_session_may_stream (self))
    return FALSE;
  if (self->options.n_lanes > 1)
    {
      trial->run_ns = 0;
      return TRUE;
    }
  if (trial->reserve == NULL && LEAT_BOUND_PLAN (self->plan)->prediction.foreign == 0 && !leat_session_has_app (self)
      && leat_session_look_at_gain (self, trial))
    trial->reserve = leat_session_reserve_lanes (self);
  if (trial->reserve == NULL || !leat_reserve_is_done (trial->reserve))
    return FALSE;
  leat_session_end_trial (trial);
  return TRUE;
}

/* Too little memory for more lanes is an error only where the application asked for a number of lanes. */
gboolean
leat_session_grow_lanes (LeatSession *self, GError **error)
{
  const LeatSetupBase base = leat_session_get_base (self);
  guint n = self->options.n_lanes > 0 ? self->options.n_lanes : leat_session_choose_lanes (self);
  guint64 written = leat_memory_account_get_written (self->account);
  g_autoptr (GError) inner = NULL;

  if (self->lanes->len < n && !leat_setup_grow (self->setup, &base, n, &inner)
      && (self->options.n_lanes > 0 || !g_error_matches (inner, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY)))
    {
      g_propagate_prefixed_error (error, g_steal_pointer (&inner), "lanes=%u: ", n);
      return FALSE;
    }
  self->told.ledger.stats.once_bytes += leat_memory_account_get_written (self->account) - written;
  self->told.ledger.lanes_most = MAX (self->told.ledger.lanes_most, self->lanes->len);
  self->told.ledger.levels_changed = TRUE;
  leat_session_make_flights (self);
  return leat_states_bring_lanes_back (&self->states, error);
}
