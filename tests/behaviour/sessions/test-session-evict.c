/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "foreign-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

/* A session that is taken off the device between two runs gives what it gives when it stays there. */

#define N      64
#define N_RUNS 5

#define SUM                                                                                                            \
  "sum = state spec=u32[64]\n"                                                                                         \
  "m = map inputs=x,sum expr=x+sum\n"                                                                                  \
  "app name=source spec=u32[64] -> upload mode=copy -> m.x\n"                                                          \
  "sum -> m.sum -> sum\n"                                                                                              \
  "m -> readback mode=copy -> app name=sink\n"
#define SCAN "app name=source spec=u8[<=256] -> upload -> text:scan patterns=bc,cdab -> readback -> app name=sink\n"
#define USER                                                                                                           \
  "sum = state spec=u32[64]\n"                                                                                         \
  "m = map inputs=x,sum expr=x+sum\n"                                                                                  \
  "app name=source memory=user spec=u32[64] -> upload -> m.x\n"                                                        \
  "sum -> m.sum -> sum\n"                                                                                              \
  "m -> readback -> app name=sink memory=user\n"

typedef struct
{
  const char *text;
  guint8 input[N_RUNS][N * 4];
} Case;

static Case sum_case = { .text = SUM }, scan_case = { .text = SCAN };

static void
fill_cases (void)
{
  for (guint run = 0; run < N_RUNS; run++)
    for (guint i = 0; i < N * 4; i++)
      {
        sum_case.input[run][i] = (guint8) (i * 7 + run * 31);
        scan_case.input[run][i] = "abcd"[(i + i / 7 + run) % 4];
      }
}

static guint64
get_live_bytes (LeatDevice *device)
{
  LeatMemoryCounts counts;

  leat_device_get_memory_counts (device, LEAT_MEMORY_DEVICE, &counts);
  return counts.live_bytes;
}

static void
evict (LeatSession *session)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_session_evict (session, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (leat_session_is_evicted (session));
}

static void
assert_not_evicted (LeatSession *session, GQuark domain, int code, const char *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (leat_session_evict (session, NULL, &error));
  g_assert_error (error, domain, code);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_false (leat_session_is_evicted (session));
}

/* @away: bits: before which runs it is off the device */
static GPtrArray *
run_case (const Case *what, LeatExecutor executor, guint away, gboolean by_hand)
{
  GPtrArray *outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, what->text, executor);
  for (guint run = 0; run < N_RUNS; run++)
    {
      if (away & 1u << run)
        evict (fixture.session);
      if ((away & 1u << run) && by_hand)
        {
          g_assert_true (leat_session_restore (fixture.session, NULL, &error));
          g_assert_no_error (error);
        }
      g_ptr_array_add (outputs, session_fixture_run (&fixture, what->input[run], sizeof what->input[run]));
      g_assert_false (leat_session_is_evicted (fixture.session));
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture, "evictions"), ==, (guint) __builtin_popcount (away));
  g_assert_cmpuint (session_fixture_get_count (&fixture, "restores"), ==, (guint) __builtin_popcount (away));
  g_assert_cmpuint (session_fixture_get_count (&fixture, "evicted-bytes"), ==, 0);
  session_fixture_close (&fixture);
  return outputs;
}

static void
assert_same (GPtrArray *one, GPtrArray *other)
{
  g_assert_cmpuint (one->len, ==, other->len);
  for (guint i = 0; i < one->len; i++)
    g_assert_true (g_bytes_equal (one->pdata[i], other->pdata[i]));
}

static void
test_session_evict_at_each_boundary (gconstpointer data)
{
  for (LeatExecutor executor = LEAT_EXECUTOR_AUTO; executor <= LEAT_EXECUTOR_EAGER; executor++)
    {
      g_autoptr (GPtrArray) expected = run_case (data, executor, 0, FALSE);

      for (guint run = 0; run < N_RUNS; run++)
        {
          g_autoptr (GPtrArray) outputs = run_case (data, executor, 1u << run, run % 2);

          assert_same (outputs, expected);
        }
      g_autoptr (GPtrArray) always = run_case (data, executor, (1u << N_RUNS) - 1, FALSE);

      assert_same (always, expected);
    }
}

