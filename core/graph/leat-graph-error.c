/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The domain of the errors of nodes, ports, links and specs. */

#include "leat-graph-error.h"

#include <string.h>

/**
 * leat_graph_error_quark:
 *
 * Gets the domain of the errors that nodes, ports, links and specs report.
 *
 * Returns: the quark
 *
 * Since: 0.1
 */
GQuark
leat_graph_error_quark (void)
{
  return g_quark_from_static_string ("leat-graph-error-quark");
}
