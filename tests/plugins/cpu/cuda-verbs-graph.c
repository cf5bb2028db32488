/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-call.h"

#include <string.h>

static char cuda_list_end;
static const CUgraphNode cuda_list_mark = (CUgraphNode) &cuda_list_end; /* no node */

static CUresult
cuda_verb_graph (CudaCall *call)
{
  int index = cuda_call_get_index (call, 1);
  CUresult result = cuda.cuGraphCreate (&call->objects->graphs[index], 0);

  call->objects->owned[index] = result == CUDA_SUCCESS;
  return result;
}

static CUresult
cuda_verb_destroy_graph (CudaCall *call)
{
  CUresult result = cuda.cuGraphDestroy (cuda_call_get_graph (call, 1));

  call->objects->owned[cuda_call_get_index (call, 1)] = 0;
  return result;
}

static CUresult
cuda_verb_empty (CudaCall *call)
{
  CUgraphNode nodes[CUDA_SCRIPT_OBJECTS];
  int n = cuda_call_get_dependencies (call, 3, nodes);

  return cuda.cuGraphAddEmptyNode (&call->objects->nodes[cuda_call_get_index (call, 1)], cuda_call_get_graph (call, 2),
                                   nodes, (size_t) n);
}

/* add-set NODE GRAPH MEMORY VALUE DEPENDENCIES... */
static CUresult
cuda_verb_add_set (CudaCall *call)
{
  CUgraphNode nodes[CUDA_SCRIPT_OBJECTS];
  int n = cuda_call_get_dependencies (call, 5, nodes);
  CUDA_MEMSET_NODE_PARAMS params = { .dst = cuda_call_get_memory (call, 3),
                                     .value = cuda_call_get_number (call, 4),
                                     .elementSize = 4,
                                     .width = 4,
                                     .height = 1 };
  CUcontext context;

  cuda.cuCtxGetCurrent (&context);
  return cuda.cuGraphAddMemsetNode (&call->objects->nodes[cuda_call_get_index (call, 1)], cuda_call_get_graph (call, 2),
                                    nodes, (size_t) n, &params, context);
}

CUDA_MEMCPY3D
cuda_call_describe_copy (CudaCall *call, int to, int from)
{
  CUDA_MEMCPY3D params = { .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                           .srcDevice = cuda_call_get_memory (call, from),
                           .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                           .dstDevice = cuda_call_get_memory (call, to),
                           .WidthInBytes = 16,
                           .Height = 1,
                           .Depth = 1 };

  return params;
}

static CUresult
cuda_verb_add_copy (CudaCall *call)
{
  CUgraphNode nodes[CUDA_SCRIPT_OBJECTS];
  int n = cuda_call_get_dependencies (call, 5, nodes);
  CUDA_MEMCPY3D params = cuda_call_describe_copy (call, 3, 4);
  CUcontext context;

  cuda.cuCtxGetCurrent (&context);
  return cuda.cuGraphAddMemcpyNode (&call->objects->nodes[cuda_call_get_index (call, 1)], cuda_call_get_graph (call, 2),
                                    nodes, (size_t) n, &params, context);
}

static CUresult
cuda_verb_add_host (CudaCall *call)
{
  CUgraphNode nodes[CUDA_SCRIPT_OBJECTS];
  int n = cuda_call_get_dependencies (call, 3, nodes);
  CUDA_HOST_NODE_PARAMS params = { cuda_host_count, call->objects };

  return cuda.cuGraphAddHostNode (&call->objects->nodes[cuda_call_get_index (call, 1)], cuda_call_get_graph (call, 2),
                                  nodes, (size_t) n, &params);
}

static CUresult
cuda_verb_add_child (CudaCall *call)
{
  CUgraphNode nodes[CUDA_SCRIPT_OBJECTS];
  int n = cuda_call_get_dependencies (call, 4, nodes);

  return cuda.cuGraphAddChildGraphNode (&call->objects->nodes[cuda_call_get_index (call, 1)],
                                        cuda_call_get_graph (call, 2), nodes, (size_t) n,
                                        cuda_call_get_graph (call, 3));
}

static CUresult
cuda_verb_add_record (CudaCall *call)
{
  CUgraphNode nodes[CUDA_SCRIPT_OBJECTS];
  int n = cuda_call_get_dependencies (call, 4, nodes);

  return cuda.cuGraphAddEventRecordNode (&call->objects->nodes[cuda_call_get_index (call, 1)],
                                         cuda_call_get_graph (call, 2), nodes, (size_t) n,
                                         cuda_call_get_event (call, 3));
}

