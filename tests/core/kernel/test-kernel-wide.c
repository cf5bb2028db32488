/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "kernel/leat-kernel-source-private.h"

#include <string.h>

/* Many lanes in one launch: of which kernels they can be, and what is launched then. */

static const struct
{
  const char *text;
  const char *why; /* NULL: its lanes can be one launch */
} lane_cases[] = {
  { "__global__ void k (float *y) { y[blockIdx.x * gridDim.y + blockIdx.y] = threadIdx.z; }", NULL },
  { "__global__ void k (float *y) { GRID_FOR (i, 8) y[i] = 1; }", NULL },
  { "__global__ void k (float *y) { y[blockIdx . z] = 1; }", "grid's z" },
  { "__global__ void k (float *y) { y[0] = gridDim.z; }", "grid's z" },
  { "__global__ void k (float *y) { dim3 all = gridDim; y[0] = all.x; }", "grid's z" },
  { "__device__ unsigned at () { return blockIdx.z; }\n__global__ void k (float *y) { y[at ()] = 1; }", "grid's z" },
  { "__device__ unsigned at () { return blockIdx.z; }\n__global__ void k (float *y) { y[0] = 1; }", NULL },
  { "#define AT blockIdx.z\n__global__ void k (float *y) { y[AT] = 1; }", "grid's z" },
  { "__global__ void k (float *y) { y[0] = 1; leat_grid_sync (); }", "wait for each other" },
  { "__global__ void k (float *y) { asm volatile (\"\"); y[0] = 1; }", "assembly" },
  { "__global__ void k (float *y) { y[blockIdx.x1] = 1; }", "grid's z" },
  { "__global__ void k (float *y) { y[blockIdx.y_] = 1; }", "grid's z" },
  { "__global__ void k (float *y) { y[0] = blockIdx->x; }", "grid's z" },
  { "__device__ unsigned at () { return blockIdx.z; }\n__device__ unsigned by () { return at (); }\n"
    "__global__ void k (float *y) { y[by ()] = 1; }",
    "grid's z" },
  { "__device__ void meet () { leat_grid_sync (); }\n__global__ void k (float *y) { y[0] = 1; meet (); }",
    "wait for each other" },
  { "__device__ void odd () { asm volatile (\"\"); }\n__global__ void k (float *y) { odd (); y[0] = 1; }", "assembly" },
  { "__global__ void other (float *y) { asm volatile (\"\"); }\n__global__ void k (float *y) { y[0] = 1; }", NULL },
  { "__global__ void k (LeatQueue<unsigned> work, float *y) { y[0] = 1; }", "a queue of its own" },
  { "__global__ void k (unsigned *x) { while (leat_load_relaxed (x) == 0) __nanosleep (20); }", "take no tickets" },
  { "__global__ void k (unsigned *x) { unsigned t = leat_take_ticket (x);\n"
    "  while (leat_load_relaxed (x + t) == 0) __nanosleep (20); }",
    NULL },
  { "__global__ void k (unsigned *x) { x[0] = leat_take_ticket (x + 1); }", NULL },
  { "#include <cooperative_groups.h>\n__global__ void k (float *y) { y[cooperative_groups::this_grid ().block_rank ()] "
    "= "
    "1; }",
    "header of the CUDA toolkit" },
  { "#include <cooperative_groups.h>\nusing namespace cooperative_groups;\n"
    "__device__ void meet (const grid_group &all) { all.sync (); }\n"
    "__global__ void k (float *y) { y[0] = 1; meet (this_grid ()); }",
    "wait for each other" },
  { "#include <cooperative_groups.h>\n__global__ void k (float *y) { y[0] = 1; sync (y); }\n"
    "__device__ void sync (float *) {}",
    NULL },
  { "#include <cuda/atomic>\n__global__ void k (float *y) { cuda::atomic_ref<float> to (y[0]); to = 1; }", NULL },
  /* On one device alone. */
  { "__global__ void k (float *y) {\n#ifdef LEAT_CUDA\ny[blockIdx.z] = 1;\n#endif\n}", "grid's z" },
  { "__global__ void k (float *y) {\n#ifdef LEAT_HOST\ny[blockIdx.z] = 1;\n#endif\n}", "grid's z" },
  { "__global__ void k (float *y) {\n#if __CUDA_ARCH__ >= 900\ny[blockIdx.z] = 1;\n#endif\n}", "grid's z" },
  { "#ifdef LEAT_CUDA\n__device__ unsigned at () { return blockIdx.z; }\n#endif\n__global__ void k (float *y) { y[0] = "
    "1; }",
    NULL },
};

static void
test_kernel_wide_are_known_to (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (lane_cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("k.cu", lane_cases[i].text, &error);
      const char *why;

      g_assert_no_error (error);
      why = leat_kernel_source_why_not_wide (source, "k");
      g_test_message ("%s: %s", lane_cases[i].text, why != NULL ? why : "-");
      g_assert_cmpint (why == NULL, ==, lane_cases[i].why == NULL);
      g_assert_true (why == NULL || strstr (why, lane_cases[i].why) != NULL);
    }
}

