/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-fixture.h"

#include <stdlib.h>

/* Threads that never wait for each other. */

static float *
test_flat_make_floats (guint n)
{
  float *data = g_new (float, n);
  guint32 state = 1;

  for (guint i = 0; i < n; i++)
    data[i] = (float) ((int) (kernel_fixture_random (&state) % 2001) - 1000) / 8.0f;
  return data;
}

static void
test_flat_saxpy (void)
{
  static const guint sizes[] = { 1, 31, 256, 257, 100000 };
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("flat.cu");

  if (fixture == NULL)
    return;
  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      guint n = sizes[k];
      g_autofree float *x = test_flat_make_floats (n + 1);
      LeatMemory *xs = kernel_fixture_put (fixture, x, (n + 1) * sizeof (float));
      LeatMemory *ys = kernel_fixture_put (fixture, x, (n + 1) * sizeof (float));
      g_autofree float *y = NULL;

      KERNEL_RUN (fixture, "saxpy", SIZE ((n + 255) / 256), SIZE (256), 0, V (int, n), V (float, 2.5f), A (xs), A (ys));
      y = kernel_fixture_dup (ys);
      for (guint i = 0; i < n; i++)
        g_assert_cmpfloat (y[i], ==, 2.5f * x[i] + x[i]);
      g_assert_cmpfloat (y[n], ==, x[n]);
    }
}

static void
test_flat_stride (void)
{
  static const guint grids[][2] = { { 1, 1 }, { 1, 32 }, { 7, 100 }, { 16, 256 }, { 600, 256 } };
  guint n = 100003;
  g_autofree float *x = test_flat_make_floats (n);
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("flat.cu");

  if (fixture == NULL)
    return;
  for (guint k = 0; k < 2 * G_N_ELEMENTS (grids); k++)
    {
      KernelSize grid = SIZE (grids[k / 2][0]), block = SIZE (grids[k / 2][1]);
      LeatMemory *xs = kernel_fixture_put (fixture, x, n * sizeof (float));
      LeatMemory *ys = kernel_fixture_put (fixture, NULL, n * sizeof (float));
      g_autofree float *y = NULL;

      if (k % 2 == 0)
        KERNEL_RUN (fixture, "stride_int", grid, block, 0, V (int, n), A (xs), A (ys));
      else
        KERNEL_RUN (fixture, "stride_named", grid, block, 0, V (gsize, n), A (xs), A (ys));
      y = kernel_fixture_dup (ys);
      for (guint i = 0; i < n; i++)
        g_assert_cmpfloat (y[i], ==, x[i] * 2.0f + 1.0f);
    }
}

static void
test_flat_stride_keeps_owners (void)
{
  guint n = 10007, threads = 5 * 64;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("flat.cu");
  g_autofree guint *owner = NULL, *trips = NULL;
  LeatMemory *owners, *all_trips;

  if (fixture == NULL)
    return;
  owners = kernel_fixture_put (fixture, NULL, n * sizeof (guint));
  all_trips = kernel_fixture_put (fixture, NULL, threads * sizeof (guint));
  KERNEL_RUN (fixture, "stride_owner", SIZE (5), SIZE (64), 0, V (guint, n), A (owners), A (all_trips));
  owner = kernel_fixture_dup (owners);
  trips = kernel_fixture_dup (all_trips);
  for (guint i = 0; i < n; i++)
    g_assert_cmpuint (owner[i], ==, i % threads);
  for (guint i = 0; i < threads; i++)
    g_assert_cmpuint (trips[i], ==, (n - i + threads - 1) / threads);
}

