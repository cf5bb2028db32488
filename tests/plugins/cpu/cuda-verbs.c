/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  CudaObjects *objects;
  char **words;
  int n;
} CudaCall;

typedef CUresult (*CudaVerbFunc) (CudaCall *call);

static const char *
cuda_call_get_word (CudaCall *call, int i)
{
  return i < call->n ? call->words[i] : "";
}

static int
cuda_call_get_index (CudaCall *call, int i)
{
  const char *word = cuda_call_get_word (call, i);

  return word[0] != '\0' ? abs (atoi (word + 1)) % CUDA_SCRIPT_OBJECTS : 0;
}

static unsigned int
cuda_call_get_number (CudaCall *call, int i)
{
  return (unsigned int) strtoul (cuda_call_get_word (call, i), NULL, 0);
}

static CUstream
cuda_call_get_stream (CudaCall *call, int i)
{
  const char *word = cuda_call_get_word (call, i);

  if (strcmp (word, "legacy") == 0)
    return CU_STREAM_LEGACY;
  if (strcmp (word, "null") == 0)
    return NULL;
  if (strcmp (word, "thread") == 0)
    return CU_STREAM_PER_THREAD;
  return call->objects->streams[cuda_call_get_index (call, i)];
}

static CUevent
cuda_call_get_event (CudaCall *call, int i)
{
  return call->objects->events[cuda_call_get_index (call, i)];
}

static CUgraph
cuda_call_get_graph (CudaCall *call, int i)
{
  return call->objects->graphs[cuda_call_get_index (call, i)];
}

static CUgraphExec
cuda_call_get_exec (CudaCall *call, int i)
{
  return call->objects->execs[cuda_call_get_index (call, i)];
}

static CUgraphNode
cuda_call_get_node (CudaCall *call, int i)
{
  return call->objects->nodes[cuda_call_get_index (call, i)];
}

/* Any kind of memory: unified addressing. */
static CUdeviceptr
cuda_call_get_memory (CudaCall *call, int i)
{
  int index = cuda_call_get_index (call, i);

  switch (cuda_call_get_word (call, i)[0])
    {
    case 'h':
      return (CUdeviceptr) (uintptr_t) call->objects->pinned[index];
    case 'p':
      return (CUdeviceptr) (uintptr_t) call->objects->pageable[index];
    default:
      return call->objects->device[index];
    }
}

static CUstreamCaptureMode
cuda_call_get_mode (CudaCall *call, int i)
{
  const char *word = cuda_call_get_word (call, i);

  return strcmp (word, "relaxed") == 0 ? CU_STREAM_CAPTURE_MODE_RELAXED
         : strcmp (word, "local") == 0 ? CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
                                       : CU_STREAM_CAPTURE_MODE_GLOBAL;
}

static int
cuda_call_get_dependencies (CudaCall *call, int first, CUgraphNode *nodes)
{
  int n = 0;

  for (int i = first; i < call->n; i++)
    nodes[n++] = cuda_call_get_node (call, i);
  return n;
}

static CUresult
cuda_call_compare (CudaCall *call, CUresult result, unsigned long long found, unsigned long long wanted)
{
  if (result != CUDA_SUCCESS || found == wanted)
    return result;
  snprintf (call->objects->detail, sizeof call->objects->detail, "found %llu", found);
  return CUDA_VERB_MISMATCH;
}

/* Streams and events */

static CUresult
cuda_verb_stream (CudaCall *call)
{
  return cuda.cuStreamCreate (&call->objects->streams[cuda_call_get_index (call, 1)],
                              call->n > 2 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT);
}

static CUresult
cuda_verb_destroy_stream (CudaCall *call)
{
  CUresult result = cuda.cuStreamDestroy (cuda_call_get_stream (call, 1));

  call->objects->streams[cuda_call_get_index (call, 1)] = NULL;
  return result;
}

static CUresult
cuda_verb_event (CudaCall *call)
{
  return cuda.cuEventCreate (&call->objects->events[cuda_call_get_index (call, 1)],
                             call->n > 2 ? CU_EVENT_DISABLE_TIMING : CU_EVENT_DEFAULT);
}

static CUresult
cuda_verb_destroy_event (CudaCall *call)
{
  CUresult result = cuda.cuEventDestroy (cuda_call_get_event (call, 1));

  call->objects->events[cuda_call_get_index (call, 1)] = NULL;
  return result;
}

