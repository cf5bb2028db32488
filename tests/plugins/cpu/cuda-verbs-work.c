/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-call.h"

#include <dirent.h>
#include <unistd.h>

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

void
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

static void
cuda_host_late (void *data)
{
  __atomic_store_n (&((CudaObjects *) data)->begun, 1, __ATOMIC_SEQ_CST);
  usleep (30000);
  cuda_host_count (data);
}

/* A host function that takes its time; it has begun when this returns. */
static CUresult
cuda_verb_host_late (CudaCall *call)
{
  CUresult result;

  __atomic_store_n (&call->objects->begun, 0, __ATOMIC_SEQ_CST);
  result = cuda.cuLaunchHostFunc (cuda_call_get_stream (call, 1), cuda_host_late, call->objects);
  while (result == CUDA_SUCCESS && __atomic_load_n (&call->objects->begun, __ATOMIC_SEQ_CST) == 0)
    usleep (100);
  return result;
}

static int
cuda_count_threads (void)
{
  DIR *folder = opendir ("/proc/self/task");
  int n = 0;

  while (folder != NULL && readdir (folder) != NULL)
    n++;
  if (folder != NULL)
    closedir (folder);
  return n;
}

/* host-often STREAM TIMES THREADS: one host function after the other, none of which a call waits for; so many more
 * threads, at the most, come of it */
static CUresult
cuda_verb_host_often (CudaCall *call)
{
  int *n_calls = &call->objects->host_calls, before = cuda_count_threads (), more;
  CUresult result = CUDA_SUCCESS;

  for (unsigned int i = 0; i < cuda_call_get_number (call, 2) && result == CUDA_SUCCESS; i++)
    {
      int wanted = __atomic_load_n (n_calls, __ATOMIC_SEQ_CST) + 1;

      result = cuda.cuLaunchHostFunc (cuda_call_get_stream (call, 1), cuda_host_count, call->objects);
      while (result == CUDA_SUCCESS && __atomic_load_n (n_calls, __ATOMIC_SEQ_CST) < wanted)
        usleep (50);
    }
  more = cuda_count_threads () - before;
  return more <= (int) cuda_call_get_number (call, 3) ? result
                                                      : cuda_call_compare (call, result, (unsigned int) more, 0);
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

const CudaVerb cuda_work_verbs[] = {
  { "set", cuda_verb_set },
  { "set-sync", cuda_verb_set_sync },
  { "copy", cuda_verb_copy },
  { "copy-sync", cuda_verb_copy_sync },
  { "to-device", cuda_verb_to_device },
  { "to-host", cuda_verb_to_host },
  { "host", cuda_verb_host },
  { "host-late", cuda_verb_host_late },
  { "host-often", cuda_verb_host_often },
  { "block", cuda_verb_block },
  { "open", cuda_verb_open },
  { "host-driver", cuda_verb_host_driver },
  { "check", cuda_verb_check },
  { "poke", cuda_verb_poke },
  { NULL, NULL },
};
