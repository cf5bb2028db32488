/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>
#include <unistd.h>

#include "engine-fixture.h"
#include "leat-cpu-fiber.h"

/* Kernels on the block engine.  The build runs this with several numbers of workers. */

static LeatCpuModule *module;

static void
test_flat (void)
{
  guint n = 100000;
  g_autofree float *x = g_new (float, n), *y = g_new (float, n);

  for (guint i = 0; i < n; i++)
    {
      x[i] = (float) i;
      y[i] = 1;
    }
  /* More than once: the first run of a function is shared out without knowing how long its blocks take. */
  for (guint round = 1; round <= 3; round++)
    {
      g_assert_cmpint (ENGINE_RUN (module, "saxpy", (n + 255) / 256, 256, 0, FALSE, P (y), P (x), n), ==, CUDA_SUCCESS);
      for (guint i = 0; i < n; i += 777)
        g_assert_cmpfloat (y[i], ==, 1.0f + 2.0f * (float) round * (float) i);
    }
}

static void
test_indices (void)
{
  const LeatHostDim3 grids[] = { { 3, 2, 2 }, { 12, 1, 1 }, { 1, 1, 12 }, { 1, 12, 1 }, { 12, 1, 1 } };
  const LeatHostDim3 block = { 5, 4, 3 };

  for (guint g = 0; g < G_N_ELEMENTS (grids); g++)
    {
      guint32 out[12 * 60] = { 0 };
      guint64 param = P (out);
      g_assert_cmpint (engine_fixture_run (module, "indices", grids[g], block, 0, FALSE, &param, 1), ==, CUDA_SUCCESS);
      for (guint i = 0; i < G_N_ELEMENTS (out); i++)
        g_assert_cmpuint (out[i], ==, 1 + i / 60);
    }
}

static void
test_variant (void)
{
  guint32 out = 0;

  g_assert_cmpint (ENGINE_RUN (module, "which_form", 1, 64, 0, FALSE, P (&out)), ==, CUDA_SUCCESS);
  g_assert_cmpuint (out, ==, g_strcmp0 (g_getenv ("LEAT_CPU_VARIANTS"), "0") == 0 ? 1 : 2);
}

static void
test_barrier_dynamic (void)
{
  const guint sizes[] = { 1, 2, 31, 32, 33, 64, 256, 1024 };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      guint threads = sizes[s], n = threads * 37;
      g_autofree guint32 *in = g_new (guint32, n), *out = g_new0 (guint32, n);
      for (guint i = 0; i < n; i++)
        in[i] = i;
      g_assert_cmpint (ENGINE_RUN (module, "reverse", 37, threads, threads * 4, FALSE, P (out), P (in), n), ==,
                       CUDA_SUCCESS);
      for (guint i = 0; i < n; i++)
        g_assert_cmpuint (out[i], ==, i / threads * threads + threads - 1 - i % threads);
    }
}

static void
test_barrier_returned_threads (void)
{
  const guint sizes[] = { 1, 7, 32, 100, 500, 1000 };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      guint n = sizes[s];
      g_autofree guint32 *in = g_new (guint32, n * 5);
      guint32 out[5];
      for (guint i = 0; i < n * 5; i++)
        in[i] = i;
      g_assert_cmpint (ENGINE_RUN (module, "tree_sum", 5, 1024, 0, FALSE, P (out), P (in), n), ==, CUDA_SUCCESS);
      for (guint b = 0; b < 5; b++)
        g_assert_cmpuint (out[b], ==, n * b * n + n * (n - 1) / 2);
    }
}

static void
test_barrier_votes (void)
{
  guint32 out[100][4];

  g_assert_cmpint (ENGINE_RUN (module, "barrier_votes", 1, 100, 0, FALSE, P (out)), ==, CUDA_SUCCESS);
  for (guint i = 0; i < 100; i++)
    {
      g_assert_cmpuint (out[i][0], ==, 34);
      g_assert_cmpuint (out[i][1], ==, 1);
      g_assert_cmpuint (out[i][2], ==, 0);
      g_assert_cmpuint (out[i][3], ==, 1);
    }
}

