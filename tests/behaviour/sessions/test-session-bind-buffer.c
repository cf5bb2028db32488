/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

/* A pipeline between resident buffers of the program's own. */

#define N     1000
#define BYTES (N * sizeof (float))
#define MAP                                                                                                            \
  "app name=source memory=user spec=f32[1000] -> upload -> map expr=\"2*x+1\" -> readback -> app name=sink "           \
  "memory=user\n"
#define BOUNDED                                                                                                        \
  "app name=source memory=user spec=f32[<=1000] -> upload -> map expr=\"2*x+1\" -> readback -> app name=sink "         \
  "memory=user\n"

static LeatDeviceBuffer *
new_buffer (SessionFixture *fixture, guint64 bytes)
{
  g_autoptr (GError) error = NULL;
  LeatDeviceBuffer *buffer = leat_device_buffer_new (leat_session_get_device (fixture->session), bytes, &error);

  g_assert_no_error (error);
  return buffer;
}

static void
bind (SessionFixture *fixture, LeatDeviceBuffer *from, LeatDeviceBuffer *to)
{
  g_autoptr (GError) error = NULL;

  leat_session_bind_input_buffer (fixture->session, "source", from, 0, N, &error);
  g_assert_no_error (error);
  leat_session_bind_output_buffer (fixture->session, "sink", to, 0, &error);
  g_assert_no_error (error);
}

static void
replay (SessionFixture *fixture)
{
  g_autoptr (GError) error = NULL;

  leat_session_replay (fixture->session, FALSE, NULL, &error);
  g_assert_no_error (error);
}

static float
last (LeatDeviceBuffer *buffer, guint64 offset)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = leat_device_buffer_download (buffer, offset, sizeof (float), &error);

  g_assert_no_error (error);
  return *(const float *) g_bytes_get_data (bytes, NULL);
}

/* From one to the other and back: nothing of it comes to the host. */
static void
test_session_bind_buffer_goes_to_and_fro (gconstpointer executor)
{
  g_autoptr (LeatDeviceBuffer) a = NULL, b = NULL;
  SessionFixture fixture;
  float expected = 0;

  session_fixture_open (&fixture, MAP, GPOINTER_TO_INT (executor));
  a = new_buffer (&fixture, BYTES);
  b = new_buffer (&fixture, BYTES);
  for (guint i = 0; i < 6; i++)
    {
      bind (&fixture, i % 2 == 0 ? a : b, i % 2 == 0 ? b : a);
      replay (&fixture);
      expected = 2 * expected + 1;
      g_assert_cmpfloat (last (i % 2 == 0 ? b : a, BYTES - sizeof (float)), ==, expected);
    }
  session_fixture_close (&fixture);
}

#define BOTH                                                                                                           \
  "m = map expr=\"2*x+1\"\napp name=source memory=user spec=f32[1000] -> upload -> m -> readback -> app name=sink "    \
  "memory=user\nm -> map expr=-x -> readback -> app name=other memory=user\n"

/* One buffer has room for all ends, each in its place: what lies behind the data of one is free. */
static void
test_session_bind_buffer_has_room_for_all (gconstpointer executor)
{
  g_autoptr (LeatDeviceBuffer) all = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  float x[N] = { 0 };
  SessionFixture fixture;

  session_fixture_open (&fixture, BOTH, GPOINTER_TO_INT (executor));
  all = new_buffer (&fixture, 3 * 4096);
  for (guint i = 0; i < N; i++)
    x[i] = (float) i;
  bytes = g_bytes_new_static (x, BYTES);
  leat_device_buffer_upload (all, 0, bytes, &error);
  leat_session_bind_input_buffer (fixture.session, "source", all, 0, N, &error);
  leat_session_bind_output_buffer (fixture.session, "sink", all, 4096, &error);
  leat_session_bind_output_buffer (fixture.session, "other", all, 8192, &error);
  g_assert_no_error (error);
  replay (&fixture);
  g_assert_cmpfloat (last (all, 4096 + BYTES - sizeof (float)), ==, 2 * (N - 1) + 1);
  g_assert_cmpfloat (last (all, 8192 + BYTES - sizeof (float)), ==, -(2 * (N - 1) + 1));
  /* The last of one would be the first of the next. */
  leat_session_bind_output_buffer (fixture.session, "other", all, 4096 + 3984, &error);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMORY);
  session_fixture_close (&fixture);
}

