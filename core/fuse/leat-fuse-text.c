/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Writes the kernel that several ops become: one parameter for each buffer, whoever uses it, and for each argument of a
 * node; sizes that are known stand in the text. */

#include "leat-fuse-writer-private.h"

#include "plan/leat-plan-error.h"
#include "graph/leat-endpoint.h"

#define LEAT_FUSE_ENTRY      "megakernel"
#define LEAT_FUSE_LOOP_ENTRY "fused_loop"

static void
leat_fuse_writer_fill (LeatFuseWriter *self, const LeatOp *op)
{
  gboolean header = leat_plan_get_buffer (self->fuser->plan, op->to)->header;
  guint64 bytes = header && op->bytes >= LEAT_BUFFER_HEADER ? op->bytes - LEAT_BUFFER_HEADER : header ? 0 : op->bytes;
  guint64 pattern = op->value * G_GUINT64_CONSTANT (0x0101010101010101);
  const char *to = leat_fuse_writer_get_items (self, op->to);

  if (header)
    leat_fuse_writer_state (self, LEAT_FUSE_ONE_THREAD " *%s = %" G_GUINT64_FORMAT "ull;",
                            leat_fuse_writer_get_count (self, op->to, FALSE), pattern);
  if (bytes >= 8)
    leat_fuse_writer_state (self,
                            "leat_fuse_fill ((uint64_t *) %s, (uint64_t) %" G_GUINT64_FORMAT
                            "ull, (uint64_t) %" G_GUINT64_FORMAT "ull);",
                            to, bytes / 8, pattern);
  if (bytes % 8 > 0)
    leat_fuse_writer_state (
      self, "leat_fuse_fill (%s + %" G_GUINT64_FORMAT "ull, (uint64_t) %" G_GUINT64_FORMAT "ull, (unsigned char) %u);",
      to, bytes / 8 * 8, bytes % 8, op->value);
}

static void
leat_fuse_writer_copy (LeatFuseWriter *self, const LeatFuseStage *stage)
{
  const LeatOp *op = stage->op;
  gboolean header = leat_plan_get_buffer (self->fuser->plan, op->to)->header;
  guint64 bytes = header && op->bytes >= LEAT_BUFFER_HEADER ? op->bytes - LEAT_BUFFER_HEADER : header ? 0 : op->bytes;

  if (stage->alone && leat_fuser_is_dropped (self->fuser, op->to))
    return;
  if (header && !leat_fuser_keeps_count (self->fuser, op->to))
    leat_fuse_writer_state (
      self, LEAT_FUSE_ONE_THREAD " *%s = %s;", leat_fuse_writer_get_count (self, op->to, FALSE),
      leat_fuse_writer_get_count (self, leat_fuser_get_count_origin (self->fuser, op->from), TRUE));
  if (bytes > 0)
    leat_fuse_writer_copy_bytes (self, op->to, op->from, bytes);
}

/* A stage by itself, all blocks of the launch at once. */
static void
leat_fuse_writer_write_free (LeatFuseWriter *self, const LeatFuseStage *stage)
{
  g_autofree char *function = NULL, *arguments = NULL;

  if (stage->op->kind == LEAT_OP_FILL)
    leat_fuse_writer_fill (self, stage->op);
  else if (stage->op->kind == LEAT_OP_COPY)
    leat_fuse_writer_copy (self, stage);
  if (stage->op->kind != LEAT_OP_KERNEL)
    return;
  function = leat_fuse_writer_add_function (self, stage, LEAT_FUSE_FREE);
  arguments = leat_fuse_writer_dup_arguments (self, stage, FALSE);
  leat_kernel_fuse_add_free (self->text, function, arguments);
}

static guint
leat_fuse_writer_count_unit (LeatFuseWriter *self, guint unit)
{
  guint n = 0;

  for (guint i = 0; i < self->fuser->stages->len; i++)
    n += g_array_index (self->fuser->stages, LeatFuseStage, i).unit == unit;
  return n;
}

static void
leat_fuse_writer_write_items (LeatFuseWriter *self, guint unit)
{
  g_autofree char *n = leat_fuse_writer_dup_items (self, &g_array_index (self->fuser->stages, LeatFuseStage, unit));

  leat_kernel_fuse_begin_items (self->text, n);
  leat_fuse_writer_declare_locals (self, unit);
  leat_fuse_writer_write_calls (self, unit, TRUE);
  leat_kernel_fuse_end (self->text);
}

/* A stage by itself that is told by GRID_FOR alone what to do, or that is no kernel. */
static gboolean
leat_fuse_writer_is_free (LeatFuseWriter *self, guint unit)
{
  const LeatFuseStage *stage = &g_array_index (self->fuser->stages, LeatFuseStage, unit);

  if (stage->op->kind != LEAT_OP_KERNEL)
    return TRUE;
  return !self->fuser->tiles[unit].tiled && stage->traits.form != LEAT_FUSE_BLOCK
         && leat_fuse_writer_count_unit (self, unit) == 1;
}

