/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Many independent inputs in one call: checks them, and chooses how they are done.  Touches the batch and its memory.
 */

#include "leat-batch-private.h"
#include "tell/leat-reports-private.h"

#include "session/leat-session-setup-private.h"
#include "session/leat-session-run-private.h"
#include "session/leat-session-told-private.h"

#include <string.h>

/* One for the plan that the session has now. @by_program: inputs come from it, and results go to it */
gboolean
leat_session_have_batch (LeatSession *self, gboolean by_program, GError **error)
{
  if (self->batch != NULL && self->batch->narrow != self->plan)
    leat_session_drop_batch (self);
  if (by_program && !leat_session_check_given_ports (self, error))
    return FALSE;
  if (self->batch != NULL)
    return TRUE;
  self->batch = leat_batch_new (self->device, self->store, self->plan, &self->told.ledger.graph_counts,
                                self->options.batch_most, error);
  if (self->batch != NULL)
    self->batch->changes = self->told.ledger.stats.changes;
  return self->batch != NULL;
}

static gboolean
leat_session_check_batch_n (guint n_entries, GError **error)
{
  if (n_entries == 0)
    g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH, "a batch has at least one entry");
  return n_entries > 0;
}

static const LeatBuffer *
leat_session_find_port (LeatSession *self, const char *name, GError **error)
{
  LeatSessionInput *input = leat_session_find_app (self, self->ends.inputs, name, "source", NULL);
  LeatSessionOutput *output =
    input == NULL ? leat_session_find_app (self, self->ends.outputs, name, "sink", NULL) : NULL;

  if (input != NULL)
    return input->buffer;
  if (output != NULL)
    return output->buffer;
  leat_session_find_app (self, self->ends.inputs, name, "source", error);
  return NULL;
}

static gboolean
leat_session_lend_batch (LeatSession *self, const LeatBuffer *buffer, guint n_entries, LeatView *view, guint64 *stride,
                         GError **error)
{
  guint64 header = buffer->header ? LEAT_BUFFER_HEADER : 0;

  if (!leat_batch_make_room (self->batch, &self->batch->lent, n_entries, error))
    return FALSE;
  self->batch->mapped = MAX (self->batch->mapped, n_entries);
  view->data = leat_batch_get_host (self->batch, buffer->id, 0) + header;
  view->capacity = buffer->bytes - header;
  view->spec = buffer->spec;
  view->count = leat_spec_get_n_dims (buffer->spec) > 0 ? leat_spec_get_dim (buffer->spec, 0) : 1;
  if (buffer->header)
    memcpy (&view->count, leat_batch_get_host (self->batch, buffer->id, 0), sizeof view->count);
  *stride = LEAT_BOUND_BUFFER (leat_plan_get_root (self->batch->shape, buffer->id))->stride;
  return TRUE;
}

/**
 * leat_session_map_batch:
 * @self: an open session that is not running
 * @name: an `app` node
 * @n_entries: how many inputs a batch is to have
 * @view: (out caller-allocates): the memory of the first entry: to be filled for a source, with results for a sink
 * @stride: (out): bytes from one entry's memory to the next one's
 * @error: return location for an error
 *
 * Lends the memory from which leat_session_replay_batch () takes inputs, or to which it writes results, if the caller
 * gives none. No copy lies between it and the link.
 *
 * All ports have as many entries.  To ask for more entries than ever before gives new memory, without what was in the
 * old one: ask for the greatest number first.  The memory stays until then, until the session is closed, or until a
 * property that was set gives it another plan; where there is no room for more, it stays as it is.  A batch that is
 * given its inputs and asked for its results leaves it alone.  For a bounded spec, leat_session_set_entry_count () says
 * how much of an entry is live; at first nothing is.
 *
 * Returns: whether there is such memory; %LEAT_GRAPH_ERROR_UNKNOWN_NAME, %LEAT_GRAPH_ERROR_DIRECTION,
 *   %LEAT_SESSION_ERROR_BATCH where the pipeline takes no batches, %LEAT_DRIVER_ERROR_OUT_OF_MEMORY
 *   where there is no room
 */
