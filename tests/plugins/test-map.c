/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <math.h>
#include <string.h>

/* `map` against C.  An expression is written once, as C, and its text goes to the node; many of them make one kernel,
 * `k == 0 ? ... : k == 1 ? ...`, since compiling is what takes the time. */

/* @specs: of the inputs, which are named a, b, ... in the text. */
static LeatPipeline *
test_map_parse (const char *node, const char *const *specs, GError **error)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");

  g_string_append_printf (text, "m = %s\n", node);
  for (char name = 'a'; *specs != NULL; specs++, name++)
    g_string_append_printf (text, "%c = app spec=%s\n%c -> upload -> m.%c\n", name, *specs, name, name);
  g_string_append (text, "m -> readback -> app name=result\n");
  return leat_parse_text (text->str, LEAT_TEXT_STYLE_FILE, NULL, error);
}

static GBytes *
test_map_run (const char *node, const char *const *specs, const gconstpointer *data, const gsize *sizes)
{
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = test_map_parse (node, specs, &error);
  g_autoptr (LeatSession) session = NULL;
  GBytes *result;

  g_assert_no_error (error);
  for (guint i = 0; specs[i] != NULL; i++)
    {
      char name[2] = { (char) ('a' + i), '\0' };
      LeatApp *app = LEAT_APP (leat_pipeline_get_node (pipeline, name, NULL));
      g_autoptr (GBytes) bytes = g_bytes_new (data[i], sizes[i]);

      leat_app_push_bytes (app, bytes, &error);
      g_assert_no_error (error);
      leat_app_end (app);
    }
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  leat_session_run (session, NULL, &error);
  g_assert_no_error (error);
  result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "result", NULL)), 0, &error);
  g_assert_no_error (error);
  leat_session_close (session);
  return result;
}

/* "k==0?(E0):k==1?(E1):...:(En)" */
static char *
test_map_join (const char *const *texts, guint n)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i + 1 < n; i++)
    g_string_append_printf (text, "c==%u?(%s):", i, texts[i]);
  g_string_append_printf (text, "(%s)", texts[n - 1]);
  return g_string_free (text, FALSE);
}

/* Evaluates expression k of the list for each pair of inputs; the items of the result are TYPE's. */
#define TEST_MAP_ALL(TYPE, DTYPE, texts, a, b, n_items, result)                                                        \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    g_autofree char *_expr = test_map_join (texts, G_N_ELEMENTS (texts));                                              \
    g_autofree char *_node = g_strdup_printf ("map inputs=a,b,c expr=\"%s\"", _expr);                                  \
    g_autofree char *_spec = g_strdup_printf (DTYPE "[%zu]", (gsize) (n_items) *G_N_ELEMENTS (texts));                 \
    g_autofree char *_which = g_strdup_printf ("i32[%zu]", (gsize) (n_items) *G_N_ELEMENTS (texts));                   \
    g_autofree TYPE *_a = g_new (TYPE, (n_items) *G_N_ELEMENTS (texts));                                               \
    g_autofree TYPE *_b = g_new (TYPE, (n_items) *G_N_ELEMENTS (texts));                                               \
    g_autofree gint32 *_k = g_new (gint32, (n_items) *G_N_ELEMENTS (texts));                                           \
    gsize _bytes = sizeof (TYPE) * (n_items) *G_N_ELEMENTS (texts);                                                    \
    for (guint _i = 0; _i < (n_items) *G_N_ELEMENTS (texts); _i++)                                                     \
      {                                                                                                                \
        _k[_i] = (gint32) (_i / (n_items));                                                                            \
        _a[_i] = (a)[_i % (n_items)];                                                                                  \
        _b[_i] = (b)[_i % (n_items)];                                                                                  \
      }                                                                                                                \
    (result) =                                                                                                         \
      test_map_run (_node, (const char *const[]){ _spec, _spec, _which, NULL }, (const gconstpointer[]){ _a, _b, _k }, \
                    (const gsize[]){ _bytes, _bytes, (n_items) *G_N_ELEMENTS (texts) * sizeof *_k });                  \
  }                                                                                                                    \
  G_STMT_END

