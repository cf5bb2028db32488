/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its life, its properties, and the file that it writes. */

#include "leat-image-write.h"

#include "leat-file-role.h"
#include "leat-image-pixels.h"

/**
 * LeatImageWrite:
 *
 * A sink that writes one picture, the node `image:write`.
 *
 * The file appears under its name when the stream has ended well.
 */
struct _LeatImageWrite
{
  LeatEndpoint parent_instance;

  char *path;
  int format;
  guint64 quality;

  LeatOutputFile *output;
  gboolean written;
};

enum
{
  LEAT_IMAGE_FORMAT_AUTO,
  LEAT_IMAGE_FORMAT_PNG,
  LEAT_IMAGE_FORMAT_JPEG
};

static const char *const leat_image_write_formats[] = { "auto", "png", "jpeg", NULL };

G_DEFINE_FINAL_TYPE (LeatImageWrite, leat_image_write, LEAT_TYPE_ENDPOINT)

/* The word by which GdkPixbuf knows the format, or NULL. */
static const char *
leat_image_write_find_format (LeatImageWrite *self)
{
  g_autofree char *lower = g_ascii_strdown (self->path, -1);

  if (self->format != LEAT_IMAGE_FORMAT_AUTO)
    return leat_image_write_formats[self->format];
  if (g_str_has_suffix (lower, ".png"))
    return leat_image_write_formats[LEAT_IMAGE_FORMAT_PNG];
  if (g_str_has_suffix (lower, ".jpg") || g_str_has_suffix (lower, ".jpeg"))
    return leat_image_write_formats[LEAT_IMAGE_FORMAT_JPEG];
  return NULL;
}

static gboolean
leat_image_write_prepare (LeatNode *node, GError **error)
{
  LeatImageWrite *self = LEAT_IMAGE_WRITE (node);

  if (self->path == NULL || leat_image_write_find_format (self) != NULL)
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING,
               "cannot tell the format of \"%s\" from its name; end it with .png, .jpg or .jpeg, or set format=png or "
               "format=jpeg",
               self->path);
  return FALSE;
}

/* u8[h,w] has no channel dimension and one channel; 0 for what is no picture. */
static guint
leat_image_write_get_channels (LeatSpec *spec)
{
  guint n_dims = leat_spec_get_n_dims (spec);
  guint64 channels = n_dims == 2 ? 1 : n_dims == 3 ? leat_spec_get_dim (spec, 2) : 0;

  return channels == 1 || channels == 3 || channels == 4 ? (guint) channels : 0;
}

static gboolean
leat_image_write_refuse (LeatSpec *spec, const char *why, GError **error)
{
  g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);

  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "%s cannot be written as a picture: %s", text, why);
  return FALSE;
}

static gboolean
leat_image_write_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatImageWrite *self = LEAT_IMAGE_WRITE (node);
  LeatSpec *spec = leat_negotiation_get_input (negotiation, "in");
  gboolean jpeg = g_strcmp0 (leat_image_write_find_format (self), "jpeg") == 0;
  guint64 longest = jpeg ? 65500 : G_MAXINT32 / 4;

  if (leat_spec_is_bounded (spec) || leat_image_write_get_channels (spec) == 0)
    return leat_image_write_refuse (spec, "it takes u8[height,width], or u8[height,width,channels] of 1, 3 or 4",
                                    error);
  if (jpeg && leat_image_write_get_channels (spec) == 4)
    return leat_image_write_refuse (spec, "a JPEG file has no opacity; write a PNG file", error);
  if (leat_spec_get_dim (spec, 0) > longest || leat_spec_get_dim (spec, 1) > longest)
    return leat_image_write_refuse (spec, "it is too large for the format", error);
  return TRUE;
}

static gboolean
leat_image_write_check_output (LeatEndpoint *endpoint, GError **error)
{
  g_autofree char *path = leat_file_role_dup_path (LEAT_NODE (endpoint), LEAT_IMAGE_WRITE (endpoint)->path);

  return leat_output_file_check (path, error);
}

static gboolean
leat_image_write_start (LeatEndpoint *endpoint, GError **error)
{
  LeatImageWrite *self = LEAT_IMAGE_WRITE (endpoint);
  g_autofree char *path = leat_file_role_dup_path (LEAT_NODE (self), self->path);

  self->written = FALSE;
  self->output = leat_output_file_open (path, error);
  return self->output != NULL;
}

static gboolean
leat_image_write_save_part (const char *bytes, gsize size, GError **error, gpointer data)
{
  return leat_output_file_write (data, bytes, size, NULL, error);
}

