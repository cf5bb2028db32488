/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Cooperative groups, each result a word that test-kernel-groups.c computes too.  What stands for data of n items is mix (i),
 * and 0 from n on. */

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include "mix.cuh"

namespace cg = cooperative_groups;
using namespace cooperative_groups;

template <class Group>
__device__ uint32_t
sum_of (const Group &group, uint32_t v)
{
  return cg::reduce (group, v, cg::plus<uint32_t> ());
}

/* Each block's sum, by its warps. */
__global__ void
sums (uint32_t *out, uint32_t n)
{
  __shared__ uint32_t part[32];
  cg::thread_block block = cg::this_thread_block ();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32> (block);
  uint32_t rank = block.group_index ().x * block.size () + block.thread_rank ();
  uint32_t v = sum_of (warp, item (rank, n));

  if (warp.thread_rank () == 0)
    part[warp.meta_group_rank ()] = v;
  block.sync ();
  if (warp.meta_group_rank () != 0)
    return;
  v = sum_of (warp, warp.thread_rank () < warp.meta_group_size () ? part[warp.thread_rank ()] : 0);
  if (warp.thread_rank () == 0)
    out[block.group_index ().x] = v;
}

/* A member of a type finds its thread by itself. */
struct Place
{
  unsigned int of_block () const { return this_thread_block ().thread_rank (); }
  static unsigned int of_tile (unsigned int size) { return tiled_partition (this_thread_block (), size).thread_rank (); }
};

/* What lanes of a tile of 8 hand each other, a row of the block's threads for each. */
__global__ void
tiles (uint32_t *out, uint32_t n)
{
  auto block = this_thread_block ();
  auto tile = tiled_partition<8> (block);
  unsigned int t = block.thread_rank (), threads = block.num_threads ();
  uint32_t v = item (t, n);
  int all;

  out += t;
  out[0 * threads] = tile.shfl (v, 5);
  out[1 * threads] = tile.shfl_up (v, 3);
  out[2 * threads] = tile.shfl_down (v, 2);
  out[3 * threads] = tile.shfl_xor (v, 6);
  out[4 * threads] = tile.ballot (v & 1);
  out[5 * threads] = tile.any (v % 8 == 0) * 2 + tile.all (v % 4 != 0);
  out[6 * threads] = tile.match_any (v % 3);
  tile.match_all (v >= 0x80000000u, all);
  out[7 * threads] = (uint32_t) all;
  out[8 * threads] = cg::reduce (tile, v, cg::greater<uint32_t> ()) ^ cg::reduce (tile, v, cg::bit_and<uint32_t> ());
  out[9 * threads] = cg::inclusive_scan (tile, v, cg::less<uint32_t> ());
  out[10 * threads] = cg::exclusive_scan (tile, v);
  out[11 * threads] = tile.meta_group_rank () * 100 + tile.meta_group_size () * 10 + tile.thread_rank ();
  out[12 * threads] = Place ().of_block () * 100 + Place::of_tile (16);
}

/* Those of a warp that have an odd item, and how they fall into classes. */
__global__ void
some (uint32_t *out, uint32_t n)
{
  auto block = this_thread_block ();
  unsigned int t = block.thread_rank (), threads = block.dim_threads ().x;
  uint32_t v = item (t, n);

  if (v % 2 == 1)
    {
      coalesced_group odd = coalesced_threads ();
      coalesced_group pairs = tiled_partition (odd, 2);
      coalesced_group like = labeled_partition (odd, v % 3), sided = binary_partition (odd, v % 5 == 0);

      out[t] = odd.thread_rank () * 100 + odd.size ();
      out[t + threads] = odd.shfl (v, odd.size () - 1);
      out[t + 2 * threads] = sum_of (odd, v);
      out[t + 3 * threads] = exclusive_scan (odd, v, cg::bit_xor<uint32_t> ());
      out[t + 4 * threads] = odd.ballot (v % 4 == 1);
      out[t + 5 * threads] = sum_of (like, v);
      out[t + 6 * threads] = sided.thread_rank () * 100 + sided.size ();
      out[t + 7 * threads] = pairs.size () * 100 + pairs.thread_rank () + 10 * odd.any (v % 7 == 0);
    }
}

/* Lanes that go on when all others wait for what they do. */
__global__ void
apart (uint32_t *out, uint32_t n)
{
  __shared__ uint32_t told;
  unsigned int t = this_thread_block ().thread_rank ();

  if (t == 0)
    told = 0;
  this_thread_block ().sync ();
  if (t % 2 == 1)
    {
      coalesced_group odd = coalesced_threads ();

      if (odd.thread_rank () == 0 && t < 32)
        leat_store_release (&told, odd.size () + n);
    }
  else
    while (leat_load_acquire (&told) == 0)
      __nanosleep (20);
  this_thread_block ().sync ();
  out[t] = told;
}

/* A copy to shared memory, of any number of bytes. */
__global__ void
copies (uint32_t *out, uint32_t n)
{
  __shared__ alignas (16) uint32_t there[1024];
  auto block = this_thread_block ();

  for (uint32_t i = block.thread_rank (); i < n; i += block.size ())
    out[i] = mix (i);
  sync (block);
  memcpy_async (block, there, out, sizeof (uint32_t) * n);
  wait (block);
  for (uint32_t i = block.thread_rank (); i < n; i += block.size ())
    out[n + i] = there[n - 1 - i];
  block.sync ();
  memcpy_async (block, there, 1024, out + n, n);
  wait_prior<0> (block);
  for (uint32_t i = block.thread_rank (); i < n; i += block.size ())
    out[2 * n + i] = there[i] + 1;
}

/* Each item of a round is what others were in the one before. */
__global__ void
rounds (uint32_t *out, uint32_t n)
{
  grid_group grid = this_grid ();

  for (uint32_t i = grid.thread_rank (); i < n; i += grid.size ())
    out[i] = mix (i);
  for (uint32_t round = 0; round < 3; round++)
    {
      grid.sync ();
      for (uint32_t i = grid.thread_rank (); i < n; i += grid.num_threads ())
        out[(round + 1) * n + i] = out[round * n + (i + 1) % n] + out[round * n + (i + n - 1) % n];
    }
}

/* No thread waits: the CPU runs it without fibers. */
__global__ void
plain (uint32_t *out, uint32_t n)
{
  uint32_t i = this_grid ().thread_rank ();

  if (i < n)
    out[i] = mix (i) + this_grid ().block_rank ();
}
