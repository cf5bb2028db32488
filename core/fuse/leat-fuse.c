/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes several ops one kernel: what may be part of it, and the op that takes their place.  The text is written in
 * leat-fuse-text.c. */

#include "leat-fuse-private.h"

#include "graph/leat-graph-error.h"
#include "graph/leat-node-private.h"
#include "plan/leat-plan-error.h"
#include "leat-recorder-group.h"

#define LEAT_FUSE_MOST_BLOCKS                                                                                          \
  G_GUINT64_CONSTANT (0x7fffffff) /* of one op: the number of one that is not there fits, too */

static gboolean
leat_fuser_refuse (LeatFuser *self, const LeatOp *op, const char *why, GError **error)
{
  g_autofree char *loop = self->loop != NULL
                            ? g_strdup_printf (" of loop \"%s\" as one kernel", leat_node_get_name (self->node))
                            : g_strdup ("");

  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_FAILED, "%s \"%s\" cannot be in the body%s: %s%s",
               leat_node_get_id (op->node), leat_node_get_name (op->node), loop, why,
               self->loop != NULL ? ", or set another method=" : "");
  return FALSE;
}

const char *
leat_fuser_why_not (LeatFuser *self, const LeatOp *op)
{
  if (op->kind == LEAT_OP_FOREIGN)
    return "it is foreign work: put it outside";
  if (op->runs != NULL || op->starts != NULL)
    return self->is_chain       ? "it begins a loop"
           : self->loop != NULL ? "a loop within a loop is not part of one kernel: put it outside"
                                : "a loop is not part of one kernel: put the megakernel into the loop's body";
  if (op->kind != LEAT_OP_KERNEL && op->kind != LEAT_OP_COPY && op->kind != LEAT_OP_FILL)
    return "it is done by the host: put it outside";
  if (op->kind == LEAT_OP_COPY
      && (leat_plan_get_buffer (self->plan, op->to)->array != NULL
          || leat_plan_get_buffer (self->plan, op->from)->array != NULL))
    return "it has a texture or a surface: put it outside";
  if (op->kind == LEAT_OP_COPY && !leat_op_is_of_count (self->plan, op)
      && leat_plan_get_buffer (self->plan, op->to)->header != leat_plan_get_buffer (self->plan, op->from)->header)
    return "it copies bounded data to what is not: put it outside";
  if (op->kind != LEAT_OP_KERNEL)
    return NULL;
  if (leat_kernel_source_is_image (op->source))
    return "it came compiled, and only text can be joined: put it outside";
  if ((guint64) op->grid[0] * op->grid[1] * op->grid[2] > LEAT_FUSE_MOST_BLOCKS)
    return "its grid has more than 2147483647 blocks: put it outside";
  if (op->fusion != NULL)
    return "it is several kernels in one already: put its nodes here instead";
  if (op->cooperative)
    return "it is cooperative: its blocks wait for each other, so put it outside or make what is on either side of its "
           "barriers a kernel";
  if (leat_op_has_texture (op))
    return "it has a texture or a surface: put it outside";
  for (guint i = 0; i < op->n_args; i++)
    if (op->args[i].kind == LEAT_ARG_QUEUE)
      return "it has a queue: put it outside";
  return NULL;
}

/* Threads keep their places where the block is the whole kernel's, and lies along x. */
static gboolean
leat_fuser_check_kernel (LeatFuser *self, LeatFuseStage *stage, GError **error)
{
  const LeatOp *op = stage->op;
  guint threads = leat_op_count_threads (op);
  gboolean moved = threads != self->threads || op->block[0] != threads;
  g_autoptr (GError) local = NULL;
  g_autofree char *why = NULL;

  if (!leat_kernel_source_check_fuse (op->source, op->prototype->entry, moved, &stage->traits, &local))
    why = g_strdup (local->message);
  else if (stage->traits.waits && threads < self->threads)
    why =
      g_strdup_printf ("the %u threads of its block wait for each other, and a block of another kernel has %u: give "
                       "all the same block=",
                       threads, self->threads);
  else if (stage->traits.form == LEAT_FUSE_BLOCK && op->grid_by_occupancy)
    why = g_strdup ("its grid is by occupancy and it asks for its block: give it a grid of a size");
  return why == NULL || leat_fuser_refuse (self, op, why, error);
}

