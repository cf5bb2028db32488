/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "foreign-fixture.h"
#include "queue-fixture.h"
#include "ways-fixture.h"

#include "device/leat-device-private.h"

#include <glib/gstdio.h>
#include <string.h>

#define N   1000
#define MAP "app name=source spec=f32[<=1000] -> upload -> map expr=\"a*x+b\" a=2 b=1 -> readback -> app name=sink\n"

static void
check_trials_differ (SessionFixture *fixture)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (fixture->session);
  g_autoptr (GVariant) trials = g_variant_lookup_value (stats, "trials", G_VARIANT_TYPE ("a(sd)"));
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (gsize i = 0; i < g_variant_n_children (trials); i++)
    {
      const char *ways;
      double us;

      g_variant_get_child (trials, i, "(&sd)", &ways, &us);
      g_assert_true (g_hash_table_add (seen, (gpointer) ways));
      g_assert_cmpfloat (us, >, 0);
    }
}

static void
run_and_check (SessionFixture *fixture, guint n, guint seed)
{
  float x[N] = { 0 };
  g_autoptr (GBytes) output = NULL;
  const float *y;

  for (guint i = 0; i < n; i++)
    x[i] = (float) ((i * 7 + seed) % 513) - 100;
  output = session_fixture_run (fixture, x, n * sizeof *x);
  y = g_bytes_get_data (output, NULL);
  g_assert_cmpuint (g_bytes_get_size (output), ==, n * sizeof *x);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (y[i], ==, 2 * x[i] + 1);
}

static char *
dup_choice (SessionFixture *fixture)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (fixture->session);
  g_autofree char *text = leat_plan_to_text (plan);

  return g_strdup_printf ("%s %s", strstr (text, "  mapped") != NULL ? "mapped" : "-",
                          strstr (text, "the fastest that was measured") != NULL ? "measured" : "-");
}

/* What ends on the device is out of the host's reach. */
static void
test_calibrate_with_an_end_on_the_device (void)
{
  SessionFixture fixture;

  ways_fixture_drop ();
  session_fixture_open (&fixture,
                        "app name=source spec=f32[<=1000] -> upload -> map name=m expr=\"a*x+b\" a=2 b=1 -> readback "
                        "-> app name=sink\nm. -> discard\n",
                        LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, 700, 1);
  g_assert_cmpuint (ways_fixture_count (fixture.session, "trials", NULL), >, 1);
  run_and_check (&fixture, N, 2);
  session_fixture_close (&fixture);
}

/* A set that leaves one kernel is measured as what it is after some runs, a graph; the first runs make none of it. */
static void
test_calibrate_measures_graphs (void)
{
  SessionFixture fixture;
  LeatDriver *driver;

  ways_fixture_drop ();
  session_fixture_open (&fixture,
                        "app name=source spec=f32[1000] -> upload -> map expr=\"a*x+b\" a=2 b=1 -> readback "
                        "-> app name=sink\n",
                        LEAT_EXECUTOR_AUTO);
  driver = leat_device_get_driver (leat_session_get_device (fixture.session));
  g_assert_true (leat_driver_trace_start (driver, FALSE, NULL));
  run_and_check (&fixture, N, 1);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (ways_fixture_count (fixture.session, "trials", NULL), >, 1);
  /* Of the run proper, three at most: with a kernel for each transfer. */
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuLaunchKernel)
                      + leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuLaunchKernelEx),
                    <=, 3);
  run_and_check (&fixture, N, 2);
  session_fixture_close (&fixture);
}

/* The band that the ways of a run with so many items, of at most 1024, are kept for. */
static char *
dup_band (guint n)
{
  SessionFixture fixture;
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = NULL;
  g_autofree float *x = g_new0 (float, n + 1);
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GError) error = NULL;

  ways_fixture_drop ();
  session_fixture_open (&fixture,
                        "app name=source spec=f32[<=1024] -> upload -> map expr=x+1 -> readback -> app name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  output = session_fixture_run (&fixture, x, n * sizeof *x);
  session_fixture_close (&fixture);
  path = ways_fixture_dup_path ();
  g_assert_nonnull (path);
  g_assert_true (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &error));
  return g_key_file_get_string (file, "transfers", "band", &error);
}

