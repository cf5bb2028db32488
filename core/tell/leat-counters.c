/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The counters of a session, listed once: for the dictionary, the monitor and Prometheus.  leat_session_dup_stats ()
 * documents each name. */

#include "leat-told-private.h"

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
  COUNTER ("runs-reused", runs_of[LEAT_PATH_REUSED], "Runs without uploads, their inputs being what they were"),
  COUNTER ("runs-silent", runs_silent, "Runs whose results were not asked for"),
  COUNTER ("runs-repeated-on-device", graphs.on_device, "Runs without results that a loop on the device did"),
  COUNTER ("runs-repeated-unrolled", graphs.unrolled,
           "Runs without results that were launched many at a time as one graph"),
  COUNTER ("runs-measured", runs_measured, "Runs whose nodes were measured by the device's clock"),
  COUNTER ("batch-launches", batch_launches, "Launches that were for many entries of a batch"),
  COUNTER ("batch-entries", batch_entries, "Lanes of batches that were launched together"),
  COUNTER ("entry-errors", entry_errors, "Lanes of batches that failed alone"),
  COUNTER ("memo-hits", memo_hits, "Runs whose results were known"),
  COUNTER ("memo-lookups", memo_lookups, "Runs whose results were looked for"),
  GAUGE ("memo-held", memo_entries, "Results that are remembered"),
  GAUGE ("memo-held-bytes", memo_bytes, "Bytes that are remembered, of inputs and results"),
  COUNTER ("runs-refused", runs_refused, "Runs that failed because a kernel reported an error"),
  COUNTER ("reports", reports, "Reports of kernels"),
  COUNTER ("reports-lost", reports_lost, "Reports that were counted and of which no record was kept"),
  COUNTER ("changes", changes, "Nodes whose arguments were set between runs"),
  COUNTER ("bindings", bindings, "Times that memory of the program was bound to a port"),
  COUNTER ("replans", replans, "Plans made for properties that were set between runs"),
  COUNTER ("grown", grown, "Times that an output was given more room because a run needed it"),
  COUNTER ("updates", graphs.updates, "Nodes of executable graphs that were given other values in place"),
  COUNTER ("graph-updates", graphs.graph_updates, "Executable graphs that were given another graph in place"),
  COUNTER ("instantiations", graphs.instantiations, "Executable graphs that were made"),
  GAUGE ("early-starts", early_starts, "Dependencies for whose end a kernel waits by itself"),
  COUNTER ("persistent-runs", persistent.signals, "Runs that were handed to a persistent kernel"),
  COUNTER ("persistent-launches", persistent.launches, "Launches of the persistent kernel"),
  COUNTER ("persistent-leaves", persistent.leaves, "Times that the persistent kernel was asked to leave"),
  COUNTER ("runaways", persistent.faults, "Runs that took too long and were ended"),
  GAUGE ("shapes", shapes, "Former shapes of the data for which memory and graphs are kept"),
  GAUGE ("shape-bytes", shape_bytes, "Bytes of memory that are kept for former shapes"),
  GAUGE ("shared-bytes", shared_bytes, "Bytes of constants that were on the device already"),
  COUNTER ("shape-hits", shape_hits, "Returns to a shape that was kept"),
  COUNTER ("items-in", items_in, "Items that sources gave"),
  COUNTER ("bytes-in", bytes_in, "Bytes that sources gave"),
  COUNTER ("bytes-out", bytes_out, "Bytes that sinks took"),
  GAUGE ("lanes-used", lanes, "Runs that may be under way at the same time"),
  GAUGE ("in-flight-most", in_flight_most, "Most runs that were under way at the same time"),
  COUNTER ("dropped", dropped, "Data and results that app nodes dropped because they came too fast"),
  COUNTER ("runs-timed", runs_timed, "Runs of which it is known how long they took"),
  COUNTER ("evictions", evictions, "Times that the session was taken off the device"),
  COUNTER ("restores", restores, "Times that the session was brought back to the device"),
  GAUGE ("evicted-bytes", evicted_bytes, "Bytes that the host keeps while the session is off the device"),
  COUNTER ("bytes-up", graphs.work.traffic.up_bytes, "Bytes copied to the device"),
  COUNTER ("bytes-back", graphs.work.traffic.back_bytes, "Bytes copied back from the device"),
  COUNTER ("uploads", graphs.work.traffic.uploads, "Copies to the device"),
  COUNTER ("readbacks", graphs.work.traffic.readbacks, "Copies back from the device"),
  COUNTER ("launches", graphs.work.launches, "Graphs and single ops that were handed to the device"),
  COUNTER ("waits", graphs.work.waits, "Times that a thread waited for the end of a run"),
  COUNTER ("once-bytes", once_bytes, "Bytes written to the device for all runs"),
  COUNTER ("allocations", memory.allocations[LEAT_MEMORY_DEVICE], "Blocks of the device's memory that were asked for"),
  COUNTER ("pinned-allocations", memory.allocations[LEAT_MEMORY_PINNED],
           "Blocks of pinned host memory that were asked for"),
  GAUGE ("device-bytes", memory.live_bytes[LEAT_MEMORY_DEVICE], "Bytes of the device's memory that the session has"),
  GAUGE ("device-bytes-most", memory.most_bytes[LEAT_MEMORY_DEVICE],
         "Most bytes of the device's memory that the session had at the same time"),
  GAUGE ("pinned-bytes", memory.live_bytes[LEAT_MEMORY_PINNED], "Bytes of pinned host memory that the session has"),
  GAUGE ("pinned-bytes-most", memory.most_bytes[LEAT_MEMORY_PINNED],
         "Most bytes of pinned host memory that the session had at the same time"),
  GAUGE ("graph-bytes", graph_bytes, "Device memory that instantiating graphs took, as the driver's free memory says"),
  GAUGE ("graph-reserved-bytes", graph_reserved_bytes,
         "Device memory that the driver keeps for allocations in graphs of this process"),
  TIME ("open-us", opened_us, "Time that opening took"),
  TIME ("open-plan-us", plan_us, "Time that planning took"),
  TIME ("open-negotiate-us", negotiate_us, "Time that checking and sorting the nodes and fixing the specs took"),
  TIME ("open-attach-us", attach_us, "Time that getting the device took"),
  TIME ("open-bind-us", bind_us, "Time that binding the plan to the device took"),
  TIME ("open-load-us", load_us, "Time that loading kernels and making memory took"),
  TIME ("open-contents-us", contents_us, "Time that writing the first contents of constants and states took"),
  TIME ("open-build-us", build_us, "Time that making the graph took"),
  TIME ("open-instantiate-us", instantiate_us, "Time that instantiating and uploading the graph took"),
  TIME ("open-start-us", start_us, "Time that starting sources and sinks took"),
  TIME ("first-result-us", first_us, "Time from opening to the first result"),
  SPENT ("source-us", source_us, "Time spent in sources"),
  SPENT ("device-us", device_us, "Time from launch to completion"),
  SPENT ("sink-us", sink_us, "Time spent in sinks"),
  SPENT ("reader-busy-us", reader_busy_us, "Time that the reader of several lanes spent in sources"),
  SPENT ("reader-idle-us", reader_idle_us, "Time that the reader of several lanes waited for a free lane"),
  SPENT ("lanes-busy-us", lanes_busy_us, "Time that the device had any of several lanes to work on"),
  SPENT ("lanes-idle-us", lanes_idle_us, "Time that the device had none of several lanes to work on"),
  SPENT ("writer-busy-us", writer_busy_us, "Time that the writer of several lanes spent in sinks"),
  SPENT ("writer-idle-us", writer_idle_us, "Time that the writer of several lanes waited for a result"),
  SPENT ("replan-us", replan_us, "Time spent planning anew, with what could not be done"),
  SPENT ("evict-us", evict_us, "Time that taking the session off the device took"),
  SPENT ("restore-us", restore_us, "Time that bringing the session back to the device took"),
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
