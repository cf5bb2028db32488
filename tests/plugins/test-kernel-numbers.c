/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "number-oracle.h"

#include <math.h>
#include <string.h>

/* Kernels with CUDA's headers for floats of 16 and 8 bits and for complex numbers: their parameters bind to types of
 * items, and each operation gives the nearest number to the exact one, by an oracle that computes with whole numbers of
 * 128 bits. */

#define N (1u << 16)

static const char half_text[] =
  "%s\n"
  "__global__ void f (const T *x, const T *y, const T *z, uint64_t x_count, T *out, uint32_t *truth)\n{\n"
  "  GRID_FOR (i, x_count)\n    {\n"
  "      T a = x[i], b = y[i], c = z[i], *o = out + 16 * i, copy = a;\n"
  "      o[0] = a + b; o[1] = __hsub (a, b); o[2] = a * b; o[3] = __hfma (a, b, c); o[4] = __hmax (a, b);\n"
  "      o[5] = __hmin (a, b); o[6] = __habs (a); o[7] = -b; o[8] = __hfma_sat (a, b, c); o[9] = __hmin_nan (a, b);\n"
  "      o[10] = hsqrt (a); o[11] = hrint (a); o[12] = hfloor (a); copy += b; copy *= c; o[13] = copy;\n"
  "      T2 pair = __hfma2 (T2 (a, b), T2 (c, c), T2 (b, a)); o[14] = pair.x; o[15] = __hmul2 (pair, T2 (a, b)).y;\n"
  "      truth[i] = (a == b) | (a != b) << 1 | (a < b) << 2 | (a >= b) << 3 | __hltu (a, b) << 4 | __hisnan (a) << 5\n"
  "        | (__hisinf (a) != 0) << 6 | __hbeq2 (T2 (a, b), T2 (a, a)) << 7 | (float (a) > 1) << 8 | (int (a) > 7) << "
  "9;\n"
  "    }\n}\n";

/* The result of the last line, which ends in out, for the inputs x, y, z of @n items of @size bytes. (transfer full) */
static void
test_numbers_run (const char *text, const char *node, const char *const *inputs, const gconstpointer *data,
                  const gsize *sizes, const char *const *outputs, GBytes **results)
{
  g_autofree char *path = leat_harness_dup_path ("k.cu");
  g_autoptr (GString) pipeline_text = g_string_new ("leat 1\n");
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  GError *error = NULL;

  leat_harness_write_file (path, text, strlen (text));
  g_string_append_printf (pipeline_text, "k = kernel source=%s %s\n", path, node);
  for (guint i = 0; inputs[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (inputs[i], "=", 2);

      g_string_append_printf (pipeline_text, "in_%s = app spec=%s\nin_%s -> upload -> k.%s\n", parts[0], parts[1],
                              parts[0], parts[0]);
    }
  for (guint i = 0; outputs[i] != NULL; i++)
    g_string_append_printf (pipeline_text, "k.%s -> readback -> app name=out_%s\n", outputs[i], outputs[i]);
  pipeline = leat_parse_text (pipeline_text->str, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; inputs[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (inputs[i], "=", 2);
      g_autofree char *name = g_strconcat ("in_", parts[0], NULL);
      g_autoptr (GBytes) bytes = g_bytes_new (data[i], sizes[i]);

      leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, name, NULL)), bytes, &error);
      g_assert_no_error (error);
    }
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  leat_session_replay (session, TRUE, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; outputs[i] != NULL; i++)
    {
      g_autofree char *name = g_strconcat ("out_", outputs[i], NULL);

      results[i] = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, name, NULL)), 0, &error);
      g_assert_no_error (error);
    }
  leat_session_close (session);
}

static void
test_numbers_free (GBytes **results, guint n)
{
  for (guint i = 0; i < n; i++)
    g_bytes_unref (results[i]);
}

/* In units of 2^-60, which all values here are multiples of. */
static __int128
test_numbers_whole (double value)
{
  return (__int128) ldexp (value, 60);
}

