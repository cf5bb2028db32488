/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "early-fixture.h"

#include <glib/gstdio.h>

static const char kernels[] =
  "__device__ unsigned early_step (unsigned v, unsigned rounds)\n"
  "{\n  for (unsigned r = 0; r < rounds; r++)\n    v = v * 1664525u + 1013904223u;\n  return v;\n}\n"
  "__global__ void turn (const unsigned *__restrict__ x, unsigned x_count, unsigned *__restrict__ y,\n"
  "                      unsigned y_capacity, unsigned add, unsigned rounds)\n"
  "{\n  GRID_FOR (i, y_capacity)\n    y[i] = early_step (x[(i * 7u + add) % x_count], rounds);\n}\n"
  "__global__ void join (const unsigned *x, unsigned x_count, const unsigned *z, unsigned *y, unsigned rounds)\n"
  "{\n  GRID_FOR (i, x_count)\n    y[i] = early_step (x[x_count - 1 - i], rounds) ^ z[i];\n}\n"
  "__global__ void keep (const unsigned *x, uint64_t x_count, unsigned *y, uint64_t *y_count, uint64_t y_capacity,\n"
  "                      unsigned rounds)\n"
  "{\n  GRID_FOR (i, x_count)\n    if (early_step (x[i], rounds) >> 29 != 0)\n      {\n"
  "        uint64_t at = atomicAdd (y_count, (uint64_t) 1);\n\n"
  "        if (at < y_capacity)\n          y[at] = x[i];\n      }\n}\n"
  "__global__ void mix (const unsigned *x, uint64_t x_count, unsigned *y, unsigned rounds)\n"
  "{\n  GRID_FOR (i, x_count)\n    y[i] = early_step (__ldg (x + i), rounds);\n}\n"
  "__global__ void written (const unsigned *x, unsigned x_count, unsigned *y)\n"
  "{\n  asm volatile (\"\");\n  GRID_FOR (i, x_count)\n    y[i] = x[i];\n}\n";

/* All rounds at once, so that the test can look at many runs: two rounds are one with other factors. */
guint32
early_step (guint32 x, guint rounds)
{
  guint32 times = 1664525u, plus = 1013904223u;

  for (; rounds > 0; rounds /= 2)
    {
      if (rounds % 2 != 0)
        x = x * times + plus;
      plus += plus * times;
      times *= times;
    }
  return x;
}

void
early_fixture_open (EarlyFixture *self, const char *text, LeatEarlyStart early, LeatExecutor executor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) whole = g_string_new ("leat 1\n");
  g_autofree char *kernel = NULL;

  self->folder = g_dir_make_tmp ("leat-early-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "early.cu", NULL);
  g_file_set_contents (self->path, kernels, -1, &error);
  g_assert_no_error (error);
  kernel = g_strdup_printf ("kernel source=\"%s\"", self->path);
  g_string_append (whole, text);
  g_string_replace (whole, "KERNEL", kernel, 0);
  self->base.pipeline = leat_parse_text (whole->str, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  self->base.session = leat_session_new (self->base.pipeline, NULL);
  g_object_set (self->base.session, "executor", executor, "early-start", early, NULL);
  leat_session_open (self->base.session, NULL, &error);
  g_assert_no_error (error);
  self->base.source = LEAT_APP (leat_pipeline_get_node (self->base.pipeline, "source", NULL));
  self->base.sink = LEAT_APP (leat_pipeline_get_node (self->base.pipeline, "sink", NULL));
}

void
early_fixture_close (EarlyFixture *self)
{
  session_fixture_close (&self->base);
  g_unlink (self->path);
  g_rmdir (self->folder);
  g_free (self->path);
  g_free (self->folder);
}

guint64
early_fixture_get_predicted (EarlyFixture *self, const char *name)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (self->base.session);
  g_autoptr (GVariant) all = leat_plan_dup_prediction (plan);
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (all, name, "t", &value));
  return value;
}

gboolean
early_fixture_can (EarlyFixture *self)
{
  LeatDevice *device = leat_session_get_device (self->base.session);

  if (leat_device_get_facts (device)->compute_major >= 9 && leat_device_get_table (device)->cuGraphAddNode != NULL)
    return TRUE;
  g_test_skip ("nothing begins early on this device: it takes compute capability 9.0 and a driver for CUDA 12.3");
  return FALSE;
}
