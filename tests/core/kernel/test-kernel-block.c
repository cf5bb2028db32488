/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel/leat-kernel-source-private.h"

#include <string.h>

/* Kernels whose results are the same whatever the size of their blocks, and those of which that is not certain. */

static const char prelude[] = "struct Count { int n; __device__ int next () { return ++n; } };\n"
                              "__device__ int count_of_file;\n__constant__ int weights[4] = { 1, 2, 3, 4 };\n"
                              "__device__ int twice (int v) { return 2 * v; }\n"
                              "__device__ int mine () { return threadIdx.x; }\n"
                              "__device__ int wide () { return blockDim.x; }\n"
                              "__device__ void bump (int &to, int v) { to += v; }\n"
                              "__device__ void bump_at (int *to, int v) { *to += v; }\n"
                              "__device__ int *table () { __shared__ int t[4]; return t; }\n"
                              "__device__ void meet () { __syncthreads (); }\n"
                              "__device__ void note (int v) { atomicAdd (&count_of_file, v); }\n"
                              "__device__ int kept () { return count_of_file; }\n"
                              "__device__ int asked () { static int n; return n; }\n";

#define I "uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; "
#define Y "uint32_t j = blockIdx.y * blockDim.y + threadIdx.y; "

static const struct
{
  const char *body;
  gboolean loops;
} free_bodies[] = {
  { "GRID_FOR (i, n) y[i] = x[i];", TRUE },
  { "GRID_FOR (i, n) { int s = 0; for (int k = 0; k < 4; k++) s += x[i] * weights[k]; y[i] = s; }", TRUE },
  { "GRID_FOR (i, n) { int t[4]; t[0] = x[i]; y[i] = twice (t[0]); }", TRUE },
  { "GRID_FOR (i, n) { int s = x[i]; bump (s, 2); y[i] = twice (n) + s; }", TRUE },
  { "const int last = n - 1; GRID_FOR (i, n) y[i] = x[i < last ? i + 1 : i];", TRUE },
  { "const int *other = x + 1; GRID_FOR (i, n) y[i] = other[i];", TRUE },
  { "GRID_FOR (i, n) for (int k = 0; k < 9; k++) { if (x[i] < k) break; y[i] = k; }", TRUE },
  { "GRID_FOR (i, n) { if (x[i] < 0) continue; y[i] = x[i]; }", TRUE },
  { "GRID_FOR (i, n) y[i] = x[i]; GRID_FOR (i, n) y[n + i] = x[i];", TRUE },
  { I "if (i >= n) return; y[i] = x[i];", FALSE },
  { I "if (i < n) y[i] = x[i];", FALSE },
  { I "if (i < n) { int s = x[i]; bump (s, 2); y[i] = s; }", FALSE },
  { I "if (n > i) y[i] = x[i];", FALSE },
  { I "if (n <= i) { return; } y[i] = x[i];", FALSE },
  { "int i = threadIdx.x + blockIdx.x * blockDim.x; int t = 3; if (i >= n) return; y[i] = t;", FALSE },
  { "const uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1;", FALSE },
  { I Y "if (i >= n || j >= n) return; y[j * n + i] = x[i * n + j];", FALSE },
  { I Y "if (i < n && j < n) y[j * n + i] = x[i * n + j];", FALSE },
  { I "if (i >= n) return; for (int k = 0; k < n; k++) y[i] += x[k];", FALSE },
};