/* Each operator, and what binds stronger than what. */
/* clang-format off */
#define TEST_WHOLE(X) \
  X (a + b) X (a - b) X (a *b) X (a / b) X (a % b) X (a << 3) X (a >> 2) X (a < b) X (a > b) X (a <= b) X (a >= b) \
  X (a == b) X (a != b) X (a & b) X (a | b) X (a ^ b) X (a && b) X (a || b) X (!a) X (~a) X (-a) X (+a) \
  X (a ? b : -b) X (a + b * 2) X ((a + b) * 2) X (a - b - 1) X (a - (b - 1)) X (a / b * b) X (a / (b * b)) \
  X (a % 7 * 2) X (a << 1 + 1) X ((a << 1) + 1) X (a & b == b) X ((a & b) == b) X (a | b ^ 5 & 3) \
  X (a < b == b < 9) X (!a + 1) X (~a & 15) X (-a * -b) X (a ? b ? 1 : 2 : 3) X (a > 0 ? 1 : b > 0 ? 2 : 3) \
  X (a > 0 || b > 0 && a < b) X (2 + 3 * a - 4 / b) X (- -a) X (a - -b) X (0x1F & a) X (a * 1003) X (((((a))))) \
  X (a + (b > 0 ? 5 : 6) * 2) X (a / b / 2) X (a * b / 3 % 5) X (-a / b * 2) X (a / -b) X (a - a / b % 3 * 2) \
  X ((a + b) / (a % b + 1) / b) X (a > b ? a / b : b / (a + 1)) X (7 / b + 9 % b << 2) X (a / b == b / b) X (a / ~b)
/* clang-format on */

static void
test_map_whole (void)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wbool-compare"
#define TEXT(e)  #e,
#define VALUE(e) wanted[n++] = (gint32) (e);
  static const char *const texts[] = { TEST_WHOLE (TEXT) };
  gint32 as[] = { 1, 2, 7, 100, 12345, 9, 5, 3, 0, 17 }, bs[] = { 1, 3, 7, 9, 77, 2, 1, 11, 4, 6 };
  guint n_items = G_N_ELEMENTS (as);
  g_autoptr (GBytes) result = NULL;
  const gint32 *found;

  TEST_MAP_ALL (gint32, "i32", texts, as, bs, n_items, result);
  g_assert_cmpuint (g_bytes_get_size (result), ==, sizeof *found * n_items * G_N_ELEMENTS (texts));
  found = g_bytes_get_data (result, NULL);
  for (guint item = 0; item < n_items; item++)
    {
      gint32 a = as[item], b = bs[item], wanted[G_N_ELEMENTS (texts)];
      guint n = 0;

      TEST_WHOLE (VALUE)
      for (guint k = 0; k < n; k++)
        if (found[k * n_items + item] != wanted[k])
          g_error ("%s for a=%d, b=%d: %d, not %d", texts[k], a, b, found[k * n_items + item], wanted[k]);
    }
#undef VALUE
#pragma GCC diagnostic pop
}

/* Of a / b, or of what remains. */
static gint64
test_map_divide (gint64 a, gint64 b, gboolean remains)
{
  if (b == 0)
    return 0;
  if (b == -1)
    return remains ? 0 : (gint64) (0 - (guint64) a);
  return remains ? a % b : a / b;
}

