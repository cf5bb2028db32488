/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"

#include "device/leat-device-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* Kernels some of whose threads return while others of their block still wait for each other: by themselves, measured,
 * and as parts of larger kernels, in which a thread that has returned has not ended. */

#define BLOCK 256

static char *kernels_path;

/* `guard` is the usual one, `nested` has a loop of barriers behind it, `half` leaves one warp, `halves` fewer and
 * fewer, down to one thread, and `called` waits in a function and by a macro. */
static const char kernels_text[] =
  "#define MEET __syncthreads ()\n"
  "#define UNLESS(there) if (!(there)) \\\n    return\n"
  "__device__ void put (uint32_t *cells, uint32_t value) { cells[threadIdx.x] = value; __syncthreads (); }\n"
  "__global__ void guard (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  __shared__ uint32_t cells[256];\n"
  "  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.x * blockDim.x;\n"
  "  uint32_t have = x_count - first < blockDim.x ? x_count - first : blockDim.x;\n"
  "  UNLESS (i < x_count);\n"
  "  cells[threadIdx.x] = x[i];\n"
  "  __syncthreads ();\n"
  "  y[i] = cells[have - 1 - threadIdx.x] + 1;\n"
  "}\n"
  "__global__ void nested (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  __shared__ uint32_t cells[256];\n"
  "  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.x * blockDim.x;\n"
  "  uint32_t have = x_count - first < blockDim.x ? x_count - first : blockDim.x;\n"
  "  if (threadIdx.x < blockDim.x) { if (i >= x_count) { return; } }\n"
  "  cells[threadIdx.x] = x[i];\n"
  "  for (int k = 0; k < 3; k++)\n"
  "    {\n"
  "      __syncthreads ();\n"
  "      uint32_t value = cells[(threadIdx.x + 1) % have];\n"
  "      __syncthreads ();\n"
  "      cells[threadIdx.x] = value;\n"
  "    }\n"
  "  y[i] = cells[threadIdx.x];\n"
  "}\n"
  "__global__ void half (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  __shared__ uint32_t cells[256];\n"
  "  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  cells[threadIdx.x] = i < x_count ? x[i] : 0;\n"
  "  __syncthreads ();\n"
  "  if (i < x_count)\n"
  "    y[i] = cells[threadIdx.x];\n"
  "  if (threadIdx.x >= 32)\n"
  "    return;\n"
  "  cells[threadIdx.x] += cells[threadIdx.x + 32];\n"
  "  __syncthreads ();\n"
  "  if (i < x_count)\n"
  "    y[i] = cells[31 - threadIdx.x];\n"
  "}\n"
  "__global__ void halves (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  __shared__ uint32_t cells[256];\n"
  "  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  cells[threadIdx.x] = i < x_count ? x[i] : 0;\n"
  "  __syncthreads ();\n"
  "  for (uint32_t step = 128; step > 0; step /= 2)\n"
  "    {\n"
  "      if (threadIdx.x >= step)\n"
  "        {\n"
  "          if (i < x_count)\n"
  "            y[i] = cells[threadIdx.x];\n"
  "          return;\n"
  "        }\n"
  "      cells[threadIdx.x] += cells[threadIdx.x + step];\n"
  "      __syncthreads ();\n"
  "    }\n"
  "  if (i < x_count)\n"
  "    y[i] = cells[0];\n"
  "}\n"
  "__global__ void called (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  __shared__ uint32_t cells[256];\n"
  "  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (i >= x_count || threadIdx.x % 2 == 1)\n"
  "    {\n"
  "      if (i < x_count)\n"
  "        y[i] = x[i] + 3;\n"
  "      return;\n"
  "    }\n"
  "  put (cells, x[i]);\n"
  "  uint32_t value = cells[threadIdx.x / 4 * 2];\n"
  "  MEET;\n"
  "  y[i] = value;\n"
  "}\n"
  "__global__ void warp (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (i >= x_count)\n"
  "    return;\n"
  "  y[i] = __shfl_xor_sync (0xffffffffu, x[i], 1);\n"
  "}\n"
  "__global__ void within (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  __shared__ uint32_t cells[256];\n"
  "  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (i < x_count)\n"
  "    {\n"
  "      cells[threadIdx.x] = x[i];\n"
  "      __syncthreads ();\n"
  "      y[i] = cells[0];\n"
  "    }\n"
  "}\n"
  "__global__ void by_macro (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  __shared__ uint32_t cells[256];\n"
  "  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  UNLESS (i < x_count);\n"
  "  cells[threadIdx.x] = x[i];\n"
  "  __syncthreads ();\n"
  "  y[i] = cells[0];\n"
  "}\n"
  "__global__ void some (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  __shared__ uint32_t cells[256];\n"
  "  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  auto put = [&] (uint32_t at) { if (at >= x_count) return; y[at] = cells[threadIdx.x] + 1; };\n"
  "  if (blockIdx.x % 2 == 0)\n"
  "    {\n"
  "      cells[threadIdx.x] = i < x_count ? x[i] : 0;\n"
  "      __syncthreads ();\n"
  "    }\n"
  "  put (i);\n"
  "}\n"
  "__global__ void there (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (i >= x_count)\n"
  "    return;\n"
  "  y[i] = __shfl_sync (__activemask (), x[i], 0);\n"
  "}\n"
  "__global__ void after (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  uint32_t value = __shfl_xor_sync (0xffffffffu, i < x_count ? x[i] : 0u, 0);\n"
  "  if (i >= x_count)\n"
  "    return;\n"
  "  y[i] = value;\n"
  "}\n";

