/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "primitive-fixture.h"

#include <math.h>
#include <string.h>

/* `sort` against qsort (), with the place as the second key, which keeps equal ones in their order. */

static const guint test_sizes[] = { 0, 1, 2, 31, 256, 4095, 4096, 4097, 8192, 12345, 5 };
#define TEST_MOST 12345

typedef struct
{
  guint64 key; /* in its order */
  guint32 place;
} TestSortItem;

static int
test_sort_compare (gconstpointer a, gconstpointer b)
{
  const TestSortItem *x = a, *y = b;

  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->place < y->place ? -1 : 1;
}

/* @order: of a key, as a whole number without a sign */
#define TEST_SORT(TYPE, fixture, most, x, order)                                                                       \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    for (guint _s = 0; _s < G_N_ELEMENTS (test_sizes); _s++)                                                           \
      {                                                                                                                \
        guint n = MIN (test_sizes[_s], most);                                                                          \
        g_autofree TestSortItem *items = g_new (TestSortItem, n + 1);                                                  \
        g_autoptr (GBytes) sorted = NULL, from = NULL;                                                                 \
        primitive_fixture_push (fixture, 0, x, n * sizeof *(x));                                                       \
        primitive_fixture_replay (fixture);                                                                            \
        sorted = primitive_fixture_pull (fixture, 0);                                                                  \
        g_assert_cmpuint (g_bytes_get_size (sorted), ==, n * sizeof *(x));                                             \
        for (guint i = 0; i < n; i++)                                                                                  \
          {                                                                                                            \
            TYPE k = (x)[i];                                                                                           \
            items[i] = (TestSortItem){ order, i };                                                                     \
          }                                                                                                            \
        qsort (items, n, sizeof *items, test_sort_compare);                                                            \
        for (guint i = 0; i < n; i++)                                                                                  \
          g_assert_cmpmem ((const TYPE *) g_bytes_get_data (sorted, NULL) + i, sizeof *(x), (x) + items[i].place,      \
                           sizeof *(x));                                                                               \
        if ((fixture)->n_outputs < 2)                                                                                  \
          continue;                                                                                                    \
        from = primitive_fixture_pull (fixture, 1);                                                                    \
        g_assert_cmpuint (g_bytes_get_size (from), ==, n * sizeof (guint32));                                          \
        for (guint i = 0; i < n; i++)                                                                                  \
          g_assert_cmpuint (((const guint32 *) g_bytes_get_data (from, NULL))[i], ==, items[i].place);                 \
      }                                                                                                                \
  }                                                                                                                    \
  G_STMT_END

static void
test_sort_words (void)
{
  g_autofree guint32 *x = g_new (guint32, TEST_MOST);
  PrimitiveFixture fixture;
  guint64 seed = 1;

  primitive_fixture_open (&fixture, "sort", "keys=u32[<=12345]", "sorted");
  for (guint pattern = 0; pattern < 4; pattern++)
    {
      /* any, equal, in order, in the opposite order */
      for (guint i = 0; i < TEST_MOST; i++)
        x[i] = pattern == 0 ? (guint32) primitive_random (&seed) : pattern == 1 ? 77 : pattern == 2 ? i * 9 : ~i;
      TEST_SORT (guint32, &fixture, TEST_MOST, x, k);
    }
  primitive_fixture_close (&fixture);
}

/* Few values, so that the order of equal ones shows. */
static void
test_sort_bytes (void)
{
  g_autofree gint8 *x = g_new (gint8, TEST_MOST);
  PrimitiveFixture fixture;
  guint64 seed = 2;

  for (guint i = 0; i < TEST_MOST; i++)
    x[i] = (gint8) primitive_random (&seed);
  primitive_fixture_open (&fixture, "sort order=descending", "keys=i8[<=12345]", "sorted from");
  TEST_SORT (gint8, &fixture, TEST_MOST, x, (guint64) (127 - k));
  primitive_fixture_close (&fixture);
}

static void
test_sort_doubles (void)
{
  g_autofree double *x = g_new (double, TEST_MOST);
  PrimitiveFixture fixture;
  guint64 seed = 3;

  for (guint i = 0; i < TEST_MOST; i++)
    x[i] = (double) (gint64) primitive_random (&seed) * (i % 7 == 0 ? 1e-300 : 1);
  x[0] = 0.0;
  x[1] = -0.0;
  x[4] = INFINITY;
  x[3] = -INFINITY;
  for (guint i = 2; i < TEST_MOST; i += 1000)
    x[i] = i % 3 == 0 ? -NAN : NAN;
  primitive_fixture_open (&fixture, "sort", "keys=f64[<=12345]", "sorted from");
  TEST_SORT (double, &fixture, TEST_MOST, x, ({
               guint64 _bits;
               memcpy (&_bits, &k, 8);
               isnan (k) ? G_MAXUINT64 : _bits >> 63 ? ~_bits : _bits | G_GUINT64_CONSTANT (1) << 63;
             }));
  primitive_fixture_close (&fixture);
}

