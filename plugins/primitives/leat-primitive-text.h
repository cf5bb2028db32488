/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* The text of a kernel for the types at hand: a head that says what they are, made by a node, and one of kernels/. */

/* NULL for what no kernel computes with. */
const char *leat_primitive_get_c_type (LeatDtype dtype);
gboolean leat_primitive_is_real (LeatDtype dtype);
gboolean leat_primitive_is_signed (LeatDtype dtype);
/* The least and the greatest value of a type, infinite where it has such. */
const char *leat_primitive_get_lowest (LeatDtype dtype);
const char *leat_primitive_get_greatest (LeatDtype dtype);

/* @body: a file of kernels/. */
LeatKernelSource *leat_primitive_source_new (const char *body, const char *head, GError **error);

/* Appends a file of kernels/. */
gboolean leat_primitive_append_text (GString *head, const char *file, GError **error);
/* Several; @files is ended by NULL. */
gboolean leat_primitive_append_texts (GString *head, const char *const *files, GError **error);

/* Whether items are of one type, and have the same fields. */
gboolean leat_primitive_has_items_of (LeatSpec *spec, LeatSpec *other);
/* Steps of the leading dimension have so many items each. */
guint64 leat_primitive_get_row_items (LeatSpec *spec);
/* FALSE, with an error that shows both specs, unless @flags has a whole number for each @each of @x, which @as_many
 * says, and both are bounded or none is. */
gboolean leat_primitive_check_flags (LeatNode *node, const char *port, LeatSpec *flags, LeatSpec *x, gboolean as_many,
                                     const char *each, GError **error);

G_END_DECLS
