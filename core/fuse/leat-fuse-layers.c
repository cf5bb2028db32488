/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Puts the stages of one kernel into layers with barriers between them, and stages that go on item by item into one
 * unit.  Touches the fuser only, and nothing of the plan. */

#include "leat-fuse-private.h"

#include "graph/leat-group-private.h"
#include "graph/leat-node-private.h"

/* In what order the ops of one kernel stand, and between which of them all its blocks meet.
 *
 * An op follows another one where both touch the same memory and one of them writes it.  It then waits for the whole of
 * it, that is at a barrier behind all that must be over before, unless both say which items they touch, and number them
 * alike: with their own number alone, the thread or the block that does the one goes on with the other; with those
 * around it, a block waits for those around it (leat-fuse-neighbours.c).  Between two barriers is a layer, between two
 * such waits in it a phase. */

static LeatFuseStage *
leat_fuser_at (LeatFuser *self, guint index)
{
  return &g_array_index (self->stages, LeatFuseStage, index);
}

static gboolean
leat_op_writes_memory (LeatPlan *plan, const LeatOp *op, LeatBufferId root)
{
  for (guint t = 0; t < op->n_touches; t++)
    if ((op->touches[t].access & LEAT_ACCESS_WRITE) && leat_plan_follow_memory (plan, op->touches[t].buffer) == root)
      return TRUE;
  return FALSE;
}

gboolean
leat_fuser_writes (LeatFuser *self, LeatBufferId id)
{
  LeatBufferId root = leat_plan_follow_memory (self->plan, id);
  gboolean any = self->loop != NULL && leat_op_writes_memory (self->plan, self->test.op, root);

  for (guint i = 0; i < self->stages->len && !any; i++)
    any = leat_op_writes_memory (self->plan, leat_fuser_at (self, i)->op, root);
  return any;
}

gboolean
leat_fuser_conflict (LeatFuser *self, const LeatOp *a, const LeatOp *b)
{
  for (guint i = 0; i < a->n_touches; i++)
    for (guint k = 0; k < b->n_touches; k++)
      if (((a->touches[i].access | b->touches[k].access) & LEAT_ACCESS_WRITE)
          && leat_plan_follow_memory (self->plan, a->touches[i].buffer)
               == leat_plan_follow_memory (self->plan, b->touches[k].buffer))
        return TRUE;
  return FALSE;
}

/* All stages of a unit get the number of its first. */
static void
leat_fuser_combine (LeatFuser *self, guint one, guint other)
{
  guint from = MAX (one, other), to = MIN (one, other);

  for (guint i = 0; i < self->stages->len; i++)
    if (leat_fuser_at (self, i)->unit == from)
      leat_fuser_at (self, i)->unit = to;
}

/* Where it stands if this is all that it follows. */
static void
leat_fuser_follow (LeatFuser *self, LeatFuseStage *stage, guint index)
{
  const LeatFuseStage *before = leat_fuser_at (self, index);
  LeatBorder border = leat_fuser_find_border (self, before, stage);
  guint layer = before->layer + (border.kind == LEAT_BORDER_GRID);
  guint phase = layer > before->layer ? 0 : before->phase + (border.kind == LEAT_BORDER_NEIGHBOURS);
  gboolean later = layer > stage->layer || (layer == stage->layer && phase > stage->phase);

  if (later || (layer == stage->layer && phase == stage->phase && stage->border.kind < border.kind))
    {
      stage->border = border;
      stage->border_with = index;
    }
  if (later)
    {
      stage->layer = layer;
      stage->phase = phase;
    }
}

static void
leat_fuser_place (LeatFuser *self, guint index)
{
  LeatFuseStage *stage = leat_fuser_at (self, index);

  for (guint i = 0; i < index && !stage->alone; i++)
    if (!leat_fuser_at (self, i)->alone && leat_fuser_conflict (self, leat_fuser_at (self, i)->op, stage->op))
      leat_fuser_follow (self, stage, i);
  for (guint i = 0; i < index && !stage->alone; i++)
    {
      const LeatFuseStage *before = leat_fuser_at (self, i);

      if (!before->alone && before->layer == stage->layer && before->phase == stage->phase
          && leat_fuser_conflict (self, before->op, stage->op))
        leat_fuser_combine (self, before->unit, stage->unit);
    }
}

