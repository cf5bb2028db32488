/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "device/leat-memory-private.h"

G_BEGIN_DECLS

/* Constants of all sessions of the process: those of the same bytes on the same device are there once, for as long as
 * somebody has them.  Nobody writes them but here. */
typedef struct _LeatShared LeatShared;

/* @header: the items come behind their count. @account: of who made it first. @was_there: others have it. @was_lost:
 * and it was written by this one too, who was not the first. (transfer full) */
LeatShared *leat_shared_get (LeatDevice *device, LeatMemoryAccount *account, GBytes *contents, gboolean header,
                             guint64 count, const char *what, gboolean *was_there, gboolean *was_lost, GError **error);
/* Would it be found there? */
gboolean leat_shared_is_there (LeatDevice *device, GBytes *contents, gboolean header);
void leat_shared_unref (LeatShared *self);
LeatMemory *leat_shared_get_memory (LeatShared *self);
/* TRUE: nobody else has it, and from now on nobody will get it: it may be written. */
gboolean leat_shared_take_out (LeatShared *self);

G_END_DECLS
