/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Colours of TGA files that GdkPixbuf gets wrong, mended in its picture.  Only the head of the file is looked at. */

#include "leat-image-tga.h"

/* The head of a TGA file, as far as it is of use here. */
enum
{
  LEAT_IMAGE_TGA_HAS_PALETTE = 1,
  LEAT_IMAGE_TGA_FIRST = 3, /* entry of the palette, 2 bytes */
  LEAT_IMAGE_TGA_BITS = 7,  /* of an entry */
  LEAT_IMAGE_TGA_BYTES = 8
};

/* GdkPixbuf exchanges red and blue of colours of 5 bits each, and fills up with zeros, so that white is 248. */
static void
leat_image_tga_exchange (GdkPixbuf *pixbuf)
{
  guint channels = (guint) gdk_pixbuf_get_n_channels (pixbuf), width = (guint) gdk_pixbuf_get_width (pixbuf);

  for (int y = 0; y < gdk_pixbuf_get_height (pixbuf); y++)
    {
      guint8 *at = gdk_pixbuf_get_pixels (pixbuf) + (gsize) y * (gsize) gdk_pixbuf_get_rowstride (pixbuf);

      for (guint x = 0; x < width; x++, at += channels)
        {
          guint8 red = at[2];

          at[2] = at[0];
          at[0] = red;
          for (guint c = 0; c < 3; c++)
            at[c] = (guint8) (at[c] | at[c] >> 5);
        }
    }
}

gboolean
leat_image_tga_mend (GdkPixbuf *pixbuf, LeatInputFile *input, GError **error)
{
  guint8 head[LEAT_IMAGE_TGA_BYTES];

  if (leat_input_file_peek (input, 0, head, sizeof head) < sizeof head || head[LEAT_IMAGE_TGA_HAS_PALETTE] != 1)
    return TRUE;
  if (head[LEAT_IMAGE_TGA_FIRST] != 0 || head[LEAT_IMAGE_TGA_FIRST + 1] != 0)
    {
      g_set_error (
        error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
        "cannot read \"%s\" as a picture: its palette does not begin with colour 0, which GdkPixbuf takes for "
        "granted; save it as PNG",
        leat_input_file_get_path (input));
      return FALSE;
    }
  if (head[LEAT_IMAGE_TGA_BITS] == 15 || head[LEAT_IMAGE_TGA_BITS] == 16)
    leat_image_tga_exchange (pixbuf);
  return TRUE;
}
