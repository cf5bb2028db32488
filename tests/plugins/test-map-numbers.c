/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "number-oracle.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* `map` over floats of 16 and 8 bits, complex numbers and bool.  Conversions are tried over all values of the smaller
 * type, and over what is near the middle between two of them. */

static const LeatDtype narrow[] = { LEAT_DTYPE_F16, LEAT_DTYPE_BF16, LEAT_DTYPE_F8E4M3, LEAT_DTYPE_F8E5M2 };

/* The result of the pipeline, which ends in `app name=result`, for the inputs a, b, ... (transfer full) */
static GBytes *
test_numbers_run (const char *map, const char *const *specs, const gconstpointer *data, const gsize *sizes)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  GError *error = NULL;
  GBytes *result;

  g_string_append_printf (text, "m = %s\n", map);
  for (guint i = 0; specs[i] != NULL; i++)
    g_string_append_printf (text, "%c = app spec=%s\n%c -> upload -> m.%c\n", 'a' + i, specs[i], 'a' + i, 'a' + i);
  g_string_append (text, "m -> readback -> app name=result\n");
  pipeline = leat_parse_text (text->str, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; specs[i] != NULL; i++)
    {
      char name[2] = { (char) ('a' + i), '\0' };
      g_autoptr (GBytes) bytes = g_bytes_new (data[i], sizes[i]);

      leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, name, NULL)), bytes, &error);
      g_assert_no_error (error);
    }
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  leat_session_replay (session, TRUE, NULL, &error);
  g_assert_no_error (error);
  result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "result", NULL)), 0, &error);
  g_assert_no_error (error);
  leat_session_close (session);
  return result;
}

/* One input of @n items. */
static GBytes *
test_numbers_map (const char *map, LeatDtype dtype, gconstpointer items, gsize n)
{
  g_autofree char *spec = g_strdup_printf ("%s[%" G_GSIZE_FORMAT "]", leat_dtype_get_name (dtype), n);

  return test_numbers_run (map, (const char *const[]){ spec, NULL }, &items,
                           (const gsize[]){ n * leat_dtype_get_size (dtype) });
}

static guint
test_numbers_get_bits (LeatDtype dtype, gconstpointer items, gsize i)
{
  return leat_dtype_get_size (dtype) == 1 ? ((const guint8 *) items)[i] : ((const guint16 *) items)[i];
}

/* All values, without a sum between. */
static gpointer
test_numbers_list_all (LeatDtype dtype, guint *n)
{
  guint8 *bytes;
  guint16 *words;

  *n = 1u << (8 * leat_dtype_get_size (dtype));
  bytes = g_malloc (*n * leat_dtype_get_size (dtype));
  words = (gpointer) bytes;
  for (guint i = 0; i < *n; i++)
    if (leat_dtype_get_size (dtype) == 1)
      bytes[i] = (guint8) i;
    else
      words[i] = (guint16) i;
  return bytes;
}

/* To f32, and to f64 behind it: each has all of the smaller values.  NaN has bits of its own. */
static void
test_numbers_widen (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (narrow); k++)
    {
      guint n;
      g_autofree gpointer all = test_numbers_list_all (narrow[k], &n);
      g_autoptr (GBytes) floats = test_numbers_map ("map inputs=a expr=a type=f32", narrow[k], all, n);
      g_autoptr (GBytes) doubles = test_numbers_map ("map inputs=a expr=a type=f64", narrow[k], all, n);
      const guint32 *single = g_bytes_get_data (floats, NULL);
      const double *wide = g_bytes_get_data (doubles, NULL);

      for (guint i = 0; i < n; i++)
        {
          double wanted = number_oracle_decode (narrow[k], i);
          float less = (float) wanted;
          guint32 bits;

          memcpy (&bits, &less, sizeof bits);
          if (isnan (wanted))
            bits = narrow[k] == LEAT_DTYPE_BF16 ? i << 16 : 0x7fffffff;
          if (single[i] != bits || (isnan (wanted) ? !isnan (wide[i]) : memcmp (&wide[i], &wanted, 8) != 0))
            g_error ("%s 0x%x: 0x%08x and %a, not 0x%08x", leat_dtype_get_name (narrow[k]), i, single[i], wide[i],
                     bits);
        }
    }
}

/* Each number and itself, through f32. */
static void
test_numbers_keep (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (narrow); k++)
    {
      guint n;
      g_autofree gpointer all = test_numbers_list_all (narrow[k], &n);
      g_autoptr (GBytes) result = test_numbers_map ("map inputs=a expr=a", narrow[k], all, n);
      gconstpointer found = g_bytes_get_data (result, NULL);

      for (guint i = 0; i < n; i++)
        {
          /* What is infinite is cut to the greatest of 8 bits. */
          guint wanted = number_oracle_encode (narrow[k], number_oracle_decode (narrow[k], i));

          g_assert_cmphex (test_numbers_get_bits (narrow[k], found, i), ==, wanted);
        }
    }
}

