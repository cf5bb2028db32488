/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session-fixture.h"
#include "ways-fixture.h"

#include <string.h>

/* Kernels that become one by themselves: whether they do is found out in the first run, and remembered. */

#define N 5000

static char *kernels; /* a file */

static const char kernels_text[] = "__global__ void\n"
                                   "turn (const float *in, float *out, unsigned int in_count)\n"
                                   "{\n"
                                   "  GRID_FOR (i, in_count)\n"
                                   "    out[i] = in[in_count - 1 - i] + 1;\n"
                                   "}\n";

/* Two chains within a longer one, which has barriers before and behind "t"; "e" follows from nothing before it. */
static const char text[] = "leat 1\n"
                           "a = map expr=x+1\nb = map expr=x*2\n"
                           "t = kernel source=KERNELS entry=turn\n"
                           "c = map expr=x-3\nd = map expr=x/2\n"
                           "app name=source spec=f32[<=5000] -> upload mode=copy -> a -> b -> t -> c -> d "
                           "-> readback mode=copy -> app name=sink\n";

/* @calibrate: whether the first run measures */
static void
chains_open_as (SessionFixture *self, LeatFuseMode mode, gboolean calibrate, LeatExecutor executor)
{
  g_auto (GStrv) parts = g_strsplit (text, "KERNELS", -1);
  g_autofree char *whole = g_strjoinv (kernels, parts);
  g_autoptr (GError) error = NULL;

  self->pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  leat_pipeline_set_fuse (self->pipeline, mode);
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor", executor, "calibrate", calibrate, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
  self->source = LEAT_APP (leat_pipeline_get_node (self->pipeline, "source", NULL));
  self->sink = LEAT_APP (leat_pipeline_get_node (self->pipeline, "sink", NULL));
}

static void
chains_open (SessionFixture *self, LeatFuseMode mode, gboolean calibrate)
{
  chains_open_as (self, mode, calibrate, LEAT_EXECUTOR_GRAPH);
}

/* @n: of different lengths, so that what is left of the run before would be seen */
static void
chains_run (SessionFixture *self, guint n)
{
  g_autofree float *x = g_new (float, n), *y = g_new (float, n);
  g_autoptr (GBytes) bytes = NULL;

  for (guint i = 0; i < n; i++)
    x[i] = (float) ((i * 7 + n) % 333);
  for (guint i = 0; i < n; i++)
    y[i] = ((x[n - 1 - i] + 1) * 2 + 1 - 3) / 2;
  bytes = session_fixture_run (self, x, n * sizeof *x);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), y, n * sizeof *y);
}

/* Launches of a run, as the driver's side has them: kernels, and copies from device to device. */
static guint64
chains_count_launches (SessionFixture *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) counts = NULL;
  guint64 n_kernels = 0, n_copies = 0;

  leat_session_start_counting (self->session, &error);
  g_assert_no_error (error);
  chains_run (self, 100);
  counts = leat_session_stop_counting (self->session, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (counts, "kernels", "t", &n_kernels));
  g_assert_true (g_variant_lookup (counts, "copies", "t", &n_copies));
  return n_kernels + n_copies - 2;
}

static char *
chains_dup_plan (SessionFixture *self)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (self->session);

  return leat_plan_to_text (plan);
}

static guint
count_said (const char *said, const char *what)
{
  guint n = 0;

  for (const char *at = strstr (said, what); at != NULL; at = strstr (at + 1, what))
    n++;
  return n;
}