/* By 0, and where the result is too large by one: which would end the process where C does it. */
static void
test_map_divisions (void)
{
  static const char *const texts[] = { "a/b", "a%b", "a/(b-b)", "a%0", "b/a%b", "max(a/b,a%b)", "a/b/b", "0/b" };
  const gint64 as[] = { 0, 1, 7, -7, G_MININT32, G_MAXINT32, G_MININT64, 0, G_MININT64, 5 };
  const gint64 bs[] = { 0, 0, 0, -1, -1, -1, -1, -1, 0, 3 };
  const guint n_items = G_N_ELEMENTS (as);
  g_autoptr (GBytes) wide = NULL, narrow = NULL;
  gint32 narrow_as[G_N_ELEMENTS (as)], narrow_bs[G_N_ELEMENTS (as)];

  for (guint i = 0; i < n_items; i++)
    {
      narrow_as[i] = (gint32) CLAMP (as[i], G_MININT32, G_MAXINT32);
      narrow_bs[i] = (gint32) bs[i];
    }
  TEST_MAP_ALL (gint64, "i64", texts, as, bs, n_items, wide);
  TEST_MAP_ALL (gint32, "i32", texts, narrow_as, narrow_bs, n_items, narrow);
  for (guint i = 0; i < 2 * n_items; i++)
    {
      gboolean is_wide = i < n_items;
      guint item = i % n_items;
      gint64 a = is_wide ? as[item] : narrow_as[item], b = is_wide ? bs[item] : narrow_bs[item];
      gint64 once = is_wide ? test_map_divide (a, b, FALSE) : (gint32) test_map_divide (a, b, FALSE);
      gint64 rest = test_map_divide (a, b, TRUE);
      gint64 back = is_wide ? test_map_divide (b, a, FALSE) : (gint32) test_map_divide (b, a, FALSE);
      gint64 twice = is_wide ? test_map_divide (once, b, FALSE) : (gint32) test_map_divide (once, b, FALSE);
      const gint64 wanted[] = { once, rest, 0, 0, test_map_divide (back, b, TRUE), MAX (once, rest), twice, 0 };

      for (guint k = 0; k < G_N_ELEMENTS (texts); k++)
        {
          guint at = k * n_items + item;
          gint64 found = is_wide ? ((const gint64 *) g_bytes_get_data (wide, NULL))[at]
                                 : ((const gint32 *) g_bytes_get_data (narrow, NULL))[at];

          if (found != wanted[k])
            g_error ("%s for a=%" G_GINT64_FORMAT ", b=%" G_GINT64_FORMAT ": %" G_GINT64_FORMAT
                     ", not %" G_GINT64_FORMAT,
                     texts[k], a, b, found, wanted[k]);
        }
    }
}

/* Correctly rounded on every device: the same bits as C's. */
/* clang-format off */
#define TEST_EXACT(X) \
  X (a + b) X (a *b + 1.5f) X (a / b) X (a - b * 0.1f) X (sqrtf (fabsf (a))) X (fabsf (a)) X (fminf (a, b)) \
  X (fmaxf (a, b)) X (floorf (a)) X (ceilf (a)) X (truncf (a)) X (roundf (a)) X (fmaf (a, b, 0.3f)) \
  X (fmodf (a, b)) X (a < b ? a : b) X (a * a * a - b)
/* clang-format on */

static void
test_map_exact_floats (void)
{
#define VALUE(e) wanted[n++] = (e);
  static const char *const texts[] = {
    "a+b",      "a*b+1.5", "a/b",      "a-b*0.1",  "sqrt(abs(a))", "fabs(a)",   "min(a,b)", "fmax(a,b)",
    "floor(a)", "ceil(a)", "trunc(a)", "round(a)", "fma(a,b,0.3)", "fmod(a,b)", "a<b?a:b",  "a*a*a-b",
  };
  float as[] = { 0.1f, 1.5f, -2.5f, 3.999f, 1e10f, -7.25f, 1e-20f }, bs[] = { 3, -0.7f, 2.5f, 1.1f, 3e5f, 7.25f, 2 };
  guint n_items = G_N_ELEMENTS (as);
  g_autoptr (GBytes) result = NULL;
  const float *found;

  TEST_MAP_ALL (float, "f32", texts, as, bs, n_items, result);
  found = g_bytes_get_data (result, NULL);
  for (guint item = 0; item < n_items; item++)
    {
      volatile float a = as[item], b = bs[item];
      float wanted[G_N_ELEMENTS (texts)];
      guint n = 0;

      TEST_EXACT (VALUE)
      g_assert_cmpuint (n, ==, G_N_ELEMENTS (texts));
      for (guint k = 0; k < n; k++)
        if (memcmp (&found[k * n_items + item], &wanted[k], sizeof *wanted) != 0)
          g_error ("%s for a=%g, b=%g: %.9g, not %.9g", texts[k], a, b, found[k * n_items + item], wanted[k]);
    }
#undef VALUE
}

