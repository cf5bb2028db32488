/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The public functions by which a session tells what its runs have come to.  Each hands its LeatTold on. */

#include "leat-session-private.h"

#include "leat-session-run-private.h"
#include "tell/leat-reports-private.h"

/**
 * leat_session_dup_reports:
 * @self: a session
 *
 * Gets what kernels reported in the last run in which any did, since the session was opened.  Any thread may ask.
 *
 * Returns: (transfer full): a list of dictionaries (aa{sv}), one for each node and code, in the order of the nodes:
 * node s, entry u, run t (since the session was opened, from 1), code u, name s (where the file gives the code one),
 * severity s (`error`, `warning`), text s, count t, records a(tv) (the first that came: index and value, which is x, t
 * or d), lost t (reports without a record), and of the first record index t and value v.  Of a queue with which
 * something was wrong, in the place of the last five: queue s, capacity t, overflows t (items that there was no room
 * for)
 */
GVariant *
leat_session_dup_reports (LeatSession *self)
{
  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  return leat_told_dup_reports (&self->told);
}

/**
 * leat_session_dup_loops:
 * @self: a session
 *
 * Tells what the loops of the pipeline have come to; from any thread.
 *
 * Returns: (transfer full): a list of dictionaries (aa{sv}), one for each loop, when there was a run: node s, method
 * s and why s it was chosen, runs t, of the last one iterations t and end s (`converged`, `cap`, `budget`, or `around`:
 * one in its body or beside it was over its budget), most t and total t iterations.  Of a loop within a loop a run
 * counts as the last time that it was done.
 */
GVariant *
leat_session_dup_loops (LeatSession *self)
{
  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  return leat_told_dup_loops (&self->told);
}

/**
 * leat_session_dup_times:
 * @self: a session
 *
 * Gets the device times of the runs measured since the session was opened with #LeatSession:timing set to
 * %LEAT_TIMING_NODES. A property that changes shapes or ops begins the times anew.
 *
 * Returns: (transfer full): a dictionary (a{sv}): samples t (how many runs were measured); their means in microseconds:
 *   wall-us d (from the launch until the wait was over, by the host's clock), and of it launch-us d (in the call that
 *   hands the run over) and wait-us d; work-us d (by the device's clock, from the beginning of the first node to the
 *   end of the last) and queue-us d (what is left of wall-us: on the way to the device and back); nodes aa{sv}, in the
 *   order of the plan: node s, op s, clock s ("kernel": the kernel itself told; "event": an event before it and one
 *   behind), bytes t (that it moves or has before it), mean-us d, least-us d, most-us d, and of the last measured run
 *   begin-us d and end-us d
 */
GVariant *
leat_session_dup_times (LeatSession *self)
{
  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  return leat_told_dup_times (&self->told);
}

/**
 * leat_session_to_dot:
 * @self: an open session
 *
 * Draws the plan for Graphviz as leat_plan_to_dot () does, with the measured mean time of each op and the bytes that
 * it moves.
 *
 * Returns: (transfer full) (nullable): a DOT graph; %NULL while the session is not open
 */
char *
leat_session_to_dot (LeatSession *self)
{
  g_autoptr (LeatPlan) plan = NULL;
  g_auto (GStrv) notes = NULL;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  plan = leat_session_dup_plan (self);
  if (plan == NULL)
    return NULL;
  notes = leat_told_dup_notes (&self->told, plan);
  return leat_plan_draw (plan, (const char *const *) notes);
}

/**
 * leat_session_to_prometheus:
 * @self: a session
 * @pipeline: what the label "pipeline" is to say
 *
 * Prints leat_session_dup_stats () in the text format that Prometheus reads. It adds times of nodes if they are
 * measured, the lengths of app queues, and the latest leat_session_dup_work_queues ().  Every sample has the labels
 * "device" and "pipeline".  Any thread may ask.
 *
 * Returns: (transfer full): the text
 */
char *
leat_session_to_prometheus (LeatSession *self, const char *pipeline)
{
  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  g_return_val_if_fail (pipeline != NULL, NULL);
  return leat_told_to_prometheus (&self->told, pipeline);
}

/**
 * leat_session_dup_work_queues:
 * @self: an open session that is not running
 * @error: return location for an error
 *
 * Gets the counts of the kernels' work queues from the device, since the session was opened or planned anew.
 *
 * Returns: (transfer full): a list of dictionaries (aa{sv}), one for each queue: node s, queue s, capacity t, pushed t,
 *   claimed t, requeued t, most t (items pushed and not done at one time), overflows t (items that there was no room
 *   for); %NULL where the device does not answer, and with what leat_session_replay () says of a session that cannot
 * run
 */
GVariant *
leat_session_dup_work_queues (LeatSession *self, GError **error)
{
  GVariant *queues;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);

  if (!leat_session_take_open (self, error))
    return NULL;
  queues = leat_told_read_queues (&self->told, self->lanes, error);
  leat_session_let_go (self);
  return queues;
}
