/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "driver/leat-cuda.h"

G_BEGIN_DECLS

/* All memory that the driver knows: what it gave out, what the host registered, and the variables of loaded modules.
 * Copies and sets are checked against it. */
typedef enum
{
  LEAT_CPU_ALLOCATION_DEVICE,
  LEAT_CPU_ALLOCATION_POOL, /* cuMemAllocAsync */
  LEAT_CPU_ALLOCATION_HOST, /* pinned */
  LEAT_CPU_ALLOCATION_REGISTERED,
  LEAT_CPU_ALLOCATION_GLOBAL /* a module's variable; owned by the module */
} LeatCpuAllocationKind;

typedef struct
{
  guintptr base;
  gsize size;
  LeatCpuAllocationKind kind;
  guint flags;
  guint64 id;
} LeatCpuAllocation;

/* Device kinds count against the profile's memory.  All of these lock by themselves. */
CUresult leat_cpu_allocation_new (LeatCpuAllocationKind kind, gsize size, guint flags, void **out);
/* Only memory of @kind that begins at @base. */
CUresult leat_cpu_allocation_free (LeatCpuAllocationKind kind, const void *base);
gboolean leat_cpu_allocation_find (guintptr address, LeatCpuAllocation *out);

/* Memory that belongs to someone else.  CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED where ranges overlap. */
CUresult leat_cpu_allocation_add_foreign (LeatCpuAllocationKind kind, const void *base, gsize size);
gboolean leat_cpu_allocation_remove_foreign (LeatCpuAllocationKind kind, const void *base);

gboolean leat_cpu_allocation_is_device (LeatCpuAllocationKind kind);

guint64 leat_cpu_allocation_get_device_bytes (void);
guint64 leat_cpu_allocation_get_pool_bytes (guint64 *high);
void leat_cpu_allocation_reset_pool_high (void);

/* The context ends: everything given out is freed. */
void leat_cpu_allocation_free_all (void);

G_END_DECLS
