/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* <cooperative_groups.h> on the CPU, behind leat-cuda-groups.h: groups that are parts of others, and what functions do
 * with a group. */

namespace cooperative_groups {

/* A piece of @n threads of a block, or of lanes. */
LEAT_INLINE leat_lanes
leat_cut_block (const thread_group &g, unsigned int n)
{
  unsigned int rank = g.leat_rank, first = rank / n * n, count = g.leat_count - first < n ? g.leat_count - first : n;

  return leat_lanes{ { g.leat_thread, leat_mask_of (count) << first % 32, rank % n, count, rank / n, (g.leat_count + n - 1) / n } };
}

LEAT_INLINE leat_lanes
leat_cut_lanes (const leat_lanes &g, unsigned int n)
{
  unsigned int rank = g.leat_rank, first = rank / n * n, count = g.leat_count - first < n ? g.leat_count - first : n, mask = 0;

  for (unsigned int i = first; i < first + count; i++)
    mask |= 1u << g.leat_lane_of (i);
  return leat_lanes{ { g.leat_thread, mask, rank % n, count, rank / n, (g.leat_count + n - 1) / n } };
}

LEAT_INLINE leat_lanes leat_cut (const leat_lanes &g, unsigned int n) { return leat_cut_lanes (g, n); }
LEAT_INLINE leat_lanes
leat_cut (const thread_group &g, unsigned int n)
{
  return g.leat_mask == 0 ? leat_cut_block (g, n) : leat_cut_lanes (leat_lanes{ g }, n);
}

template <unsigned int N, class Parent>
LEAT_INLINE thread_block_tile<N, Parent>
tiled_partition (const Parent &g)
{
  return thread_block_tile<N, Parent> (leat_cut (g, N));
}

LEAT_INLINE thread_group tiled_partition (const thread_group &g, unsigned int n) { return leat_cut (g, n); }
LEAT_INLINE coalesced_group
tiled_partition (const coalesced_group &g, unsigned int n)
{
  leat_lanes piece = leat_cut_lanes (g, n);

  return coalesced_group (g.leat_thread, g.leat_lane_of (g.leat_rank), piece.leat_mask, piece.leat_meta_rank, piece.leat_meta_count);
}

/* Those of a group with the same label. */
template <class L>
LEAT_INLINE coalesced_group
labeled_partition (const leat_lanes &g, L label)
{
  unsigned int lane = g.leat_lane_of (g.leat_rank), mine = g.leat_thread->__match_any_sync (g.leat_mask, label);
  unsigned int firsts = g.leat_thread->__ballot_sync (g.leat_mask, (mine & ((1u << lane) - 1)) == 0);
  unsigned int first = (unsigned int) __builtin_ctz (mine);

  return coalesced_group (g.leat_thread, lane, mine, (unsigned int) __builtin_popcount (firsts & ((1u << first) - 1)),
                          (unsigned int) __builtin_popcount (firsts));
}
LEAT_INLINE coalesced_group
binary_partition (const leat_lanes &g, bool which)
{
  unsigned int yes = g.leat_thread->__ballot_sync (g.leat_mask, which);

  return coalesced_group (g.leat_thread, g.leat_lane_of (g.leat_rank), which ? yes : g.leat_mask & ~yes, which, 2);
}

template <class G> LEAT_INLINE void sync (const G &g) { g.sync (); }
template <class G> LEAT_INLINE auto thread_rank (const G &g) { return g.thread_rank (); }
template <class G> LEAT_INLINE auto group_size (const G &g) { return g.size (); }

/* The thread of the least rank does it. */
template <class G, class F, class... Args>
LEAT_INLINE void
invoke_one (const G &g, F &&f, Args &&...args)
{
  if (g.thread_rank () == 0)
    f (static_cast<Args &&> (args)...);
}
template <class G, class F, class... Args>
LEAT_INLINE auto
invoke_one_broadcast (const G &g, F &&f, Args &&...args)
{
  decltype (f (static_cast<Args &&> (args)...)) result = {};

  if (g.thread_rank () == 0)
    result = f (static_cast<Args &&> (args)...);
  return g.shfl (result, 0);
}

} // namespace cooperative_groups