static void
test_kernel_keeps_data (void)
{
  static const struct
  {
    const char *text;
    gboolean keeps;
  } them[] = { { "__device__ unsigned turn;\n", TRUE },
               { "__device__ const unsigned table[] = { 1, 2 };\n", FALSE },
               { "__constant__ unsigned table[2] = { 1, 2 };\n", FALSE },
               { "__device__ unsigned turn (unsigned x) { return x; }\n", FALSE },
               { "__managed__ unsigned turn;\n", TRUE },
               { "unsigned turn;\n", FALSE },
               { "__device__ unsigned a = 1, turn;\n", TRUE },
               { "__device__ constexpr unsigned turn = 1;\n", FALSE },
               { "__device__ unsigned *const turn = 0;\n", FALSE },
               { "__device__ unsigned turn = sizeof (const int);\n", TRUE },
               { "__device__ __shared__ unsigned turn[4];\n", FALSE },
               { "__device__ const unsigned a = 1;\n__device__ unsigned turn;\n", TRUE },
               { "#ifdef LEAT_CUDA\n__device__ unsigned turn;\n#endif\n", TRUE },
               { "#ifdef LEAT_HOST\n__device__ unsigned turn;\n#endif\n", TRUE },
               { "#if __CUDA_ARCH__ >= 900\n__device__ unsigned turn;\n#endif\n", TRUE },
               { "#ifdef LEAT_CUDA\n__constant__ unsigned table[2] = { 1, 2 };\n#endif\n", FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (them); i++)
    {
      g_autofree char *text = g_strconcat (them[i].text, "__global__ void k (float *y) { y[0] = 1; }", NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("k.cu", text, &error);

      g_assert_no_error (error);
      g_assert_cmpint (leat_kernel_source_keeps_data (source), ==, them[i].keeps);
    }
}

/* Each pointer has the bytes from lane to lane beside it, and goes to the kernel as that of its lane. */
static void
test_kernel_wide_entry (void)
{
  static const char text[] =
    "__global__ void k (const float *x, unsigned x_count, float *y, uint64_t *y_count, int n)\n"
    "{\n  y[0] = x[0] + n;\n  if (n == 3)\n    leat_report (1, n);\n}\n"
    "__global__ void deep (float *y) { y[blockIdx.z] = 1; }\n"
    "__global__ void plain (float *y, int n) { y[0] = n; }\n";
  static const char *const wanted[] = {
    " leat_wide_k (const float * x, uint64_t leat_stride_of_x, const uint64_t * x_count_where, uint64_t "
    "leat_stride_of_x_count_where, uint64_t x_count_value, uint64_t x_count_most, uint64_t * x_count_over, uint64_t "
    "leat_stride_of_x_count_over, float * y, uint64_t leat_stride_of_y, uint64_t * y_count, uint64_t "
    "leat_stride_of_y_count, int n, LeatReportBlock * leat_reports, uint64_t leat_stride_of_leat_reports, int "
    "leat_early) {",
    " leat_body_k (leat_at_lane (blockIdx.z, x, leat_stride_of_x), (unsigned) leat_take_count (leat_at_lane "
    "(blockIdx.z, "
    "x_count_where, leat_stride_of_x_count_where), x_count_value, x_count_most, leat_at_lane (blockIdx.z, "
    "x_count_over, "
    "leat_stride_of_x_count_over)), leat_at_lane (blockIdx.z, y, leat_stride_of_y), leat_at_lane (blockIdx.z, y_count, "
    "leat_stride_of_y_count), n, leat_at_lane (blockIdx.z, leat_reports, leat_stride_of_leat_reports));",
    " leat_wide_plain (float * y, uint64_t leat_stride_of_y, int n, int leat_early) {",
    " leat_body_plain (leat_at_lane (blockIdx.z, y, leat_stride_of_y), n); leat_might_write (y); }",
  };
  GError *error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("k.cu", text, &error);
  g_autofree char *cuda = leat_kernel_source_dup_cuda_text (source, LEAT_KERNEL_WIDE, &error);

  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (cuda, "#define LEAT_WIDE 1\n"));
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    if (strstr (cuda, wanted[i]) == NULL)
      g_error ("no \"%s\" in\n%s", wanted[i], strstr (cuda, "leat_body_k"));
  g_assert_null (strstr (cuda, "leat_wide_deep"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/wide/are-known-to", test_kernel_wide_are_known_to);
  g_test_add_func ("/leat/kernel/wide/keeps-data", test_kernel_keeps_data);
  g_test_add_func ("/leat/kernel/wide/entry", test_kernel_wide_entry);
  return g_test_run ();
}
