/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Pixels between a GdkPixbuf and the data of a port, for `image:read` and `image:write`.  Touches only the two pictures
 * that it is given. */

#include "leat-image-pixels.h"

#include <string.h>

guint
leat_image_pixels_mix (guint red, guint green, guint blue)
{
  /* The weights in 65536ths; they add up to one. */
  return (19595u * red + 38470u * green + 7471u * blue + 32768u) >> 16;
}

static void
leat_image_pixels_get_row (const guint8 *from, guint has, guint8 *to, guint channels, guint width)
{
  if (has == channels)
    {
      memcpy (to, from, (gsize) width * channels);
      return;
    }
  for (guint x = 0; x < width; x++, from += has, to += channels)
    {
      if (channels == 1)
        {
          to[0] = (guint8) leat_image_pixels_mix (from[0], from[1], from[2]);
          continue;
        }
      memcpy (to, from, 3);
      if (channels == 4)
        to[3] = 255;
    }
}

void
leat_image_pixels_get (GdkPixbuf *pixbuf, guint channels, guint8 *to)
{
  const guint8 *from = gdk_pixbuf_read_pixels (pixbuf);
  gsize stride = (gsize) gdk_pixbuf_get_rowstride (pixbuf);
  guint width = (guint) gdk_pixbuf_get_width (pixbuf), height = (guint) gdk_pixbuf_get_height (pixbuf);
  guint has = (guint) gdk_pixbuf_get_n_channels (pixbuf);

  for (guint y = 0; y < height; y++)
    leat_image_pixels_get_row (from + y * stride, has, to + (gsize) y * width * channels, channels, width);
}

void
leat_image_pixels_set (GdkPixbuf *pixbuf, guint channels, const guint8 *from)
{
  guint8 *to = gdk_pixbuf_get_pixels (pixbuf);
  gsize stride = (gsize) gdk_pixbuf_get_rowstride (pixbuf);
  guint width = (guint) gdk_pixbuf_get_width (pixbuf), height = (guint) gdk_pixbuf_get_height (pixbuf);

  for (guint y = 0; y < height; y++, from += (gsize) width * channels)
    {
      guint8 *row = to + y * stride;

      if (channels > 1)
        memcpy (row, from, (gsize) width * channels);
      else
        for (guint x = 0; x < width; x++)
          memset (row + 3 * (gsize) x, from[x], 3);
    }
}
