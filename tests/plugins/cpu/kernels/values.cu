// Leat - dataflow for GPU work that repeats
// SPDX-License-Identifier: LGPL-2.1-or-later

#include <stdint.h>

// What C++ leaves open and a GPU defines.  values-record.cu runs these kernels on a GPU and test-values.c on any device.

template <class T, class S>
__device__ T
cast (S x)
{
  return (T) x;
}

template <class S>
__device__ void
convert (int i, const S *x, int8_t *i8, uint8_t *u8, int16_t *i16, uint16_t *u16, int32_t *i32, uint32_t *u32,
         int64_t *i64, uint64_t *u64)
{
  i8[i] = (signed char) x[i];
  u8[i] = x[i];
  i16[i] = cast<int16_t> (x[i]);
  u16[i] = x[i];
  i32[i] = static_cast<int> (x[i]);
  u32[i] = (unsigned int) x[i];
  i64[i] = x[i];
  u64[i] = cast<uint64_t> (x[i]);
}

__global__ void
convert_f32 (int n, const float *x, int8_t *i8, uint8_t *u8, int16_t *i16, uint16_t *u16, int32_t *i32, uint32_t *u32,
             int64_t *i64, uint64_t *u64)
{
  GRID_FOR (i, n)
    convert (i, x, i8, u8, i16, u16, i32, u32, i64, u64);
}

__global__ void
convert_f64 (int n, const double *x, int8_t *i8, uint8_t *u8, int16_t *i16, uint16_t *u16, int32_t *i32, uint32_t *u32,
             int64_t *i64, uint64_t *u64)
{
  GRID_FOR (i, n)
    convert (i, x, i8, u8, i16, u16, i32, u32, i64, u64);
}

// CUDA's own names for conversions, and the functions of C that end in one.
__global__ void
round_f32 (int n, const float *x, int *rz, int *rn, unsigned *urz, long long *lrz, unsigned long long *ulrz, long *lri,
           long long *llri, long *lro, long long *llro, int *log)
{
  GRID_FOR (i, n)
    {
      rz[i] = __float2int_rz (x[i]);
      rn[i] = __float2int_rn (x[i]);
      urz[i] = __float2uint_rz (x[i]);
      lrz[i] = __float2ll_rz (x[i]);
      ulrz[i] = __float2ull_rz (x[i]);
      lri[i] = lrintf (x[i]);
      llri[i] = llrintf (x[i]);
      lro[i] = lroundf (x[i]);
      llro[i] = llroundf (x[i]);
      log[i] = ilogbf (x[i]);
    }
}

__global__ void
round_f64 (int n, const double *x, int *rz, int *rn, unsigned *urz, long long *lrz, unsigned long long *ulrz, long *lri,
           long long *llri, long *lro, long long *llro, int *log)
{
  GRID_FOR (i, n)
    {
      rz[i] = __double2int_rz (x[i]);
      rn[i] = __double2int_rn (x[i]);
      urz[i] = __double2uint_rz (x[i]);
      lrz[i] = __double2ll_rz (x[i]);
      ulrz[i] = __double2ull_rz (x[i]);
      lri[i] = lrint (x[i]);
      llri[i] = llrint (x[i]);
      lro[i] = lround (x[i]);
      llro[i] = llround (x[i]);
      log[i] = ilogb (x[i]);
    }
}

template <class T, class R>
__device__ void
shift (int i, const T *x, const int *by, const int64_t *wide, R *left, R *right, R *wide_left, R *wide_right)
{
  left[i] = x[i] << by[i];
  right[i] = x[i] >> by[i];
  wide_left[i] = x[i] << wide[i];
  wide_right[i] = x[i] >> wide[i];
}

__global__ void
shift_i8 (int n, const int8_t *x, const int *by, const int64_t *wide, int *left, int *right, int *wide_left,
          int *wide_right)
{
  GRID_FOR (i, n)
    shift (i, x, by, wide, left, right, wide_left, wide_right);
}

