/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* From a pipeline to a plan: recorded, optimised, with what may be fused, finished, and bound for a device. */

#include "bind/leat-bound-plan-private.h"
#include "leat-bind-private.h"
#include "fuse/leat-fusible-private.h"
#include "optimise/leat-optimise-private.h"

LeatPlan *
leat_plan_new_unbound (LeatPipeline *pipeline, gboolean persistent, GError **error)
{
  g_autoptr (LeatPlan) self = leat_plan_record_all (pipeline, error);

  if (self == NULL)
    return NULL;
  if (leat_pipeline_get_optimise (pipeline) && !leat_plan_optimise (self, error))
    return NULL;
  if (leat_pipeline_get_fuse (pipeline) != LEAT_FUSE_MODE_NEVER)
    leat_plan_offer_kernels (self);
  if (leat_pipeline_get_fuse (pipeline) == LEAT_FUSE_MODE_AUTO)
    leat_plan_find_fusibles (self, TRUE);
  if (!leat_plan_finish (self, error))
    return NULL;
  if (persistent)
    leat_plan_find_needed_fusibles (self);
  return leat_bound_plan_new (g_steal_pointer (&self));
}

/**
 * leat_plan_new:
 * @pipeline: a pipeline
 * @error: return location for an error
 *
 * Plans a pipeline; no device is touched.
 *
 * An error that belongs to a node which a file holds begins with that place, `file:line:column`.
 *
 * Source files are looked at for their headers, as far as specs depend on them; nothing is read or written beyond that.
 *
 * Returns: (transfer full): the logical plan, or %NULL
 */
LeatPlan *
leat_plan_new (LeatPipeline *pipeline, GError **error)
{
  const LeatTraits traits = { 0 };
  LeatPlan *self;

  g_return_val_if_fail (LEAT_IS_PIPELINE (pipeline), NULL);
  self = leat_plan_new_unbound (pipeline, FALSE, error);
  if (self != NULL)
    leat_plan_bind (self, &traits);
  return self;
}
