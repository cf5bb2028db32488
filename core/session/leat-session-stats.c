/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Collects the figures of a session for its LeatTold, and gives them to the application.  Touches the ledger. */

#include "graph/leat-app-private.h"
#include "lane/leat-persistent-private.h"
#include "leat-session-told-private.h"

#include <string.h>

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
  self->told.ledger.levels_changed = FALSE;
  self->told.ledger.stats.shapes = self->shapes.setups->len > 0 ? self->shapes.setups->len - 1 : 0;
  self->told.ledger.stats.shape_bytes = leat_shapes_get_bytes (&self->shapes, self->setup);
  self->told.ledger.stats.shared_bytes = leat_session_get_shared_bytes (self);
  leat_memory_account_get (self->account, &self->told.ledger.stats.memory);
  self->told.ledger.stats.graph_bytes = self->told.ledger.stats.graph_reserved_bytes = 0;
  for (guint i = 0; i < self->shapes.setups->len; i++)
    self->told.ledger.stats.graph_bytes += leat_setup_get_graph_bytes (g_ptr_array_index (self->shapes.setups, i));
  for (guint i = 0; i < self->lanes->len; i++)
    self->told.ledger.stats.graph_reserved_bytes = ((LeatLane *) g_ptr_array_index (self->lanes, i))->reserved_bytes;
}

static void
leat_session_note_dropped (LeatSession *self)
{
  self->told.ledger.stats.dropped = 0;
  for (guint i = 0; i < self->ends.inputs->len; i++)
    if (leat_session_get_input (self, i)->app != NULL)
      self->told.ledger.stats.dropped += leat_app_get_dropped (leat_session_get_input (self, i)->app);
  for (guint i = 0; i < self->ends.outputs->len; i++)
    if (leat_session_get_output (self, i)->app != NULL)
      self->told.ledger.stats.dropped += leat_app_get_dropped (leat_session_get_output (self, i)->app);
}

/* Updates the statistics that a run may have changed. */
static void
leat_session_note_run (LeatSession *self)
{
  self->told.ledger.stats.memo_entries = self->recall.memo != NULL ? leat_memo_get_n_entries (self->recall.memo) : 0;
  self->told.ledger.stats.memo_bytes = self->recall.memo != NULL ? leat_memo_get_bytes (self->recall.memo) : 0;
  self->told.ledger.stats.graphs = self->told.ledger.graph_counts;
  if (self->program != NULL && self->program->persistent != NULL)
    leat_persistent_get_counts (self->program->persistent, &self->told.ledger.stats.persistent);
  leat_session_note_dropped (self);
}

/* After a run and after the opening: what other threads may ask for. */
void
leat_session_tell_stats (LeatSession *self)
{
  leat_session_note_run (self);
  self->told.ledger.stats.early_starts = LEAT_BOUND_PLAN (self->plan)->prediction.early_starts;
  if (G_UNLIKELY (self->told.ledger.levels_changed))
    leat_session_note_levels (self);
  leat_told_set_stats (&self->told);
}

void
leat_session_tell_run (LeatSession *self)
{
  leat_session_note_run (self);
  leat_told_set_run_stats (&self->told);
}

const char *
leat_session_get_state_name (gconstpointer session)
{
  LeatSession *self = (LeatSession *) session;

  if (leat_session_is_evicted (self))
    return "evicted";
  switch (g_atomic_int_get (&self->hold.use))
    {
    case LEAT_SESSION_RUNNING:
      return "running";
    case LEAT_SESSION_LAUNCHED:
      return "launched";
    case LEAT_SESSION_CHANGING:
      return "changing";
    default:
      return "idle";
    }
}

