/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* <cooperative_groups/reduce.h>, <.../scan.h> and <.../memcpy_async.h> on the CPU, behind leat-cuda-groups.h.  Values are
 * combined in a tree over the ranks: with the one N/2 ranks away first in a tile, with those before by 1, 2, 4 ... in a scan. */

namespace cooperative_groups {

template <class T> struct leat_plain { typedef T type; };
template <class T> struct leat_plain<T &> : leat_plain<T> {};
template <class T> struct leat_plain<T &&> : leat_plain<T> {};
template <class T> struct leat_plain<const T> : leat_plain<T> {};

template <unsigned int N, class P, class T, class F>
LEAT_INLINE T
leat_reduce (const thread_block_tile<N, P> &g, T v, F &op)
{
  if (g.leat_count == N)
    {
      for (unsigned int step = N / 2; step > 0; step /= 2)
        v = op (v, g.shfl_xor (v, step));
      return v;
    }
  return leat_reduce (static_cast<const leat_lanes &> (g), v, op);
}
template <class T, class F>
LEAT_INLINE T
leat_reduce (const leat_lanes &g, T v, F &op)
{
  unsigned int step = 1;

  while (step < g.leat_count)
    step *= 2;
  for (step /= 2; step > 0; step /= 2)
    {
      T other = g.shfl_down (v, step);

      if (g.leat_rank + step < g.leat_count)
        v = op (v, other);
    }
  return g.shfl (v, 0);
}

template <class G, class T, class F>
LEAT_INLINE typename leat_plain<T>::type
reduce (const G &g, T &&v, F &&op)
{
  typename leat_plain<T>::type own = v;

  return leat_reduce (g, own, op);
}

template <class T, class F>
LEAT_INLINE T
leat_scan (const leat_lanes &g, T v, F &op)
{
  for (unsigned int step = 1; step < g.leat_count; step *= 2)
    {
      T before = g.shfl_up (v, step);

      if (g.leat_rank >= step)
        v = op (before, v);
    }
  return v;
}
template <class T>
LEAT_INLINE T
leat_scan_before (const leat_lanes &g, T all)
{
  T before = g.shfl_up (all, 1);

  return g.leat_rank == 0 ? T () : before;
}

template <class G, class T, class F>
LEAT_INLINE typename leat_plain<T>::type
inclusive_scan (const G &g, T &&v, F &&op)
{
  typename leat_plain<T>::type own = v;

  return leat_scan (g, own, op);
}
template <class G, class T>
LEAT_INLINE typename leat_plain<T>::type
inclusive_scan (const G &g, T &&v)
{
  plus<typename leat_plain<T>::type> op;
  typename leat_plain<T>::type own = v;

  return leat_scan (g, own, op);
}
template <class G, class T, class F>
LEAT_INLINE typename leat_plain<T>::type
exclusive_scan (const G &g, T &&v, F &&op)
{
  typename leat_plain<T>::type own = v;

  return leat_scan_before (g, leat_scan (g, own, op));
}
template <class G, class T>
LEAT_INLINE typename leat_plain<T>::type
exclusive_scan (const G &g, T &&v)
{
  plus<typename leat_plain<T>::type> op;
  typename leat_plain<T>::type own = v;

  return leat_scan_before (g, leat_scan (g, own, op));
}

/* A copy is done when it is asked for, by all threads of the group, in pieces of 16 bytes. */
template <class G>
LEAT_INLINE void
leat_copy (const G &g, void *to, const void *from, size_t bytes)
{
  const size_t step = 16 * (size_t) g.size ();

  for (size_t at = 16 * (size_t) g.thread_rank (); at < bytes; at += step)
    __builtin_memcpy ((char *) to + at, (const char *) from + at, bytes - at < 16 ? bytes - at : 16);
}
template <class G, class T, class N>
LEAT_INLINE void
memcpy_async (const G &g, T *to, const T *from, const N &bytes)
{
  leat_copy (g, to, from, (size_t) bytes);
}
template <class G, class N>
LEAT_INLINE void
memcpy_async (const G &g, void *to, const void *from, const N &bytes)
{
  leat_copy (g, to, from, (size_t) bytes);
}
template <class G, class T, class N, class M>
LEAT_INLINE void
memcpy_async (const G &g, T *to, const N &room, const T *from, const M &count)
{
  leat_copy (g, to, from, ((size_t) room < (size_t) count ? (size_t) room : (size_t) count) * sizeof (T));
}
template <class G> LEAT_INLINE void wait (const G &g) { g.sync (); }
template <unsigned int Stage, class G> LEAT_INLINE void wait_prior (const G &g) { g.sync (); }

} // namespace cooperative_groups
