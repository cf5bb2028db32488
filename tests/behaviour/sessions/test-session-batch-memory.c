/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

/* The memory that a batch lends, beside all else that is done with the session. */

#define N   16
#define MAP "app name=source spec=f32[16] -> upload -> map expr=\"2*x+1\" -> readback -> app name=sink\n"

typedef struct
{
  SessionFixture base;
  LeatView in, out;
  guint64 in_stride, out_stride;
} Fixture;

static void
map (Fixture *self, guint n_lanes)
{
  g_autoptr (GError) error = NULL;

  leat_session_map_batch (self->base.session, "source", n_lanes, &self->in, &self->in_stride, &error);
  g_assert_no_error (error);
  leat_session_map_batch (self->base.session, "sink", n_lanes, &self->out, &self->out_stride, &error);
  g_assert_no_error (error);
}

static void
put (Fixture *self, guint lane, float value)
{
  float *x = (float *) ((guint8 *) self->in.data + lane * self->in_stride);

  for (guint i = 0; i < N; i++)
    x[i] = value + (float) i;
}

static void
check_values (const float *y, float value)
{
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (y[i], ==, 2 * (value + (float) i) + 1);
}

/* What was put there before is run where it was put. */
static void
check_in_place (Fixture *self, guint n_lanes, float first)
{
  g_autoptr (GError) error = NULL;

  leat_session_replay_batch (self->base.session, n_lanes, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  for (guint lane = 0; lane < n_lanes; lane++)
    check_values ((const float *) ((guint8 *) self->out.data + lane * self->out_stride), first + (float) lane);
}

static GPtrArray *
make_inputs (guint n)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint lane = 0; lane < n; lane++)
    {
      float x[N];

      for (guint i = 0; i < N; i++)
        x[i] = (float) (lane + i);
      g_ptr_array_add (inputs, g_bytes_new (x, sizeof x));
    }
  return inputs;
}

static void
open_mapped (Fixture *self, guint n_lanes)
{
  session_fixture_open (&self->base, MAP, LEAT_EXECUTOR_GRAPH);
  map (self, n_lanes);
  for (guint lane = 0; lane < n_lanes; lane++)
    put (self, lane, 100 + (float) lane);
}

static void
test_memory_beside_given_inputs (void)
{
  Fixture fixture;
  g_autoptr (GPtrArray) inputs = make_inputs (300), results = NULL;
  g_autoptr (GError) error = NULL;
  gpointer lent;

  open_mapped (&fixture, 4);
  lent = fixture.in.data;
  leat_session_replay_batch (fixture.base.session, 300, inputs, &results, NULL, &error);
  g_assert_no_error (error);
  for (guint lane = 0; lane < 300; lane++)
    check_values (g_bytes_get_data (g_ptr_array_index (results, lane), NULL), (float) lane);
  map (&fixture, 4);
  g_assert_true (fixture.in.data == lent);
  check_in_place (&fixture, 4, 100);
  session_fixture_close (&fixture.base);
}

static void
test_memory_beside_stream (void)
{
  Fixture fixture;
  g_autoptr (GPtrArray) inputs = make_inputs (70);
  g_autoptr (GError) error = NULL;

  open_mapped (&fixture, 4);
  g_object_set (fixture.base.session, "batch", 16, NULL);
  for (guint i = 0; i < 70; i++)
    g_assert_true (leat_app_push_bytes (fixture.base.source, g_ptr_array_index (inputs, i), NULL));
  leat_app_end (fixture.base.source);
  leat_session_run (fixture.base.session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 70; i++)
    {
      g_autoptr (GBytes) result = leat_app_pull_bytes (fixture.base.sink, 0, &error);

      g_assert_no_error (error);
      check_values (g_bytes_get_data (result, NULL), (float) i);
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture.base, "batch-launches"), >, 0);
  for (guint lane = 0; lane < 4; lane++)
    g_assert_cmpfloat (*(const float *) ((guint8 *) fixture.in.data + lane * fixture.in_stride), ==,
                       100 + (float) lane);
  session_fixture_close (&fixture.base);
}

static void
test_memory_stays_where_more_has_no_room (void)
{
  Fixture fixture;
  g_autoptr (GError) error = NULL;
  LeatView view;
  guint64 stride;

  open_mapped (&fixture, 4);
  g_assert_false (leat_session_map_batch (fixture.base.session, "source", G_MAXUINT, &view, &stride, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  check_in_place (&fixture, 4, 100);
  session_fixture_close (&fixture.base);
}

static void
test_memory_is_not_replaced_for_results (void)
{
  Fixture fixture;
  g_autoptr (GPtrArray) inputs = make_inputs (8);
  g_autoptr (GError) error = NULL;

  open_mapped (&fixture, 4);
  g_assert_false (leat_session_replay_batch (fixture.base.session, 8, inputs, NULL, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH);
  g_assert_nonnull (strstr (error->message, "8 entries, and 4 are mapped: ask it for the results"));
  check_in_place (&fixture, 4, 100);
  session_fixture_close (&fixture.base);
}

static void
test_memory_has_results_that_nobody_asked_for (void)
{
  Fixture fixture;
  g_autoptr (GPtrArray) inputs = make_inputs (8);
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture.base, MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_replay_batch (fixture.base.session, 8, inputs, NULL, NULL, &error);
  g_assert_no_error (error);
  map (&fixture, 8);
  for (guint lane = 0; lane < 8; lane++)
    check_values ((const float *) ((guint8 *) fixture.out.data + lane * fixture.out_stride), (float) lane);
  session_fixture_close (&fixture.base);
}

static void
test_memory_refuses_more_than_an_array_holds (void)
{
  SessionFixture fixture;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new (), results = NULL;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture,
                        "sum = map inputs=x,y expr=x+y\n"
                        "app name=source spec=f32[4] -> upload -> sum.x\n"
                        "app name=other spec=f32[4] -> upload -> sum.y\n"
                        "sum -> readback -> app name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  g_assert_false (leat_session_replay_batch (fixture.session, 1u << 31, inputs, &results, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH);
  g_assert_nonnull (strstr (error->message, "4294967296 pieces"));
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/session/batch/memory/beside-given-inputs", test_memory_beside_given_inputs);
  g_test_add_func ("/leat/session/batch/memory/beside-stream", test_memory_beside_stream);
  g_test_add_func ("/leat/session/batch/memory/stays-where-more-has-no-room", test_memory_stays_where_more_has_no_room);
  g_test_add_func ("/leat/session/batch/memory/is-not-replaced-for-results", test_memory_is_not_replaced_for_results);
  g_test_add_func ("/leat/session/batch/memory/has-results-that-nobody-asked-for",
                   test_memory_has_results_that_nobody_asked_for);
  g_test_add_func ("/leat/session/batch/memory/refuses-more-than-an-array-holds",
                   test_memory_refuses_more_than_an_array_holds);
  return g_test_run ();
}
