/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "persistent-fixture.h"

#include "device/leat-device-private.h"

#include <poll.h>

/* When a persistent kernel goes: because nobody has run anything, for other sessions, or as a run takes too long; and
 * comes back. */

static const char climb_text[] =
  PERSISTENT_KERNEL ("a", "climb", "") PERSISTENT_CHAIN "a -> readback -> app name=sink\n";

/* The two are one kernel, of two files. */
static const char climb_chain_text[] =
  "a = kernel source=\"%s\" entry=climb grid=4 block=256 x=f32[1024] y=f32[1024]\n" PERSISTENT_CHAIN
  "b = map expr=x\na -> b -> readback -> app name=sink\n";

/* Each time that the kernel comes back its blocks begin with nothing of what they said to each other before. */
static void
test_persistent_comes_back_in_blocks (void)
{
  SessionFixture persistent, graph;

  persistent_open_wide (&persistent, PERSISTENT_THREE, 0);
  persistent_open (&graph, PERSISTENT_THREE, LEAT_EXECUTOR_GRAPH, 0, 0);
  for (guint run = 0; run < 8; run++)
    {
      SessionFixture other;

      persistent_run_both (&persistent, &graph, run);
      persistent_run_both (&persistent, &graph, run + 100);
      persistent_open (&other, PERSISTENT_ONE, LEAT_EXECUTOR_GRAPH, 0, 0);
      session_fixture_close (&other);
    }
  g_assert_cmpuint (persistent_get_counter (&persistent, "persistent-launches"), >=, 8);
  session_fixture_close (&graph);
  session_fixture_close (&persistent);
}

/* The kernel leaves by itself, and the next run has it back. */
static void
test_persistent_leaves_and_comes_back (gconstpointer text)
{
  SessionFixture fixture;
  guint64 stays;

  persistent_open (&fixture, text, LEAT_EXECUTOR_PERSISTENT, 1, 0);
  for (guint run = 0; run < 20; run++)
    {
      persistent_check_scaled (&fixture, run);
      if (run % 5 == 4)
        g_usleep (100000);
    }
  stays = persistent_get_counter (&fixture, "persistent-launches");
  g_assert_cmpuint (stays, >=, 4);
  session_fixture_close (&fixture);
}

typedef struct
{
  gint stop;
  guint opened;
} Neighbour;

static gpointer
open_and_close (gpointer data)
{
  Neighbour *self = data;

  while (!g_atomic_int_get (&self->stop))
    {
      SessionFixture fixture;

      persistent_open (&fixture, self->opened % 2 == 0 ? PERSISTENT_COPIES : PERSISTENT_ONE, LEAT_EXECUTOR_GRAPH, 0, 0);
      session_fixture_close (&fixture);
      self->opened++;
    }
  return NULL;
}

/* Memory, modules and graphs of others come and go meanwhile. */
static void
test_persistent_is_parked_for_others (gconstpointer text)
{
  SessionFixture fixture;
  Neighbour neighbour = { 0 };
  GThread *thread;
  guint run = 0;

  persistent_open (&fixture, text, LEAT_EXECUTOR_PERSISTENT, 5000, 0);
  persistent_check_scaled (&fixture, run);
  thread = g_thread_new ("neighbour", open_and_close, &neighbour);
  while (persistent_get_counter (&fixture, "persistent-leaves") < 5)
    persistent_check_scaled (&fixture, ++run);
  g_atomic_int_set (&neighbour.stop, TRUE);
  g_thread_join (thread);
  persistent_check_scaled (&fixture, ++run);
  g_assert_cmpuint (neighbour.opened, >=, 1);
  g_assert_cmpuint (persistent_get_counter (&fixture, "persistent-launches"), >=, 2);
  g_assert_cmpuint (persistent_get_counter (&fixture, "persistent-runs"), ==, run + 1);
  session_fixture_close (&fixture);
}

static void
check_climb (SessionFixture *fixture)
{
  float x[PERSISTENT_N] = { 0 };
  g_autoptr (GBytes) output = NULL;
  const float *y;

  x[1] = 5;
  output = session_fixture_run (fixture, x, sizeof x);
  y = g_bytes_get_data (output, NULL);
  g_assert_cmpfloat (y[1], ==, 6);
}

