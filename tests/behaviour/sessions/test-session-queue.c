/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "queue-fixture.h"

#include "kernel/device/leat-report-block.h"
#include "kernel/device/leat-queue-ring.h"

#include <glib/gstdio.h>
#include <string.h>

static guint64
add_up (const guint32 *items, guint n)
{
  guint64 sum = 0;

  for (guint i = 0; i < n; i++)
    sum += items[i];
  return sum;
}

/* Kernels, their queues and their grids, the last of them larger than what runs at once. */
static const struct
{
  const char *what, *kernel;
  guint depth;
} walks[] = {
  { "plain", "entry=visit grid=8 block=64 depth=6 how=0", 6 },
  { "one-thread", "entry=visit grid=1 block=1 depth=5 how=0", 5 },
  { "requeueing", "entry=visit grid=8 block=64 depth=5 how=2", 5 },
  { "yielding", "entry=visit grid=8 block=32 depth=5 how=4", 5 },
  { "yielding-and-requeueing", "entry=visit grid=6 block=32 depth=4 how=6 queue=500", 4 },
  { "room-for-one", "entry=visit grid=8 block=32 depth=5 how=0 queue=1", 5 },
  { "room-for-three", "entry=visit grid=8 block=33 depth=5 how=2 queue=3", 5 },
  { "room-for-few", "entry=visit grid=8 block=64 depth=5 how=4 queue=work:33", 5 },
  { "must-push", "entry=visit grid=8 block=64 depth=6 how=1", 6 },
  { "going-early", "entry=visit_and_go grid=8 block=64 depth=6 how=0", 6 },
  { "going-early-room-for-few", "entry=visit_and_go grid=8 block=64 depth=5 how=2 queue=20", 5 },
  { "by-blocks", "entry=visit_by_blocks grid=8 block=64 depth=6 how=0", 6 },
  { "by-blocks-room-for-few", "entry=visit_by_blocks grid=8 block=64 depth=5 how=4 queue=40", 5 },
  { "by-handfuls", "entry=visit_by_handfuls grid=8 block=64 depth=6 how=0", 6 },
  { "by-handfuls-room-for-few", "entry=visit_by_handfuls grid=8 block=40 depth=5 how=0 queue=50", 5 },
  { "larger-grid", "entry=visit grid=300 block=64 depth=5 how=0", 5 },
  { "larger-grid-room-for-few", "entry=visit_by_blocks grid=200 block=64 depth=5 how=0 queue=20", 5 },
};

/* Every node is visited once, whoever has it and in whatever order; all sizes of input, empty ones among them. */
static void
test_queue_walk (gconstpointer data)
{
  static const guint sizes[] = { 300, 0, 1, 2, 0, 257, 1000 };
  const guint index = GPOINTER_TO_UINT (data);
  guint32 roots[1000];
  guint64 visits = 0;
  SessionFixture fixture;

  queue_fixture_open (&fixture, walks[index].kernel, index % 2 ? LEAT_EXECUTOR_EAGER : LEAT_EXECUTOR_GRAPH);
  for (guint run = 0; run < G_N_ELEMENTS (sizes); run++)
    {
      QueueSums expected;

      queue_fixture_fill (roots, sizes[run], run + 1);
      expected = queue_fixture_expect (roots, sizes[run], walks[index].depth);
      queue_fixture_assert_equal (queue_fixture_walk (&fixture, roots, sizes[run]), expected);
      visits += expected.visits;
    }
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "overflows"), ==, 0);
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "pushed"), <=, visits);
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "pushed")
                      + queue_fixture_get_total (&fixture, "work", "requeued"),
                    ==, queue_fixture_get_total (&fixture, "work", "claimed"));
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "most"), <=,
                    queue_fixture_get_total (&fixture, "work", "capacity"));
  session_fixture_close (&fixture);
}

