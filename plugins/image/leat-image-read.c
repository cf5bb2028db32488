/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its life, its properties, and the picture in the session's memory. */

#include "leat-image-read.h"

#include "leat-file-role.h"
#include "leat-image-decoder.h"
#include "leat-image-head.h"
#include "leat-image-pixels.h"
#include "leat-image-turn.h"

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
  gboolean upright;

  LeatInputFile *input;
  LeatImageHead head;
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
               "cannot read \"%s\" as a picture: it is not a regular file; save the picture to a file first",
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

/* Grey is u8[h,w], or u8[h,w,1] where that is asked for; so are 16 bits. */
static LeatSpec *
leat_image_read_choose_spec (LeatImageRead *self, guint width, guint height, LeatSpec *allowed)
{
  const guint64 dims[] = { height, width, self->channels };
  gboolean deep = leat_spec_has_shape (allowed) && leat_spec_get_n_dims (allowed) == 3;
  LeatDtype dtype = leat_spec_get_dtype (allowed) == LEAT_DTYPE_U16 ? LEAT_DTYPE_U16 : LEAT_DTYPE_U8;

  return leat_spec_new (dtype, dims, self->channels > 1 || deep ? 3 : 2, FALSE);
}

/* The size as it will be given. */
static gboolean
leat_image_read_measure (LeatImageRead *self, LeatInputFile *input, guint *width, guint *height, GError **error)
{
  guint swap;

  if (!leat_image_decoder_measure (input, self->max_pixels, width, height, error)
      || !leat_image_head_read (&self->head, input, error))
    return FALSE;
  if (!self->upright || !leat_image_turn_swaps (self->head.turn))
    return TRUE;
  swap = *width;
  *width = *height;
  *height = swap;
  return TRUE;
}

static gboolean
leat_image_read_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatImageRead *self = LEAT_IMAGE_READ (node);
  g_autoptr (LeatInputFile) input = leat_image_read_open (self, error);
  g_autoptr (LeatSpec) allowed = NULL;
  g_autoptr (LeatSpec) spec = NULL;
  guint width, height;

  if (input == NULL || !leat_image_read_measure (self, input, &width, &height, error))
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
  return self->input != NULL && leat_image_head_read (&self->head, self->input, error);
}

/* A file that says something else than it did is refused before memory is taken for it. */
static gboolean
leat_image_read_check_size (LeatImageRead *self, guint width, guint height, GError **error)
{
  guint is_width, is_height;

  if (!leat_image_decoder_measure (self->input, self->max_pixels, &is_width, &is_height, error))
    return FALSE;
  if (is_width == width && is_height == height)
    return TRUE;
  leat_image_decoder_refuse_size (self->input, is_width, is_height, width, height, error);
  return FALSE;
}

static void
leat_image_read_warn_of_lost (LeatImageRead *self, guint64 lost)
{
  if (lost > 0)
    leat_endpoint_warn (LEAT_ENDPOINT (self),
                        "\"%s\" has 16 bits a sample, and %" G_GUINT64_FORMAT " sample%s lose%s some of them in 8; set "
                        "out=u16 to have all",
                        leat_input_file_get_path (self->input), lost, lost > 1 ? "s" : "", lost > 1 ? "" : "s");
}

/* A picture of 16 bits, as it is stored, in what the run takes. */
static gboolean
leat_image_read_decode_deep (LeatImageRead *self, gboolean wide, guint width, guint height, gpointer to,
                             GCancellable *cancellable, GError **error)
{
  g_autoptr (LeatImageDeep) picture = NULL;

  if (!leat_image_read_check_size (self, width, height, error))
    return FALSE;
  picture = leat_image_head_decode (&self->head, self->input, cancellable, error);
  if (picture == NULL)
    return FALSE;
  if (wide)
    leat_image_deep_get (picture, (guint) self->channels, to);
  else
    leat_image_read_warn_of_lost (self, leat_image_deep_narrow (picture, (guint) self->channels, to));
  return TRUE;
}

/* From the last to the first, since they are in the same memory. */
static void
leat_image_read_widen (gpointer samples, gsize n)
{
  for (gsize i = n; i-- > 0;)
    ((guint16 *) samples)[i] = (guint16) (((guint8 *) samples)[i] * 257);
}

static gboolean
leat_image_read_decode (LeatImageRead *self, gboolean wide, guint width, guint height, gpointer to,
                        GCancellable *cancellable, GError **error)
{
  gsize n = (gsize) width * height * self->channels, size = self->channels * (wide ? 2 : 1);
  guint half = leat_image_turn_get_half (self->head.turn);
  g_autoptr (GdkPixbuf) pixbuf = NULL;
  g_autofree guint8 *copy = NULL;

  if (self->head.deep)
    return leat_image_read_decode_deep (self, wide, width, height, to, cancellable, error);
  pixbuf = leat_image_decoder_decode (self->input, width, height, cancellable, error);
  if (pixbuf == NULL)
    return FALSE;
  leat_image_pixels_get (pixbuf, (guint) self->channels, to);
  if (wide)
    leat_image_read_widen (to, n);
  if (self->head.kind != LEAT_IMAGE_TIFF || half == LEAT_IMAGE_TURN_NONE)
    return TRUE;
  copy = g_memdup2 (to, width * (gsize) height * size);
  leat_image_turn (half, width, height, size, copy, to);
  return TRUE;
}

