/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Facts from the head of a picture that GdkPixbuf does not tell: depth, turn, coding.  The place from which the input
 * is read next stays as it is. */

#include "leat-image-head.h"

#include "leat-image-png.h"
#include "leat-image-pnm.h"
#include "leat-image-tiff.h"
#include "leat-image-turn.h"

#define LEAT_IMAGE_EXIF_BYTES       (64 << 10) /* a segment of a JPEG file has no more */
#define LEAT_IMAGE_EXIF_ORIENTATION 0x0112
#define LEAT_IMAGE_EXIF_SHORT       3
#define LEAT_IMAGE_JPEG_PIECE       4096 /* GdkPixbuf's first one */
#define LEAT_IMAGE_HEAD_PARTS       1000 /* in front of the pixels; more are nobody's */

static guint
leat_image_head_get_number (const guint8 *at, guint size, gboolean big)
{
  guint number = 0;

  for (guint i = 0; i < size; i++)
    number |= (guint) at[i] << 8 * (big ? size - 1 - i : i);
  return number;
}

/* EXIF is the directory of a TIFF file: how many entries there are, then 12 bytes for each.  @exif has 8 at least. */
static guint
leat_image_head_find_turn (const guint8 *exif, gsize size)
{
  gboolean big = exif[0] == 'M';
  guint64 at = leat_image_head_get_number (exif + 4, 4, big);
  guint n;

  if (at == 0 || at + 14 > size)
    return LEAT_IMAGE_TURN_NONE;
  n = leat_image_head_get_number (exif + at, 2, big);
  for (at += 2; n > 0 && at + 12 <= size; n--, at += 12)
    if (leat_image_head_get_number (exif + at, 2, big) == LEAT_IMAGE_EXIF_ORIENTATION
        && leat_image_head_get_number (exif + at + 2, 2, big) == LEAT_IMAGE_EXIF_SHORT)
      return leat_image_head_get_number (exif + at + 8, 2, big);
  return LEAT_IMAGE_TURN_NONE;
}

/* Of several the first that asks for a turn counts: others know nothing of it. */
static void
leat_image_head_read_exif (LeatImageHead *self, LeatInputFile *input, guint64 at, gsize size)
{
  g_autofree guint8 *exif = g_malloc0 (LEAT_IMAGE_EXIF_BYTES);
  gsize got = leat_input_file_peek (input, at, exif, MIN (size, LEAT_IMAGE_EXIF_BYTES));

  if (self->turn == LEAT_IMAGE_TURN_NONE)
    self->turn = leat_image_head_find_turn (exif, got);
}

/* The chunks in front of the pixels, and behind them, where some programs write it. */
static void
leat_image_head_read_png (LeatImageHead *self, LeatInputFile *input)
{
  guint64 at = 8;
  guint8 chunk[17];

  for (guint i = 0; i < LEAT_IMAGE_HEAD_PARTS && leat_input_file_peek (input, at, chunk, 8) == 8; i++)
    {
      guint size = leat_image_head_get_number (chunk, 4, TRUE);

      if (memcmp (chunk + 4, "IHDR", 4) == 0 && leat_input_file_peek (input, at, chunk, sizeof chunk) == sizeof chunk)
        self->deep = chunk[16] == 16;
      else if (memcmp (chunk + 4, "eXIf", 4) == 0)
        leat_image_head_read_exif (self, input, at + 8, size);
      at += 12 + (guint64) size;
    }
}

static void
leat_image_head_read_jpeg (LeatImageHead *self, LeatInputFile *input)
{
  guint64 at = 2;
  guint8 head[10];

  for (guint i = 0; i < LEAT_IMAGE_HEAD_PARTS && leat_input_file_peek (input, at, head, sizeof head) == sizeof head
                    && head[0] == 0xff && head[1] != 0xda;
       i++)
    {
      guint size = leat_image_head_get_number (head + 2, 2, TRUE);

      if (head[1] == 0xe1 && memcmp (head + 4, "Exif\0\0", 6) == 0)
        leat_image_head_read_exif (self, input, at + 10, MAX (size, 8) - 8);
      if (head[1] >= 0xc9 && head[1] <= 0xcf && head[1] != 0xcc)
        self->arithmetic = TRUE;
      at += head[1] == 0xff ? 1 : 2 + (guint64) size; /* any number of them may fill up */
    }
}

/* GdkPixbuf gives libjpeg a file in pieces, of which this coding takes the first alone: it fails, or never ends. */
static gboolean
leat_image_head_check_coding (const LeatImageHead *self, LeatInputFile *input, GError **error)
{
  if (!self->arithmetic || leat_input_file_get_size (input) < LEAT_IMAGE_JPEG_PIECE)
    return TRUE;
  g_set_error (
    error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
    "cannot read \"%s\" as a picture: it is a JPEG file with arithmetic coding, which GdkPixbuf cannot read in "
    "pieces; save it as PNG, or with jpegtran as a JPEG file of the usual kind",
    leat_input_file_get_path (input));
  return FALSE;
}

static gboolean
leat_image_head_look (LeatImageHead *self, LeatInputFile *input, const guint8 *begin, GError **error)
{
  GError *inner = NULL;

  if (memcmp (begin, "\x89PNG\r\n\x1a\n", 8) == 0)
    {
      self->kind = LEAT_IMAGE_PNG;
      leat_image_head_read_png (self, input);
    }
  else if (memcmp (begin, "\xff\xd8\xff", 3) == 0)
    {
      self->kind = LEAT_IMAGE_JPEG;
      leat_image_head_read_jpeg (self, input);
      return leat_image_head_check_coding (self, input, error);
    }
  else if (memcmp (begin, "II", 2) == 0 || memcmp (begin, "MM", 2) == 0)
    {
      self->kind = leat_image_tiff_look (input, &self->deep, &self->turn, &inner) ? LEAT_IMAGE_TIFF : LEAT_IMAGE_OTHER;
      if (inner != NULL)
        {
          g_propagate_error (error, inner);
          return FALSE;
        }
    }
  else if (leat_image_pnm_look (input) > G_MAXUINT8)
    *self = (LeatImageHead){ LEAT_IMAGE_PNM, TRUE, LEAT_IMAGE_TURN_NONE };
  return TRUE;
}

gboolean
leat_image_head_read (LeatImageHead *self, LeatInputFile *input, GError **error)
{
  guint8 begin[8];

  *self = (LeatImageHead){ .turn = LEAT_IMAGE_TURN_NONE };
  if (leat_input_file_peek (input, 0, begin, sizeof begin) < sizeof begin)
    return TRUE; /* whoever decodes it says what it is */
  if (!leat_image_head_look (self, input, begin, error))
    return FALSE;
  if (self->turn < 1 || self->turn > 8)
    self->turn = LEAT_IMAGE_TURN_NONE;
  return TRUE;
}

LeatImageDeep *
leat_image_head_decode (const LeatImageHead *self, LeatInputFile *input, GCancellable *cancellable, GError **error)
{
  if (self->kind == LEAT_IMAGE_TIFF)
    return leat_image_tiff_read (input, error);
  return self->kind == LEAT_IMAGE_PNM ? leat_image_pnm_read (input, cancellable, error)
                                      : leat_image_png_read (input, cancellable, error);
}
