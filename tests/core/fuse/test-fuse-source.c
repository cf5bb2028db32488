/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "fuse/leat-kernel-fuse-private.h"

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

#define CUDA_OR(cuda, host) "\n#ifdef LEAT_CUDA\n" cuda "\n#else\n" host "\n#endif\n"

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
  { "__device__ void g () { __syncthreads (); }\n" F "{ " INDEX "if (i >= x_count) return; g (); y[i] = 1; }",
    "block of 2 waits leaves ii-" },
  /* on another device it is something else */
  { F "{" CUDA_OR ("y[threadIdx.x] = 1;", ROWS "y[i] = 1;") "}", "block loops ii-" },
  { F "{" CUDA_OR (ROWS "y[i] = 1;", "y[threadIdx.x] = 1;") "}", "block loops ii-" },
  { F "{" CUDA_OR ("y[threadIdx.y] = 1;", "y[threadIdx.x] = 1;") "}", "block ii-" },
  { F "{" CUDA_OR ("y[threadIdx.x] = 1;", "y[threadIdx.y] = 1;") "}", "block ii-" },
  { F "{" CUDA_OR (ROWS "y[i] = 1;", ROWS "y[i] = 2;") "}", "item of 2 loops ii-" },
  { F "{" CUDA_OR (ROWS "*(y + i) = 1;", ROWS "y[i] = *(x + i);") "}", "item of 2 loops ---" },
  { F "{" CUDA_OR (ROWS "y[i] = *(x + i);", ROWS "*(y + i) = 1;") "}", "item of 2 loops ---" },
  { F "{" CUDA_OR ("y[threadIdx.y] = 1; __syncthreads ();", "y[threadIdx.y] = 1;") "}", "block of 2 waits ii-" },
  { F "{" CUDA_OR ("y[threadIdx.y] = 1;", "y[threadIdx.y] = 1; __syncthreads ();") "}", "block of 2 waits ii-" },
  { F "{" CUDA_OR ("__shared__ int s; y[threadIdx.y] = s;", "y[threadIdx.y] = 1;") "}", "block of 2 shared ii-" },
  { F "{" CUDA_OR ("y[threadIdx.y] = 1;", "__shared__ int s; y[threadIdx.y] = s;") "}", "block of 2 shared ii-" },
  { F "{" CUDA_OR ("if (threadIdx.y > 3) return;", "") "__syncthreads (); }", "block of 2 waits leaves ii-" },
  { F "{" CUDA_OR ("", "if (threadIdx.y > 3) return;") "__syncthreads (); }", "block of 2 waits leaves ii-" },
  { F "{" CUDA_OR ("leat_grid_sync ();", "") "}", NULL, "it has a grid barrier of its own" },
  /* none */
  { "__device__ void g () { __syncwarp (); }\n" F "{ if (threadIdx.x < 3) return; g (); }", NULL,
    "some of its threads may return before g ()" },
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

/* A kernel that does @entry of @text, in the form @form, for the items of each tile. (transfer full) */
static LeatKernelSource *
fuse_make (const char *text, const char *entry, LeatFuseForm form)
{
  static const guint grid[3] = { 3, 5, 7 }, block[3] = { 16, 2, 2 };
  g_autoptr (LeatKernelSource) source = fuse_make_source (text);
  g_autoptr (GError) error = NULL;
  LeatKernelFuse *fuse = leat_kernel_fuse_new (256);
  g_autofree char *name = leat_kernel_fuse_add_function (fuse, source, entry, form);
  g_autofree char *again = leat_kernel_fuse_add_function (fuse, source, entry, form);
  LeatKernelSource *made;

  g_assert_cmpstr (name, ==, again);
  leat_kernel_fuse_add_declaration (fuse, "struct alone { int n; };\n");
  leat_kernel_fuse_add_param (fuse, "const int *a");
  leat_kernel_fuse_add_param (fuse, "int *b");
  leat_kernel_fuse_begin_tile (fuse, grid, block);
  if (form == LEAT_FUSE_ITEM)
    leat_kernel_fuse_begin_tile_items (fuse, "n", 5);
  else
    leat_kernel_fuse_begin_blocks (fuse, grid, block);
  leat_kernel_fuse_add_call (fuse, name, "a, b, 9", FALSE);
  leat_kernel_fuse_add_call (fuse, "met", "a", TRUE);
  leat_kernel_fuse_add_call (fuse, "alone", "", FALSE);
  if (form == LEAT_FUSE_ITEM)
    leat_kernel_fuse_end_tile_items (fuse);
  leat_kernel_fuse_end (fuse);
  made = leat_kernel_fuse_make (fuse, "made", "whole", &error);
  if (made == NULL)
    g_error ("%s: %s", text, error->message);
  return made;
}

/* Blanks and lines do not count. */
static char *
fuse_dup_words (const char *text)
{
  GString *out = g_string_new (NULL);

  for (; *text != '\0'; text++)
    if (!g_ascii_isspace (*text))
      g_string_append_c (out, *text);
  return g_string_free (out, FALSE);
}