/* By the books of the device, which has nobody else here. */
static void
test_session_evict_gives_memory_back (void)
{
  g_autoptr (LeatDevice) device = NULL;
  g_autoptr (GBytes) output = NULL, again = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  guint64 before, open;

  device = leat_device_open (NULL, &error);
  g_assert_no_error (error);
  before = get_live_bytes (device);
  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  output = session_fixture_run (&fixture, sum_case.input[0], sizeof sum_case.input[0]);
  open = get_live_bytes (device);
  g_assert_cmpuint (open, >=, before + N * 4);
  evict (fixture.session);
  g_assert_cmpuint (get_live_bytes (device), ==, before);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "evicted-bytes"), ==, N * 4);
  evict (fixture.session);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "evictions"), ==, 1);
  again = session_fixture_run (&fixture, sum_case.input[0], sizeof sum_case.input[0]);
  g_assert_cmpuint (get_live_bytes (device), ==, open);
  evict (fixture.session);
  session_fixture_close (&fixture);
  g_assert_cmpuint (get_live_bytes (device), ==, before);
}

/* What the program filled before is what the run after takes. */
static void
test_session_evict_leaves_mapped_memory (void)
{
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  LeatView in, out, after;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  g_assert_true (leat_session_map_output (fixture.session, "sink", &out, &error));
  g_assert_true (leat_session_map_input (fixture.session, "source", &in, &error));
  g_assert_no_error (error);
  for (guint run = 1; run <= 3; run++)
    {
      for (guint i = 0; i < N; i++)
        ((guint32 *) in.data)[i] = i;
      evict (fixture.session);
      g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      g_assert_cmpuint (((const guint32 *) out.data)[N - 1], ==, run * (N - 1));
    }
  g_assert_true (leat_session_map_input (fixture.session, "source", &after, &error));
  g_assert_true (after.data == in.data);
  session_fixture_close (&fixture);
}

