/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A kernel that may give more items than its output holds says how many there were, and the next kernel finds that
 * count on the device.  That kernel's wrapper takes no more than there is, and leaves the count here, in memory of the
 * host. */

#include "leat-lane-private.h"

#include "leat-session-error.h"

gboolean
leat_lane_allocate_overs (LeatLane *self, GError **error)
{
  gsize bytes;

  self->counted = leat_plan_list_counted (self->plan);
  bytes = self->counted->len * MAX (LEAT_BOUND_PLAN (self->plan)->traits.entries_most, 1) * sizeof (guint64);
  if (bytes == 0)
    return TRUE;
  self->overs =
    leat_lane_new_memory (self, LEAT_MEMORY_SCRATCH, LEAT_MEMORY_PINNED, bytes, "counts above their capacity", error);
  if (self->overs == NULL)
    return FALSE;
  memset (leat_memory_get_host (self->overs), 0, bytes);
  return TRUE;
}

CUdeviceptr
leat_lane_get_over (LeatLane *self, const LeatOp *op, guint arg)
{
  for (guint i = 0; i < self->counted->len; i++)
    {
      const LeatCounted *counted = &g_array_index (self->counted, LeatCounted, i);

      if (counted->op == op && counted->arg == arg)
        return leat_memory_get_address (self->overs)
               + ((gsize) self->shift * self->counted->len + i) * sizeof (guint64);
    }
  return 0;
}

const LeatBuffer *
leat_lane_find_over (LeatLane *self, guint lane, guint64 *count)
{
  const guint64 *overs =
    self->overs != NULL ? (guint64 *) leat_memory_get_host (self->overs) + (gsize) lane * self->counted->len : NULL;

  for (guint i = 0; overs != NULL && i < self->counted->len; i++)
    {
      const LeatCounted *counted = &g_array_index (self->counted, LeatCounted, i);

      *count = overs[i];
      if (*count > 0)
        return leat_plan_get_buffer (self->plan, counted->op->args[counted->arg].buffer);
    }
  return NULL;
}

static gboolean
leat_lane_refuse_over (LeatLane *self, const LeatCounted *counted, guint64 count, GError **error)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, counted->op->args[counted->arg].buffer);
  LeatNode *node = counted->op->node;

  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW,
               "%s \"%s\": there are %" G_GUINT64_FORMAT
               " items to take from %s, but it has room for %" G_GUINT64_FORMAT "; give that output a larger spec",
               leat_node_get_id (node), leat_node_get_name (node), count, buffer->name,
               leat_buffer_get_capacity (buffer));
  return FALSE;
}

/* The first in the order of the ops is the cause; those behind it may only have been handed the same count. */
gboolean
leat_lane_check_overs (LeatLane *self, GError **error)
{
  return leat_lane_check_overs_of (self, 0, error);
}

/* Of one of several lanes. */
gboolean
leat_lane_check_overs_of (LeatLane *self, guint lane, GError **error)
{
  guint64 *overs = self->overs != NULL
                     ? (guint64 *) leat_memory_get_host (self->overs) + (gsize) lane * self->counted->len
                     : NULL,
          any = 0;

  for (guint i = 0; i < self->counted->len; i++)
    any |= overs[i];
  if (G_LIKELY (any == 0))
    return TRUE;
  for (guint i = 0; i < self->counted->len; i++)
    {
      guint64 count = overs[i];

      if (count == 0)
        continue;
      memset (overs, 0, self->counted->len * sizeof *overs);
      return leat_lane_refuse_over (self, &g_array_index (self->counted, LeatCounted, i), count, error);
    }
  return TRUE;
}