static gboolean
leat_image_read_fill_view (LeatImageRead *self, LeatView *view, GCancellable *cancellable, GError **error)
{
  gboolean wide = leat_spec_get_dtype (view->spec) == LEAT_DTYPE_U16;
  guint height = (guint) leat_spec_get_dim (view->spec, 0), width = (guint) leat_spec_get_dim (view->spec, 1);
  gboolean turns = self->upright && self->head.turn != LEAT_IMAGE_TURN_NONE;
  gboolean swaps = turns && leat_image_turn_swaps (self->head.turn);
  g_autofree guint8 *stored = turns ? g_malloc (leat_spec_get_bytes (view->spec)) : NULL;
  guint stored_width = swaps ? height : width, stored_height = swaps ? width : height;

  if (!leat_image_read_decode (self, wide, stored_width, stored_height, turns ? stored : view->data, cancellable,
                               error))
    return FALSE;
  if (turns)
    leat_image_turn (self->head.turn, stored_width, stored_height, self->channels * (wide ? 2 : 1), stored, view->data);
  else if (self->head.turn != LEAT_IMAGE_TURN_NONE)
    leat_endpoint_warn (LEAT_ENDPOINT (self),
                        "\"%s\" says that it is to be turned (orientation %u), and comes as it is stored; set "
                        "upright=true to have it turned",
                        leat_input_file_get_path (self->input), self->head.turn);
  return TRUE;
}

static LeatFlow
leat_image_read_fill (LeatEndpoint *endpoint, LeatView *view, gboolean wait, GCancellable *cancellable, GError **error)
{
  LeatImageRead *self = LEAT_IMAGE_READ (endpoint);
  gboolean filled;

  if (self->input == NULL)
    return LEAT_FLOW_END;
  filled = leat_image_read_fill_view (self, view, cancellable, error);
  g_clear_pointer (&self->input, leat_input_file_free);
  view->count = leat_spec_get_dim (view->spec, 0);
  return filled ? LEAT_FLOW_DATA : LEAT_FLOW_ERROR;
}

static void
leat_image_read_stop (LeatEndpoint *endpoint)
{
  g_clear_pointer (&LEAT_IMAGE_READ (endpoint)->input, leat_input_file_free);
}

static const LeatProp leat_image_read_props[] = {
  { sizeof (LeatProp), "path", LEAT_PROP_PATH, LEAT_PROP_REQUIRED, offsetof (LeatImageRead, path),
    .blurb = "Picture: PNG, JPEG or another format that GdkPixbuf reads" },
  { sizeof (LeatProp), "channels", LEAT_PROP_UINT, 0, offsetof (LeatImageRead, channels), .def.u = 3, .min.u = 1,
    .max.u = 4,
    .blurb = "1: grey, 0.299 red + 0.587 green + 0.114 blue; 3: RGB, without opacity; 4: RGB and "
             "opacity, which is 255 if the file has none" },
  { sizeof (LeatProp), "max-pixels", LEAT_PROP_UINT, 0, offsetof (LeatImageRead, max_pixels), .def.u = 1 << 28,
    .min.u = 1, .blurb = "Larger pictures are refused before they are decoded" },
  { sizeof (LeatProp), "upright", LEAT_PROP_BOOL, 0, offsetof (LeatImageRead, upright),
    .blurb = "true: turn or mirror the picture as the TIFF file or its EXIF data ask; false: give "
             "the pixels as they are stored" },
};

static const LeatPortInfo leat_image_read_ports[] = {
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, LEAT_PORT_HOST, "any",
    "Pixels, row after row: u8[height,width,channels], or u8[height,width] for grey; u16 "
    "if that is asked for" },
};

const LeatNodeInfo leat_image_read_info = {
  sizeof (LeatNodeInfo),
  "image:read",
  NULL,
  "Reads a picture",
  "Gives one picture and ends: u8[height,width,3], or the form that channels= sets.  "
  "Grey is u8[height,width], or u8[height,width,1] if out= or the link asks for it.  "
  "With out=u16 a sample has 16 bits, and PNG, TIFF, PGM and PPM files give all of "
  "theirs.  An animation gives its first frame.\n\nExample: image:read path=photo.jpg "
  "channels=1 + upload + map expr=255-x + readback + image:write path=negative.png",
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
