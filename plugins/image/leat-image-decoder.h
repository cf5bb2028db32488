/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-input-file.h"

#include <gdk-pixbuf/gdk-pixbuf.h>

G_BEGIN_DECLS

/* Reads the head of the picture in @input: its size, refused with LEAT_GRAPH_ERROR_DATA when it has more than
 * @max_pixels.  Nothing is decoded. */
gboolean leat_image_decoder_measure (LeatInputFile *input, guint64 max_pixels, guint *width, guint *height,
                                     GError **error);
/* Says that the picture has changed since the pipeline was planned. */
void leat_image_decoder_refuse_size (LeatInputFile *input, guint width, guint height, guint planned_width,
                                     guint planned_height, GError **error);
/* Decodes the picture in @input, which must be of the size that was measured: a file that says something else now is
 * refused before memory is taken for it. (transfer full) */
GdkPixbuf *leat_image_decoder_decode (LeatInputFile *input, guint width, guint height, GCancellable *cancellable,
                                      GError **error);

G_END_DECLS
