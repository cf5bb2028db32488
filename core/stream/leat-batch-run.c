/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Runs a batch: copies entries in, launches them together or in turn, and copies results out.  Touches the session's
 * flights and their staging memory, and the memory that the application gave. */

#include "session/leat-given-before-private.h"
#include "leat-batch-private.h"
#include "tell/leat-reports-private.h"
#include "bind/leat-bind-private.h"
#include "lane/leat-lane-graph-private.h"
#include "session/leat-session-run-private.h"
#include "session/leat-session-setup-private.h"

#include <string.h>

#define LEAT_BATCH_ENDED_US 3 /* a wait for what has ended takes no longer */

/* A batch under way: launches of many entries each, one behind the other on as many streams as there are flights, so
 * that the copies of one overlap the kernels of another.  They are completed in their order. */

static guint64
leat_batch_run_get_capacity (const LeatBuffer *buffer)
{
  return buffer->bytes - (buffer->header ? LEAT_BUFFER_HEADER : 0);
}

guint8 *
leat_batch_run_get_items (LeatSession *self, const LeatBuffer *buffer, guint at)
{
  return leat_batch_get_host (self->batch, buffer->id, at) + (buffer->header ? LEAT_BUFFER_HEADER : 0);
}

guint64
leat_batch_run_get_count (LeatSession *self, const LeatBuffer *buffer, guint at)
{
  guint64 count;

  if (!buffer->header)
    return leat_spec_get_n_dims (buffer->spec) > 0 ? leat_spec_get_dim (buffer->spec, 0) : 1;
  memcpy (&count, leat_batch_get_host (self->batch, buffer->id, at), sizeof count);
  return count;
}

guint64
leat_batch_run_get_live_bytes (const LeatStaging *staging, const LeatBuffer *buffer, guint64 count)
{
  return staging->row_bytes != 0 ? count * staging->row_bytes : leat_batch_run_get_capacity (buffer);
}

static GBytes *
leat_batch_run_get_input (LeatSession *self, const LeatBatchRun *run, guint entry, guint input)
{
  return g_ptr_array_index (run->inputs, entry * self->ends.inputs->len + input);
}

/* Copies the application's inputs for the entries to their places in the staging memory. */
static void
leat_batch_run_copy_in (LeatSession *self, const LeatBatchRun *run, guint first, guint n, guint at)
{
  guint n_jobs = n * self->ends.inputs->len;
  g_autofree LeatCopyJob *jobs = g_new (LeatCopyJob, n_jobs + 1);

  for (guint k = 0; k < n_jobs; k++)
    {
      guint entry = k / self->ends.inputs->len, index = k % self->ends.inputs->len;
      const LeatSessionInput *input = leat_session_get_input (self, index);
      gsize size;
      gconstpointer data = g_bytes_get_data (leat_batch_run_get_input (self, run, first + entry, index), &size);
      guint64 count = input->staging.row_bytes != 0 ? size / input->staging.row_bytes : 0;

      if (input->buffer->header)
        memcpy (leat_batch_get_host (self->batch, input->buffer->id, at + entry), &count, sizeof count);
      jobs[k] = (LeatCopyJob){ leat_batch_run_get_items (self, input->buffer, at + entry), data, size };
    }
  leat_copy_jobs_run (jobs, n_jobs);
}

/* Results of entries that did not fail. */
static void
leat_batch_run_copy_out (LeatSession *self, const LeatBatchRun *run, guint first, guint n, guint at)
{
  guint n_jobs = n * self->ends.outputs->len, n_good = 0;
  g_autofree LeatCopyJob *jobs = g_new (LeatCopyJob, n_jobs + 1);

  for (guint k = 0; k < n_jobs; k++)
    {
      guint entry = k / self->ends.outputs->len;
      const LeatSessionOutput *output = leat_session_get_output (self, k % self->ends.outputs->len);
      guint64 count = leat_batch_run_get_count (self, output->buffer, at + entry), bytes;
      gpointer data;

      if (g_ptr_array_index (self->batch->errors, first + entry) != NULL)
        continue;
      bytes = leat_batch_run_get_live_bytes (&output->staging, output->buffer, count);
      data = g_malloc (bytes);
      jobs[n_good++] = (LeatCopyJob){ data, leat_batch_run_get_items (self, output->buffer, at + entry), bytes };
      g_ptr_array_index (run->results, first * self->ends.outputs->len + k) = g_bytes_new_take (data, bytes);
    }
  leat_copy_jobs_run (jobs, n_good);
}

/* How long launches take says for how long it pays to look for the end of the next: who sleeps is woken late, and the
 * device may have nothing to do by then.  Of one that had ended before it is not known. */
static gboolean
leat_batch_run_wait (LeatSession *self, LeatBatchFlight *flight, GError **error)
{
  gint64 from_us = g_get_monotonic_time (), until_us;
  gboolean good = leat_lane_wait (flight->lane, g_atomic_int_get (&self->options.wait), error);

  until_us = g_get_monotonic_time ();
  if (until_us - from_us > LEAT_BATCH_ENDED_US)
    leat_lane_note_wait (flight->lane, until_us - flight->launched_us);
  return good;
}

