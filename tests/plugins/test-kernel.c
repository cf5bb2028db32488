/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include "bind/leat-bound-plan-private.h"

#include <string.h>

/* The node `kernel`, with kernels that are written to a file here. */

static const char source[] =
  "__global__ void grid (uint32_t *out, const uint32_t *in, uint64_t in_count)\n"
  "{\n"
  "  if (threadIdx.x == 0 && blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.y == 0)\n"
  "    {\n"
  "      out[0] = gridDim.x; out[1] = gridDim.y; out[2] = gridDim.z;\n"
  "      out[3] = blockDim.x; out[4] = blockDim.y; out[5] = blockDim.z;\n"
  "      out[6] = (uint32_t) in_count; out[7] = in[0];\n"
  "    }\n"
  "}\n"
  "__global__ void even (const uint32_t *in, uint64_t in_count, uint32_t *out, uint64_t *out_count,\n"
  "                      uint64_t out_capacity)\n"
  "{\n"
  "  if (threadIdx.x == 0 && blockIdx.x == 0)\n"
  "    for (uint64_t i = 0; i < in_count; i++)\n"
  "      if (in[i] % 2 == 0)\n"
  "        {\n"
  "          if (*out_count < out_capacity)\n"
  "            out[*out_count] = in[i];\n"
  "          ++*out_count;\n"
  "        }\n"
  "}\n"
  "__global__ void doubled (const uint32_t *in, uint64_t in_count, uint32_t *out, uint64_t *out_count,\n"
  "                       uint64_t out_capacity)\n"
  "{\n"
  "  if (threadIdx.x == 0 && blockIdx.x == 0)\n"
  "    for (uint64_t i = 0; i < 2 * in_count; i++, ++*out_count)\n"
  "      if (i < out_capacity)\n"
  "        out[i] = in[i % in_count] + (uint32_t) (i / in_count);\n"
  "}\n"
  "__global__ void scale (const uint32_t *in, uint64_t in_count, uint32_t *out, uint32_t factor, int32_t less, float "
  "more)\n"
  "{\n"
  "  GRID_FOR (i, in_count)\n"
  "    out[i] = in[i] * factor + less + (uint32_t) more;\n"
  "}\n"
  "__global__ void wide (const uint32_t *in, uint32_t *out, int width, float more)\n"
  "{\n"
  "  GRID_FOR (i, (uint64_t) width)\n"
  "    out[i] = in[i] + (uint32_t) more;\n"
  "}\n"
  "__global__ void turn (const uint32_t *in, uint32_t in_dim0, uint32_t in_dim1, uint32_t *out)\n"
  "{\n"
  "  uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
  "  if (x < in_dim1 && y < in_dim0)\n"
  "    out[x * in_dim0 + y] = in[y * in_dim1 + x];\n"
  "}\n"
  "__global__ void meet (const uint32_t *in, uint64_t in_count, uint32_t *out)\n"
  "{\n"
  "  leat_grid_sync ();\n"
  "  GRID_FOR (i, in_count)\n"
  "    out[i] = in[i];\n"
  "}\n"
  "__device__ void all_meet () { leat_grid_sync (); }\n"
  "__global__ void meet_within (const uint32_t *in, uint64_t in_count, uint32_t *out)\n"
  "{\n"
  "  all_meet ();\n"
  "  GRID_FOR (i, in_count)\n"
  "    out[i] = in[i];\n"
  "}\n"
  "__global__ void reversed (const uint32_t *in, uint64_t in_count, uint32_t *out)\n"
  "{\n"
  "  extern __shared__ uint32_t items[];\n"
  "  items[threadIdx.x] = in[threadIdx.x];\n"
  "  __syncthreads ();\n"
  "  out[threadIdx.x] = items[in_count - 1 - threadIdx.x];\n"
  "}\n"
  "__global__ void copy_int (const uint8_t *in, int in_count, uint8_t *out)\n"
  "{\n"
  "  GRID_FOR (i, in_count)\n"
  "    out[i] = in[i];\n"
  "}\n"
  "__global__ void copy_unsigned (const uint8_t *in, unsigned int in_count, uint8_t *out)\n"
  "{\n"
  "  GRID_FOR (i, in_count)\n"
  "    out[i] = in[i];\n"
  "}\n"
  "__global__ void widen (const uint8_t *in, uint64_t in_count, uint32_t *out)\n"
  "{\n"
  "  GRID_FOR (i, in_count)\n"
  "    out[i] = in[i];\n"
  "}\n"
  "__global__ void hist (const uint32_t *in, uint64_t in_count, uint32_t *bins, uint32_t *out)\n"
  "{\n"
  "  GRID_FOR (i, in_count)\n"
  "    {\n"
  "      atomicAdd (&bins[in[i] % 4], 1u);\n"
  "      out[i] = in[i];\n"
  "    }\n"
  "}\n"
  "__global__ void mark (const uint32_t *in, uint64_t in_count, uint32_t *out, uint64_t *out_count)\n"
  "{\n"
  "  if (threadIdx.x == 0 && blockIdx.x == 0)\n"
  "    {\n"
  "      out[in_count - 1] += in[0];\n"
  "      *out_count = in_count;\n"
  "    }\n"
  "}\n"
  "__global__ void choose (const uint32_t *in, uint64_t in_count, uint32_t *out, bool up, bool down)\n"
  "{\n"
  "  GRID_FOR (i, in_count)\n"
  "    out[i] = up && !down ? in[i] + 1 : 0;\n"
  "}\n"
  "__global__ void sum (const uint32_t *a, uint64_t a_count, const uint32_t *b, uint32_t *out)\n"
  "{\n"
  "  GRID_FOR (i, a_count)\n"
  "    out[i] = a[i] + b[i];\n"
  "}\n"
  "__global__ void look (const uint32_t *a, const uint32_t *b, uint64_t b_count, uint32_t *out)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  out[i] = a[i] + b[a[i] % b_count];\n"
  "}\n"
  "__global__ void stage (const uint32_t *in, uint32_t *out)\n"
  "{\n"
  "  extern __shared__ uint32_t items[];\n"
  "  items[threadIdx.x] = in[0] + gridDim.x;\n"
  "  __syncthreads ();\n"
  "  if (blockIdx.x == 0 && threadIdx.x == 0)\n"
  "    out[0] = items[31];\n"
  "}\n"
  "template <typename T> __global__ void twice (T *x) { x[0] *= 2; }\n"
  "__global__ void scale_in_place (float *x, float factor) { x[threadIdx.x] *= factor; }\n";

