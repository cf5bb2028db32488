/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Prints values-recorded.h: what a GPU makes of kernels/values.cu.  Needs nothing but CUDA:
 *   nvcc -arch=native values-record.cu -o values-record && ./values-record >values-recorded.h */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>

#define GRID_FOR(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

#include "kernels/values.cu"
#include "values-inputs.h"

static void
check (cudaError_t error)
{
  if (error == cudaSuccess)
    return;
  fprintf (stderr, "values-record: %s\n", cudaGetErrorString (error));
  exit (1);
}

/* Memory that both sides see, zeros. */
template <class T>
static T *
have (int n)
{
  T *memory;

  check (cudaMallocManaged (&memory, n * sizeof (T)));
  memset (memory, 0, n * sizeof (T));
  return memory;
}

template <class T, class S>
static T *
fill (const S *from, int n)
{
  T *memory = have<T> (n);

  for (int i = 0; i < n; i++)
    memory[i] = (T) from[i];
  return memory;
}

/* Every value with every other, in the order of the first. */
template <class T, class S>
static T *
cross (const S *from, int n, int times, int each)
{
  T *memory = have<T> (n * times * each);

  for (int t = 0; t < times; t++)
    for (int i = 0; i < n; i++)
      for (int e = 0; e < each; e++)
        memory[(t * n + i) * each + e] = (T) from[i];
  return memory;
}

static void
finish (void)
{
  check (cudaGetLastError ());
  check (cudaDeviceSynchronize ());
}

/* The bits of a value, as its type extends them to 64. */
template <class T>
static unsigned long long
bits_of (T x)
{
  return (unsigned long long) (long long) x;
}
static unsigned long long
bits_of (float x)
{
  unsigned int bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}
