/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Taking work out of a queue, and saying that it is done.  Behind leat-queue.h, which puts it in. */

/* How many of the crowd, the first ones, have taken an item. */
template <class T>
LEAT_QUEUE_FUNCTION uint64_t
leat_queue_claim_among (const LeatQueue<T> &queue, const leat_queue_crowd &crowd, T &item)
{
  uint64_t n = 0, first = 0;
  unsigned int pauses = 0;
  bool waits;

  if (crowd.rank == 0)
    {
      n = leat_queue_take (queue, crowd.size);
      first = n > 0 ? leat_queue_add (&queue.ring->head, n) : 0;
    }
  n = crowd.share (n);
  first = crowd.share (first);
  waits = crowd.rank < n;
  do
    waits = waits && !leat_queue_get (queue, first + crowd.rank, item, pauses > 0);
  while (crowd.any (waits) && leat_queue_pause (pauses++));
  return n;
}

/* Takes the oldest item, if there is one now. */
template <class T>
LEAT_QUEUE_FUNCTION bool
leat_queue_claim (const LeatQueue<T> &queue, T &item)
{
  const leat_queue_crowd crowd (queue.ring);

  return crowd.rank < leat_queue_claim_among (queue, crowd, item);
}

/* Takes up to @most items for this thread; how many. */
template <class T>
LEAT_QUEUE_FUNCTION unsigned int
leat_queue_claim_some (const LeatQueue<T> &queue, T *items, unsigned int most)
{
  const leat_queue_crowd crowd (queue.ring);
  uint64_t n = most > 0 ? leat_queue_take (queue, most) : 0, got = 0;
  uint64_t first = n > 0 ? leat_queue_add (&queue.ring->head, n) : 0;
  unsigned int pauses = 0;

  do
    while (got < n && leat_queue_get (queue, first + got, items[got], pauses > 0))
      got++;
  while (crowd.any (got < n) && leat_queue_pause (pauses++));
  return (unsigned int) n;
}

/* Puts back, behind all others, an item in the place of one that was claimed; for that there is always room. */
template <class T>
LEAT_QUEUE_FUNCTION void
leat_queue_requeue (const LeatQueue<T> &queue, T item)
{
  const leat_queue_crowd crowd (queue.ring);
  LeatQueueTotals *totals = leat_queue_totals (queue);

  if (crowd.rank == 0 && totals != nullptr)
    leat_queue_add (&totals->requeued, crowd.size);
  leat_queue_append (queue, crowd, crowd.size, item);
}

/* An item that was claimed is finished, with all that was pushed for it. */
template <class T>
LEAT_QUEUE_FUNCTION void
leat_queue_done (const LeatQueue<T> &queue)
{
  const leat_queue_crowd crowd (queue.ring);
  LeatQueueTotals *totals = leat_queue_totals (queue);

  crowd.meet ();
  if (crowd.rank != 0 || leat_queue_add_release (&queue.ring->outstanding, (uint64_t) 0 - crowd.size) >= crowd.size)
    return;
  leat_queue_add (&queue.ring->outstanding, crowd.size);
  if (totals != nullptr && leat_queue_add (&totals->misused, crowd.size) == 0)
    leat_queue_tell (queue.block);
}

/* How many items were pushed and are not done; 0 only when all are.  Then all writes for them can be read. */
template <class T>
LEAT_QUEUE_FUNCTION uint64_t
leat_queue_outstanding (const LeatQueue<T> &queue)
{
  return leat_queue_look (&queue.ring->outstanding);
}

/* Whether no item is outstanding and none is to come of QUEUE_FOR.  Idle threads ask again and again: so reads
 * with a memory order are made only where the first read finds 0. */
template <class T>
LEAT_QUEUE_FUNCTION bool
leat_queue_is_finished (const LeatQueue<T> &queue)
{
  if (leat_queue_peek (&queue.ring->outstanding) != 0)
    return false;
  return leat_queue_look (&queue.ring->start.finished) >= leat_queue_peek (&queue.ring->start.total)
         && leat_queue_outstanding (queue) == 0;
}

/* The next of the numbers up to @n that nobody has; @n or more when all are given out. */
template <class T>
LEAT_QUEUE_FUNCTION uint64_t
leat_queue_draw (const LeatQueue<T> &queue, uint64_t n)
{
  const leat_queue_crowd crowd (queue.ring);
  uint64_t first = n;

  if (crowd.rank == 0)
    {
      leat_queue_raise (&queue.ring->start.total, n);
      if (leat_queue_peek (&queue.ring->start.drawn) < n)
        first = leat_queue_add (&queue.ring->start.drawn, crowd.size);
    }
  return crowd.share (first) + crowd.rank;
}

/* All that a number brings has been pushed; of a crowd one says so, when all have met. */
template <class T>
LEAT_QUEUE_FUNCTION uint64_t
leat_queue_draw_again (const LeatQueue<T> &queue, uint64_t n)
{
  const leat_queue_crowd crowd (queue.ring);

  crowd.meet ();
  if (crowd.rank == 0)
    leat_queue_add_release (&queue.ring->start.finished, crowd.size);
  return leat_queue_draw (queue, n);
}

/* Gives each of the items 0 to n - 1 to one of the threads that are there, which pushes the work that begins with it.
 * No thread waits for one that has not begun to run, and none that waits for work leaves before all are given out. */
#define QUEUE_FOR(i, n, queue)                                                                                         \
  for (uint64_t leat_end_of_##i = (n), i = leat_queue_draw (queue, leat_end_of_##i); i < leat_end_of_##i;              \
       i = leat_queue_draw_again (queue, leat_end_of_##i))

template <class T>
LEAT_QUEUE_FUNCTION uint64_t
leat_queue_capacity (const LeatQueue<T> &queue)
{
  return queue.capacity;
}

/* For how many more items there is room now. */
template <class T>
LEAT_QUEUE_FUNCTION uint64_t
leat_queue_room (const LeatQueue<T> &queue)
{
  uint64_t outstanding = leat_queue_peek (&queue.ring->outstanding);

  return outstanding < queue.capacity ? queue.capacity - outstanding : 0;
}