/* Those that have returned have no vote: before the first barrier, and after some. */
static void
test_barrier_votes_of_the_rest (void)
{
  guint32 in[100], out[100][4];

  for (guint round = 0; round < 20; round++)
    {
      guint odd = 0, there = 0, late_odd = 0, late = 0, end = 4 + round % 4;

      for (guint i = 0; i < 100; i++)
        {
          in[i] = round < 4 ? (i == round * 33 ? 0 : 3) : i * i * (round + 1) % end;
          there += in[i] > 0;
          odd += in[i] % 2;
          late += in[i] > 1;
          late_odd += in[i] > 1 ? in[i] % 2 : 0;
        }
      g_assert_cmpint (ENGINE_RUN (module, "barrier_leave", 1, 100, 0, FALSE, P (out), P (in), 0), ==, CUDA_SUCCESS);
      for (guint i = 0; i < 100; i++)
        {
          if (in[i] > 0)
            {
              g_assert_cmpuint (out[i][0], ==, odd);
              g_assert_cmpuint (out[i][1], ==, odd == there);
            }
          if (in[i] > 1)
            {
              g_assert_cmpuint (out[i][2], ==, late_odd > 0);
              g_assert_cmpuint (out[i][3], ==, late_odd == late);
            }
        }
    }
}

static void
test_barrier_deadlock (void)
{
  if (g_test_subprocess ())
    {
      guint32 out[64] = { 0 };
      g_assert_cmpint (ENGINE_RUN (module, "half_wait", 1, 64, 0, FALSE, P (out)), ==, CUDA_ERROR_LAUNCH_FAILED);
      g_assert_cmpuint (out[0], ==, 0);
      /* The engine is good for another launch. */
      g_assert_cmpint (ENGINE_RUN (module, "flag_in_block", 1, 64, 0, FALSE, P (out)), ==, CUDA_SUCCESS);
      g_assert_cmpuint (out[63], ==, 1);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*half_wait, block (0,0,0): deadlock: 32 of 64 threads at the barrier*"
                             "lanes 0xaaaaaaaa of mask 0xffffffff*");
}

static void
test_spin_in_block (void)
{
  const guint sizes[] = { 1, 2, 33, 1024 };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      guint32 out[1024] = { 0 };
      g_assert_cmpint (ENGINE_RUN (module, "flag_in_block", 1, sizes[s], 0, FALSE, P (out)), ==, CUDA_SUCCESS);
      for (guint i = 0; i < sizes[s]; i++)
        g_assert_cmpuint (out[i], ==, 1);
    }
}

/* Blocks */

static void
test_look_back (void)
{
  guint blocks = 200, threads = 128, n = blocks * threads;
  g_autofree guint64 *in = g_new (guint64, n), *out = g_new (guint64, n), *state = g_new (guint64, blocks);

  for (guint i = 0; i < n; i++)
    in[i] = i % 1000;
  for (guint round = 0; round < 5; round++)
    {
      guint64 sum = 0;
      memset (state, 0, blocks * sizeof *state);
      g_assert_cmpint (ENGINE_RUN (module, "look_back", blocks, threads, 0, FALSE, P (out), P (in), P (state)), ==,
                       CUDA_SUCCESS);
      for (guint i = 0; i < n; i++)
        g_assert_cmpuint (out[i], ==, sum += in[i]);
    }
}

static void
test_grid_barrier (void)
{
  guint blocks = 8, threads = 48, n = blocks * threads, rounds = 40;
  g_autofree guint64 *a = g_new (guint64, n), *b = g_new (guint64, n), *expected = g_new (guint64, n);
  g_autofree guint64 *before = g_new (guint64, n);

  for (guint i = 0; i < n; i++)
    a[i] = expected[i] = i % 7;
  for (guint round = 0; round < rounds; round++)
    {
      memcpy (before, expected, n * sizeof *before);
      for (guint i = 0; i < n; i++)
        expected[i] = before[i] + before[(i + threads) % n];
    }
  g_assert_cmpint (ENGINE_RUN (module, "ring", blocks, threads, 0, TRUE, P (a), P (b), rounds), ==, CUDA_SUCCESS);
  g_assert_cmpmem (rounds % 2 == 0 ? a : b, n * sizeof *a, expected, n * sizeof *a);
}

static guint
count_threads (void)
{
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  while (folder != NULL && g_dir_read_name (folder) != NULL)
    n++;
  return n;
}

/* Blocks that wait for each other need a thread each; the next launch has the same ones, but for some that are not back
 * yet. */
static void
test_grid_barrier_keeps_threads (void)
{
  guint64 a[8 * 32] = { 0 }, b[8 * 32];
  guint before;

  g_assert_cmpint (ENGINE_RUN (module, "ring", 8, 32, 0, TRUE, P (a), P (b), 1), ==, CUDA_SUCCESS);
  before = count_threads ();
  for (guint run = 0; run < 60; run++)
    g_assert_cmpint (ENGINE_RUN (module, "ring", 8, 32, 0, TRUE, P (a), P (b), 1), ==, CUDA_SUCCESS);
  g_assert_cmpuint (count_threads (), <=, before + 16);
}

