/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "primitive-fixture.h"

#include "leat-harness.h"

#include <math.h>
#include <string.h>

/* `reduce` against C, at sizes around those of threads, warps and tiles. */

static const guint64 test_sizes[] = { 0,    1,    2,    31,   32,   33,   255,  256,  257,   1023,  1024,
                                      1025, 2047, 4095, 4096, 4097, 8191, 8192, 8193, 12289, 65537, 100003 };
#define TEST_MOST 100003

/* One session for all sizes of a type, since compiling takes most of the time; the runs of different length also show
 * that one leaves nothing behind for the next. */
#define TEST_WHOLE_NUMBERS(TYPE, name, OUT, op, START, STEP, ...)                                                      \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    PrimitiveFixture _fixture;                                                                                         \
    g_autofree TYPE *x = g_new (TYPE, TEST_MOST);                                                                      \
    guint64 _seed = 7;                                                                                                 \
    for (guint64 i = 0; i < TEST_MOST; i++)                                                                            \
      x[i] = (TYPE) primitive_random (&_seed);                                                                         \
    primitive_fixture_open (&_fixture, "reduce " op __VA_ARGS__, "x=" name "[<=100003]", "out");                       \
    for (guint _s = 0; _s < G_N_ELEMENTS (test_sizes); _s++)                                                           \
      {                                                                                                                \
        g_autoptr (GBytes) _result = primitive_fixture_run (&_fixture, x, test_sizes[_s] * sizeof *x);                 \
        OUT result = START;                                                                                            \
        for (guint64 i = 0; i < test_sizes[_s]; i++)                                                                   \
          {                                                                                                            \
            STEP;                                                                                                      \
          }                                                                                                            \
        g_assert_cmpmem (g_bytes_get_data (_result, NULL), g_bytes_get_size (_result), &result, sizeof result);        \
      }                                                                                                                \
    primitive_fixture_close (&_fixture);                                                                               \
  }                                                                                                                    \
  G_STMT_END

static void
test_reduce_sums (void)
{
  TEST_WHOLE_NUMBERS (guint8, "u8", guint64, "op=sum", 0, result += x[i]);
  TEST_WHOLE_NUMBERS (gint64, "i64", gint64, "op=sum", 0, result = (gint64) ((guint64) result + (guint64) x[i]));
  TEST_WHOLE_NUMBERS (gint32, "i32", gint16, "op=sum type=i16", 0, result = (gint16) (result + (gint16) x[i]));
}

static void
test_reduce_least_and_greatest (void)
{
  TEST_WHOLE_NUMBERS (gint8, "i8", gint8, "op=min", G_MAXINT8, result = MIN (result, x[i]));
  TEST_WHOLE_NUMBERS (guint64, "u64", guint64, "op=argmax", G_MAXUINT64,
                      result = i == 0 || x[i] > x[result] ? i : result);
  TEST_WHOLE_NUMBERS (guint8, "u8", guint64, "op=count", 0, result += x[i] != 0);
}

static void
test_reduce_expression (void)
{
  TEST_WHOLE_NUMBERS (guint16, "u16", guint16, "op=expr expr=\"a>b?a:b\" identity=lowest", 0,
                      result = MAX (result, x[i]));
}

/* What the text of kernels/reduce.cu promises of the order: chains, then halves. */
static double
test_reduce_join (double *chains, guint n, gboolean single)
{
  for (guint half = n / 2; half > 0; half /= 2)
    for (guint c = 0; c < half; c++)
      chains[c] = single ? (float) chains[c] + (float) chains[c + half] : chains[c] + chains[c + half];
  return chains[0];
}

/* The sum of what @x has, of @width items to 16 bytes, in that order. */
static double
test_reduce_sum_tile (const double *x, guint64 n, guint width)
{
  g_autofree double *chains = g_new0 (double, 256 * width);
  double threads[256], warps[8];

  for (guint64 i = 0; i < n; i++)
    chains[i % (256 * width)] =
      width == 4 ? (float) chains[i % (256 * width)] + (float) x[i] : chains[i % (256 * width)] + x[i];
  for (guint t = 0; t < 256; t++)
    threads[t] = test_reduce_join (chains + t * width, width, width == 4);
  for (guint w = 0; w < 8; w++)
    warps[w] = test_reduce_join (threads + 32 * w, 32, width == 4);
  return test_reduce_join (warps, 8, width == 4);
}

