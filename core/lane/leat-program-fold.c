/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Runs once what a plan has folded (optimise/leat-optimise-fold.c), op by op on a lane of its own, and gives the plan's
 * constants their contents.  Touches nothing else of the plan. */

#include "leat-lane-private.h"

#include "bind/leat-bind-private.h"

static LeatPlan *
leat_plan_bind_folded (LeatPlan *self)
{
  LeatTraits traits = LEAT_BOUND_PLAN (self)->traits;
  LeatPlan *folded = leat_bound_plan_new (g_object_ref (self->folded));

  traits.capture = LEAT_CAPTURE_NONE;
  traits.early = LEAT_EARLY_NONE;
  traits.persistent = FALSE;
  traits.entries = traits.entries_most = 0;
  traits.ways = NULL;
  leat_plan_bind (folded, &traits);
  return folded;
}

/* What nobody reads any more is left where it is. */
static gboolean
leat_lane_take_folded (LeatLane *self, LeatBuffer *result, GError **error)
{
  const LeatBoundBuffer *memory = LEAT_BOUND_BUFFER (leat_plan_get_root (self->plan, result->id));
  LeatBlock *block = g_ptr_array_index (self->blocks, memory->buffer.id);
  guint8 *items;

  if (LEAT_BOUND_BUFFER (result)->place != LEAT_PLACE_OWN)
    return TRUE;
  items = g_malloc (result->bytes);
  if (!leat_memory_read (block->memory, 0, items, result->bytes, error))
    {
      g_free (items);
      return FALSE;
    }
  result->initial = g_bytes_new_take (items, result->bytes);
  return TRUE;
}

static gboolean
leat_lane_run_folded (LeatLane *self, LeatPlan *plan, GError **error)
{
  if (!leat_program_write_constants (self->program, error) || !leat_lane_begin (self, NULL, error)
      || !leat_lane_launch (self, LEAT_PATH_FULL, error) || !leat_lane_wait (self, LEAT_WAIT_AUTO, error))
    return FALSE;
  for (guint i = 0; i < plan->buffers->len; i++)
    if (leat_plan_get_buffer (plan, i)->is_folded && leat_plan_get_buffer (plan, i)->initial == NULL
        && !leat_lane_take_folded (self, leat_plan_get_buffer (plan, i), error))
      return FALSE;
  return TRUE;
}

/* A plan that was run before has them. */
static gboolean
leat_plan_lacks_folded (LeatPlan *self)
{
  for (guint i = 0; i < self->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self, i);

      if (buffer->is_folded && buffer->initial == NULL && LEAT_BOUND_BUFFER (buffer)->place == LEAT_PLACE_OWN)
        return TRUE;
    }
  return FALSE;
}

gboolean
leat_program_fold (LeatDevice *device, LeatPlan *plan, GError **error)
{
  g_autoptr (LeatMemoryAccount) account = NULL;
  g_autoptr (LeatPlan) folded = NULL;
  g_autoptr (LeatStore) store = NULL;
  g_autoptr (LeatProgram) program = NULL;
  LeatGraphCounts counts = { 0 };
  LeatLane *lane = NULL;
  gboolean good;

  if (plan->folded == NULL || !leat_plan_lacks_folded (plan))
    return TRUE;
  account = leat_memory_account_new (0);
  store = leat_store_new (device, account);
  folded = leat_plan_bind_folded (plan);
  program = leat_program_new (folded, store, device, FALSE, NULL, error);
  if (program != NULL)
    lane = leat_lane_new (folded, program, store, &counts, NULL, error);
  good = lane != NULL && leat_lane_run_folded (lane, plan, error);
  if (lane != NULL)
    leat_lane_free (lane);
  if (!good)
    g_prefix_error (error,
                    "what depends on constants alone could not be computed (optimise=off does it in each run): ");
  return good;
}
