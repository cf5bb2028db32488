/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"
#include "leat-session-told-private.h"

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
  /**
   * LeatSession:runs:
   *
   * Runs since the session was opened.
   */
  COUNTER ("runs", runs, "Runs since the session was opened"),
  /**
   * LeatSession:runs-full:
   *
   * Runs that did all of the plan, since the session was opened.
   */
  COUNTER ("runs-full", runs_of[LEAT_PATH_FULL], "Runs that did all of the plan"),
  /**
   * LeatSession:runs-reused:
   *
   * Runs without uploads, their inputs being what they were, since the session was opened.
   */
  COUNTER ("runs-reused", runs_of[LEAT_PATH_REUSED], "Runs without uploads, their inputs being what they were"),
  /**
   * LeatSession:runs-silent:
   *
   * Runs whose results were not asked for, others on the same inputs coming after them, since the session was opened.
   */
  COUNTER ("runs-silent", runs_silent, "Runs whose results were not asked for"),
  /**
   * LeatSession:runs-repeated-on-device:
   *
   * Of the runs without results, those that a loop on the device did, since the session was opened.
   */
  COUNTER ("runs-repeated-on-device", graphs.on_device, "Runs without results that a loop on the device did"),
  /**
   * LeatSession:runs-repeated-unrolled:
   *
   * Of the runs without results, those that were launched many at a time as one graph, since the session was opened.
   */
  COUNTER ("runs-repeated-unrolled", graphs.unrolled,
           "Runs without results that were launched many at a time as one graph"),
  /**
   * LeatSession:runs-measured:
   *
   * Runs whose nodes were measured by the device's clock, since the session was opened.
   */
  COUNTER ("runs-measured", runs_measured, "Runs whose nodes were measured by the device's clock"),
  /**
   * LeatSession:batch-launches:
   *
   * Launches that were for many lanes of a batch.
   */
  COUNTER ("batch-launches", batch_launches, "Launches that were for many lanes of a batch"),
  /**
   * LeatSession:batch-entries:
   *
   * And the lanes that they were for.
   */
  COUNTER ("batch-entries", batch_entries, "Lanes of batches that were launched together"),
  /**
   * LeatSession:entry-errors:
   *
   * Lanes of batches that failed alone.
   */
  COUNTER ("entry-errors", entry_errors, "Lanes of batches that failed alone"),
  /**
   * LeatSession:memo-hits:
   *
   * Runs whose results were known, since the session was opened.
   */
  COUNTER ("memo-hits", memo_hits, "Runs whose results were known"),
  /**
   * LeatSession:memo-lookups:
   *
   * Runs whose results were looked for, since the session was opened.
   */
  COUNTER ("memo-lookups", memo_lookups, "Runs whose results were looked for"),
  /**
   * LeatSession:memo-held:
   *
   * Results that are remembered, now.
   */
  GAUGE ("memo-held", memo_entries, "Results that are remembered"),
  /**
   * LeatSession:memo-held-bytes:
   *
   * Bytes that are remembered, of inputs and results, now.
   */
  GAUGE ("memo-held-bytes", memo_bytes, "Bytes that are remembered, of inputs and results"),
  /**
   * LeatSession:runs-refused:
   *
   * Runs that failed because a kernel reported an error, since the session was opened.
   */
  COUNTER ("runs-refused", runs_refused, "Runs that failed because a kernel reported an error"),
  /**
   * LeatSession:reports:
   *
   * Reports of kernels, since the session was opened.
   */
  COUNTER ("reports", reports, "Reports of kernels"),
  /**
   * LeatSession:reports-lost:
   *
   * Reports that were counted and of which no record was kept, since the session was opened.
   */
  COUNTER ("reports-lost", reports_lost, "Reports that were counted and of which no record was kept"),
  /**
   * LeatSession:changes:
   *
   * Nodes whose arguments were set between runs, since the session was opened.
   */
  COUNTER ("changes", changes, "Nodes whose arguments were set between runs"),
  /**
   * LeatSession:bindings:
   *
   * Times that memory of the program was bound to a port, since the session was opened.
   */
  COUNTER ("bindings", bindings, "Times that memory of the program was bound to a port"),
  /**
   * LeatSession:replans:
   *
   * Plans made for properties that were set between runs, since the session was opened.
   */
  COUNTER ("replans", replans, "Plans made for properties that were set between runs"),
  /**
   * LeatSession:grown:
   *
   * Times that an output was given more room because a run needed it, since the session was opened.
   */
  COUNTER ("grown", grown, "Times that an output was given more room because a run needed it"),
  /**
   * LeatSession:updates:
   *
   * Nodes of executable graphs that were given other values in place, since the session was opened.
   */
  COUNTER ("updates", graphs.updates, "Nodes of executable graphs that were given other values in place"),
  /**
   * LeatSession:graph-updates:
   *
   * Executable graphs that were given another graph in place, since the session was opened.
   */
  COUNTER ("graph-updates", graphs.graph_updates, "Executable graphs that were given another graph in place"),
  /**
   * LeatSession:instantiations:
   *
   * Executable graphs that were made, since the session was opened.
   */
  COUNTER ("instantiations", graphs.instantiations, "Executable graphs that were made"),
  /**
   * LeatSession:early-starts:
   *
   * Dependencies in the graph of a run for whose end a kernel waits by itself, now.
   */
  GAUGE ("early-starts", early_starts, "Dependencies for whose end a kernel waits by itself"),
  /**
   * LeatSession:persistent-runs:
   *
   * Runs that were handed to a persistent kernel, since the session was opened.
   */
  COUNTER ("persistent-runs", persistent.signals, "Runs that were handed to a persistent kernel"),
  /**
   * LeatSession:persistent-launches:
   *
   * Launches of the persistent kernel: the first, and one each time that it came back.
   */
  COUNTER ("persistent-launches", persistent.launches, "Launches of the persistent kernel"),
  /**
   * LeatSession:persistent-leaves:
   *
   * Times that the persistent kernel was asked to leave, for a driver call or to give it other
   * parameters.
   */
  COUNTER ("persistent-leaves", persistent.leaves, "Times that the persistent kernel was asked to leave"),
  /**
   * LeatSession:runaways:
   *
   * Runs that took longer than #LeatSession:persistent-limit-ms and were ended.
   */
  COUNTER ("runaways", persistent.faults, "Runs that took too long and were ended"),
  /**
   * LeatSession:shapes:
   *
   * Former shapes of the data for which memory and graphs are kept, now.
   */
  GAUGE ("shapes", shapes, "Former shapes of the data for which memory and graphs are kept"),
  /**
   * LeatSession:shape-bytes:
   *
   * Bytes of memory that are kept for former shapes of the data, now.
   */
  GAUGE ("shape-bytes", shape_bytes, "Bytes of memory that are kept for former shapes"),
  /**
   * LeatSession:shared-bytes:
   *
   * Bytes of constants that were on the device already, being another session's too, now.
   */
  GAUGE ("shared-bytes", shared_bytes, "Bytes of constants that were on the device already"),
  /**
   * LeatSession:shape-hits:
   *
   * Returns to a shape of the data that was kept, since the session was opened.
   */
  COUNTER ("shape-hits", shape_hits, "Returns to a shape that was kept"),
  /**
   * LeatSession:items-in:
   *
   * Items that sources gave, since the session was opened.
   */
  COUNTER ("items-in", items_in, "Items that sources gave"),
  /**
   * LeatSession:bytes-in:
   *
   * Bytes that sources gave, since the session was opened.
   */
  COUNTER ("bytes-in", bytes_in, "Bytes that sources gave"),
  /**
   * LeatSession:bytes-out:
   *
   * Bytes that sinks took, since the session was opened.
   */
  COUNTER ("bytes-out", bytes_out, "Bytes that sinks took"),
  /**
   * LeatSession:lanes-used:
   *
   * Runs that leat_session_run () may have under way at the same time, now.
   */
  GAUGE ("lanes-used", lanes, "Runs that may be under way at the same time"),
  /**
   * LeatSession:in-flight-most:
   *
   * Most runs that were under way at the same time in leat_session_run (), since the session was opened; 0 where it has
   * one lane.
   */
  GAUGE ("in-flight-most", in_flight_most, "Most runs that were under way at the same time"),
  /**
   * LeatSession:dropped:
   *
   * The number of items that `app` nodes with `leaky` have dropped, since the session was opened.
   */
  COUNTER ("dropped", dropped, "Data and results that app nodes dropped because they came too fast"),
  /**
   * LeatSession:runs-timed:
   *
   * The number of runs in #LeatSession:device-us, since the session was opened. It excludes runs with known results,
   * and runs that leat_session_complete () found ended without a wait.
   */
  COUNTER ("runs-timed", runs_timed, "Runs of which it is known how long they took"),
  /**
   * LeatSession:evictions:
   *
   * The number of evictions by leat_session_evict (), since the session was opened.
   */
  COUNTER ("evictions", evictions, "Times that the session was taken off the device"),
  /**
   * LeatSession:restores:
   *
   * The number of times that a run or leat_session_restore () has restored it.
   */
  COUNTER ("restores", restores, "Times that the session was brought back to the device"),
  /**
   * LeatSession:evicted-bytes:
   *
   * Bytes that the host keeps for the session while it is off the device, now.
   */
  GAUGE ("evicted-bytes", evicted_bytes, "Bytes that the host keeps while the session is off the device"),
  /**
   * LeatSession:bytes-up:
   *
   * Bytes copied to the device, since the session was opened.
   */
  COUNTER ("bytes-up", graphs.work.traffic.up_bytes, "Bytes copied to the device"),
  /**
   * LeatSession:bytes-back:
   *
   * Bytes copied back from the device, since the session was opened.
   */
  COUNTER ("bytes-back", graphs.work.traffic.back_bytes, "Bytes copied back from the device"),
  /**
   * LeatSession:uploads:
   *
   * Copies to the device that runs made, since the session was opened.
   */
  COUNTER ("uploads", graphs.work.traffic.uploads, "Copies to the device"),
  /**
   * LeatSession:readbacks:
   *
   * Copies back from the device that runs made, since the session was opened.
   */
  COUNTER ("readbacks", graphs.work.traffic.readbacks, "Copies back from the device"),
  /**
   * LeatSession:launches:
   *
   * Graphs, and single ops outside of graphs, that were handed to the device, since the session was opened.
   */
  COUNTER ("launches", graphs.work.launches, "Graphs and single ops that were handed to the device"),
  /**
   * LeatSession:waits:
   *
   * The number of waits of a thread for the end of a run, or of a launch of a batch, since the session was opened.
   */
  COUNTER ("waits", graphs.work.waits, "Times that a thread waited for the end of a run"),
  /**
   * LeatSession:once-bytes:
   *
   * Bytes written to the device for all runs, when the session was opened and when lanes were added.
   */
  COUNTER ("once-bytes", once_bytes, "Bytes written to the device for all runs"),
  /**
   * LeatSession:allocations:
   *
   * Blocks of the device's memory that the session asked for, since it was opened.
   */
  COUNTER ("allocations", memory.allocations[LEAT_MEMORY_DEVICE], "Blocks of the device's memory that were asked for"),
  /**
   * LeatSession:pinned-allocations:
   *
   * Blocks of pinned host memory that the session asked for, since it was opened.
   */
  COUNTER ("pinned-allocations", memory.allocations[LEAT_MEMORY_PINNED],
           "Blocks of pinned host memory that were asked for"),
  /**
   * LeatSession:device-bytes:
   *
   * Bytes of the device's memory that the session has, now; constants that another session brought there are not
   * counted.
   */
  GAUGE ("device-bytes", memory.live_bytes[LEAT_MEMORY_DEVICE], "Bytes of the device's memory that the session has"),
  /**
   * LeatSession:device-bytes-most:
   *
   * The most bytes of the device's memory that it had at the same time, since it was opened.
   */
  GAUGE ("device-bytes-most", memory.most_bytes[LEAT_MEMORY_DEVICE],
         "Most bytes of the device's memory that the session had at the same time"),
  /**
   * LeatSession:pinned-bytes:
   *
   * Bytes of pinned host memory that the session has, now.
   */
  GAUGE ("pinned-bytes", memory.live_bytes[LEAT_MEMORY_PINNED], "Bytes of pinned host memory that the session has"),
  /**
   * LeatSession:pinned-bytes-most:
   *
   * The most bytes of pinned host memory that it had at the same time, since it was opened.
   */
  GAUGE ("pinned-bytes-most", memory.most_bytes[LEAT_MEMORY_PINNED],
         "Most bytes of pinned host memory that the session had at the same time"),
  /**
   * LeatSession:graph-bytes:
   *
   * Device memory that instantiating graphs took, as the driver's free memory says, now.
   */
  GAUGE ("graph-bytes", graph_bytes, "Device memory that instantiating graphs took, as the driver's free memory says"),
  /**
   * LeatSession:graph-reserved-bytes:
   *
   * Device memory that the driver keeps for allocations in graphs of this process, now.
   */
  GAUGE ("graph-reserved-bytes", graph_reserved_bytes,
         "Device memory that the driver keeps for allocations in graphs of this process"),
  /**
   * LeatSession:open-us:
   *
   * Time that opening took, in microseconds.
   */
  TIME ("open-us", opened_us, "Time that opening took"),
  /**
   * LeatSession:open-plan-us:
   *
   * Time that planning took, in microseconds.
   */
  TIME ("open-plan-us", plan_us, "Time that planning took"),
  /**
   * LeatSession:open-negotiate-us:
   *
   * Time that checking and sorting the nodes and fixing the specs took, in microseconds;
   * a part of #LeatSession:open-plan-us.
   */
  TIME ("open-negotiate-us", negotiate_us, "Time that checking and sorting the nodes and fixing the specs took"),
  /**
   * LeatSession:open-attach-us:
   *
   * Time that getting the device took, in microseconds.
   */
  TIME ("open-attach-us", attach_us, "Time that getting the device took"),
  /**
   * LeatSession:open-bind-us:
   *
   * Time that binding the plan to the device took, in microseconds.
   */
  TIME ("open-bind-us", bind_us, "Time that binding the plan to the device took"),
  /**
   * LeatSession:open-load-us:
   *
   * Time that loading kernels and making memory took, in microseconds.
   */
  TIME ("open-load-us", load_us, "Time that loading kernels and making memory took"),
  /**
   * LeatSession:open-contents-us:
   *
   * Time that writing the first contents of constants and states took, in microseconds; a part
   * of #LeatSession:open-load-us.
   */
  TIME ("open-contents-us", contents_us, "Time that writing the first contents of constants and states took"),
  /**
   * LeatSession:open-build-us:
   *
   * Time that making the graph took, in microseconds.
   */
  TIME ("open-build-us", build_us, "Time that making the graph took"),
  /**
   * LeatSession:open-instantiate-us:
   *
   * Time that instantiating and uploading the graph took, in microseconds; a part of
   * #LeatSession:open-build-us.
   */
  TIME ("open-instantiate-us", instantiate_us, "Time that instantiating and uploading the graph took"),
  /**
   * LeatSession:open-start-us:
   *
   * Time that starting sources and sinks took, in microseconds.
   */
  TIME ("open-start-us", start_us, "Time that starting sources and sinks took"),
  /**
   * LeatSession:first-result-us:
   *
   * Time from opening to the first result, in microseconds.
   */
  TIME ("first-result-us", first_us, "Time from opening to the first result"),
  /**
   * LeatSession:source-us:
   *
   * Time spent in sources, in microseconds, summed over the runs that were measured.
   */
  SPENT ("source-us", source_us, "Time spent in sources"),
  /**
   * LeatSession:device-us:
   *
   * Time from launch to completion, in microseconds, summed over #LeatSession:runs-timed.
   */
  SPENT ("device-us", device_us, "Time from launch to completion"),
  /**
   * LeatSession:sink-us:
   *
   * Time spent in sinks, in microseconds, summed over the runs that were measured.
   */
  SPENT ("sink-us", sink_us, "Time spent in sinks"),
  /**
   * LeatSession:reader-busy-us:
   *
   * Time that the reader of several lanes spent in sources, in microseconds.
   */
  SPENT ("reader-busy-us", reader_busy_us, "Time that the reader of several lanes spent in sources"),
  /**
   * LeatSession:reader-idle-us:
   *
   * Time that the reader of several lanes waited for a free lane, in microseconds.
   */
  SPENT ("reader-idle-us", reader_idle_us, "Time that the reader of several lanes waited for a free lane"),
  /**
   * LeatSession:lanes-busy-us:
   *
   * Time that the device had any of several lanes to work on, in microseconds.
   */
  SPENT ("lanes-busy-us", lanes_busy_us, "Time that the device had any of several lanes to work on"),
  /**
   * LeatSession:lanes-idle-us:
   *
   * Time that the device had none of several lanes to work on, in microseconds.
   */
  SPENT ("lanes-idle-us", lanes_idle_us, "Time that the device had none of several lanes to work on"),
  /**
   * LeatSession:writer-busy-us:
   *
   * Time that the writer of several lanes spent in sinks, in microseconds.
   */
  SPENT ("writer-busy-us", writer_busy_us, "Time that the writer of several lanes spent in sinks"),
  /**
   * LeatSession:writer-idle-us:
   *
   * Time that the writer of several lanes waited for a result, in microseconds.
   */
  SPENT ("writer-idle-us", writer_idle_us, "Time that the writer of several lanes waited for a result"),
  /**
   * LeatSession:replan-us:
   *
   * Time spent planning anew for properties that were set, also where that failed, in microseconds.
   */
  SPENT ("replan-us", replan_us, "Time spent planning anew, with what could not be done"),
  /**
   * LeatSession:evict-us:
   *
   * Time that taking the session off the device took, in microseconds.
   */
  SPENT ("evict-us", evict_us, "Time that taking the session off the device took"),
  /**
   * LeatSession:restore-us:
   *
   * Time that bringing it back took, in microseconds.
   */
  SPENT ("restore-us", restore_us, "Time that bringing the session back to the device took"),
  /**
   * LeatSession:device-min-us:
   *
   * Least time from launch to completion, in microseconds.
   */
  TIME ("device-min-us", device_min_us, "Least time from launch to completion"),
  /**
   * LeatSession:device-max-us:
   *
   * Most time from launch to completion, in microseconds.
   */
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
