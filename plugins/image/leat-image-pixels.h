/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gdk-pixbuf/gdk-pixbuf.h>

G_BEGIN_DECLS

/* Between a GdkPixbuf (RGB or RGBA, 8 bits, padded rows) and Leat's u8[height,width,channels], without padding.  One
 * channel is grey: 0.299 red + 0.587 green + 0.114 blue, rounded (Rec. 601; in integers, so that it is the same
 * everywhere).  Two are none.  A fourth is opacity: left out, or 255 where there is none. */
void leat_image_pixels_get (GdkPixbuf *pixbuf, guint channels, guint8 *to);
/* The grey of samples of 8 or 16 bits. */
guint leat_image_pixels_mix (guint red, guint green, guint blue);
void leat_image_pixels_set (GdkPixbuf *pixbuf, guint channels, const guint8 *from);

G_END_DECLS
