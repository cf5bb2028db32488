/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "queue-fixture.h"

/* What goes wrong with queues: no room, kernels that forget an item, properties that say nothing good. */

/* To the last place and not beyond; runs after one that failed are as if it had not been. */
static void
test_queue_overflow (gconstpointer executor)
{
  guint32 items[1000];
  SessionFixture fixture;

  queue_fixture_fill (items, G_N_ELEMENTS (items), 3);
  queue_fixture_open (&fixture, "entry=leave grid=8 block=64 queue=777", GPOINTER_TO_INT (executor));
  for (guint run = 0; run < 3; run++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) output = NULL;

      g_assert_cmpuint (queue_fixture_walk (&fixture, items, 777).visits, ==, 777);
      output = queue_fixture_run (&fixture, items, 778 + run, &error);
      g_assert_null (output);
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW);
      if (run == 2)
        g_assert_cmpstr (error->message, ==,
                         "kernel \"work\": queue \"work\" has room for 777 items and had none for 3; give it more, as "
                         "in queue=work:1554");
      g_assert_cmpuint (queue_fixture_walk (&fixture, items, 0).visits, ==, 0);
    }
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "pushed"), ==, 6 * 777);
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "claimed"), ==, 0);
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "most"), ==, 777);
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "overflows"), ==, 1 + 2 + 3);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-refused"), ==, 3);
  session_fixture_close (&fixture);
}

/* Told, and the results come. */
static void
test_queue_overflow_warns (gconstpointer executor)
{
  guint32 items[1000];
  const char *queue = NULL, *severity = NULL;
  guint64 overflows = 0, capacity = 0;
  g_autoptr (LeatMessage) message = NULL;
  SessionFixture fixture;

  queue_fixture_fill (items, G_N_ELEMENTS (items), 3);
  queue_fixture_open (&fixture, "entry=leave grid=8 block=64 queue=64 overflow=warn", GPOINTER_TO_INT (executor));
  g_assert_cmpuint (queue_fixture_walk (&fixture, items, G_N_ELEMENTS (items)).visits, ==, 64);
  message = leat_bus_pop (leat_pipeline_get_bus (fixture.pipeline), 0);
  g_assert_nonnull (message);
  g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_WARNING);
  g_assert_cmpstr (leat_message_get_source (message), ==, "work");
  g_assert_error (leat_message_get_error (message), LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW);
  g_assert_true (g_variant_lookup (leat_message_get_details (message), "queue", "&s", &queue));
  g_assert_true (g_variant_lookup (leat_message_get_details (message), "severity", "&s", &severity));
  g_assert_true (g_variant_lookup (leat_message_get_details (message), "overflows", "t", &overflows));
  g_assert_true (g_variant_lookup (leat_message_get_details (message), "capacity", "t", &capacity));
  g_assert_cmpstr (queue, ==, "work");
  g_assert_cmpstr (severity, ==, "warning");
  g_assert_cmpuint (overflows, ==, 1000 - 64);
  g_assert_cmpuint (capacity, ==, 64);
  g_assert_cmpuint (queue_fixture_walk (&fixture, items, 64).visits, ==, 64);
  g_assert_null (leat_bus_pop (leat_pipeline_get_bus (fixture.pipeline), 0));
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-refused"), ==, 0);
  session_fixture_close (&fixture);
}

/* What would wait for ever is an error, and the session goes on. */
static void
test_queue_careless (gconstpointer executor)
{
  static const struct
  {
    guint32 items[3];
    const char *message;
  } cases[] = {
    { { 0, 1, 0 },
      "kernel \"work\": queue \"work\" has waited for 0.2 s in which none of 1 items was done; each that is claimed "
      "needs a leat_queue_done (), and none may wait for another" },
    { { 0, 0, 2 }, "kernel \"work\": leat_queue_done () came 1 times more than items of queue \"work\"" },
  };
  static const guint32 good[] = { 0, 0, 0 };
  SessionFixture fixture;

  queue_fixture_open (&fixture, "entry=careless grid=1 block=1 patience=0.2", GPOINTER_TO_INT (executor));
  for (guint i = 0; i < 2 * G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) output = queue_fixture_run (&fixture, cases[i % 2].items, 3, &error);

      g_assert_null (output);
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
      g_assert_cmpstr (error->message, ==, cases[i % 2].message);
      g_assert_cmpuint (queue_fixture_walk (&fixture, good, 3).visits, ==, 3);
    }
  session_fixture_close (&fixture);
}

