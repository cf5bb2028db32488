/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* cub::BlockReduce and cub::BlockScan on the CPU, behind leat-cub-warp.h.  Each thread combines its own items; the first thread
 * then combines those of all threads in their order.  All algorithms that CUB has names for are this one. */

namespace cub {

enum BlockReduceAlgorithm
{
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm
{
  BLOCK_SCAN_RAKING,
  BLOCK_SCAN_RAKING_MEMOIZE,
  BLOCK_SCAN_WARP_SCANS
};

template <class T, int Threads> struct leat_cub_block
{
  struct TempStorage
  {
    alignas (T) unsigned char leat_bytes[(Threads + 1) * sizeof (T)];
  };
  leat_module *leat_thread;
  T *leat_items;
  unsigned int leat_rank;

  LEAT_MEMBER leat_cub_block (leat_module *thread, TempStorage &temp)
      : leat_thread (thread), leat_items ((T *) temp.leat_bytes), leat_rank (leat_rank_in (thread->threadIdx, thread->blockDim))
  {
  }
  LEAT_MEMBER void leat_put (unsigned int i, const T &v) const { __builtin_memcpy ((void *) (leat_items + i), (const void *) &v, sizeof v); }
  template <int Items, class F> static LEAT_MEMBER T leat_fold (T (&v)[Items], F &op)
  {
    T all = v[0];

    for (int i = 1; i < Items; i++)
      all = op (all, v[i]);
    return all;
  }
};

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0>
struct BlockReduce : leat_cub_block<T, X * Y * Z>
{
  using typename leat_cub_block<T, X * Y * Z>::TempStorage;

  LEAT_MEMBER BlockReduce (TempStorage &temp) : leat_cub_block<T, X * Y * Z> (LEAT_THREAD, temp) {}
  /* The first thread's is that of all. */
  template <class F> LEAT_MEMBER T Reduce (T v, F op, int valid)
  {
    this->leat_put (this->leat_rank, v);
    this->leat_thread->__syncthreads ();
    if (this->leat_rank == 0)
      for (int i = 1; i < valid; i++)
        v = op (v, this->leat_items[i]);
    return v;
  }
  template <class F> LEAT_MEMBER T Reduce (T v, F op) { return Reduce (v, op, X * Y * Z); }
  template <int Items, class F> LEAT_MEMBER T Reduce (T (&v)[Items], F op) { return Reduce (this->leat_fold (v, op), op); }
  LEAT_MEMBER T Sum (T v) { return Reduce (v, cub::Sum ()); }
  LEAT_MEMBER T Sum (T v, int valid) { return Reduce (v, cub::Sum (), valid); }
  template <int Items> LEAT_MEMBER T Sum (T (&v)[Items]) { return Reduce (v, cub::Sum ()); }
};

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
struct BlockScan : leat_cub_block<T, X * Y * Z>
{
  using typename leat_cub_block<T, X * Y * Z>::TempStorage;
  static constexpr int leat_count = X * Y * Z;

  LEAT_MEMBER BlockScan (TempStorage &temp) : leat_cub_block<T, X * Y * Z> (LEAT_THREAD, temp) {}

  /* What those before have, behind what @begin makes of all, if it makes anything: TRUE. */
  template <class F, class Begin> LEAT_MEMBER T leat_scan (T v, F &op, T &whole, bool &has_before, Begin begin)
  {
    this->leat_put (this->leat_rank, v);
    this->leat_thread->__syncthreads ();
    if (this->leat_rank == 0)
      {
        T all = this->leat_items[0], before = T ();
        bool has;

        for (int i = 1; i < leat_count; i++)
          all = op (all, this->leat_items[i]);
        has = begin (all, before);
        for (int i = 0; i < leat_count; i++)
          {
            T own = this->leat_items[i];

            this->leat_put ((unsigned int) i, before);
            before = has ? op (before, own) : own;
            has = true;
          }
        this->leat_put (leat_count, all);
      }
    this->leat_thread->__syncthreads ();
    whole = this->leat_items[leat_count];
    if (this->leat_rank > 0 && this->leat_rank < 32)
      {
        T unused = T ();

        has_before = begin (whole, unused);
      }
    has_before = true;
    return this->leat_items[this->leat_rank];
  }
  template <int Items, class F, class Begin>
  LEAT_MEMBER void leat_scan_all (T (&in)[Items], T (&out)[Items], bool inclusive, bool begins, F &op, T &whole, Begin begin)
  {
    bool has = false;
    T before = leat_scan (this->leat_fold (in, op), op, whole, has, begin);

    has = begins || this->leat_rank > 0;
    for (int i = 0; i < Items; i++)
      {
        T up_to = has ? op (before, in[i]) : in[i];

        out[i] = inclusive ? up_to : before;
        before = up_to;
        has = true;
      }
  }
  template <class F, class Begin>
  LEAT_MEMBER void leat_scan_one (T in, T &out, bool inclusive, bool begins, F &op, T &whole, Begin begin)
  {
    T ins[1] = { in }, outs[1];

    leat_scan_all (ins, outs, inclusive, begins, op, whole, begin);
    out = outs[0];
  }
  static LEAT_MEMBER auto leat_from_nothing () { return [] (const T &, T &) { return false; }; }
  static LEAT_MEMBER auto leat_from (T first)
  {
    return [first] (const T &, T &before) {
      before = first;
      return true;
    };
  }
  template <class P> static LEAT_MEMBER auto leat_from_callback (P &callback)
  {
    return [&callback] (const T &all, T &before) {
      before = callback (all);
      return true;
    };
  }

