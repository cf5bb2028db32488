/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* cub::WarpReduce and cub::WarpScan on the CPU, behind leat-cuda-values.h.  Neighbours are combined first, then those 2, 4, 8
 * and 16 lanes away. */

namespace cub {

struct NullType
{
};
struct Sum { template <class T, class U> LEAT_MEMBER auto operator() (const T &a, const U &b) const { return a + b; } };
struct Max { template <class T> LEAT_MEMBER T operator() (const T &a, const T &b) const { return a < b ? b : a; } };
struct Min { template <class T> LEAT_MEMBER T operator() (const T &a, const T &b) const { return b < a ? b : a; } };

/* A warp has N threads, which are neighbours. */
template <class T, int N> struct leat_cub_warp
{
  static_assert (N > 0 && N <= 32, "a warp has 1 to 32 threads");
  struct TempStorage
  {
    unsigned char leat_none;
  };
  leat_module *leat_thread;
  unsigned int leat_lane, leat_first, leat_mask;

  LEAT_MEMBER explicit leat_cub_warp (leat_module *thread) : leat_thread (thread)
  {
    unsigned int lane = leat_rank_in (thread->threadIdx, thread->blockDim) % 32;

    leat_lane = lane % N;
    leat_first = lane - leat_lane;
    leat_mask = leat_mask_of (N) << leat_first;
  }
  LEAT_MEMBER T leat_take (T v, unsigned int lane) const
  {
    int from = (int) (leat_first + lane);

    return leat_move_words (v, [&] (auto word) { return leat_thread->__shfl_sync (leat_mask, word, from); });
  }
  /* Of the lanes up to @end; the result is that of the lane's own and those behind it. */
  template <class F> LEAT_MEMBER T leat_reduce (T v, unsigned int end, F &op) const
  {
    for (unsigned int step = 1; step < N; step *= 2)
      {
        T other = leat_take (v, leat_lane + step < N ? leat_lane + step : leat_lane);

        if (leat_lane + step < end)
          v = op (v, other);
      }
    return v;
  }
  template <class F> LEAT_MEMBER T leat_scan (T v, F &op) const
  {
    for (unsigned int step = 1; step < N; step *= 2)
      {
        T before = leat_take (v, leat_lane >= step ? leat_lane - step : leat_lane);

        if (leat_lane >= step)
          v = op (before, v);
      }
    return v;
  }
  LEAT_MEMBER unsigned int leat_get_flags (bool flag) const
  {
    return leat_thread->__ballot_sync (leat_mask, flag) >> leat_first & leat_mask_of (N);
  }
};

template <class T, int N = 32> struct WarpReduce : leat_cub_warp<T, N>
{
  using typename leat_cub_warp<T, N>::TempStorage;

  LEAT_MEMBER WarpReduce (TempStorage &) : leat_cub_warp<T, N> (LEAT_THREAD) {}
  template <class F> LEAT_MEMBER T Reduce (T v, F op) { return this->leat_reduce (v, N, op); }
  template <class F> LEAT_MEMBER T Reduce (T v, F op, int valid) { return this->leat_reduce (v, (unsigned int) valid, op); }
  LEAT_MEMBER T Sum (T v) { return Reduce (v, cub::Sum ()); }
  LEAT_MEMBER T Sum (T v, int valid) { return Reduce (v, cub::Sum (), valid); }
  LEAT_MEMBER T Max (T v) { return Reduce (v, cub::Max ()); }
  LEAT_MEMBER T Min (T v) { return Reduce (v, cub::Min ()); }
  /* A segment goes from where a flag is set up to the next; or it ends there. */
  template <class Flag, class F> LEAT_MEMBER T HeadSegmentedReduce (T v, Flag flag, F op)
  {
    unsigned int behind = this->leat_get_flags (flag) & ~leat_mask_of (this->leat_lane + 1);

    return this->leat_reduce (v, behind != 0 ? (unsigned int) __builtin_ctz (behind) : N, op);
  }
  template <class Flag, class F> LEAT_MEMBER T TailSegmentedReduce (T v, Flag flag, F op)
  {
    unsigned int from_here = this->leat_get_flags (flag) & ~leat_mask_of (this->leat_lane);

    return this->leat_reduce (v, from_here != 0 ? (unsigned int) __builtin_ctz (from_here) + 1 : N, op);
  }
  template <class Flag> LEAT_MEMBER T HeadSegmentedSum (T v, Flag flag) { return HeadSegmentedReduce (v, flag, cub::Sum ()); }
  template <class Flag> LEAT_MEMBER T TailSegmentedSum (T v, Flag flag) { return TailSegmentedReduce (v, flag, cub::Sum ()); }
};

template <class T, int N = 32> struct WarpScan : leat_cub_warp<T, N>
{
  using typename leat_cub_warp<T, N>::TempStorage;

  LEAT_MEMBER WarpScan (TempStorage &) : leat_cub_warp<T, N> (LEAT_THREAD) {}
  LEAT_MEMBER T Broadcast (T v, unsigned int lane) { return this->leat_take (v, lane); }
  template <class F> LEAT_MEMBER void Scan (T v, T &up_to, T &before, F op)
  {
    T all = this->leat_scan (v, op), previous = this->leat_take (all, this->leat_lane > 0 ? this->leat_lane - 1 : 0);

    up_to = all;
    before = this->leat_lane > 0 ? previous : T ();
  }
  template <class F> LEAT_MEMBER void InclusiveScan (T v, T &out, F op) { out = this->leat_scan (v, op); }
  template <class F> LEAT_MEMBER void InclusiveScan (T v, T &out, F op, T &whole)
  {
    out = this->leat_scan (v, op);
    whole = this->leat_take (out, N - 1);
  }
  template <class F> LEAT_MEMBER void ExclusiveScan (T v, T &out, F op)
  {
    T all;

    Scan (v, all, out, op);
  }
  template <class F> LEAT_MEMBER void ExclusiveScan (T v, T &out, F op, T &whole)
  {
    T all;

    Scan (v, all, out, op);
    whole = this->leat_take (all, N - 1);
  }
  template <class F> LEAT_MEMBER void ExclusiveScan (T v, T &out, T first, F op)
  {
    T all, before;

    Scan (v, all, before, op);
    out = this->leat_lane > 0 ? op (first, before) : first;
  }
  template <class F> LEAT_MEMBER void ExclusiveScan (T v, T &out, T first, F op, T &whole)
  {
    T all, before;

    Scan (v, all, before, op);
    out = this->leat_lane > 0 ? op (first, before) : first;
    whole = this->leat_take (all, N - 1);
  }
  LEAT_MEMBER void InclusiveSum (T v, T &out) { InclusiveScan (v, out, Sum ()); }
  LEAT_MEMBER void InclusiveSum (T v, T &out, T &whole) { InclusiveScan (v, out, Sum (), whole); }
  LEAT_MEMBER void ExclusiveSum (T v, T &out) { ExclusiveScan (v, out, T (), Sum ()); }
  LEAT_MEMBER void ExclusiveSum (T v, T &out, T &whole) { ExclusiveScan (v, out, T (), Sum (), whole); }
};

} // namespace cub
