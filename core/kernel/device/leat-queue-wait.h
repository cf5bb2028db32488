/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* What waits for items, behind leat-queue.h.  On the CPU it stands inside a struct, whose members wait. */

/* Takes the oldest item, waiting until there is one; false when none is outstanding and none to come. */
template <class T>
LEAT_QUEUE_WAITING bool
leat_queue_next (const LeatQueue<T> &queue, T &item)
{
  leat_queue_watch watch = { 0, 0 };

  while (!leat_queue_claim (queue, item))
    {
      if (leat_queue_is_finished (queue) || leat_queue_gives_up (queue, watch, LEAT_QUEUE_NOW ()))
        return false;
      __nanosleep (100);
    }
  return true;
}

/* The same for all threads of a block together, which all must come here.  @mine: whether this one has got an item */
template <class T>
LEAT_QUEUE_WAITING bool
leat_queue_next_of_block (const LeatQueue<T> &queue, T &item, bool &mine)
{
  bool first = threadIdx.x + threadIdx.y + threadIdx.z == 0, ended;
  leat_queue_watch watch = { 0, 0 };

  for (;;)
    {
      mine = leat_queue_claim (queue, item);
      if (__syncthreads_or (mine))
        return true;
      ended = first && (leat_queue_is_finished (queue) || leat_queue_gives_up (queue, watch, LEAT_QUEUE_NOW ()));
      if (__syncthreads_or (ended))
        return false;
      __nanosleep (100);
    }
}
