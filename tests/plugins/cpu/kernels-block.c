/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-fixture.h"

/* Shared memory and barriers. */

static int *
test_block_make_ints (guint n, guint below)
{
  int *data = g_new (int, n);
  guint32 state = 3;

  for (guint i = 0; i < n; i++)
    data[i] = (int) (kernel_fixture_random (&state) % below);
  return data;
}

static void
test_block_reverse (gconstpointer name)
{
  static const guint blocks[] = { 1, 3, 200 };
  static const guint threads[] = { 1, 2, 33, 64, 256 };
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("block.cu");

  for (guint k = 0; fixture != NULL && k < G_N_ELEMENTS (blocks) * G_N_ELEMENTS (threads); k++)
    {
      guint b = blocks[k % 3], t = threads[k / 3], n = b * t;
      g_autofree int *in = test_block_make_ints (n, 1000000);
      LeatMemory *data = kernel_fixture_put (fixture, in, n * sizeof (int));
      g_autofree int *out = NULL;

      KERNEL_RUN (fixture, name, SIZE (b), SIZE (t), g_str_equal (name, "reverse_dynamic") ? t * 4 : 0, A (data),
                  V (int, t));
      out = kernel_fixture_dup (data);
      for (guint i = 0; i < n; i++)
        g_assert_cmpint (out[i], ==, in[i / t * t + t - 1 - i % t]);
    }
}

static void
test_block_both_kinds (void)
{
  guint n = 1000, t = 128;
  g_autofree int *whole = test_block_make_ints (n, 100);
  g_autofree float *in = g_new (float, n);
  g_autofree float *out = NULL;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("block.cu");
  LeatMemory *ins, *outs;

  if (fixture == NULL)
    return;
  for (guint i = 0; i < n; i++)
    in[i] = (float) whole[i];
  ins = kernel_fixture_put (fixture, in, n * sizeof (float));
  outs = kernel_fixture_put (fixture, NULL, n * sizeof (float));
  KERNEL_RUN (fixture, "both_kinds", SIZE ((n + t - 1) / t), SIZE (t), 2 * t * sizeof (float), A (ins), A (outs),
              V (int, n));
  out = kernel_fixture_dup (outs);
  for (guint i = 0; i < n; i++)
    {
      guint first = i / t * t, mirror = first + t - 1 - i % t;
      float sum = 0;

      for (guint k = first; k < MIN (first + t, n); k++)
        sum += in[k];
      g_assert_cmpfloat (out[i], ==, sum + (mirror < n ? 2 * in[mirror] : 0.0f));
    }
}

static void
test_block_reduce (void)
{
  static const guint threads[] = { 2, 32, 64, 256, 1024 };
  guint n = 50001;
  g_autofree int *in = test_block_make_ints (n, 1000);
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("block.cu");
  guint expected = 0;

  for (guint i = 0; i < n; i++)
    expected += (guint) in[i];
  for (guint k = 0; fixture != NULL && k < G_N_ELEMENTS (threads); k++)
    {
      guint t = threads[k], b = (n + 2 * t - 1) / (2 * t), sum = 0;
      LeatMemory *ins = kernel_fixture_put (fixture, in, n * sizeof (int));
      LeatMemory *outs = kernel_fixture_put (fixture, NULL, b * sizeof (guint));
      g_autofree guint *out = NULL;

      KERNEL_RUN (fixture, "reduce_sum", SIZE (b), SIZE (t), t * 4, A (ins), A (outs), V (guint, n));
      out = kernel_fixture_dup (outs);
      for (guint i = 0; i < b; i++)
        sum += out[i];
      g_assert_cmpuint (sum, ==, expected);
    }
}

static void
test_block_transpose (void)
{
  static const int sizes[][2] = { { 32, 32 }, { 100, 37 }, { 1, 70 }, { 256, 128 } };
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("block.cu");

  for (guint k = 0; fixture != NULL && k < G_N_ELEMENTS (sizes); k++)
    {
      int width = sizes[k][0], height = sizes[k][1];
      gsize bytes = (gsize) width * height * sizeof (float);
      g_autofree float *in = g_malloc (bytes);
      g_autofree float *out = NULL;
      LeatMemory *ins, *outs;

      for (int i = 0; i < width * height; i++)
        in[i] = (float) i;
      ins = kernel_fixture_put (fixture, in, bytes);
      outs = kernel_fixture_put (fixture, NULL, bytes);
      KERNEL_RUN (fixture, "transpose", SIZE ((width + 31) / 32, (height + 31) / 32), SIZE (32, 8), 0, A (outs),
                  A (ins), V (int, width), V (int, height));
      out = kernel_fixture_dup (outs);
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
          g_assert_cmpfloat (out[x * height + y], ==, in[y * width + x]);
    }
}

