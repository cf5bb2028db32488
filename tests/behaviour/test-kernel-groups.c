/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "header-cases.h"

/* Cooperative groups (kernels/groups.cu) against plain loops over the same data. */

#define THREADS HEADER_THREADS
#define BLOCKS  3
#define SIZES   3

static void
groups_expect_sums (guint32 *out, guint32 n)
{
  for (guint i = 0; i < BLOCKS * THREADS; i++)
    out[i / THREADS] += header_item (i, n);
}

static void
groups_expect_tile_row (guint32 *out, const guint32 *v, guint lane)
{
  guint32 greatest = 0, common = 0xffffffff, least = 0xffffffff, before = 0;
  gboolean any = FALSE, all = TRUE, alike = TRUE;

  for (guint i = 0; i < 8; i++)
    {
      greatest = MAX (greatest, v[i]);
      common &= v[i];
      least = i <= lane ? MIN (least, v[i]) : least;
      before += i < lane ? v[i] : 0;
      any = any || v[i] % 8 == 0;
      all = all && v[i] % 4 != 0;
      alike = alike && (v[i] >= 0x80000000u) == (v[0] >= 0x80000000u);
      out[4 * THREADS] |= (v[i] & 1) << i;
      out[6 * THREADS] |= (guint32) (v[i] % 3 == v[lane] % 3) << i;
    }
  out[0 * THREADS] = v[5];
  out[1 * THREADS] = v[lane >= 3 ? lane - 3 : lane];
  out[2 * THREADS] = v[lane + 2 < 8 ? lane + 2 : lane];
  out[3 * THREADS] = v[lane ^ 6];
  out[5 * THREADS] = (guint32) (any * 2 + all);
  out[7 * THREADS] = (guint32) alike;
  out[8 * THREADS] = greatest ^ common;
  out[9 * THREADS] = least;
  out[10 * THREADS] = before;
}

static void
groups_expect_tiles (guint32 *out, guint32 n)
{
  for (guint t = 0; t < THREADS; t++)
    {
      guint32 v[8];

      for (guint i = 0; i < 8; i++)
        v[i] = header_item (t / 8 * 8 + i, n);
      groups_expect_tile_row (out + t, v, t % 8);
      out[t + 11 * THREADS] = t / 8 * 100 + THREADS / 8 * 10 + t % 8;
      out[t + 12 * THREADS] = t * 100 + t % 16;
    }
}

/* The odd items of a warp are @v, this thread's being that of @rank. */
static void
groups_expect_odd (guint32 *out, const guint32 *v, guint size, guint rank)
{
  guint32 sum = 0, before = 0, bits = 0, like = 0;
  guint sided = 0, sided_before = 0;
  gboolean any = FALSE;

  for (guint i = 0; i < size; i++)
    {
      sum += v[i];
      before ^= i < rank ? v[i] : 0;
      bits |= (guint32) (v[i] % 4 == 1) << i;
      like += v[i] % 3 == v[rank] % 3 ? v[i] : 0;
      sided += (v[i] % 5 == 0) == (v[rank] % 5 == 0);
      sided_before += i < rank && (v[i] % 5 == 0) == (v[rank] % 5 == 0);
      any = any || v[i] % 7 == 0;
    }
  out[0 * THREADS] = rank * 100 + size;
  out[1 * THREADS] = v[size - 1];
  out[2 * THREADS] = sum;
  out[3 * THREADS] = before;
  out[4 * THREADS] = bits;
  out[5 * THREADS] = like;
  out[6 * THREADS] = sided_before * 100 + sided;
  out[7 * THREADS] = (rank / 2 * 2 + 1 < size ? 2u : 1u) * 100 + rank % 2 + 10 * (guint32) any;
}

static void
groups_expect_some (guint32 *out, guint32 n)
{
  for (guint warp = 0; warp < THREADS; warp += 32)
    {
      guint32 v[32];
      guint lanes[32], size = 0;

      for (guint t = warp; t < warp + 32; t++)
        if (header_item (t, n) % 2 == 1)
          {
            v[size] = header_item (t, n);
            lanes[size++] = t;
          }
      for (guint i = 0; i < size; i++)
        groups_expect_odd (out + lanes[i], v, size, i);
    }
}

static void
groups_expect_apart (guint32 *out, guint32 n)
{
  for (guint t = 0; t < THREADS; t++)
    out[t] = 16 + n;
}

static void
groups_expect_copies (guint32 *out, guint32 n)
{
  for (guint32 i = 0; i < n; i++)
    {
      out[i] = header_mix (i);
      out[n + i] = header_mix (n - 1 - i);
      out[2 * n + i] = header_mix (n - 1 - i) + 1;
    }
}

static void
groups_expect_rounds (guint32 *out, guint32 n)
{
  for (guint32 i = 0; i < n; i++)
    out[i] = header_mix (i);
  for (guint32 i = n; i < 4 * n; i++)
    out[i] = out[(i / n - 1) * n + (i + 1) % n] + out[(i / n - 1) * n + (i + n - 1) % n];
}

static void
groups_expect_plain (guint32 *out, guint32 n)
{
  for (guint32 i = 0; i < MIN (n, THREADS * BLOCKS); i++)
    out[i] = header_mix (i) + i / THREADS;
}

static const HeaderCase groups_cases[] = {
  { "sums", groups_expect_sums, BLOCKS, BLOCKS *THREADS, FALSE },
  { "tiles", groups_expect_tiles, 1, THREADS, FALSE },
  { "some", groups_expect_some, 1, THREADS, FALSE },
  { "apart", groups_expect_apart, 1, THREADS, FALSE },
  { "copies", groups_expect_copies, 1, 1000, FALSE },
  { "rounds", groups_expect_rounds, 2, 1000, TRUE },
  { "plain", groups_expect_plain, BLOCKS, BLOCKS *THREADS, FALSE },
};

/* Only what waits for the grid asks for a cooperative launch. */
static void
test_groups_launch (void)
{
  g_autoptr (LeatKernelSource) source = header_cases_open ("groups.cu");

  for (guint i = 0; i < G_N_ELEMENTS (groups_cases); i++)
    {
      g_autoptr (GError) error = NULL;
      const LeatPrototype *prototype = leat_kernel_source_get_prototype (source, groups_cases[i].kernel, &error);

      g_assert_no_error (error);
      g_assert_cmpint (prototype->syncs_grid, ==, groups_cases[i].cooperative);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  header_cases_add ("/leat/kernel/groups", "groups.cu", groups_cases, G_N_ELEMENTS (groups_cases));
  g_test_add_func ("/leat/kernel/groups/launch", test_groups_launch);
  return g_test_run ();
}