/* The nearest, of two the even one.  @minus_zero: the sign of a sum that is 0 */
static guint
test_numbers_nearest (LeatDtype dtype, __int128 exact, gboolean minus_zero)
{
  gboolean sign = exact < 0 || (exact == 0 && minus_zero);
  __int128 size = exact < 0 ? -exact : exact, double_middle;
  guint low = 0, high = dtype == LEAT_DTYPE_F16 ? 0x7c00 : 0x7f80, last = high;

  if (exact == 0)
    return sign ? 0x8000 : 0;
  while (low + 1 < high)
    {
      guint at = (low + high) / 2;
      double value = number_oracle_decode (dtype, at);

      if (value < 0x1p60 && (value < 0x1p-60 ? 0 : test_numbers_whole (value)) <= size)
        low = at;
      else
        high = at;
    }
  double_middle = high == last ? 2 * (__int128) 65520 << 60
                               : test_numbers_whole (number_oracle_decode (dtype, low))
                                   + test_numbers_whole (number_oracle_decode (dtype, high));
  low = 2 * size > double_middle || (2 * size == double_middle && low % 2 == 1) ? high : low;
  return low | (sign ? 0x8000 : 0);
}

/* An exact value where all are finite; else what a double says, which then has no rounding that matters. */
static guint
test_numbers_fused (LeatDtype dtype, double a, double b, double c)
{
  double rough = a * b + c;

  if (!isfinite (a) || !isfinite (b) || !isfinite (c))
    return number_oracle_encode (dtype, rough);
  return test_numbers_nearest (dtype, test_numbers_whole (a * b) + test_numbers_whole (c),
                               rough == 0 && signbit (rough));
}

static double
test_numbers_round (LeatDtype dtype, double value)
{
  return number_oracle_decode (dtype, number_oracle_encode (dtype, value));
}

static guint
test_numbers_saturate (LeatDtype dtype, guint bits)
{
  double value = number_oracle_decode (dtype, bits);

  return number_oracle_encode (dtype, value > 0 ? MIN (value, 1) : 0.0);
}

static void
test_numbers_assert (const char *what, guint k, double a, double b, double c, guint found, guint wanted)
{
  if (found != wanted)
    g_error ("%s, operation %u of %a, %a, %a: 0x%x, not 0x%x", what, k, a, b, c, found, wanted);
}

/* All values of x, beside those of y and z that are near it and such that are not.  Products of f16 are multiples of
 * 2^-48; of bf16 only those of numbers between 2^-20 and 2^20 are. */