static CUresult
cuda_verb_record (CudaCall *call)
{
  return call->n > 3 ? cuda.cuEventRecordWithFlags (cuda_call_get_event (call, 1), cuda_call_get_stream (call, 2),
                                                    CU_EVENT_RECORD_EXTERNAL)
                     : cuda.cuEventRecord (cuda_call_get_event (call, 1), cuda_call_get_stream (call, 2));
}

static CUresult
cuda_verb_wait (CudaCall *call)
{
  return cuda.cuStreamWaitEvent (cuda_call_get_stream (call, 1), cuda_call_get_event (call, 2),
                                 call->n > 3 ? CU_EVENT_WAIT_EXTERNAL : CU_EVENT_WAIT_DEFAULT);
}

static CUresult
cuda_verb_sync (CudaCall *call)
{
  return cuda.cuStreamSynchronize (cuda_call_get_stream (call, 1));
}

static CUresult
cuda_verb_query (CudaCall *call)
{
  return cuda.cuStreamQuery (cuda_call_get_stream (call, 1));
}

static CUresult
cuda_verb_sync_event (CudaCall *call)
{
  return cuda.cuEventSynchronize (cuda_call_get_event (call, 1));
}

static CUresult
cuda_verb_query_event (CudaCall *call)
{
  return cuda.cuEventQuery (cuda_call_get_event (call, 1));
}

static CUresult
cuda_verb_elapsed (CudaCall *call)
{
  float milliseconds = -1;
  CUresult result =
    cuda.cuEventElapsedTime (&milliseconds, cuda_call_get_event (call, 1), cuda_call_get_event (call, 2));

  return result == CUDA_SUCCESS && milliseconds < 0 ? CUDA_VERB_MISMATCH : result;
}

static CUresult
cuda_verb_sync_context (CudaCall *call)
{
  return cuda.cuCtxSynchronize ();
}

/* Memory */

static CUresult
cuda_verb_alloc (CudaCall *call)
{
  return cuda.cuMemAlloc (&call->objects->device[cuda_call_get_index (call, 1)], cuda_call_get_number (call, 2));
}

static CUresult
cuda_verb_free (CudaCall *call)
{
  CUresult result = cuda.cuMemFree (cuda_call_get_memory (call, 1));

  if (result == CUDA_SUCCESS)
    call->objects->device[cuda_call_get_index (call, 1)] = 0;
  return result;
}

static CUresult
cuda_verb_alloc_host (CudaCall *call)
{
  return cuda.cuMemHostAlloc ((void **) &call->objects->pinned[cuda_call_get_index (call, 1)],
                              cuda_call_get_number (call, 2), 0);
}

static CUresult
cuda_verb_free_host (CudaCall *call)
{
  CUresult result = cuda.cuMemFreeHost (call->objects->pinned[cuda_call_get_index (call, 1)]);

  if (result == CUDA_SUCCESS)
    call->objects->pinned[cuda_call_get_index (call, 1)] = NULL;
  return result;
}

static CUresult
cuda_verb_register (CudaCall *call)
{
  return cuda.cuMemHostRegister (call->objects->pageable[cuda_call_get_index (call, 1)], 4096, 0);
}

static CUresult
cuda_verb_unregister (CudaCall *call)
{
  return cuda.cuMemHostUnregister (call->objects->pageable[cuda_call_get_index (call, 1)]);
}

static CUresult
cuda_verb_alloc_async (CudaCall *call)
{
  return cuda.cuMemAllocAsync (&call->objects->device[cuda_call_get_index (call, 1)], cuda_call_get_number (call, 2),
                               cuda_call_get_stream (call, 3));
}

static CUresult
cuda_verb_free_async (CudaCall *call)
{
  CUresult result = cuda.cuMemFreeAsync (cuda_call_get_memory (call, 1), cuda_call_get_stream (call, 2));

  if (result == CUDA_SUCCESS)
    call->objects->device[cuda_call_get_index (call, 1)] = 0;
  return result;
}

static CUresult
cuda_verb_mem_info (CudaCall *call)
{
  size_t unused, total;

  return cuda.cuMemGetInfo (&unused, &total);
}

