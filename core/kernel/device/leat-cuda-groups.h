/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* <cooperative_groups.h> on the CPU, behind leat-cuda-values.h.  A group knows its thread, so that its members need not look for it; functions that make a
 * first group are given theirs by leat-kernel-self.c, which knows them by the word LEAT_THREAD. */

namespace cooperative_groups {

template <class... T> int this_cluster (T...)
  __attribute__ ((unavailable ("a CPU has no clusters; LEAT_HAS_CLUSTERS says where there are any")));

/* Any group of threads of a block: all of them, or the lanes of `leat_mask`. */
struct thread_group
{
  leat_module *leat_thread;
  unsigned int leat_mask; /* 0: the block */
  unsigned int leat_rank, leat_count, leat_meta_rank, leat_meta_count;

  LEAT_MEMBER unsigned long long size () const { return leat_count; }
  LEAT_MEMBER unsigned long long num_threads () const { return leat_count; }
  LEAT_MEMBER unsigned long long thread_rank () const { return leat_rank; }
  LEAT_MEMBER bool is_valid () const { return leat_thread != nullptr; }
  LEAT_MEMBER void sync () const
  {
    if (leat_mask == 0)
      leat_thread->__syncthreads ();
    else
      leat_thread->__syncwarp (leat_mask);
  }
  LEAT_MEMBER bool operator== (const thread_group &o) const { return leat_mask == o.leat_mask && leat_count == o.leat_count; }
  LEAT_MEMBER bool operator!= (const thread_group &o) const { return !(*this == o); }
};

struct thread_block : thread_group
{
  struct arrival_token
  {
  };

  LEAT_MEMBER explicit thread_block (leat_module *thread)
      : thread_group{ thread, 0, leat_rank_in (thread->threadIdx, thread->blockDim),
                      thread->blockDim.x * thread->blockDim.y * thread->blockDim.z, 0, 1 }
  {
  }
  LEAT_MEMBER unsigned int size () const { return leat_count; }
  LEAT_MEMBER unsigned int num_threads () const { return leat_count; }
  LEAT_MEMBER unsigned int thread_rank () const { return leat_rank; }
  LEAT_MEMBER dim3 thread_index () const { return leat_thread->threadIdx; }
  LEAT_MEMBER dim3 group_index () const { return leat_thread->blockIdx; }
  LEAT_MEMBER dim3 dim_threads () const { return leat_thread->blockDim; }
  LEAT_MEMBER dim3 group_dim () const { return leat_thread->blockDim; }
  LEAT_MEMBER void sync () const { leat_thread->__syncthreads (); }
  /* All threads wait, and none before another has arrived: so the arrival may be left to the wait. */
  LEAT_MEMBER arrival_token barrier_arrive () const { return {}; }
  LEAT_MEMBER void barrier_wait (arrival_token &&) const { leat_thread->__syncthreads (); }
};

struct grid_group
{
  struct arrival_token
  {
  };
  leat_module *leat_thread;

  LEAT_MEMBER bool is_valid () const { return leat_thread != nullptr; }
  LEAT_MEMBER void sync () const { leat_thread->leat_grid_sync (); }
  LEAT_MEMBER arrival_token barrier_arrive () const { return {}; }
  LEAT_MEMBER void barrier_wait (arrival_token &&) const { leat_thread->leat_grid_sync (); }
  LEAT_MEMBER unsigned long long block_rank () const
  {
    const dim3 &n = leat_thread->gridDim;
    const uint3 &i = leat_thread->blockIdx;

    return i.x + n.x * (i.y + (unsigned long long) n.y * i.z);
  }
  LEAT_MEMBER unsigned long long num_blocks () const
  {
    return (unsigned long long) leat_thread->gridDim.x * leat_thread->gridDim.y * leat_thread->gridDim.z;
  }
  LEAT_MEMBER unsigned long long thread_rank () const
  {
    const dim3 &n = leat_thread->blockDim;

    return block_rank () * (n.x * n.y * n.z) + leat_rank_in (leat_thread->threadIdx, n);
  }
  LEAT_MEMBER unsigned long long num_threads () const
  {
    return num_blocks () * (leat_thread->blockDim.x * leat_thread->blockDim.y * leat_thread->blockDim.z);
  }
  LEAT_MEMBER unsigned long long size () const { return num_threads (); }
  LEAT_MEMBER dim3 block_index () const { return leat_thread->blockIdx; }
  LEAT_MEMBER dim3 dim_blocks () const { return leat_thread->gridDim; }
  LEAT_MEMBER dim3 group_dim () const { return leat_thread->gridDim; }
  LEAT_MEMBER dim3 dim_threads () const { return leat_thread->blockDim; }
};

/* Lanes of a warp in the order of their numbers, with what they hand each other.  Bits of results are ranks. */
struct leat_lanes : thread_group
{
  LEAT_MEMBER unsigned int size () const { return leat_count; }
  LEAT_MEMBER unsigned int num_threads () const { return leat_count; }
  LEAT_MEMBER unsigned int thread_rank () const { return leat_rank; }
  LEAT_MEMBER unsigned int meta_group_rank () const { return leat_meta_rank; }
  LEAT_MEMBER unsigned int meta_group_size () const { return leat_meta_count; }
  LEAT_MEMBER void sync () const { leat_thread->__syncwarp (leat_mask); }

