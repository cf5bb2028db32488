/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The passes over a recorded plan, in order, until none finds anything.  They need no device, and come before fusion
 * and binding, which then see less. */

#include "leat-optimise-private.h"

#include "plan/leat-plan-aligned-private.h"
#include "plan/leat-plan-error.h"

/* Each change takes an op or a buffer out of the plan, or an op out of a loop, so that rounds come to an end; this many
 * would be a fault of a pass. */
#define LEAT_OPTIMISE_MOST_ROUNDS 1000

static const LeatPass leat_passes[] = {
  { "merge", "nodes that do the same with the same inputs become one", leat_plan_merge_equal },
  { "copies", "copies, transfers and fills that nobody needs are left out", leat_plan_forward_copies },
  { "dead", "work whose results nobody reads is left out", leat_plan_remove_dead },
  { "fold", "work that depends on constants alone is done when a session opens", leat_plan_fold },
  { "hoist", "work that is the same in every iteration of a loop is done once, before it", leat_plan_hoist },
};

const LeatPass *
leat_plan_list_passes (guint *n)
{
  *n = G_N_ELEMENTS (leat_passes);
  return leat_passes;
}

static gboolean
leat_plan_check_rules (LeatPlan *self, const char *behind, GError **error)
{
  g_autofree char *broken = leat_plan_find_broken_rule (self);

  if (broken == NULL)
    return TRUE;
  g_set_error (error, LEAT_PLAN_ERROR, LEAT_PLAN_ERROR_FAILED,
               "the plan is not whole %s: %s; this is a fault of Leat, and optimise=off may do without it", behind,
               broken);
  return FALSE;
}

static gboolean
leat_plan_run_pass (LeatPlan *self, const LeatPass *pass, gboolean *changed, GError **error)
{
  g_autofree char *behind = g_strdup_printf ("after pass \"%s\"", pass->name);

  if (!pass->run (self))
    return TRUE;
  *changed = TRUE;
  return leat_plan_check_rules (self, behind, error);
}

gboolean
leat_plan_optimise (LeatPlan *self, GError **error)
{
  gboolean changed = TRUE;

  if (!leat_plan_check_rules (self, "as it was recorded", error))
    return FALSE;
  /* Of inputs that nobody reads in the end, too. */
  for (guint i = 0; i < self->aligned->len; i++)
    leat_plan_find_aligned (self, &g_array_index (self->aligned, LeatAligned, i));
  for (guint round = 0; changed && round < LEAT_OPTIMISE_MOST_ROUNDS; round++)
    {
      changed = FALSE;
      for (guint i = 0; i < G_N_ELEMENTS (leat_passes); i++)
        if (!leat_plan_run_pass (self, &leat_passes[i], &changed, error))
          return FALSE;
    }
  if (changed)
    g_set_error_literal (
      error, LEAT_PLAN_ERROR, LEAT_PLAN_ERROR_FAILED,
      "the passes over the plan do not come to an end; this is a fault of Leat, and optimise=off may do "
      "without it");
  return !changed;
}
