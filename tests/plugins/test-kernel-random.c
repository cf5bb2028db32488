/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <math.h>
#include <string.h>

/* Kernels with <curand_kernel.h>: states go from kernel to kernel through ports, and the numbers are those that the
 * header of CUDA 13.0 gave on a CPU, compiled without Leat. */

static const char text[] =
  "#include <curand_kernel.h>\n"
  "typedef curandStatePhilox4_32_10_t counter;\n"
  "__global__ void init (const unsigned long long *seeds, curandState *states, counter *counters, int n)\n{\n"
  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  const unsigned long long *s = seeds + 3 * i;\n"
  "  if (i >= n)\n    return;\n"
  "  curand_init (s[0], s[1], s[2], &states[i]);\n  curand_init (s[0], s[1], s[2], counters + i);\n}\n"
  "__global__ void draw (const curandState *states, const counter *counters, unsigned int *w, double *r, int n)\n{\n"
  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n)\n    return;\n"
  "  curandState s = states[i];\n  counter p = counters[i];\n  w += 10 * i;\n  r += 10 * i;\n"
  "  for (int k = 0; k < 3; k++)\n    w[k] = curand (&s);\n"
  "  r[0] = curand_uniform (&s);\n  r[1] = curand_uniform_double (&s);\n  r[2] = curand_normal (&s);\n"
  "  r[3] = curand_normal (&s);\n  r[4] = curand_normal2_double (&s).y;\n  w[3] = curand (&s);\n"
  "  w[4] = curand (&p);\n  uint4 v = curand4 (&p);\n  w[5] = v.x;\n  w[6] = v.w;\n  w[7] = curand (&p);\n"
  "  r[5] = curand_uniform4 (&p).w;\n  r[6] = curand_uniform_double (&p);\n  r[7] = curand_uniform2_double (&p).y;\n"
  "  r[8] = curand_normal4 (&p).z;\n  r[9] = curand_log_normal_double (&p, 0.5, 0.25);\n  w[8] = curand (&p);\n"
  "  w[9] = s.d;\n}\n";

static const struct
{
  guint64 seeds[3]; /* seed, sequence, offset */
  guint32 words[10];
  double reals[10];
} rows[] = {
  { { 0u, 0u, 0u },
    { 3179217846u, 1883133293u, 2220552389u, 4186136636u, 1713891541u, 3781805453u, 4175744164u, 1555169499u,
      1526716903u, 721695446u },
    { 0x1.41834p-3, 0x1.d99bceb4a483fp-2, 0x1.82cefep+0, -0x1.a53f8p-1, -0x1.c563ebf3c1f9dp+0, 0x1.471ccap-2,
      0x1.20a89d7p-3, 0x1.3592203a474a6p-1, -0x1.377d0cp-2, 0x1.3ff4c84f33992p+0 } },
  { { 1234u, 1u, 0u },
    { 3522650202u, 3978931785u, 2198015705u, 2324657611u, 3507855656u, 1392278645u, 118660703u, 1698527859u,
      2558553434u, 836806416u },
    { 0x1.133f76p-1, 0x1.1f1af3958c77p-6, -0x1.345f08p+0, 0x1.8b378ep-2, 0x1.750c8b4057e5cp-4, 0x1.2c3686p-2,
      0x1.9ae7d994p-2, 0x1.9df5763dfc1a6p-1, -0x1.e6483p-5, 0x1.30860338c4a03p+1 } },
  { { 42u, 1000000u, 7u },
    { 4131651061u, 2266280242u, 1171543437u, 4129847556u, 3130724496u, 2209007895u, 763275791u, 2207192448u,
      1375301523u, 3530705627u },
    { 0x1.a85aa6p-1, 0x1.571fa3ad1d9a6p-1, -0x1.4de55p-3, 0x1.922bb8p-1, -0x1.13180f33da9cfp-1, 0x1.2dae7ap-1,
      0x1.e9d51a5p-3, 0x1.cb487a1715344p-4, 0x1.aecd7cp-2, 0x1.0d6b50b2af763p+0 } },
  { { G_GUINT64_CONSTANT (0x123456789abcdef), G_GUINT64_CONSTANT (0xffffffffff), G_GUINT64_CONSTANT (123456789012) },
    { 1178049407u, 1057542423u, 836297727u, 67378923u, 1804713207u, 702204173u, 1682427083u, 3343637016u, 3591060186u,
      3924725482u },
    { 0x1.9e812ep-3, 0x1.51e355358a741p-2, -0x1.354796p-2, 0x1.196a5ap-2, -0x1.55c62708a6465p-2, 0x1.9f807cp-1,
      0x1.38a4d2bp-3, 0x1.27a45c82fcfa6p-1, 0x1.c480f2p-4, 0x1.70741befe94e5p+0 } },
  { { G_MAXUINT64, G_MAXUINT64, G_MAXUINT64 - 5 },
    { 1230774337u, 1096860627u, 3164047983u, 4202559518u, 1580263436u, 2020840296u, 2117078193u, 1092603645u,
      1635452367u, 4197769264u },
    { 0x1.1cd9c2p-1, 0x1.2406cc6661924p-4, 0x1.89fae6p-2, -0x1.6314a4p+0, -0x1.0a1a4359968dbp+0, 0x1.fde904p-1,
      0x1.fac3f7b4p-1, 0x1.2a15729c0107fp-2, -0x1.f1af1ep-5, 0x1.fd4be9c3ed36ep+0 } },
};

