/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* A persistent kernel on the device runs its stages whenever the host signals a run.  It leaves when it is told to,
 * when nothing has been signalled for long, or when a run takes too long.  Behind leat-dialect-*-run-signal.h, before
 * the text of the kernels; inside a struct on the CPU.
 *
 * Memory order.  The host writes a run's inputs and then the signal, as a release; thread 0 of block 0 reads the signal
 * as an acquire at system scope, and so is after the inputs.  It passes the order on by a release at device scope,
 * which thread 0 of each other block acquires; the barrier of a block puts its other threads behind thread 0.  Such
 * synchronisation is transitive in the memory model, whatever the scopes on the way, as each pair's scope includes both
 * of its threads: so every thread is after the host's writes.  The way back is the same: barrier, release by thread 0 of
 * each block, acquire by that of block 0, and its release at system scope of the number that the host waits for, which
 * has acquired what the other blocks released and so covers their writes to the host's memory too.
 *
 * No two runs are under way at once: block 0 looks at the signal again when all blocks have ended the run before. */

/* Of those who notice that time is up, one says where it was. */
LEAT_PERSISTENT_APART void
leat_persistent_tell (unsigned int ticks)
{
  LeatPersistentBlock *here = LEAT_HERE;
  LeatRunSignal *signal = here->signal;

  if (atomicCAS (&here->grid->over, 0u, 1u) != 0)
    return;
  signal->fault_stage = here->stage;
  signal->fault_block = leat_persistent_get_block ();
  signal->fault_ticks = ticks;
  leat_store_release_system (&signal->fault, LEAT_ORDER_NUMBER (here->order));
}

/* The time of a run is counted from when a thread of the block first has to look: to ask what time it is takes as long
 * as some runs. */
LEAT_PERSISTENT bool
leat_persistent_is_over ()
{
  LeatPersistentBlock *here = LEAT_HERE;
  const uint64_t now = leat_clock_now (), deadline = leat_load_relaxed (&here->deadline);

  if (deadline == 0)
    leat_store_relaxed (&here->deadline, now + here->limit_ns);
  return deadline != 0 && now >= deadline;
}

/* Does not come back where the run is over: threads that are not here yet find the order to leave behind their next
 * barrier, which this one's end opens. */
LEAT_PERSISTENT_APART void
leat_persistent_look (unsigned int ticks)
{
  LeatPersistentBlock *here = LEAT_HERE;

  if (leat_load_relaxed (&here->grid->over) == 0)
    {
      if (!leat_persistent_is_over ())
        return;
      leat_persistent_tell (ticks);
    }
  leat_store_relaxed (&here->order, leat_load_relaxed (&here->order) | LEAT_ORDER_LEAVE);
  leat_persistent_exit ();
}

/* In the condition of every loop that may have no end. */
LEAT_PERSISTENT bool
leat_tick (unsigned int &ticks)
{
  if ((++ticks & 255) == 0)
    leat_persistent_look (ticks);
  return true;
}

/* __syncthreads () in persistent kernels. */
LEAT_PERSISTENT void
leat_persistent_sync ()
{
  leat_persistent_barrier ();
  if (leat_load_relaxed (&LEAT_HERE->order) & LEAT_ORDER_LEAVE)
    leat_persistent_exit ();
}

/* For thread 0: waits until others have counted so far. */
LEAT_PERSISTENT void
leat_persistent_await (const uint64_t *count, uint64_t until)
{
  for (unsigned int looks = 1; leat_load_acquire (count) < until; looks++)
    {
      __nanosleep (LEAT_PERSISTENT_BLOCK_REST);
      if (looks % 64 == 0)
        leat_persistent_look (looks);
    }
}

LEAT_PERSISTENT uint64_t
leat_persistent_poll (const LeatPersistentParams &s, uint64_t done)
{
  uint64_t since = leat_clock_now (), order;

  for (unsigned int looks = 1;; looks++)
    {
      order = leat_load_acquire_system (&s.signal->order);
      if (LEAT_ORDER_NUMBER (order) == done + 1)
        return order & ~(uint64_t) LEAT_ORDER_LEAVE;
      if (LEAT_ORDER_NUMBER (order) > done)
        return LEAT_ORDER_MAKE (done + 1, s.signal->lanes[(done + 1) % LEAT_RUN_SIGNAL_SLOTS]);
      if ((order & LEAT_ORDER_LEAVE) || (looks % 16 == 0 && leat_clock_now () - since > s.idle_ns))
        return LEAT_ORDER_MAKE (done, 0) | LEAT_ORDER_LEAVE;
      __nanosleep (LEAT_PERSISTENT_IDLE_REST);
    }
}

/* A block whose own part of the run had ended leaves too when time is up for another block.  When a launch begins the
 * order is 0, whatever was done before. */
LEAT_PERSISTENT uint64_t
leat_persistent_hear (const LeatPersistentParams &s, uint64_t done)
{
  uint64_t order;

  for (unsigned int looks = 1; order = leat_load_acquire (&s.grid->order),
                    LEAT_ORDER_NUMBER (order) <= done && !(order & LEAT_ORDER_LEAVE);
       looks++)
    {
      if (looks % 64 == 0 && leat_load_relaxed (&s.grid->over) != 0)
        return order | LEAT_ORDER_LEAVE;
      __nanosleep (LEAT_PERSISTENT_BLOCK_REST);
    }
  return order;
}

