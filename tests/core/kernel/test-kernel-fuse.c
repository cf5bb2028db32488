/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "kernel/leat-kernel-fuse-private.h"

#include <string.h>

/* What becomes one kernel, without a compiler: which kernels can be a part, how much of the grid each knows, and the
 * text that comes of them. */

static LeatKernelSource *
fuse_make_source (const char *text)
{
  g_autoptr (GError) error = NULL;
  LeatKernelSource *source = leat_kernel_source_new ("t.cu", text, &error);

  if (source == NULL)
    g_error ("%s: %s", text, error->message);
  return source;
}

static char *
fuse_traits_to_string (const LeatFuseTraits *traits, guint n_params)
{
  static const char *const forms[] = { "free", "block", "item" };
  GString *out = g_string_new (forms[traits->form]);

  if (traits->count_param != G_MAXUINT)
    g_string_append_printf (out, " of %u", traits->count_param);
  g_string_append (out, traits->per_thread ? " per-thread" : "");
  g_string_append (out, traits->has_loops ? " loops" : "");
  g_string_append (out, traits->waits ? " waits" : "");
  g_string_append (out, traits->leaves ? " leaves" : "");
  g_string_append (out, traits->has_shared ? " shared" : "");
  g_string_append (out, " ");
  for (guint i = 0; i < n_params; i++)
    g_string_append_c (out, traits->indexed[i] ? 'i' : '-');
  return g_string_free (out, FALSE);
}

#define PARAMS "(const int *x, int *y, uint64_t x_count)"
#define F      "__global__ void f " PARAMS " "
#define ROWS   "GRID_FOR (i, x_count) "
#define STRIDE "for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < x_count; i += blockDim.x * gridDim.x) "
#define INDEX  "uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; "

