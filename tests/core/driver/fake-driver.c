/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fake-driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAT_ENTRY(group, need, name, exported, version, params, args) FAKE_EXPORT CUresult exported params;
#include "driver/leat-driver-entries.h"

#define FAKE_CALL(name)                                                                                                \
  do                                                                                                                   \
    {                                                                                                                  \
      CUresult planned = fake_driver_planned (name);                                                                   \
      if (planned != CUDA_SUCCESS)                                                                                     \
        return planned;                                                                                                \
    }                                                                                                                  \
  while (0)

static char fake_planned_entry[64];
static CUresult fake_planned_result;
static int fake_planned_after;
static size_t fake_live_bytes;
static int fake_raised_shared;
static __thread CUcontext fake_contexts[16];
static __thread int fake_n_contexts;

void
fake_driver_plan (const char *entry, CUresult result, int after)
{
  snprintf (fake_planned_entry, sizeof fake_planned_entry, "%s", entry);
  fake_planned_result = result;
  fake_planned_after = after;
}

CUresult
fake_driver_planned (const char *entry)
{
  if (fake_planned_result == CUDA_SUCCESS || strcmp (entry, fake_planned_entry) != 0)
    return CUDA_SUCCESS;
  return fake_planned_after-- > 0 ? CUDA_SUCCESS : fake_planned_result;
}

size_t
fake_driver_get_live_bytes (void)
{
  return __atomic_load_n (&fake_live_bytes, __ATOMIC_RELAXED);
}

int
fake_driver_get_raised_shared (void)
{
  return fake_raised_shared;
}

static long
fake_driver_get_number (const char *variable, long otherwise)
{
  const char *text = getenv (variable);

  return text != NULL ? atol (text) : otherwise;
}

CUresult
cuGetProcAddress_v2 (const char *symbol, void **function, int version, uint64_t flags,
                     CUdriverProcAddressQueryResult *status)
{
  *function = fake_driver_find (symbol, version, status);
  return CUDA_SUCCESS;
}

