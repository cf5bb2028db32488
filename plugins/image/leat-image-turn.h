/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Turns as TIFF and EXIF number them: 1 is none, 2 to 4 mirror or turn around, 5 to 8 exchange rows and columns too. */
#define LEAT_IMAGE_TURN_NONE 1

gboolean leat_image_turn_swaps (guint turn);
/* Of @turn the part that libtiff makes of it, which leaves rows and columns as they are.  Made twice it is undone. */
guint leat_image_turn_get_half (guint turn);
/* Turns a picture of @width x @height pixels of @size bytes each, as it is stored, so that it is upright. */
void leat_image_turn (guint turn, guint width, guint height, gsize size, const guint8 *from, guint8 *to);

G_END_DECLS
