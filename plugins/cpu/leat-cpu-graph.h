/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-cpu-condition.h"
#include "leat-cpu-event.h"

G_BEGIN_DECLS

#define LEAT_CPU_GRAPH_MAGIC        0x4c477266u
#define LEAT_CPU_GRAPH_BROKEN_MAGIC 0x4c477242u /* a capture into it failed: it can only be destroyed */
#define LEAT_CPU_NODE_MAGIC         0x4c4e6f64u

typedef struct _LeatCpuGraph LeatCpuGraph;

typedef struct
{
  LeatCpuNode *node;
  CUgraphEdgeData data;
} LeatCpuEdge;

typedef struct
{
  LeatCpuCondition *condition;
  CUgraphConditionalNodeType type;
  guint n_bodies;
  CUgraph *bodies; /* as the API hands them out */
} LeatCpuConditional;

/* A CUgraphNode. */
struct _LeatCpuNode
{
  guint32 magic;
  LeatCpuGraph *graph;
  CUgraphNodeType type;
  GArray *from; /* of LeatCpuEdge: what it depends on */
  GArray *to;   /* of LeatCpuEdge: what depends on it */
  guint index;  /* scratch, while a graph is walked */

  LeatCpuOp op;              /* kernel, copy, set, host, empty */
  CUDA_MEMCPY3D copy_params; /* as given */
  CUDA_MEMSET_NODE_PARAMS set_params;
  void **kernel_params; /* addresses inside the launch, for queries */
  int priority;
  LeatCpuEvent *event; /* a reference */
  LeatCpuGraph *child; /* owned */
  LeatCpuConditional conditional;
  LeatCpuNode *clone_of; /* the node in the graph that this one's was cloned from */
};

/* A CUgraph. */
struct _LeatCpuGraph
{
  guint32 magic;
  guint64 id;
  GPtrArray *nodes;      /* of LeatCpuNode, in order of creation; owned */
  GPtrArray *conditions; /* of LeatCpuCondition: its own and those of bodies in it; empty in a body */
  gboolean captures;     /* a capture into it is under way */
  LeatCpuNode *owner;    /* of a child graph or a conditional body */
  LeatCpuGraph *clone_of;
  LeatCpuExec *exec; /* alive and made from it, where it has conditional nodes: then there can be only one */
};

/* With the lock. */
LeatCpuGraph *leat_cpu_graph_new (void);
void leat_cpu_graph_free (LeatCpuGraph *graph);
LeatCpuGraph *leat_cpu_graph_from_handle (CUgraph handle);
LeatCpuGraph *leat_cpu_graph_clone (LeatCpuGraph *graph);
gboolean leat_cpu_graph_has_type (LeatCpuGraph *graph, CUgraphNodeType type); /* at any depth */
LeatCpuGraph *leat_cpu_graph_get_root (LeatCpuGraph *graph);
gboolean leat_cpu_graph_is_in_body (LeatCpuGraph *graph); /* of a conditional node, itself or what it is a child of */
/* Whether its conditional nodes keep the rules, so that it may become an executable. */
CUgraphInstantiateResult leat_cpu_graph_check_bodies (LeatCpuGraph *graph);

LeatCpuNode *leat_cpu_node_from_handle (CUgraphNode handle);
LeatCpuNode *leat_cpu_node_from_handle_of_type (CUgraphNode handle, CUgraphNodeType type);
LeatCpuNode *leat_cpu_node_new (LeatCpuGraph *graph, CUgraphNodeType type);
void leat_cpu_node_free (LeatCpuNode *node);                                         /* takes it out of its graph */
const CUgraphEdgeData *leat_cpu_node_find_edge (LeatCpuNode *from, LeatCpuNode *to); /* or NULL */
void leat_cpu_node_connect (LeatCpuNode *from, LeatCpuNode *to, const CUgraphEdgeData *data);
gboolean leat_cpu_node_disconnect (LeatCpuNode *from, LeatCpuNode *to);
/* Bodies of nodes, as given by the application.  The op is taken over. */
void leat_cpu_node_set_op (LeatCpuNode *node, LeatCpuOp *op);
void leat_cpu_node_set_event (LeatCpuNode *node, LeatCpuEvent *event);
CUgraphNodeType leat_cpu_op_get_node_type (const LeatCpuOp *op);

/* @data: NULL is as all zeros, a plain edge */
gboolean leat_cpu_edge_is_plain (const CUgraphEdgeData *data);
gboolean leat_cpu_edge_equal (const CUgraphEdgeData *a, const CUgraphEdgeData *b);
gboolean leat_cpu_edge_is_sound (CUgraphNodeType from, CUgraphNodeType to, const CUgraphEdgeData *data);

#define leat_cpu_graph_get_node(graph, i) ((LeatCpuNode *) g_ptr_array_index ((graph)->nodes, (i)))
#define leat_cpu_node_get_from(node, i)   (&g_array_index ((node)->from, LeatCpuEdge, (i)))
#define leat_cpu_node_get_to(node, i)     (&g_array_index ((node)->to, LeatCpuEdge, (i)))

G_END_DECLS
