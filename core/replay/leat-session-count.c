/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"

/* What the driver's side says was done, for the comparison with what the plan predicts.  Nothing here comes from the
 * plan: calls are counted in the driver's table, and the nodes of the graph are asked of the driver. */

typedef struct
{
  guint64 kernels, copies, fills, early_starts;
  guint64 uploads, readbacks; /* of the copies */
} LeatGraphCount;

static guint64
leat_session_count_calls (LeatSession *self, const LeatDriverEntry *entries, guint n_entries)
{
  LeatDriver *driver = leat_device_get_driver (self->device);
  guint64 sum = 0;

  for (guint i = 0; i < n_entries; i++)
    sum += leat_driver_trace_get_count (driver, entries[i]);
  return sum;
}

static gboolean
leat_session_fail_count (LeatSession *self, const char *call, CUresult result, GError **error)
{
  return leat_device_set_error (self->device, error, call, result, "the graph of a lane");
}

static gboolean leat_session_count_nodes (LeatSession *self, LeatLane *lane, CUgraph graph, LeatGraphCount *count,
                                          GError **error);

/* Captured work may be a graph in the graph. */
static gboolean
leat_session_count_child (LeatSession *self, LeatLane *lane, CUgraphNode node, LeatGraphCount *count, GError **error)
{
  CUgraph child = NULL;
  CUresult result = CUDA_ERROR_NOT_SUPPORTED;

  if (lane->table->cuGraphChildGraphNodeGetGraph != NULL)
    result = (*lane->table->cuGraphChildGraphNodeGetGraph) (node, &child);
  if (result != CUDA_SUCCESS)
    return leat_session_fail_count (self, "cuGraphChildGraphNodeGetGraph", result, error);
  return leat_session_count_nodes (self, lane, child, count, error);
}

/* Which way it goes. */
static gboolean
leat_session_count_copy (LeatSession *self, LeatLane *lane, CUgraphNode node, LeatGraphCount *count, GError **error)
{
  CUDA_MEMCPY3D copy = { 0 };
  CUresult result = CUDA_ERROR_NOT_SUPPORTED;

  if (lane->table->cuGraphMemcpyNodeGetParams != NULL)
    result = (*lane->table->cuGraphMemcpyNodeGetParams) (node, &copy);
  if (result != CUDA_SUCCESS)
    return leat_session_fail_count (self, "cuGraphMemcpyNodeGetParams", result, error);
  count->copies++;
  count->uploads += copy.srcMemoryType == CU_MEMORYTYPE_HOST && copy.dstMemoryType != CU_MEMORYTYPE_HOST;
  count->readbacks += copy.dstMemoryType == CU_MEMORYTYPE_HOST && copy.srcMemoryType != CU_MEMORYTYPE_HOST;
  return TRUE;
}

static gboolean
leat_session_count_node (LeatSession *self, LeatLane *lane, CUgraphNode node, LeatGraphCount *count, GError **error)
{
  CUgraphNodeType type;
  CUresult result = (*lane->table->cuGraphNodeGetType) (node, &type);

  if (result != CUDA_SUCCESS)
    return leat_session_fail_count (self, "cuGraphNodeGetType", result, error);
  if (type == CU_GRAPH_NODE_TYPE_GRAPH)
    return leat_session_count_child (self, lane, node, count, error);
  if (type == CU_GRAPH_NODE_TYPE_MEMCPY)
    return leat_session_count_copy (self, lane, node, count, error);
  count->kernels += type == CU_GRAPH_NODE_TYPE_KERNEL;
  count->fills += type == CU_GRAPH_NODE_TYPE_MEMSET;
  return TRUE;
}

static gboolean
leat_session_count_nodes (LeatSession *self, LeatLane *lane, CUgraph graph, LeatGraphCount *count, GError **error)
{
  g_autofree CUgraphNode *nodes = NULL;
  size_t n = 0;
  CUresult result = (*lane->table->cuGraphGetNodes) (graph, NULL, &n);

  nodes = g_new0 (CUgraphNode, n + 1);
  if (result == CUDA_SUCCESS && n > 0)
    result = (*lane->table->cuGraphGetNodes) (graph, nodes, &n);
  if (result != CUDA_SUCCESS)
    return leat_session_fail_count (self, "cuGraphGetNodes", result, error);
  for (size_t i = 0; i < n; i++)
    if (!leat_session_count_node (self, lane, nodes[i], count, error))
      return FALSE;
  return TRUE;
}

/* The driver tells no kinds of edges where it knows none. */
static gboolean
leat_session_count_edges (LeatSession *self, LeatLane *lane, CUgraph graph, LeatGraphCount *count, GError **error)
{
  g_autofree CUgraphNode *nodes = NULL;
  g_autofree CUgraphEdgeData *edges = NULL;
  size_t n = 0;
  CUresult result;

  if (lane->table->cuGraphGetEdges == NULL)
    return TRUE;
  result = (*lane->table->cuGraphGetEdges) (graph, NULL, NULL, NULL, &n);
  nodes = g_new0 (CUgraphNode, 2 * n + 1);
  edges = g_new0 (CUgraphEdgeData, n + 1);
  if (result == CUDA_SUCCESS && n > 0)
    result = (*lane->table->cuGraphGetEdges) (graph, nodes, nodes + n, edges, &n);
  if (result != CUDA_SUCCESS)
    return leat_session_fail_count (self, "cuGraphGetEdges", result, error);
  for (size_t i = 0; i < n; i++)
    count->early_starts += edges[i].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  return TRUE;
}

