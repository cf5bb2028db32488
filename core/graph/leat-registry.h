/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-node.h"

G_BEGIN_DECLS

#define LEAT_TYPE_REGISTRY (leat_registry_get_type ())
G_DECLARE_FINAL_TYPE (LeatRegistry, leat_registry, LEAT, REGISTRY, GObject)
#define LEAT_TYPE_FACTORY (leat_factory_get_type ())
G_DECLARE_FINAL_TYPE (LeatFactory, leat_factory, LEAT, FACTORY, GObject)

/* The one registry: plugin folders from LEAT_PLUGIN_PATH (colon-separated, first), leat_registry_add_path (), then the
 * installation.  Descriptions come from a cache in the user's cache folder; a plugin whose file changed (path, size,
 * mtime) is scanned by a helper process, and one that fails or crashes there is listed as broken with the reason. */
LeatRegistry *leat_registry_get_default (void);               /* (transfer none) */
void leat_registry_add_path (LeatRegistry *self, const char *folder);
LeatFactory *leat_registry_find (LeatRegistry *self, const char *id, GError **error); /* (transfer none); by id or alias; UNKNOWN_NODE with near names, or PLUGIN when it lives in a broken plugin */
GPtrArray *leat_registry_list (LeatRegistry *self);           /* (element-type LeatFactory) (transfer container), by id */
/* a(sss): path, name (may be empty), reason: the plugins that could not be scanned */
GVariant *leat_registry_list_broken (LeatRegistry *self);     /* (transfer full) */

const char *leat_factory_get_id (LeatFactory *self);
const char *leat_factory_get_summary (LeatFactory *self);
const char *leat_factory_get_plugin_path (LeatFactory *self);
/* The whole description, read from the cache: no plugin code has run. Pointers live as long as the factory. */
const LeatNodeInfo *leat_factory_get_info (LeatFactory *self); /* (skip): get_type is NULL */
const char *leat_factory_get_plugin_name (LeatFactory *self);
const char *leat_factory_get_plugin_version (LeatFactory *self);
/* Loads the plugin (kept resident) and makes a node. (transfer full) */
LeatNode *leat_factory_make (LeatFactory *self, const char *name, GError **error);

G_END_DECLS
