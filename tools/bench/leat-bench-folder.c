/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The folder of one leat-bench, with the kernels of all cases.  It is removed at the end, and by a signal's handler
 * too. */

#include "leat-bench-folder.h"

#include <signal.h>
#include <unistd.h>

#define N_FILES     6
#define TABLE_STEPS (1 << 18)

/* The folder and its files by name, there until they are removed: a signal's handler may not put names together. */
static struct
{
  char *folder;
  char *files[N_FILES];
} leat_bench_made;

static const char leat_bench_kernels[] =
  "#include <stdint.h>\n"
  "// a*x + b, four numbers a thread\n"
  "__global__ void axpb (const float4 *x, uint64_t x_count, float4 *y, float a, float b)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;\n"
  "  if (i < x_count)\n"
  "    {\n"
  "      float4 v = x[i];\n"
  "      v.x = a * v.x + b;\n"
  "      v.y = a * v.y + b;\n"
  "      v.z = a * v.z + b;\n"
  "      v.w = a * v.w + b;\n"
  "      y[i] = v;\n"
  "    }\n"
  "}\n"
  "// ends for small numbers\n"
  "__global__ void climb (const uint64_t *x, uint64_t *y)\n"
  "{\n"
  "  unsigned int n = 1;\n"
  "  while (x[0] >= 1000 && n != 0)\n"
  "    n = n * 3 | 1;\n"
  "  y[0] = x[0] + n;\n"
  "}\n"
  "// one node of a chain\n"
  "__global__ void step (const float *x, uint64_t x_count, float *y, float a, float b)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;\n"
  "  if (i < x_count)\n"
  "    y[i] = a * x[i] + b;\n"
  "}\n"
  "// the same, of what is beside its items too: no number here is so large that it changed anything\n"
  "__global__ void near (const float *x, uint64_t x_count, float *y, float a, float b)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;\n"
  "  if (i < x_count)\n"
  "    y[i] = a * x[i] + b + (x[i > 0 ? i - 1 : i] + x[i + 1 < x_count ? i + 1 : i] > 1e30f);\n"
  "}\n"
  "// two steps of an iteration, each of which needs items of other blocks\n"
  "__global__ void shift (const float *x, uint64_t x_count, float *y)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    y[i] = x[i + 257 < x_count ? i + 257 : i + 257 - x_count] + 1;\n"
  "}\n"
  "__global__ void shift_and_tell (const float *x, uint64_t x_count, float *y, float *top)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    {\n"
  "      float next = x[i + 257 < x_count ? i + 257 : i + 257 - x_count] + 1;\n"
  "      y[i] = next;\n"
  "      if (i == 0)\n"
  "        top[0] = next;\n"
  "    }\n"
  "}\n"
  "LEAT_REPORT (NEGATIVE = 1, error, \"a negative number\")\n"
  "__global__ void judge (const float *x, uint64_t x_count, float *y, float a, float b)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;\n"
  "  if (i < x_count && x[i] < 0)\n"
  "    leat_report_at (NEGATIVE, i, x[i]);\n"
  "  if (i < x_count)\n"
  "    y[i] = a * x[i] + b;\n"
  "}\n"
  "__global__ void head (const float *x, float *y, uint64_t y_capacity)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;\n"
  "  if (i < y_capacity)\n"
  "    y[i] = x[i];\n"
  "}\n"
  "__global__ void widen (const float *x, uint64_t x_count, float *y, uint64_t y_dim0)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;\n"
  "  if (i < y_dim0)\n"
  "    y[i] = x[i % x_count];\n"
  "}\n"
  "// one branch: some microseconds on one multiprocessor\n"
  "__global__ void work (const float *x, uint64_t x_count, float *y, float a, float b, uint32_t steps)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;\n"
  "  if (i < x_count)\n"
  "    {\n"
  "      float v = x[i];\n"
  "      for (uint32_t s = 0; s < steps; s++)\n"
  "        v = a * v + b;\n"
  "      y[i] = v;\n"
  "    }\n"
  "}\n"
  "__global__ void sum8 (const float *x0, uint64_t x0_count, const float *x1, const float *x2, const float *x3,\n"
  "                      const float *x4, const float *x5, const float *x6, const float *x7, float *y)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;\n"
  "  if (i < x0_count)\n"
  "    y[i] = x0[i] + x1[i] + x2[i] + x3[i] + x4[i] + x5[i] + x6[i] + x7[i];\n"
  "}\n"
  "// eight steps through a table that stays\n"
  "__global__ void walk (const uint32_t *table, uint64_t table_count, const uint32_t *x, uint64_t x_count,\n"
  "                      uint32_t *y)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;\n"
  "  if (i < x_count)\n"
  "    {\n"
  "      uint32_t at = x[i];\n"
  "      for (uint32_t s = 0; s < 8; s++)\n"
  "        at = table[at % table_count] + s;\n"
  "      y[i] = at;\n"
  "    }\n"
  "}\n"
  "__global__ void invert (const uint8_t *in, uint64_t in_count, uint8_t *out)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;\n"
  "  if (i < in_count)\n"
  "    out[i] = (uint8_t) ~in[i];\n"
  "}\n";

