/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "nvtx-recorder.h"
#include "session-fixture.h"

#include <dlfcn.h>

#define CHAIN                                                                                                          \
  "app name=source spec=f32[4] -> upload name=up mode=copy -> map name=twice expr=2*x -> readback name=back "          \
  "mode=copy "                                                                                                         \
  "-> app name=sink\n"

static NvtxRecorderTake recorder_take;

static char *
take (void)
{
  int open = 0, under = 0;
  char *text = g_strdup (recorder_take (&open, &under));

  g_assert_cmpint (open, ==, 0);
  g_assert_cmpint (under, ==, 0);
  return text;
}

static void
run (SessionFixture *fixture)
{
  float x[4] = { 1, 2, 3, 4 };
  g_autoptr (GBytes) output = session_fixture_run (fixture, x, sizeof x);

  g_assert_cmpfloat (((const float *) g_bytes_get_data (output, NULL))[3], ==, 8);
}

/* The nodes are named where they are put into the graph, which is what a profiler follows; a run names its steps. */
static void
test_nvtx_graph (void)
{
  SessionFixture fixture;
  g_autofree char *built = NULL, *ran = NULL;

  session_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH);
  built = take ();
  run (&fixture);
  ran = take ();
  g_assert_cmpstr (built, ==, "[lane 0](up)(twice)(back)");
  g_assert_cmpstr (ran, ==, "(source)(launch)(wait)(sink)");
  session_fixture_close (&fixture);
}

static void
test_nvtx_eager (void)
{
  SessionFixture fixture;
  g_autofree char *ran = NULL;

  session_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_EAGER);
  g_free (take ());
  run (&fixture);
  ran = take ();
  g_assert_cmpstr (ran, ==, "(source)(launch(up)(twice)(back))(wait)(sink)");
  session_fixture_close (&fixture);
}

/* A run that ends early closes its ranges. */
static void
test_nvtx_empty (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  g_autofree char *ran = NULL;

  session_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH);
  g_free (take ());
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_EMPTY);
  g_assert_no_error (error);
  ran = take ();
  g_assert_cmpstr (ran, ==, "(source)");
  session_fixture_close (&fixture);
}

/* Where nobody is asked and nothing has changed. */
static void
test_nvtx_in_place (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatView in, out;

  session_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH);
  g_free (take ());
  leat_session_map_input (fixture.session, "source", &in, &error);
  g_assert_no_error (error);
  leat_session_map_output (fixture.session, "sink", &out, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *ran = NULL;

      leat_session_map_input (fixture.session, "source", &in, &error);
      g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      ran = take ();
      g_assert_cmpstr (ran, ==, "(launch)(wait)");
    }
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *path = NULL;
  gpointer library;

  g_test_init (&argc, &argv, NULL);
  path = g_test_build_filename (G_TEST_BUILT, "core", "lane", "nvtx-recorder.so", NULL);
  g_setenv ("NVTX_INJECTION64_PATH", path, TRUE);
  library = dlopen (path, RTLD_NOW);
  g_assert_nonnull (library);
  recorder_take = (NvtxRecorderTake) dlsym (library, "nvtx_recorder_take");
  g_assert_nonnull (recorder_take);
  g_test_add_func ("/leat/session/nvtx/graph", test_nvtx_graph);
  g_test_add_func ("/leat/session/nvtx/eager", test_nvtx_eager);
  g_test_add_func ("/leat/session/nvtx/empty", test_nvtx_empty);
  g_test_add_func ("/leat/session/nvtx/in-place", test_nvtx_in_place);
  return g_test_run ();
}
