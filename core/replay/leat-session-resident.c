/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"
#include "leat-stayer-private.h"

#include "kernel/device/leat-doorbell.h"

#define LEAT_SESSION_HOT_US 100

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

/* As @traits says; where a kernel that stays cannot do it and was not insisted on, without. */
gboolean
leat_session_bind_staying (LeatSession *self, LeatPlan *plan, const LeatTraits *traits, GError **error)
{
  g_autoptr (GError) why = NULL;
  LeatTraits other = *traits;

  leat_plan_bind (plan, traits);
  if (!traits->stays || leat_session_check_staying (self, plan, &why))
    return TRUE;
  if (self->executor == LEAT_EXECUTOR_RESIDENT)
    {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  leat_session_post_not_staying (self, why);
  other.stays = FALSE;
  other.capture = LEAT_CAPTURE_AUTO;
  leat_plan_bind (plan, &other);
  return TRUE;
}

/* Not unless asked for: on an H200 runs of 4 KiB took 9.6 us in packets and 5.7 by the word that says that data are
 * there, and runs of 512 bytes 5.6 and 5.0.  The variables are for experiments. */
static guint64
leat_session_get_packet_bytes (void)
{
  const char *text = g_getenv ("LEAT_RESIDENT_PACKETS");

  return text != NULL && !g_str_equal (text, "0") ? LEAT_PACKET_BYTES : 0;
}

/* To look with all threads keeps a CPU busy, and is no faster there. */
static guint64
leat_session_get_hot_us (LeatSession *self)
{
  const char *text = g_getenv ("LEAT_RESIDENT_HOT_US");

  if (text != NULL)
    return g_ascii_strtoull (text, NULL, 10);
  return leat_device_is_cpu (self->device) ? 0 : LEAT_SESSION_HOT_US;
}

void
leat_session_want_staying (LeatSession *self, LeatTraits *traits)
{
  traits->stays = self->executor == LEAT_EXECUTOR_RESIDENT || self->executor == LEAT_EXECUTOR_RESIDENT_AUTO;
  traits->stay = (LeatStayLimits){ .idle_us = (guint64) self->resident_idle_ms * 1000,
                                   .limit_us = (guint64) self->resident_limit_ms * 1000,
                                   .multiprocessors = self->resident_multiprocessors,
                                   .packet_bytes = leat_session_get_packet_bytes (),
                                   .hot_us = leat_session_get_hot_us (self) };
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
