/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include "session/leat-session-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* block=measured: the first run tries sizes of a block, and nothing of that is seen but the time.  Results are compared
 * with C, with whichever size is found, and with each size that an earlier session may have found. */

#define ITEMS 5000 /* no multiple of any block */

static const char source[] =
  "__global__ void loop (const int *in, uint64_t in_count, int *out)\n"
  "{ GRID_FOR (i, in_count) out[i] = in[i] * 3 + (int) i; }\n"
  "__global__ void guard (const int *in, uint64_t in_count, int *out)\n"
  "{ const uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < in_count) out[i] = in[i] * 3 + (int) i; }\n"
  "__global__ void plane (const int *in, uint32_t in_dim0, uint32_t in_dim1, int *out)\n"
  "{\n  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
  "  if (x >= in_dim1 || y >= in_dim0) return;\n"
  "  out[y * in_dim1 + x] = in[y * in_dim1 + x] * 3 + (int) (y * in_dim1 + x);\n}\n"
  "__global__ void __launch_bounds__ (128) bound (const int *in, uint64_t in_count, int *out)\n"
  "{ GRID_FOR (i, in_count) out[i] = in[i] * 3 + (int) i; }\n"
  "__global__ void add (const int *in, uint64_t in_count, int *sum)\n"
  "{ GRID_FOR (i, in_count) sum[i] += in[i]; }\n"
  "__global__ void shared (const int *in, int *out)\n"
  "{ __shared__ int t[1024]; t[threadIdx.x] = in[threadIdx.x]; __syncthreads (); out[threadIdx.x] = t[0]; }\n"
  "__global__ void hist (const int *in, uint64_t in_count, int *out)\n"
  "{ GRID_FOR (i, in_count) atomicAdd (&out[in[i] & 3], 1); }\n"
  "__global__ void bare (const int *in, int *out)\n"
  "{ uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = in[i]; }\n";

static const struct
{
  const char *name, *properties, *spec, *usual;
  const char *sizes[8];
} cases[] = {
  { "loop", "entry=loop", "i32[5000]", "256", { "256", "64", "128", "512", "1024" } },
  { "guard", "entry=guard", "i32[5000]", "256", { "256", "64", "128", "512", "1024" } },
  { "bound", "entry=bound", "i32[5000]", "128", { "128", "64" } },
  { "fixed", "entry=loop grid=7", "i32[5000]", "256", { "256", "64", "128", "512", "1024" } },
  { "occupancy", "entry=loop grid=occupancy", "i32[5000]", "256", { "256", "64", "128", "512", "1024" } },
  { "plane", "entry=plane", "i32[50,100]", "16x16", { "16x16", "8x8", "32x4", "64x4", "32x8", "32x16", "32x32" } },
};

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  LeatApp *in, *out;
} Measured;

static LeatPipeline *
parse (const char *properties, const char *spec, GError **error)
{
  g_autofree char *path = leat_harness_dup_path ("measured.cu");
  g_autofree char *text = g_strdup_printf ("leat 1\nk = kernel source=%s %s\na = app spec=%s\nb = app\n"
                                           "a -> upload -> k.in\nk.out -> readback -> b\n",
                                           path, properties, spec);

  leat_harness_write_file (path, source, strlen (source));
  return leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
}

static void
measured_open (Measured *self, LeatPipeline *pipeline)
{
  g_autoptr (GError) error = NULL;

  self->pipeline = pipeline;
  self->in = LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL));
  self->out = LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL));
  self->session = leat_session_new (pipeline, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
  self->session->tuning.trials_us = 60e6; /* on a machine that is busy too */
}

