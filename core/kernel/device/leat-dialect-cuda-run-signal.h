/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* The base of persistent kernels on a GPU: loads and stores that order what others see, and a block's own data in
 * its shared memory.  blockIdx and gridDim are those of the stage that a block is at; the real ones are read by name. */

#define LEAT_PERSISTENT static __device__ __forceinline__
#define LEAT_PERSISTENT_APART static __device__ __noinline__
#define LEAT_HERE (&leat_persistent_block)
#define LEAT_PERSISTENT_IDLE_REST 0   /* ns; to look at the signal takes longer than any rest that would be worth while */
#define LEAT_PERSISTENT_BLOCK_REST 20 /* of a block that waits for others */

__shared__ LeatPersistentBlock leat_persistent_block;

LEAT_PERSISTENT uint64_t
leat_load_acquire_system (const uint64_t *p)
{
  uint64_t v;

  asm volatile ("ld.acquire.sys.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}

LEAT_PERSISTENT void
leat_store_release_system (uint64_t *p, uint64_t v)
{
  asm volatile ("st.release.sys.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

LEAT_PERSISTENT void
leat_add_release_device (uint64_t *p, uint64_t v)
{
  asm volatile ("red.release.gpu.add.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

LEAT_PERSISTENT unsigned int
leat_persistent_get_block ()
{
  unsigned int v;

  asm ("mov.u32 %0, %%ctaid.x;" : "=r"(v));
  return v;
}

LEAT_PERSISTENT unsigned int
leat_persistent_count_blocks ()
{
  unsigned int v;

  asm ("mov.u32 %0, %%nctaid.x;" : "=r"(v));
  return v;
}

LEAT_PERSISTENT unsigned int
leat_persistent_get_rank ()
{
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* A thread that has ended counts as arrived at every barrier of its block. */
LEAT_PERSISTENT void
leat_persistent_exit ()
{
  asm volatile ("exit;");
  __builtin_unreachable ();
}

LEAT_PERSISTENT void
leat_persistent_barrier ()
{
  __syncthreads ();
}

LEAT_PERSISTENT void
leat_persistent_know (const LeatPersistentParams &s)
{
  leat_persistent_block.signal = s.signal;
  leat_persistent_block.grid = s.grid;
  leat_persistent_block.limit_ns = s.limit_ns;
  leat_persistent_block.meets = 0;
}

/* By every thread; the first of the block writes, and a barrier follows. */
LEAT_PERSISTENT void
leat_persistent_set_place (const LeatPersistentStage &stage, unsigned int x, unsigned int y, unsigned int z)
{
  if (threadIdx.x + threadIdx.y + threadIdx.z != 0)
    return;
  leat_persistent_index = { x, y, z };
  leat_persistent_grid = { stage.grid[0], stage.grid[1], stage.grid[2] };
}