/* More than a half of the room, more than a quarter, and so on to 1/256, less, and nothing: the last of one band, and
 * the first of the next. */
static void
test_calibrate_bands (void)
{
  static const struct
  {
    guint n;
    const char *band;
  } bands[] = { { 1024, "1" }, { 513, "1" }, { 512, "2" }, { 257, "2" }, { 256, "3" }, { 9, "7" },
                { 8, "8" },    { 5, "8" },   { 4, "9" },   { 1, "9" },   { 0, "0" } };

  for (guint i = 0; i < G_N_ELEMENTS (bands); i++)
    {
      g_autofree char *band = dup_band (bands[i].n);

      g_assert_cmpstr (band, ==, bands[i].band);
    }
}

static guint
count_learned (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "leat", "transfers", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
drop_learned (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "leat", "transfers", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (g_remove (path), ==, 0);
    }
}

/* What was found out for one pipeline is not taken for one with another kernel, size, type, launch, link or way: each
 * change has a file of its own.  What does not matter, such as a name, has none. */
static void
test_calibrate_keys (void)
{
  static const struct
  {
    const char *text;
    gboolean is_other;
  } texts[] = {
    { "m = map expr=x+a a=1\napp name=source spec=u32[64] -> upload -> m -> readback -> app name=sink\n", TRUE },
    { "m = map expr=x+a a=1\napp name=source spec=u32[64] -> upload -> m -> readback -> app name=sink\n", FALSE },
    { "n = map expr=x+a a=2\napp name=source spec=u32[64] -> upload -> n -> readback -> app name=sink\n", FALSE },
    { "m = map expr=x-a a=1\napp name=source spec=u32[64] -> upload -> m -> readback -> app name=sink\n", TRUE },
    { "m = map expr=x+a a=1\napp name=source spec=u32[65] -> upload -> m -> readback -> app name=sink\n", TRUE },
    { "m = map expr=x+a a=1\napp name=source spec=f32[64] -> upload -> m -> readback -> app name=sink\n", TRUE },
    { "m = map expr=x+a a=1\napp name=source spec=u32[<=64] -> upload -> m -> readback -> app name=sink\n", TRUE },
    { "m = map expr=x+a a=1 block=64\napp name=source spec=u32[64] -> upload -> m -> readback -> app name=sink\n",
      TRUE },
    { "m = map expr=x+a a=1\napp name=source spec=u32[64] -> upload mode=copy -> m -> readback -> app name=sink\n",
      TRUE },
    { "m = map expr=x+a a=1\napp name=source spec=u32[64] -> upload -> m -> readback mode=copy -> app name=sink\n",
      TRUE },
    { "m = map expr=x+a a=1\nn = map expr=x+a a=1\n"
      "app name=source spec=u32[64] -> upload -> m -> n -> readback -> app name=sink\n",
      TRUE },
  };
  guint n = 0;

  drop_learned ();
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      guint32 x[65] = { 0 };
      SessionFixture fixture;
      g_autoptr (GBytes) output = NULL;

      session_fixture_open (&fixture, texts[i].text, LEAT_EXECUTOR_GRAPH);
      output = session_fixture_run (&fixture, x, strstr (texts[i].text, "[65]") != NULL ? 260 : 256);
      g_assert_true ((ways_fixture_count (fixture.session, "trials", NULL) > 0) == texts[i].is_other);
      session_fixture_close (&fixture);
      n += texts[i].is_other;
      g_assert_cmpuint (count_learned (), ==, n);
    }
  drop_learned ();
}

