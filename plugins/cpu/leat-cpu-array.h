/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "driver/leat-cuda.h"

G_BEGIN_DECLS

/* An array: texels of up to three dimensions, row after row.  Its memory is in the books like all other. */
typedef struct
{
  char *texels;
  gsize row_bytes, slice_bytes;
  gsize width;
  guint height, depth; /* 0 where there are none */
  CUarray_format format;
  guint channels;
  guint texel_bytes;
  guint flags;
} LeatCpuArray;

/* Bytes of a texel; 0 for what is none. */
guint leat_cpu_format_get_bytes (CUarray_format format, guint channels);
/* NULL for what is no array. */
const LeatCpuArray *leat_cpu_array_from_handle (CUarray handle);

/* The context ends: all objects, and all arrays. */
void leat_cpu_texture_free_all (void);
void leat_cpu_array_free_all (void);

G_END_DECLS