static char *
test_kernel_write (void)
{
  char *path = leat_harness_dup_path ("kernels.cu");

  leat_harness_write_file (path, source, strlen (source));
  return path;
}

static LeatPipeline *
test_kernel_parse (const char *properties, const char *spec, GError **error)
{
  g_autofree char *path = test_kernel_write ();
  g_autofree char *text = g_strdup_printf ("leat 1\nk = kernel source=%s %s\na = app spec=%s\nb = app\n"
                                           "a -> upload -> k.in\nk.out -> readback -> b\n",
                                           path, properties, spec);

  return leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
}

static GBytes *
test_kernel_run (const char *properties, const char *spec, gconstpointer data, gsize size)
{
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = test_kernel_parse (properties, spec, &error);
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  GBytes *result;

  g_assert_no_error (error);
  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), bytes, &error);
  g_assert_no_error (error);
  leat_app_end (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)));
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  leat_session_run (session, NULL, &error);
  g_assert_no_error (error);
  result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, &error);
  g_assert_no_error (error);
  leat_session_close (session);
  return result;
}

static void
test_kernel_geometry (void)
{
  static const struct
  {
    const char *properties, *spec;
    guint32 wanted[7]; /* grid, block, in_count: items of every shape */
  } table[] = {
    { "", "u32[1000]", { 1, 1, 1, 16, 16, 1, 1000 } }, /* it asks for threadIdx.y */
    { "block=256", "u32[1000]", { 1, 1, 1, 256, 1, 1, 1000 } },
    { "grid=items:in block=256", "u32[1000]", { 4, 1, 1, 256, 1, 1, 1000 } },
    { "grid=items:in", "u32[20,100]", { 7, 2, 1, 16, 16, 1, 2000 } },
    { "grid=items:in block=auto", "u32[20,100,3]", { 7, 2, 1, 16, 16, 1, 6000 } },
    { "grid=items:in block=16x16", "u32[20,100,3]", { 7, 2, 1, 16, 16, 1, 6000 } },
    { "grid=items:in block=32", "u32[64,5]", { 10, 1, 1, 32, 1, 1, 320 } },
    { "grid=items:in block=16x8", "u32[20,100]", { 7, 3, 1, 16, 8, 1, 2000 } },
    { "grid=items:in block=8x4x2", "u32[3,9,17]", { 3, 3, 2, 8, 4, 2, 459 } },
    { "grid=7x3 block=64", "u32[10]", { 7, 3, 1, 64, 1, 1, 10 } },
    { "grid=2x3x4 block=1x2x3", "u32[10]", { 2, 3, 4, 1, 2, 3, 10 } },
    { "grid=auto block=4", "u32[10]", { 2, 1, 1, 4, 1, 1, 10 } },
    { "grid=items:in block=100", "u32[<=250]", { 3, 1, 1, 100, 1, 1, 120 } },
  };
  guint32 data[6000] = { 42 };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *properties = g_strdup_printf ("entry=grid out=u32[8] %s", table[i].properties);
      g_autoptr (LeatSpec) spec = leat_spec_parse (table[i].spec, NULL);
      gsize rows = leat_spec_is_bounded (spec) ? 120 : leat_spec_get_dim (spec, 0);
      g_autoptr (GBytes) result =
        test_kernel_run (properties, table[i].spec, data, rows * leat_spec_get_row_bytes (spec));
      const guint32 *found = g_bytes_get_data (result, NULL);

      for (guint j = 0; j < 7; j++)
        if (found[j] != table[i].wanted[j])
          g_error ("%s on %s: number %u is %u, not %u", table[i].properties, table[i].spec, j, found[j],
                   table[i].wanted[j]);
      g_assert_cmpuint (found[7], ==, 42);
    }
}

