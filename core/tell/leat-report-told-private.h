/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "lane/leat-lane-report-private.h"

G_BEGIN_DECLS

/* The facts of a report, kept for when its plan may be gone. */
typedef struct _LeatReportTold LeatReportTold;
LeatReportTold *leat_report_told_new (const LeatReport *report);
LeatReportTold *leat_report_told_ref (LeatReportTold *self);
void leat_report_told_unref (LeatReportTold *self);
GVariant *leat_report_told_get_details (LeatReportTold *self);

G_END_DECLS
