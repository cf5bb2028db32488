/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* executor=persistent: whether a persistent kernel does the runs. */

#include "leat-session-private.h"
#include "lane/leat-persistent-private.h"
#include "bind/leat-bind-private.h"
#include "leat-session-setup-private.h"

static gboolean
leat_session_check_persistent (LeatSession *self, LeatPlan *plan, GError **error)
{
  if (leat_device_get_facts (self->device)->cooperative_launch
      && leat_device_get_table (self->device)->cuLaunchCooperativeKernel != NULL)
    return leat_persistent_check_plan (plan, error);
  g_set_error (
    error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_PERSISTENT,
    "no kernel can be persistent on %s, which cannot launch cooperatively; open the session with executor=graph",
    leat_device_get_id (self->device));
  return FALSE;
}

static void
leat_session_post_not_persistent (LeatSession *self, const GError *error)
{
  leat_bus_post (leat_pipeline_get_bus (self->pipeline), leat_message_new (LEAT_MESSAGE_WARNING, NULL, error, NULL));
}

/* @why: (transfer full): nothing can; it is not insisted on */
static void
leat_session_bind_without (LeatSession *self, LeatPlan *plan, const LeatTraits *traits, GError *why)
{
  LeatTraits other = *traits;

  leat_session_post_not_persistent (self, why);
  g_error_free (why);
  other.persistent = FALSE;
  other.capture = LEAT_CAPTURE_AUTO;
  leat_plan_bind (plan, &other);
}

/* As @traits says; where a persistent kernel cannot do it and was not insisted on, without. */
gboolean
leat_session_bind_persistent (LeatSession *self, LeatPlan *plan, const LeatTraits *traits, GError **error)
{
  g_autoptr (GError) why = NULL;

  leat_plan_bind (plan, traits);
  if (!traits->persistent || leat_session_check_persistent (self, plan, &why))
    return TRUE;
  if (self->options.executor == LEAT_EXECUTOR_PERSISTENT)
    {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  leat_session_bind_without (self, plan, traits, g_steal_pointer (&why));
  return TRUE;
}

/* Only when the kernel is loaded is it known what it takes of the device. */
gboolean
leat_session_give_up_persistent (LeatSession *self, GError **why)
{
  if (self->options.executor != LEAT_EXECUTOR_PERSISTENT_AUTO || !LEAT_BOUND_PLAN (self->plan)->traits.persistent
      || !g_error_matches (*why, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_PERSISTENT))
    return FALSE;
  leat_session_bind_without (self, self->plan, &LEAT_BOUND_PLAN (self->plan)->traits, g_steal_pointer (why));
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

gboolean
leat_session_is_persistent (LeatSession *self)
{
  return self->program != NULL && self->program->persistent != NULL;
}

void
leat_session_note_persistent (LeatSession *self)
{
  if (leat_session_is_persistent (self))
    leat_persistent_get_counts (self->program->persistent, &self->ledger.stats.persistent);
}