/* Each chain is tried as one kernel and as several, with the data of the first run; the next session knows. */
static void
test_chains_measured (void)
{
  guint64 launches_then;
  guint n;
  SessionFixture one;

  ways_fixture_drop ();
  chains_open (&one, LEAT_FUSE_MODE_AUTO, TRUE);
  ways_fixture_be_patient (one.session);
  g_assert_cmpuint (ways_fixture_count (one.session, "trials", ""), ==, 0);
  chains_run (&one, N);
  n = ways_fixture_count (one.session, "trials", "");
  g_assert_cmpuint (n, >=, 4);
  g_assert_cmpuint (ways_fixture_count (one.session, "trials", "b=separate"), >=, 1);
  g_assert_cmpuint (ways_fixture_count (one.session, "trials", "b=fused"), ==,
                    n - ways_fixture_count (one.session, "trials", "b=separate"));
  g_assert_cmpuint (ways_fixture_count (one.session, "trials", "d=fused b="), ==, 1);
  chains_run (&one, 17);
  launches_then = chains_count_launches (&one);
  g_assert_cmpuint (ways_fixture_count (one.session, "trials", ""), ==, n);
  session_fixture_close (&one);
  chains_open (&one, LEAT_FUSE_MODE_AUTO, TRUE);
  chains_run (&one, 4321);
  g_assert_cmpuint (ways_fixture_count (one.session, "trials", ""), ==, 0);
  g_assert_cmpuint (ways_fixture_count (one.session, "former-trials", ""), ==, n);
  g_assert_cmpuint (chains_count_launches (&one), ==, launches_then);
  session_fixture_close (&one);
}

typedef struct
{
  const char *name;
  const char *ways[3]; /* of the long chain, of a and b, of c and d */
  guint64 launches, saved;
} Recalled;

static const Recalled recalled[] = {
  { "separate", { "separate", "separate", "separate" }, 10, 0 },
  { "first", { "separate", "fused", "separate" }, 7, 3 },
  { "both", { "separate", "fused", "fused" }, 4, 6 },
  { "all", { "fused", "separate", "separate" }, 1, 9 },
  { "all-and-both", { "fused", "fused", "fused" }, 1, 9 },
};

/* As if it had come out so.  The chains stand in the order of the file: the long one, and those in it. */
static void
write_ways (const Recalled *row)
{
  g_autofree char *path = ways_fixture_dup_path ();
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) keys = NULL;
  const char *group = "ways 1"; /* of inputs that are full */
  guint n = 0;

  g_assert_true (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &error));
  keys = g_key_file_get_keys (file, group, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; keys[i] != NULL; i++)
    {
      g_autofree char *way = g_key_file_get_string (file, group, keys[i], NULL);

      if (g_str_equal (way, "separate") || g_str_equal (way, "fused"))
        {
          g_assert_cmpuint (n, <, 3);
          g_key_file_set_string (file, group, keys[i], row->ways[n++]);
        }
    }
  g_assert_cmpuint (n, ==, 3);
  g_assert_true (g_key_file_save_to_file (file, path, &error));
}

/* The launches that the plan says are saved are those that the driver is not asked for. */
static void
check_saved (SessionFixture *one, const Recalled *row)
{
  g_autofree char *plan = chains_dup_plan (one);
  guint64 saved = 0;

  for (const char *at = plan; (at = strstr (at, "barrier")) != NULL; at++)
    {
      const char *told = strstr (at, "; "), *end = strchr (at, '\n');

      if (told != NULL && told < end)
        saved += g_ascii_strtoull (told + 2, NULL, 10);
    }
  g_assert_cmpuint (saved, ==, row->saved);
  g_assert_cmpuint (chains_count_launches (one), ==, row->launches);
  g_assert_cmpuint (row->launches + saved, ==, 10);
}

static void
test_chains_recalled (gconstpointer data)
{
  const Recalled *row = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *plan = NULL;
  LeatNode *node;
  SessionFixture one;

  ways_fixture_drop ();
  chains_open (&one, LEAT_FUSE_MODE_AUTO, TRUE);
  chains_run (&one, N);
  session_fixture_close (&one);
  write_ways (row);
  chains_open (&one, LEAT_FUSE_MODE_AUTO, TRUE);
  chains_run (&one, N);
  chains_run (&one, 1);
  chains_run (&one, 4999);
  check_saved (&one, row);
  plan = chains_dup_plan (&one);
  g_assert_cmpuint (count_said (plan, "it was measured to be "), ==, g_str_equal (row->ways[0], "fused") ? 1 : 3);
  /* What is set reaches all ways, and what was measured stays. */
  node = leat_pipeline_get_node (one.pipeline, "d", NULL);
  g_assert_true (leat_node_set_from_string (node, "expr", "x/4", &error));
  g_bytes_unref (session_fixture_run (&one, (float[4]){ 0 }, 16));
  g_assert_true (leat_node_set_from_string (node, "expr", "x/2", &error));
  chains_run (&one, 4000);
  g_assert_cmpuint (chains_count_launches (&one), ==, row->launches);
  session_fixture_close (&one);
}

