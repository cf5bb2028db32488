/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "number-oracle.h"
#include "primitive-fixture.h"

#include "leat-harness.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* The primitives over floats of 16 and 8 bits, complex numbers and bool. */

#define N_ITEMS 20003

static const LeatDtype narrow[] = { LEAT_DTYPE_F16, LEAT_DTYPE_BF16, LEAT_DTYPE_F8E4M3, LEAT_DTYPE_F8E5M2 };

static guint
test_numbers_get (LeatDtype dtype, gconstpointer items, guint64 i)
{
  return leat_dtype_get_size (dtype) == 1 ? ((const guint8 *) items)[i] : ((const guint16 *) items)[i];
}

static double
test_numbers_value (LeatDtype dtype, gconstpointer items, guint64 i)
{
  return number_oracle_decode (dtype, test_numbers_get (dtype, items, i));
}

static void
test_numbers_set (LeatDtype dtype, gpointer items, guint64 i, guint bits)
{
  if (leat_dtype_get_size (dtype) == 1)
    ((guint8 *) items)[i] = (guint8) bits;
  else
    ((guint16 *) items)[i] = (guint16) bits;
}

/* Any bits, or with @finite such that are a number from -2 to 2. */
static gpointer
test_numbers_make (LeatDtype dtype, guint64 n, gboolean finite, guint64 *seed)
{
  gpointer items = g_malloc (n * leat_dtype_get_size (dtype));

  for (guint64 i = 0; i < n; i++)
    {
      guint64 bits = primitive_random (seed);

      if (finite)
        bits = number_oracle_encode (dtype, (double) (gint64) (bits >> 40) / 4194304 - 2);
      test_numbers_set (dtype, items, i, bits & (leat_dtype_get_size (dtype) == 1 ? 0xff : 0xffff));
    }
  return items;
}

static GBytes *
test_numbers_run (const char *node, const char *type, guint64 n, gconstpointer items, gsize size)
{
  g_autofree char *inputs =
    g_strdup_printf ("%s=%s[<=%" G_GUINT64_FORMAT "]", g_str_has_prefix (node, "sort") ? "keys" : "x", type, n);
  PrimitiveFixture fixture;
  GBytes *result;

  primitive_fixture_open (&fixture, node, inputs, g_str_has_prefix (node, "sort") ? "sorted" : "out");
  result = primitive_fixture_run (&fixture, items, n * size);
  primitive_fixture_close (&fixture);
  return result;
}

/* Joins by halves, as kernels/reduce.cu promises. */
static float
test_numbers_join (float *chains, guint n)
{
  for (guint half = n / 2; half > 0; half /= 2)
    for (guint c = 0; c < half; c++)
      chains[c] += chains[c + half];
  return chains[0];
}

static float
test_numbers_join_threads (float *threads)
{
  float warps[8];

  for (guint w = 0; w < 8; w++)
    warps[w] = test_numbers_join (threads + 32 * w, 32);
  return test_numbers_join (warps, 8);
}

/* Of @n items, @width of them in 16 bytes, every @step-th of @x. */
static float
test_numbers_sum (const float *x, guint64 n, guint step, guint width)
{
  g_autofree float *chains = g_new (float, 256 * width);
  guint64 tile = 1024 * width;
  float threads[256], totals[256] = { 0 };

  for (guint64 first = 0; first < MAX (n, 1); first += tile)
    {
      memset (chains, 0, 256 * width * sizeof *chains);
      for (guint64 i = first; i < MIN (first + tile, n); i++)
        chains[(i - first) % (256 * width)] += x[i * step];
      for (guint t = 0; t < 256; t++)
        threads[t] = test_numbers_join (chains + t * width, width);
      totals[first / tile % 256] += test_numbers_join_threads (threads);
    }
  return n <= tile ? totals[0] : test_numbers_join_threads (totals);
}

