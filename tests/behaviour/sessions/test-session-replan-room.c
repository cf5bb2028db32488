/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "replan-fixture.h"

/* Changes that there is no room for. */

static LeatDriverTable real;
static CUstream unproven; /* of which nobody is told that it is done */
static guint n_full;      /* how many more times there is no memory */

static CUresult
refuse_memory (CUdeviceptr *address, size_t bytes)
{
  return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult
refuse_pinned (void **host, size_t bytes, unsigned int flags)
{
  return CUDA_ERROR_OUT_OF_MEMORY;
}

static void
test_faults_no_memory (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  replan_fixture_set (&fixture, "source", "spec", "f32[512]");
  replan_fixture_run_and_check (&fixture, 512, 2, 1);
  table = replan_fixture_plant (&fixture, &real);
  table->cuMemAlloc = refuse_memory;
  replan_fixture_set (&fixture, "source", "spec", "f32[3000000]");
  replan_fixture_fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  *table = real;
  replan_fixture_run_and_check (&fixture, 512, 2, 1);
  table->cuMemHostAlloc = refuse_pinned;
  replan_fixture_set (&fixture, "source", "spec", "f32[3000000]");
  replan_fixture_fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  *table = real;
  replan_fixture_run_and_check (&fixture, 512, 2, 1);
  replan_fixture_set (&fixture, "source", "spec", "f32[256]");
  replan_fixture_run_and_check (&fixture, 256, 2, 1);
  session_fixture_close (&fixture);
}

static CUresult
prove_nothing (CUstream stream)
{
  return stream == unproven ? CUDA_ERROR_UNKNOWN : (*real.cuStreamSynchronize) (stream);
}

static CUresult
refuse_some_memory (CUdeviceptr *address, size_t bytes)
{
  if (n_full == 0)
    return (*real.cuMemAlloc) (address, bytes);
  n_full--;
  return CUDA_ERROR_OUT_OF_MEMORY;
}

/* What a lane kept, because it was not certain that its work had ended, is given back when there is no room. */
static void
test_faults_room_from_what_was_kept (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "cache-bytes", (guint64) 0, NULL);
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  unproven = leat_stream_get (((LeatLane *) g_ptr_array_index (fixture.session->lanes, 0))->stream);
  table = replan_fixture_plant (&fixture, &real);
  table->cuStreamSynchronize = prove_nothing;
  replan_fixture_set (&fixture, "source", "spec", "f32[5000]");
  replan_fixture_run_and_check (&fixture, 5000, 2, 1);
  *table = real;
  table->cuMemAlloc = refuse_some_memory;
  n_full = 1;
  replan_fixture_set (&fixture, "source", "spec", "f32[70000]");
  replan_fixture_run_and_check (&fixture, 70000, 2, 1);
  g_assert_cmpuint (n_full, ==, 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "shape-bytes"), ==, 0);
  *table = real;
  session_fixture_close (&fixture);
}

/* An argument that took another type with the data is what it was, to the last bit. */
static void
test_faults_arguments_come_back (void)
{
  const gint64 x[4] = { 0, 1, 2, 3 };
  SessionFixture fixture;
  g_autoptr (GBytes) output = NULL;

  session_fixture_open (
    &fixture,
    "app name=source spec=i64[4] -> upload -> map name=m expr=\"x+a\" a=9007199254740993 -> readback "
    "-> app name=sink\n",
    LEAT_EXECUTOR_GRAPH);
  replan_fixture_set (&fixture, "source", "spec", "f32[100000000000]");
  replan_fixture_fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  replan_fixture_set (&fixture, "m", "expr", "a+x");
  output = session_fixture_run (&fixture, x, sizeof x);
  for (guint i = 0; i < G_N_ELEMENTS (x); i++)
    g_assert_cmpint (((const gint64 *) g_bytes_get_data (output, NULL))[i], ==, 9007199254740993 + x[i]);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/session/replan/faults/no-memory", test_faults_no_memory);
  g_test_add_func ("/leat/session/replan/faults/room-from-what-was-kept", test_faults_room_from_what_was_kept);
  g_test_add_func ("/leat/session/replan/faults/arguments-come-back", test_faults_arguments_come_back);
  return g_test_run ();
}
