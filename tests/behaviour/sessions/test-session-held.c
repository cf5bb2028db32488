/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include <string.h>

/* What holds a run up and does not end its session: a sink that is full, a push that does not fit, a call that is
 * cancelled.  And what is set while a run waits for its data, which that run takes. */

#define MANY 11

typedef struct
{
  const char *name;
  guint lanes, batch;
  gboolean by_hand;
} Way;

static const Way ways[] = {
  { "by-hand", 1, 0, TRUE }, { "stream", 1, 0, FALSE }, { "lanes", 3, 0, FALSE }, { "batch", 2, 4, FALSE }
};

static void
held_open (SessionFixture *self, const char *text, const Way *way)
{
  g_autofree char *whole = g_strconcat ("leat 1\n", text, NULL);
  g_autoptr (GError) error = NULL;

  self->pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "lanes", way->lanes, "batch", way->batch, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
  self->source = LEAT_APP (leat_pipeline_get_node (self->pipeline, "source", NULL));
  self->sink = LEAT_APP (leat_pipeline_get_node (self->pipeline, "sink", NULL));
}

static void
held_push (LeatApp *source, guint32 item)
{
  g_autoptr (GBytes) bytes = g_bytes_new (&item, sizeof item);
  g_autoptr (GError) error = NULL;

  leat_app_push_bytes (source, bytes, &error);
  g_assert_no_error (error);
}

/* Fails where nothing comes. */
static guint32
held_pull (LeatApp *sink, gint64 timeout_us)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = leat_app_pull_bytes (sink, timeout_us, &error);

  g_assert_no_error (error);
  g_assert_nonnull (bytes);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, sizeof (guint32));
  return *(const guint32 *) g_bytes_get_data (bytes, NULL);
}

/* To the end, or until something holds it up. */
static gboolean
held_go (SessionFixture *self, const Way *way, GError **error)
{
  LeatFlow flow = LEAT_FLOW_DATA;

  if (!way->by_hand)
    return leat_session_run (self->session, NULL, error);
  while (flow == LEAT_FLOW_DATA)
    flow = leat_session_replay (self->session, TRUE, NULL, error);
  return flow == LEAT_FLOW_END;
}

/* Of two sinks one has room for two results.  Each time that it is full it is emptied: no result is missing, none comes
 * twice, and the other sink has as many. */
static void
test_held_full_sink (gconstpointer data)
{
  const Way *way = data;
  SessionFixture fixture;
  LeatApp *other;
  guint next = 0, n_full = 0;

  held_open (&fixture,
             "app name=source spec=u32[1] -> upload -> map name=m expr=x+100\nm -> readback -> app name=other\n"
             "m -> readback -> app name=sink max-queue=2 block=false\n",
             way);
  other = LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "other", NULL));
  for (guint i = 0; i < MANY; i++)
    held_push (fixture.source, i);
  leat_app_end (fixture.source);
  for (gboolean ended = FALSE; !ended; n_full += !ended)
    {
      g_autoptr (GError) error = NULL;

      ended = held_go (&fixture, way, &error);
      if (!ended)
        g_assert_error (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);
      for (guint i = 0; i < 2 && next < MANY; i++, next++)
        {
          g_assert_cmpuint (held_pull (fixture.sink, 0), ==, 100 + next);
          g_assert_cmpuint (held_pull (other, 0), ==, 100 + next);
        }
      g_assert_null (leat_app_pull_bytes (other, 0, NULL));
    }
  g_assert_cmpuint (next, ==, MANY);
  g_assert_cmpuint (n_full, ==, MANY / 2);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs"), ==, MANY);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "items-in"), ==, MANY);
  session_fixture_close (&fixture);
}