static gboolean
leat_fuser_check_floats (LeatFuser *self, const LeatOp *op, GError **error)
{
  for (guint i = 0; i < self->stages->len; i++)
    {
      const LeatOp *other = g_array_index (self->stages, LeatFuseStage, i).op;

      if (other->kind == LEAT_OP_KERNEL
          && leat_kernel_source_get_floats (other->source) != leat_kernel_source_get_floats (op->source))
        return leat_fuser_refuse (self, op, "its fp= is another one than that of the others: give all the same", error);
    }
  return TRUE;
}

gboolean
leat_fuser_read_stages (LeatFuser *self, GError **error)
{
  for (guint i = self->first; i < self->end; i++)
    {
      LeatFuseStage stage = { .op = leat_plan_get_op (self->plan, i) };
      const char *why = leat_fuser_why_not (self, stage.op);

      if (why != NULL)
        return leat_fuser_refuse (self, stage.op, why, error);
      if (stage.op->kind == LEAT_OP_KERNEL && !leat_fuser_check_floats (self, stage.op, error))
        return FALSE;
      stage.alone = stage.op->kind == LEAT_OP_COPY && leat_op_is_of_count (self->plan, stage.op);
      leat_fuser_add_stage (self, &stage);
    }
  for (guint i = 0; i < self->stages->len; i++)
    {
      LeatFuseStage *stage = &g_array_index (self->stages, LeatFuseStage, i);

      if (stage->op->kind == LEAT_OP_KERNEL && !leat_fuser_check_kernel (self, stage, error))
        return FALSE;
    }
  return TRUE;
}

void
leat_fuser_add_stage (LeatFuser *self, const LeatFuseStage *stage)
{
  const LeatOp *op = stage->op;

  if (stage->alone && op->kind == LEAT_OP_COPY)
    g_hash_table_insert (self->counts, GUINT_TO_POINTER (op->to + 1), GUINT_TO_POINTER (op->from + 1));
  for (guint i = 0; op->kind == LEAT_OP_KERNEL && op->counts_like != LEAT_BUFFER_NONE && i < op->n_args; i++)
    if (leat_op_get_role (op, i) == LEAT_ROLE_COUNT_AT && op->args[i].buffer != op->counts_like)
      g_hash_table_insert (self->counts, GUINT_TO_POINTER (op->args[i].buffer + 1),
                           GUINT_TO_POINTER (op->counts_like + 1));
  if (op->kind == LEAT_OP_KERNEL)
    self->threads = MAX (self->threads, leat_op_count_threads (op));
  g_array_append_val (self->stages, *stage);
}

static void
leat_stage_clear (gpointer data)
{
  leat_fuse_traits_clear (&((LeatFuseStage *) data)->traits);
}

/* The access of the group as a whole to a buffer: data that it reads after writing it comes from nobody else. */
static void
leat_fuser_touch (LeatFuser *self, LeatOp *to)
{
  for (guint i = 0; i < self->stages->len; i++)
    {
      const LeatOp *op = g_array_index (self->stages, LeatFuseStage, i).op;

      for (guint t = 0; t < op->n_touches; t++)
        if (!leat_fuser_is_dropped (self, op->touches[t].buffer))
          leat_op_touch (to, op->touches[t].buffer, op->touches[t].access);
    }
  for (guint t = 0; self->loop != NULL && t < self->test.op->n_touches; t++)
    leat_op_touch (to, self->test.op->touches[t].buffer, self->test.op->touches[t].access);
  if (self->n_words > 0)
    leat_op_touch (to, self->words, LEAT_ACCESS_READ_WRITE);
  if (self->n_marks > 0)
    leat_op_touch (to, self->marks, LEAT_ACCESS_READ_WRITE);
}

