/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "report-fixture.h"

#include "kernel/device/leat-report-block.h"

#include <glib/gstdio.h>

static char *report_folder, *report_path;

static const char kernels[] =
  "LEAT_REPORT (NEGATIVE = 1, error, \"a negative number\")\n"
  "LEAT_REPORT (LARGE, warning, \"a large \"\n"
  "                            \"number\");\n"
  "template <class T> __device__ void tell (T v, uint64_t i)\n"
  "{\n"
  "  if (v < 0)\n"
  "    leat_report_at (NEGATIVE, i, v);\n"
  "  else if (v > 1000)\n"
  "    leat_report_at (LARGE, i, v);\n"
  "}\n"
  "#define TELL_ODD(v, i) ((v) == 77 ? leat_report_at (9, i, v) : (void) 0)\n"
  "__device__ int next (int v, uint64_t i) { tell (v, i); TELL_ODD (v, i); return v + 1; }\n"
  "__global__ void judge (const int *x, int *y, uint64_t x_count)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    y[i] = next (x[i], i);\n"
  "}\n"
  "__global__ void meet (const int *x, int *y, uint64_t x_count)\n"
  "{\n"
  "  __shared__ int first;\n"
  "  for (uint64_t base = blockIdx.x * blockDim.x; base < x_count; base += blockDim.x * gridDim.x)\n"
  "    {\n"
  "      uint64_t i = base + threadIdx.x;\n"
  "      if (threadIdx.x == 0)\n"
  "        first = 1;\n"
  "      __syncthreads ();\n"
  "      if (i < x_count)\n"
  "        y[i] = next (x[i], i) + first - 1;\n"
  "      __syncthreads ();\n"
  "    }\n"
  "}\n"
  "LEAT_HOST_VARIANT void meet (const int *x, int *y, uint64_t x_count)\n"
  "{\n"
  "  for (uint64_t base = blockIdx.x * blockDim.x; base < x_count; base += blockDim.x * gridDim.x)\n"
  "    for (uint64_t i = base; i < base + blockDim.x && i < x_count; i++)\n"
  "      y[i] = next (x[i], i);\n"
  "}\n"
  "__global__ void kinds (const int *x, int *y)\n"
  "{\n"
  "  int what = x[0];\n"
  "  if (threadIdx.x != 3 || blockIdx.x != 1)\n"
  "    return;\n"
  "  switch (what)\n"
  "    {\n"
  "    case 0: leat_report (3, (signed char) -5); break;\n"
  "    case 1: leat_report (3, 1ull << 63); break;\n"
  "    case 2: leat_report (3, -1ll << 63); break;\n"
  "    case 3: leat_report (3, 0.25f); break;\n"
  "    case 4: leat_report (3, -1e300); break;\n"
  "    case 5: leat_report (31, (uint8_t) 255); break;\n"
  "    case 6: leat_report (32, true); break;\n"
  "    case 7: leat_report (0xffffffffu, 'a'); break;\n"
  "    }\n"
  "}\n"
  "__global__ void zed (const int *x, int *y, uint64_t x_count)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    y[i] = next (x[i], i) + (int) blockIdx.z;\n"
  "}\n"
  "__global__ void codes (const int *x, int *y, uint64_t x_count)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    {\n"
  "      leat_report_at (x[i] + 3, i, x[i]);\n"
  "      y[i] = x[i] + 1;\n"
  "    }\n"
  "}\n"
  "__global__ void overflowing (const int *x, int *y, uint64_t *y_count, uint64_t y_capacity)\n"
  "{\n"
  "  if (threadIdx.x == 0 && blockIdx.x == 0)\n"
  "    {\n"
  "      *y_count = x[0];\n"
  "      if (x[0] > y_capacity)\n"
  "        leat_report (NEGATIVE, x[0]);\n"
  "    }\n"
  "}\n";

void
report_fixture_init (void)
{
  g_autoptr (GError) error = NULL;

  report_folder = g_dir_make_tmp ("leat-report-XXXXXX", &error);
  g_assert_no_error (error);
  report_path = g_build_filename (report_folder, "kernels.cu", NULL);
  g_file_set_contents (report_path, kernels, -1, &error);
  g_assert_no_error (error);
}

void
report_fixture_clear (void)
{
  g_unlink (report_path);
  g_rmdir (report_folder);
  g_free (report_path);
  g_free (report_folder);
}