static const struct
{
  const char *text, *traits; /* NULL: it cannot be a part */
  const char *says;
} parts[] = {
  /* items */
  { F "{ " ROWS "y[i] = x[i]; }", "item of 2 loops ii-" },
  { F "{ " STRIDE "y[i] = x[i]; }", "item of 2 loops ii-" },
  { F "{ uint64_t n = x_count; GRID_FOR (i, n) y[i] = x[i]; }", "item of 2 loops ii-" },
  { F "{ int a = 3; if (a > 2) a = 4; " ROWS "y[i] = a; }", "item of 2 loops ii-" },
  { F "{ " ROWS "{ int v = *(x + i); y[i] = v; } }", "item of 2 loops -i-" },
  { F "{ " ROWS "{ const int *p = &x[i]; y[i] = *p; } }", "item of 2 loops -i-" },
  { F "{ " ROWS "y[i] = r.x + x[i]; }", "item of 2 loops ii-" },
  { "__device__ int g (int v) { return v; }\n" F "{ " ROWS "y[i] = g (x[i]); }", "item of 2 loops ii-" },
  { "__global__ void f (const bool *x, double *y, uint64_t x_count) { " ROWS "y[i] = x[i]; }", "item of 2 loops ii-" },
  /* free, and no more */
  { F "{ uint64_t n = x_count; n /= 2; GRID_FOR (i, n) y[i] = x[i]; }", "free loops ii-" },
  { F "{ uint64_t n = x_count + 1; GRID_FOR (i, n) y[i] = x[i]; }", "free loops ii-" },
  { F "{ GRID_FOR (i, x_count / 2) y[i] = x[i]; }", "free loops ii-" },
  { F "{ GRID_FOR (i, 10) y[i] = x[i]; }", "free loops ii-" },
  { F "{ " ROWS "y[i] = x[i]; " ROWS "y[i] = x[i]; }", "free loops ii-" },
  { F "{ " ROWS "y[i] = x[i]; y[0] = 1; }", "free loops ii-" },
  { F "{ y[0] = 1; " ROWS "y[i] = x[i]; }", "free loops ii-" },
  { F "{ int a = x[0]; " ROWS "y[i] = a; }", "free loops ii-" },
  { F "{ int a = p->n; " ROWS "y[i] = a; }", "free loops ii-" },
  { F "{ int a = 1; a++; " ROWS "y[i] = a; }", "free loops ii-" },
  { F "{ int a = 1; --a; " ROWS "y[i] = a; }", "free loops ii-" },
  { F "{ if (x_count > 7) return; " ROWS "y[i] = 1; }", "free loops ii-" },
  { F "{ for (int k = 0; k < 3; k = k + 1) { } " ROWS "y[i] = 1; }", "free loops ii-" },
  { F "{ int k = 0; while (k < 3) k += 1; " ROWS "y[i] = 1; }", "free loops ii-" },
  { F "{ int k = 0; do k += 1; while (k < 3); " ROWS "y[i] = 1; }", "free loops ii-" },
  { F "{ *y = 1; " ROWS "y[i] = 1; }", "free loops i--" },
  { F "{ if (x_count > 1) *y = 1; " ROWS "y[i] = 1; }", "free loops i--" },
  { "__device__ int g (int v) { return v; }\n" F "{ int a = g (1); " ROWS "y[i] = a; }", "free loops ii-" },
  { F "{ " ROWS "{ if (x[i]) return; y[i] = 1; } }", "free loops ii-" },
  { F "{ " ROWS "{ if (x[i]) goto out; y[i] = 1; out: ; } }", "free loops ii-" },
  { F "{ " ROWS "for (int k = 0; k < 4; k++) { if (x[i]) break; y[i] = k; } }", "free loops ii-" },
  { F "{ }", "free ii-" },
  { "__global__ void f (const int2 *x, int *y, uint64_t x_count) { " ROWS "y[i] = 1; }", "free loops ii-" },
  { "__global__ void f (const int *x, int *y, uint64_t n) { GRID_FOR (i, n) y[i] = x[i]; }", "free loops ii-" },
  /* blocks */
  { F "{ " INDEX "if (i < x_count) y[i] = x[i]; }", "block of 2 per-thread ii-" },
  { "__global__ void f (const int2 *x, int *y, uint64_t x_count) { y[threadIdx.x] = 1; }", "block of 2 ii-" },
  { "__global__ void f (const int *x, int *y) { y[threadIdx.x] = x[0]; }", "block ii" },
  { "__global__ void f (const int *x, int *y, uint64_t x_count, const int *z, int z_count) { y[threadIdx.x] = x[0]; }",
    "block of 2 per-thread ii-i-" },
  { F "{ y[threadIdx.y] = 1; }", "block of 2 ii-" },
  { F "{ y[blockIdx.y] = 1; }", "block of 2 ii-" },
  { F "{ y[blockDim.x] = 1; }", "block of 2 per-thread ii-" },
  { F "{ y[gridDim.x] = 1; }", "block of 2 per-thread ii-" },
  { F "{ " ROWS "y[i] = threadIdx.x; }", "block of 2 per-thread loops ii-" },
  { F "{ " ROWS "y[i] = x[i]; y[threadIdx.x] = 1; }", "block of 2 per-thread loops ii-" },
  { F "{ GRID_FOR (i, x_count + blockDim.x) y[i] = x[i]; }", "block of 2 per-thread loops ii-" },
  { F "{ y[threadIdx.x] = 1; __syncthreads (); }", "block of 2 waits ii-" },
  { F "{ __syncthreads (); " ROWS "y[i] = 1; }", "block of 2 loops waits ii-" },
  { F "{ __shared__ int s[4]; y[threadIdx.x] = s[0]; }", "block of 2 shared ii-" },
  { "__device__ int g () { __shared__ int s; return s; }\n" F "{ y[threadIdx.x] = g (); }", "block of 2 shared ii-" },
  { "__device__ int g () { __shared__ int s; return s; }\n" F "{ y[threadIdx.x] = 1; }", "block of 2 per-thread ii-" },
  { F "{ " INDEX "if (i >= x_count) return; __syncthreads (); y[i] = 1; }", "block of 2 waits leaves ii-" },
  /* none */
  { "__device__ int g () { return threadIdx.x; }\n" F "{ y[0] = g (); }", NULL,
    "g asks for threadIdx or blockDim, which only the kernel itself can" },
  { "__device__ int g () { return blockDim.x; }\n" F "{ y[0] = g (); }", NULL, "g asks for threadIdx or blockDim" },
  { "__device__ int g () { return blockIdx.x; }\n" F "{ y[0] = g (); }", NULL, "g asks for blockIdx or gridDim" },
  { "__device__ int g () { return gridDim.x; }\n" F "{ y[0] = g (); }", NULL, "g asks for blockIdx or gridDim" },
  { "struct g { __device__ int at () { return gridDim.x; } };\n" F "{ g a; y[0] = a.at (); }", NULL,
    "g asks for blockIdx or gridDim" },
  { "__device__ int g () { return gridDim.x; }\n" F "{ y[threadIdx.x] = 1; }", "block of 2 per-thread ii-" },
  { F "{ leat_grid_sync (); }", NULL, "it has a grid barrier of its own" },
  { F "{ asm (\"\"); }", NULL, "there is assembly in it" },
  { F "{ while (leat_load_relaxed (y) == 0) __nanosleep (20); }", NULL, "its blocks may wait for each other" },
  { "LEAT_REPORT (1, error, \"odd\");\n" F "{ leat_report (1); }", NULL, "it reports, and whose reports" },
  { "__device__ int kept;\n" F "{ " ROWS "y[i] = x[i]; }", NULL, "kept of its file outlives a launch" },
  { "__constant__ int fixed = 3; __device__ const int low = 2;\n" F "{ " ROWS "y[i] = x[i]; }", "item of 2 loops ii-" },
  { F "{ if (threadIdx.x < 3) return; __syncwarp (); }", NULL, "some of its threads may return before __syncwarp ()" },
  { F "{ if (threadIdx.x < 3) __syncthreads (); }", NULL, "not all of its threads may come to __syncthreads ()" },
};

static void
test_fuse_parts (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = fuse_make_source (parts[i].text);
      LeatFuseTraits traits;
      gboolean good = leat_kernel_source_check_fuse (source, "f", TRUE, &traits, &error);
      g_autofree char *seen =
        good ? fuse_traits_to_string (&traits, leat_kernel_source_get_prototype (source, "f", NULL)->n_params) : NULL;

      if (g_strcmp0 (seen, parts[i].traits) != 0 || (!good && strstr (error->message, parts[i].says) == NULL))
        g_error ("%s: %s", parts[i].text, good ? seen : error->message);
      leat_fuse_traits_clear (&traits);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/fuse/parts", test_fuse_parts);
  return g_test_run ();
}
