/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "report-fixture.h"

#include "state/leat-states-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* What each lane keeps for itself goes through a file, into another session, off the device and back, and into another
 * plan.  The oracle is a sum for each lane. */

/* Each run adds its number and one to what its lane has; a negative number is refused, and added all the same. */
#define TEXT                                                                                                           \
  "s = state spec=i32[4] scope=lane init=100\n"                                                                        \
  "m = map inputs=x,s expr=x+s\n"                                                                                      \
  "app name=source spec=i32[4] -> upload mode=copy -> kernel source=\"KERNELS\" entry=judge -> m.x\n"                  \
  "s -> m.s -> s\n"                                                                                                    \
  "m -> readback mode=copy -> app name=sink\n"

#define LANES 3
#define MOST  8

static char *folder;

typedef struct
{
  gint32 sums[MOST];
} Oracle;

static void
oracle_begin (Oracle *self)
{
  for (guint i = 0; i < MOST; i++)
    self->sums[i] = 100;
}

static void
open_lanes (SessionFixture *fixture, guint lanes, LeatExecutor executor)
{
  g_autoptr (GError) error = NULL;

  report_fixture_open_text (fixture, TEXT, executor);
  leat_session_close (fixture->session);
  g_object_set (fixture->session, "lanes", lanes, NULL);
  leat_session_open (fixture->session, NULL, &error);
  g_assert_no_error (error);
}

static void
push (SessionFixture *fixture, gint32 x)
{
  const gint32 items[4] = { x, x, x, x };
  g_autoptr (GBytes) bytes = g_bytes_new (items, sizeof items);

  g_assert_true (leat_app_push_bytes (fixture->source, bytes, NULL));
}

/* @lanes: those that it is streamed over; @x: of the results that are there, refused ones left out */
static guint
check_results (SessionFixture *fixture, Oracle *oracle, guint lanes, const gint32 *x)
{
  GBytes *result;
  guint run = 0;

  for (; (result = leat_app_pull_bytes (fixture->sink, 0, NULL)) != NULL; run++)
    {
      const gint32 *items = g_bytes_get_data (result, NULL);

      while (x[run] < 0)
        {
          oracle->sums[run % lanes] += x[run] + 1;
          run++;
        }
      oracle->sums[run % lanes] += x[run] + 1;
      g_assert_cmpint (items[0], ==, oracle->sums[run % lanes]);
      g_assert_cmpint (items[3], ==, oracle->sums[run % lanes]);
      g_bytes_unref (result);
    }
  return run;
}

/* To the end of the stream. */
static void
stream (SessionFixture *fixture, Oracle *oracle, guint lanes, guint n)
{
  g_autofree gint32 *x = g_new (gint32, n);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    push (fixture, x[i] = (gint32) (7 * i + 3));
  leat_app_end (fixture->source);
  g_assert_true (leat_session_run (fixture->session, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (session_fixture_get_count (fixture, "lanes-used"), ==, lanes);
  g_assert_cmpuint (check_results (fixture, oracle, lanes, x), ==, n);
}

static char *
save (SessionFixture *fixture, const char *name)
{
  char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  leat_session_save_state (fixture->session, path, &error);
  g_assert_no_error (error);
  return path;
}

static void
load (SessionFixture *fixture, const char *path)
{
  g_autoptr (GError) error = NULL;

  leat_session_load_state (fixture->session, path, &error);
  g_assert_no_error (error);
}

static void
assert_same_files (const char *one, const char *other)
{
  g_autofree char *a = NULL, *b = NULL;
  gsize a_size, b_size;

  g_assert_true (g_file_get_contents (one, &a, &a_size, NULL));
  g_assert_true (g_file_get_contents (other, &b, &b_size, NULL));
  g_assert_cmpmem (a, a_size, b, b_size);
}

/* Into a session of as many lanes, and of more: those begin anew. */
static void
test_lane_states_saved_and_loaded (gconstpointer executor)
{
  for (guint lanes = LANES; lanes <= LANES + 2; lanes++)
    {
      g_autofree char *path = NULL;
      SessionFixture first, second;
      Oracle oracle;

      oracle_begin (&oracle);
      open_lanes (&first, LANES, GPOINTER_TO_INT (executor));
      stream (&first, &oracle, LANES, 7);
      path = save (&first, "saved.state");
      session_fixture_close (&first);
      open_lanes (&second, lanes, GPOINTER_TO_INT (executor));
      load (&second, path);
      stream (&second, &oracle, lanes, 11);
      session_fixture_close (&second);
      g_unlink (path);
    }
}

/* Also where the session has run in other lanes before. */
static void
test_lane_states_loaded_over_others (void)
{
  g_autofree char *path = NULL, *again = NULL, *wider = NULL;
  SessionFixture first, second, third;
  Oracle oracle, other;

  oracle_begin (&oracle);
  oracle_begin (&other);
  open_lanes (&first, LANES, LEAT_EXECUTOR_GRAPH);
  stream (&first, &oracle, LANES, 8);
  path = save (&first, "saved.state");
  open_lanes (&second, LANES + 2, LEAT_EXECUTOR_GRAPH);
  stream (&second, &other, LANES + 2, 20);
  load (&second, path);
  wider = save (&second, "wider.state");
  open_lanes (&third, LANES + 2, LEAT_EXECUTOR_GRAPH);
  load (&third, wider);
  again = save (&third, "again.state");
  assert_same_files (wider, again);
  stream (&third, &oracle, LANES + 2, 10);
  session_fixture_close (&first);
  session_fixture_close (&second);
  session_fixture_close (&third);
  g_unlink (path);
  g_unlink (wider);
  g_unlink (again);
}

/* With the numbers, and nothing has changed.  Where nobody said how many, as many are made. */
static void
test_lane_states_refuses_fewer (void)
{
  g_autofree char *path = NULL, *again = NULL;
  SessionFixture first, fewer;
  Oracle oracle;

  oracle_begin (&oracle);
  open_lanes (&first, LANES, LEAT_EXECUTOR_GRAPH);
  stream (&first, &oracle, LANES, 7);
  path = save (&first, "saved.state");
  for (guint lanes = 1; lanes < LANES; lanes++)
    {
      g_autofree char *words = g_strdup_printf ("3 lanes in it, and the session has %u", lanes);
      g_autofree char *there = g_strdup_printf ("3 lanes there, and this one has %u", lanes);
      g_autoptr (GError) error = NULL;

      oracle_begin (&oracle);
      open_lanes (&fewer, lanes, LEAT_EXECUTOR_GRAPH);
      g_assert_false (leat_session_load_state (fewer.session, path, &error));
      g_assert_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_LANES);
      g_assert_nonnull (strstr (error->message, words));
      g_clear_error (&error);
      g_assert_false (leat_session_copy_state (fewer.session, first.session, &error));
      g_assert_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_LANES);
      g_assert_nonnull (strstr (error->message, there));
      stream (&fewer, &oracle, lanes, 5);
      session_fixture_close (&fewer);
    }
  open_lanes (&fewer, 0, LEAT_EXECUTOR_GRAPH);
  load (&fewer, path);
  again = save (&fewer, "again.state");
  assert_same_files (path, again);
  session_fixture_close (&fewer);
  session_fixture_close (&first);
  g_unlink (path);
  g_unlink (again);
}

