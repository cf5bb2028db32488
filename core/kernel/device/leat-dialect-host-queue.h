/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* The base of leat-queue.h, on the CPU.  None of this lets another thread of the block run, so that only threads of the
 * host wait for each other's turns. */

extern "C" int sched_yield (void) noexcept;

#define LEAT_QUEUE_FUNCTION LEAT_INLINE
#define LEAT_QUEUE_MEMBER LEAT_MEMBER
#define LEAT_QUEUE_WAITING inline
#define LEAT_QUEUE_SELF leat_me (leat_self),
#define LEAT_QUEUE_NOW() leat_runtime->clock (leat_me (leat_self)->leat_block)
#define LEAT_QUEUE_SPINS 200 /* longer than it takes to copy an item: the other thread does not run */

LEAT_INLINE uint64_t
leat_queue_peek (const uint64_t *p)
{
  return __atomic_load_n (p, __ATOMIC_RELAXED);
}

LEAT_INLINE uint64_t
leat_queue_look (const uint64_t *p)
{
  return __atomic_load_n (p, __ATOMIC_ACQUIRE);
}

LEAT_INLINE uint64_t
leat_queue_add (uint64_t *p, uint64_t n)
{
  return __atomic_fetch_add (p, n, __ATOMIC_RELAXED);
}

LEAT_INLINE uint64_t
leat_queue_add_release (uint64_t *p, uint64_t n)
{
  return __atomic_fetch_add (p, n, __ATOMIC_RELEASE);
}

LEAT_INLINE void
leat_queue_raise (uint64_t *p, uint64_t v)
{
  uint64_t is = leat_queue_peek (p);

  while (is < v && !__atomic_compare_exchange_n (p, &is, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

/* Before the next look, for as long as another thread needs to copy an item. */
LEAT_INLINE bool
leat_queue_pause (unsigned int pauses)
{
  if (pauses % LEAT_QUEUE_SPINS == LEAT_QUEUE_SPINS - 1)
    sched_yield ();
  return true;
}

LEAT_INLINE void
leat_queue_pass (uint64_t *turn, uint64_t next)
{
  __atomic_store_n (turn, next, __ATOMIC_RELEASE);
}

LEAT_INLINE void
leat_queue_tell (LeatReportBlock *block)
{
  __atomic_store_n (block->own, 1, __ATOMIC_RELAXED);
  __atomic_store_n (block->any, 1, __ATOMIC_RELAXED);
}

/* A thread alone. */
struct leat_queue_crowd
{
  static constexpr uint64_t rank = 0, size = 1;

  leat_queue_crowd () = default;
  LEAT_MEMBER explicit leat_queue_crowd (const LeatQueueRing *) {}
  LEAT_MEMBER uint64_t share (uint64_t v) const { return v; }
  LEAT_MEMBER bool any (bool v) const { return v; }
  LEAT_MEMBER void meet () const {}
};
