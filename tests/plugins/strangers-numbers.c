/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stranger.h"

/* Numbers of 16 and 8 bits, complex ones, PTX, matrices, directed rounding, and CUDA's functions of words. */

#include "number-oracle.h"

#include <math.h>
#include <string.h>

static double
numbers_round (LeatDtype dtype, double value)
{
  return number_oracle_decode (dtype, number_oracle_encode (dtype, value));
}

static gint32
numbers_halves (const gint32 *x, gsize i, gsize n)
{
  double h = x[i] % 2048, third = numbers_round (LEAT_DTYPE_F16, h / 3);
  guint low = number_oracle_encode (LEAT_DTYPE_F16, h / 2 + 1);
  double high = numbers_round (LEAT_DTYPE_F16, third / 2 + 1);
  guint whole;

  h = numbers_round (LEAT_DTYPE_F16, h * third) + 0.25;
  whole = number_oracle_encode (LEAT_DTYPE_F16, h);
  return (gint32) (whole + (low << 8)) + (gint32) (high * 16)
         + (number_oracle_decode (LEAT_DTYPE_F16, whole) > 2 ? 5 : 0);
}

static gint32
numbers_bfloats (const gint32 *x, gsize i, gsize n)
{
  float f = (float) x[i] * 1.001f, sum;
  double third = numbers_round (LEAT_DTYPE_BF16, 0.3f), a = numbers_round (LEAT_DTYPE_BF16, f);
  guint32 cut;

  memcpy (&cut, &f, 4);
  sum = (float) a + (float) number_oracle_decode (LEAT_DTYPE_BF16, cut >> 16);
  sum += (float) third;
  return (gint32) sum * 4 + (gint32) (number_oracle_encode (LEAT_DTYPE_BF16, f) & 255)
         + (gint32) number_oracle_encode (LEAT_DTYPE_BF16, a * third);
}

static gint32
numbers_small (const gint32 *x, gsize i, gsize n)
{
  guint a = number_oracle_encode (LEAT_DTYPE_F8E4M3, (float) x[i] * 0.01f);
  guint b = number_oracle_encode (LEAT_DTYPE_F8E5M2, (float) x[i] * 2.0f);

  return (gint32) (number_oracle_decode (LEAT_DTYPE_F8E4M3, a) * 512) + (gint32) a * 3
         + (gint32) number_oracle_decode (LEAT_DTYPE_F8E5M2, b) + (gint32) b;
}

static gint32
numbers_complex (const gint32 *x, gsize i, gsize n)
{
  gint32 m = x[i] % 100;

  return (m * m - 9 + m - 1) * 8 + 6 * m + 4 - 8 * (x[i] % 8);
}

static gint32
numbers_assembly (const gint32 *x, gsize i, gsize n)
{
  guint32 v = (guint32) x[i], low, middle, high;
  guint64 first = (guint64) v * 0x10003u, second = (guint64) (v * 77u) * 0x10003u + (first >> 32);

  low = (guint32) first;
  middle = (guint32) second;
  high = (guint32) (second >> 32);
  return (gint32) (((v >> 3 & 127) ^ v ^ 0x55) + (low ^ middle ^ high)) + (x[i] < 0 ? -1 : 1);
}

/* Row by row: in column c of row r, 1 and the product of rows r and c. */
static gint32
numbers_matrices (const gint32 *x, gsize i, gsize n)
{
  gsize first = i / 256 * 256, row = first + i % 256 / 16 * 16, column = first + i % 16 * 16;
  gint32 sum = 1;

  for (gsize k = 0; k < 16; k++)
    sum += row + k < n && column + k < n ? (x[row + k] % 16) * (x[column + k] % 16) : 0;
  return sum;
}

static gint32
numbers_rounded (const gint32 *x, gsize i, gsize n)
{
  gint32 low = x[i] & 0xffff, root = (gint32) sqrt (low), gap = x[i] % 3 == 0 ? 0 : x[i] > 0 ? 1 : -1;

  return gap + (root * root == low ? 0 : 4) + 8 * (gint32) floor (x[i] / 4.0) + (gint32) ceil (x[i] / 4.0) + x[i] / 7
         + 100;
}

