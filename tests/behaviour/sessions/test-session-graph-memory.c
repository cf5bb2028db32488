/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timing-fixture.h"

#include <stdio.h>
#include <unistd.h>

#define CHAIN                                                                                                          \
  "app name=source spec=f32[16] -> upload mode=copy -> map expr=2*x -> map expr=x+1 -> readback mode=copy -> app "     \
  "name=sink\n"
#define WARM       50
#define CYCLES     1000
#define CYCLES_GPU 100
#define SLACK      (2u << 20) /* others use a GPU too */
#define SLACK_HOST (4u << 20)

static guint64
get_unused (LeatDevice *device)
{
  size_t unused = 0, total;

  g_assert_true (leat_device_push (device, NULL));
  g_assert_cmpint (leat_device_get_table (device)->cuMemGetInfo (&unused, &total), ==, CUDA_SUCCESS);
  leat_device_pop (device);
  return unused;
}

static guint64
get_resident (void)
{
  unsigned long pages = 0;
  FILE *file = fopen ("/proc/self/statm", "r");

  g_assert_nonnull (file);
  g_assert_cmpint (fscanf (file, "%*u %lu", &pages), ==, 1);
  fclose (file);
  return (guint64) pages * sysconf (_SC_PAGESIZE);
}

static void
cycle (guint n, LeatTimingMode timing)
{
  for (guint i = 0; i < n; i++)
    {
      SessionFixture fixture;
      float x[16] = { 1 };
      g_autoptr (GBytes) output = NULL;

      if (timing == LEAT_TIMING_OFF)
        session_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH);
      else
        timing_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH, timing);
      output = session_fixture_run (&fixture, x, sizeof x);
      session_fixture_close (&fixture);
    }
}

/* The last of a graph may go a little after the wait for it. */
static void
assert_given_back (LeatDevice *device, guint64 before, guint64 slack)
{
  for (guint i = 0; i < 2000 && get_unused (device) + slack < before; i++)
    g_usleep (1000);
  g_assert_cmpuint (get_unused (device) + slack, >=, before);
}

static void
test_graph_memory_does_not_grow (gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = leat_device_open (NULL, &error);
  LeatTimingMode timing = GPOINTER_TO_INT (data);
  guint64 unused, resident;

  g_assert_no_error (error);
  cycle (WARM, timing);
  unused = get_unused (device);
  resident = get_resident ();
  cycle (leat_device_is_cpu (device) ? CYCLES : CYCLES_GPU, timing);
  assert_given_back (device, unused, leat_device_is_cpu (device) ? 0 : SLACK);
  if (!LEAT_TEST_SANITIZED)
    g_assert_cmpuint (get_resident (), <=, resident + SLACK_HOST);
}

/* What was measured is there while the session is open, and more where there is a second graph. */
static void
test_graph_memory_is_measured (void)
{
  SessionFixture plain, timed;
  guint64 one;

  session_fixture_open (&plain, CHAIN, LEAT_EXECUTOR_GRAPH);
  one = session_fixture_get_number (plain.session, "graph-bytes");
  if (leat_device_is_cpu (leat_session_get_device (plain.session)))
    {
      g_assert_cmpuint (one, >, 0);
      timing_fixture_open (&timed, CHAIN, LEAT_EXECUTOR_GRAPH, LEAT_TIMING_NODES);
      g_assert_cmpuint (session_fixture_get_number (timed.session, "graph-bytes"), >, one);
      session_fixture_close (&timed);
    }
  g_assert_cmpuint (session_fixture_get_number (plain.session, "graph-reserved-bytes"), ==, 0);
  session_fixture_close (&plain);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/session/graph-memory/is-measured", test_graph_memory_is_measured);
  g_test_add_data_func ("/leat/session/graph-memory/does-not-grow", GINT_TO_POINTER (LEAT_TIMING_OFF),
                        test_graph_memory_does_not_grow);
  g_test_add_data_func ("/leat/session/graph-memory/does-not-grow/timing", GINT_TO_POINTER (LEAT_TIMING_NODES),
                        test_graph_memory_does_not_grow);
  return g_test_run ();
}
