/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* Block and grid as they are written: "256", "16x16", "8x8x4". */
gboolean leat_geometry_parse (const char *text, guint values[3], guint *n_values);

/* Whether @text is refused for nothing but a number above 2^31 - 1, which no device takes. */
gboolean leat_geometry_is_too_large (const char *text);

/* How many threads an axis of the grid must cover for @spec.  A block of one axis covers all items; one of two covers
 * dimension 1 along x and dimension 0 along y; one of three covers dimensions 2, 1 and 0. @lanes: items per thread. */
void leat_geometry_cover (LeatSpec *spec, guint64 lanes, guint n_axes, guint64 threads[3]);

/* Blocks of @block that cover @threads; RANGE when an axis has more than 2^31 - 1. */
gboolean leat_geometry_divide (const guint64 threads[3], const guint block[3], guint grid[3], GError **error);

G_END_DECLS