  /* The lane with the rank, and a lane's bits as ranks. */
  LEAT_MEMBER unsigned int leat_lane_of (unsigned int rank) const
  {
    unsigned int left = leat_mask;

    for (unsigned int i = 0; i < rank; i++)
      left &= left - 1;
    return (unsigned int) __builtin_ctz (left);
  }
  LEAT_MEMBER unsigned int leat_pack (unsigned int lanes) const
  {
    unsigned int packed = 0, rank = 0;

    for (unsigned int left = leat_mask; left != 0; left &= left - 1, rank++)
      packed |= (lanes >> __builtin_ctz (left) & 1u) << rank;
    return packed;
  }

  template <class T> LEAT_MEMBER T shfl (T v, unsigned int rank) const
  {
    int lane = (int) leat_lane_of (rank % leat_count);

    return leat_move_words (v, [&] (auto w) { return leat_thread->__shfl_sync (leat_mask, w, lane); });
  }
  template <class T> LEAT_MEMBER T shfl_up (T v, unsigned int delta) const
  {
    return shfl (v, leat_rank >= delta ? leat_rank - delta : leat_rank);
  }
  template <class T> LEAT_MEMBER T shfl_down (T v, unsigned int delta) const
  {
    return shfl (v, leat_rank + delta < leat_count ? leat_rank + delta : leat_rank);
  }
  template <class T> LEAT_MEMBER T shfl_xor (T v, unsigned int bits) const
  {
    return shfl (v, (leat_rank ^ bits) < leat_count ? leat_rank ^ bits : leat_rank);
  }
  LEAT_MEMBER int any (int p) const { return leat_thread->__ballot_sync (leat_mask, p) != 0; }
  LEAT_MEMBER int all (int p) const { return leat_thread->__ballot_sync (leat_mask, !p) == 0; }
  LEAT_MEMBER unsigned int ballot (int p) const { return leat_pack (leat_thread->__ballot_sync (leat_mask, p)); }
  template <class T> LEAT_MEMBER unsigned int match_any (T v) const
  {
    return leat_pack (leat_thread->__match_any_sync (leat_mask, v));
  }
  template <class T> LEAT_MEMBER unsigned int match_all (T v, int &all) const
  {
    return leat_pack (leat_thread->__match_all_sync (leat_mask, v, &all));
  }
};

struct coalesced_group : leat_lanes
{
  LEAT_MEMBER coalesced_group (leat_module *thread, unsigned int lane, unsigned int mask, unsigned int meta = 0, unsigned int metas = 1)
      : leat_lanes{ { thread, mask, (unsigned int) __builtin_popcount (mask & ((1u << lane) - 1)),
                      (unsigned int) __builtin_popcount (mask), meta, metas } }
  {
  }
};

/* N neighbouring threads of a group. */
template <unsigned int N, class Parent = void> struct thread_block_tile : leat_lanes
{
  static_assert (N > 0 && N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads on a CPU");

  LEAT_MEMBER explicit thread_block_tile (const leat_lanes &lanes) : leat_lanes (lanes) {}
  template <class Other>
  LEAT_MEMBER thread_block_tile (const thread_block_tile<N, Other> &other) : leat_lanes (static_cast<const leat_lanes &> (other))
  {
  }
  static constexpr unsigned int size () { return N; }
  static constexpr unsigned int num_threads () { return N; }
  template <class T> LEAT_MEMBER T shfl (T v, int rank) const
  {
    return leat_move_words (v, [&] (auto w) { return leat_thread->__shfl_sync (leat_mask, w, rank, (int) N); });
  }
  template <class T> LEAT_MEMBER T shfl_up (T v, unsigned int delta) const
  {
    return leat_move_words (v, [&] (auto w) { return leat_thread->__shfl_up_sync (leat_mask, w, delta, (int) N); });
  }
  template <class T> LEAT_MEMBER T shfl_down (T v, unsigned int delta) const
  {
    return leat_move_words (v, [&] (auto w) { return leat_thread->__shfl_down_sync (leat_mask, w, delta, (int) N); });
  }
  template <class T> LEAT_MEMBER T shfl_xor (T v, unsigned int bits) const
  {
    return leat_move_words (v, [&] (auto w) { return leat_thread->__shfl_xor_sync (leat_mask, w, (int) bits, (int) N); });
  }
};

LEAT_INLINE thread_block this_thread_block () { return thread_block (LEAT_THREAD); }
LEAT_INLINE grid_group this_grid () { return grid_group{ LEAT_THREAD }; }
/* The lanes that come to the same line while no other can go on. */
LEAT_INLINE coalesced_group
coalesced_threads (unsigned int line = __builtin_LINE ())
{
  leat_module *thread = LEAT_THREAD;

  return coalesced_group (thread, leat_rank_in (thread->threadIdx, thread->blockDim) % 32,
                          (unsigned int) thread->leat_warp_op (LEAT_HOST_WARP_MEET, 0xffffffffu, 0, line, 32));
}

} // namespace cooperative_groups
