/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Arguments that were set while the session is open: each kernel that takes one is packed anew, and its node in every
 * graph that was built is updated in place, before the next launch.  Captured foreign work is captured again. */

#include "leat-session-private.h"

#include "graph/leat-pipeline-private.h"
#include "lane/leat-lane-graph-private.h"
#include "leat-session-setup-private.h"

static void
leat_session_add_changeable (LeatSession *self, LeatNode *node, LeatOp *op)
{
  GPtrArray *ops = g_hash_table_lookup (self->changeable, node);

  if (ops == NULL)
    g_hash_table_insert (self->changeable, node, ops = g_ptr_array_new ());
  if (ops->len == 0 || g_ptr_array_index (ops, ops->len - 1) != op)
    g_ptr_array_add (ops, op);
}

/* For each node, the ops that its arguments go to. */
void
leat_session_list_changeable (LeatSession *self)
{
  self->changeable = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self->plan, i);

      if (op->kind == LEAT_OP_FOREIGN)
        leat_session_add_changeable (self, op->node, op);
      for (guint a = 0; op->kind == LEAT_OP_KERNEL && a < op->n_args; a++)
        if (op->args[a].kind == LEAT_ARG_NODE_ARG)
          leat_session_add_changeable (self, op->args[a].node != NULL ? op->args[a].node : op->node, op);
    }
}

static gboolean
leat_session_change_lane (LeatSession *self, LeatLane *lane, const LeatOp *op, GError **error)
{
  /* A captured graph took the arguments as they were; a callback takes them as they are. */
  if (op->kind == LEAT_OP_FOREIGN)
    {
      if (leat_op_get_why_alone (op) == NULL)
        leat_lane_destroy_graphs (lane);
      self->told.ledger.levels_changed = TRUE;
      return TRUE;
    }
  if (LEAT_BOUND_OP (op)->hidden)
    return TRUE;
  if (!leat_launch_repack (&lane->launches[op->index], lane, op, error))
    return FALSE;
  leat_lane_drop_repeats (lane);
  for (guint path = 0; path < LEAT_N_PATHS; path++)
    if (lane->executables[path].is_built && !leat_lane_update_kernel (lane, path, op, error))
      return FALSE;
  return TRUE;
}

static gboolean
leat_session_change_node (LeatSession *self, LeatNode *node, GError **error)
{
  GPtrArray *ops = g_hash_table_lookup (self->changeable, node);

  for (guint i = 0; ops != NULL && i < ops->len; i++)
    for (guint l = 0; l < self->lanes->len; l++)
      if (!leat_session_change_lane (self, g_ptr_array_index (self->lanes, l), g_ptr_array_index (ops, i), error))
        return FALSE;
  self->told.ledger.stats.changes++;
  return TRUE;
}

/* Between two runs.  The context is made current once, for all nodes. */
gboolean
leat_session_take_changes (LeatSession *self, GError **error)
{
  LeatChanges *changes = leat_pipeline_get_changes (self->pipeline);
  gboolean good = TRUE;

  if (!leat_changes_are_there (changes))
    return TRUE;
  if (!leat_device_push (self->device, error))
    return FALSE;
  leat_changes_lock (changes);
  for (guint i = 0; i < leat_changes_get_n (changes) && good; i++)
    good = leat_session_change_node (self, leat_changes_get (changes, i), error);
  leat_changes_clear (changes);
  leat_changes_unlock (changes);
  leat_device_pop (self->device);
  if (self->recall.memo != NULL)
    leat_memo_clear (self->recall.memo);
  return good;
}
