/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-image-deep.h"

G_BEGIN_DECLS

/* Facts about a picture that GdkPixbuf does not tell. */
typedef struct
{
  enum
  {
    LEAT_IMAGE_OTHER,
    LEAT_IMAGE_PNG,
    LEAT_IMAGE_JPEG,
    LEAT_IMAGE_TIFF,
    LEAT_IMAGE_PNM
  } kind;
  gboolean deep;       /* samples that GdkPixbuf would change, mostly of more than 8 bits */
  guint turn;          /* that the file asks for */
  gboolean arithmetic; /* a JPEG file with that coding */
} LeatImageHead;

/* Looks at the head of @input, and leaves what is read next as it is. */
gboolean leat_image_head_read (LeatImageHead *self, LeatInputFile *input, GError **error);
/* The pixels of a deep picture, from the beginning of @input. */
LeatImageDeep *leat_image_head_decode (const LeatImageHead *self, LeatInputFile *input, GCancellable *cancellable,
                                       GError **error);

G_END_DECLS