__global__ void
shift_u16 (int n, const uint16_t *x, const int *by, const int64_t *wide, int *left, int *right, int *wide_left,
           int *wide_right)
{
  GRID_FOR (i, n)
    shift (i, x, by, wide, left, right, wide_left, wide_right);
}

__global__ void
shift_i32 (int n, const int *x, const int *by, const int64_t *wide, int *left, int *right, int *wide_left,
           int *wide_right)
{
  GRID_FOR (i, n)
    shift (i, x, by, wide, left, right, wide_left, wide_right);
}

__global__ void
shift_u32 (int n, const uint32_t *x, const int *by, const int64_t *wide, uint32_t *left, uint32_t *right,
           uint32_t *wide_left, uint32_t *wide_right)
{
  GRID_FOR (i, n)
    shift (i, x, by, wide, left, right, wide_left, wide_right);
}

__global__ void
shift_i64 (int n, const int64_t *x, const int *by, const int64_t *wide, int64_t *left, int64_t *right,
           int64_t *wide_left, int64_t *wide_right)
{
  GRID_FOR (i, n)
    shift (i, x, by, wide, left, right, wide_left, wide_right);
}

__global__ void
shift_u64 (int n, const uint64_t *x, const int *by, const int64_t *wide, uint64_t *left, uint64_t *right,
           uint64_t *wide_left, uint64_t *wide_right)
{
  GRID_FOR (i, n)
    shift (i, x, by, wide, left, right, wide_left, wide_right);
}

template <class T, class R>
__device__ void
divide (int i, const T *x, const T *y, R *quotient, R *rest, T *own_quotient, T *own_rest)
{
  T q = x[i], r = x[i];

  quotient[i] = x[i] / y[i];
  rest[i] = x[i] % y[i];
  q /= y[i];
  r %= y[i];
  own_quotient[i] = q;
  own_rest[i] = r;
}

__global__ void
divide_i8 (int n, const int8_t *x, const int8_t *y, int *quotient, int *rest, int8_t *own_quotient, int8_t *own_rest)
{
  GRID_FOR (i, n)
    divide (i, x, y, quotient, rest, own_quotient, own_rest);
}

__global__ void
divide_u8 (int n, const uint8_t *x, const uint8_t *y, int *quotient, int *rest, uint8_t *own_quotient,
           uint8_t *own_rest)
{
  GRID_FOR (i, n)
    divide (i, x, y, quotient, rest, own_quotient, own_rest);
}

__global__ void
divide_i16 (int n, const int16_t *x, const int16_t *y, int *quotient, int *rest, int16_t *own_quotient,
            int16_t *own_rest)
{
  GRID_FOR (i, n)
    divide (i, x, y, quotient, rest, own_quotient, own_rest);
}

__global__ void
divide_u16 (int n, const uint16_t *x, const uint16_t *y, int *quotient, int *rest, uint16_t *own_quotient,
            uint16_t *own_rest)
{
  GRID_FOR (i, n)
    divide (i, x, y, quotient, rest, own_quotient, own_rest);
}

__global__ void
divide_i32 (int n, const int32_t *x, const int32_t *y, int32_t *quotient, int32_t *rest, int32_t *own_quotient,
            int32_t *own_rest)
{
  GRID_FOR (i, n)
    divide (i, x, y, quotient, rest, own_quotient, own_rest);
}

__global__ void
divide_u32 (int n, const uint32_t *x, const uint32_t *y, uint32_t *quotient, uint32_t *rest, uint32_t *own_quotient,
            uint32_t *own_rest)
{
  GRID_FOR (i, n)
    divide (i, x, y, quotient, rest, own_quotient, own_rest);
}

__global__ void
divide_i64 (int n, const int64_t *x, const int64_t *y, int64_t *quotient, int64_t *rest, int64_t *own_quotient,
            int64_t *own_rest)
{
  GRID_FOR (i, n)
    divide (i, x, y, quotient, rest, own_quotient, own_rest);
}

__global__ void
divide_u64 (int n, const uint64_t *x, const uint64_t *y, uint64_t *quotient, uint64_t *rest, uint64_t *own_quotient,
            uint64_t *own_rest)
{
  GRID_FOR (i, n)
    divide (i, x, y, quotient, rest, own_quotient, own_rest);
}

