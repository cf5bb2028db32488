/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"

/* After a run and after the opening: what other threads may ask for. */
void
leat_session_tell_stats (LeatSession *self)
{
  g_mutex_lock (&self->told_lock);
  self->told = self->stats;
  g_mutex_unlock (&self->told_lock);
}

/**
 * leat_session_dup_stats:
 * @self: a session
 *
 * Gets what has happened since the session was opened; of a run that is under way in another thread, all up to its last
 * result.
 *
 * Returns: (transfer full): a dictionary (a{sv}): runs t, items-in t, bytes-in t, bytes-out t; times in microseconds:
 *   open-us x, and of it open-plan-us x, open-attach-us x (the device), open-load-us x (kernels and constants),
 *   open-build-us x (memory and the graph); first-result-us x (from open () to the first result), source-us x,
 *   device-us x, sink-us x (sums), device-min-us x, device-max-us x
 */
GVariant *
leat_session_dup_stats (LeatSession *self)
{
  g_autofree LeatSessionStats *stats = NULL;
  GVariantDict dict;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  g_mutex_lock (&self->told_lock);
  stats = g_memdup2 (&self->told, sizeof self->told);
  g_mutex_unlock (&self->told_lock);
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "runs", "t", stats->runs);
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
  g_variant_dict_insert (&dict, "device-min-us", "x", stats->runs > 0 ? stats->device_min_us : 0);
  g_variant_dict_insert (&dict, "device-max-us", "x", stats->device_max_us);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}
