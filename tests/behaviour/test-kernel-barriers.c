/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "header-cases.h"

#include <string.h>

/* CUDA's atomic types, barriers and pipelines (kernels/barriers.cu) against loops of one thread. */

static void
barriers_expect_atomics (guint32 *out, guint32 n)
{
  float sum = 0;

  for (guint32 i = 0; i < n; i++)
    {
      guint32 v = header_mix (i);

      out[0] += v;
      out[1] -= v;
      out[2] = MAX (out[2], v);
      out[3] ^= v;
      out[4]++;
      out[5] |= v & 0x10101;
      out[6] = (out[6] + 1) * (2 * v + 1) - 1;
      sum += (float) (v % 64);
      out[8 + i] = v + 1;
    }
  memcpy (&out[7], &sum, sizeof sum);
}

static void
barriers_expect_counts (guint32 *out, guint32 n)
{
  for (guint32 i = 0; i < n; i++)
    out[header_mix (i) % 16]++;
}

static void
barriers_expect_meets (guint32 *out, guint32 n)
{
  guint32 sum = 0;

  for (guint32 t = 0; t < HEADER_THREADS; t++)
    sum += header_item (t, n);
  for (guint32 t = 0; t < HEADER_THREADS; t++)
    out[t] = header_mix (t) + sum;
  for (guint32 t = 1; t < HEADER_THREADS; t += 2)
    out[128 + t] = (t + 2) % HEADER_THREADS | 1;
}

static void
barriers_expect_fetches (guint32 *out, guint32 n)
{
  for (guint32 i = 0; i < n; i++)
    {
      out[i] = header_mix (i);
      out[1024 + i] = header_mix (n - 1 - i);
    }
}

static void
barriers_expect_streams (guint32 *out, guint32 n)
{
  for (guint32 i = 0; i < n; i++)
    out[i] = header_mix (i);
  for (guint32 i = 0; i < n / HEADER_THREADS * HEADER_THREADS; i++)
    out[2048 + i] = out[i / HEADER_THREADS * HEADER_THREADS + (i + 1) % HEADER_THREADS];
}

static void
barriers_expect_own (guint32 *out, guint32 n)
{
  for (guint32 i = 0; i < n; i++)
    {
      out[i] = header_mix (i);
      out[2048 + i] = header_mix (i) + 1;
    }
}

static const HeaderCase barriers_cases[] = {
  { "atomics", barriers_expect_atomics, 3, 3 * HEADER_THREADS, FALSE },
  { "counts", barriers_expect_counts, 3, 4000, FALSE },
  { "meets", barriers_expect_meets, 1, HEADER_THREADS, FALSE },
  { "fetches", barriers_expect_fetches, 1, 1024, FALSE },
  { "streams", barriers_expect_streams, 1, 2000, FALSE },
  { "own", barriers_expect_own, 1, 2000, FALSE },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  header_cases_add ("/leat/kernel/barriers", "barriers.cu", barriers_cases, G_N_ELEMENTS (barriers_cases));
  return g_test_run ();
}
