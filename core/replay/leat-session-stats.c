/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"

/* What a session counts, once: for the dictionary, for properties of the session and for Prometheus. */

#define COUNTER(name, field, text)                                                                                     \
  {                                                                                                                    \
    name, text, LEAT_COUNTER_SUM, G_STRUCT_OFFSET (LeatSessionStats, field)                                            \
  }
#define GAUGE(name, field, text)                                                                                       \
  {                                                                                                                    \
    name, text, LEAT_COUNTER_LEVEL, G_STRUCT_OFFSET (LeatSessionStats, field)                                          \
  }
#define TIME(name, field, text)                                                                                        \
  {                                                                                                                    \
    name, text, LEAT_COUNTER_TIME, G_STRUCT_OFFSET (LeatSessionStats, field)                                           \
  }
#define SPENT(name, field, text)                                                                                       \
  {                                                                                                                    \
    name, text, LEAT_COUNTER_SPENT, G_STRUCT_OFFSET (LeatSessionStats, field)                                          \
  }

static const LeatCounter leat_counters[] = {
  COUNTER ("runs", runs, "Runs since the session was opened"),
  COUNTER ("runs-full", runs_of[LEAT_PATH_FULL], "Runs that did all of the plan"),
  COUNTER ("runs-resident", runs_of[LEAT_PATH_RESIDENT], "Runs without uploads, their inputs being what they were"),
  COUNTER ("memo-hits", memo_hits, "Runs whose results were known"),
  COUNTER ("memo-lookups", memo_lookups, "Runs whose results were looked for"),
  GAUGE ("memo-held", memo_entries, "Results that are remembered"),
  GAUGE ("memo-held-bytes", memo_bytes, "Bytes that are remembered, of inputs and results"),
  COUNTER ("changes", changes, "Nodes whose arguments were set between runs"),
  COUNTER ("replans", replans, "Plans made since the session was opened, for properties that were set"),
  COUNTER ("updates", graphs.updates, "Nodes of executable graphs that were given other values in place"),
  COUNTER ("graph-updates", graphs.graph_updates, "Executable graphs that were given another graph in place"),
  COUNTER ("instantiations", graphs.instantiations, "Executable graphs that were made"),
  GAUGE ("shapes", shapes, "Former shapes of the data for which memory and graphs are kept"),
  GAUGE ("shape-bytes", shape_bytes, "Bytes of memory that are kept for them"),
  COUNTER ("shape-hits", shape_hits, "Returns to a shape that was kept"),
  COUNTER ("items-in", items_in, "Items that sources gave"),
  COUNTER ("bytes-in", bytes_in, "Bytes that sources gave"),
  COUNTER ("bytes-out", bytes_out, "Bytes that sinks took"),
  COUNTER ("bytes-up", bytes_up, "Bytes copied to the device"),
  COUNTER ("bytes-back", bytes_back, "Bytes copied back from the device"),
  GAUGE ("graph-bytes", graph_bytes, "Device memory that instantiating graphs took, as the driver's free memory says"),
  GAUGE ("graph-reserved-bytes", graph_reserved_bytes,
         "Device memory that the driver keeps for allocations in graphs of this process"),
  TIME ("open-us", opened_us, "Time that opening took"),
  TIME ("open-plan-us", plan_us, "Time that planning took"),
  TIME ("open-attach-us", attach_us, "Time that getting the device took"),
  TIME ("open-load-us", load_us, "Time that loading kernels and making memory took"),
  TIME ("open-build-us", build_us, "Time that making the graph took"),
  TIME ("first-result-us", first_us, "Time from opening to the first result"),
  SPENT ("source-us", source_us, "Time spent in sources"),
  SPENT ("device-us", device_us, "Time from launch to completion"),
  SPENT ("sink-us", sink_us, "Time spent in sinks"),
  SPENT ("replan-us", replan_us, "Time spent planning anew, for what could not be done too"),
  TIME ("device-min-us", device_min_us, "Least time from launch to completion"),
  TIME ("device-max-us", device_max_us, "Most time from launch to completion"),
};

const LeatCounter *
leat_counters_get (guint *n)
{
  *n = G_N_ELEMENTS (leat_counters);
  return leat_counters;
}

guint64
leat_counter_get (const LeatCounter *self, const LeatSessionStats *stats)
{
  return G_STRUCT_MEMBER (guint64, stats, self->offset);
}

gboolean
leat_counter_is_time (const LeatCounter *self)
{
  return self->kind == LEAT_COUNTER_TIME || self->kind == LEAT_COUNTER_SPENT;
}