/* Between each two neighbours: the middle, and what is next to it; the neighbours; with both signs. */
static GArray *
test_numbers_list_near (LeatDtype dtype)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (double));
  guint sign = 1u << (8 * leat_dtype_get_size (dtype) - 1);
  const double others[] = {
    0.0, INFINITY, NAN,   1e30,  3.4e38,  1e300,    5e-324,   1e-45,          1e-40,          465, 464, 463.9,
    480, 65519.9,  65520, 61440, 61439.9, 0x1p-149, 0x1p-150, 0x1.fffffep127, 0x1.fffffffp127
  };

  for (guint i = 0; i + 1 < sign; i++)
    {
      double low = number_oracle_decode (dtype, i), high = number_oracle_decode (dtype, i + 1);
      double middle = (low + high) / 2;
      double some[] = { low,
                        middle,
                        nextafter (middle, 0),
                        nextafter (middle, INFINITY),
                        nextafterf ((float) middle, 0),
                        nextafterf ((float) middle, INFINITY) };

      for (guint k = 0; k < G_N_ELEMENTS (some) && isfinite (high); k++)
        g_array_append_val (list, some[k]);
    }
  g_array_append_vals (list, others, G_N_ELEMENTS (others));
  for (guint i = 0, n = list->len; i < n; i++)
    {
      double minus = -g_array_index (list, double, i);

      g_array_append_val (list, minus);
    }
  for (guint i = 0; i < 20000; i++)
    {
      double number = ldexp (g_test_rand_double () - 0.5, g_test_rand_int_range (-30, 20));

      g_array_append_val (list, number);
    }
  return list;
}

static void
test_numbers_assert_narrowed (LeatDtype dtype, GBytes *result, const double *numbers, gsize n, const char *from)
{
  gconstpointer found = g_bytes_get_data (result, NULL);

  g_assert_cmpuint (g_bytes_get_size (result), ==, n * leat_dtype_get_size (dtype));
  for (gsize i = 0; i < n; i++)
    if (test_numbers_get_bits (dtype, found, i) != number_oracle_encode (dtype, numbers[i]))
      g_error ("%s %a to %s: 0x%x, not 0x%x", from, numbers[i], leat_dtype_get_name (dtype),
               test_numbers_get_bits (dtype, found, i), number_oracle_encode (dtype, numbers[i]));
}

static void
test_numbers_narrow (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (narrow); k++)
    {
      g_autoptr (GArray) numbers = test_numbers_list_near (narrow[k]);
      g_autofree char *map = g_strdup_printf ("map inputs=a expr=a type=%s", leat_dtype_get_name (narrow[k]));
      g_autofree float *singles = g_new (float, numbers->len);
      g_autoptr (GBytes) from_double = NULL, from_single = NULL;
      double *all = (double *) (gpointer) numbers->data;

      from_double = test_numbers_map (map, LEAT_DTYPE_F64, all, numbers->len);
      test_numbers_assert_narrowed (narrow[k], from_double, all, numbers->len, "f64");
      for (guint i = 0; i < numbers->len; i++)
        all[i] = singles[i] = (float) all[i];
      from_single = test_numbers_map (map, LEAT_DTYPE_F32, singles, numbers->len);
      test_numbers_assert_narrowed (narrow[k], from_single, all, numbers->len, "f32");
    }
}

/* Of whole numbers too there is one rounding alone, be they larger than a double tells. */
static void
test_numbers_narrow_whole (void)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autofree gint64 *all = NULL;
  gsize n;

  for (guint shift = 0; shift < 63; shift++)
    for (gint64 more = 0; more < 256; more++)
      {
        gint64 base = (gint64) 1 << shift, step = shift > 9 ? base >> 9 : 1, number = base + more * step;

        for (gint64 off = -1; off <= 1; off++)
          {
            gint64 both[] = { number + off, -(number + off) };

            g_array_append_vals (list, both, 2);
          }
      }
  n = list->len;
  all = (gint64 *) (gpointer) g_array_free (list, FALSE);
  for (guint k = 0; k < G_N_ELEMENTS (narrow); k++)
    {
      g_autofree char *map = g_strdup_printf ("map inputs=a expr=a type=%s", leat_dtype_get_name (narrow[k]));
      g_autoptr (GBytes) result = test_numbers_map (map, LEAT_DTYPE_I64, all, n);
      gconstpointer found = g_bytes_get_data (result, NULL);

      for (gsize i = 0; i < n; i++)
        {
          /* A double rounds too; what it takes away or adds, the last bit tells. */
          double number = (double) all[i];
          gint64 lost = number < 0x1p63 ? all[i] - (gint64) number : -1;
          guint wanted;

          if (lost != 0)
            number = nextafter (number, lost > 0 ? INFINITY : -INFINITY);
          wanted = number_oracle_encode (narrow[k], number);
          if (test_numbers_get_bits (narrow[k], found, i) != wanted)
            g_error ("%" G_GINT64_FORMAT " to %s: 0x%x, not 0x%x", all[i], leat_dtype_get_name (narrow[k]),
                     test_numbers_get_bits (narrow[k], found, i), wanted);
        }
    }
}