CUresult
cuInit (unsigned int flags)
{
  FAKE_CALL ("cuInit");
  if (getenv ("FAKE_DRIVER_INIT") != NULL)
    return (CUresult) fake_driver_get_number ("FAKE_DRIVER_INIT", 0);
  return fake_driver_get_number ("FAKE_DRIVER_DEVICES", 2) == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

CUresult
cuDriverGetVersion (int *version)
{
  *version = (int) fake_driver_get_number ("FAKE_DRIVER_VERSION", 12040);
  return CUDA_SUCCESS;
}

CUresult
cuGetErrorName (CUresult error, const char **text)
{
  *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
                                              : NULL;
  return *text != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuGetErrorString (CUresult error, const char **text)
{
  *text = "fake";
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGetCount (int *count)
{
  *count = (int) fake_driver_get_number ("FAKE_DRIVER_DEVICES", 2);
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGet (CUdevice *device, int ordinal)
{
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGetName (char *name, int size, CUdevice device)
{
  snprintf (name, (size_t) size, "Fake %d", device);
  return CUDA_SUCCESS;
}

CUresult
cuDeviceTotalMem_v2 (size_t *bytes, CUdevice device)
{
  *bytes = (size_t) fake_driver_get_number ("FAKE_DRIVER_MEMORY", 1L << 30);
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGetAttribute (int *value, CUdevice_attribute attribute, CUdevice device)
{
  static const int values[][2] = {
    { CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9 },
    { CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, FAKE_DRIVER_PROCESSORS },
    { CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32 },
    { CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024 },
    { CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024 },
    { CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024 },
    { CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64 },
    { CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647 },
    { CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535 },
    { CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535 },
    { CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, FAKE_DRIVER_SHARED },
    { CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, FAKE_DRIVER_SHARED_OPTIN },
    { CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1 },
  };

  FAKE_CALL ("cuDeviceGetAttribute");
  *value = 0;
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    if (values[i][0] == (int) attribute)
      *value = values[i][1];
  return CUDA_SUCCESS;
}

CUresult
cuDevicePrimaryCtxRetain (CUcontext *context, CUdevice device)
{
  FAKE_CALL ("cuDevicePrimaryCtxRetain");
  *context = (CUcontext) (uintptr_t) (device + 1);
  return CUDA_SUCCESS;
}

CUresult
cuDevicePrimaryCtxRelease_v2 (CUdevice device)
{
  return CUDA_SUCCESS;
}

CUresult
cuCtxPushCurrent_v2 (CUcontext context)
{
  FAKE_CALL ("cuCtxPushCurrent");
  if (fake_n_contexts == sizeof fake_contexts / sizeof fake_contexts[0])
    return CUDA_ERROR_UNKNOWN;
  fake_contexts[fake_n_contexts++] = context;
  return CUDA_SUCCESS;
}

CUresult
cuCtxPopCurrent_v2 (CUcontext *context)
{
  if (fake_n_contexts == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  *context = fake_contexts[--fake_n_contexts];
  return CUDA_SUCCESS;
}

CUresult
cuCtxGetCurrent (CUcontext *context)
{
  *context = fake_n_contexts > 0 ? fake_contexts[fake_n_contexts - 1] : NULL;
  return CUDA_SUCCESS;
}

/* Nothing is ever under way. */
CUresult
cuCtxSynchronize (void)
{
  return fake_n_contexts > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

/* The size lies before the block. */
static CUresult
fake_driver_allocate (size_t bytes, void **block)
{
  size_t *memory;

  if (fake_n_contexts == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (fake_driver_get_live_bytes () + bytes > (size_t) fake_driver_get_number ("FAKE_DRIVER_MEMORY", 1L << 30))
    return CUDA_ERROR_OUT_OF_MEMORY;
  memory = aligned_alloc (256, (bytes + 256 + 255) / 256 * 256);
  if (memory == NULL)
    return CUDA_ERROR_OUT_OF_MEMORY;
  memory[0] = bytes;
  __atomic_fetch_add (&fake_live_bytes, bytes, __ATOMIC_RELAXED);
  *block = (char *) memory + 256;
  return CUDA_SUCCESS;
}

static CUresult
fake_driver_release (void *block)
{
  size_t *memory = (size_t *) ((char *) block - 256);

  if (fake_n_contexts == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  __atomic_fetch_sub (&fake_live_bytes, memory[0], __ATOMIC_RELAXED);
  free (memory);
  return CUDA_SUCCESS;
}

CUresult
cuMemAlloc_v2 (CUdeviceptr *address, size_t bytes)
{
  void *block = NULL;
  CUresult result;

  FAKE_CALL ("cuMemAlloc");
  result = fake_driver_allocate (bytes, &block);
  *address = (CUdeviceptr) (uintptr_t) block;
  return result;
}

CUresult
cuMemFree_v2 (CUdeviceptr address)
{
  return fake_driver_release ((void *) (uintptr_t) address);
}

CUresult
cuMemHostAlloc (void **host, size_t bytes, unsigned int flags)
{
  FAKE_CALL ("cuMemHostAlloc");
  return fake_driver_allocate (bytes, host);
}

CUresult
cuMemFreeHost (void *host)
{
  return fake_driver_release (host);
}

CUresult
cuMemHostGetDevicePointer_v2 (CUdeviceptr *address, void *host, unsigned int flags)
{
  FAKE_CALL ("cuMemHostGetDevicePointer");
  *address = (CUdeviceptr) (uintptr_t) host;
  return CUDA_SUCCESS;
}

CUresult
cuMemGetInfo_v2 (size_t *unused, size_t *total)
{
  *total = (size_t) fake_driver_get_number ("FAKE_DRIVER_MEMORY", 1L << 30);
  *unused = *total - fake_driver_get_live_bytes ();
  return CUDA_SUCCESS;
}

CUresult
cuMemcpyHtoD_v2 (CUdeviceptr to, const void *from, size_t bytes)
{
  FAKE_CALL ("cuMemcpyHtoD");
  memcpy ((void *) (uintptr_t) to, from, bytes);
  return CUDA_SUCCESS;
}

CUresult
cuMemcpyDtoH_v2 (void *to, CUdeviceptr from, size_t bytes)
{
  FAKE_CALL ("cuMemcpyDtoH");
  memcpy (to, (void *) (uintptr_t) from, bytes);
  return CUDA_SUCCESS;
}

CUresult
cuModuleLoadData (CUmodule *module, const void *image)
{
  if (strcmp (image, FAKE_DRIVER_IMAGE) != 0)
    return CUDA_ERROR_INVALID_IMAGE;
  *module = (CUmodule) 1;
  return CUDA_SUCCESS;
}

/* Always a text that does not compile. */
CUresult
cuModuleLoadDataEx (CUmodule *module, const void *image, unsigned int n_options, CUjit_option *options, void **values)
{
  for (unsigned int i = 0; i < n_options; i++)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      strcpy (values[i], "line 3: no such instruction");
  return CUDA_ERROR_INVALID_PTX;
}

CUresult
cuModuleUnload (CUmodule module)
{
  return CUDA_SUCCESS;
}

CUresult
cuModuleGetFunction (CUfunction *function, CUmodule module, const char *name)
{
  FAKE_CALL ("cuModuleGetFunction");
  if (strcmp (name, "add") != 0 && strcmp (name, "scale") != 0)
    return CUDA_ERROR_NOT_FOUND;
  *function = (CUfunction) (uintptr_t) (name[0] == 'a' ? 1 : 2);
  return CUDA_SUCCESS;
}

CUresult
cuModuleGetFunctionCount (unsigned int *count, CUmodule module)
{
  *count = 2;
  return CUDA_SUCCESS;
}

CUresult
cuModuleEnumerateFunctions (CUfunction *functions, unsigned int n_functions, CUmodule module)
{
  for (unsigned int i = 0; i < n_functions; i++)
    functions[i] = (CUfunction) (uintptr_t) (i + 1);
  return CUDA_SUCCESS;
}

CUresult
cuFuncGetName (const char **name, CUfunction function)
{
  *name = function == (CUfunction) 1 ? "add" : "scale";
  return CUDA_SUCCESS;
}

CUresult
cuFuncLoad (CUfunction function)
{
  FAKE_CALL ("cuFuncLoad");
  return CUDA_SUCCESS;
}

CUresult
cuFuncGetAttribute (int *value, CUfunction_attribute attribute, CUfunction function)
{
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? FAKE_DRIVER_THREADS
           : attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES   ? FAKE_DRIVER_STATIC_SHARED
           : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 200
                                                                : 0;
  return CUDA_SUCCESS;
}

CUresult
cuFuncSetAttribute (CUfunction function, CUfunction_attribute attribute, int value)
{
  fake_raised_shared = value;
  return CUDA_SUCCESS;
}

CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessor (int *n_blocks, CUfunction function, int block_size, size_t shared_bytes)
{
  int allowed = fake_raised_shared > 0 ? fake_raised_shared : FAKE_DRIVER_SHARED - FAKE_DRIVER_STATIC_SHARED;

  *n_blocks =
    (int) shared_bytes <= allowed ? (int) fake_driver_get_number ("FAKE_DRIVER_BLOCKS", FAKE_DRIVER_RESIDENT) : 0;
  return CUDA_SUCCESS;
}

CUresult
cuStreamCreate (CUstream *stream, unsigned int flags)
{
  FAKE_CALL ("cuStreamCreate");
  *stream = (CUstream) 1;
  return CUDA_SUCCESS;
}

CUresult
cuStreamDestroy_v2 (CUstream stream)
{
  return CUDA_SUCCESS;
}

CUresult
cuStreamSynchronize (CUstream stream)
{
  FAKE_CALL ("cuStreamSynchronize");
  return CUDA_SUCCESS;
}

CUresult
cuEventCreate (CUevent *event, unsigned int flags)
{
  *event = (CUevent) 1;
  return CUDA_SUCCESS;
}

CUresult
cuEventRecord (CUevent event, CUstream stream)
{
  return CUDA_SUCCESS;
}

CUresult
cuEventQuery (CUevent event)
{
  FAKE_CALL ("cuEventQuery");
  return CUDA_SUCCESS;
}

CUresult
cuEventDestroy_v2 (CUevent event)
{
  return CUDA_SUCCESS;
}
