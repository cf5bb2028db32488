/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-endpoint.h"

G_BEGIN_DECLS

#define LEAT_TYPE_APP (leat_app_get_type ())
G_DECLARE_FINAL_TYPE (LeatApp, leat_app, LEAT, APP, LeatEndpoint)

gboolean leat_app_push_bytes (LeatApp *self, GBytes *bytes, GError **error);
void leat_app_end (LeatApp *self);
GBytes *leat_app_pull_bytes (LeatApp *self, gint64 timeout_us, GError **error);
LeatSpec *leat_app_dup_spec (LeatApp *self);

G_END_DECLS
