/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-memory-private.h"

G_BEGIN_DECLS

/* Memory that a thread of its own allocates before it is wanted, as the driver takes half a millisecond to pin a
 * megabyte.  It lies in the device's pool then, and is found there by who asks for as much of the kind. */
typedef struct _LeatReserve LeatReserve;

LeatReserve *leat_reserve_new (LeatDevice *device);
/* Before it is begun. */
void leat_reserve_add (LeatReserve *self, LeatMemoryKind kind, guint64 bytes);
void leat_reserve_begin (LeatReserve *self);
/* Is all there that can be?  The rest fails where it is asked for. */
gboolean leat_reserve_is_done (LeatReserve *self);
/* Waits for what was begun. */
void leat_reserve_free (LeatReserve *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatReserve, leat_reserve_free)

G_END_DECLS