static void
test_numbers_arithmetic (LeatDtype dtype, const char *head)
{
  const char *type = leat_dtype_get_name (dtype);
  g_autofree char *text = g_strdup_printf (half_text, head);
  g_autofree char *x_spec = g_strdup_printf ("x=%s[65536]", type), *y_spec = g_strdup_printf ("y=%s[65536]", type),
                  *z_spec = g_strdup_printf ("z=%s[65536]", type),
                  *node = g_strdup_printf ("out=%s[65536,16] truth=u32[65536]", type);
  const char *inputs[] = { x_spec, y_spec, z_spec, NULL };
  g_autofree guint16 *x = g_new (guint16, N), *y = g_new (guint16, N), *z = g_new (guint16, N);
  GBytes *results[2] = { NULL };
  const guint16 *out;
  const guint32 *truth;

  for (guint i = 0; i < N; i++)
    {
      x[i] = (guint16) i;
      y[i] = (guint16) (i % 3 == 0 ? (gint32) i + g_test_rand_int_range (-40, 40) : (gint32) g_test_rand_int ());
      z[i] = (guint16) (i % 5 == 0 ? y[i] + g_test_rand_int_range (-4, 4) : (gint32) g_test_rand_int ());
      if (dtype == LEAT_DTYPE_BF16)
        for (guint k = 0; k < 3; k++)
          {
            guint16 *at = (guint16 *[]){ x, y, z }[k] + i;
            guint exponent = *at >> 7 & 0xff;

            if (exponent == 0)
              *at &= 0x8000;
            else if (exponent != 0xff)
              *at = (guint16) ((*at & 0x807f) | (107 + exponent % 41) << 7);
          }
    }
  test_numbers_run (text, node, inputs, (const gconstpointer[]){ x, y, z }, (const gsize[]){ 2 * N, 2 * N, 2 * N },
                    (const char *const[]){ "out", "truth", NULL }, results);
  out = g_bytes_get_data (results[0], NULL);
  truth = g_bytes_get_data (results[1], NULL);
  for (guint i = 0; i < N; i++, out += 16)
    {
      double a = number_oracle_decode (dtype, x[i]), b = number_oracle_decode (dtype, y[i]),
             c = number_oracle_decode (dtype, z[i]);
      double sum = test_numbers_round (dtype, a + b), nan = a + b + NAN;
      gboolean least_a = a < b || isnan (b) || (a == b && signbit (a));
      gboolean most_a = a > b || isnan (b) || (a == b && !signbit (a));
      double pair_x, pair_y;
      guint fused = test_numbers_fused (dtype, a, b, c);
      guint wanted_truth =
        (guint) ((a == b) | (a != b) << 1 | (a < b) << 2 | (a >= b) << 3 | !(a >= b) << 4 | (isnan (a) != 0) << 5
                 | (isinf (a) != 0) << 6 | (a == a && b == a) << 7 | (a > 1) << 8 | (a >= 8) << 9);

      pair_x = number_oracle_decode (dtype, test_numbers_fused (dtype, a, c, b));
      pair_y = number_oracle_decode (dtype, test_numbers_fused (dtype, b, c, a));
      {
        const guint wanted[16] = { number_oracle_encode (dtype, a + b),
                                   number_oracle_encode (dtype, a - b),
                                   number_oracle_encode (dtype, a * b),
                                   fused,
                                   number_oracle_encode (dtype, most_a ? a : b),
                                   number_oracle_encode (dtype, least_a ? a : b),
                                   number_oracle_encode (dtype, fabs (a)),
                                   number_oracle_encode (dtype, -b),
                                   test_numbers_saturate (dtype, fused),
                                   number_oracle_encode (dtype, isnan (a) || isnan (b) ? nan
                                                                : least_a              ? a
                                                                                       : b),
                                   number_oracle_encode (dtype, sqrt (a)),
                                   number_oracle_encode (dtype, nearbyint (a)),
                                   number_oracle_encode (dtype, floor (a)),
                                   number_oracle_encode (dtype, sum * c),
                                   number_oracle_encode (dtype, pair_x),
                                   number_oracle_encode (dtype, pair_y * b) };

        for (guint k = 0; k < 16; k++)
          test_numbers_assert (type, k, a, b, c, out[k], wanted[k]);
      }
      if (truth[i] != wanted_truth)
        g_error ("comparisons of %a and %a: 0x%x, not 0x%x", a, b, truth[i], wanted_truth);
    }
  test_numbers_free (results, G_N_ELEMENTS (results));
}

static void
test_numbers_half (void)
{
  test_numbers_arithmetic (LEAT_DTYPE_F16, "#include <cuda_fp16.h>\ntypedef half T; typedef __half2 T2;");
}

static void
test_numbers_bfloat (void)
{
  test_numbers_arithmetic (LEAT_DTYPE_BF16,
                           "#include <cuda_bf16.h>\ntypedef __nv_bfloat16 T; typedef nv_bfloat162 T2;");
}