/* From lanes that are there to some that are not, from these to others that are not, and to some that are. */
static void
test_lane_states_forked (gconstpointer executor)
{
  g_autofree char *path = NULL, *forked = NULL;
  SessionFixture first, second, third, fourth;
  Oracle oracle, other;
  g_autoptr (GError) error = NULL;

  oracle_begin (&oracle);
  oracle_begin (&other);
  open_lanes (&first, LANES, GPOINTER_TO_INT (executor));
  open_lanes (&second, LANES, GPOINTER_TO_INT (executor));
  open_lanes (&third, LANES, GPOINTER_TO_INT (executor));
  open_lanes (&fourth, LANES, GPOINTER_TO_INT (executor));
  stream (&first, &oracle, LANES, 7);
  stream (&fourth, &other, LANES, 4);
  g_assert_true (leat_session_copy_state (second.session, first.session, &error));
  g_assert_true (leat_session_copy_state (third.session, second.session, &error));
  g_assert_true (leat_session_copy_state (fourth.session, third.session, &error));
  g_assert_no_error (error);
  path = save (&first, "first.state");
  forked = save (&fourth, "fourth.state");
  assert_same_files (path, forked);
  other = oracle;
  stream (&second, &other, LANES, 9);
  stream (&third, &oracle, LANES, 5);
  g_assert_true (leat_session_copy_state (fourth.session, second.session, &error));
  g_assert_no_error (error);
  g_free (path);
  g_free (forked);
  path = save (&second, "first.state");
  forked = save (&fourth, "fourth.state");
  assert_same_files (path, forked);
  session_fixture_close (&first);
  session_fixture_close (&second);
  session_fixture_close (&third);
  session_fixture_close (&fourth);
  g_unlink (path);
  g_unlink (forked);
}

static void
evict (SessionFixture *fixture)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_session_evict (fixture->session, NULL, &error));
  g_assert_no_error (error);
}

static void
test_lane_states_off_the_device (void)
{
  g_autofree char *before = NULL, *after = NULL, *again = NULL;
  SessionFixture fixture;
  Oracle oracle;

  oracle_begin (&oracle);
  open_lanes (&fixture, LANES, LEAT_EXECUTOR_GRAPH);
  stream (&fixture, &oracle, LANES, 7);
  before = save (&fixture, "before.state");
  evict (&fixture);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "evicted-bytes"), >=, LANES * 4 * sizeof (gint32));
  after = save (&fixture, "after.state");
  assert_same_files (before, after);
  evict (&fixture);
  again = save (&fixture, "again.state");
  assert_same_files (before, again);
  session_fixture_close (&fixture);
  g_unlink (before);
  g_unlink (after);
  g_unlink (again);
}

#define N_MORE 40

typedef enum
{
  BETWEEN_NOTHING,
  BETWEEN_EVICT,
  BETWEEN_PLAN,
  BETWEEN_PLAN_AND_EVICT,
  BETWEEN_SAVE,
} Between;

