/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Names for kernels, beyond CUDA C itself, for NVRTC and nvcc.  No file includes it: it is put before a kernel's text.
 * leat-dialect-host-*.h give the same names on the CPU. */

#define LEAT_CUDA 1

/* The toolkit's headers have these, with `long long` for 64 bits, where the file includes one of them. */
#if !defined(_CUDA_STD_CSTDINT) && !defined(_LIBCUDACXX_CSTDINT) && !defined(_CUDA_CSTDINT)
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
#endif
typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long long CUtexObject; /* as <cuda.h> calls them */
typedef unsigned long long CUsurfObject;

/* uint64_t may be `unsigned long`, for which CUDA has no atomics. */
#define LEAT_ATOMIC_LONG(name)                                                                                         \
  __device__ __forceinline__ unsigned long name (unsigned long *p, unsigned long v)                                    \
  {                                                                                                                    \
    return name ((unsigned long long *) p, (unsigned long long) v);                                                    \
  }
LEAT_ATOMIC_LONG (atomicAdd)
LEAT_ATOMIC_LONG (atomicExch)
LEAT_ATOMIC_LONG (atomicMin)
LEAT_ATOMIC_LONG (atomicMax)
LEAT_ATOMIC_LONG (atomicAnd)
LEAT_ATOMIC_LONG (atomicOr)
LEAT_ATOMIC_LONG (atomicXor)
__device__ __forceinline__ unsigned long
atomicCAS (unsigned long *p, unsigned long compare, unsigned long v)
{
  return atomicCAS ((unsigned long long *) p, (unsigned long long) compare, (unsigned long long) v);
}

/* The number of this thread in the grid, and how many there are, over all dimensions.  Where z is the lane, each lane
 * has a grid of its own. */
__device__ __forceinline__ unsigned long
leat_grid_rank ()
{
#ifdef LEAT_WIDE
  unsigned long block = blockIdx.x + (unsigned long) gridDim.x * blockIdx.y;
#else
  unsigned long block = blockIdx.x + (unsigned long) gridDim.x * (blockIdx.y + (unsigned long) gridDim.y * blockIdx.z);
#endif
  unsigned int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);

  return block * (blockDim.x * blockDim.y * blockDim.z) + thread;
}

__device__ __forceinline__ unsigned long
leat_grid_size ()
{
#ifdef LEAT_WIDE
  return (unsigned long) gridDim.x * gridDim.y * (blockDim.x * blockDim.y * blockDim.z);
#else
  return (unsigned long) gridDim.x * gridDim.y * gridDim.z * (blockDim.x * blockDim.y * blockDim.z);
#endif
}

/* The count that a wrapper uses: `value`, or that many for each of those counted at `where`.  A count above `most`,
 * the room in memory, is cut to it.  It is told at `over`, in memory that the host sees. */
__device__ __forceinline__ uint64_t
leat_take_count (const uint64_t *where, uint64_t value, uint64_t most, uint64_t *over)
{
  uint64_t count;

  if (where == nullptr)
    return value;
  count = *where;
  if (count <= most)
    return count * value;
  if (over != nullptr && leat_grid_rank () == 0)
    *(volatile uint64_t *) over = count;
  return most * value;
}

/* From compute capability 9.0 on, a kernel may begin while those that it depends on still run, where an edge of the
 * graph says so.  It lets what depends on it begin at once, and waits before anything else: so all that runs
 * early waits, and the end of one kernel means the end of all before it.
 *
 * Its inputs may then be written while it is there already, though not after the wait.  So loads for data that nobody
 * writes while a kernel is there (ld.global.nc) will not do for it.  The compiler takes them for data that are
 * `__restrict__` and only read, but not where something, at the end, might write them.
 *
 * The wait takes a block some hundred nanoseconds, also where there is nothing to wait for.  So the last parameter says
 * whether the kernel begins early, or others begin during it; else both instructions are skipped.
 *
 * No edge in the body of a loop says so, nor in a plan in which no kernel depends on another: their kernels do without the
 * two instructions (LEAT_ENCLOSED). */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(LEAT_ENCLOSED)
/* By this name the host knows that wrappers wait. */
extern "C" __device__ int leat_wrappers_wait = 1;