/* One run; what came back is @wanted. */
static void
measured_run (Measured *self, const int *in, const int *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (in, ITEMS * sizeof *in), result = NULL;

  leat_app_push_bytes (self->in, bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_replay (self->session, TRUE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  result = leat_app_pull_bytes (self->out, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), wanted, ITEMS * sizeof *wanted);
}

static void
measured_close (Measured *self)
{
  leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

static char *
dup_plan (Measured *self)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (self->session);

  return leat_plan_to_text (plan);
}

/* How many trials there were with @way among their ways. */
static guint
count_trials (Measured *self, const char *key, const char *way)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (self->session);
  g_autoptr (GVariant) trials = g_variant_lookup_value (stats, key, NULL);
  guint n = 0;

  g_assert_nonnull (trials);
  for (guint i = 0; i < g_variant_n_children (trials); i++)
    {
      const char *ways;
      double us;

      g_variant_get_child (trials, i, "(&sd)", &ways, &us);
      n += strstr (ways, way) != NULL;
    }
  return n;
}

static void
fill (int *in, int *wanted, guint seed)
{
  for (guint i = 0; i < ITEMS; i++)
    {
      in[i] = (int) ((i * 2654435761u + seed) % 1000);
      wanted[i] = in[i] * 3 + (int) i;
    }
}

/* The folder of what sessions learn, new for each case. */
static char *
renew_learned (const char *name)
{
  g_autofree char *folder = leat_harness_dup_path (name);

  g_setenv ("LEAT_LEARNED", folder, TRUE);
  return g_build_filename (folder, "transfers", NULL);
}

static void
remove_learned (void)
{
  static const char *const names[] = { "state", "eager", "many" };

  for (guint i = 0; i < G_N_ELEMENTS (names) + G_N_ELEMENTS (cases); i++)
    {
      const char *name = i < G_N_ELEMENTS (names) ? names[i] : cases[i - G_N_ELEMENTS (names)].name;
      g_autofree char *folder = leat_harness_dup_path (name), *inner = g_build_filename (folder, "transfers", NULL);
      g_autoptr (GDir) dir = g_dir_open (inner, 0, NULL);
      const char *file;

      while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *path = g_build_filename (inner, file, NULL);

          g_unlink (path);
        }
      g_rmdir (inner);
      g_rmdir (folder);
    }
}

/* The only file there. */
static char *
dup_learned_file (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  g_assert_nonnull (dir);
  return g_build_filename (folder, g_dir_read_name (dir), NULL);
}

static void
test_kernel_measured_once (gconstpointer data)
{
  guint c = GPOINTER_TO_UINT (data);
  g_autofree char *learned = renew_learned (cases[c].name);
  g_autofree char *properties = g_strconcat (cases[c].properties, " block=measured", NULL);
  int in[ITEMS], wanted[ITEMS];
  Measured measured;

  for (guint session = 0; session < 2; session++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *before = NULL, *after = NULL;
      const char *key = session == 0 ? "trials" : "former-trials";

      measured_open (&measured, parse (properties, cases[c].spec, &error));
      g_assert_no_error (error);
      before = dup_plan (&measured);
      g_assert_cmpint (strstr (before, "if the first run measures that to be faster)") != NULL, ==, session == 0);
      for (guint run = 0; run < 4; run++)
        {
          fill (in, wanted, run);
          measured_run (&measured, in, wanted);
        }
      after = dup_plan (&measured);
      g_test_message ("%s", after);
      g_assert_nonnull (strstr (after, " (measured: "));
      for (guint i = 0; cases[c].sizes[i] != NULL; i++)
        {
          g_autofree char *way = g_strdup_printf ("k=%s ", cases[c].sizes[i]);

          g_assert_cmpuint (count_trials (&measured, key, way), >=, 1);
        }
      g_assert_cmpuint (count_trials (&measured, session == 0 ? "former-trials" : "trials", ""), ==, 0);
      measured_close (&measured);
    }
}

