/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The data of an edge, which may say more than that one node comes after the other.  They are kept and given back, but
 * change nothing: here a node begins when the one before it has ended. */

#include "leat-cpu-graph.h"

#include <string.h>

static const CUgraphEdgeData leat_cpu_edge_plain;

gboolean
leat_cpu_edge_is_plain (const CUgraphEdgeData *data)
{
  return data == NULL || memcmp (data, &leat_cpu_edge_plain, sizeof *data) == 0;
}

gboolean
leat_cpu_edge_equal (const CUgraphEdgeData *a, const CUgraphEdgeData *b)
{
  return memcmp (a != NULL ? a : &leat_cpu_edge_plain, b != NULL ? b : &leat_cpu_edge_plain, sizeof *a) == 0;
}

/* Only kernels have other ports than the one for their end, and only a kernel can wait in its midst. */
gboolean
leat_cpu_edge_is_sound (CUgraphNodeType from, CUgraphNodeType to, const CUgraphEdgeData *data)
{
  CUgraphEdgeData known;

  if (leat_cpu_edge_is_plain (data))
    return TRUE;
  known = (CUgraphEdgeData){ .from_port = data->from_port, .type = data->type };
  if (memcmp (data, &known, sizeof known) != 0 || from != CU_GRAPH_NODE_TYPE_KERNEL)
    return FALSE;
  switch (data->type)
    {
    case CU_GRAPH_DEPENDENCY_TYPE_DEFAULT:
      return data->from_port == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER;
    case CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC:
      return to == CU_GRAPH_NODE_TYPE_KERNEL
             && (data->from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC
                 || data->from_port == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER);
    default:
      return FALSE;
    }
}
