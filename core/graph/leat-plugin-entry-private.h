/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-plugin-private.h"

G_BEGIN_DECLS

/* A plugin's file and what a scan of it found. */
typedef struct
{
  char *path;
  guint64 size;
  gint64 mtime_ns;
  gint64 scanned_s; /* wall-clock time of the scan; 0 before */
  char *reason;     /* why it cannot be used; NULL when it can */
  GVariant *plugin; /* LEAT_PLUGIN_VARIANT; NULL when it cannot be used */
  gboolean passing; /* the reason lies with this process, not with the plugin: not for the cache */
} LeatPluginEntry;

#define LEAT_PLUGIN_ENTRY_VARIANT "(aytxxsm" LEAT_PLUGIN_VARIANT ")"
/* The scan helper's answer about one plugin, behind its length: reason ("" for none) and description. */
#define LEAT_PLUGIN_ANSWER_VARIANT "(sm" LEAT_PLUGIN_VARIANT ")"
/* The helper says this first, so that its own failure is not taken for a plugin's. */
#define LEAT_PLUGIN_SCAN_HELLO "leat-plugin-scan 1\n"

/* NULL when there is no such regular file. */
LeatPluginEntry *leat_plugin_entry_new (const char *path);
void leat_plugin_entry_free (LeatPluginEntry *self);
gboolean leat_plugin_entry_is_same_file (const LeatPluginEntry *self, const LeatPluginEntry *other);
void leat_plugin_entry_set_broken (LeatPluginEntry *self, gboolean passing, char *reason);
/* Adds the plugins in @folder, by name; one that is there by its path already is left out. */
void leat_plugin_entry_list (const char *folder, GPtrArray *entries);

GVariant *leat_plugin_entry_to_variant (const LeatPluginEntry *self);
LeatPluginEntry *leat_plugin_entry_new_from_variant (GVariant *variant);

/* The cache: entries by path, empty when the file is missing, damaged or of another format. */
GHashTable *leat_plugin_cache_load (const char *file);
/* Replaces the file in one step; keeps what it holds of other plugins that still are what they were. */
gboolean leat_plugin_cache_save (const char *file, GPtrArray *entries, GError **error);

/* Scans in helper processes and fills the entries in; a plugin that takes its helper down is broken, the others are
 * scanned by the next one. */
void leat_plugin_scan (GPtrArray *entries, const char *helper, guint timeout_ms);
/* Where the helper is (transfer full), or NULL with PLUGIN. */
char *leat_plugin_find_helper (GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatPluginEntry, leat_plugin_entry_free)

G_END_DECLS
