/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Pictures by GdkPixbuf, for `image:read`: their size from the head, then their pixels.  Reads the input and gives a
 * new picture; files that are cut short are refused. */

#include "leat-image-decoder.h"

#include "leat-image-bmp.h"
#include "leat-image-jpeg.h"
#include "leat-image-tga.h"

#include <string.h>

#define LEAT_IMAGE_DECODER_STEP    (64 << 10) /* bytes given to the loader at once */
#define LEAT_IMAGE_DECODER_HEAD    128        /* the same while it has not told the size */
#define LEAT_IMAGE_DECODER_OVERLAP 8          /* the longest end, so that one is found that two steps share */

/* How whole files of a format end, if that can be told, and that their rows are told as they come.  For these, the
 * loader takes half a file as readily as a whole one.  So it does for JPEG, which has a check of its own. */
typedef struct
{
  const char *format;
  const char *end;
  gsize end_size;
} LeatImageEnd;

static const LeatImageEnd leat_image_ends[] = {
  { "png", "IEND\xae\x42\x60\x82", 8 },
  { "bmp", "", 0 },
  { "ico", "", 0 },
  { "pnm", "", 0 },
};

/* The loader tells a picture's size as soon as it knows, before it takes memory for the pixels.  A wanted size of 0 is
 * none: then the size is all that is asked for. */
typedef struct
{
  guint width, height;
  guint wanted_width, wanted_height;
  guint64 max_pixels;
  gboolean known;
  gboolean refused; /* known, and nothing more is to be read */
  guint ends_seen;  /* a bit for each of leat_image_ends, from the head on */
  guint rows;       /* that have been decoded, in any order */
} LeatImageSize;

static char *
leat_image_decoder_dup_format (GdkPixbufLoader *loader)
{
  GdkPixbufFormat *format = gdk_pixbuf_loader_get_format (loader);

  return format != NULL ? gdk_pixbuf_format_get_name (format) : NULL;
}

/* Loaders take no memory for a picture of no size; this is how one is stopped.  GdkPixbuf prints that these two have a
 * bug when they are: they take the memory, and give it back when they get no bytes to put there. */
static void
leat_image_decoder_stop (GdkPixbufLoader *loader, const LeatImageSize *size)
{
  g_autofree char *format = leat_image_decoder_dup_format (loader);
  gboolean warns = g_strcmp0 (format, "pnm") == 0 || g_strcmp0 (format, "tga") == 0;

  if (!warns || (guint64) size->width * size->height > size->max_pixels)
    gdk_pixbuf_loader_set_size (loader, 0, 0);
}

static void
leat_image_decoder_prepared (GdkPixbufLoader *loader, int width, int height, gpointer data)
{
  LeatImageSize *size = data;

  size->width = (guint) MAX (width, 0);
  size->height = (guint) MAX (height, 0);
  size->known = TRUE;
  size->refused = size->width != size->wanted_width || size->height != size->wanted_height;
  if (size->refused)
    leat_image_decoder_stop (loader, size);
}

static void
leat_image_decoder_updated (GdkPixbufLoader *loader, int x, int y, int width, int height, gpointer data)
{
  LeatImageSize *size = data;

  size->rows += (guint) height;
}

/* The end counts from the head on: what is before it, a thumbnail say, may have one of its own.  Loaders of other
 * formats see themselves that something is missing. */
static gboolean
leat_image_decoder_has_end (const LeatImageSize *size, const char *format)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_image_ends); i++)
    if (g_strcmp0 (format, leat_image_ends[i].format) == 0)
      return size->rows >= size->height && (size->ends_seen >> i) & 1;
  return TRUE;
}

/* Is it all there? */
static gboolean
leat_image_decoder_check_whole (const LeatImageSize *size, GdkPixbufLoader *loader, LeatInputFile *input,
                                GCancellable *cancellable, GError **error)
{
  g_autofree char *format = leat_image_decoder_dup_format (loader);

  if (g_strcmp0 (format, "tga") == 0)
    return leat_image_tga_mend (gdk_pixbuf_loader_get_pixbuf (loader), input, error);
  if (g_strcmp0 (format, "jpeg") == 0)
    return leat_image_jpeg_check (input, cancellable, error);
  if (leat_image_decoder_has_end (size, format))
    return TRUE;
  if (leat_image_bmp_refuse_gap (input, error))
    return FALSE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
               "cannot read \"%s\" as a picture: only %u of %u rows came, or its end is missing; it was cut short",
               leat_input_file_get_path (input), MIN (size->rows, size->height), size->height);
  return FALSE;
}

static guint
leat_image_decoder_find_ends (const guint8 *bytes, gsize n)
{
  guint seen = 0;

  for (guint i = 0; i < G_N_ELEMENTS (leat_image_ends); i++)
    if (memmem (bytes, n, leat_image_ends[i].end, leat_image_ends[i].end_size) != NULL)
      seen |= 1u << i;
  return seen;
}

/* Numbers in a text, P1 to P3: the loader takes the last one when it sees what is behind it, which may be nothing. */
static gboolean
leat_image_decoder_end_text (GdkPixbufLoader *loader, LeatInputFile *input, GError **error)
{
  guint8 begin[2];

  if (leat_input_file_peek (input, 0, begin, sizeof begin) < sizeof begin || begin[0] != 'P' || begin[1] < '1'
      || begin[1] > '3')
    return TRUE;
  return gdk_pixbuf_loader_write (loader, (const guint8 *) "\n", 1, error);
}

