/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_BASE_UPLOAD (leat_base_upload_get_type ())
G_DECLARE_FINAL_TYPE (LeatBaseUpload, leat_base_upload, LEAT, BASE_UPLOAD, LeatNode)

extern const LeatNodeInfo leat_base_upload_info;

G_END_DECLS
