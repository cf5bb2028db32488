/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* The output of leat-inspect: text for people (appended to a string), and JSON (added to a builder).  Both read the
 * same descriptions; no node is made. */

const char *leat_inspect_get_type_name (LeatPropType type);
/* (transfer full) (nullable): NULL when there is none: required, or an empty string */
char *leat_inspect_dup_default (const LeatProp *prop);

/* @text wrapped at a terminal's width, each line after @indent spaces; empty lines stay. */
void leat_inspect_append_wrapped (GString *out, const char *text, guint indent);
/* As wrapped, but the first line goes on where the string ends. */
void leat_inspect_append_blurb (GString *out, const char *text, guint indent);

void leat_inspect_print_table (GString *out, GPtrArray *factories, GVariant *broken);
void leat_inspect_print_plugin (GString *out, GPtrArray *factories, const char *name);
void leat_inspect_print_node (GString *out, LeatFactory *factory);
void leat_inspect_print_broken (GString *out, GVariant *broken);
void leat_inspect_print_kernel (GString *out, LeatKernelSource *source, const LeatPrototype *prototype);

void leat_inspect_add_json_text (JsonBuilder *builder, const char *name, const char *value);
void leat_inspect_add_axes (JsonBuilder *builder, const char *name, const guint *axes);
void leat_inspect_add_json_number (JsonBuilder *builder, const char *name, guint64 value);
void leat_inspect_add_node (JsonBuilder *builder, LeatFactory *factory);
void leat_inspect_add_table (JsonBuilder *builder, GPtrArray *factories, const char *plugin, GVariant *broken);
/* Into an object that is begun. */
void leat_inspect_add_kernel (JsonBuilder *builder, LeatKernelSource *source, const LeatPrototype *prototype);

G_END_DECLS
