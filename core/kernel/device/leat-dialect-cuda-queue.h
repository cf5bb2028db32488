/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* The base of leat-queue.h, for NVRTC.  Orders are those of the device: only its threads touch a ring. */

#define LEAT_QUEUE_FUNCTION static __device__ __forceinline__
#define LEAT_QUEUE_MEMBER __device__ __forceinline__
#define LEAT_QUEUE_WAITING static __device__ __forceinline__
#define LEAT_QUEUE_SELF
#define LEAT_QUEUE_NOW leat_clock_now

LEAT_QUEUE_FUNCTION uint64_t
leat_queue_peek (const uint64_t *p)
{
  uint64_t v;

  asm volatile ("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}

LEAT_QUEUE_FUNCTION uint64_t
leat_queue_look (const uint64_t *p)
{
  uint64_t v;

  asm volatile ("ld.acquire.gpu.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}

LEAT_QUEUE_FUNCTION uint64_t
leat_queue_add (uint64_t *p, uint64_t n)
{
  return atomicAdd (p, n);
}

LEAT_QUEUE_FUNCTION uint64_t
leat_queue_add_release (uint64_t *p, uint64_t n)
{
  uint64_t before;

  asm volatile ("atom.add.release.gpu.u64 %0, [%1], %2;" : "=l"(before) : "l"(p), "l"(n) : "memory");
  return before;
}

LEAT_QUEUE_FUNCTION void
leat_queue_raise (uint64_t *p, uint64_t v)
{
  if (leat_queue_peek (p) < v)
    atomicMax (p, v);
}

/* Before the next look, for as long as another thread needs to copy an item. */
LEAT_QUEUE_FUNCTION bool
leat_queue_pause (unsigned int)
{
  __nanosleep (20);
  return true;
}

LEAT_QUEUE_FUNCTION void
leat_queue_pass (uint64_t *turn, uint64_t next)
{
  asm volatile ("st.release.gpu.u64 [%0], %1;" ::"l"(turn), "l"(next) : "memory");
}

LEAT_QUEUE_FUNCTION void
leat_queue_tell (LeatReportBlock *block)
{
  *(volatile uint64_t *) block->own = 1;
  *(volatile uint64_t *) block->any = 1;
}

/* Threads of a warp that happen to be here together, each for the queue with the ring @ring. */
struct leat_queue_crowd
{
  unsigned int mask, rank, size;

  leat_queue_crowd () = default;
  __device__ __forceinline__ explicit leat_queue_crowd (const LeatQueueRing *ring)
  {
    unsigned int before;

    asm ("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
    mask = __match_any_sync (__activemask (), (unsigned long long) ring);
    rank = (unsigned int) __popc (mask & before);
    size = (unsigned int) __popc (mask);
  }
  /* The value of the first of them. */
  __device__ __forceinline__ uint64_t share (uint64_t v) const
  {
    return (uint64_t) __shfl_sync (mask, (unsigned long long) v, __ffs ((int) mask) - 1);
  }
  /* Whether @v is so for any of them. */
  __device__ __forceinline__ bool any (bool v) const { return __any_sync (mask, v); }
  /* All that came here together do it.  Not the same line need it be, nor need they run side by side. */
  __device__ __forceinline__ void meet () const { __syncwarp (mask); }
};
