/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-inspect-bus.h"
#include "leat-inspect-print.h"

#include "driver/leat-driver-private.h"

G_BEGIN_DECLS

/* Abilities that a device has or has not. */
#define LEAT_INSPECT_N_ABILITIES 11

/* All that is told of a device. */
typedef struct
{
  char *id; /* that opens it */
  gboolean is_cpu;
  char *library; /* of the driver */
  LeatDeviceFacts facts;
  guint64 free_bytes; /* of memory; 0: unknown */
  guint clock_khz, memory_clock_khz, memory_bus_bits;
  guint registers_per_multiprocessor;
  LeatInspectLink link;
  gboolean abilities[LEAT_INSPECT_N_ABILITIES];
  char *fault; /* (nullable): why it cannot be used */
} LeatInspectDevice;

/* Every device of every driver (element-type LeatInspectDevice).  @absent: (element-type utf8): why there is none of a
 * driver. */
GPtrArray *leat_inspect_list_devices (GPtrArray *absent);
/* Its name, "cooperative-launch", and what it says to people. */
const char *leat_inspect_get_ability (guint number, const char **title);

void leat_inspect_print_devices (GString *out, GPtrArray *devices, GPtrArray *absent);
void leat_inspect_add_devices (JsonBuilder *builder, GPtrArray *devices, GPtrArray *absent);

G_END_DECLS
