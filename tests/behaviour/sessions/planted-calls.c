/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "planted-calls.h"

#define BYTES 64

static char pageable[BYTES];

static CUresult
plant_alloc (Planted *p)
{
  CUdeviceptr memory = 0;
  CUresult result = (*p->call.cuMemAlloc) (&memory, BYTES);

  return result == CUDA_SUCCESS ? (*p->call.cuMemFree) (memory) : result;
}

static CUresult
plant_free (Planted *p)
{
  CUresult result = (*p->call.cuMemFree) (p->spare);

  return result == CUDA_SUCCESS ? (*p->call.cuMemAlloc) (&p->spare, BYTES) : result;
}

static CUresult
plant_alloc_pinned (Planted *p)
{
  void *memory = NULL;
  CUresult result = (*p->call.cuMemHostAlloc) (&memory, BYTES, 0);

  return result == CUDA_SUCCESS ? (*p->call.cuMemFreeHost) (memory) : result;
}

static CUresult
plant_free_pinned (Planted *p)
{
  CUresult result = (*p->call.cuMemFreeHost) (p->pinned);

  return result == CUDA_SUCCESS ? (*p->call.cuMemHostAlloc) (&p->pinned, BYTES, 0) : result;
}

static CUresult
plant_register (Planted *p)
{
  static char page[8192] __attribute__ ((aligned (4096)));
  CUresult result = (*p->call.cuMemHostRegister) (page, 4096, 0);

  return result == CUDA_SUCCESS ? (*p->call.cuMemHostUnregister) (page) : result;
}

static CUresult
plant_alloc_async_elsewhere (Planted *p)
{
  CUdeviceptr memory = 0;
  CUresult result = (*p->call.cuMemAllocAsync) (&memory, BYTES, p->other);

  return result == CUDA_SUCCESS ? (*p->call.cuMemFreeAsync) (memory, p->other) : result;
}

/* Work that is not over yet is no failure. */
static CUresult
planted_pardon (CUresult result)
{
  return result == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : result;
}

static CUresult
plant_sync_stream (Planted *p)
{
  return (*p->call.cuStreamSynchronize) (p->stream);
}

static CUresult
plant_sync_other_stream (Planted *p)
{
  return (*p->call.cuStreamSynchronize) (p->other);
}

static CUresult
plant_sync_legacy_stream (Planted *p)
{
  return (*p->call.cuStreamSynchronize) (NULL);
}

static CUresult
plant_query_stream (Planted *p)
{
  return planted_pardon ((*p->call.cuStreamQuery) (p->stream));
}

static CUresult
plant_query_other_stream (Planted *p)
{
  return planted_pardon ((*p->call.cuStreamQuery) (p->other));
}

static CUresult
plant_sync_context (Planted *p)
{
  return (*p->call.cuCtxSynchronize) ();
}

static CUresult
plant_sync_event (Planted *p)
{
  return (*p->call.cuEventSynchronize) (p->recorded);
}

static CUresult
plant_query_event (Planted *p)
{
  return planted_pardon ((*p->call.cuEventQuery) (p->recorded));
}

static CUresult
plant_sync_captured_event (Planted *p)
{
  CUresult result = (*p->call.cuEventRecord) (p->event, p->stream);

  return result == CUDA_SUCCESS ? (*p->call.cuEventSynchronize) (p->event) : result;
}

static CUresult
plant_elapsed (Planted *p)
{
  float milliseconds;
  CUresult result = (*p->call.cuEventRecord) (p->event, p->stream);

  return result == CUDA_SUCCESS ? planted_pardon ((*p->call.cuEventElapsedTime) (&milliseconds, p->recorded, p->event))
                                : result;
}

static CUresult
plant_legacy_fill (Planted *p)
{
  return (*p->call.cuMemsetD8Async) (p->memory, 1, BYTES, NULL);
}

static CUresult
plant_fill_elsewhere (Planted *p)
{
  return (*p->call.cuMemsetD32Async) (p->memory, 1, BYTES / 4, p->other);
}