/* Memory of a lane, which is there in its next launch. */
static LeatBufferId
leat_fuser_add_memory (LeatFuser *self, const char *what, guint64 bytes)
{
  g_autofree char *name = g_strdup_printf ("%s.%s", leat_node_get_name (self->node), what);
  LeatBufferId id = leat_plan_add_buffer (self->plan, LEAT_BUFFER_DEVICE, name, NULL, bytes);

  leat_plan_get_buffer (self->plan, id)->is_marks = TRUE;
  return id;
}

guint
leat_fuser_count_blocks (LeatFuser *self)
{
  guint64 most = 1;

  for (guint i = 0; i < self->stages->len; i++)
    {
      const LeatFuseStage *stage = &g_array_index (self->stages, LeatFuseStage, i);
      const LeatOp *op = stage->op;
      guint64 blocks = op->kind == LEAT_OP_KERNEL ? leat_op_count_blocks (op) : 1;

      if (op->kind != LEAT_OP_KERNEL)
        blocks = stage->alone ? 1 : (op->bytes / 8 + self->threads - 1) / self->threads;
      else if (stage->traits.form != LEAT_FUSE_BLOCK && (self->loop != NULL || !self->tiles[stage->unit].tiled))
        blocks = (blocks * leat_op_count_threads (op) + self->threads - 1) / self->threads;
      most = MAX (most, blocks);
    }
  return (guint) MIN (most, 1u << 20);
}

static void
leat_fuser_set_shape (LeatFuser *self, LeatOp *op, gboolean waits)
{
  op->block[0] = self->threads;
  op->block[1] = op->block[2] = op->grid[1] = op->grid[2] = 1;
  op->grid[0] = leat_fuser_count_blocks (self);
  op->cooperative = waits && !self->in_block;
  op->grid_by_occupancy = op->cooperative;
  op->grid_most = op->grid[0];
  for (guint i = 0; i < self->stages->len; i++)
    op->shared_bytes = MAX (op->shared_bytes, g_array_index (self->stages, LeatFuseStage, i).op->shared_bytes);
}

static char *
leat_fuser_dup_window_border (LeatFuser *self, const LeatFuseStage *stage, const char *with)
{
  guint64 halo = self->tiles[g_array_index (self->stages, LeatFuseStage, stage->border_with).unit].halo;

  return g_strdup_printf ("  takes what \"%s\" gives from shared memory, with %" G_GUINT64_FORMAT
                          " item%s to either side done twice",
                          with, halo, halo == 1 ? "" : "s");
}

static char *
leat_fuser_dup_border (LeatFuser *self, const LeatFuseStage *stage)
{
  const char *with = leat_node_get_name (g_array_index (self->stages, LeatFuseStage, stage->border_with).op->node);
  const guint *blocks = stage->border.blocks;

  if (stage->border.kind == LEAT_BORDER_GRID)
    return g_strdup_printf ("  meets \"%s\" at a barrier: %s", with, stage->border.why);
  if (self->tiles[stage->unit].windowed)
    return leat_fuser_dup_window_border (self, stage, with);
  if (blocks[1] + blocks[2] == 0)
    return g_strdup_printf ("  waits for the %u block%s to either side in \"%s\"", blocks[0], blocks[0] == 1 ? "" : "s",
                            with);
  return g_strdup_printf ("  waits for the blocks around in \"%s\", %ux%ux%u to either side", with, blocks[0],
                          blocks[1], blocks[2]);
}

static char *
leat_fuser_dup_line (LeatFuser *self, guint index, gboolean per_item)
{
  const LeatFuseStage *stage = &g_array_index (self->stages, LeatFuseStage, index);
  const LeatOp *op = stage->op;
  g_autofree char *border = NULL, *unchecked = NULL, *why = NULL;
  guint with;

  if (stage->border.kind != LEAT_BORDER_NONE)
    border = leat_fuser_dup_border (self, stage);
  why = leat_fuser_dup_unchecked (self, index, &with);
  unchecked = why != NULL ? g_strconcat ("  not checked: ", why, NULL) : NULL;
  return g_strdup_printf ("layer %u  %s \"%s\" %s%s%s%s", stage->layer,
                          op->kind == LEAT_OP_KERNEL ? leat_node_get_id (op->node) : leat_op_kind_get_name (op->kind),
                          leat_node_get_name (op->node), op->kind == LEAT_OP_KERNEL ? op->prototype->entry : "",
                          stage->unit == index ? ""
                          : per_item           ? "  item by item with what it follows"
                                               : "  block by block with what it follows",
                          stage->swapped   ? "  pointers change places"
                          : border != NULL ? border
                                           : "",
                          unchecked != NULL ? unchecked : "");
}