/* Values are f32 in an expression, and rounded once at the end. */
static void
test_numbers_compute (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (narrow); k++)
    {
      g_autofree char *spec = g_strdup_printf ("%s[4096]", leat_dtype_get_name (narrow[k]));
      guint size = (guint) leat_dtype_get_size (narrow[k]);
      g_autofree guint8 *a = g_malloc (4096 * size), *b = g_malloc (4096 * size);
      g_autoptr (GBytes) result = NULL;
      gconstpointer found;

      for (guint i = 0; i < 4096 * size; i++)
        {
          a[i] = (guint8) g_test_rand_int ();
          b[i] = (guint8) g_test_rand_int ();
        }
      result = test_numbers_run ("map inputs=a,b expr=\"a*b+gain*a-0.1/b\" gain=0.3",
                                 (const char *const[]){ spec, spec, NULL }, (const gconstpointer[]){ a, b },
                                 (const gsize[]){ 4096 * size, 4096 * size });
      found = g_bytes_get_data (result, NULL);
      for (guint i = 0; i < 4096; i++)
        {
          volatile float x = (float) number_oracle_decode (narrow[k], test_numbers_get_bits (narrow[k], a, i));
          volatile float y = (float) number_oracle_decode (narrow[k], test_numbers_get_bits (narrow[k], b, i));
          volatile float xy = x * y, gain = 0.3f * x, tenth = 0.1f / y, sum = xy + gain, all = sum - tenth;

          g_assert_cmphex (test_numbers_get_bits (narrow[k], found, i), ==, number_oracle_encode (narrow[k], all));
        }
    }
}

static void
test_numbers_complex (void)
{
  static const char *const texts[] = { "a+b",       "a-b",       "a*b",  "a/b",      "-a-b",         "conj(a)*b",
                                       "a*2+0.5-b", "real(a)*b", "a==b", "abs(a)*b", "a!=0?b/a:a+1", "imag(a)-b*gain" };
  enum
  {
    N = 1000
  };
  g_autofree double *a = g_new (double, 2 * N), *b = g_new (double, 2 * N);

  for (guint i = 0; i < 2 * N; i++)
    {
      a[i] = i < 8 ? 0 : g_test_rand_int_range (-512, 512) / 64.0;
      b[i] = i < 8 ? 1 : g_test_rand_int_range (-512, 512) / 64.0;
    }
  for (guint k = 0; k < G_N_ELEMENTS (texts); k++)
    {
      g_autofree char *map =
        g_strdup_printf ("map inputs=a,b expr=\"%s\"%s", texts[k], strstr (texts[k], "gain") != NULL ? " gain=3" : "");
      g_autoptr (GBytes) result = test_numbers_run (map, (const char *const[]){ "c128[1000]", "c128[1000]", NULL },
                                                    (const gconstpointer[]){ a, b }, (const gsize[]){ 16 * N, 16 * N });
      const double *found = g_bytes_get_data (result, NULL);

      for (guint i = 0; i < N; i++)
        {
          double complex x = CMPLX (a[2 * i], a[2 * i + 1]), y = CMPLX (b[2 * i], b[2 * i + 1]);
          double complex wanted[] = { x + y,
                                      x - y,
                                      x * y,
                                      x / y,
                                      -x - y,
                                      conj (x) * y,
                                      x * 2 + 0.5 - y,
                                      creal (x) * y,
                                      x == y,
                                      cabs (x) * y,
                                      x != 0 ? y / x : x + 1,
                                      cimag (x) - y * 3 };

          /* Quotients and absolute values round in other places here. */
          if (cabs (CMPLX (found[2 * i], found[2 * i + 1]) - wanted[k]) > 1e-14 * (1 + cabs (wanted[k])))
            g_error ("%s: %g%+gi, not %g%+gi", texts[k], found[2 * i], found[2 * i + 1], creal (wanted[k]),
                     cimag (wanted[k]));
        }
    }
}

