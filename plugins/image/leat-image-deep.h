/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-input-file.h"

G_BEGIN_DECLS

/* A picture whose samples have 16 bits, of 1 (grey), 2 (grey and opacity), 3 or 4 channels, row after row. */
typedef struct
{
  guint width, height, channels;
  guint16 *samples;
} LeatImageDeep;

void leat_image_deep_free (LeatImageDeep *self);
/* Takes memory for a picture of a size that was planned; @input is for the message. */
LeatImageDeep *leat_image_deep_new (LeatInputFile *input, guint width, guint height, guint channels, GError **error);

/* The pixels of @channels channels, as leat_image_pixels_get () has them, in all their bits. */
void leat_image_deep_get (const LeatImageDeep *self, guint channels, guint16 *to);
/* The same in 8 bits, the upper ones; how many samples of those channels lose something. */
guint64 leat_image_deep_narrow (const LeatImageDeep *self, guint channels, guint8 *to);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatImageDeep, leat_image_deep_free)

G_END_DECLS