static void
leat_session_add_up_graphs (LeatSession *self)
{
  self->stats.graph_bytes = self->stats.graph_reserved_bytes = 0;
  for (guint i = 0; i < self->setups->len; i++)
    self->stats.graph_bytes += leat_setup_get_graph_bytes (g_ptr_array_index (self->setups, i));
  for (guint i = 0; i < self->lanes->len; i++)
    self->stats.graph_reserved_bytes = ((LeatLane *) g_ptr_array_index (self->lanes, i))->reserved_bytes;
}

/* After a run and after the opening: what other threads may ask for. */
void
leat_session_tell_stats (LeatSession *self)
{
  self->stats.memo_entries = self->memo != NULL ? leat_memo_get_n_entries (self->memo) : 0;
  self->stats.memo_bytes = self->memo != NULL ? leat_memo_get_bytes (self->memo) : 0;
  self->stats.graphs = self->graph_counts;
  self->stats.shapes = self->setups->len > 0 ? self->setups->len - 1 : 0;
  self->stats.shape_bytes = leat_session_get_cached_bytes (self);
  leat_session_add_up_graphs (self);
  g_mutex_lock (&self->told_lock);
  self->told = self->stats;
  g_mutex_unlock (&self->told_lock);
}

void
leat_session_get_stats (LeatSession *self, LeatSessionStats *stats)
{
  g_mutex_lock (&self->told_lock);
  *stats = self->told;
  g_mutex_unlock (&self->told_lock);
  if (stats->device_max_us == 0)
    stats->device_min_us = 0;
}

static GVariant *
leat_session_print_trials (LeatSession *self)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sd)"));
  g_mutex_lock (&self->told_lock);
  for (guint i = 0; i < self->trials->len; i++)
    {
      const LeatTrial *trial = &g_array_index (self->trials, LeatTrial, i);

      g_variant_builder_add (&builder, "(sd)", trial->ways, trial->us);
    }
  g_mutex_unlock (&self->told_lock);
  return g_variant_builder_end (&builder);
}

/**
 * leat_session_dup_stats:
 * @self: a session
 *
 * Gets what has happened since the session was opened; of a run that is under way in another thread, all up to its last
 * result.
 *
 * Returns: (transfer full): a dictionary (a{sv}): runs t, and of them runs-full t, runs-resident t (without uploads,
 *   since the inputs were what they were) and memo-hits t (results that were known); memo-lookups t, memo-held t
 *   (entries) and memo-held-bytes t; changes t (nodes whose arguments were set between runs); replans t (plans made
 *   since the session is open, for properties that were set); updates t (graph nodes changed in place), graph-updates t
 *   (executable graphs changed in place), instantiations t (executable graphs made), last-reason s (why the last plan
 *   for which there was no executable needed one); shapes t and shape-bytes t (kept for former shapes of the data),
 *   shape-hits t (returns to one of them); trials a(sd) (each set of ways for data that the first run measured, and the
 *   microseconds of a replay with it); items-in t, bytes-in t, bytes-out t (at sources and sinks), bytes-up t and
 *   bytes-back t (copied to the device and back); graph-bytes t (by which the driver's free memory went down when
 * graphs were instantiated, those for former shapes included) and graph-reserved-bytes t (that the driver keeps for
 *   allocations in graphs of this process); times in microseconds: open-us x, and of it open-plan-us x, open-attach-us
 * x (the device), open-load-us x (kernels, constants and memory), open-build-us x (the graph); first-result-us x (from
 *   open () to the first result), source-us x, device-us x, sink-us x, replan-us x (sums), device-min-us x,
 *   device-max-us x
 */
GVariant *
leat_session_dup_stats (LeatSession *self)
{
  LeatSessionStats stats;
  GVariantDict dict;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  leat_session_get_stats (self, &stats);
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "trials", leat_session_print_trials (self));
  g_variant_dict_insert (&dict, "last-reason", "s", stats.change_reason);
  for (guint i = 0; i < G_N_ELEMENTS (leat_counters); i++)
    g_variant_dict_insert (&dict, leat_counters[i].name, leat_counter_is_time (&leat_counters[i]) ? "x" : "t",
                           leat_counter_get (&leat_counters[i], &stats));
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

void
leat_session_install_counters (GObjectClass *klass, guint first_id)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_counters); i++)
    g_object_class_install_property (klass, first_id + i,
                                     g_param_spec_uint64 (leat_counters[i].name, NULL, leat_counters[i].help, 0,
                                                          G_MAXUINT64, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

gboolean
leat_session_get_counter (LeatSession *self, guint index, GValue *value)
{
  LeatSessionStats stats;

  if (index >= G_N_ELEMENTS (leat_counters))
    return FALSE;
  leat_session_get_stats (self, &stats);
  g_value_set_uint64 (value, leat_counter_get (&leat_counters[index], &stats));
  return TRUE;
}