/* NaN is the greatest, whatever its sign and other bits, and all are equal: few that one block sorts, and many. */
static void
test_sort_floats (gconstpointer order)
{
  static const guint32 odd[] = {
    0x7fc00000, 0xffc00000, 0x7fffffff, 0xff800001, 0x7f800000, 0xff800000, 0, 0x80000000
  };
  g_autofree char *node = g_strconcat ("sort order=", (const char *) order, NULL);
  gboolean descending = strcmp (order, "descending") == 0;
  g_autofree float *x = g_new (float, TEST_MOST);
  PrimitiveFixture fixture;
  guint64 seed = 6;

  for (guint i = 0; i < TEST_MOST; i++)
    {
      guint32 bits = (guint32) primitive_random (&seed);

      memcpy (&x[i], i % 5 == 0 ? &odd[bits % G_N_ELEMENTS (odd)] : &bits, sizeof bits);
    }
  primitive_fixture_open (&fixture, node, "keys=f32[<=12345]", "sorted from");
  TEST_SORT (float, &fixture, TEST_MOST, x, ({
               double _place = isnan (k) ? 0 : k;
               guint64 _key = G_GUINT64_CONSTANT (1) << 63;
               gint64 _size = 0;
               memcpy (&_size, &_place, 8);
               _size &= G_MAXINT64;
               _key = isnan (k) ? G_MAXUINT64 : signbit (k) ? _key - 1 - (guint64) _size : _key + (guint64) _size;
               descending ? ~_key : _key;
             }));
  primitive_fixture_close (&fixture);
}

static void
test_sort_halves (void)
{
  g_autofree guint16 *x = g_new (guint16, TEST_MOST);
  PrimitiveFixture fixture;

  for (guint i = 0; i < TEST_MOST; i++)
    x[i] = (guint16) (i * 40503u);
  primitive_fixture_open (&fixture, "sort", "keys=f16[<=12345]", "sorted from");
  TEST_SORT (guint16, &fixture, TEST_MOST, x,
             (guint64) ((k & 0x7fff) > 0x7c00 ? 0x10000
                        : k & 0x8000          ? 0x7fff - (k & 0x7fff)
                                              : 0x8000 + k));
  primitive_fixture_close (&fixture);
}

/* What fits into a tile has a kernel of its own. */
static void
test_sort_small (void)
{
  g_autofree gint16 *x = g_new (gint16, 4000);
  PrimitiveFixture fixture;
  guint64 seed = 4;

  for (guint i = 0; i < 4000; i++)
    x[i] = (gint16) (primitive_random (&seed) % 500 - 250);
  primitive_fixture_open (&fixture, "sort", "keys=i16[<=4000]", "sorted from");
  TEST_SORT (gint16, &fixture, 4000, x, (guint64) (k + 32768));
  primitive_fixture_close (&fixture);
}

static void
test_sort_values (void)
{
  const guint n = 9001;
  g_autofree guint16 *keys = g_new (guint16, n);
  g_autofree guint32 *values = g_new (guint32, 3 * n);
  g_autofree TestSortItem *items = g_new (TestSortItem, n);
  PrimitiveFixture fixture;
  guint64 seed = 5;
  g_autoptr (GBytes) sorted = NULL, carried = NULL;

  for (guint i = 0; i < n; i++)
    {
      keys[i] = (guint16) (primitive_random (&seed) % 1000);
      items[i] = (TestSortItem){ keys[i], i };
      for (guint c = 0; c < 3; c++)
        values[3 * i + c] = 10 * i + c;
    }
  qsort (items, n, sizeof *items, test_sort_compare);
  primitive_fixture_open (&fixture, "sort", "keys=u16[9001] values=u32[9001,3]", "sorted carried");
  primitive_fixture_push (&fixture, 1, values, 12 * n);
  sorted = primitive_fixture_run (&fixture, keys, 2 * n);
  carried = primitive_fixture_pull (&fixture, 1);
  g_assert_cmpuint (g_bytes_get_size (carried), ==, 12 * n);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpuint (((const guint16 *) g_bytes_get_data (sorted, NULL))[i], ==, items[i].key);
      g_assert_cmpmem ((const guint32 *) g_bytes_get_data (carried, NULL) + 3 * i, 12, values + 3 * items[i].place, 12);
    }
  primitive_fixture_close (&fixture);
}

static void
test_sort_refuses (void)
{
  static const struct
  {
    const char *node, *specs, *outputs, *word;
  } cases[] = {
    { "sort", "keys=u8[3,2]", "sorted", "one dimension" },
    { "sort", "keys=u8[3] values=u8[4]", "sorted", "one row for each" },
    { "sort", "keys=u8[3]", "sorted carried", "nothing is to input \"values\"" },
    { "sort order=up", "keys=u8[3]", "sorted", "ascending" },
    { "sort ordre=ascending", "keys=u8[3]", "sorted", "did you mean \"order\"" },
    { "sort", "keys=u8[3]", "sortet", "sorted" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = primitive_fixture_fail (cases[i].node, cases[i].specs, cases[i].outputs);

      if (strstr (error->message, cases[i].word) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, cases[i].word);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/primitives/sort/words", test_sort_words);
  g_test_add_func ("/leat/primitives/sort/bytes", test_sort_bytes);
  g_test_add_func ("/leat/primitives/sort/doubles", test_sort_doubles);
  g_test_add_data_func ("/leat/primitives/sort/floats/ascending", "ascending", test_sort_floats);
  g_test_add_data_func ("/leat/primitives/sort/floats/descending", "descending", test_sort_floats);
  g_test_add_func ("/leat/primitives/sort/halves", test_sort_halves);
  g_test_add_func ("/leat/primitives/sort/small", test_sort_small);
  g_test_add_func ("/leat/primitives/sort/values", test_sort_values);
  g_test_add_func ("/leat/primitives/sort/refuses", test_sort_refuses);
  return g_test_run ();
}