/* The end of the data is no result that would need room, and a run that gives out what was kept is one. */
static void
test_held_full_at_the_end (gconstpointer data)
{
  const Way *way = data;
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  held_open (&fixture, "app name=source spec=u32[1] -> upload -> readback -> app name=sink max-queue=2 block=false\n",
             way);
  held_push (fixture.source, 1);
  held_push (fixture.source, 2);
  leat_app_end (fixture.source);
  g_assert_true (held_go (&fixture, way, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (held_pull (fixture.sink, 0), ==, 1);
  g_assert_cmpuint (held_pull (fixture.sink, 0), ==, 2);
  session_fixture_close (&fixture);
}

/* In two halves it is the first that is refused. */
static void
test_held_full_at_launch (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture,
                        "app name=source spec=u32[1] -> upload -> readback -> app name=sink max-queue=1 block=false\n",
                        LEAT_EXECUTOR_GRAPH);
  for (guint i = 0; i < 2; i++)
    held_push (fixture.source, i);
  g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpint (leat_session_complete (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);
  g_clear_error (&error);
  g_assert_cmpuint (held_pull (fixture.sink, 0), ==, 0);
  g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpint (leat_session_complete (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  g_assert_cmpuint (held_pull (fixture.sink, 0), ==, 1);
  session_fixture_close (&fixture);
}

/* Results of each of the runs on one input: those that there is room for come, and the next input has all of its. */
static void
test_held_full_between_repeats (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture,
                        "app name=source spec=u32[1] -> upload -> sum.x\nbefore = state spec=u32[1]\n"
                        "sum = map inputs=x,before expr=x+before\nbefore -> sum.before -> before\n"
                        "sum -> readback -> app name=sink max-queue=3 block=false\n",
                        LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "repeat", (guint64) 3, "readback", LEAT_READBACK_EACH, NULL);
  held_push (fixture.source, 1);
  held_push (fixture.source, 10);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpuint (held_pull (fixture.sink, 0), ==, 1);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);
  g_clear_error (&error);
  g_assert_cmpuint (held_pull (fixture.sink, 0), ==, 2);
  g_assert_cmpuint (held_pull (fixture.sink, 0), ==, 3);
  g_assert_cmpuint (held_pull (fixture.sink, 0), ==, 13);
  held_push (fixture.source, 100);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  for (guint i = 1; i <= 3; i++)
    g_assert_cmpuint (held_pull (fixture.sink, 0), ==, 13 + 100 * i);
  session_fixture_close (&fixture);
}

/* Pushed before anybody knew what fits. */
static void
test_held_wrong_push (gconstpointer data)
{
  const Way *way = data;
  SessionFixture fixture;
  g_autoptr (GBytes) wrong = g_bytes_new_static ("12", 2);
  g_autoptr (GError) error = NULL;
  LeatApp *second;

  held_open (&fixture,
             "app name=source spec=u32[1] -> upload -> m.a\napp name=second spec=u32[1] -> upload -> m.b\n"
             "m = map inputs=a,b expr=a+b\nm -> readback -> app name=sink\n",
             way);
  second = LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "second", NULL));
  g_object_set (second, "spec", "u8[2]", NULL);
  leat_app_push_bytes (second, wrong, &error);
  g_assert_no_error (error);
  g_object_set (second, "spec", "u32[1]", NULL);
  for (guint i = 0; i < 3; i++)
    held_push (fixture.source, i);
  for (guint i = 0; i < 3; i++)
    held_push (second, 10 * i);
  leat_app_end (fixture.source);
  leat_app_end (second);
  g_assert_false (held_go (&fixture, way, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA);
  g_clear_error (&error);
  g_assert_true (held_go (&fixture, way, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (held_pull (fixture.sink, 0), ==, 11 * i);
  session_fixture_close (&fixture);
}

typedef struct
{
  SessionFixture *fixture;
  const Way *way;
  GCancellable *cancellable;
  GError *error;
} Runner;

static gpointer
run_in_thread (gpointer data)
{
  Runner *self = data;

  if (!self->way->by_hand)
    leat_session_run (self->fixture->session, self->cancellable, &self->error);
  else
    while (leat_session_replay (self->fixture->session, TRUE, self->cancellable, &self->error) == LEAT_FLOW_DATA)
      ;
  return NULL;
}

/* Time for a run to come to wait for its source.  Where it has not, what is set is taken all the same. */
static void
let_it_wait (void)
{
  g_usleep (20000);
}

/* Set while a run waits for its source, a property, an argument and the spec of that source are of that run. */
static void
test_held_set_while_it_waits (gconstpointer data)
{
  const Way *way = data;
  SessionFixture fixture;
  Runner runner = { &fixture, way, NULL, NULL };
  g_autoptr (GError) error = NULL;
  GThread *thread;
  LeatNode *map;

  held_open (&fixture,
             "app name=source spec=u32[1] -> upload -> map name=m expr=\"x + a\" a=1 -> readback -> app name=sink\n",
             way);
  map = leat_pipeline_get_node (fixture.pipeline, "m", NULL);
  thread = g_thread_new ("runner", run_in_thread, &runner);
  held_push (fixture.source, 1);
  g_assert_cmpuint (held_pull (fixture.sink, 10 * G_USEC_PER_SEC), ==, 2);
  for (guint i = 0; i < 6; i++)
    {
      let_it_wait ();
      if (i % 2 == 0)
        g_object_set (map, "expr", i % 4 == 0 ? "x * 10 + a" : "x * 100 + a", NULL);
      else
        leat_node_set_arg_int64 (map, "a", 2 + i, &error);
      g_assert_no_error (error);
      held_push (fixture.source, 1);
      g_assert_cmpuint (held_pull (fixture.sink, 10 * G_USEC_PER_SEC), ==,
                        ((i / 2) % 2 == 0 ? 10 : 100)
                          + (i == 0       ? 1
                             : i % 2 == 1 ? 2 + i
                                          : 1 + i));
    }
  let_it_wait ();
  g_object_set (fixture.source, "spec", "u8[4]", NULL);
  held_push (fixture.source, 0x01010101);
  /* Each byte for itself; 100 and 7. */
  g_assert_cmpuint (held_pull (fixture.sink, 10 * G_USEC_PER_SEC), ==, 0x11111111);
  leat_app_end (fixture.source);
  g_thread_join (thread);
  g_assert_no_error (runner.error);
  session_fixture_close (&fixture);
}

#define TWO                                                                                                            \
  "app name=source spec=u32[1] -> upload -> m.a\napp name=second spec=u32[1] -> upload -> m.b\n"                       \
  "m = map inputs=a,b expr=a+b\nm -> readback -> app name=sink\n"

/* The first source has given already. */
static void
test_held_set_between_sources (gconstpointer data)
{
  const Way *way = data;
  SessionFixture fixture;
  Runner runner = { &fixture, way, NULL, NULL };
  GThread *thread;
  LeatApp *second;

  held_open (&fixture, TWO, way);
  second = LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "second", NULL));
  thread = g_thread_new ("runner", run_in_thread, &runner);
  for (guint i = 0; i < 5; i++)
    {
      held_push (fixture.source, 1000 * i);
      let_it_wait ();
      g_object_set (leat_pipeline_get_node (fixture.pipeline, "m", NULL), "expr", i % 2 == 0 ? "a-b" : "a+2*b", NULL);
      held_push (second, 5);
      g_assert_cmpuint (held_pull (fixture.sink, 10 * G_USEC_PER_SEC), ==, 1000 * i + (i % 2 == 0 ? -5 : 10));
    }
  leat_app_end (fixture.source);
  leat_app_end (second);
  g_thread_join (thread);
  g_assert_no_error (runner.error);
  session_fixture_close (&fixture);
}

/* While the second source is waited for: what the first gave is there for the next call. */
static void
test_held_cancel_between_sources (gconstpointer data)
{
  const Way *way = data;
  SessionFixture fixture;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Runner runner = { &fixture, way, cancellable, NULL };
  g_autoptr (GError) error = NULL;
  GThread *thread;
  LeatApp *second;

  held_open (&fixture, TWO, way);
  second = LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "second", NULL));
  /* Lanes and batches begin with the second run, and the third is the second of them. */
  for (guint i = 0; i < 3; i++)
    held_push (fixture.source, i);
  for (guint i = 0; i < 2; i++)
    held_push (second, 10 * i);
  thread = g_thread_new ("runner", run_in_thread, &runner);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpuint (held_pull (fixture.sink, 10 * G_USEC_PER_SEC), ==, 11 * i);
  let_it_wait ();
  g_cancellable_cancel (cancellable);
  g_thread_join (thread);
  g_assert_error (runner.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&runner.error);
  held_push (second, 20);
  leat_app_end (fixture.source);
  leat_app_end (second);
  g_assert_true (held_go (&fixture, way, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (held_pull (fixture.sink, 0), ==, 22);
  session_fixture_close (&fixture);
}

/* Between the two sources a batch goes through the same memory, lane after lane. */
static void
test_held_batch_between_sources (void)
{
  SessionFixture fixture;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GPtrArray) results = NULL;
  g_autoptr (GError) error = NULL;
  LeatApp *second;

  held_open (
    &fixture,
    "app name=source spec=u32[1] -> upload -> m.a\napp name=second spec=u32[1] -> upload -> m.b\n"
    "s = state spec=u32[1]\nm = map inputs=a,b,s expr=a+b+s\ns -> m.s\nm -> s\nm -> readback -> app name=sink\n",
    &ways[0]);
  second = LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "second", NULL));
  held_push (fixture.source, 1);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_EMPTY);
  for (guint32 i = 0; i < 4; i++)
    g_ptr_array_add (inputs, g_bytes_new (&(guint32){ 100 }, sizeof i));
  g_assert_cmpint (leat_session_replay_batch (fixture.session, 2, inputs, &results, NULL, &error), ==, TRUE);
  g_assert_no_error (error);
  held_push (second, 2);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  g_assert_cmpuint (held_pull (fixture.sink, 0), ==, 400 + 3);
  session_fixture_close (&fixture);
}

static void
add_for_each_way (const char *name, GTestDataFunc test)
{
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/session/held/%s/%s", name, ways[i].name);

      g_test_add_data_func (path, &ways[i], test);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_for_each_way ("full-sink", test_held_full_sink);
  add_for_each_way ("full-at-the-end", test_held_full_at_the_end);
  g_test_add_func ("/leat/session/held/full-at-launch", test_held_full_at_launch);
  g_test_add_func ("/leat/session/held/full-between-repeats", test_held_full_between_repeats);
  add_for_each_way ("wrong-push", test_held_wrong_push);
  add_for_each_way ("set-while-it-waits", test_held_set_while_it_waits);
  add_for_each_way ("set-between-sources", test_held_set_between_sources);
  add_for_each_way ("cancel-between-sources", test_held_cancel_between_sources);
  g_test_add_func ("/leat/session/held/batch-between-sources", test_held_batch_between_sources);
  return g_test_run ();
}
