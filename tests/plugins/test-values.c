/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel/leat-image-private.h"
#include "leat.h"

#include <math.h>
#include <string.h>

/* Casts, shifts and divisions that C++ leaves open, in the nodes that make kernels of expressions: one value on every
 * device, wherever an item stands and whatever kernel the node is part of.  tests/plugins/cpu/test-values.c has the
 * kernels of users. */

static const float test_floats[] = {
  0,
  -0.5f,
  0.99f,
  1.5f,
  -1,
  127.9f,
  -128.9f,
  129,
  255.9f,
  300,
  -300,
  65535.9f,
  70000,
  -70000,
  16777216,
  2147483520,
  2147483648,
  -2147483648,
  -2147483904,
  3e9f,
  -3e9f,
  4294967040,
  4294967296,
  5e9f,
  -5e9f,
  1e12f,
  9223371487098961920.0f,
  9223372036854775808.0f,
  -9223372036854775808.0f,
  -9.3e18f,
  18446742974197923840.0f,
  18446744073709551616.0f,
  -1e20f,
  3e38f,
  INFINITY,
  -INFINITY,
  NAN,
  -NAN,
};
static const gint32 test_amounts[] = { 0,  1,   5,   31, 32,  33,         40,         63, 64,
                                       65, 255, 256, -1, -32, G_MAXINT32, G_MININT32, 30 };

static const struct
{
  const char *name;
  guint size;
  gboolean is_signed;
} test_types[] = {
  { "i8", 1, TRUE },  { "u8", 1, FALSE },  { "i16", 2, TRUE }, { "u16", 2, FALSE },
  { "i32", 4, TRUE }, { "u32", 4, FALSE }, { "i64", 8, TRUE }, { "u64", 8, FALSE },
};

/* Vector code of any width and a rest, over which the values move along from item to item. */
#define TEST_ITEMS 83

/* What PTX's cvt.rzi makes of it, of which a narrow type has the lower bits; as the type extends it. */
static guint64
test_convert (double x, guint type, gboolean from_double)
{
  guint bits = test_types[type].size == 8 ? 64 : 32, unused = 64 - 8 * test_types[type].size;
  double end = ldexp (1, test_types[type].is_signed ? bits - 1 : bits);
  guint64 all;

  if (isnan (x))
    all = from_double || bits == 64 ? G_GUINT64_CONSTANT (1) << (bits - 1) : 0;
  else if (x >= end)
    all = (test_types[type].is_signed ? G_MAXINT64 : G_MAXUINT64) >> (64 - bits);
  else if (test_types[type].is_signed)
    all = x <= -end ? G_GUINT64_CONSTANT (1) << (bits - 1) : (guint64) (gint64) x;
  else
    all = x <= 0 ? 0 : (guint64) x;
  return test_types[type].is_signed ? (guint64) ((gint64) (all << unused) >> unused) : all << unused >> unused;
}

static guint64
test_get_item (GBytes *bytes, guint type, guint i)
{
  guint unused = 64 - 8 * test_types[type].size;
  guint64 bits = 0;

  g_assert_cmpuint (g_bytes_get_size (bytes), >, i * test_types[type].size);
  memcpy (&bits, (const guint8 *) g_bytes_get_data (bytes, NULL) + i * test_types[type].size, test_types[type].size);
  return test_types[type].is_signed ? (guint64) ((gint64) (bits << unused) >> unused) : bits;
}

/* Whether the values are settled where the test runs; else it is skipped. */
static gboolean
test_is_settled (void)
{
  g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);
  g_autoptr (GError) open = leat_image_host_check_values ();

  if (device == NULL || !leat_device_is_cpu (device))
    return TRUE;
  if (open == NULL && (g_getenv ("LEAT_KERNEL_SANITIZE") == NULL || *g_getenv ("LEAT_KERNEL_SANITIZE") == '\0'))
    return TRUE;
  g_test_skip (open != NULL ? open->message : "a sanitizer stops at what is left open");
  return FALSE;
}

static LeatSession *
test_open (const char *text, LeatPipeline **pipeline)
{
  GError *error = NULL;
  LeatSession *session;

  *pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  session = leat_session_new (*pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  return session;
}

static void
test_run (LeatSession *session, LeatPipeline *pipeline, gconstpointer data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  GError *error = NULL;

  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_replay (session, TRUE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
}

static GBytes *
test_pull (LeatPipeline *pipeline, const char *name)
{
  GError *error = NULL;
  GBytes *bytes = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, name, NULL)), -1, &error);

  g_assert_no_error (error);
  return bytes;
}

/* A pipeline whose node has a float @source in and an output for each type, NAME_TYPE, to which @node leads. */
typedef struct
{
  const char *begin;  /* what stands before the outputs' lines */
  const char *output; /* the line of each, where %s is the type */
  const char *end;
} TestShape;