static CUresult
cuda_verb_add_wait (CudaCall *call)
{
  CUgraphNode nodes[CUDA_SCRIPT_OBJECTS];
  int n = cuda_call_get_dependencies (call, 4, nodes);

  return cuda.cuGraphAddEventWaitNode (&call->objects->nodes[cuda_call_get_index (call, 1)],
                                       cuda_call_get_graph (call, 2), nodes, (size_t) n, cuda_call_get_event (call, 3));
}

/* condition C GRAPH INITIAL [assign] */
static CUresult
cuda_verb_condition (CudaCall *call)
{
  CUcontext context;

  cuda.cuCtxGetCurrent (&context);
  return cuda.cuGraphConditionalHandleCreate (&call->objects->conditions[cuda_call_get_index (call, 1)],
                                              cuda_call_get_graph (call, 2), context, cuda_call_get_number (call, 3),
                                              call->n > 4 ? CU_GRAPH_COND_ASSIGN_DEFAULT : 0);
}

/* add-if NODE GRAPH C TYPE SIZE FIRST-BODY DEPENDENCIES...: the bodies become graphs from FIRST-BODY on */
static CUresult
cuda_verb_add_conditional (CudaCall *call)
{
  CUgraphNode nodes[CUDA_SCRIPT_OBJECTS];
  int n = cuda_call_get_dependencies (call, 7, nodes);
  int first = cuda_call_get_index (call, 6);
  CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };

  params.conditional.handle = call->objects->conditions[cuda_call_get_index (call, 3)];
  params.conditional.type = (CUgraphConditionalNodeType) cuda_call_get_number (call, 4);
  params.conditional.size = cuda_call_get_number (call, 5);
  cuda.cuCtxGetCurrent (&params.conditional.ctx);
  CUresult result = cuda.cuGraphAddNode (&call->objects->nodes[cuda_call_get_index (call, 1)],
                                         cuda_call_get_graph (call, 2), nodes, NULL, (size_t) n, &params);
  for (unsigned int i = 0; result == CUDA_SUCCESS && i < params.conditional.size; i++)
    {
      call->objects->graphs[((unsigned int) first + i) % CUDA_SCRIPT_OBJECTS] = params.conditional.phGraph_out[i];
      call->objects->owned[((unsigned int) first + i) % CUDA_SCRIPT_OBJECTS] = 0;
    }
  return result;
}

static CUresult
cuda_verb_edge (CudaCall *call)
{
  CUgraphNode from = cuda_call_get_node (call, 2);
  CUgraphNode to = cuda_call_get_node (call, 3);

  return cuda.cuGraphAddDependencies (cuda_call_get_graph (call, 1), &from, &to, NULL, 1);
}

static CUresult
cuda_verb_remove_edge (CudaCall *call)
{
  CUgraphNode from = cuda_call_get_node (call, 2);
  CUgraphNode to = cuda_call_get_node (call, 3);

  return cuda.cuGraphRemoveDependencies (cuda_call_get_graph (call, 1), &from, &to, NULL, 1);
}

static CUresult
cuda_verb_remove_node (CudaCall *call)
{
  return cuda.cuGraphDestroyNode (cuda_call_get_node (call, 1));
}

/* nodes GRAPH NODES EDGES */
static CUresult
cuda_verb_nodes (CudaCall *call)
{
  size_t n_nodes = 0;
  size_t n_edges = 0;
  CUresult result = cuda.cuGraphGetNodes (cuda_call_get_graph (call, 1), NULL, &n_nodes);

  result = cuda_call_compare (call, result, n_nodes, cuda_call_get_number (call, 2));
  if (result == CUDA_SUCCESS && call->n > 3)
    {
      result = cuda.cuGraphGetEdges (cuda_call_get_graph (call, 1), NULL, NULL, NULL, &n_edges);
      result = cuda_call_compare (call, result, n_edges, cuda_call_get_number (call, 3));
    }
  return result;
}

/* type NODE NUMBER, or of the n-th node of a graph: type-of GRAPH N NUMBER */
static CUresult
cuda_verb_type_of (CudaCall *call)
{
  CUgraphNode nodes[64] = { NULL };
  size_t n = 64;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  CUresult result = cuda.cuGraphGetNodes (cuda_call_get_graph (call, 1), nodes, &n);

  if (result == CUDA_SUCCESS)
    result = cuda.cuGraphNodeGetType (nodes[cuda_call_get_number (call, 2)], &type);
  return cuda_call_compare (call, result, type, cuda_call_get_number (call, 3));
}