/* As many blocks as run at once: some, on every multiprocessor as many, and the work gets done. */
static void
test_kernel_occupancy (void)
{
  guint32 data[1000];
  g_autoptr (GBytes) grid = NULL;
  g_autoptr (GBytes) scaled = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (data); i++)
    data[i] = i;
  grid = test_kernel_run ("entry=grid out=u32[8] grid=occupancy block=64", "u32[1000]", data, sizeof data);
  g_assert_cmpuint (((const guint32 *) g_bytes_get_data (grid, NULL))[0], >=, 1);
  g_assert_cmpuint (((const guint32 *) g_bytes_get_data (grid, NULL))[1], ==, 1);
  scaled = test_kernel_run ("entry=scale grid=occupancy factor=3 less=-2 more=5.5", "u32[1000]", data, sizeof data);
  for (guint i = 0; i < G_N_ELEMENTS (data); i++)
    g_assert_cmpuint (((const guint32 *) g_bytes_get_data (scaled, NULL))[i], ==, 3 * i + 3);
}

static guint
test_kernel_count_staged (guint shared)
{
  guint32 none = 0;
  g_autofree char *properties = g_strdup_printf ("entry=stage out=u32[1] grid=occupancy block=32 shared=%u", shared);
  g_autoptr (GBytes) grid = test_kernel_run (properties, "u32[1]", &none, sizeof none);

  return *(const guint32 *) g_bytes_get_data (grid, NULL);
}

/* What is more than a kernel may have unasked takes as many blocks as it has room for, too. */
static void
test_kernel_occupancy_with_shared (void)
{
  guint little = test_kernel_count_staged (48000), much = test_kernel_count_staged (60000);

  g_assert_cmpuint (little, >, 0);
  g_assert_cmpuint (much, <=, little);
  g_assert_cmpuint (2 * much, >=, little);
}

/* Macros given on the node choose types, sizes and what is done; two nodes of one file may have their own. */
static void
test_kernel_defines (void)
{
  static const char text[] =
    "#ifdef USE_DOUBLE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n#ifndef N\n#define N 1\n#endif\n"
    "__global__ void k (const real *in, uint64_t in_count, real *out, real a) { GRID_FOR (i, in_count) out[i] = in[i] "
    "* N + a; }\n";
  g_autofree char *path = leat_harness_dup_path ("defines.cu"), *pipeline_text = NULL;
  const double wide[3] = { 1, 2, 3 };
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (wide, sizeof wide), result = NULL;
  const double *found;

  leat_harness_write_file (path, text, strlen (text));
  pipeline_text = g_strdup_printf ("leat 1\nk = kernel source=%s defines=\"USE_DOUBLE,N=16\" a=0.5\n"
                                   "l = kernel source=%s defines=USE_DOUBLE a=0\na = app spec=f64[3]\nb = app\n"
                                   "a -> upload -> k.in\nk.out -> l.in\nl.out -> readback -> b\n",
                                   path, path);
  pipeline = leat_parse_text (pipeline_text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), bytes, &error);
  leat_app_end (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)));
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  leat_session_run (session, NULL, &error);
  g_assert_no_error (error);
  result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (result), ==, sizeof wide);
  found = g_bytes_get_data (result, NULL);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat (found[i], ==, wide[i] * 16 + 0.5);
  leat_session_close (session);
}

/* A bool is 0 or 1 in the kernel, however it is written. */
static void
test_kernel_bool (void)
{
  static const struct
  {
    const char *properties;
    guint32 wanted;
  } table[] = {
    { "up=true down=false", 42 }, { "up=1 down=0", 42 }, { "up=false down=false", 0 }, { "up=1 down=1", 0 }
  };
  guint32 data[1] = { 41 };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *properties = g_strdup_printf ("entry=choose %s", table[i].properties);
      g_autoptr (GBytes) result = test_kernel_run (properties, "u32[1]", data, sizeof data);

      g_assert_cmpuint (g_bytes_get_size (result), ==, sizeof data);
      g_assert_cmpuint (*(const guint32 *) g_bytes_get_data (result, NULL), ==, table[i].wanted);
    }
}

