/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-factory.h"
#include "leat-plugin-entry-private.h"

G_BEGIN_DECLS

LeatFactory *leat_factory_new (const LeatPluginEntry *entry, GVariant *node);

G_END_DECLS
