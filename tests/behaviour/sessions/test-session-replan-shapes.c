/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "replan-fixture.h"

/* A property that gives the data another shape, and what is kept of the former ones. */

static void
test_replan_finds_shapes_again (gconstpointer executor)
{
  SessionFixture fixture;
  gboolean graph = GPOINTER_TO_INT (executor) == LEAT_EXECUTOR_GRAPH;
  LeatDriver *driver;

  session_fixture_open (&fixture, MAP, GPOINTER_TO_INT (executor));
  replan_fixture_run_and_check (&fixture, 256, 2, 1);
  replan_fixture_set (&fixture, "source", "spec", "f32[1000]");
  replan_fixture_run_and_check (&fixture, 1000, 2, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, graph ? 2 : 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "shapes"), ==, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "shape-bytes"), >=, 2 * 256 * sizeof (float));
  driver = replan_fixture_start_trace (&fixture);
  for (guint round = 0; round < 3; round++)
    {
      replan_fixture_set (&fixture, "source", "spec", "f32[256]");
      replan_fixture_run_and_check (&fixture, 256, 2, 1);
      replan_fixture_set (&fixture, "source", "spec", "f32[1000]");
      replan_fixture_run_and_check (&fixture, 1000, 2, 1);
    }
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (COUNT (driver, cuGraphInstantiateWithFlags), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuGraphExecUpdate), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuGraphExecKernelNodeSetParams), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuMemAlloc), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuMemHostAlloc), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuModuleLoadData), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuGraphLaunch), ==, graph ? 6 : 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "shape-hits"), ==, 6);
  /* An argument that was set while another shape ran is there on return. */
  replan_fixture_set (&fixture, "m", "a", "4");
  replan_fixture_run_and_check (&fixture, 1000, 4, 1);
  replan_fixture_set (&fixture, "source", "spec", "f32[256]");
  replan_fixture_run_and_check (&fixture, 256, 4, 1);
  session_fixture_close (&fixture);
}

/* With no room for what is not needed now, the executable itself takes the other shape. */
static void
test_replan_without_a_cache (void)
{
  SessionFixture fixture;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "cache-bytes", (guint64) 0, NULL);
  replan_fixture_run_and_check (&fixture, 256, 2, 1);
  for (guint round = 1; round < 4; round++)
    {
      g_autofree char *spec = g_strdup_printf ("f32[%u]", 256 + 100 * round);

      replan_fixture_set (&fixture, "source", "spec", spec);
      replan_fixture_run_and_check (&fixture, 256 + 100 * round, 2, 1);
      g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, 1);
      g_assert_cmpuint (session_fixture_get_count (&fixture, "graph-updates"), ==, round);
      g_assert_cmpuint (session_fixture_get_count (&fixture, "shapes"), ==, 0);
    }
  session_fixture_close (&fixture);
}

/* What was not used for longest goes first. */
static void
test_replan_caps_the_cache (void)
{
  static const guint sizes[] = { 1000, 2000, 3000, 4000, 5000 };
  SessionFixture fixture;
  guint64 cap, hits;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  replan_fixture_run_and_check (&fixture, 256, 2, 1);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *spec = g_strdup_printf ("f32[%u]", sizes[i]);

      replan_fixture_set (&fixture, "source", "spec", spec);
      replan_fixture_run_and_check (&fixture, sizes[i], 2, 1);
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture, "shapes"), ==, 5);
  cap = session_fixture_get_count (&fixture, "shape-bytes");
  g_object_set (fixture.session, "cache-bytes", cap, NULL);
  replan_fixture_set (&fixture, "source", "spec", "f32[6000]");
  replan_fixture_run_and_check (&fixture, 6000, 2, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "shapes"), <=, 5);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "shape-bytes"), <=, cap);
  hits = session_fixture_get_count (&fixture, "shape-hits");
  replan_fixture_set (&fixture, "source", "spec", "f32[5000]");
  replan_fixture_run_and_check (&fixture, 5000, 2, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "shape-hits"), ==, hits + 1);
  replan_fixture_set (&fixture, "source", "spec", "f32[256]");
  replan_fixture_run_and_check (&fixture, 256, 2, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "shape-hits"), ==, hits + 1);
  session_fixture_close (&fixture);
}