static void
test_kernel_counted_output (void)
{
  guint32 data[] = { 1, 2, 3, 4, 6, 7, 8 };

  for (guint n = 0; n <= G_N_ELEMENTS (data); n++)
    {
      g_autoptr (GBytes) result =
        test_kernel_run ("entry=even grid=1 block=1 out=u32[<=4]", "u32[<=7]", data, n * sizeof *data);
      const guint32 *found = g_bytes_get_data (result, NULL);
      guint wanted = 0;

      for (guint i = 0; i < n; i++)
        if (data[i] % 2 == 0)
          g_assert_cmpuint (found[wanted++], ==, data[i]);
      g_assert_cmpuint (g_bytes_get_size (result), ==, wanted * sizeof *found);
    }
}

/* More than there is room for is an error that says both numbers, not a short result. */
static void
test_kernel_overflow (void)
{
  guint32 data[] = { 2, 4, 6, 8, 10 };
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = test_kernel_parse ("entry=even grid=1 block=1 out=u32[<=4]", "u32[5]", &error);
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (data, sizeof data);

  g_assert_no_error (error);
  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), bytes, &error);
  leat_app_end (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)));
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (leat_session_run (session, NULL, &error));
  leat_harness_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW,
                             "there are 5 items to give in k.out, but room for 4");
  leat_session_close (session);
}

static LeatFlow
test_kernel_replay (LeatPipeline *pipeline, LeatSession *session, guint n, GError **error)
{
  g_autofree guint32 *data = g_new0 (guint32, n); /* all of them even */
  g_autoptr (GBytes) bytes = g_bytes_new (data, n * sizeof *data);

  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), bytes, error);
  return *error == NULL ? leat_session_replay (session, FALSE, NULL, error) : LEAT_FLOW_ERROR;
}

/* With room for all of them in the end, whatever was said or not said about it at first. */
static void
test_kernel_grow (void)
{
  static const char *const outs[] = { "out=u32[<=4]", "" };
  static const guint counts[] = { 3, 4, 5, 60, 5, 61 };

  for (guint k = 0; k < G_N_ELEMENTS (outs); k++)
    {
      g_autofree char *path = test_kernel_write ();
      g_autofree char *text = g_strdup_printf (
        "leat 1\nk = kernel source=%s entry=doubled grid=1 block=1 on-overflow=grow %s\n"
        "a = app spec=u32[<=64]\nb = app\na -> upload -> k.in\nk.out -> map expr=x+1 -> readback -> b\n",
        path, outs[k]);
      GError *error = NULL;
      g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
      g_autoptr (LeatSession) session = NULL;

      g_assert_no_error (error);
      session = leat_session_new (pipeline, NULL);
      leat_session_open (session, NULL, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
        {
          g_autoptr (GBytes) result = NULL;

          g_assert_cmpint (test_kernel_replay (pipeline, session, counts[i], &error), ==, LEAT_FLOW_DATA);
          g_assert_no_error (error);
          result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, &error);
          g_assert_no_error (error);
          g_assert_cmpuint (g_bytes_get_size (result), ==, 2 * counts[i] * sizeof (guint32));
          for (guint n = 0; n < 2 * counts[i]; n++)
            g_assert_cmpuint (((const guint32 *) g_bytes_get_data (result, NULL))[n], ==, n / counts[i] + 1);
        }
      leat_session_close (session);
    }
}

