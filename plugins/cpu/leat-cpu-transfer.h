/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "driver/leat-cuda.h"

G_BEGIN_DECLS

typedef enum
{
  LEAT_CPU_HOST_TO_HOST,
  LEAT_CPU_HOST_TO_DEVICE,
  LEAT_CPU_DEVICE_TO_HOST,
  LEAT_CPU_DEVICE_TO_DEVICE
} LeatCpuDirection;

/* A copy of up to three dimensions with its ends worked out and checked. */
typedef struct
{
  char *to;
  const char *from;
  gsize to_pitch, to_slice; /* bytes from row to row, from slice to slice */
  gsize from_pitch, from_slice;
  gsize width, height, depth; /* width in bytes */
  LeatCpuDirection direction;
  gboolean pageable; /* the host's end is not pinned */
  void *staging;     /* owned; what @from points at when the caller's memory may change before the copy runs */
} LeatCpuCopy;

/* A set of up to two dimensions. */
typedef struct
{
  char *to;
  gsize pitch;
  gsize width, height; /* width in elements */
  guint value;
  guint element; /* bytes: 1, 2 or 4 */
} LeatCpuSet;

CUresult leat_cpu_copy_init (LeatCpuCopy *copy, const CUDA_MEMCPY3D *params);
CUresult leat_cpu_copy_init_2d (LeatCpuCopy *copy, const CUDA_MEMCPY2D *params);
CUresult leat_cpu_copy_init_linear (LeatCpuCopy *copy, CUmemorytype to_type, guint64 to, CUmemorytype from_type,
                                    guint64 from, gsize bytes);
/* A description that would give the same copy. */
void leat_cpu_copy_describe (const LeatCpuCopy *copy, CUDA_MEMCPY3D *params);
gsize leat_cpu_copy_get_bytes (const LeatCpuCopy *copy);
/* Takes the source's bytes now, so that the caller may change them. */
gboolean leat_cpu_copy_stage (LeatCpuCopy *copy);
void leat_cpu_copy_run (const LeatCpuCopy *copy);

CUresult leat_cpu_set_init (LeatCpuSet *set, const CUDA_MEMSET_NODE_PARAMS *params);
void leat_cpu_set_describe (const LeatCpuSet *set, CUDA_MEMSET_NODE_PARAMS *params);
gsize leat_cpu_set_get_bytes (const LeatCpuSet *set);
void leat_cpu_set_run (const LeatCpuSet *set);

G_END_DECLS