static CUresult
plant_copy_now (Planted *p)
{
  return (*p->call.cuMemcpyDtoD) (p->memory, p->spare, BYTES);
}

static CUresult
plant_upload_now (Planted *p)
{
  return (*p->call.cuMemcpyHtoD) (p->memory, pageable, BYTES);
}

static CUresult
plant_readback_now (Planted *p)
{
  return (*p->call.cuMemcpyDtoH) (pageable, p->memory, BYTES);
}

static CUresult
plant_pageable_upload (Planted *p)
{
  return (*p->call.cuMemcpyHtoDAsync) (p->memory, pageable, BYTES, p->stream);
}

static CUresult
plant_pageable_readback (Planted *p)
{
  return (*p->call.cuMemcpyDtoHAsync) (pageable, p->memory, BYTES, p->stream);
}

/* The same by the calls that do not say which side is the host's. */
static CUresult
plant_pageable_unified (Planted *p)
{
  return (*p->call.cuMemcpyAsync) (p->memory, (CUdeviceptr) (guintptr) pageable, BYTES, p->stream);
}

static CUresult
plant_unified_pageable (Planted *p)
{
  return (*p->call.cuMemcpyAsync) ((CUdeviceptr) (guintptr) pageable, p->memory, BYTES, p->stream);
}

static CUresult
plant_pageable_rows (Planted *p)
{
  const CUDA_MEMCPY2D copy = { .srcMemoryType = CU_MEMORYTYPE_HOST,
                               .srcHost = pageable,
                               .srcPitch = BYTES / 2,
                               .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                               .dstDevice = p->memory,
                               .dstPitch = BYTES / 2,
                               .WidthInBytes = BYTES / 2,
                               .Height = 2 };

  return (*p->call.cuMemcpy2DAsync) (&copy, p->stream);
}

static CUresult
plant_pageable_box (Planted *p)
{
  const CUDA_MEMCPY3D copy = { .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                               .srcDevice = p->memory,
                               .srcPitch = BYTES / 2,
                               .srcHeight = 2,
                               .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                               .dstDevice = (CUdeviceptr) (guintptr) pageable,
                               .dstPitch = BYTES / 2,
                               .dstHeight = 2,
                               .WidthInBytes = BYTES / 2,
                               .Height = 2,
                               .Depth = 1 };

  return (*p->call.cuMemcpy3DAsync) (&copy, p->stream);
}

static CUresult
plant_fill_now (Planted *p)
{
  return (*p->call.cuMemsetD8) (p->memory, 1, BYTES);
}

static CUresult
plant_unified_now (Planted *p)
{
  return (*p->call.cuMemcpy) (p->memory, p->spare, BYTES);
}

static CUresult
plant_legacy_copy (Planted *p)
{
  return (*p->call.cuMemcpyDtoDAsync) (p->memory, p->spare, BYTES, NULL);
}

static void
planted_host_function (void *data)
{
}

static CUresult
plant_host_function_elsewhere (Planted *p)
{
  return (*p->call.cuLaunchHostFunc) (p->other, planted_host_function, NULL);
}

static CUresult
plant_legacy_host_function (Planted *p)
{
  return (*p->call.cuLaunchHostFunc) (NULL, planted_host_function, NULL);
}

static CUresult
plant_nested_capture (Planted *p)
{
  CUgraph graph = NULL;
  CUresult result = (*p->call.cuStreamBeginCapture) (p->stream, CU_STREAM_CAPTURE_MODE_RELAXED);

  if (result == CUDA_SUCCESS)
    result = (*p->call.cuStreamEndCapture) (p->stream, &graph);
  return result == CUDA_SUCCESS ? (*p->call.cuGraphDestroy) (graph) : result;
}

static CUresult
plant_end_of_capture (Planted *p)
{
  CUgraph graph = NULL;

  return p->capturing ? (*p->call.cuStreamEndCapture) (p->stream, &graph) : CUDA_SUCCESS;
}

