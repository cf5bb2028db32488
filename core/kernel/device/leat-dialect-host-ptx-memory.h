/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* PTX that converts, that reads and writes memory, and that carries, for a host C++ compiler.  Behind leat-dialect-host-ptx.h. */

#define LEAT_PTX_TO_REAL(way)                                                                                          \
  template <class D> LEAT_INLINE D leat_ptx_real_##way (long long x)                                                   \
  {                                                                                                                    \
    return sizeof (D) == 4 ? (D) __ll2float_##way (x) : (D) __ll2double_##way (x);                                     \
  }                                                                                                                    \
  template <class D> LEAT_INLINE D leat_ptx_real_##way (unsigned long long x)                                          \
  {                                                                                                                    \
    return sizeof (D) == 4 ? (D) __ull2float_##way (x) : (D) __ull2double_##way (x);                                   \
  }
LEAT_PTX_TO_REAL (rd)
LEAT_PTX_TO_REAL (ru)
LEAT_PTX_TO_REAL (rz)
#undef LEAT_PTX_TO_REAL
template <bool Signed> struct leat_ptx_longest { typedef long long type; };
template <> struct leat_ptx_longest<false> { typedef unsigned long long type; };

/* A whole number as it fits; what no number is gives what it gives elsewhere (leat-dialect-host-math.h). */
template <class D, class S>
LEAT_INLINE D
leat_ptx_fitted (S whole)
{
  if constexpr (sizeof (D) == 8)
    return (D) -1 < 0 ? (D) __double2ll_rz (whole) : (D) __double2ull_rz (whole);
  else
    {
      constexpr long long most = (1ll << (8 * sizeof (D) - ((D) -1 < 0))) - 1, least = (D) -1 < 0 ? -most - 1 : 0;
      long long number = __double2ll_rz (whole);

      if (whole != whole)
        return sizeof (S) == 8 && sizeof (D) == 4 ? (D) 0x80000000u : (D) 0;
      return (D) (number < least ? least : number > most ? most : number);
    }
}

/* Of one number to another.  The way it is rounded has the letter of the instruction's suffix, 0 where it has none. */
template <char Way, class D, class S>
LEAT_INLINE D
leat_ptx_cvt (S x)
{
  constexpr bool to_real = leat_is_real<D>::value, of_real = leat_is_real<S>::value;

  if constexpr (of_real && Way != 0 && (!to_real || sizeof (D) == sizeof (S)))
    {
      S whole = Way == 'n' ? rint (x) : Way == 'd' ? floor (x) : Way == 'u' ? ceil (x) : trunc (x);

      if constexpr (to_real)
        return whole;
      else
        return leat_ptx_fitted<D> (whole);
    }
  else if constexpr (of_real && sizeof (S) > sizeof (D) && Way != 'n')
    return Way == 'd' ? __double2float_rd (x) : Way == 'u' ? __double2float_ru (x) : __double2float_rz (x);
  else if constexpr (to_real && !of_real && Way != 'n')
    {
      typename leat_ptx_longest<(S) -1 < 0>::type longest = x;

      return Way == 'd' ? leat_ptx_real_rd<D> (longest) : Way == 'u' ? leat_ptx_real_ru<D> (longest) : leat_ptx_real_rz<D> (longest);
    }
  else
    return (D) x;
}
/* .sat between whole numbers: the nearest that there is. */
template <char Way, class D, class S>
LEAT_INLINE D
leat_ptx_cvt_sat (S x)
{
  constexpr __int128 most = (D) -1 < 0 ? ((__int128) 1 << (8 * sizeof (D) - 1)) - 1 : ((__int128) 1 << 8 * sizeof (D)) - 1;
  constexpr __int128 least = (D) -1 < 0 ? -most - 1 : 0;

  return (D) ((__int128) x < least ? least : (__int128) x > most ? most : (__int128) x);
}

template <class T> LEAT_INLINE T leat_ptx_ld (size_t at) { return *(const T *) at; }
template <class T> LEAT_INLINE void leat_ptx_st (size_t at, T v) { *(T *) at = v; }
#define LEAT_PTX_ORDERED(order, of_load, of_store)                                                                     \
  template <class T> LEAT_INLINE T leat_ptx_ld_##order (size_t at)                                                     \
  {                                                                                                                    \
    T v;                                                                                                               \
                                                                                                                       \
    __atomic_load ((const T *) at, &v, of_load);                                                                       \
    return v;                                                                                                          \
  }                                                                                                                    \
  template <class T> LEAT_INLINE void leat_ptx_st_##order (size_t at, T v)                                             \
  {                                                                                                                    \
    __atomic_store ((T *) at, &v, of_store);                                                                           \
  }