/* The bits of each step, as <cuComplex.h> has the steps. */
static void
test_numbers_complex_bits (void)
{
  enum
  {
    N = 3000
  };
  g_autofree float *a = g_new (float, 2 * N), *b = g_new (float, 2 * N);
  const gconstpointer data[] = { a, b };
  const gsize sizes[] = { 8 * N, 8 * N };
  const char *const specs[] = { "c64[3000]", "c64[3000]", NULL };
  g_autoptr (GBytes) products = NULL, quotients = NULL, sizes_of = NULL;
  const float *product, *quotient, *size;

  for (guint i = 0; i < 2 * N; i++)
    {
      a[i] = (float) ldexp (g_test_rand_double () - 0.5, g_test_rand_int_range (-60, 60));
      b[i] = (float) ldexp (g_test_rand_double () - 0.5, g_test_rand_int_range (-60, 60));
    }
  products = test_numbers_run ("map inputs=a,b expr=a*b", specs, data, sizes);
  quotients = test_numbers_run ("map inputs=a,b expr=a/b", specs, data, sizes);
  sizes_of = test_numbers_run ("map inputs=a,b expr=abs(a+0*b) type=f32", specs, data, sizes);
  product = g_bytes_get_data (products, NULL);
  quotient = g_bytes_get_data (quotients, NULL);
  size = g_bytes_get_data (sizes_of, NULL);
  for (guint i = 0; i < N; i++)
    {
      volatile float x = a[2 * i], y = a[2 * i + 1], u = b[2 * i], v = b[2 * i + 1];
      volatile float xu = x * u, yv = y * v, xv = x * v, yu = y * u, re = xu - yv, im = xv + yu, by, squares, t;
      volatile float large = MAX (fabsf (x), fabsf (y)), small = MIN (fabsf (x), fabsf (y));

      g_assert_true (product[2 * i] == re && product[2 * i + 1] == im);
      by = 1 / (fabsf (u) + fabsf (v));
      x *= by;
      y *= by;
      u *= by;
      v *= by;
      xu = u * u;
      yv = v * v;
      squares = 1 / (xu + yv);
      xu = x * u;
      yv = y * v;
      yu = y * u;
      xv = x * v;
      re = (xu + yv) * squares;
      im = (yu - xv) * squares;
      g_assert_true (quotient[2 * i] == re && quotient[2 * i + 1] == im);
      t = small / large;
      t = t * t;
      t = large * sqrtf (1 + t);
      g_assert_true (size[i] == t);
    }
}

/* c64 and c128, and real numbers, into each other. */
static void
test_numbers_complex_convert (void)
{
  const float some[] = { 1.5f, -2.5f, 0.1f, 3 };
  const double wide[] = { 1.5, -2.5, 0.1, 3 };
  const gint32 whole[] = { 3, -4 };
  g_autoptr (GBytes) widened = test_numbers_map ("map inputs=a expr=a type=c128", LEAT_DTYPE_C64, some, 2);
  g_autoptr (GBytes) narrowed = test_numbers_map ("map inputs=a expr=a type=c64", LEAT_DTYPE_C128, wide, 2);
  g_autoptr (GBytes) made = test_numbers_map ("map inputs=a expr=a type=c64", LEAT_DTYPE_I32, whole, 2);
  g_autoptr (GBytes) part = test_numbers_map ("map inputs=a expr=imag(a) type=f16", LEAT_DTYPE_C64, some, 2);
  g_autoptr (GBytes) truth = test_numbers_map ("map inputs=a expr=\"a==a && a\" type=bool", LEAT_DTYPE_C64, some, 2);
  const double all[] = { 1.5, -2.5, 0.1f, 3 };
  const float real[] = { 3, 0, -4, 0 };
  const guint16 halves[] = { 0xc100, 0x4200 };

  g_assert_cmpmem (g_bytes_get_data (widened, NULL), g_bytes_get_size (widened), all, sizeof all);
  g_assert_cmpmem (g_bytes_get_data (narrowed, NULL), g_bytes_get_size (narrowed), some, sizeof some);
  g_assert_cmpmem (g_bytes_get_data (made, NULL), g_bytes_get_size (made), real, sizeof real);
  g_assert_cmpmem (g_bytes_get_data (part, NULL), g_bytes_get_size (part), halves, sizeof halves);
  g_assert_cmpmem (g_bytes_get_data (truth, NULL), g_bytes_get_size (truth), "\1\1", 2);
}

