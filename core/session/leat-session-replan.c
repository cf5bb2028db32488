/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Properties that were set while the session is open: the pipeline is planned anew with them, and the new plan is taken
 * up at the least cost (leat-session-setup.c).  Before anything is launched: what cannot be planned or built leaves the
 * session, and the properties, as they were. */

#include "leat-session-private.h"

#include "graph/leat-graph-error.h"
#include "graph/leat-node-private.h"
#include "graph/leat-spec-private.h"
#include "graph/leat-pipeline-private.h"
#include "graph/leat-attempt-private.h"
#include "bind/leat-bind-private.h"
#include "leat-session-setup-private.h"

static LeatBuffer *
leat_plan_get_endpoint_buffer (LeatPlan *self, LeatNode *node)
{
  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      if (op->node == node && !op->is_head)
        return leat_plan_get_buffer (self, op->touches[0].buffer);
    }
  return NULL;
}

/* Is the spec of an endpoint another one in @plan? */
static gboolean
leat_session_changes_spec (LeatSession *self, LeatPlan *plan, const LeatOp *op)
{
  const LeatBuffer *new = leat_plan_get_endpoint_buffer (plan, op->node);

  return new == NULL || !leat_spec_equal (leat_plan_get_buffer (self->plan, op->touches[0].buffer)->spec, new->spec);
}

/* A sink is told how much data it is given, so a stream goes on with another room. */
static gboolean
leat_session_changes_room (LeatSession *self, const LeatOp *op, const LeatBuffer *new)
{
  LeatSpec *was = leat_plan_get_buffer (self->plan, op->touches[0].buffer)->spec;
  g_autoptr (LeatSpec) with_room = NULL;

  if (op->kind != LEAT_OP_SINK || !leat_spec_is_bounded (was) || !leat_spec_is_bounded (new->spec))
    return FALSE;
  with_room = leat_spec_with_leading (was, leat_spec_get_dim (new->spec, 0));
  return leat_spec_equal (with_room, new->spec);
}

static gboolean
leat_session_check_endpoint (LeatSession *self, LeatPlan *plan, const LeatOp *op, gboolean grows, gboolean filled,
                             GError **error)
{
  const LeatBuffer *new = leat_plan_get_endpoint_buffer (plan, op->node);
  LeatBuffer *old = leat_plan_get_buffer (self->plan, op->touches[0].buffer);
  g_autofree char *was = NULL;
  g_autofree char *is = NULL;

  if (new == NULL || !leat_session_changes_spec (self, plan, op)
      || (!filled && LEAT_ENDPOINT_GET_CLASS (op->node)->respec != NULL)
      || (grows && leat_session_changes_room (self, op, new)))
    return TRUE;
  was = leat_spec_to_string (old->spec, LEAT_SPEC_STYLE_FILE);
  is = leat_spec_to_string (new->spec, LEAT_SPEC_STYLE_FILE);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY,
               "%s, and what was set would make %s of its %s: close the session first",
               filled ? "it has given data for the run to come" : "it is in the middle of its stream", is, was);
  leat_node_prefix_error (op->node, error);
  return FALSE;
}

static gboolean
leat_session_check_endpoints (LeatSession *self, LeatPlan *plan, gboolean grows, GError **error)
{
  for (guint i = 0; i < self->ends.inputs->len; i++)
    if (!leat_session_check_endpoint (self, plan, leat_session_get_input (self, i)->op, grows, i < self->ends.n_filled,
                                      error))
      return FALSE;
  for (guint i = 0; i < self->ends.outputs->len; i++)
    if (!leat_session_check_endpoint (self, plan, leat_session_get_output (self, i)->op, grows, FALSE, error))
      return FALSE;
  return TRUE;
}

/* @plan is to be run from now on instead: its data go as they do now, since to measure again would take state away. */
static gboolean
leat_session_bind_likewise (LeatSession *self, LeatPlan *plan, GError **error)
{
  g_autofree guint *ways = g_new0 (guint, plan->ops->len + 1);
  LeatTraits traits = LEAT_BOUND_PLAN (self->plan)->traits;

  leat_plan_list_measured (self->plan, plan, ways);
  traits.ways = self->tuning.ways_known ? ways : NULL;
  traits.repeated = traits.repeated || self->repeating.is_long;
  traits.settled = traits.settled || self->told.ledger.stats.runs >= LEAT_SESSION_RUNS_TO_SETTLE;
  return leat_plan_bind_persistent (plan, self->device, leat_pipeline_get_bus (self->pipeline),
                                    self->options.executor == LEAT_EXECUTOR_PERSISTENT, &traits, error);
}

