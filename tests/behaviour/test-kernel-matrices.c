/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "header-cases.h"

/* Products of matrices (kernels/matrices.cu) against the three loops. */

#define WARPS 3

static gint32
matrices_small (guint32 n, guint32 matrix, guint32 warp, guint32 item)
{
  return (gint32) (header_mix (n * 7919 + matrix * 4096 + warp * 1024 + item) % 15) - 7;
}

static void
matrices_expect (guint32 *out, guint32 n, guint rows, guint columns, guint depth)
{
  for (guint warp = 0; warp < WARPS; warp++)
    for (guint i = 0; i < rows; i++)
      for (guint j = 0; j < columns; j++)
        {
          gint32 sum = matrices_small (n, 2, warp, i * columns + j);

          for (guint k = 0; k < depth; k++)
            sum += 2 * matrices_small (n, 0, warp, i * depth + k) * matrices_small (n, 1, warp, j * depth + k);
          out[(warp * rows + i) * columns + j] = (guint32) sum;
        }
}

static void
matrices_expect_square (guint32 *out, guint32 n)
{
  matrices_expect (out, n, 16, 16, 16);
}

static void
matrices_expect_tall (guint32 *out, guint32 n)
{
  matrices_expect (out, n, 32, 8, 16);
}

static void
matrices_expect_shallow (guint32 *out, guint32 n)
{
  matrices_expect (out, n, 16, 16, 8);
}

/* The first factor and the result are column by column in memory. */
static void
matrices_expect_bytes (guint32 *out, guint32 n)
{
  for (guint warp = 0; warp < WARPS; warp++)
    for (guint i = 0; i < 16; i++)
      for (guint j = 0; j < 16; j++)
        {
          gint32 sum = 5;

          for (guint k = 0; k < 16; k++)
            sum += (gint8) header_mix (n + warp * 1024 + k * 16 + i)
                   * (gint8) header_mix (n + 4096 + warp * 1024 + k * 16 + j);
          out[warp * 256 + j * 16 + i] = (guint32) sum;
        }
}

static const HeaderCase matrices_cases[] = {
  { "halves", matrices_expect_square, 1, 1000000, FALSE },  { "half_sums", matrices_expect_tall, 1, 1000000, FALSE },
  { "bfloats", matrices_expect_square, 1, 1000000, FALSE }, { "tf32s", matrices_expect_shallow, 1, 1000000, FALSE },
  { "bytes", matrices_expect_bytes, 1, 1000000, FALSE },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  header_cases_add ("/leat/kernel/matrices", "matrices.cu", matrices_cases, G_N_ELEMENTS (matrices_cases));
  return g_test_run ();
}
