/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Calls of the driver API that start the driver and describe its one device.  The facts are those of the profile. */

#include <string.h>

#include "leat-cpu-exports.h"
#include "leat-cpu-fault.h"
#include "leat-cpu-profile.h"
#include "leat-cpu-state.h"

/* cuDriverGetVersion reports this: the API that the exported entries follow. */
#define LEAT_CPU_DRIVER_VERSION 13000
#define LEAT_CPU_PCI_BUS_ID     "0000:00:00.0"

static CUresult
leat_cpu_device_check (CUdevice device)
{
  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult
cuInit (unsigned int flags)
{
  CUresult fault = leat_cpu_fault_visit (LEAT_CPU_FAULT_INIT);

  if (fault != CUDA_SUCCESS)
    return fault;
  if (flags != 0 || !leat_cpu_profile_is_valid ())
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_set_initialized ();
  return CUDA_SUCCESS;
}

CUresult
cuDriverGetVersion (int *version)
{
  if (version == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  *version = LEAT_CPU_DRIVER_VERSION;
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGet (CUdevice *device, int ordinal)
{
  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  if (device == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGetCount (int *count)
{
  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  if (count == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGetName (char *name, int size, CUdevice device)
{
  CUresult result = leat_cpu_device_check (device);

  if (result != CUDA_SUCCESS)
    return result;
  if (name == NULL || size <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  g_strlcpy (name, leat_cpu_profile_get ()->name, (gsize) size);
  return CUDA_SUCCESS;
}

CUresult
cuDeviceTotalMem_v2 (size_t *bytes, CUdevice device)
{
  CUresult result = leat_cpu_device_check (device);

  if (result != CUDA_SUCCESS)
    return result;
  if (bytes == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  *bytes = leat_cpu_profile_get ()->memory_bytes;
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGetUuid_v2 (CUuuid *uuid, CUdevice device)
{
  CUresult result = leat_cpu_device_check (device);

  if (result != CUDA_SUCCESS)
    return result;
  if (uuid == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  memcpy (uuid->bytes, "Leat CPU driver", sizeof uuid->bytes);
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGetPCIBusId (char *bus_id, int size, CUdevice device)
{
  CUresult result = leat_cpu_device_check (device);

  if (result != CUDA_SUCCESS)
    return result;
  if (bus_id == NULL || size < (int) sizeof LEAT_CPU_PCI_BUS_ID)
    return CUDA_ERROR_INVALID_VALUE;
  memcpy (bus_id, LEAT_CPU_PCI_BUS_ID, sizeof LEAT_CPU_PCI_BUS_ID);
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGetByPCIBusId (CUdevice *device, const char *bus_id)
{
  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  if (device == NULL || bus_id == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  if (strcmp (bus_id, LEAT_CPU_PCI_BUS_ID) != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

/* Graphs hold no allocation nodes here, so all four numbers are always zero. */
CUresult
cuDeviceGetGraphMemAttribute (CUdevice device, CUgraphMem_attribute attribute, void *value)
{
  CUresult result = leat_cpu_device_check (device);

  if (result != CUDA_SUCCESS)
    return result;
  if (value == NULL || (guint) attribute > CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
    return CUDA_ERROR_INVALID_VALUE;
  *(guint64 *) value = 0;
  return CUDA_SUCCESS;
}

/* Only the two high-water marks can be set, and only to zero, which they are. */
CUresult
cuDeviceSetGraphMemAttribute (CUdevice device, CUgraphMem_attribute attribute, void *value)
{
  CUresult result = leat_cpu_device_check (device);

  if (result != CUDA_SUCCESS)
    return result;
  if (value == NULL || *(guint64 *) value != 0
      || (attribute != CU_GRAPH_MEM_ATTR_USED_MEM_HIGH && attribute != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH))
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGraphMemTrim (CUdevice device)
{
  return leat_cpu_device_check (device);
}
