/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib-object.h>

#include "leat-plugin.h"

G_BEGIN_DECLS

/* Entries of a description's arrays, by the size that the plugin was built with. */
const LeatProp *leat_node_info_get_prop (const LeatNodeInfo *self, guint index);
const LeatPortInfo *leat_node_info_get_port (const LeatNodeInfo *self, guint index);
/* @self itself when its structs have today's sizes, else a copy that lives for ever and has them. */
const LeatNodeInfo *leat_node_info_normalize (const LeatNodeInfo *self);

/* Finds errors in a description; PLUGIN. */
gboolean leat_plugin_info_check (const LeatPluginInfo *self, GError **error);
gboolean leat_node_info_check (const LeatNodeInfo *self, GError **error);

/* A description as data, for the scan helper's answer and the registry's cache. */
#define LEAT_NODE_VARIANT   "(sasssa(suutttmsass)a(suuss))"
#define LEAT_PLUGIN_VARIANT "(sssa" LEAT_NODE_VARIANT ")"
GVariant *leat_plugin_info_to_variant (const LeatPluginInfo *self);
/* Pointers into one block and the variant's own data, which must stay. Freed with g_free (). */
LeatNodeInfo *leat_node_info_new_from_variant (GVariant *node);

/* Values of properties. */
gboolean leat_prop_has_min (const LeatProp *self);
gboolean leat_prop_has_max (const LeatProp *self);
/* "1 to 64", "at least 1", "fast, slow"; NULL when everything of the type goes. */
char *leat_prop_dup_range (const LeatProp *self);
gboolean leat_prop_is_in_range (const LeatProp *self, LeatPropValue value);
GParamSpec *leat_prop_new_pspec (const LeatProp *self, const char *type_name);
/* The property behind a GObject property that leat_node_class_describe () installed, or NULL. */
const LeatProp *leat_prop_from_pspec (GParamSpec *pspec);
void leat_prop_get_field (const LeatProp *self, gpointer instance, GValue *value);
void leat_prop_set_field (const LeatProp *self, gpointer instance, const GValue *value);
void leat_prop_init_field (const LeatProp *self, gpointer instance);
void leat_prop_clear_field (const LeatProp *self, gpointer instance);
gboolean leat_prop_holds_default (const LeatProp *self, gpointer instance);
/* @value is initialized to the property's type. TYPE or RANGE; the message says nothing of which node. */
gboolean leat_prop_parse (const LeatProp *self, const char *text, GValue *value, GError **error);
char *leat_prop_print_field (const LeatProp *self, gpointer instance);

/* Numbers as text, shared with arguments. */
char *leat_prop_print_double (double value, gboolean single);
gboolean leat_prop_parse_int (const char *text, gint64 *value);
gboolean leat_prop_parse_uint (const char *text, gboolean suffixes, guint64 *value);
gboolean leat_prop_parse_double (const char *text, double *value);
gboolean leat_prop_parse_bool (const char *text, gboolean *value);

G_END_DECLS
