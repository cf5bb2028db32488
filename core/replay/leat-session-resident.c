/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"
#include "leat-stayer-private.h"

/* executor=resident: whether a kernel that stays on the device does the runs. */

static gboolean
leat_session_check_staying (LeatSession *self, LeatPlan *plan, GError **error)
{
  if (leat_device_get_facts (self->device)->cooperative_launch
      && leat_device_get_table (self->device)->cuLaunchCooperativeKernel != NULL)
    return leat_stayer_check_plan (plan, error);
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_RESIDENT,
               "no kernel can stay on %s, which cannot launch cooperatively; open the session with executor=graph",
               leat_device_get_id (self->device));
  return FALSE;
}

static void
leat_session_post_not_staying (LeatSession *self, const GError *error)
{
  leat_bus_post (leat_pipeline_get_bus (self->pipeline), leat_message_new (LEAT_MESSAGE_WARNING, NULL, error, NULL));
}

/* @why: (transfer full): nothing can; it is not insisted on */
static void
leat_session_bind_without (LeatSession *self, LeatPlan *plan, const LeatTraits *traits, GError *why)
{
  LeatTraits other = *traits;

  leat_session_post_not_staying (self, why);
  g_error_free (why);
  other.stays = FALSE;
  other.capture = LEAT_CAPTURE_AUTO;
  leat_plan_bind (plan, &other);
}

/* As @traits says; where a kernel that stays cannot do it and was not insisted on, without. */
gboolean
leat_session_bind_staying (LeatSession *self, LeatPlan *plan, const LeatTraits *traits, GError **error)
{
  g_autoptr (GError) why = NULL;

  leat_plan_bind (plan, traits);
  if (!traits->stays || leat_session_check_staying (self, plan, &why))
    return TRUE;
  if (self->executor == LEAT_EXECUTOR_RESIDENT)
    {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  leat_session_bind_without (self, plan, traits, g_steal_pointer (&why));
  return TRUE;
}

/* Only when the kernel is loaded is it known what it takes of the device. */
gboolean
leat_session_give_up_staying (LeatSession *self, GError **why)
{
  if (self->executor != LEAT_EXECUTOR_RESIDENT_AUTO || !self->plan->traits.stays
      || !g_error_matches (*why, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_RESIDENT))
    return FALSE;
  leat_session_bind_without (self, self->plan, &self->plan->traits, g_steal_pointer (why));
  return TRUE;
}

void
leat_session_want_staying (LeatSession *self, LeatTraits *traits)
{
  traits->stays = self->executor == LEAT_EXECUTOR_RESIDENT || self->executor == LEAT_EXECUTOR_RESIDENT_AUTO;
  traits->stay = (LeatStayLimits){ .idle_us = (guint64) self->resident_idle_ms * 1000,
                                   .limit_us = (guint64) self->resident_limit_ms * 1000,
                                   .multiprocessors = self->resident_multiprocessors };
}

gboolean
leat_session_is_resident (LeatSession *self)
{
  return self->resident != NULL && self->resident->stayer != NULL;
}

void
leat_session_note_staying (LeatSession *self)
{
  if (leat_session_is_resident (self))
    leat_stayer_get_counts (self->resident->stayer, &self->stats.stay);
}
