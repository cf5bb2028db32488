/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* executor=persistent: whether a persistent kernel does the runs. */

#include "leat-session-private.h"
#include "lane/leat-persistent-private.h"
#include "bind/leat-bind-private.h"
#include "leat-session-setup-private.h"

static gboolean
leat_plan_check_persistent (LeatPlan *plan, LeatDevice *device, GError **error)
{
  if (leat_device_get_facts (device)->cooperative_launch
      && leat_device_get_table (device)->cuLaunchCooperativeKernel != NULL)
    return leat_persistent_check_plan (plan, error);
  g_set_error (
    error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_PERSISTENT,
    "no kernel can be persistent on %s, which cannot launch cooperatively; open the session with executor=graph",
    leat_device_get_id (device));
  return FALSE;
}

/* @why: (transfer full): nothing can; it is not insisted on */
static void
leat_plan_bind_without (LeatPlan *plan, LeatBus *bus, const LeatTraits *traits, GError *why)
{
  LeatTraits other = *traits;

  leat_bus_post (bus, leat_message_new (LEAT_MESSAGE_WARNING, NULL, why, NULL));
  g_error_free (why);
  other.persistent = FALSE;
  other.capture = LEAT_CAPTURE_AUTO;
  leat_plan_bind (plan, &other);
}

/* As @traits says; where a persistent kernel cannot do it and was not insisted on, without. */
gboolean
leat_plan_bind_persistent (LeatPlan *plan, LeatDevice *device, LeatBus *bus, gboolean insist, const LeatTraits *traits,
                           GError **error)
{
  g_autoptr (GError) why = NULL;

  leat_plan_bind (plan, traits);
  if (!traits->persistent || leat_plan_check_persistent (plan, device, &why))
    return TRUE;
  if (insist)
    {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  leat_plan_bind_without (plan, bus, traits, g_steal_pointer (&why));
  return TRUE;
}

/* Only when the kernel is loaded is it known what it takes of the device. */
gboolean
leat_session_give_up_persistent (LeatSession *self, GError **why)
{
  if (self->options.executor != LEAT_EXECUTOR_PERSISTENT_AUTO || !LEAT_BOUND_PLAN (self->plan)->traits.persistent
      || !g_error_matches (*why, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_PERSISTENT))
    return FALSE;
  leat_plan_bind_without (self->plan, leat_pipeline_get_bus (self->pipeline), &LEAT_BOUND_PLAN (self->plan)->traits,
                          g_steal_pointer (why));
  return TRUE;
}

gboolean
leat_session_wants_persistent (LeatSession *self)
{
  return self->options.executor == LEAT_EXECUTOR_PERSISTENT || self->options.executor == LEAT_EXECUTOR_PERSISTENT_AUTO;
}

void
leat_session_want_persistent (LeatSession *self, LeatTraits *traits)
{
  traits->persistent = leat_session_wants_persistent (self);
  traits->persistent_limits = (LeatPersistentLimits){ .idle_us = (guint64) self->options.persistent_idle_ms * 1000,
                                                      .limit_us = (guint64) self->options.persistent_limit_ms * 1000,
                                                      .multiprocessors = self->options.persistent_multiprocessors };
}