static gint32
numbers_bytes (const gint32 *x, gsize i, gsize n)
{
  guint32 a = (guint32) x[i] * 0x9e3779b1u, b = a ^ 0x0180ff7fu, sums = 0, gaps = 0, masks = 0, most = 0;
  gint32 dot = 5;

  for (guint at = 0; at < 32; at += 8)
    {
      guint32 p = a >> at & 255, q = b >> at & 255;

      sums |= MIN (p + q, 255) << at;
      gaps |= (p > q ? p - q : q - p) << at;
      masks |= (p > q ? 255u : 0u) << at;
      dot += (gint8) p * (gint8) q;
    }
  for (guint at = 0; at < 32; at += 16)
    most |= (guint32) (guint16) MAX ((gint16) (a >> at), (gint16) (b >> at)) << at;
  return (gint32) (sums + gaps * 3 + (masks & 0x01020304) + most + (guint32) dot
                   + ((a & 255) | (b & 255) << 8 | (a & 0xff0000) | (b >> 16 & 255) << 24));
}

static gint32
numbers_aligned (const gint32 *x, gsize i, gsize n)
{
  gint32 up = i > 0 ? x[i - 1] : 0, best = MAX (MAX (x[i] - 5, up - 3), MAX (MAX (x[i] + up, -9), 0));

  return best + 2 * MIN (x[i], up) + (x[i] <= up ? 1 : 0) + MIN (MIN ((guint16) x[i], (guint16) up), 0x7000);
}

static guint
numbers_count (guint64 v)
{
  return v == 0 ? 0 : (guint) (v & 1) + numbers_count (v >> 1);
}

/* From the lowest bit on, counted from 1; 0 for none. */
static guint
numbers_first (guint64 v)
{
  guint at = 0;

  while (at < 64 && (v >> at & 1) == 0)
    at++;
  return v == 0 ? 0 : at + 1;
}

static guint
numbers_leading (guint64 v, guint bits)
{
  guint n = 0;

  while (n < bits && (v >> (bits - 1 - n) & 1) == 0)
    n++;
  return n;
}

static gint32
numbers_bits (const gint32 *x, gsize i, gsize n)
{
  guint32 v = (guint32) x[i], turned = 0, sum;
  guint64 wide = (guint64) v << 20 | 1;

  for (guint at = 0; at < 32; at++)
    turned |= (v >> at & 1) << (31 - at);
  sum = (turned >> 7) + numbers_leading (v, 32) * 3 + numbers_count (wide) * 5 + numbers_first (v & ~1u) * 7 + 1;
  sum += numbers_leading (wide, 64) + (guint32) ((guint64) v * 0xdeadbeefu >> 32);
  sum += (guint32) ((gint64) x[i] >> 4 & 0xffff) + (~v << 9 | v >> 23) + (guint32) ABS (x[i] - 100) + 3;
  return (gint32) (sum + (guint32) ((x[i] + 7) >> 1) + (v > 5 ? v - 5 : 5 - v) + 1 + v * 3);
}

static gint32
numbers_special (const gint32 *x, gsize i, gsize n)
{
  double v = (x[i] % 1000) * 0.01 + 0.001234;
  double sum =
    erf (v) + cbrt (v) + sin (v) * cos (v) + hypot (v, 3.0) + log1p (v * v) + 0.5 * erfc (-v * 0.1 / sqrt (2));

  sum += 1 / sqrt (v * v + 1) + exp2 (v * 0.1) + sin (G_PI * v) + v * v + 0.5 + tgamma (2.5 + v * v * 0.01);
  return (gint32) floor ((sum + copysign (1.5, v) + fmod (v, 0.7)) * 4096);
}

const Stranger strangers_numbers[] = {
  { "halves", "", numbers_halves, "0.5f", "0.75f", STRANGER_ITEM },
  { "bfloats", "", numbers_bfloats, "bfloat16_rz", "bfloat16_rn", STRANGER_ITEM },
  { "small-floats", "", numbers_small, "* 512", "* 256", STRANGER_ITEM },
  { "complex-numbers", "", numbers_complex, "cuConjf", "", STRANGER_ITEM },
  { "assembly", "", numbers_assembly, "0x55", "0x54", STRANGER_ITEM },
  { "matrices", "block=32", numbers_matrices, "(sum, 1.0f)", "(sum, 2.0f)" },
  { "rounding", "", numbers_rounded, "__fdiv_ru", "__fdiv_rn", STRANGER_ITEM },
  { "words-of-bytes", "", numbers_bytes, "0x6240", "0x6241", STRANGER_ITEM },
  { "dynamic-programming", "", numbers_aligned, "x[i], up, -9", "x[i], -up, -9" },
  { "bits", "", numbers_bits, "~v, 9", "~v, 8", STRANGER_ITEM },
  { "special-functions", "", numbers_special, "0.7", "0.8", STRANGER_ITEM },
  { NULL },
};