static void
leat_fuser_count_kept (LeatFuser *self, LeatFusion *fusion)
{
  for (guint id = 0; id < self->plan->buffers->len; id++)
    {
      gboolean kept = leat_fuser_is_dropped (self, id);

      fusion->n_kept += leat_fuser_is_kept (self, id);
      fusion->n_windows += id < self->n_buffers && self->windows[id].slot > 0;
      for (guint i = 0; i < self->stages->len && kept; i++)
        {
          const LeatFuseStage *stage = &g_array_index (self->stages, LeatFuseStage, i);

          for (guint t = 0; t < stage->op->n_touches && !stage->alone; t++)
            if (stage->op->touches[t].buffer == id)
              fusion->kept_bytes += leat_plan_get_buffer (self->plan, id)->bytes;
        }
    }
}

static char *
leat_fuser_dup_kernels (LeatFuser *self)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->stages->len; i++)
    {
      const LeatOp *op = g_array_index (self->stages, LeatFuseStage, i).op;

      if (op->kind == LEAT_OP_KERNEL)
        g_string_append_printf (text, "%s%s \"%s\" (%s)", text->len > 0 ? ", " : "", leat_node_get_id (op->node),
                                leat_node_get_name (op->node), op->prototype->entry);
    }
  return g_string_free (text, FALSE);
}

static void
leat_fuser_doubt (LeatFuser *self, LeatFusion *fusion)
{
  for (guint i = 0; i < self->stages->len; i++)
    {
      guint with;
      g_autofree char *why = leat_fuser_dup_unchecked (self, i, &with);
      LeatNode *node = g_array_index (self->stages, LeatFuseStage, i).op->node;

      if (why != NULL)
        g_ptr_array_add (
          fusion->doubts,
          g_strdup_printf ("check=true cannot tell what %s \"%s\" takes of what \"%s\" hands on: %s",
                           leat_node_get_id (node), leat_node_get_name (node),
                           leat_node_get_name (g_array_index (self->stages, LeatFuseStage, with).op->node), why));
    }
}

static LeatFusion *
leat_fuser_describe (LeatFuser *self)
{
  LeatFusion *fusion = g_new0 (LeatFusion, 1);

  fusion->n_ops = self->stages->len + (self->loop != NULL);
  fusion->n_syncs = leat_fuser_count_layers (self) - 1 + (self->loop != NULL) + self->meets_again;
  fusion->n_waits = self->waits->len;
  fusion->kernels = leat_fuser_dup_kernels (self);
  fusion->is_chain = self->is_chain;
  fusion->lines = g_ptr_array_new_with_free_func (g_free);
  fusion->doubts = g_ptr_array_new_with_free_func (g_free);
  leat_fuser_doubt (self, fusion);
  leat_fuser_count_kept (self, fusion);
  for (guint i = 0; i < self->stages->len; i++)
    g_ptr_array_add (fusion->lines,
                     leat_fuser_dup_line (
                       self, i, leat_fuser_is_per_item (self, g_array_index (self->stages, LeatFuseStage, i).unit)));
  if (self->loop != NULL)
    g_ptr_array_add (fusion->lines, g_strdup_printf ("the test comes %s%s",
                                                     self->test_layer < leat_fuser_count_layers (self)
                                                       ? "behind the last layer that writes what it reads"
                                                       : "behind all layers",
                                                     self->meets_again ? ", and a barrier behind it" : ""));
  return fusion;
}

