/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The common data of all calls: the driver's lock, the failure of the device, the contexts of each thread.  Here are
 * also the checks with which calls of the driver API begin. */

#include "leat-cpu-state.h"

#include <time.h>

pthread_mutex_t leat_cpu_lock = PTHREAD_MUTEX_INITIALIZER;

static atomic_bool leat_cpu_initialized;
static atomic_bool leat_cpu_lost;
static _Atomic CUresult leat_cpu_failure;
static _Atomic gint64 leat_cpu_end_of_loops;

LeatCpuThread *
leat_cpu_thread_get (void)
{
  static __thread LeatCpuThread thread;

  return &thread;
}

CUresult
leat_cpu_enter_without_context (void)
{
  if (!atomic_load_explicit (&leat_cpu_initialized, memory_order_acquire))
    return CUDA_ERROR_NOT_INITIALIZED;
  if (leat_cpu_thread_get ()->in_host_function > 0)
    return CUDA_ERROR_NOT_PERMITTED;
  return CUDA_SUCCESS;
}

CUresult
leat_cpu_enter (void)
{
  CUresult result = leat_cpu_enter_without_context ();

  if (result != CUDA_SUCCESS)
    return result;
  if (leat_cpu_thread_get ()->depth == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  return leat_cpu_get_failure ();
}

CUresult
leat_cpu_enter_by_handle (void)
{
  CUresult result = leat_cpu_enter_without_context ();

  return result != CUDA_SUCCESS ? result : leat_cpu_get_failure ();
}

CUresult
leat_cpu_enter_to_give_back (gboolean by_handle)
{
  CUresult result = by_handle ? leat_cpu_enter_by_handle () : leat_cpu_enter ();

  return result != leat_cpu_get_failure () ? result : CUDA_SUCCESS;
}

CUresult
leat_cpu_enter_stream (CUstream stream)
{
  gboolean implicit = stream == NULL || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;

  return implicit ? leat_cpu_enter () : leat_cpu_enter_by_handle ();
}

void
leat_cpu_fail (CUresult code)
{
  CUresult none = CUDA_SUCCESS;

  atomic_compare_exchange_strong (&leat_cpu_failure, &none, code);
}

CUresult
leat_cpu_get_failure (void)
{
  return atomic_load_explicit (&leat_cpu_failure, memory_order_acquire);
}

void
leat_cpu_lose_device (void)
{
  atomic_store (&leat_cpu_lost, TRUE);
  atomic_store (&leat_cpu_failure, CUDA_ERROR_DEVICE_UNAVAILABLE);
}

void
leat_cpu_clear_failure (void)
{
  if (!atomic_load (&leat_cpu_lost))
    atomic_store (&leat_cpu_failure, CUDA_SUCCESS);
}

void
leat_cpu_set_initialized (void)
{
  atomic_store_explicit (&leat_cpu_initialized, TRUE, memory_order_release);
}

gint64
leat_cpu_now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

void
leat_cpu_set_end_of_loops (gint64 ns)
{
  atomic_store (&leat_cpu_end_of_loops, ns);
}

gboolean
leat_cpu_loops_are_over (void)
{
  gint64 end = atomic_load_explicit (&leat_cpu_end_of_loops, memory_order_relaxed);

  return end != 0 && leat_cpu_now_ns () >= end;
}
