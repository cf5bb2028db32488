/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "primitive-fixture.h"

#include <string.h>

/* `scan` against C. */

static const guint test_sizes[] = { 0, 1, 15, 16, 17, 511, 512, 513, 4095, 4096, 4097, 8193, 50021, 3 };
#define TEST_MOST 50021

/* STEP changes `before` by x[i]; INCLUSIVE: what comes is that. */
#define TEST_SCAN(TYPE, OUT, fixture, x, inclusive, START, RESET, STEP)                                                \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    for (guint _s = 0; _s < G_N_ELEMENTS (test_sizes); _s++)                                                           \
      {                                                                                                                \
        guint n = test_sizes[_s];                                                                                      \
        g_autofree OUT *wanted = g_new (OUT, n + 1);                                                                   \
        g_autoptr (GBytes) result = primitive_fixture_run (fixture, x, n * sizeof *(x));                               \
        OUT before = START;                                                                                            \
        for (guint i = 0; i < n; i++)                                                                                  \
          {                                                                                                            \
            if (RESET)                                                                                                 \
              before = START;                                                                                          \
            if (!(inclusive))                                                                                          \
              wanted[i] = before;                                                                                      \
            before = (OUT) (STEP);                                                                                     \
            if (inclusive)                                                                                             \
              wanted[i] = before;                                                                                      \
          }                                                                                                            \
        g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), wanted, n * sizeof *wanted);      \
      }                                                                                                                \
  }                                                                                                                    \
  G_STMT_END

static void
test_scan_sums (void)
{
  g_autofree guint8 *x = g_new (guint8, TEST_MOST);
  g_autofree gint32 *y = g_new (gint32, TEST_MOST);
  PrimitiveFixture fixture;
  guint64 seed = 1;

  for (guint i = 0; i < TEST_MOST; i++)
    {
      x[i] = (guint8) primitive_random (&seed);
      y[i] = (gint32) primitive_random (&seed);
    }
  primitive_fixture_open (&fixture, "scan", "x=u8[<=50021]", "out");
  TEST_SCAN (guint8, guint64, &fixture, x, TRUE, 0, FALSE, before + x[i]);
  primitive_fixture_close (&fixture);
  primitive_fixture_open (&fixture, "scan mode=exclusive type=i32", "x=i32[<=50021]", "out");
  TEST_SCAN (gint32, gint32, &fixture, y, FALSE, 0, FALSE, (guint32) before + (guint32) y[i]);
  primitive_fixture_close (&fixture);
}

/* Not commutative: the order of the items counts, not that of the threads. */
static void
test_scan_expression (void)
{
  g_autofree guint32 *x = g_new (guint32, TEST_MOST);
  PrimitiveFixture fixture;
  guint64 seed = 2;

  for (guint i = 0; i < TEST_MOST; i++)
    x[i] = primitive_random (&seed) % 5 == 0 ? (guint32) primitive_random (&seed) : 0;
  primitive_fixture_open (&fixture, "scan op=expr expr=\"b!=0?b:a\" mode=exclusive", "x=u32[<=50021]", "out");
  TEST_SCAN (guint32, guint32, &fixture, x, FALSE, 0, FALSE, x[i] != 0 ? x[i] : before);
  primitive_fixture_close (&fixture);
}

static void
test_scan_rows (void)
{
  g_autofree gint16 *x = g_new (gint16, TEST_MOST);
  PrimitiveFixture fixture;
  guint64 seed = 3;
  guint n = 50021 / 97 * 97;
  g_autofree gint16 *wanted = g_new (gint16, n);
  g_autoptr (GBytes) result = NULL;

  for (guint i = 0; i < n; i++)
    {
      x[i] = (gint16) primitive_random (&seed);
      wanted[i] = i % 97 == 0 ? x[i] : MAX (x[i], wanted[i - 1]);
    }
  primitive_fixture_open (&fixture, "scan op=max by=row", "x=i16[<=515,97]", "out");
  result = primitive_fixture_run (&fixture, x, n * sizeof *x);
  g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), wanted, n * sizeof *wanted);
  primitive_fixture_close (&fixture);
}

/* Segments of all lengths, some longer than a tile. */
static void
test_scan_segments (void)
{
  g_autofree guint64 *x = g_new (guint64, TEST_MOST);
  g_autofree guint16 *starts = g_new0 (guint16, TEST_MOST);
  PrimitiveFixture fixture;
  guint64 seed = 4;

  for (guint i = 0; i < TEST_MOST; i++)
    x[i] = primitive_random (&seed);
  for (guint i = 10; i < TEST_MOST; i += 1 + (guint) (primitive_random (&seed) % (i % 11 == 0 ? 9000 : 40)))
    starts[i] = 256;
  for (guint mode = 0; mode < 2; mode++)
    {
      primitive_fixture_open (&fixture, mode == 0 ? "scan" : "scan mode=exclusive",
                              "x=u64[<=50021] starts=u16[<=50021]", "out");
      for (guint s = 0; s < G_N_ELEMENTS (test_sizes); s++)
        {
          guint n = test_sizes[s];
          g_autofree guint64 *wanted = g_new (guint64, n + 1);
          guint64 before = 0;
          g_autoptr (GBytes) result = NULL;

          for (guint i = 0; i < n; i++)
            {
              before = starts[i] != 0 ? 0 : before;
              wanted[i] = mode == 0 ? before + x[i] : before;
              before += x[i];
            }
          primitive_fixture_push (&fixture, 1, starts, n * sizeof *starts);
          result = primitive_fixture_run (&fixture, x, n * sizeof *x);
          g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), wanted, n * sizeof *wanted);
        }
      primitive_fixture_close (&fixture);
    }
}