static void
test_flat_guard_2d (void)
{
  int width = 101, height = 67;
  gsize bytes = (gsize) width * height * 4;
  g_autofree guint8 *in = g_malloc (bytes);
  g_autofree guint8 *out = NULL;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("flat.cu");
  guint32 state = 7;
  LeatMemory *ins, *outs;

  if (fixture == NULL)
    return;
  for (gsize i = 0; i < bytes; i++)
    in[i] = (guint8) kernel_fixture_random (&state);
  ins = kernel_fixture_put (fixture, in, bytes);
  outs = kernel_fixture_put (fixture, NULL, bytes);
  KERNEL_RUN (fixture, "guard_2d", SIZE ((width + 15) / 16, (height + 7) / 8), SIZE (16, 8), 0, A (ins), A (outs),
              V (int, width), V (int, height));
  out = kernel_fixture_dup (outs);
  for (gsize i = 0; i < bytes; i += 4)
    {
      guint8 luma = (guint8) ((in[i] * 77 + in[i + 1] * 150 + in[i + 2] * 29) >> 8);

      g_assert_cmpuint (out[i], ==, luma);
      g_assert_cmpuint (out[i + 2], ==, luma);
      g_assert_cmpuint (out[i + 3], ==, in[i + 3]);
    }
}

static void
test_flat_indices_3d (void)
{
  KernelSize grid = SIZE (3, 4, 5), block = SIZE (4, 3, 2);
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("flat.cu");
  guint width = grid.x * block.x, height = grid.y * block.y, depth = grid.z * block.z;
  g_autofree guint32 *out = NULL;
  LeatMemory *outs;

  if (fixture == NULL)
    return;
  outs = kernel_fixture_put (fixture, NULL, (gsize) width * height * depth * 4);
  KERNEL_RUN (fixture, "indices_3d", grid, block, 0, A (outs));
  out = kernel_fixture_dup (outs);
  for (guint z = 0; z < depth; z++)
    for (guint y = 0; y < height; y++)
      for (guint x = 0; x < width; x++)
        g_assert_cmphex (out[(z * height + y) * width + x], ==,
                         (x % block.x) | (y % block.y) << 4 | (z % block.z) << 8 | (x / block.x) << 12
                           | (y / block.y) << 16 | (z / block.z) << 20);
}

static float
test_flat_expect_early (float x, guint i)
{
  float v = i & 1 ? x * x : x;

  if (x < 0.0f)
    return -x;
  v = v + 0.5f * 0.0f + 1.0f * 1.0f + 2.0f * 2.0f + 4.0f * 3.0f;
  return v > 100.0f ? 100.0f : v;
}

static void
test_flat_early_return (void)
{
  guint n = 5000;
  g_autofree float *x = test_flat_make_floats (n);
  g_autofree float *y = NULL;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("flat.cu");
  LeatMemory *xs, *ys;

  if (fixture == NULL)
    return;
  for (guint i = 0; i < n; i += 2)
    x[i] /= 16.0f;
  xs = kernel_fixture_put (fixture, x, n * sizeof (float));
  ys = kernel_fixture_put (fixture, NULL, n * sizeof (float));
  KERNEL_RUN (fixture, "early_return", SIZE ((n + 127) / 128), SIZE (128), 0, A (xs), A (ys), V (int, n));
  y = kernel_fixture_dup (ys);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (y[i], test_flat_expect_early (x[i], i), 1e-4);
}

typedef struct
{
  float origin[3];
  float length;
  const float *nowhere;
} Ray;

static void
test_flat_struct_by_value (void)
{
  Ray ray = { { 1, 2, 3 }, 0.5f };
  guint n = 300, calls = 0;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("flat.cu");
  g_autofree float *out = NULL;
  LeatMemory *outs, *seen;

  if (fixture == NULL)
    return;
  outs = kernel_fixture_put (fixture, NULL, n * 4 * sizeof (float));
  seen = kernel_fixture_put (fixture, NULL, sizeof calls);
  for (guint k = 1; k <= 2; k++)
    {
      KERNEL_RUN (fixture, "by_value", SIZE (5), SIZE (64), 0, &ray, A (outs), V (int, n));
      KERNEL_RUN (fixture, "get_calls", SIZE (1), SIZE (32), 0, A (seen));
      kernel_fixture_get (seen, &calls, sizeof calls);
      g_assert_cmpuint (calls, ==, k);
    }
  out = kernel_fixture_dup (outs);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpfloat (out[4 * i], ==, 1.0f + 0.5f * (float) i);
      g_assert_cmpfloat (out[4 * i + 2], ==, 3.0f - 0.5f * (float) i);
      g_assert_cmpfloat (out[4 * i + 3], ==, 1.0f);
    }
}