static void
leat_plan_replace_ops (LeatPlan *self, guint n, LeatOp *op)
{
  if (n > 0)
    g_ptr_array_remove_range (self->ops, op->index, n);
  g_ptr_array_insert (self->ops, (gint) op->index, op);
  leat_plan_renumber (self, op->index + 1, 1 - (gint) n);
}

/* Replaces the ops before the body of a loop, too, and the test behind it; or nothing, where it is not settled yet. */
static void
leat_fuser_take_place (LeatFuser *self, LeatOp *op)
{
  LeatPlanLoop *loop = self->loop;

  if (self->is_chain)
    {
      leat_plan_replace_ops (self->plan, 0, op);
      return;
    }
  if (loop == NULL)
    {
      leat_plan_replace_ops (self->plan, self->stages->len, op);
      return;
    }
  op->runs = loop;
  if (loop->asked == LEAT_LOOP_AUTO)
    {
      leat_plan_replace_ops (self->plan, 0, op);
      loop->fused = op;
      return;
    }
  leat_plan_replace_ops (self->plan, loop->last + 1 - op->index, op);
  loop->first = loop->last = op->index;
  loop->is_kernel = TRUE;
}

/* The ops are still there; nothing is changed before all is known to be good. */
gboolean
leat_fuser_replace (LeatFuser *self, GError **error)
{
  LeatOp *op = g_new0 (LeatOp, 1);

  op->kind = LEAT_OP_KERNEL;
  op->index = self->loop != NULL ? self->loop->first - 1 : self->first;
  op->node = self->node;
  op->to = op->from = op->counts_like = LEAT_BUFFER_NONE;
  op->loop = leat_plan_get_op (self->plan, op->index)->loop;
  leat_fuser_find_marks (self);
  if (self->n_words > 0)
    self->words = leat_fuser_add_memory (self, "done", self->n_words * sizeof (guint32));
  if (self->n_marks > 0)
    self->marks = leat_fuser_add_memory (self, "marks", self->n_marks * sizeof (guint64));
  if (!leat_fuser_write (self, op, error))
    {
      leat_op_free (op);
      return FALSE;
    }
  op->fusion = leat_fuser_describe (self);
  leat_fuser_touch (self, op);
  leat_fuser_set_shape (self, op, op->fusion->n_syncs + op->fusion->n_waits > 0);
  leat_fuser_take_place (self, op);
  return TRUE;
}

void
leat_fuser_init (LeatFuser *self, LeatPlan *plan, LeatNode *node, guint first, guint end, const LeatFuseCall *call)
{
  *self = (LeatFuser){ .plan = plan, .node = node, .call = call, .first = first, .threads = 32 };
  self->end = MIN (end, plan->ops->len);
  self->stages = g_array_new (FALSE, FALSE, sizeof (LeatFuseStage));
  g_array_set_clear_func (self->stages, leat_stage_clear);
  self->counts = g_hash_table_new (NULL, NULL);
}

void
leat_fuser_clear (LeatFuser *self)
{
  g_array_unref (self->stages);
  g_hash_table_unref (self->counts);
  g_clear_pointer (&self->waits, g_array_unref);
  g_free (self->marks_of);
  g_free (self->turns_of);
  g_free (self->tiles);
  g_free (self->windows);
  g_free (self->per_item);
  g_free (self->kept);
}

gboolean
leat_plan_fuse (LeatPlan *self, LeatNode *node, guint first, const LeatFuseCall *call, GError **error)
{
  LeatFuser fuser;
  gboolean good;

  if (first == self->ops->len)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING,
                   "there is no kernel in the body: put nodes that have work for the device between in.NAME and "
                   "out.NAME");
      return FALSE;
    }
  leat_fuser_init (&fuser, self, node, first, G_MAXUINT, call);
  good = leat_fuser_read_stages (&fuser, error);
  if (good)
    {
      leat_fuser_find_layers (&fuser);
      leat_fuser_find_waits (&fuser);
      good = leat_fuser_replace (&fuser, error);
    }
  leat_fuser_clear (&fuser);
  return good;
}