/* A file whose kernel is made a part of another, and what is, or is not, in the text of that: on each line one, those
 * that are not behind a "!". */
static const struct
{
  const char *text;
  LeatFuseForm form;
  const char *lines;
} texts[] = {
  { F "{ " ROWS "y[i] = x[i]; }", LEAT_FUSE_ITEM,
    "__global__ __launch_bounds__ (256) void whole (const int *a, int *b) {\n"
    "for (unsigned int leat_tile = blockIdx.x; leat_tile < 105u; leat_tile += gridDim.x) {\n"
    "leat_at = leat_fuse_from (n, leat_tile, 64u, 5u) + threadIdx.x; leat_at < leat_fuse_to (n, leat_tile, 64u, 5u); "
    "leat_at += blockDim.x\n"
    "{ leat_f0_item_f (leat_at, a, b, 9); met (leat_at, a); __syncthreads (); alone (leat_at); } }\n"
    "struct alone { int n; };\n"
    "template <class LeatPointer0, class LeatPointer1> __device__ __forceinline__ void leat_f0_item_f (uint64_t "
    "leat_fuse_item, LeatPointer0 x, LeatPointer1 y, uint64_t x_count) {\nauto i = leat_fuse_as (x_count, "
    "leat_fuse_item), " },
  { F "{ " ROWS "y[i] = x[i]; }", LEAT_FUSE_BLOCK,
    "if (threadIdx.x < 64) leat_f0_block_f (leat_fuse_place (leat_tile, 3, 5), dim3 (3, 5, 7), leat_fuse_place "
    "(threadIdx.x, 16, 2), dim3 (16, 2, 2), a, b, 9);\n"
    "__device__ __forceinline__ void leat_f0_block_f (uint3 leat_fuse_block, dim3 leat_fuse_grid, uint3 "
    "leat_fuse_thread, dim3 leat_fuse_size, const int *x, int *y, uint64_t x_count) { for (auto i = leat_fuse_first ("
    "x_count, leat_fuse_block, leat_fuse_grid, leat_fuse_thread, leat_fuse_size); i < (x_count); i += leat_fuse_step "
    "(x_count, leat_fuse_grid, leat_fuse_size)) y[i] = x[i]; }" },
  { F "{ y[threadIdx.x + blockIdx.x + blockDim.x + gridDim.x] = 1; }", LEAT_FUSE_BLOCK,
    "{ y[leat_fuse_thread.x + leat_fuse_block.x + leat_fuse_size.x + leat_fuse_grid.x] = 1; }" },
  { "extern \"C\" static inline __launch_bounds__ (64) " F "{ " ROWS "y[i] = __ldg (x + i); }", LEAT_FUSE_FREE,
    "__device__ __forceinline__ void leat_f0_free_f " PARAMS " { GRID_FOR (i, x_count) y[i] = leat_fuse_load (x + i); "
    "}\n!bounds__ (64)\n!static inline" },
  { F "{ " STRIDE "y[i] = x[i]; }", LEAT_FUSE_FREE, "{ GRID_FOR (i, (uint64_t) ( x_count)) y[i] = x[i]; }" },
  { F "{ " STRIDE "y[i] = x[i]; }", LEAT_FUSE_ITEM, "auto i = leat_fuse_as ((uint64_t) ( x_count), leat_fuse_item), " },
  { "__global__ void f (const int *__restrict__ x, int *__restrict y, uint64_t x_count) { " ROWS "y[i] = x[i]; }",
    LEAT_FUSE_BLOCK, "const int *x, int *y, uint64_t x_count)\n!restrict" },
  { "__global__ void f (void) { }", LEAT_FUSE_FREE, "void leat_f0_free_f () { }" },
  { "__global__ void f () { }", LEAT_FUSE_ITEM, "void leat_f0_item_f (uint64_t leat_fuse_item) { }\n!<>" },
  { "[[maybe_unused]] " F "{ }", LEAT_FUSE_FREE, "[[maybe_unused]] __device__ __forceinline__ void leat_f0_free_f" },
  /* what the file names has a name of its own, and what nobody needs is not there */
  { "__device__ int g (int v) { return v; } __device__ int h (int v) { return g (v); } __device__ int odd () { return "
    "1; }\n" F "{ y[0] = h (3) + s.h + p->g; }",
    LEAT_FUSE_FREE,
    "int leat_f0_g (int v) { return v; }\nint leat_f0_h (int v) { return leat_f0_g (v); }\n"
    "y[0] = leat_f0_h (3) + s.h + p->g;\n!odd" },
  { "__constant__ int a = 1, b[2] = { 2, 3 }; static const float c = 4;\n" F "{ y[0] = a + b[0] + c; }", LEAT_FUSE_FREE,
    "int leat_f0_a = 1, leat_f0_b[2] = { 2, 3 };\nfloat leat_f0_c = 4;\ny[0] = leat_f0_a + leat_f0_b[0] + leat_f0_c;" },
  { "enum kind { SMALL, LARGE = 3 }; enum class other : int { FIRST };\n" F
    "{ kind k = SMALL; y[0] = k + LARGE + (int) other::FIRST; }",
    LEAT_FUSE_FREE,
    "enum leat_f0_kind { leat_f0_SMALL, leat_f0_LARGE = 3 };\nenum class leat_f0_other : int { leat_f0_FIRST };\n"
    "{ leat_f0_kind k = leat_f0_SMALL; y[0] = k + leat_f0_LARGE + (int) leat_f0_other::leat_f0_FIRST; }" },
  { "struct pair { int a; }; typedef int whole_number; using real = float; template <class T, class U> union both { T "
    "a; "
    "U b; };\n" F "{ pair p; whole_number w; real r; both<int, int> e; y[0] = p.a; }",
    LEAT_FUSE_FREE,
    "struct leat_f0_pair { int a; };\ntypedef int leat_f0_whole_number;\nusing leat_f0_real = float;\n"
    "template <class T, class U> union leat_f0_both { T a; U b; };\n"
    "{ leat_f0_pair p; leat_f0_whole_number w; leat_f0_real r; leat_f0_both<int, int> e; y[0] = p.a; }" },
  { F "{ extern __shared__ int cells[]; y[threadIdx.x] = cells[0]; }", LEAT_FUSE_BLOCK,
    "extern __shared__ int leat_f0_cells[]; y[leat_fuse_thread.x] = leat_f0_cells[0];" },
  { "extern __shared__ int cells[];\n" F "{ y[threadIdx.x] = cells[0]; }", LEAT_FUSE_BLOCK, "= leat_f0_cells[0];" },
  { "struct p { int v; }; __device__ p operator+ (p a, p b) { return a; }\n" F "{ }", LEAT_FUSE_FREE,
    "leat_f0_p operator+ (leat_f0_p a, leat_f0_p b)" },
  { "__global__ void g (int *y) { y[0] = 77; }\n" F "{ }\nLEAT_HOST_VARIANT void f " PARAMS " { y[0] = 78; }\n"
    "__global__ void g (int *);",
    LEAT_FUSE_FREE, "!= 77\n!= 78\n!leat_f0_g\nvoid leat_f0_free_f" },
  { "__device__ int y; extern \"C\" { " F "{ " ROWS "y[i] = 1; } }", LEAT_FUSE_ITEM,
    "LeatPointer1 leat_f0_y, uint64_t x_count)\nleat_f0_y[i] = 1;\n!extern" },
  /* threads that leave */
  { F "{ " INDEX "if (i >= x_count) return; __syncthreads (); y[i] = 1; }", LEAT_FUSE_BLOCK,
    "if (i >= x_count) { leat_block_leave (leat_fuse_meeting ()); return; } leat_fuse_sync (); y[i] = 1;" },
  { F "{ __syncthreads (); if (x_count > 3) return; y[0] = 1; }", LEAT_FUSE_BLOCK,
    "__syncthreads (); if (x_count > 3) return;\n!leat_block_leave" },
};