/* Without anything measured: item by item joined, with barriers not; and without being asked nothing is. */
static void
test_chains_by_rule (void)
{
  static const struct
  {
    LeatFuseMode mode;
    guint64 launches;
  } rows[] = { { LEAT_FUSE_MODE_OFF, 10 }, { LEAT_FUSE_MODE_AUTO, 4 } };

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      g_autofree char *plan = NULL;
      SessionFixture one;

      chains_open (&one, rows[r].mode, FALSE);
      plan = chains_dup_plan (&one);
      g_assert_cmpint (
        strstr (plan,
                ", \"a\" to \"d\", could be one kernel, with 2 barriers and 9 launches less, and are not: nobody has "
                "measured it")
          != NULL,
        ==, rows[r].mode == LEAT_FUSE_MODE_AUTO);
      g_assert_cmpuint (count_said (plan, "(nothing is waited for in it)"), ==,
                        rows[r].mode == LEAT_FUSE_MODE_AUTO ? 2 : 0);
      chains_run (&one, N);
      g_assert_cmpuint (ways_fixture_count (one.session, "trials", ""), ==, 0);
      g_assert_cmpuint (chains_count_launches (&one), ==, rows[r].launches);
      session_fixture_close (&one);
    }
}

/* A persistent kernel is made of one file: what comes of several becomes one, whether that was asked for or not. */
static void
test_chains_stay (gconstpointer mode)
{
  g_autofree char *plan = NULL;
  SessionFixture one;

  chains_open_as (&one, (LeatFuseMode) GPOINTER_TO_INT (mode), TRUE, LEAT_EXECUTOR_PERSISTENT);
  plan = chains_dup_plan (&one);
  g_assert_nonnull (strstr (plan, "(a persistent kernel is made of one file)"));
  for (guint run = 0; run < 20; run++)
    chains_run (&one, N - 211 * run);
  g_assert_cmpuint (session_fixture_get_count (&one, "persistent-runs"), ==, 20);
  g_assert_cmpuint (ways_fixture_count (one.session, "trials", ""), ==, 0);
  session_fixture_close (&one);
}

/* One in the other, with two kernels before it. */
#define LOOPS                                                                                                          \
  "l = loop max-iterations=2 carry=x:y {\n"                                                                            \
  "  i = loop max-iterations=3 carry=p:q {\n    in.p -> map expr=x+1 -> out.q\n  }\n"                                  \
  "  in.x -> map expr=x*2 -> map expr=x+1 -> i.p\n  i.q -> out.y\n}\n"                                                 \
  "app name=source spec=f32[5000] -> upload -> l.x\nl.y -> readback -> app name=sink\n"