/* Sums are f32, in an order that follows from their number; one of another type is rounded at the end. */
static void
test_numbers_sums (void)
{
  static const guint64 sizes[] = { 1, 2, 31, 1000, 8192, 16385, N_ITEMS };
  guint64 seed = 5;

  for (guint k = 0; k < G_N_ELEMENTS (narrow); k++)
    {
      g_autofree gpointer items = test_numbers_make (narrow[k], N_ITEMS, TRUE, &seed);
      g_autofree float *x = g_new (float, N_ITEMS);
      g_autofree char *own = g_strdup_printf ("reduce type=%s", leat_dtype_get_name (narrow[k]));
      g_autofree char *inputs = g_strdup_printf ("x=%s[<=%d]", leat_dtype_get_name (narrow[k]), N_ITEMS);
      guint size = (guint) leat_dtype_get_size (narrow[k]);
      PrimitiveFixture wide, same;

      for (guint64 i = 0; i < N_ITEMS; i++)
        x[i] = (float) test_numbers_value (narrow[k], items, i);
      primitive_fixture_open (&wide, "reduce", inputs, "out");
      primitive_fixture_open (&same, own, inputs, "out");
      for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
        {
          g_autoptr (GBytes) sum = primitive_fixture_run (&wide, items, sizes[s] * size);
          g_autoptr (GBytes) less = primitive_fixture_run (&same, items, sizes[s] * size);
          float wanted = test_numbers_sum (x, sizes[s], 1, 16 / size);

          g_assert_cmpmem (g_bytes_get_data (sum, NULL), g_bytes_get_size (sum), &wanted, sizeof wanted);
          g_assert_cmphex (test_numbers_get (narrow[k], g_bytes_get_data (less, NULL), 0), ==,
                           number_oracle_encode (narrow[k], wanted));
        }
      primitive_fixture_close (&wide);
      primitive_fixture_close (&same);
    }
}

/* Both parts of a complex sum are sums in that order. */
static void
test_numbers_complex_sums (void)
{
  static const guint64 sizes[] = { 1, 33, 3000, 9001 };
  g_autofree float *x = g_new (float, 2 * 9001);
  guint64 seed = 9;
  PrimitiveFixture fixture;

  for (guint i = 0; i < 2 * 9001; i++)
    x[i] = (float) ((double) (gint64) (primitive_random (&seed) >> 40) / 4194304 - 2);
  primitive_fixture_open (&fixture, "reduce", "x=c64[<=9001]", "out");
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      g_autoptr (GBytes) sum = primitive_fixture_run (&fixture, x, sizes[s] * 8);
      const float wanted[] = { test_numbers_sum (x, sizes[s], 2, 2), test_numbers_sum (x + 1, sizes[s], 2, 2) };

      g_assert_cmpmem (g_bytes_get_data (sum, NULL), g_bytes_get_size (sum), wanted, sizeof wanted);
    }
  primitive_fixture_close (&fixture);
}

/* Rows of each kind, in c128: a thread's, a warp's, a block's.  Sums of such numbers are exact. */
static void
test_numbers_complex_rows (void)
{
  static const guint rows[][2] = { { 300, 7 }, { 100, 100 }, { 3, 5000 } };

  for (guint k = 0; k < G_N_ELEMENTS (rows); k++)
    {
      guint n = rows[k][0] * rows[k][1];
      g_autofree char *inputs = g_strdup_printf ("x=c128[%u,%u]", rows[k][0], rows[k][1]);
      g_autofree double complex *x = g_new (double complex, n), *wanted = g_new0 (double complex, rows[k][0]);
      g_autoptr (GBytes) sums = NULL, counts = NULL;
      guint64 seed = 3, counted = 0;
      PrimitiveFixture fixture;

      for (guint i = 0; i < n; i++)
        {
          x[i] = CMPLX ((double) (primitive_random (&seed) % 1000) / 4, -(double) (primitive_random (&seed) % 3));
          if (i % 5 == 0)
            x[i] = 0;
          wanted[i / rows[k][1]] += x[i];
          counted += x[i] != 0;
        }
      primitive_fixture_open (&fixture, "reduce by=row", inputs, "out");
      sums = primitive_fixture_run (&fixture, x, n * sizeof *x);
      primitive_fixture_close (&fixture);
      primitive_fixture_open (&fixture, "reduce op=count", inputs, "out");
      counts = primitive_fixture_run (&fixture, x, n * sizeof *x);
      primitive_fixture_close (&fixture);
      g_assert_cmpmem (g_bytes_get_data (sums, NULL), g_bytes_get_size (sums), wanted, rows[k][0] * sizeof *wanted);
      g_assert_cmpmem (g_bytes_get_data (counts, NULL), g_bytes_get_size (counts), &counted, sizeof counted);
    }
}

