/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* TIFF files by libtiff: facts about the first picture, and pictures of 16 bits a sample.  Reads the input and gives a
 * new picture. */

#include "leat-image-tiff.h"

#include <tiffio.h>

/* Where libtiff reads. */
typedef struct
{
  LeatInputFile *input;
  guint64 at;
} LeatImageTiff;

static tmsize_t
leat_image_tiff_fill (thandle_t handle, void *to, tmsize_t size)
{
  LeatImageTiff *self = handle;
  gsize got = leat_input_file_peek (self->input, self->at, to, (gsize) size);

  self->at += got;
  return (tmsize_t) got;
}

static tmsize_t
leat_image_tiff_refuse_write (thandle_t handle, void *from, tmsize_t size)
{
  return -1;
}

static toff_t
leat_image_tiff_measure (thandle_t handle)
{
  return leat_input_file_get_size (((LeatImageTiff *) handle)->input);
}

static toff_t
leat_image_tiff_seek (thandle_t handle, toff_t to, int whence)
{
  LeatImageTiff *self = handle;

  self->at = to + (whence == SEEK_CUR ? self->at : whence == SEEK_END ? leat_image_tiff_measure (handle) : 0);
  return self->at;
}

static int
leat_image_tiff_close (thandle_t handle)
{
  return 0;
}

/* GdkPixbuf sets handlers of its own before it reads one. */
static TIFF *
leat_image_tiff_open (LeatImageTiff *self)
{
  TIFFSetErrorHandler (NULL);
  TIFFSetWarningHandler (NULL);
  return TIFFClientOpen ("picture", "rm", self, leat_image_tiff_fill, leat_image_tiff_refuse_write,
                         leat_image_tiff_seek, leat_image_tiff_close, leat_image_tiff_measure, NULL, NULL);
}

static guint
leat_image_tiff_get (TIFF *tiff, guint tag)
{
  guint16 value = 0;

  TIFFGetFieldDefaulted (tiff, tag, &value);
  return value;
}

/* Whether opacity is stored beside colours that it has not been multiplied with.  GdkPixbuf multiplies them. */
static gboolean
leat_image_tiff_has_opacity (TIFF *tiff)
{
  guint16 n = 0, *kinds = NULL;

  TIFFGetFieldDefaulted (tiff, TIFFTAG_EXTRASAMPLES, &n, &kinds);
  for (guint i = 0; i < n; i++)
    if (kinds[i] == EXTRASAMPLE_UNASSALPHA)
      return TRUE;
  return FALSE;
}

/* Whether GdkPixbuf would not give the samples as they are stored: it takes 1, 2, 4 and 8 bits. */
static gboolean
leat_image_tiff_is_deep (TIFF *tiff)
{
  guint bits = leat_image_tiff_get (tiff, TIFFTAG_BITSPERSAMPLE);

  return bits > 8 || (bits == 8 && leat_image_tiff_has_opacity (tiff));
}

/* The reason why such samples are no numbers that a pixel has; NULL: they are. */
static const char *
leat_image_tiff_find_fault (TIFF *tiff)
{
  guint format = leat_image_tiff_get (tiff, TIFFTAG_SAMPLEFORMAT),
        channels = leat_image_tiff_get (tiff, TIFFTAG_SAMPLESPERPIXEL);
  guint meaning = leat_image_tiff_get (tiff, TIFFTAG_PHOTOMETRIC);

  if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID)
    return "its samples are signed or have a fraction";
  if (TIFFIsTiled (tiff) || leat_image_tiff_get (tiff, TIFFTAG_PLANARCONFIG) != PLANARCONFIG_CONTIG)
    return "its samples have 16 bits or opacity and are in tiles or planes";
  if (meaning == PHOTOMETRIC_RGB ? channels < 3 || channels > 4
                                 : meaning > PHOTOMETRIC_MINISBLACK || channels < 1 || channels > 2)
    return "its samples have 16 bits or opacity and are neither grey nor red, green and blue";
  return NULL;
}

static gboolean
leat_image_tiff_check (TIFF *tiff, LeatInputFile *input, GError **error)
{
  guint bits = leat_image_tiff_get (tiff, TIFFTAG_BITSPERSAMPLE);
  g_autofree char *size = g_strdup_printf ("its samples have %u bits", bits);
  const char *fault = bits != 8 && bits != 16 ? size : leat_image_tiff_find_fault (tiff);

  if (fault != NULL)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                 "cannot read \"%s\" as a picture: %s; save it as a PNG file of 16 bits",
                 leat_input_file_get_path (input), fault);
  return fault == NULL;
}

gboolean
leat_image_tiff_look (LeatInputFile *input, gboolean *deep, guint *orientation, GError **error)
{
  LeatImageTiff self = { .input = input };
  TIFF *tiff = leat_image_tiff_open (&self);
  gboolean good;

  if (tiff == NULL)
    return FALSE;
  *deep = leat_image_tiff_is_deep (tiff);
  *orientation = leat_image_tiff_get (tiff, TIFFTAG_ORIENTATION);
  good = !*deep || leat_image_tiff_check (tiff, input, error);
  TIFFClose (tiff);
  return good;
}

/* From the last to the first, since they are in the same memory. */
static void
leat_image_tiff_widen (guint16 *samples, gsize n)
{
  for (gsize i = n; i-- > 0;)
    samples[i] = (guint16) (((guint8 *) samples)[i] * 257);
}

static gboolean
leat_image_tiff_read_rows (TIFF *tiff, LeatImageDeep *picture)
{
  gsize row = (gsize) picture->width * picture->channels;
  gboolean inverse = leat_image_tiff_get (tiff, TIFFTAG_PHOTOMETRIC) == PHOTOMETRIC_MINISWHITE;
  gboolean wide = leat_image_tiff_get (tiff, TIFFTAG_BITSPERSAMPLE) == 16;

  if ((gsize) TIFFScanlineSize (tiff) != row * (wide ? 2 : 1))
    return FALSE;
  for (guint y = 0; y < picture->height; y++)
    {
      guint16 *to = picture->samples + y * row;

      if (TIFFReadScanline (tiff, to, y, 0) < 0)
        return FALSE;
      if (!wide)
        leat_image_tiff_widen (to, row);
      for (gsize x = 0; inverse && x < row; x += picture->channels)
        to[x] = (guint16) ~to[x];
    }
  return TRUE;
}

LeatImageDeep *
leat_image_tiff_read (LeatInputFile *input, GError **error)
{
  LeatImageTiff self = { .input = input };
  TIFF *tiff = leat_image_tiff_open (&self);
  g_autoptr (LeatImageDeep) picture = NULL;
  guint32 width = 0, height = 0;
  gboolean whole;

  if (tiff == NULL)
    {
      g_set_error (
        error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
        "cannot read \"%s\" as a picture: it is not a TIFF file any more; nothing may write to it while it is "
        "read",
        leat_input_file_get_path (input));
      return NULL;
    }
  if (!leat_image_tiff_check (tiff, input, error))
    {
      TIFFClose (tiff);
      return NULL;
    }
  TIFFGetField (tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField (tiff, TIFFTAG_IMAGELENGTH, &height);
  picture = leat_image_deep_new (input, width, height, leat_image_tiff_get (tiff, TIFFTAG_SAMPLESPERPIXEL), error);
  whole = picture != NULL && leat_image_tiff_read_rows (tiff, picture);
  TIFFClose (tiff);
  if (whole)
    return g_steal_pointer (&picture);
  if (picture != NULL)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                 "cannot read \"%s\" as a picture: its rows are not all there; it was cut short or damaged",
                 leat_input_file_get_path (input));
  return NULL;
}