static CUresult
cuda_verb_pointer (CudaCall *call)
{
  unsigned int type = 0;
  CUresult result =
    cuda.cuPointerGetAttribute (&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, cuda_call_get_memory (call, 1));

  return cuda_call_compare (call, result, type, cuda_call_get_number (call, 2));
}

/* memory TOTAL UNUSED */
static CUresult
cuda_verb_memory (CudaCall *call)
{
  size_t unused = 0, total = 0;
  CUresult result = cuda.cuMemGetInfo (&unused, &total);

  result = cuda_call_compare (call, result, total, cuda_call_get_number (call, 1));
  return cuda_call_compare (call, result, unused, cuda_call_get_number (call, 2));
}

/* attribute NUMBER VALUE */
static CUresult
cuda_verb_attribute (CudaCall *call)
{
  int value = 0;
  CUresult result = cuda.cuDeviceGetAttribute (&value, (CUdevice_attribute) cuda_call_get_number (call, 1), 0);

  if (cuda_call_get_word (call, 2)[0] == '?')
    return result;
  return cuda_call_compare (call, result, (unsigned long long) value, cuda_call_get_number (call, 2));
}

/* The primary context begins anew, and all that the script had in it is gone. */
static CUresult
cuda_verb_reset (CudaCall *call)
{
  CUresult result = cuda.cuDevicePrimaryCtxReset (0);

  memset (call->objects->streams, 0, sizeof call->objects->streams);
  memset (call->objects->events, 0, sizeof call->objects->events);
  memset (call->objects->device, 0, sizeof call->objects->device);
  memset (call->objects->pinned, 0, sizeof call->objects->pinned);
  return result;
}

/* Work in streams */

static CUresult
cuda_verb_set (CudaCall *call)
{
  return cuda.cuMemsetD32Async (cuda_call_get_memory (call, 2), cuda_call_get_number (call, 3), 4,
                                cuda_call_get_stream (call, 1));
}

static CUresult
cuda_verb_set_sync (CudaCall *call)
{
  return cuda.cuMemsetD32 (cuda_call_get_memory (call, 1), cuda_call_get_number (call, 2), 4);
}

static CUresult
cuda_verb_copy (CudaCall *call)
{
  return cuda.cuMemcpyAsync (cuda_call_get_memory (call, 2), cuda_call_get_memory (call, 3),
                             call->n > 4 ? cuda_call_get_number (call, 4) : 16, cuda_call_get_stream (call, 1));
}

static CUresult
cuda_verb_copy_sync (CudaCall *call)
{
  return cuda.cuMemcpy (cuda_call_get_memory (call, 1), cuda_call_get_memory (call, 2),
                        call->n > 3 ? cuda_call_get_number (call, 3) : 16);
}

static CUresult
cuda_verb_to_device (CudaCall *call)
{
  return cuda.cuMemcpyHtoD (cuda_call_get_memory (call, 1), (void *) (uintptr_t) cuda_call_get_memory (call, 2),
                            call->n > 3 ? cuda_call_get_number (call, 3) : 16);
}

static CUresult
cuda_verb_to_host (CudaCall *call)
{
  return cuda.cuMemcpyDtoH ((void *) (uintptr_t) cuda_call_get_memory (call, 1), cuda_call_get_memory (call, 2),
                            call->n > 3 ? cuda_call_get_number (call, 3) : 16);
}

static void
cuda_host_count (void *data)
{
  __atomic_fetch_add (&((CudaObjects *) data)->host_calls, 1, __ATOMIC_SEQ_CST);
}

static void
cuda_host_block (void *data)
{
  while (__atomic_load_n (&((CudaObjects *) data)->gate, __ATOMIC_SEQ_CST) == 0)
    usleep (100);
}

static void
cuda_host_call_driver (void *data)
{
  CUdeviceptr memory = 0;

  ((CudaObjects *) data)->host_result = cuda.cuMemAlloc (&memory, 16);
}

static CUresult
cuda_verb_host (CudaCall *call)
{
  return cuda.cuLaunchHostFunc (cuda_call_get_stream (call, 1), cuda_host_count, call->objects);
}

static CUresult
cuda_verb_block (CudaCall *call)
{
  __atomic_store_n (&call->objects->gate, 0, __ATOMIC_SEQ_CST);
  return cuda.cuLaunchHostFunc (cuda_call_get_stream (call, 1), cuda_host_block, call->objects);
}

