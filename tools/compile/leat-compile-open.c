/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Opens a pipeline for an artifact, and asks for the images that runs ask for later: of other ways,
 * batches and repeated runs. */

#include "leat-compile-open.h"

#include "leat-compile-gather.h"

#include "bind/leat-bind-private.h"
#include "bind/leat-bound-plan-private.h"
#include "device/leat-device-private.h"
#include "lane/leat-repeater-private.h"
#include "plan/leat-plan-private.h"

static LeatImageTarget
leat_compile_make_target (LeatSession *session)
{
  LeatDevice *device = leat_session_get_device (session);
  const LeatDeviceFacts *facts = leat_device_get_facts (device);

  if (leat_device_is_cpu (device))
    return (LeatImageTarget){ LEAT_IMAGE_HOST, "native" };
  return (LeatImageTarget){ LEAT_IMAGE_CUBIN, "", facts->compute_major * 10 + facts->compute_minor };
}

/* Of two ways in which a loop or a stretch may be done, one is chosen when it is measured.  A GPU may have taken an
 * image that ships, which is not told. */
static void
leat_compile_get_ways (LeatSession *session, LeatPlan *plan)
{
  LeatImageTarget target = leat_compile_make_target (session);
  g_autoptr (GBytes) transfer = leat_image_get (leat_transfer_get_source (), &target, NULL);
  gboolean apart = !leat_plan_may_overlap (plan);

  for (guint i = 0; i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);
      g_autoptr (GBytes) image = NULL;

      if (op->kind != LEAT_OP_KERNEL)
        continue;
      if (op->loop != NULL || apart)
        leat_compile_gather_note_apart (op->source);
      if (LEAT_BOUND_OP (op)->hidden || target.kind != LEAT_IMAGE_HOST)
        image = leat_image_get (op->source, &target, NULL);
    }
}

static gboolean
leat_compile_get_batch (LeatSession *session, GError **error)
{
  LeatImageTarget target = leat_compile_make_target (session);
  g_autoptr (LeatPlan) plan = leat_session_get_batch_plan (session, error);

  target.wide = TRUE;
  for (guint i = 0; plan != NULL && i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);
      g_autoptr (GBytes) image = NULL;

      if (leat_op_launches (op) && LEAT_BOUND_OP (op)->wide
          && (image = leat_image_get (op->source, &target, error)) == NULL)
        return FALSE;
    }
  return plan != NULL;
}

/* Where a device does not repeat runs by itself, it needs nothing for that. */
static void
leat_compile_get_repeater (LeatSession *session)
{
  LeatRepeater *repeater = leat_repeater_new (leat_session_get_device (session), NULL);

  g_clear_pointer (&repeater, leat_repeater_free);
}

gboolean
leat_compile_open (LeatPipeline *pipeline, const LeatCompileUse *use, GError **error)
{
  g_autoptr (LeatSession) session = leat_session_new (pipeline, use->device);
  g_autoptr (LeatPlan) plan = NULL;
  gboolean good;

  if (use->persistent)
    g_object_set (session, "executor", LEAT_EXECUTOR_PERSISTENT, NULL);
  good = leat_session_open (session, NULL, error);
  if (good)
    {
      plan = leat_session_dup_plan (session);
      leat_compile_get_ways (session, plan);
      leat_compile_get_repeater (session);
      good = !use->batch || leat_compile_get_batch (session, error);
    }
  leat_session_close (session);
  return good;
}
