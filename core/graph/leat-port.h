/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-plugin.h"
#include "leat-spec.h"
#include "leat-types.h"

G_BEGIN_DECLS

#define LEAT_TYPE_PORT (leat_port_get_type ())
G_DECLARE_FINAL_TYPE (LeatPort, leat_port, LEAT, PORT, GObject)

const char *leat_port_get_name (LeatPort *self);
LeatDirection leat_port_get_direction (LeatPort *self);
guint leat_port_get_flags (LeatPort *self);
LeatNode *leat_port_get_node (LeatPort *self);
char *leat_port_dup_path (LeatPort *self);

LeatSpec *leat_port_get_template (LeatPort *self);
gboolean leat_port_constrain (LeatPort *self, LeatSpec *spec, GError **error);
LeatSpec *leat_port_get_spec (LeatPort *self);

gboolean leat_port_is_linked (LeatPort *self);
LeatPort *leat_port_get_peer (LeatPort *self);
GPtrArray *leat_port_list_peers (LeatPort *self);

gboolean leat_port_link (LeatPort *self, LeatPort *input, GError **error);
void leat_port_unlink (LeatPort *input);

G_END_DECLS