static void
test_flat_uneven_work (void)
{
  guint n = 3000;
  g_autofree guint64 *start = g_new (guint64, n);
  g_autofree int *steps = NULL;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("flat.cu");
  LeatMemory *starts, *counts;

  if (fixture == NULL)
    return;
  for (guint i = 0; i < n; i++)
    start[i] = i + 1;
  starts = kernel_fixture_put (fixture, start, n * sizeof (guint64));
  counts = kernel_fixture_put (fixture, NULL, n * sizeof (int));
  KERNEL_RUN (fixture, "collatz", SIZE ((n + 63) / 64), SIZE (64), 0, A (starts), A (counts), V (int, n));
  steps = kernel_fixture_dup (counts);
  for (guint i = 0; i < n; i++)
    {
      int count = 0;

      for (guint64 v = start[i]; v != 1; v = v % 2 == 0 ? v / 2 : 3 * v + 1)
        count++;
      g_assert_cmpint (steps[i], ==, count);
    }
}

static void
test_flat_printf (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr (KernelFixture) fixture = kernel_fixture_open ("flat.cu");

      if (fixture != NULL)
        KERNEL_RUN (fixture, "say", SIZE (2), SIZE (32), 0, V (int, 3));
      else
        g_print ("thread 2 of block 1 says 3.00");
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout ("*thread 2 of block 1 says 3.00*");
  g_test_trap_assert_stdout_unmatched ("*thread 3 of*");
}

/* In a process of its own: the device is good for nothing afterwards. */
static void
test_flat_trap (void)
{
  int in[64] = { 0 };

  if (g_test_subprocess ())
    {
      KernelFixture *fixture = kernel_fixture_open ("flat.cu");
      LeatMemory *ins;

      if (fixture == NULL)
        exit (0);
      ins = kernel_fixture_put (fixture, in, sizeof in);
      KERNEL_RUN (fixture, "trap_below", SIZE (3), SIZE (64), 0, A (ins), V (int, 0));
      for (guint i = 0; i < 2; i++)
        g_assert_cmpint (kernel_fixture_try (fixture, "trap_below", SIZE (3), SIZE (64), 0, FALSE,
                                             (void *[]){ A (ins), V (int, 1), NO_WAIT }),
                         ==, CUDA_ERROR_LAUNCH_FAILED);
      kernel_fixture_close (fixture);
      exit (0);
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

void
test_kernels_add_flat (void)
{
  g_test_add_func ("/leat/cpu/kernels/flat/saxpy", test_flat_saxpy);
  g_test_add_func ("/leat/cpu/kernels/flat/stride", test_flat_stride);
  g_test_add_func ("/leat/cpu/kernels/flat/stride-keeps-owners", test_flat_stride_keeps_owners);
  g_test_add_func ("/leat/cpu/kernels/flat/guard-2d", test_flat_guard_2d);
  g_test_add_func ("/leat/cpu/kernels/flat/indices-3d", test_flat_indices_3d);
  g_test_add_func ("/leat/cpu/kernels/flat/early-return", test_flat_early_return);
  g_test_add_func ("/leat/cpu/kernels/flat/struct-by-value", test_flat_struct_by_value);
  g_test_add_func ("/leat/cpu/kernels/flat/uneven-work", test_flat_uneven_work);
  g_test_add_func ("/leat/cpu/kernels/flat/printf", test_flat_printf);
  g_test_add_func ("/leat/cpu/kernels/flat/trap", test_flat_trap);
}