static void
do_between (SessionFixture *fixture, Between between)
{
  LeatNode *map = leat_pipeline_get_node (fixture->pipeline, "m", NULL);
  g_autoptr (GError) error = NULL;

  if (between == BETWEEN_PLAN || between == BETWEEN_PLAN_AND_EVICT)
    leat_node_set_from_string (map, "expr", "s+x", &error);
  g_assert_no_error (error);
  if (between == BETWEEN_EVICT || between == BETWEEN_PLAN_AND_EVICT)
    evict (fixture);
  if (between == BETWEEN_SAVE)
    {
      g_autofree char *path = save (fixture, "between.state");

      g_unlink (path);
    }
}

/* A run that is refused ends a call, and the next one goes on with the next data, in the first lane. */
static void
test_lane_states_go_on (gconstpointer data)
{
  gint32 x[7 + N_MORE];
  SessionFixture fixture;
  Oracle oracle;
  guint done;
  g_autoptr (GError) error = NULL;

  oracle_begin (&oracle);
  open_lanes (&fixture, LANES, LEAT_EXECUTOR_GRAPH);
  for (guint i = 0; i < G_N_ELEMENTS (x); i++)
    push (&fixture, x[i] = i == 4 ? -50 : (gint32) (7 * i + 3));
  g_assert_false (leat_session_run (fixture.session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
  g_clear_error (&error);
  done = check_results (&fixture, &oracle, LANES, x);
  if (done == 4)
    oracle.sums[done++ % LANES] += x[4] + 1;
  g_assert_cmpuint (done, <, G_N_ELEMENTS (x));
  do_between (&fixture, GPOINTER_TO_INT (data));
  leat_app_end (fixture.source);
  g_assert_true (leat_session_run (fixture.session, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "lanes-used"), ==, LANES);
  g_assert_cmpuint (done + check_results (&fixture, &oracle, LANES, x + done), ==, G_N_ELEMENTS (x));
  session_fixture_close (&fixture);
}

/* Any range of what a state begins with, with the count before it and without one, and with less given than there is
 * room for. */
static void
test_lane_states_initial_ranges (gconstpointer data)
{
  gboolean header = GPOINTER_TO_INT (data);
  g_autoptr (LeatSpec) spec = leat_spec_parse (header ? "u8[<=24]" : "u8[24]", NULL);
  g_autoptr (GBytes) given = g_bytes_new ("abcdefghijklmnop", 16);
  guint64 head = header ? LEAT_BUFFER_HEADER : 0, all = head + 24, count = 24;
  LeatBuffer buffer = { .header = header, .initial = given, .spec = spec, .bytes = all };
  g_autofree guint8 *model = g_malloc0 (all);

  memcpy (model, &count, header ? sizeof count : 0);
  memcpy (model + head, g_bytes_get_data (given, NULL), 16);
  for (guint64 at = 0; at <= all; at++)
    for (guint64 n = 0; at + n <= all; n++)
      {
        g_autoptr (GBytes) found = leat_buffer_dup_initial_range (&buffer, at, n);

        g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), model + at, n);
      }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    Between between;
  } betweens[] = { { "nothing", BETWEEN_NOTHING },
                   { "evict", BETWEEN_EVICT },
                   { "plan", BETWEEN_PLAN },
                   { "plan-and-evict", BETWEEN_PLAN_AND_EVICT },
                   { "save", BETWEEN_SAVE } };
  int status;

  g_test_init (&argc, &argv, NULL);
  report_fixture_init ();
  folder = g_dir_make_tmp ("leat-test-XXXXXX", NULL);
  g_test_add_data_func ("/leat/session-lane-states/saved-and-loaded/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_lane_states_saved_and_loaded);
  g_test_add_data_func ("/leat/session-lane-states/saved-and-loaded/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_lane_states_saved_and_loaded);
  g_test_add_func ("/leat/session-lane-states/loaded-over-others", test_lane_states_loaded_over_others);
  g_test_add_func ("/leat/session-lane-states/refuses-fewer", test_lane_states_refuses_fewer);
  g_test_add_data_func ("/leat/session-lane-states/forked/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_lane_states_forked);
  g_test_add_data_func ("/leat/session-lane-states/forked/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_lane_states_forked);
  g_test_add_func ("/leat/session-lane-states/off-the-device", test_lane_states_off_the_device);
  for (guint i = 0; i < G_N_ELEMENTS (betweens); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/session-lane-states/go-on/", betweens[i].name, NULL);

      g_test_add_data_func (path, GINT_TO_POINTER (betweens[i].between), test_lane_states_go_on);
    }
  g_test_add_data_func ("/leat/session-lane-states/initial-ranges/fixed", GINT_TO_POINTER (FALSE),
                        test_lane_states_initial_ranges);
  g_test_add_data_func ("/leat/session-lane-states/initial-ranges/counted", GINT_TO_POINTER (TRUE),
                        test_lane_states_initial_ranges);
  status = g_test_run ();
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
  report_fixture_clear ();
  return status;
}
