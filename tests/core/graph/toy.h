/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

/* Nodes that do nothing, for the tests of what is around nodes.
 *   toy:filter  every type of property; ports in, mask (optional) and out, all on the device
 *   toy:source  an endpoint with the required property "count"; port out in host memory
 *   toy:sink    an endpoint; port in in host memory
 *   toy:kernel  ports and arguments as its property "signature" says */
GType toy_filter_get_type (void);
GType toy_source_get_type (void);
GType toy_sink_get_type (void);
GType toy_kernel_get_type (void);

extern const LeatNodeInfo toy_filter_info;
extern const LeatNodeInfo toy_source_info;
extern const LeatNodeInfo toy_sink_info;
extern const LeatNodeInfo toy_kernel_info;

/* How often a toy:kernel's prepare () was called. */
guint64 toy_kernel_get_n_prepared (LeatNode *node);