gboolean
leat_session_map_batch (LeatSession *self, const char *name, guint n_entries, LeatView *view, guint64 *stride,
                        GError **error)
{
  const LeatBuffer *buffer;
  gboolean good;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (name != NULL && view != NULL && stride != NULL, FALSE);

  if (!leat_session_take_open (self, error))
    return FALSE;
  buffer = leat_session_check_batch_n (n_entries, error) ? leat_session_find_port (self, name, error) : NULL;
  good = buffer != NULL && leat_session_have_batch (self, TRUE, error)
         && leat_session_lend_batch (self, buffer, n_entries, view, stride, error);
  leat_session_let_go (self);
  return good;
}

/* The count of an entry in the memory that was mapped; NULL with @error set where there is none. */
static guint64 *
leat_session_find_entry_count (LeatSession *self, const LeatBuffer *buffer, guint entry, GError **error)
{
  if (self->batch != NULL && self->batch->narrow == self->plan && entry < self->batch->mapped)
    {
      self->batch->memory = &self->batch->lent;
      return (guint64 *) leat_batch_get_host (self->batch, buffer->id, entry);
    }
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH,
               "entry %u is not mapped: leat_session_map_batch () says how many there are", entry);
  return NULL;
}

/**
 * leat_session_set_entry_count:
 * @self: an open session that is not running
 * @name: an `app` node that is a source
 * @entry: an entry that is mapped
 * @count: how many steps of the leading dimension are live
 * @error: return location for an error
 *
 * Says how much of one entry's input of a bounded spec the next batches take.
 *
 * Returns: whether it was set; errors as leat_session_set_input_count (), and %LEAT_SESSION_ERROR_BATCH for an entry
 * that leat_session_map_batch () did not ask for
 */
gboolean
leat_session_set_entry_count (LeatSession *self, const char *name, guint entry, guint64 count, GError **error)
{
  LeatSessionInput *input;
  guint64 *place = NULL;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  if (!leat_session_take_open (self, error))
    return FALSE;
  input = leat_session_find_app (self, self->ends.inputs, name, "source", error);
  if (input != NULL && leat_session_check_count (name, input->buffer->spec, count, error))
    place = leat_session_find_entry_count (self, input->buffer, entry, error);
  if (place != NULL && input->buffer->header)
    *place = count;
  leat_session_let_go (self);
  return place != NULL;
}

/**
 * leat_session_get_entry_count:
 * @self: an open session that is not running
 * @name: an `app` node
 * @entry: an entry that is mapped
 * @count: (out): how many steps of the leading dimension are live
 * @error: return location for an error
 *
 * Tells how much of one entry there is, above all of a result.
 *
 * Returns: whether there is such an entry
 */
gboolean
leat_session_get_entry_count (LeatSession *self, const char *name, guint entry, guint64 *count, GError **error)
{
  const LeatBuffer *buffer;
  const guint64 *place = NULL;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (name != NULL && count != NULL, FALSE);

  if (!leat_session_take_open (self, error))
    return FALSE;
  buffer = leat_session_find_port (self, name, error);
  if (buffer != NULL)
    place = leat_session_find_entry_count (self, buffer, entry, error);
  if (place != NULL)
    *count = buffer->header                            ? *place
             : leat_spec_get_n_dims (buffer->spec) > 0 ? leat_spec_get_dim (buffer->spec, 0)
                                                       : 1;
  leat_session_let_go (self);
  return place != NULL;
}

static gboolean
leat_session_check_entry_input (LeatSession *self, const LeatBatchRun *run, guint entry, guint index, GError **error)
{
  if (leat_session_check_given (self, index, g_ptr_array_index (run->inputs, entry * self->ends.inputs->len + index),
                                error))
    return TRUE;
  g_prefix_error (error, "entry %u: ", entry);
  return FALSE;
}

static gboolean
leat_session_check_batch_inputs (LeatSession *self, const LeatBatchRun *run, GError **error)
{
  guint n_inputs = self->ends.inputs->len, mapped = self->batch->mapped;
  guint64 wanted = (guint64) run->n * n_inputs;

  if (run->n > mapped && (run->inputs == NULL || (run->results == NULL && mapped > 0)))
    {
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH,
                   "the batch has %u entries, and %u are mapped: %s, or map them", run->n, mapped,
                   run->inputs == NULL ? "give it the inputs" : "ask it for the results");
      return FALSE;
    }
  if (run->inputs != NULL && run->inputs->len != wanted)
    {
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH,
                   "%u entries of %u input%s take %" G_GUINT64_FORMAT " pieces of data, and there are %u", run->n,
                   n_inputs, n_inputs > 1 ? "s" : "", wanted, run->inputs->len);
      return FALSE;
    }
  for (guint k = 0; run->inputs != NULL && k < run->inputs->len; k++)
    if (!leat_session_check_entry_input (self, run, k / n_inputs, k % n_inputs, error))
      return FALSE;
  return TRUE;
}

