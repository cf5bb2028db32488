/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-table.h"

#include <dlfcn.h>
#include <stdio.h>

CudaTable cuda;

static void *cuda_library;

static const struct
{
  const char *name;
  int version;
  void **slot;
} cuda_entries[] = {
#define LEAT_ENTRY(group, need, name, exported, version, params, args) { #name, version, (void **) &cuda.name },
#include "driver/leat-driver-entries.h"
};

void *
cuda_table_find (const char *symbol)
{
  return dlsym (cuda_library, symbol);
}

int
cuda_table_is_real (void)
{
  return cuda_table_find ("leat_cpu_get_counters") == NULL;
}

const char *
cuda_table_get_error_name (CUresult code)
{
  const char *name = NULL;

  return cuda.cuGetErrorName (code, &name) == CUDA_SUCCESS ? name : "?";
}

int
cuda_table_open (const char *path)
{
  CUcontext context;
  CUresult (*get) (const char *, void **, int, uint64_t, CUdriverProcAddressQueryResult *);

  cuda_library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (cuda_library == NULL)
    {
      fprintf (stderr, "%s\n", dlerror ());
      return 1;
    }
  get = (__typeof__ (get)) dlsym (cuda_library, "cuGetProcAddress_v2");
  if (get == NULL)
    {
      fprintf (stderr, "%s: no cuGetProcAddress_v2\n", path);
      return 1;
    }
  for (unsigned int i = 0; i < sizeof cuda_entries / sizeof cuda_entries[0]; i++)
    {
      CUdriverProcAddressQueryResult found;

      get (cuda_entries[i].name, cuda_entries[i].slot, cuda_entries[i].version, 0, &found);
    }
  if (cuda.cuInit (0) != CUDA_SUCCESS || cuda.cuDevicePrimaryCtxRetain (&context, 0) != CUDA_SUCCESS
      || cuda.cuCtxSetCurrent (context) != CUDA_SUCCESS)
    {
      fprintf (stderr, "%s: cannot make a context\n", path);
      return 1;
    }
  return 0;
}
