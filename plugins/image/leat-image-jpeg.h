/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-input-file.h"

G_BEGIN_DECLS

/* Is every pixel of a JPEG file in it?  libjpeg makes up what is missing and only warns, and GdkPixbuf passes no
 * warnings on.  Reads @input from its beginning; the error names it. */
gboolean leat_image_jpeg_check (LeatInputFile *input, GCancellable *cancellable, GError **error);

G_END_DECLS
