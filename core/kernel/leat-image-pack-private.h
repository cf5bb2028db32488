/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-image-internal-private.h"

G_BEGIN_DECLS

/* The images that come with a plugin, in one file of sections: an image for each text, form and target.
 * docs/reference/artifact.md has its form. */

#define LEAT_IMAGE_PACK_SUFFIX ".leati"
#define LEAT_IMAGE_PACK_KIND   LEAT_SECTION_WORD ('p', 'a', 'c', 'k')

/* Types of its sections. */
#define LEAT_IMAGE_PACK_FACT                                                                                           \
  LEAT_SECTION_WORD ('f', 'a', 'c', 't') /* "kernels", as LEAT_KERNEL_IDENTITY; "targets", the best first */
#define LEAT_IMAGE_PACK_IMAGE LEAT_SECTION_WORD ('i', 'm', 'a', 'g') /* "KEY TARGET FORM NAME", compressed */

/* Hexadecimal. */
typedef char LeatImageKeyName[2 * sizeof (LeatImageKey) + 1];

void leat_image_key_format (const LeatImageKey *key, LeatImageKeyName name);

/* Of an image, as it stands in a pack. */
GBytes *leat_image_deflate (GBytes *image);

/* From the first pack in @folders, NULL-terminated, that has one which runs on @target. A pack that cannot be taken is
 * told of once. (transfer full) (nullable) */
GBytes *leat_image_packs_find (char **folders, LeatKernelSource *source, const LeatImageTarget *target);

G_END_DECLS