static void
test_fuse_texts (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (LeatKernelSource) made = fuse_make (texts[i].text, "f", texts[i].form);
      g_autofree char *words = fuse_dup_words (leat_kernel_source_get_text (made)->text);
      g_auto (GStrv) lines = g_strsplit (texts[i].lines, "\n", -1);

      for (guint k = 0; lines[k] != NULL; k++)
        {
          gboolean wanted = lines[k][0] != '!';
          g_autofree char *line = fuse_dup_words (lines[k] + !wanted);

          if ((strstr (words, line) != NULL) != wanted)
            g_error ("%s is %sin %s", line, wanted ? "not " : "", words);
        }
    }
}

/* It depends on the device as far as its files do. */
static void
test_fuse_asks (void)
{
  static const struct
  {
    const char *text;
    gboolean asks;
  } rows[] = { { F "{ " ROWS "y[i] = x[i]; }", FALSE },
               { "#ifdef LEAT_CUDA\n#define ONE 1\n#else\n#define ONE 2\n#endif\n" F "{ " ROWS "y[i] = ONE; }",
                 TRUE } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (LeatKernelSource) source = fuse_make_source (rows[i].text);
      g_autoptr (LeatKernelSource) made = fuse_make (rows[i].text, "f", LEAT_FUSE_ITEM);

      g_assert_cmpint (leat_kernel_source_get_asks (source) != 0, ==, rows[i].asks);
      g_assert_cmpuint (leat_kernel_source_get_asks (made), ==, leat_kernel_source_get_asks (source));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/fuse/parts", test_fuse_parts);
  g_test_add_func ("/leat/kernel/fuse/texts", test_fuse_texts);
  g_test_add_func ("/leat/kernel/fuse/asks", test_fuse_asks);
  return g_test_run ();
}