static const char leat_bench_queue_kernels[] =
  "__device__ void finish (uint64_t *sum, uint64_t own)\n"
  "{\n"
  "  if (own > 0)\n"
  "    atomicAdd (sum, own);\n"
  "}\n"
  "// 2^x[0] numbers go in and come out\n"
  "__global__ void pass (const uint32_t *x, uint64_t *sum, LeatQueue<uint32_t> work)\n"
  "{\n"
  "  uint64_t own = 0;\n"
  "  QUEUE_FOR (i, 1ull << x[0], work)\n"
  "    leat_queue_push (work, (uint32_t) i);\n"
  "  QUEUE_EACH (item, work)\n"
  "    {\n"
  "      own++;\n"
  "      leat_queue_done (work);\n"
  "    }\n"
  "  finish (sum, own);\n"
  "}\n"
  "// a tree of x[0] levels\n"
  "__global__ void tree (const uint32_t *x, uint64_t *sum, LeatQueue<uint32_t> work)\n"
  "{\n"
  "  uint64_t own = 0;\n"
  "  QUEUE_FOR (i, 1, work)\n"
  "    leat_queue_push (work, x[0]);\n"
  "  QUEUE_EACH (level, work)\n"
  "    {\n"
  "      own++;\n"
  "      for (int i = 0; i < 2 && level > 1; i++)\n"
  "        leat_queue_push (work, level - 1);\n"
  "      leat_queue_done (work);\n"
  "    }\n"
  "  finish (sum, own);\n"
  "}\n"
  "// one item that is claimed 2^x[0] times, by whoever is first\n"
  "__global__ void relay (const uint32_t *x, uint64_t *sum, LeatQueue<uint32_t> work)\n"
  "{\n"
  "  uint64_t own = 0;\n"
  "  QUEUE_FOR (i, 1, work)\n"
  "    leat_queue_push (work, 1u << x[0]);\n"
  "  QUEUE_EACH (left, work)\n"
  "    {\n"
  "      own++;\n"
  "      if (left > 1)\n"
  "        leat_queue_requeue (work, left - 1);\n"
  "      else\n"
  "        leat_queue_done (work);\n"
  "      __nanosleep (20); // somebody else's turn\n"
  "    }\n"
  "  finish (sum, own);\n"
  "}\n";

static void
leat_bench_folder_unlink (void)
{
  for (guint i = 0; i < N_FILES; i++)
    if (leat_bench_made.files[i] != NULL)
      unlink (leat_bench_made.files[i]);
  if (leat_bench_made.folder != NULL)
    rmdir (leat_bench_made.folder);
}

static void
leat_bench_folder_interrupted (int number)
{
  leat_bench_folder_unlink ();
  signal (number, SIG_DFL);
  raise (number);
}

gboolean
leat_bench_folder_add_table (LeatBench *bench, GError **error)
{
  g_autofree guint32 *table = g_new (guint32, TABLE_STEPS);
  guint32 at = 1;

  for (guint i = 0; i < TABLE_STEPS; i++)
    {
      at = at * 1664525u + 1013904223u;
      table[i] = at >> 8;
    }
  return g_file_set_contents (bench->table, (const char *) table, TABLE_STEPS * sizeof *table, error);
}

gboolean
leat_bench_folder_make (LeatBench *bench, GError **error)
{
  static const char *const names[N_FILES] = {
    "bench.cu", "start.leat", "in.bin", "table.bin", "queue.cu", "numbers.bin"
  };
  static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

  bench->folder = g_dir_make_tmp ("leat-bench-XXXXXX", error);
  if (bench->folder == NULL)
    return FALSE;
  leat_bench_made.folder = bench->folder;
  for (guint i = 0; i < N_FILES; i++)
    leat_bench_made.files[i] = g_build_filename (bench->folder, names[i], NULL);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    signal (signals[i], leat_bench_folder_interrupted);
  bench->kernels = g_strdup (leat_bench_made.files[0]);
  bench->table = g_strdup (leat_bench_made.files[3]);
  bench->queue_kernels = g_strdup (leat_bench_made.files[4]);
  return g_file_set_contents (bench->kernels, leat_bench_kernels, -1, error)
         && g_file_set_contents (bench->queue_kernels, leat_bench_queue_kernels, -1, error);
}

void
leat_bench_folder_remove (LeatBench *bench)
{
  leat_bench_folder_unlink ();
  leat_bench_made.folder = NULL;
  for (guint i = 0; i < N_FILES; i++)
    g_clear_pointer (&leat_bench_made.files[i], g_free);
  g_clear_pointer (&bench->folder, g_free);
  g_clear_pointer (&bench->kernels, g_free);
  g_clear_pointer (&bench->queue_kernels, g_free);
  g_clear_pointer (&bench->table, g_free);
}
