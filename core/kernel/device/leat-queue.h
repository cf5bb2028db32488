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
