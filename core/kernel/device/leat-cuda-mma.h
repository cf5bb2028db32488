/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* nvcuda::wmma on the CPU.  Each lane has neighbouring items of a matrix, row by row.  For a product the lanes tell each other
 * where theirs are; each sums up its own items, in the order of k, beginning with that of the accumulator. */

namespace nvcuda {
namespace wmma {

struct matrix_a
{
};
struct matrix_b
{
};
struct accumulator
{
};
struct row_major
{
};
struct col_major
{
};
enum layout_t
{
  mem_row_major,
  mem_col_major
};
namespace precision {
struct tf32
{
};
} // namespace precision

/* What an item is kept as, and what it is in a sum. */
template <class T> struct leat_item_of
{
  typedef T kept;
  static LEAT_MEMBER T get (T v) { return v; }
};
template <> struct leat_item_of<precision::tf32>
{
  typedef float kept;
  static LEAT_MEMBER float get (float v) { return __uint_as_float (__float_as_uint (v) & 0xffffe000u); }
};
template <> struct leat_item_of<signed char>
{
  typedef signed char kept;
  static LEAT_MEMBER int get (signed char v) { return v; }
};
template <> struct leat_item_of<unsigned char>
{
  typedef unsigned char kept;
  static LEAT_MEMBER int get (unsigned char v) { return v; }
};
template <> struct leat_item_of<__half>
{
  typedef __half kept;
  static LEAT_MEMBER float get (__half v) { return __half2float (v); }
};
template <> struct leat_item_of<__nv_bfloat16>
{
  typedef __nv_bfloat16 kept;
  static LEAT_MEMBER float get (__nv_bfloat16 v) { return __bfloat162float (v); }
};

template <class Use, int M, int N, int K> struct leat_shape;
template <int M, int N, int K> struct leat_shape<matrix_a, M, N, K> { static constexpr int rows = M, columns = K; };
template <int M, int N, int K> struct leat_shape<matrix_b, M, N, K> { static constexpr int rows = K, columns = N; };
template <int M, int N, int K> struct leat_shape<accumulator, M, N, K> { static constexpr int rows = M, columns = N; };

template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment
{
  typedef leat_item_of<T> leat_item;
  typedef typename leat_item::kept element_type, storage_element_type;
  static constexpr int leat_columns = leat_shape<Use, M, N, K>::columns;
  static constexpr int num_elements = leat_shape<Use, M, N, K>::rows * leat_columns / 32, num_storage_elements = num_elements;

  element_type x[num_elements];
};

LEAT_INLINE float
__float_to_tf32 (float v)
{
  unsigned int bits = __float_as_uint (v);

  return (bits & 0x7f800000u) == 0x7f800000u ? v : __uint_as_float ((bits + 0x1000u) & 0xffffe000u);
}

template <class Use, int M, int N, int K, class T, class L, class V>
LEAT_INLINE void
fill_fragment (fragment<Use, M, N, K, T, L> &f, const V &v)
{
  for (auto &item : f.x)
    item = v;
}

LEAT_INLINE bool leat_is_by_rows (row_major *) { return true; }
LEAT_INLINE bool leat_is_by_rows (col_major *) { return false; }

/* The items of lane @lane are those from lane * num_elements on. */
template <class F, class P>
LEAT_INLINE void
leat_load_items (F &f, unsigned int lane, const P *p, unsigned int step, bool by_rows)
{
  for (int i = 0; i < F::num_elements; i++)
    {
      unsigned int item = lane * F::num_elements + i, row = item / F::leat_columns, column = item % F::leat_columns;

      f.x[i] = by_rows ? p[row * step + column] : p[column * step + row];
    }
}
template <class Use, int M, int N, int K, class T, class L, class P>
LEAT_INLINE void
load_matrix_sync (fragment<Use, M, N, K, T, L> &f, const P *p, unsigned int step)
{
  leat_module *thread = LEAT_THREAD;

  thread->__syncwarp ();
  leat_load_items (f, leat_rank_in (thread->threadIdx, thread->blockDim) % 32, p, step, leat_is_by_rows ((L *) nullptr));
}
template <int M, int N, int K, class T, class P>
LEAT_INLINE void
load_matrix_sync (fragment<accumulator, M, N, K, T> &f, const P *p, unsigned int step, layout_t layout)
{
  leat_module *thread = LEAT_THREAD;

  thread->__syncwarp ();
  leat_load_items (f, leat_rank_in (thread->threadIdx, thread->blockDim) % 32, p, step, layout == mem_row_major);
}
template <int M, int N, int K, class T, class P>
LEAT_INLINE void
store_matrix_sync (P *p, const fragment<accumulator, M, N, K, T> &f, unsigned int step, layout_t layout)
{
  typedef fragment<accumulator, M, N, K, T> F;
  leat_module *thread = LEAT_THREAD;
  unsigned int lane = leat_rank_in (thread->threadIdx, thread->blockDim) % 32;

  thread->__syncwarp ();
  for (int i = 0; i < F::num_elements; i++)
    {
      unsigned int item = lane * F::num_elements + i, row = item / F::leat_columns, column = item % F::leat_columns;

      p[layout == mem_row_major ? row * step + column : column * step + row] = f.x[i];
    }
}

/* Where the threads of the block have their parts of the factors: they share a thread of the host. */
struct leat_factors
{
  const void *a, *b;
};
static __thread leat_factors leat_factors_of[1024];

template <class F>
LEAT_INLINE auto
leat_get_item (const void *part, unsigned int item)
{
  return F::leat_item::get (((const F *) part)->x[item % F::num_elements]);
}

/* A sum of whole numbers is exact in 64 bits; at its end it wraps around, or is limited. */
LEAT_INLINE double leat_begin_sum (double v) { return v; }
LEAT_INLINE float leat_begin_sum (float v) { return v; }
LEAT_INLINE float leat_begin_sum (__half v) { return __half2float (v); }
LEAT_INLINE long long leat_begin_sum (int v) { return v; }
LEAT_INLINE void leat_end_sum (double &to, double sum, bool) { to = sum; }
LEAT_INLINE void leat_end_sum (float &to, float sum, bool) { to = sum; }
LEAT_INLINE void leat_end_sum (__half &to, float sum, bool) { to = __float2half (sum); }
LEAT_INLINE void
leat_end_sum (int &to, long long sum, bool limited)
{
  const long long most = 0x7fffffff;

  to = (int) (unsigned int) (!limited ? sum : sum > most ? most : sum < -most - 1 ? -most - 1 : sum);
}

template <int M, int N, int K, class D, class A, class LA, class B, class LB, class C>
LEAT_INLINE void
mma_sync (fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, A, LA> &a,
          const fragment<matrix_b, M, N, K, B, LB> &b, const fragment<accumulator, M, N, K, C> &c, bool limited = false)
{
  typedef fragment<matrix_a, M, N, K, A, LA> FA;
  typedef fragment<matrix_b, M, N, K, B, LB> FB;
  leat_module *thread = LEAT_THREAD;
  unsigned int rank = leat_rank_in (thread->threadIdx, thread->blockDim), lane = rank % 32;
  const leat_factors *warp = leat_factors_of + rank - lane;
  fragment<accumulator, M, N, K, D> result;

  leat_factors_of[rank] = { &a, &b };
  thread->__syncwarp ();
  for (int i = 0; i < result.num_elements; i++)
    {
      unsigned int item = lane * result.num_elements + i, row = item / N, column = item % N;
      auto sum = leat_begin_sum (c.x[i]);

      for (int k = 0; k < K; k++)
        {
          unsigned int in_a = row * K + k, in_b = k * N + column;

          sum += leat_get_item<FA> (warp[in_a / FA::num_elements].a, in_a) * leat_get_item<FB> (warp[in_b / FB::num_elements].b, in_b);
        }
      leat_end_sum (result.x[i], sum, limited);
    }
  thread->__syncwarp ();
  d = result;
}

} // namespace wmma
} // namespace nvcuda
