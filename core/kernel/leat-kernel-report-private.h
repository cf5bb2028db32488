/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-source-private.h"
#include "leat-kernel-transform-private.h"

G_BEGIN_DECLS

#define LEAT_REPORT_WORD "LEAT_REPORT"

/* @data: a LeatReportCode */
void leat_report_code_clear (gpointer data);

GArray *leat_report_codes_new (void);

/* TRUE at `LEAT_REPORT (...)`, with its last token. */
gboolean leat_kernel_unit_skip_report (const LeatKernelUnit *self, guint first, guint *last);
/* Fills unit->reports, and refuses functions that report and cannot. */
gboolean leat_kernel_unit_read_reports (LeatKernelUnit *self, GError **error);
/* (nullable) */
const LeatReportCode *leat_kernel_unit_find_report (const LeatKernelUnit *self, guint code);
gboolean leat_kernel_unit_mentions_reports (const LeatKernelUnit *self);
/* Does the kernel @decl, its variant, or what they call report? */
gboolean leat_kernel_unit_reports (const LeatKernelUnit *self, LeatKernelCalls *calls, const LeatDecl *decl);
/* The text before that of kernels that report, with the device header @header; empty for others. */
char *leat_kernel_unit_dup_report_text (const LeatKernelUnit *self, const char *header);
void leat_kernel_unit_edit_report (const LeatKernelUnit *self, GArray *edits, const LeatDecl *decl);

G_END_DECLS
