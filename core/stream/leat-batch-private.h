/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session/leat-session-private.h"

G_BEGIN_DECLS

/* Many inputs in one call (leat-batch*.c). */

/* The request to leat_session_replay_batch (). */
typedef struct
{
  guint n;
  GPtrArray *inputs;  /* GBytes; NULL: in the staging memory */
  GPtrArray *results; /* GBytes; NULL: likewise */
  gboolean in_place;  /* the staging memory has a place for every entry */
  guint64 before;     /* runs that there were before its first entry */
  guint *from;        /* by entry: that whose result it has too, itself where it is run; NULL: all are run */
  gboolean *told;     /* by entry: kernels reported something of it; where there is @from */
} LeatBatchRun;

#define LEAT_BATCH_KNOWN G_MAXUINT /* in the place of an entry: there was a result before */

/* FALSE without any entry to blame: the session has failed, unless it was told to stop. */
gboolean leat_batch_run_together (LeatSession *self, const LeatBatchRun *run, GCancellable *cancellable,
                                  GError **error);
/* Of the same batch: the entries for which an output that may grow had too little room. */
gboolean leat_batch_run_short (LeatSession *self, const LeatBatchRun *run, GCancellable *cancellable, GError **error);
gboolean leat_batch_run_in_turn (LeatSession *self, const LeatBatchRun *run, GCancellable *cancellable, GError **error);
/* The same in steps: one launch of @n entries from @first on, and its end; what their kernels reported; and the end of
 * all that is under way, whatever came of it. */
gboolean leat_batch_run_launch (LeatSession *self, const LeatBatchRun *run, guint index, guint first, guint n,
                                GError **error);
gboolean leat_batch_run_complete (LeatSession *self, const LeatBatchRun *run, LeatBatchFlight *flight, GError **error);
/* Of a launch that has ended.  FALSE: the device is at fault, and not the data of some entries. */
gboolean leat_batch_run_judge (LeatSession *self, const LeatBatchRun *run, const LeatBatchFlight *flight,
                               GError **error);
/* @at: of an entry in the staging memory */
guint64 leat_batch_run_get_count (LeatSession *self, const LeatBuffer *buffer, guint at);
guint64 leat_batch_run_get_live_bytes (const LeatStaging *staging, const LeatBuffer *buffer, guint64 count);
guint8 *leat_batch_run_get_items (LeatSession *self, const LeatBuffer *buffer, guint at);
void leat_batch_run_fill (LeatSession *self, const LeatBatchRun *run, guint index, guint entry);
gboolean leat_batch_run_take_all (LeatSession *self, const LeatBatchRun *run, guint entry, GError **error);
/* One entry as a single run. */
gboolean leat_batch_run_one (LeatSession *self, const LeatBatchRun *run, guint entry, GCancellable *cancellable,
                             GError **error);
/* With a memo: fills in which entries are to be run, and gives what is known; keeps what a launch gave; and gives
 * entries what others with the same inputs have. */
gboolean leat_batch_run_find_known (LeatSession *self, const LeatBatchRun *run, GCancellable *cancellable,
                                    GError **error);
void leat_batch_run_remember (LeatSession *self, const LeatBatchRun *run, const LeatBatchFlight *flight);
gboolean leat_batch_run_copy_equal (LeatSession *self, const LeatBatchRun *run, GCancellable *cancellable,
                                    GError **error);
void leat_batch_run_tell (LeatSession *self, gboolean all);
/* Of entries that failed by what no report tells (leat-batch-untold.c).  @but: the one that the call ends with,
 * and so tells itself; G_MAXUINT: none */
gboolean leat_batch_run_is_untold (LeatSession *self, guint entry);
void leat_batch_run_tell_failed (LeatSession *self, const LeatBatchRun *run, guint but);
void leat_batch_run_abandon (LeatSession *self);
gboolean leat_session_have_batch (LeatSession *self, gboolean by_program, GError **error);
gboolean leat_session_renew_batch (LeatSession *self, GError **error);

G_END_DECLS