/* The first run tries the ways; the next session knows. */
static void
test_calibrate_measures_once (void)
{
  SessionFixture fixture;
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  guint n;

  ways_fixture_drop ();
  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_assert_cmpuint (ways_fixture_count (fixture.session, "trials", NULL), ==, 0);
  run_and_check (&fixture, 700, 1);
  n = ways_fixture_count (fixture.session, "trials", NULL);
  g_assert_cmpuint (n, >=, 5); /* of nine sets; none twice */
  g_assert_cmpuint (n, <=, 9);
  check_trials_differ (&fixture);
  run_and_check (&fixture, N, 2);
  run_and_check (&fixture, 0, 0);
  g_assert_cmpuint (ways_fixture_count (fixture.session, "trials", NULL), ==, n);
  first = dup_choice (&fixture);
  session_fixture_close (&fixture);
  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, 700, 3);
  g_assert_cmpuint (ways_fixture_count (fixture.session, "trials", NULL), ==, 0);
  g_assert_cmpuint (ways_fixture_count (fixture.session, "former-trials", NULL), ==, n);
  second = dup_choice (&fixture);
  g_assert_cmpstr (second, ==, first);
  session_fixture_close (&fixture);
}

static void
damage_ways (void)
{
  g_autofree char *path = ways_fixture_dup_path ();

  g_assert_nonnull (path);
  g_assert_true (g_file_set_contents (path, "[transfers]\nversion=1\nop-1=by balloon\n", -1, NULL));
}

static void
test_calibrate_measures_again_where_the_file_is_damaged (void)
{
  SessionFixture fixture;

  ways_fixture_drop ();
  for (guint i = 0; i < 2; i++)
    {
      session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
      run_and_check (&fixture, 10, i);
      g_assert_cmpuint (ways_fixture_count (fixture.session, "trials", NULL), >, 1); /* as many as there is time for */
      session_fixture_close (&fixture);
      damage_ways ();
    }
}

static void
test_calibrate_leaves_alone_what_is_said (void)
{
  SessionFixture fixture;

  ways_fixture_drop ();
  session_fixture_open (&fixture,
                        "app name=source spec=f32[<=1000] -> upload mode=copy -> map expr=\"a*x+b\" a=2 b=1 -> "
                        "readback mode=mapped -> app name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, 10, 1);
  g_assert_cmpuint (ways_fixture_count (fixture.session, "trials", NULL), ==, 0);
  session_fixture_close (&fixture);
  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_EAGER);
  run_and_check (&fixture, 10, 1);
  g_assert_cmpuint (ways_fixture_count (fixture.session, "trials", NULL), ==, 0);
  session_fixture_close (&fixture);
}

/* What nodes keep from run to run is as if nothing had been measured: a pattern across two chunks is found once. */
static void
test_calibrate_touches_no_state (void)
{
  SessionFixture fixture;
  g_autoptr (GBytes) first = NULL;
  g_autoptr (GBytes) second = NULL;

  ways_fixture_drop ();
  session_fixture_open (&fixture,
                        "app name=source spec=u8[<=4096] -> upload -> text:scan patterns=needle -> readback -> "
                        "app name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  first = session_fixture_run (&fixture, "a needle, a nee", 15);
  g_assert_cmpuint (ways_fixture_count (fixture.session, "trials", NULL), >, 1);
  second = session_fixture_run (&fixture, "dle and more", 12);
  g_assert_cmpuint (g_bytes_get_size (first) + g_bytes_get_size (second), ==, 2 * 16);
  session_fixture_close (&fixture);
}

#define SUM                                                                                                            \
  "before = state spec=f32[1000] init=3\nsum = map inputs=x,before expr=x+before\n"                                    \
  "app name=source spec=f32[1000] -> upload -> sum.x\nbefore -> sum.before -> before\n"                                \
  "sum -> readback -> app name=sink\n"

typedef enum
{
  GIVEN_NOTHING,
  GIVEN_LENT,
  GIVEN_LOADED,
  GIVEN_COPIED,
  GIVEN_AND_AWAY,
} Given;

/* Puts 10 into the state, before the first run. */
static void
give_states (SessionFixture *fixture, Given given)
{
  g_autofree float *tens = g_new (float, N);
  g_autoptr (LeatDeviceBuffer) state = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < N; i++)
    tens[i] = 10;
  bytes = g_bytes_new (tens, N * sizeof *tens);
  state = leat_session_get_state (fixture->session, "before", &error);
  g_assert_no_error (error);
  leat_device_buffer_upload (state, 0, bytes, &error);
  g_assert_no_error (error);
  g_clear_object (&state);
  if (given == GIVEN_AND_AWAY)
    leat_session_evict (fixture->session, NULL, &error);
  g_assert_no_error (error);
}

