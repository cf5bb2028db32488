/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-private.h"

G_BEGIN_DECLS

/* All fail with what would do.  A port that no node has, or that takes no memory of the program's. */
gboolean leat_session_refuse_port (LeatSession *self, GArray *entries, const char *name, const char *kind,
                                   GError **error);
/* Of the memory that is bound: those that a run reads or may write. */
guint64 leat_session_get_bound_bytes (const LeatOp *op, const LeatBuffer *buffer, const LeatBinding *binding);
gboolean leat_session_check_binding (const LeatOp *op, const LeatBuffer *buffer, const LeatBinding *binding,
                                     GError **error);
/* Finds out where the memory is that @binding names. */
gboolean leat_session_locate_binding (LeatSession *self, const LeatOp *op, LeatBinding *binding, GError **error);

G_END_DECLS
