/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "buffer/leat-device-buffer-private.h"
#include "leat-session-private.h"
#include "leat-session-state.h"

G_BEGIN_DECLS

/* For who has the session, open.  All that it keeps from run to run. (element-type LeatBufferId) (transfer full) */
GArray *leat_session_dup_states (LeatSession *self);
/* (transfer full) */
LeatDeviceBuffer *leat_session_lend_state (LeatSession *self, LeatBufferId id);
guint64 leat_session_hash_pipeline (LeatSession *self);
/* What all of them hold, headers included, and what they shall hold. (element-type GBytes) (transfer full) */
GPtrArray *leat_session_read_states (LeatSession *self, GError **error);
gboolean leat_session_write_states (LeatSession *self, GPtrArray *contents, GError **error);

G_END_DECLS
