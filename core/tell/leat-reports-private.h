/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-report-told-private.h"
#include "leat-told-private.h"
#include "lane/leat-batch-memory-private.h"
#include "lane/leat-lane-report-private.h"

G_BEGIN_DECLS

/* The reports of kernels in a run, and their handling (leat-reports.c). */

/* After a run: kernels may have reported, and then the run may have failed. */
gboolean leat_told_check_reports (LeatTold *self, LeatBatch *batch, LeatFlight *flight, GError **error);
gboolean leat_lane_drop_reports (LeatLane *lane, GError **error);
gboolean leat_told_take_entry_reports (LeatTold *self, LeatBatch *batch, LeatLane *wide, guint index, guint entry,
                                       guint64 run, GError **error);
void leat_told_tell_entry_reports (LeatTold *self, LeatBatch *batch, GArray *reports, gboolean all);
/* When all entries of a batch are done. */
void leat_told_end_entry_reports (LeatTold *self, const LeatBatch *batch);
/* That there are more @what than messages were posted. */
void leat_told_post_left_out (LeatTold *self, LeatSessionError code, const char *what, guint left_out);
void leat_told_post_refusal (LeatTold *self, const GError *error);
GArray *leat_report_totals_new (void);
void leat_told_clear_reports (LeatTold *self);
/* The counts of queues of all @lanes, from the device (leat-queue-totals.c). (transfer full); NULL on error */
GVariant *leat_told_read_queues (LeatTold *self, GPtrArray *lanes, GError **error);
/* As the last run in which there were any left them. (transfer full) */
GVariant *leat_told_dup_reports (LeatTold *self);
/* Sums of all runs since the opening.  Floating. */
GVariant *leat_told_print_reports (LeatTold *self);
/* The failure of the run that was refused last, as a dictionary, or NULL. (transfer full) */
GVariant *leat_told_dup_refusal (LeatTold *self);
GVariant *leat_told_steal_refusal (LeatTold *self);
void leat_told_take_refusal (LeatTold *self, GVariant *refusal);
/* One report in words (leat-report-told.c), */
gboolean leat_report_is_error (const LeatReport *self);
char *leat_report_dup_text (const LeatReport *self);
GError *leat_report_make_error (const LeatReport *self);
/* and one that says what went wrong with a queue (leat-queue-totals.c). */
gboolean leat_queue_report_is_error (const LeatReport *self);
char *leat_queue_report_dup_text (const LeatReport *self);
GError *leat_queue_report_make_error (const LeatReport *self);
void leat_queue_report_add_details (const LeatReport *self, GVariantDict *dict);

G_END_DECLS
