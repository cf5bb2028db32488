/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "image.hpp"

/* Kernels with planted mistakes, and the same without. */

struct InOut
{
  uint32_t *out;
  const uint32_t *in;
};

template <bool with_barrier>
static inline void
reverse (const Thread &t, const InOut &p)
{
  uint32_t *tile = t.shared<uint32_t> ();
  uint64_t first = (uint64_t) t.block->index.x * t.n_threads ();
  tile[t.linear ()] = p.in[first + t.linear ()];
  if (with_barrier)
    t.sync ();
  p.out[first + t.linear ()] = tile[t.n_threads () - 1 - t.linear ()]; /* race when there is no barrier */
}

static void
reverse_right (const Thread &t, const InOut &p)
{
  reverse<true> (t, p);
}

static void
reverse_wrong (const Thread &t, const InOut &p)
{
  reverse<false> (t, p);
}

template <bool with_sync>
static inline void
neighbour (const Thread &t, const InOut &p)
{
  uint32_t *tile = t.shared<uint32_t> ();
  tile[t.linear ()] = p.in[t.linear ()];
  if (with_sync)
    t.warp (LEAT_HOST_WARP_SYNC, 0);
  else
    t.warp (LEAT_HOST_WARP_BALLOT, 1);
  p.out[t.linear ()] = tile[t.linear () ^ 1];
}

static void
warp_right (const Thread &t, const InOut &p)
{
  neighbour<true> (t, p);
}

static void
warp_wrong (const Thread &t, const InOut &p)
{
  neighbour<false> (t, p);
}

/* One lane goes before the others meet. */
static void
warp_left (const Thread &t, const InOut &p)
{
  uint32_t *tile = t.shared<uint32_t> ();
  tile[t.linear ()] = p.in[t.linear ()];
  if (t.linear () % 32 == 5)
    return;
  t.warp (LEAT_HOST_WARP_SYNC, 0);
  p.out[t.linear ()] = tile[(t.linear () ^ 1) % 32 == 5 ? t.linear () : t.linear () ^ 1];
}

static void
blocks_wrong (const Thread &t, const InOut &p)
{
  p.out[0] += t.block->index.x;
}

static void
blocks_right (const Thread &t, const InOut &p)
{
  __atomic_fetch_add (&p.out[0], t.block->index.x, __ATOMIC_RELAXED);
}

/* Flat: no thread waits, yet two threads write one place. */
static void
flat_wrong (const Thread &t, const InOut &p)
{
  p.out[t.linear () / 2] = p.in[t.linear ()];
}

static void
grid_right (const Thread &t, const InOut &p)
{
  uint32_t n = t.n_threads () * t.block->grid.x, i = (uint32_t) t.global ();
  p.out[i] = p.in[i];
  runtime->grid_barrier (t.block);
  p.out[n + i] = p.out[n - 1 - i];
}

static void
shared_overrun (const Thread &t, const InOut &p)
{
  uint32_t *tile = t.shared<uint32_t> ();
  tile[t.linear () + 1] = p.in[t.linear ()];
}

static void
dynamic_overrun (const Thread &t, const InOut &p)
{
  uint32_t *tile = t.dynamic<uint32_t> ();
  t.sync ();
  tile[t.linear () + 1] = p.in[t.linear ()];
  t.sync ();
}

static void
global_overrun (const Thread &t, const InOut &p)
{
  p.out[t.linear () + 1] = p.in[t.linear ()];
}

static const LeatHostKernel kernels[] = {
  WAITS (InOut, reverse_right, 256),  WAITS (InOut, reverse_wrong, 256), WAITS (InOut, warp_right, 256),
  WAITS (InOut, warp_wrong, 256),     FLAT (InOut, blocks_right),        FLAT (InOut, blocks_wrong),
  FLAT (InOut, flat_wrong),           GRID_WAITS (InOut, grid_right, 0), WAITS (InOut, shared_overrun, 256),
  WAITS (InOut, dynamic_overrun, 64), FLAT (InOut, global_overrun),      WAITS (InOut, warp_left, 256),
};

static uint32_t nothing;
static const LeatHostGlobal globals[] = { { "nothing", &nothing, sizeof nothing } };

IMAGE (kernels, globals)
