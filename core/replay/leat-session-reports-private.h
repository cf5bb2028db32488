/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-private.h"

G_BEGIN_DECLS

/* The reports of kernels in a run, and their handling (leat-session-reports.c, leat-report-told.c). */

/* After a run: kernels may have reported, and then the run may have failed. */
gboolean leat_session_check_reports (LeatSession *self, LeatSessionFlight *flight, GError **error);
gboolean leat_session_drop_reports (LeatSession *self, LeatLane *lane, GError **error);
gboolean leat_session_take_entry_reports (LeatSession *self, LeatLane *wide, guint index, guint entry, guint64 run,
                                          GError **error);
void leat_session_tell_entry_reports (LeatSession *self, GArray *reports, gboolean all);
/* When all entries of a batch are done. */
void leat_session_end_entry_reports (LeatSession *self);
/* That there are more @what than messages were posted. */
void leat_session_post_left_out (LeatSession *self, LeatSessionError code, const char *what, guint left_out);
void leat_session_post_refusal (LeatSession *self, const GError *error);
GArray *leat_session_totals_new (void);
void leat_session_clear_reports (LeatSession *self);
GVariant *leat_session_print_reports (LeatSession *self);
GVariant *leat_session_dup_refusal (LeatSession *self);
GVariant *leat_session_steal_refusal (LeatSession *self);
void leat_session_take_refusal (LeatSession *self, GVariant *refusal);
/* Of what went wrong with a queue (leat-session-queues.c). */
gboolean leat_report_is_error (const LeatReport *self);
char *leat_report_dup_text (const LeatReport *self);
GError *leat_report_make_error (const LeatReport *self);
/* The facts of a report, kept for when its plan may be gone. */
typedef struct _LeatReportTold LeatReportTold;
LeatReportTold *leat_report_told_new (const LeatReport *report);
LeatReportTold *leat_report_told_ref (LeatReportTold *self);
void leat_report_told_unref (LeatReportTold *self);
GVariant *leat_report_told_get_details (LeatReportTold *self);
gboolean leat_queue_report_is_error (const LeatReport *self);
char *leat_queue_report_dup_text (const LeatReport *self);
GError *leat_queue_report_make_error (const LeatReport *self);
void leat_queue_report_add_details (const LeatReport *self, GVariantDict *dict);

G_END_DECLS