static gboolean
leat_image_decoder_feed (GdkPixbufLoader *loader, LeatImageSize *size, LeatInputFile *input, GCancellable *cancellable,
                         GError **error)
{
  g_autofree guint8 *bytes = g_malloc0 (LEAT_IMAGE_DECODER_OVERLAP + LEAT_IMAGE_DECODER_STEP);
  guint8 *step = bytes + LEAT_IMAGE_DECODER_OVERLAP;
  gsize got;

  while (!size->refused)
    {
      gsize most = size->known ? LEAT_IMAGE_DECODER_STEP : LEAT_IMAGE_DECODER_HEAD;
      gboolean was_known = size->known;
      LeatFlow flow = leat_input_file_read (input, step, most, &got, TRUE, cancellable, error);

      if (flow != LEAT_FLOW_DATA)
        return flow == LEAT_FLOW_END && leat_image_decoder_end_text (loader, input, error);
      if (!gdk_pixbuf_loader_write (loader, step, got, error))
        return FALSE;
      /* The loader keeps the first bytes to itself, and all of a small file until the end. */
      if (!was_known && size->known)
        size->ends_seen = 0;
      size->ends_seen |= leat_image_decoder_find_ends (bytes, LEAT_IMAGE_DECODER_OVERLAP + got);
      memmove (bytes, bytes + got, LEAT_IMAGE_DECODER_OVERLAP);
    }
  return TRUE;
}

/* Each format's library words the loader's errors in its own way.  Said here are the file, and what would help. */
static gboolean
leat_image_decoder_explain (LeatInputFile *input, GError *inner, GError **error)
{
  g_autoptr (GError) owned = inner;
  guint8 begin[LEAT_FILE_KIND_BYTES];
  const LeatFileKind *kind = leat_file_kind_find (begin, leat_input_file_peek (input, 0, begin, sizeof begin));

  if (inner != NULL && inner->domain != GDK_PIXBUF_ERROR)
    g_propagate_error (error, g_steal_pointer (&owned));
  else if (leat_image_bmp_refuse_gap (input, error))
    return FALSE;
  else if (kind != NULL && g_strcmp0 (kind->node, "image:read") != 0)
    {
      g_autofree char *advice = leat_file_kind_dup_advice (kind, leat_input_file_get_path (input));

      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "cannot read \"%s\" as a picture: it is %s%s",
                   leat_input_file_get_path (input), kind->name, advice);
    }
  else
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                 "cannot read \"%s\" as a picture: %s; it must be a whole PNG, JPEG or other file that GdkPixbuf "
                 "knows",
                 leat_input_file_get_path (input), inner != NULL ? inner->message : "it has no size");
  return FALSE;
}

gboolean
leat_image_decoder_measure (LeatInputFile *input, guint64 max_pixels, guint *width, guint *height, GError **error)
{
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new ();
  LeatImageSize size = { .max_pixels = max_pixels };
  GError *inner = NULL;
  guint64 pixels;

  g_signal_connect (loader, "size-prepared", G_CALLBACK (leat_image_decoder_prepared), &size);
  leat_image_decoder_feed (loader, &size, input, NULL, &inner);
  /* A loader that was stopped has something to say about it, which nobody asked. */
  gdk_pixbuf_loader_close (loader, size.known || inner != NULL ? NULL : &inner);
  if (!size.known || size.width == 0 || size.height == 0)
    return leat_image_decoder_explain (input, inner, error);
  g_clear_error (&inner);
  *width = size.width;
  *height = size.height;
  pixels = (guint64) size.width * size.height;
  if (pixels <= max_pixels)
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
               "cannot read \"%s\": %ux%u are %" G_GUINT64_FORMAT " pixels, and max-pixels is %" G_GUINT64_FORMAT
               "; raise it if the file can be trusted",
               leat_input_file_get_path (input), size.width, size.height, pixels, max_pixels);
  return FALSE;
}

void
leat_image_decoder_refuse_size (LeatInputFile *input, guint width, guint height, guint planned_width,
                                guint planned_height, GError **error)
{
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
               "\"%s\" is a picture of %ux%u now, and was %ux%u when the pipeline was planned",
               leat_input_file_get_path (input), width, height, planned_width, planned_height);
}

GdkPixbuf *
leat_image_decoder_decode (LeatInputFile *input, guint width, guint height, GCancellable *cancellable, GError **error)
{
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new ();
  LeatImageSize size = { .wanted_width = width, .wanted_height = height };
  GError *inner = NULL;
  GdkPixbuf *pixbuf;
  gboolean fed;

  g_signal_connect (loader, "size-prepared", G_CALLBACK (leat_image_decoder_prepared), &size);
  g_signal_connect (loader, "area-updated", G_CALLBACK (leat_image_decoder_updated), &size);
  fed = leat_image_decoder_feed (loader, &size, input, cancellable, &inner);
  if (!gdk_pixbuf_loader_close (loader, fed ? &inner : NULL))
    fed = FALSE;
  if (size.refused)
    {
      g_clear_error (&inner);
      leat_image_decoder_refuse_size (input, size.width, size.height, width, height, error);
      return NULL;
    }
  pixbuf = fed ? gdk_pixbuf_loader_get_pixbuf (loader) : NULL;
  if (pixbuf == NULL || gdk_pixbuf_get_width (pixbuf) != (int) width || gdk_pixbuf_get_height (pixbuf) != (int) height)
    {
      leat_image_decoder_explain (input, inner, error);
      return NULL;
    }
  g_clear_error (&inner);
  return leat_image_decoder_check_whole (&size, loader, input, cancellable, error) ? g_object_ref (pixbuf) : NULL;
}
