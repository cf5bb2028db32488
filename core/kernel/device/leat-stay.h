/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* A kernel that stays on the device, runs its stages whenever the host rings, and leaves when it is told to, when
 * nobody has rung for long, or when a run takes too long.  Behind leat-dialect-*-doorbell.h, before the text of the
 * kernels; inside a struct on the CPU.
 *
 * Who sees what.  The host writes a run's inputs and then the bell, as a release; thread 0 of block 0 reads the bell as
 * an acquire at system scope, and so is after the inputs.  It passes the order on by a release at device scope, which
 * thread 0 of each other block acquires; the barrier of a block puts its other threads behind thread 0.  Such
 * synchronisation is transitive in the memory model, whatever the scopes on the way, as each pair's scope includes both
 * of its threads: so every thread is after the host's writes.  The way back is the same: barrier, release by thread 0 of
 * each block, acquire by that of block 0, and its release at system scope of the number that the host waits for, which
 * has acquired what the other blocks released and so covers their writes to the host's memory too.
 *
 * No two runs are under way at once: block 0 looks at the bell again when all blocks have ended the run before. */

/* Of those who notice that time is up, one says where it was. */
LEAT_STAY_APART void
leat_stay_tell (unsigned int ticks)
{
  LeatStayHere *here = LEAT_HERE;
  LeatDoorbell *bell = here->bell;

  if (atomicCAS (&here->home->over, 0u, 1u) != 0)
    return;
  bell->fault_stage = here->stage;
  bell->fault_block = leat_stay_get_block ();
  bell->fault_ticks = ticks;
  leat_store_release_system (&bell->fault, LEAT_ORDER_NUMBER (here->order));
}

/* The time of a run is counted from when a thread of the block first has to look: to ask what time it is takes as long
 * as some runs. */
LEAT_STAY bool
leat_stay_is_over ()
{
  LeatStayHere *here = LEAT_HERE;
  const uint64_t now = leat_clock_now (), deadline = leat_load_relaxed (&here->deadline);

  if (deadline == 0)
    leat_store_relaxed (&here->deadline, now + here->limit_ns);
  return deadline != 0 && now >= deadline;
}

/* Does not come back where the run is over: threads that are not here yet find the order to leave behind their next
 * barrier, which this one's end opens. */
LEAT_STAY_APART void
leat_stay_look (unsigned int ticks)
{
  LeatStayHere *here = LEAT_HERE;

  if (leat_load_relaxed (&here->home->over) == 0)
    {
      if (!leat_stay_is_over ())
        return;
      leat_stay_tell (ticks);
    }
  leat_store_relaxed (&here->order, leat_load_relaxed (&here->order) | LEAT_ORDER_LEAVE);
  leat_stay_exit ();
}

/* In the condition of every loop that may have no end. */
LEAT_STAY bool
leat_tick (unsigned int &ticks)
{
  if ((++ticks & 255) == 0)
    leat_stay_look (ticks);
  return true;
}

/* What __syncthreads () is in here. */
LEAT_STAY void
leat_stay_sync ()
{
  leat_stay_barrier ();
  if (leat_load_relaxed (&LEAT_HERE->order) & LEAT_ORDER_LEAVE)
    leat_stay_exit ();
}

/* For thread 0: waits until others have counted so far. */
LEAT_STAY void
leat_stay_await (const uint64_t *count, uint64_t until)
{
  for (unsigned int looks = 1; leat_load_acquire (count) < until; looks++)
    {
      __nanosleep (LEAT_STAY_BLOCK_REST);
      if (looks % 64 == 0)
        leat_stay_look (looks);
    }
}

LEAT_STAY uint64_t
leat_stay_poll (const LeatStay &s, uint64_t done)
{
  uint64_t since = leat_clock_now (), bell;

  for (unsigned int looks = 1;; looks++)
    {
      bell = leat_load_acquire_system (&s.bell->bell);
      if (LEAT_ORDER_NUMBER (bell) == done + 1)
        return bell & ~(uint64_t) LEAT_ORDER_LEAVE;
      if (LEAT_ORDER_NUMBER (bell) > done)
        return LEAT_ORDER_MAKE (done + 1, s.bell->lanes[(done + 1) % LEAT_DOORBELL_SLOTS]);
      if ((bell & LEAT_ORDER_LEAVE) || (looks % 16 == 0 && leat_clock_now () - since > s.idle_ns))
        return LEAT_ORDER_MAKE (done, 0) | LEAT_ORDER_LEAVE;
      __nanosleep (LEAT_STAY_IDLE_REST);
    }
}

/* What was over for another block is over for this one, whose own part of the run had ended.  When a stay begins the
 * order is 0, whatever was done before. */
LEAT_STAY uint64_t
leat_stay_hear (const LeatStay &s, uint64_t done)
{
  uint64_t order;

  for (unsigned int looks = 1; order = leat_load_acquire (&s.home->order),
                    LEAT_ORDER_NUMBER (order) <= done && !(order & LEAT_ORDER_LEAVE);
       looks++)
    {
      if (looks % 64 == 0 && leat_load_relaxed (&s.home->over) != 0)
        return order | LEAT_ORDER_LEAVE;
      __nanosleep (LEAT_STAY_BLOCK_REST);
    }
  return order;
}

