/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "compact-fixture.h"

#include <string.h>

/* `compact` against a loop.  What is compiled follows from the node and its specs, so that many sizes go through one
 * session of bounded data. */

#define LIST(...)                                                                                                      \
  (const char *const[])                                                                                                \
  {                                                                                                                    \
    __VA_ARGS__, NULL                                                                                                  \
  }

/* Sizes at the borders of words, warps and all tiles that there are, and some that are no multiple of anything. */
static const guint32 borders[] = { 0,      1,      2,       3,       31,      32,     33,     63,     64,     65,
                                   127,    511,    512,     513,     1023,    1024,   1025,   2047,   2048,   2049,
                                   4095,   4096,   4097,    8191,    8192,    8193,   10007,  16383,  16384,  32768,
                                   65535,  65536,  65537,   65538,   69999,   131071, 131072, 131073, 300007, 524287,
                                   524288, 524289, 1048575, 1048576, 1048577, 1099999 };

/* What is compiled follows from how many rows there may be: one block, a cluster, some blocks, any number of them. */
static const guint32 capacities[] = { 1,     1000,  1024,  1025,   4096,    4097,   16384,
                                      16385, 65536, 65537, 524288, 1048576, 1100000 };

static gsize
test_compact_select (const guint32 *x, gsize n, guint32 *kept)
{
  gsize k = 0;

  for (gsize i = 0; i < n; i++)
    if (x[i] < 500)
      kept[k++] = x[i];
  return k;
}

static guint
test_compact_count_borders (guint32 capacity)
{
  guint n = 0;

  while (n < G_N_ELEMENTS (borders) && borders[n] <= capacity)
    n++;
  return n;
}

/* A compiler's checks of each access want all kernels and sizes, and of the patterns those that keep all, nearly all
 * and whole tiles. */
#define PATTERN_FIRST (LEAT_TEST_SANITIZED ? 1 : 0)
#define PATTERN_STEP  (LEAT_TEST_SANITIZED ? 3 : 1)

/* Rows beyond a few tiles differ in how many tiles there are: each of the large sizes has a third of the patterns, and
 * each pattern some of the large sizes. */
static gboolean
test_compact_has (guint pattern, guint size)
{
  return borders[size] <= 131073 || LEAT_TEST_SANITIZED || pattern % 3 == size % 3;
}

static void
test_compact_numbers (const char *node, guint32 capacity)
{
  CompactFixture fixture;
  g_autofree guint32 *x = g_new (guint32, capacity), *kept = g_new (guint32, capacity);
  g_autofree char *spec = g_strdup_printf ("x=u32[<=%u]", capacity);
  guint n = test_compact_count_borders (capacity);

  compact_fixture_open (&fixture, node, LIST (spec), LIST ("out"));
  for (guint pattern = PATTERN_FIRST; pattern < COMPACT_PATTERNS; pattern += PATTERN_STEP)
    for (guint i = 0; i < n; i++)
      {
        if (!test_compact_has (pattern, i))
          continue;
        compact_pattern_fill (pattern, x, borders[i]);
        compact_fixture_push (&fixture, "x", x, borders[i] * sizeof *x);
      }
  compact_fixture_run (&fixture);
  for (guint pattern = PATTERN_FIRST; pattern < COMPACT_PATTERNS; pattern += PATTERN_STEP)
    for (guint i = 0; i < n; i++)
      {
        if (!test_compact_has (pattern, i))
          continue;
        compact_pattern_fill (pattern, x, borders[i]);
        compact_fixture_assert (&fixture, "out", kept, test_compact_select (x, borders[i], kept) * sizeof *kept);
      }
  compact_fixture_close (&fixture);
}

static void
test_compact_sizes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (capacities); i++)
    test_compact_numbers ("compact where=x<500", capacities[i]);
}

static void
test_compact_in_place (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (capacities); i++)
    test_compact_numbers ("compact where=x<limit limit=500 in-place=true", capacities[i]);
}

/* So many tiles that several are looked back over at once, and blocks take more than one. */
static void
test_compact_many_tiles (void)
{
  static const gsize sizes[] = { 2500000, 2500000, 1, 2499999, 700001 };
  CompactFixture fixture;
  g_autofree guint32 *x = g_new (guint32, 2500000), *kept = g_new (guint32, 2500000);

  compact_fixture_open (&fixture, "compact where=x<500", LIST ("x=u32[<=2500000]"), LIST ("out"));
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      compact_pattern_fill (1 + i, x, sizes[i]);
      compact_fixture_push (&fixture, "x", x, sizes[i] * sizeof *x);
    }
  compact_fixture_run (&fixture);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      compact_pattern_fill (1 + i, x, sizes[i]);
      compact_fixture_assert (&fixture, "out", kept, test_compact_select (x, sizes[i], kept) * sizeof *kept);
    }
  compact_fixture_close (&fixture);
}