/* A byte that is neither 0 nor 1 is as good as 1. */
static void
test_numbers_bool (void)
{
  const guint8 some[] = { 0, 1, 2, 255, 128, 0 };
  const float numbers[] = { 0, -0.0f, 0.5f, NAN, 1, -INFINITY };
  g_autoptr (GBytes) not = test_numbers_map ("map inputs=a expr=!a", LEAT_DTYPE_BOOL, some, 6);
  g_autoptr (GBytes) sum = test_numbers_map ("map inputs=a expr=a+a type=i32", LEAT_DTYPE_BOOL, some, 6);
  g_autoptr (GBytes) made = test_numbers_map ("map inputs=a expr=a type=bool", LEAT_DTYPE_F32, numbers, 6);
  g_autoptr (GBytes) half = test_numbers_map ("map inputs=a expr=a type=f16", LEAT_DTYPE_BOOL, some, 6);
  const gint32 sums[] = { 0, 2, 2, 2, 2, 0 };
  const guint16 halves[] = { 0, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0 };

  g_assert_cmpmem (g_bytes_get_data (not, NULL), g_bytes_get_size (not ), "\1\0\0\0\0\1", 6);
  g_assert_cmpmem (g_bytes_get_data (sum, NULL), g_bytes_get_size (sum), sums, sizeof sums);
  g_assert_cmpmem (g_bytes_get_data (made, NULL), g_bytes_get_size (made), "\0\0\1\1\1\1", 6);
  g_assert_cmpmem (g_bytes_get_data (half, NULL), g_bytes_get_size (half), halves, sizeof halves);
}

/* Chains of nodes, in one kernel or each in its own; what lies between is rounded in both. (transfer full) */
static GBytes *
test_numbers_run_chain (const char *chain, gboolean fused, gconstpointer items, gsize size)
{
  g_autofree char *spec = g_strdup_printf ("f32[%" G_GSIZE_FORMAT "]", size / sizeof (float));
  g_autofree char *text =
    fused
      ? g_strdup_printf ("leat 1\nm = megakernel {\n  in.x -> %s -> out.y\n}\n"
                         "a = app spec=%s\na -> upload -> m.x\nm.y -> readback -> app name=result\n",
                         chain, spec)
      : g_strdup_printf ("leat 1\na = app spec=%s\na -> upload -> %s -> readback -> app name=result\n", spec, chain);
  g_autoptr (GBytes) bytes = g_bytes_new (items, size);
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  GError *error = NULL;
  GBytes *result;

  pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), bytes, &error);
  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  leat_session_replay (session, TRUE, NULL, &error);
  g_assert_no_error (error);
  result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "result", NULL)), 0, &error);
  g_assert_no_error (error);
  leat_session_close (session);
  return result;
}

static void
test_numbers_chain (void)
{
  static const char *const chains[] = {
    "map expr=x*3 type=f16 -> map expr=x*x-1 type=bf16 -> map expr=x+0.01 type=f8e5m2 -> map expr=x type=f32",
    "map expr=x*3 type=c64 -> map expr=x*x-1 -> map expr=abs(x) type=bf16 -> map expr=x type=f32",
    "map expr=x*3 type=bool -> map expr=!x -> map expr=x*5 type=f16 -> map expr=x type=f32",
  };
  float items[2000];

  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    items[i] = i % 7 == 0 ? 0 : (float) (g_test_rand_double () - 0.5) * 100;
  for (guint k = 0; k < G_N_ELEMENTS (chains); k++)
    {
      g_autoptr (GBytes) apart = test_numbers_run_chain (chains[k], FALSE, items, sizeof items);
      g_autoptr (GBytes) fused = test_numbers_run_chain (chains[k], TRUE, items, sizeof items);

      g_assert_true (g_bytes_equal (apart, fused));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/map/numbers/widen", test_numbers_widen);
  g_test_add_func ("/leat/map/numbers/keep", test_numbers_keep);
  g_test_add_func ("/leat/map/numbers/narrow", test_numbers_narrow);
  g_test_add_func ("/leat/map/numbers/narrow-whole", test_numbers_narrow_whole);
  g_test_add_func ("/leat/map/numbers/compute", test_numbers_compute);
  g_test_add_func ("/leat/map/numbers/complex", test_numbers_complex);
  g_test_add_func ("/leat/map/numbers/complex-bits", test_numbers_complex_bits);
  g_test_add_func ("/leat/map/numbers/complex-convert", test_numbers_complex_convert);
  g_test_add_func ("/leat/map/numbers/bool", test_numbers_bool);
  g_test_add_func ("/leat/map/numbers/chain", test_numbers_chain);
  return g_test_run ();
}