static double
test_reduce_sum_tiles (const double *x, guint64 n, guint width)
{
  guint64 tile = 1024 * width, tiles = (n + tile - 1) / tile;
  double threads[256] = { 0 }, warps[8];

  if (tiles < 2)
    return test_reduce_sum_tile (x, n, width);
  for (guint64 i = 0; i < tiles; i++)
    {
      double sum = test_reduce_sum_tile (x + i * tile, MIN (tile, n - i * tile), width);

      threads[i % 256] = width == 4 ? (float) threads[i % 256] + (float) sum : threads[i % 256] + sum;
    }
  for (guint w = 0; w < 8; w++)
    warps[w] = test_reduce_join (threads + 32 * w, 32, width == 4);
  return test_reduce_join (warps, 8, width == 4);
}

static void
test_reduce_float_order (void)
{
  g_autofree double *x = g_new (double, 600011);
  g_autofree float *single = g_new (float, 600011);
  static const guint64 sizes[] = { 0, 1, 1000, 4096, 4097, 8193, 600011 };
  PrimitiveFixture of_double, of_single;
  guint64 seed = 1;

  for (guint i = 0; i < 600011; i++)
    {
      single[i] = (float) ((double) primitive_random (&seed) / 1e19 - 0.9);
      x[i] = single[i];
    }
  primitive_fixture_open (&of_single, "reduce", "x=f32[<=600011]", "out");
  primitive_fixture_open (&of_double, "reduce", "x=f64[<=600011]", "out");
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      g_autoptr (GBytes) a = primitive_fixture_run (&of_single, single, sizes[s] * sizeof *single);
      g_autoptr (GBytes) b = primitive_fixture_run (&of_double, x, sizes[s] * sizeof *x);

      g_assert_cmpfloat (*(const float *) g_bytes_get_data (a, NULL), ==,
                         (float) test_reduce_sum_tiles (x, sizes[s], 4));
      g_assert_cmpfloat (*(const double *) g_bytes_get_data (b, NULL), ==, test_reduce_sum_tiles (x, sizes[s], 2));
    }
  primitive_fixture_close (&of_single);
  primitive_fixture_close (&of_double);
}

/* Zeros of both signs, infinities and NaN. */
static void
test_reduce_odd_floats (void)
{
  const float zeros[] = { 1, 0.0f, -0.0f, 2 }, ends[] = { INFINITY, 3, -INFINITY }, nans[] = { 1, -NAN, 3, NAN };
  PrimitiveFixture min, max, argmin;
  g_autoptr (GBytes) a = NULL, b = NULL, c = NULL, d = NULL, e = NULL, f = NULL, g = NULL, h = NULL;

  primitive_fixture_open (&min, "reduce op=min", "x=f32[<=8]", "out");
  primitive_fixture_open (&max, "reduce op=max", "x=f32[<=8]", "out");
  primitive_fixture_open (&argmin, "reduce op=argmin", "x=f32[<=8]", "out");
  a = primitive_fixture_run (&min, zeros, sizeof zeros);
  g_assert_true (signbit (*(const float *) g_bytes_get_data (a, NULL)));
  b = primitive_fixture_run (&min, ends, sizeof ends);
  g_assert_cmpfloat (*(const float *) g_bytes_get_data (b, NULL), ==, -INFINITY);
  c = primitive_fixture_run (&min, nans, sizeof nans);
  g_assert_true (isnan (*(const float *) g_bytes_get_data (c, NULL)));
  d = primitive_fixture_run (&max, nans, sizeof nans);
  g_assert_true (isnan (*(const float *) g_bytes_get_data (d, NULL)));
  e = primitive_fixture_run (&max, NULL, 0);
  g_assert_cmpfloat (*(const float *) g_bytes_get_data (e, NULL), ==, -INFINITY);
  f = primitive_fixture_run (&argmin, nans, sizeof nans);
  g_assert_cmpuint (*(const guint64 *) g_bytes_get_data (f, NULL), ==, 1);
  g = primitive_fixture_run (&argmin, zeros, sizeof zeros);
  g_assert_cmpuint (*(const guint64 *) g_bytes_get_data (g, NULL), ==, 1);
  h = primitive_fixture_run (&argmin, ends, sizeof *ends);
  g_assert_cmpuint (*(const guint64 *) g_bytes_get_data (h, NULL), ==, 0);
  primitive_fixture_close (&min);
  primitive_fixture_close (&max);
  primitive_fixture_close (&argmin);
}

