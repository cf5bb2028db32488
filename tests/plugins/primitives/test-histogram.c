/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "primitive-fixture.h"

#include <math.h>
#include <string.h>

/* `histogram` against C. */

static const guint64 test_sizes[] = { 0, 1, 15, 16, 17, 255, 4095, 4096, 16385, 70001, 3 };
#define TEST_MOST 70001

static void
test_histogram_compare (GBytes *result, const guint64 *wanted, guint bins)
{
  g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), wanted, bins * sizeof *wanted);
}

static void
test_histogram_bytes (void)
{
  g_autofree guint8 *x = g_malloc (TEST_MOST);
  PrimitiveFixture fixture;
  guint64 seed = 1;

  primitive_fixture_open (&fixture, "histogram", "x=u8[<=70001]", "out");
  for (guint pattern = 0; pattern < 3; pattern++)
    {
      /* each its own, all one, long runs */
      for (guint i = 0; i < TEST_MOST; i++)
        x[i] = pattern == 0 ? (guint8) primitive_random (&seed) : pattern == 1 ? 255 : (guint8) (i / 1000);
      for (guint s = 0; s < G_N_ELEMENTS (test_sizes); s++)
        {
          g_autoptr (GBytes) result = primitive_fixture_run (&fixture, x, test_sizes[s]);
          guint64 wanted[256] = { 0 };

          for (guint64 i = 0; i < test_sizes[s]; i++)
            wanted[x[i]]++;
          test_histogram_compare (result, wanted, 256);
        }
    }
  primitive_fixture_close (&fixture);
}

/* Below, above and at the ends. */
static void
test_histogram_whole_numbers (void)
{
  g_autofree gint32 *x = g_new (gint32, TEST_MOST);
  PrimitiveFixture few, many;
  guint64 seed = 2;

  for (guint i = 0; i < TEST_MOST; i++)
    x[i] = (gint32) (primitive_random (&seed) % 40000) - 20000;
  x[0] = G_MININT32;
  x[1] = G_MAXINT32;
  x[2] = -15000;
  x[3] = 15000;
  primitive_fixture_open (&few, "histogram bins=1000 min=-15000 max=15000", "x=i32[<=70001]", "out");
  primitive_fixture_open (&many, "histogram bins=30000 min=-15000 max=15000", "x=i32[<=70001]", "out");
  for (guint s = 0; s < G_N_ELEMENTS (test_sizes); s++)
    {
      g_autoptr (GBytes) a = primitive_fixture_run (&few, x, test_sizes[s] * sizeof *x);
      g_autoptr (GBytes) b = primitive_fixture_run (&many, x, test_sizes[s] * sizeof *x);
      g_autofree guint64 *in_few = g_new0 (guint64, 1000), *in_many = g_new0 (guint64, 30000);

      for (guint64 i = 0; i < test_sizes[s]; i++)
        if (x[i] >= -15000 && x[i] < 15000)
          {
            in_few[(x[i] + 15000) / 30]++;
            in_many[x[i] + 15000]++;
          }
      test_histogram_compare (a, in_few, 1000);
      test_histogram_compare (b, in_many, 30000);
    }
  primitive_fixture_close (&few);
  primitive_fixture_close (&many);
}

static void
test_histogram_floats (void)
{
  g_autofree float *x = g_new (float, TEST_MOST);
  PrimitiveFixture fixture;
  guint64 seed = 3, wanted[100] = { 0 };
  g_autoptr (GBytes) result = NULL;

  for (guint i = 0; i < TEST_MOST; i++)
    x[i] = (float) (primitive_random (&seed) % 30000) / 10000.0f - 1.5f;
  x[0] = NAN;
  x[1] = INFINITY;
  x[2] = -INFINITY;
  x[3] = 1;
  x[4] = -1;
  x[5] = nextafterf (1, 0);
  for (guint i = 0; i < TEST_MOST; i++)
    if (x[i] >= -1 && x[i] < 1)
      {
        volatile float place = x[i] + 1.0f;

        place = place * 50.0f;
        wanted[MIN ((guint) place, 99)]++;
      }
  primitive_fixture_open (&fixture, "histogram bins=100 min=-1 max=1", "x=f32[<=70001]", "out");
  result = primitive_fixture_run (&fixture, x, TEST_MOST * sizeof *x);
  test_histogram_compare (result, wanted, 100);
  primitive_fixture_close (&fixture);
}

static void
test_histogram_other_types (void)
{
  const gint64 wide[] = { -3, -2, -1, 0, 1, 2, 3, G_MININT64, G_MAXINT64 };
  const gint8 narrow[] = { -128, -128, 127, 0 };
  guint32 wanted[256] = { [0] = 2, [128] = 1, [255] = 1 };
  g_autoptr (GBytes) a = NULL, b = NULL;
  PrimitiveFixture fixture;

  primitive_fixture_open (&fixture, "histogram bins=2 min=-2 max=2", "x=i64[9]", "out");
  a = primitive_fixture_run (&fixture, wide, sizeof wide);
  test_histogram_compare (a, (const guint64[]){ 2, 2 }, 2);
  primitive_fixture_close (&fixture);
  primitive_fixture_open (&fixture, "histogram type=u32", "x=i8[2,2]", "out");
  b = primitive_fixture_run (&fixture, narrow, sizeof narrow);
  g_assert_cmpmem (g_bytes_get_data (b, NULL), g_bytes_get_size (b), wanted, sizeof wanted);
  primitive_fixture_close (&fixture);
}

static void
test_histogram_refuses (void)
{
  static const struct
  {
    const char *node, *spec, *word;
  } cases[] = {
    { "histogram", "x=c64[8]", "input \"x\" is c64[8], and complex numbers have no order: put map expr=abs(x)" },
    { "histogram", "x=u16[8]", "set min and max" },
    { "histogram min=1 max=1", "x=f32[8]", "min must be less than max" },
    { "histogram min=0 max=inf", "x=f32[8]", "" },
    { "histogram min=0 max=2.5 bins=5", "x=u16[8]", "whole numbers" },
    { "histogram min=0 max=10 bins=3", "x=u16[8]", "bins must divide" },
    { "histogram min=-1 max=255", "x=u8[8]", "no such values" },
    { "histogram bins=0", "x=u8[8]", "bins" },
    { "histogram bin=3", "x=u8[8]", "did you mean \"bins\"" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = primitive_fixture_fail (cases[i].node, cases[i].spec, "out");

      if (strstr (error->message, cases[i].word) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, cases[i].word);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/primitives/histogram/bytes", test_histogram_bytes);
  g_test_add_func ("/leat/primitives/histogram/whole-numbers", test_histogram_whole_numbers);
  g_test_add_func ("/leat/primitives/histogram/floats", test_histogram_floats);
  g_test_add_func ("/leat/primitives/histogram/other-types", test_histogram_other_types);
  g_test_add_func ("/leat/primitives/histogram/refuses", test_histogram_refuses);
  return g_test_run ();
}