/* Why kernels that stand beside each other are not one, and what is not among them. */
static void
test_chains_borders (void)
{
  static const struct
  {
    const char *text, *said, *unsaid;
  } rows[] = {
    { "a = map expr=x+1\nb = kernel source=KERNELS entry=turn block=64\n"
      "app name=source spec=f32[5000] -> upload -> a -> b -> readback -> app name=sink\n",
      "is not fused with what stands before it: their blocks differ in size" },
    { "a = map expr=x+1\nb = kernel source=KERNELS entry=turn cooperative=true\n"
      "app name=source spec=f32[5000] -> upload -> a -> b -> readback -> app name=sink\n",
      "is not fused: it is cooperative" },
    { "u = upload\na = map expr=x+1\nb = map expr=x*2\n"
      "app name=source spec=f32[5000] -> u -> a -> readback -> discard\n"
      "u -> b -> readback -> app name=sink\n",
      "is not fused with what stands before it: it does not follow from any of them" },
    { "a = map expr=x+1\nb = map expr=x*2 fp=fast\n"
      "app name=source spec=f32[5000] -> upload -> a -> b -> readback -> app name=sink\n",
      "is not fused with what stands before it: their fp= differs" },
    { "a = map expr=x+1\nt = kernel source=KERNELS entry=turn\nb = map expr=x*2\n"
      "app name=source spec=f32[5000] -> upload -> a -> t -> b -> readback -> app name=sink\n",
      " kernel   b              t.out -> b.out  map grid 20x1x1 block 256x1x1  after 4\n"
      "      is not fused with what stands before it: they do not go item by item" },
    { "a = map expr=x+1\nt = kernel source=KERNELS entry=turn\nb = map expr=x*2\nc = map expr=x-1\n"
      "app name=source spec=f32[5000] -> upload -> a -> t -> b -> c -> readback -> app name=sink\n",
      "map \"c\" map  item by item with what it follows\n"
      "      is not fused with what stands before it: they do not go item by item" },
    /* Neither what begins a loop nor what ends it. */
    { LOOPS, "loop_begin grid 1x1x1 block 1x1x1\n      is not fused: it begins a loop\n" },
    { LOOPS, "loop_test grid 1x1x1 block 1x1x1  after 11\n"
             "      is not fused with what stands before it: their blocks differ in size" },
    { LOOPS, "megakernel grid 20x1x1 block 256x1x1\n      one launch for 2 ops, 0 barriers; 1 launch less" },
    { LOOPS, "2 times, while (the device decides); in an iteration 3 kernels, 2 copies, 1 loop  after 2,3\n" },
    { LOOPS, "3 times, while (the device decides); in an iteration 2 kernels  after " },
    { LOOPS, "; and what is in 1 loop\n" },
    { "l = loop max-iterations=2 carry=x:y {\n  in.x -> map expr=x+1 -> out.y\n}\n"
      "k = loop max-iterations=2 carry=x:y {\n  in.x -> map expr=x+2 -> out.y\n}\n"
      "app name=source spec=f32[5000] -> upload -> l.x\nl.y -> k.x\nk.y -> readback -> app name=sink\n",
      "; and what is in 2 loops\n" },
    /* With barriers in it there is none in a loop, which becomes one kernel as a whole. */
    { "t = kernel source=KERNELS entry=turn\napp name=source spec=f32[5000] -> upload -> map expr=x*2 -> t "
      "-> readback -> app name=sink\n",
      "could be one kernel, with 1 barrier" },
    { "l = loop max-iterations=2 carry=x:y {\n"
      "  t = kernel source=KERNELS entry=turn\n  in.x -> map expr=x*2 -> t -> out.y\n}\n"
      "app name=source spec=f32[5000] -> upload -> l.x\nl.y -> readback -> app name=sink\n",
      "is not fused with what stands before it: they do not go item by item", "could be one kernel" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (GStrv) parts = g_strsplit (rows[i].text, "KERNELS", -1);
      g_autofree char *body = g_strjoinv (kernels, parts), *whole = g_strconcat ("leat 1\n", body, NULL), *said = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPlan) plan = NULL;
      g_autoptr (LeatPipeline) pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);

      g_assert_no_error (error);
      leat_pipeline_set_fuse (pipeline, LEAT_FUSE_MODE_AUTO);
      plan = leat_plan_new (pipeline, &error);
      g_assert_no_error (error);
      said = leat_plan_to_text (plan);
      if (strstr (said, rows[i].said) == NULL)
        g_error ("the plan does not say \"%s\":\n%s", rows[i].said, said);
      if (rows[i].unsaid != NULL && strstr (said, rows[i].unsaid) != NULL)
        g_error ("the plan says \"%s\":\n%s", rows[i].unsaid, said);
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = ways_fixture_init (&argc, &argv);
  int status;

  kernels = g_build_filename (cache, "kernels.cu", NULL);
  g_assert_true (g_file_set_contents (kernels, kernels_text, -1, NULL));
  g_test_add_func ("/leat/session/chains/measured", test_chains_measured);
  for (guint i = 0; i < G_N_ELEMENTS (recalled); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/session/chains/recalled/", recalled[i].name, NULL);

      g_test_add_data_func (path, &recalled[i], test_chains_recalled);
    }
  g_test_add_func ("/leat/session/chains/by-rule", test_chains_by_rule);
  g_test_add_data_func ("/leat/session/chains/stay/off", GINT_TO_POINTER (LEAT_FUSE_MODE_OFF), test_chains_stay);
  g_test_add_data_func ("/leat/session/chains/stay/auto", GINT_TO_POINTER (LEAT_FUSE_MODE_AUTO), test_chains_stay);
  g_test_add_func ("/leat/session/chains/borders", test_chains_borders);
  status = g_test_run ();
  g_free (kernels);
  return status;
}