/* What the graphs of all paths did between start and stop: the nodes that the driver says each has, times its launches.
 */
static gboolean
leat_session_count_graphs (LeatSession *self, LeatLane *lane, LeatGraphCount *sum, GError **error)
{
  gboolean good = leat_device_push (self->device, error);

  if (!good)
    return FALSE;
  for (guint path = 0; path < LEAT_N_PATHS && good; path++)
    {
      guint64 launches = lane->executables[path].launches - lane->executables[path].counted_from;
      LeatGraphCount count = { 0 };

      for (LeatExecutable *it = &lane->executables[path]; it != NULL && it->graph != NULL && good; it = it->next)
        good = leat_session_count_nodes (self, lane, it->graph, &count, error)
               && leat_session_count_edges (self, lane, it->graph, &count, error);
      sum->kernels += launches * count.kernels;
      sum->copies += launches * count.copies;
      sum->uploads += launches * count.uploads;
      sum->readbacks += launches * count.readbacks;
      sum->fills += launches * count.fills;
      sum->early_starts += launches * count.early_starts;
    }
  if (lane->repeater != NULL)
    sum->kernels += leat_repeater_count_kernels (lane->repeater) - lane->counted_repeater_from;
  leat_device_pop (self->device);
  return good;
}

/* What to add to the calls that wait: one that looks until the end is many calls and one wait, and what building a
 * graph waits for is no run's. */
guint64
leat_session_sum_unseen_waits (const GPtrArray *lanes)
{
  guint64 sum = 0;

  for (guint i = 0; i < lanes->len; i++)
    {
      const LeatLane *lane = g_ptr_array_index (lanes, i);

      sum += lane->seen_ended - lane->other_waits;
    }
  return sum;
}

void
leat_session_begin_lane_counts (LeatLane *lane)
{
  for (guint path = 0; path < LEAT_N_PATHS; path++)
    lane->executables[path].counted_from = lane->executables[path].launches;
  lane->counted_repeater_from = lane->repeater != NULL ? leat_repeater_count_kernels (lane->repeater) : 0;
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
  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);

  if (!leat_session_is_open (self))
    {
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE, "cannot count calls: the session is not open");
      return FALSE;
    }
  for (guint i = 0; i < self->lanes->len; i++)
    leat_session_begin_lane_counts (g_ptr_array_index (self->lanes, i));
  self->counted_seen_from = leat_session_sum_unseen_waits (self->lanes);
  return leat_driver_trace_start (leat_device_get_driver (self->device), FALSE, error);
}

/**
 * leat_session_stop_counting:
 * @self: an open session that is not running
 * @error: return location for an error
 *
 * Ends leat_session_start_counting() and tells what was counted, over all runs between the two.
 *
 * Work inside a graph is counted by the nodes that the driver says the graph has, times its launches.  Where a loop on
 * the device repeats runs, so are the kernels that count them, one for each and one before.  A wait is one
 * however it is done; of other sessions' waits, those that end by looking (%LEAT_WAIT_SPIN) are not seen.  Where a
 * property that was set gave the session another graph in between, the nodes of the former one are not seen either.
 *
 * Returns: (transfer full): a dictionary (a{st}): kernels, copies (of them, uploads and readbacks), fills,
 * early-starts, graph-launches, waits, calls (of any kind); %NULL on error
 */
GVariant *
leat_session_stop_counting (LeatSession *self, GError **error)
{
  static const LeatDriverEntry launches[] = { LEAT_DRIVER_ENTRY_cuGraphLaunch };
  static const LeatDriverEntry kernels[] = { LEAT_DRIVER_ENTRY_cuLaunchKernel,
                                             LEAT_DRIVER_ENTRY_cuLaunchCooperativeKernel };
  static const LeatDriverEntry copies[] = { LEAT_DRIVER_ENTRY_cuMemcpyHtoDAsync, LEAT_DRIVER_ENTRY_cuMemcpyDtoHAsync,
                                            LEAT_DRIVER_ENTRY_cuMemcpyDtoDAsync };
  static const LeatDriverEntry uploads[] = { LEAT_DRIVER_ENTRY_cuMemcpyHtoDAsync };
  static const LeatDriverEntry readbacks[] = { LEAT_DRIVER_ENTRY_cuMemcpyDtoHAsync };
  static const LeatDriverEntry fills[] = { LEAT_DRIVER_ENTRY_cuMemsetD8Async };
  static const LeatDriverEntry waits[] = { LEAT_DRIVER_ENTRY_cuStreamSynchronize,
                                           LEAT_DRIVER_ENTRY_cuEventSynchronize };
  LeatGraphCount inside = { 0 };
  GVariantBuilder builder;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);

  if (!leat_session_is_open (self))
    {
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE, "nothing was counted: the session is not open");
      return NULL;
    }
  leat_driver_trace_stop (leat_device_get_driver (self->device));
  for (guint i = 0; i < self->lanes->len; i++)
    if (!leat_session_count_graphs (self, g_ptr_array_index (self->lanes, i), &inside, error))
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
                         COUNT (waits) + leat_session_sum_unseen_waits (self->lanes) - self->counted_seen_from);
#undef COUNT
  g_variant_builder_add (&builder, "{st}", "calls",
                         leat_driver_trace_get_total (leat_device_get_driver (self->device)));
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}
