/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Inputs that belong together row by row.  The host sees the counts of sources, and not those on the device. */

#include "leat-plan-private.h"

#include "leat-plan-aligned-private.h"

void
leat_aligned_clear (LeatAligned *self)
{
  g_free (self->names[0]);
  g_free (self->names[1]);
}

/**
 * leat_recorder_align: (skip)
 * @self: a recorder
 * @input: name of an input port
 * @other: name of another one
 *
 * Says that row i of one input goes with row i of the other.
 *
 * Where both are bounded, a run in which one has fewer rows leaves rows of the other out.  If both come from sources,
 * such a run is warned of, once.
 *
 * Since: 0.1
 */
void
leat_recorder_align (LeatRecorder *self, const char *input, const char *other)
{
  const char *const names[2] = { input, other };
  LeatAligned aligned = { .node = self->node, .origins = { LEAT_BUFFER_NONE, LEAT_BUFFER_NONE } };

  for (guint i = 0; i < 2; i++)
    {
      aligned.buffers[i] = leat_recorder_get_input (self, names[i]);
      if (aligned.buffers[i] == LEAT_BUFFER_NONE
          || !leat_spec_is_bounded (leat_recorder_get_spec (self, aligned.buffers[i])))
        return;
    }
  for (guint i = 0; i < 2; i++)
    aligned.names[i] = g_strdup (names[i]);
  g_array_append_val (self->plan->aligned, aligned);
}

void
leat_plan_find_aligned (LeatPlan *self, LeatAligned *aligned)
{
  g_autofree LeatBufferId *origins = NULL;

  if (aligned->origins[0] != LEAT_BUFFER_NONE)
    return;
  origins = leat_plan_list_origins (self);
  for (guint i = 0; i < 2; i++)
    aligned->origins[i] = origins[aligned->buffers[i]];
}

void
leat_plan_copy_aligned (LeatPlan *self, const LeatPlan *from)
{
  for (guint i = 0; i < from->aligned->len; i++)
    {
      LeatAligned aligned = g_array_index (from->aligned, LeatAligned, i);

      for (guint k = 0; k < 2; k++)
        aligned.names[k] = g_strdup (aligned.names[k]);
      g_array_append_val (self->aligned, aligned);
    }
}