/* What each does to the items of a block, of which there are @n. */
static void
do_guard (guint32 *x, guint n)
{
  for (guint i = 0; i < n / 2; i++)
    {
      guint32 other = x[n - 1 - i];

      x[n - 1 - i] = x[i];
      x[i] = other;
    }
  for (guint i = 0; i < n; i++)
    x[i]++;
}

static void
do_nested (guint32 *x, guint n)
{
  guint32 was[BLOCK];

  memcpy (was, x, n * sizeof *x);
  for (guint i = 0; i < n; i++)
    x[i] = was[(i + 3) % n];
}

static void
do_half (guint32 *x, guint n)
{
  guint32 sums[32] = { 0 };

  for (guint i = 0; i < MIN (n, 64); i++)
    sums[i % 32] += x[i];
  for (guint i = 0; i < MIN (n, 32); i++)
    x[i] = sums[31 - i];
}

static void
do_halves (guint32 *x, guint n)
{
  guint32 cells[BLOCK] = { 0 };

  memcpy (cells, x, n * sizeof *x);
  for (guint step = BLOCK / 2; step > 0; step /= 2)
    for (guint i = 0; i < step; i++)
      cells[i] += cells[i + step];
  memcpy (x, cells, n * sizeof *x);
}

static void
do_called (guint32 *x, guint n)
{
  guint32 was[BLOCK];

  memcpy (was, x, n * sizeof *x);
  for (guint i = 0; i < n; i++)
    x[i] = i % 2 == 1 ? was[i] + 3 : was[i / 4 * 2];
}

static const struct
{
  const char *entry;
  void (*oracle) (guint32 *x, guint n);
} leaving[] = {
  { "guard", do_guard }, { "nested", do_nested }, { "half", do_half }, { "halves", do_halves }, { "called", do_called },
};

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
} Leave;

/* Nodes of the pipeline, or of a group that @head begins. */
static char *
leave_dup_text (const char *nodes, const char *links, const char *head, guint n)
{
  gboolean grouped = *head != '\0';
  g_auto (GStrv) lines = g_strsplit (nodes, "\n", -1);
  g_autofree char *inner = g_strjoinv (grouped ? "\n  " : "\n", lines);

  return g_strdup_printf (
    "leat 1\n%s%s%s%s%s%s\n%s"
    "app name=in spec=u32[%u] -> upload mode=copy -> %s\n%s -> readback mode=copy -> app name=out\n",
    head, grouped ? "  " : "", inner, grouped ? "in.x -> " : "", links, grouped ? " -> out.y" : "",
    grouped ? "}\n" : "", n, grouped ? "m.x" : "s0", grouped ? "m.y" : "last");
}

/* All kernels one after the other, and a map behind them. */
static char *
leave_dup_chain (const char *head, const char *access, guint n)
{
  g_autoptr (GString) nodes = g_string_new (NULL), links = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (leaving); i++)
    {
      g_string_append_printf (nodes, "s%u = kernel source=\"%s\" entry=%s block=256 access=%s\n", i, kernels_path,
                              leaving[i].entry, access);
      g_string_append_printf (links, "s%u -> ", i);
    }
  g_string_append (nodes, "last = map expr=x+1\n");
  g_string_append (links, "last");
  return leave_dup_text (nodes->str, links->str, head, n);
}

static gboolean
leave_open (Leave *self, const char *text, LeatExecutor executor, LeatTimingMode timing, GError **error)
{
  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  g_assert_no_error (*error);
  self->session = leat_session_new (self->pipeline, NULL);
  /* A CPU has one block for all of a persistent kernel. */
  g_object_set (self->session, "executor", executor, "timing", timing, "persistent-limit-ms", 60000, NULL);
  return leat_session_open (self->session, NULL, error);
}

static void
leave_close (Leave *self)
{
  leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

static void
leave_run (Leave *self, guint32 *x, guint n)
{
  g_autoptr (GBytes) bytes = g_bytes_new (x, n * sizeof *x), found = NULL;
  g_autoptr (GError) error = NULL;

  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, "in", NULL)), bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_replay (self->session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  found = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, "out", NULL)), 0, &error);
  g_assert_no_error (error);
  for (guint at = 0; at < n; at += BLOCK)
    for (guint i = 0; i < G_N_ELEMENTS (leaving); i++)
      leaving[i].oracle (x + at, MIN (n - at, BLOCK));
  for (guint i = 0; i < n; i++)
    x[i]++;
  for (guint i = 0; i < n; i++)
    if (((const guint32 *) g_bytes_get_data (found, NULL))[i] != x[i])
      g_error ("of %u items number %u, thread %u of block %u, is %u and not %u", n, i, i % BLOCK, i / BLOCK,
               ((const guint32 *) g_bytes_get_data (found, NULL))[i], x[i]);
}

