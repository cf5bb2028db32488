/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-reports-private.h"

#include "graph/leat-app-private.h"
#include "leat-session-told-private.h"
#include "leat-session-setup-private.h"

#include <string.h>

/* The figures of a session as they are told to others: dictionary, properties, text. */

static guint64
leat_session_get_shared_bytes (LeatSession *self)
{
  guint64 sum = 0;

  for (guint i = 0; self->program != NULL && i < self->program->blocks->len; i++)
    {
      const LeatBlock *block = g_ptr_array_index (self->program->blocks, i);

      sum += block != NULL && block->was_there ? leat_memory_get_bytes (block->memory) : 0;
    }
  return sum;
}

static void
leat_session_note_levels (LeatSession *self)
{
  self->ledger.levels_changed = FALSE;
  self->ledger.stats.shapes = self->shapes.setups->len > 0 ? self->shapes.setups->len - 1 : 0;
  self->ledger.stats.shape_bytes = leat_session_get_cached_bytes (self);
  self->ledger.stats.shared_bytes = leat_session_get_shared_bytes (self);
  leat_memory_account_get (self->account, &self->ledger.stats.memory);
  self->ledger.stats.graph_bytes = self->ledger.stats.graph_reserved_bytes = 0;
  for (guint i = 0; i < self->shapes.setups->len; i++)
    self->ledger.stats.graph_bytes += leat_setup_get_graph_bytes (g_ptr_array_index (self->shapes.setups, i));
  for (guint i = 0; i < self->lanes->len; i++)
    self->ledger.stats.graph_reserved_bytes = ((LeatLane *) g_ptr_array_index (self->lanes, i))->reserved_bytes;
}

static void
leat_session_note_dropped (LeatSession *self)
{
  self->ledger.stats.dropped = 0;
  for (guint i = 0; i < self->ends.inputs->len; i++)
    if (leat_session_get_input (self, i)->app != NULL)
      self->ledger.stats.dropped += leat_app_get_dropped (leat_session_get_input (self, i)->app);
  for (guint i = 0; i < self->ends.outputs->len; i++)
    if (leat_session_get_output (self, i)->app != NULL)
      self->ledger.stats.dropped += leat_app_get_dropped (leat_session_get_output (self, i)->app);
}

/* What a run may have changed. */
static void
leat_session_note_run (LeatSession *self)
{
  self->ledger.stats.memo_entries = self->recall.memo != NULL ? leat_memo_get_n_entries (self->recall.memo) : 0;
  self->ledger.stats.memo_bytes = self->recall.memo != NULL ? leat_memo_get_bytes (self->recall.memo) : 0;
  self->ledger.stats.graphs = self->graph_counts;
  leat_session_note_persistent (self);
  leat_session_note_dropped (self);
}

/* After a run and after the opening: what other threads may ask for. */
void
leat_session_tell_stats (LeatSession *self)
{
  leat_session_note_run (self);
  self->ledger.stats.early_starts = self->plan->prediction.early_starts;
  if (G_UNLIKELY (self->ledger.levels_changed))
    leat_session_note_levels (self);
  g_mutex_lock (&self->told.lock);
  self->told.stats = self->ledger.stats;
  g_mutex_unlock (&self->told.lock);
}

void
leat_session_tell_run (LeatSession *self)
{
  leat_session_note_run (self);
  g_mutex_lock (&self->told.lock);
  memcpy (&self->told.stats, &self->ledger.stats, G_STRUCT_OFFSET (LeatSessionStats, runs_measured));
  g_mutex_unlock (&self->told.lock);
}

void
leat_session_tell_reason (LeatSession *self, const char *reason)
{
  g_mutex_lock (&self->told.lock);
  g_free (self->told.reason);
  self->told.reason = g_strdup (reason);
  g_mutex_unlock (&self->told.lock);
}

char *
leat_session_dup_reason (LeatSession *self)
{
  char *reason;

  g_mutex_lock (&self->told.lock);
  reason = g_strdup (self->told.reason != NULL ? self->told.reason : "");
  g_mutex_unlock (&self->told.lock);
  return reason;
}

void
leat_session_get_stats (LeatSession *self, LeatSessionStats *stats)
{
  g_mutex_lock (&self->told.lock);
  *stats = self->told.stats;
  g_mutex_unlock (&self->told.lock);
  if (stats->device_max_us == 0)
    stats->device_min_us = 0;
}

const char *
leat_session_get_why_not_on_device (LeatSession *self)
{
  LeatSessionStats stats;

  leat_session_get_stats (self, &stats);
  return stats.graphs.why_not_on_device != NULL ? stats.graphs.why_not_on_device : "";
}

static GVariant *
leat_session_print_trials (LeatSession *self, const GArray *trials)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sd)"));
  g_mutex_lock (&self->told.lock);
  for (guint i = 0; i < trials->len; i++)
    {
      const LeatTrial *trial = &g_array_index (trials, LeatTrial, i);

      g_variant_builder_add (&builder, "(sd)", trial->ways, trial->us);
    }
  g_mutex_unlock (&self->told.lock);
  return g_variant_builder_end (&builder);
}