/* With room for all, what is counted follows from the trees. */
static void
test_queue_totals (void)
{
  guint32 roots[500];
  QueueSums expected;
  SessionFixture fixture;

  queue_fixture_fill (roots, G_N_ELEMENTS (roots), 9);
  expected = queue_fixture_expect (roots, G_N_ELEMENTS (roots), 4);
  queue_fixture_open (&fixture, "entry=visit grid=8 block=64 depth=4 how=2 queue=5000", LEAT_EXECUTOR_GRAPH);
  for (guint run = 1; run <= 3; run++)
    {
      queue_fixture_assert_equal (queue_fixture_walk (&fixture, roots, G_N_ELEMENTS (roots)), expected);
      g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "pushed"), ==, run * expected.visits);
      g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "requeued"), ==, run * 2 * expected.visits);
      g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "claimed"), ==, run * 3 * expected.visits);
      g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "most"), >, 0);
      g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "capacity"), ==, 5000);
    }
  session_fixture_close (&fixture);
}

static void
test_queue_in_order (void)
{
  guint32 items[1000];
  SessionFixture fixture;

  queue_fixture_fill (items, G_N_ELEMENTS (items), 5);
  queue_fixture_open (&fixture, "entry=in_order grid=1 block=32 queue=37", LEAT_EXECUTOR_GRAPH);
  queue_fixture_assert_equal (queue_fixture_walk (&fixture, items, G_N_ELEMENTS (items)),
                              (QueueSums){ 0, 37 - 1000 % 37 });
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "most"), ==, 37);
  session_fixture_close (&fixture);
}

/* Each node's queue has counts of its own. */
static void
test_queue_of_two_nodes (gconstpointer executor)
{
  static const char *const names[] = { "work", "more" };
  static const guint depths[] = { 5, 3 };
  guint32 roots[100];
  SessionFixture fixture;
  g_autoptr (GVariant) queues = NULL;

  queue_fixture_fill (roots, G_N_ELEMENTS (roots), 3);
  queue_fixture_open_two (&fixture, "entry=visit grid=8 block=64 depth=5 how=1 queue=9000",
                          "entry=visit grid=4 block=32 depth=3 how=1 queue=9000", GPOINTER_TO_INT (executor));
  queue_fixture_assert_equal (queue_fixture_walk (&fixture, roots, G_N_ELEMENTS (roots)),
                              queue_fixture_expect (roots, G_N_ELEMENTS (roots), 5));
  queues = leat_session_dup_work_queues (fixture.session, NULL);
  g_assert_cmpuint (g_variant_n_children (queues), ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GVariant) totals = g_variant_get_child_value (queues, i);
      const char *node = NULL;
      guint64 pushed = 0;

      g_assert_true (g_variant_lookup (totals, "node", "&s", &node)
                     && g_variant_lookup (totals, "pushed", "t", &pushed));
      g_assert_cmpstr (node, ==, names[i]);
      g_assert_cmpuint (pushed, ==, queue_fixture_expect (roots, G_N_ELEMENTS (roots), depths[i]).visits);
    }
  session_fixture_close (&fixture);
}

static void
test_queue_through_two (gconstpointer executor)
{
  guint32 items[QUEUE_ITEMS];
  QueueSums expected = { QUEUE_ITEMS, 0 };
  SessionFixture fixture;

  queue_fixture_fill (items, QUEUE_ITEMS, 6);
  expected.sum = 3 * (add_up (items, QUEUE_ITEMS) + QUEUE_ITEMS) + ((guint64) QUEUE_ITEMS << 40);
  queue_fixture_open (&fixture, "entry=through_two grid=8 block=64 queue=\"4096, second: 5000\"",
                      GPOINTER_TO_INT (executor));
  for (guint run = 0; run < 3; run++)
    queue_fixture_assert_equal (queue_fixture_walk (&fixture, items, QUEUE_ITEMS), expected);
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "first", "capacity"), ==, 4096);
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "second", "capacity"), ==, 5000);
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "second", "claimed"), ==, 3 * QUEUE_ITEMS);
  session_fixture_close (&fixture);
}

