/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"
#include "ways-fixture.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

/* What was measured lies on disk, where anything may come to stand in it: no choice that is read there breaks the rule
 * by which it may be made, and results stay what they are. */

#define N 1000

static char *spin; /* a kernel's file */

/* A chain, a loop that always does five iterations, and one with a test, whose body cannot be one kernel. */
static const char text[] = "a = map expr=x+1\nb = map expr=x*2\n"
                           "l = loop max-iterations=5 carry=x:y {\n"
                           "  h = map expr=x/2\n  g = map expr=x+3\n  in.x -> h -> g -> out.y\n}\n"
                           "k = loop max-iterations=9 until=\"n > 0\" carry=x:y {\n"
                           "  d = map expr=x*2\n  c = compact where=\"x > 500\"\n"
                           "  in.x -> d -> out.y\n  d -> c -> reduce op=count -> out.n\n}\n"
                           "app name=source spec=f32[1000] -> upload -> a -> b -> l.x\n"
                           "l.y -> k.x\nk.y -> readback mode=copy -> app name=sink\n";

static void
ways_open (SessionFixture *self, const char *what)
{
  g_autofree char *whole = g_strconcat ("leat 1\n", what, NULL);
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);

  g_assert_no_error (error);
  leat_pipeline_set_fuse (pipeline, LEAT_FUSE_MODE_AUTO);
  session_fixture_open_pipeline (self, pipeline, LEAT_EXECUTOR_GRAPH);
}

/* What the pipeline does, in plain C. */
static void
ways_run (SessionFixture *self, guint seed)
{
  g_autoptr (GBytes) bytes = NULL;
  float x[N];
  gboolean found = FALSE;

  for (guint i = 0; i < N; i++)
    x[i] = (float) ((i * 7 + seed) % 97);
  bytes = session_fixture_run (self, x, sizeof x);
  for (guint i = 0; i < N; i++)
    {
      x[i] = (x[i] + 1) * 2;
      for (guint n = 0; n < 5; n++)
        x[i] = x[i] / 2 + 3;
    }
  for (guint n = 0; n < 9 && !found; n++)
    for (guint i = 0; i < N; i++)
      {
        x[i] *= 2;
        found = found || x[i] > 500;
      }
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), x, sizeof x);
}

/* Where the file has the ways of the inputs that were there last. */
static char *
dup_group (GKeyFile *file)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *band = g_key_file_get_string (file, "transfers", "band", &error);

  g_assert_no_error (error);
  return *band != '\0' ? g_strdup_printf ("ways %s", band) : g_strdup ("ways");
}

/* Each way becomes a word that stands for one of something, or for nothing. */
static void
write_any (const char *path, GRand *rand)
{
  static const char *const words[] = { "copy",  "mapped",   "kernel", "while", "unrolled", "host",
                                       "fused", "separate", "fused",  "auto",  "",         "\377" };
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *group = NULL;
  g_auto (GStrv) keys = NULL;
  guint n = 0;

  g_assert_true (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &error));
  group = dup_group (file);
  keys = g_key_file_get_keys (file, group, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; keys[i] != NULL; i++)
    if (g_str_has_prefix (keys[i], "op-"))
      {
        g_key_file_set_string (file, group, keys[i],
                               words[g_rand_int_range (rand, 0, i == 3 ? 9 : G_N_ELEMENTS (words))]);
        n++;
      }
  g_assert_cmpuint (n, >, 0);
  g_assert_true (g_key_file_save_to_file (file, path, &error));
}

/* Words that stand for a way of the op that they are of. */
static void
write_good (const char *path, GRand *rand)
{
  static const char *const sets[][5] = { { "copy", "mapped", "kernel" },
                                         { "while", "unrolled", "host", "fused" },
                                         { "separate", "fused" } };
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *group = NULL;
  g_auto (GStrv) keys = NULL;
  guint n = 0;

  g_assert_true (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &error));
  group = dup_group (file);
  keys = g_key_file_get_keys (file, group, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; keys[i] != NULL; i++)
    {
      g_autofree char *word = g_key_file_get_string (file, group, keys[i], NULL);

      for (guint s = 0; s < G_N_ELEMENTS (sets); s++)
        if (g_strv_contains (sets[s], word))
          {
            g_key_file_set_string (file, group, keys[i],
                                   sets[s][g_rand_int_range (rand, 0, (gint) g_strv_length ((char **) sets[s]))]);
            n++;
          }
    }
  g_assert_cmpuint (n, >, 0);
  g_assert_true (g_key_file_save_to_file (file, path, &error));
}

/* By whatever file: the first loop may be done by all, the other one by "while" alone, and the readback is a copy. */
static void
check_rules (SessionFixture *self)
{
  g_autoptr (GVariant) loops = leat_session_dup_loops (self->session);
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (self->session);
  g_autofree char *said = leat_plan_to_text (plan);

  for (guint i = 0; i < g_variant_n_children (loops); i++)
    {
      g_autoptr (GVariant) one = g_variant_get_child_value (loops, i);
      const char *who = NULL, *name = NULL;

      g_assert_true (g_variant_lookup (one, "method", "&s", &who));
      g_assert_true (g_variant_lookup (one, "node", "&s", &name));
      g_assert_cmpstr (who, !=, "auto");
      if (g_str_equal (name, "k"))
        g_assert_cmpstr (who, ==, "while");
    }
  g_assert_nonnull (strstr (said, "k.x -> readback0.out  copy (as asked)"));
}

