/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Asks the driver what a device is and can do.  Fills the facts that it is given, and makes no context. */

#include "leat-driver-object-private.h"

#include <string.h>

typedef struct
{
  CUdevice_attribute attribute;
  gsize offset; /* of a guint or a gboolean in the facts */
} LeatDeviceFactRow;

#define LEAT_FACT(attribute, member)                                                                                   \
  {                                                                                                                    \
    CU_DEVICE_ATTRIBUTE_##attribute, G_STRUCT_OFFSET (LeatDeviceFacts, member)                                         \
  }

static const LeatDeviceFactRow leat_device_fact_rows[] = {
  LEAT_FACT (COMPUTE_CAPABILITY_MAJOR, compute_major),
  LEAT_FACT (COMPUTE_CAPABILITY_MINOR, compute_minor),
  LEAT_FACT (MULTIPROCESSOR_COUNT, multiprocessors),
  LEAT_FACT (WARP_SIZE, warp_size),
  LEAT_FACT (MAX_THREADS_PER_BLOCK, max_threads_per_block),
  LEAT_FACT (MAX_THREADS_PER_MULTIPROCESSOR, max_threads_per_multiprocessor),
  LEAT_FACT (MAX_BLOCKS_PER_MULTIPROCESSOR, max_blocks_per_multiprocessor),
  LEAT_FACT (MAX_REGISTERS_PER_BLOCK, max_registers_per_block),
  LEAT_FACT (MAX_BLOCK_DIM_X, max_block[0]),
  LEAT_FACT (MAX_BLOCK_DIM_Y, max_block[1]),
  LEAT_FACT (MAX_BLOCK_DIM_Z, max_block[2]),
  LEAT_FACT (MAX_GRID_DIM_X, max_grid[0]),
  LEAT_FACT (MAX_GRID_DIM_Y, max_grid[1]),
  LEAT_FACT (MAX_GRID_DIM_Z, max_grid[2]),
  LEAT_FACT (MAX_SHARED_MEMORY_PER_BLOCK, max_shared_per_block),
  LEAT_FACT (MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, max_shared_per_block_optin),
  LEAT_FACT (MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, max_shared_per_multiprocessor),
  LEAT_FACT (L2_CACHE_SIZE, l2_bytes),
  LEAT_FACT (ASYNC_ENGINE_COUNT, async_engines),
  LEAT_FACT (CONCURRENT_KERNELS, concurrent_kernels),
  LEAT_FACT (COOPERATIVE_LAUNCH, cooperative_launch),
  LEAT_FACT (INTEGRATED, integrated),
  LEAT_FACT (CAN_MAP_HOST_MEMORY, can_map_host),
  LEAT_FACT (UNIFIED_ADDRESSING, unified_addressing),
  LEAT_FACT (MEMORY_POOLS_SUPPORTED, memory_pools),
  LEAT_FACT (STREAM_PRIORITIES_SUPPORTED, stream_priorities),
};

static gboolean
leat_driver_probe_attributes (LeatDriver *self, LeatDeviceFacts *facts, GError **error)
{
  int mode = CU_COMPUTEMODE_DEFAULT;
  CUresult result;

  for (gsize i = 0; i < G_N_ELEMENTS (leat_device_fact_rows); i++)
    {
      const LeatDeviceFactRow *row = &leat_device_fact_rows[i];
      int value = 0;

      result = (*self->table.cuDeviceGetAttribute) (&value, row->attribute, facts->device);
      if (result != CUDA_SUCCESS)
        return leat_driver_set_error (error, &self->table, "cuDeviceGetAttribute", result, "attribute %d of device %u",
                                      row->attribute, facts->ordinal);
      G_STRUCT_MEMBER (guint, facts, row->offset) = value > 0 ? (guint) value : 0;
    }

  result = (*self->table.cuDeviceGetAttribute) (&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, facts->device);
  if (result != CUDA_SUCCESS)
    return leat_driver_set_error (error, &self->table, "cuDeviceGetAttribute", result, "compute mode of device %u",
                                  facts->ordinal);
  facts->exclusive = mode == CU_COMPUTEMODE_EXCLUSIVE_PROCESS;
  facts->prohibited = mode == CU_COMPUTEMODE_PROHIBITED;
  return TRUE;
}

static gboolean
leat_driver_probe_names (LeatDriver *self, LeatDeviceFacts *facts, GError **error)
{
  const LeatDriverTable *table = &self->table;
  CUuuid uuid = { { 0 } };
  size_t bytes = 0;
  CUresult result;

  result = (*table->cuDeviceGetName) (facts->name, sizeof facts->name, facts->device);
  if (result != CUDA_SUCCESS)
    return leat_driver_set_error (error, table, "cuDeviceGetName", result, "device %u", facts->ordinal);
  facts->name[sizeof facts->name - 1] = '\0';

  result = (*table->cuDeviceTotalMem) (&bytes, facts->device);
  if (result != CUDA_SUCCESS)
    return leat_driver_set_error (error, table, "cuDeviceTotalMem", result, "device %u", facts->ordinal);
  facts->memory_bytes = bytes;

  /* A device can do without either of these. */
  if ((*table->cuDeviceGetUuid) (&uuid, facts->device) == CUDA_SUCCESS)
    memcpy (facts->uuid, uuid.bytes, sizeof facts->uuid);
  if ((*table->cuDeviceGetPCIBusId) (facts->pci_bus_id, sizeof facts->pci_bus_id, facts->device) != CUDA_SUCCESS)
    facts->pci_bus_id[0] = '\0';
  return TRUE;
}

gboolean
leat_driver_probe (LeatDriver *self, guint ordinal, LeatDeviceFacts *facts, GError **error)
{
  CUresult result;

  memset (facts, 0, sizeof *facts);
  facts->ordinal = ordinal;
  facts->driver_version = self->version;
  result = (*self->table.cuDeviceGet) (&facts->device, (int) ordinal);
  if (result != CUDA_SUCCESS)
    return leat_driver_set_error (error, &self->table, "cuDeviceGet", result, "device %u", ordinal);
  return leat_driver_probe_names (self, facts, error) && leat_driver_probe_attributes (self, facts, error);
}
