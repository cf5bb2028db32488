/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "megakernel-fixture.h"

#include <glib/gstdio.h>

/* `guard` leaves before anything else, `tile` leaves between barriers, `sums` has blocks of two axes and dynamic shared
 * memory; names, macros and types of the file are those of `other` too. */
static const char kernels_text[] =
  "#define HALF 0.5f\n"
  "typedef float real;\n"
  "enum { EDGE = 3 };\n"
  "__constant__ float table[2] = { 1.0f, 2.0f };\n"
  "__device__ real helper (real x, int k) { return x * HALF + k + EDGE + table[1]; }\n"
  "__global__ void guard (const real *__restrict__ x, real *__restrict__ y, uint64_t x_count, int k)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (i >= x_count)\n"
  "    return;\n"
  "  y[i] = helper (__ldg (x + i), k);\n"
  "}\n"
  "__global__ void tile (const float *x, float *y, uint64_t x_count)\n"
  "{\n"
  "  __shared__ float cells[256];\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  cells[threadIdx.x] = i < x_count ? x[i] : 0;\n"
  "  __syncthreads ();\n"
  "  if (i >= x_count)\n"
  "    return;\n"
  "  y[i] = cells[threadIdx.x] + cells[255 - threadIdx.x];\n"
  "}\n"
  "__global__ void turn (const float *x, float *y, uint64_t x_count)\n"
  "{\n"
  "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < x_count; i += blockDim.x * gridDim.x)\n"
  "    y[i] = x[x_count - 1 - i] + 1;\n"
  "}\n"
  "__global__ void sums (const float *x, float *y, uint64_t x_count)\n"
  "{\n"
  "  extern __shared__ float cells[];\n"
  "  int own = threadIdx.y * blockDim.x + threadIdx.x, n = blockDim.x * blockDim.y;\n"
  "  uint64_t i = (uint64_t) blockIdx.x * n + own;\n"
  "  cells[own] = i < x_count ? x[i] : 0;\n"
  "  __syncthreads ();\n"
  "  if (i < x_count)\n"
  "    y[i] = cells[own] + cells[own ^ 1];\n"
  "}\n"
  "__global__ void keep (const float *x, uint64_t x_count, float *kept, uint64_t *kept_count, uint64_t kept_capacity)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    if (((uint64_t) x[i]) % 2 == 0)\n"
  "      {\n"
  "        uint64_t at = atomicAdd (kept_count, (uint64_t) 1);\n"
  "        if (at < kept_capacity)\n"
  "          kept[at] = x[i];\n"
  "      }\n"
  "}\n"
  "__global__ void mark (const float *x, uint64_t x_count, unsigned char *y, uint64_t n)\n"
  "{\n"
  "  GRID_FOR (i, n)\n"
  "    y[i] += x_count == 5000 ? 1 : 2;\n"
  "}\n"
  "__global__ void hist (const float *x, uint64_t x_count, uint32_t *bins)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    atomicAdd (&bins[((uint64_t) x[i]) % 16], 1u);\n"
  "}\n"
  "__global__ void next (const float *x, float *y, uint64_t x_count)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    y[i] = x[i + 1 < x_count ? i + 1 : i];\n"
  "}\n"
  "__global__ void other (const float *x, float *y, uint64_t x_count)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (i < x_count)\n"
  "    y[i] = x[i ^ 1];\n"
  "}\n"
  "__global__ void far (const float *x, float *y, uint64_t x_count, int k)\n"
  "{\n"
  "  int i = blockIdx.x * blockDim.x + threadIdx.x, n = x_count;\n"
  "  if (i < n)\n"
  "    y[i] = x[i + k < 0 || i + k >= n ? i : i + k];\n"
  "}\n"
  "__global__ void aside (const float *x, float *y, uint64_t x_count, int k)\n"
  "{\n"
  "  int i = blockIdx.x * blockDim.x + threadIdx.x, n = x_count;\n"
  "  if (i < n)\n"
  "    y[(i + k) % n] = x[i];\n"
  "}\n"
  "__global__ void along (const float *x, float *y, uint64_t x_count)\n"
  "{\n"
  "  const float *own = x + blockIdx.x * blockDim.x;\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (i < x_count)\n"
  "    y[i] = own[threadIdx.x];\n"
  "}\n"
  "__global__ void pairs (const float2 *x, float2 *y, uint64_t x_count)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (i < x_count)\n"
  "    y[i] = x[i];\n"
  "}\n"
  "__global__ void meet (const float *x, float *y)\n"
  "{\n"
  "  leat_grid_sync ();\n"
  "  y[0] = x[0];\n"
  "}\n"
  "__device__ int where () { return blockIdx.x; }\n"
  "__global__ void lost (const float *x, float *y)\n"
  "{\n"
  "  y[where ()] = x[where ()];\n"
  "}\n"
  "__global__ void once (const float *x, float *y)\n"
  "{\n"
  "  y[blockIdx.x] = x[blockIdx.x];\n"
  "  __syncthreads ();\n"
  "}\n"
  "LEAT_REPORT (1, warning, \"small\")\n"
  "__global__ void tell (const float *x, float *y)\n"
  "{\n"
  "  leat_report (1, 3);\n"
  "  y[0] = x[0];\n"
  "}\n";

