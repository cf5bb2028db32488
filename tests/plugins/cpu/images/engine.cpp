/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "image.hpp"

/* Kernels that need nothing. */

struct Saxpy
{
  float *y;
  const float *x;
  uint64_t n;
};

static void
saxpy (const Thread &t, const Saxpy &p)
{
  uint64_t i = t.global ();
  if (i < p.n)
    p.y[i] = 2.0f * p.x[i] + p.y[i];
}

struct Out
{
  uint32_t *out;
};

static void
indices (const Thread &t, const Out &p)
{
  const LeatHostDim3 &g = t.block->grid, &i = t.block->index;
  uint64_t block = i.x + (uint64_t) g.x * (i.y + (uint64_t) g.y * i.z);
  p.out[block * t.n_threads () + t.linear ()] += 1 + (uint32_t) block;
}

static void
which_form (const Thread &t, const Out &p)
{
  if (t.linear () == 0)
    p.out[0] = 1;
}

static void
which_form_variant (LeatHostBlock *, const void *params)
{
  ((const Out *) params)->out[0] = 2;
}

static uint32_t counter = 7;

static void
count_global (const Thread &, const Out &p)
{
  p.out[0] = __atomic_add_fetch (&counter, 1, __ATOMIC_RELAXED);
}

/* Barriers. */

struct InOut
{
  uint32_t *out;
  const uint32_t *in;
  uint64_t n;
};

static void
reverse (const Thread &t, const InOut &p)
{
  uint32_t *tile = t.dynamic<uint32_t> ();
  uint64_t first = (uint64_t) t.block->index.x * t.n_threads ();
  tile[t.linear ()] = p.in[first + t.linear ()];
  t.sync ();
  p.out[first + t.linear ()] = tile[t.n_threads () - 1 - t.linear ()];
}

/* A tree sum in static shared memory, many barriers; threads beyond the data have returned before the first. */
static void
tree_sum (const Thread &t, const InOut &p)
{
  uint32_t *tile = t.shared<uint32_t> ();
  uint32_t i = t.linear (), n = (uint32_t) p.n;
  if (i >= n)
    return;
  tile[i] = p.in[t.block->index.x * n + i];
  t.sync ();
  for (uint32_t step = 1; step < n; step *= 2)
    {
      uint32_t other = i + step < n && i % (2 * step) == 0 ? tile[i + step] : 0;
      t.sync ();
      tile[i] += other;
      t.sync ();
    }
  if (i == 0)
    p.out[t.block->index.x] = tile[0];
}

static void
barrier_votes (const Thread &t, const Out &p)
{
  uint32_t *out = p.out + t.linear () * 4;
  out[0] = (uint32_t) t.sync_as (LEAT_HOST_BARRIER_COUNT, t.linear () % 3 == 0);
  out[1] = (uint32_t) t.sync_as (LEAT_HOST_BARRIER_AND, 5);
  out[2] = (uint32_t) t.sync_as (LEAT_HOST_BARRIER_AND, t.linear () != 3);
  out[3] = (uint32_t) (t.sync_as (LEAT_HOST_BARRIER_OR, t.linear () == 3)
                       + 2 * t.sync_as (LEAT_HOST_BARRIER_OR, 0));
}

/* Who has `in` 0 has returned; the others say how many of them have an odd one. */
static void
barrier_leave (const Thread &t, const InOut &p)
{
  uint32_t *out = p.out + t.linear () * 4, in = p.in[t.linear ()];

  if (in == 0)
    return;
  out[0] = (uint32_t) t.sync_as (LEAT_HOST_BARRIER_COUNT, (int) (in % 2));
  out[1] = (uint32_t) t.sync_as (LEAT_HOST_BARRIER_AND, (int) (in % 2));
  if (in == 1)
    return;
  out[2] = (uint32_t) t.sync_as (LEAT_HOST_BARRIER_OR, (int) (in % 2));
  out[3] = (uint32_t) t.sync_as (LEAT_HOST_BARRIER_AND, (int) (in % 2));
}

