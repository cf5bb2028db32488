/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-fixture.h"

#include <math.h>
#include <string.h>

/* Functions and PTX that know the thread or go to memory. */

#define PLACES_TYPES 30 /* in places.cu */
#define PLACES_WAYS  10

static void
places_check_flags (LeatMemory *memory, guint n, guint flags)
{
  g_autofree guint32 *seen = kernel_fixture_dup (memory);

  for (guint i = 0; i < n; i++)
    g_assert_cmphex (seen[i], ==, (1u << flags) - 1);
}

static void
test_places_spaces (void)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("places.cu");
  LeatMemory *seen;

  if (fixture == NULL)
    return;
  seen = kernel_fixture_put (fixture, NULL, 3 * 40 * sizeof (guint32));
  KERNEL_RUN (fixture, "spaces", SIZE (3), SIZE (40), 64, A (seen), A (kernel_fixture_put (fixture, NULL, 64)));
  places_check_flags (seen, 3 * 40, 9);
}

static void
test_places_meetings (void)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("places.cu");
  LeatMemory *seen;

  if (fixture == NULL)
    return;
  seen = kernel_fixture_put (fixture, NULL, 64 * sizeof (guint32));
  KERNEL_RUN (fixture, "meetings", SIZE (1), SIZE (64), 0, A (seen));
  places_check_flags (seen, 64, 6);
}

static void
test_places_cached (void)
{
  enum
  {
    MOVES = PLACES_TYPES * PLACES_WAYS
  };
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("places.cu");
  guint8 from[MOVES * 16], to[MOVES * 16];
  gint32 sizes[MOVES];
  guint32 state = 3;
  LeatMemory *tos, *all;

  if (fixture == NULL)
    return;
  for (guint i = 0; i < sizeof from; i++)
    from[i] = (guint8) (kernel_fixture_random (&state) | 1);
  tos = kernel_fixture_put (fixture, NULL, sizeof to);
  all = kernel_fixture_put (fixture, NULL, sizeof sizes);
  KERNEL_RUN (fixture, "cached", SIZE (1), SIZE (1), 0, A (kernel_fixture_put (fixture, from, sizeof from)), A (tos),
              A (all));
  kernel_fixture_get (tos, to, sizeof to);
  kernel_fixture_get (all, sizes, sizeof sizes);
  for (guint k = 0; k < MOVES; k++)
    {
      g_assert_cmpint (sizes[k], >=, 1);
      for (gint32 i = 0; i < 16; i++)
        g_assert_cmpuint (to[k * 16 + i], ==, i < sizes[k] ? from[k * 16 + i] : 0);
    }
}

static void
test_places_changed (void)
{
  /* of a cell that has 12 */
  static const guint32 expected[] = { 17, 7, 5, 5, 500, 0, 5, 4, 15, 9, 7 };
  guint32 cells[33], before[33];
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("places.cu");
  LeatMemory *memory, *olds;

  if (fixture == NULL)
    return;
  for (guint i = 0; i < 33; i++)
    cells[i] = 12;
  memory = kernel_fixture_put (fixture, cells, sizeof cells);
  olds = kernel_fixture_put (fixture, NULL, sizeof before);
  KERNEL_RUN (fixture, "changed", SIZE (1), SIZE (1), 0, A (memory), A (olds));
  kernel_fixture_get (memory, cells, sizeof cells);
  kernel_fixture_get (olds, before, sizeof before);
  for (guint i = 0; i < 33; i++)
    {
      g_assert_cmpuint (before[i], ==, 12);
      g_assert_cmpuint (cells[i], ==, expected[i % 11]);
    }
}

static void
test_places_aligned (void)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("places.cu");
  LeatMemory *seen;

  if (fixture == NULL)
    return;
  seen = kernel_fixture_put (fixture, NULL, sizeof (guint32));
  KERNEL_RUN (fixture, "aligned", SIZE (1), SIZE (1), 0, A (seen));
  places_check_flags (seen, 1, 3);
}

/* A fast quotient by a number above 2^126 is 0, and no number of infinity. */
static void
test_places_quotients (void)
{
  static const float x[] = { 3, -3, 3, INFINITY, 1e38f, 3, 3 };
  static const float y[] = { 1.2e38f, 1.2e38f, -1.2e38f, 1.2e38f, 2e38f, 0x1p126f, INFINITY };
  static const float expected[] = { 0, -0.0f, -0.0f, NAN, 0, 0x1.8p-125f, 0 };
  float z[G_N_ELEMENTS (x)];
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("places.cu");
  LeatMemory *memory;

  if (fixture == NULL)
    return;
  memory = kernel_fixture_put (fixture, NULL, sizeof z);
  KERNEL_RUN (fixture, "quotients", SIZE (1), SIZE (1), 0, A (kernel_fixture_put (fixture, x, sizeof x)),
              A (kernel_fixture_put (fixture, y, sizeof y)), A (memory), V (int, G_N_ELEMENTS (x)));
  kernel_fixture_get (memory, z, sizeof z);
  for (guint i = 0; i < G_N_ELEMENTS (x); i++)
    if (isnan (expected[i]))
      g_assert_true (isnan (z[i]));
    else
      g_assert_cmpmem (&z[i], sizeof z[i], &expected[i], sizeof expected[i]);
}