LEAT_PTX_ORDERED (relaxed, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
LEAT_PTX_ORDERED (ordered, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE)
#undef LEAT_PTX_ORDERED

#define LEAT_PTX_ATOM(name, call)                                                                                      \
  template <class T> LEAT_INLINE T leat_ptx_atom_##name (size_t at, T v) { return call ((T *) at, v); }
LEAT_PTX_ATOM (add, atomicAdd)
LEAT_PTX_ATOM (min, atomicMin)
LEAT_PTX_ATOM (max, atomicMax)
LEAT_PTX_ATOM (and, atomicAnd)
LEAT_PTX_ATOM (or, atomicOr)
LEAT_PTX_ATOM (xor, atomicXor)
LEAT_PTX_ATOM (exch, atomicExch)
LEAT_PTX_ATOM (inc, atomicInc)
LEAT_PTX_ATOM (dec, atomicDec)
#undef LEAT_PTX_ATOM
template <class T>
LEAT_INLINE T
leat_ptx_atom_cas (size_t at, T compare, T v)
{
  return atomicCAS ((T *) at, compare, v);
}

/* Sums that take a carry and leave one; differences, with what was borrowed. */
template <class T>
LEAT_INLINE T
leat_ptx_carried (unsigned int &carry, T a, T b, bool take, bool keep)
{
  T sum = (T) (a + b), whole = (T) (sum + (T) (take ? carry : 0));

  carry = keep ? (sum < a) | (whole < sum) : carry;
  return whole;
}
template <class T>
LEAT_INLINE T
leat_ptx_borrowed (unsigned int &carry, T a, T b, bool take, bool keep)
{
  T borrow = (T) (take ? carry : 0), rest = (T) (a - b);

  carry = keep ? (a < b) | (rest < borrow) : carry;
  return (T) (rest - borrow);
}
#define LEAT_PTX_CARRY(name, call, take, keep)                                                                         \
  template <class T> LEAT_INLINE T leat_ptx_##name (unsigned int &carry, T a, T b)                                     \
  {                                                                                                                    \
    return call<T> (carry, a, b, take, keep);                                                                          \
  }
LEAT_PTX_CARRY (add_cc, leat_ptx_carried, false, true)
LEAT_PTX_CARRY (addc, leat_ptx_carried, true, false)
LEAT_PTX_CARRY (addc_cc, leat_ptx_carried, true, true)
LEAT_PTX_CARRY (sub_cc, leat_ptx_borrowed, false, true)
LEAT_PTX_CARRY (subc, leat_ptx_borrowed, true, false)
LEAT_PTX_CARRY (subc_cc, leat_ptx_borrowed, true, true)
#undef LEAT_PTX_CARRY
#define LEAT_PTX_MAD(name, half, take, keep)                                                                           \
  template <class T> LEAT_INLINE T leat_ptx_##name (unsigned int &carry, T a, T b, T c)                                \
  {                                                                                                                    \
    return leat_ptx_carried<T> (carry, leat_ptx_mul_##half<T> (a, b), c, take, keep);                                  \
  }
LEAT_PTX_MAD (mad_lo_cc, lo, false, true)
LEAT_PTX_MAD (madc_lo, lo, true, false)
LEAT_PTX_MAD (madc_lo_cc, lo, true, true)
LEAT_PTX_MAD (mad_hi_cc, hi, false, true)
LEAT_PTX_MAD (madc_hi, hi, true, false)
LEAT_PTX_MAD (madc_hi_cc, hi, true, true)
#undef LEAT_PTX_MAD
/* Of functions that are members of a kernel's own types, which do not know the thread. */
static thread_local unsigned int leat_ptx_carry_of_types;

/* Two registers as one, and one as two. */
template <class T, class H>
LEAT_INLINE T
leat_ptx_pack (H low, H high)
{
  return (T) ((T) high << 8 * sizeof (H) | low);
}
template <class H, class T> LEAT_INLINE H leat_ptx_low (T x) { return (H) x; }
template <class H, class T> LEAT_INLINE H leat_ptx_high (T x) { return (H) (x >> 8 * sizeof (H)); }
