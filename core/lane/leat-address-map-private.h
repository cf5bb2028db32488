/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "device/leat-device-private.h"

G_BEGIN_DECLS

#define LEAT_RANGES_MOST 256 /* then they are forgotten, and asked for again */

typedef struct
{
  guint64 begin, end;
  guint64 shift; /* to be added to an address, modulo 2^64, for the device */
  gboolean on_device;
} LeatAddressRange;

/* Memory that the driver was asked about, so that it is asked once for each range. */
typedef struct
{
  LeatDevice *device; /* not owned */
  guint n;
  guint last; /* the one that was found last */
  LeatAddressRange ranges[LEAT_RANGES_MOST];
} LeatAddressMap;

LeatAddressMap *leat_address_map_new (LeatDevice *device);
void leat_address_map_free (LeatAddressMap *self);
const LeatAddressRange *leat_address_map_look_up (LeatAddressMap *self, guint64 address, GError **error);

/* The one that holds the address; NULL with LEAT_SESSION_ERROR_MEMORY where the device cannot get at it. */
static inline const LeatAddressRange *
leat_address_map_find (LeatAddressMap *self, guint64 address, GError **error)
{
  const LeatAddressRange *last = &self->ranges[self->last];

  /* Memory for several ports is often one range, cut into pieces. */
  if (self->last < self->n && address >= last->begin && address < last->end)
    return last;
  return leat_address_map_look_up (self, address, error);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatAddressMap, leat_address_map_free)

G_END_DECLS
