/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Waiting for what a lane has launched: looking again and again, sleeping, or first the one and then the other. */

#include "leat-executor-private.h"
#include "leat-lane-graph-private.h"

/* wait=spin gives up looking after the first.  wait=auto does not look at all where runs take longer than the second:
 * there, what it takes to be woken is two parts in a hundred.  The third is for where no run has been timed. */
#define LEAT_LANE_SPIN_US  20000
#define LEAT_LANE_SHORT_US 5000
#define LEAT_LANE_FIRST_US 100
#define LEAT_LANE_SLACK_US 20
#define LEAT_LANE_LOOKS    32 /* at the device for one at the clock */

/* Runs are taken to last as long as the last ones did, twice that at most. */
gint64
leat_lane_get_spin_us (LeatLane *self, LeatWait wait)
{
  if (wait != LEAT_WAIT_AUTO)
    return wait == LEAT_WAIT_SPIN ? LEAT_LANE_SPIN_US : 0;
  if (self->recent_ns == 0)
    return LEAT_LANE_FIRST_US;
  return self->recent_ns > LEAT_LANE_SHORT_US * 1000 ? 0 : 2 * self->recent_ns / 1000 + LEAT_LANE_SLACK_US;
}

void
leat_lane_note_wait (LeatLane *self, gint64 us)
{
  gint64 ns = MAX (us, 1) * 1000;

  self->recent_ns = self->recent_ns == 0 ? ns : self->recent_ns + (ns - self->recent_ns) / 8;
}

/* (nullable) (transfer full): what to do where nodes are not wanted that do a body again and again. */
static char *
leat_lane_dup_way_out (LeatLane *self)
{
  for (guint i = 0; i < self->plan->loops->len && LEAT_BOUND_PLAN (self->plan)->traits.whiles; i++)
    {
      const LeatPlanLoop *loop = g_ptr_array_index (self->plan->loops, i);

      if (LEAT_BOUND_LOOP (loop)->method == LEAT_LOOP_WHILE)
        return g_strdup_printf ("set method=fused or method=host on loop \"%s\"", leat_node_get_name (loop->node));
    }
  return self->repeater != NULL ? g_strdup ("do the runs one by one, not many in one call") : NULL;
}

/* A driver has been seen to end such nodes where other programs had the GPU at the same time
 * (tests/bench/peers/while.cu), and what it says then is what it says of a kernel that traps. */
static void
leat_lane_explain_failure (LeatLane *self, CUresult result, GError **error)
{
  g_autofree char *way_out = result == CUDA_ERROR_LAUNCH_FAILED ? leat_lane_dup_way_out (self) : NULL, *message = NULL;

  if (way_out == NULL || error == NULL)
    return;
  message = g_strdup_printf ("%s; if no kernel did this, another program on the device may have been the cause: %s",
                             (*error)->message, way_out);
  g_free ((*error)->message);
  (*error)->message = g_steal_pointer (&message);
}

gboolean
leat_lane_fail_launch (LeatLane *self, CUresult result, guint64 runs, GError **error)
{
  g_autofree char *what = runs == 1 ? g_strdup ("a run") : g_strdup_printf ("%" G_GUINT64_FORMAT " runs", runs);

  leat_device_set_error (self->program->device, error, "cuGraphLaunch", result, "%s of %u ops", what,
                         self->plan->ops->len);
  leat_lane_explain_failure (self, result, error);
  return FALSE;
}

static gboolean
leat_lane_fail_wait (LeatLane *self, const char *call, CUresult result, GError **error)
{
  g_autofree char *nodes = leat_lane_list_nodes (self->plan);

  leat_device_set_error (self->program->device, error, call, result, "%s", nodes);
  leat_lane_explain_failure (self, result, error);
  return FALSE;
}

void
leat_lane_note_seen (LeatLane *self)
{
  self->counts->unseen_waits++;
}

void
leat_lane_note_other_wait (LeatLane *self)
{
  self->other_waits++;
  self->counts->unseen_waits--;
}

gboolean
leat_lane_check_end (LeatLane *self, CUresult result, GError **error)
{
  return result == CUDA_SUCCESS || leat_lane_fail_wait (self, "cuEventSynchronize", result, error);
}

static gboolean
leat_lane_check_wait (LeatLane *self, CUresult result, GError **error)
{
  self->counts->work.waits++;
  return leat_lane_check_end (self, result, error);
}

