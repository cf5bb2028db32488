/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Calls of the driver API for the primary context and for each thread's stack of contexts.  When the context ends, its
 * captures, streams, events, memory and modules end with it. */

#include "leat-cpu-allocation.h"
#include "leat-cpu-array.h"
#include "leat-cpu-capture.h"
#include "leat-cpu-count.h"
#include "leat-cpu-engine.h"
#include "leat-cpu-event.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-fault.h"
#include "leat-cpu-state.h"
#include "leat-cpu-stream.h"

/* The primary context, the only one. */
typedef struct
{
  guint retained;
  guint flags;
  guint64 id; /* another one each time it comes to life */
  gsize limits[CU_LIMIT_SHMEM_SIZE + 1];
} LeatCpuContext;

static LeatCpuContext leat_cpu_context = {
  .limits = {
    [CU_LIMIT_STACK_SIZE] = 0, /* the engine knows */
    [CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20,
    [CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20,
    [CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2,
    [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048,
    [CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64,
    [CU_LIMIT_PERSISTING_L2_CACHE_SIZE] = 0,
    [CU_LIMIT_SHMEM_SIZE] = 0,
  },
};

static CUcontext
leat_cpu_context_get_handle (void)
{
  return (CUcontext) &leat_cpu_context;
}

static CUresult
leat_cpu_context_check_device (CUdevice device)
{
  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult
cuDevicePrimaryCtxRetain (CUcontext *context, CUdevice device)
{
  CUresult result = leat_cpu_context_check_device (device);

  if (result != CUDA_SUCCESS)
    return result;
  if (context == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  if (leat_cpu_context.retained++ == 0)
    leat_cpu_context.id++;
  leat_cpu_release ();
  *context = leat_cpu_context_get_handle ();
  return CUDA_SUCCESS;
}

gboolean
leat_cpu_context_is_alive (void)
{
  leat_cpu_acquire ();
  gboolean alive = leat_cpu_context.retained > 0;
  leat_cpu_release ();
  return alive;
}

/* How long loops of graphs may go on when their context ends: they may be about to end, and nobody can tell. */
#define LEAT_CPU_CONTEXT_GRACE_NS G_GINT64_CONSTANT (1000000000)

/* With the lock.  Everything that lives in the context goes: work is waited for, hanging work fails first. */
static void
leat_cpu_context_end (void)
{
  leat_cpu_capture_abandon_all ();
  leat_cpu_fault_set_hangs_end (TRUE);
  leat_cpu_set_end_of_loops (leat_cpu_now_ns () + LEAT_CPU_CONTEXT_GRACE_NS);
  while (!leat_cpu_stream_are_all_idle ())
    {
      leat_cpu_stream_wait_all ();
      if (leat_cpu_stream_are_all_idle ())
        break;
      leat_cpu_release ();
      g_usleep (100);
      leat_cpu_acquire ();
    }
  leat_cpu_fault_set_hangs_end (FALSE);
  leat_cpu_set_end_of_loops (0);
  leat_cpu_stream_destroy_all ();
  leat_cpu_event_destroy_all ();
  leat_cpu_texture_free_all ();
  leat_cpu_array_free_all ();
  leat_cpu_allocation_free_all ();
  leat_cpu_module_unload_rest ();
  leat_cpu_clear_failure ();
}

CUresult
cuDevicePrimaryCtxRelease_v2 (CUdevice device)
{
  CUresult result = leat_cpu_context_check_device (device);

  if (result != CUDA_SUCCESS)
    return result;
  leat_cpu_acquire ();
  if (leat_cpu_context.retained == 0)
    result = CUDA_ERROR_INVALID_CONTEXT;
  else if (--leat_cpu_context.retained == 0)
    leat_cpu_context_end ();
  leat_cpu_release ();
  return result;
}

CUresult
cuDevicePrimaryCtxReset_v2 (CUdevice device)
{
  CUresult result = leat_cpu_context_check_device (device);

  if (result != CUDA_SUCCESS)
    return result;
  leat_cpu_acquire ();
  leat_cpu_context_end ();
  leat_cpu_release ();
  return CUDA_SUCCESS;
}

CUresult
cuDevicePrimaryCtxGetState (CUdevice device, unsigned int *flags, int *active)
{
  CUresult result = leat_cpu_context_check_device (device);

  if (result != CUDA_SUCCESS)
    return result;
  if (flags == NULL || active == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  *flags = leat_cpu_context.flags;
  *active = leat_cpu_context.retained > 0;
  leat_cpu_release ();
  return CUDA_SUCCESS;
}

CUresult
cuDevicePrimaryCtxSetFlags_v2 (CUdevice device, unsigned int flags)
{
  CUresult result = leat_cpu_context_check_device (device);

  if (result != CUDA_SUCCESS)
    return result;
  if ((flags & ~(guint) CU_CTX_FLAGS_MASK) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  leat_cpu_context.flags = flags;
  leat_cpu_release ();
  return CUDA_SUCCESS;
}

CUresult
cuCtxGetCurrent (CUcontext *context)
{
  LeatCpuThread *thread = leat_cpu_thread_get ();

  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  if (context == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  *context = thread->depth > 0 ? thread->contexts[thread->depth - 1] : NULL;
  return CUDA_SUCCESS;
}

CUresult
cuCtxSetCurrent (CUcontext context)
{
  LeatCpuThread *thread = leat_cpu_thread_get ();

  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  if (context != NULL && context != leat_cpu_context_get_handle ())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context == NULL)
    thread->depth -= thread->depth > 0 ? 1 : 0;
  else
    {
      thread->depth = MAX (thread->depth, 1);
      thread->contexts[thread->depth - 1] = context;
    }
  return CUDA_SUCCESS;
}

CUresult
cuCtxPushCurrent_v2 (CUcontext context)
{
  LeatCpuThread *thread = leat_cpu_thread_get ();

  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  if (context != leat_cpu_context_get_handle ())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (thread->depth == LEAT_CPU_MAX_CONTEXT_STACK)
    return CUDA_ERROR_OUT_OF_MEMORY;
  thread->contexts[thread->depth++] = context;
  return CUDA_SUCCESS;
}

CUresult
cuCtxPopCurrent_v2 (CUcontext *context)
{
  LeatCpuThread *thread = leat_cpu_thread_get ();

  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  if (thread->depth == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  thread->depth--;
  if (context != NULL)
    *context = thread->contexts[thread->depth];
  return CUDA_SUCCESS;
}

CUresult
cuCtxGetDevice (CUdevice *device)
{
  LEAT_CPU_ENTER ();
  if (device == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult
cuCtxSynchronize (void)
{
  LEAT_CPU_ENTER ();
  leat_cpu_count (host_waits);
  leat_cpu_acquire ();
  CUresult result = leat_cpu_capture_check_context ();
  if (result == CUDA_SUCCESS)
    result = leat_cpu_stream_wait_all ();
  leat_cpu_release ();
  return result;
}

CUresult
cuCtxGetFlags (unsigned int *flags)
{
  LEAT_CPU_ENTER ();
  if (flags == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  *flags = leat_cpu_context.flags;
  leat_cpu_release ();
  return CUDA_SUCCESS;
}

CUresult
cuCtxGetId (CUcontext context, unsigned long long *id)
{
  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  if (id == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  if (context != NULL && context != leat_cpu_context_get_handle ())
    return CUDA_ERROR_INVALID_CONTEXT;
  leat_cpu_acquire ();
  *id = leat_cpu_context.id;
  leat_cpu_release ();
  return CUDA_SUCCESS;
}

CUresult
cuCtxGetApiVersion (CUcontext context, unsigned int *version)
{
  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  if (version == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  if (context != NULL && context != leat_cpu_context_get_handle ())
    return CUDA_ERROR_INVALID_CONTEXT;
  *version = 3020;
  return CUDA_SUCCESS;
}

CUresult
cuCtxGetLimit (size_t *value, CUlimit limit)
{
  LEAT_CPU_ENTER ();
  if (value == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  if ((guint) limit >= G_N_ELEMENTS (leat_cpu_context.limits))
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  leat_cpu_acquire ();
  *value = limit == CU_LIMIT_STACK_SIZE ? leat_cpu_engine_get_stack_size () : leat_cpu_context.limits[limit];
  leat_cpu_release ();
  return CUDA_SUCCESS;
}

CUresult
cuCtxSetLimit (CUlimit limit, size_t value)
{
  LEAT_CPU_ENTER ();
  if ((guint) limit >= G_N_ELEMENTS (leat_cpu_context.limits))
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  leat_cpu_acquire ();
  if (limit == CU_LIMIT_STACK_SIZE)
    leat_cpu_engine_set_stack_size (value);
  else
    leat_cpu_context.limits[limit] = value;
  leat_cpu_release ();
  return CUDA_SUCCESS;
}
