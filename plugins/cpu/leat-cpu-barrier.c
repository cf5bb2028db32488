/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* __syncthreads () and its relatives, and the grid's barrier.  A thread that has returned counts as arrived. */

#include "leat-cpu-block.h"

static void
leat_cpu_barrier_open (LeatCpuBlock *block, LeatCpuBarrier *self)
{
  self->result_n_true = self->n_true;
  self->result_all = self->n_true == self->n_arrived;
  self->n_arrived = self->n_true = 0;
  self->phase++;
  leat_cpu_queue_take_all (&block->ready, &self->waiting);
}

/* All threads of the block are here; now the blocks meet. */
static void
leat_cpu_barrier_open_grid (LeatCpuBlock *block)
{
  if (!leat_cpu_grid_barrier_wait (block->run))
    leat_cpu_block_leave (block);
  leat_cpu_barrier_open (block, &block->grid_barrier);
}

static int G_GNUC_NO_INLINE
leat_cpu_barrier_vote (LeatCpuBlock *block, LeatHostBarrierOp op, int predicate)
{
  LeatCpuBarrier *self = &block->barrier;
  char *key = leat_cpu_tsan ? block->keys + (self->phase & 1) : NULL;

  leat_cpu_sanitizer_release (key);
  self->n_true += predicate != 0;
  if (++self->n_arrived == block->n_alive)
    leat_cpu_barrier_open (block, self);
  else
    {
      leat_cpu_queue_push (&self->waiting, block->current);
      leat_cpu_block_wait (block);
    }
  leat_cpu_sanitizer_acquire (key);
  switch (op)
    {
    case LEAT_HOST_BARRIER_COUNT:
      return (int) self->result_n_true;
    case LEAT_HOST_BARRIER_AND:
      return self->result_all != 0;
    case LEAT_HOST_BARRIER_OR:
      return self->result_n_true != 0;
    default:
      return 0;
    }
}

/* The commonest kind has nothing to do after the wait, so the switch is its last call and saves registers once. */
int
leat_cpu_barrier_wait (LeatHostBlock *host, LeatHostBarrierOp op, int predicate)
{
  LeatCpuBlock *block = leat_cpu_block_from_host (host);
  LeatCpuBarrier *self = &block->barrier;
  LeatCpuStrand *from, *to;

  if (G_UNLIKELY (op != LEAT_HOST_BARRIER_PLAIN || leat_cpu_sanitized))
    return leat_cpu_barrier_vote (block, op, predicate);
  if (G_UNLIKELY (++self->n_arrived == block->n_alive))
    {
      leat_cpu_barrier_open (block, self);
      return 0;
    }
  from = block->current;
  to = block->ready.head;
  leat_cpu_queue_push (&self->waiting, from);
  /* A thread that waits here cannot starve threads that have not begun, so nobody needs to look for those first. */
  if (G_UNLIKELY (to == NULL))
    return leat_cpu_block_wait_slowly (block);
  return leat_cpu_block_run_ready (block, from, to);
}

/* A plain C variant is the whole block. */
static void
leat_cpu_barrier_meet_grid (LeatCpuBlock *block)
{
  if (!leat_cpu_grid_barrier_wait (block->run))
    leat_cpu_block_leave (block);
  block->grid_barrier.phase++;
}

void
leat_cpu_barrier_wait_grid (LeatHostBlock *host)
{
  LeatCpuBlock *block = leat_cpu_block_from_host (host);
  LeatCpuBarrier *self = &block->grid_barrier;
  char *key = &block->run->grid_keys[self->phase & 1];

  if (!block->run->launch->cooperative && block->run->n_blocks > 1)
    leat_cpu_block_fail (block, CUDA_ERROR_LAUNCH_FAILED, "grid barrier in a launch that is not cooperative");
  leat_cpu_sanitizer_release (key);
  if (block->current == NULL)
    leat_cpu_barrier_meet_grid (block);
  else if (++self->n_arrived == block->n_alive)
    leat_cpu_barrier_open_grid (block);
  else
    {
      leat_cpu_queue_push (&self->waiting, block->current);
      leat_cpu_block_wait (block);
    }
  leat_cpu_sanitizer_acquire (key);
}

void
leat_cpu_barrier_end_strand (LeatCpuBlock *block)
{
  if (block->n_alive == 0)
    return;
  if (block->barrier.n_arrived == block->n_alive)
    leat_cpu_barrier_open (block, &block->barrier);
  else if (block->grid_barrier.n_arrived == block->n_alive)
    leat_cpu_barrier_open_grid (block);
}