// Where the compiler knows more of one side: a constant, few bits, a product, another type.
__global__ void
divide_known (int n, const int *x, const int *y, int *by_zero, int *narrow, int *of_few, int *of_unsigned, int *rest_few,
              int *of_wide, int64_t *wide, int64_t *wide_product)
{
  GRID_FOR (i, n)
    {
      by_zero[i] = 100 / y[i];
      narrow[i] = (x[i] & 255) / (y[i] & 255);
      of_few[i] = (x[i] & 255) / y[i];
      rest_few[i] = (x[i] & 255) % (y[i] & 255);
      of_unsigned[i] = x[i] / (unsigned) y[i];
      of_wide[i] = x[i] / (int64_t) y[i];
      wide[i] = (int64_t) x[i] / (int64_t) y[i];
      wide_product[i] = (int64_t) x[i] * 1099511627776 / y[i];
    }
}

// The bits of NaN, and who passes one on.
__global__ void
nan_f32 (const float *x, float *y)
{
  float zero = x[0], one = x[1], infinity = x[2], nan = x[3], negative_nan = x[4];

  y[0] = zero / zero;
  y[1] = infinity - infinity;
  y[2] = infinity * zero;
  y[3] = sqrtf (-one);
  y[4] = nan + one;
  y[5] = one + negative_nan;
  y[6] = -nan;
  y[7] = fabsf (negative_nan);
  y[8] = fminf (nan, one);
  y[9] = fmaxf (one, nan);
  y[10] = fminf (nan, negative_nan);
  y[11] = fminf (zero, -zero);
  y[12] = fmaxf (-zero, zero);
  y[13] = fmodf (one, zero);
  y[14] = logf (-one);
  y[15] = (float) (double) nan;
  y[16] = (float) (double) negative_nan;
  y[17] = fmaf (infinity, zero, one);
  y[18] = nan;
  y[19] = negative_nan;
}

__global__ void
nan_f64 (const double *x, double *y)
{
  double zero = x[0], one = x[1], infinity = x[2], nan = x[3], negative_nan = x[4];

  y[0] = zero / zero;
  y[1] = infinity - infinity;
  y[2] = infinity * zero;
  y[3] = sqrt (-one);
  y[4] = nan + one;
  y[5] = one + negative_nan;
  y[6] = -nan;
  y[7] = fabs (negative_nan);
  y[8] = fmin (nan, one);
  y[9] = fmax (one, nan);
  y[10] = fmin (nan, negative_nan);
  y[11] = fmin (zero, -zero);
  y[12] = fmax (-zero, zero);
  y[13] = fmod (one, zero);
  y[14] = log (-one);
  y[15] = (double) (float) nan;
  y[16] = (double) (float) negative_nan;
  y[17] = fma (infinity, zero, one);
  y[18] = nan;
  y[19] = negative_nan;
}

// Whole numbers that grow past their type, and literals that do not fit theirs.
__global__ void
overflow (const int *x, const int64_t *l, int *y, int64_t *m)
{
  int least = x[0], most = x[1], one = x[2], rounds = 0;

  for (int i = one; i > 0; i *= 2)
    rounds++;
  y[0] = rounds;
  y[1] = most + one;
  y[2] = least - one;
  y[3] = -least;
  y[4] = abs (least);
  y[5] = most * most;
  y[6] = most + one < most;
  y[7] = (int) 5e9f;
  y[8] = (int) -5e9;
  y[9] = (unsigned char) 300.f;
  y[10] = (unsigned char) 5e9f;
  y[11] = (signed char) -300.0;
  y[12] = (unsigned short) -5.0f;
  y[13] = one << 40;
  y[14] = least >> 40;
  m[0] = l[0] - one;
  m[1] = -l[0];
  m[2] = llabs (l[0]);
  m[3] = (long long) 1e30f;
  m[4] = (unsigned long long) -1.0f;
  m[5] = (unsigned int) 5e9;
}