/* take NODE GRAPH N: the n-th node of a graph gets a name */
static CUresult
cuda_verb_take (CudaCall *call)
{
  CUgraphNode nodes[64] = { NULL };
  size_t n = 64;
  CUresult result = cuda.cuGraphGetNodes (cuda_call_get_graph (call, 2), nodes, &n);

  call->objects->nodes[cuda_call_get_index (call, 1)] = nodes[cuda_call_get_number (call, 3)];
  return result;
}

/* What was listed is whole, and what lies behind the room for it was left alone. */
static int
cuda_list_is_right (const CUgraphNode *nodes, size_t room, size_t n)
{
  size_t given = n < room ? n : room;

  for (size_t i = 0; i < given; i++)
    if (nodes[i] == NULL || nodes[i] == cuda_list_mark)
      return 0;
  return nodes[room] == cuda_list_mark;
}

/* list nodes|roots|edges GRAPH ROOM N, or before|after NODE ROOM N: with room for so many, so many are listed */
static CUresult
cuda_verb_list (CudaCall *call)
{
  const char *what = cuda_call_get_word (call, 1);
  CUgraphNode nodes[64], others[64];
  CUgraphEdgeData edges[64];
  size_t room = cuda_call_get_number (call, 3), n = room;
  CUresult result;

  for (int i = 0; i < 64; i++)
    nodes[i] = others[i] = cuda_list_mark;
  if (strcmp (what, "nodes") == 0)
    result = cuda.cuGraphGetNodes (cuda_call_get_graph (call, 2), nodes, &n);
  else if (strcmp (what, "roots") == 0)
    result = cuda.cuGraphGetRootNodes (cuda_call_get_graph (call, 2), nodes, &n);
  else if (strcmp (what, "edges") == 0)
    result = cuda.cuGraphGetEdges (cuda_call_get_graph (call, 2), nodes, others, edges, &n);
  else if (strcmp (what, "before") == 0)
    result = cuda.cuGraphNodeGetDependencies (cuda_call_get_node (call, 2), nodes, edges, &n);
  else
    result = cuda.cuGraphNodeGetDependentNodes (cuda_call_get_node (call, 2), nodes, edges, &n);
  if (result == CUDA_SUCCESS
      && (!cuda_list_is_right (nodes, room, n)
          || (strcmp (what, "edges") == 0 && !cuda_list_is_right (others, room, n))))
    return CUDA_VERB_MISMATCH;
  return cuda_call_compare (call, result, n, cuda_call_get_number (call, 4));
}

static CUresult
cuda_verb_clone (CudaCall *call)
{
  int index = cuda_call_get_index (call, 1);
  CUresult result = cuda.cuGraphClone (&call->objects->graphs[index], cuda_call_get_graph (call, 2));

  call->objects->owned[index] = result == CUDA_SUCCESS;
  return result;
}

static CUresult
cuda_verb_find (CudaCall *call)
{
  return cuda.cuGraphNodeFindInClone (&call->objects->nodes[cuda_call_get_index (call, 1)],
                                      cuda_call_get_node (call, 2), cuda_call_get_graph (call, 3));
}

const CudaVerb cuda_graph_verbs[] = {
  { "graph", cuda_verb_graph },
  { "destroy-graph", cuda_verb_destroy_graph },
  { "add-empty", cuda_verb_empty },
  { "add-set", cuda_verb_add_set },
  { "add-copy", cuda_verb_add_copy },
  { "add-host", cuda_verb_add_host },
  { "add-child", cuda_verb_add_child },
  { "add-record", cuda_verb_add_record },
  { "add-wait", cuda_verb_add_wait },
  { "condition", cuda_verb_condition },
  { "add-if", cuda_verb_add_conditional },
  { "edge", cuda_verb_edge },
  { "remove-edge", cuda_verb_remove_edge },
  { "remove-node", cuda_verb_remove_node },
  { "nodes", cuda_verb_nodes },
  { "list", cuda_verb_list },
  { "type-of", cuda_verb_type_of },
  { "take", cuda_verb_take },
  { "clone", cuda_verb_clone },
  { "find", cuda_verb_find },
  { NULL, NULL },
};