/* NaN first of all; -0 before 0 in a value, and equal to it where an index is asked for. */
static void
test_numbers_extremes (void)
{
  guint64 seed = 1;

  for (guint k = 0; k < G_N_ELEMENTS (narrow); k++)
    for (guint round = 0; round < 4; round++)
      {
        const char *type = leat_dtype_get_name (narrow[k]);
        guint size = (guint) leat_dtype_get_size (narrow[k]), nan = size == 1 ? 0x7f : 0x7fff,
              sign = size == 1 ? 0x80 : 0x8000;
        guint64 n = round == 3 ? 0 : round == 2 ? 3 : 2501, places[2] = { G_MAXUINT64, G_MAXUINT64 };
        g_autofree gpointer items = test_numbers_make (narrow[k], 2501, round > 0, &seed);
        static const char *const nodes[] = { "reduce op=min", "reduce op=max", "reduce op=argmin", "reduce op=argmax",
                                             "reduce op=count" };
        guint none[2] = { narrow[k] == LEAT_DTYPE_F8E4M3 ? 0x7e : number_oracle_encode (LEAT_DTYPE_F16, INFINITY), 0 };
        guint found[2];
        guint64 count = 0;

        if (narrow[k] == LEAT_DTYPE_BF16)
          none[0] = 0x7f80;
        if (narrow[k] == LEAT_DTYPE_F8E5M2)
          none[0] = 0x7c;
        none[1] = none[0] | sign;
        if (round == 2)
          for (guint i = 0; i < 3; i++)
            test_numbers_set (narrow[k], items, i, i == 1 ? sign : 0);
        memcpy (found, none, sizeof found);
        for (guint64 i = 0; i < n; i++)
          {
            double value = test_numbers_value (narrow[k], items, i);
            guint bits = isnan (value) ? nan : test_numbers_get (narrow[k], items, i);

            count += value != 0;
            for (guint most = 0; most < 2; most++)
              {
                double best = number_oracle_decode (narrow[k], found[most]);
                gboolean less = most ? value > best || (value == best && signbit (value) < signbit (best))
                                     : value < best || (value == best && signbit (value) > signbit (best));

                if (i == 0 || (!isnan (best) && (isnan (value) || less)))
                  found[most] = bits;
                if (i == 0)
                  places[most] = 0;
                else if (!isnan (test_numbers_value (narrow[k], items, places[most])))
                  {
                    double first = test_numbers_value (narrow[k], items, places[most]);

                    if (isnan (value) || (most ? value > first : value < first))
                      places[most] = i;
                  }
              }
          }
        for (guint op = 0; op < G_N_ELEMENTS (nodes); op++)
          {
            g_autofree char *inputs = g_strdup_printf ("x=%s[<=2501]", type);
            g_autoptr (GBytes) result = NULL;
            PrimitiveFixture fixture;

            primitive_fixture_open (&fixture, nodes[op], inputs, "out");
            result = primitive_fixture_run (&fixture, items, n * size);
            primitive_fixture_close (&fixture);
            g_test_message ("%s of %s, round %u", nodes[op], type, round);
            if (op < 2)
              g_assert_cmphex (test_numbers_get (narrow[k], g_bytes_get_data (result, NULL), 0), ==, found[op]);
            else
              g_assert_cmpuint (*(const guint64 *) g_bytes_get_data (result, NULL), ==,
                                op == 4 ? count : places[op - 2]);
          }
      }
}