static void
leat_fuse_writer_write_unit (LeatFuseWriter *self, guint unit)
{
  const LeatFuseStage *stage = &g_array_index (self->fuser->stages, LeatFuseStage, unit);

  if (stage->swapped)
    return;
  if (leat_fuser_is_per_item (self->fuser, unit) && !self->fuser->tiles[unit].tiled)
    leat_fuse_writer_write_items (self, unit);
  else if (!leat_fuse_writer_is_free (self, unit))
    leat_fuse_writer_write_tiles (self, unit);
  else
    {
      leat_fuse_writer_comment (self, stage);
      leat_fuse_writer_write_free (self, stage);
    }
}

static void
leat_fuse_writer_write_phase (LeatFuseWriter *self, guint layer, guint phase)
{
  for (guint i = 0; i < self->fuser->stages->len; i++)
    {
      const LeatFuseStage *stage = &g_array_index (self->fuser->stages, LeatFuseStage, i);

      if (stage->layer != layer || stage->phase != phase || stage->unit != i)
        continue;
      if (!self->fuser->tiles[i].windowed)
        leat_fuse_writer_write_unit (self, i);
      else if (self->fuser->tiles[i].area == i)
        leat_fuse_writer_write_area (self, i);
    }
}

static void
leat_fuse_writer_write_steps (LeatFuseWriter *self)
{
  guint n_layers = leat_fuser_count_layers (self->fuser), n_phases = leat_fuser_count_phases (self->fuser);

  leat_fuse_writer_begin_tiles (self);
  if (self->fuser->loop != NULL)
    leat_fuse_writer_begin_loop (self);
  for (guint layer = 0; layer < n_layers; layer++)
    {
      if (layer > 0)
        leat_fuse_writer_meet (self);
      if (self->fuser->loop != NULL && self->fuser->test_layer == layer)
        leat_fuse_writer_write_test (self);
      for (guint phase = 0; phase < n_phases; phase++)
        leat_fuse_writer_write_phase (self, layer, phase);
    }
  if (self->fuser->loop != NULL)
    leat_fuse_writer_end_loop (self);
}

/* Launches bring no more than this; a count that is on the device takes four places. */
#define LEAT_FUSE_MOST_BYTES 4096

static gboolean
leat_fuse_writer_check_size (const LeatOp *op, GError **error)
{
  guint bytes = 0;

  for (guint i = 0; i < op->n_args; i++)
    bytes += leat_op_get_role (op, i) == LEAT_ROLE_COUNT ? 32 : 8;
  if (bytes <= LEAT_FUSE_MOST_BYTES)
    return TRUE;
  g_set_error (error, LEAT_PLAN_ERROR, LEAT_PLAN_ERROR_SIZE,
               "the kernel takes %u bytes of parameters for %u buffers and arguments, and a launch brings %u: make two "
               "of the body",
               bytes, op->n_args, LEAT_FUSE_MOST_BYTES);
  return FALSE;
}

static gboolean
leat_fuse_writer_finish (LeatFuseWriter *self, LeatOp *op, GError **error)
{
  const char *entry = self->fuser->loop != NULL ? LEAT_FUSE_LOOP_ENTRY : LEAT_FUSE_ENTRY;
  LeatFloatFlags floats = LEAT_FLOATS_STRICT;

  for (guint i = 0; i < self->fuser->stages->len; i++)
    {
      const LeatOp *stage = g_array_index (self->fuser->stages, LeatFuseStage, i).op;

      if (stage->kind == LEAT_OP_KERNEL)
        floats |= leat_kernel_source_get_floats (stage->source);
    }
  op->source =
    leat_kernel_fuse_make (g_steal_pointer (&self->text), leat_node_get_name (self->fuser->node), entry, error);
  if (op->source == NULL)
    return FALSE;
  leat_kernel_source_set_floats (op->source, floats);
  op->prototype = leat_kernel_source_get_prototype (op->source, entry, error);
  return op->prototype != NULL && leat_fuse_writer_check_size (op, error);
}

gboolean
leat_fuser_write (LeatFuser *self, LeatOp *op, GError **error)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) codes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  LeatFuseWriter writer = { .fuser = self, .known = known, .codes = codes };
  gboolean good;

  writer.text = leat_kernel_fuse_new (self->threads);
  writer.args = g_array_new (FALSE, FALSE, sizeof (LeatOpArg));
  leat_fuse_writer_write_steps (&writer);
  op->n_args = writer.args->len;
  op->args = (LeatOpArg *) g_array_free (writer.args, FALSE);
  good = writer.error == NULL && leat_fuse_writer_finish (&writer, op, error);
  if (writer.error != NULL)
    g_propagate_error (error, writer.error);
  g_clear_pointer (&writer.text, leat_kernel_fuse_free);
  return good;
}
