/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What a pipeline has: its nodes, what was changed while it is frozen, and who plans it. */

#include "leat-pipeline-private.h"

gboolean
leat_pipeline_is_planned_here (LeatPipeline *self)
{
  return g_atomic_pointer_get (&self->planner) == g_thread_self ();
}

gboolean
leat_pipeline_is_frozen (LeatPipeline *self)
{
  return g_atomic_int_get (&self->n_frozen) > 0;
}

LeatChanges *
leat_pipeline_get_changes (LeatPipeline *self)
{
  return self->changes;
}

GPtrArray *
leat_pipeline_get_nodes (LeatPipeline *self)
{
  return self->nodes;
}