/* A loop without an end is ended and named, and what comes after it is as if nothing had been. */
static void
test_persistent_ends_a_runaway (gconstpointer text)
{
  SessionFixture fixture;

  persistent_open (&fixture, text, LEAT_EXECUTOR_PERSISTENT, 5000, 500);
  for (guint round = 0; round < 2; round++)
    {
      float x[PERSISTENT_N] = { 1 };
      g_autoptr (GError) error = NULL;

      check_climb (&fixture);
      g_assert_null (session_fixture_try (&fixture, x, sizeof x, &error));
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_RUNAWAY);
      g_assert_nonnull (strstr (error->message, "kernel \"a\""));
      g_assert_nonnull (strstr (error->message, text == climb_chain_text
                                                  ? "one of kernel \"a\" (climb), map \"b\" (map), which are one "
                                                    "kernel, was ended"
                                                  : "kernel climb was ended"));
      g_assert_false (g_str_has_prefix (error->message, "map"));
      g_assert_nonnull (strstr (error->message, "500 ms"));
    }
  check_climb (&fixture);
  g_assert_cmpuint (persistent_get_counter (&fixture, "runaways"), ==, 2);
  session_fixture_close (&fixture);
}

/* Blocks that wait for those beside them, of which one does not come to its end: the others have said by then that they
 * are done. */
static const char snag_text[] =
  "m = megakernel {\n a = kernel source=\"%s\" entry=snag block=64 access=stencil:40\n"
  " b = kernel source=\"%s\" entry=near block=64 access=stencil:40\n"
  " c = kernel source=\"%s\" entry=near block=64 access=stencil:40\n in.x -> a -> b -> c -> out.y\n}\n"
  "app name=source spec=f32[1024] -> upload -> m.x\nm.y -> readback -> app name=sink\n";

static void
test_persistent_ends_one_of_many_blocks (gconstpointer with_error)
{
  SessionFixture persistent, graph;

  persistent_open_wide (&persistent, snag_text, 2000);
  persistent_open (&graph, snag_text, LEAT_EXECUTOR_GRAPH, 0, 0);
  for (guint round = 0; round < 2; round++)
    {
      float x[PERSISTENT_N] = { 0 };
      g_autoptr (GError) error = NULL;

      for (guint run = 0; run < 3; run++)
        persistent_run_both (&persistent, &graph, 10 * round + run);
      x[100] = 1000;
      g_assert_null (session_fixture_try (&persistent, x, sizeof x, with_error != NULL ? &error : NULL));
      if (with_error != NULL)
        g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_RUNAWAY);
    }
  persistent_run_both (&persistent, &graph, 100);
  g_assert_cmpuint (persistent_get_counter (&persistent, "runaways"), ==, 2);
  session_fixture_close (&graph);
  session_fixture_close (&persistent);
}

/* Again and again, none later than it may; and the next run is as if nothing had been. */
static void
test_persistent_ends_many (gconstpointer text)
{
  const guint limit_ms = 50;
  SessionFixture fixture;

  persistent_open (&fixture, text, LEAT_EXECUTOR_PERSISTENT, 5000, limit_ms);
  for (guint round = 1; round <= 10; round++)
    {
      float x[PERSISTENT_N] = { 1 };
      gint64 begin, took;
      g_autoptr (GError) error = NULL;

      begin = g_get_monotonic_time ();
      g_assert_null (session_fixture_try (&fixture, x, sizeof x, &error));
      took = g_get_monotonic_time () - begin;
      g_test_message ("%" G_GINT64_FORMAT " us", took);
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_RUNAWAY);
      g_assert_nonnull (strstr (error->message, "kernel \"a\""));
      g_assert_cmpint (took, >=, limit_ms * 1000);
      g_assert_cmpint (took, <, limit_ms * 1000 * 20); /* the machine may be busy; leat-bench runaway tells how well */
      check_climb (&fixture);
      g_assert_cmpuint (persistent_get_counter (&fixture, "runaways"), ==, round);
    }
  session_fixture_close (&fixture);
}

/* A run's end is told when it has come, not when nothing is under way on a stream. */
static void
test_persistent_end_is_told (gconstpointer text)
{
  const guint limit_ms = 500;
  SessionFixture fixture;
  struct pollfd told = { .events = POLLIN };
  g_autoptr (GError) error = NULL;

  persistent_open (&fixture, text, LEAT_EXECUTOR_PERSISTENT, 5000, limit_ms);
  told.fd = leat_session_get_fd (fixture.session, &error);
  g_assert_no_error (error);
  for (guint round = 1; round <= 2; round++)
    {
      float x[PERSISTENT_N] = { 1 };
      g_autoptr (GBytes) input = g_bytes_new (x, sizeof x);
      gint64 begin;

      check_climb (&fixture);
      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
      begin = g_get_monotonic_time ();
      g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      g_assert_cmpint (poll (&told, 1, 60000), ==, 1);
      g_assert_cmpint (g_get_monotonic_time () - begin, >=, limit_ms * 1000);
      g_assert_cmpint (leat_session_complete (fixture.session, NULL, &error), ==, LEAT_FLOW_ERROR);
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_RUNAWAY);
      g_clear_error (&error);
      g_assert_cmpint (poll (&told, 1, 0), ==, 0);
      g_assert_cmpuint (persistent_get_counter (&fixture, "runaways"), ==, round);
    }
  check_climb (&fixture);
  session_fixture_close (&fixture);
}