/* Neither memory nor modules nor executables pile up. */
static void
test_replan_does_not_grow (void)
{
  SessionFixture fixture;
  LeatMemoryCounts before, after;
  LeatDevice *device;
  LeatDriver *driver;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "cache-bytes", (guint64) 0, NULL);
  device = leat_session_get_device (fixture.session);
  replan_fixture_run_and_check (&fixture, 256, 2, 1);
  leat_device_get_memory_counts (device, LEAT_MEMORY_DEVICE, &before);
  driver = replan_fixture_start_trace (&fixture);
  for (guint round = 0; round < 20; round++)
    {
      replan_fixture_set (&fixture, "source", "spec", "f32[700]");
      replan_fixture_set (&fixture, "m", "expr", "a*x+b+b");
      replan_fixture_run_and_check (&fixture, 700, 2, 2);
      replan_fixture_set (&fixture, "source", "spec", "f32[256]");
      replan_fixture_set (&fixture, "m", "expr", "a*x+b");
      replan_fixture_run_and_check (&fixture, 256, 2, 1);
    }
  leat_driver_trace_stop (driver);
  leat_device_get_memory_counts (device, LEAT_MEMORY_DEVICE, &after);
  g_assert_cmpuint (after.live_bytes, ==, before.live_bytes);
  g_assert_cmpuint (after.live_count, ==, before.live_count);
  g_assert_cmpuint (COUNT (driver, cuGraphCreate), ==, COUNT (driver, cuGraphDestroy));
  g_assert_cmpuint (COUNT (driver, cuGraphInstantiateWithFlags), ==, COUNT (driver, cuGraphExecDestroy));
  g_assert_cmpuint (COUNT (driver, cuModuleLoadData), ==, COUNT (driver, cuModuleUnload));
  session_fixture_close (&fixture);
}

/* A shape that was kept from before graphs of one op were worth their while is found again after. */
static void
test_replan_finds_what_was_held_back (void)
{
  SessionFixture fixture;

  session_fixture_open (&fixture,
                        "app name=source spec=f32[256] -> upload mode=mapped -> map name=m expr=\"2*x\" "
                        "-> readback mode=mapped -> app name=sink\n",
                        LEAT_EXECUTOR_AUTO);
  replan_fixture_run_and_check (&fixture, 256, 2, 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, 0);
  replan_fixture_set (&fixture, "source", "spec", "f32[512]");
  for (guint i = 0; i < LEAT_SESSION_RUNS_TO_SETTLE; i++)
    replan_fixture_run_and_check (&fixture, 512, 2, 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, 1);
  replan_fixture_set (&fixture, "source", "spec", "f32[256]");
  replan_fixture_run_and_check (&fixture, 256, 2, 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "shape-hits"), ==, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, 2);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "shapes"), ==, 1);
  replan_fixture_set (&fixture, "source", "spec", "f32[300]"); /* one that is new is a graph at once */
  replan_fixture_run_and_check (&fixture, 300, 2, 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, 3);
  session_fixture_close (&fixture);
}

/* However little they take; what they take is not looked at, since on a GPU that others use too it is not known well.
 */
static void
test_replan_keeps_so_many (void)
{
  SessionFixture fixture;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "cache-bytes", G_MAXUINT64 / 2, NULL);
  replan_fixture_run_and_check (&fixture, 256, 2, 1);
  for (guint i = 1; i <= 80; i++)
    {
      g_autofree char *spec = g_strdup_printf ("f32[%u]", i);

      replan_fixture_set (&fixture, "source", "spec", spec);
      replan_fixture_run_and_check (&fixture, i, 2, 1);
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture, "shapes"), ==, 64);
  replan_fixture_set (&fixture, "source", "spec", "f32[17]");
  replan_fixture_run_and_check (&fixture, 17, 2, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "shape-hits"), ==, 1);
  session_fixture_close (&fixture);
}

/* Waits of the former shape count as those of the one that runs. */
static void
test_replan_counts_waits (void)
{
  SessionFixture fixture;
  g_autoptr (GVariant) counts = NULL;
  g_autoptr (GError) error = NULL;
  guint64 waits;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "wait", LEAT_WAIT_SPIN, NULL);
  replan_fixture_run_and_check (&fixture, 256, 2, 1);
  g_assert_true (leat_session_start_counting (fixture.session, &error));
  replan_fixture_run_and_check (&fixture, 256, 2, 1);
  replan_fixture_set (&fixture, "source", "spec", "f32[100]");
  replan_fixture_run_and_check (&fixture, 100, 2, 1);
  replan_fixture_run_and_check (&fixture, 100, 2, 1);
  counts = leat_session_stop_counting (fixture.session, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (counts, "waits", "t", &waits));
  /* And those of the plan that is made anew, for what it clears and builds. */
  g_assert_cmpuint (waits, >=, 3);
  g_assert_cmpuint (waits, <, 10);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  const gconstpointer graph = GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), eager = GINT_TO_POINTER (LEAT_EXECUTOR_EAGER);

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session/replan/finds-shapes-again/graph", graph, test_replan_finds_shapes_again);
  g_test_add_data_func ("/leat/session/replan/finds-shapes-again/eager", eager, test_replan_finds_shapes_again);
  g_test_add_func ("/leat/session/replan/without-a-cache", test_replan_without_a_cache);
  g_test_add_func ("/leat/session/replan/caps-the-cache", test_replan_caps_the_cache);
  g_test_add_func ("/leat/session/replan/does-not-grow", test_replan_does_not_grow);
  g_test_add_func ("/leat/session/replan/finds-what-was-held-back", test_replan_finds_what_was_held_back);
  g_test_add_func ("/leat/session/replan/keeps-so-many", test_replan_keeps_so_many);
  g_test_add_func ("/leat/session/replan/counts-waits", test_replan_counts_waits);
  return g_test_run ();
}