/* Rows of every kind: a thread's, a warp's, a block's, several blocks', not aligned to anything. */
static void
test_reduce_rows (void)
{
  static const guint shapes[][2] = { { 300, 3 },    { 77, 33 },  { 41, 512 }, { 9, 5001 }, { 3, 70001 },
                                     { 1200, 513 }, { 1000, 8 }, { 515, 32 }, { 2000, 1 } };

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      guint rows = shapes[s][0], row = shapes[s][1];
      g_autofree char *spec = g_strdup_printf ("x=u16[<=%u,%u]", rows, row);
      g_autofree guint16 *x = g_new (guint16, (gsize) rows * row);
      PrimitiveFixture fixture;
      guint64 seed = s;

      for (gsize i = 0; i < (gsize) rows * row; i++)
        x[i] = (guint16) primitive_random (&seed);
      primitive_fixture_open (&fixture, "reduce by=row", spec, "out");
      for (guint live = rows;; live /= 3)
        {
          g_autoptr (GBytes) result = primitive_fixture_run (&fixture, x, (gsize) live * row * sizeof *x);
          const guint64 *sums = g_bytes_get_data (result, NULL);

          g_assert_cmpuint (g_bytes_get_size (result), ==, live * sizeof *sums);
          for (guint r = 0; r < live; r++)
            {
              guint64 sum = 0;

              for (guint i = 0; i < row; i++)
                sum += x[(gsize) r * row + i];
              g_assert_cmpuint (sums[r], ==, sum);
            }
          if (live == 0)
            break;
        }
      primitive_fixture_close (&fixture);
    }
}

/* Of the widest items a block has fewer rows at a time. */
static void
test_reduce_short_rows (void)
{
  const guint rows = 700, row = 32;
  g_autofree double *x = g_new (double, rows *row);
  PrimitiveFixture fixture;
  g_autoptr (GBytes) result = NULL;
  guint64 seed = 8;

  for (guint i = 0; i < rows * row; i++)
    x[i] = (double) (primitive_random (&seed) >> 20) / 7;
  primitive_fixture_open (&fixture, "reduce by=row", "x=f64[700,32]", "out");
  result = primitive_fixture_run (&fixture, x, rows * row * sizeof *x);
  for (guint r = 0; r < rows; r++)
    {
      double sum = 0;

      for (guint i = 0; i < row; i++)
        sum += x[r * row + i];
      g_assert_cmpfloat (((const double *) g_bytes_get_data (result, NULL))[r], ==, sum);
    }
  primitive_fixture_close (&fixture);
}

/* Each lane of a batch has counters of its own, and all go in one launch. */
static void
test_reduce_lanes (void)
{
  const gsize n = 9001, lanes = 37;
  g_autofree guint32 *x = g_new (guint32, n * lanes);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GPtrArray) results = NULL;
  PrimitiveFixture fixture;
  guint64 seed = 3;
  GError *error = NULL;

  for (gsize i = 0; i < n * lanes; i++)
    x[i] = (guint32) primitive_random (&seed);
  for (gsize lane = 0; lane < lanes; lane++)
    g_ptr_array_add (inputs, g_bytes_new_static (x + lane * n, n * sizeof *x));
  primitive_fixture_open (&fixture, "reduce", "x=u32[9001]", "out");
  for (guint round = 0; round < 2; round++)
    {
      g_clear_pointer (&results, g_ptr_array_unref);
      leat_session_replay_batch (fixture.session, (guint) lanes, inputs, &results, NULL, &error);
      g_assert_no_error (error);
      for (gsize lane = 0; lane < lanes; lane++)
        {
          guint64 sum = 0;

          for (gsize i = 0; i < n; i++)
            sum += x[lane * n + i];
          g_assert_cmpuint (*(const guint64 *) g_bytes_get_data (g_ptr_array_index (results, lane), NULL), ==, sum);
        }
    }
  primitive_fixture_close (&fixture);
}

