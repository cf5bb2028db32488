/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repeat-watch.h"
#include "session-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

/* Stages of one kernel again and again, with other data in each run: blocks that wait for all others, for those around
 * them, for nobody but their own threads, and for one after the other of these.  A wait that is missed now and then
 * shows as another result, and one that never ends is told. */

#define FEW   5
#define MANY  1000
#define N     33792
#define BLOCK 256

static char *folder, *kernels_path;

static const char kernels_text[] = "__global__ void turn (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
                                   "{\n"
                                   "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "  if (i < x_count)\n"
                                   "    y[i] = x[x_count - 1 - i] * 3 + 1;\n"
                                   "}\n"
                                   "__global__ void near (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
                                   "{\n"
                                   "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "  if (i < x_count)\n"
                                   "    y[i] = x[i > 0 ? i - 1 : i] + 2 * x[i] + x[i + 1 < x_count ? i + 1 : i];\n"
                                   "}\n"
                                   "__global__ void swap (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
                                   "{\n"
                                   "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "  if (i < x_count)\n"
                                   "    y[i] = x[i ^ 255] + 7;\n"
                                   "}\n";

static guint32
step (char kind, const guint32 *x, guint i)
{
  switch (kind)
    {
    case 't':
      return x[N - 1 - i] * 3 + 1;
    case 'n':
      return x[i > 0 ? i - 1 : i] + 2 * x[i] + x[i + 1 < N ? i + 1 : i];
    default:
      return x[i ^ (BLOCK - 1)] + 7;
    }
}

static char *
dup_text (const char *kinds)
{
  GString *text = g_string_new ("m = megakernel {\n  in.x");

  for (const char *kind = kinds; *kind != '\0'; kind++)
    g_string_append_printf (text, " -> kernel source=\"%s\" entry=%s access=%s block=%d", kernels_path,
                            *kind == 't'   ? "turn"
                            : *kind == 'n' ? "near"
                                           : "swap",
                            *kind == 't'   ? "any"
                            : *kind == 'n' ? "stencil:1"
                                           : "block",
                            BLOCK);
  g_string_append_printf (text,
                          " -> out.y\n}\napp name=source spec=u32[%d] -> upload -> m.x\n"
                          "m.y -> readback -> app name=sink\n",
                          N);
  return g_string_free (text, FALSE);
}

static void
run (SessionFixture *fixture, const char *kinds, guint32 seed)
{
  g_autofree guint32 *x = g_new (guint32, N), *y = g_new (guint32, N);
  g_autoptr (GBytes) result = NULL;

  for (guint i = 0; i < N; i++)
    x[i] = (i + seed) * 2654435761u;
  result = session_fixture_run (fixture, x, N * sizeof *x);
  for (const char *kind = kinds; *kind != '\0'; kind++)
    {
      guint32 *last = x;

      for (guint i = 0; i < N; i++)
        y[i] = step (*kind, x, i);
      x = y;
      y = last;
    }
  g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), x, N * sizeof *x);
}

static void
assert_one_kernel (SessionFixture *fixture)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (fixture->session);
  g_autofree char *text = leat_plan_to_text (plan);

  g_assert_nonnull (strstr (text, "in it 1 kernels"));
}

static void
test_megakernel_again (gconstpointer data)
{
  const char *kinds = data;
  g_autofree char *text = dup_text (kinds), *what = g_strdup_printf ("megakernel of %s", kinds);
  guint times = repeat_count (FEW, MANY);
  SessionFixture fixture;
  RepeatWatch watch;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  assert_one_kernel (&fixture);
  repeat_watch_begin (&watch, what, fixture.session);
  for (guint i = 0; i < times; i++)
    {
      repeat_watch_step (&watch);
      run (&fixture, kinds, i * 977);
    }
  repeat_watch_end (&watch);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  static const char *const kinds[] = { "tttttttt", "nnnnnnnn", "ssssssss", "tnsntsnt" };
  int code;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("leat-megakernel-XXXXXX", NULL);
  kernels_path = g_build_filename (folder, "stages.cu", NULL);
  g_file_set_contents (kernels_path, kernels_text, -1, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/session/megakernel-repeat/", kinds[i], NULL);

      g_test_add_data_func (path, kinds[i], test_megakernel_again);
    }
  code = g_test_run ();
  g_unlink (kernels_path);
  g_rmdir (folder);
  g_free (kernels_path);
  g_free (folder);
  return code;
}
