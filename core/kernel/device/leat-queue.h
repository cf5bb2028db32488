/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* A queue of work items on the device, the same text for NVRTC and for the CPU: put before kernels that use it, behind
 * leat-queue-ring.h and leat-dialect-cuda-queue.h or leat-dialect-host-queue.h, which bring what is different:
 *
 *  - LEAT_QUEUE_FUNCTION: qualifiers of a function
 *  - LEAT_QUEUE_MEMBER: the same for a member
 *  - leat_queue_crowd: the threads of a warp that are here together for the same queue; on a CPU, one alone
 *  - leat_queue_peek () and leat_queue_look (), which read a counter, the second in order with what follows
 *  - leat_queue_add (), leat_queue_add_release (), which is in order with what stands before, and leat_queue_raise ()
 *  - leat_queue_pass (), which hands a turn on, and leat_queue_pause (), after which a thread looks for its own again
 *  - leat_queue_tell (), which lets the host know that there is something to see
 *
 * A crowd draws its tickets with one addition.  No thread stands still between drawing a ticket and passing the turn on,
 * but to wait for the turn of an earlier ticket; the earliest of all waits for nobody.  For that to hold on a GPU, no
 * thread whose turn has come may be kept from passing it on by one of its warp that still waits: compilers let those who
 * leave a loop early wait behind it for the rest.  So all of a crowd go round until nobody waits, and pass on within. */

template <class T> struct LeatQueue : LeatQueueView
{
};

template <class T>
LEAT_QUEUE_FUNCTION LeatQueueTotals *
leat_queue_totals (const LeatQueue<T> &queue)
{
  return queue.block != nullptr ? &queue.block->queues[queue.number] : nullptr;
}

template <class T>
LEAT_QUEUE_FUNCTION uint64_t *
leat_queue_turn (const LeatQueue<T> &queue, uint64_t ticket)
{
  return (uint64_t *) (queue.ring + 1) + (ticket & (((uint64_t) 1 << queue.shift) - 1));
}

template <class T>
LEAT_QUEUE_FUNCTION T *
leat_queue_cell (const LeatQueue<T> &queue, uint64_t ticket)
{
  uint64_t cells = (uint64_t) 1 << queue.shift;

  return (T *) ((uint64_t *) (queue.ring + 1) + cells) + (ticket & (cells - 1));
}

/* Whether a turn has come to @mine, in order with what follows.  @again: after a look in vain, which costs the whole
 * multiprocessor what it has in its cache; from then on it looks so only where it is known to be worth while. */
LEAT_QUEUE_FUNCTION bool
leat_queue_has_come (const uint64_t *turn, uint64_t mine, bool again)
{
  return (!again || leat_queue_peek (turn) == mine) && leat_queue_look (turn) == mine;
}

/* Whether it was the turn of the push with @ticket; then the item is in the ring. */
template <class T>
LEAT_QUEUE_FUNCTION bool
leat_queue_put (const LeatQueue<T> &queue, uint64_t ticket, const T &item, bool again)
{
  uint64_t *turn = leat_queue_turn (queue, ticket), mine = (ticket >> queue.shift) * 2;

  if (!leat_queue_has_come (turn, mine, again))
    return false;
  *leat_queue_cell (queue, ticket) = item;
  leat_queue_pass (turn, mine + 1);
  return true;
}

/* Whether it was the turn of the claim with @ticket; then the item is here. */
template <class T>
LEAT_QUEUE_FUNCTION bool
leat_queue_get (const LeatQueue<T> &queue, uint64_t ticket, T &item, bool again)
{
  uint64_t *turn = leat_queue_turn (queue, ticket), mine = (ticket >> queue.shift) * 2 + 1;

  if (!leat_queue_has_come (turn, mine, again))
    return false;
  item = *leat_queue_cell (queue, ticket);
  leat_queue_pass (turn, mine + 1);
  return true;
}

