/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-types.h"

G_BEGIN_DECLS

/* What was set on the nodes of a pipeline while a session has it open.  Any thread may set; the session takes the
 * changes over between two runs.  The lock also guards the values themselves, so that none is seen half-way. */
typedef struct _LeatChanges LeatChanges;

LeatChanges *leat_changes_new (void);
void leat_changes_free (LeatChanges *self);
void leat_changes_lock (LeatChanges *self);
void leat_changes_unlock (LeatChanges *self);
/* Without the lock: has anything been noted since the last clear ()? */
gboolean leat_changes_are_there (LeatChanges *self);
/* Under the lock. */
void leat_changes_note (LeatChanges *self, LeatNode *node);
guint leat_changes_get_n (LeatChanges *self);
LeatNode *leat_changes_get (LeatChanges *self, guint index);
void leat_changes_clear (LeatChanges *self);

G_END_DECLS