/* By another session, of which it is taken over. */
static void
take_states (SessionFixture *fixture, Given given)
{
  g_autofree char *path = g_build_filename (g_get_user_cache_dir (), "sum.state", NULL);
  g_autoptr (GError) error = NULL;
  SessionFixture other;

  session_fixture_open (&other, SUM, LEAT_EXECUTOR_GRAPH);
  give_states (&other, GIVEN_LENT);
  if (given == GIVEN_COPIED)
    leat_session_copy_state (fixture->session, other.session, &error);
  else if (leat_session_save_state (other.session, path, &error))
    leat_session_load_state (fixture->session, path, &error);
  g_assert_no_error (error);
  g_remove (path);
  session_fixture_close (&other);
}

/* What the program has put into a state before the first run is what that run finds, whatever was tried in between. */
static void
test_calibrate_keeps_given_states (gconstpointer data)
{
  const Given given = GPOINTER_TO_UINT (data);
  SessionFixture fixture;
  float x[N];

  ways_fixture_drop ();
  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  if (given == GIVEN_LOADED || given == GIVEN_COPIED)
    take_states (&fixture, given);
  else if (given != GIVEN_NOTHING)
    give_states (&fixture, given);
  for (guint i = 0; i < N; i++)
    x[i] = (float) i;
  for (guint run = 1; run <= 3; run++)
    {
      g_autoptr (GBytes) output = session_fixture_run (&fixture, x, sizeof x);
      const float *y = g_bytes_get_data (output, NULL);

      for (guint i = 0; i < N; i++)
        g_assert_cmpfloat (y[i], ==, (float) run * x[i] + (given == GIVEN_NOTHING ? 3 : 10));
      g_assert_cmpuint (ways_fixture_count (fixture.session, "trials", NULL), >, 1);
    }
  session_fixture_close (&fixture);
}

/* The memory that the program fills stays where it was. */
static void
test_calibrate_keeps_staging_memory (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatView in, out, again;

  ways_fixture_drop ();
  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_map_output (fixture.session, "sink", &out, &error);
  leat_session_set_input_count (fixture.session, "source", 3, &error);
  leat_session_map_input (fixture.session, "source", &in, &error);
  g_assert_no_error (error);
  memcpy (in.data, (float[]){ 1, 2, 3 }, 3 * sizeof (float));
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpuint (ways_fixture_count (fixture.session, "trials", NULL), >, 1);
  leat_session_map_input (fixture.session, "source", &again, &error);
  g_assert_true (again.data == in.data);
  leat_session_map_output (fixture.session, "sink", &again, &error);
  g_assert_true (again.data == out.data);
  g_assert_cmpuint (again.count, ==, 3);
  g_assert_cmpfloat (((float *) again.data)[2], ==, 7);
  session_fixture_close (&fixture);
}

static void
test_calibrate_moves_by_kernel (gconstpointer executor)
{
  static const char *const specs[] = { "f32[1000]", "f32[<=1000]", "f32[<=250,4]", "u8[<=4000]" };

  for (guint i = 0; i < G_N_ELEMENTS (specs); i++)
    {
      g_autofree char *text = g_strdup_printf ("app name=source spec=%s -> upload mode=kernel -> map expr=\"x+1\" -> "
                                               "readback mode=kernel -> app name=sink\n",
                                               specs[i]);
      SessionFixture fixture;
      guint8 data[4000];
      gboolean bytes = specs[i][0] == 'u', fixed = strstr (specs[i], "<=") == NULL;

      session_fixture_open (&fixture, text, GPOINTER_TO_INT (executor));
      for (guint n = fixed ? 4000 : 0; n <= 4000; n += 2000)
        {
          g_autoptr (GBytes) output = NULL;
          const guint8 *y;

          for (guint k = 0; k < n; k++)
            data[k] = bytes ? k % 100 : 0;
          output = session_fixture_run (&fixture, data, n);
          y = g_bytes_get_data (output, NULL);
          g_assert_cmpuint (g_bytes_get_size (output), ==, n);
          for (guint k = 0; k < n; k += 4)
            if (bytes)
              g_assert_cmpuint (y[k], ==, k % 100 + 1);
            else
              g_assert_cmpfloat (*(const float *) (y + k), ==, 1);
        }
      session_fixture_close (&fixture);
    }
}

