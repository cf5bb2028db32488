/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-registry-private.h"

#include <pthread.h>

G_BEGIN_DECLS

struct _LeatRegistry
{
  GObject parent_instance;

  pthread_mutex_t lock;
  char **folders; /* (nullable): instead of environment and installation */
  char *cache;
  char *helper; /* (nullable) */
  guint timeout_ms;
  GPtrArray *added;     /* folders */
  GPtrArray *plugins;   /* LeatPluginEntry */
  GPtrArray *factories; /* by id */
  GPtrArray *retired;   /* factories of before the last change of folders, which may be held somewhere */
  GHashTable *by_name;  /* id or alias -> factory */
  gboolean current;
  guint n_scanned;
};

/* The folders looked into, in their order. (transfer full) */
GPtrArray *leat_registry_list_folders (LeatRegistry *self);
/* Under the lock: looks for plugins that are new or have changed. */
void leat_registry_update_locked (LeatRegistry *self);

G_END_DECLS