static void
test_assembly_registers (void)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("assembly.cu");
  LeatMemory *seen;

  if (fixture == NULL)
    return;
  seen = kernel_fixture_put (fixture, NULL, 2 * 80 * sizeof (guint32));
  KERNEL_RUN (fixture, "registers", SIZE (2), SIZE (40, 2), 0, A (seen));
  places_check_flags (seen, 2 * 80, 7);
}

static void
test_assembly_memory (void)
{
  guint32 items[64 * 4], cells[8];
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("assembly.cu");
  LeatMemory *seen, *memory;

  if (fixture == NULL)
    return;
  for (guint i = 0; i < 64 * 4; i++)
    items[i] = i / 4 + i % 4;
  seen = kernel_fixture_put (fixture, NULL, 64 * sizeof (guint32));
  memory = kernel_fixture_put (fixture, NULL, sizeof cells);
  KERNEL_RUN (fixture, "memory", SIZE (1), SIZE (64), 0, A (seen),
              A (kernel_fixture_put (fixture, items, sizeof items)), A (memory));
  places_check_flags (seen, 64, 9);
  kernel_fixture_get (memory, cells, sizeof cells);
  g_assert_cmpuint (cells[0], ==, 128);
  g_assert_cmpuint (cells[1], ==, 63);
  g_assert_cmpuint (cells[2], ==, 9);
}

static void
test_assembly_in_place (void)
{
  gint32 values[] = { 5, 6, 1, 0, 8 };
  static const gint32 expected[] = { 15, 12, 0, 0, 9 };
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("assembly.cu");
  LeatMemory *memory;

  if (fixture == NULL)
    return;
  memory = kernel_fixture_put (fixture, values, sizeof values);
  KERNEL_RUN (fixture, "in_place", SIZE (1), SIZE (1), 0, A (memory));
  kernel_fixture_get (memory, values, sizeof values);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    g_assert_cmpint (values[i], ==, expected[i]);
}

static void
test_assembly_in_types (void)
{
  enum
  {
    ITEMS = 500
  };
  guint64 a[ITEMS], b[ITEMS], y[ITEMS];
  guint32 state = 5;
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("assembly.cu");
  LeatMemory *memory;

  if (fixture == NULL)
    return;
  for (guint i = 0; i < ITEMS; i++)
    {
      a[i] = (guint64) kernel_fixture_random (&state) << 40 ^ (guint64) kernel_fixture_random (&state) << 8;
      b[i] = i % 2 != 0 ? ~a[i] + i % 3 : (guint64) kernel_fixture_random (&state) << 20;
    }
  memory = kernel_fixture_put (fixture, NULL, sizeof y);
  KERNEL_RUN (fixture, "halves", SIZE (8), SIZE (32), 0, A (kernel_fixture_put (fixture, a, sizeof a)),
              A (kernel_fixture_put (fixture, b, sizeof b)), A (memory), V (int, ITEMS));
  kernel_fixture_get (memory, y, sizeof y);
  for (guint i = 0; i < ITEMS; i++)
    g_assert_cmphex (y[i], ==, a[i] + b[i]);
}

void
test_kernels_add_places (void)
{
  g_test_add_func ("/leat/cpu/kernels/places/spaces", test_places_spaces);
  g_test_add_func ("/leat/cpu/kernels/places/meetings", test_places_meetings);
  g_test_add_func ("/leat/cpu/kernels/places/cached", test_places_cached);
  g_test_add_func ("/leat/cpu/kernels/places/changed", test_places_changed);
  g_test_add_func ("/leat/cpu/kernels/places/aligned", test_places_aligned);
  g_test_add_func ("/leat/cpu/kernels/places/quotients", test_places_quotients);
  g_test_add_func ("/leat/cpu/kernels/assembly/registers", test_assembly_registers);
  g_test_add_func ("/leat/cpu/kernels/assembly/memory", test_assembly_memory);
  g_test_add_func ("/leat/cpu/kernels/assembly/in-place", test_assembly_in_place);
  g_test_add_func ("/leat/cpu/kernels/assembly/in-types", test_assembly_in_types);
}