/* Small transfers that kernels do go together, and each alone again: a launch is of the kernel that the trial is about.
 */
static void
test_calibrate_packs (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  ways_fixture_drop ();
  session_fixture_open (
    &fixture,
    "app name=source spec=f32[8] -> upload name=up -> map expr=\"x+1\" -> readback -> app name=sink\n"
    "up. -> map expr=\"2*x\" -> readback -> app name=twice\n"
    "up. -> map expr=\"-x\" -> readback -> app name=minus\n",
    LEAT_EXECUTOR_GRAPH);
  for (guint run = 0; run < 2; run++)
    {
      LeatView in, sum, twice, minus;

      leat_session_map_input (fixture.session, "source", &in, &error);
      for (guint i = 0; i < 8; i++)
        ((float *) in.data)[i] = (float) (i + run);
      g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_cmpuint (ways_fixture_count (fixture.session, "trials", NULL), >=, 4);
      leat_session_map_output (fixture.session, "sink", &sum, &error);
      leat_session_map_output (fixture.session, "twice", &twice, &error);
      leat_session_map_output (fixture.session, "minus", &minus, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < 8; i++)
        {
          g_assert_cmpfloat (((float *) sum.data)[i], ==, (float) (i + run) + 1);
          g_assert_cmpfloat (((float *) twice.data)[i], ==, 2 * (float) (i + run));
          g_assert_cmpfloat (((float *) minus.data)[i], ==, -(float) (i + run));
        }
    }
  session_fixture_close (&fixture);
}

/* Trials are no runs: what queues count is of runs alone, and no message tells of a trial. */
static void
test_calibrate_counts_no_trial (void)
{
  guint32 roots[200];
  QueueSums expected;
  SessionFixture fixture;

  ways_fixture_drop ();
  queue_fixture_fill (roots, G_N_ELEMENTS (roots), 21);
  expected = queue_fixture_expect (roots, G_N_ELEMENTS (roots), 3);
  queue_fixture_open (&fixture, "entry=visit grid=4 block=32 depth=3 how=2 queue=3000", LEAT_EXECUTOR_GRAPH);
  for (guint run = 1; run <= 2; run++)
    {
      queue_fixture_assert_equal (queue_fixture_walk (&fixture, roots, G_N_ELEMENTS (roots)), expected);
      g_assert_cmpuint (ways_fixture_count (fixture.session, "trials", NULL), >, 1);
      g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "pushed"), ==, run * expected.visits);
      g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "requeued"), ==, run * 2 * expected.visits);
      g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "claimed"), ==, run * 3 * expected.visits);
    }
  session_fixture_close (&fixture);
}

/* The same of items that there is no room for: those of one run are told. */
static void
test_calibrate_tells_of_no_trial (void)
{
  guint32 items[QUEUE_ITEMS];
  SessionFixture fixture;

  ways_fixture_drop ();
  queue_fixture_fill (items, QUEUE_ITEMS, 22);
  queue_fixture_open (&fixture, "entry=leave grid=4 block=32 queue=100 overflow=warn", LEAT_EXECUTOR_GRAPH);
  for (guint run = 1; run <= 2; run++)
    {
      g_assert_cmpuint (queue_fixture_walk (&fixture, items, 250).visits, ==, 100);
      g_assert_cmpuint (ways_fixture_count (fixture.session, "trials", NULL), >, 1);
      g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "pushed"), ==, run * 100);
      g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "overflows"), ==, run * 150);
    }
  session_fixture_close (&fixture);
}

static gboolean
is_integrated (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = leat_device_open (NULL, &error);

  g_assert_no_error (error);
  return leat_device_get_facts (device)->integrated;
}

/* Work that may not be captured is called by each run, and may count them: so there is no trial.  Not captured as it
 * said so (@data), or as that was found out. */
