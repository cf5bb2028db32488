/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sources that give unlike numbers of rows to inputs of which row goes with row. */

#include "graph/leat-node-private.h"
#include "plan/leat-plan-aligned-private.h"
#include "leat-session-run-private.h"

/* How many rows the source of that buffer has given; FALSE where it is no source's. */
static gboolean
leat_flight_find_given (const LeatFlight *flight, LeatBufferId origin, guint64 *count)
{
  for (guint i = 0; i < flight->n_inputs; i++)
    if (flight->inputs[i].op->touches[0].buffer == origin && flight->inputs[i].count != NULL)
      {
        *count = *flight->inputs[i].count;
        return TRUE;
      }
  return FALSE;
}

static void
leat_aligned_warn (LeatBus *bus, guint64 run, const LeatAligned *aligned, const guint64 counts[2])
{
  gboolean more = counts[1] > counts[0];
  const char *name = leat_node_get_name (aligned->node);
  g_autoptr (GError) warning =
    g_error_new (LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_UNEVEN,
                 "run %" G_GUINT64_FORMAT ": \"%s\" has %" G_GUINT64_FORMAT " rows and \"%s\" %" G_GUINT64_FORMAT
                 "; the last %" G_GUINT64_FORMAT " of \"%s\" have no row to go with",
                 run, aligned->names[0], counts[0], aligned->names[1], counts[1], counts[more] - counts[!more],
                 aligned->names[more]);

  leat_node_prefix_error (aligned->node, &warning);
  leat_bus_post (bus, leat_message_new (LEAT_MESSAGE_WARNING, name, warning, NULL));
}

/* Of each two inputs once. */
void
leat_flight_check_aligned (const LeatFlight *flight, LeatBus *bus, const guint64 *runs)
{
  LeatPlan *plan = flight->lane->plan;
  GArray *all = plan->aligned;

  for (guint i = 0; i < all->len; i++)
    {
      LeatAligned *aligned = &g_array_index (all, LeatAligned, i);
      guint64 counts[2];

      if (aligned->told)
        continue;
      leat_plan_find_aligned (plan, aligned);
      if (!leat_flight_find_given (flight, aligned->origins[0], &counts[0])
          || !leat_flight_find_given (flight, aligned->origins[1], &counts[1]) || counts[0] == counts[1])
        continue;
      aligned->told = TRUE;
      leat_aligned_warn (bus, *runs + 1, aligned, counts);
    }
}