/* Even lanes at the barrier, odd ones at an operation of the whole warp. */
static void
half_wait (const Thread &t, const Out &p)
{
  if (t.linear () % 2 == 0)
    t.sync ();
  else
    t.warp (LEAT_HOST_WARP_SYNC, 0, 0, 32, 0xffffffffu);
  p.out[0] = 1;
}

/* Thread 0 waits for a flag that the last thread sets. */
static void
flag_in_block (const Thread &t, const Out &p)
{
  volatile uint32_t *flag = t.shared<uint32_t> ();
  if (t.linear () == 0)
    *flag = 0;
  t.sync ();
  if (t.linear () == t.n_threads () - 1)
    *flag = 1;
  while (*flag == 0)
    t.sleep ();
  p.out[t.linear ()] = *flag;
}

/* Warps. */

struct WarpOp
{
  uint64_t *out;
  const uint64_t *in;
  uint64_t op;
  uint64_t arg;
  uint64_t width;
};

static void
warp_op (const Thread &t, const WarpOp &p)
{
  uint32_t live = t.n_threads () - t.linear () / 32 * 32;
  uint32_t mask = live >= 32 ? 0xffffffffu : (1u << live) - 1;
  p.out[t.linear ()] = t.warp ((LeatHostWarpOp) p.op, p.in[t.linear ()], (uint32_t) p.arg, (uint32_t) p.width, mask);
}

/* Odd and even lanes form groups of their own, which go different numbers of times through different operations. */
static void
warp_groups (const Thread &t, const Out &p)
{
  uint32_t sum = t.lane ();
  if (t.lane () % 2 != 0)
    for (uint32_t step = 2; step < 32; step *= 2)
      sum += (uint32_t) t.warp (LEAT_HOST_WARP_SHFL_XOR, sum, step, 32, 0xaaaaaaaau);
  else
    sum = (uint32_t) t.warp (LEAT_HOST_WARP_REDUCE_ADD, sum, 0, 32, 0x55555555u);
  t.warp (LEAT_HOST_WARP_SYNC, 0);
  p.out[t.linear ()] = sum;
}

/* A lane that returned is not waited for. */
static void
warp_returns (const Thread &t, const Out &p)
{
  if (t.lane () >= 20)
    return;
  p.out[t.linear ()] = (uint32_t) t.warp (LEAT_HOST_WARP_BALLOT, 1);
}

/* Of the lanes whose bit in @leaves is set, some return before the others come and some when these wait for them. */
struct WarpLeave
{
  uint64_t *out;
  const uint64_t *in;
  uint64_t op;
  uint64_t leaves;
};

static void
warp_leave (const Thread &t, const WarpLeave &p)
{
  if (p.leaves >> t.lane () & 1)
    return;
  p.out[t.linear ()] = t.warp ((LeatHostWarpOp) p.op, p.in[t.linear ()], 1);
}

static void
warp_wrong_mask (const Thread &t, const Out &p)
{
  p.out[0] = (uint32_t) t.warp (LEAT_HOST_WARP_BALLOT, 1, 0, 32, t.lane () == 3 ? 0xf0u : 0xffffffffu);
}

/* Blocks that wait for earlier blocks: a prefix sum with decoupled look-back.  state: 0 nothing, 1 + sum inclusive. */

struct Scan
{
  uint64_t *out;
  const uint64_t *in;
  uint64_t *state;
};

static void
look_back (const Thread &t, const Scan &p)
{
  uint64_t *tile = t.shared<uint64_t> ();
  uint32_t n = t.n_threads (), i = t.linear (), block = t.block->index.x;
  tile[i] = p.in[(uint64_t) block * n + i];
  t.sync ();
  if (i == 0)
    {
      uint64_t before = 0;
      for (uint32_t k = 1; k < n; k++)
        tile[k] += tile[k - 1];
      while (block > 0 && (before = __atomic_load_n (&p.state[block - 1], __ATOMIC_ACQUIRE)) == 0)
        t.sleep ();
      tile[n] = before > 0 ? before - 1 : 0;
      __atomic_store_n (&p.state[block], 1 + tile[n] + tile[n - 1], __ATOMIC_RELEASE);
    }
  t.sync ();
  p.out[(uint64_t) block * n + i] = tile[n] + tile[i];
}

