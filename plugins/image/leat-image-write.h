/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_IMAGE_WRITE (leat_image_write_get_type ())
G_DECLARE_FINAL_TYPE (LeatImageWrite, leat_image_write, LEAT, IMAGE_WRITE, LeatEndpoint)

extern const LeatNodeInfo leat_image_write_info;

G_END_DECLS
