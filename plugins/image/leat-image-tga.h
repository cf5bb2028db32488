/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-input-file.h"

#include <gdk-pixbuf/gdk-pixbuf.h>

G_BEGIN_DECLS

/* Puts right what GdkPixbuf makes of a TGA file's colours; what it cannot be told from that is refused. */
gboolean leat_image_tga_mend (GdkPixbuf *pixbuf, LeatInputFile *input, GError **error);

G_END_DECLS
