/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Memory that a lane takes beside its buffers, the memory of its graphs, and counts of what runs transfer. */

#include "leat-lane-private.h"
#include "leat-lane-graph-private.h"

void
leat_traffic_add_copy (LeatTraffic *self, gboolean from_host, gboolean to_host, guint64 bytes)
{
  gboolean up = from_host && !to_host, back = to_host && !from_host;

  self->uploads += up;
  self->up_bytes += up ? bytes : 0;
  self->readbacks += back;
  self->back_bytes += back ? bytes : 0;
}

void
leat_traffic_add (LeatTraffic *self, const LeatTraffic *more, guint64 times)
{
  self->uploads += times * more->uploads;
  self->up_bytes += times * more->up_bytes;
  self->readbacks += times * more->readbacks;
  self->back_bytes += times * more->back_bytes;
}

void
leat_traffic_take_out (LeatTraffic *self, const LeatTraffic *less)
{
  self->uploads -= less->uploads;
  self->up_bytes -= less->up_bytes;
  self->readbacks -= less->readbacks;
  self->back_bytes -= less->back_bytes;
}

LeatMemory *
leat_lane_new_memory (LeatLane *self, LeatMemoryUse use, LeatMemoryKind kind, guint64 bytes, const char *what,
                      GError **error)
{
  return leat_memory_new_in (leat_store_get_account (self->store), use, self->program->device, kind, bytes, what,
                             error);
}

/* The device memory that graphs take.  No call of the driver tells it: free memory before and after does, but others
 * may have taken some in between. */

guint64
leat_lane_get_unused_bytes (LeatLane *self)
{
  size_t unused = 0, total;

  return (*self->table->cuMemGetInfo) (&unused, &total) == CUDA_SUCCESS ? unused : 0;
}

void
leat_lane_note_graph_bytes (LeatLane *self, LeatPath path, guint64 unused_before)
{
  guint64 unused = leat_lane_get_unused_bytes (self);

  self->executables[path].device_bytes = unused_before > unused ? unused_before - unused : 0;
}

guint64
leat_lane_get_graph_bytes (LeatLane *self)
{
  guint64 bytes = 0;

  for (guint i = 0; i < LEAT_N_PATHS; i++)
    bytes += self->executables[i].device_bytes;
  return bytes;
}

/* The bytes that the driver keeps for graph nodes that allocate, in the whole process; 0 where it does not say. */
guint64
leat_lane_get_reserved_bytes (LeatLane *self)
{
  guint64 bytes = 0;
  CUdevice device;

  if (self->table->cuDeviceGetGraphMemAttribute == NULL || (*self->table->cuCtxGetDevice) (&device) != CUDA_SUCCESS
      || (*self->table->cuDeviceGetGraphMemAttribute) (device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &bytes)
           != CUDA_SUCCESS)
    return 0;
  return bytes;
}

/* Gives back what graphs that are gone have left behind. */
void
leat_lane_trim_graph_memory (LeatLane *self)
{
  CUdevice device;

  if (self->table->cuDeviceGraphMemTrim != NULL && (*self->table->cuCtxGetDevice) (&device) == CUDA_SUCCESS)
    (*self->table->cuDeviceGraphMemTrim) (device);
}
