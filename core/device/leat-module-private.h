/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-device-private.h"

G_BEGIN_DECLS

/* A kernel image loaded on a device. Holds a reference on its device; functions live as long as the module. */
typedef struct _LeatModule LeatModule;

/* A kernel's attributes and needs, read once. */
typedef struct
{
  CUfunction function;
  guint max_threads_per_block; /* for this kernel on this device */
  guint static_shared_bytes;
  guint max_dynamic_shared_bytes; /* that can be asked for */
  guint local_bytes;
  guint registers;
} LeatFunction;

typedef struct
{
  guint grid[3];
  guint block[3];
  guint shared_bytes;
  gboolean cooperative;
} LeatLaunchShape;

/* @image: PTX, cubin or fatbin bytes on CUDA, a host kernel image on the CPU driver; copied by the driver.  @what names
 * it in messages. */
LeatModule *leat_module_load (LeatDevice *device, GBytes *image, const char *what, GError **error);
LeatModule *leat_module_ref (LeatModule *self);
void leat_module_unref (LeatModule *self);

/* (transfer none) */
const LeatFunction *leat_module_get_function (LeatModule *self, const char *name, GError **error);

/* Whether the kernels that Leat made can begin by waiting for those that the graph lets them begin before. */
gboolean leat_module_waits (LeatModule *self);

/* Checks a launch against every limit of the device and the kernel, and says which one it breaks; raises the kernel's
 * dynamic shared memory where the launch needs more than the default. */
gboolean leat_module_prepare_launch (LeatModule *self, const LeatFunction *function, const LeatLaunchShape *shape,
                                     const char *what, GError **error);
/* Adds every limit that the launch breaks (element-type utf8), where prepare_launch () says the first. */
void leat_module_list_faults (LeatModule *self, const LeatFunction *function, const LeatLaunchShape *shape,
                              const char *what, GPtrArray *faults);
/* So many of a hundred parts of what a multiprocessor has of shared memory at the most are there while the kernel runs,
 * also where it takes none itself; for others.  Whether the driver took it. */
gboolean leat_module_keep_shared (LeatModule *self, const LeatFunction *function, guint percent);
/* How many blocks can run at once on one multiprocessor. */
gboolean leat_module_get_occupancy (LeatModule *self, const LeatFunction *function, guint block_threads,
                                    guint shared_bytes, guint *blocks_per_multiprocessor, GError **error);
/* How many blocks of the shape the device runs at once; that it runs none is an error.  The shape's grid counts not. */
gboolean leat_module_fill_device (LeatModule *self, const LeatFunction *function, const LeatLaunchShape *shape,
                                  const char *what, guint *blocks, GError **error);
/* A block size that fills the device best. */
gboolean leat_module_suggest_block (LeatModule *self, const LeatFunction *function, guint shared_bytes,
                                    guint *block_threads, guint *grid_blocks, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatModule, leat_module_unref)

G_END_DECLS
