/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Waiting for items, behind leat-queue.h.  On the CPU functions that wait are told which thread does. */

#define LEAT_QUEUE_FIRST_REST 100 /* ns */
#define LEAT_QUEUE_LONGEST_REST 3200

/* How long a thread has seen nothing happen, and how long it rests before it looks again. */
struct leat_queue_watch
{
  uint64_t seen = 0, since = 0;
  unsigned int rest = LEAT_QUEUE_FIRST_REST;
};

/* A thread's data in QUEUE_EACH.  A step that has begun is ended once, however the thread leaves the body. */
template <class T> struct leat_queue_hand
{
  const LeatQueue<T> queue;
  T taken;
  leat_queue_crowd crowd; /* the threads that take this step together */
  leat_queue_watch watch;
  bool mine = false, more = true, open = false;

  LEAT_QUEUE_MEMBER explicit leat_queue_hand (const LeatQueue<T> &from) : queue (from) {}
  LEAT_QUEUE_MEMBER ~leat_queue_hand ()
  {
    if (open)
      crowd.meet ();
  }
  LEAT_QUEUE_MEMBER void end ()
  {
    crowd.meet ();
    open = false;
  }
};

/* Whether to wait no more, since nothing was claimed or done for as long as the queue is patient. */
template <class T>
LEAT_QUEUE_FUNCTION bool
leat_queue_gives_up (const LeatQueue<T> &queue, leat_queue_watch &watch, uint64_t now)
{
  uint64_t outstanding = leat_queue_peek (&queue.ring->outstanding);
  uint64_t seen = leat_queue_peek (&queue.ring->head) * 0x9e3779b97f4a7c15ul + outstanding
                  + (leat_queue_peek (&queue.ring->start.finished) << 32);
  LeatQueueTotals *totals = leat_queue_totals (queue);

  if (watch.since == 0 || watch.seen != seen)
    {
      watch.seen = seen;
      watch.since = now;
    }
  if (queue.patience_ns == 0 || now - watch.since < queue.patience_ns)
    return false;
  if (totals != nullptr)
    {
      leat_queue_raise (&totals->stuck, outstanding > 0 ? outstanding : 1);
      leat_queue_tell (queue.block);
    }
  return true;
}

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

/* Begins a step of QUEUE_EACH; false when there is none any more. */
template <class T>
LEAT_QUEUE_WAITING bool
leat_queue_step (leat_queue_hand<T> &hand)
{
  uint64_t n;

  if (!hand.more)
    return false;
  hand.crowd = leat_queue_crowd (hand.queue.ring);
  hand.open = true;
  n = leat_queue_claim_among (hand.queue, hand.crowd, hand.taken);
  hand.mine = hand.crowd.rank < n;
  if (n > 0)
    hand.watch = leat_queue_watch ();
  else
    hand.more = leat_queue_rests (hand.queue, hand.watch);
  return true;
}

/* Takes the oldest items, one after the other, waiting while there is none; ends when none is outstanding and none to
 * come.  The body is for a thread that has an item; `break` and `return` leave the loop, `continue` goes on with the
 * next step.
 *
 * It is one loop, in which nothing waits for an item within: a thread without one comes to the end of the step like
 * those that have one.  There all that began the step meet.  If a thread went round by itself until it got an item,
 * those of its warp that have one would be kept behind that loop, by the compiler's choice, while the thread waits for
 * what only they can push or finish.  The meeting also keeps compilers from making such a loop of this one, since it
 * must be passed in each round.  A thread that rests keeps nobody from working: a crowd rests only where none of it has
 * an item.
 *
 * The threads that meet are found anew in each step: those that came to its beginning together, by chance, perhaps the
 * warp, perhaps a part of it.  A mask for the whole loop would have to name threads that left it before, or that came
 * later. */
#define QUEUE_EACH(item, queue)                                                                                        \
  for (leat_queue_hand leat_hand_of_##item (queue); leat_queue_step (LEAT_QUEUE_SELF leat_hand_of_##item);             \
       leat_hand_of_##item.end ())                                                                                     \
    if ([[maybe_unused]] auto &item = leat_hand_of_##item.taken; !leat_hand_of_##item.mine)                            \
      {                                                                                                                \
      }                                                                                                                \
    else

/* An item for each thread of a block that can have one, waiting until one has; all threads of the block come here.  @mine:
 * whether this one has got an item.  False when none is outstanding and none to come.  It may wait within, since who has
 * an item leaves with all the others. */
template <class T>
LEAT_QUEUE_WAITING bool
leat_queue_next_of_block (const LeatQueue<T> &queue, T &item, bool &mine)
{
  bool first = threadIdx.x + threadIdx.y + threadIdx.z == 0;
  leat_queue_watch watch;

  for (;;)
    {
      mine = leat_queue_claim (queue, item);
      if (__syncthreads_or (mine))
        return true;
      if (__syncthreads_or (first && !leat_queue_rests (queue, watch)))
        return false;
    }
}
