/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "device/leat-memory-private.h"
#include "device/leat-module-private.h"
#include "device/leat-stream-private.h"
#include "kernel/leat-image-private.h"

#define KERNEL_ITEMS 4096

/* A kernel file compiled and loaded where LEAT_DEVICE says.  Its kernels take `(uint32_t *out, T n)`, T being any
 * integer type; out has KERNEL_ITEMS items, zero before each launch. */
typedef struct
{
  LeatDevice *device;
  LeatStream *stream;
  LeatModule *module;
  LeatMemory *out;
} KernelHarness;

typedef struct
{
  guint grid[3], block[3];
  guint shared_bytes;
} KernelShape;

LeatImageTarget kernel_harness_get_target (LeatDevice *device);
/* FALSE, and the test skipped, where nothing can compile for the device. */
gboolean kernel_harness_init (KernelHarness *self, LeatKernelSource *source);
gboolean kernel_harness_init_text (KernelHarness *self, const char *name, const char *text);
void kernel_harness_clear (KernelHarness *self);
/* The items after the launch; n is handed over as 64 bits, of which the kernel takes what it declares. */
const guint32 *kernel_harness_run (KernelHarness *self, const char *symbol, const KernelShape *shape, gint64 n);
/* The same where all blocks run at once. */
const guint32 *kernel_harness_run_cooperative (KernelHarness *self, const char *symbol, const KernelShape *shape,
                                               gint64 n);
/* The same as the first, with any parameters after the items. */
const guint32 *kernel_harness_launch (KernelHarness *self, const char *symbol, const KernelShape *shape,
                                      gpointer *rest);
