/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-fixture.h"

#include <string.h>

/* Atomics: all threads of all blocks on a few words. */

#define N 20000u

static void
test_atomic_int (void)
{
  int in[N], cell[7] = { 5, 5, 1000, -1000, -1, 0, 0 }, expected[7];
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("atomic.cu");
  guint32 state = 1;
  LeatMemory *ins, *cells;

  if (fixture == NULL)
    return;
  memcpy (expected, cell, sizeof cell);
  for (guint i = 0; i < N; i++)
    {
      int v = in[i] = (int) (kernel_fixture_random (&state) % 20001) - 10000;

      expected[0] += v;
      expected[1] -= v;
      expected[2] = MIN (expected[2], v);
      expected[3] = MAX (expected[3], v);
      expected[4] &= v | 0x55;
      expected[5] |= v;
      expected[6] ^= v;
    }
  ins = kernel_fixture_put (fixture, in, sizeof in);
  cells = kernel_fixture_put (fixture, cell, sizeof cell);
  KERNEL_RUN (fixture, "atomics_int", SIZE (20), SIZE (128), 0, A (ins), V (int, N), A (cells));
  kernel_fixture_get (cells, cell, sizeof cell);
  for (guint k = 0; k < G_N_ELEMENTS (cell); k++)
    g_assert_cmpint (cell[k], ==, expected[k]);
}

static void
test_atomic_unsigned (void)
{
  guint in[N], cell[9] = { 0, 0, 0xffffffffu, 0, 0xffffffffu, 0, 0, 0, 0 }, expected[9];
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("atomic.cu");
  guint32 state = 1;
  LeatMemory *ins, *cells;

  if (fixture == NULL)
    return;
  memcpy (expected, cell, sizeof cell);
  for (guint i = 0; i < N; i++)
    {
      guint v = in[i] = kernel_fixture_random (&state) * 171u + 77u;

      expected[0] += v;
      expected[1] -= v;
      expected[2] = MIN (expected[2], v);
      expected[3] = MAX (expected[3], v);
      expected[4] &= v | 0x55u;
      expected[5] |= v;
      expected[6] ^= v;
      expected[7] = expected[7] >= 99 ? 0 : expected[7] + 1;
      expected[8] = expected[8] == 0 || expected[8] > 99 ? 99 : expected[8] - 1;
    }
  ins = kernel_fixture_put (fixture, in, sizeof in);
  cells = kernel_fixture_put (fixture, cell, sizeof cell);
  KERNEL_RUN (fixture, "atomics_unsigned", SIZE (20), SIZE (128), 0, A (ins), V (int, N), A (cells));
  kernel_fixture_get (cells, cell, sizeof cell);
  for (guint k = 0; k < G_N_ELEMENTS (cell); k++)
    g_assert_cmpuint (cell[k], ==, expected[k]);
}

static void
test_atomic_long (void)
{
  guint64 cell[6] = { 0, G_MAXUINT64, 0, G_MAXUINT64, 0, 0 }, expected[6];
  gint64 ends[2] = { 0, 0 }, expected_ends[2] = { 0, 0 };
  g_autofree guint64 *in = g_new (guint64, N);
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("atomic.cu");
  guint32 state = 9;
  LeatMemory *ins, *cells, *all_ends;

  if (fixture == NULL)
    return;
  memcpy (expected, cell, sizeof cell);
  for (guint i = 0; i < N; i++)
    {
      guint64 v = in[i] = (guint64) kernel_fixture_random (&state) << 41 ^ kernel_fixture_random (&state);

      expected[0] += v;
      expected[1] = MIN (expected[1], v);
      expected[2] = MAX (expected[2], v);
      expected[3] &= v | G_GUINT64_CONSTANT (0x5555555555555555);
      expected[4] |= v;
      expected[5] ^= v;
      expected_ends[0] = MIN (expected_ends[0], (gint64) v);
      expected_ends[1] = MAX (expected_ends[1], (gint64) v);
    }
  ins = kernel_fixture_put (fixture, in, N * sizeof (guint64));
  cells = kernel_fixture_put (fixture, cell, sizeof cell);
  all_ends = kernel_fixture_put (fixture, ends, sizeof ends);
  KERNEL_RUN (fixture, "atomics_long", SIZE (20), SIZE (128), 0, A (ins), V (int, N), A (cells), A (all_ends));
  kernel_fixture_get (cells, cell, sizeof cell);
  kernel_fixture_get (all_ends, ends, sizeof ends);
  for (guint k = 0; k < G_N_ELEMENTS (cell); k++)
    g_assert_cmphex (cell[k], ==, expected[k]);
  g_assert_cmpint (ends[0], ==, expected_ends[0]);
  g_assert_cmpint (ends[1], ==, expected_ends[1]);
}

