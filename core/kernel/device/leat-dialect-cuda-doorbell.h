/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* What a kernel that stays stands on, on a GPU: loads and stores that order what others see, and what a block knows in
 * its shared memory.  blockIdx and gridDim are those of the stage that a block is at; the real ones are read by name. */

#define LEAT_STAY static __device__ __forceinline__
#define LEAT_STAY_APART static __device__ __noinline__
#define LEAT_HERE (&leat_stay_here)
#define LEAT_STAY_IDLE_REST 0   /* ns; to look at the bell takes longer than any rest that would be worth while */
#define LEAT_STAY_BLOCK_REST 20 /* for who waits for other blocks */

__shared__ LeatStayHere leat_stay_here;

LEAT_STAY uint64_t
leat_load_acquire_system (const uint64_t *p)
{
  uint64_t v;

  asm volatile ("ld.acquire.sys.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}

LEAT_STAY void
leat_store_release_system (uint64_t *p, uint64_t v)
{
  asm volatile ("st.release.sys.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

LEAT_STAY void
leat_add_release_device (uint64_t *p, uint64_t v)
{
  asm volatile ("red.release.gpu.add.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

LEAT_STAY unsigned int
leat_stay_get_block ()
{
  unsigned int v;

  asm ("mov.u32 %0, %%ctaid.x;" : "=r"(v));
  return v;
}

LEAT_STAY unsigned int
leat_stay_count_blocks ()
{
  unsigned int v;

  asm ("mov.u32 %0, %%nctaid.x;" : "=r"(v));
  return v;
}

LEAT_STAY unsigned int
leat_stay_get_rank ()
{
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* A thread that has ended counts as arrived at every barrier of its block. */
LEAT_STAY void
leat_stay_exit ()
{
  asm volatile ("exit;");
  __builtin_unreachable ();
}

LEAT_STAY void
leat_stay_barrier ()
{
  __syncthreads ();
}

LEAT_STAY void
leat_stay_know (const LeatStay &s)
{
  leat_stay_here.bell = s.bell;
  leat_stay_here.home = s.home;
  leat_stay_here.limit_ns = s.limit_ns;
  leat_stay_here.meets = 0;
}

/* By every thread; the first of the block writes, and a barrier follows. */
LEAT_STAY void
leat_stay_set_place (const LeatStage &stage, unsigned int x, unsigned int y, unsigned int z)
{
  if (threadIdx.x + threadIdx.y + threadIdx.z != 0)
    return;
  leat_stay_index = { x, y, z };
  leat_stay_grid = { stage.grid[0], stage.grid[1], stage.grid[2] };
}
