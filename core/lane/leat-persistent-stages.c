/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which plans a persistent kernel can run, and as what stages. */

#include "leat-persistent-object-private.h"

#include "kernel/leat-kernel-source-private.h"

/* @advice: (nullable): what would do beside another executor */
static gboolean G_GNUC_PRINTF (4, 5)
  leat_persistent_refuse (const LeatOp *op, GError **error, const char *advice, const char *format, ...)
{
  g_autofree char *why = NULL;
  va_list args;

  va_start (args, format);
  why = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (
    error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_PERSISTENT,
    "cannot be a persistent kernel: %s; %s%sopen the session with executor=graph, or with executor=persistent-auto, "
    "which does that by itself",
    why, advice != NULL ? advice : "", advice != NULL ? ", or " : "");
  if (op != NULL)
    leat_node_prefix_error (op->node, error);
  return FALSE;
}

static gboolean
leat_persistent_is_stage (const LeatOp *op)
{
  return op->kind != LEAT_OP_SOURCE && op->kind != LEAT_OP_SINK && !LEAT_BOUND_OP (op)->elided;
}

LeatKernelSource *
leat_persistent_find_source (LeatPlan *plan)
{
  for (guint i = 0; i < plan->ops->len; i++)
    if (leat_plan_get_op (plan, i)->kind == LEAT_OP_KERNEL && leat_persistent_is_stage (leat_plan_get_op (plan, i)))
      return leat_plan_get_op (plan, i)->source;
  return NULL;
}

static gboolean
leat_persistent_check_kernel (const LeatOp *op, const LeatOp *first, GError **error)
{
  const char *why;
  guint stage;

  if ((guint64) op->grid[0] * op->grid[1] * op->grid[2] > LEAT_PERSISTENT_BLOCKS)
    return leat_persistent_refuse (op, error, NULL, "its grid is %ux%ux%u blocks, and %u are the most", op->grid[0],
                                   op->grid[1], op->grid[2], LEAT_PERSISTENT_BLOCKS);
  why = leat_kernel_source_why_no_stage (op->source, op->prototype->entry, &stage);
  if (why != NULL)
    return leat_persistent_refuse (op, error, NULL, "%s", why);
  if (!leat_kernel_source_equal (op->source, first->source))
    return leat_persistent_refuse (
      op, error, "put both nodes into a megakernel, which makes one file of theirs",
      "its kernel is in another file than that of %s \"%s\", and one kernel is made of one "
      "file",
      leat_node_get_id (first->node), leat_node_get_name (first->node));
  if (memcmp (op->block, first->block, sizeof op->block) != 0)
    return leat_persistent_refuse (op, error, "give both the same",
                                   "its blocks are %ux%ux%u threads and those of %s \"%s\" %ux%ux%u", op->block[0],
                                   op->block[1], op->block[2], leat_node_get_id (first->node),
                                   leat_node_get_name (first->node), first->block[0], first->block[1], first->block[2]);
  return TRUE;
}

static gboolean
leat_persistent_check_op (const LeatOp *op, const LeatOp **first, GError **error)
{
  if (op->runs != NULL || op->loop != NULL)
    return leat_persistent_refuse (op, error, NULL, "how often its body is done is not known to it");
  if (op->kind == LEAT_OP_FOREIGN)
    return leat_persistent_refuse (op, error, NULL, "its work is another library's");
  if (op->kind != LEAT_OP_KERNEL)
    return TRUE;
  *first = *first != NULL ? *first : op;
  return leat_persistent_check_kernel (op, *first, error);
}

/* Copies of how many items there are, or of inputs that are not read where they are, count as kernels do. */
static gboolean
leat_persistent_check_stages (LeatPlan *plan, GError **error)
{
  guint kernels = 0, fills = 0, copies = 0;

  for (guint i = 0; i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);

      if (leat_persistent_is_stage (op))
        ++*(op->kind == LEAT_OP_KERNEL ? &kernels : op->kind == LEAT_OP_FILL ? &fills : &copies);
    }
  if (kernels + fills + copies <= LEAT_PERSISTENT_STAGES)
    return TRUE;
  return leat_persistent_refuse (
    NULL, error, "put nodes into a megakernel, which is one of them",
    "there are %u operations (kernels: %u, copies, of how many items there are too: %u, fills: "
    "%u), and %d are the most",
    kernels + copies + fills, kernels, copies, fills, LEAT_PERSISTENT_STAGES);
}

gboolean
leat_persistent_check_plan (LeatPlan *plan, GError **error)
{
  const LeatOp *first = NULL;

  if (plan->users->len > 0)
    return leat_persistent_refuse (NULL, error, NULL, "the program brings the memory of %s",
                                   leat_plan_get_buffer (plan, g_array_index (plan->users, LeatBufferId, 0))->name);
  for (guint i = 0; i < plan->ops->len; i++)
    if (leat_persistent_is_stage (leat_plan_get_op (plan, i))
        && !leat_persistent_check_op (leat_plan_get_op (plan, i), &first, error))
      return FALSE;
  if (first == NULL)
    return leat_persistent_refuse (NULL, error, NULL, "there is no kernel in it");
  return leat_persistent_check_stages (plan, error);
}

static guint
leat_persistent_count_params (const LeatOp *op)
{
  guint n = op->n_args + op->prototype->reports;

  for (guint i = 0; i < op->n_args; i++)
    if (op->prototype->params[i].kind == LEAT_PARAM_INPUT_COUNT)
      n += 3;
  return n;
}

/* Blocks that wait for each other must be those that there are; whether one of any number will do is said by its asking
 * for as many as the device runs at once. */