static void
test_atomic_real (void)
{
  float sum = 0, expected = 0;
  double wide = 0, expected_wide = 0, product = 1;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("atomic.cu");
  LeatMemory *sums, *wides, *products;

  if (fixture == NULL)
    return;
  for (guint i = 0; i < N; i++)
    {
      expected += (float) (i % 3);
      expected_wide += i % 5;
    }
  sums = kernel_fixture_put (fixture, NULL, sizeof sum);
  wides = kernel_fixture_put (fixture, NULL, sizeof wide);
  products = kernel_fixture_put (fixture, &product, sizeof product);
  KERNEL_RUN (fixture, "atomics_real", SIZE (20), SIZE (128), 0, V (int, N), A (sums), A (wides), A (products));
  kernel_fixture_get (sums, &sum, sizeof sum);
  kernel_fixture_get (wides, &wide, sizeof wide);
  kernel_fixture_get (products, &product, sizeof product);
  g_assert_cmpfloat (sum, ==, expected);
  g_assert_cmpfloat (wide, ==, expected_wide);
  g_assert_cmpfloat (product, ==, 18446744073709551616.0);
}

static void
test_atomic_exchange (void)
{
  int slot = -1;
  guint64 slot_wide = N;
  g_autofree int *taken = NULL;
  g_autofree guint64 *taken_wide = NULL;
  g_autofree guint8 *seen = g_malloc0 (2 * (N + 1));
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("atomic.cu");
  LeatMemory *slots, *takens, *wide_slots, *wide_takens;

  if (fixture == NULL)
    return;
  slots = kernel_fixture_put (fixture, &slot, sizeof slot);
  takens = kernel_fixture_put (fixture, NULL, N * sizeof (int));
  wide_slots = kernel_fixture_put (fixture, &slot_wide, sizeof slot_wide);
  wide_takens = kernel_fixture_put (fixture, NULL, N * sizeof (guint64));
  KERNEL_RUN (fixture, "exchanges", SIZE ((N + 127) / 128), SIZE (128), 0, V (int, N), A (slots), A (takens),
              A (wide_slots), A (wide_takens));
  taken = kernel_fixture_dup (takens);
  taken_wide = kernel_fixture_dup (wide_takens);
  kernel_fixture_get (slots, &slot, sizeof slot);
  kernel_fixture_get (wide_slots, &slot_wide, sizeof slot_wide);
  for (guint i = 0; i < N; i++)
    {
      seen[taken[i] + 1]++;
      seen[N + 1 + taken_wide[i]]++;
    }
  seen[slot + 1]++;
  seen[N + 1 + slot_wide]++;
  for (guint i = 0; i < 2 * (N + 1); i++)
    g_assert_cmpuint (seen[i], ==, 1);
}

static void
test_atomic_claims (void)
{
  int owner[37], boxes = G_N_ELEMENTS (owner);
  guint winners[G_N_ELEMENTS (owner)] = { 0 };
  g_autofree int *won = NULL;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("atomic.cu");
  LeatMemory *owners, *wons;

  if (fixture == NULL)
    return;
  memset (owner, 0xff, sizeof owner);
  owners = kernel_fixture_put (fixture, owner, sizeof owner);
  wons = kernel_fixture_put (fixture, NULL, N * sizeof (int));
  KERNEL_RUN (fixture, "claims", SIZE ((N + 127) / 128), SIZE (128), 0, V (int, N), V (int, boxes), A (owners),
              A (wons));
  won = kernel_fixture_dup (wons);
  kernel_fixture_get (owners, owner, sizeof owner);
  for (guint i = 0; i < N; i++)
    if (won[i])
      {
        winners[i % (guint) boxes]++;
        g_assert_cmpint (owner[i % (guint) boxes], ==, (int) i);
      }
  for (int i = 0; i < boxes; i++)
    g_assert_cmpuint (winners[i], ==, 1);
}

static void
test_atomic_scopes (void)
{
  guint cell = 0;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("atomic.cu");
  LeatMemory *cells;

  if (fixture == NULL)
    return;
  cells = kernel_fixture_put (fixture, NULL, sizeof cell);
  KERNEL_RUN (fixture, "scopes", SIZE (50), SIZE (160), 0, V (int, 0), A (cells));
  kernel_fixture_get (cells, &cell, sizeof cell);
  g_assert_cmpuint (cell, ==, 50 * 160 * 3);
}

void
test_kernels_add_atomic (void)
{
  g_test_add_func ("/leat/cpu/kernels/atomic/int", test_atomic_int);
  g_test_add_func ("/leat/cpu/kernels/atomic/unsigned", test_atomic_unsigned);
  g_test_add_func ("/leat/cpu/kernels/atomic/long", test_atomic_long);
  g_test_add_func ("/leat/cpu/kernels/atomic/real", test_atomic_real);
  g_test_add_func ("/leat/cpu/kernels/atomic/exchange", test_atomic_exchange);
  g_test_add_func ("/leat/cpu/kernels/atomic/claims", test_atomic_claims);
  g_test_add_func ("/leat/cpu/kernels/atomic/scopes", test_atomic_scopes);
}
