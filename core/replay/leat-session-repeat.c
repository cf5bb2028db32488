/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Many runs on one set of inputs, of which only the last gives results: all of them are put on the stream at once. */

#include "leat-session-private.h"
#include "leat-session-run-private.h"
#include "leat-session-told-private.h"

GType
leat_readback_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_READBACK_FINAL, "LEAT_READBACK_FINAL", "final" },
                                       { LEAT_READBACK_EACH, "LEAT_READBACK_EACH", "each" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatReadback", values));
  return type;
}

/* The one that ends the stream is done once.  The run tells, not the session: a thread that reads ahead may have come
 * to the end while this one launches runs before it. */
guint64
leat_session_count_steps (LeatSession *self, const LeatRun *run)
{
  return self->options.readback == LEAT_READBACK_FINAL && !run->flushes ? self->options.repeat - 1 : 0;
}

static void
leat_session_note_steps (LeatSession *self, LeatLane *lane, LeatPath path, guint64 n)
{
  self->ledger.stats.runs_silent += n;
  leat_session_note_kernel_transfers (self, lane, path, n);
}

void
leat_session_call_off_steps (LeatSession *self)
{
  g_mutex_lock (&self->told.lock);
  if (self->repeating.stop_word != NULL)
    __atomic_store_n (self->repeating.stop_word, 1, __ATOMIC_RELEASE);
  g_mutex_unlock (&self->told.lock);
}

static void
leat_session_steps_cancelled (GCancellable *cancellable, gpointer session)
{
  leat_session_call_off_steps (session);
}

static void
leat_session_set_stop_word (LeatSession *self, guint64 *word)
{
  g_mutex_lock (&self->told.lock);
  self->repeating.stop_word = word;
  g_mutex_unlock (&self->told.lock);
}

/* The host does not look at them any more: who calls them off tells the device. */
static void
leat_session_watch_steps (LeatSession *self, LeatSessionFlight *flight, LeatPath path)
{
  flight->run.on_device = TRUE;
  flight->run.on_device_path = path;
  leat_session_set_stop_word (self, leat_repeater_get_stop (flight->lane->repeater));
  if (flight->run.cancellable == NULL)
    return;
  self->repeating.stopper = g_object_ref (flight->run.cancellable);
  self->repeating.stopper_id =
    g_cancellable_connect (self->repeating.stopper, G_CALLBACK (leat_session_steps_cancelled), self, NULL);
}

void
leat_session_forget_steps (LeatSession *self, LeatSessionFlight *flight)
{
  if (!flight->run.on_device)
    return;
  flight->run.on_device = FALSE;
  if (self->repeating.stopper != NULL)
    g_cancellable_disconnect (self->repeating.stopper, self->repeating.stopper_id);
  g_clear_object (&self->repeating.stopper);
  leat_session_set_stop_word (self, NULL);
}

gboolean
leat_session_check_steps (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  guint64 left;

  if (G_LIKELY (!flight->run.on_device))
    return TRUE;
  leat_session_forget_steps (self, flight);
  left = leat_lane_take_back_runs (flight->lane, flight->run.on_device_path);
  if (left == 0)
    return TRUE;
  self->ledger.stats.runs_silent -= left;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
               "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " runs were called off", left, flight->run.steps + 1);
  return FALSE;
}

static gboolean
leat_session_launch_alike (LeatSession *self, LeatSessionFlight *flight, LeatPath path, guint64 n, GError **error)
{
  LeatLane *lane = flight->lane;
  gboolean on_device, good;

  leat_session_note_steps (self, lane, path, n);
  good = leat_lane_launch_repeated (lane, path, n, lane->stop, &on_device, error);
  if (on_device)
    leat_session_watch_steps (self, flight, path);
  return good;
}

/* @path: of the first run; becomes that of the last, which is left to the caller.  Where the inputs do not stay on the
 * device, each run brings them there. */
gboolean
leat_session_launch_steps (LeatSession *self, LeatSessionFlight *flight, guint64 n, LeatPath *path, GError **error)
{
  LeatLane *lane = flight->lane;
  const gboolean reused = self->options.reuse && LEAT_BOUND_PLAN (self->plan)->why_not_reusable == NULL;
  LeatPath first = *path == LEAT_PATH_REUSED ? LEAT_PATH_STEP : LEAT_PATH_FIRST;
  LeatPath others = reused ? LEAT_PATH_STEP : LEAT_PATH_FIRST;

  *path = reused ? LEAT_PATH_REUSED : LEAT_PATH_FULL;
  leat_lane_renew_repeated (lane, others, n);
  if (!leat_session_prepare_path (self, lane, first, error)
      || (n > 1 && !leat_session_prepare_path (self, lane, others, error))
      || !leat_session_prepare_path (self, lane, *path, error))
    return FALSE;
  if (first == others)
    return leat_session_launch_alike (self, flight, others, n, error);
  leat_session_note_steps (self, lane, first, 1);
  return leat_lane_launch (lane, first, error) && leat_session_launch_alike (self, flight, others, n - 1, error);
}
