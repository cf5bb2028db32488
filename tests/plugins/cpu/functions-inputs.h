/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "functions-table.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The arguments that each function is given, the same on every machine, and how results are summed up. */

#define FUNCTION_ITEMS   4096 /* at most */
#define FUNCTION_EDGES   32
#define FUNCTION_CORNERS 12 /* of the edges, where there are three arguments */

static uint64_t
function_mix (uint64_t x)
{
  x += UINT64_C (0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C (0x94d049bb133111eb);
  return x ^ x >> 31;
}

static unsigned int
function_count (const FunctionRow *row)
{
  if (row->kind != FUNCTION_EXACT)
    return row->arity == 1 ? 56 : 72;
  return row->arity == 1 ? 512 : row->arity == 2 ? 2048 : FUNCTION_ITEMS;
}

static size_t
function_size (const char *type)
{
  return strcmp (type, "double") == 0 || strstr (type, "long long") != NULL ? 8 : 4;
}

static int
function_is_real (const char *type)
{
  return strcmp (type, "double") == 0 || strcmp (type, "float") == 0;
}

/* Zeros, ones, the least and greatest numbers, those around 2^31, 2^63 and halves. */
static double
function_edge (unsigned int i, int is_double)
{
  const double least = is_double ? 0x1p-1074 : 0x1p-149, normal = is_double ? 0x1p-1022 : 0x1p-126;
  const double most = is_double ? 0x1.fffffffffffffp1023 : 0x1.fffffep127, step = is_double ? 0x1p-52 : 0x1p-23;
  const double edges[FUNCTION_EDGES] = {
    0.0,       -0.0,      1,       -1,     least,   -least,         most,     -most,
    INFINITY,  -INFINITY, NAN,     normal, -normal, normal - least, 1 + step, 1 - step / 2,
    -1 - step, 0.5,       -0.5,    1.5,    2.5,     -2.5,           3,        10,
    0x1p24,    0x1p31,    -0x1p31, 0x1p32, 0x1p63,  -0x1p63,        0x1p64,   1 / step + 0.5
  };

  return edges[i % FUNCTION_EDGES];
}

static uint64_t
function_whole_edge (unsigned int i, int is_wide)
{
  static const uint64_t edges[FUNCTION_EDGES] = { 0,
                                                  1,
                                                  UINT64_MAX,
                                                  2,
                                                  UINT64_C (0x80000000),
                                                  0x7fffffff,
                                                  UINT64_C (0x8000000080000000),
                                                  UINT64_C (0x7fff00007fffffff),
                                                  31,
                                                  0x80007fff,
                                                  0x80ff7f01,
                                                  0xffff0000,
                                                  0x0000ffff,
                                                  32,
                                                  33,
                                                  3,
                                                  UINT64_MAX - 1,
                                                  0x01020304,
                                                  0x7f7f7f7f,
                                                  0x80808080,
                                                  0x00ff00ff,
                                                  0x7fff8000,
                                                  0x12345678,
                                                  0x01000001,
                                                  0x01ffffff,
                                                  0x3210,
                                                  0x7654,
                                                  0xfedcba98,
                                                  UINT64_C (0x7fffffffffffffff),
                                                  UINT64_C (0x8000000000000000),
                                                  UINT64_C (0x20000000000001),
                                                  UINT64_C (0xffffffff00000000) };

  return is_wide || i < 30 ? edges[i % FUNCTION_EDGES] : edges[i % FUNCTION_EDGES] >> 21;
}

/* Any bits; or a number near 1, near the square root of the least or of the greatest, in the order of @bits. */
static double
function_any_real (uint64_t bits, int is_double)
{
  const int middle = is_double ? 1023 : 127, range = is_double ? 60 : 14;
  int power = (int) (bits >> 54 & 0x3ff) % (2 * range) - range;
  double x;

  if ((bits & 3) == 0 && is_double)
    {
      bits = function_mix (bits);
      memcpy (&x, &bits, sizeof x);
      return x == x ? x : 1;
    }
  if ((bits & 3) == 0)
    {
      uint32_t narrow = (uint32_t) function_mix (bits);
      float y;

      memcpy (&y, &narrow, sizeof y);
      return y == y ? y : 1;
    }
  power += (bits & 3) == 1 ? 0 : (bits & 3) == 2 ? -middle / 2 - range / 2 : middle / 2;
  x = ldexp (1 + ldexp ((double) (bits >> 2 & UINT64_C (0xfffffffffff)), -44), power);
  return bits >> 53 & 1 ? -x : x;
}

/* Between the bounds, by size or by order of magnitude. */
static double
function_real_between (uint64_t bits, double low, double high)
{
  volatile double part = ldexp ((double) (bits >> 12), -52) * (high - low); /* no machine joins this to the sum */
  double most = low < 0 && -low < high ? -low : high;
  int top, bottom;

  if (bits & 1)
    return low + part;
  frexp (most, &top);
  frexp (low > 0 ? low : most * 0x1p-40, &bottom);
  part = ldexp (1 + ldexp ((double) (bits >> 20), -44),
                bottom + (int) ((bits >> 2 & 0xffff) % (unsigned int) (top - bottom + 1)) - 1);
  part = low < 0 && (bits & 2) ? -part : part;
  return part < low ? low : part > high ? high : part;
}

/* Argument @k of item @i. */
static double
function_real (const FunctionRow *row, unsigned int k, unsigned int i, int is_double)
{
  uint64_t bits = function_mix (i * 8 + k);

  if (row->kind == FUNCTION_NEAR && row->arity == 1 && i < FUNCTION_CORNERS)
    return function_edge (i, is_double);
  if (row->kind == FUNCTION_NEAR && row->arity > 1 && i < 36 && k < 2)
    return function_edge (k == 0 ? i % 6 : 4 + i / 6, is_double);
  if (row->kind != FUNCTION_EXACT)
    return function_real_between (bits, row->low, row->high);
  if (row->arity == 1)
    return i < FUNCTION_EDGES ? function_edge (i, is_double) : function_any_real (bits, is_double);
  if (row->arity == 2 && i < FUNCTION_EDGES * FUNCTION_EDGES)
    return function_edge (k == 0 ? i % FUNCTION_EDGES : i / FUNCTION_EDGES, is_double);
  if (row->arity == 3 && i < FUNCTION_CORNERS * FUNCTION_CORNERS * FUNCTION_CORNERS)
    return function_edge (k == 0   ? i % FUNCTION_CORNERS
                          : k == 1 ? i / FUNCTION_CORNERS % FUNCTION_CORNERS
                                   : i / FUNCTION_CORNERS / FUNCTION_CORNERS,
                          is_double);
  return function_any_real (bits, is_double);
}

static uint64_t
function_whole (const FunctionRow *row, unsigned int k, unsigned int i, int is_wide)
{
  uint64_t bits = function_mix (i * 8 + k);
  unsigned int edge = k == 0 ? i % FUNCTION_EDGES : i / FUNCTION_EDGES;

  if (row->arity == 1 ? i < FUNCTION_EDGES : i < FUNCTION_EDGES * FUNCTION_EDGES && k < 2)
    return function_whole_edge (edge, is_wide);
  if (row->arity == 3 && k == 2 && i % 3 != 0)
    return function_whole_edge (i / 3, is_wide);
  /* Of all sizes. */
  return bits >> (function_mix (bits) % (is_wide ? 64 : 32));
}

/* Fills @data with argument @k of each item. */
static void
function_fill (const FunctionRow *row, unsigned int k, void *data)
{
  const char *type = row->arguments[k];
  size_t size = function_size (type);

  for (unsigned int i = 0; i < function_count (row); i++)
    {
      double real = function_is_real (type) ? function_real (row, k, i, size == 8) : 0;
      float narrow = (float) real;
      uint64_t whole = function_is_real (type) ? 0 : function_whole (row, k, i, size == 8);

      if (function_is_real (type))
        memcpy ((char *) data + i * size, size == 8 ? (const void *) &real : &narrow, size);
      else
        memcpy ((char *) data + i * size, &whole, size); /* the lower bytes come first */
    }
}

/* The bits of item @i; all that are no number are alike. */
static uint64_t
function_result (const FunctionRow *row, const void *data, unsigned int i)
{
  size_t size = function_size (row->result);
  uint64_t bits = 0;

  memcpy (&bits, (const char *) data + i * size, size);
  if (strcmp (row->result, "float") == 0 && (bits & 0x7fffffff) > 0x7f800000)
    return 0x7fc00000;
  if (strcmp (row->result, "double") == 0 && bits << 1 > UINT64_C (0xffe0000000000000))
    return UINT64_C (0x7ff8000000000000);
  return bits;
}

static uint64_t
function_hash (const FunctionRow *row, const void *data)
{
  uint64_t hash = 0;

  for (unsigned int i = 0; i < function_count (row); i++)
    hash = function_mix (hash ^ function_result (row, data, i));
  return hash;
}

/* An overload for float, such as sin_f, is the same function as sinf: the row that has its record. */
static const FunctionRow *
function_recorded_row (const FunctionRow *row)
{
  size_t length = strlen (row->name);

  if (row->kind == FUNCTION_EXACT || length < 3 || strcmp (row->name + length - 2, "_f") != 0)
    return row;
  for (size_t i = 0; i < FUNCTION_ROWS; i++)
    if (strlen (function_rows[i].name) == length - 1 && strncmp (function_rows[i].name, row->name, length - 2) == 0
        && function_rows[i].name[length - 2] == 'f')
      return &function_rows[i];
  return row;
}
