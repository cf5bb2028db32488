/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-fixture.h"

#include <stdlib.h>

/* Operations of 32 threads. */

#define BLOCKS  9u
#define THREADS 96u
#define N       (BLOCKS * THREADS)
#define BYTES   (N * sizeof (int))

typedef struct
{
  KernelFixture *fixture;
  int in[N];
  LeatMemory *ins;
  LeatMemory *outs[5];
} WarpData;

static gboolean
test_warp_begin (WarpData *data, const char *file)
{
  guint32 state = 11;

  data->fixture = kernel_fixture_open (file);
  if (data->fixture == NULL)
    return FALSE;
  for (guint i = 0; i < N; i++)
    data->in[i] = (int) (kernel_fixture_random (&state) % 1000);
  /* A warp of equal numbers, one without odd ones, one with nothing else. */
  for (guint i = 0; i < 32; i++)
    {
      data->in[32 + i] = 4;
      data->in[64 + i] = 2 * (int) i;
      data->in[96 + i] = 2 * (int) i + 1;
    }
  data->ins = kernel_fixture_put (data->fixture, data->in, BYTES);
  for (guint k = 0; k < G_N_ELEMENTS (data->outs); k++)
    data->outs[k] = kernel_fixture_put (data->fixture, NULL, 2 * BYTES);
  return TRUE;
}

static void
test_warp_run (WarpData *data, const char *kernel)
{
  KERNEL_RUN (data->fixture, kernel, SIZE (BLOCKS), SIZE (THREADS), 0, A (data->ins), A (data->outs[0]),
              A (data->outs[1]), A (data->outs[2]), A (data->outs[3]));
}

static void
test_warp_block_sum (void)
{
  guint n = 5000;
  g_autofree float *in = g_new (float, n);
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("warp.cu");
  float expected = 0, sum = 0;
  guint32 state = 2;
  LeatMemory *ins;

  for (guint i = 0; i < n; i++)
    expected += in[i] = (float) (kernel_fixture_random (&state) % 100);
  if (fixture == NULL)
    return;
  ins = kernel_fixture_put (fixture, in, n * sizeof (float));
  for (guint t = 32; t <= 1024; t *= 2)
    {
      LeatMemory *outs = kernel_fixture_put (fixture, NULL, sizeof sum);

      KERNEL_RUN (fixture, "block_sum", SIZE ((n + t - 1) / t), SIZE (t), 0, A (ins), A (outs), V (int, n));
      kernel_fixture_get (outs, &sum, sizeof sum);
      g_assert_cmpfloat (sum, ==, expected);
    }
}

/* What a lane gives, of the numbers of its warp. */

static int
test_warp_expect_scan (const int *warp, guint lane)
{
  int sum = 0;

  for (guint k = 0; k <= lane; k++)
    sum += warp[k];
  return sum;
}

static int
test_warp_expect_halves (const int *warp, guint lane)
{
  int sum = 0, best = 0;

  for (guint k = 0; k < 16; k++)
    {
      sum += warp[k];
      best = MAX (best, warp[16 + k]);
    }
  return lane < 16 ? sum : best;
}

static int
test_warp_expect_few_lanes (const int *warp, guint lane)
{
  int positive = 0;

  for (guint k = 0; k < 12; k++)
    positive += warp[k] > 0;
  return lane >= 12 ? -1 : positive * 100 + warp[11];
}

static int
test_warp_expect_exchange (const int *warp, guint lane)
{
  return warp[lane ^ 2] * 2;
}

typedef struct
{
  const char *path;
  const char *kernel;
  int (*expect) (const int *warp, guint lane);
} WarpCase;

static const WarpCase warp_cases[] = {
  { "/leat/cpu/kernels/warp/scan", "warp_scan", test_warp_expect_scan },
  { "/leat/cpu/kernels/warp/halves", "halves", test_warp_expect_halves },
  { "/leat/cpu/kernels/warp/few-lanes", "few_lanes", test_warp_expect_few_lanes },
  { "/leat/cpu/kernels/warp/exchange", "exchange", test_warp_expect_exchange },
};