/* Of two zeros the one below 0 is less, wherever it stands, and a number goes before NaN. */
static void
test_map_extremes (void)
{
  static const char *const texts[] = { "min(a,b)", "min(b,a)", "fmin(a,b)", "max(a,b)", "max(b,a)", "fmax(b,a)" };
  static const float x[] = { -0.0f, 0.0f, -0.0f, NAN, 1.0f, -2.0f }, y[] = { 0.0f, -0.0f, -0.0f, 1.0f, NAN, 3.0f };
  static const float least[] = { -0.0f, -0.0f, -0.0f, 1.0f, 1.0f, -2.0f };
  static const float greatest[] = { 0.0f, 0.0f, -0.0f, 1.0f, 1.0f, 3.0f };
  const guint n = G_N_ELEMENTS (x), half = G_N_ELEMENTS (texts) / 2;
  double wide_x[G_N_ELEMENTS (x)], wide_y[G_N_ELEMENTS (x)];
  g_autoptr (GBytes) narrow = NULL, wide = NULL;
  const float *found;
  const double *wide_found;

  for (guint i = 0; i < n; i++)
    {
      wide_x[i] = x[i];
      wide_y[i] = y[i];
    }
  TEST_MAP_ALL (float, "f32", texts, x, y, n, narrow);
  TEST_MAP_ALL (double, "f64", texts, wide_x, wide_y, n, wide);
  found = g_bytes_get_data (narrow, NULL);
  wide_found = g_bytes_get_data (wide, NULL);
  for (guint k = 0; k < G_N_ELEMENTS (texts); k++)
    for (guint i = 0; i < n; i++)
      {
        const float wanted = (k < half ? least : greatest)[i];

        g_assert_cmpfloat (found[k * n + i], ==, wanted);
        g_assert_cmpint (!!signbit (found[k * n + i]), ==, !!signbit (wanted));
        g_assert_cmpfloat (wide_found[k * n + i], ==, wanted);
        g_assert_cmpint (!!signbit (wide_found[k * n + i]), ==, !!signbit (wanted));
      }
}

/* Within a few units in the last place. */
static void
test_map_other_functions (void)
{
  static const char *const texts[] = {
    "cbrt(a)", "exp(a)", "exp2(a)",    "log(a)",   "log2(a)",    "log10(a)", "sin(a)",
    "cos(a)",  "tan(a)", "asin(a)",    "acos(a)",  "atan(a)",    "sinh(a)",  "cosh(a)",
    "tanh(a)", "erf(a)", "atan2(a,b)", "pow(a,b)", "hypot(a,b)",
  };
  static double (*const one[]) (double) = { cbrt, exp,  exp2, log,  log2, log10, sin,  cos,
                                            tan,  asin, acos, atan, sinh, cosh,  tanh, erf };
  static double (*const two[]) (double, double) = { atan2, pow, hypot };
  double as[] = { 0.01, 0.3, 0.5, 0.77, 0.999 }, bs[] = { 0.5, 2, -1.5, 3, 0.1 };
  guint n_items = G_N_ELEMENTS (as);
  g_autoptr (GBytes) result = NULL;
  const double *found;

  TEST_MAP_ALL (double, "f64", texts, as, bs, n_items, result);
  found = g_bytes_get_data (result, NULL);
  for (guint k = 0; k < G_N_ELEMENTS (texts); k++)
    for (guint item = 0; item < n_items; item++)
      {
        double wanted = k < G_N_ELEMENTS (one) ? one[k](as[item]) : two[k - G_N_ELEMENTS (one)](as[item], bs[item]);

        if (fabs (found[k * n_items + item] - wanted) > 1e-14 * fmax (1, fabs (wanted)))
          g_error ("%s for a=%g, b=%g: %.17g, not %.17g", texts[k], as[item], bs[item], found[k * n_items + item],
                   wanted);
      }
}

