/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-image-deep.h"

G_BEGIN_DECLS

/* The greatest value that a PGM or PPM file's samples may have, 0 where it is no such file. */
guint leat_image_pnm_look (LeatInputFile *input);
/* One whose samples have more than 8 bits, scaled to 16. */
LeatImageDeep *leat_image_pnm_read (LeatInputFile *input, GCancellable *cancellable, GError **error);

G_END_DECLS