/* Those that go through no function of mathematics. */
static gboolean
test_random_is_exact (guint k)
{
  return k < 2 || (k >= 5 && k <= 7);
}

static void
test_random_push (LeatPipeline *pipeline)
{
  g_autoptr (GByteArray) seeds = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  LeatApp *app = LEAT_APP (leat_pipeline_get_node (pipeline, "seeds", NULL));

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_byte_array_append (seeds, (const guint8 *) rows[i].seeds, sizeof rows[i].seeds);
  bytes = g_bytes_new (seeds->data, seeds->len);
  leat_app_push_bytes (app, bytes, &error);
  g_assert_no_error (error);
  leat_app_end (app);
}

static void
test_random_numbers (void)
{
  g_autofree char *path = leat_harness_dup_path ("random.cu");
  g_autofree char *graph = g_strdup_printf (
    "leat 1\nseeds = app spec=u64[5,3]\ni = kernel source=%s entry=init n=5 states=u8[5,48] counters=u8[5,64]\n"
    "d = kernel source=%s entry=draw n=5 w=u32[5,10] r=f64[5,10]\nseeds -> upload -> i.seeds\ni.states -> d.states\n"
    "i.counters -> d.counters\nd.w -> readback -> app name=w\nd.r -> readback -> app name=r\n",
    path, path);
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GBytes) w = NULL, r = NULL;
  g_autoptr (GError) error = NULL;

  leat_harness_write_file (path, text, strlen (text));
  pipeline = leat_parse_text (graph, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  test_random_push (pipeline);
  leat_session_run (session, NULL, &error);
  g_assert_no_error (error);
  w = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "w", NULL)), 0, &error);
  r = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "r", NULL)), 0, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint k = 0; k < 10; k++)
      {
        double got = ((const double *) g_bytes_get_data (r, NULL))[10 * i + k];

        g_test_message ("row %u, number %u", i, k);
        g_assert_cmpuint (((const guint32 *) g_bytes_get_data (w, NULL))[10 * i + k], ==, rows[i].words[k]);
        if (test_random_is_exact (k))
          g_assert_cmpfloat (got, ==, rows[i].reals[k]);
        else
          g_assert_cmpfloat_with_epsilon (got, rows[i].reals[k], 1e-5);
      }
  leat_session_close (session);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/random/numbers", test_random_numbers);
  status = g_test_run ();
  leat_harness_remove_files ();
  return status;
}