/* The result's type is the first input's, or the one asked for; conversions are C's. */
static void
test_map_types (void)
{
  static const gint16 in[] = { -300, -1, 0, 1, 200, 300 };
  static const struct
  {
    const char *node;
    gsize size;
    double values[6];
  } table[] = {
    { "map inputs=a expr=a*2", 2, { -600, -2, 0, 2, 400, 600 } },
    { "map inputs=a expr=a*0.5 type=f32", 4, { -150, -0.5, 0, 0.5, 100, 150 } },
    { "map inputs=a expr=a>0 type=u8", 1, { 0, 0, 0, 1, 1, 1 } },
    { "map inputs=a expr=a*100003 type=f64", 8, { -30000900, -100003, 0, 100003, 20000600, 30000900 } },
    /* Functions of whole numbers are those of double; of two types, what C makes of both. */
    { "map inputs=a expr=sqrt(a*a) type=f64", 8, { 300, 1, 0, 1, 200, 300 } },
    { "map inputs=a expr=sqrt(abs(a)) type=f64",
      8,
      { 17.320508075688775, 1, 0, 1, 14.142135623730951, 17.320508075688775 } },
    { "map inputs=a expr=pow(a,2) type=f64", 8, { 90000, 1, 0, 1, 40000, 90000 } },
    { "map inputs=a expr=floor(a/7) type=f64", 8, { -42, 0, 0, 0, 28, 42 } },
    { "map inputs=a expr=round(a/2.0) type=f64", 8, { -150, -1, 0, 1, 100, 150 } },
    { "map inputs=a expr=min(a,0.5) type=f64", 8, { -300, -1, 0, 0.5, 0.5, 0.5 } },
    { "map inputs=a expr=fmax(a,0) type=f64", 8, { 0, 0, 0, 1, 200, 300 } },
    { "map inputs=a expr=fma(a,2,1) type=f64", 8, { -599, -1, 1, 3, 401, 601 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GBytes) result = test_map_run (table[i].node, (const char *const[]){ "i16[6]", NULL },
                                                (const gconstpointer[]){ in }, (const gsize[]){ sizeof in });
      const guint8 *found = g_bytes_get_data (result, NULL);

      g_assert_cmpuint (g_bytes_get_size (result), ==, 6 * table[i].size);
      for (guint j = 0; j < 6; j++)
        {
          double value = table[i].size == 1   ? found[j]
                         : table[i].size == 2 ? ((const gint16 *) found)[j]
                         : table[i].size == 4 ? ((const float *) found)[j]
                                              : ((const double *) found)[j];

          g_assert_cmpfloat (value, ==, table[i].values[j]);
        }
    }
}

/* Arguments, several inputs of several types, two dimensions. */
static void
test_map_inputs_and_arguments (void)
{
  static const float a[6] = { 1, 2, 3, 4, 5, 6 };
  static const guint8 b[6] = { 10, 20, 30, 40, 50, 250 };
  g_autoptr (GBytes) result = test_map_run ("map inputs=\"a, b\" expr=gain*a+b-offset gain=0.5 offset=-1",
                                            (const char *const[]){ "f32[2,3]", "u8[2,3]", NULL },
                                            (const gconstpointer[]){ a, b }, (const gsize[]){ sizeof a, sizeof b });
  const float *found = g_bytes_get_data (result, NULL);

  g_assert_cmpuint (g_bytes_get_size (result), ==, sizeof a);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpfloat (found[i], ==, 0.5f * a[i] + b[i] + 1);
}

/* Of bounded data only what is there is computed, and the count goes on. */
static void
test_map_bounded (void)
{
  static const guint32 a[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

  for (guint n = 0; n <= 4; n += 2)
    {
      g_autoptr (GBytes) result = test_map_run ("map inputs=a expr=a*a", (const char *const[]){ "u32[<=4,2]", NULL },
                                                (const gconstpointer[]){ a }, (const gsize[]){ n * 2 * sizeof *a });
      const guint32 *found = g_bytes_get_data (result, NULL);

      g_assert_cmpuint (g_bytes_get_size (result), ==, n * 2 * sizeof *a);
      for (guint i = 0; i < 2 * n; i++)
        g_assert_cmpuint (found[i], ==, a[i] * a[i]);
    }
}

/* With blocks of any size all items are done, once. */
static void
test_map_blocks (void)
{
  static const char *const blocks[] = { "1", "33", "256", "1000", "1024" };
  g_autofree guint32 *a = g_new (guint32, 70001);

  for (guint i = 0; i < 70001; i++)
    a[i] = i;
  for (guint k = 0; k < G_N_ELEMENTS (blocks); k++)
    {
      g_autofree char *node = g_strconcat ("map inputs=a expr=a+7 block=", blocks[k], NULL);
      g_autoptr (GBytes) result = test_map_run (node, (const char *const[]){ "u32[70001]", NULL },
                                                (const gconstpointer[]){ a }, (const gsize[]){ 70001 * sizeof *a });
      const guint32 *found = g_bytes_get_data (result, NULL);

      g_assert_cmpuint (g_bytes_get_size (result), ==, 70001 * sizeof *a);
      for (guint i = 0; i < 70001; i++)
        g_assert_cmpuint (found[i], ==, i + 7);
    }
}

/* What is said is what is launched. */
static void
test_map_tells_blocks (void)
{
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline =
    test_map_parse ("map inputs=a expr=a+7 block=96", (const char *const[]){ "u32[1000]", NULL }, &error);
  g_autoptr (LeatPlan) plan = NULL;
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  plan = leat_plan_new (pipeline, &error);
  g_assert_no_error (error);
  text = leat_plan_to_text (plan);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, "grid 11x1x1 block 96x1x1"));
}

