/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes room when a run gave more than an output has room for, and has the pipeline planned anew.  Touches the rooms of
 * ports that may grow, and the session's setup. */

#include "tell/leat-reports-private.h"

#include "graph/leat-pipeline-private.h"
#include "graph/leat-port-private.h"
#include "bind/leat-bind-private.h"
#include "leat-session-plan-private.h"
#include "leat-session-setup-private.h"

/* A run that gave more than an output that may grow has room for.  Its kernels have counted all and written what they
 * could; the pipeline is planned anew with room for all, as for a property that was set (leat-session-replan.c), and
 * whoever had the run does it again.  The plan has seen to it that nothing else tells of the first time
 * (leat-plan-grow.c). */

static const LeatBuffer *
leat_session_find_over (LeatSession *self, LeatFlight *flight, guint64 *count)
{
  const LeatBuffer *over = leat_lane_find_over (flight->lane, 0, count);

  for (guint i = 0; over == NULL && i < self->ends.outputs->len; i++)
    {
      LeatView view;

      leat_staging_view (&flight->outputs[i], &view);
      *count = view.count;
      if (view.count > flight->outputs[i].most)
        over = leat_plan_get_buffer (self->plan, leat_session_get_output (self, i)->op->touches[0].buffer);
    }
  return over;
}

gboolean
leat_session_find_short (LeatSession *self, LeatFlight *flight)
{
  LeatRun *run = &flight->run;
  const LeatBuffer *over = leat_session_find_over (self, flight, &run->needed);

  run->short_of = over != NULL ? leat_plan_find_short (self->plan, over->id, run->needed) : NULL;
  return run->short_of != NULL;
}

gboolean
leat_session_forget_run (LeatSession *self, LeatLane *lane, GError **error)
{
  leat_lane_check_overs (lane, NULL);
  return leat_lane_drop_reports (lane, error);
}

static gboolean
leat_session_check_room (LeatSession *self, LeatPlan *plan, GError **error)
{
  g_autoptr (LeatPlan) before = g_object_ref (self->plan);
  const LeatConstantBytes constants = self->constants;
  gboolean good;

  leat_session_set_plan (self, plan);
  good = leat_session_check_budget (self, error);
  leat_session_set_plan (self, before);
  self->constants = constants;
  return good;
}

/* The node has the last word about how much it takes. */
static gboolean
leat_session_take_growth (LeatSession *self, LeatPlan *plan, LeatPort *port, LeatGrowth *growth, GError **error)
{
  const LeatBuffer *grown = leat_plan_get_buffer (plan, leat_plan_get_port_buffer (plan, port));

  growth->to = leat_buffer_get_capacity (grown);
  if (growth->to >= growth->needed)
    return leat_session_check_room (self, plan, error) && leat_session_take_plan (self, plan, growth, error);
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW,
               "its node makes room for %" G_GUINT64_FORMAT " and no more", growth->to);
  return FALSE;
}

/* FALSE: the session runs what it ran, unless it has failed. */
static gboolean
leat_session_try_room (LeatSession *self, LeatPort *port, LeatGrowth *growth, GError **error)
{
  g_autoptr (LeatPlan) plan = NULL;
  guint64 was;

  leat_pipeline_begin_planning (self->pipeline);
  was = port->room;
  port->room = growth->to;
  plan = leat_session_plan_anew (self, TRUE, error);
  leat_pipeline_end_planning (self->pipeline);
  if (plan != NULL && leat_session_take_growth (self, plan, port, growth, error))
    return TRUE;
  if (self->hold.failed)
    return FALSE;
  /* Planning has fixed specs in the nodes. */
  leat_pipeline_begin_planning (self->pipeline);
  port->room = was;
  g_clear_object (&plan);
  plan = leat_plan_new_unbound (self->pipeline, FALSE, NULL);
  leat_pipeline_end_planning (self->pipeline);
  return FALSE;
}

static gboolean
leat_session_is_no_room (const GError *error)
{
  return g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUDGET)
         || g_error_matches (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
}

/* Twice as much, so that a count that creeps up makes few plans, and an eighth more than was needed; where there is no
 * room for that, exactly what was. */
gboolean
leat_session_grow (LeatSession *self, const LeatBuffer *buffer, guint64 needed, GError **error)
{
  guint64 from = leat_buffer_get_capacity (buffer);
  LeatPort *port = buffer->grows; /* the buffer goes with its plan */
  LeatGrowth growth = { g_strdup (buffer->name), needed, from, MAX (needed + needed / 8, 2 * from) };
  gint64 begin = g_get_monotonic_time ();
  GError *inner = NULL;
  gboolean good;

  good = leat_session_try_room (self, port, &growth, &inner);
  if (!good && !self->hold.failed && leat_session_is_no_room (inner) && growth.to > needed)
    {
      g_clear_error (&inner);
      growth.to = needed;
      good = leat_session_try_room (self, port, &growth, &inner);
    }
  self->told.ledger.stats.replan_us += g_get_monotonic_time () - begin;
  if (good)
    {
      leat_told_add_growth (&self->told, &growth);
      return TRUE;
    }
  g_propagate_prefixed_error (error, inner,
                              "there are %" G_GUINT64_FORMAT
                              " items to give in %s, which has room for %" G_GUINT64_FORMAT " and cannot grow: ",
                              needed, growth.output, from);
  g_free (growth.output);
  return FALSE;
}
