/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-fixture.h"

/* Blocks that wait for each other. */

static guint *
test_grid_make_numbers (guint n)
{
  guint *data = g_new (guint, n);
  guint32 state = 4;

  for (guint i = 0; i < n; i++)
    data[i] = kernel_fixture_random (&state) % 100;
  return data;
}

static void
test_grid_look_back (void)
{
  static const guint sizes[] = { 1, 256, 257, 3000, 200000 };
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("grid.cu");

  for (guint k = 0; fixture != NULL && k < G_N_ELEMENTS (sizes); k++)
    {
      guint n = sizes[k], blocks = (n + 255) / 256, sum = 0;
      g_autofree guint *in = test_grid_make_numbers (n);
      LeatMemory *ins = kernel_fixture_put (fixture, in, n * sizeof (guint));
      LeatMemory *outs = kernel_fixture_put (fixture, NULL, n * sizeof (guint));
      LeatMemory *states = kernel_fixture_put (fixture, NULL, blocks * sizeof (guint64));
      LeatMemory *ticket = kernel_fixture_put (fixture, NULL, sizeof (guint));
      g_autofree guint *out = NULL;

      KERNEL_RUN (fixture, "scan_look_back", SIZE (blocks), SIZE (256), 0, A (ins), A (outs), V (guint, n), A (states),
                  A (ticket));
      out = kernel_fixture_dup (outs);
      for (guint i = 0; i < n; i++)
        g_assert_cmpuint (out[i], ==, sum += in[i]);
    }
}

static void
test_grid_last_block (void)
{
  guint n = 60000, blocks = 70, expected = 0, sum = 0;
  g_autofree guint *in = test_grid_make_numbers (n);
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("grid.cu");
  LeatMemory *ins, *partials, *done, *out;

  if (fixture == NULL)
    return;
  for (guint i = 0; i < n; i++)
    expected += in[i];
  ins = kernel_fixture_put (fixture, in, n * sizeof (guint));
  partials = kernel_fixture_put (fixture, NULL, blocks * sizeof (guint));
  done = kernel_fixture_put (fixture, NULL, sizeof (guint));
  for (guint k = 0; k < 5; k++)
    {
      out = kernel_fixture_put (fixture, NULL, sizeof (guint));
      KERNEL_RUN (fixture, "last_block_sum", SIZE (blocks), SIZE (128), 0, A (ins), V (guint, n), A (partials),
                  A (done), A (out));
      kernel_fixture_get (out, &sum, sizeof sum);
      g_assert_cmpuint (sum, ==, expected);
    }
}

static void
test_grid_rounds (void)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("grid.cu");
  guint most = fixture != NULL ? MIN (kernel_fixture_count_resident (fixture, "rounds", 64), 16) : 0;

  for (guint blocks = 1; blocks <= most; blocks = blocks * 2 + 1)
    {
      guint n_rounds = 101;
      LeatMemory *cells = kernel_fixture_put (fixture, NULL, 2 * blocks * sizeof (guint));
      g_autofree guint *out = NULL;

      kernel_fixture_run (fixture, "rounds", SIZE (blocks), SIZE (64), 0, TRUE,
                          (void *[]){ A (cells), V (guint, n_rounds) });
      out = kernel_fixture_dup (cells);
      for (guint b = 0; b < blocks; b++)
        g_assert_cmpuint (out[blocks + b], ==, n_rounds);
    }
}

static void
test_grid_work_queue (void)
{
  guint items[20000] = { 0 }, tail = 500, sum = 0, expected = 0, length = 0;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("grid.cu");
  LeatMemory *queue, *head, *tails, *sums;

  if (fixture == NULL)
    return;
  for (guint i = 0; i < tail; i++)
    {
      items[i] = i * 7;
      for (guint v = items[i];; v /= 2)
        {
          expected += v;
          length++;
          if (v <= 1)
            break;
        }
    }
  g_assert_cmpuint (length, <, G_N_ELEMENTS (items));
  queue = kernel_fixture_put (fixture, items, sizeof items);
  head = kernel_fixture_put (fixture, NULL, sizeof (guint));
  tails = kernel_fixture_put (fixture, &tail, sizeof tail);
  sums = kernel_fixture_put (fixture, NULL, sizeof sum);
  kernel_fixture_run (fixture, "work_queue", SIZE (MIN (4, kernel_fixture_count_resident (fixture, "work_queue", 96))),
                      SIZE (96), 0, TRUE, (void *[]){ A (queue), A (head), A (tails), A (sums) });
  kernel_fixture_get (sums, &sum, sizeof sum);
  kernel_fixture_get (tails, &tail, sizeof tail);
  g_assert_cmpuint (sum, ==, expected);
  g_assert_cmpuint (tail, ==, length);
}

static void
test_grid_refuses_too_many (void)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("grid.cu");
  guint blocks = fixture != NULL ? kernel_fixture_count_resident (fixture, "rounds", 64) + 1 : 0;
  LeatMemory *cells;

  if (fixture == NULL)
    return;
  cells = kernel_fixture_put (fixture, NULL, 2 * blocks * sizeof (guint));
  g_assert_cmpint (
    kernel_fixture_try (fixture, "rounds", SIZE (blocks), SIZE (64), 0, TRUE, (void *[]){ A (cells), V (guint, 1) }),
    ==, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  /* Nothing is broken by it. */
  kernel_fixture_run (fixture, "rounds", SIZE (1), SIZE (64), 0, TRUE, (void *[]){ A (cells), V (guint, 1) });
}

void
test_kernels_add_grid (void)
{
  g_test_add_func ("/leat/cpu/kernels/grid/look-back", test_grid_look_back);
  g_test_add_func ("/leat/cpu/kernels/grid/last-block", test_grid_last_block);
  g_test_add_func ("/leat/cpu/kernels/grid/rounds", test_grid_rounds);
  g_test_add_func ("/leat/cpu/kernels/grid/work-queue", test_grid_work_queue);
  g_test_add_func ("/leat/cpu/kernels/grid/refuses-too-many", test_grid_refuses_too_many);
}
