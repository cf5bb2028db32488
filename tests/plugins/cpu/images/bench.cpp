/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "image.hpp"

struct Rounds
{
  uint64_t *out;
  uint64_t n;
};

static void
barriers (const Thread &t, const Rounds &p)
{
  for (uint64_t i = 0; i < p.n; i++)
    t.sync ();
}

static void
shuffles (const Thread &t, const Rounds &p)
{
  uint64_t sum = t.lane ();
  for (uint64_t i = 0; i < p.n; i++)
    sum += t.warp (LEAT_HOST_WARP_SHFL_XOR, sum, 1);
  p.out[t.linear ()] = sum;
}

static void
ballots (const Thread &t, const Rounds &p)
{
  uint64_t sum = t.lane ();
  for (uint64_t i = 0; i < p.n; i++)
    sum += t.warp (LEAT_HOST_WARP_BALLOT, sum & 1);
  p.out[t.linear ()] = sum;
}

static void
grid_barriers (const Thread &t, const Rounds &p)
{
  for (uint64_t i = 0; i < p.n; i++)
    runtime->grid_barrier (t.block);
}

static void
nothing_flat (const Thread &t, const Rounds &p)
{
  p.out[t.linear ()] = t.index.x;
}

static void
nothing_fiber (const Thread &t, const Rounds &p)
{
  p.out[t.linear ()] = t.index.x;
}

static const LeatHostKernel kernels[] = {
  WAITS (Rounds, barriers, 0),           WAITS (Rounds, shuffles, 0),     WAITS (Rounds, ballots, 0),
  GRID_WAITS (Rounds, grid_barriers, 0), FLAT (Rounds, nothing_flat),     WAITS (Rounds, nothing_fiber, 0),
};

static uint32_t nothing;
static const LeatHostGlobal globals[] = { { "nothing", &nothing, sizeof nothing } };

IMAGE (kernels, globals)
