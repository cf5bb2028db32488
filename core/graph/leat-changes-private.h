/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-plugin.h"
#include "leat-types.h"

G_BEGIN_DECLS

/* Changes to the nodes of a pipeline while a session has it open.  Any thread may set; the session takes the
 * changes over between two runs.  Arguments have their new values at once; properties wait here until the session puts
 * them into the nodes itself, since its thread reads them without a lock.  The lock also guards the values of
 * arguments, so that none is seen half-way, and the session holds it while it plans; it is recursive.  An argument
 * that is there only with properties that wait, waits with them. */
typedef struct _LeatChanges LeatChanges;
typedef struct _LeatNodeArg LeatNodeArg;

typedef struct
{
  LeatNode *node;
  const LeatProp *prop;
  GValue value;
  gboolean given;
} LeatPropChange;

typedef struct
{
  LeatNode *node;
  LeatNodeArg *arg;
} LeatArgChange;

LeatChanges *leat_changes_new (void);
void leat_changes_free (LeatChanges *self);
void leat_changes_lock (LeatChanges *self);
void leat_changes_unlock (LeatChanges *self);
/* Without the lock: has anything been noted since the last clear ()? */
gboolean leat_changes_are_there (LeatChanges *self);
/* Under the lock. */
void leat_changes_note (LeatChanges *self, LeatNode *node);
gboolean leat_changes_has (LeatChanges *self, LeatNode *node);
guint leat_changes_get_n (LeatChanges *self);
LeatNode *leat_changes_get (LeatChanges *self, guint index);
void leat_changes_clear (LeatChanges *self);

/* Without the lock: does any property wait? */
gboolean leat_changes_have_props (LeatChanges *self);
/* The same of a node. */
gboolean leat_changes_have_props_of (LeatChanges *self, LeatNode *node);
/* Under the lock. */
void leat_changes_put_prop (LeatChanges *self, LeatNode *node, const LeatProp *prop, const GValue *value);
/* NULL: none waits. */
const GValue *leat_changes_peek_prop (LeatChanges *self, LeatNode *node, const LeatProp *prop);
/* All that wait; none does then. (element-type LeatPropChange) (transfer full) */
GPtrArray *leat_changes_steal_props (LeatChanges *self);
/* The same for arguments; @arg is copied. */
void leat_changes_put_arg (LeatChanges *self, LeatNode *node, const LeatNodeArg *arg);
LeatNodeArg *leat_changes_peek_arg (LeatChanges *self, LeatNode *node, const char *name);
/* (element-type LeatArgChange) (transfer full) */
GPtrArray *leat_changes_steal_args (LeatChanges *self);

G_END_DECLS
