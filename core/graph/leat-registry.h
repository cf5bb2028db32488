/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-factory.h"

G_BEGIN_DECLS

#define LEAT_TYPE_REGISTRY (leat_registry_get_type ())
G_DECLARE_FINAL_TYPE (LeatRegistry, leat_registry, LEAT, REGISTRY, GObject)

LeatRegistry *leat_registry_get_default (void);
void leat_registry_add_path (LeatRegistry *self, const char *folder);
LeatFactory *leat_registry_find (LeatRegistry *self, const char *id, GError **error);
GPtrArray *leat_registry_list (LeatRegistry *self);
GVariant *leat_registry_list_broken (LeatRegistry *self);

G_END_DECLS
