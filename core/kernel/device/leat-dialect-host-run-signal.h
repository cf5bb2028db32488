/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* The same on the CPU, inside the struct of a thread.  A block's own data lie behind the home. */

#define LEAT_PERSISTENT LEAT_MEMBER
#define LEAT_PERSISTENT_APART __attribute__ ((noinline))
#define LEAT_HERE leat_here
#define LEAT_PERSISTENT_IDLE_REST 20000
#define LEAT_PERSISTENT_BLOCK_REST 1000

leat_module *const leat_self = this; /* for GRID_FOR */
LeatPersistentBlock *leat_here;
void *leat_escape[5];

LEAT_PERSISTENT uint64_t leat_load_acquire_system (const uint64_t *p) { return __atomic_load_n (p, __ATOMIC_ACQUIRE); }
LEAT_PERSISTENT void leat_store_release_system (uint64_t *p, uint64_t v) { __atomic_store_n (p, v, __ATOMIC_RELEASE); }
LEAT_PERSISTENT void leat_add_release_device (uint64_t *p, uint64_t v) { __atomic_fetch_add (p, v, __ATOMIC_RELEASE); }

LEAT_PERSISTENT unsigned int leat_persistent_get_block () { return leat_block->index.x; }
LEAT_PERSISTENT unsigned int leat_persistent_count_blocks () { return leat_block->grid.x; }

LEAT_PERSISTENT unsigned int
leat_persistent_get_rank ()
{
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* Back to where this thread began, from however deep: nothing on its stack has to be undone. */
LEAT_PERSISTENT_APART void leat_persistent_exit () { __builtin_longjmp (leat_escape, 1); }

LEAT_PERSISTENT void leat_persistent_barrier () { leat_thread::__syncthreads (); }
LEAT_MEMBER void __syncthreads () { leat_persistent_sync (); }
LEAT_MEMBER void leat_grid_sync () { leat_persistent_meet (); }

LEAT_PERSISTENT void
leat_persistent_enter (const LeatPersistentParams &s)
{
  leat_here = (LeatPersistentBlock *) (s.grid + 1) + leat_block->index.x;
}

LEAT_PERSISTENT void
leat_persistent_know (const LeatPersistentParams &s)
{
  leat_here->signal = s.signal;
  leat_here->grid = s.grid;
  leat_here->limit_ns = s.limit_ns;
  leat_here->meets = 0;
}

LEAT_PERSISTENT void
leat_persistent_set_place (const LeatPersistentStage &stage, unsigned int x, unsigned int y, unsigned int z)
{
  blockIdx = { x, y, z };
  gridDim = dim3 (stage.grid[0], stage.grid[1], stage.grid[2]);
}

/* The stages, which stand behind the file's text. */
void leat_persistent_do (unsigned int kind, const unsigned char *args);
