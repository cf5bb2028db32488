/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-call.h"

#include <string.h>

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

/* register P [PAGES] */
static CUresult
cuda_verb_register (CudaCall *call)
{
  return cuda.cuMemHostRegister (call->objects->pageable[cuda_call_get_index (call, 1)],
                                 4096 * (call->n > 2 ? cuda_call_get_number (call, 2) : 1), 0);
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

/* alloc-pool D BYTES STREAM [no]: from the device's pool, or from none */
static CUresult
cuda_verb_alloc_pool (CudaCall *call)
{
  CUmemoryPool pool = NULL;
  CUresult result = cuda.cuDeviceGetDefaultMemPool (&pool, 0);

  if (result != CUDA_SUCCESS)
    return result;
  return cuda.cuMemAllocFromPoolAsync (&call->objects->device[cuda_call_get_index (call, 1)],
                                       cuda_call_get_number (call, 2), call->n > 4 ? NULL : pool,
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

/* context DEVICE ACTIVE [FLAGS] */
static CUresult
cuda_verb_context (CudaCall *call)
{
  unsigned int flags = 12345;
  int active = 12345;
  CUresult result = cuda.cuDevicePrimaryCtxGetState ((CUdevice) cuda_call_get_number (call, 1), &flags, &active);

  result = cuda_call_compare (call, result, (unsigned int) active, cuda_call_get_number (call, 2));
  return call->n > 3 ? cuda_call_compare (call, result, flags, cuda_call_get_number (call, 3)) : result;
}

/* context-flags DEVICE FLAGS */
static CUresult
cuda_verb_context_flags (CudaCall *call)
{
  return cuda.cuDevicePrimaryCtxSetFlags ((CUdevice) cuda_call_get_number (call, 1), cuda_call_get_number (call, 2));
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

const CudaVerb cuda_memory_verbs[] = {
  { "alloc", cuda_verb_alloc },
  { "free", cuda_verb_free },
  { "alloc-host", cuda_verb_alloc_host },
  { "free-host", cuda_verb_free_host },
  { "register", cuda_verb_register },
  { "unregister", cuda_verb_unregister },
  { "alloc-async", cuda_verb_alloc_async },
  { "alloc-pool", cuda_verb_alloc_pool },
  { "free-async", cuda_verb_free_async },
  { "mem-info", cuda_verb_mem_info },
  { "pointer", cuda_verb_pointer },
  { "memory", cuda_verb_memory },
  { "attribute", cuda_verb_attribute },
  { "context", cuda_verb_context },
  { "context-flags", cuda_verb_context_flags },
  { "reset", cuda_verb_reset },
  { NULL, NULL },
};
