/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* The same on the CPU, inside the struct that a kernel file becomes. What a block knows lies behind the home. */

#define LEAT_STAY LEAT_MEMBER
#define LEAT_STAY_APART __attribute__ ((noinline))
#define LEAT_HERE leat_here
#define LEAT_STAY_IDLE_REST 20000
#define LEAT_STAY_BLOCK_REST 1000

LeatStayHere *leat_here;
void *leat_escape[5];

LEAT_STAY uint64_t leat_load_acquire_system (const uint64_t *p) { return __atomic_load_n (p, __ATOMIC_ACQUIRE); }
LEAT_STAY void leat_store_release_system (uint64_t *p, uint64_t v) { __atomic_store_n (p, v, __ATOMIC_RELEASE); }
LEAT_STAY void leat_add_release_device (uint64_t *p, uint64_t v) { __atomic_fetch_add (p, v, __ATOMIC_RELEASE); }

LEAT_STAY unsigned int leat_stay_get_block () { return leat_block->index.x; }
LEAT_STAY unsigned int leat_stay_count_blocks () { return leat_block->grid.x; }

LEAT_STAY unsigned int
leat_stay_get_rank ()
{
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* Back to where this thread began, from however deep: nothing on its stack has to be undone. */
LEAT_STAY_APART void leat_stay_exit () { __builtin_longjmp (leat_escape, 1); }

LEAT_STAY void leat_stay_barrier () { leat_thread::__syncthreads (); }
LEAT_MEMBER void __syncthreads () { leat_stay_sync (); }
LEAT_MEMBER void leat_grid_sync () { leat_stay_meet (); }

LEAT_STAY void
leat_stay_enter (const LeatStay &s)
{
  leat_here = (LeatStayHere *) (s.home + 1) + leat_block->index.x;
}

LEAT_STAY void
leat_stay_know (const LeatStay &s)
{
  leat_here->bell = s.bell;
  leat_here->home = s.home;
  leat_here->limit_ns = s.limit_ns;
  leat_here->meets = 0;
}

LEAT_STAY void
leat_stay_set_place (const LeatStage &stage, unsigned int x, unsigned int y, unsigned int z)
{
  blockIdx = { x, y, z };
  gridDim = dim3 (stage.grid[0], stage.grid[1], stage.grid[2]);
}