/* NOT_READY where it is still running after that time.  The clock is looked at less often than the device, each look
 * being later by what it takes, and so is one after a pause instruction.  Kernels that run on the host's own cores need
 * them.
 */
static CUresult
leat_lane_look (LeatLane *self, gint64 spin_us)
{
  CUstream stream = leat_stream_get (self->stream);
  gint64 until = 0;
  CUresult result;

  for (guint looks = 0; (result = (*self->table->cuStreamQuery) (stream)) == CUDA_ERROR_NOT_READY; looks++)
    {
      if (looks % LEAT_LANE_LOOKS == 0)
        {
          gint64 now = g_get_monotonic_time ();

          until = until == 0 ? now + spin_us : until;
          if (now >= until)
            break;
        }
      if (self->on_host)
        g_thread_yield ();
    }
  if (result == CUDA_SUCCESS)
    leat_lane_note_seen (self);
  return result;
}

gboolean
leat_lane_is_busy (LeatLane *self)
{
  return (*self->running->is_busy) (self);
}

gboolean
leat_lane_is_stream_busy (LeatLane *self)
{
  return (*self->table->cuStreamQuery) (leat_stream_get (self->stream)) == CUDA_ERROR_NOT_READY;
}

static gboolean
leat_lane_record_end (LeatLane *self, GError **error)
{
  CUresult result = (*self->table->cuEventRecord) (leat_event_get (self->ended), leat_stream_get (self->stream));

  return result == CUDA_SUCCESS || leat_lane_fail_wait (self, "cuEventRecord", result, error);
}

static gboolean
leat_lane_await_end (LeatLane *self, GError **error)
{
  return leat_lane_check_wait (self, (*self->table->cuEventSynchronize) (leat_event_get (self->ended)), error);
}

static gboolean
leat_lane_sleep (LeatLane *self, GError **error)
{
  return leat_lane_record_end (self, error) && leat_lane_await_end (self, error);
}

/* What is on no stream has no mark on it either. */
gboolean
leat_lane_mark_end (LeatLane *self, GError **error)
{
  return self->running->finish != NULL || leat_lane_record_end (self, error);
}

gboolean
leat_lane_await_mark (gpointer lane, GError **error)
{
  LeatLane *self = lane;

  return self->running->finish != NULL ? leat_lane_wait (self, LEAT_WAIT_BLOCK, error)
                                       : leat_lane_await_end (self, error);
}

gboolean
leat_lane_synchronize (LeatLane *self, GError **error)
{
  CUresult result;

  if (self->running->finish != NULL && !(*self->running->finish) (self, error))
    return FALSE;
  result = (*self->table->cuStreamSynchronize) (leat_stream_get (self->stream));
  return result == CUDA_SUCCESS || leat_lane_fail_wait (self, "cuStreamSynchronize", result, error);
}

/* A thread that waits for the CPU driver does the work itself: looking would only leave that to another one. */
gboolean
leat_lane_wait_for_stream (LeatLane *self, LeatWait wait, GError **error)
{
  CUresult result = CUDA_ERROR_NOT_READY;
  gint64 spin_us;

  if (wait == LEAT_WAIT_AUTO && self->on_host)
    {
      self->counts->work.waits++;
      return leat_lane_synchronize (self, error);
    }
  spin_us = leat_lane_get_spin_us (self, wait);
  if (spin_us > 0)
    result = leat_lane_look (self, spin_us);
  if (result == CUDA_ERROR_NOT_READY)
    return leat_lane_sleep (self, error);
  self->counts->work.waits++;
  return result == CUDA_SUCCESS || leat_lane_fail_wait (self, "cuStreamQuery", result, error);
}

gboolean
leat_lane_may_go_on (LeatLane *self, const LeatStop *stop, GError **error)
{
  if (g_atomic_int_get (stop->closing))
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the session is being closed");
  else if (!g_cancellable_set_error_if_cancelled (stop->cancellable, error))
    return TRUE;
  leat_lane_synchronize (self, NULL);
  leat_lane_note_other_wait (self);
  return FALSE;
}

gboolean
leat_lane_wait (LeatLane *self, LeatWait wait, GError **error)
{
  return (*self->running->wait) (self, wait, error);
}