static void
test_block_stencil (void)
{
  static const struct
  {
    const char *name;
    int radius;
    guint threads;
  } kinds[] = { { "stencil_3", 3, 128 }, { "stencil_7", 7, 64 } };
  int n = 3001;
  g_autofree int *in = test_block_make_ints (n, 1000);
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("block.cu");

  for (guint k = 0; fixture != NULL && k < G_N_ELEMENTS (kinds); k++)
    {
      LeatMemory *ins = kernel_fixture_put (fixture, in, n * sizeof (int));
      LeatMemory *outs = kernel_fixture_put (fixture, NULL, n * sizeof (int));
      g_autofree int *out = NULL;

      KERNEL_RUN (fixture, kinds[k].name, SIZE (n / kinds[k].threads + 1), SIZE (kinds[k].threads), 0, A (ins),
                  A (outs), V (int, n));
      out = kernel_fixture_dup (outs);
      for (int i = 0; i < n; i++)
        {
          int sum = 0;

          for (int d = -kinds[k].radius; d <= kinds[k].radius; d++)
            sum += i + d >= 0 && i + d < n ? in[i + d] : 0;
          g_assert_cmpint (out[i], ==, sum);
        }
    }
}

static void
test_block_scan (void)
{
  static const guint threads[] = { 32, 100, 512 };
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("block.cu");

  for (guint k = 0; fixture != NULL && k < G_N_ELEMENTS (threads); k++)
    {
      guint t = threads[k], n = 20 * t, sum = 0;
      g_autofree int *in = test_block_make_ints (n, 1000);
      LeatMemory *ins = kernel_fixture_put (fixture, in, n * sizeof (int));
      LeatMemory *outs = kernel_fixture_put (fixture, NULL, n * sizeof (int));
      g_autofree guint *out = NULL;

      KERNEL_RUN (fixture, "scan_block", SIZE (20), SIZE (t), 0, A (ins), A (outs));
      out = kernel_fixture_dup (outs);
      for (guint i = 0; i < n; i++)
        {
          sum = (i % t == 0 ? 0 : sum) + (guint) in[i];
          g_assert_cmpuint (out[i], ==, sum);
        }
    }
}

static void
test_block_turns (void)
{
  guint blocks = 40, t = 48;
  g_autofree int *out = NULL;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("block.cu");
  LeatMemory *outs;

  if (fixture == NULL)
    return;
  outs = kernel_fixture_put (fixture, NULL, blocks * t * sizeof (int));
  KERNEL_RUN (fixture, "turns", SIZE (blocks), SIZE (t), 0, A (outs));
  out = kernel_fixture_dup (outs);
  for (guint i = 0; i < blocks * t; i++)
    {
      int b = (int) (i / t);

      g_assert_cmpint (out[i], ==, b % 2 == 1 ? 0 : b * (b - 1) / 2);
    }
}

static void
test_block_votes (void)
{
  guint blocks = 12, t = 96, n = blocks * t;
  g_autofree int *in = test_block_make_ints (n, 2);
  g_autofree int *count = NULL, *all = NULL, *any = NULL;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("block.cu");
  LeatMemory *ins, *outs[3];

  if (fixture == NULL)
    return;
  for (guint i = 0; i < t; i++)
    {
      in[2 * t + i] = 0;
      in[5 * t + i] = 1;
    }
  ins = kernel_fixture_put (fixture, in, n * sizeof (int));
  for (guint k = 0; k < 3; k++)
    outs[k] = kernel_fixture_put (fixture, NULL, n * sizeof (int));
  KERNEL_RUN (fixture, "votes", SIZE (blocks), SIZE (t), 0, A (ins), A (outs[0]), A (outs[1]), A (outs[2]));
  count = kernel_fixture_dup (outs[0]);
  all = kernel_fixture_dup (outs[1]);
  any = kernel_fixture_dup (outs[2]);
  for (guint i = 0; i < n; i++)
    {
      int yes = 0;

      for (guint k = 0; k < t; k++)
        yes += in[i / t * t + k];
      g_assert_cmpint (count[i], ==, yes);
      g_assert_cmpint (all[i], ==, yes == (int) t);
      g_assert_cmpint (any[i], ==, yes > 0);
    }
}

