/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-inspect-print.h"

#include "device/leat-module-private.h"

G_BEGIN_DECLS

/* The words behind `kernel`, as the node has them. */
typedef struct
{
  const char *source, *entry, *defines, *fp, *block, *grid, *shared, *cooperative;
} LeatInspectWords;

/* FALSE with a message for who wrote them.  @with_launch: words about a launch may be among them. */
gboolean leat_inspect_read_words (char **words, gboolean with_launch, LeatInspectWords *self, GError **error);

/* The launch that they describe. */
typedef struct
{
  LeatLaunchShape shape;
  gboolean has_block; /* else it is the kernel's own */
  gboolean has_grid;  /* else it follows from data */
  gboolean fills;     /* the grid is as many blocks as run at once */
} LeatInspectLaunch;

gboolean leat_inspect_read_launch (const LeatInspectWords *words, LeatInspectLaunch *self, GError **error);

/* One size of a block. */
typedef struct
{
  guint threads, blocks, warps, percent;
  const char *limit; /* what keeps it from being more; static */
} LeatInspectOccupancy;

/* All that is told of a kernel on a device. */
typedef struct
{
  LeatDevice *device;
  LeatFunction function;
  guint constant_bytes, binary_version;
  LeatInspectLaunch launch;
  GArray *occupancy; /* LeatInspectOccupancy */
  GPtrArray *faults; /* utf8: limits that the launch breaks, each with what to do */
} LeatInspectOnDevice;

LeatModule *leat_inspect_load (LeatDevice *device, LeatKernelSource *source, GError **error);
LeatInspectOnDevice *leat_inspect_look (LeatDevice *device, LeatModule *module, const LeatPrototype *prototype,
                                        const LeatInspectLaunch *launch, GError **error);
void leat_inspect_on_device_free (LeatInspectOnDevice *self);
void leat_inspect_print_on_device (GString *out, const LeatInspectOnDevice *self);
/* The member "device" of a kernel. */
void leat_inspect_add_on_device (JsonBuilder *builder, const LeatInspectOnDevice *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatInspectOnDevice, leat_inspect_on_device_free)

G_END_DECLS
