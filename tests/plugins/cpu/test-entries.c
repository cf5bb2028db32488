/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <glib.h>

#include "cuda-table.h"

typedef CUresult (*GetProcAddress) (const char *, void **, int, uint64_t, CUdriverProcAddressQueryResult *);

static const struct
{
  const char *name;
  const char *exported;
  int version;
} entries[] = {
#define LEAT_ENTRY(group, need, name, exported, version, params, args) { #name, #exported, version },
#include "driver/leat-driver-entries.h"
};

static void *library;
static GetProcAddress get;

static void
test_entries_all_served (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
    {
      void *function = NULL;
      CUdriverProcAddressQueryResult found;

      g_test_message ("%s", entries[i].name);
      g_assert_cmpint (get (entries[i].name, &function, entries[i].version, 0, &found), ==, CUDA_SUCCESS);
      g_assert_cmpint (found, ==, CU_GET_PROC_ADDRESS_SUCCESS);
      g_assert_nonnull (function);
      g_assert_true (function == dlsym (library, entries[i].exported));
    }
}

static void
test_entries_unknown_name (void)
{
  void *function = &function;
  CUdriverProcAddressQueryResult found;

  g_assert_cmpint (get ("cuMakeCoffee", &function, 13000, 0, &found), ==, CUDA_SUCCESS);
  g_assert_cmpint (found, ==, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  g_assert_null (function);
  g_assert_cmpint (get ("cuMakeCoffee", &function, 13000, 0, NULL), ==, CUDA_ERROR_NOT_FOUND);
}

static void
test_entries_too_old (void)
{
  void *function = &function;
  CUdriverProcAddressQueryResult found;

  g_assert_cmpint (get ("cuGraphAddNode", &function, 12020, 0, &found), ==, CUDA_SUCCESS);
  g_assert_cmpint (found, ==, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  g_assert_null (function);
}

static void
test_entries_before_init (void)
{
  CUresult (*get_count) (int *) = (CUresult (*) (int *)) dlsym (library, "cuDeviceGetCount");
  int n = 0;

  g_assert_cmpint (get_count (&n), ==, CUDA_ERROR_NOT_INITIALIZED);
}

static void
test_entries_without_context (void)
{
  CUresult (*init) (unsigned int) = (CUresult (*) (unsigned int)) dlsym (library, "cuInit");
  CUresult (*synchronize) (void) = (CUresult (*) (void)) dlsym (library, "cuCtxSynchronize");

  g_assert_cmpint (init (1), ==, CUDA_ERROR_INVALID_VALUE);
  g_assert_cmpint (init (0), ==, CUDA_SUCCESS);
  g_assert_cmpint (synchronize (), ==, CUDA_ERROR_INVALID_CONTEXT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  library = dlopen (g_getenv ("LEAT_CPU_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    g_error ("%s", dlerror ());
  get = (GetProcAddress) dlsym (library, "cuGetProcAddress_v2");
  g_test_add_func ("/leat/cpu/entries/all-served", test_entries_all_served);
  g_test_add_func ("/leat/cpu/entries/unknown-name", test_entries_unknown_name);
  g_test_add_func ("/leat/cpu/entries/too-old", test_entries_too_old);
  g_test_add_func ("/leat/cpu/entries/before-init", test_entries_before_init);
  g_test_add_func ("/leat/cpu/entries/without-context", test_entries_without_context);
  return g_test_run ();
}