static void
test_map_refuses_blocks (void)
{
  static const char *const blocks[] = { "0", "1025", "-1", "16x16" };

  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    {
      g_autofree char *node = g_strconcat ("map inputs=a expr=a+7 block=", blocks[i], NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPipeline) pipeline = test_map_parse (node, (const char *const[]){ "u32[4]", NULL }, &error);

      g_assert_null (pipeline);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, "block"));
    }
}

/* Whole numbers stay what they are up to their last bit, also where an argument takes part. */
static void
test_map_wide_numbers (void)
{
  static const gint64 whole[2] = { 16777217, -9007199254740993 };
  static const guint64 natural[2] = { G_MAXUINT64 - 1, 9007199254740993 };
  static const gint32 narrow[2] = { 16777217, G_MININT32 };
  static const struct
  {
    const char *node, *spec;
    gconstpointer data;
    gsize size;
    guint64 found[2];
  } table[] = {
    { "map inputs=a expr=a*k k=1", "i64[2]", whole, sizeof whole, { 16777217, (guint64) -9007199254740993 } },
    { "map inputs=a expr=a+k k=9007199254740993", "i64[2]", whole, sizeof whole, { 9007199271518210, 0 } },
    { "map inputs=a expr=a%k k=-7", "i64[2]", whole, sizeof whole, { 16777217 % 7, -(9007199254740993 % 7) } },
    { "map inputs=a expr=a+k k=1", "u64[2]", natural, sizeof natural, { G_MAXUINT64, 9007199254740994 } },
    { "map inputs=a expr=k-a k=18446744073709551615",
      "u64[2]",
      natural,
      sizeof natural,
      { 1, G_MAXUINT64 - 9007199254740993 } },
    { "map inputs=a expr=a*k k=1 type=i64", "i32[2]", narrow, sizeof narrow, { 16777217, (guint64) G_MININT32 } },
    { "map inputs=a expr=a*k k=1", "i32[2]", narrow, sizeof narrow, { 0x8000000001000001, 0 } },
    { "map inputs=a expr=a*1.0", "i32[2]", narrow, sizeof narrow, { 0x8000000001000001, 0 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GBytes) result =
        test_map_run (table[i].node, (const char *const[]){ table[i].spec, NULL },
                      (const gconstpointer[]){ table[i].data }, (const gsize[]){ table[i].size });

      g_test_message ("%s of %s", table[i].node, table[i].spec);
      g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), table[i].found,
                       g_bytes_get_size (result));
      g_assert_cmpuint (g_bytes_get_size (result), ==, strstr (table[i].node, "type=") != NULL ? 16 : table[i].size);
    }
}

