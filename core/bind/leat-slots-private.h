/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bind-layout-private.h"

G_BEGIN_DECLS

/* The buffers placed so far. */
typedef struct _LeatSlots LeatSlots;

LeatSlots *leat_slots_new (LeatPlan *plan, const LeatLayout *layout);
void leat_slots_free (LeatSlots *self);
/* At the lowest offset where it is clear of all that it may not share memory with.  The larger ones come first. */
void leat_slots_place (LeatSlots *self, LeatBuffer *buffer);

G_END_DECLS