gboolean
leat_batch_run_complete (LeatSession *self, const LeatBatchRun *run, LeatBatchFlight *flight, GError **error)
{
  gboolean good;

  if (flight->lane == NULL)
    return TRUE;
  good = leat_batch_run_wait (self, flight, error);
  good = good && leat_batch_run_judge (self, run, flight, error);
  if (good)
    {
      if (run->results != NULL)
        leat_batch_run_copy_out (self, run, flight->first, flight->n, flight->at);
      if (G_UNLIKELY (self->recall.memo != NULL))
        leat_batch_run_remember (self, run, flight);
      self->told.ledger.stats.batch_entries += flight->n;
    }
  flight->lane = NULL;
  return good;
}

gboolean
leat_batch_run_launch (LeatSession *self, const LeatBatchRun *run, guint index, guint first, guint n, GError **error)
{
  LeatBatch *batch = self->batch;
  LeatWidth *width = leat_batch_get_width (batch, n, self->program, error);
  LeatBatchFlight *flight = &batch->flights[index];
  guint at = run->in_place ? first : index * LEAT_BOUND_PLAN (batch->shape)->traits.entries;
  LeatPrediction predicted;
  LeatLane *lane;

  if (width == NULL)
    return FALSE;
  lane = width->lanes[index];
  if (run->inputs != NULL)
    leat_batch_run_copy_in (self, run, first, n, at);
  if (!leat_lane_set_entries (lane, batch->memory->staging, at, n, error))
    return FALSE;
  if (!lane->executables[LEAT_PATH_FULL].is_built && !leat_lane_build_graph (lane, LEAT_PATH_FULL, error))
    return FALSE;
  *flight = (LeatBatchFlight){ lane, first, n, at, g_get_monotonic_time () };
  self->told.ledger.stats.batch_launches++;
  leat_plan_predict_entries (width->plan, n, &predicted);
  leat_prediction_add (&self->told.ledger.predicted, &predicted);
  return LEAT_BOUND_PLAN (width->plan)->prediction.waits == 0
         || (leat_lane_poison (lane, LEAT_PATH_FULL, error) && leat_lane_launch (lane, LEAT_PATH_FULL, error));
}

/* Nothing is under way when it returns, as far as the driver tells. */
void
leat_batch_run_abandon (LeatSession *self)
{
  for (guint i = 0; i < LEAT_BATCH_FLIGHTS; i++)
    {
      LeatBatchFlight *flight = &self->batch->flights[i];

      if (flight->lane != NULL && leat_lane_synchronize (flight->lane, NULL))
        leat_lane_drop_reports (flight->lane, NULL);
      else if (flight->lane != NULL)
        leat_batch_doubt_memory (self->batch);
      flight->lane = NULL;
    }
}

void
leat_batch_run_tell (LeatSession *self, gboolean all)
{
  GArray *reports = self->batch->reports;

  if (reports->len > 0)
    leat_told_tell_entry_reports (&self->told, self->batch, reports, all);
  g_array_set_size (reports, 0);
}

/* Where to go on, and how many entries there are to be run in a row. */
static guint
leat_batch_run_count_next (const LeatBatchRun *run, guint *first)
{
  guint end;

  if (run->from == NULL)
    return run->n - *first;
  while (*first < run->n && run->from[*first] != *first)
    ++*first;
  for (end = *first; end < run->n && run->from[end] == end;)
    end++;
  return end - *first;
}

gboolean
leat_batch_run_together (LeatSession *self, const LeatBatchRun *run, GCancellable *cancellable, GError **error)
{
  LeatBatch *batch = self->batch;
  guint next = 0, first = 0;
  gboolean good = TRUE;

  g_array_set_size (batch->reports, 0);
  g_array_set_size (batch->short_entries, 0);
  for (guint n, left; (left = leat_batch_run_count_next (run, &first)) > 0 && good;
       first += n, next = (next + 1) % batch->n_flights)
    {
      n = leat_batch_choose_n (batch, left, run->n);
      good = leat_session_may_go_on (self, cancellable, error);
      if (!good)
        break;
      good = leat_batch_run_complete (self, run, &batch->flights[next], error)
             && leat_batch_run_launch (self, run, next, first, n, error);
      self->hold.failed = !good;
    }
  for (guint i = 0; i < batch->n_flights && good; i++)
    {
      good = leat_batch_run_complete (self, run, &batch->flights[(next + i) % batch->n_flights], error);
      self->hold.failed = !good;
    }
  if (!good)
    leat_batch_run_abandon (self);
  leat_batch_run_tell (self, TRUE);
  return good;
}