/* Functions without an exact value: at most one number away. */
static void
test_numbers_functions (void)
{
  static const char text[] =
    "#include <cuda_fp16.h>\n"
    "__global__ void f (const __half *x, uint64_t x_count, __half *out)\n{\n"
    "  GRID_FOR (i, x_count)\n    {\n"
    "      half a = x[i], *o = out + 8 * i;\n"
    "      o[0] = hexp (a); o[1] = hlog (a); o[2] = hrsqrt (a); o[3] = hrcp (a); o[4] = hexp2 (a); o[5] = hlog2 (a);\n"
    "      o[6] = hsin (a); o[7] = __hdiv (a, __float2half (3.0f));\n    }\n}\n";
  g_autofree guint16 *x = g_new (guint16, N);
  g_autoptr (GBytes) result = NULL;
  const guint16 *out;

  for (guint i = 0; i < N; i++)
    x[i] = (guint16) i;
  test_numbers_run (text, "out=f16[65536,8]", (const char *const[]){ "x=f16[65536]", NULL },
                    (const gconstpointer[]){ x }, (const gsize[]){ 2 * N }, (const char *const[]){ "out", NULL },
                    &result);
  out = g_bytes_get_data (result, NULL);
  for (guint i = 0; i < N; i++, out += 8)
    {
      double a = number_oracle_decode (LEAT_DTYPE_F16, i);
      const double wanted[] = { exp (a), log (a), 1 / sqrt (a), 1 / a, exp2 (a), log2 (a), sin (a), a / 3 };

      for (guint k = 0; k < G_N_ELEMENTS (wanted); k++)
        {
          guint near = number_oracle_encode (LEAT_DTYPE_F16, wanted[k]);

          if (isnan (wanted[k]) ? !number_oracle_is_nan (LEAT_DTYPE_F16, out[k]) : ABS ((int) out[k] - (int) near) > 1)
            g_error ("function %u of %a: 0x%x, not 0x%x", k, a, out[k], near);
        }
    }
}

/* Conversions by name, and the ways to round. */
static void
test_numbers_conversions (void)
{
  static const char text[] =
    "#include <cuda_fp8.h>\n"
    "__global__ void f (const float *x, uint64_t x_count, half *h, __nv_bfloat16 *b, __nv_fp8_e4m3 *e, __nv_fp8x2_e5m2 "
    "*g,\n"
    "                   int *w)\n{\n"
    "  GRID_FOR (i, x_count)\n    {\n"
    "      h[4 * i] = __float2half (x[i]); h[4 * i + 1] = __float2half_rz (x[i]); h[4 * i + 2] = __float2half_ru "
    "(x[i]);\n"
    "      h[4 * i + 3] = __float2half_rd (x[i]); b[2 * i] = __float2bfloat16 (x[i]); b[2 * i + 1] = "
    "__float2bfloat16_rz (x[i]);\n"
    "      e[i] = __nv_fp8_e4m3 (x[i]); g[i] = __nv_fp8x2_e5m2 (make_float2 (x[i], 1));\n"
    "      w[2 * i] = __half2int_rn (h[4 * i]); w[2 * i + 1] = __half2int_ru (h[4 * i]);\n    }\n}\n";
  enum
  {
    M = 40000
  };
  g_autofree float *x = g_new (float, M);
  GBytes *results[5] = { NULL };
  const guint16 *h, *b;
  const guint8 *e, *g;
  const gint32 *w;

  for (guint i = 0; i < M; i++)
    {
      guint32 bits = (guint32) g_test_rand_int ();

      if (i % 2 == 0)
        bits = (bits & 0x8fffffffu) | 0x30000000u;
      memcpy (&x[i], &bits, sizeof bits);
      if (i < 5)
        x[i] = ((const float[]){ 0, -0.0f, INFINITY, -INFINITY, NAN })[i];
    }
  test_numbers_run (text, "h=f16[40000,4] b=bf16[40000,2] e=f8e4m3[40000] g=f8e5m2[40000,2] w=i32[40000,2]",
                    (const char *const[]){ "x=f32[40000]", NULL }, (const gconstpointer[]){ x },
                    (const gsize[]){ 4 * M }, (const char *const[]){ "h", "b", "e", "g", "w", NULL }, results);
  h = g_bytes_get_data (results[0], NULL);
  b = g_bytes_get_data (results[1], NULL);
  e = g_bytes_get_data (results[2], NULL);
  g = g_bytes_get_data (results[3], NULL);
  w = g_bytes_get_data (results[4], NULL);
  for (guint i = 0; i < M; i++)
    {
      double near = number_oracle_decode (LEAT_DTYPE_F16, number_oracle_encode (LEAT_DTYPE_F16, x[i]));
      double cut = number_oracle_decode (LEAT_DTYPE_F16, h[4 * i + 1]),
             up = number_oracle_decode (LEAT_DTYPE_F16, h[4 * i + 2]),
             down = number_oracle_decode (LEAT_DTYPE_F16, h[4 * i + 3]);
      double brief = number_oracle_decode (LEAT_DTYPE_BF16, b[2 * i + 1]);

      g_assert_cmphex (h[4 * i], ==, number_oracle_encode (LEAT_DTYPE_F16, x[i]));
      g_assert_cmphex (b[2 * i], ==, number_oracle_encode (LEAT_DTYPE_BF16, x[i]));
      g_assert_cmphex (e[i], ==, number_oracle_encode (LEAT_DTYPE_F8E4M3, x[i]));
      g_assert_cmphex (g[2 * i], ==, number_oracle_encode (LEAT_DTYPE_F8E5M2, x[i]));
      g_assert_cmphex (g[2 * i + 1], ==, 0x3c);
      if (isnan (x[i]))
        continue;
      /* Neighbours around it, and the nearest is one of them. */
      g_assert_true (down <= x[i] && x[i] <= up && (near == down || near == up));
      g_assert_true (down == up ? near == x[i] : h[4 * i + 2] != h[4 * i + 3]);
      g_assert_true (cut == (x[i] < 0 ? up : down) && fabs (brief) <= fabs (x[i]));
      if (fabs (near) < 1e9)
        g_assert_true (w[2 * i] == nearbyint (near) && w[2 * i + 1] == ceil (near));
    }
  test_numbers_free (results, G_N_ELEMENTS (results));
}