/* Prefixes of numbers whose sums are exact in f32, whatever their order. */
static void
test_numbers_scans (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (narrow); k++)
    for (guint by_row = 0; by_row < 2; by_row++)
      {
        enum
        {
          N = 6000,
          ROW = 100
        };
        const char *type = leat_dtype_get_name (narrow[k]);
        g_autofree char *inputs = g_strdup_printf (by_row ? "x=%s[60,100]" : "x=%s[6000]", type);
        g_autofree char *narrowed = g_strdup_printf ("scan type=%s mode=exclusive%s", type, by_row ? " by=row" : "");
        gsize size = leat_dtype_get_size (narrow[k]);
        g_autofree gpointer items = g_malloc (N * size);
        g_autoptr (GBytes) sums = NULL, less = NULL, most = NULL;
        guint64 seed = 11;
        float sum = 0, before = 0;
        double greatest = 0;
        PrimitiveFixture fixture;

        for (guint i = 0; i < N; i++)
          test_numbers_set (narrow[k], items, i,
                            number_oracle_encode (narrow[k], (double) (primitive_random (&seed) % 9) / 4 - 1));
        primitive_fixture_open (&fixture, by_row ? "scan by=row" : "scan", inputs, "out");
        sums = primitive_fixture_run (&fixture, items, N * size);
        primitive_fixture_close (&fixture);
        primitive_fixture_open (&fixture, narrowed, inputs, "out");
        less = primitive_fixture_run (&fixture, items, N * size);
        primitive_fixture_close (&fixture);
        primitive_fixture_open (&fixture, by_row ? "scan op=max by=row" : "scan op=max", inputs, "out");
        most = primitive_fixture_run (&fixture, items, N * size);
        primitive_fixture_close (&fixture);
        for (guint i = 0; i < N; i++)
          {
            float value = (float) test_numbers_value (narrow[k], items, i);
            gboolean begins = i == 0 || (by_row && i % ROW == 0);

            before = begins ? 0 : sum;
            sum = before + value;
            greatest = begins ? value : MAX (greatest, value);
            g_assert_cmpfloat (((const float *) g_bytes_get_data (sums, NULL))[i], ==, sum);
            g_assert_cmphex (test_numbers_get (narrow[k], g_bytes_get_data (less, NULL), i), ==,
                             number_oracle_encode (narrow[k], before));
            g_assert_cmpfloat (test_numbers_value (narrow[k], g_bytes_get_data (most, NULL), i), ==, greatest);
          }
      }
}

static void
test_numbers_complex_scans (void)
{
  static const struct
  {
    const char *node, *spec;
    guint row;
  } table[] = { { "scan", "x=c64[6000]", 0 },
                { "scan by=row", "x=c64[60,100]", 100 },
                { "scan", "x=c128[6000]", 0 },
                { "scan op=expr expr=a*b identity=1 by=row", "x=c64[1500,4]", 4 },
                { "scan op=expr expr=a*b identity=1 type=c64 by=row", "x=c128[1500,4]", 4 } };

  for (guint k = 0; k < G_N_ELEMENTS (table); k++)
    {
      gboolean wide = strstr (table[k].spec, "c128") != NULL, product = strchr (table[k].node, '*') != NULL;
      gboolean gives_wide = wide && !product;
      g_autofree double complex *x = g_new (double complex, 6000);
      g_autofree float complex *single = g_new (float complex, 6000);
      g_autoptr (GBytes) result = NULL;
      double complex all = 0;
      PrimitiveFixture fixture;
      guint64 seed = 21;

      for (guint i = 0; i < 6000; i++)
        {
          x[i] = CMPLX ((double) (primitive_random (&seed) % 17) - 8, (double) (primitive_random (&seed) % 17) - 8);
          single[i] = (float complex) x[i];
        }
      primitive_fixture_open (&fixture, table[k].node, table[k].spec, "out");
      result = primitive_fixture_run (&fixture, wide ? (gconstpointer) x : single, 6000 * (wide ? 16 : 8));
      primitive_fixture_close (&fixture);
      for (guint i = 0; i < 6000; i++)
        {
          double complex found = gives_wide ? ((const double complex *) g_bytes_get_data (result, NULL))[i]
                                            : ((const float complex *) g_bytes_get_data (result, NULL))[i];

          if (i == 0 || (table[k].row > 0 && i % table[k].row == 0))
            all = product ? 1 : 0;
          all = product ? all * x[i] : all + x[i];
          g_assert_true (found == all);
        }
    }
}

