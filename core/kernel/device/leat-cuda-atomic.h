/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* <cuda/atomic> on the CPU.  What has the scope of a block or a thread is done without a lock, since the threads of a block
 * share one thread of the host; other orders than relaxed all acquire and release, as the dialect's atomics do. */

namespace std {

enum memory_order
{
  memory_order_relaxed,
  memory_order_consume,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
};

} // namespace std

namespace cuda {

namespace std = ::std;
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

enum thread_scope
{
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread
};

LEAT_INLINE void
atomic_thread_fence (memory_order order, thread_scope scope = thread_scope_system)
{
  if (scope >= thread_scope_block)
    __atomic_signal_fence (__ATOMIC_SEQ_CST);
  else if (order != memory_order_relaxed)
    __atomic_thread_fence (__ATOMIC_SEQ_CST);
}

struct leat_op_fetch_add { template <class T, class U> static T of (T a, U b) { return (T) (a + b); } };
struct leat_op_fetch_sub { template <class T, class U> static T of (T a, U b) { return (T) (a - b); } };

/* The operations on the T at leat_place (), for a reference and for what holds its own. */
template <class T, thread_scope Scope, class Self> struct leat_atomic_operations
{
  typedef T value_type;
  static_assert (sizeof (T) <= 8 && (sizeof (T) & (sizeof (T) - 1)) == 0, "an atomic type has 1, 2, 4 or 8 bytes");
  static constexpr bool is_always_lock_free = true;
#ifdef LEAT_TSAN
  static constexpr bool leat_is_alone = false;
#else
  static constexpr bool leat_is_alone = Scope == thread_scope_block || Scope == thread_scope_thread;
#endif

  LEAT_MEMBER T *leat_place () const { return static_cast<const Self *> (this)->leat_at (); }
  template <class Op, class U> LEAT_MEMBER T leat_change (U v) const
  {
    T *p = leat_place (), old, next;

    __atomic_load (p, &old, __ATOMIC_RELAXED);
    do
      {
        next = Op::of (old, v);
        if constexpr (leat_is_alone)
          {
            *p = next;
            return old;
          }
      }
    while (!__atomic_compare_exchange (p, &old, &next, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    return old;
  }
  LEAT_MEMBER bool is_lock_free () const { return true; }
  LEAT_MEMBER T load (memory_order = memory_order_seq_cst) const
  {
    T v;

    __atomic_load (leat_place (), &v, __ATOMIC_ACQUIRE);
    return v;
  }
  LEAT_MEMBER void store (T v, memory_order order = memory_order_seq_cst) const
  {
    if (order == memory_order_seq_cst && !leat_is_alone)
      __atomic_store (leat_place (), &v, __ATOMIC_SEQ_CST);
    else
      __atomic_store (leat_place (), &v, __ATOMIC_RELEASE);
  }
  LEAT_MEMBER T exchange (T v, memory_order = memory_order_seq_cst) const { return leat_change<leat_op_exch> (v); }
  LEAT_MEMBER bool compare_exchange_strong (T &expected, T v, memory_order = memory_order_seq_cst, memory_order = memory_order_seq_cst) const
  {
    return __atomic_compare_exchange (leat_place (), &expected, &v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
  LEAT_MEMBER bool compare_exchange_weak (T &expected, T v, memory_order = memory_order_seq_cst, memory_order = memory_order_seq_cst) const
  {
    return compare_exchange_strong (expected, v);
  }
  template <class U> LEAT_MEMBER T fetch_add (U v, memory_order = memory_order_seq_cst) const { return leat_change<leat_op_fetch_add> (v); }
  template <class U> LEAT_MEMBER T fetch_sub (U v, memory_order = memory_order_seq_cst) const { return leat_change<leat_op_fetch_sub> (v); }
  LEAT_MEMBER T fetch_min (T v, memory_order = memory_order_seq_cst) const { return leat_change<leat_op_min> (v); }
  LEAT_MEMBER T fetch_max (T v, memory_order = memory_order_seq_cst) const { return leat_change<leat_op_max> (v); }
  LEAT_MEMBER T fetch_and (T v, memory_order = memory_order_seq_cst) const { return leat_change<leat_op_and> (v); }
  LEAT_MEMBER T fetch_or (T v, memory_order = memory_order_seq_cst) const { return leat_change<leat_op_or> (v); }
  LEAT_MEMBER T fetch_xor (T v, memory_order = memory_order_seq_cst) const { return leat_change<leat_op_xor> (v); }
  LEAT_MEMBER operator T () const { return load (); }
  LEAT_MEMBER T operator++ (int) const { return fetch_add (1); }
  LEAT_MEMBER T operator-- (int) const { return fetch_sub (1); }
  LEAT_MEMBER T operator++ () const { return (T) (fetch_add (1) + 1); }
  LEAT_MEMBER T operator-- () const { return (T) (fetch_sub (1) - 1); }
  template <class U> LEAT_MEMBER T operator+= (U v) const { return (T) (fetch_add (v) + v); }
  template <class U> LEAT_MEMBER T operator-= (U v) const { return (T) (fetch_sub (v) - v); }
  LEAT_MEMBER T operator&= (T v) const { return fetch_and (v) & v; }
  LEAT_MEMBER T operator|= (T v) const { return fetch_or (v) | v; }
  LEAT_MEMBER T operator^= (T v) const { return fetch_xor (v) ^ v; }
};

template <class T, thread_scope Scope = thread_scope_system>
struct atomic_ref : leat_atomic_operations<T, Scope, atomic_ref<T, Scope>>
{
  T *leat_there;

  LEAT_MEMBER explicit atomic_ref (T &v) : leat_there (&v) {}
  LEAT_MEMBER T *leat_at () const { return leat_there; }
  LEAT_MEMBER T operator= (T v) const
  {
    this->store (v);
    return v;
  }
};
template <class T> atomic_ref (T &) -> atomic_ref<T>;

template <class T, thread_scope Scope = thread_scope_system>
struct atomic : leat_atomic_operations<T, Scope, atomic<T, Scope>>
{
  alignas (sizeof (T)) mutable T leat_value;

  atomic () = default;
  constexpr atomic (T v) : leat_value (v) {}
  LEAT_MEMBER T *leat_at () const { return &leat_value; }
  LEAT_MEMBER T operator= (T v)
  {
    this->store (v);
    return v;
  }
};

} // namespace cuda

namespace std {

template <class T> using atomic = cuda::atomic<T, cuda::thread_scope_system>;
template <class T> using atomic_ref = cuda::atomic_ref<T, cuda::thread_scope_system>;

} // namespace std