static gboolean
leat_image_write_save (LeatImageWrite *self, GdkPixbuf *pixbuf, GError **error)
{
  const char *format = leat_image_write_find_format (self);
  g_autofree char *quality = g_strdup_printf ("%" G_GUINT64_FORMAT, self->quality);
  char *jpeg_keys[] = { (char *) "quality", NULL };
  char *jpeg_values[] = { quality, NULL };
  gboolean jpeg = g_str_equal (format, "jpeg");
  g_autoptr (GError) inner = NULL;

  if (gdk_pixbuf_save_to_callbackv (pixbuf, leat_image_write_save_part, self->output, format, jpeg ? jpeg_keys : NULL,
                                    jpeg ? jpeg_values : NULL, &inner))
    return TRUE;
  if (inner->domain == LEAT_GRAPH_ERROR || inner->domain == G_IO_ERROR)
    g_propagate_error (error, g_steal_pointer (&inner));
  else
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "cannot write \"%s\" as %s: %s",
                 leat_output_file_get_path (self->output), format, inner->message);
  return FALSE;
}

static gboolean
leat_image_write_drain (LeatEndpoint *endpoint, const LeatView *view, GCancellable *cancellable, GError **error)
{
  LeatImageWrite *self = LEAT_IMAGE_WRITE (endpoint);
  guint channels = leat_image_write_get_channels (view->spec);
  g_autoptr (GdkPixbuf) pixbuf = NULL;

  if (self->written)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO,
                   "\"%s\" has its picture and a second one came; one file holds one, write several to io:npy",
                   leat_output_file_get_path (self->output));
      return FALSE;
    }
  pixbuf = gdk_pixbuf_new (GDK_COLORSPACE_RGB, channels == 4, 8, (int) leat_spec_get_dim (view->spec, 1),
                           (int) leat_spec_get_dim (view->spec, 0));
  if (pixbuf == NULL)
    return leat_image_write_refuse (view->spec, "there is not enough memory to encode it", error);
  leat_image_pixels_set (pixbuf, channels, view->data);
  self->written = leat_image_write_save (self, pixbuf, error);
  return self->written;
}

static gboolean
leat_image_write_finish (LeatEndpoint *endpoint, GError **error)
{
  LeatImageWrite *self = LEAT_IMAGE_WRITE (endpoint);

  if (self->written)
    return leat_output_file_commit (self->output, error);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
               "the stream ended before a picture for \"%s\" came; nothing is written",
               leat_output_file_get_path (self->output));
  return FALSE;
}

static void
leat_image_write_stop (LeatEndpoint *endpoint)
{
  g_clear_pointer (&LEAT_IMAGE_WRITE (endpoint)->output, leat_output_file_free);
}

static void
leat_image_write_unblock (LeatEndpoint *endpoint)
{
  LeatImageWrite *self = LEAT_IMAGE_WRITE (endpoint);

  if (self->output != NULL)
    leat_output_file_wake (self->output);
}

static const LeatProp leat_image_write_props[] = {
  { sizeof (LeatProp), "path", LEAT_PROP_PATH, LEAT_PROP_REQUIRED, offsetof (LeatImageWrite, path),
    .blurb = "File to write; -: standard output" },
  { sizeof (LeatProp), "format", LEAT_PROP_CHOICE, 0, offsetof (LeatImageWrite, format),
    .def.i = LEAT_IMAGE_FORMAT_AUTO, .choices = leat_image_write_formats, .blurb = "auto: by the ending of the name" },
  { sizeof (LeatProp), "quality", LEAT_PROP_UINT, 0, offsetof (LeatImageWrite, quality), .def.u = 90, .min.u = 1,
    .max.u = 100, .blurb = "Quality of a JPEG file" },
};

static const LeatPortInfo leat_image_write_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, LEAT_PORT_HOST, "u8",
    "Pixels, row after row: u8[height,width], or u8[height,width,channels] with 1, 3 or "
    "4 channels" },
};

const LeatNodeInfo leat_image_write_info = {
  sizeof (LeatNodeInfo),
  "image:write",
  NULL,
  "Writes a picture as PNG or JPEG",
  "Takes one picture: grey as u8[height,width] or u8[height,width,1], RGB as "
  "u8[height,width,3], RGB and opacity as u8[height,width,4] (PNG only).  Grey is "
  "stored as RGB with equal parts.  The file appears under its name when the stream "
  "has ended well; after an error, an earlier file of that name is untouched.\n\n"
  "Example: image:read path=photo.jpg channels=1 + upload + map expr=255-x + readback "
  "+ image:write path=negative.png",
  leat_image_write_props,
  G_N_ELEMENTS (leat_image_write_props),
  leat_image_write_ports,
  G_N_ELEMENTS (leat_image_write_ports),
  leat_image_write_get_type,
};

static void
leat_image_write_class_init (LeatImageWriteClass *klass)
{
  LeatEndpointClass *endpoint_class = LEAT_ENDPOINT_CLASS (klass);

  LEAT_NODE_CLASS (klass)->prepare = leat_image_write_prepare;
  LEAT_NODE_CLASS (klass)->negotiate = leat_image_write_negotiate;
  endpoint_class->check = leat_image_write_check_output;
  endpoint_class->start = leat_image_write_start;
  endpoint_class->drain = leat_image_write_drain;
  endpoint_class->finish = leat_image_write_finish;
  endpoint_class->stop = leat_image_write_stop;
  endpoint_class->unblock = leat_image_write_unblock;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_image_write_info);
}

static void
leat_image_write_init (LeatImageWrite *self)
{
}