typedef struct
{
  const char *name, *head, *access;
  LeatExecutor executor;
  LeatTimingMode timing;
} LeaveCase;

static const LeaveCase leave_cases[] = {
  { "apart", "", "any", LEAT_EXECUTOR_GRAPH, LEAT_TIMING_OFF },
  { "measured", "", "any", LEAT_EXECUTOR_GRAPH, LEAT_TIMING_NODES },
  { "joined", "m = megakernel {\n", "any", LEAT_EXECUTOR_GRAPH, LEAT_TIMING_OFF },
  { "joined-measured", "m = megakernel {\n", "any", LEAT_EXECUTOR_GRAPH, LEAT_TIMING_NODES },
  { "blocks", "m = megakernel {\n", "block", LEAT_EXECUTOR_GRAPH, LEAT_TIMING_OFF },
  { "checked", "m = megakernel check=true {\n", "block", LEAT_EXECUTOR_GRAPH, LEAT_TIMING_OFF },
  { "loop", "m = loop max-iterations=1 method=fused {\n", "any", LEAT_EXECUTOR_GRAPH, LEAT_TIMING_OFF },
  { "resident", "m = megakernel {\n", "any", LEAT_EXECUTOR_PERSISTENT, LEAT_TIMING_OFF },
};

/* Items of more blocks than run at once: no processor has more than 32 at a time. */
static guint
leave_count_most (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = leat_device_open (NULL, &error);

  g_assert_no_error (error);
  if (LEAT_TEST_SANITIZED)
    return 20003;
  return MAX (32 * leat_device_get_facts (device)->multiprocessors * BLOCK, 100000) + 67;
}

/* Sizes of which the last block has few, one, or all. */
static void
test_leave_runs (gconstpointer data)
{
  const LeaveCase *self = data;
  const guint sizes[] = { 1, 9, 67, 256, 257, 5001, leave_count_most () };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      g_autofree char *text = leave_dup_chain (self->head, self->access, sizes[s]);
      g_autofree guint32 *x = g_new (guint32, sizes[s]);
      g_autoptr (GError) error = NULL;
      Leave one;

      leave_open (&one, text, self->executor, self->timing, &error);
      g_assert_no_error (error);
      for (guint run = 0; run < 3; run++)
        {
          for (guint i = 0; i < sizes[s]; i++)
            x[i] = (guint32) g_test_rand_int_range (0, 1000);
          leave_run (&one, x, sizes[s]);
        }
      leave_close (&one);
    }
}

/* Nobody brings who has returned to what a warp does together. */
static void
test_leave_refuses (void)
{
  static const struct
  {
    const char *entry, *message;
  } rows[] = { { "warp", "kernel warp cannot be part of a larger one: some of its threads may return before "
                         "__shfl_xor_sync (), at which others wait for them" },
               { "within", "kernel within cannot be part of a larger one: not all of its threads may come to "
                           "__syncthreads (), at which others wait for them" },
               { "by_macro", NULL },
               { "some", NULL },
               { "there", NULL },
               { "after", NULL } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *nodes = g_strdup_printf ("s0 = kernel source=\"%s\" entry=%s block=256\nlast = map expr=x+1\n",
                                                kernels_path, rows[i].entry);
      g_autofree char *text = leave_dup_text (nodes, "s0 -> last", "m = megakernel {\n", 1000);
      g_autoptr (GError) error = NULL;
      Leave one;

      g_assert_true (leave_open (&one, text, LEAT_EXECUTOR_GRAPH, LEAT_TIMING_OFF, &error)
                     == (rows[i].message == NULL));
      if (rows[i].message == NULL)
        g_assert_no_error (error);
      else if (strstr (error->message, rows[i].message) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, rows[i].message);
      leave_close (&one);
    }
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("leat-leave-XXXXXX", &error);
  int status;

  g_test_init (&argc, &argv, NULL);
  kernels_path = g_build_filename (folder, "leave.cu", NULL);
  g_assert_true (g_file_set_contents (kernels_path, kernels_text, -1, &error));
  for (guint i = 0; i < G_N_ELEMENTS (leave_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/session/leave/", leave_cases[i].name, NULL);

      g_test_add_data_func (path, &leave_cases[i], test_leave_runs);
    }
  g_test_add_func ("/leat/session/leave/refuses", test_leave_refuses);
  status = g_test_run ();
  g_unlink (kernels_path);
  g_rmdir (folder);
  g_free (kernels_path);
  return status;
}
