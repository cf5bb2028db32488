/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-image-read.h"

#include "leat-file-role.h"
#include "leat-image-decoder.h"
#include "leat-image-pixels.h"

/**
 * LeatImageRead:
 *
 * A source that gives one picture, the node `image:read`.
 *
 * The size comes from the file's head when the pipeline is planned; the picture is decoded when it is needed, straight
 * into the session's memory.
 */
struct _LeatImageRead
{
  LeatEndpoint parent_instance;

  char *path;
  guint64 channels;
  guint64 max_pixels;

  LeatInputFile *input;
};

G_DEFINE_FINAL_TYPE (LeatImageRead, leat_image_read, LEAT_TYPE_ENDPOINT)

static LeatInputFile *
leat_image_read_open (LeatImageRead *self, GError **error)
{
  g_autofree char *path = leat_file_role_dup_path (LEAT_NODE (self), self->path);
  g_autoptr (LeatInputFile) input = NULL;

  if (!leat_input_file_check (path, error))
    return NULL;
  input = leat_input_file_open (path, error);
  if (input == NULL || (leat_input_file_is_regular (input) && !g_str_equal (path, "-")))
    return g_steal_pointer (&input);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO,
               "cannot read \"%s\" as a picture: it is no regular file; save the picture to a file first",
               leat_input_file_get_path (input));
  return NULL;
}

static gboolean
leat_image_read_prepare (LeatNode *node, GError **error)
{
  if (LEAT_IMAGE_READ (node)->channels != 2)
    return TRUE;
  g_set_error_literal (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                       "channels=2 is none of 1 (grey), 3 (RGB) and 4 (RGB and opacity)");
  return FALSE;
}

/* Grey is u8[h,w], or u8[h,w,1] where that is asked for. */
static LeatSpec *
leat_image_read_choose_spec (LeatImageRead *self, guint width, guint height, LeatSpec *allowed)
{
  const guint64 dims[] = { height, width, self->channels };
  gboolean deep = leat_spec_has_shape (allowed) && leat_spec_get_n_dims (allowed) == 3;

  return leat_spec_new (LEAT_DTYPE_U8, dims, self->channels > 1 || deep ? 3 : 2, FALSE);
}

static gboolean
leat_image_read_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatImageRead *self = LEAT_IMAGE_READ (node);
  g_autoptr (LeatInputFile) input = leat_image_read_open (self, error);
  g_autoptr (LeatSpec) allowed = NULL;
  g_autoptr (LeatSpec) spec = NULL;
  guint width, height;

  if (input == NULL || !leat_image_decoder_measure (input, self->max_pixels, &width, &height, error))
    return FALSE;
  allowed = leat_negotiation_get_allowed (negotiation, "out");
  spec = leat_image_read_choose_spec (self, width, height, allowed);
  return leat_negotiation_set_output (negotiation, "out", spec, error);
}

static gboolean
leat_image_read_start (LeatEndpoint *endpoint, GError **error)
{
  LeatImageRead *self = LEAT_IMAGE_READ (endpoint);

  self->input = leat_image_read_open (self, error);
  return self->input != NULL;
}

static LeatFlow
leat_image_read_fill (LeatEndpoint *endpoint, LeatView *view, gboolean wait, GCancellable *cancellable, GError **error)
{
  LeatImageRead *self = LEAT_IMAGE_READ (endpoint);
  g_autoptr (GdkPixbuf) pixbuf = NULL;

  if (self->input == NULL)
    return LEAT_FLOW_END;
  pixbuf = leat_image_decoder_decode (self->input, (guint) leat_spec_get_dim (view->spec, 1),
                                      (guint) leat_spec_get_dim (view->spec, 0), cancellable, error);
  g_clear_pointer (&self->input, leat_input_file_free);
  if (pixbuf == NULL)
    return LEAT_FLOW_ERROR;
  leat_image_pixels_get (pixbuf, (guint) self->channels, view->data);
  view->count = leat_spec_get_dim (view->spec, 0);
  return LEAT_FLOW_DATA;
}

static void
leat_image_read_stop (LeatEndpoint *endpoint)
{
  g_clear_pointer (&LEAT_IMAGE_READ (endpoint)->input, leat_input_file_free);
}

static void
leat_image_read_finalize (GObject *object)
{
  leat_image_read_stop (LEAT_ENDPOINT (object));
  G_OBJECT_CLASS (leat_image_read_parent_class)->finalize (object);
}

static const LeatProp leat_image_read_props[] = {
  { sizeof (LeatProp), "path", LEAT_PROP_PATH, LEAT_PROP_REQUIRED, offsetof (LeatImageRead, path),
    .blurb = "The picture: PNG, JPEG or another format that GdkPixbuf knows" },
  { sizeof (LeatProp), "channels", LEAT_PROP_UINT, 0, offsetof (LeatImageRead, channels), .def.u = 3, .min.u = 1,
    .max.u = 4, .blurb = "1: grey, 0.299 red + 0.587 green + 0.114 blue; 3: RGB; 4: RGB and opacity" },
  { sizeof (LeatProp), "max-pixels", LEAT_PROP_UINT, 0, offsetof (LeatImageRead, max_pixels), .def.u = 1 << 28,
    .min.u = 1, .blurb = "Pictures of more pixels are refused before they are decoded" },
};

static const LeatPortInfo leat_image_read_ports[] = {
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, LEAT_PORT_HOST, "u8",
    "The pixels, row after row: u8[height,width,channels]; u8[height,width] when grey" },
};

const LeatNodeInfo leat_image_read_info = {
  sizeof (LeatNodeInfo),
  "image:read",
  NULL,
  "Read a picture",
  "Gives one picture, then ends: u8[height,width,3], or as channels= says.  Grey is u8[height,width], or "
  "u8[height,width,1] where out= or the link asks for it.  Opacity is left out, or 255 where the file has none.  Of an "
  "animation it is the first frame; a turn that is only noted in the file is not made.\n\n"
  "Example: image:read path=photo.jpg channels=1 + upload + map expr=255-x + readback + image:write path=negative.png",
  leat_image_read_props,
  G_N_ELEMENTS (leat_image_read_props),
  leat_image_read_ports,
  G_N_ELEMENTS (leat_image_read_ports),
  leat_image_read_get_type,
};

static void
leat_image_read_class_init (LeatImageReadClass *klass)
{
  LeatEndpointClass *endpoint_class = LEAT_ENDPOINT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_image_read_finalize;
  LEAT_NODE_CLASS (klass)->prepare = leat_image_read_prepare;
  LEAT_NODE_CLASS (klass)->negotiate = leat_image_read_negotiate;
  endpoint_class->start = leat_image_read_start;
  endpoint_class->fill = leat_image_read_fill;
  endpoint_class->stop = leat_image_read_stop;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_image_read_info);
}

static void
leat_image_read_init (LeatImageRead *self)
{
}