/* Sums of floats have the same bits wherever they are computed: these are what the first device gave, and as each is a
 * sum in some order it is near the sum of doubles. */
static void
test_scan_float_bits (void)
{
  g_autofree float *x = g_new (float, TEST_MOST);
  PrimitiveFixture fixture;
  guint64 seed = 5;
  double sum;

  for (guint i = 0; i < TEST_MOST; i++)
    x[i] = (float) (primitive_random (&seed) >> 40) / 16777216.0f - 0.3f;
  for (guint many = 0; many < 2; many++) /* in one kernel, and in two */
    {
      g_autoptr (GBytes) result = NULL;
      g_autofree char *bits = NULL;

      primitive_fixture_open (&fixture, "scan", many ? "x=f32[<=5000000]" : "x=f32[<=50021]", "out");
      result = primitive_fixture_run (&fixture, x, TEST_MOST * sizeof *x);
      sum = 0;
      for (guint i = 0; i < TEST_MOST; i++)
        {
          sum += x[i];
          g_assert_cmpfloat_with_epsilon (((const float *) g_bytes_get_data (result, NULL))[i], sum, 0.02);
        }
      bits = g_compute_checksum_for_bytes (G_CHECKSUM_MD5, result);
      g_assert_cmpstr (bits, ==, "70ca0eb9d384910be3855e346223b885");
      primitive_fixture_close (&fixture);
    }
}

/* More tiles than blocks; sizes in between use fewer. */
static void
test_scan_many_tiles (void)
{
  const guint most = 2500007, sizes[] = { most, 3, 2162689, 100000 };
  g_autofree guint8 *x = g_new (guint8, most);
  g_autofree guint64 *wanted = g_new (guint64, most);
  PrimitiveFixture fixture;
  guint64 seed = 6;

  for (guint i = 0; i < most; i++)
    {
      x[i] = (guint8) primitive_random (&seed);
      wanted[i] = x[i] + (i > 0 ? wanted[i - 1] : 0);
    }
  primitive_fixture_open (&fixture, "scan", "x=u8[<=2500007]", "out");
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      g_autoptr (GBytes) result = primitive_fixture_run (&fixture, x, sizes[s]);

      g_assert_cmpuint (g_bytes_get_size (result), ==, sizes[s] * sizeof *wanted);
      g_assert_true (memcmp (g_bytes_get_data (result, NULL), wanted, sizes[s] * sizeof *wanted) == 0);
    }
  primitive_fixture_close (&fixture);
}

/* Each lane of a batch has tiles of its own, which wait for no other's. */
static void
test_scan_lanes (void)
{
  const gsize n = 9001, lanes = 37;
  g_autofree guint8 *x = g_new (guint8, n * lanes);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (LeatPlan) plan = NULL;
  g_autofree char *text = NULL;
  PrimitiveFixture fixture;
  guint64 seed = 7;
  GError *error = NULL;

  for (gsize i = 0; i < n * lanes; i++)
    x[i] = (guint8) primitive_random (&seed);
  for (gsize lane = 0; lane < lanes; lane++)
    g_ptr_array_add (inputs, g_bytes_new_static (x + lane * n, n));
  primitive_fixture_open (&fixture, "scan", "x=u8[9001]", "out");
  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (GPtrArray) results = NULL;

      leat_session_replay_batch (fixture.session, (guint) lanes, inputs, &results, NULL, &error);
      g_assert_no_error (error);
      for (gsize lane = 0; lane < lanes; lane++)
        {
          const guint64 *found = g_bytes_get_data (g_ptr_array_index (results, lane), NULL);
          guint64 sum = 0;

          for (gsize i = 0; i < n; i++)
            g_assert_cmpuint (found[i], ==, sum += x[lane * n + i]);
        }
    }
  plan = leat_session_get_batch_plan (fixture.session, &error);
  g_assert_no_error (error);
  text = leat_plan_to_text (plan);
  g_assert_null (strstr (text, "spread"));
  primitive_fixture_close (&fixture);
}

static void
test_scan_refuses (void)
{
  static const struct
  {
    const char *node, *specs, *word;
  } cases[] = {
    { "scan op=max", "x=c64[3]",
      "op=max of c64: complex numbers have no order: put map expr=abs(x) type=f32, or real(x), before it" },
    { "scan", "x=f32[3] starts=f32[3]", "whole number for each item" },
    { "scan", "x=f32[3] starts=u8[4]", "is u8[4], and \"x\" is f32[3]: there is a whole number for each item" },
    { "scan", "x=f32[<=3] starts=u8[3]",
      "\"x\" is f32[<=3]: there is a whole number for each item, and both are bounded" },
    { "scan op=expr", "x=f32[3]", "needs expr=" },
    { "scan op=argmin", "x=f32[3]", "min" },
    { "scan op=max type=u8", "x=f32[3]", "type is for" },
    { "scan mod=exclusive", "x=f32[3]", "did you mean \"mode\"" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = primitive_fixture_fail (cases[i].node, cases[i].specs, "out");

      if (strstr (error->message, cases[i].word) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, cases[i].word);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/primitives/scan/sums", test_scan_sums);
  g_test_add_func ("/leat/primitives/scan/expression", test_scan_expression);
  g_test_add_func ("/leat/primitives/scan/rows", test_scan_rows);
  g_test_add_func ("/leat/primitives/scan/segments", test_scan_segments);
  g_test_add_func ("/leat/primitives/scan/float-bits", test_scan_float_bits);
  g_test_add_func ("/leat/primitives/scan/many-tiles", test_scan_many_tiles);
  g_test_add_func ("/leat/primitives/scan/lanes", test_scan_lanes);
  g_test_add_func ("/leat/primitives/scan/refuses", test_scan_refuses);
  return g_test_run ();
}