static LeatDtype test_numbers_sorted;

/* By value, -0 before 0, NaN last. */
static int
test_numbers_compare (gconstpointer a, gconstpointer b)
{
  double x = test_numbers_value (test_numbers_sorted, a, 0), y = test_numbers_value (test_numbers_sorted, b, 0);

  if (isnan (x) || isnan (y))
    return isnan (x) - isnan (y);
  return x < y ? -1 : x > y ? 1 : (signbit (y) != 0) - (signbit (x) != 0);
}

static void
test_numbers_sorts (void)
{
  guint64 seed = 2;

  for (guint k = 0; k < G_N_ELEMENTS (narrow); k++)
    for (guint down = 0; down < 2; down++)
      {
        gsize size = leat_dtype_get_size (narrow[k]);
        g_autofree gpointer items = test_numbers_make (narrow[k], N_ITEMS, FALSE, &seed);
        g_autofree gpointer wanted = g_memdup2 (items, N_ITEMS * size);
        g_autoptr (GBytes) result = test_numbers_run (down ? "sort order=descending" : "sort",
                                                      leat_dtype_get_name (narrow[k]), N_ITEMS, items, size);

        test_numbers_sorted = narrow[k];
        qsort (wanted, N_ITEMS, size, test_numbers_compare);
        for (guint64 i = 0; i < N_ITEMS; i++)
          {
            guint64 at = down ? N_ITEMS - 1 - i : i;
            guint bits = test_numbers_get (narrow[k], wanted, at);
            guint found = test_numbers_get (narrow[k], g_bytes_get_data (result, NULL), i);

            if (number_oracle_is_nan (narrow[k], bits))
              g_assert_true (number_oracle_is_nan (narrow[k], found));
            else
              g_assert_cmphex (found, ==, bits);
          }
      }
}