guint
leat_fuser_count_layers (LeatFuser *self)
{
  guint n = 0;

  for (guint i = 0; i < self->stages->len; i++)
    n = MAX (n, leat_fuser_at (self, i)->layer + 1);
  return n;
}

guint
leat_fuser_count_phases (LeatFuser *self)
{
  guint n = 0;

  for (guint i = 0; i < self->stages->len; i++)
    n = MAX (n, leat_fuser_at (self, i)->phase + 1);
  return n;
}

LeatBufferId
leat_fuser_get_count_origin (LeatFuser *self, LeatBufferId id)
{
  guint origin = GPOINTER_TO_UINT (g_hash_table_lookup (self->counts, GUINT_TO_POINTER (id + 1)));

  return origin > 0 ? leat_fuser_get_count_origin (self, origin - 1) : id;
}

LeatBufferId
leat_fuser_get_items (LeatFuser *self, const LeatFuseStage *stage, guint64 *factor)
{
  const LeatOpArg *arg = &stage->op->args[stage->traits.count_param];
  gboolean counted = leat_op_get_role (stage->op, stage->traits.count_param) == LEAT_ROLE_COUNT;

  *factor = leat_op_arg_get_number (arg);
  return counted ? leat_fuser_get_count_origin (self, arg->buffer) : LEAT_BUFFER_NONE;
}

/* A thread for each item there may be. */
static gboolean
leat_fuser_covers_items (LeatFuser *self, const LeatFuseStage *stage)
{
  const LeatOp *op = stage->op;
  guint64 n;
  LeatBufferId id = leat_fuser_get_items (self, stage, &n);

  if (id != LEAT_BUFFER_NONE)
    n *= leat_buffer_get_capacity (leat_plan_get_buffer (self->plan, id));
  return op->block[1] * op->block[2] * op->grid[1] * op->grid[2] == 1 && (guint64) op->grid[0] * op->block[0] >= n;
}

/* Some thread of it says how many items there are, also where there are none and it would not be done. */
static gboolean
leat_stage_counts (const LeatFuseStage *stage)
{
  for (guint a = 0; a < stage->op->n_args; a++)
    if (leat_op_get_role (stage->op, a) == LEAT_ROLE_COUNT_AT && !leat_op_only_reads (stage->op, a))
      return TRUE;
  return FALSE;
}

gboolean
leat_fuser_has_items (LeatFuser *self, const LeatFuseStage *stage)
{
  if (stage->op->kind != LEAT_OP_KERNEL
      || (stage->op->pattern != LEAT_PATTERN_ELEMENTWISE && stage->op->pattern != LEAT_PATTERN_STENCIL))
    return FALSE;
  return stage->traits.form == LEAT_FUSE_ITEM
         || (stage->traits.per_thread && !leat_stage_counts (stage) && leat_fuser_covers_items (self, stage));
}

gboolean
leat_fuser_has_same_items (LeatFuser *self, const LeatFuseStage *a, const LeatFuseStage *b)
{
  guint64 factor, other;

  return leat_fuser_get_items (self, a, &factor) == leat_fuser_get_items (self, b, &other) && factor == other;
}

static gboolean
leat_fuser_find_per_item (LeatFuser *self, guint unit)
{
  for (guint i = 0; i < self->stages->len; i++)
    {
      const LeatFuseStage *stage = leat_fuser_at (self, i);

      if (stage->unit == unit
          && (!leat_fuser_has_items (self, stage)
              || !leat_fuser_has_same_items (self, stage, leat_fuser_at (self, unit))))
        return FALSE;
    }
  return TRUE;
}

gboolean
leat_fuser_is_per_item (LeatFuser *self, guint unit)
{
  return self->per_item[unit];
}

static LeatPort *
leat_fuser_find_port (LeatFuser *self, LeatBufferId id)
{
  GHashTableIter iter;
  gpointer port, value, found = NULL;
  guint n = 0;

  g_hash_table_iter_init (&iter, self->plan->ports);
  while (g_hash_table_iter_next (&iter, &port, &value))
    if (GPOINTER_TO_UINT (value) == id + 1)
      {
        found = port;
        n++;
      }
  return n == 1 ? found : NULL;
}