void
leat_batch_run_fill (LeatSession *self, const LeatBatchRun *run, guint index, guint entry)
{
  const LeatSessionInput *input = leat_session_get_input (self, index);
  guint64 count;

  if (run->inputs != NULL)
    {
      leat_session_put_given_bytes (self, index, leat_batch_run_get_input (self, run, entry, index));
      return;
    }
  count = leat_batch_run_get_count (self, input->buffer, entry);
  leat_session_put_given (self, index, leat_batch_run_get_items (self, input->buffer, entry),
                          leat_batch_run_get_live_bytes (&input->staging, input->buffer, count), count);
}

/* An output that the application has mapped has the room of that time, even if the output has grown since. */
static gboolean
leat_batch_run_take (LeatSession *self, const LeatBatchRun *run, guint index, guint entry, GError **error)
{
  const LeatSessionOutput *output = leat_session_get_output (self, index);
  const LeatBuffer *mapped = leat_plan_get_buffer (self->batch->shape, output->buffer->id);
  LeatView view;
  guint64 bytes;

  if (run->results != NULL)
    {
      g_ptr_array_index (run->results, entry * self->ends.outputs->len + index) = leat_session_take_given (self, index);
      return TRUE;
    }
  leat_staging_view (&output->staging, &view);
  if (mapped->header && view.count > leat_buffer_get_capacity (mapped))
    {
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW,
                   "there are %" G_GUINT64_FORMAT
                   " items to give in %s, which has grown, and the memory that was mapped "
                   "has room for %" G_GUINT64_FORMAT "; map the batch again, and run it again",
                   view.count, output->name, leat_buffer_get_capacity (mapped));
      return FALSE;
    }
  bytes = leat_staging_get_live_bytes (&output->staging, &view);
  if (bytes > 0)
    memcpy (leat_batch_run_get_items (self, output->buffer, entry), view.data, bytes);
  if (output->buffer->header)
    memcpy (leat_batch_get_host (self->batch, output->buffer->id, entry), &view.count, sizeof view.count);
  return TRUE;
}

gboolean
leat_batch_run_take_all (LeatSession *self, const LeatBatchRun *run, guint entry, GError **error)
{
  for (guint i = 0; i < self->ends.outputs->len; i++)
    if (!leat_batch_run_take (self, run, i, entry, error))
      return FALSE;
  return TRUE;
}

gboolean
leat_batch_run_one (LeatSession *self, const LeatBatchRun *run, guint entry, GCancellable *cancellable, GError **error)
{
  LeatFlight *flight = leat_session_get_flight (self, 0);
  GError *inner = NULL;
  gboolean good;

  for (guint i = 0; i < self->ends.inputs->len; i++)
    leat_batch_run_fill (self, run, i, entry);
  self->batch->is_alone = TRUE;
  self->batch->alone = entry;
  good = leat_session_begin_run (self, flight, FALSE, cancellable, &inner) == LEAT_FLOW_DATA
         && leat_session_end_run (self, flight, cancellable, &inner) == LEAT_FLOW_DATA
         && leat_batch_run_take_all (self, run, entry, &inner);
  self->batch->is_alone = FALSE;
  if (good)
    return TRUE;
  if (flight->run.refused || leat_session_is_fault_of_data (inner))
    {
      g_ptr_array_index (self->batch->errors, entry) = inner;
      self->told.ledger.stats.entry_errors++;
      if (!flight->run.refused)
        g_array_append_val (self->batch->untold, entry);
      return TRUE;
    }
  g_propagate_error (error, inner);
  return FALSE;
}

gboolean
leat_batch_run_short (LeatSession *self, const LeatBatchRun *run, GCancellable *cancellable, GError **error)
{
  GArray *entries = self->batch->short_entries;
  LeatGivenBefore *before;
  gboolean good = TRUE;

  if (G_LIKELY (entries->len == 0))
    return TRUE;
  before = leat_session_begin_given (self);
  for (guint i = 0; i < entries->len && good; i++)
    {
      guint entry = g_array_index (entries, guint, i);
      guint64 reports = self->told.ledger.stats.reports;

      good = leat_session_may_go_on (self, cancellable, error);
      if (!good)
        break;
      g_clear_error ((GError **) &g_ptr_array_index (self->batch->errors, entry));
      good = leat_batch_run_one (self, run, entry, cancellable, error);
      if (run->told != NULL)
        run->told[entry] = self->told.ledger.stats.reports > reports;
      self->hold.failed = !good;
    }
  leat_session_end_given (self, before);
  return good;
}

/* Entry after entry, as single runs are done. */
gboolean
leat_batch_run_in_turn (LeatSession *self, const LeatBatchRun *run, GCancellable *cancellable, GError **error)
{
  LeatGivenBefore *before = leat_session_begin_given (self);
  gboolean good = TRUE;

  for (guint entry = 0; entry < run->n && good; entry++)
    {
      if (!leat_session_may_go_on (self, cancellable, error))
        {
          good = FALSE;
          break;
        }
      good = leat_batch_run_one (self, run, entry, cancellable, error);
      self->hold.failed = !good;
    }
  leat_session_end_given (self, before);
  return good;
}