/* Of several bounded inputs, as many items as the shortest has: nothing is read that is not there. */
static void
test_map_least_count (void)
{
  static const guint32 a[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

  for (guint na = 0; na <= 4; na += 2)
    for (guint nb = 0; nb <= 4; nb++)
      {
        guint n = MIN (na, nb);
        g_autoptr (GBytes) result =
          test_map_run ("map inputs=a,b expr=a*b+k k=1", (const char *const[]){ "u32[<=4,2]", "u32[<=4,2]", NULL },
                        (const gconstpointer[]){ a, a }, (const gsize[]){ na * 2 * sizeof *a, nb * 2 * sizeof *a });
        const guint32 *found = g_bytes_get_data (result, NULL);

        g_assert_cmpuint (g_bytes_get_size (result), ==, n * 2 * sizeof *a);
        for (guint i = 0; i < 2 * n; i++)
          g_assert_cmpuint (found[i], ==, a[i] * a[i] + 1);
      }
}

typedef struct
{
  const char *node;
  const char *specs[3];
  int code;
  const char *says;
} Refused;

static void
test_map_assert_refused (const Refused *table, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      GError *error = NULL;
      g_autoptr (LeatPipeline) pipeline = test_map_parse (table[i].node, table[i].specs, &error);

      if (pipeline != NULL)
        g_assert_null (leat_plan_new (pipeline, &error));
      g_assert_nonnull (error);
      g_test_message ("%s", error->message);
      if (pipeline != NULL)
        g_assert_error (error, LEAT_GRAPH_ERROR, table[i].code);
      g_assert_nonnull (strstr (error->message, table[i].says));
      g_clear_error (&error);
    }
}

static void
test_map_refuses (void)
{
  static const Refused table[] = {
    { "map inputs=a expr=2*b", { "f32[4]" }, LEAT_GRAPH_ERROR_TYPE, "input \"a\" does not occur in \"2*b\"" },
    { "map inputs=a expr=a*block",
      { "f32[4]" },
      LEAT_GRAPH_ERROR_TYPE,
      "\"block\" is a property of map, so that no argument of \"a*block\" can have its name" },
    { "map inputs=a expr=a%3",
      { "f32[4]" },
      LEAT_GRAPH_ERROR_TYPE,
      "column 2: % takes whole numbers, and its left side is float" },
    { "map inputs=a expr=a&k k=1",
      { "u8[4]" },
      LEAT_GRAPH_ERROR_TYPE,
      "column 2: & takes whole numbers, and its right side is double" },
    { "map inputs=a expr=a*1e39", { "f32[4]" }, LEAT_GRAPH_ERROR_TYPE, "column 3: 1e39 does not fit in f32" },
    { "map inputs=a,b expr=a+b", { "f32[4]", "f32[5]" }, LEAT_GRAPH_ERROR_SPEC, "input \"b\" is f32[5]" },
    { "map inputs=a,b expr=a+b", { "u8[2,3]", "u8[3,2]" }, LEAT_GRAPH_ERROR_SPEC, "input \"b\" is u8[3,2]" },
    { "map inputs=a,b expr=a+b", { "u8[6]", "u8[3,2]" }, LEAT_GRAPH_ERROR_SPEC, "input \"b\" is u8[3,2]" },
    { "map inputs=a,b expr=a+b", { "u8[<=2,3]", "u8[<=3,2]" }, LEAT_GRAPH_ERROR_SPEC, "input \"b\" is u8[<=3,2]" },
    { "map inputs=a expr=a*k k=0.5", { "i64[4]" }, LEAT_GRAPH_ERROR_TYPE, "\"k\" takes a whole number, not 0.5" },
    { "map inputs=a expr=a*k k=-1", { "u64[4]" }, LEAT_GRAPH_ERROR_RANGE, "not -1" },
    { "map inputs=a,b expr=a+b", { "f32[4]", "f32[<=4]" }, LEAT_GRAPH_ERROR_SPEC, "input \"b\" is f32[<=4]" },
    { "map inputs=a expr=a type=f64",
      { "u8[4611686018427387904]" },
      LEAT_GRAPH_ERROR_SPEC,
      "would take more than 2^62 bytes" },
    { "map inputs=a expr=a type=u16",
      { "u8[<=4611686018427387904]" },
      LEAT_GRAPH_ERROR_SPEC,
      "would take more than 2^62 bytes" },
    { "map inputs=a expr=a*gain",
      { "f32[4]" },
      LEAT_GRAPH_ERROR_MISSING,
      "column 3: \"gain\" is not one of the inputs (a), and is not set" },
  };

  test_map_assert_refused (table, G_N_ELEMENTS (table));
}