/* @taker: what is next to a kernel that counts more than it has room for. */
static void
test_kernel_overflow_into (const char *taker, LeatExecutor executor)
{
  g_autofree char *path = test_kernel_write ();
  g_autofree char *text = g_strdup_printf (
    "leat 1\nk = kernel source=%s entry=even grid=1 block=1 out=u32[<=4]\na = app spec=u32[<=100000]\nb = app\n"
    "a -> upload -> k.in\nk.out -> %s%s name=t -> readback -> b\n",
    path, taker, g_str_has_prefix (taker, "kernel") ? path : "");
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GBytes) result = NULL;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  g_object_set (session, "executor", executor, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  for (guint round = 0; round < 2; round++)
    {
      g_assert_cmpint (test_kernel_replay (pipeline, session, 100000, &error), ==, LEAT_FLOW_ERROR);
      g_test_message ("%s", error->message);
      leat_harness_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW,
                                 "\"t\": there are 100000 items to take from k.out, but it has room for 4");
      leat_session_close (session);
      leat_session_open (session, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (test_kernel_replay (pipeline, session, 4, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (g_bytes_get_size (result), ==, 4 * sizeof (guint32));
      g_clear_pointer (&result, g_bytes_unref);
    }
  leat_session_close (session);
}

/* Nobody sees the count on its way to the next kernel on the device: that one stays within the memory, and the run
 * fails.  Opened again, the session runs as if nothing had been. */
static void
test_kernel_overflow_on_the_device (void)
{
  static const char *const takers[] = { "map expr=x+1", "kernel entry=scale factor=1 less=0 more=0 source=" };

  for (guint i = 0; i < G_N_ELEMENTS (takers); i++)
    {
      test_kernel_overflow_into (takers[i], LEAT_EXECUTOR_GRAPH);
      test_kernel_overflow_into (takers[i], LEAT_EXECUTOR_EAGER);
    }
}

/* Pushes @n_runs blocks of u32[8] through the port @port of `hist` or `mark`; the last result. */
static GBytes *
test_kernel_run_repeatedly (const char *properties, const char *spec, const char *port, guint n_runs)
{
  static const guint32 data[8] = { 0, 1, 1, 2, 2, 2, 3, 3 };
  g_autofree char *path = test_kernel_write ();
  g_autofree char *text =
    g_strdup_printf ("leat 1\nk = kernel source=%s %s\na = app spec=%s\nb = app\n"
                     "a -> upload -> k.in\nk.%s -> readback -> b\n%s",
                     path, properties, spec, port, g_str_equal (port, "bins") ? "k.out -> discard\n" : "");
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (data, sizeof data);
  GBytes *result = NULL;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n_runs; i++)
    g_assert_true (leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), bytes, &error));
  leat_app_end (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)));
  leat_session_run (session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n_runs; i++)
    {
      g_clear_pointer (&result, g_bytes_unref);
      result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, &error);
      g_assert_no_error (error);
    }
  leat_session_close (session);
  return result;
}

/* What clear= names holds zeros before each launch, also behind a count. */
static void
test_kernel_clear (void)
{
  static const guint32 bins[4] = { 1, 2, 3, 2 }, marked[8] = { 0 };
  g_autoptr (GBytes) a = test_kernel_run_repeatedly ("entry=hist bins=u32[4] clear=bins", "u32[8]", "bins", 3);
  g_autoptr (GBytes) b = test_kernel_run_repeatedly ("entry=mark out=u32[<=8] clear=out", "u32[<=8]", "out", 3);

  g_assert_cmpmem (g_bytes_get_data (a, NULL), g_bytes_get_size (a), bins, sizeof bins);
  g_assert_cmpmem (g_bytes_get_data (b, NULL), g_bytes_get_size (b), marked, sizeof marked);
}

/* What is no error and likely to be wrong is on the bus. */
static void
test_kernel_warns (void)
{
  static const struct
  {
    const char *properties, *spec, *says; /* NULL: nothing */
  } table[] = {
    { "entry=mark", "u32[8]", "output \"out\" held before, and outputs are not cleared; set clear=out" },
    { "entry=mark clear=out", "u32[8]", NULL },
    { "entry=scale factor=1 less=0 more=0", "u32[8]", NULL },
    { "entry=even", "u32[8]", NULL },
    { "entry=turn in=u32[h,w] out=u32[w,h]", "u32[2,3]", NULL },
    { "entry=turn in=u32[h,w] out=u32[w,h] block=256", "u32[2,3]", "uses y, and there is one thread along y" },
    { "entry=turn in=u32[h,w] out=u32[w,h] block=32x1", "u32[2,3]", NULL },
    { "entry=turn in=u32[h,w] out=u32[w,h] block=32 grid=4", "u32[2,3]", "such as block=16x16" },
    { "entry=turn in=u32[h,w] out=u32[w,h] block=32 grid=1x3", "u32[2,3]", NULL },
    { "entry=turn in=u32[h,w] out=u32[w,h] block=256", "u32[2,1]", NULL },
    { "entry=grid out=u32[8] block=256", "u32[8]", NULL },
    { "entry=widen", "u8[<=1073741824]",
      "output \"out\" has the shape of the first input, which makes it u32[<=1073741824], 4.0" },
    { "entry=widen out=u32[<=1073741824]", "u8[<=1073741824]", NULL },
    { "entry=widen", "u8[<=1048576]", NULL },
    { "entry=copy_int", "u8[<=1073741824]", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;
      g_autoptr (LeatPipeline) pipeline = test_kernel_parse (table[i].properties, table[i].spec, &error);
      g_autoptr (LeatPlan) plan = NULL;
      g_autoptr (LeatMessage) message = NULL;
      const char *found = NULL;

      g_assert_no_error (error);
      plan = leat_plan_new (pipeline, &error);
      g_assert_no_error (error);
      message = leat_bus_pop (leat_pipeline_get_bus (pipeline), 0);
      if (message != NULL)
        {
          g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_WARNING);
          found = leat_message_get_error (message)->message;
        }
      g_test_message ("%s: %s", table[i].properties, found);
      if ((found == NULL) != (table[i].says == NULL) || (found != NULL && strstr (found, table[i].says) == NULL))
        g_error ("kernel %s on %s: \"%s\" does not say \"%s\"", table[i].properties, table[i].spec, found,
                 table[i].says);
      g_assert_null (leat_bus_pop (leat_pipeline_get_bus (pipeline), 0));
    }
}

