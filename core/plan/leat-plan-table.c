/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The tables of a plan: its ops and buffers, found by number and added at the end. */

#include "leat-plan-private.h"
#include "graph/leat-endpoint.h"

static const char *const leat_buffer_kind_names[] = { "staging", "device", "state", "const" };

const char *
leat_buffer_kind_get_name (LeatBufferKind kind)
{
  return leat_buffer_kind_names[kind];
}

LeatOp *
leat_plan_get_op (LeatPlan *self, guint index)
{
  return g_ptr_array_index (self->ops, index);
}

LeatBuffer *
leat_plan_get_buffer (LeatPlan *self, LeatBufferId id)
{
  g_assert (id < self->buffers->len);
  return g_ptr_array_index (self->buffers, id);
}

/* The buffer whose memory this one has from the start on, since who writes it works in place. */
LeatBufferId
leat_plan_follow_memory (LeatPlan *self, LeatBufferId id)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self, id);

  return buffer->in_place_of != LEAT_BUFFER_NONE ? leat_plan_follow_memory (self, buffer->in_place_of) : id;
}

LeatBufferId
leat_plan_get_port_buffer (LeatPlan *self, LeatPort *port)
{
  guint entry = GPOINTER_TO_UINT (g_hash_table_lookup (self->ports, port));

  return entry == 0 ? LEAT_BUFFER_NONE : entry - 1;
}

LeatBufferId
leat_plan_add_buffer (LeatPlan *self, LeatBufferKind kind, const char *name, LeatSpec *spec, guint64 bytes)
{
  LeatBuffer *buffer = g_new0 (LeatBuffer, 1);

  buffer->id = self->buffers->len;
  buffer->kind = kind;
  buffer->name = g_strdup (name);
  buffer->spec = spec != NULL ? leat_spec_ref (spec) : NULL;
  buffer->header = spec != NULL && leat_spec_is_bounded (spec);
  buffer->bytes = bytes + (buffer->header ? LEAT_BUFFER_HEADER : 0);
  buffer->in_place_of = buffer->count_in = LEAT_BUFFER_NONE;
  buffer->loop = self->loop;
  g_ptr_array_add (self->buffers, buffer);
  return buffer->id;
}

LeatOp *
leat_plan_add_op (LeatPlan *self, LeatOpKind kind, LeatNode *node)
{
  LeatOp *op = g_new0 (LeatOp, 1);

  op->kind = kind;
  op->index = self->ops->len;
  op->node = node;
  op->to = op->from = op->counts_like = LEAT_BUFFER_NONE;
  op->loop = self->loop;
  g_ptr_array_add (self->ops, op);
  return op;
}