#define TEST_TYPE(TYPE, spec)                                                                                          \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    CompactFixture fixture;                                                                                            \
    TYPE *x = g_new (TYPE, 20001), *kept = g_new (TYPE, 20001);                                                        \
    gsize k = 0;                                                                                                       \
    for (gsize i = 0; i < 20001; i++)                                                                                  \
      {                                                                                                                \
        x[i] = (TYPE) (i * 2654435761u >> 20);                                                                         \
        if (x[i] < 100)                                                                                                \
          kept[k++] = x[i];                                                                                            \
      }                                                                                                                \
    compact_fixture_open (&fixture, "compact where=\"x < least\" least=100", LIST ("x=" spec), LIST ("out"));          \
    compact_fixture_push (&fixture, "x", x, 20001 * sizeof *x);                                                        \
    compact_fixture_run (&fixture);                                                                                    \
    compact_fixture_assert (&fixture, "out", kept, k * sizeof *kept);                                                  \
    compact_fixture_close (&fixture);                                                                                  \
    g_free (x);                                                                                                        \
    g_free (kept);                                                                                                     \
  }                                                                                                                    \
  G_STMT_END

static void
test_compact_types (void)
{
  TEST_TYPE (guint8, "u8[20001]");
  TEST_TYPE (gint16, "i16[20001]");
  TEST_TYPE (double, "f64[20001]");
}

/* What the kernel keeps for itself is no state: lanes go through it side by side, and there is nothing to save. */
static void
test_compact_assert_stateless (LeatSession *session)
{
  GError *error = NULL;
  g_autoptr (LeatPlan) plan = leat_session_get_batch_plan (session, &error);
  g_auto (GStrv) states = leat_session_list_states (session);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = leat_plan_to_json (plan);
  g_assert_null (strstr (text, "why-spread"));
  g_assert_nonnull (strstr (text, "coalesced"));
  g_assert_cmpuint (g_strv_length (states), ==, 0);
}

/* Of @capacity rows and less, one in so many of them. */
static gsize
test_compact_get_lane_rows (guint lane, guint32 capacity, guint32 step)
{
  return (gsize) lane * step % (capacity + 1);
}

/* Many inputs in one call: a count for each. */
static void
test_compact_lanes_of (guint32 capacity, guint lanes, guint32 step)
{
  CompactFixture fixture;
  GError *error = NULL;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GPtrArray) results = NULL;
  g_autofree guint32 *x = g_new (guint32, capacity), *kept = g_new (guint32, capacity);
  g_autofree char *spec = g_strdup_printf ("x=u32[<=%u]", capacity);

  compact_fixture_open (&fixture, "compact where=x<500", LIST (spec), LIST ("out"));
  test_compact_assert_stateless (fixture.session);
  for (guint i = 0; i < lanes; i++)
    {
      gsize n = test_compact_get_lane_rows (i, capacity, step);

      compact_pattern_fill (i % COMPACT_PATTERNS, x, n);
      g_ptr_array_add (inputs, g_bytes_new (x, n * sizeof *x));
    }
  leat_session_replay_batch (fixture.session, lanes, inputs, &results, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (results->len, ==, lanes);
  for (guint i = 0; i < lanes; i++)
    {
      gsize n = test_compact_get_lane_rows (i, capacity, step), k;
      GBytes *found = g_ptr_array_index (results, i);

      compact_pattern_fill (i % COMPACT_PATTERNS, x, n);
      k = test_compact_select (x, n, kept);
      g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), kept, k * sizeof *kept);
    }
  compact_fixture_close (&fixture);
}

/* Each pattern several times, and rows up to nearly all that there is room for. */
static void
test_compact_lanes (void)
{
  test_compact_lanes_of (900, 90, 7919);
  test_compact_lanes_of (5000, 90, 7919);
  test_compact_lanes_of (40000, 90, 7919);
  /* As many would take a gigabyte. */
  test_compact_lanes_of (1100000, 3 * COMPACT_PATTERNS, 40009);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/primitives/compact/sizes", test_compact_sizes);
  g_test_add_func ("/leat/primitives/compact/in-place", test_compact_in_place);
  g_test_add_func ("/leat/primitives/compact/many-tiles", test_compact_many_tiles);
  g_test_add_func ("/leat/primitives/compact/types", test_compact_types);
  g_test_add_func ("/leat/primitives/compact/lanes", test_compact_lanes);
  return g_test_run ();
}