static const TestShape test_map = { "", "m_%s = map expr=x type=%s\nup -> m_%s -> readback -> app name=r_%s\n", "" };
static const TestShape test_fused = {
  "f = megakernel {\n  first = map expr=x+0\n  in.x -> first\n",
  "  m_%s = map expr=x type=%s\n  first -> m_%s -> out.o_%s\n",
  "}\nup -> f.x\n",
};
static const TestShape test_loop = {
  "f = loop max-iterations=3 carry=x:same {\n  first = map expr=x+0\n  in.x -> first\n  first -> out.same\n",
  "  m_%s = map expr=x type=%s\n  first -> m_%s -> out.o_%s\n",
  "}\nup -> f.x\n",
};

static char *
test_make_text (const TestShape *shape, const char *source)
{
  GString *text = g_string_new ("leat 1\n");

  g_string_append_printf (text, "a = app spec=%s[%d]\nup = upload\na -> up\n%s", source, TEST_ITEMS, shape->begin);
  for (guint i = 0; i < G_N_ELEMENTS (test_types); i++)
    {
      g_autoptr (GString) line = g_string_new (shape->output);

      g_string_replace (line, "%s", test_types[i].name, 0);
      g_string_append (text, line->str);
    }
  g_string_append (text, shape->end);
  if (shape == &test_loop)
    g_string_append (text, "f.same -> discard\n");
  for (guint i = 0; i < G_N_ELEMENTS (test_types) && shape->end[0] != '\0'; i++)
    g_string_append_printf (text, "f.o_%s -> readback -> app name=r_%s\n", test_types[i].name, test_types[i].name);
  return g_string_free (text, FALSE);
}

static void
test_check_outputs (LeatPipeline *pipeline, const double *x, gboolean from_double)
{
  for (guint type = 0; type < G_N_ELEMENTS (test_types); type++)
    {
      g_autofree char *name = g_strconcat ("r_", test_types[type].name, NULL);
      g_autoptr (GBytes) bytes = test_pull (pipeline, name);

      for (guint i = 0; i < TEST_ITEMS; i++)
        if (test_get_item (bytes, type, i) != test_convert (x[i], type, from_double))
          g_error ("item %u, %g to %s: 0x%" G_GINT64_MODIFIER "x, and 0x%" G_GINT64_MODIFIER "x is expected", i, x[i],
                   test_types[type].name, test_get_item (bytes, type, i), test_convert (x[i], type, from_double));
    }
}

static void
test_casts (const TestShape *shape, gboolean from_double)
{
  g_autofree char *text = test_make_text (shape, from_double ? "f64" : "f32");
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;

  if (!test_is_settled ())
    return;
  session = test_open (text, &pipeline);
  for (guint shift = 0; shift < G_N_ELEMENTS (test_floats); shift += 5)
    {
      double x[TEST_ITEMS];
      float narrow[TEST_ITEMS];

      for (guint i = 0; i < TEST_ITEMS; i++)
        x[i] = narrow[i] = test_floats[(i + shift) % G_N_ELEMENTS (test_floats)];
      if (from_double)
        test_run (session, pipeline, x, sizeof x);
      else
        test_run (session, pipeline, narrow, sizeof narrow);
      test_check_outputs (pipeline, x, from_double);
    }
  leat_session_close (session);
}

static void
test_casts_of_floats (gconstpointer shape)
{
  test_casts (shape, FALSE);
}

static void
test_casts_of_doubles (gconstpointer shape)
{
  test_casts (shape, TRUE);
}

/* Sums of what items become, up to each and of all. */
static void
test_sums (gconstpointer type_number)
{
  guint type = GPOINTER_TO_UINT (type_number), n = G_N_ELEMENTS (test_floats);
  g_autofree char *text = g_strdup_printf ("leat 1\na = app spec=f32[%u]\nup = upload\na -> up\n"
                                           "up -> reduce type=%s -> readback -> app name=all\n"
                                           "up -> scan type=%s -> readback -> app name=each\n",
                                           n, test_types[type].name, test_types[type].name);
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GBytes) all = NULL, each = NULL;
  guint unused = 64 - 8 * test_types[type].size;
  guint64 sum = 0;

  if (!test_is_settled ())
    return;
  session = test_open (text, &pipeline);
  test_run (session, pipeline, test_floats, sizeof test_floats);
  all = test_pull (pipeline, "all");
  each = test_pull (pipeline, "each");
  for (guint i = 0; i < n; i++)
    {
      sum += test_convert (test_floats[i], type, FALSE);
      g_assert_cmphex (test_get_item (each, type, i) << unused, ==, sum << unused);
    }
  g_assert_cmphex (test_get_item (all, type, 0) << unused, ==, sum << unused);
  leat_session_close (session);
}