static unsigned long long
bits_of (double x)
{
  unsigned long long bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

/* Of the line that is being printed, 0 where none is. */
static int width;

static void
begin (const char *name, int columns)
{
  printf ("\nstatic const uint64_t recorded_%s[][%d] = {\n", name, columns);
  width = 0;
}

/* Small numbers, and those that a sign was extended into, as decimals; the rest shows its bits. */
static std::string
spell (unsigned long long bits)
{
  long long number = (long long) bits;
  char text[24];

  snprintf (text, sizeof text, number >= -(1ll << 32) && number < 10 ? "%lld" : "0x%llx", number);
  return text;
}

static void
put_row (const std::string &row)
{
  std::string text = "{ " + row + " },";

  if (width > 0 && width + 1 + (int) text.size () > 118)
    {
      printf ("\n");
      width = 0;
    }
  width += printf ("%s%s", width > 0 ? " " : "  ", text.c_str ());
}

template <class T, class... Rest>
static void
put_row (const std::string &row, T x, Rest... rest)
{
  put_row (row + (row.empty () ? "" : ", ") + spell (bits_of (x)), rest...);
}

#define ROW(...) put_row (std::string (), __VA_ARGS__)
#define END()    printf ("\n};\n")

template <class S>
static void
record_conversions (const char *name, const S *values, int n,
                    void (*kernel) (int, const S *, int8_t *, uint8_t *, int16_t *, uint16_t *, int32_t *, uint32_t *,
                                    int64_t *, uint64_t *))
{
  S *x = fill<S> (values, n);
  int8_t *i8 = have<int8_t> (n);
  uint8_t *u8 = have<uint8_t> (n);
  int16_t *i16 = have<int16_t> (n);
  uint16_t *u16 = have<uint16_t> (n);
  int32_t *i32 = have<int32_t> (n);
  uint32_t *u32 = have<uint32_t> (n);
  int64_t *i64 = have<int64_t> (n);
  uint64_t *u64 = have<uint64_t> (n);

  kernel<<<1, 32>>> (n, x, i8, u8, i16, u16, i32, u32, i64, u64);
  finish ();
  printf ("\n/* the bits of the value; i8, u8, i16, u16, i32, u32, i64, u64 */");
  begin (name, 9);
  for (int i = 0; i < n; i++)
    ROW (x[i], i8[i], u8[i], i16[i], u16[i], i32[i], u32[i], i64[i], u64[i]);
  END ();
}

template <class S>
static void
record_rounding (const char *name, const S *values, int n,
                 void (*kernel) (int, const S *, int *, int *, unsigned *, long long *, unsigned long long *, long *,
                                 long long *, long *, long long *, int *))
{
  S *x = fill<S> (values, n);
  int *rz = have<int> (n), *rn = have<int> (n), *log = have<int> (n);
  unsigned *urz = have<unsigned> (n);
  long long *lrz = have<long long> (n), *llri = have<long long> (n), *llro = have<long long> (n);
  unsigned long long *ulrz = have<unsigned long long> (n);
  long *lri = have<long> (n), *lro = have<long> (n);

  kernel<<<1, 32>>> (n, x, rz, rn, urz, lrz, ulrz, lri, llri, lro, llro, log);
  finish ();
  printf ("\n/* the bits of the value; 2int_rz, 2int_rn, 2uint_rz, 2ll_rz, 2ull_rz, lrint, llrint, lround, llround, "
          "ilogb */");
  begin (name, 11);
  for (int i = 0; i < n; i++)
    ROW (x[i], rz[i], rn[i], urz[i], lrz[i], ulrz[i], lri[i], llri[i], lro[i], llro[i], log[i]);
  END ();
}

template <class T, class R>
static void
record_shifts (const char *name, void (*kernel) (int, const T *, const int *, const int64_t *, R *, R *, R *, R *))
{
  int each = VALUES_N (values_amounts), n = VALUES_N (values_shifted) * each;
  T *x = cross<T> (values_shifted, VALUES_N (values_shifted), 1, each);
  int *by = cross<int> (values_amounts, each, VALUES_N (values_shifted), 1);
  int64_t *wide = cross<int64_t> (values_amounts, each, VALUES_N (values_shifted), 1);
  R *left = have<R> (n), *right = have<R> (n), *wide_left = have<R> (n), *wide_right = have<R> (n);

  kernel<<<1, 32>>> (n, x, by, wide, left, right, wide_left, wide_right);
  finish ();
  printf ("\n/* by the amount as an int: left, right; by it as 64 bits: left, right */");
  begin (name, 4);
  for (int i = 0; i < n; i++)
    ROW (left[i], right[i], wide_left[i], wide_right[i]);
  END ();
}

template <class T, class R>
static void
record_divisions (const char *name, void (*kernel) (int, const T *, const T *, R *, R *, T *, T *))
{
  int each = VALUES_N (values_divisors), n = VALUES_N (values_divided) * each;
  T *x = cross<T> (values_divided, VALUES_N (values_divided), 1, each);
  T *y = cross<T> (values_divisors, each, VALUES_N (values_divided), 1);
  R *quotient = have<R> (n), *rest = have<R> (n);
  T *own_quotient = have<T> (n), *own_rest = have<T> (n);

  kernel<<<1, 32>>> (n, x, y, quotient, rest, own_quotient, own_rest);
  finish ();
  printf ("\n/* x / y, x %% y, x /= y, x %%= y */");
  begin (name, 4);
  for (int i = 0; i < n; i++)
    ROW (quotient[i], rest[i], own_quotient[i], own_rest[i]);
  END ();
}

static void
record_known_divisions (void)
{
  int each = VALUES_N (values_divisors), n = VALUES_N (values_divided) * each;
  int *x = cross<int> (values_divided, VALUES_N (values_divided), 1, each);
  int *y = cross<int> (values_divisors, each, VALUES_N (values_divided), 1);
  int *r[6];
  int64_t *wide = have<int64_t> (n), *product = have<int64_t> (n);

  for (int k = 0; k < 6; k++)
    r[k] = have<int> (n);
  divide_known<<<1, 32>>> (n, x, y, r[0], r[1], r[2], r[3], r[4], r[5], wide, product);
  finish ();
  printf ("\n/* the outputs of divide_known in order */");
  begin ("divide_known", 8);
  for (int i = 0; i < n; i++)
    ROW (r[0][i], r[1][i], r[2][i], r[3][i], r[4][i], r[5][i], wide[i], product[i]);
  END ();
}

template <class T, class U>
static void
record_nan (const char *name, U one, U infinity, U nan, U negative_nan, void (*kernel) (const T *, T *))
{
  U inputs[5] = { 0, one, infinity, nan, negative_nan };
  T *x = have<T> (5), *y = have<T> (20);

  memcpy (x, inputs, sizeof inputs);
  kernel<<<1, 1>>> (x, y);
  finish ();
  begin (name, 1);
  for (int i = 0; i < 20; i++)
    ROW (y[i]);
  END ();
}

static void
record_overflow (void)
{
  int *x = have<int> (3), *y = have<int> (12);
  int64_t *l = have<int64_t> (1), *m = have<int64_t> (6);

  x[0] = -2147483647 - 1;
  x[1] = 2147483647;
  x[2] = 1;
  l[0] = (int64_t) 0x8000000000000000;
  overflow<<<1, 1>>> (x, l, y, m);
  finish ();
  begin ("overflow", 1);
  for (int i = 0; i < 12; i++)
    ROW (y[i]);
  for (int i = 0; i < 6; i++)
    ROW (m[i]);
  END ();
}

int
main (void)
{
  cudaDeviceProp device;
  int version = 0;

  check (cudaGetDeviceProperties (&device, 0));
  check (cudaRuntimeGetVersion (&version));
  printf (
    "/* Leat - dataflow for GPU work that repeats\n * SPDX-License-Identifier: LGPL-2.1-or-later\n */\n#pragma once\n\n"
    "/* Made by values-record.cu on an %s with CUDA %d.%d.  Signed types are extended as such. */\n\n"
    "#include <stdint.h>\n\n/* clang-format off */\n",
    device.name, version / 1000, version % 1000 / 10);
  record_conversions ("convert_f32", values_f32, VALUES_N (values_f32), convert_f32);
  record_conversions ("convert_f64", values_f64, VALUES_N (values_f64), convert_f64);
  record_rounding ("round_f32", values_f32, VALUES_N (values_f32), round_f32);
  record_rounding ("round_f64", values_f64, VALUES_N (values_f64), round_f64);
  record_shifts ("shift_i8", shift_i8);
  record_shifts ("shift_u16", shift_u16);
  record_shifts ("shift_i32", shift_i32);
  record_shifts ("shift_u32", shift_u32);
  record_shifts ("shift_i64", shift_i64);
  record_shifts ("shift_u64", shift_u64);
  record_divisions ("divide_i8", divide_i8);
  record_divisions ("divide_u8", divide_u8);
  record_divisions ("divide_i16", divide_i16);
  record_divisions ("divide_u16", divide_u16);
  record_divisions ("divide_i32", divide_i32);
  record_divisions ("divide_u32", divide_u32);
  record_divisions ("divide_i64", divide_i64);
  record_divisions ("divide_u64", divide_u64);
  record_known_divisions ();
  record_nan<float> ("nan_f32", 0x3f800000u, 0x7f800000u, 0x7fc12345u, 0xffc54321u, nan_f32);
  record_nan<double> ("nan_f64", 0x3ff0000000000000ull, 0x7ff0000000000000ull, 0x7ff8123456789abcull,
                      0xfff8cba987654321ull, nan_f64);
  record_overflow ();
  printf ("/* clang-format on */\n");
  return 0;
}
