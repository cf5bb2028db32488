/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-image-deep.h"

G_BEGIN_DECLS

/* Looks at a TIFF file's first picture: whether its samples have 16 bits, which GdkPixbuf would cut to 8, or an opacity
 * that it would multiply the colours with, and how it is to be turned.  FALSE: it is none that libtiff reads, or @error
 * is set. */
gboolean leat_image_tiff_look (LeatInputFile *input, gboolean *deep, guint *orientation, GError **error);
/* Such a picture, its rows and columns as they are stored. */
LeatImageDeep *leat_image_tiff_read (LeatInputFile *input, GError **error);

G_END_DECLS
