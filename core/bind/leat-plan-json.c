/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The plan for tools: ops, buffers, pieces and the prediction as JSON.  Changes nothing of the plan. */

#include "leat-bind-private.h"

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

/* Sizes of blocks that measuring chooses among. */
static void
leat_json_add_choices (JsonBuilder *builder, const LeatOp *op)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  if (op->n_choices == 0)
    return;
  json_builder_set_member_name (builder, "blocks");
  json_builder_begin_array (builder);
  for (guint i = 0; i < op->n_choices; i++)
    json_builder_add_string_value (builder, op->choices[i].name);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "block-measured");
  json_builder_add_boolean_value (builder, bound->block_measured > 0);
  if (bound->block_measured == 0 || bound->block_gain <= 0)
    return;
  json_builder_set_member_name (builder, "block-gain");
  json_builder_add_double_value (builder, bound->block_gain);
}

static void
leat_json_add_op_details (JsonBuilder *builder, const LeatOp *op)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  if (op->kind == LEAT_OP_KERNEL)
    {
      leat_json_add_string (builder, "source", leat_kernel_source_get_name (op->source));
      leat_json_add_string (builder, "entry", op->prototype->entry);
      if (op->grid_by_occupancy)
        leat_json_add_string (builder, "grid", "occupancy");
      else
        leat_json_add_triple (builder, "grid", op->grid);
      leat_json_add_triple (builder, "block", op->block);
      leat_json_add_choices (builder, op);
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
      leat_json_add_string (builder, "method", leat_loop_method_get_name (LEAT_BOUND_LOOP (op->runs)->method));
      leat_json_add_string (builder, "reason", LEAT_BOUND_LOOP (op->runs)->why);
      leat_json_add_int (builder, "iteration-kernels", LEAT_BOUND_LOOP (op->runs)->kernels);
      leat_json_add_int (builder, "iteration-copies", LEAT_BOUND_LOOP (op->runs)->copies);
      leat_json_add_int (builder, "iteration-fills", LEAT_BOUND_LOOP (op->runs)->fills);
    }
  if (op->fusion != NULL)
    leat_json_add_fusion (builder, op->fusion);
  if (op->fusible != NULL)
    leat_json_add_string (builder, "why-fused", LEAT_BOUND_FUSIBLE (op->fusible)->why);
  if (op->why_separate != NULL)
    leat_json_add_string (builder, "why-separate", op->why_separate);
  if (op->loop != NULL)
    leat_json_add_int (builder, "loop", op->loop->first);
  if (op->kind == LEAT_OP_FOREIGN)
    leat_json_add_string (builder, "name", op->name);
  if (op->kind == LEAT_OP_FOREIGN && leat_op_get_why_alone (op) != NULL)
    leat_json_add_string (builder, "why-not-captured", leat_op_get_why_alone (op));
  if (op->kind == LEAT_OP_FOREIGN && bound->tried)
    leat_json_add_int (builder, "captured-nodes", bound->n_captured_nodes);
  if (op->kind == LEAT_OP_TRANSFER)
    {
      leat_json_add_string (builder, "mode", leat_transfer_mode_get_name (bound->way));
      if (bound->reason != NULL)
        leat_json_add_string (builder, "reason", bound->reason);
    }
}

static void
leat_json_add_early (JsonBuilder *builder, const LeatOp *op)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  if (bound->n_early == 0)
    return;
  json_builder_set_member_name (builder, "early-after");
  json_builder_begin_array (builder);
  for (guint i = 0; i < bound->n_after; i++)
    if (bound->early[i])
      json_builder_add_int_value (builder, bound->after[i]);
  json_builder_end_array (builder);
}

