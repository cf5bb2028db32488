/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine-fixture.h"

/* Warp operations against a plain statement of what CUDA says they yield. */

static LeatCpuModule *module;

static guint
expected_source (LeatHostWarpOp op, guint lane, guint arg, guint width, guint n_lanes)
{
  guint first = lane / width * width;
  gint source = (gint) lane;

  if (op == LEAT_HOST_WARP_SHFL_IDX)
    source = (gint) (first + arg % width);
  else if (op == LEAT_HOST_WARP_SHFL_UP && lane >= first + arg)
    source = (gint) (lane - arg);
  else if (op == LEAT_HOST_WARP_SHFL_DOWN && lane + arg < first + width)
    source = (gint) (lane + arg);
  else if (op == LEAT_HOST_WARP_SHFL_XOR && (lane ^ arg) < first + width)
    source = (gint) (lane ^ arg);
  return (guint) source < n_lanes ? (guint) source : lane;
}

static void
test_shuffles (void)
{
  guint64 in[70], out[70];

  for (guint i = 0; i < 70; i++)
    in[i] = G_GUINT64_CONSTANT (0x123456789) * (i + 1);
  for (guint op = LEAT_HOST_WARP_SHFL_IDX; op <= LEAT_HOST_WARP_SHFL_XOR; op++)
    for (guint width = 1; width <= 32; width *= 2)
      for (guint arg = 0; arg < 32; arg++)
        {
          g_assert_cmpint (ENGINE_RUN (module, "warp_op", 1, 70, 0, FALSE, P (out), P (in), op, arg, width), ==,
                           CUDA_SUCCESS);
          for (guint i = 0; i < 70; i++)
            {
              guint first = i / 32 * 32;
              guint source = expected_source (op, i - first, arg, width, MIN (70 - first, 32));
              g_assert_cmpuint (out[i], ==, in[first + source]);
            }
        }
}

static guint64
expected_vote (LeatHostWarpOp op, const guint64 *in, guint lane, guint n)
{
  guint32 set = 0, equal = 0;

  for (guint i = 0; i < n; i++)
    {
      set |= (guint32) (in[i] != 0) << i;
      equal |= (guint32) (in[i] == in[lane]) << i;
    }
  switch (op)
    {
    case LEAT_HOST_WARP_BALLOT:
      return set;
    case LEAT_HOST_WARP_ANY:
      return set != 0;
    case LEAT_HOST_WARP_ALL:
      return set == (guint32) ((G_GUINT64_CONSTANT (1) << n) - 1);
    default:
      return equal;
    }
}

static void
test_votes (void)
{
  guint64 in[70], out[70];

  for (guint pattern = 0; pattern < 5; pattern++)
    for (guint op = LEAT_HOST_WARP_BALLOT; op <= LEAT_HOST_WARP_MATCH_ANY; op++)
      {
        for (guint i = 0; i < 70; i++)
          in[i] = pattern == 0 ? 0 : pattern == 1 ? G_GUINT64_CONSTANT (1) << 40 : i % pattern;
        g_assert_cmpint (ENGINE_RUN (module, "warp_op", 1, 70, 0, FALSE, P (out), P (in), op, 0, 32), ==, CUDA_SUCCESS);
        for (guint i = 0; i < 70; i++)
          g_assert_cmpuint (out[i], ==, expected_vote (op, in + i / 32 * 32, i % 32, MIN (70 - i / 32 * 32, 32)));
      }
}

static void
test_reductions (void)
{
  static const struct
  {
    LeatHostWarpOp op;
    guint32 result;
  } cases[] = {
    { LEAT_HOST_WARP_REDUCE_ADD, 0xfffffff0u + 31 * 32 / 2 - 16 },
    { LEAT_HOST_WARP_REDUCE_MIN, 0 },
    { LEAT_HOST_WARP_REDUCE_MAX, 0xfffffff0u },
    { LEAT_HOST_WARP_REDUCE_AND, 0 },
    { LEAT_HOST_WARP_REDUCE_OR, 0xffffffffu },
    { LEAT_HOST_WARP_REDUCE_XOR, 0xfffffff0u ^ 16 },
    { LEAT_HOST_WARP_REDUCE_ADD_SIGNED, 0xfffffff0u + 31 * 32 / 2 - 16 },
    { LEAT_HOST_WARP_REDUCE_MIN_SIGNED, 0xfffffff0u },
    { LEAT_HOST_WARP_REDUCE_MAX_SIGNED, 31 },
  };
  guint64 in[32], out[32];

  for (guint i = 0; i < 32; i++)
    in[i] = i == 16 ? 0xfffffff0u : i;
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      g_assert_cmpint (ENGINE_RUN (module, "warp_op", 1, 32, 0, FALSE, P (out), P (in), cases[c].op, 0, 32), ==,
                       CUDA_SUCCESS);
      for (guint i = 0; i < 32; i++)
        g_assert_cmphex (out[i], ==, cases[c].result);
    }
}

static void
test_groups (void)
{
  guint32 out[64];

  g_assert_cmpint (ENGINE_RUN (module, "warp_groups", 1, 64, 0, FALSE, P (out)), ==, CUDA_SUCCESS);
  for (guint i = 0; i < 64; i++)
    g_assert_cmpuint (out[i], ==, i % 2 != 0 ? 256 : 240);
}

static void
test_returned_lanes (void)
{
  guint32 out[32] = { 0 };

  g_assert_cmpint (ENGINE_RUN (module, "warp_returns", 1, 32, 0, FALSE, P (out)), ==, CUDA_SUCCESS);
  for (guint i = 0; i < 20; i++)
    g_assert_cmphex (out[i], ==, 0xfffff);
}