static void
test_grid_barrier_refused (void)
{
  guint64 a[64] = { 0 }, b[64];

  g_assert_cmpint (ENGINE_RUN (module, "ring", 4000, 32, 0, TRUE, P (a), P (b), 1), ==,
                   CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  if (g_test_subprocess ())
    {
      g_assert_cmpint (ENGINE_RUN (module, "ring", 2, 32, 0, FALSE, P (a), P (b), 1), ==, CUDA_ERROR_LAUNCH_FAILED);
      g_assert_cmpint (ENGINE_RUN (module, "ring", 1, 32, 0, FALSE, P (a), P (b), 1), ==, CUDA_SUCCESS);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*grid barrier in a launch that is not cooperative*");
}

static void
test_grid_barrier_deadlock (void)
{
  if (g_test_subprocess ())
    {
      guint32 out = 0;
      g_assert_cmpint (ENGINE_RUN (module, "grid_deadlock", 4, 32, 0, TRUE, P (&out)), ==, CUDA_ERROR_LAUNCH_FAILED);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*grid_deadlock: deadlock: 3 of 4 blocks at the grid barrier*");
}

static void
test_wait_for_later_block (void)
{
  guint32 out = 0;

  g_assert_cmpint (ENGINE_RUN (module, "wait_for_last", 6, 32, 0, FALSE, P (&out)), ==, CUDA_SUCCESS);
  g_assert_cmpuint (out, ==, 1);
}

static gpointer
test_concurrent_thread (gpointer data)
{
  for (guint i = 0; i < 20; i++)
    test_look_back ();
  return NULL;
}

static void
test_concurrent (void)
{
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("launcher", test_concurrent_thread, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

/* Faults */

static void
test_assert (void)
{
  if (g_test_subprocess ())
    {
      guint32 out = 0;
      g_assert_cmpint (ENGINE_RUN (module, "assert_fails", 3, 32, 0, FALSE, P (&out)), ==, CUDA_ERROR_ASSERT);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*assert_fails, block (1,0,0), thread (5,0,0): user.cu:12: assertion `n < 4' failed*");
}

static void
test_trap_flat (void)
{
  if (g_test_subprocess ())
    {
      guint32 out = 2;
      g_assert_cmpint (ENGINE_RUN (module, "flat_trap", 100, 32, 0, FALSE, P (&out)), ==, CUDA_ERROR_LAUNCH_FAILED);
      out = 0;
      g_assert_cmpint (ENGINE_RUN (module, "flat_trap", 1, 1, 0, FALSE, P (&out)), ==, CUDA_ERROR_LAUNCH_FAILED);
      out = 100;
      g_assert_cmpint (ENGINE_RUN (module, "flat_trap", 100, 32, 0, FALSE, P (&out)), ==, CUDA_SUCCESS);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*kernel flat_trap, block (2,0,0)*trap*");
}

static void
test_trap_ends_spinning_blocks (void)
{
  guint32 out = 0;

  g_assert_cmpint (ENGINE_RUN (module, "spin_on_trapped", 2, 64, 0, FALSE, P (&out)), ==, CUDA_ERROR_LAUNCH_FAILED);
  g_assert_cmpint (ENGINE_RUN (module, "spin_on_trapped", 4, 64, 0, TRUE, P (&out)), ==, CUDA_ERROR_LAUNCH_FAILED);
}

static void
test_print (void)
{
  if (g_test_subprocess ())
    {
      guint32 out = 0;
      g_assert_cmpint (ENGINE_RUN (module, "prints", 1, 2, 0, FALSE, P (&out)), ==, CUDA_SUCCESS);
      g_assert_cmpuint (out, ==, 2);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout ("*thread 0 of prints, 100%\nthread 1 of prints, 100%\n*");
}

/* What a launch may ask for */

static void
test_geometry (void)
{
  static const struct
  {
    LeatHostDim3 grid, block;
    guint32 shared;
    CUresult result;
  } cases[] = {
    { { 1, 1, 1 }, { 1024, 1, 1 }, 0, CUDA_SUCCESS },
    { { 1, 1, 1 }, { 1, 1, 64 }, 48 * 1024, CUDA_SUCCESS },
    { { 0, 1, 1 }, { 1, 1, 1 }, 0, CUDA_ERROR_INVALID_VALUE },
    { { 1, 0, 1 }, { 1, 1, 1 }, 0, CUDA_ERROR_INVALID_VALUE },
    { { 1, 1, 1 }, { 1, 1, 0 }, 0, CUDA_ERROR_INVALID_VALUE },
    { { 1, 1, 1 }, { 1025, 1, 1 }, 0, CUDA_ERROR_INVALID_VALUE },
    { { 1, 1, 1 }, { 512, 2, 2 }, 0, CUDA_ERROR_INVALID_VALUE },
    { { 1, 1, 1 }, { 1, 1, 65 }, 0, CUDA_ERROR_INVALID_VALUE },
    { { 1, 65536, 1 }, { 1, 1, 1 }, 0, CUDA_ERROR_INVALID_VALUE },
    { { 2147483648u, 1, 1 }, { 1, 1, 1 }, 0, CUDA_ERROR_INVALID_VALUE },
    { { 1, 1, 1 }, { 1, 1, 1 }, 48 * 1024 + 1, CUDA_ERROR_INVALID_VALUE },
  };
  LeatCpuFunction *function = leat_cpu_module_find_function (module, "indices");
  guint64 out = 0;
  void *params[] = { &out };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      LeatCpuLaunch launch;
      CUresult result =
        leat_cpu_launch_init (&launch, function, cases[i].grid, cases[i].block, cases[i].shared, FALSE, params, NULL);
      g_test_message ("case %u", i);
      g_assert_cmpint (result, ==, cases[i].result);
      if (result == CUDA_SUCCESS)
        leat_cpu_launch_clear (&launch);
    }
}

static void
test_params (void)
{
  LeatCpuFunction *function = leat_cpu_module_find_function (module, "saxpy");
  const LeatHostDim3 one = { 1, 1, 1 };
  float x = 3, y = 4;
  guint64 packed[] = { P (&y), P (&x), 1 };
  gsize size = sizeof packed, short_size = size - 1;
  void *good[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END };
  void *short_extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &short_size,
                          CU_LAUNCH_PARAM_END };
  void *array[] = { &packed[0], &packed[1], &packed[2] };
  LeatCpuLaunch launch, copy;

  g_assert_cmpint (leat_cpu_launch_init (&launch, function, one, one, 0, FALSE, NULL, NULL), ==,
                   CUDA_ERROR_INVALID_VALUE);
  g_assert_cmpint (leat_cpu_launch_init (&launch, function, one, one, 0, FALSE, array, good), ==,
                   CUDA_ERROR_INVALID_VALUE);
  g_assert_cmpint (leat_cpu_launch_init (&launch, function, one, one, 0, FALSE, NULL, short_extra), ==,
                   CUDA_ERROR_INVALID_VALUE);
  g_assert_cmpint (leat_cpu_launch_init (&launch, NULL, one, one, 0, FALSE, array, NULL), ==,
                   CUDA_ERROR_INVALID_HANDLE);
  g_assert_cmpint (leat_cpu_launch_init (&launch, function, one, one, 0, FALSE, NULL, good), ==, CUDA_SUCCESS);
  leat_cpu_launch_copy (&copy, &launch);
  leat_cpu_launch_clear (&launch);
  g_assert_cmpint (leat_cpu_launch_run (&copy), ==, CUDA_SUCCESS);
  leat_cpu_launch_clear (&copy);
  g_assert_cmpfloat (y, ==, 10);
}

static void
test_shared_memory_limits (void)
{
  LeatCpuFunction *function = leat_cpu_module_find_function (module, "tree_sum");
  const CUfunction_attribute dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  guint32 in = 5, out = 0;
  int value;

  g_assert_cmpint (leat_cpu_function_get_attribute (function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &value), ==,
                   CUDA_SUCCESS);
  g_assert_cmpint (value, ==, 4096);
  g_assert_cmpint (leat_cpu_function_get_attribute (function, dynamic, &value), ==, CUDA_SUCCESS);
  g_assert_cmpint (value, ==, 44 * 1024);
  g_assert_cmpint (ENGINE_RUN (module, "tree_sum", 1, 32, 64 * 1024, FALSE, P (&out), P (&in), 1), ==,
                   CUDA_ERROR_INVALID_VALUE);
  g_assert_cmpint (leat_cpu_function_set_attribute (function, dynamic, 64 * 1024), ==, CUDA_SUCCESS);
  g_assert_cmpint (ENGINE_RUN (module, "tree_sum", 1, 32, 64 * 1024, FALSE, P (&out), P (&in), 1), ==, CUDA_SUCCESS);
  g_assert_cmpuint (out, ==, 5);
  g_assert_cmpint (leat_cpu_function_set_attribute (function, dynamic, 1 << 30), ==, CUDA_ERROR_INVALID_VALUE);
  g_assert_cmpint (leat_cpu_function_set_attribute (function, CU_FUNC_ATTRIBUTE_NUM_REGS, 1), ==,
                   CUDA_ERROR_INVALID_VALUE);
}

static gboolean
can_read (int fd, const char *at)
{
  return write (fd, at, 1) == 1;
}

/* More of them than a process could have, each with a guard of its own. */
static void
test_many_stacks (void)
{
  guint n = 4096, last = LEAT_CPU_STACKS_PER_CHUNK - 1;
  g_autofree LeatCpuStacks **chunks = g_new0 (LeatCpuStacks *, n);
  LeatCpuStacks *again;
  int ends[2];

  g_assert_cmpint (pipe (ends), ==, 0);
  for (guint i = 0; i < n; i++)
    {
      chunks[i] = leat_cpu_stacks_new (16384);
      g_assert_nonnull (chunks[i]);
    }
  for (guint i = 0; i < n; i += n - 1)
    {
      g_assert_true (can_read (ends[1], leat_cpu_stacks_get (chunks[i], last)));
      g_assert_true (can_read (ends[1], leat_cpu_stacks_get (chunks[i], 0)));
      g_assert_false (can_read (ends[1], leat_cpu_stacks_get_floor (chunks[i], last)));
      g_assert_false (can_read (ends[1], leat_cpu_stacks_get (chunks[i], 0) - 1));
    }
  g_assert_false (can_read (ends[1], leat_cpu_stacks_get (chunks[0], last) - 1));
  g_assert_true (can_read (ends[1], leat_cpu_stacks_get (chunks[n - 1], last) - 1));
  for (guint i = 0; i < n; i++)
    leat_cpu_stacks_free (chunks[i]);
  again = leat_cpu_stacks_new (16384);
  g_assert_false (can_read (ends[1], leat_cpu_stacks_get (again, last) - 1));
  leat_cpu_stacks_free (again);
  close (ends[0]);
  close (ends[1]);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  module = engine_fixture_load (g_getenv ("ENGINE_IMAGE"));
  g_test_add_func ("/cpu/engine/flat", test_flat);
  g_test_add_func ("/cpu/engine/indices", test_indices);
  g_test_add_func ("/cpu/engine/variant", test_variant);
  g_test_add_func ("/cpu/engine/barrier/dynamic-shared-memory", test_barrier_dynamic);
  g_test_add_func ("/cpu/engine/barrier/returned-threads-count", test_barrier_returned_threads);
  g_test_add_func ("/cpu/engine/barrier/votes", test_barrier_votes);
  g_test_add_func ("/cpu/engine/barrier/votes-of-the-rest", test_barrier_votes_of_the_rest);
  g_test_add_func ("/cpu/engine/barrier/deadlock-is-told", test_barrier_deadlock);
  g_test_add_func ("/cpu/engine/many-stacks", test_many_stacks);
  g_test_add_func ("/cpu/engine/spin/in-block", test_spin_in_block);
  g_test_add_func ("/cpu/engine/blocks/look-back", test_look_back);
  g_test_add_func ("/cpu/engine/blocks/wait-for-later", test_wait_for_later_block);
  g_test_add_func ("/cpu/engine/blocks/concurrent-launches", test_concurrent);
  g_test_add_func ("/cpu/engine/grid-barrier/rounds", test_grid_barrier);
  g_test_add_func ("/cpu/engine/grid-barrier/keeps-threads", test_grid_barrier_keeps_threads);
  g_test_add_func ("/cpu/engine/grid-barrier/refused", test_grid_barrier_refused);
  g_test_add_func ("/cpu/engine/grid-barrier/deadlock-is-told", test_grid_barrier_deadlock);
  g_test_add_func ("/cpu/engine/fault/assert", test_assert);
  g_test_add_func ("/cpu/engine/fault/trap-in-flat-kernel", test_trap_flat);
  g_test_add_func ("/cpu/engine/fault/trap-ends-spinning-blocks", test_trap_ends_spinning_blocks);
  g_test_add_func ("/cpu/engine/print", test_print);
  g_test_add_func ("/cpu/engine/launch/geometry", test_geometry);
  g_test_add_func ("/cpu/engine/launch/params", test_params);
  g_test_add_func ("/cpu/engine/launch/shared-memory-limits", test_shared_memory_limits);
  status = g_test_run ();
  leat_cpu_module_unload (module);
  return status;
}