static const struct
{
  const char *body, *says;
} bound_bodies[] = {
  /* other threads */
  { "__shared__ int t[256]; " I "if (i >= n) return; t[threadIdx.x] = x[i]; y[i] = t[0];", "uses shared memory" },
  { "GRID_FOR (i, n) y[i] = table ()[0];", "\"table\": the kernel uses shared memory" },
  { "extern __shared__ int t[]; GRID_FOR (i, n) y[i] = t[0];", "uses shared memory" },
  { I "__syncthreads (); if (i < n) y[i] = x[i];", "makes threads wait for each other" },
  { "GRID_FOR (i, n) { meet (); y[i] = x[i]; }", "\"meet\": the kernel makes threads wait" },
  { I "if (i < n) y[i] = __shfl_sync (~0u, x[i], 0);", "makes threads wait for each other" },
  { I "if (i < n) y[i] = __activemask ();", "makes threads wait for each other" },
  { "GRID_FOR (i, n) atomicAdd (&y[0], x[i]);", "\"atomicAdd\": the kernel has work whose order" },
  { "GRID_FOR (i, n) note (x[i]);", "\"note\": the kernel uses a variable of the file" },
  { "leat_grid_sync (); GRID_FOR (i, n) y[i] = x[i];", "makes threads wait" },
  { "volatile int *v = y; GRID_FOR (i, n) v[i] = x[i];", "looks at what other threads write" },
  { "GRID_FOR (i, n) { y[i] = x[i]; __threadfence (); }", "order depends on the blocks" },
  { "GRID_FOR (i, n) y[i] = (int) clock64 ();", "asks for the time" },
  { "GRID_FOR (i, n) asm (\"\");", "has assembly" },
  { "GRID_FOR (i, n) y[i] = count_of_file;", "a variable of the file that kernels may change" },
  { "GRID_FOR (i, n) y[i] = kept ();", "kernels may change" },
  { "GRID_FOR (i, n) y[i] = asked ();", "keeps a static variable" },
  /* which thread it is */
  { "y[threadIdx.x] = x[threadIdx.x];", "\"threadIdx\" stands for more than the thread's number in the grid" },
  { "y[blockIdx.x] = x[0];", "\"blockIdx\" stands for more" },
  { "y[0] = gridDim.x;", "\"gridDim\" stands for more" },
  { I "if (i < n) y[i] = blockDim.x;", "\"blockDim\" stands for more" },
  { I "if (i < n) y[i] = mine ();", "tells threads apart outside of the kernel itself" },
  { I "if (i < n) y[i] = wide ();", "tells threads apart outside of the kernel itself" },
  { "GRID_FOR (i, n) y[i] = threadIdx.x;", "beside GRID_FOR a thread must not ask which one it is" },
  { I "GRID_FOR (k, n) y[k] = i;", "beside GRID_FOR a thread must not ask" },
  { "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = x[i];",
    "GRID_FOR" },
  { "uint32_t i = 2 * blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1;", "stands for more" },
  { "uint32_t i = blockIdx.x * blockDim.x - threadIdx.x; if (i < n) y[i] = 1;", "stands for more" },
  { "uint32_t i = blockIdx.y * blockDim.x + threadIdx.x; if (i < n) y[i] = 1;", "stands for more" },
  { I "i++; if (i < n) y[i] = 1;", "\"i\" is changed, so it is not the thread's number any more" },
  { "y[0] = 1;", "no thread asks which one it is" },
  /* threads past the end */
  { I "y[i] = x[i];", "threads past the last item must do nothing: begin with \"if (i >= COUNT) return;\"" },
  { I "y[i] = 0; if (i >= n) return; y[i] = x[i];", "past the last item" },
  { I "if (i < n) y[i] = x[i]; y[i + 1] = 0;", "past the last item" },
  { I "if (i < n || n == 0) y[i] = x[i];", "past the last item" },
  { I "if (i >= n && n > 3) return; y[i] = x[i];", "past the last item" },
  { I "if (i > n) return; y[i] = x[i];", "past the last item" },
  { I Y "if (i >= n) return; y[j * n + i] = 1;", "\"if (j >= COUNT) return;\"" },
  /* from item to item */
  { "int s = 0; GRID_FOR (i, n) { s += x[i]; y[i] = s; }", "\"s\" may go from one item of a thread to the next" },
  { "int s = 0; GRID_FOR (i, n) { bump (s, x[i]); y[i] = s; }", "\"s\" may go from one item" },
  { "int s = 0; GRID_FOR (i, n) { bump_at (&s, x[i]); y[i] = s; }", "\"s\" may go from one item" },
  { "int s = 0; GRID_FOR (i, n) { int &r = s; r += x[i]; y[i] = s; }", "\"s\" may go from one item" },
  { "GRID_FOR (i, n) { bump (n, -1); y[i] = n; }", "\"n\" may go from one item" },
  { I "bump (i, 1); if (i < n) y[i] = 1;", "\"i\" is changed" },
  { "Count c; GRID_FOR (i, n) y[i] = c.next ();", "\"c\" may go from one item" },
  { "int t[4]; GRID_FOR (i, n) { t[i % 4] = x[i]; y[i] = t[0]; }", "\"t\" may go from one item" },
  { "GRID_FOR (i, n) { n--; y[i] = n; }", "\"n\" may go from one item" },
  { "GRID_FOR (i, n) { if (x[i] < 0) return; y[i] = 1; }", "leaves before it has done all of its items" },
  { "GRID_FOR (i, n) { if (x[i] < 0) break; y[i] = 1; }", "leaves before it has done all of its items" },
  { "if (n > 4) return; GRID_FOR (i, n) y[i] = 1;", "only declarations may stand beside GRID_FOR" },
  { "GRID_FOR (i, n) y[i] = 1; y[0] = 7;", "only declarations may stand beside GRID_FOR" },
  { "note (1); GRID_FOR (i, n) y[i] = 1;", "\"note\": the kernel uses a variable" },
  { "bump (y[0], 1); GRID_FOR (i, n) y[i] = 1;", "only declarations may stand beside GRID_FOR" },
};

