/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Ops that can be done in several ways, by what measuring calls them: numbers within a process, names on disk. */

#include "bind/leat-bound-plan-private.h"
#include "leat-bind-private.h"
#include "plan/leat-op-private.h"
#include "fuse/leat-fusible-private.h"

#define LEAT_OP_MOST_WAYS LEAT_BLOCK_MOST_CHOICES

gboolean
leat_op_has_ways (const LeatOp *op)
{
  return op->kind == LEAT_OP_TRANSFER || op->n_choices > 0 || (op->kind == LEAT_OP_LOOP && op->runs->fused != NULL)
         || (op->fusible != NULL && op->fusible->is_asked);
}

guint
leat_op_get_way (const LeatOp *op)
{
  if (op->kind == LEAT_OP_TRANSFER)
    return LEAT_BOUND_OP (op)->way;
  if (op->n_choices > 0)
    return LEAT_BOUND_OP (op)->block_way;
  if (op->fusible != NULL)
    return LEAT_BOUND_FUSIBLE (op->fusible)->way;
  return leat_op_has_ways (op) ? LEAT_BOUND_LOOP (op->runs)->method : 0;
}

guint
leat_op_get_measured (const LeatOp *op)
{
  if (op->kind == LEAT_OP_TRANSFER)
    return LEAT_BOUND_OP (op)->way;
  if (op->n_choices > 0)
    return LEAT_BOUND_OP (op)->block_measured;
  if (op->fusible != NULL)
    return LEAT_BOUND_FUSIBLE (op->fusible)->measured;
  return leat_op_has_ways (op) ? LEAT_BOUND_LOOP (op->runs)->measured : 0;
}

static const char *
leat_fusion_choice_get_name (LeatFusionChoice way)
{
  static const char *const names[] = { "auto", "separate", "fused" };

  return way < G_N_ELEMENTS (names) ? names[way] : "";
}

const char *
leat_op_get_way_name (const LeatOp *op, guint way)
{
  if (op->kind == LEAT_OP_TRANSFER)
    return way <= LEAT_TRANSFER_KERNEL ? leat_transfer_mode_get_name ((LeatTransferMode) way) : "";
  if (op->n_choices > 0)
    return way >= 1 && way <= op->n_choices ? op->choices[way - 1].name : "";
  if (op->fusible != NULL)
    return leat_fusion_choice_get_name ((LeatFusionChoice) way);
  return way <= LEAT_LOOP_FUSED ? leat_loop_method_get_name ((LeatLoopMethod) way) : "";
}

guint
leat_op_parse_way (const LeatOp *op, const char *name)
{
  if (*name == '\0') /* as the ways that an op has not are called */
    return 0;
  for (guint way = 1; way <= LEAT_OP_MOST_WAYS; way++)
    if (g_str_equal (name, leat_op_get_way_name (op, way)))
      return way;
  return 0;
}
