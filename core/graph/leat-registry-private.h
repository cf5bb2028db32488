/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-registry.h"

G_BEGIN_DECLS

/* A registry of its own: for tests.  NULL stands for what the default one does. */
LeatRegistry *leat_registry_new (const char *const *folders, const char *cache, const char *helper, guint timeout_ms);
/* How many plugins were scanned so far, as opposed to read from the cache. */
guint leat_registry_get_n_scanned (LeatRegistry *self);

G_END_DECLS