void
report_fixture_open_text (SessionFixture *self, const char *text, LeatExecutor executor)
{
  g_auto (GStrv) parts = g_strsplit (text, "KERNELS", -1);
  g_autofree char *whole = g_strjoinv (report_path, parts);

  session_fixture_open (self, whole, executor);
}

void
report_fixture_open (SessionFixture *self, const char *chain, LeatExecutor executor)
{
  g_autofree char *text = g_strdup_printf (
    "app name=source spec=i32[<=%d] -> upload mode=copy -> %s -> readback -> app name=sink\n", REPORT_ITEMS, chain);

  report_fixture_open_text (self, text, executor);
}

GBytes *
report_fixture_run (SessionFixture *self, const gint32 *x, guint n, GError **error)
{
  return session_fixture_try (self, x, n * sizeof *x, error);
}

static guint
report_judge (gint32 x)
{
  return x < 0 ? REPORT_NEGATIVE : x > 1000 ? REPORT_LARGE : x == 77 ? REPORT_ODD : 0;
}

/* Each record is of an item that has the code, and of another one. */
static void
report_check_records (GVariant *details, guint code, guint64 count, const gint32 *x, guint n)
{
  g_autoptr (GVariant) records = g_variant_lookup_value (details, "records", G_VARIANT_TYPE ("a(tv)"));
  guint64 before = 0, lost = 0, first = 0;

  g_assert_cmpuint (g_variant_n_children (records), ==, MIN (count, LEAT_REPORT_KEPT));
  g_assert_true (g_variant_lookup (details, "lost", "t", &lost));
  g_assert_cmpuint (lost, ==, count - MIN (count, LEAT_REPORT_KEPT));
  for (gsize i = 0; i < g_variant_n_children (records); i++)
    {
      g_autoptr (GVariant) value = NULL;
      guint64 index;

      g_variant_get_child (records, i, "(tv)", &index, &value);
      g_assert_cmpuint (index, <, n);
      if (i > 0)
        g_assert_cmpuint (index, >, before);
      g_assert_cmpuint (report_judge (x[index]), ==, code);
      g_assert_cmpint (g_variant_get_int64 (value), ==, x[index]);
      before = index;
      first = i == 0 ? index : first;
    }
  g_assert_true (g_variant_lookup (details, "index", "t", &before));
  g_assert_cmpuint (before, ==, first);
}

void
report_fixture_check (SessionFixture *self, const char *node, const gint32 *x, guint n)
{
  g_autoptr (GVariant) reports = leat_session_dup_reports (self->session);
  guint64 counts[REPORT_N_CODES] = { 0 };

  for (guint i = 0; i < n; i++)
    counts[report_judge (x[i])]++;
  counts[0] = 0;
  for (gsize i = 0; i < g_variant_n_children (reports); i++)
    {
      g_autoptr (GVariant) details = g_variant_get_child_value (reports, i);
      const char *name = NULL, *severity = NULL;
      guint code = 0, entry = 7;
      guint64 count = 0;

      g_assert_true (g_variant_lookup (details, "node", "&s", &name));
      if (!g_str_equal (name, node))
        continue;
      g_assert_true (g_variant_lookup (details, "code", "u", &code));
      g_assert_true (g_variant_lookup (details, "entry", "u", &entry));
      g_assert_true (g_variant_lookup (details, "count", "t", &count));
      g_assert_true (g_variant_lookup (details, "severity", "&s", &severity));
      g_assert_cmpuint (entry, ==, 0);
      g_assert_cmpuint (code, <, REPORT_N_CODES);
      g_assert_cmpstr (severity, ==, code == REPORT_NEGATIVE ? "error" : "warning");
      g_assert_cmpuint (count, ==, counts[code]);
      report_check_records (details, code, count, x, n);
      counts[code] = 0;
    }
  for (guint code = 0; code < REPORT_N_CODES; code++)
    g_assert_cmpuint (counts[code], ==, 0);
}

guint
report_fixture_count_warnings (SessionFixture *self)
{
  guint count = 0;

  for (;;)
    {
      g_autoptr (LeatMessage) message = leat_bus_pop (leat_pipeline_get_bus (self->pipeline), 0);

      if (message == NULL)
        return count;
      g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_WARNING);
      g_assert_error (leat_message_get_error (message), LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
      g_assert_nonnull (leat_message_get_details (message));
      count++;
    }
}