/**
 * leat_session_dup_stats:
 * @self: a session
 *
 * Gets the statistics since the session was opened. A run that is under way in another thread counts up to its last
 * result.
 *
 * Returns: (transfer full): a dictionary (a{sv}): runs t, and of them runs-full t, runs-reused t (without uploads,
 *   since the inputs were what they were) and memo-hits t (results that were known); runs-refused t (kernels reported
 *   an error), reports t (of kernels), reports-lost t (of which no record was kept), reports-by-code aa{sv} (node s,
 *   code u, severity s, text s, count t); runs-silent t (without results, as others followed
 *   on the same inputs), and of them runs-repeated-on-device t (a loop on the device) and runs-repeated-unrolled t
 * (many launched at a time), why-not-repeated-on-device s (those that were repeated last); runs-measured t (by the
 * device's clock, with #LeatSession:timing); memo-lookups t, memo-held t (entries) and memo-held-bytes t; changes t
 * (nodes whose arguments were set between runs); replans t (plans made since the session is open, for properties that
 * were set); grown t (outputs that were given more room) and growths a(sttt) (each of them: output, items that a run
 * gave, room before and after); updates t (graph nodes changed in place), graph-updates t (executable graphs changed in
 * place), instantiations t (executable graphs made), last-reason s (why the last plan for which there was no executable
 * needed one); early-starts t (dependencies for whose end a kernel waits by itself); shapes t and shape-bytes t (kept
 * for former shapes of the data), shared-bytes t (constants that were on the device already), shape-hits t (returns to
 * one of them); trials a(sd) (each set of ways for data that the first run measured, and the microseconds of a replay
 * with it) and former-trials a(sd) (the same of the earlier session that measured, where the ways are taken from what
 * it has kept); items-in t, bytes-in t, bytes-out t (at sources and sinks), bytes-up t and bytes-back t (copied to the
 * device and back), uploads t and readbacks t (copies), launches t, waits t, once-bytes t (written for all runs),
 * allocations t and pinned-allocations t, device-bytes t and pinned-bytes t (now), device-bytes-most t and
 * pinned-bytes-most t; graph-bytes t (by which the driver's free memory went down when graphs were instantiated, those
 * for former shapes included) and graph-reserved-bytes t (that the driver keeps for allocations in graphs of this
 * process); times in microseconds: open-us x, and of it open-plan-us x with open-negotiate-us x (nodes and specs),
 * open-attach-us x (the device), open-bind-us x (dependencies, layout), open-load-us x (kernels, constants and memory)
 * with open-contents-us x (what is written into them), open-build-us x (the graph) with open-instantiate-us x,
 * open-start-us x (sources and sinks); first-result-us x (from open () to the first result), source-us x, device-us x
 * (of runs-timed t), sink-us x, replan-us x (sums); of the streaming over several lanes: lanes-used t, in-flight-most
 * t, reader-busy-us x, reader-idle-us x, lanes-busy-us x, lanes-idle-us x, writer-busy-us x, writer-idle-us x; dropped
 * t; of leat_session_evict (): evictions t, restores t, evicted-bytes t (that the host keeps now), evict-us x,
 * restore-us x; device-min-us x, device-max-us x
 */
GVariant *
leat_session_dup_stats (LeatSession *self)
{
  const LeatCounter *counters;
  guint n_counters;
  g_autofree char *reason = NULL;
  LeatSessionStats stats;
  GVariantDict dict;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  reason = leat_session_dup_reason (self);
  leat_session_get_stats (self, &stats);
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "trials", leat_session_print_trials (self, self->tuning.trials));
  g_variant_dict_insert_value (&dict, "former-trials", leat_session_print_trials (self, self->tuning.former_trials));
  g_variant_dict_insert_value (&dict, "growths", leat_session_print_growths (self));
  g_variant_dict_insert_value (&dict, "reports-by-code", leat_session_print_reports (self));
  g_variant_dict_insert (&dict, "last-reason", "s", reason);
  g_variant_dict_insert (&dict, "why-not-repeated-on-device", "s", leat_session_get_why_not_on_device (self));
  counters = leat_counters_get (&n_counters);
  for (guint i = 0; i < n_counters; i++)
    g_variant_dict_insert (&dict, counters[i].name, leat_counter_is_time (&counters[i]) ? "x" : "t",
                           leat_counter_get (&counters[i], &stats));
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

void
leat_session_install_counters (GObjectClass *klass, guint first_id)
{
  guint n;
  const LeatCounter *counters = leat_counters_get (&n);

  for (guint i = 0; i < n; i++)
    g_object_class_install_property (klass, first_id + i,
                                     g_param_spec_uint64 (counters[i].name, NULL, counters[i].help, 0, G_MAXUINT64, 0,
                                                          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

gboolean
leat_session_get_counter (LeatSession *self, guint index, GValue *value)
{
  guint n;
  const LeatCounter *counters = leat_counters_get (&n);
  LeatSessionStats stats;

  if (index >= n)
    return FALSE;
  leat_session_get_stats (self, &stats);
  g_value_set_uint64 (value, leat_counter_get (&counters[index], &stats));
  return TRUE;
}