static CUresult
plant_end_of_stream (Planted *p)
{
  return p->capturing ? (*p->call.cuStreamDestroy) (p->stream) : CUDA_SUCCESS;
}

static CUresult
plant_unload (Planted *p)
{
  return p->capturing ? (*p->call.cuModuleUnload) (NULL) : CUDA_SUCCESS;
}

static CUresult
plant_fork_without_join (Planted *p)
{
  CUresult result = (*p->call.cuEventRecord) (p->event, p->stream);

  if (result == CUDA_SUCCESS)
    result = (*p->call.cuStreamWaitEvent) (p->other, p->event, 0);
  return result == CUDA_SUCCESS ? (*p->call.cuMemsetD8Async) (p->memory, 1, BYTES, p->other) : result;
}

static CUresult
plant_wait_for_outside (Planted *p)
{
  return (*p->call.cuStreamWaitEvent) (p->stream, p->recorded, 0);
}

static CUresult
plant_graph_launch (Planted *p)
{
  return (*p->call.cuGraphLaunch) (p->exec, p->stream);
}

static CUresult
plant_graph_launch_elsewhere (Planted *p)
{
  return (*p->call.cuGraphLaunch) (p->exec, p->other);
}

static CUresult
plant_graph_upload (Planted *p)
{
  return (*p->call.cuGraphUpload) (p->exec, p->stream);
}

static CUresult
plant_instantiate (Planted *p)
{
  CUgraphExec exec = NULL;
  CUresult result = (*p->call.cuGraphInstantiateWithFlags) (&exec, p->graph, 0);

  return result == CUDA_SUCCESS ? (*p->call.cuGraphExecDestroy) (exec) : result;
}

static CUresult
plant_destroy_executable (Planted *p)
{
  CUresult result = (*p->call.cuGraphExecDestroy) (p->exec);

  return result == CUDA_SUCCESS ? (*p->call.cuGraphInstantiateWithFlags) (&p->exec, p->graph, 0) : result;
}

