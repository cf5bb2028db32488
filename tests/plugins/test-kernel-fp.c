/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <math.h>
#include <string.h>

/* fp= of the node `kernel`: the bits of results, on whatever device the tests run on, beside C's. */

#define FP_ITEMS 64

static const char source[] = "__global__ void work (const float *in, uint64_t in_count, float *out)\n"
                             "{ GRID_FOR (i, in_count) out[i] = in[i] * 3.0f + in[i]; }\n"
                             "__global__ void part (const float *in, uint64_t in_count, float *out)\n"
                             "{ GRID_FOR (i, in_count) out[i] = sqrtf (in[i]) / 7.0f; }\n";

/* Runs over the inputs, and tells whether that was on the CPU. */
static gboolean
run_kernel (const char *entry, const char *fp, const float *in, float *out)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = leat_harness_dup_path ("fp.cu");
  g_autofree char *text = g_strdup_printf ("leat 1\nk = kernel source=%s entry=%s fp=%s\na = app spec=f32[%u]\n"
                                           "b = app\na -> upload -> k.in\nk.out -> readback -> b\n",
                                           path, entry, fp, FP_ITEMS);
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (LeatDevice) device = leat_device_open (NULL, &error);
  g_autoptr (GBytes) bytes = g_bytes_new (in, FP_ITEMS * sizeof *in), result = NULL;

  g_assert_no_error (error);
  leat_harness_write_file (path, source, strlen (source));
  pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), bytes, &error);
  leat_app_end (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)));
  session = leat_session_new (pipeline, NULL);
  g_assert_true (leat_session_open (session, NULL, &error));
  g_assert_true (leat_session_run (session, NULL, &error));
  g_assert_no_error (error);
  result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (result), ==, FP_ITEMS * sizeof *out);
  memcpy (out, g_bytes_get_data (result, NULL), FP_ITEMS * sizeof *out);
  leat_session_close (session);
  return leat_device_is_cpu (device);
}

static guint32
get_bits (float x)
{
  guint32 bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

/* Numbers that have no full precision any more are kept, but on a GPU that is asked to flush them. */
static void
test_kernel_fp_flush (void)
{
  static const struct
  {
    const char *fp;
    gboolean flushes;
  } rows[] = { { "strict", FALSE },     { "flush", TRUE }, { "div,sqrt", FALSE }, { "fast", FALSE },
               { "intrinsics", FALSE }, { "all", TRUE },   { "div", FALSE },      { "flush,contract", TRUE } };
  float in[FP_ITEMS], out[FP_ITEMS];

  for (guint i = 0; i < FP_ITEMS; i++)
    in[i] = ldexpf (1.0f + i, -146);
  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      gboolean is_cpu = run_kernel ("work", rows[r].fp, in, out);

      for (guint i = 0; i < FP_ITEMS; i++)
        {
          float wanted = rows[r].flushes && !is_cpu ? 0.0f : 4.0f * in[i];

          if (get_bits (out[i]) != get_bits (wanted))
            g_error ("fp=%s: %a became %a, not %a", rows[r].fp, in[i], out[i], wanted);
        }
    }
}

/* Each operation rounded by itself, unless a product and a sum may be one. */
static void
test_kernel_fp_contract (void)
{
  static const char *const apart[] = { "strict", "flush", "div,sqrt,intrinsics" };
  static const char *const joined[] = { "contract", "fast", "all" };
  float in[FP_ITEMS], out[FP_ITEMS];

  for (guint i = 0; i < FP_ITEMS; i++)
    in[i] = 1.0f + (float) (i * 2 + 1) / 8388608.0f;
  for (guint r = 0; r < G_N_ELEMENTS (apart); r++)
    {
      run_kernel ("work", apart[r], in, out);
      for (guint i = 0; i < FP_ITEMS; i++)
        {
          volatile float product = in[i] * 3.0f;

          g_assert_cmphex (get_bits (out[i]), ==, get_bits (product + in[i]));
        }
    }
  for (guint r = 0; r < G_N_ELEMENTS (joined); r++)
    {
      run_kernel ("work", joined[r], in, out);
      for (guint i = 0; i < FP_ITEMS; i++)
        {
          volatile float product = in[i] * 3.0f;

          g_assert_true (get_bits (out[i]) == get_bits (product + in[i])
                         || get_bits (out[i]) == get_bits (fmaf (in[i], 3.0f, in[i])));
        }
    }
}

/* Exact on a CPU whatever it is asked, and close on a GPU. */
static void
test_kernel_fp_parts (void)
{
  static const char *const sets[] = { "strict", "contract", "flush", "div", "sqrt", "intrinsics", "all" };
  float in[FP_ITEMS], out[FP_ITEMS];

  for (guint i = 0; i < FP_ITEMS; i++)
    in[i] = 0.37f * (float) (i + 1);
  for (guint r = 0; r < G_N_ELEMENTS (sets); r++)
    {
      gboolean is_cpu = run_kernel ("part", sets[r], in, out);
      gboolean is_exact = is_cpu || r < 3 || r == 5;

      for (guint i = 0; i < FP_ITEMS; i++)
        {
          float wanted = sqrtf (in[i]) / 7.0f;

          if (is_exact)
            g_assert_cmphex (get_bits (out[i]), ==, get_bits (wanted));
          g_assert_cmpfloat (fabsf (out[i] - wanted), <=, wanted * 1e-6f);
        }
    }
}

int
main (int argc, char **argv)
{
  int code;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/base/kernel/fp/flush", test_kernel_fp_flush);
  g_test_add_func ("/leat/base/kernel/fp/contract", test_kernel_fp_contract);
  g_test_add_func ("/leat/base/kernel/fp/parts", test_kernel_fp_parts);
  code = g_test_run ();
  leat_harness_remove_files ();
  return code;
}