/* An input that the kernel does not learn the size of, and that has less than it works on. */
static void
test_kernel_warns_of_sizes (void)
{
  static const struct
  {
    const char *properties, *a, *b, *says; /* NULL: nothing */
  } table[] = {
    { "entry=sum", "u32[1000]", "u32[7]",
      "input \"b\" has 7 items, a_count can be 1000, and kernel sum is not told, so it may read past the end" },
    { "entry=sum", "u32[<=1000]", "u32[10]", "input \"b\" has 10 items" },
    { "entry=sum", "u32[1000]", "u32[10,100]", NULL },
    { "entry=sum", "u32[7]", "u32[1000]", NULL },
    { "entry=sum b=u32[7]", "u32[1000]", "u32[7]", NULL },
    { "entry=sum a=u32[n] b=u32[n]", "u32[7]", "u32[7]", NULL },
    { "entry=sum grid=occupancy", "u32[1000]", "u32[7]", "add a parameter \"uint64_t b_count\"" },
    { "entry=look", "u32[1000]", "u32[7]", NULL },
    { "entry=look", "u32[7]", "u32[1000]", "input \"a\" has 7 items, b_count can be 1000" },
    { "entry=look out=u32[99]", "u32[7]", "u32[7]", "input \"a\" has 7 items, the grid has 99 threads" },
  };
  g_autofree char *path = test_kernel_write ();

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;
      g_autofree char *text = g_strdup_printf ("leat 1\nk = kernel source=%s %s\na = app spec=%s\nb = app spec=%s\n"
                                               "a -> upload -> k.a\nb -> upload -> k.b\nk -> readback -> app\n",
                                               path, table[i].properties, table[i].a, table[i].b);
      g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
      g_autoptr (LeatPlan) plan = NULL;
      g_autoptr (LeatMessage) message = NULL;
      const char *found = NULL;

      g_assert_no_error (error);
      plan = leat_plan_new (pipeline, &error);
      g_assert_no_error (error);
      message = leat_bus_pop (leat_pipeline_get_bus (pipeline), 0);
      if (message != NULL)
        found = leat_message_get_error (message)->message;
      g_test_message ("%s: %s", table[i].properties, found);
      if ((found == NULL) != (table[i].says == NULL) || (found != NULL && strstr (found, table[i].says) == NULL))
        g_error ("kernel %s on %s and %s: \"%s\" does not say \"%s\"", table[i].properties, table[i].a, table[i].b,
                 found, table[i].says);
    }
}

static void
test_kernel_dims_and_shared (void)
{
  guint32 data[6] = { 1, 2, 3, 4, 5, 6 };
  static const guint32 turned[6] = { 1, 4, 2, 5, 3, 6 }, reversed[6] = { 6, 5, 4, 3, 2, 1 };
  g_autoptr (GBytes) a =
    test_kernel_run ("entry=turn block=16x16 grid=items:in in=u32[h,w] out=u32[w,h]", "u32[2,3]", data, sizeof data);
  g_autoptr (GBytes) b = test_kernel_run ("entry=reversed block=6 grid=1 shared=64", "u32[6]", data, sizeof data);

  g_assert_cmpmem (g_bytes_get_data (a, NULL), g_bytes_get_size (a), turned, sizeof turned);
  g_assert_cmpmem (g_bytes_get_data (b, NULL), g_bytes_get_size (b), reversed, sizeof reversed);
}