/* NaN differs from itself, -0 does not from 0. */
static void
test_numbers_runs (void)
{
  guint64 seed = 4;

  for (guint k = 0; k < G_N_ELEMENTS (narrow); k++)
    {
      enum
      {
        N = 6000
      };
      static const double some[] = { 0, -0.0, 1, 1, NAN, 2 };
      gsize size = leat_dtype_get_size (narrow[k]);
      g_autofree gpointer items = g_malloc (N * size), wanted = g_malloc (N * size);
      const char *type = leat_dtype_get_name (narrow[k]);
      g_autoptr (GBytes) unique = NULL, kept = NULL, parted = NULL, bins = NULL;
      guint64 n = 0, kept_n = 0, counts[4] = { 0 };

      for (guint i = 0; i < N; i++)
        test_numbers_set (narrow[k], items, i, number_oracle_encode (narrow[k], some[primitive_random (&seed) % 6]));
      unique = test_numbers_run ("unique", type, N, items, size);
      for (guint i = 0; i < N; i++)
        if (i == 0 || test_numbers_value (narrow[k], items, i) != test_numbers_value (narrow[k], items, i - 1))
          test_numbers_set (narrow[k], wanted, n++, test_numbers_get (narrow[k], items, i));
      g_assert_cmpmem (g_bytes_get_data (unique, NULL), g_bytes_get_size (unique), wanted, n * size);
      kept = test_numbers_run ("compact where=x*x<1.5", type, N, items, size);
      parted = test_numbers_run ("partition where=x*x<1.5", type, N, items, size);
      bins = test_numbers_run ("histogram min=-0.5 max=3.5 bins=4", type, N, items, size);
      for (guint i = 0; i < N; i++)
        {
          double value = test_numbers_value (narrow[k], items, i);

          if (value * value < 1.5)
            test_numbers_set (narrow[k], wanted, kept_n++, test_numbers_get (narrow[k], items, i));
          if (!isnan (value))
            counts[(guint) (value + 0.5)]++;
        }
      g_assert_cmpmem (g_bytes_get_data (kept, NULL), g_bytes_get_size (kept), wanted, kept_n * size);
      g_assert_cmpmem (g_bytes_get_data (bins, NULL), g_bytes_get_size (bins), counts, sizeof counts);
      for (guint i = 0; i < N; i++)
        {
          double value = test_numbers_value (narrow[k], items, i);

          if (!(value * value < 1.5))
            test_numbers_set (narrow[k], wanted, kept_n++, test_numbers_get (narrow[k], items, i));
        }
      g_assert_cmpmem (g_bytes_get_data (parted, NULL), g_bytes_get_size (parted), wanted, N * size);
    }
}

/* A byte that is neither 0 nor 1 is as good as 1. */
static void
test_numbers_bools (void)
{
  enum
  {
    N = 6000
  };
  g_autofree guint8 *x = g_malloc (N), *runs = g_malloc (N);
  g_autoptr (GBytes) sum = NULL, least = NULL, most = NULL, any = NULL, place = NULL, bins = NULL, unique = NULL;
  guint64 n = 0, n_runs = 0, first = G_MAXUINT64, counts[2];
  guint64 seed = 8;

  for (guint i = 0; i < N; i++)
    {
      guint64 random = primitive_random (&seed);

      x[i] = i < 100 || random % 3 == 0 ? 0 : random % 7 == 0 ? 2 : 1;
      n += x[i] != 0;
      if (x[i] != 0 && first == G_MAXUINT64)
        first = i;
      if (i == 0 || (x[i] != 0) != (x[i - 1] != 0))
        runs[n_runs++] = x[i];
    }
  sum = test_numbers_run ("reduce", "bool", N, x, 1);
  least = test_numbers_run ("reduce op=min", "bool", N, x, 1);
  most = test_numbers_run ("reduce op=max", "bool", N, x, 1);
  any = test_numbers_run ("reduce op=expr expr=a||b", "bool", N, x, 1);
  place = test_numbers_run ("reduce op=argmax", "bool", N, x, 1);
  bins = test_numbers_run ("histogram bins=2", "bool", N, x, 1);
  unique = test_numbers_run ("unique", "bool", N, x, 1);
  counts[0] = N - n;
  counts[1] = n;
  g_assert_cmpmem (g_bytes_get_data (sum, NULL), g_bytes_get_size (sum), &n, sizeof n);
  g_assert_cmpmem (g_bytes_get_data (least, NULL), g_bytes_get_size (least), "\0", 1);
  g_assert_cmpmem (g_bytes_get_data (most, NULL), g_bytes_get_size (most), "\1", 1);
  g_assert_cmpmem (g_bytes_get_data (any, NULL), g_bytes_get_size (any), "\1", 1);
  g_assert_cmpmem (g_bytes_get_data (place, NULL), g_bytes_get_size (place), &first, sizeof first);
  g_assert_cmpmem (g_bytes_get_data (bins, NULL), g_bytes_get_size (bins), counts, sizeof counts);
  g_assert_cmpmem (g_bytes_get_data (unique, NULL), g_bytes_get_size (unique), runs, n_runs);
}