/* The device is at it, and nobody waits. */
static void
test_persistent_is_closed_in_flight (gconstpointer text)
{
  for (guint round = 0; round < 10; round++)
    {
      SessionFixture fixture;
      float x[PERSISTENT_N];
      g_autoptr (GBytes) input = NULL;
      g_autoptr (GError) error = NULL;

      persistent_fill (x, round);
      input = g_bytes_new (x, sizeof x);
      persistent_open (&fixture, text, LEAT_EXECUTOR_PERSISTENT, 5000, 0);
      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
      g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      session_fixture_close (&fixture);
    }
}

static guint64
count_free_bytes (LeatDevice *device)
{
  LeatMemoryCounts counts[LEAT_MEMORY_N_KINDS];

  for (guint kind = 0; kind < LEAT_MEMORY_N_KINDS; kind++)
    leat_device_get_memory_counts (device, kind, &counts[kind]);
  return counts[LEAT_MEMORY_DEVICE].cached_bytes + counts[LEAT_MEMORY_PINNED].cached_bytes;
}

static gpointer
close_session (gpointer session)
{
  leat_session_close (session);
  return NULL;
}

/* Until the run has ended nobody else is given its memory. */
static void
test_persistent_keeps_memory_in_flight (gconstpointer text)
{
  const guint limit_ms = 500;
  float x[PERSISTENT_N] = { 1 };
  g_autoptr (GBytes) input = g_bytes_new (x, sizeof x);
  g_autoptr (LeatDevice) device = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  GThread *thread;
  guint64 before;
  gint64 begin;

  persistent_open (&fixture, text, LEAT_EXECUTOR_PERSISTENT, 5000, limit_ms);
  check_climb (&fixture);
  device = leat_device_open (NULL, &error);
  g_assert_no_error (error);
  leat_app_push_bytes (fixture.source, input, &error);
  g_assert_no_error (error);
  before = count_free_bytes (device);
  begin = g_get_monotonic_time ();
  g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  thread = g_thread_new ("closing", close_session, fixture.session);
  while (count_free_bytes (device) == before)
    g_usleep (1000);
  g_assert_cmpint (g_get_monotonic_time () - begin, >=, limit_ms * 1000);
  g_thread_join (thread);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  persistent_init ();
  g_test_add_func ("/leat/session/persistent-leaves/comes-back-in-blocks", test_persistent_comes_back_in_blocks);
  g_test_add_data_func ("/leat/session/persistent-leaves/leaves-and-comes-back", PERSISTENT_ONE,
                        test_persistent_leaves_and_comes_back);
  g_test_add_data_func ("/leat/session/persistent-leaves/leaves-for-others", PERSISTENT_ONE,
                        test_persistent_is_parked_for_others);
  g_test_add_data_func ("/leat/session/persistent-leaves/ends-a-runaway", climb_text, test_persistent_ends_a_runaway);
  g_test_add_data_func ("/leat/session/persistent-leaves/ends-one-of-many-blocks", "error",
                        test_persistent_ends_one_of_many_blocks);
  g_test_add_data_func ("/leat/session/persistent-leaves/ends-one-of-many-blocks-untold", NULL,
                        test_persistent_ends_one_of_many_blocks);
  g_test_add_data_func ("/leat/session/persistent-leaves/ends-a-runaway/chain", climb_chain_text,
                        test_persistent_ends_a_runaway);
  g_test_add_data_func ("/leat/session/persistent-leaves/ends-many", climb_text, test_persistent_ends_many);
  g_test_add_data_func ("/leat/session/persistent-leaves/end-is-told", climb_text, test_persistent_end_is_told);
  g_test_add_data_func ("/leat/session/persistent-leaves/is-closed-in-flight", PERSISTENT_THREE,
                        test_persistent_is_closed_in_flight);
  g_test_add_data_func ("/leat/session/persistent-leaves/keeps-memory-in-flight", climb_text,
                        test_persistent_keeps_memory_in_flight);
  status = g_test_run ();
  persistent_clear ();
  return status;
}