static CUresult
cuda_verb_open (CudaCall *call)
{
  __atomic_store_n (&call->objects->gate, 1, __ATOMIC_SEQ_CST);
  return CUDA_SUCCESS;
}

/* What a driver call inside a host function returns. */
static CUresult
cuda_verb_host_driver (CudaCall *call)
{
  CUresult result = cuda.cuLaunchHostFunc (cuda_call_get_stream (call, 1), cuda_host_call_driver, call->objects);

  if (result == CUDA_SUCCESS)
    result = cuda.cuStreamSynchronize (cuda_call_get_stream (call, 1));
  return result == CUDA_SUCCESS ? call->objects->host_result : result;
}

/* The first word of memory, or how often host functions ran. */
static CUresult
cuda_verb_check (CudaCall *call)
{
  unsigned int value = 0;
  CUresult result = CUDA_SUCCESS;

  switch (cuda_call_get_word (call, 1)[0])
    {
    case 'c':
      value = (unsigned int) __atomic_load_n (&call->objects->host_calls, __ATOMIC_SEQ_CST);
      break;
    case 'd':
      result = cuda.cuMemcpyDtoH (&value, cuda_call_get_memory (call, 1), sizeof value);
      break;
    default:
      value = *(unsigned int *) (uintptr_t) cuda_call_get_memory (call, 1);
      break;
    }
  return cuda_call_compare (call, result, value, cuda_call_get_number (call, 2));
}

static CUresult
cuda_verb_poke (CudaCall *call)
{
  unsigned int *memory = (unsigned int *) (uintptr_t) cuda_call_get_memory (call, 1);

  for (int i = 0; i < 4; i++)
    memory[i] = cuda_call_get_number (call, 2);
  return CUDA_SUCCESS;
}

/* Capture */

static CUresult
cuda_verb_begin (CudaCall *call)
{
  return cuda.cuStreamBeginCapture (cuda_call_get_stream (call, 1), cuda_call_get_mode (call, 2));
}

static CUresult
cuda_verb_begin_to (CudaCall *call)
{
  CUgraphNode nodes[CUDA_SCRIPT_OBJECTS];
  int n = cuda_call_get_dependencies (call, 4, nodes);

  return cuda.cuStreamBeginCaptureToGraph (cuda_call_get_stream (call, 1), cuda_call_get_graph (call, 2), nodes, NULL,
                                           (size_t) n, cuda_call_get_mode (call, 3));
}

static CUresult
cuda_verb_end (CudaCall *call)
{
  int index = cuda_call_get_index (call, 2);
  CUgraph graph = NULL;
  CUresult result = cuda.cuStreamEndCapture (cuda_call_get_stream (call, 1), &graph);

  if (result == CUDA_SUCCESS && graph != call->objects->graphs[index])
    {
      call->objects->graphs[index] = graph;
      call->objects->owned[index] = 1;
    }
  return result;
}

static CUresult
cuda_verb_status (CudaCall *call)
{
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult result = cuda.cuStreamIsCapturing (cuda_call_get_stream (call, 1), &status);

  return cuda_call_compare (call, result, status, cuda_call_get_number (call, 2));
}

/* info STREAM STATUS DEPENDENCIES */
static CUresult
cuda_verb_info (CudaCall *call)
{
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  uint64_t id = 0;
  CUgraph graph = NULL;
  const CUgraphNode *nodes = NULL;
  size_t n = 0;
  const CUgraphEdgeData *edges = NULL;
  CUresult result =
    cuda.cuStreamGetCaptureInfo (cuda_call_get_stream (call, 1), &status, &id, &graph, &nodes, &edges, &n);

  result = cuda_call_compare (call, result, status, cuda_call_get_number (call, 2));
  return call->n > 3 ? cuda_call_compare (call, result, n, cuda_call_get_number (call, 3)) : result;
}

static CUresult
cuda_verb_depend (CudaCall *call)
{
  CUgraphNode nodes[CUDA_SCRIPT_OBJECTS];
  int n = cuda_call_get_dependencies (call, 3, nodes);

  return cuda.cuStreamUpdateCaptureDependencies (cuda_call_get_stream (call, 1), nodes, NULL, (size_t) n,
                                                 cuda_call_get_number (call, 2));
}