LeatPlan *
leat_session_plan_anew (LeatSession *self, gboolean grows, GError **error)
{
  g_autoptr (LeatPlan) plan =
    leat_plan_new_unbound (self->pipeline, LEAT_BOUND_PLAN (self->plan)->traits.persistent, error);

  if (plan == NULL || !leat_session_check_endpoints (self, plan, grows, error)
      || (self->recall.memo != NULL && !leat_recall_check (plan, error)))
    return NULL;
  return leat_session_bind_likewise (self, plan, error) ? g_steal_pointer (&plan) : NULL;
}

/* Planning also fixes specs and arguments in the nodes: once more, with what there was before. */
static void
leat_session_undo (LeatSession *self, LeatAttempt *attempt)
{
  LeatPlan *plan;

  leat_attempt_undo (attempt);
  plan = leat_plan_new_unbound (self->pipeline, FALSE, NULL);
  g_clear_object (&plan);
}

/* Arguments that were set before come with the plan, and need no update of their own.  Those that are set from now on
 * do. (transfer full) */
static GPtrArray *
leat_session_steal_noted (LeatSession *self)
{
  LeatChanges *changes = leat_pipeline_get_changes (self->pipeline);
  GPtrArray *noted = g_ptr_array_new ();

  for (guint i = 0; i < leat_changes_get_n (changes); i++)
    g_ptr_array_add (noted, leat_changes_get (changes, i));
  leat_changes_clear (changes);
  return noted;
}

static void
leat_session_put_back (LeatSession *self, LeatAttempt *attempt, GPtrArray *noted)
{
  leat_pipeline_begin_planning (self->pipeline);
  leat_session_undo (self, attempt);
  for (guint i = 0; i < noted->len; i++)
    leat_changes_note (leat_pipeline_get_changes (self->pipeline), g_ptr_array_index (noted, i));
  leat_pipeline_end_planning (self->pipeline);
}

/* FALSE: nothing has changed, unless the session has failed. */
static gboolean
leat_session_replan (LeatSession *self, GError **error)
{
  g_autoptr (LeatAttempt) attempt = NULL;
  g_autoptr (LeatPlan) plan = NULL;
  g_autoptr (GPtrArray) noted = NULL;
  gboolean good;

  leat_pipeline_begin_planning (self->pipeline);
  attempt = leat_attempt_begin (self->pipeline);
  plan = leat_session_plan_anew (self, FALSE, error);
  noted = leat_session_steal_noted (self);
  leat_pipeline_end_planning (self->pipeline);
  good = plan != NULL && leat_session_take_plan (self, plan, NULL, error);
  if (!good && !self->hold.failed)
    leat_session_put_back (self, attempt, noted);
  self->told.ledger.stats.replans += good;
  self->told.ledger.stats.changes += good ? noted->len : 0;
  return good;
}

/* Some data cross the link in each of the runs, and need not. */
static gboolean
leat_session_crosses_often (LeatSession *self)
{
  const LeatTraits *traits = &LEAT_BOUND_PLAN (self->plan)->traits;

  for (guint i = 0; i < self->plan->ops->len && !traits->repeated && !traits->integrated && !traits->persistent; i++)
    {
      const LeatBoundOp *op = LEAT_BOUND_OP (leat_plan_get_op (self->plan, i));

      if (op->op.kind == LEAT_OP_TRANSFER && op->choosable && op->way != LEAT_TRANSFER_COPY)
        return TRUE;
    }
  return FALSE;
}

/* For many runs on the same inputs.  The plan that there is does them too. */
void
leat_session_bind_for_repeat (LeatSession *self)
{
  if (self->repeating.is_long || !leat_session_crosses_often (self))
    return;
  self->repeating.is_long = TRUE;
  self->repeating.is_long = leat_session_replan (self, NULL);
}

static void
leat_session_warn_refused (LeatSession *self, const GError *error)
{
  leat_bus_post (leat_pipeline_get_bus (self->pipeline), leat_message_new (LEAT_MESSAGE_WARNING, NULL, error, NULL));
}

/* The call tells an application that does each run itself; a stream goes on with what it had. */
gboolean
leat_session_take_props (LeatSession *self, gboolean stream, GError **error)
{
  GError *inner = NULL;
  gint64 begin;
  gboolean good;

  if (!leat_changes_have_props (leat_pipeline_get_changes (self->pipeline)))
    return TRUE;
  begin = g_get_monotonic_time ();
  good = leat_session_replan (self, &inner);
  self->told.ledger.stats.replan_us += g_get_monotonic_time () - begin;
  if (good)
    return TRUE;
  if (stream && !self->hold.failed)
    {
      leat_session_warn_refused (self, inner);
      g_error_free (inner);
      return TRUE;
    }
  g_propagate_error (error, inner);
  return FALSE;
}