/* Whatever was found, results are the same, and the plan says what it was. */
static void
test_kernel_measured_each (gconstpointer data)
{
  guint c = GPOINTER_TO_UINT (data);
  g_autofree char *learned = renew_learned (cases[c].name);
  g_autofree char *properties = g_strconcat (cases[c].properties, " block=measured", NULL);
  g_autofree char *path = dup_learned_file (learned);
  int in[ITEMS], wanted[ITEMS];
  Measured measured;

  for (guint i = 0; cases[c].sizes[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GKeyFile) file = g_key_file_new ();
      g_auto (GStrv) keys = NULL;
      g_autofree char *plan = NULL, *said = NULL;

      g_assert_true (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL));
      keys = g_key_file_get_keys (file, "ways", NULL, NULL);
      for (guint k = 0; keys[k] != NULL; k++)
        {
          g_autofree char *op = NULL;

          if (!g_str_has_prefix (keys[k], "gain-"))
            continue;
          op = g_strdup_printf ("op-%s", keys[k] + strlen ("gain-"));
          g_key_file_set_string (file, "ways", op, cases[c].sizes[i]);
          g_key_file_set_double (file, "ways", keys[k], 1.3125);
        }
      g_assert_true (g_key_file_save_to_file (file, path, NULL));
      measured_open (&measured, parse (properties, cases[c].spec, &error));
      g_assert_no_error (error);
      fill (in, wanted, i);
      measured_run (&measured, in, wanted);
      measured_run (&measured, in, wanted);
      plan = dup_plan (&measured);
      said = i == 0 ? g_strdup (" (measured: no other is faster)")
                    : g_strdup_printf (" (measured: a run is 1.31 times as fast as with %s)", cases[c].usual);
      if (strstr (plan, said) == NULL)
        g_error ("\"%s\" is not in\n%s", said, plan);
      measured_close (&measured);
    }
}

/* Runs of trials leave nothing in a state: after three runs it has had three. */
static void
test_kernel_measured_state (void)
{
  g_autofree char *learned = renew_learned ("state"), *path = leat_harness_dup_path ("measured.cu");
  g_autofree char *text = g_strdup_printf (
    "leat 1\nso-far = state spec=i32[%u]\nk = kernel source=%s entry=add update=sum grid=items:in block=measured\n"
    "a = app spec=i32[%u]\nb = app\na -> upload -> k.in\nso-far -> k.sum_in\nk.sum -> so-far\nk.sum -> readback -> b\n",
    ITEMS, path, ITEMS);
  g_autoptr (GError) error = NULL;
  int in[ITEMS], wanted[ITEMS], sum[ITEMS] = { 0 };
  Measured measured;

  leat_harness_write_file (path, source, strlen (source));
  measured_open (&measured, leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error));
  g_assert_no_error (error);
  for (guint run = 0; run < 3; run++)
    {
      fill (in, wanted, run);
      for (guint i = 0; i < ITEMS; i++)
        sum[i] += in[i];
      measured_run (&measured, in, sum);
    }
  g_assert_cmpuint (count_trials (&measured, "trials", "k=64 "), >=, 1);
  measured_close (&measured);
}

/* Runs that overlap, and several inputs in one launch, give what they give otherwise. */
static void
test_kernel_measured_many (gconstpointer property)
{
  g_autofree char *learned = renew_learned ("many");
  g_autoptr (GError) error = NULL;
  Measured measured = { .pipeline = parse ("entry=guard block=measured", "i32[5000]", &error) };
  int in[ITEMS], wanted[ITEMS];

  g_assert_no_error (error);
  measured.in = LEAT_APP (leat_pipeline_get_node (measured.pipeline, "a", NULL));
  measured.out = LEAT_APP (leat_pipeline_get_node (measured.pipeline, "b", NULL));
  measured.session = leat_session_new (measured.pipeline, NULL);
  g_object_set (measured.session, property, 3, NULL);
  for (guint run = 0; run < 8; run++)
    {
      g_autoptr (GBytes) bytes = NULL;

      fill (in, wanted, run);
      bytes = g_bytes_new (in, sizeof in);
      leat_app_push_bytes (measured.in, bytes, &error);
      g_assert_no_error (error);
    }
  leat_app_end (measured.in);
  g_assert_true (leat_session_open (measured.session, NULL, &error));
  g_assert_true (leat_session_run (measured.session, NULL, &error));
  g_assert_no_error (error);
  for (guint run = 0; run < 8; run++)
    {
      g_autoptr (GBytes) result = leat_app_pull_bytes (measured.out, 0, &error);

      g_assert_no_error (error);
      fill (in, wanted, run);
      g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), wanted, sizeof wanted);
    }
  measured_close (&measured);
}