static void
test_numbers_complex (void)
{
  static const char text[] = "#include <cuComplex.h>\n"
                             "__global__ void f (const cuFloatComplex *z, uint64_t z_count, cuFloatComplex *out, "
                             "cuDoubleComplex *wide, float *size)\n{\n"
                             "  GRID_FOR (i, z_count)\n    {\n"
                             "      out[i] = cuCaddf (cuCmulf (z[i], make_cuFloatComplex (2, 1)), cuConjf (z[i]));\n"
                             "      wide[i] = cuCdiv (cuComplexFloatToDouble (z[i]), make_cuDoubleComplex (0, 2)); "
                             "size[i] = cuCabsf (z[i]);\n    }\n}\n";
  const float z[] = { 3, 4, -5, 12, 0, 0, 8, -6 };
  const float out[] = { 2 * 3 - 4 + 3, 3 + 8 - 4, -10 - 12 - 5, -5 + 24 - 12, 0, 0, 16 + 6 + 8, 8 - 12 + 6 };
  const double wide[] = { 2, -1.5, 6, 2.5, 0, 0, -3, -4 };
  const float size[] = { 5, 13, 0, 10 };
  GBytes *results[3] = { NULL };

  test_numbers_run (text, "out=c64[4] wide=c128[4] size=f32[4]", (const char *const[]){ "z=c64[4]", NULL },
                    (const gconstpointer[]){ z }, (const gsize[]){ sizeof z },
                    (const char *const[]){ "out", "wide", "size", NULL }, results);
  g_assert_cmpmem (g_bytes_get_data (results[0], NULL), g_bytes_get_size (results[0]), out, sizeof out);
  for (guint i = 0; i < 8; i++)
    g_assert_cmpfloat (((const double *) g_bytes_get_data (results[1], NULL))[i], ==, wide[i]);
  g_assert_cmpmem (g_bytes_get_data (results[2], NULL), g_bytes_get_size (results[2]), size, sizeof size);
  test_numbers_free (results, G_N_ELEMENTS (results));
}