LEAT_PERSISTENT uint64_t
leat_persistent_next (const LeatPersistentParams &s, uint64_t done)
{
  if (leat_persistent_get_rank () == 0)
    {
      uint64_t order = leat_persistent_get_block () == 0 ? leat_persistent_poll (s, done) : leat_persistent_hear (s, done);

      if (leat_persistent_get_block () == 0 && leat_persistent_count_blocks () > 1)
        leat_store_release (&s.grid->order, order);
      LEAT_HERE->order = order;
      LEAT_HERE->deadline = 0;
    }
  leat_persistent_barrier ();
  return leat_load_relaxed (&LEAT_HERE->order);
}

/* Between stages, and in a kernel that waits for its whole grid: what all blocks wrote before it is there for all after
 * it. */
LEAT_PERSISTENT void
leat_persistent_meet ()
{
  LeatPersistentBlock *here = LEAT_HERE;

  leat_persistent_sync ();
  if (leat_persistent_count_blocks () == 1)
    return;
  if (leat_persistent_get_rank () == 0)
    {
      here->meets++;
      leat_add_release_device (&here->grid->met, 1);
      leat_persistent_await (&here->grid->met, here->meets * leat_persistent_count_blocks ());
    }
  leat_persistent_sync ();
}

LEAT_PERSISTENT void
leat_persistent_end (const LeatPersistentParams &s, uint64_t number)
{
  leat_persistent_sync ();
  if (leat_persistent_get_rank () != 0)
    return;
  if (leat_persistent_get_block () != 0)
    {
      leat_add_release_device (&s.grid->arrived, 1);
      return;
    }
  if (leat_persistent_count_blocks () > 1)
    leat_persistent_await (&s.grid->arrived, (number - s.done) * (leat_persistent_count_blocks () - 1));
  leat_store_release_system (&s.signal->done, number);
}

LEAT_PERSISTENT void
leat_persistent_copy (const unsigned char *args)
{
  unsigned char *to = *(unsigned char *const *) args;
  const unsigned char *from = *(const unsigned char *const *) (args + LEAT_PERSISTENT_PARAM);
  const uint64_t bytes = *(const uint64_t *) (args + 2 * LEAT_PERSISTENT_PARAM);
  const uint64_t wide = (((uint64_t) to | (uint64_t) from) & 15) == 0 ? bytes / 16 : 0;

  GRID_FOR (i, wide)
    ((ulonglong2 *) to)[i] = ((const ulonglong2 *) from)[i];
  GRID_FOR (i, bytes - 16 * wide)
    to[16 * wide + i] = from[16 * wide + i];
}

LEAT_PERSISTENT void
leat_persistent_fill (const unsigned char *args)
{
  unsigned char *to = *(unsigned char *const *) args;
  const unsigned char value = *(args + LEAT_PERSISTENT_PARAM);
  const uint64_t bytes = *(const uint64_t *) (args + 2 * LEAT_PERSISTENT_PARAM);

  GRID_FOR (i, bytes)
    to[i] = value;
}

#ifdef LEAT_CUDA
static __device__ void leat_persistent_do (unsigned int kind, const unsigned char *args);
#endif

/* The blocks of a stage, in turn on those that there are. */
LEAT_PERSISTENT void
leat_persistent_do_blocks (const LeatPersistentStage &stage, const unsigned char *args)
{
  const unsigned int n = stage.grid[0] * stage.grid[1] * stage.grid[2];

  for (unsigned int b = leat_persistent_get_block (); b < n; b += leat_persistent_count_blocks ())
    {
      const unsigned int row = n == stage.grid[0] ? 0 : b / stage.grid[0];
      const unsigned int z = row == 0 ? 0 : row / stage.grid[1];

      leat_persistent_set_place (stage, b - row * stage.grid[0], row - z * stage.grid[1], z);
      leat_persistent_sync ();
      if (stage.kind == LEAT_STAGE_COPY)
        leat_persistent_copy (args);
      else if (stage.kind == LEAT_STAGE_FILL)
        leat_persistent_fill (args);
      else
        leat_persistent_do (stage.kind - LEAT_STAGE_KERNEL, args);
      leat_persistent_sync ();
    }
}

LEAT_PERSISTENT void
leat_persistent_run_stage (const LeatPersistentParams &s, unsigned int i, const unsigned char *args)
{
  const LeatPersistentStage &stage = s.stages[i];

  if (stage.meets)
    leat_persistent_meet ();
  if (leat_persistent_get_rank () == 0)
    LEAT_HERE->stage = i;
  leat_persistent_do_blocks (stage, args + stage.args);
}

LEAT_PERSISTENT void
leat_persistent_run (const LeatPersistentParams &s)
{
  uint64_t done = s.done, order;

  if (leat_persistent_get_rank () == 0)
    leat_persistent_know (s);
  while (order = leat_persistent_next (s, done), !(order & LEAT_ORDER_LEAVE))
    {
      const unsigned char *args = s.args + LEAT_ORDER_LANE (order) * s.lane_bytes;

      for (unsigned int i = 0; i < s.n_stages; i++)
        leat_persistent_run_stage (s, i, args);
      done = LEAT_ORDER_NUMBER (order);
      leat_persistent_end (s, done);
    }
  if (leat_persistent_get_rank () == 0 && leat_persistent_get_block () == 0)
    leat_store_release_system (&s.signal->left, s.launch);
}
