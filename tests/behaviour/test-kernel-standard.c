/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "header-cases.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* std and cuda::std in kernels (kernels/standard.cu) against C. */

static guint32
standard_bits (float v)
{
  guint32 bits;

  memcpy (&bits, &v, sizeof bits);
  return bits;
}

static void
standard_expect_traits (guint32 *out, guint32 n)
{
  out[0] = 1123;
  out[1] = standard_bits (FLT_MAX);
  out[2] = standard_bits (FLT_MIN);
  out[3] = standard_bits (FLT_EPSILON);
  out[4] = standard_bits (-FLT_MAX);
  out[5] = standard_bits (-INFINITY);
  out[6] = (guint32) G_MININT32;
  out[7] = (guint32) (G_MAXINT64 >> 32);
  out[8] = G_MAXUINT16 + DBL_MANT_DIG;
  out[9] = 1;
  out[10] = standard_bits (FLT_MAX) + n;
}

static void
standard_expect_values (guint32 *out, guint32 n)
{
  for (guint32 i = 0; i < MIN (n, 2 * HEADER_THREADS); i++)
    {
      guint32 a = header_mix (i), b = header_mix (i + 1), c = header_mix (i + 2);
      guint32 size = i % 32 * (i % 32) + n % 16 * (n % 16);

      out[4 * i] = (a + b + c) ^ (a ^ b ^ c) ^ MIN (c, MAX (b, a));
      out[4 * i + 1] = a + i + a + i + (i + 7) + b + (i + 1) + (i + 8) + CLAMP (i, 3, 9);
      out[4 * i + 2] = 2 * size + 1 + 1 + size + 4;
      out[4 * i + 3] = i + 2 * a + 3 * i + 2;
    }
}

static void
standard_expect_compared (guint32 *out, guint32 n)
{
  for (guint32 i = 0; i < MIN (n, 2 * HEADER_THREADS); i++)
    {
      guint32 x = i % 3 * 3 + i / 3 % 3, y = i / 9 % 3 * 3 + i / 27 % 3;

      for (guint k = 0; k < 4; k++)
        out[4 * i + k] = (guint32) (x == y) | (guint32) (x != y) << 1 | (guint32) (x < y) << 2 | (guint32) (x > y) << 3
                         | (guint32) (x <= y) << 4 | (guint32) (x >= y) << 5;
    }
}

static const HeaderCase standard_cases[] = {
  { "traits", standard_expect_traits, 1, 1000, FALSE },
  { "values", standard_expect_values, 2, 2 * HEADER_THREADS, FALSE },
  { "compared", standard_expect_compared, 2, 2 * HEADER_THREADS, FALSE },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  header_cases_add ("/leat/kernel/standard", "standard.cu", standard_cases, G_N_ELEMENTS (standard_cases));
  return g_test_run ();
}