/**
 * leat_session_dup_stats:
 * @self: a session
 *
 * Gets the statistics since the session was opened. A run that is under way in another thread counts up to its last
 * result. Any thread may ask. #LeatSession:stats is the same.
 *
 * The list has each key with the type of its value. A key that ends in `-us` is in microseconds, a key that has `bytes`
 * in it is in bytes, and every other number is a count. Numbers are of all the time since the session was opened,
 * unless they say "now".
 *
 * Runs:
 * - `runs` t: runs
 * - `runs-full` t: runs that did all of the plan
 * - `runs-reused` t: runs without uploads, since the inputs were what they were
 * - `memo-hits` t: runs whose results were known
 * - `memo-lookups` t: runs whose results were looked for
 * - `memo-held` t: results that are remembered, now
 * - `memo-held-bytes` t: inputs and results that are remembered, now
 * - `runs-silent` t: runs whose results were not asked for, as others followed on the same inputs
 * - `runs-repeated-on-device` t: of the runs without results, those that a loop on the device did
 * - `runs-repeated-unrolled` t: of the runs without results, those that were launched many at a time as one graph
 * - `why-not-repeated-on-device` s: as #LeatSession:why-not-repeated-on-device
 * - `runs-measured` t: runs whose nodes were measured by the device's clock, with #LeatSession:timing
 * - `runs-timed` t: runs in `device-us`, without runs with known results, and without runs that
 *   leat_session_complete() found ended without a wait
 * - `batch-launches` t: launches that were for many entries of a batch
 * - `batch-entries` t: entries that these launches were for
 * - `entry-errors` t: entries of batches that failed alone
 * - `persistent-runs` t: runs that were handed to a persistent kernel
 * - `persistent-launches` t: launches of the persistent kernel: the first, and one each time that it came back
 * - `persistent-leaves` t: times that the persistent kernel was asked to leave, for a driver call or to give it other
 *   parameters
 * - `runaways` t: runs that took longer than #LeatSession:persistent-limit-ms and were ended
 *
 * Reports of kernels:
 * - `runs-refused` t: runs that failed because a kernel reported an error
 * - `reports` t: reports
 * - `reports-lost` t: reports that were counted and of which no record was kept
 * - `reports-by-code` aa{sv}: for each node and code, `node` s, `code` u, `severity` s, `text` s and `count` t
 *
 * Changes between runs:
 * - `changes` t: nodes whose arguments were set
 * - `bindings` t: times that memory of the application was bound to a port
 * - `replans` t: plans made for properties that were set
 * - `replan-us` x: time spent planning anew for them, also where that failed
 * - `grown` t: times that an output was given more room because a run needed it
 * - `growths` a(sttt): each of them: the output, the items that a run gave, the room before and after
 * - `updates` t: nodes of executable graphs that were given other values in place
 * - `graph-updates` t: executable graphs that were given another graph in place
 * - `instantiations` t: executable graphs that were made
 * - `last-reason` s: as #LeatSession:last-reason
 * - `early-starts` t: dependencies in the graph of a run for whose end a kernel waits by itself, now
 * - `shapes` t: former shapes of the data for which memory and graphs are kept, now
 * - `shape-bytes` t: memory that is kept for former shapes, now
 * - `shape-hits` t: returns to a shape that was kept
 * - `trials` a(sd): each set of ways for data that the first run measured, and the microseconds of a replay with it
 * - `former-trials` a(sd): the same of the earlier session that measured, where the ways are from what it has kept
 *
 * Data and work:
 * - `items-in` t: items that sources gave
 * - `bytes-in` t: what sources gave
 * - `bytes-out` t: what sinks took
 * - `dropped` t: items that `app` nodes with `leaky` dropped
 * - `bytes-up` t: what was copied to the device
 * - `bytes-back` t: what was copied back from the device
 * - `uploads` t: copies to the device that runs made
 * - `readbacks` t: copies back from the device that runs made
 * - `launches` t: graphs, and single ops outside of graphs, that were handed to the device
 * - `waits` t: waits of a thread for the end of a run, or of a launch of a batch
 *
 * Memory:
 * - `once-bytes` t: written to the device for all runs, when the session was opened and when lanes were added
 * - `shared-bytes` t: constants that were on the device already, as they are another session's too, now
 * - `allocations` t: blocks of the device's memory that the session asked for
 * - `pinned-allocations` t: blocks of pinned host memory that the session asked for
 * - `device-bytes` t: the device's memory that the session has, without constants that another session brought, now
 * - `device-bytes-most` t: the most of it at the same time
 * - `pinned-bytes` t: pinned host memory that the session has, now
 * - `pinned-bytes-most` t: the most of it at the same time
 * - `graph-bytes` t: by how much the driver's free memory went down when graphs were instantiated, those for former
 *   shapes included, now
 * - `graph-reserved-bytes` t: device memory that the driver keeps for allocations in graphs of this process, now
 * - `evictions` t: times that leat_session_evict() took the session off the device
 * - `restores` t: times that a run or leat_session_restore() brought it back
 * - `evicted-bytes` t: host memory that is kept for the session while it is off the device, now
 * - `evict-us` x: time that taking it off the device took
 * - `restore-us` x: time that bringing it back took
 *
 * Opening:
 * - `open-us` x: time that opening took
 * - `open-plan-us` x: of it, planning
 * - `open-negotiate-us` x: of `open-plan-us`, checking and sorting the nodes and fixing the specs
 * - `open-attach-us` x: of `open-us`, getting the device
 * - `open-bind-us` x: of `open-us`, binding the plan to the device: dependencies, layout
 * - `open-load-us` x: of `open-us`, loading kernels and making memory
 * - `open-contents-us` x: of `open-load-us`, writing the first contents of constants and states
 * - `open-build-us` x: of `open-us`, making the graph
 * - `open-instantiate-us` x: of `open-build-us`, instantiating and uploading the graph
 * - `open-start-us` x: of `open-us`, starting sources and sinks
 * - `first-result-us` x: time from opening to the first result
 *
 * Times of runs:
 * - `source-us` x: time spent in sources, summed over the runs that were measured
 * - `device-us` x: time from launch to completion, summed over `runs-timed`
 * - `device-min-us` x: the least of these times
 * - `device-max-us` x: the most of these times
 * - `sink-us` x: time spent in sinks, summed over the runs that were measured
 *
 * leat_session_run() with several lanes:
 * - `lanes-used` t: runs that may be under way at the same time, now
 * - `in-flight-most` t: the most runs that were under way at the same time; 0 with one lane
 * - `reader-busy-us` x: time that the reader spent in sources
 * - `reader-idle-us` x: time that the reader waited for a free lane
 * - `lanes-busy-us` x: time that the device had any of the lanes to work on
 * - `lanes-idle-us` x: time that the device had none of the lanes to work on
 * - `writer-busy-us` x: time that the writer spent in sinks
 * - `writer-idle-us` x: time that the writer waited for a result
 *
 * Returns: (transfer full): a dictionary (a{sv})
 */
GVariant *
leat_session_dup_stats (LeatSession *self)
{
  GVariantDict dict;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  g_variant_dict_init (&dict, NULL);
  leat_told_fill_stats (&self->told, &dict);
  leat_tuning_fill_stats (&self->tuning, &dict);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

guint64
leat_session_get_number (LeatSession *self, const char *name)
{
  return leat_told_get_number (&self->told, name);
}