#define AS_IT_IS                                                                                                       \
  "__global__ void as_it_is (const float *x, float *y, uint64_t x_count)\n{\n"                                         \
  "  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < x_count)\n    y[i] = x[i];\n}\n"

static const char macros_text[] =
  "#define MY_PLACE (blockIdx.x * blockDim.x)\n#define UNLESS(there) if (!(there)) return\n"
  "__global__ void twice (const float *x, float *y, uint64_t x_count)\n{\n"
  "  unsigned int i = MY_PLACE + threadIdx.x;\n  UNLESS (i < x_count);\n  y[i] = 2 * x[i];\n}\n";
static const char devices_text[] =
  "#ifdef LEAT_HOST\n#define MINE 7777\n#elif __CUDA_ARCH__ >= 300\n#define MINE 8888\n#endif\n"
  "__global__ void own (const float *x, float *y, uint64_t x_count)\n{\n"
  "  GRID_FOR (i, x_count)\n    y[i] = x[i] * MINE;\n}\n";
static const char keeps_text[] = "static __device__ unsigned int calls = 0;\n" AS_IT_IS;
/* Names in brackets that are those of other things in other.cu, and a function that nobody here needs and that names a
 * report. */
static const char names_text[] =
  "typedef float (*way) (float value);\n"
  "typedef float (*const *ways) (float value);\n"
  "typedef float (*(*chooser) (int which)) (float value);\n"
  "__constant__ float (*const table)[2] = nullptr;\n"
  "LEAT_REPORT (ODD = 1, warning, \"odd\")\n"
  "__device__ void complain (float value) { leat_report (ODD, value); }\n"
  "__device__ float helper (float value) { return value + 2; }\n"
  "__global__ void odd (const float *x, float *y) { complain (x[0]); y[0] = x[0]; }\n"
  "__global__ void names (const float *x, float *y, uint64_t x_count)\n{\n"
  "  const way one = nullptr;\n  const ways all = nullptr;\n  const chooser any = nullptr;\n"
  "  GRID_FOR (i, x_count)\n"
  "    y[i] = !one && !all && !any && !table ? helper (x[i]) : 0;\n}\n";
static const char other_text[] = "#define HALF 4.0f\n"
                                 "typedef int (*way) (int all);\n"
                                 "typedef int (**ways) (int one);\n"
                                 "typedef int (*(*chooser) (int which)) (int any);\n"
                                 "__constant__ int (*const table)[3] = nullptr;\n"
                                 "__device__ float helper (float x) { return x * HALF; }\n"
                                 "__global__ void guard (const float *x, float *y, uint64_t x_count)\n"
                                 "{\n"
                                 "  GRID_FOR (i, x_count)\n"
                                 "    y[i] = helper (x[i]);\n"
                                 "}\n";

static const struct
{
  const char *word, *name, *text;
} megakernel_files[] = {
  { "KERNELS", "kernels.cu", kernels_text }, { "OTHER", "other.cu", other_text },
  { "MACROS", "macros.cu", macros_text },    { "DEVICES", "devices.cu", devices_text },
  { "KEEPS", "keeps.cu", keeps_text },       { "NAMES", "names.cu", names_text },
};

static char *megakernel_folder;

static char *
megakernel_dup_path (guint file)
{
  return g_build_filename (megakernel_folder, megakernel_files[file].name, NULL);
}

void
megakernel_files_make (void)
{
  megakernel_folder = g_dir_make_tmp ("leat-megakernel-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (megakernel_files); i++)
    {
      g_autofree char *path = megakernel_dup_path (i);

      g_assert_true (g_file_set_contents (path, megakernel_files[i].text, -1, NULL));
    }
}

void
megakernel_files_remove (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (megakernel_files); i++)
    {
      g_autofree char *path = megakernel_dup_path (i);

      g_remove (path);
    }
  g_rmdir (megakernel_folder);
  g_clear_pointer (&megakernel_folder, g_free);
}

LeatPipeline *
megakernel_parse (const char *text)
{
  g_autoptr (GString) whole = g_string_new (text);
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline;

  for (guint i = 0; i < G_N_ELEMENTS (megakernel_files); i++)
    {
      g_autofree char *path = megakernel_dup_path (i);

      g_string_replace (whole, megakernel_files[i].word, path, 0);
    }
  pipeline = leat_parse_text (whole->str, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  return pipeline;
}

void
megakernel_open (Megakernel *self, const char *text)
{
  g_autoptr (GError) error = NULL;

  self->pipeline = megakernel_parse (text);
  self->session = leat_session_new (self->pipeline, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
}

void
megakernel_close (Megakernel *self)
{
  leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

GBytes *
megakernel_run (Megakernel *self, const float *x, guint n, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (x, n * sizeof *x);

  g_assert_true (leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, "in", NULL)), bytes, error));
  if (leat_session_replay (self->session, FALSE, NULL, error) != LEAT_FLOW_DATA)
    return NULL;
  return leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, "out", NULL)), 0, error);
}
