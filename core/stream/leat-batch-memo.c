/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A batch of a session that remembers.  Before any launch entries whose results are known are taken out, and of entries
 * with equal inputs all but the first; what is left goes into launches as ever, and the others get its results. */

#include "session/leat-given-before-private.h"
#include "leat-batch-private.h"
#include "session/leat-session-run-private.h"

#include <string.h>
#include <xxhash.h>

/* The inputs of an entry, among those of its batch. */
typedef struct
{
  LeatSession *session;
  const LeatBatchRun *run;
  guint entry;
  guint64 hash;
} LeatBatchKey;

static gconstpointer
leat_batch_run_get_given (LeatSession *self, const LeatBatchRun *run, guint entry, guint index, gsize *bytes)
{
  const LeatSessionInput *input = leat_session_get_input (self, index);

  if (run->inputs != NULL)
    return g_bytes_get_data (g_ptr_array_index (run->inputs, entry * self->ends.inputs->len + index), bytes);
  *bytes = leat_batch_run_get_live_bytes (&input->staging, input->buffer,
                                          leat_batch_run_get_count (self, input->buffer, entry));
  return leat_batch_run_get_items (self, input->buffer, entry);
}

static void
leat_batch_key_init (LeatBatchKey *self, LeatSession *session, const LeatBatchRun *run, guint entry)
{
  *self = (LeatBatchKey){ session, run, entry, 0 };
  for (guint i = 0; i < session->ends.inputs->len; i++)
    {
      gsize bytes;
      gconstpointer data = leat_batch_run_get_given (session, run, entry, i, &bytes);

      self->hash = XXH3_64bits_withSeed (data, bytes, self->hash + bytes);
    }
}

static guint
leat_batch_key_hash (gconstpointer key)
{
  return (guint) ((const LeatBatchKey *) key)->hash;
}

static gboolean
leat_batch_key_equal (gconstpointer a, gconstpointer b)
{
  const LeatBatchKey *one = a, *other = b;
  gboolean same = one->hash == other->hash;

  for (guint i = 0; i < one->session->ends.inputs->len && same; i++)
    {
      gsize n, n_other;
      gconstpointer data = leat_batch_run_get_given (one->session, one->run, one->entry, i, &n);
      gconstpointer others = leat_batch_run_get_given (other->session, other->run, other->entry, i, &n_other);

      same = n == n_other && (n == 0 || memcmp (data, others, n) == 0);
    }
  return same;
}

/* Where it is known, its result is given. */
static gboolean
leat_batch_run_recall (LeatSession *self, const LeatBatchRun *run, guint entry, gboolean *known,
                       GCancellable *cancellable, GError **error)
{
  LeatFlight *flight = leat_session_get_flight (self, 0);

  for (guint i = 0; i < self->ends.inputs->len; i++)
    leat_batch_run_fill (self, run, i, entry);
  *known = leat_recall_find (&self->recall, &self->told, flight);
  if (!*known)
    return TRUE;
  flight->run = (LeatRun){ .known = TRUE };
  return leat_session_end_run (self, flight, cancellable, error) == LEAT_FLOW_DATA
         && leat_batch_run_take_all (self, run, entry, error);
}

static gboolean
leat_batch_run_look_at (LeatSession *self, const LeatBatchRun *run, LeatBatchKey *key, GHashTable *seen,
                        GCancellable *cancellable, GError **error)
{
  const LeatBatchKey *first;
  gboolean known;

  leat_batch_key_init (key, self, run, key->entry);
  first = g_hash_table_lookup (seen, key);
  if (first != NULL)
    {
      run->from[key->entry] = first->entry;
      leat_recall_note_equal (&self->recall, &self->told);
      return TRUE;
    }
  if (!leat_batch_run_recall (self, run, key->entry, &known, cancellable, error))
    return FALSE;
  run->from[key->entry] = known ? LEAT_BATCH_KNOWN : key->entry;
  if (!known)
    g_hash_table_add (seen, key);
  return TRUE;
}

gboolean
leat_batch_run_find_known (LeatSession *self, const LeatBatchRun *run, GCancellable *cancellable, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (leat_batch_key_hash, leat_batch_key_equal);
  g_autofree LeatBatchKey *keys = g_new (LeatBatchKey, run->n);
  LeatGivenBefore *before = leat_session_begin_given (self);
  gboolean good = TRUE;

  for (guint entry = 0; entry < run->n && good; entry++)
    {
      keys[entry].entry = entry;
      good = leat_session_may_go_on (self, cancellable, error)
             && leat_batch_run_look_at (self, run, &keys[entry], seen, cancellable, error);
    }
  leat_session_end_given (self, before);
  return good;
}