LEAT_STAY uint64_t
leat_stay_next (const LeatStay &s, uint64_t done)
{
  if (leat_stay_get_rank () == 0)
    {
      uint64_t order = leat_stay_get_block () == 0 ? leat_stay_poll (s, done) : leat_stay_hear (s, done);

      if (leat_stay_get_block () == 0 && leat_stay_count_blocks () > 1)
        leat_store_release (&s.home->order, order);
      LEAT_HERE->order = order;
      LEAT_HERE->deadline = 0;
    }
  leat_stay_barrier ();
  return leat_load_relaxed (&LEAT_HERE->order);
}

/* Between stages, and in a kernel that waits for its whole grid: what all blocks wrote before it is there for all after
 * it. */
LEAT_STAY void
leat_stay_meet ()
{
  LeatStayHere *here = LEAT_HERE;

  leat_stay_sync ();
  if (leat_stay_count_blocks () == 1)
    return;
  if (leat_stay_get_rank () == 0)
    {
      here->meets++;
      leat_add_release_device (&here->home->met, 1);
      leat_stay_await (&here->home->met, here->meets * leat_stay_count_blocks ());
    }
  leat_stay_sync ();
}

LEAT_STAY void
leat_stay_end (const LeatStay &s, uint64_t number)
{
  leat_stay_sync ();
  if (leat_stay_get_rank () != 0)
    return;
  if (leat_stay_get_block () != 0)
    {
      leat_add_release_device (&s.home->arrived, 1);
      return;
    }
  if (leat_stay_count_blocks () > 1)
    leat_stay_await (&s.home->arrived, (number - s.done) * (leat_stay_count_blocks () - 1));
  leat_store_release_system (&s.bell->done, number);
}

LEAT_STAY void
leat_stay_copy (const unsigned char *args)
{
  unsigned char *to = *(unsigned char *const *) args;
  const unsigned char *from = *(const unsigned char *const *) (args + LEAT_STAY_PARAM);
  const uint64_t bytes = *(const uint64_t *) (args + 2 * LEAT_STAY_PARAM);
  const uint64_t wide = (((uint64_t) to | (uint64_t) from) & 15) == 0 ? bytes / 16 : 0;

  GRID_FOR (i, wide)
    ((ulonglong2 *) to)[i] = ((const ulonglong2 *) from)[i];
  GRID_FOR (i, bytes - 16 * wide)
    to[16 * wide + i] = from[16 * wide + i];
}

LEAT_STAY void
leat_stay_fill (const unsigned char *args)
{
  unsigned char *to = *(unsigned char *const *) args;
  const unsigned char value = *(args + LEAT_STAY_PARAM);
  const uint64_t bytes = *(const uint64_t *) (args + 2 * LEAT_STAY_PARAM);

  GRID_FOR (i, bytes)
    to[i] = value;
}

#ifdef LEAT_CUDA
static __device__ void leat_stay_do (unsigned int kind, const unsigned char *args);
#endif

/* The blocks of a stage, in turn on those that there are. */
LEAT_STAY void
leat_stay_do_blocks (const LeatStage &stage, const unsigned char *args)
{
  const unsigned int n = stage.grid[0] * stage.grid[1] * stage.grid[2];

  for (unsigned int b = leat_stay_get_block (); b < n; b += leat_stay_count_blocks ())
    {
      const unsigned int row = n == stage.grid[0] ? 0 : b / stage.grid[0];
      const unsigned int z = row == 0 ? 0 : row / stage.grid[1];

      leat_stay_set_place (stage, b - row * stage.grid[0], row - z * stage.grid[1], z);
      leat_stay_sync ();
      if (stage.kind == LEAT_STAGE_COPY)
        leat_stay_copy (args);
      else if (stage.kind == LEAT_STAGE_FILL)
        leat_stay_fill (args);
      else
        leat_stay_do (stage.kind - LEAT_STAGE_KERNEL, args);
      leat_stay_sync ();
    }
}

LEAT_STAY void
leat_stay_run_stage (const LeatStay &s, unsigned int i, const unsigned char *args)
{
  const LeatStage &stage = s.stages[i];

  if (stage.meets)
    leat_stay_meet ();
  if (leat_stay_get_rank () == 0)
    LEAT_HERE->stage = i;
  leat_stay_do_blocks (stage, args + stage.args);
}

LEAT_STAY void
leat_stay_run (const LeatStay &s)
{
  uint64_t done = s.done, order;

  if (leat_stay_get_rank () == 0)
    leat_stay_know (s);
  while (order = leat_stay_next (s, done), !(order & LEAT_ORDER_LEAVE))
    {
      const unsigned char *args = s.args + LEAT_ORDER_LANE (order) * s.lane_bytes;

      for (unsigned int i = 0; i < s.n_stages; i++)
        leat_stay_run_stage (s, i, args);
      done = LEAT_ORDER_NUMBER (order);
      leat_stay_end (s, done);
    }
  if (leat_stay_get_rank () == 0 && leat_stay_get_block () == 0)
    leat_store_release_system (&s.bell->left, s.stay);
}
