/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_TEXT_REPORT (leat_text_report_get_type ())
G_DECLARE_FINAL_TYPE (LeatTextReport, leat_text_report, LEAT, TEXT_REPORT, LeatEndpoint)

extern const LeatNodeInfo leat_text_report_info;

G_END_DECLS