static gboolean
leat_persistent_note_cooperative (LeatPersistent *self, const LeatOp *op, GError **error)
{
  guint blocks = op->grid[0] * op->grid[1] * op->grid[2];

  if (op->grid_by_occupancy)
    return TRUE;
  if (self->blocks_fixed != 0 && self->blocks_fixed != blocks)
    return leat_persistent_refuse (op, error, "give both the same",
                                   "its grid is %u blocks that wait for each other, and that of another %u", blocks,
                                   self->blocks_fixed);
  self->blocks_fixed = blocks;
  return TRUE;
}

static gboolean
leat_persistent_add_kernel (LeatPersistent *self, const LeatOp *op, const LeatLoadedKernel *loaded,
                            LeatPersistentStage *stage, GError **error)
{
  guint number = 0;

  if (leat_kernel_source_why_no_stage (op->source, op->prototype->entry, &number) != NULL)
    return leat_persistent_refuse (op, error, NULL, "it is no stage");
  stage->kind = LEAT_STAGE_KERNEL + number;
  memcpy (stage->grid, loaded[op->index].grid, sizeof stage->grid);
  if (op->cooperative && !leat_persistent_note_cooperative (self, op, error))
    return FALSE;
  memcpy (self->shape.block, op->block, sizeof self->shape.block);
  self->shape.shared_bytes = MAX (self->shape.shared_bytes, op->shared_bytes);
  return TRUE;
}

/* As many blocks as give each thread 16 bytes. */
static void
leat_persistent_add_move (const LeatOp *op, LeatPersistentStage *stage, const guint *block)
{
  guint64 each = (guint64) block[0] * block[1] * block[2] * 16;

  stage->kind = op->kind == LEAT_OP_FILL ? LEAT_STAGE_FILL : LEAT_STAGE_COPY;
  stage->grid[0] = (guint) CLAMP ((op->bytes + each - 1) / each, 1, 1024);
  stage->grid[1] = stage->grid[2] = 1;
}

static const guint *
leat_persistent_find_block (LeatPlan *plan)
{
  for (guint i = 0; i < plan->ops->len; i++)
    if (leat_plan_get_op (plan, i)->kind == LEAT_OP_KERNEL && leat_persistent_is_stage (leat_plan_get_op (plan, i)))
      return leat_plan_get_op (plan, i)->block;
  g_assert_not_reached ();
}

/* A stage waits for those before it where it depends on one that nobody has waited for yet. */
static gboolean
leat_persistent_must_meet (LeatPersistent *self, const LeatOp *op, guint first)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  for (guint i = first; i < self->params.n_stages; i++)
    for (guint a = 0; a < bound->n_after; a++)
      if (self->ops[i]->index == bound->after[a])
        return TRUE;
  return FALSE;
}

gboolean
leat_persistent_list_stages (LeatPersistent *self, const LeatLoadedKernel *loaded, GError **error)
{
  guint met = 0; /* the first stage since the last barrier */

  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);
      LeatPersistentStage *stage = &self->params.stages[self->params.n_stages];

      if (!leat_persistent_is_stage (op))
        continue;
      if (op->kind != LEAT_OP_KERNEL)
        leat_persistent_add_move (op, stage, leat_persistent_find_block (self->plan));
      else if (!leat_persistent_add_kernel (self, op, loaded, stage, error))
        return FALSE;
      stage->meets = leat_persistent_must_meet (self, op, met);
      met = stage->meets ? self->params.n_stages : met;
      stage->args = (guint) self->params.lane_bytes;
      self->ops[self->params.n_stages] = op;
      self->n_params[self->params.n_stages] = op->kind == LEAT_OP_KERNEL ? leat_persistent_count_params (op) : 3;
      self->params.lane_bytes += self->n_params[self->params.n_stages++] * LEAT_PERSISTENT_PARAM;
    }
  return TRUE;
}

void
leat_persistent_fit_stages (LeatPersistent *self)
{
  for (guint i = 0; i < self->params.n_stages; i++)
    if (self->ops[i]->kind == LEAT_OP_KERNEL && self->ops[i]->cooperative && self->ops[i]->grid_by_occupancy)
      self->params.stages[i].grid[0] = self->shape.grid[0];
}

static void
leat_persistent_put (guint8 *to, guint index, guint64 value)
{
  memcpy (to + (gsize) index * LEAT_PERSISTENT_PARAM, &value, sizeof value);
}

/* Pinned memory has an address on the device too. */
static void
leat_persistent_pack_move (LeatLane *lane, const LeatOp *op, guint8 *to)
{
  leat_persistent_put (to, 0, lane->addresses[op->to]);
  leat_persistent_put (to, 1, op->kind == LEAT_OP_FILL ? op->value : lane->addresses[op->from]);
  leat_persistent_put (to, 2, leat_lane_get_moved_bytes (lane, op));
}

gboolean
leat_persistent_take_params (LeatPersistent *self, LeatLane *lane)
{
  guint8 *args = self->args + lane->param_lane * self->params.lane_bytes;
  guint8 move[3 * LEAT_PERSISTENT_PARAM] = { 0 };
  gboolean same = TRUE;

  for (guint i = 0; i < self->params.n_stages; i++)
    {
      const LeatOp *op = self->ops[i];
      gsize bytes = (gsize) self->n_params[i] * LEAT_PERSISTENT_PARAM;
      const guint8 *now = op->kind == LEAT_OP_KERNEL ? lane->launches[op->index].storage : move;
      guint8 *was = args + self->params.stages[i].args;

      if (now == move)
        leat_persistent_pack_move (lane, op, move);
      if (memcmp (was, now, bytes) == 0)
        continue;
      memcpy (was, now, bytes);
      same = FALSE;
    }
  return same;
}