/* Of a batch only the inputs that overflow the queue are without results. */
static void
test_queue_in_batches (void)
{
  guint32 items[200];
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GPtrArray) results = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  queue_fixture_fill (items, G_N_ELEMENTS (items), 14);
  queue_fixture_open (&fixture, "entry=leave grid=2 block=32 queue=150", LEAT_EXECUTOR_GRAPH);
  for (guint i = 0; i < 20; i++)
    g_ptr_array_add (inputs, g_bytes_new (items, i * 10 * sizeof *items));
  leat_session_replay_batch (fixture.session, inputs->len, inputs, &results, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (results);
  for (guint i = 0; i < inputs->len; i++)
    {
      GBytes *result = g_ptr_array_index (results, i);
      g_autoptr (GError) fault = leat_session_dup_entry_error (fixture.session, i);

      g_assert_cmpint (result != NULL, ==, i * 10 <= 150);
      if (result != NULL)
        g_assert_cmpuint (((const QueueSums *) g_bytes_get_data (result, NULL))->visits, ==, i * 10);
      else
        g_assert_error (fault, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW);
    }
  session_fixture_close (&fixture);
}

/* Another size takes another plan, with the queues of before gone. */
static void
test_queue_changes_its_size (void)
{
  guint32 items[201];
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) output = NULL;
  SessionFixture fixture;

  queue_fixture_fill (items, G_N_ELEMENTS (items), 15);
  queue_fixture_open (&fixture, "entry=leave grid=2 block=32 queue=100", LEAT_EXECUTOR_GRAPH);
  output = queue_fixture_run (&fixture, items, 101, &error);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW);
  for (guint room = 110; room <= 200; room += 30)
    {
      g_autofree char *text = g_strdup_printf ("%u", room);
      LeatNode *node = leat_pipeline_get_node (fixture.pipeline, "work", NULL);

      g_object_set (node, "queue", text, NULL);
      g_assert_cmpuint (queue_fixture_walk (&fixture, items, room).visits, ==, room);
      g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "capacity"), ==, room);
      g_clear_error (&error);
      g_assert_null (queue_fixture_run (&fixture, items, room + 1, &error));
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW);
    }
  session_fixture_close (&fixture);
}

static const struct
{
  const char *what, *kernel, *message;
} refusals[] = {
  { "unknown", "entry=leave queue=wrk:5", "queue=wrk: kernel leave has no queue \"wrk\" (did you mean \"work\"?)" },
  { "far", "entry=leave queue=basket:5", "queue=basket: kernel leave has no queue \"basket\"; its queues: work" },
  { "no-number", "entry=leave queue=work:lots",
    "queue=work:lots: expected how many items there is room for, from 1 to 4294967296, as in queue=4096 or "
    "queue=work:4096" },
  { "zero", "entry=leave queue=0",
    "queue=0: expected how many items there is room for, from 1 to 4294967296, as in queue=4096 or queue=work:4096" },
  { "keep", "entry=leave keep=sums", "keep=sums: kernel leave has no queue \"sums\"; its queues: work" },
  { "no-queues", "entry=none keep=work", "keep=work: kernel none has no queue \"work\"; its queues: none" },
  { "pointer", "entry=pointed",
    "\"work\" is a pointer to a queue; a kernel takes the queue itself: LeatQueue<uint32_t> work" },
  { "item", "entry=of_what",
    "\"work\" is a queue of \"Big\", which it cannot hold; known are float, double, the integer types, bool and "
    "vectors such as uint4 or double4; of more, queue the number" },
  { "many", "entry=many", "\"e\" is one queue too many: a kernel has at most 4" },
};

static void
test_queue_refuses (gconstpointer data)
{
  const guint index = GPOINTER_TO_UINT (data);
  g_autoptr (GError) error = queue_fixture_refuse (refusals[index].kernel);

  if (!g_str_has_suffix (error->message, refusals[index].message))
    g_assert_cmpstr (error->message, ==, refusals[index].message);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  queue_fixture_init ();
  queue_fixture_add_for_executors ("overflow", test_queue_overflow);
  queue_fixture_add_for_executors ("overflow-warns", test_queue_overflow_warns);
  queue_fixture_add_for_executors ("careless", test_queue_careless);
  g_test_add_func ("/leat/session/queue/in-batches", test_queue_in_batches);
  g_test_add_func ("/leat/session/queue/changes-its-size", test_queue_changes_its_size);
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autofree char *name = g_strconcat ("/leat/session/queue/refuses/", refusals[i].what, NULL);

      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_queue_refuses);
    }
  status = g_test_run ();
  queue_fixture_clear ();
  return status;
}