static void
test_calibrate_calls_nobody (gconstpointer data)
{
  static const char *const ways[] = { "up", "down" };
  ForeignFixture fixture = { 0 };
  g_autoptr (GVariant) stats = NULL, trials = NULL;

  foreign_fixture_set_up (&fixture);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    leat_node_set_from_string (leat_pipeline_get_node (fixture.base.pipeline, ways[i], NULL), "mode", "auto", NULL);
  fixture.node->why_not_captured = data;
  if (data == NULL)
    fixture.node->plant = planted_cases[0].plant;
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  foreign_fixture_run (&fixture, 0);
  g_assert_cmpuint (fixture.node->calls, ==, 1);
  stats = leat_session_dup_stats (fixture.base.session);
  trials = g_variant_lookup_value (stats, "trials", G_VARIANT_TYPE ("a(sd)"));
  g_assert_cmpuint (g_variant_n_children (trials), ==, 0);
  foreign_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = ways_fixture_init (&argc, &argv);
  int status;

  if (is_integrated ())
    {
      g_print ("1..0 # SKIP the device's memory is the host's, so there is nothing to choose\n");
      return 0;
    }
  g_test_add_func ("/leat/session/calibrate/measures-once", test_calibrate_measures_once);
  g_test_add_func ("/leat/session/calibrate/bands", test_calibrate_bands);
  g_test_add_func ("/leat/session/calibrate/keys", test_calibrate_keys);
  g_test_add_func ("/leat/session/calibrate/measures-graphs", test_calibrate_measures_graphs);
  g_test_add_func ("/leat/session/calibrate/with-an-end-on-the-device", test_calibrate_with_an_end_on_the_device);
  g_test_add_func ("/leat/session/calibrate/measures-again-where-the-file-is-damaged",
                   test_calibrate_measures_again_where_the_file_is_damaged);
  g_test_add_func ("/leat/session/calibrate/leaves-alone-what-is-said", test_calibrate_leaves_alone_what_is_said);
  g_test_add_func ("/leat/session/calibrate/touches-no-state", test_calibrate_touches_no_state);
  g_test_add_data_func ("/leat/session/calibrate/keeps-given-states/nothing", GUINT_TO_POINTER (GIVEN_NOTHING),
                        test_calibrate_keeps_given_states);
  g_test_add_data_func ("/leat/session/calibrate/keeps-given-states/lent", GUINT_TO_POINTER (GIVEN_LENT),
                        test_calibrate_keeps_given_states);
  g_test_add_data_func ("/leat/session/calibrate/keeps-given-states/loaded", GUINT_TO_POINTER (GIVEN_LOADED),
                        test_calibrate_keeps_given_states);
  g_test_add_data_func ("/leat/session/calibrate/keeps-given-states/copied", GUINT_TO_POINTER (GIVEN_COPIED),
                        test_calibrate_keeps_given_states);
  g_test_add_data_func ("/leat/session/calibrate/keeps-given-states/away", GUINT_TO_POINTER (GIVEN_AND_AWAY),
                        test_calibrate_keeps_given_states);
  g_test_add_func ("/leat/session/calibrate/keeps-staging-memory", test_calibrate_keeps_staging_memory);
  g_test_add_data_func ("/leat/session/calibrate/moves-by-kernel/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_calibrate_moves_by_kernel);
  g_test_add_data_func ("/leat/session/calibrate/moves-by-kernel/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_calibrate_moves_by_kernel);
  g_test_add_func ("/leat/session/calibrate/packs", test_calibrate_packs);
  g_test_add_func ("/leat/session/calibrate/counts-no-trial", test_calibrate_counts_no_trial);
  g_test_add_data_func ("/leat/session/calibrate/calls-nobody/told", "it reads a clock", test_calibrate_calls_nobody);
  g_test_add_data_func ("/leat/session/calibrate/calls-nobody/found-out", NULL, test_calibrate_calls_nobody);
  g_test_add_func ("/leat/session/calibrate/tells-of-no-trial", test_calibrate_tells_of_no_trial);
  queue_fixture_init ();
  status = g_test_run ();
  queue_fixture_clear ();
  return status;
}
