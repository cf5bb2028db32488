/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's atomics, fences and cached loads for a host C++ compiler.
 *
 * Atomics acquire and release, which costs nothing more on x86-64 and is what a thread sanitizer understands.  The
 * threads of a block share one thread of the host, so that atomics at block scope need no lock. */

#if defined __SANITIZE_THREAD__
#define LEAT_TSAN 1
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define LEAT_TSAN 1
#endif
#endif

template <class T> struct leat_same { typedef T type; };
template <class T> struct leat_is_real { static constexpr bool value = false; };
template <> struct leat_is_real<float> { static constexpr bool value = true; };
template <> struct leat_is_real<double> { static constexpr bool value = true; };

/* Each operation makes the new value of the old one and its argument. */
struct leat_op_add { template <class T> static T of (T a, T b) { return (T) (a + b); } };
struct leat_op_sub { template <class T> static T of (T a, T b) { return (T) (a - b); } };
struct leat_op_exch { template <class T> static T of (T, T b) { return b; } };
struct leat_op_min { template <class T> static T of (T a, T b) { return b < a ? b : a; } };
struct leat_op_max { template <class T> static T of (T a, T b) { return a < b ? b : a; } };
struct leat_op_inc { template <class T> static T of (T a, T b) { return a >= b ? (T) 0 : (T) (a + 1); } };
struct leat_op_dec { template <class T> static T of (T a, T b) { return a == 0 || a > b ? b : (T) (a - 1); } };
struct leat_op_and { template <class T> static T of (T a, T b) { return a & b; } };
struct leat_op_or { template <class T> static T of (T a, T b) { return a | b; } };
struct leat_op_xor { template <class T> static T of (T a, T b) { return a ^ b; } };

template <class Op, class T>
LEAT_INLINE T
leat_atomic_loop (T *p, T v)
{
  T old, next;

  __atomic_load (p, &old, __ATOMIC_RELAXED);
  do
    next = Op::of (old, v);
  while (!__atomic_compare_exchange (p, &old, &next, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  return old;
}

template <class Op, class T>
LEAT_INLINE T
leat_atomic_block (T *p, T v)
{
#ifdef LEAT_TSAN
  return leat_atomic_loop<Op, T> (p, v);
#else
  T old = *p;

  *p = Op::of (old, v);
  return old;
#endif
}

#define LEAT_ATOMIC_SCOPES(name, op, ...)                                                                              \
  template <class T> LEAT_INLINE T name (T *p, typename leat_same<T>::type v)                                          \
  {                                                                                                                    \
    __VA_ARGS__                                                                                                        \
  }                                                                                                                    \
  template <class T> LEAT_INLINE T name##_system (T *p, typename leat_same<T>::type v)                                 \
  {                                                                                                                    \
    return name (p, v);                                                                                                \
  }                                                                                                                    \
  template <class T> LEAT_INLINE T name##_block (T *p, typename leat_same<T>::type v)                                  \
  {                                                                                                                    \
    return leat_atomic_block<op, T> (p, v);                                                                            \
  }
#define LEAT_ATOMIC_LOOP(name, op) LEAT_ATOMIC_SCOPES (name, op, return leat_atomic_loop<op, T> (p, v);)
#define LEAT_ATOMIC_FETCH(name, op, fetch)                                                                             \
  LEAT_ATOMIC_SCOPES (name, op, if constexpr (leat_is_real<T>::value) return leat_atomic_loop<op, T> (p, v);           \
                      else return fetch (p, v, __ATOMIC_ACQ_REL);)

LEAT_ATOMIC_FETCH (atomicAdd, leat_op_add, __atomic_fetch_add)
LEAT_ATOMIC_FETCH (atomicSub, leat_op_sub, __atomic_fetch_sub)
LEAT_ATOMIC_FETCH (atomicAnd, leat_op_and, __atomic_fetch_and)
LEAT_ATOMIC_FETCH (atomicOr, leat_op_or, __atomic_fetch_or)
LEAT_ATOMIC_FETCH (atomicXor, leat_op_xor, __atomic_fetch_xor)
LEAT_ATOMIC_LOOP (atomicExch, leat_op_exch)
LEAT_ATOMIC_LOOP (atomicMin, leat_op_min)
LEAT_ATOMIC_LOOP (atomicMax, leat_op_max)
LEAT_ATOMIC_LOOP (atomicInc, leat_op_inc)
LEAT_ATOMIC_LOOP (atomicDec, leat_op_dec)
#undef LEAT_ATOMIC_SCOPES
#undef LEAT_ATOMIC_LOOP
#undef LEAT_ATOMIC_FETCH

template <class T>
LEAT_INLINE T
atomicCAS (T *p, typename leat_same<T>::type compare, typename leat_same<T>::type v)
{
  T expected = compare;

  __atomic_compare_exchange (p, &expected, &v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return expected;
}

template <class T>
LEAT_INLINE T
atomicCAS_system (T *p, typename leat_same<T>::type compare, typename leat_same<T>::type v)
{
  return atomicCAS (p, compare, v);
}

template <class T>
LEAT_INLINE T
atomicCAS_block (T *p, typename leat_same<T>::type compare, typename leat_same<T>::type v)
{
#ifdef LEAT_TSAN
  return atomicCAS (p, compare, v);
#else
  T old = *p;

  if (old == compare)
    *p = v;
  return old;
#endif
}

LEAT_INLINE void __threadfence () { __atomic_thread_fence (__ATOMIC_SEQ_CST); }
LEAT_INLINE void __threadfence_system () { __atomic_thread_fence (__ATOMIC_SEQ_CST); }
LEAT_INLINE void __threadfence_block () { __atomic_signal_fence (__ATOMIC_SEQ_CST); }

template <class T>
LEAT_INLINE T
leat_load_acquire (const T *p)
{
  T v;

  __atomic_load (p, &v, __ATOMIC_ACQUIRE);
  return v;
}

template <class T>
LEAT_INLINE void
leat_store_release (T *p, typename leat_same<T>::type v)
{
  __atomic_store (p, &v, __ATOMIC_RELEASE);
}

LEAT_INLINE unsigned int
leat_arrive (unsigned int *count)
{
  return __atomic_fetch_add (count, 1u, __ATOMIC_ACQ_REL);
}

template <class T>
LEAT_INLINE T
leat_load_relaxed (const T *p)
{
  return leat_load_acquire (p);
}

template <class T>
LEAT_INLINE void
leat_store_relaxed (T *p, typename leat_same<T>::type v)
{
  leat_store_release (p, v);
}

template <class T>
LEAT_INLINE T
leat_take_ticket (T *counter)
{
  return __atomic_fetch_add (counter, (T) 1, __ATOMIC_ACQ_REL);
}

#define LEAT_CACHED(name)                                                                                              \
  template <class T> LEAT_INLINE T name (const T *p)                                                                   \
  {                                                                                                                    \
    return *p;                                                                                                         \
  }
LEAT_CACHED (__ldg) LEAT_CACHED (__ldcg) LEAT_CACHED (__ldca) LEAT_CACHED (__ldcs) LEAT_CACHED (__ldlu) LEAT_CACHED (__ldcv)
#undef LEAT_CACHED
#define LEAT_CACHED(name)                                                                                              \
  template <class T> LEAT_INLINE void name (T *p, typename leat_same<T>::type v)                                       \
  {                                                                                                                    \
    *p = v;                                                                                                            \
  }
LEAT_CACHED (__stwb) LEAT_CACHED (__stcg) LEAT_CACHED (__stcs) LEAT_CACHED (__stwt)
#undef LEAT_CACHED
