/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "foreign-fixture.h"

#include "cupti-stand-in.h"
#include "driver/leat-driver-witness-private.h"

#include <dlfcn.h>

/* Calls that a library makes by itself, and a capture forbids, are named where CUPTI tells of them. */

static const LeatDriverTable *unwatched; /* as a library finds the driver's calls by itself */
static CuptiStandInTell stand_in_tell;   /* NULL: there is CUPTI itself */
static CuptiStandInCount stand_in_count;
static gboolean by_runtime;

/* As CUPTI tells it, the runtime API's call around the driver's. */
static void
tell_of_alloc (CUresult result)
{
  if (stand_in_tell == NULL)
    return;
  if (by_runtime)
    (*stand_in_tell) (2, 0, "cudaMalloc_v3020", 0);
  (*stand_in_tell) (1, 0, "cuMemAlloc_v2", 0);
  (*stand_in_tell) (1, 1, "cuMemAlloc_v2", result);
  if (by_runtime)
    (*stand_in_tell) (2, 1, "cudaMalloc_v3020", result);
  (*stand_in_tell) (2, 0, "cudaGetLastError_v3020", 0);
  (*stand_in_tell) (2, 1, "cudaGetLastError_v3020", result);
}

static CUresult
plant_unwatched_alloc (Planted *planted)
{
  CUdeviceptr memory = 0;
  CUresult result = (*unwatched->cuMemAlloc) (&memory, 64);

  tell_of_alloc (result);
  return result == CUDA_SUCCESS ? (*unwatched->cuMemFree) (memory) : result;
}

static void
test_witness_names_the_call (gconstpointer call)
{
  ForeignFixture fixture = { 0 };
  g_autofree char *expected = g_strdup_printf ("%s: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", (const char *) call);
  g_autoptr (LeatMessage) warning = NULL;
  LeatDriverWitness witness;

  foreign_fixture_set_up (&fixture);
  unwatched = leat_device_get_table (fixture.device);
  by_runtime = g_str_has_prefix (call, "cuda");
  if (!leat_driver_witness_begin (&witness, leat_device_get_driver (fixture.device)))
    {
      g_test_skip ("there is no CUPTI");
      foreign_fixture_clear (&fixture);
      return;
    }
  leat_driver_witness_end (&witness);
  fixture.node->plant = plant_unwatched_alloc;
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  warning = foreign_fixture_take_warning (&fixture);
  g_assert_nonnull (warning);
  g_test_message ("%s", leat_message_get_error (warning)->message);
  g_assert_nonnull (strstr (leat_message_get_error (warning)->message, expected));
  foreign_fixture_run (&fixture, 3);
  foreign_fixture_clear (&fixture);
}

/* A profiler that is there first keeps what it has. */
static void
test_witness_is_taken (void)
{
  ForeignFixture fixture = { 0 };
  g_autoptr (LeatMessage) warning = NULL;
  LeatDriverWitness profiler;

  foreign_fixture_set_up (&fixture);
  unwatched = leat_device_get_table (fixture.device);
  by_runtime = FALSE;
  if (!leat_driver_witness_begin (&profiler, leat_device_get_driver (fixture.device)))
    {
      g_test_skip ("there is no CUPTI");
      foreign_fixture_clear (&fixture);
      return;
    }
  fixture.node->plant = plant_unwatched_alloc;
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  warning = foreign_fixture_take_warning (&fixture);
  g_assert_nonnull (warning);
  g_assert_null (strstr (leat_message_get_error (warning)->message, "cuMemAlloc"));
  if (stand_in_count != NULL)
    g_assert_cmpint ((*stand_in_count) (), <, 0);
  leat_driver_witness_end (&profiler);
  foreign_fixture_run (&fixture, 3);
  foreign_fixture_clear (&fixture);
}

/* On the CPU driver, and where LEAT_CUPTI says so, another library tells of the calls. */
static void
stand_in_load (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = leat_device_open (NULL, &error);
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "behaviour", "sessions", "cupti-stand-in.so", NULL);
  gpointer library;

  g_assert_no_error (error);
  if (leat_driver_get_kind (leat_device_get_driver (device)) != LEAT_DRIVER_CPU)
    return;
  g_setenv ("LEAT_CUPTI", path, TRUE);
  library = dlopen (path, RTLD_NOW);
  g_assert_nonnull (library);
  stand_in_tell = (CuptiStandInTell) dlsym (library, "cupti_stand_in_tell");
  stand_in_count = (CuptiStandInCount) dlsym (library, "cupti_stand_in_count");
  g_assert_true (stand_in_tell != NULL && stand_in_count != NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  stand_in_load ();
  g_test_add_data_func ("/leat/session/witness/names-the-call/driver", "cuMemAlloc", test_witness_names_the_call);
  if (stand_in_tell != NULL)
    g_test_add_data_func ("/leat/session/witness/names-the-call/runtime", "cudaMalloc", test_witness_names_the_call);
  g_test_add_func ("/leat/session/witness/is-taken", test_witness_is_taken);
  return g_test_run ();
}
