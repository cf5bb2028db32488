/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Outputs whose room a session may make larger.  The run that had too little is done again on the same inputs, which is
 * right only where nothing tells that it was done before: what it wrote is written anew by the next one, or is not
 * looked at. */

#include "leat-plan-private.h"

#include "graph/leat-graph-error.h"

G_GNUC_PRINTF (4, 5)
static gboolean
leat_plan_refuse_growing (LeatPlan *self, const LeatOp *op, GError **error, const char *format, ...)
{
  g_autofree char *what = NULL;
  const char *output = NULL;
  va_list args;

  for (guint i = 0; i < self->buffers->len && output == NULL; i++)
    if (leat_plan_get_buffer (self, i)->grows != NULL)
      output = leat_plan_get_buffer (self, i)->name;
  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
               "%s cannot grow, as a run with too little room for it could not be done again: %s \"%s\" %s", output,
               leat_node_get_id (op->node), leat_node_get_name (op->node), what);
  return FALSE;
}

/* In the order of the plan the memory that buffers share is not known yet, but which of them is written in place is. */
static const LeatBuffer *
leat_plan_get_changed (LeatPlan *self, const LeatTouch *touch)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self, touch->buffer);

  while (buffer->in_place_of != LEAT_BUFFER_NONE)
    buffer = leat_plan_get_buffer (self, buffer->in_place_of);
  return (touch->access & LEAT_ACCESS_WRITE) != 0 ? buffer : NULL;
}

static gboolean
leat_plan_check_undoable (LeatPlan *self, const LeatOp *op, GError **error)
{
  if (op->kind == LEAT_OP_FOREIGN && op->why_eager != NULL)
    return leat_plan_refuse_growing (self, op, error, "does work that must not be captured: %s", op->why_eager);
  for (guint i = 0; i < op->n_touches; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_changed (self, &op->touches[i]);

      /* The table of what is bound gets what it had. */
      if (buffer != NULL && buffer->kind == LEAT_BUFFER_STATE && !buffer->is_learned && !op->is_head)
        return leat_plan_refuse_growing (self, op, error, "changes %s, which is kept from run to run", buffer->name);
      buffer = leat_plan_get_buffer (self, op->touches[i].buffer);
      if (op->kind == LEAT_OP_SINK && buffer->user && buffer->header)
        return leat_plan_refuse_growing (self, op, error,
                                         "takes its result in memory of the program's, which has the room that it has");
    }
  return TRUE;
}

gboolean
leat_plan_check_growing (LeatPlan *self, GError **error)
{
  for (guint i = 0; self->grows && i < self->ops->len; i++)
    if (!leat_plan_check_undoable (self, leat_plan_get_op (self, i), error))
      return FALSE;
  return TRUE;
}

/* Only these hand on a count that they may not have looked at; a kernel that finds one above the capacity says so. */
static gboolean
leat_op_hands_on (const LeatOp *self, const gboolean *wanted)
{
  if (self->kind != LEAT_OP_COPY && self->kind != LEAT_OP_TRANSFER && self->kind != LEAT_OP_FOREIGN)
    return FALSE;
  for (guint i = 0; i < self->n_touches; i++)
    if ((self->touches[i].access & LEAT_ACCESS_WRITE) != 0 && wanted[self->touches[i].buffer])
      return TRUE;
  return FALSE;
}

static gboolean
leat_buffer_is_short (const LeatBuffer *self, guint64 count)
{
  return self->grows != NULL && leat_buffer_get_capacity (self) < count;
}

const LeatBuffer *
leat_plan_find_short (LeatPlan *self, LeatBufferId id, guint64 count)
{
  g_autofree gboolean *wanted = g_new0 (gboolean, self->buffers->len);

  if (leat_buffer_is_short (leat_plan_get_buffer (self, id), count))
    return leat_plan_get_buffer (self, id);
  wanted[id] = TRUE;
  for (guint i = self->ops->len; i > 0; i--)
    {
      const LeatOp *op = leat_plan_get_op (self, i - 1);

      if (!leat_op_hands_on (op, wanted))
        continue;
      for (guint t = 0; t < op->n_touches; t++)
        {
          const LeatBuffer *buffer = leat_plan_get_buffer (self, op->touches[t].buffer);

          if (leat_buffer_is_short (buffer, count))
            return buffer;
          wanted[buffer->id] = TRUE;
        }
    }
  return NULL;
}