static void
test_map_refuses_numbers (void)
{
  static const Refused table[] = {
    { "map inputs=a expr=abs(a)<a",
      { "c64[4]" },
      LEAT_GRAPH_ERROR_TYPE,
      "column 7: < takes real numbers, and its right side is complex" },
    { "map inputs=a expr=sqrt(a)",
      { "c64[4]" },
      LEAT_GRAPH_ERROR_TYPE,
      "column 1: sqrt takes real numbers, and its argument is complex" },
    { "map inputs=a expr=1+real(a)",
      { "f32[4]" },
      LEAT_GRAPH_ERROR_TYPE,
      "column 3: real takes a complex number, and its argument is float" },
    { "map inputs=a expr=a+1 type=f32",
      { "c64[4]" },
      LEAT_GRAPH_ERROR_TYPE,
      "the value is complex, and the result, f32, is not" },
    { "map inputs=a expr=a%2",
      { "bf16[4]" },
      LEAT_GRAPH_ERROR_TYPE,
      "% takes whole numbers, and its left side is float; fmod" },
    { "map inputs=a expr=a&1",
      { "c128[4]" },
      LEAT_GRAPH_ERROR_TYPE,
      "& takes whole numbers, and its left side is complex" },
  };

  test_map_assert_refused (table, G_N_ELEMENTS (table));
}

/* What shows only when the kernel is made: the expression is named, and what is wrong with it. */
static void
test_map_refuses_to_open (void)
{
  static const struct
  {
    const char *node;
    const char *says;
  } table[] = {
    { "map inputs=a expr=a*gain gain=1e39", "\"gain\" (float) of map cannot hold its value" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;
      g_autoptr (LeatPipeline) pipeline =
        test_map_parse (table[i].node, (const char *const[]){ "f32[4]", NULL }, &error);
      g_autoptr (LeatSession) session = NULL;

      g_assert_no_error (error);
      session = leat_session_new (pipeline, NULL);
      g_assert_false (leat_session_open (session, NULL, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, table[i].says));
      g_clear_error (&error);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/base/map/whole-numbers", test_map_whole);
  g_test_add_func ("/leat/base/map/divisions", test_map_divisions);
  g_test_add_func ("/leat/base/map/exact-floats", test_map_exact_floats);
  g_test_add_func ("/leat/base/map/extremes", test_map_extremes);
  g_test_add_func ("/leat/base/map/other-functions", test_map_other_functions);
  g_test_add_func ("/leat/base/map/types", test_map_types);
  g_test_add_func ("/leat/base/map/inputs-and-arguments", test_map_inputs_and_arguments);
  g_test_add_func ("/leat/base/map/bounded", test_map_bounded);
  g_test_add_func ("/leat/base/map/blocks", test_map_blocks);
  g_test_add_func ("/leat/base/map/tells-blocks", test_map_tells_blocks);
  g_test_add_func ("/leat/base/map/refuses-blocks", test_map_refuses_blocks);
  g_test_add_func ("/leat/base/map/wide-numbers", test_map_wide_numbers);
  g_test_add_func ("/leat/base/map/least-count", test_map_least_count);
  g_test_add_func ("/leat/base/map/refuses", test_map_refuses);
  g_test_add_func ("/leat/base/map/refuses-numbers", test_map_refuses_numbers);
  g_test_add_func ("/leat/base/map/refuses-to-open", test_map_refuses_to_open);
  return g_test_run ();
}
