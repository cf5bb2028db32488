/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A bound plan with its program and lanes, as a session runs it: made, grown, built, and adjusted to a plan that
 * matches.  Touches its own lanes, and takes graphs from a donor. */

#include "leat-setup-private.h"

#include "leat-nvtx-private.h"
#include "bind/leat-bind-private.h"
#include "leat-lane-graph-private.h"

static LeatLane *
leat_setup_get_lane (LeatSetup *self, guint index)
{
  return g_ptr_array_index (self->lanes, index);
}

/* (transfer full) */
static void
leat_setup_add_lane (LeatSetup *self, LeatLane *lane)
{
  g_autofree char *name = g_strdup_printf ("lane %u", self->lanes->len);

  leat_nvtx_name_stream (leat_stream_get (lane->stream), name);
  g_ptr_array_add (self->lanes, lane);
}

LeatSetup *
leat_setup_new (const LeatSetupBase *base, LeatPlan *plan, LeatSetup *before, GError **error)
{
  g_autoptr (LeatSetup) self = g_new0 (LeatSetup, 1);
  guint64 before_bytes = leat_store_get_bytes (base->store), bytes;
  LeatLane *lane;

  self->plan = g_object_ref (plan);
  self->key = leat_plan_hash (plan);
  self->lanes = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_lane_free);
  if (!leat_program_fold (base->device, plan, error))
    return NULL;
  self->program =
    leat_program_new (plan, base->store, base->device, base->measured, before != NULL ? before->program : NULL, error);
  if (self->program == NULL)
    return NULL;
  lane = leat_lane_new (plan, self->program, base->store, base->counts, NULL, error);
  if (lane == NULL)
    return NULL;
  leat_setup_add_lane (self, lane);
  /* Memory kept until the device was quiet may have been given back meanwhile. */
  bytes = leat_store_get_bytes (base->store);
  self->bytes = bytes > before_bytes ? bytes - before_bytes : 0;
  return g_steal_pointer (&self);
}

void
leat_setup_free (LeatSetup *self)
{
  g_ptr_array_unref (self->lanes);
  g_clear_pointer (&self->turn, leat_turn_unref);
  g_clear_pointer (&self->program, leat_program_unref);
  g_clear_object (&self->plan);
  g_free (self);
}

/* Lanes take turns with what they share; a graph that was built for one lane alone knows nothing of that. */
static gboolean
leat_setup_share (LeatSetup *self, const LeatSetupBase *base, GError **error)
{
  LeatLane *first = leat_setup_get_lane (self, 0);
  gboolean built = first->executables[LEAT_PATH_FULL].is_built;

  if (self->turn != NULL || !leat_plan_takes_turns (self->plan))
    return TRUE;
  self->turn = leat_turn_new (base->device, error);
  if (self->turn == NULL)
    return FALSE;
  leat_lane_destroy_graphs (first);
  leat_lane_set_turn (first, self->turn);
  return !built || leat_lane_build_graph (first, LEAT_PATH_FULL, error);
}

static gboolean
leat_setup_make_lane (LeatSetup *self, const LeatSetupBase *base, GError **error)
{
  LeatLane *first = leat_setup_get_lane (self, 0);
  g_autoptr (LeatLane) lane = leat_lane_new (self->plan, self->program, base->store, base->counts, first, error);

  if (lane == NULL || !leat_lane_begin (lane, NULL, error))
    return FALSE;
  leat_lane_set_turn (lane, self->turn);
  if (first->executables[LEAT_PATH_FULL].is_built && !leat_lane_build_graph (lane, LEAT_PATH_FULL, error))
    return FALSE;
  leat_setup_add_lane (self, g_steal_pointer (&lane));
  return TRUE;
}

gboolean
leat_setup_grow (LeatSetup *self, const LeatSetupBase *base, guint n, GError **error)
{
  guint64 before_bytes = leat_store_get_bytes (base->store), bytes;
  gboolean good = TRUE;

  if (self->lanes->len >= n)
    return TRUE;
  if (!leat_setup_share (self, base, error))
    return FALSE;
  leat_store_begin_round (base->store);
  for (guint i = 0; i < self->lanes->len; i++)
    leat_lane_hold_memory (leat_setup_get_lane (self, i));
  while (good && self->lanes->len < n)
    good = leat_setup_make_lane (self, base, error);
  bytes = leat_store_get_bytes (base->store);
  self->bytes += bytes > before_bytes ? bytes - before_bytes : 0;
  return good;
}

/* Graphs that the donor has built for runs that leave something out serve again; where they do not, such a run builds
 * them. */
