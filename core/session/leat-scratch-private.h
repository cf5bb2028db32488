/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "device/leat-device-private.h"

G_BEGIN_DECLS

/* Memory of the device for what lives within a run, which several sessions use one after the other. */
typedef struct _LeatScratch LeatScratch;

LeatScratch *leat_scratch_new (LeatDevice *device);
void leat_scratch_unref (LeatScratch *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatScratch, leat_scratch_unref)

G_END_DECLS