/* The shape of an output that is not said is the first input's. */
static void
test_kernel_negotiates (void)
{
  static const struct
  {
    const char *properties, *spec, *out;
  } table[] = {
    { "entry=scale factor=1 less=0 more=0", "u32[4,5]", "u32[4,5]" },
    { "entry=scale factor=1 less=0 more=0", "u32[<=9,2]", "u32[<=9,2]" },
    { "entry=even", "u32[100]", "u32[<=100]" },
    { "entry=even out=u32[<=7]", "u32[100]", "u32[<=7]" },
    { "entry=copy_int", "u8[2147483647]", "u8[2147483647]" },
    { "entry=copy_unsigned", "u8[<=4294967295]", "u8[<=4294967295]" },
    { "entry=scale factor=1 less=0 more=0 out=u32[<=1000]", "u32[<=1000]", "u32[<=1000]" },
    { "entry=scale factor=1 less=0 more=0 out=u32[<=1001]", "u32[<=1000]", "u32[<=1001]" },
    { "entry=turn in=u32[h,w] out=u32[w,h]", "u32[2,3]", "u32[3,2]" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;
      g_autoptr (LeatPipeline) pipeline = test_kernel_parse (table[i].properties, table[i].spec, &error);
      g_autoptr (LeatPlan) plan = NULL;
      g_autofree char *found = NULL;

      g_assert_no_error (error);
      plan = leat_plan_new (pipeline, &error);
      g_assert_no_error (error);
      found = leat_spec_to_string (
        leat_port_get_spec (leat_node_get_port (leat_pipeline_get_node (pipeline, "k", NULL), "out", NULL)),
        LEAT_SPEC_STYLE_FILE);
      g_assert_cmpstr (found, ==, table[i].out);
    }
}

static void
test_kernel_refuses (void)
{
  static const struct
  {
    const char *properties, *spec, *says;
  } table[] = {
    { "entry=evn", "u32[4]", "no kernel \"evn\" (did you mean \"even\"?)" },
    { "", "u32[4]", "entry" },
    { "entry=even defines=4=x", "u32[4]", "cannot define \"4=x\"; expected NAME or NAME=VALUE" },
    { "entry=scale facto=2", "u32[4]", "no property \"facto\" (did you mean \"factor\"?)" },
    { "entry=scale factor=x", "u32[4]", "factor" },
    { "entry=scale factor=-1", "u32[4]", "factor" },
    { "entry=scale factor=4294967296", "u32[4]", "factor" },
    { "entry=choose up=2 down=0", "u32[4]", "argument \"up\" takes true or false, not \"2\"" },
    { "entry=choose up=1.0 down=0", "u32[4]", "argument \"up\" takes true or false" },
    { "entry=scale", "f32[4]", "f32" },
    { "entry=turn in=u32[h,w] out=u32[w,h]", "u32[4]", "u32[4]" },
    { "entry=scale block=0", "u32[4]", "block=0: expected threads such as 256 or 16x16" },
    { "entry=scale block=2x", "u32[4]", "block=2x" },
    { "entry=scale block=1x1x1x1", "u32[4]", "block=1x1x1x1" },
    { "entry=scale block=-5", "u32[4]", "block=-5" },
    { "entry=scale grid=many", "u32[4]", "grid=many: expected auto, items:PORT, occupancy" },
    { "entry=scale grid=items:int", "u32[4]", "no port \"int\"" },
    { "entry=scale grid=0", "u32[4]", "grid=0" },
    { "entry=scale out=u32[<=4]", "u32[4]", "uint64_t *out_count" },
    { "entry=even out=u32[4]", "u32[4]", "out=u32[<=4096]" },
    { "entry=scale factor=1 less=0 more=0 out=u32[<=4]", "u32[<=1000]",
      "output \"out\" (u32[<=4]) as its input \"in\" (u32[<=1000])" },
    { "entry=scale factor=1 less=0 more=0 out=u32[<=999]", "u32[<=1000]", "make that output [<=1000] or larger" },
    { "entry=copy_int", "u8[2147483648]", "\"in_count\" of copy_int may be given 2147483648" },
    { "entry=copy_int", "u8[<=2147483648]", "declare it uint64_t" },
    { "entry=copy_int", "u8[<=65536,32768]", "more than int holds" },
    { "entry=copy_unsigned", "u8[4294967296]", "may be given 4294967296" },
    { "entry=copy_unsigned", "u8[<=4294967296]", "more than unsigned int holds" },
    { "entry=turn in=u32[h,w] out=u32[w,h]", "u32[4294967296,1]", "\"in_dim0\" of turn" },
    { "entry=scale out=f32[4]", "u32[4]", "f32" },
    { "entry=scale out=u32[n]", "u32[4]", "n" },
    { "entry=scale fp=sloppy", "u32[4]", "strict" },
    { "entry=scale fp=div,inrinsics", "u32[4]", "there is no \"inrinsics\" (did you mean \"intrinsics\"?)" },
    { "entry=scale fp=strict,div", "u32[4]", "strict allows nothing" },
    { "entry=scale shared=-1", "u32[4]", "shared" },
    { "entry=scale cooperative=perhaps", "u32[4]", "cooperative" },
    { "entry=scale factor=1 less=2", "u32[4]",
      "kernel \"k\": parameter \"more\" (float) of scale is not set; give it a value, as in more=VALUE on the node" },
    { "entry=wide more=2", "u32[4]",
      "parameter \"width\" (int) of wide is not set; give it a value, as in width=VALUE on the node; as a size of the "
      "input, call it in_dim0, in_dim1 (one dimension) or in_count (all items) in the kernel: these are filled in" },
    { "entry=scale block=1", "u32[1000,1000,10000]", "2147483647 blocks" },
    { "entry=scale factor=1 less=0 more=0 block=64x64", "u32[4]",
      "block=64x64 is 4096 threads; a block has at most 1024" },
    { "entry=scale factor=1 less=0 more=0 block=2147483647x2147483647x2147483647", "u32[4]",
      "at most 1024, on every device" },
    { "entry=reversed", "u32[4]", "set shared=BYTES" },
    { "entry=mark clear=outt", "u32[4]", "no output \"outt\" (did you mean \"out\"?)" },
    { "entry=mark clear=out,zzz", "u32[4]", "no output \"zzz\"; its outputs: out" },
    { "entry=mark clear=in", "u32[4]", "\"in\" is an input of kernel mark" },
    { "entry=twice", "u32[4]", "kernel \"twice\" is a template" },
    { "entry=meet", "u32[4]", "kernel \"k\": kernel meet has a barrier of the whole grid" },
    { "entry=meet_within", "u32[4]", "set cooperative=true" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;
      g_autoptr (LeatPipeline) pipeline = test_kernel_parse (table[i].properties, table[i].spec, &error);
      g_autoptr (LeatPlan) plan = pipeline != NULL ? leat_plan_new (pipeline, &error) : NULL;

      g_assert_null (plan);
      g_assert_nonnull (error);
      g_test_message ("%s: %s", table[i].properties, error->message);
      if (strstr (error->message, table[i].says) == NULL)
        g_error ("kernel %s: \"%s\" does not say \"%s\"", table[i].properties, error->message, table[i].says);
      g_clear_error (&error);
    }
}

/* A kernel that works in place has no input: the message says why, and what to write. */
static void
test_kernel_in_place (void)
{
  g_autofree char *path = test_kernel_write ();
  g_autofree char *text = g_strdup_printf ("app spec=f32[4] + upload + kernel source=%s entry=scale_in_place factor=2 "
                                           "+ readback + app",
                                           path);
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_TERMINAL, NULL, &error);

  g_assert_null (pipeline);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "has no input: \"float *x\" is an output, since it is not const"));
  g_assert_nonnull (strstr (error->message, "update=x gives it an input x_in, and as \"const float *x\" it"));
  g_clear_error (&error);
}

