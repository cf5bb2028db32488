/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "buffer/leat-transfer-private.h"
#include "leat-session-private.h"
#include "leat-session-state.h"

G_BEGIN_DECLS

/* For who has the session, open.  All that it keeps from run to run. (element-type LeatBufferId) (transfer full) */
GArray *leat_session_dup_states (LeatSession *self);
/* That of a lane, for transfers of the session's own, which leave no trace. (transfer full) */
LeatDeviceBuffer *leat_session_borrow_state (LeatSession *self, guint lane, LeatBufferId id);
guint64 leat_session_hash_pipeline (LeatSession *self);
/* Reads, or writes, the contents of all states in the first lane, headers included. (element-type GBytes) (transfer
 * full) */
GPtrArray *leat_session_read_states (LeatSession *self, GError **error);
gboolean leat_session_write_states (LeatSession *self, GPtrArray *contents, GError **error);

/* Lanes with a state of their own, there or away; 1 where none has. */
guint leat_session_count_state_lanes (LeatSession *self);
/* That of a lane which is not there, or what it begins with. (transfer full) */
GBytes *leat_session_dup_away (LeatSession *self, guint lane, const LeatBuffer *buffer);
/* @contents: (transfer full) */
void leat_session_take_away (LeatSession *self, guint lane, const LeatBuffer *buffer, GBytes *contents);
guint64 leat_session_sum_away (LeatSession *self);
/* As many as may be put into it. */
guint leat_session_get_most_state_lanes (LeatSession *self);
/* @n_lanes: of what each lane has for itself.  (element-type LeatStateEntry) (transfer full) */
GArray *leat_session_list_entries (LeatSession *self, guint n_lanes);
/* Its contents at first, header included; all of it, or a part. (transfer full) */
GBytes *leat_buffer_dup_initial (const LeatBuffer *buffer);
GBytes *leat_buffer_dup_initial_range (const LeatBuffer *buffer, guint64 offset, guint64 bytes);

/* For all of a state.  (transfer full) */
LeatRequest leat_session_make_request (LeatSession *self, LeatRequestKind kind, guint lane, LeatBufferId id);
/* (element-type LeatRequest) (transfer full) */
GArray *leat_session_new_requests (void);

G_END_DECLS
