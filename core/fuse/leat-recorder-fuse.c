/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A group recorded as one kernel: the nodes of its body record between the two halves of this. */

#include "plan/leat-plan-private.h"

#include "graph/leat-group.h"
#include "graph/leat-node-private.h"
#include "leat-fuse-private.h"
#include "leat-recorder-group.h"

/**
 * leat_recorder_begin_fusion: (skip)
 * @self: the recorder of a group
 *
 * Begins what is to become one kernel: what comes to the group is what its body is given.
 *
 * Returns: where it begins, for leat_recorder_end_fusion()
 */
guint
leat_recorder_begin_fusion (LeatRecorder *self)
{
  GPtrArray *ports = leat_node_get_ports (self->node);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = g_ptr_array_index (ports, i);
      const char *name = leat_port_get_name (port);

      if (leat_port_get_direction (port) == LEAT_PORT_INPUT)
        leat_plan_set_port_buffer (self->plan, leat_recorder_peek_inside (self, TRUE, name),
                                   leat_recorder_get_input (self, name));
    }
  return self->plan->ops->len;
}

/**
 * leat_recorder_end_fusion: (skip)
 * @self: the recorder of a group, at the end of its body
 * @first: what leat_recorder_begin_fusion() gave
 * @call: how
 * @error: return location for an error
 *
 * Makes all that was recorded since one kernel, and says what the group's outputs are.
 *
 * Returns: whether it could be done; an error names the node that cannot be part of it
 */
gboolean
leat_recorder_end_fusion (LeatRecorder *self, guint first, const LeatFuseCall *call, GError **error)
{
  const GPtrArray *doubts;
  GPtrArray *ports = leat_node_get_ports (self->node);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = g_ptr_array_index (ports, i);
      const char *name = leat_port_get_name (port);
      LeatBufferId id = LEAT_BUFFER_NONE;

      if (leat_port_get_direction (port) == LEAT_PORT_OUTPUT)
        id = leat_recorder_get_result (self, name);
      if (id != LEAT_BUFFER_NONE)
        leat_recorder_set_output (self, name, id);
    }
  if (leat_pipeline_get_fuse (self->plan->pipeline) == LEAT_FUSE_MODE_NEVER)
    return TRUE;
  if (!leat_plan_fuse (self->plan, self->node, first, call, error))
    return FALSE;
  doubts = leat_plan_get_op (self->plan, first)->fusion->doubts;
  for (guint i = 0; i < doubts->len; i++)
    leat_recorder_warn (self, "%s", (const char *) g_ptr_array_index (doubts, i));
  return TRUE;
}
