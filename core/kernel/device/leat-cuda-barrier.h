/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* <cuda/barrier> on the CPU, behind leat-cuda-atomic.h.  Who waits looks again and again, and lets others run between. */

namespace cuda {

struct leat_nothing
{
  LEAT_MEMBER void operator() () const {}
};

/* Those that are expected and those that are still to come count down; the last to come begins the next phase. */
template <thread_scope Scope, class Completion = leat_nothing> struct barrier
{
  typedef unsigned int arrival_token;
  unsigned int leat_expected, leat_pending, leat_phase;
  Completion leat_completion;

  barrier () = default;
  LEAT_MEMBER barrier (ptrdiff_t expected, Completion completion = Completion ())
      : leat_expected ((unsigned int) expected), leat_pending ((unsigned int) expected), leat_phase (0), leat_completion (completion)
  {
  }
  LEAT_MEMBER friend void init (barrier *self, ptrdiff_t expected) { *self = barrier (expected); }
  LEAT_MEMBER friend void init (barrier *self, ptrdiff_t expected, Completion completion) { *self = barrier (expected, completion); }
  static constexpr ptrdiff_t max () { return 1 << 20; }

  LEAT_MEMBER unsigned int leat_get_phase () const { return __atomic_load_n (&leat_phase, __ATOMIC_ACQUIRE); }
  LEAT_MEMBER arrival_token arrive (ptrdiff_t n = 1)
  {
    arrival_token phase = leat_get_phase ();

    if (__atomic_sub_fetch (&leat_pending, (unsigned int) n, __ATOMIC_ACQ_REL) == 0)
      {
        leat_completion ();
        __atomic_store_n (&leat_pending, __atomic_load_n (&leat_expected, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
        __atomic_store_n (&leat_phase, phase + 1, __ATOMIC_RELEASE);
      }
    return phase;
  }
  void wait (arrival_token token) const
  {
    while (leat_get_phase () == token)
      __nanosleep (20);
  }
  void wait_parity (bool odd) const
  {
    while ((leat_get_phase () & 1) == (unsigned int) odd)
      __nanosleep (20);
  }
  bool try_wait (arrival_token token) const
  {
    if (leat_get_phase () == token)
      __nanosleep (20);
    return leat_get_phase () != token;
  }
  bool try_wait_parity (bool odd) const
  {
    if ((leat_get_phase () & 1) == (unsigned int) odd)
      __nanosleep (20);
    return (leat_get_phase () & 1) != (unsigned int) odd;
  }
  void arrive_and_wait () { wait (arrive ()); }
  LEAT_MEMBER void arrive_and_drop ()
  {
    __atomic_sub_fetch (&leat_expected, 1u, __ATOMIC_RELAXED);
    arrive ();
  }
};

/* A copy is done when it is asked for: who comes to the barrier behind it has done its part. */
template <class T, class N, thread_scope Scope, class C>
LEAT_INLINE void
memcpy_async (T *to, const T *from, const N &bytes, barrier<Scope, C> &)
{
  __builtin_memcpy ((void *) to, (const void *) from, (size_t) bytes);
}
template <class G, class T, class N>
LEAT_INLINE void
leat_copy_by_group (const G &g, T *to, const T *from, const N &bytes)
{
  const size_t step = 16 * (size_t) g.size ();

  for (size_t at = 16 * (size_t) g.thread_rank (); at < (size_t) bytes; at += step)
    __builtin_memcpy ((char *) to + at, (const char *) from + at, (size_t) bytes - at < 16 ? (size_t) bytes - at : 16);
}
template <class G, class T, class N, thread_scope Scope, class C>
LEAT_INLINE void
memcpy_async (const G &g, T *to, const T *from, const N &bytes, barrier<Scope, C> &)
{
  leat_copy_by_group (g, to, from, bytes);
}

} // namespace cuda

namespace std {

template <class Completion = cuda::leat_nothing> using barrier = cuda::barrier<cuda::thread_scope_system, Completion>;

} // namespace std
