/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "device/leat-device-private.h"

G_BEGIN_DECLS

/* Memory that the driver was asked about, so that it is asked once for each range. */
typedef struct _LeatAddressMap LeatAddressMap;

typedef struct
{
  guint64 begin, end;
  guint64 shift; /* to be added to an address, modulo 2^64, for the device */
  gboolean on_device;
} LeatAddressRange;

LeatAddressMap *leat_address_map_new (LeatDevice *device);
void leat_address_map_free (LeatAddressMap *self);
/* The one that holds the address; NULL with LEAT_SESSION_ERROR_MEMORY where the device cannot get at it. */
const LeatAddressRange *leat_address_map_find (LeatAddressMap *self, guint64 address, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatAddressMap, leat_address_map_free)

G_END_DECLS