static void
test_warp_case (gconstpointer user_data)
{
  const WarpCase *self = user_data;
  WarpData data;
  g_autofree int *out = NULL;

  if (!test_warp_begin (&data, "warp.cu"))
    return;
  test_warp_run (&data, self->kernel);
  out = kernel_fixture_dup (data.outs[0]);
  for (guint i = 0; i < N; i++)
    g_assert_cmpint (out[i], ==, self->expect (data.in + i / 32 * 32, i % 32));
  kernel_fixture_close (data.fixture);
}

static void
test_warp_shuffles (void)
{
  WarpData data;
  g_autofree int *idx = NULL, *up = NULL, *down = NULL, *exor = NULL, *group = NULL;
  g_autofree double *wide = NULL;
  g_autofree guint8 *narrow = NULL;
  LeatMemory *wides, *narrows;

  if (!test_warp_begin (&data, "warp.cu"))
    return;
  wides = kernel_fixture_put (data.fixture, NULL, N * sizeof (double));
  narrows = kernel_fixture_put (data.fixture, NULL, N);
  KERNEL_RUN (data.fixture, "shuffles", SIZE (BLOCKS), SIZE (THREADS), 0, A (data.ins), A (data.outs[0]),
              A (data.outs[1]), A (data.outs[2]), A (data.outs[3]), A (data.outs[4]), A (wides), A (narrows));
  idx = kernel_fixture_dup (data.outs[0]);
  up = kernel_fixture_dup (data.outs[1]);
  down = kernel_fixture_dup (data.outs[2]);
  exor = kernel_fixture_dup (data.outs[3]);
  group = kernel_fixture_dup (data.outs[4]);
  wide = kernel_fixture_dup (wides);
  narrow = kernel_fixture_dup (narrows);
  for (guint i = 0; i < N; i++)
    {
      guint lane = i % 32;
      const int *warp = data.in + i - lane;

      g_assert_cmpint (idx[i], ==, warp[(lane * 7 + 3) & 31]);
      g_assert_cmpint (up[i], ==, warp[lane >= 5 ? lane - 5 : lane]);
      g_assert_cmpint (down[i], ==, warp[lane + 9 < 32 ? lane + 9 : lane]);
      g_assert_cmpint (exor[i], ==, warp[lane ^ 17]);
      g_assert_cmpint (group[i], ==, warp[lane % 8 + 3 < 8 ? lane + 3 : lane] + warp[lane / 8 * 8 + 2]);
      g_assert_cmpfloat (wide[i], ==, warp[31 - lane] + 0.25);
      g_assert_cmpuint (narrow[i], ==, warp[lane ^ 1] & 0xff);
    }
  kernel_fixture_close (data.fixture);
}

static void
test_warp_ballots (void)
{
  WarpData data;
  g_autofree guint *ballot = NULL;
  g_autofree int *any = NULL, *all = NULL, *rank = NULL;

  if (!test_warp_begin (&data, "warp.cu"))
    return;
  test_warp_run (&data, "ballots");
  ballot = kernel_fixture_dup (data.outs[0]);
  any = kernel_fixture_dup (data.outs[1]);
  all = kernel_fixture_dup (data.outs[2]);
  rank = kernel_fixture_dup (data.outs[3]);
  for (guint i = 0; i < N; i++)
    {
      guint lane = i % 32, bits = 0;
      int before = 0;

      for (guint k = 0; k < 32; k++)
        {
          bits |= (guint) (data.in[i - lane + k] & 1) << k;
          before += k < lane ? data.in[i - lane + k] & 1 : 0;
        }
      g_assert_cmphex (ballot[i], ==, bits);
      g_assert_cmpint (any[i], ==, bits != 0);
      g_assert_cmpint (all[i], ==, bits == 0xffffffffu);
      g_assert_cmpint (rank[i], ==, before);
    }
  kernel_fixture_close (data.fixture);
}

