/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

/* Optimised plans against those as they were recorded: equal bytes, from as many kernels as are left, and predictions
 * that a run keeps. */

#define N 1000

static char *kernels, *constant; /* files */

static const char kernels_text[] =
  "#define ITEM int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= in_count) return;\n"
  "__global__ void twice (const float *in, float *out, int in_count) { ITEM out[i] = in[i] * 2; }\n"
  "__global__ void loud (const float *in, float *out, int in_count) { ITEM if (i == -1) printf (\"loud\"); out[i] = "
  "in[i]; }\n"
  "__device__ unsigned int runs;\n"
  "__global__ void keeps (const float *in, float *out, int in_count) { ITEM if (i == 0) atomicAdd (&runs, 1); out[i] = "
  "in[i]; }\n"
  "__global__ void scaled (const float *in, float *out, int in_count, float by) { ITEM out[i] = in[i] * by; }\n"
  "__global__ void bump (float *data) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < 1000) data[i] += 5; }\n"
  "__global__ void fixed (float *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < 1000) out[i] = i; }\n";

#define SOURCE "u = upload\napp name=source spec=f32[1000] -> u\n"
#define SINK   " -> readback -> app name=sink\n"
#define ADD    "add = map inputs=x,y expr=x*3+y\n"

static const struct
{
  const char *name, *text;
  guint recorded, optimised; /* kernels of a run */
  const char *told;          /* in the printed plan; "": nothing was done */
} rows[] = {
  { "merge", SOURCE ADD "a = map expr=x+1\nb = map expr=x+1\nu -> a -> add.x\nu -> b -> add.y\nadd" SINK, 3, 2,
    "merge    b into a" },
  { "merge-chains",
    SOURCE ADD
    "a = map expr=x+1\nb = map expr=x+1\nc = map expr=x*x\nd = map expr=x*x\nu -> a -> c -> add.x\nu -> b -> d "
    "-> add.y\nadd" SINK,
    5, 3, "merge    d into c" },
  { "merge-uploads",
    "u = upload\nv = upload\napp name=source spec=f32[1000] -> u\nsource -> v\n" ADD "u -> add.x\nv -> add.y\nadd" SINK,
    1, 1, "merge    v into u" },
  { "merge-unlike", SOURCE ADD "a = map expr=x+1\nb = map expr=x+2\nu -> a -> add.x\nu -> b -> add.y\nadd" SINK, 3, 3,
    "" },
  { "merge-arguments",
    SOURCE ADD "a = map expr=x+k k=1\nb = map expr=x+k k=1\nu -> a -> add.x\nu -> b -> add.y\nadd" SINK, 3, 3, "" },
  { "merge-in-place",
    SOURCE ADD "a = map expr=x+1\nb = map expr=x+1\nc = kernel source=KERNELS entry=bump update=data data=f32[1000]\n"
               "u -> a -> c.data_in\nu -> b -> add.x\nc -> add.y\nadd" SINK,
    4, 4, "" },
  { "merge-loud",
    SOURCE ADD "a = kernel source=KERNELS entry=loud\nb = kernel source=KERNELS entry=loud\nu -> a -> add.x\nu -> b -> "
               "add.y\nadd" SINK,
    3, 3, "" },
  { "merge-keeps",
    SOURCE ADD
    "a = kernel source=KERNELS entry=keeps\nb = kernel source=KERNELS entry=keeps\nu -> a -> add.x\nu -> b -> "
    "add.y\nadd" SINK,
    3, 3, "" },
  { "merge-kernels",
    SOURCE ADD
    "a = kernel source=KERNELS entry=twice\nb = kernel source=KERNELS entry=twice\nu -> a -> add.x\nu -> b -> "
    "add.y\nadd" SINK,
    3, 2, "merge    b into a" },
  { "round-trip", SOURCE "a = map expr=x+1\nb = map expr=x*2\nr = readback\nv = upload\nu -> a -> r -> v -> b" SINK, 2,
    2, "copies   v" },
  { "fold",
    SOURCE ADD "k = const path=CONST spec=f32[1000]\na = map expr=x*2\nb = map expr=x+4\nk -> a -> b -> add.y\nu -> "
               "add.x\nadd" SINK,
    3, 1, "fold     a" },
  { "fold-arguments",
    SOURCE ADD
    "k = const path=CONST spec=f32[1000]\na = kernel source=KERNELS entry=scaled by=2\nk -> a -> add.y\nu -> "
    "add.x\nadd" SINK,
    2, 2, "" },
  { "fold-nothing", SOURCE ADD "a = kernel source=KERNELS entry=fixed out=f32[1000]\na -> add.y\nu -> add.x\nadd" SINK,
    2, 2, "" },
  { "hoist",
    SOURCE "k = const path=CONST spec=f32[1000]\nl = loop max-iterations=5 method=unrolled carry=v:w {\n  t = kernel "
           "source=KERNELS "
           "entry=scaled by=2\n  m = map inputs=x,y expr=x/2+y\n  in.c -> t -> m.y\n  in.v -> m.x\n  m -> out.w\n}\nk "
           "-> l.c\nu "
           "-> l.v\nl.w" SINK,
    15, 11, "hoist    t out of l" },
  { "hoist-carried",
    SOURCE "l = loop max-iterations=4 method=unrolled carry=v:w {\n  a = map expr=x/2\n  b = map expr=x+1\n  in.v -> a "
           "-> b -> "
           "out.w\n}\nu -> l.v\nl.w" SINK,
    12, 12, "" },
};

