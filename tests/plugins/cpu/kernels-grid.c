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
                          (void *[]){ A (cells), V (guint, n_rounds), NO_WAIT });
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
                      SIZE (96), 0, TRUE, (void *[]){ A (queue), A (head), A (tails), A (sums), NO_WAIT });
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
  g_assert_cmpint (kernel_fixture_try (fixture, "rounds", SIZE (blocks), SIZE (64), 0, TRUE,
                                       (void *[]){ A (cells), V (guint, 1), NO_WAIT }),
                   ==, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  /* Nothing is broken by it. */
  kernel_fixture_run (fixture, "rounds", SIZE (1), SIZE (64), 0, TRUE, (void *[]){ A (cells), V (guint, 1), NO_WAIT });
}

static guint
test_grid_get_attribute (KernelFixture *fixture, CUdevice_attribute attribute)
{
  int value = 0;

  g_assert_cmpint (leat_device_get_table (fixture->device)->cuDeviceGetAttribute (&value, attribute, 0), ==,
                   CUDA_SUCCESS);
  return (guint) value;
}

/* No more blocks than there are places for blocks, for threads in whole warps, and for shared memory.  On the CPU
 * nothing else counts. */
static void
test_grid_occupancy (void)
{
  static const guint sizes[] = { 1, 32, 33, 64, 500, 512, 513, 1000, 1024 };
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("block.cu");
  const LeatFunction *function =
    fixture != NULL ? leat_module_get_function (fixture->module, "reverse_dynamic", NULL) : NULL;
  guint places, threads, shared, most;

  if (fixture == NULL)
    return;
  places = test_grid_get_attribute (fixture, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  threads = test_grid_get_attribute (fixture, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  shared = test_grid_get_attribute (fixture, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  most = test_grid_get_attribute (fixture, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  g_assert_true (leat_device_push (fixture->device, NULL));
  g_assert_cmpint (
    leat_device_get_table (fixture->device)
      ->cuFuncSetAttribute (function->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int) most),
    ==, CUDA_SUCCESS);
  leat_device_pop (fixture->device);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint bytes = 0; bytes <= most; bytes += most / 16)
      {
        guint warps = (sizes[i] + 31) / 32, wanted = MIN (places, threads / 32 / warps);
        guint n = G_MAXUINT;

        wanted = bytes > 0 ? MIN (wanted, shared / bytes) : wanted;
        g_assert_true (leat_module_get_occupancy (fixture->module, function, sizes[i], bytes, &n, NULL));
        g_assert_cmpuint (n, <=, wanted);
        if (leat_device_is_cpu (fixture->device))
          g_assert_cmpuint (n, ==, wanted);
      }
}

/* The kernels of a module, as many as there is room for, each once. */
static void
test_grid_lists_kernels (void)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("grid.cu");
  const LeatDriverTable *table = fixture != NULL ? leat_device_get_table (fixture->device) : NULL;
  CUfunction listed[64], end = (CUfunction) &listed;
  CUmodule module = NULL;
  guint n = 0;

  if (fixture == NULL)
    return;
  if (table->cuModuleEnumerateFunctions == NULL || table->cuModuleGetFunctionCount == NULL)
    {
      g_test_skip ("the driver does not list kernels");
      return;
    }
  g_assert_true (leat_device_push (fixture->device, NULL));
  g_assert_cmpint (
    table->cuFuncGetModule (&module, leat_module_get_function (fixture->module, "rounds", NULL)->function), ==,
    CUDA_SUCCESS);
  g_assert_cmpint (table->cuModuleGetFunctionCount (&n, module), ==, CUDA_SUCCESS);
  g_assert_cmpuint (n, >, 1);
  g_assert_cmpuint (n + 2, <, G_N_ELEMENTS (listed));
  for (guint room = 0; room <= n + 2; room++)
    {
      for (guint i = 0; i < G_N_ELEMENTS (listed); i++)
        listed[i] = end;
      g_assert_cmpint (table->cuModuleEnumerateFunctions (listed, room, module), ==, CUDA_SUCCESS);
      for (guint i = 0; i < MIN (room, n); i++)
        for (guint k = 0; k <= i; k++)
          g_assert_true (listed[i] != NULL && listed[i] != (k < i ? listed[k] : end));
      g_assert_true (listed[room] == end);
    }
  leat_device_pop (fixture->device);
}

void
test_kernels_add_grid (void)
{
  g_test_add_func ("/leat/cpu/kernels/grid/look-back", test_grid_look_back);
  g_test_add_func ("/leat/cpu/kernels/grid/last-block", test_grid_last_block);
  g_test_add_func ("/leat/cpu/kernels/grid/rounds", test_grid_rounds);
  g_test_add_func ("/leat/cpu/kernels/grid/work-queue", test_grid_work_queue);
  g_test_add_func ("/leat/cpu/kernels/grid/refuses-too-many", test_grid_refuses_too_many);
  g_test_add_func ("/leat/cpu/kernels/grid/occupancy", test_grid_occupancy);
  g_test_add_func ("/leat/cpu/kernels/grid/lists-kernels", test_grid_lists_kernels);
}