/* Neighbours that are equal in both parts, and where a comparison selects. */
static void
test_numbers_complex_runs (void)
{
  enum
  {
    N = 5000
  };
  g_autofree float complex *x = g_new (float complex, N), *wanted = g_new (float complex, N);
  g_autoptr (GBytes) unique = NULL, parted = NULL;
  guint64 seed = 6, n = 0;

  for (guint i = 0; i < N; i++)
    {
      guint64 random = primitive_random (&seed);

      x[i] = CMPLXF ((float) (random % 2), (float) (random / 2 % 2));
      if (i == 0 || x[i] != x[i - 1])
        wanted[n++] = x[i];
    }
  unique = test_numbers_run ("unique", "c64", N, x, sizeof *x);
  g_assert_cmpmem (g_bytes_get_data (unique, NULL), g_bytes_get_size (unique), wanted, n * sizeof *x);
  parted = test_numbers_run ("partition where=x==1", "c64", N, x, sizeof *x);
  n = 0;
  for (guint is = 2; is-- > 0;)
    for (guint i = 0; i < N; i++)
      if ((x[i] == 1) == is)
        wanted[n++] = x[i];
  g_assert_cmpmem (g_bytes_get_data (parted, NULL), g_bytes_get_size (parted), wanted, N * sizeof *x);
}

static void
test_numbers_refuses (void)
{
  static const struct
  {
    const char *node, *inputs, *outputs, *says;
  } table[] = {
    { "reduce op=max", "x=c64[8]", "out", "op=max of c64: complex numbers have no order: put map expr=abs(x)" },
    { "reduce op=argmin", "x=c128[8]", "out", "complex numbers have no order" },
    { "reduce type=f32", "x=c64[8]", "out", "its items are complex, and type= is not" },
    { "reduce op=expr expr=a+b identity=lowest", "x=c64[8]", "out", "so that identity= is a number" },
    { "reduce op=expr expr=a<b?a:b", "x=c64[8]", "out", "< takes real numbers" },
    { "scan op=min", "x=c64[8]", "out", "complex numbers have no order" },
    { "scan by=row", "x=c128[2,4]", "out", "c128 is scanned as a whole only" },
    { "sort", "keys=c64[8]", "sorted", "complex numbers have no order: let map make keys of them" },
    { "histogram min=0 max=1", "x=c64[8]", "out", "complex numbers have no order: put map expr=abs(x)" },
    { "histogram", "x=f8e4m3[8]", "out", "set min and max" },
    { "compact where=x!=0", "x=c64[8]", "out", "it does not look at complex numbers: let map make flags" },
    { "partition where=x<1", "x=c64[8]", "out", "< takes real numbers" },
    { "gather", "items=c64[8] at=bool[8]", "out", "the numbers of rows are whole" },
    { "gather", "items=c64[8] at=f16[8]", "out", "the numbers of rows are whole" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GError) error = primitive_fixture_fail (table[i].node, table[i].inputs, table[i].outputs);

      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, table[i].says));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/primitives/numbers/sums", test_numbers_sums);
  g_test_add_func ("/leat/primitives/numbers/complex-sums", test_numbers_complex_sums);
  g_test_add_func ("/leat/primitives/numbers/complex-rows", test_numbers_complex_rows);
  g_test_add_func ("/leat/primitives/numbers/extremes", test_numbers_extremes);
  g_test_add_func ("/leat/primitives/numbers/scans", test_numbers_scans);
  g_test_add_func ("/leat/primitives/numbers/complex-scans", test_numbers_complex_scans);
  g_test_add_func ("/leat/primitives/numbers/sorts", test_numbers_sorts);
  g_test_add_func ("/leat/primitives/numbers/runs", test_numbers_runs);
  g_test_add_func ("/leat/primitives/numbers/complex-runs", test_numbers_complex_runs);
  g_test_add_func ("/leat/primitives/numbers/bools", test_numbers_bools);
  g_test_add_func ("/leat/primitives/numbers/refuses", test_numbers_refuses);
  return g_test_run ();
}