static CUresult
cuda_verb_mode (CudaCall *call)
{
  CUstreamCaptureMode mode = cuda_call_get_mode (call, 1);

  return cuda.cuThreadExchangeStreamCaptureMode (&mode);
}

/* Graphs */

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

static CUDA_MEMCPY3D
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

static CUresult
cuda_verb_instantiate (CudaCall *call)
{
  return cuda.cuGraphInstantiateWithFlags (&call->objects->execs[cuda_call_get_index (call, 1)],
                                           cuda_call_get_graph (call, 2),
                                           call->n > 3 ? cuda_call_get_number (call, 3) : 0);
}

static CUresult
cuda_verb_launch (CudaCall *call)
{
  return cuda.cuGraphLaunch (cuda_call_get_exec (call, 1), cuda_call_get_stream (call, 2));
}

static CUresult
cuda_verb_upload (CudaCall *call)
{
  return cuda.cuGraphUpload (cuda_call_get_exec (call, 1), cuda_call_get_stream (call, 2));
}

static CUresult
cuda_verb_destroy_exec (CudaCall *call)
{
  CUresult result = cuda.cuGraphExecDestroy (cuda_call_get_exec (call, 1));

  if (result == CUDA_SUCCESS)
    call->objects->execs[cuda_call_get_index (call, 1)] = NULL;
  return result;
}

/* update EXEC GRAPH REASON */
static CUresult
cuda_verb_update (CudaCall *call)
{
  CUgraphExecUpdateResultInfo info = { .result = CU_GRAPH_EXEC_UPDATE_SUCCESS };
  CUresult result = cuda.cuGraphExecUpdate (cuda_call_get_exec (call, 1), cuda_call_get_graph (call, 2), &info);

  if (call->n > 3 && info.result != (CUgraphExecUpdateResult) cuda_call_get_number (call, 3))
    return cuda_call_compare (call, CUDA_SUCCESS, info.result, cuda_call_get_number (call, 3));
  return result;
}

static CUresult
cuda_verb_change_set (CudaCall *call)
{
  CUDA_MEMSET_NODE_PARAMS params = { .dst = cuda_call_get_memory (call, 3),
                                     .value = cuda_call_get_number (call, 4),
                                     .elementSize = 4,
                                     .width = call->n > 5 ? cuda_call_get_number (call, 5) : 4,
                                     .height = 1 };
  CUcontext context;

  cuda.cuCtxGetCurrent (&context);
  return cuda.cuGraphExecMemsetNodeSetParams (cuda_call_get_exec (call, 1), cuda_call_get_node (call, 2), &params,
                                              context);
}

static CUresult
cuda_verb_change_copy (CudaCall *call)
{
  CUDA_MEMCPY3D params = cuda_call_describe_copy (call, 3, 4);
  CUcontext context;

  cuda.cuCtxGetCurrent (&context);
  return cuda.cuGraphExecMemcpyNodeSetParams (cuda_call_get_exec (call, 1), cuda_call_get_node (call, 2), &params,
                                              context);
}

static CUresult
cuda_verb_enable (CudaCall *call)
{
  return cuda.cuGraphNodeSetEnabled (cuda_call_get_exec (call, 1), cuda_call_get_node (call, 2),
                                     cuda_call_get_number (call, 3));
}

static CUresult
cuda_verb_enabled (CudaCall *call)
{
  unsigned int enabled = 9;
  CUresult result = cuda.cuGraphNodeGetEnabled (cuda_call_get_exec (call, 1), cuda_call_get_node (call, 2), &enabled);

  return cuda_call_compare (call, result, enabled, cuda_call_get_number (call, 3));
}

