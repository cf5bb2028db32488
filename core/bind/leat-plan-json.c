/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The plan for tools: ops, buffers, pieces and the prediction as JSON.  Changes nothing of the plan. */

#include "plan/leat-plan-private.h"
#include "fuse/leat-fusible-private.h"

#include <json-glib/json-glib.h>

static void
leat_json_add_int (JsonBuilder *builder, const char *name, guint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, (gint64) value);
}

static void
leat_json_add_string (JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
leat_json_add_triple (JsonBuilder *builder, const char *name, const guint *values)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; i < 3; i++)
    json_builder_add_int_value (builder, values[i]);
  json_builder_end_array (builder);
}

static void
leat_json_add_touches (JsonBuilder *builder, const char *name, const LeatOp *op, LeatAccess access)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint t = 0; t < op->n_touches; t++)
    if (op->touches[t].access & access)
      json_builder_add_int_value (builder, op->touches[t].buffer);
  json_builder_end_array (builder);
}

static void
leat_json_add_fusion (JsonBuilder *builder, const LeatFusion *fusion)
{
  leat_json_add_int (builder, "fused-ops", fusion->n_ops);
  leat_json_add_int (builder, "barriers", fusion->n_syncs);
  leat_json_add_int (builder, "block-waits", fusion->n_waits);
  leat_json_add_int (builder, "kept-buffers", fusion->n_kept);
  leat_json_add_int (builder, "shared-buffers", fusion->n_windows);
  leat_json_add_int (builder, "kept-bytes", fusion->kept_bytes);
  json_builder_set_member_name (builder, "stages");
  json_builder_begin_array (builder);
  for (guint i = 0; i < fusion->lines->len; i++)
    json_builder_add_string_value (builder, g_ptr_array_index (fusion->lines, i));
  json_builder_end_array (builder);
}

static void
leat_json_add_op_details (JsonBuilder *builder, const LeatOp *op)
{
  if (op->kind == LEAT_OP_KERNEL)
    {
      leat_json_add_string (builder, "source", leat_kernel_source_get_name (op->source));
      leat_json_add_string (builder, "entry", op->prototype->entry);
      if (op->grid_by_occupancy)
        leat_json_add_string (builder, "grid", "occupancy");
      else
        leat_json_add_triple (builder, "grid", op->grid);
      leat_json_add_triple (builder, "block", op->block);
      leat_json_add_int (builder, "shared-bytes", op->shared_bytes);
      json_builder_set_member_name (builder, "reports");
      json_builder_add_boolean_value (builder, op->prototype->reports);
    }
  if (op->kind == LEAT_OP_COPY || op->kind == LEAT_OP_FILL || op->kind == LEAT_OP_TRANSFER)
    leat_json_add_int (builder, "bytes", op->bytes);
  if (op->runs != NULL)
    {
      leat_json_add_int (builder, "last", op->runs->last);
      if (op->runs->most < G_MAXINT64)
        leat_json_add_int (builder, "most", op->runs->most);
      leat_json_add_string (builder, "method", leat_loop_method_get_name (op->runs->method));
      leat_json_add_string (builder, "reason", op->runs->why);
      leat_json_add_int (builder, "iteration-kernels", op->runs->kernels);
      leat_json_add_int (builder, "iteration-copies", op->runs->copies);
      leat_json_add_int (builder, "iteration-fills", op->runs->fills);
    }
  if (op->fusion != NULL)
    leat_json_add_fusion (builder, op->fusion);
  if (op->fusible != NULL)
    leat_json_add_string (builder, "why-fused", op->fusible->why);
  if (op->why_separate != NULL)
    leat_json_add_string (builder, "why-separate", op->why_separate);
  if (op->loop != NULL)
    leat_json_add_int (builder, "loop", op->loop->first);
  if (op->kind == LEAT_OP_FOREIGN)
    leat_json_add_string (builder, "name", op->name);
  if (op->kind == LEAT_OP_FOREIGN && op->why_eager != NULL)
    leat_json_add_string (builder, "why-not-captured", op->why_eager);
  if (op->kind == LEAT_OP_FOREIGN && op->tried)
    leat_json_add_int (builder, "captured-nodes", op->n_captured_nodes);
  if (op->kind == LEAT_OP_TRANSFER)
    {
      leat_json_add_string (builder, "mode", leat_transfer_mode_get_name (op->way));
      if (op->reason != NULL)
        leat_json_add_string (builder, "reason", op->reason);
    }
}

static void
leat_json_add_early (JsonBuilder *builder, const LeatOp *op)
{
  if (op->n_early == 0)
    return;
  json_builder_set_member_name (builder, "early-after");
  json_builder_begin_array (builder);
  for (guint i = 0; i < op->n_after; i++)
    if (op->early[i])
      json_builder_add_int_value (builder, op->after[i]);
  json_builder_end_array (builder);
}

static void
leat_json_add_op (JsonBuilder *builder, const LeatOp *op)
{
  json_builder_begin_object (builder);
  leat_json_add_int (builder, "index", op->index);
  leat_json_add_string (builder, "kind", leat_op_kind_get_name (op->kind));
  leat_json_add_string (builder, "node", leat_node_get_name (op->node));
  leat_json_add_touches (builder, "reads", op, LEAT_ACCESS_READ);
  leat_json_add_touches (builder, "writes", op, LEAT_ACCESS_WRITE);
  leat_json_add_op_details (builder, op);
  if (op->wide || op->why_spread != NULL)
    leat_json_add_string (builder, "entries", op->why_spread != NULL ? "spread" : "coalesced");
  if (op->why_spread != NULL)
    leat_json_add_string (builder, "why-spread", op->why_spread);
  json_builder_set_member_name (builder, "after");
  json_builder_begin_array (builder);
  for (guint i = 0; i < op->n_after; i++)
    json_builder_add_int_value (builder, op->after[i]);
  json_builder_end_array (builder);
  leat_json_add_early (builder, op);
  json_builder_end_object (builder);
}