static void
test_warp_short (void)
{
  static const guint threads[] = { 1, 16, 33, 48, 95 };
  WarpData data;

  if (!test_warp_begin (&data, "warp.cu"))
    return;
  for (guint k = 0; k < G_N_ELEMENTS (threads); k++)
    {
      guint t = threads[k];
      g_autofree int *out = NULL;

      KERNEL_RUN (data.fixture, "short_warp", SIZE (BLOCKS), SIZE (t), 0, A (data.ins), A (data.outs[0]));
      out = kernel_fixture_dup (data.outs[0]);
      for (guint i = 0; i < BLOCKS * t; i++)
        {
          guint block = i / t * t, first = block + i % t / 32 * 32, last = MIN (first + 32, block + t);
          int sum = 0;

          for (guint m = first; m < last; m++)
            sum += data.in[m];
          g_assert_cmpint (out[i], ==, sum);
        }
    }
  kernel_fixture_close (data.fixture);
}

static int
test_warp_order (gconstpointer a, gconstpointer b)
{
  return *(const int *) a - *(const int *) b;
}

static void
test_warp_compact (void)
{
  int wanted[N], n_wanted = 0, total = 0;
  WarpData data;
  g_autofree int *out = NULL;

  if (!test_warp_begin (&data, "warp.cu"))
    return;
  KERNEL_RUN (data.fixture, "compact", SIZE (BLOCKS), SIZE (THREADS), 0, A (data.ins), A (data.outs[0]),
              V (int, (int) N - 5), A (data.outs[1]));
  kernel_fixture_get (data.outs[1], &total, sizeof total);
  out = kernel_fixture_dup (data.outs[0]);
  for (guint i = 0; i < N - 5; i++)
    if (data.in[i] % 3 == 0)
      wanted[n_wanted++] = data.in[i];
  g_assert_cmpint (total, ==, n_wanted);
  qsort (wanted, (gsize) n_wanted, sizeof (int), test_warp_order);
  qsort (out, (gsize) n_wanted, sizeof (int), test_warp_order);
  g_assert_cmpmem (out, (gsize) n_wanted * sizeof (int), wanted, (gsize) n_wanted * sizeof (int));
  kernel_fixture_close (data.fixture);
}

static gboolean
test_warp_has_capability (guint major)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = leat_device_open (NULL, &error);

  g_assert_no_error (error);
  if (leat_device_is_cpu (device) || leat_device_get_facts (device)->compute_major >= major)
    return TRUE;
  g_test_skip ("the device's compute capability is too low");
  return FALSE;
}

static void
test_warp_match (void)
{
  WarpData data;
  g_autofree guint *same = NULL;
  g_autofree int *all = NULL;

  if (!test_warp_has_capability (8) || !test_warp_begin (&data, "reduce.cu"))
    return;
  test_warp_run (&data, "match");
  same = kernel_fixture_dup (data.outs[0]);
  all = kernel_fixture_dup (data.outs[1]);
  for (guint i = 0; i < N; i++)
    {
      guint bits = 0;

      for (guint k = 0; k < 32; k++)
        bits |= (guint) (data.in[i / 32 * 32 + k] == data.in[i]) << k;
      g_assert_cmphex (same[i], ==, bits);
      g_assert_cmpint (all[i], ==, bits == 0xffffffffu);
    }
  kernel_fixture_close (data.fixture);
}

/* The lanes of a warp that left_lanes leaves, of these those with an odd number, and those with the number @v. */
static void
test_warp_look_at_left (const int *warp, int v, guint *left, guint *odd, guint *same)
{
  *left = *odd = *same = 0;
  for (guint k = 0; k < 32; k++)
    if (warp[k] % 3 != 0)
      {
        *left |= 1u << k;
        *odd |= (guint) (warp[k] & 1) << k;
        *same |= (guint) (warp[k] == v) << k;
      }
}

