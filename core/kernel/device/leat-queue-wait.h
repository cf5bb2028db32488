/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* What waits for items, behind leat-queue.h.  On the CPU it stands inside a struct, whose members wait. */

/* After a look in vain: false where there is nothing to wait for; else rests, longer and longer, so that those who
 * look do not keep the counters from those who work. */
template <class T>
LEAT_QUEUE_WAITING bool
leat_queue_rests (const LeatQueue<T> &queue, leat_queue_watch &watch)
{
  if (leat_queue_is_finished (queue)
      || (watch.rest >= LEAT_QUEUE_LONGEST_REST && leat_queue_gives_up (queue, watch, LEAT_QUEUE_NOW ())))
    return false;
  __nanosleep (watch.rest);
  watch.rest = watch.rest < LEAT_QUEUE_LONGEST_REST ? watch.rest * 2 : watch.rest;
  return true;
}

/* Takes the oldest item, waiting until there is one; false when none is outstanding and none to come. */
template <class T>
LEAT_QUEUE_WAITING bool
leat_queue_next (const LeatQueue<T> &queue, T &item)
{
  leat_queue_watch watch = { 0, 0, LEAT_QUEUE_FIRST_REST };

  while (!leat_queue_claim (queue, item))
    if (!leat_queue_rests (queue, watch))
      return false;
  return true;
}

/* The same for all threads of a block together, which all must come here.  @mine: whether this one has got an item */
template <class T>
LEAT_QUEUE_WAITING bool
leat_queue_next_of_block (const LeatQueue<T> &queue, T &item, bool &mine)
{
  bool first = threadIdx.x + threadIdx.y + threadIdx.z == 0;
  leat_queue_watch watch = { 0, 0, LEAT_QUEUE_FIRST_REST };

  for (;;)
    {
      mine = leat_queue_claim (queue, item);
      if (__syncthreads_or (mine))
        return true;
      if (__syncthreads_or (first && !leat_queue_rests (queue, watch)))
        return false;
    }
}