static const struct
{
  const char *name;
  CudaVerbFunc func;
} cuda_verbs[] = {
  { "stream", cuda_verb_stream },
  { "destroy-stream", cuda_verb_destroy_stream },
  { "event", cuda_verb_event },
  { "destroy-event", cuda_verb_destroy_event },
  { "record", cuda_verb_record },
  { "wait", cuda_verb_wait },
  { "sync", cuda_verb_sync },
  { "query", cuda_verb_query },
  { "sync-event", cuda_verb_sync_event },
  { "query-event", cuda_verb_query_event },
  { "elapsed", cuda_verb_elapsed },
  { "sync-context", cuda_verb_sync_context },
  { "alloc", cuda_verb_alloc },
  { "free", cuda_verb_free },
  { "alloc-host", cuda_verb_alloc_host },
  { "free-host", cuda_verb_free_host },
  { "register", cuda_verb_register },
  { "unregister", cuda_verb_unregister },
  { "alloc-async", cuda_verb_alloc_async },
  { "free-async", cuda_verb_free_async },
  { "mem-info", cuda_verb_mem_info },
  { "pointer", cuda_verb_pointer },
  { "memory", cuda_verb_memory },
  { "attribute", cuda_verb_attribute },
  { "reset", cuda_verb_reset },
  { "set", cuda_verb_set },
  { "set-sync", cuda_verb_set_sync },
  { "copy", cuda_verb_copy },
  { "copy-sync", cuda_verb_copy_sync },
  { "to-device", cuda_verb_to_device },
  { "to-host", cuda_verb_to_host },
  { "host", cuda_verb_host },
  { "block", cuda_verb_block },
  { "open", cuda_verb_open },
  { "host-driver", cuda_verb_host_driver },
  { "check", cuda_verb_check },
  { "poke", cuda_verb_poke },
  { "begin", cuda_verb_begin },
  { "begin-to", cuda_verb_begin_to },
  { "end", cuda_verb_end },
  { "status", cuda_verb_status },
  { "info", cuda_verb_info },
  { "depend", cuda_verb_depend },
  { "mode", cuda_verb_mode },
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
  { "type-of", cuda_verb_type_of },
  { "take", cuda_verb_take },
  { "clone", cuda_verb_clone },
  { "find", cuda_verb_find },
  { "instantiate", cuda_verb_instantiate },
  { "launch", cuda_verb_launch },
  { "upload", cuda_verb_upload },
  { "destroy-exec", cuda_verb_destroy_exec },
  { "update", cuda_verb_update },
  { "change-set", cuda_verb_change_set },
  { "change-copy", cuda_verb_change_copy },
  { "enable", cuda_verb_enable },
  { "enabled", cuda_verb_enabled },
};

CUresult
cuda_verb_run (CudaObjects *objects, char **words, int n_words)
{
  CudaCall call = { objects, words, n_words };

  objects->detail[0] = '\0';
  for (unsigned int i = 0; i < sizeof cuda_verbs / sizeof cuda_verbs[0]; i++)
    if (strcmp (words[0], cuda_verbs[i].name) == 0)
      return cuda_verbs[i].func (&call);
  snprintf (objects->detail, sizeof objects->detail, "no verb \"%s\"", words[0]);
  return CUDA_VERB_MISMATCH;
}

CudaObjects *
cuda_objects_new (void)
{
  return calloc (1, sizeof (CudaObjects));
}

/* In an order that frees even what a failed script left half done. */
void
cuda_objects_free (CudaObjects *objects)
{
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  CUgraph graph;

  cuda.cuThreadExchangeStreamCaptureMode (&mode);
  __atomic_store_n (&objects->gate, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < CUDA_SCRIPT_OBJECTS; i++)
    {
      CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

      if (objects->streams[i] != NULL && cuda.cuStreamIsCapturing (objects->streams[i], &status) == CUDA_SUCCESS
          && status != CU_STREAM_CAPTURE_STATUS_NONE)
        cuda.cuStreamEndCapture (objects->streams[i], &graph);
    }
  cuda.cuCtxSynchronize ();
  for (int i = 0; i < CUDA_SCRIPT_OBJECTS; i++)
    {
      if (objects->execs[i] != NULL)
        cuda.cuGraphExecDestroy (objects->execs[i]);
      if (objects->owned[i])
        cuda.cuGraphDestroy (objects->graphs[i]);
      if (objects->streams[i] != NULL)
        cuda.cuStreamDestroy (objects->streams[i]);
      if (objects->events[i] != NULL)
        cuda.cuEventDestroy (objects->events[i]);
      if (objects->device[i] != 0)
        cuda.cuMemFree (objects->device[i]);
      if (objects->pinned[i] != NULL)
        cuda.cuMemFreeHost (objects->pinned[i]);
    }
  mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  cuda.cuThreadExchangeStreamCaptureMode (&mode);
  free (objects);
}