static void
leat_setup_take_other_paths (LeatSetup *self, LeatSetup *donor)
{
  for (guint i = 0; donor != NULL && i < MIN (self->lanes->len, donor->lanes->len); i++)
    /* Loops are made of the graphs of the others, which an executable that is updated does not have. */
    for (guint path = LEAT_PATH_FULL + 1; path < LEAT_PATH_FIRST; path++)
      {
        LeatLane *lane = leat_setup_get_lane (donor, i);
        g_autofree char *why = NULL;

        if (lane->executables[path].is_built)
          leat_lane_take_graph (leat_setup_get_lane (self, i), path, lane, &why, NULL);
      }
}

void
leat_setup_take_args (LeatSetup *self, LeatSetup *before)
{
  LeatLane *from = leat_setup_get_lane (before, 0);
  LeatLane *lane = leat_setup_get_lane (self, 0);

  for (guint i = 0; i < MIN (self->plan->ops->len, before->plan->ops->len); i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i), *old = leat_plan_get_op (before->plan, i);

      if (op->kind == LEAT_OP_KERNEL && !LEAT_BOUND_OP (op)->hidden && !op->is_head && old->kind == LEAT_OP_KERNEL
          && !LEAT_BOUND_OP (old)->hidden && old->node == op->node
          && old->prototype->n_params == op->prototype->n_params)
        leat_launch_take_args (lane, op, from, old);
    }
}

gboolean
leat_setup_build (LeatSetup *self, LeatSetup *donor, char **why, GError **error)
{
  *why = NULL;
  for (guint i = 0; i < self->lanes->len; i++)
    {
      g_clear_pointer (why, g_free);
      if (!leat_lane_take_graph (leat_setup_get_lane (self, i), LEAT_PATH_FULL,
                                 donor != NULL && i < donor->lanes->len ? leat_setup_get_lane (donor, i) : NULL, why,
                                 error))
        return FALSE;
    }
  leat_setup_take_other_paths (self, donor);
  return TRUE;
}

gboolean
leat_setup_rebuild (LeatSetup *self, GError **error)
{
  for (guint i = 0; i < self->lanes->len; i++)
    {
      leat_lane_destroy_graphs (leat_setup_get_lane (self, i));
      if (!leat_lane_build_graph (leat_setup_get_lane (self, i), LEAT_PATH_FULL, error))
        return FALSE;
    }
  return TRUE;
}

void
leat_setup_settle (LeatSetup *self)
{
  if (leat_plan_settle (self->plan, self->program->loaded))
    for (guint i = 0; i < self->lanes->len; i++)
      leat_lane_destroy_graphs (leat_setup_get_lane (self, i));
}

static void
leat_setup_take_over (LeatSetup *self, LeatProgram *program, LeatPlan *plan)
{
  leat_program_unref (self->program);
  self->program = program;
  g_set_object (&self->plan, plan);
}

gboolean
leat_setup_adjust (LeatSetup *self, const LeatSetupBase *base, LeatPlan *plan, gboolean *broken, GError **error)
{
  g_autoptr (LeatProgram) program = NULL;

  *broken = FALSE;
  if (!leat_program_fold (base->device, plan, error))
    return FALSE;
  program = leat_program_new (plan, base->store, base->device, base->measured, self->program, error);
  if (program == NULL)
    return FALSE;
  for (guint i = 0; i < self->lanes->len; i++)
    if (!leat_lane_adjust (leat_setup_get_lane (self, i), plan, program, broken, error))
      {
        *broken = *broken || i > 0;
        return FALSE;
      }
  leat_setup_take_over (self, g_steal_pointer (&program), plan);
  return TRUE;
}

gboolean
leat_setup_begin (LeatSetup *self, LeatSetup *before, GError **error)
{
  if (!leat_program_write_constants (self->program, error))
    return FALSE;
  for (guint i = 0; i < self->lanes->len; i++)
    if (!leat_lane_begin (leat_setup_get_lane (self, i),
                          before != NULL && i < before->lanes->len ? leat_setup_get_lane (before, i) : NULL, error))
      return FALSE;
  return TRUE;
}

gboolean
leat_setup_has_graphs (LeatSetup *self)
{
  return self->lanes->len > 0 && leat_setup_get_lane (self, 0)->executables[LEAT_PATH_FULL].exec != NULL;
}

guint64
leat_setup_get_graph_bytes (LeatSetup *self)
{
  guint64 bytes = 0;

  for (guint i = 0; i < self->lanes->len; i++)
    bytes += leat_lane_get_graph_bytes (leat_setup_get_lane (self, i));
  return bytes;
}

guint64
leat_setup_get_bytes (LeatSetup *self)
{
  return self->bytes + leat_setup_get_graph_bytes (self);
}