#define SUM                                                                                                            \
  "sum = state spec=f32[1000]\n"                                                                                       \
  "m = map inputs=x,sum expr=x+sum\n"                                                                                  \
  "app name=source memory=user spec=f32[1000] -> upload -> m.x\n"                                                      \
  "sum -> m.sum -> sum\n"                                                                                              \
  "m -> readback -> app name=sink memory=user\n"

static guint64
count_instantiations (SessionFixture *fixture)
{
  return session_fixture_get_count (fixture, "instantiations");
}

/* What is put there first, many runs in one launch, and ranges of what comes of it.  Other buffers take another graph,
 * another number of runs does not. */
static void
test_session_bind_buffer_repeats (void)
{
  static const guint64 runs[] = { 100, 70, 5, 1, 300, 1000 };
  g_autoptr (LeatDeviceBuffer) a = NULL, b = NULL, c = NULL, state = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  float sum = 0;
  guint64 made = 0;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  a = new_buffer (&fixture, BYTES);
  b = new_buffer (&fixture, BYTES);
  c = new_buffer (&fixture, BYTES);
  state = leat_session_get_state (fixture.session, "sum", &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (runs); i++)
    {
      const gboolean second = i >= G_N_ELEMENTS (runs);
      const guint64 n = runs[i % G_N_ELEMENTS (runs)];
      const float start = 16, x[2] = { 1.5f, 2 };
      g_autoptr (LeatTransferBatch) before = leat_transfer_batch_new (), after = leat_transfer_batch_new ();
      g_autoptr (GBytes) head = g_bytes_new (&start, sizeof start), tail = g_bytes_new (&x[second], sizeof x[0]);
      g_autoptr (GBytes) first = NULL, found = NULL;

      bind (&fixture, second ? c : a, b);
      leat_transfer_batch_upload (before, state, 0, head);
      leat_transfer_batch_upload (before, second ? c : a, BYTES - sizeof x[0], tail);
      leat_transfer_batch_run (before, &error);
      g_assert_no_error (error);
      g_assert_cmpint (leat_session_repeat (fixture.session, n, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      leat_transfer_batch_download (after, state, 0, sizeof (float));
      leat_transfer_batch_download (after, b, BYTES - sizeof (float), sizeof (float));
      leat_transfer_batch_run (after, &error);
      g_assert_no_error (error);
      sum += n * x[second];
      first = leat_transfer_batch_get_download (after, 0);
      found = leat_transfer_batch_get_download (after, 1);
      g_assert_cmpfloat (*(const float *) g_bytes_get_data (first, NULL), ==, start);
      g_assert_cmpfloat (*(const float *) g_bytes_get_data (found, NULL), ==, sum);
      if (i % G_N_ELEMENTS (runs) == 0)
        made = count_instantiations (&fixture);
      g_assert_cmpuint (count_instantiations (&fixture), ==, made);
    }
  if (((LeatLane *) g_ptr_array_index (fixture.session->lanes, 0))->table->cuGraphConditionalHandleCreate != NULL)
    g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-repeated-on-device"), >,
                      2 * (98 + 68 + 298 + 998) - 12);
  session_fixture_close (&fixture);
}

/* A part of a buffer, with a count; the rest of the buffer stays. */
static void
test_session_bind_buffer_takes_parts (void)
{
  g_autoptr (LeatDeviceBuffer) a = NULL, b = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, BOUNDED, LEAT_EXECUTOR_GRAPH);
  a = new_buffer (&fixture, 2 * BYTES);
  b = new_buffer (&fixture, 2 * BYTES);
  leat_session_bind_input_buffer (fixture.session, "source", a, BYTES, 10, &error);
  g_assert_no_error (error);
  leat_session_bind_output_buffer (fixture.session, "sink", b, BYTES, &error);
  g_assert_no_error (error);
  replay (&fixture);
  g_assert_cmpfloat (last (b, BYTES + 9 * sizeof (float)), ==, 1);
  g_assert_cmpfloat (last (b, 0), ==, 0);
  session_fixture_close (&fixture);
}

