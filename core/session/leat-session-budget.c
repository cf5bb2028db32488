/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Whether a session fits into its budget, and into what the device has left.  Reads the sums of its plan. */

#include "leat-session-plan-private.h"

#include "graph/leat-node-private.h"
#include "leat-session-setup-private.h"

LeatSums
leat_session_get_sums (LeatSession *self)
{
  return (LeatSums){ self->plan, self->device, &self->options };
}

static gboolean
leat_session_plan_may_stream (LeatSession *self)
{
  if (self->options.n_lanes == 1 || self->options.repeat > 1 || self->plan->users->len > 0)
    return FALSE;
  for (guint i = 0; i < self->plan->ops->len; i++)
    if (leat_plan_get_op (self->plan, i)->kind == LEAT_OP_SOURCE)
      return TRUE;
  return FALSE;
}

guint
leat_session_plan_lanes (LeatSession *self)
{
  if (!leat_session_plan_may_stream (self))
    return 1;
  return self->options.n_lanes > 0 ? self->options.n_lanes : MAX (leat_session_fit_lanes (self, LEAT_LANES_AUTO), 1);
}

guint
leat_session_fit_lanes (LeatSession *self, guint most)
{
  const LeatSums sums = leat_session_get_sums (self);
  LeatSessionPlan one;
  guint64 shared;

  if (self->options.budget == 0)
    return most;
  leat_sums_fill (&sums, &self->constants, 1, 0, &one);
  shared = one.device_bytes - one.lane_bytes;
  if (one.device_bytes > self->options.budget)
    return 0;
  return one.lane_bytes > 0 ? (guint) MIN (most, (self->options.budget - shared) / one.lane_bytes) : most;
}

static gboolean
leat_session_refuse_budget (LeatSession *self, const LeatSessionPlan *plan, GError **error)
{
  const LeatSums sums = leat_session_get_sums (self);
  const LeatBuffer *largest = leat_plan_find_largest (self->plan, 1u << LEAT_PLACE_ARENA | 1u << LEAT_PLACE_OWN);
  guint fits = leat_session_fit_lanes (self, (guint) plan->lanes);
  g_autofree char *instead = NULL;
  LeatSessionPlan fewer;

  if (fits > 0)
    {
      leat_sums_fill (&sums, &self->constants, fits, 0, &fewer);
      instead = g_strdup_printf ("lanes=%u would take %" G_GUINT64_FORMAT, fits, fewer.device_bytes);
    }
  else
    instead = g_strdup_printf ("not even one lane fits, and the largest buffer is %s with %" G_GUINT64_FORMAT,
                               largest->name, largest->bytes);
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUDGET,
               "the session would take %" G_GUINT64_FORMAT
               " bytes of the device's memory (%u lane%s of %" G_GUINT64_FORMAT ", and %" G_GUINT64_FORMAT
               " for all of them), and its budget is %" G_GUINT64_FORMAT ": %s",
               plan->device_bytes, (guint) plan->lanes, plan->lanes > 1 ? "s" : "", plan->lane_bytes,
               plan->device_bytes - plan->lanes * plan->lane_bytes, self->options.budget, instead);
  return FALSE;
}

/* Blocks are rounded as they are given out, and what others have brought to the device is there already. */
guint64
leat_session_get_needed_bytes (LeatSession *self)
{
  const LeatSums sums = leat_session_get_sums (self);
  LeatConstantBytes constants;
  LeatSessionPlan plan;

  leat_sums_get_constants (&sums, &constants);
  leat_sums_fill (&sums, &constants, 1, 0, &plan);
  return plan.device_bytes;
}

gboolean
leat_session_check_budget (LeatSession *self, GError **error)
{
  const LeatSums sums = leat_session_get_sums (self);
  LeatSessionPlan plan;

  leat_sums_get_constants (&sums, &self->constants);
  leat_sums_fill (&sums, &self->constants, leat_session_plan_lanes (self), 0, &plan);
  return self->options.budget == 0 || plan.device_bytes <= self->options.budget
         || leat_session_refuse_budget (self, &plan, error);
}

static gboolean
leat_session_check_room (LeatSession *self, LeatMemoryKind kind, guint64 bytes, GError **error)
{
  guint places = kind == LEAT_MEMORY_PINNED ? 1u << LEAT_PLACE_STAGING : 1u << LEAT_PLACE_ARENA | 1u << LEAT_PLACE_OWN;
  const LeatBuffer *largest = leat_plan_find_largest (self->plan, places);
  LeatNode *node;
  g_autofree char *share = NULL;
  g_autofree char *what = NULL;

  if (largest == NULL)
    return TRUE;
  share = leat_device_format_bytes (largest->bytes);
  what = g_strdup_printf ("the buffers of the pipeline (the largest is %s with %s)", largest->name, share);
  if (leat_device_check_budget (self->device, kind, bytes, what, error))
    return TRUE;
  node = leat_plan_find_writer (self->plan, largest->id);
  if (node != NULL)
    leat_node_prefix_error (node, error);
  return FALSE;
}

/* Before anything is allocated. */
gboolean
leat_session_check_budgets (LeatSession *self, GError **error)
{
  return leat_session_check_budget (self, error)
         && leat_session_ask_for_room (self, leat_session_get_needed_bytes (self), error)
         && leat_session_check_room (self, LEAT_MEMORY_DEVICE, leat_plan_get_device_bytes (self->plan), error)
         && leat_session_check_room (self, LEAT_MEMORY_PINNED, leat_plan_get_host_bytes (self->plan), error);
}