/* Where nothing is measured, the usual size is what a run has. */
static void
test_kernel_measured_eager (void)
{
  g_autofree char *learned = renew_learned ("eager");
  g_autoptr (GError) error = NULL;
  int in[ITEMS], wanted[ITEMS];
  Measured measured = { .pipeline = parse ("entry=guard block=measured", "i32[5000]", &error) };

  g_assert_no_error (error);
  measured.in = LEAT_APP (leat_pipeline_get_node (measured.pipeline, "a", NULL));
  measured.out = LEAT_APP (leat_pipeline_get_node (measured.pipeline, "b", NULL));
  measured.session = leat_session_new (measured.pipeline, NULL);
  g_object_set (measured.session, "executor", LEAT_EXECUTOR_EAGER, NULL);
  g_assert_true (leat_session_open (measured.session, NULL, &error));
  fill (in, wanted, 1);
  measured_run (&measured, in, wanted);
  g_assert_cmpuint (count_trials (&measured, "trials", ""), ==, 0);
  measured_close (&measured);
}

static void
test_kernel_measured_refuses (void)
{
  static const struct
  {
    const char *properties, *says;
  } rows[] = {
    { "entry=shared", "block=measured: the results of kernel shared may depend on the size of its blocks: " },
    { "entry=shared", "measured.cu:16:3: \"__shared__\": the kernel uses shared memory; set the size that it is "
                      "written for, such as block=256, or leave block= out" },
    { "entry=hist", "\"atomicAdd\": the kernel has work whose order depends on the blocks" },
    { "entry=bare", "threads past the last item must do nothing" },
    { "entry=guard grid=20", "with grid=20 kernel guard would have another number of threads for each size" },
    { "entry=guard grid=occupancy", "leave grid= out, or use GRID_FOR in the kernel" },
    { "entry=loop cooperative=true", "cooperative=true lets its blocks wait for each other" },
    { "entry=loop access=block", "access=block says that items go by blocks" },
    { "entry=loop block=measure", "or auto or measured" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *properties =
        g_strconcat (rows[i].properties, strstr (rows[i].properties, "block=m") == NULL ? " block=measured" : "", NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPipeline) pipeline = parse (properties, "i32[5000]", &error);
      g_autoptr (LeatPlan) plan = pipeline != NULL ? leat_plan_new (pipeline, &error) : NULL;

      g_assert_null (plan);
      g_assert_nonnull (error);
      g_test_message ("%s", error->message);
      if (strstr (error->message, rows[i].says) == NULL)
        g_error ("%s: \"%s\" does not say \"%s\"", properties, error->message, rows[i].says);
    }
}

int
main (int argc, char **argv)
{
  int code;

  g_test_init (&argc, &argv, NULL);
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      g_autofree char *once = g_strconcat ("/leat/base/kernel/measured/once/", cases[c].name, NULL);
      g_autofree char *each = g_strconcat ("/leat/base/kernel/measured/once/", cases[c].name, "-each", NULL);

      g_test_add_data_func (once, GUINT_TO_POINTER (c), test_kernel_measured_once);
      g_test_add_data_func (each, GUINT_TO_POINTER (c), test_kernel_measured_each);
    }
  g_test_add_func ("/leat/base/kernel/measured/state", test_kernel_measured_state);
  g_test_add_func ("/leat/base/kernel/measured/eager", test_kernel_measured_eager);
  g_test_add_data_func ("/leat/base/kernel/measured/lanes", "lanes", test_kernel_measured_many);
  g_test_add_data_func ("/leat/base/kernel/measured/batch", "batch", test_kernel_measured_many);
  g_test_add_func ("/leat/base/kernel/measured/refuses", test_kernel_measured_refuses);
  code = g_test_run ();
  remove_learned ();
  leat_harness_remove_files ();
  return code;
}
