/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_TEXT_SCAN (leat_text_scan_get_type ())
G_DECLARE_FINAL_TYPE (LeatTextScan, leat_text_scan, LEAT, TEXT_SCAN, LeatNode)

extern const LeatNodeInfo leat_text_scan_info;

G_END_DECLS