static char *
find_why (const char *body, gboolean *loops)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text =
    g_strconcat (prelude, "__global__ void k (const int *x, int n, int *y)\n{ ", body, " }\n", NULL);
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("k.cu", text, &error);

  g_assert_no_error (error);
  return leat_kernel_source_dup_why_one_block (source, "k", loops);
}

static void
test_kernel_block_free (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (free_bodies); i++)
    {
      gboolean loops;
      g_autofree char *why = find_why (free_bodies[i].body, &loops);

      if (why != NULL)
        g_error ("%s: %s", free_bodies[i].body, why);
      g_assert_cmpint (loops, ==, free_bodies[i].loops);
    }
}

static void
test_kernel_block_bound (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bound_bodies); i++)
    {
      gboolean loops;
      g_autofree char *why = find_why (bound_bodies[i].body, &loops);

      if (why == NULL || strstr (why, bound_bodies[i].says) == NULL)
        g_error ("%s: \"%s\" does not say \"%s\"", bound_bodies[i].body, why, bound_bodies[i].says);
      g_assert_true (g_str_has_prefix (why, "k.cu:"));
    }
}

/* A text that is another one on a GPU is looked at there too. */
static void
test_kernel_block_devices (void)
{
  static const char text[] = "__global__ void k (const int *x, int n, int *y)\n{\n"
                             "#ifdef LEAT_CUDA\n  __syncthreads ();\n#endif\n  GRID_FOR (i, n) y[i] = x[i];\n}\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("k.cu", text, &error);
  g_autofree char *why = NULL;
  gboolean loops;

  g_assert_no_error (error);
  why = leat_kernel_source_dup_why_one_block (source, "k", &loops);
  g_assert_nonnull (why);
  g_assert_nonnull (strstr (why, "makes threads wait"));
}

static void
test_kernel_block_queue (void)
{
  static const char text[] = "__global__ void k (LeatQueue<int> work, int n, int *y)\n{ GRID_FOR (i, n) y[i] = 1; }\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("k.cu", text, &error);
  g_autofree char *why = NULL;
  gboolean loops;

  g_assert_no_error (error);
  why = leat_kernel_source_dup_why_one_block (source, "k", &loops);
  g_assert_nonnull (why);
  g_assert_nonnull (strstr (why, "order depends on the blocks"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/block/free", test_kernel_block_free);
  g_test_add_func ("/leat/kernel/block/bound", test_kernel_block_bound);
  g_test_add_func ("/leat/kernel/block/devices", test_kernel_block_devices);
  g_test_add_func ("/leat/kernel/block/queue", test_kernel_block_queue);
  return g_test_run ();
}
