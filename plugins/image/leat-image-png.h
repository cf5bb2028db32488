/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-image-deep.h"

G_BEGIN_DECLS

/* A PNG file of 16 bits a sample, which GdkPixbuf would cut to 8, from the beginning of @input. */
LeatImageDeep *leat_image_png_read (LeatInputFile *input, GCancellable *cancellable, GError **error);

G_END_DECLS
