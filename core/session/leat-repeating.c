/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Many runs on one set of inputs, of which only the last gives results: all of them are put on the stream at once. */

#include "leat-repeating-private.h"

static void
leat_ledger_note_steps (LeatLedger *self, LeatLane *lane, LeatPath path, guint64 n)
{
  self->stats.runs_silent += n;
  leat_ledger_note_kernel_transfers (self, lane->plan, lane, path, n);
}

void
leat_repeating_call_off (LeatRepeating *self)
{
  g_mutex_lock (&self->lock);
  if (self->stop_word != NULL)
    __atomic_store_n (self->stop_word, 1, __ATOMIC_RELEASE);
  g_mutex_unlock (&self->lock);
}

static void
leat_repeating_cancelled (GCancellable *cancellable, gpointer repeating)
{
  leat_repeating_call_off (repeating);
}

static void
leat_repeating_set_stop_word (LeatRepeating *self, guint64 *word)
{
  g_mutex_lock (&self->lock);
  self->stop_word = word;
  g_mutex_unlock (&self->lock);
}

/* The host does not look at them any more: who calls them off tells the device. */
static void
leat_repeating_watch (LeatRepeating *self, LeatFlight *flight, LeatPath path)
{
  flight->run.on_device = TRUE;
  flight->run.on_device_path = path;
  leat_repeating_set_stop_word (self, leat_repeater_get_stop (flight->lane->repeater));
  if (flight->run.cancellable == NULL)
    return;
  self->stopper = g_object_ref (flight->run.cancellable);
  self->stopper_id = g_cancellable_connect (self->stopper, G_CALLBACK (leat_repeating_cancelled), self, NULL);
}

void
leat_repeating_forget (LeatRepeating *self, LeatFlight *flight)
{
  if (!flight->run.on_device)
    return;
  flight->run.on_device = FALSE;
  if (self->stopper != NULL)
    g_cancellable_disconnect (self->stopper, self->stopper_id);
  g_clear_object (&self->stopper);
  leat_repeating_set_stop_word (self, NULL);
}

gboolean
leat_repeating_check (LeatRepeating *self, LeatTold *told, LeatFlight *flight, GError **error)
{
  guint64 left;

  if (G_LIKELY (!flight->run.on_device))
    return TRUE;
  leat_repeating_forget (self, flight);
  left = leat_lane_take_back_runs (flight->lane, flight->run.on_device_path);
  if (left == 0)
    return TRUE;
  told->ledger.stats.runs_silent -= left;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
               "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " runs were called off", left, flight->run.steps + 1);
  return FALSE;
}

static gboolean
leat_repeating_launch_alike (LeatRepeating *self, LeatTold *told, LeatFlight *flight, LeatPath path, guint64 n,
                             GError **error)
{
  LeatLane *lane = flight->lane;
  gboolean on_device, good;

  leat_ledger_note_steps (&told->ledger, lane, path, n);
  good = leat_lane_launch_repeated (lane, path, n, lane->stop, &on_device, error);
  if (on_device)
    leat_repeating_watch (self, flight, path);
  return good;
}

/* Where the inputs do not stay on the device, each run brings them there. */
LeatStepPaths
leat_step_paths_choose (LeatPath path, gboolean reused)
{
  return (LeatStepPaths){ .first = path == LEAT_PATH_REUSED ? LEAT_PATH_STEP : LEAT_PATH_FIRST,
                          .others = reused ? LEAT_PATH_STEP : LEAT_PATH_FIRST,
                          .last = reused ? LEAT_PATH_REUSED : LEAT_PATH_FULL };
}

gboolean
leat_repeating_launch (LeatRepeating *self, LeatTold *told, LeatFlight *flight, const LeatStepPaths *paths, guint64 n,
                       GError **error)
{
  if (paths->first == paths->others)
    return leat_repeating_launch_alike (self, told, flight, paths->others, n, error);
  leat_ledger_note_steps (&told->ledger, flight->lane, paths->first, 1);
  return leat_lane_launch (flight->lane, paths->first, error)
         && leat_repeating_launch_alike (self, told, flight, paths->others, n - 1, error);
}

void
leat_repeating_init (LeatRepeating *self)
{
  g_mutex_init (&self->lock);
}

void
leat_repeating_clear (LeatRepeating *self)
{
  g_mutex_clear (&self->lock);
}
