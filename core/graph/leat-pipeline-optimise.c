/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Whether plans of a pipeline leave out work that changes no result. */

#include "leat-pipeline.h"

static GQuark
leat_pipeline_get_as_recorded_quark (void)
{
  return g_quark_from_static_string ("leat-pipeline-as-recorded");
}

/**
 * leat_pipeline_set_optimise:
 * @self: a pipeline
 * @optimise: whether plans are optimised
 *
 * Chooses whether the plans that are made from now on leave out work that changes no result: nodes that nobody reads or
 * that do the same as others, copies that nobody needs, and what is the same in every iteration of a loop.
 *
 * Results are the same bytes either way.  A node whose ops another one's stand for has no times of its own.
 *
 * Since: 1.0
 */
void
leat_pipeline_set_optimise (LeatPipeline *self, gboolean optimise)
{
  g_return_if_fail (LEAT_IS_PIPELINE (self));
  g_object_set_qdata (G_OBJECT (self), leat_pipeline_get_as_recorded_quark (), GINT_TO_POINTER (!optimise));
}

/**
 * leat_pipeline_get_optimise:
 * @self: a pipeline
 *
 * Gets whether plans leave out work that changes no result.
 *
 * Returns: as leat_pipeline_set_optimise() was told, else %TRUE
 *
 * Since: 1.0
 */
gboolean
leat_pipeline_get_optimise (LeatPipeline *self)
{
  g_return_val_if_fail (LEAT_IS_PIPELINE (self), FALSE);
  return g_object_get_qdata (G_OBJECT (self), leat_pipeline_get_as_recorded_quark ()) == NULL;
}