/* A lane that has returned is in the mask and takes no part. */
static void
test_warp_left_lanes (void)
{
  WarpData data;
  g_autofree guint *ballot = NULL, *same = NULL, *matched = NULL;
  g_autofree int *any = NULL, *all = NULL;

  if (!test_warp_has_capability (8) || !test_warp_begin (&data, "reduce.cu"))
    return;
  KERNEL_RUN (data.fixture, "left_lanes", SIZE (BLOCKS), SIZE (THREADS), 0, A (data.ins), A (data.outs[0]),
              A (data.outs[1]), A (data.outs[2]), A (data.outs[3]), A (data.outs[4]));
  ballot = kernel_fixture_dup (data.outs[0]);
  any = kernel_fixture_dup (data.outs[1]);
  all = kernel_fixture_dup (data.outs[2]);
  same = kernel_fixture_dup (data.outs[3]);
  matched = kernel_fixture_dup (data.outs[4]);
  for (guint i = 0; i < N; i++)
    {
      guint left, odd, equal;

      if (data.in[i] % 3 == 0)
        continue;
      test_warp_look_at_left (data.in + i / 32 * 32, data.in[i], &left, &odd, &equal);
      g_assert_cmphex (ballot[i], ==, odd);
      g_assert_cmpint (any[i], ==, odd != 0);
      g_assert_cmpint (all[i], ==, odd == left);
      g_assert_cmphex (same[i], ==, equal);
      g_assert_cmphex (matched[i], ==, odd == left || odd == 0 ? left : 0);
    }
  kernel_fixture_close (data.fixture);
}

static void
test_warp_reduce (void)
{
  WarpData data;
  g_autofree guint *sum = NULL, *low = NULL, *bits = NULL;
  g_autofree int *high = NULL;

  if (!test_warp_has_capability (8) || !test_warp_begin (&data, "reduce.cu"))
    return;
  test_warp_run (&data, "reduce");
  sum = kernel_fixture_dup (data.outs[0]);
  low = kernel_fixture_dup (data.outs[1]);
  bits = kernel_fixture_dup (data.outs[2]);
  high = kernel_fixture_dup (data.outs[3]);
  for (guint i = 0; i < N; i++)
    {
      guint s = 0, l = G_MAXUINT, x = 0;
      int h = G_MININT;

      for (guint k = 0; k < 32; k++)
        {
          guint v = (guint) data.in[i / 32 * 32 + k];

          s += v;
          l = MIN (l, v);
          x ^= v;
          h = MAX (h, (int) v - 1000);
        }
      g_assert_cmpuint (sum[i], ==, s);
      g_assert_cmpuint (low[i], ==, l);
      g_assert_cmpuint (bits[i], ==, x);
      g_assert_cmpint (high[i], ==, h);
    }
  kernel_fixture_close (data.fixture);
}

void
test_kernels_add_warp (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (warp_cases); i++)
    g_test_add_data_func (warp_cases[i].path, &warp_cases[i], test_warp_case);
  g_test_add_func ("/leat/cpu/kernels/warp/block-sum", test_warp_block_sum);
  g_test_add_func ("/leat/cpu/kernels/warp/shuffles", test_warp_shuffles);
  g_test_add_func ("/leat/cpu/kernels/warp/ballots", test_warp_ballots);
  g_test_add_func ("/leat/cpu/kernels/warp/short-warp", test_warp_short);
  g_test_add_func ("/leat/cpu/kernels/warp/compact", test_warp_compact);
  g_test_add_func ("/leat/cpu/kernels/warp/match", test_warp_match);
  g_test_add_func ("/leat/cpu/kernels/warp/left-lanes", test_warp_left_lanes);
  g_test_add_func ("/leat/cpu/kernels/warp/reduce", test_warp_reduce);
}