/* Rounds of adding the neighbour block's value, a grid barrier in between. */
struct Rounds
{
  uint64_t *a;
  uint64_t *b;
  uint64_t n_rounds;
};

static void
ring (const Thread &t, const Rounds &p)
{
  uint32_t blocks = t.block->grid.x, n = t.n_threads (), i = t.linear ();
  uint64_t here = (uint64_t) t.block->index.x * n + i;
  uint64_t there = (uint64_t) ((t.block->index.x + 1) % blocks) * n + i;
  uint64_t *from = p.a, *to = p.b;
  for (uint64_t round = 0; round < p.n_rounds; round++)
    {
      to[here] = from[here] + from[there];
      runtime->grid_barrier (t.block);
      uint64_t *swap = from;
      from = to;
      to = swap;
    }
}

static void
grid_deadlock (const Thread &t, const Out &)
{
  if (t.block->index.x > 0)
    runtime->grid_barrier (t.block);
}

/* The first block waits for the last, in a plain launch. */
static void
wait_for_last (const Thread &t, const Out &p)
{
  if (t.block->index.x == t.block->grid.x - 1)
    __atomic_store_n (&p.out[0], 1, __ATOMIC_RELEASE);
  while (__atomic_load_n (&p.out[0], __ATOMIC_ACQUIRE) == 0)
    t.sleep ();
}

/* Faults. */

static void
assert_fails (const Thread &t, const Out &p)
{
  t.sync ();
  if (t.block->index.x == 1 && t.linear () == 5)
    runtime->trap (t.block, "n < 4", "user.cu", 12);
  p.out[0] = 1;
}

static void
flat_trap (const Thread &t, const Out &p)
{
  if (t.block->index.x == p.out[0])
    runtime->trap (t.block, nullptr, nullptr, 0);
}

/* Block 0 spins for something that block 1, which traps, never does. */
static void
spin_on_trapped (const Thread &t, const Out &p)
{
  if (t.block->index.x == 1)
    runtime->trap (t.block, nullptr, nullptr, 0);
  while (__atomic_load_n (&p.out[0], __ATOMIC_ACQUIRE) == 0)
    t.sleep ();
}

static void
prints (const Thread &t, const Out &p)
{
  p.out[0] = (uint32_t) runtime->print (t.block, "thread %u of %s, 100%%\n", t.linear (), "prints");
}

static const LeatHostKernel kernels[] = {
  FLAT (Saxpy, saxpy),
  FLAT (Out, indices),
  { "which_form", PARAMS (Out), 0, 0, flat_entry<Out, which_form>, thread_entry<Out, which_form>, which_form_variant },
  FLAT (Out, count_global),
  WAITS (InOut, reverse, 0),
  WAITS (InOut, tree_sum, 4096),
  WAITS (Out, barrier_votes, 0),
  WAITS (InOut, barrier_leave, 0),
  WAITS (Out, half_wait, 0),
  WAITS (Out, flag_in_block, 4),
  WAITS (WarpOp, warp_op, 0),
  WAITS (Out, warp_groups, 0),
  WAITS (Out, warp_returns, 0),
  WAITS (WarpLeave, warp_leave, 0),
  WAITS (Out, warp_wrong_mask, 0),
  WAITS (Scan, look_back, 8 * 257),
  GRID_WAITS (Rounds, ring, 0),
  GRID_WAITS (Out, grid_deadlock, 0),
  WAITS (Out, wait_for_last, 0),
  WAITS (Out, assert_fails, 0),
  FLAT (Out, flat_trap),
  WAITS (Out, spin_on_trapped, 0),
  FLAT (Out, prints),
};

static const LeatHostGlobal globals[] = { { "counter", &counter, sizeof counter } };

IMAGE (kernels, globals)
