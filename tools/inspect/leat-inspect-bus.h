/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define LEAT_INSPECT_BUS_ROOT "/sys/bus/pci/devices"

/* The link of a device on the PCI Express bus; 0 for what is not told. */
typedef struct
{
  guint generation, width;           /* as it is now; an idle device may slow its link down */
  guint most_generation, most_width; /* that the device can have */
} LeatInspectLink;

/* @bus_id: as the driver has it, "0000:3B:00.0". @root: the folder where the kernel describes devices. */
void leat_inspect_read_link (const char *root, const char *bus_id, LeatInspectLink *link);

G_END_DECLS