/* Nodes may have other arguments since the last launch; none is under way. */
gboolean
leat_session_renew_batch (LeatSession *self, GError **error)
{
  if (self->batch->changes != self->told.ledger.stats.changes && !leat_batch_take_arguments (self->batch, error))
    return FALSE;
  self->batch->changes = self->told.ledger.stats.changes;
  return TRUE;
}

static gboolean
leat_session_prepare_batch (LeatSession *self, LeatBatchRun *run, gboolean in_turn, GError **error)
{
  LeatBatch *batch = self->batch;
  guint ring = in_turn ? 0 : batch->n_flights * LEAT_BOUND_PLAN (batch->shape)->traits.entries;

  run->before = self->told.ledger.stats.runs;
  run->in_place = run->inputs == NULL || run->results == NULL;
  if (!leat_batch_make_room (batch, run->in_place ? &batch->lent : &batch->ring, run->in_place ? run->n : ring, error)
      || !leat_session_take_changes (self, error) || !leat_session_renew_batch (self, error))
    return FALSE;
  leat_batch_begin_errors (self->batch, run->n);
  if (run->results != NULL)
    g_ptr_array_set_size (run->results, (gint) (run->n * self->ends.outputs->len));
  return TRUE;
}

typedef gboolean (*LeatBatchPart) (LeatSession *self, const LeatBatchRun *run, GCancellable *cancellable,
                                   GError **error);

/* Each is run once, whatever is said of single runs. */
static gboolean
leat_session_run_in_turn (LeatSession *self, const LeatBatchRun *run, LeatBatchPart part, GCancellable *cancellable,
                          GError **error)
{
  guint64 repeat = self->options.repeat;
  gboolean good;

  self->options.repeat = 1;
  good = (*part) (self, run, cancellable, error);
  self->options.repeat = repeat;
  return good;
}

/* The program may have states that all entries go through. */
static gboolean
leat_session_run_together (LeatSession *self, const LeatBatchRun *run, GCancellable *cancellable, GError **error)
{
  guint64 runs = self->told.ledger.stats.runs;
  gboolean good;

  if (!leat_states_enter_buffers (&self->states, self->bindings.held, error))
    return FALSE;
  good = leat_batch_run_together (self, run, cancellable, error);
  /* Work that did not end has the buffers until the session is closed. */
  if (!self->hold.failed)
    leat_states_leave_buffers (&self->states);
  good = good && leat_session_run_in_turn (self, run, leat_batch_run_short, cancellable, error);
  /* Each entry is one run, however often it was done. */
  self->told.ledger.stats.runs = runs + (good ? run->n : 0);
  self->told.ledger.levels_changed = TRUE;
  return good;
}

static gboolean
leat_session_run_unknown (LeatSession *self, LeatBatchRun *run, GCancellable *cancellable, GError **error)
{
  g_autofree guint *from = g_new (guint, run->n);
  g_autofree gboolean *told = g_new0 (gboolean, run->n);
  guint64 runs = self->told.ledger.stats.runs;
  gboolean good;

  run->from = from;
  run->told = told;
  good = leat_session_run_in_turn (self, run, leat_batch_run_find_known, cancellable, error)
         && leat_session_run_together (self, run, cancellable, error)
         && leat_session_run_in_turn (self, run, leat_batch_run_copy_equal, cancellable, error);
  run->from = NULL;
  run->told = NULL;
  self->told.ledger.stats.runs = runs + (good ? run->n : 0);
  return good;
}

static gboolean
leat_session_do_batch (LeatSession *self, LeatBatchRun *run, GCancellable *cancellable, GError **error)
{
  gboolean in_turn, good;

  if (!leat_session_may_go_on (self, cancellable, error) || !leat_session_take_props (self, FALSE, error)
      || !leat_session_check_batch_n (run->n, error) || !leat_session_have_batch (self, TRUE, error)
      || !leat_session_check_batch_inputs (self, run, error))
    return FALSE;
  in_turn = LEAT_BOUND_PLAN (self->batch->shape)->why_in_turn != NULL;
  if (!leat_session_prepare_batch (self, run, in_turn, error))
    return FALSE;
  if (in_turn)
    good = leat_session_run_in_turn (self, run, leat_batch_run_in_turn, cancellable, error);
  else
    good = self->recall.memo != NULL ? leat_session_run_unknown (self, run, cancellable, error)
                                     : leat_session_run_together (self, run, cancellable, error);
  leat_told_end_entry_reports (&self->told, self->batch);
  leat_batch_run_tell_failed (self, run, G_MAXUINT);
  return good;
}