static LeatPipeline *
optimise_parse (const char *text, gboolean optimise)
{
  g_auto (GStrv) at_kernels = g_strsplit (text, "KERNELS", -1);
  g_autofree char *half = g_strjoinv (kernels, at_kernels);
  g_auto (GStrv) at_const = g_strsplit (half, "CONST", -1);
  g_autofree char *body = g_strjoinv (constant, at_const), *whole = g_strconcat ("leat 1\n", body, NULL);
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);

  g_assert_no_error (error);
  leat_pipeline_set_optimise (pipeline, optimise);
  return pipeline;
}

static guint64
optimise_get (GVariant *from, const char *name)
{
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (from, name, "t", &value));
  return value;
}

/* Of a run, which has done what was predicted. */
static guint64
optimise_count_kernels (SessionFixture *self, const float *x)
{
  static const char *const names[] = { "kernels", "copies", "fills" };
  g_autoptr (GVariant) before = leat_session_dup_predicted (self->session), after = NULL, counts = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;

  leat_session_start_counting (self->session, &error);
  g_assert_no_error (error);
  bytes = session_fixture_run (self, x, N * sizeof *x);
  counts = leat_session_stop_counting (self->session, &error);
  g_assert_no_error (error);
  after = leat_session_dup_predicted (self->session);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_cmpuint (optimise_get (after, names[i]) - optimise_get (before, names[i]), ==,
                      optimise_get (counts, names[i]));
  return optimise_get (counts, "kernels");
}

static void
test_optimise_equal (gconstpointer data)
{
  guint index = GPOINTER_TO_UINT (data);
  static const LeatExecutor executors[] = { LEAT_EXECUTOR_GRAPH, LEAT_EXECUTOR_EAGER };

  for (guint e = 0; e < G_N_ELEMENTS (executors); e++)
    for (guint fuse = 0; fuse < 2; fuse++)
      {
        SessionFixture one, other;
        LeatPipeline *pipelines[2] = { optimise_parse (rows[index].text, FALSE),
                                       optimise_parse (rows[index].text, TRUE) };

        for (guint i = 0; i < 2 && fuse; i++)
          leat_pipeline_set_fuse (pipelines[i], LEAT_FUSE_MODE_AUTO);
        session_fixture_open_pipeline (&one, pipelines[0], executors[e]);
        session_fixture_open_pipeline (&other, pipelines[1], executors[e]);
        for (guint run = 0; run < 3; run++)
          {
            g_autofree float *x = g_new (float, N);
            g_autoptr (GBytes) a = NULL, b = NULL;

            for (guint i = 0; i < N; i++)
              x[i] = (float) g_random_double_range (-100, 100);
            a = session_fixture_run (&one, x, N * sizeof *x);
            b = session_fixture_run (&other, x, N * sizeof *x);
            g_assert_cmpmem (g_bytes_get_data (a, NULL), g_bytes_get_size (a), g_bytes_get_data (b, NULL),
                             g_bytes_get_size (b));
          }
        session_fixture_close (&one);
        session_fixture_close (&other);
      }
}

static void
test_optimise_counts (gconstpointer data)
{
  guint index = GPOINTER_TO_UINT (data);
  g_autofree float *x = g_new0 (float, N);

  for (guint optimise = 0; optimise < 2; optimise++)
    {
      SessionFixture one;
      g_autoptr (LeatPlan) plan = NULL;
      g_autofree char *text = NULL;
      g_autoptr (GError) error = NULL;
      LeatPipeline *pipeline = optimise_parse (rows[index].text, optimise);

      plan = leat_plan_new (pipeline, &error);
      g_assert_no_error (error);
      text = leat_plan_to_text (plan);
      if (optimise && rows[index].told[0] != '\0')
        g_assert_nonnull (strstr (text, rows[index].told));
      else
        g_assert_null (strstr (text, "\noptimised\n"));
      g_clear_object (&plan);
      session_fixture_open_pipeline (&one, pipeline, LEAT_EXECUTOR_EAGER);
      g_assert_cmpuint (optimise_count_kernels (&one, x), ==, optimise ? rows[index].optimised : rows[index].recorded);
      session_fixture_close (&one);
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  float k[N];
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("leat-optimise-XXXXXX", NULL);
  kernels = g_build_filename (folder, "kernels.cu", NULL);
  constant = g_build_filename (folder, "constant.bin", NULL);
  for (guint i = 0; i < N; i++)
    k[i] = (float) i / 8;
  g_assert_true (g_file_set_contents (kernels, kernels_text, -1, NULL));
  g_assert_true (g_file_set_contents (constant, (const char *) k, sizeof k, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *equal = g_strdup_printf ("/leat/session/optimise/%s/equal", rows[i].name);
      g_autofree char *counts = g_strdup_printf ("/leat/session/optimise/%s/counts", rows[i].name);

      g_test_add_data_func (equal, GUINT_TO_POINTER (i), test_optimise_equal);
      g_test_add_data_func (counts, GUINT_TO_POINTER (i), test_optimise_counts);
    }
  status = g_test_run ();
  g_remove (kernels);
  g_remove (constant);
  g_rmdir (folder);
  g_free (kernels);
  g_free (constant);
  return status;
}