static void
leat_batch_run_copy_result (LeatSession *self, const LeatBatchRun *run, guint index, guint entry)
{
  const LeatSessionOutput *output = leat_session_get_output (self, index);
  const LeatBuffer *buffer = output->buffer;
  const guint from = run->from[entry], n = self->ends.outputs->len;

  self->told.ledger.stats.bytes_out +=
    run->results != NULL
      ? g_bytes_get_size (g_ptr_array_index (run->results, from * n + index))
      : leat_batch_run_get_live_bytes (&output->staging, buffer, leat_batch_run_get_count (self, buffer, from));
  if (run->results != NULL)
    g_ptr_array_index (run->results, entry * n + index) =
      g_bytes_ref (g_ptr_array_index (run->results, from * n + index));
  else
    memcpy (leat_batch_get_host (self->batch, buffer->id, entry), leat_batch_get_host (self->batch, buffer->id, from),
            leat_plan_get_buffer (self->batch->shape, buffer->id)->bytes);
}

/* An error or a report of the first is one of each of them, and each is told. */
gboolean
leat_batch_run_copy_equal (LeatSession *self, const LeatBatchRun *run, GCancellable *cancellable, GError **error)
{
  LeatGivenBefore *before = leat_session_begin_given (self);
  gboolean good = TRUE;

  for (guint entry = 0; entry < run->n && good; entry++)
    {
      if (run->from[entry] == LEAT_BATCH_KNOWN || run->from[entry] == entry)
        continue;
      if (g_ptr_array_index (self->batch->errors, run->from[entry]) != NULL || run->told[run->from[entry]])
        good = leat_batch_run_one (self, run, entry, cancellable, error);
      else
        for (guint i = 0; i < self->ends.outputs->len; i++)
          leat_batch_run_copy_result (self, run, i, entry);
    }
  self->hold.failed = self->hold.failed || !good;
  leat_session_end_given (self, before);
  return good;
}

static void
leat_batch_run_set_span (LeatSession *self, const LeatStaging *staging, const LeatBuffer *buffer, guint at,
                         LeatSpan *span)
{
  guint64 live = leat_batch_run_get_live_bytes (staging, buffer, leat_batch_run_get_count (self, buffer, at));

  span->data = leat_batch_get_host (self->batch, buffer->id, at);
  span->bytes = buffer->header ? LEAT_BUFFER_HEADER + live : buffer->bytes;
}

static gboolean
leat_batch_run_has_reports (LeatSession *self, guint entry)
{
  for (guint i = 0; i < self->batch->reports->len; i++)
    if (g_array_index (self->batch->reports, LeatReport, i).entry == entry)
      return TRUE;
  return FALSE;
}

static void
leat_batch_run_note_told (LeatSession *self, const LeatBatchRun *run, const LeatBatchFlight *flight)
{
  for (guint i = 0; i < flight->n && run->told != NULL; i++)
    run->told[flight->first + i] = leat_batch_run_has_reports (self, flight->first + i);
}

/* Those with a report would be known without it. */
void
leat_batch_run_remember (LeatSession *self, const LeatBatchRun *run, const LeatBatchFlight *flight)
{
  leat_batch_run_note_told (self, run, flight);
  for (guint i = 0; i < flight->n && self->recall.memo != NULL; i++)
    {
      if (g_ptr_array_index (self->batch->errors, flight->first + i) != NULL
          || leat_batch_run_has_reports (self, flight->first + i))
        continue;
      for (guint k = 0; k < self->ends.inputs->len; k++)
        leat_batch_run_set_span (self, &leat_session_get_input (self, k)->staging,
                                 leat_session_get_input (self, k)->buffer, flight->at + i, &self->recall.spans[k]);
      for (guint k = 0; k < self->ends.outputs->len; k++)
        leat_batch_run_set_span (self, &leat_session_get_output (self, k)->staging,
                                 leat_session_get_output (self, k)->buffer, flight->at + i,
                                 &self->recall.spans[self->ends.inputs->len + k]);
      leat_recall_keep_spans (&self->recall);
    }
}
