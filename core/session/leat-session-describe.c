/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Declares the properties of a session, with their documents.  Sets none. */

#include "leat-session-props-private.h"
#include "leat-session-setup-private.h"

static GParamSpec *leat_session_props[LEAT_SESSION_N_PROPS];

/* Which pipeline is run, and where. */
static void
leat_session_describe_identity (void)
{
  /**
   * LeatSession:pipeline:
   *
   * The pipeline of the session.
   */
  leat_session_props[LEAT_SESSION_PROP_PIPELINE] = g_param_spec_object (
    "pipeline", NULL, NULL, LEAT_TYPE_PIPELINE, G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:device:
   *
   * The device: "auto", "cuda:N" or "cpu"; %NULL for the environment variable LEAT_DEVICE.
   */
  leat_session_props[LEAT_SESSION_PROP_DEVICE] = g_param_spec_string (
    "device", NULL, NULL, NULL, G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
}

/* How it is run. */
static void
leat_session_describe_running (void)
{
  /**
   * LeatSession:executor:
   *
   * The executor of the session; read when it opens. The plan tells the one in use.
   */
  leat_session_props[LEAT_SESSION_PROP_EXECUTOR] = g_param_spec_enum (
    "executor", NULL, NULL, LEAT_TYPE_EXECUTOR, LEAT_EXECUTOR_AUTO, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:repeat:
   *
   * The number of runs on each set of inputs, as by leat_session_repeat (); set it between runs.
   */
  leat_session_props[LEAT_SESSION_PROP_REPEAT] =
    g_param_spec_uint64 ("repeat", NULL, NULL, 1, G_MAXUINT64, 1, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:readback:
   *
   * With #LeatSession:repeat above 1, which of their results sinks get.
   */
  leat_session_props[LEAT_SESSION_PROP_READBACK] = g_param_spec_enum (
    "readback", NULL, NULL, LEAT_TYPE_READBACK, LEAT_READBACK_FINAL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:early-start:
   *
   * Kernels that may begin before a kernel that they depend on has ended; read when the session opens.
   *
   * It takes a device of compute capability 9.0 and a driver for CUDA 12.3, and shortens chains of kernels that take
   * little time each.  The plan says which kernels it is, or why it is none.
   */
  leat_session_props[LEAT_SESSION_PROP_EARLY_START] =
    g_param_spec_enum ("early-start", NULL, NULL, LEAT_TYPE_EARLY_START, LEAT_EARLY_START_AUTO,
                       G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:reuse:
   *
   * Whether a run whose inputs were not changed since the last one leaves their upload out.
   *
   * That is so for inputs that the program fills in place (leat_session_map_input ()), where the plan says that it may:
   * no node may write over its own input.  Statistics count such runs as "runs-reused".
   */
  leat_session_props[LEAT_SESSION_PROP_REUSE] =
    g_param_spec_boolean ("reuse", NULL, NULL, TRUE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:calibrate:
   *
   * Whether the first run finds out by measuring how data go best between host and device; read when the session opens.
   *
   * It tries the ways that `upload` and `readback` nodes with `mode=auto` leave open, on the run's own inputs and
   * before the run proper, which takes some tens of milliseconds.  The findings are kept on disk for later sessions of
   * the same pipeline and device; leat_session_dup_stats() tells them.  Devices whose memory is the host's have nothing
   * to choose.
   */
  leat_session_props[LEAT_SESSION_PROP_CALIBRATE] =
    g_param_spec_boolean ("calibrate", NULL, NULL, TRUE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:wait:
   *
   * The way a thread waits for the device: polling, sleeping, or first one and then the other. It may be set at any
   * time, and applies from the next wait on.
   *
   * The context's own flags stay as they are.  On the CPU driver a thread that waits does the work itself, so there
   * "auto" neither looks nor sleeps.
   */
  leat_session_props[LEAT_SESSION_PROP_WAIT] =
    g_param_spec_enum ("wait", NULL, NULL, LEAT_TYPE_WAIT, LEAT_WAIT_AUTO, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

/* A persistent kernel on the device. */
static void
leat_session_describe_persistent (void)
{
  /**
   * LeatSession:persistent-idle-ms:
   *
   * With #LeatSession:executor persistent, how long nothing is run before the kernel leaves the device; read when the
   * session opens.  The next run brings it back.
   */
  leat_session_props[LEAT_SESSION_PROP_PERSISTENT_IDLE_MS] =
    g_param_spec_uint ("persistent-idle-ms", NULL, NULL, 1, 3600000, LEAT_SESSION_PERSISTENT_IDLE_MS,
                       G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:persistent-limit-ms:
   *
   * With #LeatSession:executor persistent, how long one run may take; read when the session opens.  One that takes
   * longer is ended, and is %LEAT_SESSION_ERROR_RUNAWAY.
   */
  leat_session_props[LEAT_SESSION_PROP_PERSISTENT_LIMIT_MS] =
    g_param_spec_uint ("persistent-limit-ms", NULL, NULL, 1, 3600000, LEAT_SESSION_PERSISTENT_LIMIT_MS,
                       G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:persistent-multiprocessors:
   *
   * The most multiprocessors that a persistent kernel takes. 0 is a quarter of them, or fewer if other persistent
   * sessions have some. Read when the session opens.  All of these together leave half of them to what else runs on
   * the device, unless more is asked for; one is given in any case.
   */
  leat_session_props[LEAT_SESSION_PROP_PERSISTENT_MULTIPROCESSORS] = g_param_spec_uint (
    "persistent-multiprocessors", NULL, NULL, 0, G_MAXUINT, 0, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

/* How many at a time. */
static void
leat_session_describe_lanes (void)
{
  /**
   * LeatSession:lanes:
   *
   * The number of runs that leat_session_run () has under way at the same time, each with its own memory; read when
   * the session opens.
   *
   * Reading, the device's work and writing then overlap; results come in the order of the data, and what nodes keep
   * from run to run goes from each run to the next.  With 0 the session finds out whether that pays, and takes 3 where
   * it does; with 1 each run is over before the next begins, and no threads are made.  Pipelines without a source, and
   * those whose memory the program fills or reads itself, have one, and so have sessions that repeat runs
   * (#LeatSession:repeat) or of which the program has a state (leat_session_get_state ()).  Runs by hand
   * (leat_session_replay ()) are one at a time whatever this says.
   */
  leat_session_props[LEAT_SESSION_PROP_LANES] =
    g_param_spec_uint ("lanes", NULL, NULL, 0, LEAT_SESSION_MOST_LANES, 0, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

/* Among others. */
static void
leat_session_describe_place (void)
{
  /**
   * LeatSession:priority:
   *
   * Whether the session's runs go before those of others.
   *
   * A #LeatScheduler looks at it whenever it chooses; the device's streams have it from when the session opens on, with
   * a scheduler and without one.
   */
  leat_session_props[LEAT_SESSION_PROP_PRIORITY] = g_param_spec_enum (
    "priority", NULL, NULL, LEAT_TYPE_PRIORITY, LEAT_PRIORITY_NORMAL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:weight:
   *
   * The session's part of the device time, against others of its priority in a #LeatScheduler.
   */
  leat_session_props[LEAT_SESSION_PROP_WEIGHT] =
    g_param_spec_uint ("weight", NULL, NULL, 1, 1000, 1, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

/* Properties that say which data is kept for later runs. */
static void
leat_session_describe_kept (void)
{
  /**
   * LeatSession:memo:
   *
   * Whether results are remembered and given again for the same inputs, without any work of the device; read when the
   * session opens.
   *
   * It pays where inputs come again and a run costs more than to hash and compare them.  Only pipelines whose nodes
   * keep nothing from run to run can be remembered; others are refused with %LEAT_SESSION_ERROR_MEMO.  Where it does
   * not pay, the memo turns itself off with a warning on the bus.
   */
  leat_session_props[LEAT_SESSION_PROP_MEMO] = g_param_spec_enum (
    "memo", NULL, NULL, LEAT_TYPE_MEMO_MODE, LEAT_MEMO_OFF, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:memo-entries:
   *
   * The most results that are remembered at a time; the oldest goes first.
   */
  leat_session_props[LEAT_SESSION_PROP_MEMO_ENTRIES] =
    g_param_spec_uint ("memo-entries", NULL, NULL, 0, G_MAXUINT, 32, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:memo-bytes:
   *
   * The most bytes, of inputs and results, that are remembered at a time.
   */
  leat_session_props[LEAT_SESSION_PROP_MEMO_BYTES] =
    g_param_spec_uint64 ("memo-bytes", NULL, NULL, 0, G_MAXUINT64, 8 << 20, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:batch:
   *
   * The most entries of a batch in one launch; 0 for a number that suits the pipeline, at least 64. A number that is
   * no power of two counts as the power of two below it. The first batch after opening reads it. If memory is short,
   * fewer entries share a launch. With 2 or more, leat_session_run () also does so many runs in a launch.
   */
  leat_session_props[LEAT_SESSION_PROP_BATCH] =
    g_param_spec_uint ("batch", NULL, NULL, 0, 65535, 0, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:cache-bytes:
   *
   * The most memory that is kept for plans that the session does not run at the moment.
   *
   * When a property that is set while the session is open gives the data another shape, the memory and the graph for
   * the former one stay, so that a return to it costs little.  The memory of each is measured when it is made; those
   * that were not used for longest go first.  With 0 none is kept, and the executable graph of the former shape is
   * updated for the new one where the driver does that.
   */
  leat_session_props[LEAT_SESSION_PROP_CACHE_BYTES] = g_param_spec_uint64 (
    "cache-bytes", NULL, NULL, 0, G_MAXUINT64, 256 << 20, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

/* Properties that say how much the session may take. */
static void
leat_session_describe_taken (void)
{
  /**
   * LeatSession:budget:
   *
   * The most bytes of device memory that the session may take; 0: no limit. Read when it opens.
   *
   * The memory that leat_session_predict () tells is held against this before anything is allocated, and more is
   * %LEAT_SESSION_ERROR_BUDGET; with #LeatSession:lanes at 0 there are no more lanes than fit.  Later needs (another
   * shape of the data, batches) find no room beyond it (%LEAT_DRIVER_ERROR_OUT_OF_MEMORY).  The budget of the device
   * (leat_device_set_budget ()) is for all sessions of the process, and holds too.
   */
  leat_session_props[LEAT_SESSION_PROP_BUDGET] =
    g_param_spec_uint64 ("budget", NULL, NULL, 0, G_MAXUINT64, 0, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

/* Properties that say what is told of runs. */
static void
leat_session_describe_watching (void)
{
  /**
   * LeatSession:timing:
   *
   * The measurements to make; read when the session opens.
   *
   * With %LEAT_TIMING_NODES the first 64 runs are measured on the device, op by op, and then one of 32, or fewer where
   * that would make the mean run noticeably longer; the others go as they would without.  leat_session_dup_times ()
   * tells what was found.
   */
  leat_session_props[LEAT_SESSION_PROP_TIMING] = g_param_spec_enum (
    "timing", NULL, NULL, LEAT_TYPE_TIMING_MODE, LEAT_TIMING_OFF, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:name:
   *
   * The name of the session for tools that watch the process (leat_monitor_start()); any thread may set it at any
   * time.
   */
  leat_session_props[LEAT_SESSION_PROP_NAME] =
    g_param_spec_string ("name", NULL, NULL, NULL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:trace:
   *
   * A file to write what each run goes through to, in the trace event format that Perfetto and Chrome read; %NULL for
   * none; read when the session opens, and complete when it is closed.
   *
   * It has the host's steps (fill, launch, wait, drain) on a track, and with #LeatSession:timing set to
   * %LEAT_TIMING_NODES, every run being measured then, each node's time on the device on another.  Of the runs after
   * the first 10000 nothing is written.
   */
  leat_session_props[LEAT_SESSION_PROP_TRACE] =
    g_param_spec_string ("trace", NULL, NULL, NULL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:stats:
   *
   * The statistics since the session was opened: a dictionary (a{sv}) with the keys that leat_session_dup_stats()
   * lists.  Any thread may ask.  It does not notify.
   */
  leat_session_props[LEAT_SESSION_PROP_STATS] =
    g_param_spec_variant ("stats", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:last-reason:
   *
   * Why an executable graph was built for the last plan that needed one; empty while none has, since the session was
   * opened.  Any thread may ask.
   */
  leat_session_props[LEAT_SESSION_PROP_LAST_REASON] =
    g_param_spec_string ("last-reason", NULL, NULL, "", G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:why-not-repeated-on-device:
   *
   * The reason why the last leat_session_repeat() was no loop on the device. It is empty if it was one, or if there
   * was none since the session was opened.  Any thread may ask.
   */
  leat_session_props[LEAT_SESSION_PROP_WHY_NOT_LOOPED] =
    g_param_spec_string ("why-not-repeated-on-device", NULL, NULL, "", G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
}

void
leat_session_install_props (GObjectClass *klass)
{
  leat_session_describe_identity ();
  leat_session_describe_running ();
  leat_session_describe_persistent ();
  leat_session_describe_lanes ();
  leat_session_describe_place ();
  leat_session_describe_kept ();
  leat_session_describe_taken ();
  leat_session_describe_watching ();
  g_object_class_install_properties (klass, LEAT_SESSION_N_PROPS, leat_session_props);
}
