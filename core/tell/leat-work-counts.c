/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The work that the graphs of lanes have done, as the driver knows their nodes.  Touches where lanes began to count. */

#include "leat-told-private.h"

#include "lane/leat-lane-graph-private.h"

/* The work of their graphs between start and stop. */
gboolean
leat_lane_count_work (LeatLane *lane, LeatGraphCount *sum, GError **error)
{
  for (guint path = 0; path < LEAT_N_PATHS; path++)
    if (!leat_lane_count_graphs (lane, path, sum, error))
      return FALSE;
  if (lane->repeater != NULL)
    sum->kernels += leat_repeater_count_kernels (lane->repeater) - lane->counted_repeater_from;
  return TRUE;
}

void
leat_lane_begin_work_counts (LeatLane *lane)
{
  for (guint path = 0; path < LEAT_N_PATHS; path++)
    lane->executables[path].counted_from = lane->executables[path].launches;
  lane->counted_repeater_from = lane->repeater != NULL ? leat_repeater_count_kernels (lane->repeater) : 0;
}

/* Others take their place. */
void
leat_ledger_settle_counts (LeatLedger *self, GPtrArray *lanes)
{
  for (guint i = 0; i < lanes->len && self->graph_counts.is_counting; i++)
    {
      LeatLane *lane = g_ptr_array_index (lanes, i);

      leat_lane_count_work (lane, &self->graph_counts.gone, NULL);
      leat_lane_begin_work_counts (lane);
    }
}
