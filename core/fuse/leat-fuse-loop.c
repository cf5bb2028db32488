/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes a loop one kernel, and finds the place of its test among the stages.  Touches its fuser, and in the plan
 * the loop and the ops that the kernel takes the place of. */

#include "leat-fuse-private.h"
#include "leat-fusible-private.h"

#include "graph/leat-graph-error.h"
#include "graph/leat-group.h"
#include "graph/leat-node-private.h"
#include "leat-recorder-group.h"

/* A loop as one kernel: the stages of its body, and where its test stands among them.
 *
 * Every thread does the test by itself, from what all of them read alike, so that nobody has to be told what came of
 * it.  It stands behind the barrier at the end of the body, and no block writes what it reads before the next barrier;
 * where the first layer of the next iteration would, the test moves to the barrier behind the last that writes it, or
 * where that is the end of the body, all meet once more. */

#define LEAT_FUSE_MOST_THREADS 1024

static LeatFuseStage *
leat_fuser_at (LeatFuser *self, guint index)
{
  return &g_array_index (self->stages, LeatFuseStage, index);
}

/* Does the test look at the buffer's memory?  What its op touches beyond that is there for the sake of lifetimes. */
static gboolean
leat_fuser_is_tested (LeatFuser *self, LeatBufferId id)
{
  const LeatOp *op = self->test.op;

  for (guint i = 0; i < op->n_args; i++)
    if (leat_op_only_reads (op, i) && op->args[i].buffer != LEAT_BUFFER_NONE
        && leat_plan_follow_memory (self->plan, op->args[i].buffer) == leat_plan_follow_memory (self->plan, id))
      return TRUE;
  return FALSE;
}

static gboolean
leat_op_touches_memory (LeatPlan *plan, const LeatOp *op, LeatBufferId id)
{
  for (guint t = 0; t < op->n_touches; t++)
    if (leat_plan_follow_memory (plan, op->touches[t].buffer) == id)
      return TRUE;
  return FALSE;
}

/* Outputs of the loop that the buffer is linked to. */
static guint
leat_fuser_count_results (LeatFuser *self, LeatBufferId id)
{
  g_autoptr (GPtrArray) ports = leat_node_list_ports (leat_group_get_end (LEAT_GROUP (self->node)));
  guint n = 0;

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *peer = leat_port_get_peer (g_ptr_array_index (ports, i));

      n += peer != NULL && leat_plan_get_port_buffer (self->plan, peer) == id;
    }
  return n;
}

/* Whether the body makes the buffer only for the next iteration. */
static gboolean
leat_fuser_is_only_carried (LeatFuser *self, LeatBufferId id)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, id);

  return buffer->kind == LEAT_BUFFER_DEVICE && buffer->loop == self->loop && !buffer->carried && !buffer->header
         && !buffer->is_marks && !leat_fuser_has_alias (self, id) && leat_fuser_count_results (self, id) == 1;
}

/* The copy at the end of the body that makes what goes on what it is in the next iteration: each of the two may as well
 * be the other from then on, where nobody comes behind it who would have to know. */
static gboolean
leat_fuser_may_swap (LeatFuser *self, guint index)
{
  const LeatOp *copy = leat_fuser_at (self, index)->op;
  const LeatBuffer *to = copy->kind == LEAT_OP_COPY ? leat_plan_get_buffer (self->plan, copy->to) : NULL;

  if (to == NULL || !to->carried || to->loop != self->loop || to->header || leat_fuser_has_alias (self, to->id)
      || leat_fuser_is_tested (self, to->id) || !leat_fuser_is_only_carried (self, copy->from)
      || leat_plan_get_buffer (self->plan, copy->from)->bytes != to->bytes)
    return FALSE;
  for (guint i = index + 1; i < self->stages->len; i++)
    if (leat_op_touches_memory (self->plan, leat_fuser_at (self, i)->op, copy->to)
        || leat_op_touches_memory (self->plan, leat_fuser_at (self, i)->op, copy->from))
      return FALSE;
  return TRUE;
}

/* Where no kernel asks for its block, one block may be as large as there is work. */
static void
leat_fuser_grow_block (LeatFuser *self)
{
  guint64 most = self->threads;

  for (guint i = 0; i < self->stages->len; i++)
    {
      const LeatFuseStage *stage = leat_fuser_at (self, i);
      const LeatOp *op = stage->op;

      if (op->kind == LEAT_OP_KERNEL && stage->traits.form == LEAT_FUSE_BLOCK)
        return;
      if (op->kind == LEAT_OP_KERNEL)
        most = MAX (most, (guint64) op->grid[0] * op->grid[1] * op->grid[2] * leat_op_count_threads (op));
      else if (!stage->alone)
        most = MAX (most, op->bytes / 8);
    }
  if (most <= LEAT_FUSE_MOST_THREADS)
    self->threads = (guint) (most + 31) / 32 * 32;
}

/* Which copies need not be, and how large the blocks are. */
static void
leat_fuser_prepare_loop (LeatFuser *self)
{
  for (guint i = 0; i < self->stages->len; i++)
    if (leat_fuser_may_swap (self, i))
      leat_fuser_at (self, i)->swapped = leat_fuser_at (self, i)->alone = TRUE;
  leat_fuser_grow_block (self);
  self->in_block = leat_fuser_count_blocks (self) == 1;
}

/* Where the test stands, once all stages have their layer. */
static void
leat_fuser_place_test (LeatFuser *self)
{
  guint n_layers = leat_fuser_count_layers (self), first = G_MAXUINT, last = 0;

  for (guint i = 0; i < self->stages->len; i++)
    {
      const LeatFuseStage *stage = leat_fuser_at (self, i);

      for (guint t = 0; t < stage->op->n_touches && !stage->alone; t++)
        if ((stage->op->touches[t].access & LEAT_ACCESS_WRITE)
            && leat_fuser_is_tested (self, stage->op->touches[t].buffer))
          {
            first = MIN (first, stage->layer);
            last = MAX (last, stage->layer);
          }
    }
  self->test_layer = first == 0 ? last + 1 : n_layers;
  self->meets_again = first == 0 && self->test_layer == n_layers;
}

gboolean
leat_plan_fuse_loop (LeatPlan *self, LeatPlanLoop *loop, GError **error)
{
  static const LeatFuseCall call = { FALSE };
  LeatFuser fuser;
  gboolean good;

  leat_fuser_init (&fuser, self, loop->node, loop->first + 1, loop->last, &call);
  fuser.loop = loop;
  fuser.test.op = leat_plan_get_op (self, loop->last);
  good = leat_fuser_read_stages (&fuser, error);
  if (good)
    {
      leat_fuser_prepare_loop (&fuser);
      leat_fuser_find_layers (&fuser);
      leat_fuser_find_waits (&fuser);
      leat_fuser_place_test (&fuser);
      good = leat_fuser_replace (&fuser, error);
    }
  leat_fuser_clear (&fuser);
  return good;
}

void
leat_plan_offer_kernels (LeatPlan *self)
{
  for (guint i = 0; i < self->loops->len; i++)
    {
      LeatPlanLoop *loop = g_ptr_array_index (self->loops, i);
      g_autoptr (GError) error = NULL;

      if (loop->asked != LEAT_LOOP_AUTO || loop->parent != NULL)
        continue;
      self->loop = loop; /* whose buffers those are that it adds */
      if (!leat_plan_fuse_loop (self, loop, &error))
        loop->why_not_fused = g_strdup (error->message);
    }
  self->loop = NULL;
}
