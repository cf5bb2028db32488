/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Calls of the driver API that make, destroy, await and describe streams.  The queues themselves are in
 * leat-cpu-stream.c. */

#include "leat-cpu-capture.h"
#include "leat-cpu-count.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-fault.h"
#include "leat-cpu-stream.h"

/* Priorities are accepted and remembered; threads of the host are scheduled by the system. */
#define LEAT_CPU_PRIORITY_LEAST    0
#define LEAT_CPU_PRIORITY_GREATEST (-5)

CUresult
cuCtxGetStreamPriorityRange (int *least, int *greatest)
{
  LEAT_CPU_ENTER ();
  if (least != NULL)
    *least = LEAT_CPU_PRIORITY_LEAST;
  if (greatest != NULL)
    *greatest = LEAT_CPU_PRIORITY_GREATEST;
  return CUDA_SUCCESS;
}

CUresult
cuStreamCreateWithPriority (CUstream *stream, unsigned int flags, int priority)
{
  CUresult fault;

  LEAT_CPU_ENTER ();
  if (stream == NULL || (flags & ~(guint) CU_STREAM_NON_BLOCKING) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  fault = leat_cpu_fault_visit (LEAT_CPU_FAULT_STREAM);
  if (fault != CUDA_SUCCESS)
    return fault;
  leat_cpu_acquire ();
  *stream = leat_cpu_stream_get_handle (
    leat_cpu_stream_new (flags, CLAMP (priority, LEAT_CPU_PRIORITY_GREATEST, LEAT_CPU_PRIORITY_LEAST)));
  leat_cpu_release ();
  leat_cpu_count (streams_created);
  return CUDA_SUCCESS;
}

CUresult
cuStreamCreate (CUstream *stream, unsigned int flags)
{
  return cuStreamCreateWithPriority (stream, flags, 0);
}

CUresult
cuStreamDestroy_v2 (CUstream handle)
{
  CUresult result = CUDA_SUCCESS;

  LEAT_CPU_ENTER_STREAM (handle);
  leat_cpu_acquire ();
  LeatCpuStream *stream = leat_cpu_stream_from_handle (handle);
  if (stream == NULL || stream->is_default)
    result = CUDA_ERROR_INVALID_HANDLE;
  else
    {
      if (stream->capture != NULL)
        leat_cpu_capture_forget_stream (stream);
      leat_cpu_stream_destroy (stream);
      leat_cpu_count (streams_destroyed);
    }
  leat_cpu_release ();
  return result;
}

/* Waiting and asking are forbidden while the stream captures, and for the legacy stream while others do. */
static CUresult
leat_cpu_stream_check_wait (CUstream handle, LeatCpuStream **stream)
{
  *stream = leat_cpu_stream_from_handle (handle);
  if (*stream == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if ((*stream)->capture != NULL)
    return leat_cpu_capture_refuse_stream (*stream);
  CUresult result = leat_cpu_capture_check_implicit (*stream);
  return result != CUDA_SUCCESS ? result : leat_cpu_capture_check_unsafe ();
}

/* The end of the legacy stream is also the end of the other blocking streams' work. */
static CUresult
leat_cpu_stream_wait_end (LeatCpuStream *stream)
{
  if (stream == leat_cpu_stream_get_legacy ())
    leat_cpu_stream_push (stream, &(LeatCpuOp){ .kind = LEAT_CPU_OP_EMPTY });
  return leat_cpu_stream_wait (stream, stream->submitted);
}

CUresult
cuStreamSynchronize (CUstream handle)
{
  LeatCpuStream *stream;

  LEAT_CPU_ENTER_STREAM (handle);
  leat_cpu_count (host_waits);
  leat_cpu_acquire ();
  CUresult result = leat_cpu_stream_check_wait (handle, &stream);
  if (result == CUDA_SUCCESS)
    result = leat_cpu_stream_wait_end (stream);
  leat_cpu_release ();
  return result;
}

CUresult
cuStreamQuery (CUstream handle)
{
  LeatCpuStream *stream;

  LEAT_CPU_ENTER_STREAM (handle);
  leat_cpu_count (queries);
  leat_cpu_acquire ();
  CUresult result = leat_cpu_stream_check_wait (handle, &stream);
  if (result == CUDA_SUCCESS && !leat_cpu_stream_is_ready (stream))
    result = CUDA_ERROR_NOT_READY;
  leat_cpu_release ();
  return result;
}

static CUresult
leat_cpu_stream_peek (CUstream handle, LeatCpuStream *copy)
{
  leat_cpu_acquire ();
  LeatCpuStream *stream = leat_cpu_stream_from_handle (handle);
  if (stream != NULL)
    *copy = *stream;
  leat_cpu_release ();
  return stream != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult
cuStreamGetFlags (CUstream handle, unsigned int *flags)
{
  LeatCpuStream stream;

  LEAT_CPU_ENTER_STREAM (handle);
  if (flags == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = leat_cpu_stream_peek (handle, &stream);
  if (result == CUDA_SUCCESS)
    *flags = stream.flags;
  return result;
}

CUresult
cuStreamGetPriority (CUstream handle, int *priority)
{
  LeatCpuStream stream;

  LEAT_CPU_ENTER_STREAM (handle);
  if (priority == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = leat_cpu_stream_peek (handle, &stream);
  if (result == CUDA_SUCCESS)
    *priority = stream.priority;
  return result;
}

CUresult
cuStreamGetId (CUstream handle, unsigned long long *id)
{
  LeatCpuStream stream;

  LEAT_CPU_ENTER_STREAM (handle);
  if (id == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = leat_cpu_stream_peek (handle, &stream);
  if (result == CUDA_SUCCESS)
    *id = stream.id;
  return result;
}

CUresult
cuStreamGetCtx (CUstream handle, CUcontext *context)
{
  LeatCpuStream stream;

  LEAT_CPU_ENTER_STREAM (handle);
  if (context == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = leat_cpu_stream_peek (handle, &stream);
  if (result == CUDA_SUCCESS)
    {
      LeatCpuThread *thread = leat_cpu_thread_get ();
      *context = thread->contexts[thread->depth - 1];
    }
  return result;
}