static void
test_ways_any (gconstpointer data)
{
  void (*write) (const char *, GRand *) = GPOINTER_TO_INT (data) != 0 ? write_good : write_any;
  g_autoptr (GRand) rand = g_rand_new_with_seed (20);
  g_autofree char *path = NULL, *first = NULL;
  gsize length;
  SessionFixture one;

  ways_open (&one, text);
  ways_run (&one, 1);
  session_fixture_close (&one);
  path = ways_fixture_dup_path ();
  g_assert_true (g_file_get_contents (path, &first, &length, NULL));
  for (guint round = 0; round < 12; round++)
    {
      g_assert_true (g_file_set_contents (path, first, (gssize) length, NULL));
      write (path, rand);
      ways_open (&one, text);
      ways_run (&one, round);
      check_rules (&one);
      ways_run (&one, round + 1);
      session_fixture_close (&one);
    }
  g_assert_cmpint (g_remove (path), ==, 0);
}

/* TRUE: it was measured; FALSE: somebody had before. */
static gboolean
ways_measures (guint seed)
{
  gboolean measures;
  SessionFixture one;

  ways_open (&one, text);
  ways_run (&one, seed);
  check_rules (&one);
  measures = ways_fixture_count (one.session, "trials", NULL) > 0;
  if (!measures)
    g_assert_cmpuint (ways_fixture_count (one.session, "former-trials", NULL), >, 0);
  session_fixture_close (&one);
  return measures;
}

static gpointer
ways_measure_once (gpointer seed)
{
  SessionFixture one;

  ways_open (&one, text);
  ways_run (&one, GPOINTER_TO_UINT (seed));
  ways_run (&one, GPOINTER_TO_UINT (seed) + 1);
  session_fixture_close (&one);
  return NULL;
}

/* Several measure the same at once: what one of them found is there for the next session, whole. */
static void
test_ways_threads (void)
{
  for (guint round = 0; round < 4; round++)
    {
      GThread *threads[3];
      g_autofree char *path = NULL;

      for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
        threads[i] = g_thread_new ("measures", ways_measure_once, GUINT_TO_POINTER (10 * round + i));
      for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
        g_thread_join (threads[i]);
      path = ways_fixture_dup_path ();
      g_assert_nonnull (path);
      g_assert_false (ways_measures (round));
      g_assert_cmpint (g_remove (path), ==, 0);
    }
}

/* Where it cannot be written, or what is there is no file, each session measures, and nothing is waited for. */
static void
test_ways_unwritable (void)
{
  g_autofree char *path = NULL, *folder = NULL;

  g_assert_true (ways_measures (1));
  path = ways_fixture_dup_path ();
  folder = g_path_get_dirname (path);
  g_assert_false (ways_measures (2));
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  for (guint i = 0; i < 2; i++)
    g_assert_true (ways_measures (i));
  g_assert_cmpint (g_rmdir (path), ==, 0);
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  g_assert_true (ways_measures (3)); /* and takes its place */
  g_assert_false (ways_measures (4));
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_assert_true (g_file_set_contents (folder, "in the way", -1, NULL));
  for (guint i = 0; i < 2; i++)
    g_assert_true (ways_measures (i));
  g_assert_cmpint (g_remove (folder), ==, 0);
  g_assert_true (ways_measures (5));
  g_assert_false (ways_measures (6));
  g_assert_cmpint (g_remove (path), ==, 0);
}

static const char spin_text[] = "__global__ void\n"
                                "spin (const float *in, float *out, unsigned int in_count, unsigned long long rounds)\n"
                                "{\n"
                                "  unsigned long long x = 88172645463325252ull + (unsigned long long) in[0];\n"
                                "  for (unsigned long long i = 0; i < rounds; i++)\n"
                                "    {\n      x ^= x << 13;\n      x ^= x >> 7;\n      x ^= x << 17;\n    }\n"
                                "  out[0] = x != 0 ? 1 : 0;\n"
                                "}\n";

/* Runs that take longer than all trials may: one of them says what there is to say. */
static void
test_ways_long (void)
{
  g_autofree char *what = g_strdup_printf ("k = kernel source=%s grid=1 block=1 out=f32[1] rounds=300000000\n"
                                           "app name=source spec=f32[1] -> upload -> k -> readback -> app name=sink\n",
                                           spin);
  g_autoptr (GBytes) bytes = NULL;
  const float x = 1;
  LeatDriver *driver;
  SessionFixture one;
  gint64 begin;

  ways_open (&one, what);
  driver = leat_device_get_driver (leat_session_get_device (one.session));
  g_assert_true (leat_driver_trace_start (driver, FALSE, NULL));
  begin = g_get_monotonic_time ();
  bytes = session_fixture_run (&one, &x, sizeof x);
  leat_driver_trace_stop (driver);
  g_assert_cmpint (g_get_monotonic_time () - begin, >, 500000);
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuGraphLaunch), ==, 2);
  session_fixture_close (&one);
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = ways_fixture_init (&argc, &argv);
  int status;

  spin = g_build_filename (cache, "spin.cu", NULL);
  g_assert_true (g_file_set_contents (spin, spin_text, -1, NULL));
  g_test_add_data_func ("/session/ways/any", GINT_TO_POINTER (0), test_ways_any);
  g_test_add_data_func ("/session/ways/good", GINT_TO_POINTER (1), test_ways_any);
  g_test_add_func ("/session/ways/threads", test_ways_threads);
  g_test_add_func ("/session/ways/unwritable", test_ways_unwritable);
  g_test_add_func ("/session/ways/long", test_ways_long);
  status = g_test_run ();
  g_free (spin);
  return status;
}
