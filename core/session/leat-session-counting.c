/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The driver's counts of the work done, for the comparison with the plan's predictions.  Nothing here comes from the
 * plan: calls are counted in the driver's table, and the nodes of the graph are asked of the driver. */

#include "leat-session-private.h"

#include "lane/leat-batch-memory-private.h"
#include "leat-session-told-private.h"

static guint64
leat_session_count_calls (LeatSession *self, const LeatDriverEntry *entries, guint n_entries)
{
  LeatDriver *driver = leat_device_get_driver (self->device);
  guint64 sum = 0;

  for (guint i = 0; i < n_entries; i++)
    sum += leat_driver_trace_get_run_count (driver, entries[i]);
  return sum;
}

/* Those that run one set of inputs at a time, and those of batches. (transfer container) */
static GPtrArray *
leat_session_list_lanes (LeatSession *self)
{
  GPtrArray *lanes = g_ptr_array_new ();

  for (guint i = 0; i < self->lanes->len; i++)
    g_ptr_array_add (lanes, g_ptr_array_index (self->lanes, i));
  for (guint i = 0; self->batch != NULL && i < self->batch->widths->len; i++)
    for (guint flight = 0; flight < self->batch->n_flights; flight++)
      g_ptr_array_add (lanes, ((LeatWidth *) g_ptr_array_index (self->batch->widths, i))->lanes[flight]);
  return lanes;
}

/**
 * leat_session_start_counting:
 * @self: an open session that is not running
 * @error: return location for an error
 *
 * Begins to count the calls that reach the driver, of all sessions on that driver; others may be running.
 *
 * For a comparison of what is done with what leat_plan_dup_prediction() says.  It makes each call a little slower.
 *
 * Returns: whether it began; %LEAT_SESSION_ERROR_STATE when the session is not open
 */
gboolean
leat_session_start_counting (LeatSession *self, GError **error)
{
  g_autoptr (GPtrArray) lanes = NULL;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);

  if (!leat_session_is_open (self))
    {
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE, "cannot count calls: the session is not open");
      return FALSE;
    }
  lanes = leat_session_list_lanes (self);
  for (guint i = 0; i < lanes->len; i++)
    leat_lane_begin_work_counts (g_ptr_array_index (lanes, i));
  self->told.ledger.counted_seen_from = self->told.ledger.graph_counts.unseen_waits;
  self->told.ledger.graph_counts.gone = (LeatGraphCount){ 0 };
  self->told.ledger.graph_counts.is_counting = TRUE;
  return leat_driver_trace_start (leat_device_get_driver (self->device), FALSE, error);
}

/**
 * leat_session_stop_counting:
 * @self: an open session that is not running
 * @error: return location for an error
 *
 * Ends leat_session_start_counting() and tells what was counted, over all runs between the two.
 *
 * Work inside a graph is counted by the nodes that the driver says the graph has, times its launches, of batches too,
 * and of graphs that are gone by now.  Where a loop on the device repeats runs, so are the kernels that count them, one
 * for each and one before.  A wait is one however it is done; of other sessions' waits, those that end by looking
 * (%LEAT_WAIT_SPIN) are not seen.  Setting up and trying out how data go best is not counted, nor is the launch of a
 * kernel that stays (executor=persistent), which the counter stays has, nor what LEAT_POISON=1 writes.
 *
 * Returns: (transfer full): a dictionary (a{st}): kernels, copies (of them, uploads and readbacks), fills,
 * early-starts, graph-launches, waits, calls (of any kind, with what looks whether work has ended); %NULL on error
 */
GVariant *
leat_session_stop_counting (LeatSession *self, GError **error)
{
  static const LeatDriverEntry launches[] = { LEAT_DRIVER_ENTRY_cuGraphLaunch };
  static const LeatDriverEntry kernels[] = { LEAT_DRIVER_ENTRY_cuLaunchKernel,
                                             LEAT_DRIVER_ENTRY_cuLaunchCooperativeKernel };
  static const LeatDriverEntry copies[] = { LEAT_DRIVER_ENTRY_cuMemcpyHtoDAsync, LEAT_DRIVER_ENTRY_cuMemcpyDtoHAsync,
                                            LEAT_DRIVER_ENTRY_cuMemcpyDtoDAsync, LEAT_DRIVER_ENTRY_cuMemcpy3DAsync };
  static const LeatDriverEntry uploads[] = { LEAT_DRIVER_ENTRY_cuMemcpyHtoDAsync };
  static const LeatDriverEntry readbacks[] = { LEAT_DRIVER_ENTRY_cuMemcpyDtoHAsync };
  static const LeatDriverEntry fills[] = { LEAT_DRIVER_ENTRY_cuMemsetD8Async };
  static const LeatDriverEntry waits[] = { LEAT_DRIVER_ENTRY_cuStreamSynchronize,
                                           LEAT_DRIVER_ENTRY_cuEventSynchronize };
  g_autoptr (GPtrArray) lanes = NULL;
  LeatGraphCount inside;
  GVariantBuilder builder;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);

  if (!leat_session_is_open (self))
    {
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE, "nothing was counted: the session is not open");
      return NULL;
    }
  leat_driver_trace_stop (leat_device_get_driver (self->device));
  inside = self->told.ledger.graph_counts.gone;
  self->told.ledger.graph_counts.is_counting = FALSE;
  lanes = leat_session_list_lanes (self);
  for (guint i = 0; i < lanes->len; i++)
    if (!leat_lane_count_work (g_ptr_array_index (lanes, i), &inside, error))
      return NULL;
#define COUNT(entries) leat_session_count_calls (self, entries, G_N_ELEMENTS (entries))
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{st}"));
  g_variant_builder_add (&builder, "{st}", "kernels", inside.kernels + COUNT (kernels));
  g_variant_builder_add (&builder, "{st}", "copies", inside.copies + COUNT (copies));
  g_variant_builder_add (&builder, "{st}", "uploads", inside.uploads + COUNT (uploads));
  g_variant_builder_add (&builder, "{st}", "readbacks", inside.readbacks + COUNT (readbacks));
  g_variant_builder_add (&builder, "{st}", "fills", inside.fills + COUNT (fills));
  g_variant_builder_add (&builder, "{st}", "early-starts", inside.early_starts);
  g_variant_builder_add (&builder, "{st}", "graph-launches", COUNT (launches));
  g_variant_builder_add (&builder, "{st}", "waits",
                         COUNT (waits) + self->told.ledger.graph_counts.unseen_waits
                           - self->told.ledger.counted_seen_from);
#undef COUNT
  g_variant_builder_add (&builder, "{st}", "calls",
                         leat_driver_trace_get_run_total (leat_device_get_driver (self->device)));
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}