static CUresult
plant_own_failure (Planted *p)
{
  return p->capturing ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

const PlantedCase planted_cases[] = {
  { "alloc", plant_alloc, "cuMemAlloc", FALSE },
  { "free", plant_free, "cuMemFree", FALSE },
  { "alloc-pinned", plant_alloc_pinned, "cuMemHostAlloc", FALSE },
  { "free-pinned", plant_free_pinned, "cuMemFreeHost", FALSE },
  { "register", plant_register, "cuMemHostRegister", FALSE },
  { "alloc-async-elsewhere", plant_alloc_async_elsewhere, "cuMemAllocAsync", FALSE },
  { "sync-stream", plant_sync_stream, "cuStreamSynchronize", FALSE },
  { "sync-other-stream", plant_sync_other_stream, "cuStreamSynchronize", FALSE },
  { "sync-legacy-stream", plant_sync_legacy_stream, "cuStreamSynchronize", FALSE },
  { "query-stream", plant_query_stream, "cuStreamQuery", FALSE },
  { "query-other-stream", plant_query_other_stream, "cuStreamQuery", FALSE },
  { "sync-context", plant_sync_context, "cuCtxSynchronize", FALSE },
  { "sync-event", plant_sync_event, "cuEventSynchronize", FALSE },
  { "query-event", plant_query_event, "cuEventQuery", FALSE },
  { "sync-captured-event", plant_sync_captured_event, "cuEventSynchronize", FALSE },
  { "elapsed", plant_elapsed, "cuEventElapsedTime", TRUE },
  { "legacy-fill", plant_legacy_fill, "cuMemsetD8Async", FALSE },
  { "fill-elsewhere", plant_fill_elsewhere, "cuMemsetD32Async", FALSE },
  { "copy-now", plant_copy_now, "cuMemcpyDtoD", FALSE },
  { "upload-now", plant_upload_now, "cuMemcpyHtoD", FALSE },
  { "readback-now", plant_readback_now, "cuMemcpyDtoH", FALSE },
  { "pageable-upload", plant_pageable_upload, "cuMemcpyHtoDAsync", FALSE },
  { "pageable-readback", plant_pageable_readback, "cuMemcpyDtoHAsync", FALSE },
  { "pageable-unified", plant_pageable_unified, "cuMemcpyAsync", FALSE },
  { "unified-pageable", plant_unified_pageable, "cuMemcpyAsync", FALSE },
  { "pageable-rows", plant_pageable_rows, "cuMemcpy2DAsync", FALSE },
  { "pageable-box", plant_pageable_box, "cuMemcpy3DAsync", FALSE },
  { "fill-now", plant_fill_now, "cuMemsetD8", FALSE },
  { "unified-now", plant_unified_now, "cuMemcpy", FALSE },
  { "legacy-copy", plant_legacy_copy, "cuMemcpyDtoDAsync", FALSE },
  { "legacy-host-function", plant_legacy_host_function, "cuLaunchHostFunc", FALSE },
  { "host-function-elsewhere", plant_host_function_elsewhere, "cuLaunchHostFunc", FALSE },
  { "nested-capture", plant_nested_capture, "cuStreamBeginCapture", TRUE },
  { "end-of-capture", plant_end_of_capture, "cuStreamEndCapture", FALSE },
  { "end-of-stream", plant_end_of_stream, "cuStreamDestroy", FALSE },
  { "unload", plant_unload, "cuModuleUnload", FALSE },
  { "fork-without-join", plant_fork_without_join, "cuStreamWaitEvent", FALSE },
  { "wait-for-outside", plant_wait_for_outside, "cuStreamWaitEvent", FALSE },
  { "graph-launch", plant_graph_launch, "cuGraphLaunch", FALSE },
  { "graph-launch-elsewhere", plant_graph_launch_elsewhere, "cuGraphLaunch", FALSE },
  { "graph-upload", plant_graph_upload, "cuGraphUpload", FALSE },
  { "instantiate", plant_instantiate, "cuGraphInstantiateWithFlags", FALSE },
  { "destroy-executable", plant_destroy_executable, "cuGraphExecDestroy", FALSE },
  { "own-failure", plant_own_failure, NULL, TRUE },
};
const guint n_planted_cases = G_N_ELEMENTS (planted_cases);

#define CHECK(call) g_assert_cmpint ((call), ==, CUDA_SUCCESS)

void
planted_set_up (Planted *p, const LeatDriverTable *table)
{
  CUgraphNode node;

  CHECK ((*table->cuStreamCreate) (&p->other, CU_STREAM_NON_BLOCKING));
  CHECK ((*table->cuEventCreate) (&p->event, CU_EVENT_DEFAULT));
  CHECK ((*table->cuEventCreate) (&p->recorded, CU_EVENT_DEFAULT));
  CHECK ((*table->cuEventRecord) (p->recorded, p->other));
  CHECK ((*table->cuMemAlloc) (&p->memory, BYTES));
  CHECK ((*table->cuMemAlloc) (&p->spare, BYTES));
  CHECK ((*table->cuMemHostAlloc) (&p->pinned, BYTES, 0));
  CHECK ((*table->cuGraphCreate) (&p->graph, 0));
  CHECK ((*table->cuGraphAddEmptyNode) (&node, p->graph, NULL, 0));
  CHECK ((*table->cuGraphInstantiateWithFlags) (&p->exec, p->graph, 0));
  CHECK ((*table->cuCtxSynchronize) ());
}

void
planted_clear (Planted *p, const LeatDriverTable *table)
{
  CHECK ((*table->cuCtxSynchronize) ());
  CHECK ((*table->cuGraphExecDestroy) (p->exec));
  CHECK ((*table->cuGraphDestroy) (p->graph));
  CHECK ((*table->cuMemFreeHost) (p->pinned));
  CHECK ((*table->cuMemFree) (p->spare));
  CHECK ((*table->cuMemFree) (p->memory));
  CHECK ((*table->cuEventDestroy) (p->recorded));
  CHECK ((*table->cuEventDestroy) (p->event));
  CHECK ((*table->cuStreamDestroy) (p->other));
}