static void
leat_batch_free_result (gpointer bytes)
{
  if (bytes != NULL)
    g_bytes_unref (bytes);
}

/**
 * leat_session_replay_batch:
 * @self: an open session that is not running
 * @n_entries: how many independent inputs there are
 * @inputs: (nullable) (element-type GLib.Bytes): for each entry the data of every input, in the order in which the plan
 *   has the sources: all of the first entry, then all of the second; %NULL: what leat_session_map_batch () lent
 * @results: (out) (optional) (nullable) (transfer container) (element-type GLib.Bytes): likewise, the data of every
 *   output; %NULL for an entry that failed.  Where it is not asked for, results are in the memory that
 *   leat_session_map_batch () lends, or will lend; where it has been lent already, there are no more entries than that
 * @cancellable: (nullable): to give up between two launches
 * @error: return location for an error
 *
 * Runs the pipeline once for each of many inputs, many in one launch. One upload, one launch for each kernel and one
 * readback serve all entries of it.  #LeatSession:repeat is of single runs only.
 *
 * Work that cannot be done for many entries at once (foreign work, kernels that use the grid's z) is done for one after
 * the other within the launch.  Where entries depend on each other through data kept from run to run, they are run in
 * turn altogether, in the order of the entries.  leat_session_get_batch_plan () tells.  Every result is the one that a
 * single run gives.
 *
 * All inputs are looked at first: one of a wrong size refuses the whole batch, and nothing has happened then.  An entry
 * whose data make a node fail (more items than its output holds) fails alone, see leat_session_dup_entry_error (); the
 * others are as good as without it.  After an error of the device the session has failed.
 *
 * Returns: whether all entries were run, with or without an error of their own; %LEAT_SESSION_ERROR_BATCH for inputs
 * that do not fit; else as leat_session_replay ()
 */
gboolean
leat_session_replay_batch (LeatSession *self, guint n_entries, GPtrArray *inputs, GPtrArray **results,
                           GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) given = results != NULL ? g_ptr_array_new_with_free_func (leat_batch_free_result) : NULL;
  LeatBatchRun run = { .n = n_entries, .inputs = inputs, .results = given };
  gboolean good;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);

  if (results != NULL)
    *results = NULL;
  if (!leat_session_begin (self, error))
    return FALSE;
  good = leat_session_do_batch (self, &run, cancellable, error);
  leat_session_tell_stats (self);
  leat_session_end (self, LEAT_SESSION_FREE);
  if (good && results != NULL)
    *results = g_steal_pointer (&given);
  return good;
}

/**
 * leat_session_dup_entry_error:
 * @self: an open session that is not running
 * @entry: an entry of the last batch
 *
 * Tells why an entry failed.
 *
 * Returns: (transfer full) (nullable): the error; %NULL where the entry has its results
 */
GError *
leat_session_dup_entry_error (LeatSession *self, guint entry)
{
  const GError *found = NULL;
  GError *copy = NULL;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);

  if (!leat_session_take (self, NULL))
    return NULL;
  if (self->batch != NULL && entry < self->batch->errors->len)
    found = g_ptr_array_index (self->batch->errors, entry);
  copy = found != NULL ? g_error_copy (found) : NULL;
  leat_session_let_go (self);
  return copy;
}

/**
 * leat_session_get_batch_plan:
 * @self: an open session that is not running
 * @error: return location for an error
 *
 * Gets the plan of one launch of a batch. For every op it tells whether all entries share it, and if not, why.
 *
 * Returns: (transfer full): a plan; %NULL where there is not the memory for one entry
 */
LeatPlan *
leat_session_get_batch_plan (LeatSession *self, GError **error)
{
  LeatPlan *plan = NULL;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);

  if (!leat_session_take_open (self, error))
    return NULL;
  if (leat_session_have_batch (self, FALSE, error))
    plan = g_object_ref (self->batch->shape);
  leat_session_let_go (self);
  return plan;
}
