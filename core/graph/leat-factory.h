/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-node.h"

G_BEGIN_DECLS

#define LEAT_TYPE_FACTORY (leat_factory_get_type ())
G_DECLARE_FINAL_TYPE (LeatFactory, leat_factory, LEAT, FACTORY, GObject)

const char *leat_factory_get_id (LeatFactory *self);
const char *leat_factory_get_summary (LeatFactory *self);
const char *leat_factory_get_plugin_path (LeatFactory *self);
const LeatNodeInfo *leat_factory_get_info (LeatFactory *self);
const char *leat_factory_get_plugin_name (LeatFactory *self);
const char *leat_factory_get_plugin_version (LeatFactory *self);
LeatNode *leat_factory_make (LeatFactory *self, const char *name, GError **error);

G_END_DECLS
