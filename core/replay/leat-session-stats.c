/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"

/* After a run and after the opening: what other threads may ask for. */
void
leat_session_tell_stats (LeatSession *self)
{
  self->stats.memo_entries = self->memo != NULL ? leat_memo_get_n_entries (self->memo) : 0;
  self->stats.memo_bytes = self->memo != NULL ? leat_memo_get_bytes (self->memo) : 0;
  self->stats.graphs = self->graph_counts;
  self->stats.shapes = self->setups->len > 0 ? self->setups->len - 1 : 0;
  self->stats.shape_bytes = leat_session_get_cached_bytes (self);
  g_mutex_lock (&self->told_lock);
  self->told = self->stats;
  g_mutex_unlock (&self->told_lock);
}

static GVariant *
leat_session_print_trials (LeatSession *self)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sd)"));
  for (guint i = 0; i < self->trials->len; i++)
    {
      const LeatTrial *trial = &g_array_index (self->trials, LeatTrial, i);

      g_variant_builder_add (&builder, "(sd)", trial->ways, trial->us);
    }
  return g_variant_builder_end (&builder);
}

/**
 * leat_session_dup_stats:
 * @self: a session
 *
 * Gets what has happened since the session was opened; of a run that is under way in another thread, all up to its last
 * result.
 *
 * Returns: (transfer full): a dictionary (a{sv}): runs t, and of them runs-full t,
 *   runs-resident t (without uploads, since the inputs were what they were) and memo-hits t (results that were known);
 *   memo-lookups t, memo-entries u and memo-bytes t (held now); changes t (nodes whose arguments were set between
 *   runs); replans t (plans made since the session is open, for properties that were set); updates t (graph nodes
 *   changed in place), graph-updates t (executable graphs changed in place), instantiations t (executable graphs made),
 *   last-reason s (why the last plan for which there was no executable needed one); shapes u and shape-bytes t (kept
 * for former shapes of the data), shape-hits t (returns to one of them); trials a(sd) (each set of ways for data that
 * the first run measured, and the microseconds of a replay with it); items-in t, bytes-in t, bytes-out t; times in
 *   microseconds: open-us x, and of it open-plan-us x, open-attach-us x (the device), open-load-us x (kernels,
 * constants and memory), open-build-us x (the graph); first-result-us x (from open () to the first result), source-us
 * x, device-us x, sink-us x, replan-us x (sums), device-min-us x, device-max-us x
 */
GVariant *
leat_session_dup_stats (LeatSession *self)
{
  g_autofree LeatSessionStats *stats = NULL;
  GVariantDict dict;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  g_mutex_lock (&self->told_lock);
  stats = g_memdup2 (&self->told, sizeof self->told);
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "trials", leat_session_print_trials (self));
  g_mutex_unlock (&self->told_lock);
  g_variant_dict_insert (&dict, "runs", "t", stats->runs);
  g_variant_dict_insert (&dict, "runs-full", "t", stats->runs_of[LEAT_PATH_FULL]);
  g_variant_dict_insert (&dict, "runs-resident", "t", stats->runs_of[LEAT_PATH_RESIDENT]);
  g_variant_dict_insert (&dict, "memo-hits", "t", stats->memo_hits);
  g_variant_dict_insert (&dict, "memo-lookups", "t", stats->memo_lookups);
  g_variant_dict_insert (&dict, "memo-entries", "u", stats->memo_entries);
  g_variant_dict_insert (&dict, "memo-bytes", "t", stats->memo_bytes);
  g_variant_dict_insert (&dict, "changes", "t", stats->changes);
  g_variant_dict_insert (&dict, "replans", "t", stats->replans);
  g_variant_dict_insert (&dict, "updates", "t", stats->graphs.updates);
  g_variant_dict_insert (&dict, "graph-updates", "t", stats->graphs.graph_updates);
  g_variant_dict_insert (&dict, "instantiations", "t", stats->graphs.instantiations);
  g_variant_dict_insert (&dict, "last-reason", "s", stats->change_reason);
  g_variant_dict_insert (&dict, "shapes", "u", stats->shapes);
  g_variant_dict_insert (&dict, "shape-bytes", "t", stats->shape_bytes);
  g_variant_dict_insert (&dict, "shape-hits", "t", stats->shape_hits);
  g_variant_dict_insert (&dict, "items-in", "t", stats->items_in);
  g_variant_dict_insert (&dict, "bytes-in", "t", stats->bytes_in);
  g_variant_dict_insert (&dict, "bytes-out", "t", stats->bytes_out);
  g_variant_dict_insert (&dict, "open-us", "x", stats->opened_us);
  g_variant_dict_insert (&dict, "open-plan-us", "x", stats->plan_us);
  g_variant_dict_insert (&dict, "open-attach-us", "x", stats->attach_us);
  g_variant_dict_insert (&dict, "open-load-us", "x", stats->load_us);
  g_variant_dict_insert (&dict, "open-build-us", "x", stats->build_us);
  g_variant_dict_insert (&dict, "first-result-us", "x", stats->first_us);
  g_variant_dict_insert (&dict, "source-us", "x", stats->source_us);
  g_variant_dict_insert (&dict, "device-us", "x", stats->device_us);
  g_variant_dict_insert (&dict, "sink-us", "x", stats->sink_us);
  g_variant_dict_insert (&dict, "replan-us", "x", stats->replan_us);
  g_variant_dict_insert (&dict, "device-min-us", "x", stats->device_max_us > 0 ? stats->device_min_us : 0);
  g_variant_dict_insert (&dict, "device-max-us", "x", stats->device_max_us);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}
