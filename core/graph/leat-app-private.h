/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-app.h"

G_BEGIN_DECLS

/* For the plugin that lists the node. */
extern const LeatNodeInfo leat_app_info;

/* Does the program bring the memory (leat_session_bind_input ())? */
gboolean leat_app_has_user_memory (LeatApp *self);
/* Would a result find room when @ahead others have been given before it?  Where a full queue makes runs wait, or drops
 * something, it does. */
gboolean leat_app_has_room (LeatApp *self, guint64 ahead);
/* FALSE, and says that it is full. */
gboolean leat_app_refuse_result (LeatApp *self, GError **error);
/* That wait in it.  Any thread. */
guint leat_app_get_queue_length (LeatApp *self);
/* Of what was pushed, or given to it by runs, since a session was opened. */
guint leat_app_get_dropped (LeatApp *self);

G_END_DECLS
