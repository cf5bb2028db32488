/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-input-file.h"

G_BEGIN_DECLS

/* For a picture that could not be read: TRUE and an error where that is because something lies between the palette of a
 * BMP file and its pixels, which GdkPixbuf does not pass over. */
gboolean leat_image_bmp_refuse_gap (LeatInputFile *input, GError **error);

G_END_DECLS