  /* In and Out are T, or arrays of so many of each thread. */
  template <int Items, class F, class B> LEAT_MEMBER void leat_do (T (&in)[Items], T (&out)[Items], bool inclusive, bool begins, F &op, T &whole, B begin)
  {
    leat_scan_all (in, out, inclusive, begins, op, whole, begin);
  }
  template <class F, class B> LEAT_MEMBER void leat_do (T in, T &out, bool inclusive, bool begins, F &op, T &whole, B begin)
  {
    leat_scan_one (in, out, inclusive, begins, op, whole, begin);
  }

#define LEAT_SCAN(In, Out, ...)                                                                                        \
  __VA_ARGS__ LEAT_MEMBER void InclusiveSum (In in, Out out)                                                           \
  {                                                                                                                    \
    Sum op;                                                                                                            \
    T whole;                                                                                                           \
    leat_do (in, out, true, false, op, whole, leat_from_nothing ());                                                   \
  }                                                                                                                    \
  __VA_ARGS__ LEAT_MEMBER void InclusiveSum (In in, Out out, T &whole)                                                 \
  {                                                                                                                    \
    Sum op;                                                                                                            \
    leat_do (in, out, true, false, op, whole, leat_from_nothing ());                                                   \
  }                                                                                                                    \
  __VA_ARGS__ LEAT_MEMBER void ExclusiveSum (In in, Out out)                                                           \
  {                                                                                                                    \
    Sum op;                                                                                                            \
    T whole;                                                                                                           \
    leat_do (in, out, false, true, op, whole, leat_from (T ()));                                                       \
  }                                                                                                                    \
  __VA_ARGS__ LEAT_MEMBER void ExclusiveSum (In in, Out out, T &whole)                                                 \
  {                                                                                                                    \
    Sum op;                                                                                                            \
    leat_do (in, out, false, true, op, whole, leat_from (T ()));                                                       \
  }
#define LEAT_SCAN_BY(In, Out, ...)                                                                                     \
  template <__VA_ARGS__ class P> LEAT_MEMBER void InclusiveSum (In in, Out out, P &callback)                           \
  {                                                                                                                    \
    Sum op;                                                                                                            \
    T whole;                                                                                                           \
    leat_do (in, out, true, true, op, whole, leat_from_callback (callback));                                           \
  }                                                                                                                    \
  template <__VA_ARGS__ class P> LEAT_MEMBER void ExclusiveSum (In in, Out out, P &callback)                           \
  {                                                                                                                    \
    Sum op;                                                                                                            \
    T whole;                                                                                                           \
    leat_do (in, out, false, true, op, whole, leat_from_callback (callback));                                          \
  }                                                                                                                    \
  template <__VA_ARGS__ class F> LEAT_MEMBER void InclusiveScan (In in, Out out, F op)                                 \
  {                                                                                                                    \
    T whole;                                                                                                           \
    leat_do (in, out, true, false, op, whole, leat_from_nothing ());                                                   \
  }                                                                                                                    \
  template <__VA_ARGS__ class F> LEAT_MEMBER void InclusiveScan (In in, Out out, F op, T &whole)                       \
  {                                                                                                                    \
    leat_do (in, out, true, false, op, whole, leat_from_nothing ());                                                   \
  }                                                                                                                    \
  template <__VA_ARGS__ class F, class P> LEAT_MEMBER void InclusiveScan (In in, Out out, F op, P &callback)           \
  {                                                                                                                    \
    T whole;                                                                                                           \
    leat_do (in, out, true, true, op, whole, leat_from_callback (callback));                                           \
  }                                                                                                                    \
  template <__VA_ARGS__ class F> LEAT_MEMBER void ExclusiveScan (In in, Out out, F op)                                 \
  {                                                                                                                    \
    T whole;                                                                                                           \
    leat_do (in, out, false, false, op, whole, leat_from_nothing ());                                                  \
  }                                                                                                                    \
  template <__VA_ARGS__ class F> LEAT_MEMBER void ExclusiveScan (In in, Out out, F op, T &whole)                       \
  {                                                                                                                    \
    leat_do (in, out, false, false, op, whole, leat_from_nothing ());                                                  \
  }                                                                                                                    \
  template <__VA_ARGS__ class F> LEAT_MEMBER void ExclusiveScan (In in, Out out, T first, F op)                        \
  {                                                                                                                    \
    T whole;                                                                                                           \
    leat_do (in, out, false, true, op, whole, leat_from (first));                                                      \
  }                                                                                                                    \
  template <__VA_ARGS__ class F> LEAT_MEMBER void ExclusiveScan (In in, Out out, T first, F op, T &whole)              \
  {                                                                                                                    \
    leat_do (in, out, false, true, op, whole, leat_from (first));                                                      \
  }                                                                                                                    \
  template <__VA_ARGS__ class F, class P> LEAT_MEMBER void ExclusiveScan (In in, Out out, F op, P &callback)           \
  {                                                                                                                    \
    T whole;                                                                                                           \
    leat_do (in, out, false, true, op, whole, leat_from_callback (callback));                                          \
  }
  typedef T &leat_place;
  template <int Items> using leat_places = T (&)[Items];
  LEAT_SCAN (T, leat_place)
  LEAT_SCAN (leat_places<Items>, leat_places<Items>, template <int Items>)
  LEAT_SCAN_BY (T, leat_place)
  LEAT_SCAN_BY (leat_places<Items>, leat_places<Items>, int Items, )
#undef LEAT_SCAN
#undef LEAT_SCAN_BY
};

} // namespace cub
