/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "persistent-fixture.h"

#include <glib/gstdio.h>

static const char kernels[] =
  "__global__ void scale (const float *x, float *y, float by)\n"
  "{\n"
  "  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (i < 1024)\n"
  "    y[i] = by * x[i] + 1;\n"
  "}\n"
  "__global__ void turn (const float *x, float *y)\n"
  "{\n"
  "  __shared__ float part[64];\n"
  "  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  part[threadIdx.x] = x[1023 - i];\n"
  "  __syncthreads ();\n"
  "  y[i] = part[63 - threadIdx.x] + gridDim.x;\n"
  "}\n"
  "__global__ void total (const float *x, float *y)\n"
  "{\n"
  "  float sum = 0;\n"
  "  for (int i = 0; i < 1024; i++)\n"
  "    sum += x[i];\n"
  "  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;\n"
  "}\n"
  "__global__ void climb (const float *x, float *y)\n"
  "{\n"
  "  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, n = 1;\n"
  "  while (x[0] != 0 && n != 0)\n"
  "    n = n * 3 | 1;\n"
  "  y[i] = x[i] + n;\n"
  "}\n"
  "__global__ void meet (const float *x, float *y)\n"
  "{\n"
  "  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  y[i] = 2 * x[i];\n"
  "  leat_grid_sync ();\n"
  "  float other = leat_load_relaxed (&y[1023 - i]);\n"
  "  leat_grid_sync ();\n"
  "  y[i] = other + gridDim.x;\n"
  "}\n"
  "__global__ void pair (const float *x, const float *w, float *y, float *z)\n"
  "{\n"
  "  for (unsigned int i = threadIdx.x; i < 1024; i += blockDim.x)\n"
  "    {\n"
  "      y[i] = x[i] - w[1023 - i];\n"
  "      z[i] = x[1023 - i] + 2 * w[i];\n"
  "    }\n"
  "}\n"
  "__global__ void near (const float *x, float *y, uint64_t x_count)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (i < x_count)\n"
  "    y[i] = x[i > 0 ? i - 1 : i] + 0.5f * x[i + 1 < x_count ? i + 1 : i];\n"
  "}\n"
  "__global__ void snag (const float *x, float *y, uint64_t x_count)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  unsigned int n = 1;\n"
  "  if (i < x_count)\n"
  "    {\n"
  "      while (x[i] == 1000 && n != 0)\n"
  "        n = n * 3 | 1;\n"
  "      y[i] = x[i] + n;\n"
  "    }\n"
  "}\n"
  "__global__ void power (const float *x, float *y)\n"
  "{\n"
  "  auto cube = [] (float a, int n) { float r = 1; for (int k = 0; k < n; k++) r *= a; return r; };\n"
  "  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  y[i] = cube (x[i], 3);\n"
  "}\n"
  "__global__ void power_by_all (const float *x, float *y)\n"
  "{\n"
  "  int n = 3;\n"
  "  auto cube = [&] (float a) { float r = 1; for (int k = 0; k < n; k++) r *= a; return r; };\n"
  "  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  y[i] = cube (x[i]);\n"
  "}\n"
  "__global__ void jump (const float *x, float *y)\n"
  "{\n"
  "  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "again:\n"
  "  y[i] = x[i];\n"
  "  if (y[i] != x[i])\n"
  "    goto again;\n"
  "}\n";

static char *folder, *persistent_kernel_path;

void
persistent_init (void)
{
  folder = g_dir_make_tmp ("leat-program-XXXXXX", NULL);
  persistent_kernel_path = g_build_filename (folder, "persistent.cu", NULL);
  g_assert_true (g_file_set_contents (persistent_kernel_path, kernels, -1, NULL));
}

void
persistent_clear (void)
{
  g_unlink (persistent_kernel_path);
  g_rmdir (folder);
  g_clear_pointer (&persistent_kernel_path, g_free);
  g_clear_pointer (&folder, g_free);
}

LeatPipeline *
persistent_parse (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "%s", -1);
  g_autofree char *body = g_strjoinv (persistent_kernel_path, parts);
  g_autofree char *whole = g_strconcat ("leat 1\n", body, NULL);
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);

  g_assert_no_error (error);
  return pipeline;
}

static void
persistent_make (SessionFixture *self, const char *text, LeatExecutor executor, guint limit_ms)
{
  self->pipeline = persistent_parse (text);
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor", executor, "persistent-limit-ms",
                limit_ms > 0 ? limit_ms : PERSISTENT_PATIENT_MS, NULL);
  self->source = LEAT_APP (leat_pipeline_get_node (self->pipeline, "source", NULL));
  self->sink = LEAT_APP (leat_pipeline_get_node (self->pipeline, "sink", NULL));
}

static void
persistent_begin (SessionFixture *self)
{
  g_autoptr (GError) error = NULL;

  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
}

void
persistent_open (SessionFixture *self, const char *text, LeatExecutor executor, guint idle_ms, guint limit_ms)
{
  persistent_make (self, text, executor, limit_ms);
  if (idle_ms > 0)
    g_object_set (self->session, "persistent-idle-ms", idle_ms, NULL);
  persistent_begin (self);
}

void
persistent_open_wide (SessionFixture *self, const char *text, guint limit_ms)
{
  persistent_make (self, text, LEAT_EXECUTOR_PERSISTENT, limit_ms);
  g_object_set (self->session, "persistent-multiprocessors", 4, NULL);
  persistent_begin (self);
}

guint64
persistent_get_counter (SessionFixture *self, const char *name)
{
  return session_fixture_get_number (self->session, name);
}

void
persistent_fill (float *x, guint salt)
{
  for (guint i = 0; i < PERSISTENT_N; i++)
    x[i] = (float) ((i * 31 + salt * 7) % 501);
}

void
persistent_run_both (SessionFixture *self, SessionFixture *other, guint salt)
{
  float x[PERSISTENT_N];
  g_autoptr (GBytes) a = NULL, b = NULL;

  persistent_fill (x, salt);
  a = session_fixture_run (self, x, sizeof x);
  b = session_fixture_run (other, x, sizeof x);
  g_assert_true (g_bytes_equal (a, b));
}

void
persistent_check_scaled (SessionFixture *fixture, guint salt)
{
  float x[PERSISTENT_N];
  g_autoptr (GBytes) output = NULL;
  const float *y;

  persistent_fill (x, salt);
  output = session_fixture_run (fixture, x, sizeof x);
  y = g_bytes_get_data (output, NULL);
  for (guint i = 0; i < PERSISTENT_N; i++)
    g_assert_cmpfloat (y[i], ==, 2 * x[i] + 1);
}