/* Every operation of the whole warp where lanes have returned: @lane's result from the others' values. */
static guint64
expected_of_rest (LeatHostWarpOp op, const guint64 *in, guint lane, guint32 leaves)
{
  guint n = 0, mine = 0, at[32];
  guint64 values[32];
  guint64 result = 0;

  for (guint i = 0; i < 32; i++)
    if ((leaves >> i & 1) == 0)
      {
        mine = i == lane ? n : mine;
        at[n] = i;
        values[n++] = in[i];
      }
  if (op >= LEAT_HOST_WARP_SHFL_IDX && op <= LEAT_HOST_WARP_SHFL_XOR)
    {
      guint source = expected_source (op, lane, 1, 32, 32);

      return in[leaves >> source & 1 ? lane : source];
    }
  if (op == LEAT_HOST_WARP_ANY)
    return expected_vote (LEAT_HOST_WARP_BALLOT, values, 0, n) != 0;
  if (op == LEAT_HOST_WARP_ALL)
    return expected_vote (LEAT_HOST_WARP_BALLOT, values, 0, n) == (guint32) ((G_GUINT64_CONSTANT (1) << n) - 1);
  for (guint i = 0; i < n; i++)
    result |= (expected_vote (op, values, mine, n) >> i & 1) << at[i];
  return result;
}

static guint32
expected_reduction (LeatHostWarpOp op, const guint64 *in, guint32 leaves)
{
  guint32 result = op == LEAT_HOST_WARP_REDUCE_MIN || op == LEAT_HOST_WARP_REDUCE_AND ? G_MAXUINT32
                   : op == LEAT_HOST_WARP_REDUCE_MIN_SIGNED                           ? G_MAXINT32
                   : op == LEAT_HOST_WARP_REDUCE_MAX_SIGNED                           ? (guint32) G_MININT32
                                                                                      : 0;

  for (guint i = 0; i < 32; i++)
    {
      guint32 v = (guint32) in[i];

      if (leaves >> i & 1)
        continue;
      result = op == LEAT_HOST_WARP_REDUCE_MIN          ? MIN (result, v)
               : op == LEAT_HOST_WARP_REDUCE_MAX        ? MAX (result, v)
               : op == LEAT_HOST_WARP_REDUCE_AND        ? result & v
               : op == LEAT_HOST_WARP_REDUCE_OR         ? result | v
               : op == LEAT_HOST_WARP_REDUCE_XOR        ? result ^ v
               : op == LEAT_HOST_WARP_REDUCE_MIN_SIGNED ? (guint32) MIN ((gint32) result, (gint32) v)
               : op == LEAT_HOST_WARP_REDUCE_MAX_SIGNED ? (guint32) MAX ((gint32) result, (gint32) v)
                                                        : result + v;
    }
  return result;
}

static void
test_operations_of_the_rest (void)
{
  static const guint32 leaves[] = { 0x1,        0x80000000, 0xfffffffe, 0x7fffffff,
                                    0xaaaaaaaa, 0x0000ffff, 0xffff0000, 0x10024008 };
  static const guint64 values[] = { 0, 5, 5, 0xfffffff0u, 3, 0, 0x80000001u };
  guint64 in[64], out[64];

  for (guint round = 0; round < 3; round++)
    for (guint l = 0; l < G_N_ELEMENTS (leaves); l++)
      for (guint op = LEAT_HOST_WARP_SHFL_IDX; op <= LEAT_HOST_WARP_REDUCE_MAX_SIGNED; op++)
        {
          if (op == LEAT_HOST_WARP_SYNC)
            continue;
          /* All 0, all the same, and a mixture; those who leave have what would show. */
          for (guint i = 0; i < 64; i++)
            in[i] = leaves[l] >> i % 32 & 1 ? (round == 0 ? 9 : i) : round == 2 ? values[i * i % 7] : round * 5;
          g_assert_cmpint (ENGINE_RUN (module, "warp_leave", 1, 64, 0, FALSE, P (out), P (in), op, leaves[l]), ==,
                           CUDA_SUCCESS);
          for (guint i = 0; i < 64; i++)
            if ((leaves[l] >> i % 32 & 1) == 0)
              g_assert_cmphex (out[i], ==,
                               op < LEAT_HOST_WARP_SYNC ? expected_of_rest (op, in + i / 32 * 32, i % 32, leaves[l])
                                                        : expected_reduction (op, in + i / 32 * 32, leaves[l]));
        }
}

static void
test_wrong_mask (void)
{
  if (g_test_subprocess ())
    {
      guint32 out = 0;
      g_assert_cmpint (ENGINE_RUN (module, "warp_wrong_mask", 1, 32, 0, FALSE, P (&out)), ==, CUDA_ERROR_LAUNCH_FAILED);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*thread (3,0,0): lane 3 takes part in a warp operation with mask 0x000000f0*");
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  module = engine_fixture_load (g_getenv ("ENGINE_IMAGE"));
  g_test_add_func ("/cpu/warp/shuffles", test_shuffles);
  g_test_add_func ("/cpu/warp/votes", test_votes);
  g_test_add_func ("/cpu/warp/reductions", test_reductions);
  g_test_add_func ("/cpu/warp/groups", test_groups);
  g_test_add_func ("/cpu/warp/returned-lanes", test_returned_lanes);
  g_test_add_func ("/cpu/warp/operations-of-the-rest", test_operations_of_the_rest);
  g_test_add_func ("/cpu/warp/wrong-mask-is-told", test_wrong_mask);
  status = g_test_run ();
  leat_cpu_module_unload (module);
  return status;
}