static void
test_block_settle (void)
{
  guint blocks = 6, n = blocks * 128;
  g_autofree int *in = test_block_make_ints (n, 500);
  g_autofree int *out = NULL, *passed = NULL;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("block.cu");
  LeatMemory *values, *rounds;

  if (fixture == NULL)
    return;
  values = kernel_fixture_put (fixture, in, n * sizeof (int));
  rounds = kernel_fixture_put (fixture, NULL, n * sizeof (int));
  KERNEL_RUN (fixture, "settle", SIZE (blocks), SIZE (128), 0, A (values), A (rounds));
  out = kernel_fixture_dup (values);
  passed = kernel_fixture_dup (rounds);
  for (guint b = 0; b < blocks; b++)
    {
      int best = 0, last = 0, longest = 0;

      for (int i = 0; i < 128; i++)
        {
          int v = in[b * 128 + (guint) i];

          last = i == 0 || v >= best ? i : last;
          best = MAX (best, v);
          longest = MAX (longest, i - last);
          g_assert_cmpint (out[b * 128 + (guint) i], ==, best);
        }
      for (guint i = 0; i < 128; i++)
        g_assert_cmpint (passed[b * 128 + i], ==, longest + 1);
    }
}

static void
test_block_histogram (void)
{
  guint n = 70000, expected[64] = { 0 };
  g_autofree guint8 *in = g_malloc (n);
  g_autofree guint *bins = NULL;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("block.cu");
  guint32 state = 5;
  LeatMemory *ins, *outs;

  if (fixture == NULL)
    return;
  for (guint i = 0; i < n; i++)
    {
      in[i] = (guint8) (kernel_fixture_random (&state) & kernel_fixture_random (&state));
      expected[in[i] % 64]++;
    }
  ins = kernel_fixture_put (fixture, in, n);
  outs = kernel_fixture_put (fixture, NULL, sizeof expected);
  KERNEL_RUN (fixture, "histogram", SIZE (24), SIZE (192), 0, A (ins), V (int, n), A (outs));
  bins = kernel_fixture_dup (outs);
  g_assert_cmpmem (bins, sizeof expected, expected, sizeof expected);
}

static void
test_block_matmul (void)
{
  guint n = 50;
  g_autofree int *a = test_block_make_ints (n * n, 7);
  g_autofree int *b = test_block_make_ints (n * n, 5);
  g_autofree float *fa = g_new (float, n *n);
  g_autofree float *fb = g_new (float, n *n);
  g_autofree float *c = NULL;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("block.cu");
  LeatMemory *as, *bs, *cs;

  if (fixture == NULL)
    return;
  for (guint i = 0; i < n * n; i++)
    {
      fa[i] = (float) a[i];
      fb[i] = (float) b[i];
    }
  as = kernel_fixture_put (fixture, fa, n * n * sizeof (float));
  bs = kernel_fixture_put (fixture, fb, n * n * sizeof (float));
  cs = kernel_fixture_put (fixture, NULL, n * n * sizeof (float));
  KERNEL_RUN (fixture, "matmul", SIZE ((n + 15) / 16, (n + 15) / 16), SIZE (16, 16), 0, A (as), A (bs), A (cs),
              V (int, n));
  c = kernel_fixture_dup (cs);
  for (guint i = 0; i < n * n; i++)
    {
      int sum = 0;

      for (guint k = 0; k < n; k++)
        sum += a[i / n * n + k] * b[k * n + i % n];
      g_assert_cmpfloat (c[i], ==, (float) sum);
    }
}

void
test_kernels_add_block (void)
{
  g_test_add_data_func ("/leat/cpu/kernels/block/reverse-static", "reverse_static", test_block_reverse);
  g_test_add_data_func ("/leat/cpu/kernels/block/reverse-dynamic", "reverse_dynamic", test_block_reverse);
  g_test_add_func ("/leat/cpu/kernels/block/both-kinds", test_block_both_kinds);
  g_test_add_func ("/leat/cpu/kernels/block/reduce", test_block_reduce);
  g_test_add_func ("/leat/cpu/kernels/block/transpose", test_block_transpose);
  g_test_add_func ("/leat/cpu/kernels/block/stencil", test_block_stencil);
  g_test_add_func ("/leat/cpu/kernels/block/scan", test_block_scan);
  g_test_add_func ("/leat/cpu/kernels/block/turns", test_block_turns);
  g_test_add_func ("/leat/cpu/kernels/block/votes", test_block_votes);
  g_test_add_func ("/leat/cpu/kernels/block/settle", test_block_settle);
  g_test_add_func ("/leat/cpu/kernels/block/histogram", test_block_histogram);
  g_test_add_func ("/leat/cpu/kernels/block/matmul", test_block_matmul);
}
