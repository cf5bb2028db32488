/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_IMAGE_READ (leat_image_read_get_type ())
G_DECLARE_FINAL_TYPE (LeatImageRead, leat_image_read, LEAT, IMAGE_READ, LeatEndpoint)

extern const LeatNodeInfo leat_image_read_info;

G_END_DECLS