/* Which queue a thread asks is found at run time. */
static void
test_queue_from_either (gconstpointer executor)
{
  guint32 items[QUEUE_ITEMS];
  SessionFixture fixture;

  queue_fixture_fill (items, QUEUE_ITEMS, 15);
  queue_fixture_open (&fixture, "entry=from_either grid=6 block=64", GPOINTER_TO_INT (executor));
  for (guint n = QUEUE_ITEMS; n > 0; n /= 16)
    queue_fixture_assert_equal (queue_fixture_walk (&fixture, items, n), (QueueSums){ n, add_up (items, n) });
  session_fixture_close (&fixture);
}

/* What a run leaves, a later one finds; the file of a session's states has it too. */
static void
test_queue_keep (gconstpointer executor)
{
  static const char kernel[] = "entry=collect grid=4 block=64 keep=work queue=2000";
  g_autofree char *folder = g_dir_make_tmp ("leat-queue-XXXXXX", NULL),
                  *path = g_build_filename (folder, "state", NULL);
  g_autoptr (GError) error = NULL;
  guint32 items[900];
  SessionFixture fixture, other;

  queue_fixture_fill (items, G_N_ELEMENTS (items), 7);
  queue_fixture_open (&fixture, kernel, GPOINTER_TO_INT (executor));
  queue_fixture_walk (&fixture, items, 500);
  queue_fixture_walk (&fixture, items + 500, 400);
  leat_session_save_state (fixture.session, path, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < 2; run++)
    queue_fixture_assert_equal (queue_fixture_walk (&fixture, NULL, 0),
                                run > 0 ? (QueueSums){ 0, 0 } : (QueueSums){ 900, add_up (items, 900) });
  session_fixture_close (&fixture);
  queue_fixture_open (&other, kernel, GPOINTER_TO_INT (executor));
  leat_session_load_state (other.session, path, &error);
  g_assert_no_error (error);
  queue_fixture_assert_equal (queue_fixture_walk (&other, NULL, 0), (QueueSums){ 900, add_up (items, 900) });
  session_fixture_close (&other);
  g_unlink (path);
  g_rmdir (folder);
}

/* Without keep= a run begins with an empty queue, whatever the one before it left. */
static void
test_queue_is_empty_at_first (void)
{
  guint32 items[900];
  SessionFixture fixture;

  queue_fixture_fill (items, G_N_ELEMENTS (items), 8);
  queue_fixture_open (&fixture, "entry=collect grid=4 block=64 queue=1000", LEAT_EXECUTOR_GRAPH);
  for (guint run = 0; run < 4; run++)
    queue_fixture_walk (&fixture, items, 900);
  queue_fixture_assert_equal (queue_fixture_walk (&fixture, NULL, 0), (QueueSums){ 0, 0 });
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "overflows"), ==, 0);
  session_fixture_close (&fixture);
}

/* As if @tickets had been drawn and all been done: a multiple of the number of cells, of which there are @cells. */
static void
age_queue (SessionFixture *fixture, guint64 tickets, guint cells)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDeviceBuffer) state = leat_session_get_state (fixture->session, "work.work", &error);
  LeatQueueRing ring = { .tail = tickets, .head = tickets };
  g_autofree guint64 *turns = g_new (guint64, cells);
  g_autoptr (GBytes) head = g_bytes_new (&ring, sizeof ring), rest = NULL;

  g_assert_no_error (error);
  for (guint i = 0; i < cells; i++)
    turns[i] = tickets / cells * 2;
  rest = g_bytes_new (turns, cells * sizeof *turns);
  leat_device_buffer_upload (state, 0, head, &error);
  g_assert_no_error (error);
  leat_device_buffer_upload (state, sizeof ring, rest, &error);
  g_assert_no_error (error);
}

static LeatQueueRing
look_at_queue (SessionFixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDeviceBuffer) state = leat_session_get_state (fixture->session, "work.work", &error);
  g_autoptr (GBytes) bytes = NULL;
  LeatQueueRing ring;

  g_assert_no_error (error);
  bytes = leat_device_buffer_download (state, 0, sizeof ring, &error);
  g_assert_no_error (error);
  memcpy (&ring, g_bytes_get_data (bytes, NULL), sizeof ring);
  return ring;
}

