/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-lane-private.h"

G_BEGIN_DECLS

/* Graphs of a lane: made of the ops of its plan, and given other values in place. */

gboolean leat_lane_build_graph (LeatLane *self, LeatPath path, GError **error);
/* Adds an op to the graph that is being built. */
gboolean leat_lane_add_node (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op, GError **error);
gboolean leat_lane_add_work (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op,
                             const LeatEdges *edges, GError **error);
gboolean leat_lane_make_loop_handle (LeatLane *self, LeatExecutable *to, const LeatPlanLoop *loop, GError **error);
void leat_lane_set_loop_handle (LeatLane *self, LeatPath path, const LeatOp *op, gboolean in_graph);
gboolean leat_lane_add_while (LeatLane *self, LeatExecutable *to, const LeatOp *op, const LeatEdges *edges,
                              GError **error);
gboolean leat_lane_add_unrolled (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op,
                                 const LeatEdges *edges, GError **error);
/* The parameters that a graph node has now. */
CUDA_MEMCPY3D leat_lane_get_copy (LeatLane *self, const LeatOp *op);
CUDA_KERNEL_NODE_PARAMS leat_lane_get_kernel (LeatLane *self, LeatPath path, const LeatOp *op);
gboolean leat_lane_fail (LeatLane *self, const LeatOp *op, const char *call, CUresult result, GError **error);
/* The same, with the executable of @donor, whose plan is alike, updated where the driver does so: it has none then.
 * @why: (transfer full): where not, the reason; NULL where it did. */
gboolean leat_lane_take_graph (LeatLane *self, LeatPath path, LeatLane *donor, char **why, GError **error);
/* Gives the kernel node of @op what its launch is packed with.  The context must be current: the driver crashes where
 * none is, whatever the parameters say. */
gboolean leat_lane_update_kernel (LeatLane *self, LeatPath path, const LeatOp *op, GError **error);
/* Gives the node of a copy the addresses that its ends have now. */
gboolean leat_lane_update_copy (LeatLane *self, LeatPath path, const LeatOp *op, GError **error);
void leat_lane_drop_graph (LeatLane *self, CUgraphExec exec, CUgraph graph); /* either may be NULL */
/* One of the graphs in which a path comes several times. */
void leat_lane_drop_repeat (LeatLane *self, LeatRepeatGraph *repeat);
void leat_lane_destroy_path (LeatLane *self, LeatPath path);
void leat_lane_destroy_graphs (LeatLane *self);
/* Before its session goes, which counts for it. */
void leat_lane_leave_counts (LeatLane *self);
/* Ops from @first to before @end, of which there may be none: in steady state a plan that is one graph is one call. */
gboolean leat_lane_launch_between (LeatLane *self, LeatPath path, guint first, guint end, GError **error);
/* The function that a path launches for the kernel of @op. */
CUfunction leat_lane_get_function (LeatLane *self, LeatPath path, const LeatOp *op);
/* With the context current. */
guint64 leat_lane_get_unused_bytes (LeatLane *self);
void leat_lane_note_graph_bytes (LeatLane *self, LeatPath path, guint64 unused_before);
guint64 leat_lane_get_graph_bytes (LeatLane *self);
guint64 leat_lane_get_reserved_bytes (LeatLane *self);
void leat_lane_trim_graph_memory (LeatLane *self);
/* For who builds them piece by piece.  FALSE without an error where the lane is cut anew. */
gboolean leat_lane_fill_graph (LeatLane *self, LeatPath path, LeatExecutable *to, GError **error);
CUresult leat_lane_add_kernel_node (LeatLane *self, CUgraph graph, CUgraphNode *node,
                                    const CUDA_KERNEL_NODE_PARAMS *kernel, const LeatEdges *edges, const char **call);
/* Whether a refusal ends with graphs being built anew in which no kernel begins early. */
gboolean leat_lane_does_without_early (LeatLane *self, CUresult result);
/* Kernels that begin early wait from now on.  FALSE: they cannot be told to, and the graph is built with full edges. */
/* Before the graphs of a path go: what they did is counted. */
void leat_lane_count_gone (LeatLane *self, LeatPath path);
/* Adds what the driver says of the graphs of a path, since counting began. */
gboolean leat_lane_count_graphs (LeatLane *self, LeatPath path, LeatGraphCount *sum, GError **error);
/* A graph of one or more runs that was not launched, or found that one before it had failed. Always FALSE. */
gboolean leat_lane_fail_launch (LeatLane *self, CUresult result, guint64 runs, GError **error);

G_END_DECLS