/* The inputs are not on the device any more, so that the run after brings them there though they are the same. */
static void
test_session_evict_uploads_again (void)
{
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  LeatView in, out;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  g_assert_true (leat_session_map_output (fixture.session, "sink", &out, &error));
  g_assert_true (leat_session_map_input (fixture.session, "source", &in, &error));
  memset (in.data, 1, in.capacity);
  for (guint run = 0; run < 4; run++)
    {
      if (run == 2)
        evict (fixture.session);
      g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_cmpuint (((const guint32 *) out.data)[0], ==, (run + 1) * 0x01010101u);
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-reused"), ==, 2);
  session_fixture_close (&fixture);
}

static LeatDeviceBuffer *
new_buffer (SessionFixture *fixture)
{
  g_autoptr (GError) error = NULL;
  LeatDeviceBuffer *buffer = leat_device_buffer_new (leat_session_get_device (fixture->session), N * 4, &error);

  g_assert_no_error (error);
  return buffer;
}

/* Memory that the program has bound is its own: it stays on the device, and bound. */
static void
test_session_evict_leaves_bound_buffers (gconstpointer executor)
{
  g_autoptr (LeatDeviceBuffer) from = NULL, to = NULL;
  g_autoptr (GBytes) ones = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  guint32 items[N];

  for (guint i = 0; i < N; i++)
    items[i] = 1;
  ones = g_bytes_new (items, sizeof items);
  session_fixture_open (&fixture, USER, GPOINTER_TO_INT (executor));
  from = new_buffer (&fixture);
  to = new_buffer (&fixture);
  g_assert_true (leat_device_buffer_upload (from, 0, ones, &error));
  g_assert_true (leat_session_bind_input_buffer (fixture.session, "source", from, 0, N, &error));
  evict (fixture.session);
  g_assert_true (leat_session_bind_output_buffer (fixture.session, "sink", to, 0, &error));
  g_assert_no_error (error);
  for (guint run = 1; run <= 3; run++)
    {
      g_autoptr (GBytes) result = NULL;

      g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      evict (fixture.session);
      result = leat_device_buffer_download (to, 0, 4, &error);
      g_assert_cmpuint (*(const guint32 *) g_bytes_get_data (result, NULL), ==, run);
      g_assert_false (leat_device_buffer_release (to, NULL));
    }
  session_fixture_close (&fixture);
}

static void
test_session_evict_states_are_there (void)
{
  g_autofree char *folder = g_dir_make_tmp ("leat-evict-XXXXXX", NULL),
                  *path = g_build_filename (folder, "state", NULL);
  g_autoptr (LeatDeviceBuffer) state = NULL;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  output = session_fixture_run (&fixture, sum_case.input[0], sizeof sum_case.input[0]);
  evict (fixture.session);
  g_assert_true (leat_session_save_state (fixture.session, path, &error));
  g_assert_no_error (error);
  g_assert_false (leat_session_is_evicted (fixture.session));
  evict (fixture.session);
  g_assert_true (leat_session_load_state (fixture.session, path, &error));
  evict (fixture.session);
  state = leat_session_get_state (fixture.session, "sum", &error);
  g_assert_no_error (error);
  /* Now the program may look at it at any time. */
  assert_not_evicted (fixture.session, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_EVICTION, "sum.out");
  {
    g_autoptr (GBytes) held = leat_device_buffer_download (state, 0, N * 4, &error);

    g_assert_no_error (error);
    g_assert_true (g_bytes_equal (held, output));
  }
  g_clear_object (&state);
  evict (fixture.session);
  session_fixture_close (&fixture);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_session_evict_refuses (void)
{
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  g_autoptr (GBytes) input = g_bytes_new (sum_case.input[0], sizeof sum_case.input[0]);
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  g_cancellable_cancel (cancelled);
  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  leat_app_push_bytes (fixture.source, input, &error);
  g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
  assert_not_evicted (fixture.session, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY, "launched");
  g_assert_cmpint (leat_session_complete (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_false (leat_session_evict (fixture.session, cancelled, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_false (leat_session_is_evicted (fixture.session));
  evict (fixture.session);
  g_assert_false (leat_session_restore (fixture.session, cancelled, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_true (leat_session_is_evicted (fixture.session));
  leat_session_close (fixture.session);
  g_assert_false (leat_session_is_evicted (fixture.session));
  assert_not_evicted (fixture.session, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE, "not open");
  session_fixture_close (&fixture);
}

/* The lanes of a stream go with the first. */
static void
test_session_evict_several_lanes (void)
{
  g_autoptr (GPtrArray) expected = run_case (&sum_case, LEAT_EXECUTOR_GRAPH, 0, FALSE);
  g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);
  g_autoptr (GError) error = NULL;
  guint64 before = get_live_bytes (device);
  SessionFixture fixture;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "lanes", 3, NULL);
  g_assert_true (leat_session_open (fixture.session, NULL, &error));
  for (guint run = 0; run < N_RUNS; run++)
    {
      g_autoptr (GBytes) input = g_bytes_new (sum_case.input[run], sizeof sum_case.input[run]);

      g_assert_true (leat_app_push_bytes (fixture.source, input, &error));
    }
  leat_app_end (fixture.source);
  g_assert_true (leat_session_run (fixture.session, NULL, &error));
  g_assert_no_error (error);
  for (guint run = 0; run < N_RUNS; run++)
    {
      g_autoptr (GBytes) output = leat_app_pull_bytes (fixture.sink, 0, &error);

      g_assert_true (g_bytes_equal (output, expected->pdata[run]));
    }
  evict (fixture.session);
  g_assert_cmpuint (get_live_bytes (device), ==, before);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_END);
  session_fixture_close (&fixture);
}

/* The memory of a batch that is mapped stays; what it has on the device is made again. */
static void
test_session_evict_batch (void)
{
  g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);
  g_autoptr (GError) error = NULL;
  guint64 before = get_live_bytes (device), in_stride, out_stride;
  SessionFixture fixture;
  LeatView in, out;

  session_fixture_open (&fixture,
                        "app name=source spec=u32[64] -> upload -> map expr=\"3*x\" -> readback -> app name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  g_assert_true (leat_session_map_batch (fixture.session, "source", 4, &in, &in_stride, &error));
  g_assert_true (leat_session_map_batch (fixture.session, "sink", 4, &out, &out_stride, &error));
  g_assert_no_error (error);
  for (guint round = 0; round < 3; round++)
    {
      for (guint lane = 0; lane < 4; lane++)
        ((guint32 *) ((guint8 *) in.data + lane * in_stride))[5] = lane + round;
      evict (fixture.session);
      g_assert_cmpuint (get_live_bytes (device), ==, before);
      g_assert_true (leat_session_replay_batch (fixture.session, 4, NULL, NULL, NULL, &error));
      g_assert_no_error (error);
      for (guint lane = 0; lane < 4; lane++)
        g_assert_cmpuint (((const guint32 *) ((guint8 *) out.data + lane * out_stride))[5], ==, 3 * (lane + round));
    }
  session_fixture_close (&fixture);
}

/* Foreign work has its own memory, and is captured again with the session's. */
static void
test_session_evict_foreign (gconstpointer outside)
{
  ForeignFixture fixture = { .device = NULL };

  foreign_fixture_set_up (&fixture);
  fixture.node->why_not_captured = outside != NULL ? "it says so" : NULL;
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  for (guint run = 0; run < 3; run++)
    {
      foreign_fixture_run (&fixture, (guint8) run);
      evict (fixture.base.session);
    }
  foreign_fixture_clear (&fixture);
}

/* What a kernel keeps in a variable of its file is in memory of the module, which stays loaded. */
static void
test_session_evict_variables (void)
{
  static const char text[] = "__device__ unsigned total;\n"
                             "__global__ void count (const unsigned *x, unsigned *out)\n"
                             "{\n"
                             "  if (blockIdx.x == 0 && threadIdx.x == 0)\n"
                             "    {\n"
                             "      total += x[0];\n"
                             "      out[0] = total;\n"
                             "    }\n"
                             "}\n";
  g_autofree char *path = NULL, *pipeline = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  int fd = g_file_open_tmp ("leat-XXXXXX.cu", &path, &error);

  g_assert_no_error (error);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, text, -1, &error));
  pipeline = g_strdup_printf (
    "app name=source spec=u32[1] -> upload mode=copy -> kernel source=\"%s\" entry=count grid=1 block=1 "
    "x=u32[n] out=u32[1] -> readback mode=copy -> app name=sink\n",
    path);
  session_fixture_open (&fixture, pipeline, LEAT_EXECUTOR_GRAPH);
  for (guint32 run = 1; run <= 3; run++)
    {
      g_autoptr (GBytes) output = session_fixture_run (&fixture, &run, sizeof run);

      g_assert_cmpuint (*(const guint32 *) g_bytes_get_data (output, NULL), ==, run * (run + 1) / 2);
      evict (fixture.session);
    }
  session_fixture_close (&fixture);
  g_unlink (path);
}

/* A session that measures has clocks on the device, and one that calibrates has not done so when it leaves. */
static void
test_session_evict_measured (void)
{
  g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);
  guint64 before = get_live_bytes (device);
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "timing", LEAT_TIMING_NODES, NULL);
  g_assert_true (leat_session_open (fixture.session, NULL, &error));
  for (guint run = 0; run < 3; run++)
    {
      g_autoptr (GBytes) output = NULL;

      evict (fixture.session);
      g_assert_cmpuint (get_live_bytes (device), ==, before);
      output = session_fixture_run (&fixture, sum_case.input[0], sizeof sum_case.input[0]);
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-measured"), ==, 3);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fill_cases ();
  g_test_add_data_func ("/leat/session-evict/at-each-boundary/state", &sum_case, test_session_evict_at_each_boundary);
  g_test_add_data_func ("/leat/session-evict/at-each-boundary/scan", &scan_case, test_session_evict_at_each_boundary);
  g_test_add_func ("/leat/session-evict/gives-memory-back", test_session_evict_gives_memory_back);
  g_test_add_func ("/leat/session-evict/leaves-mapped-memory", test_session_evict_leaves_mapped_memory);
  g_test_add_func ("/leat/session-evict/uploads-again", test_session_evict_uploads_again);
  g_test_add_data_func ("/leat/session-evict/leaves-bound-buffers/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_session_evict_leaves_bound_buffers);
  g_test_add_data_func ("/leat/session-evict/leaves-bound-buffers/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_session_evict_leaves_bound_buffers);
  g_test_add_func ("/leat/session-evict/states-are-there", test_session_evict_states_are_there);
  g_test_add_func ("/leat/session-evict/refuses", test_session_evict_refuses);
  g_test_add_func ("/leat/session-evict/several-lanes", test_session_evict_several_lanes);
  g_test_add_func ("/leat/session-evict/batch", test_session_evict_batch);
  g_test_add_data_func ("/leat/session-evict/foreign/captured", NULL, test_session_evict_foreign);
  g_test_add_data_func ("/leat/session-evict/foreign/outside", "outside", test_session_evict_foreign);
  g_test_add_func ("/leat/session-evict/variables", test_session_evict_variables);
  g_test_add_func ("/leat/session-evict/measured", test_session_evict_measured);
  return g_test_run ();
}