/* When tickets pass 2^32, and when turns do, nothing is different. */
static void
test_queue_wraps_around (gconstpointer data)
{
  const guint64 limit = *(const guint64 *) data;
  const guint64 start = limit - 512;
  guint32 roots[400];
  QueueSums expected;
  LeatQueueRing ring;
  SessionFixture fixture;

  queue_fixture_fill (roots, G_N_ELEMENTS (roots), 11);
  expected = queue_fixture_expect (roots, G_N_ELEMENTS (roots), 5);
  queue_fixture_open (&fixture, "entry=visit grid=8 block=64 depth=5 how=6 keep=work queue=100", LEAT_EXECUTOR_GRAPH);
  age_queue (&fixture, start, 128);
  queue_fixture_assert_equal (queue_fixture_walk (&fixture, roots, G_N_ELEMENTS (roots)), expected);
  ring = look_at_queue (&fixture);
  g_assert_cmpuint (ring.tail, >, limit);
  g_assert_cmpuint (ring.tail, ==, ring.head);
  g_assert_cmpuint (ring.tail - start, ==, queue_fixture_get_total (&fixture, "work", "claimed"));
  g_assert_cmpuint (ring.outstanding, ==, 0);
  g_assert_cmpuint (ring.ready, ==, 0);
  session_fixture_close (&fixture);
}

/* The kernel finds its data through slots then, and the queue as ever. */
static void
test_queue_on_bound_memory (gconstpointer executor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatMemory) memory = NULL;
  guint32 *roots;
  SessionFixture fixture;

  queue_fixture_open_bound (&fixture, "entry=visit grid=8 block=64 depth=3 how=0 queue=1000",
                            GPOINTER_TO_INT (executor));
  memory = leat_memory_new (leat_session_get_device (fixture.session), LEAT_MEMORY_PINNED, QUEUE_ITEMS * sizeof *roots,
                            "roots", &error);
  g_assert_no_error (error);
  roots = leat_memory_get_host (memory);
  leat_session_bind_input (fixture.session, "source", leat_memory_get_address (memory), QUEUE_ITEMS * sizeof *roots,
                           QUEUE_ITEMS, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < 3; run++)
    {
      g_autoptr (GBytes) output = NULL;

      queue_fixture_fill (roots, QUEUE_ITEMS, run);
      leat_session_replay (fixture.session, FALSE, NULL, &error);
      g_assert_no_error (error);
      output = leat_app_pull_bytes (fixture.sink, 0, &error);
      g_assert_no_error (error);
      queue_fixture_assert_equal (*(const QueueSums *) g_bytes_get_data (output, NULL),
                                  queue_fixture_expect (roots, QUEUE_ITEMS, 3));
    }
  session_fixture_close (&fixture);
}

#define FLIGHTS 40

/* Inputs of all sizes that are in flight at the same time, each with the queue of its lane, or with one for all. */
static void
test_queue_on_lanes (gconstpointer data)
{
  const gboolean keeps = GPOINTER_TO_INT (data);
  guint32 roots[FLIGHTS];
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  queue_fixture_fill (roots, FLIGHTS, 13);
  queue_fixture_open (&fixture,
                      keeps ? "entry=visit grid=4 block=32 depth=5 how=4 queue=300 keep=work"
                            : "entry=visit grid=4 block=32 depth=5 how=4 queue=300",
                      LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "lanes", 4, NULL);
  g_object_set (fixture.source, "max-queue", (guint64) FLIGHTS, NULL);
  g_object_set (fixture.sink, "max-queue", (guint64) FLIGHTS, NULL);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < FLIGHTS; i++)
    {
      g_autoptr (GBytes) input = g_bytes_new (roots, i * sizeof *roots);

      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
    }
  leat_app_end (fixture.source);
  leat_session_run (fixture.session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < FLIGHTS; i++)
    {
      g_autoptr (GBytes) output = leat_app_pull_bytes (fixture.sink, 0, &error);

      g_assert_no_error (error);
      queue_fixture_assert_equal (*(const QueueSums *) g_bytes_get_data (output, NULL),
                                  queue_fixture_expect (roots, i, 5));
    }
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "overflows"), ==, 0);
  session_fixture_close (&fixture);
}