/* Takes room for @n items, or for as many as there is room for. */
template <class T>
LEAT_QUEUE_FUNCTION uint64_t
leat_queue_enter (const LeatQueue<T> &queue, uint64_t n)
{
  LeatQueueTotals *totals = leat_queue_totals (queue);
  uint64_t before = leat_queue_peek (&queue.ring->outstanding), room;

  if (before >= queue.capacity)
    return 0;
  before = leat_queue_add (&queue.ring->outstanding, n);
  room = before < queue.capacity ? queue.capacity - before : 0;
  if (room < n)
    leat_queue_add (&queue.ring->outstanding, room - n);
  n = room < n ? room : n;
  if (totals != nullptr && n > 0)
    {
      leat_queue_add (&totals->pushed, n);
      leat_queue_raise (&totals->most, before + n);
    }
  return n;
}

/* Takes @n of the items that are there, or as many as there are. */
template <class T>
LEAT_QUEUE_FUNCTION uint64_t
leat_queue_take (const LeatQueue<T> &queue, uint64_t n)
{
  LeatQueueTotals *totals = leat_queue_totals (queue);
  int64_t before = (int64_t) leat_queue_peek (&queue.ring->ready);
  uint64_t there;

  if (before <= 0)
    return 0;
  before = (int64_t) leat_queue_add (&queue.ring->ready, (uint64_t) 0 - n);
  there = before <= 0 ? 0 : (uint64_t) before;
  if (there < n)
    leat_queue_add (&queue.ring->ready, n - there);
  n = there < n ? there : n;
  if (totals != nullptr && n > 0)
    leat_queue_add (&totals->claimed, n);
  return n;
}

/* Puts the items of those in the crowd that have room into the queue. */
template <class T>
LEAT_QUEUE_FUNCTION void
leat_queue_append (const LeatQueue<T> &queue, const leat_queue_crowd &crowd, uint64_t n, const T &item)
{
  uint64_t first = 0;
  unsigned int pauses = 0;
  bool waits = crowd.rank < n;

  if (crowd.rank == 0 && n > 0)
    first = leat_queue_add (&queue.ring->tail, n);
  first = crowd.share (first);
  do
    waits = waits && !leat_queue_put (queue, first + crowd.rank, item, pauses > 0);
  while (crowd.any (waits) && leat_queue_pause (pauses++));
  if (crowd.rank == 0 && n > 0)
    leat_queue_add (&queue.ring->ready, n);
}

template <class T>
LEAT_QUEUE_FUNCTION void
leat_queue_lose (const LeatQueue<T> &queue, uint64_t n)
{
  LeatQueueTotals *totals = leat_queue_totals (queue);

  if (totals != nullptr && leat_queue_add (&totals->lost, n) == 0)
    leat_queue_tell (queue.block);
}

template <class T>
LEAT_QUEUE_FUNCTION bool
leat_queue_offer (const LeatQueue<T> &queue, const T &item, bool must)
{
  const leat_queue_crowd crowd (queue.ring);
  uint64_t n = 0;

  if (crowd.rank == 0)
    n = leat_queue_enter (queue, crowd.size);
  n = crowd.share (n);
  leat_queue_append (queue, crowd, n, item);
  if (must && crowd.rank == 0 && n < crowd.size)
    leat_queue_lose (queue, crowd.size - n);
  return crowd.rank < n;
}

/* Adds an item.  Where there is no room it is lost: false, and the queue has overflowed. */
template <class T>
LEAT_QUEUE_FUNCTION bool
leat_queue_push (const LeatQueue<T> &queue, T item)
{
  return leat_queue_offer (queue, item, true);
}

/* The same for who has another use for an item that there is no room for; that is no overflow. */
template <class T>
LEAT_QUEUE_FUNCTION bool
leat_queue_try_push (const LeatQueue<T> &queue, T item)
{
  return leat_queue_offer (queue, item, false);
}

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

/* How many items were pushed and are not done; 0 only when all are.  What was written for them can be read then. */
template <class T>
LEAT_QUEUE_FUNCTION uint64_t
leat_queue_outstanding (const LeatQueue<T> &queue)
{
  return leat_queue_look (&queue.ring->outstanding);
}

/* Whether no item is outstanding and none is to come of QUEUE_FOR.  Who asks has nothing to do and asks again: so it
 * looks in order only where it seems to be so. */
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