/* Each part of a chain is its own kernel from the same file, and data between them stays on the device. */
static void
test_kernel_chain (void)
{
  g_autofree char *path = test_kernel_write ();
  g_autofree char *text =
    g_strdup_printf ("app name=a spec=u32:max7 + upload + kernel source=%s entry=scale factor=2 less=0 "
                     "more=0 + kernel source=%s entry=even grid=1 block=1 + readback + app name=b",
                     path, path);
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_TERMINAL, NULL, &error);
  g_autoptr (LeatPlan) plan = NULL;
  guint kernels = 0, transfers = 0;

  g_assert_no_error (error);
  plan = leat_plan_new (pipeline, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < plan->ops->len; i++)
    {
      kernels += leat_plan_get_op (plan, i)->kind == LEAT_OP_KERNEL;
      transfers += leat_plan_get_op (plan, i)->kind == LEAT_OP_TRANSFER;
    }
  g_assert_cmpuint (kernels, ==, 2);
  g_assert_cmpuint (transfers, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/base/kernel/geometry", test_kernel_geometry);
  g_test_add_func ("/leat/base/kernel/occupancy", test_kernel_occupancy);
  g_test_add_func ("/leat/base/kernel/occupancy-with-shared", test_kernel_occupancy_with_shared);
  g_test_add_func ("/leat/base/kernel/defines", test_kernel_defines);
  g_test_add_func ("/leat/base/kernel/bool", test_kernel_bool);
  g_test_add_func ("/leat/base/kernel/counted-output", test_kernel_counted_output);
  g_test_add_func ("/leat/base/kernel/overflow", test_kernel_overflow);
  g_test_add_func ("/leat/base/kernel/grow", test_kernel_grow);
  g_test_add_func ("/leat/base/kernel/overflow-on-the-device", test_kernel_overflow_on_the_device);
  g_test_add_func ("/leat/base/kernel/dims-and-shared", test_kernel_dims_and_shared);
  g_test_add_func ("/leat/base/kernel/negotiates", test_kernel_negotiates);
  g_test_add_func ("/leat/base/kernel/refuses", test_kernel_refuses);
  g_test_add_func ("/leat/base/kernel/clear", test_kernel_clear);
  g_test_add_func ("/leat/base/kernel/warns", test_kernel_warns);
  g_test_add_func ("/leat/base/kernel/warns-of-sizes", test_kernel_warns_of_sizes);
  g_test_add_func ("/leat/base/kernel/in-place", test_kernel_in_place);
  g_test_add_func ("/leat/base/kernel/chain", test_kernel_chain);
  return g_test_run ();
}