/* What their queues had is told of all lanes together: sums, and the most that one of them had at a time, whichever it
 * was. */
static void
test_queue_totals_of_lanes (gconstpointer data)
{
  const guint large = GPOINTER_TO_UINT (data);
  guint32 items[37];
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  guint sum = 0;

  queue_fixture_fill (items, G_N_ELEMENTS (items), 3);
  queue_fixture_open (&fixture, "entry=in_order grid=1 block=32 queue=37", LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "lanes", 3, NULL);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    {
      guint n = i == large ? G_N_ELEMENTS (items) - 1 : 5 + i;
      g_autoptr (GBytes) input = g_bytes_new (items, n * sizeof *items);

      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
      sum += n;
    }
  leat_app_end (fixture.source);
  leat_session_run (fixture.session, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "pushed"), ==, sum);
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "claimed"), ==, sum);
  g_assert_cmpuint (queue_fixture_get_total (&fixture, "work", "most"), ==, G_N_ELEMENTS (items) - 1);
  session_fixture_close (&fixture);
}

static void
test_queue_is_asked_of_an_open_session (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) queues = NULL;
  SessionFixture fixture;

  queue_fixture_open (&fixture, "entry=none grid=1", LEAT_EXECUTOR_GRAPH);
  queues = leat_session_dup_work_queues (fixture.session, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_variant_n_children (queues), ==, 0);
  leat_session_close (fixture.session);
  g_assert_null (leat_session_dup_work_queues (fixture.session, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  static const guint64 limits[] = { (guint64) 1 << 32, (guint64) 1 << 38, (guint64) 1 << 62 };
  int status;

  g_test_init (&argc, &argv, NULL);
  queue_fixture_init ();
  for (guint i = 0; i < G_N_ELEMENTS (walks); i++)
    {
      g_autofree char *name = g_strconcat ("/leat/session/queue/walk/", walks[i].what, NULL);

      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_queue_walk);
    }
  g_test_add_func ("/leat/session/queue/totals", test_queue_totals);
  g_test_add_func ("/leat/session/queue/in-order", test_queue_in_order);
  queue_fixture_add_for_executors ("through-two", test_queue_through_two);
  queue_fixture_add_for_executors ("of-two-nodes", test_queue_of_two_nodes);
  queue_fixture_add_for_executors ("from-either", test_queue_from_either);
  queue_fixture_add_for_executors ("keep", test_queue_keep);
  g_test_add_func ("/leat/session/queue/is-empty-at-first", test_queue_is_empty_at_first);
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      g_autofree char *name = g_strdup_printf ("/leat/session/queue/wraps-around/%u", i);

      g_test_add_data_func (name, &limits[i], test_queue_wraps_around);
    }
  queue_fixture_add_for_executors ("on-bound-memory", test_queue_on_bound_memory);
  g_test_add_data_func ("/leat/session/queue/on-lanes/own", GINT_TO_POINTER (FALSE), test_queue_on_lanes);
  g_test_add_data_func ("/leat/session/queue/on-lanes/kept", GINT_TO_POINTER (TRUE), test_queue_on_lanes);
  g_test_add_data_func ("/leat/session/queue/totals-of-lanes/first", GINT_TO_POINTER (0), test_queue_totals_of_lanes);
  g_test_add_data_func ("/leat/session/queue/totals-of-lanes/second", GINT_TO_POINTER (1), test_queue_totals_of_lanes);
  g_test_add_data_func ("/leat/session/queue/totals-of-lanes/last", GINT_TO_POINTER (2), test_queue_totals_of_lanes);
  g_test_add_func ("/leat/session/queue/is-asked-of-an-open-session", test_queue_is_asked_of_an_open_session);
  status = g_test_run ();
  queue_fixture_clear ();
  return status;
}