/* Several runs at a time, of which each lane counts blocks by itself. */
static void
test_reduce_stream (void)
{
  const guint n = 30011, runs = 24;
  g_autofree guint16 *x = g_new (guint16, n + runs);
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = primitive_fixture_parse ("reduce", "x=u16[30011]", "out", &error);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  LeatApp *in = LEAT_APP (leat_pipeline_get_node (pipeline, "in0", NULL));
  guint64 seed = 8;

  for (guint i = 0; i < n + runs; i++)
    x[i] = (guint16) primitive_random (&seed);
  g_object_set (session, "lanes", 3, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < runs; run++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (x + run, n * sizeof *x);

      leat_app_push_bytes (in, bytes, &error);
      g_assert_no_error (error);
    }
  leat_app_end (in);
  leat_session_run (session, NULL, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < runs; run++)
    {
      g_autoptr (GBytes) bytes =
        leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "out0", NULL)), 0, &error);
      guint64 sum = 0;

      g_assert_no_error (error);
      for (guint i = 0; i < n; i++)
        sum += x[run + i];
      g_assert_cmpuint (*(const guint64 *) g_bytes_get_data (bytes, NULL), ==, sum);
    }
  leat_session_close (session);
}

static void
test_reduce_nothing_is_an_error (void)
{
  PrimitiveFixture fixture;
  GError *error = NULL;

  primitive_fixture_open (&fixture, "reduce op=min empty=error", "x=i32[<=8]", "out");
  primitive_fixture_push (&fixture, 0, NULL, 0);
  leat_session_replay (fixture.session, TRUE, NULL, &error);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "nothing to reduce: there are 0 items"));
  g_clear_error (&error);
  primitive_fixture_close (&fixture);
}

static void
test_reduce_refuses (void)
{
  static const struct
  {
    const char *node, *spec, *word;
  } cases[] = {
    { "reduce op=max", "x=c64[8]",
      "op=max of c64: complex numbers have no order: put map expr=abs(x) type=f32, or real(x), before it" },
    { "reduce op=expr", "x=f32[8]", "needs expr=" },
    { "reduce expr=a+b", "x=f32[8]", "expr is for op=expr" },
    { "reduce op=expr expr=a+c", "x=f32[8]", "column 3: no value \"c\"" },
    { "reduce op=expr expr=a+", "x=f32[8]", "column" },
    { "reduce op=expr expr=a+b identity=zero", "x=f32[8]", "set a number" },
    { "reduce op=max type=u8", "x=f32[8]", "type is for" },
    { "reduce op=summ", "x=f32[8]", "sum" },
    { "reduce opp=sum", "x=f32[8]", "did you mean \"op\"" },
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
  g_test_add_func ("/leat/primitives/reduce/sums", test_reduce_sums);
  g_test_add_func ("/leat/primitives/reduce/least-and-greatest", test_reduce_least_and_greatest);
  g_test_add_func ("/leat/primitives/reduce/expression", test_reduce_expression);
  g_test_add_func ("/leat/primitives/reduce/float-order", test_reduce_float_order);
  g_test_add_func ("/leat/primitives/reduce/odd-floats", test_reduce_odd_floats);
  g_test_add_func ("/leat/primitives/reduce/rows", test_reduce_rows);
  g_test_add_func ("/leat/primitives/reduce/short-rows", test_reduce_short_rows);
  g_test_add_func ("/leat/primitives/reduce/lanes", test_reduce_lanes);
  g_test_add_func ("/leat/primitives/reduce/stream", test_reduce_stream);
  g_test_add_func ("/leat/primitives/reduce/nothing-is-an-error", test_reduce_nothing_is_an_error);
  g_test_add_func ("/leat/primitives/reduce/refuses", test_reduce_refuses);
  return g_test_run ();
}