static gboolean
leat_fuser_has_node (LeatFuser *self, LeatNode *node)
{
  if (!self->is_chain)
    return (LeatNode *) leat_node_get_group (node) == self->node;
  for (guint i = 0; i < self->stages->len; i++)
    if (leat_fuser_at (self, i)->op->node == node)
      return TRUE;
  return FALSE;
}

gboolean
leat_fuser_is_inside (LeatFuser *self, LeatBufferId id)
{
  LeatPort *port = leat_fuser_find_port (self, id);
  g_autoptr (GPtrArray) peers = port != NULL ? leat_port_list_peers (port) : NULL;

  for (guint i = 0; peers != NULL && i < peers->len; i++)
    {
      LeatPort *peer = g_ptr_array_index (peers, i);
      LeatNode *node = leat_port_get_node (peer);

      if (LEAT_IS_GROUP_END (node) || !leat_fuser_has_node (self, node)
          || (leat_port_get_flags (peer) & LEAT_PORT_DELAYED))
        return FALSE;
    }
  return peers != NULL;
}

const char *
leat_stage_get_type (const LeatFuseStage *stage, LeatBufferId id)
{
  const char *type = NULL;

  for (guint a = 0; a < stage->op->n_args; a++)
    {
      const LeatParam *param = &stage->op->prototype->params[a];
      LeatRole role = leat_op_get_role (stage->op, a);

      if (stage->op->args[a].buffer != id || role == LEAT_ROLE_VALUE || role == LEAT_ROLE_COUNT)
        continue;
      if (role != LEAT_ROLE_ITEMS || !stage->traits.indexed[a]
          || (type != NULL && !g_str_equal (type, leat_fuse_get_c_type (param))))
        return NULL;
      type = leat_fuse_get_c_type (param);
    }
  return type;
}

gboolean
leat_fuser_has_alias (LeatFuser *self, LeatBufferId id)
{
  for (guint i = 0; i < self->plan->buffers->len; i++)
    if (leat_plan_get_buffer (self->plan, i)->in_place_of == id)
      return TRUE;
  return leat_plan_get_buffer (self->plan, id)->in_place_of != LEAT_BUFFER_NONE;
}

gboolean
leat_fuser_is_kept (LeatFuser *self, LeatBufferId id)
{
  return id < self->n_buffers && self->kept[id];
}

static gboolean
leat_fuser_find_kept (LeatFuser *self, LeatBufferId id)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, id);
  const char *type = NULL;
  guint unit = G_MAXUINT;

  if (buffer->kind != LEAT_BUFFER_DEVICE || buffer->spec == NULL || buffer->carried || buffer->is_marks
      || leat_fuser_has_alias (self, id) || !leat_fuser_is_inside (self, id))
    return FALSE;
  for (guint i = 0; i < self->stages->len; i++)
    {
      const LeatFuseStage *stage = leat_fuser_at (self, i);
      LeatAccess access = 0;
      const char *own;

      for (guint t = 0; t < stage->op->n_touches; t++)
        access |= stage->op->touches[t].buffer == id ? stage->op->touches[t].access : 0;
      if (access == 0 || stage->alone)
        continue;
      if (unit != G_MAXUINT && stage->unit != unit)
        return FALSE;
      own = stage->op->kind == LEAT_OP_KERNEL ? leat_stage_get_type (stage, id) : NULL;
      if (own == NULL || (unit == G_MAXUINT && access != LEAT_ACCESS_WRITE)
          || (type != NULL && !g_str_equal (own, type)) || !leat_fuser_is_per_item (self, stage->unit))
        return FALSE;
      type = own;
      unit = stage->unit;
    }
  return unit != G_MAXUINT;
}

void
leat_fuser_find_layers (LeatFuser *self)
{
  for (guint i = 0; i < self->stages->len; i++)
    leat_fuser_at (self, i)->unit = i;
  for (guint i = 0; i < self->stages->len; i++)
    leat_fuser_place (self, i);
  self->per_item = g_new0 (guint8, self->stages->len + 1);
  self->n_buffers = self->plan->buffers->len;
  self->kept = g_new0 (guint8, self->n_buffers + 1);
  for (guint i = 0; i < self->stages->len; i++)
    if (leat_fuser_at (self, i)->unit == i)
      self->per_item[i] = leat_fuser_find_per_item (self, i);
  for (guint i = 0; i < self->plan->buffers->len && !self->call->is_checked; i++)
    self->kept[i] = leat_fuser_find_kept (self, i);
}