static void
leat_json_add_op (JsonBuilder *builder, const LeatOp *op)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  json_builder_begin_object (builder);
  leat_json_add_int (builder, "index", op->index);
  leat_json_add_string (builder, "kind", leat_op_kind_get_name (op->kind));
  leat_json_add_string (builder, "node", leat_node_get_name (op->node));
  leat_json_add_touches (builder, "reads", op, LEAT_ACCESS_READ);
  leat_json_add_touches (builder, "writes", op, LEAT_ACCESS_WRITE);
  leat_json_add_op_details (builder, op);
  if (bound->wide || bound->why_spread != NULL)
    leat_json_add_string (builder, "entries", bound->why_spread != NULL ? "spread" : "coalesced");
  if (bound->why_spread != NULL)
    leat_json_add_string (builder, "why-spread", bound->why_spread);
  json_builder_set_member_name (builder, "after");
  json_builder_begin_array (builder);
  for (guint i = 0; i < bound->n_after; i++)
    json_builder_add_int_value (builder, bound->after[i]);
  json_builder_end_array (builder);
  leat_json_add_early (builder, op);
  json_builder_end_object (builder);
}

static void
leat_json_add_buffer (JsonBuilder *builder, const LeatBuffer *buffer)
{
  const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);

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
  if (bound->stride > 0)
    leat_json_add_int (builder, "stride", bound->stride);
  leat_json_add_string (builder, "place", places[bound->place]);
  if (bound->place == LEAT_PLACE_ALIAS)
    leat_json_add_int (builder, "alias-of", bound->root);
  if (bound->place == LEAT_PLACE_USER)
    leat_json_add_int (builder, "slot", buffer->slot);
  if (bound->place == LEAT_PLACE_ARENA || bound->place == LEAT_PLACE_MARKS)
    leat_json_add_int (builder, "offset", bound->offset);
  if (buffer->grows != NULL)
    {
      json_builder_set_member_name (builder, "grows");
      json_builder_add_boolean_value (builder, TRUE);
    }
  if (bound->first_op != G_MAXUINT)
    {
      leat_json_add_int (builder, "first-op", bound->first_op);
      leat_json_add_int (builder, "last-op", bound->last_op);
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
leat_json_add_pass_note (JsonBuilder *builder, const LeatPassNote *note)
{
  json_builder_begin_object (builder);
  leat_json_add_string (builder, "pass", note->pass);
  leat_json_add_string (builder, "node", leat_node_get_name (note->node));
  if (note->into != NULL)
    leat_json_add_string (builder, "into", leat_node_get_name (note->into));
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
  g_autoptr (GVariant) prediction = leat_prediction_to_variant (&LEAT_BOUND_PLAN (self)->prediction);
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
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&bound->lock);
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "bound");
  json_builder_add_boolean_value (builder, bound->traits.bound);
  leat_json_add_int (builder, "device-bytes", bound->arena_bytes + bound->own_bytes);
  leat_json_add_int (builder, "host-bytes", bound->staging_bytes);
  if (bound->traits.entries > 0)
    leat_json_add_int (builder, "entries", bound->traits.entries);
  if (bound->why_in_turn != NULL)
    leat_json_add_string (builder, "why-in-turn", bound->why_in_turn);
  json_builder_set_member_name (builder, "flush");
  json_builder_add_boolean_value (builder, self->flush);
  json_builder_set_member_name (builder, "ops");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->ops->len; i++)
    if (!LEAT_BOUND_OP (leat_plan_get_op (self, i))->hidden)
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
  json_builder_set_member_name (builder, "optimised");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->pass_notes->len; i++)
    leat_json_add_pass_note (builder, &g_array_index (self->pass_notes, LeatPassNote, i));
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "pieces");
  json_builder_begin_array (builder);
  for (guint i = 0; i < bound->pieces->len; i++)
    leat_json_add_piece (builder, &g_array_index (bound->pieces, LeatPiece, i));
  json_builder_end_array (builder);
  if (bound->traits.bound && bound->why_not_early != NULL)
    leat_json_add_string (builder, "why-no-early-start", bound->why_not_early);
  leat_json_add_prediction (builder, self);
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  return json_to_string (root, TRUE);
}