static void
test_session_bind_buffer_keeps_what_is_bound (void)
{
  g_autoptr (LeatDeviceBuffer) a = NULL, b = NULL, c = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  a = new_buffer (&fixture, BYTES);
  b = new_buffer (&fixture, BYTES);
  c = new_buffer (&fixture, BYTES);
  bind (&fixture, a, b);
  g_assert_true (leat_device_buffer_is_in_flight (a));
  g_assert_false (leat_device_buffer_release (a, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_BUSY);
  g_clear_error (&error);
  bind (&fixture, c, b);
  g_assert_true (leat_device_buffer_release (a, &error));
  replay (&fixture);
  g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_null (leat_device_buffer_download (b, 0, 4, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_BUSY);
  g_clear_error (&error);
  g_assert_cmpint (leat_session_complete (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpfloat (last (b, 0), ==, 1);
  leat_session_close (fixture.session);
  g_assert_false (leat_device_buffer_is_in_flight (b));
  g_assert_true (leat_device_buffer_release (b, &error));
  session_fixture_close (&fixture);
}

static void
test_session_bind_buffer_refuses (void)
{
  g_autoptr (LeatDeviceBuffer) small = NULL, gone = NULL, good = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  small = new_buffer (&fixture, BYTES - 16);
  gone = new_buffer (&fixture, BYTES);
  good = new_buffer (&fixture, BYTES);
  g_assert_true (leat_device_buffer_release (gone, NULL));
  g_assert_false (leat_session_bind_input_buffer (fixture.session, "source", small, 0, N, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMORY);
  g_clear_error (&error);
  g_assert_false (leat_session_bind_input_buffer (fixture.session, "source", gone, 0, N, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RELEASED);
  g_clear_error (&error);
  g_assert_false (leat_session_bind_output_buffer (fixture.session, "sink", good, 8, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMORY);
  g_clear_error (&error);
  g_assert_false (leat_session_bind_output_buffer (fixture.session, "sink", good, BYTES + 16, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RANGE);
  g_clear_error (&error);
  g_assert_false (leat_session_bind_output_buffer (fixture.session, "source", good, 0, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION);
  g_assert_false (leat_device_buffer_is_in_flight (good));
  session_fixture_close (&fixture);
}

/* What one session keeps is what another one reads. */
static void
test_session_bind_buffer_of_a_state (void)
{
  g_autoptr (LeatDeviceBuffer) state = NULL, out = NULL;
  g_autoptr (GBytes) result = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture keeper, reader;
  float items[N] = { 20 };

  session_fixture_open (
    &keeper,
    "s = state spec=f32[1000]\nm = map inputs=x,s expr=x+s\n"
    "app name=source spec=f32[1000] -> upload -> m.x\ns -> m.s -> s\nm -> readback -> app name=sink\n",
    LEAT_EXECUTOR_GRAPH);
  session_fixture_open (&reader, MAP, LEAT_EXECUTOR_GRAPH);
  state = leat_session_get_state (keeper.session, "s", &error);
  g_assert_no_error (error);
  out = new_buffer (&reader, BYTES);
  bind (&reader, state, out);
  result = session_fixture_run (&keeper, items, sizeof items);
  replay (&reader);
  g_assert_cmpfloat (last (out, 0), ==, 41);
  /* Its memory stays as long as the other has it. */
  leat_session_close (keeper.session);
  g_assert_cmpint (leat_session_replay (reader.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RELEASED);
  session_fixture_close (&reader);
  session_fixture_close (&keeper);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session-bind-buffer/goes-to-and-fro/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_session_bind_buffer_goes_to_and_fro);
  g_test_add_data_func ("/leat/session-bind-buffer/goes-to-and-fro/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_session_bind_buffer_goes_to_and_fro);
  g_test_add_data_func ("/leat/session-bind-buffer/has-room-for-all/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_session_bind_buffer_has_room_for_all);
  g_test_add_data_func ("/leat/session-bind-buffer/has-room-for-all/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_session_bind_buffer_has_room_for_all);
  g_test_add_func ("/leat/session-bind-buffer/repeats", test_session_bind_buffer_repeats);
  g_test_add_func ("/leat/session-bind-buffer/takes-parts", test_session_bind_buffer_takes_parts);
  g_test_add_func ("/leat/session-bind-buffer/keeps-what-is-bound", test_session_bind_buffer_keeps_what_is_bound);
  g_test_add_func ("/leat/session-bind-buffer/refuses", test_session_bind_buffer_refuses);
  g_test_add_func ("/leat/session-bind-buffer/of-a-state", test_session_bind_buffer_of_a_state);
  return g_test_run ();
}