#define LEAT_WAIT_FOR_OTHERS(is_early) leat_wait_for_others (is_early)

/* No branch goes round it. */
__device__ __forceinline__ void
leat_wait_for_others (int is_early)
{
  asm volatile ("{ .reg .pred early; setp.ne.s32 early, %0, 0; @early griddepcontrol.launch_dependents; "
                "@early griddepcontrol.wait; }" ::"r"(is_early)
                : "memory");
}

template <class T>
__device__ __forceinline__ void
leat_might_write (T *p)
{
  asm volatile ("" ::"l"(p) : "memory");
}

template <class T>
__device__ __forceinline__ T
leat_load_plainly (const T *p)
{
  return *p;
}
#define __ldg(p) leat_load_plainly (p)
#else
#define LEAT_WAIT_FOR_OTHERS(is_early) ((void) (is_early))

template <class T>
__device__ __forceinline__ void
leat_might_write (T *)
{
}
#endif

/* The device's own function, which a driver puts in when it loads a module that calls it. */
extern "C" __device__ void cudaGraphSetConditional (unsigned long long handle, unsigned int value);

/* Sets the value that a conditional graph node reads when its turn comes.  Only one thread should call it. */
__device__ __forceinline__ void
leat_graph_set_conditional (uint64_t handle, unsigned int value)
{
  cudaGraphSetConditional (handle, value);
}

__device__ __forceinline__ uint64_t
leat_clock_now ()
{
  uint64_t ns;

  asm volatile ("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

/* A barrier of those of a block's threads that have not left, in which it differs from __syncthreads (): that is one of all that
 * have not ended, and no place for lanes of a warp that are at different places.  The last to come sets the count back and
 * begins the next phase; who leaves is no longer expected, and comes once more. */
struct LeatBlockMeeting
{
  unsigned int expected, pending, phase;
};

__device__ __forceinline__ unsigned int
leat_block_arrive (LeatBlockMeeting *meeting)
{
  unsigned int phase = *(volatile unsigned int *) &meeting->phase;

  __threadfence_block ();
  if (atomicSub (&meeting->pending, 1u) == 1)
    {
      *(volatile unsigned int *) &meeting->pending = *(volatile unsigned int *) &meeting->expected;
      __threadfence_block ();
      *(volatile unsigned int *) &meeting->phase = phase + 1;
    }
  return phase;
}

__device__ __forceinline__ bool
leat_block_has_met (LeatBlockMeeting *meeting, unsigned int phase)
{
  bool met = *(volatile unsigned int *) &meeting->phase != phase;

  __threadfence_block ();
  return met;
}

__device__ __forceinline__ void
leat_block_leave (LeatBlockMeeting *meeting)
{
  atomicSub (&meeting->expected, 1u);
  __threadfence_block ();
  leat_block_arrive (meeting);
}

__device__ __forceinline__ void
leat_block_begin (LeatBlockMeeting *meeting)
{
  unsigned int threads = blockDim.x * blockDim.y * blockDim.z;

  if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
    *meeting = { threads, threads, 0 };
  __syncthreads ();
}

__device__ __forceinline__ void
leat_block_end (LeatBlockMeeting *)
{
  __syncthreads ();
}

/* A wrapper that tells its times calls these around the body.  Blocks start in the order of their numbers; the end is
 * the latest of all blocks.  Time only grows, so that nothing need be set back between runs. */
__device__ __forceinline__ void
leat_clock_begin (uint64_t *clock)
{
  if (leat_grid_rank () == 0)
    clock[0] = leat_clock_now ();
}

__device__ __forceinline__ void
leat_clock_end (uint64_t *clock)
{
  __syncthreads ();
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
    atomicMax (clock + 1, leat_clock_now ());
}

/* The same by each warp, or what there is of one, as it comes. */
__device__ __forceinline__ void
leat_clock_end_apart (uint64_t *clock)
{
  unsigned int rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);

  if (rank % 32 == (unsigned int) __ffs (__activemask ()) - 1)
    atomicMax (clock + 1, leat_clock_now ());
}

template <class T>
__device__ __forceinline__ T
leat_grid_first (T)
{
  return (T) leat_grid_rank ();
}

template <class T>
__device__ __forceinline__ T
leat_grid_step (T)
{
  return (T) leat_grid_size ();
}