/* Between the lanes of a warp, and between threads. */
static void
test_numbers_together (void)
{
  static const char text[] = "#include <cuda_fp16.h>\n"
                             "__global__ void f (const half *x, uint64_t x_count, half *y, half2 *z, half *sums)\n{\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  half v = x[i] + __shfl_xor_sync (0xffffffffu, x[i], 1);\n\n"
                             "  y[i] = v; z[i] = __shfl_down_sync (0xffffffffu, __halves2half2 (x[i], v), 4);\n"
                             "  atomicAdd (sums + i % 4, x[i]);\n}\n";
  guint16 x[256];
  GBytes *results[3] = { NULL };
  const guint16 *y, *z, *sums;
  double totals[4] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (x); i++)
    x[i] = (guint16) number_oracle_encode (LEAT_DTYPE_F16, (double) (i * 7 % 19) - 9);
  test_numbers_run (text, "grid=2 block=128 y=f16[256] z=f16[256,2] sums=f16[4] clear=sums",
                    (const char *const[]){ "x=f16[256]", NULL }, (const gconstpointer[]){ x },
                    (const gsize[]){ sizeof x }, (const char *const[]){ "y", "z", "sums", NULL }, results);
  y = g_bytes_get_data (results[0], NULL);
  z = g_bytes_get_data (results[1], NULL);
  sums = g_bytes_get_data (results[2], NULL);
  for (guint i = 0; i < G_N_ELEMENTS (x); i++)
    {
      guint from = i % 32 < 28 ? i + 4 : i;
      double sum = number_oracle_decode (LEAT_DTYPE_F16, x[i]) + number_oracle_decode (LEAT_DTYPE_F16, x[i ^ 1]);

      totals[i % 4] += number_oracle_decode (LEAT_DTYPE_F16, x[i]);
      g_assert_cmphex (y[i], ==, number_oracle_encode (LEAT_DTYPE_F16, sum));
      g_assert_cmphex (z[2 * i], ==, x[from]);
      g_assert_cmphex (z[2 * i + 1], ==, y[from]);
    }
  /* Exact, whatever the order. */
  for (guint k = 0; k < 4; k++)
    g_assert_cmpfloat (number_oracle_decode (LEAT_DTYPE_F16, sums[k]), ==, totals[k]);
  test_numbers_free (results, G_N_ELEMENTS (results));
}

static void
test_numbers_refuses (void)
{
  static const struct
  {
    const char *text, *says;
  } table[] = {
    { "__global__ void f (const half *x, float *y) {}", "#include <cuda_fp16.h> for it" },
    { "__global__ void f (const cuDoubleComplex *x, float *y) {}", "#include <cuComplex.h> for it" },
    { "#include <cuda_fp16.h>\n__global__ void f (const float *x, float *y, half z) {}",
      "\"z\" is a half by value, which an argument cannot be; take \"float z\"" },
    { "#include <leat-complex.h>\n__global__ void f (const float *x, float *y, leat_c64 z) {}",
      "which an argument cannot be; take \"double z\"" },
    { "#include <cuda_fp4.h>\n__global__ void f (const float *x, float *y) {}", "of CUDA's number types there are" },
    { "#include <leat-cuda-narrow.h>\n__global__ void f (const float *x, float *y) {}", "cannot include" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;
      LeatKernelSource *source = leat_kernel_source_new ("k.cu", table[i].text, &error);

      if (source != NULL)
        g_assert_null (leat_kernel_source_get_prototype (source, "f", &error));
      g_assert_nonnull (error);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, table[i].says));
      g_clear_error (&error);
      g_clear_pointer (&source, leat_kernel_source_unref);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel-numbers/half", test_numbers_half);
  g_test_add_func ("/leat/kernel-numbers/bfloat", test_numbers_bfloat);
  g_test_add_func ("/leat/kernel-numbers/functions", test_numbers_functions);
  g_test_add_func ("/leat/kernel-numbers/conversions", test_numbers_conversions);
  g_test_add_func ("/leat/kernel-numbers/complex", test_numbers_complex);
  g_test_add_func ("/leat/kernel-numbers/together", test_numbers_together);
  g_test_add_func ("/leat/kernel-numbers/refuses", test_numbers_refuses);
  return g_test_run ();
}
