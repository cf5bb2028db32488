/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-source.h"

G_BEGIN_DECLS

/* Kernels that come compiled: as PTX, as machine code (a cubin), or as several of these (a fatbin). */
typedef enum
{
  LEAT_KERNEL_IMAGE_NONE, /* it is something else */
  LEAT_KERNEL_IMAGE_PTX,
  LEAT_KERNEL_IMAGE_CUBIN,
  LEAT_KERNEL_IMAGE_FATBIN,
} LeatKernelImageKind;

/* By the first bytes, whatever the file is called. */
LeatKernelImageKind leat_kernel_image_find_kind (gconstpointer data, gsize size);
const char *leat_kernel_image_get_title (LeatKernelImageKind kind);

/* A kernel of an image. */
typedef struct
{
  char *name;           /* as the driver finds it */
  gboolean tells_sizes; /* those of its parameters are known */
  GArray *sizes;        /* guint: bytes of each */
} LeatKernelImageEntry;

/* (element-type LeatKernelImageEntry) (transfer full): NULL where it cannot be told, as of a fatbin */
GPtrArray *leat_kernel_image_list (LeatKernelImageKind kind, gconstpointer data, gsize size);
/* "k(float const*)" is called _Z1kPKf: its name without types, or NULL where it has none. (transfer full) */
char *leat_kernel_image_dup_plain (const char *name);

G_END_DECLS
