/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which entries of a launch that has ended are good.  Where neither counts nor reports have anything to say, none is
 * looked at: a batch has thousands, and the next launch waits for this. */

#include "leat-batch-private.h"
#include "tell/leat-reports-private.h"
#include "session/leat-session-run-private.h"
#include "session/leat-session-setup-private.h"

static gboolean
leat_batch_run_check_outputs (LeatSession *self, guint at, GError **error)
{
  for (guint i = 0; i < self->ends.outputs->len; i++)
    {
      const LeatSessionOutput *output = leat_session_get_output (self, i);
      LeatView view = { .count = leat_batch_run_get_count (self, output->buffer, at) };

      if (view.count > output->staging.most)
        return leat_session_fail_overflow (self, output->op, &view, error);
      self->told.ledger.stats.bytes_out += leat_batch_run_get_live_bytes (&output->staging, output->buffer, view.count);
    }
  return TRUE;
}

static gboolean
leat_batch_run_check_counts (LeatSession *self, const LeatBatchFlight *flight, guint index, GError **error)
{
  guint entry = flight->first + index;

  if (leat_lane_check_overs_of (flight->lane, index, error)
      && leat_batch_run_check_outputs (self, flight->at + index, error))
    return TRUE;
  g_array_append_val (self->batch->untold, entry);
  return FALSE;
}

/* Where a kernel says what was wrong, a count that came of it says nothing more. */
static gboolean
leat_batch_run_check_entry (LeatSession *self, const LeatBatchRun *run, const LeatBatchFlight *flight, guint index,
                            gboolean reported, GError **error)
{
  guint entry = flight->first + index;

  if (reported && leat_lane_has_reports_of (flight->lane, index)
      && !leat_told_take_entry_reports (&self->told, self->batch, flight->lane, index, entry, run->before + entry + 1,
                                        error))
    {
      leat_lane_check_overs_of (flight->lane, index, NULL);
      return FALSE;
    }
  return leat_batch_run_check_counts (self, flight, index, error);
}

static gboolean
leat_batch_run_is_short (LeatSession *self, const LeatBatchFlight *flight, guint index)
{
  guint64 count;
  const LeatBuffer *over = leat_lane_find_over (flight->lane, index, &count);

  for (guint i = 0; over == NULL && i < self->ends.outputs->len; i++)
    {
      const LeatSessionOutput *output = leat_session_get_output (self, i);

      count = leat_batch_run_get_count (self, output->buffer, flight->at + index);
      if (count > output->staging.most)
        over = output->buffer;
    }
  return over != NULL && leat_plan_find_short (self->plan, over->id, count) != NULL;
}

/* Until it is done again, alone and when all others are, it has failed. */
static gboolean
leat_batch_run_set_aside (LeatSession *self, const LeatBatchFlight *flight, guint index, GError **error)
{
  g_autoptr (GArray) dropped = g_array_new (FALSE, FALSE, sizeof (LeatReport));
  guint entry = flight->first + index;

  if (leat_lane_has_reports (flight->lane) && !leat_lane_take_reports_of (flight->lane, index, dropped, error))
    return FALSE;
  leat_lane_check_overs_of (flight->lane, index, NULL);
  g_array_append_val (self->batch->short_entries, entry);
  g_ptr_array_index (self->batch->errors, entry) =
    g_error_new (LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW, "entry %u has too little room", entry);
  return TRUE;
}

/* FALSE where it is the device that is at fault. */
static gboolean
leat_batch_run_judge_entry (LeatSession *self, const LeatBatchRun *run, const LeatBatchFlight *flight, guint index,
                            gboolean reported, GError **error)
{
  GError *inner = NULL;

  if (G_UNLIKELY (self->plan->grows) && leat_batch_run_is_short (self, flight, index))
    return leat_batch_run_set_aside (self, flight, index, error);
  leat_batch_run_check_entry (self, run, flight, index, reported, &inner);
  if (inner != NULL && !leat_session_is_fault_of_data (inner))
    {
      g_propagate_error (error, inner);
      return FALSE;
    }
  g_ptr_array_index (self->batch->errors, flight->first + index) = inner;
  self->told.ledger.stats.entry_errors += inner != NULL;
  return TRUE;
}

/* Is there a number to be looked at in each entry, whether anything was reported or not?  Else what all of them give is
 * known: how many @bytes each. */
static gboolean
leat_batch_run_has_counts (LeatSession *self, const LeatBatchFlight *flight, guint64 *bytes)
{
  gboolean has = flight->lane->counted->len > 0 || self->plan->grows;

  *bytes = 0;
  for (guint i = 0; i < self->ends.outputs->len && !has; i++)
    {
      const LeatSessionOutput *output = leat_session_get_output (self, i);
      guint64 count = output->buffer->header ? 0 : leat_batch_run_get_count (self, output->buffer, flight->at);

      has = output->buffer->header || count > output->staging.most;
      *bytes += leat_batch_run_get_live_bytes (&output->staging, output->buffer, count);
    }
  return has;
}

/* Those that reported; the others are good. @bytes: that each of these gives */
static gboolean
leat_batch_run_judge_reports (LeatSession *self, const LeatBatchRun *run, const LeatBatchFlight *flight, guint64 bytes,
                              GError **error)
{
  guint n_judged = 0;

  for (guint i = leat_lane_find_reports (flight->lane, 0, flight->n); i < flight->n;
       i = leat_lane_find_reports (flight->lane, i + 1, flight->n))
    {
      if (!leat_batch_run_judge_entry (self, run, flight, i, TRUE, error))
        return FALSE;
      n_judged++;
    }
  self->told.ledger.stats.bytes_out += (flight->n - n_judged) * bytes;
  return TRUE;
}

/* An entry whose data are at fault fails alone; FALSE where it is the device that is. */
gboolean
leat_batch_run_judge (LeatSession *self, const LeatBatchRun *run, const LeatBatchFlight *flight, GError **error)
{
  gboolean reported = leat_lane_has_reports (flight->lane), good = TRUE;
  guint64 bytes;

  if (leat_batch_run_has_counts (self, flight, &bytes))
    for (guint i = 0; i < flight->n && good; i++)
      good = leat_batch_run_judge_entry (self, run, flight, i, reported, error);
  else if (G_UNLIKELY (reported))
    good = leat_batch_run_judge_reports (self, run, flight, bytes, error);
  else
    self->told.ledger.stats.bytes_out += flight->n * bytes;
  if (good && reported)
    leat_lane_end_reports (flight->lane);
  return good && leat_lane_check_guard (flight->lane, error);
}
