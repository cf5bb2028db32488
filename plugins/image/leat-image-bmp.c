/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* BMP files that GdkPixbuf cannot read, told apart from broken ones.  Only looks at the head of the file. */

#include "leat-image-bmp.h"

#include <string.h>

/* The head of a BMP file, as far as it is of use here. */
enum
{
  LEAT_IMAGE_BMP_PIXELS = 10, /* where they begin, 4 bytes */
  LEAT_IMAGE_BMP_SIZE = 14,   /* of the second head, 4 bytes */
  LEAT_IMAGE_BMP_BITS = 28,
  LEAT_IMAGE_BMP_COLOURS = 46, /* in the palette; 0: all that the bits can tell apart */
  LEAT_IMAGE_BMP_BYTES = 54
};

static guint
leat_image_bmp_get (const guint8 *head, guint at)
{
  guint32 number;

  memcpy (&number, head + at, sizeof number);
  return GUINT32_FROM_LE (number);
}

/* 0 for no such file. */
static guint64
leat_image_bmp_find_gap (LeatInputFile *input)
{
  guint8 head[LEAT_IMAGE_BMP_BYTES];
  guint64 before;
  guint colours;

  if (leat_input_file_peek (input, 0, head, sizeof head) < sizeof head || memcmp (head, "BM", 2) != 0
      || head[LEAT_IMAGE_BMP_BITS] > 8)
    return 0;
  colours = leat_image_bmp_get (head, LEAT_IMAGE_BMP_COLOURS);
  if (colours == 0)
    colours = 1u << head[LEAT_IMAGE_BMP_BITS];
  before = LEAT_IMAGE_BMP_SIZE + (guint64) leat_image_bmp_get (head, LEAT_IMAGE_BMP_SIZE) + 4 * (guint64) colours;
  return MAX (leat_image_bmp_get (head, LEAT_IMAGE_BMP_PIXELS), before) - before;
}

gboolean
leat_image_bmp_refuse_gap (LeatInputFile *input, GError **error)
{
  guint64 gap = leat_image_bmp_find_gap (input);

  if (gap == 0)
    return FALSE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
               "cannot read \"%s\" as a picture: its pixels begin %" G_GUINT64_FORMAT
               " bytes behind its palette, a gap that GdkPixbuf does not pass over; save it as PNG",
               leat_input_file_get_path (input), gap);
  return TRUE;
}