/* In a `map`, and to choose rows. */
static void
test_shifts (void)
{
  g_autofree char *text =
    g_strdup_printf ("leat 1\na = app spec=i32[%d]\nup = upload\na -> up\n"
                     "up -> map expr=\"(5<<x)+(-7>>x)\" -> readback -> app name=moved\n"
                     "up -> compact where=\"(1<<x)==0\" -> readback -> app name=gone\n"
                     "up -> map expr=\"(x<<40)+(x>>32)+(7<<(8*5))+(-1>>77)\" -> readback -> app name=known\n",
                     TEST_ITEMS);
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GBytes) moved = NULL, gone = NULL, known = NULL;
  gint32 x[TEST_ITEMS];
  guint n_gone = 0;

  if (!test_is_settled ())
    return;
  for (guint i = 0; i < TEST_ITEMS; i++)
    x[i] = test_amounts[i % G_N_ELEMENTS (test_amounts)];
  session = test_open (text, &pipeline);
  test_run (session, pipeline, x, sizeof x);
  moved = test_pull (pipeline, "moved");
  gone = test_pull (pipeline, "gone");
  known = test_pull (pipeline, "known");
  for (guint i = 0; i < TEST_ITEMS; i++)
    {
      gboolean beyond = x[i] < 0 || x[i] > 31;
      gint64 right = beyond ? -1 : (gint64) floor (ldexp (-7, -x[i])),
             left = beyond ? 0 : G_GINT64_CONSTANT (5) << x[i];

      g_assert_cmpint ((gint32) test_get_item (moved, 4, i), ==, (gint32) (left + right));
      g_assert_cmpint ((gint32) test_get_item (known, 4, i), ==, (x[i] < 0 ? -1 : 0) - 1);
      if (beyond)
        g_assert_cmpint ((gint32) test_get_item (gone, 4, n_gone++), ==, x[i]);
    }
  g_assert_cmpuint (g_bytes_get_size (gone), ==, n_gone * sizeof *x);
  leat_session_close (session);
}

/* A loop goes on until the bit is gone. */
static void
test_until (void)
{
  static const char text[] =
    "leat 1\na = app spec=i32[1]\n"
    "l = loop until=\"(1<<n)==0\" max-iterations=70 carry=x:n {\n"
    "  m = map expr=x+1\n  in.x -> m -> out.n\n}\n"
    "a -> upload -> l.x\nl.n -> readback -> app name=n\nl.iterations -> readback -> app name=count\n";
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GBytes) n = NULL, count = NULL;
  gint32 zero = 0;

  if (!test_is_settled ())
    return;
  session = test_open (text, &pipeline);
  test_run (session, pipeline, &zero, sizeof zero);
  n = test_pull (pipeline, "n");
  count = test_pull (pipeline, "count");
  g_assert_cmpint (*(const gint32 *) g_bytes_get_data (n, NULL), ==, 32);
  g_assert_cmpuint (*(const guint64 *) g_bytes_get_data (count, NULL), ==, 32);
  leat_session_close (session);
}

/* What is no number goes to the end, with whichever sign the device made it. */
static void
test_sort_of_quotients (void)
{
  static const char text[] = "leat 1\na = app spec=f32[5]\n"
                             "a -> upload -> map expr=x/x -> sort -> readback -> app name=sorted\n";
  const float x[] = { 3, 0, 1, -0.0f, 7 };
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = test_open (text, &pipeline);
  g_autoptr (GBytes) sorted = NULL;
  const float *found;

  test_run (session, pipeline, x, sizeof x);
  sorted = test_pull (pipeline, "sorted");
  found = g_bytes_get_data (sorted, NULL);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat (found[i], ==, 1);
  g_assert_true (isnan (found[3]) && isnan (found[4]));
  leat_session_close (session);
}

int
main (int argc, char **argv)
{
  static const guint summed[] = { 1, 4, 5, 7 };

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/values/map/of-f32", &test_map, test_casts_of_floats);
  g_test_add_data_func ("/leat/values/map/of-f64", &test_map, test_casts_of_doubles);
  g_test_add_data_func ("/leat/values/fused/of-f32", &test_fused, test_casts_of_floats);
  g_test_add_data_func ("/leat/values/fused/of-f64", &test_fused, test_casts_of_doubles);
  g_test_add_data_func ("/leat/values/loop/of-f32", &test_loop, test_casts_of_floats);
  for (guint i = 0; i < G_N_ELEMENTS (summed); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/values/sums/", test_types[summed[i]].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (summed[i]), test_sums);
    }
  g_test_add_func ("/leat/values/shifts", test_shifts);
  g_test_add_func ("/leat/values/until", test_until);
  g_test_add_func ("/leat/values/sort-of-quotients", test_sort_of_quotients);
  return g_test_run ();
}
