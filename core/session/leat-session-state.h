/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "../buffer/leat-device-buffer.h"
#include "../state/leat-state-error.h"
#include "leat-session.h"

G_BEGIN_DECLS

gboolean leat_session_bind_input_buffer (LeatSession *self, const char *name, LeatDeviceBuffer *buffer, guint64 offset,
                                         guint64 count, GError **error);
gboolean leat_session_bind_output_buffer (LeatSession *self, const char *name, LeatDeviceBuffer *buffer, guint64 offset,
                                          GError **error);
char **leat_session_list_states (LeatSession *self);
LeatDeviceBuffer *leat_session_get_state (LeatSession *self, const char *name, GError **error);
gboolean leat_session_save_state (LeatSession *self, const char *path, GError **error);
gboolean leat_session_load_state (LeatSession *self, const char *path, GError **error);
gboolean leat_session_copy_state (LeatSession *self, LeatSession *from, GError **error);

G_END_DECLS
