/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Runs once what a plan has folded (optimise/leat-optimise-fold.c), op by op on a lane of its own, and gives the plan's
 * constants their contents.  Touches nothing else of the plan. */

#include "leat-setup-private.h"

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
  result->initial = g_bytes_new_take (items, result->bytes);
  return leat_memory_read (block->memory, 0, items, result->bytes, error);
}

static gboolean
leat_setup_run_folded (LeatSetup *self, LeatPlan *plan, GError **error)
{
  LeatLane *lane = g_ptr_array_index (self->lanes, 0);

  if (!leat_setup_begin (self, NULL, error) || !leat_lane_launch (lane, LEAT_PATH_FULL, error)
      || !leat_lane_wait (lane, LEAT_WAIT_AUTO, error))
    return FALSE;
  for (guint i = 0; i < plan->buffers->len; i++)
    if (leat_plan_get_buffer (plan, i)->is_folded && leat_plan_get_buffer (plan, i)->initial == NULL
        && !leat_lane_take_folded (lane, leat_plan_get_buffer (plan, i), error))
      return FALSE;
  return TRUE;
}

gboolean
leat_program_fold (LeatDevice *device, LeatPlan *plan, GError **error)
{
  g_autoptr (LeatMemoryAccount) account = NULL;
  g_autoptr (LeatPlan) folded = NULL;
  g_autoptr (LeatSetup) setup = NULL;
  LeatGraphCounts counts = { 0 };
  LeatSetupBase base = { device, NULL, &counts, FALSE };
  gboolean good;

  if (plan->folded == NULL)
    return TRUE;
  account = leat_memory_account_new (0);
  folded = leat_plan_bind_folded (plan);
  base.store = leat_store_new (device, account);
  setup = leat_setup_new (&base, folded, NULL, error);
  good = setup != NULL && leat_setup_run_folded (setup, plan, error);
  if (!good)
    g_prefix_error (error,
                    "what depends on constants alone could not be computed (optimise=off does it in each run): ");
  g_clear_pointer (&setup, leat_setup_free);
  leat_store_unref (base.store);
  return good;
}