static void
leat_json_add_buffer (JsonBuilder *builder, const LeatBuffer *buffer)
{
  static const char *const places[] = { "arena", "own", "staging", "alias", "user", "marks" };

  json_builder_begin_object (builder);
  leat_json_add_int (builder, "id", buffer->id);
  leat_json_add_string (builder, "name", buffer->name);
  leat_json_add_string (builder, "kind", leat_buffer_kind_get_name (buffer->kind));
  if (buffer->spec != NULL)
    {
      g_autofree char *spec = leat_spec_to_string (buffer->spec, LEAT_SPEC_STYLE_FILE);

      leat_json_add_string (builder, "spec", spec);
    }
  leat_json_add_int (builder, "bytes", buffer->bytes);
  if (buffer->stride > 0)
    leat_json_add_int (builder, "stride", buffer->stride);
  leat_json_add_string (builder, "place", places[buffer->place]);
  if (buffer->place == LEAT_PLACE_ALIAS)
    leat_json_add_int (builder, "alias-of", buffer->root);
  if (buffer->place == LEAT_PLACE_USER)
    leat_json_add_int (builder, "slot", buffer->slot);
  if (buffer->place == LEAT_PLACE_ARENA || buffer->place == LEAT_PLACE_MARKS)
    leat_json_add_int (builder, "offset", buffer->offset);
  if (buffer->grows != NULL)
    {
      json_builder_set_member_name (builder, "grows");
      json_builder_add_boolean_value (builder, TRUE);
    }
  if (buffer->first_op != G_MAXUINT)
    {
      leat_json_add_int (builder, "first-op", buffer->first_op);
      leat_json_add_int (builder, "last-op", buffer->last_op);
    }
  json_builder_end_object (builder);
}

static void
leat_json_add_delay (JsonBuilder *builder, LeatPlan *self, const LeatDelay *delay)
{
  const LeatBuffer *state = leat_plan_get_buffer (self, delay->state);

  json_builder_begin_object (builder);
  leat_json_add_string (builder, "node", leat_node_get_name (delay->node));
  leat_json_add_int (builder, "buffer", delay->state);
  leat_json_add_string (builder, "scope", leat_state_scope_get_name (state->scope));
  if (delay->from != LEAT_BUFFER_NONE)
    {
      leat_json_add_int (builder, "becomes", delay->from);
      leat_json_add_string (builder, "way", delay->in_place ? "in-place" : "copy");
    }
  json_builder_end_object (builder);
}

static void
leat_json_add_piece (JsonBuilder *builder, const LeatPiece *piece)
{
  json_builder_begin_object (builder);
  leat_json_add_int (builder, "first-op", piece->first);
  leat_json_add_int (builder, "last-op", piece->end - 1);
  json_builder_set_member_name (builder, "graph");
  json_builder_add_boolean_value (builder, piece->captured);
  if (piece->why_not != NULL)
    leat_json_add_string (builder, "why-not", piece->why_not);
  json_builder_end_object (builder);
}

static void
leat_json_add_prediction (JsonBuilder *builder, LeatPlan *self)
{
  g_autoptr (GVariant) prediction = leat_plan_dup_prediction (self);
  GVariantIter iter;
  const char *name;
  guint64 value;

  json_builder_set_member_name (builder, "prediction");
  json_builder_begin_object (builder);
  g_variant_iter_init (&iter, prediction);
  while (g_variant_iter_next (&iter, "{&st}", &name, &value))
    leat_json_add_int (builder, name, value);
  json_builder_end_object (builder);
}

/**
 * leat_plan_to_json:
 * @self: a plan
 *
 * Prints a plan for programs.  The form is described in docs/guide/plans.md.
 *
 * Returns: (transfer full): a JSON object
 */
char *
leat_plan_to_json (LeatPlan *self)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&self->lock);
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "bound");
  json_builder_add_boolean_value (builder, self->traits.bound);
  leat_json_add_int (builder, "device-bytes", leat_plan_get_device_bytes (self));
  leat_json_add_int (builder, "host-bytes", leat_plan_get_host_bytes (self));
  if (self->traits.entries > 0)
    leat_json_add_int (builder, "entries", self->traits.entries);
  if (self->why_in_turn != NULL)
    leat_json_add_string (builder, "why-in-turn", self->why_in_turn);
  json_builder_set_member_name (builder, "flush");
  json_builder_add_boolean_value (builder, self->flush);
  json_builder_set_member_name (builder, "ops");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->ops->len; i++)
    if (!leat_plan_get_op (self, i)->hidden)
      leat_json_add_op (builder, leat_plan_get_op (self, i));
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "buffers");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->buffers->len; i++)
    leat_json_add_buffer (builder, leat_plan_get_buffer (self, i));
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "states");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->delays->len; i++)
    leat_json_add_delay (builder, self, &g_array_index (self->delays, LeatDelay, i));
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "pieces");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->pieces->len; i++)
    leat_json_add_piece (builder, &g_array_index (self->pieces, LeatPiece, i));
  json_builder_end_array (builder);
  if (self->traits.bound && self->why_not_early != NULL)
    leat_json_add_string (builder, "why-no-early-start", self->why_not_early);
  leat_json_add_prediction (builder, self);
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  return json_to_string (root, TRUE);
}
