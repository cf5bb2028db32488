/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Counts by value that kernels find on the device.  The host never sees them on the way, so the wrappers of these
 * kernels hold them against the capacity. */

#include "leat-plan-private.h"
#include "graph/leat-endpoint.h"

#include <string.h>

LeatRole
leat_op_get_role (const LeatOp *self, guint arg)
{
  switch (self->args[arg].kind)
    {
    case LEAT_ARG_ITEMS:
      return LEAT_ROLE_ITEMS;
    case LEAT_ARG_COUNT:
      return self->prototype->params[arg].kind == LEAT_PARAM_INPUT_COUNT ? LEAT_ROLE_COUNT : LEAT_ROLE_COUNT_AT;
    case LEAT_ARG_VALUE:
      return LEAT_ROLE_VALUE;
    case LEAT_ARG_NODE_ARG:
      return LEAT_ROLE_NODE_ARG;
    case LEAT_ARG_QUEUE:
      return LEAT_ROLE_QUEUE;
    case LEAT_ARG_LOOP:
      return LEAT_ROLE_LOOP;
    case LEAT_ARG_TEXTURE:
    case LEAT_ARG_SURFACE:
      return LEAT_ROLE_TEXTURE;
    }
  g_assert_not_reached ();
}

/* A pointer to constant items is all that a prototype calls an input. */
gboolean
leat_op_only_reads (const LeatOp *self, guint arg)
{
  return self->prototype->params[arg].kind == LEAT_PARAM_INPUT;
}

guint64
leat_op_arg_get_number (const LeatOpArg *self)
{
  guint64 number = 1;

  if (self->value != NULL)
    memcpy (&number, g_bytes_get_data (self->value, NULL), MIN (g_bytes_get_size (self->value), sizeof number));
  return number;
}

GArray *
leat_plan_list_counted (LeatPlan *self)
{
  GArray *counted = g_array_new (FALSE, FALSE, sizeof (LeatCounted));

  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatCounted found = { leat_plan_get_op (self, i), 0 };

      for (; found.arg < found.op->n_args; found.arg++)
        if (leat_op_get_role (found.op, found.arg) == LEAT_ROLE_COUNT)
          g_array_append_val (counted, found);
    }
  return counted;
}

/* Does its kernel take a count by value that is on the device? */
gboolean
leat_op_takes_counts (const LeatOp *self)
{
  for (guint i = 0; i < self->n_args; i++)
    if (leat_op_get_role (self, i) == LEAT_ROLE_COUNT)
      return TRUE;
  return FALSE;
}

guint64
leat_buffer_get_capacity (const LeatBuffer *self)
{
  return self->spec != NULL && leat_spec_get_n_dims (self->spec) > 0 ? leat_spec_get_dim (self->spec, 0) : 1;
}

/* Ops are in the order in which they run. */
LeatBufferId *
leat_plan_list_origins (LeatPlan *self)
{
  LeatBufferId *origins = g_new (LeatBufferId, self->buffers->len + 1);

  for (guint i = 0; i < self->buffers->len; i++)
    origins[i] = i;
  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      /* What was brought from an array begins where it comes to: nobody else knows its items. */
      if ((op->kind == LEAT_OP_COPY || op->kind == LEAT_OP_TRANSFER) && op->bytes > LEAT_BUFFER_HEADER
          && leat_plan_get_buffer (self, op->from)->array == NULL)
        origins[op->to] = origins[op->from];
    }
  return origins;
}

const LeatBuffer *
leat_plan_get_origin (LeatPlan *self, LeatBufferId id)
{
  g_autofree LeatBufferId *origins = leat_plan_list_origins (self);

  return leat_plan_get_buffer (self, origins[id]);
}

/* The node that writes a buffer, or else the first that reads it. */
LeatNode *
leat_plan_find_writer (LeatPlan *self, LeatBufferId id)
{
  LeatNode *reader = NULL;

  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      for (guint t = 0; t < op->n_touches; t++)
        {
          if (op->touches[t].buffer != id)
            continue;
          if (op->touches[t].access & LEAT_ACCESS_WRITE)
            return op->node;
          reader = reader != NULL ? reader : op->node;
        }
    }
  return reader;
}
