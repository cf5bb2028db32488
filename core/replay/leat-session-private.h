/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "graph/leat-app.h"
#include "leat-lane-private.h"
#include "leat-batch-private.h"
#include "leat-memo-private.h"
#include "leat-overseer-private.h"
#include "leat-address-map-private.h"
#include "buffer/leat-device-buffer-private.h"
#include "leat-session.h"
#include "leat-setup-private.h"
#include "leat-trace-private.h"
#include "leat-waiter-private.h"
#include "bind/leat-bind-private.h"

#include <time.h>

G_BEGIN_DECLS

/* After so many runs the graph of one op has paid for itself: 24 on an H200, where to instantiate it takes 42 us and
 * its launch saves at most 1.8 us, and 33 on an H100. */
#define LEAT_SESSION_RUNS_TO_SETTLE 32

#define LEAT_SESSION_MOST_LANES          64
#define LEAT_SESSION_TRIALS_US           250000.0
#define LEAT_SESSION_PERSISTENT_IDLE_MS  20
#define LEAT_SESSION_PERSISTENT_LIMIT_MS 1000
#define LEAT_LANES_AUTO                  3 /* where nobody says how many, at the most */

typedef struct
{
  /* What any run may change comes first, up to `runs_measured`: after a short run only that is told. */
  guint64 runs, runs_of[LEAT_N_PATHS], memo_hits, memo_lookups;
  guint64 runs_timed;            /* by the host's clock, in device_us */
  guint64 runs_refused;          /* because a kernel reported an error */
  guint64 reports, reports_lost; /* of kernels; and of them, those of which no record was kept */
  guint64 memo_entries, memo_bytes;
  guint64 changes; /* nodes whose arguments were set between runs */
  guint64 dropped; /* by sources and sinks with `leaky` */
  guint64 items_in, bytes_in, bytes_out;
  gint64 source_us, device_us, sink_us; /* sums over the runs */
  gint64 device_min_us, device_max_us;
  LeatGraphCounts graphs;
  LeatPersistentCounts persistent;
  guint64 runs_measured; /* by the device's clock */
  guint64 runs_silent;
  guint64 batch_launches, batch_entries; /* of batches whose lanes are done together */
  guint64 entry_errors;
  guint64 bindings;   /* memory of the program's that was bound to a port */
  guint64 replans;    /* plans that were made since the opening */
  guint64 grown;      /* because an output had too little room; not one of these */
  guint64 shape_hits; /* and of them, those for which there was a setup of another shape */
  guint64 shapes;     /* setups that are kept beside the one that runs */
  guint64 shape_bytes;
  guint64 shared_bytes; /* of constants that were on the device before */
  guint64 early_starts;
  guint64 lanes, in_flight_most; /* runs, at the same time */
  guint64 evictions, restores;
  guint64 evicted_bytes;       /* that the host keeps while the session is off the device */
  gint64 evict_us, restore_us; /* sums */
  gint64 reader_busy_us, reader_idle_us, lanes_busy_us, lanes_idle_us, writer_busy_us, writer_idle_us;
  LeatMemoryTally memory;
  guint64 once_bytes;           /* written to the device for all runs */
  guint64 graph_bytes;          /* of the device's memory, taken by instantiating */
  guint64 graph_reserved_bytes; /* by the driver, for nodes that allocate */
  gint64 opened_us, first_us;   /* time that open took; from open to the first result */
  gint64 plan_us, attach_us, bind_us, load_us, build_us, start_us; /* parts of opened_us, one after the other */
  gint64 negotiate_us, contents_us, instantiate_us;                /* of plan_us, load_us and build_us */
  gint64 replan_us; /* sum over the replans, those that failed included */
} LeatSessionStats;

typedef enum
{
  LEAT_COUNTER_SUM,   /* only grows */
  LEAT_COUNTER_LEVEL, /* may go down */
  LEAT_COUNTER_TIME,  /* microseconds that something took */
  LEAT_COUNTER_SPENT, /* a sum of these */
} LeatCounterKind;

/* One of LeatSessionStats's numbers, all of which are 64 bits wide. */
typedef struct
{
  const char *name, *help;
  LeatCounterKind kind;
  glong offset;
} LeatCounter;

/* What the measured runs said about one op. */
typedef struct
{
  char *node, *op;
  const char *clock; /* whose: "kernel" or "event" */
  guint index;
  guint64 bytes;
  gint64 sum_ns, least_ns, most_ns;
  gint64 begin_ns, end_ns; /* in the last one, from when the stream came to the run */
} LeatNodeTimes;

/* And about the run as a whole. */
typedef struct
{
  guint64 samples;
  gint64 launch_ns, wait_ns, work_ns; /* sums */
  GArray *nodes;                      /* LeatNodeTimes */
} LeatSessionTimes;

/* Moments of a run, looked at only where it is traced or measured. */
typedef enum
{
  LEAT_MARK_BEGUN,
  LEAT_MARK_FILLED,
  LEAT_MARK_HANDED, /* to the call that launches */
  LEAT_MARK_LAUNCHED,
  LEAT_MARK_COMPUTED,
  LEAT_MARK_GIVEN, /* to the sinks */
  LEAT_MARK_DRAINED,
  LEAT_N_MARKS
} LeatMark;

/* Staging memory as the session's lane has it, looked up once. */
typedef struct
{
  LeatView view;              /* with the count that is always there */
  guint64 *count;             /* where the count lies; NULL where it is always the same */
  const LeatBinding *binding; /* of memory that the program brings; else NULL */
  guint64 row_bytes;          /* of a bounded spec */
  guint64 most;               /* items that there is room for where they come from */
} LeatSessionStaging;

/* One source of a session.  A generation is a number for what its staging memory holds; 0 is none. */
typedef struct
{
  LeatOp *op;
  LeatBuffer *buffer;
  LeatApp *app;     /* NULL: another kind of source */
  const char *name; /* of the node, which has it as long as the session is open */
  LeatSessionStaging staging;
  gboolean direct;    /* the program fills the staging memory itself */
  guint64 generation; /* of the staging memory */
  guint64 on_device;  /* of what the last completed run uploaded */
} LeatSessionInput;

typedef struct
{
  LeatOp *op;
  LeatBuffer *buffer;
  LeatApp *app;     /* NULL: another kind of sink */
  const char *name; /* likewise */
  LeatSessionStaging staging;
  gboolean direct; /* the program reads the staging memory itself */
} LeatSessionOutput;

/* One set of ways that calibration measured. */
typedef struct
{
  char *ways; /* "upload0=copy readback0=mapped" */
  double us;  /* median of a replay */
} LeatTrial;

/* In the window of runs that is under way. */
typedef struct
{
  guint looked, hits;
  guint losses; /* windows in a row that did not pay */
  gint64 spent_ns;
} LeatMemoCosts;

/* What is looked at from outside while the session runs: written by one thread at a time, read by any; all of it
 * atomic. */
#define LEAT_MONITORED_RECENT 512

/* Where the run of a lane is. */
typedef enum
{
  LEAT_AT_NOTHING,
  LEAT_AT_SOURCE, /* which was asked for its data */
  LEAT_AT_QUEUE,  /* for the device */
  LEAT_AT_DEVICE,
  LEAT_AT_RESULTS, /* which wait for the sinks */
  LEAT_AT_SINK,    /* which was given them */
} LeatWhere;

typedef struct
{
  guint32 recent_us[LEAT_MONITORED_RECENT]; /* from launch to completion, of the last runs */
  guint n_recent;                           /* that there were */
  guint filled, launched, computed;         /* runs that wait for the device, are on it, and wait for the sinks */
  guint8 where[LEAT_SESSION_MOST_LANES];    /* LeatWhere, by lane */
} LeatMonitored;

static inline void
leat_monitored_note_time (LeatMonitored *self, gint64 us)
{
  guint n = self->n_recent;

  __atomic_store_n (&self->recent_us[n % LEAT_MONITORED_RECENT], (guint32) CLAMP (us, 0, G_MAXUINT32),
                    __ATOMIC_RELAXED);
  /* Round and round, and never so low again that places that hold something are left out. */
  n = n + 1 < 2 * LEAT_MONITORED_RECENT ? n + 1 : LEAT_MONITORED_RECENT;
  __atomic_store_n (&self->n_recent, n, __ATOMIC_RELEASE);
}

static inline void
leat_monitored_note_where (LeatMonitored *self, guint lane, LeatWhere where)
{
  if (G_LIKELY (lane < LEAT_SESSION_MOST_LANES))
    __atomic_store_n (&self->where[lane], (guint8) where, __ATOMIC_RELAXED);
}

/* When no lane has a run under way. */
static inline void
leat_monitored_clear_where (LeatMonitored *self)
{
  for (guint lane = 0; lane < LEAT_SESSION_MOST_LANES; lane++)
    leat_monitored_note_where (self, lane, LEAT_AT_NOTHING);
}

/* Room that an output was given since the session is open, because a run needed it. */
typedef struct
{
  char *output;
  guint64 needed, from, to;
} LeatGrowth;

/* A run, from when sources are asked for its data until sinks have its results. */
typedef struct
{
  gint64 begin_us, read_us;    /* when sources were asked, and when they had given */
  gint64 filled_us, ended_us;  /* when the device began, and when it had ended */
  gint64 sink_us;              /* that sinks took */
  guint64 items, bytes, taken; /* from sources; bytes that sinks took */
  guint64 number;              /* of the run, for the trace */
  gint64 marks[LEAT_N_MARKS];
  LeatPath path;
  guint64 steps;             /* runs before it, without results */
  GCancellable *cancellable; /* not owned: calls them off.  NULL but in begin_run () */
  gboolean on_device;        /* and they are a loop on the device, of this path: */
  LeatPath looped_path;
  gboolean streamed; /* one of several that are under way */
  gboolean flushes;  /* has no data, and gives out what nodes kept */
  gboolean ends;     /* kernels are told that it ends the stream */
  gboolean known;    /* the memo had the results */
  gboolean launched; /* the device works on it */
  gboolean measured; /* by the device's clock */
  gboolean traced;
  gboolean watched;  /* by the waiter, and not only by who completes it */
  gboolean apart;    /* nobody waited between its launch and the call that completes it */
  gboolean untimed;  /* it ended when nobody looked */
  gboolean reported; /* by a kernel: something */
  gboolean refused;  /* because that was an error; or as there is no room for all that it gives */
  /* An output had too little room: it has to be done again.  NULL: none */
  const LeatBuffer *short_of;
  guint64 needed;      /* there */
  gboolean done_again; /* with room for it, in memory that may be elsewhere */
} LeatRun;

/* The run that a lane is at, and where it has its data. */
typedef struct
{
  LeatLane *lane; /* not owned */
  guint index;    /* of the lane */
  LeatSessionStaging *inputs, *outputs;
  LeatRun run;
} LeatSessionFlight;

/* What the constants of a plan take. */
typedef struct
{
  guint64 own_bytes, written_bytes; /* of the device's memory, and of what is written there */
  guint64 n_own;
  guint64 shared_bytes; /* that are there already */
  gboolean was_lost;    /* some of these were made all the same: another session was faster */
} LeatConstantBytes;

/* Who has the session to itself.  What is not said to be otherwise below is that one's only. */
typedef enum
{
  LEAT_SESSION_FREE,
  LEAT_SESSION_CHANGING, /* opens, closes, or looks whether it may run */
  LEAT_SESSION_RUNNING,
  LEAT_SESSION_LAUNCHED, /* nobody: the device is at work, and somebody will complete the run */
} LeatSessionUse;

struct _LeatSession
{
  GObject parent_instance;

  LeatPipeline *pipeline;
  char *selector;
  LeatExecutor executor;
  LeatEarlyStart early_start;
  guint persistent_idle_ms, persistent_limit_ms, persistent_multiprocessors; /* see LeatPersistentLimits */
  gboolean reuse;     /* leave uploads out where the inputs are what they were */
  gboolean is_pushed; /* the context is current while it runs */
  guint64 repeat;     /* runs on each set of inputs */
  LeatReadback readback;
  gboolean calibrate; /* find the best ways of data between host and device by measuring */
  gint wait;          /* atomic: LeatWait */
  LeatMemoMode memo_mode;
  guint memo_entries;
  guint64 memo_bytes;
  LeatTimingMode timing_mode;
  gint priority, weight; /* atomic: among the sessions of a scheduler */
  char *trace_path;

  guint64 cache_bytes;
  guint64 budget;   /* of the device's memory; 0: none of its own */
  guint batch_most; /* lanes in one launch; 0: what suits */

  LeatDevice *device;
  LeatMemoryAccount *account;  /* since the session was opened last; NULL before the first time */
  LeatConstantBytes constants; /* as they were planned, and found, when it was opened */
  LeatStore *store;
  LeatGraphCounts graph_counts;
  GPtrArray *setups; /* LeatSetup */
  guint64 setup_clock;
  LeatSetup *setup;              /* of them, the one that runs; the next three are its */
  LeatPlan *plan;                /* exchanged under told_lock (leat_session_set_plan ()) */
  LeatProgram *program;          /* not owned */
  GPtrArray *lanes;              /* LeatLane */
  GArray *inputs;                /* LeatSessionInput */
  GArray *outputs;               /* LeatSessionOutput */
  GPtrArray *endpoints;          /* LeatNode, not owned: of inputs and outputs, from start to stop */
  GHashTable *changeable;        /* LeatNode -> GPtrArray of LeatOp */
  LeatAddressMap *address_map;   /* NULL before the first binding */
  GPtrArray *lent;               /* LeatDeviceBuffer: states that the program has, or had */
  GPtrArray *held;               /* LeatDeviceBuffer, by slot: those that are bound; NULL before the first */
  GPtrArray *entered;            /* LeatDeviceBuffer: those that a run works on */
  guint next_input, next_output; /* that are likely to be bound next */
  LeatBatch *batch;              /* NULL before the first */
  const LeatPlan *not_wide;      /* not owned: one that is known not to be streamed with many runs in a launch */
  GPtrArray *evicted;    /* atomic: GBytes or NULL, by buffer id: what the host has of it; NULL: on the device */
  GPtrArray *away;       /* by lane, NULL or name and type of a buffer -> GBytes: what lanes that are not there kept */
  gboolean states_given; /* the program has put something there */
  LeatMemo *memo;        /* NULL while nothing is remembered */
  LeatSpan *spans;       /* for it: of the inputs, then of the outputs */
  LeatMemoCosts memo_costs;
  gboolean measured;                 /* runs may be: as timing_mode was when it was opened */
  guint n_measured;                  /* runs that were */
  guint64 next_measured;             /* the run that is to be, once the first ones were */
  gint64 measured_us, unmeasured_us; /* the least that a run took that was, and one that was not */
  GArray *trials;                    /* LeatTrial */
  GArray *former_trials;             /* LeatTrial, of the session that found the ways out, where another one did */
  gboolean to_calibrate;             /* the first run has to find out how data go best */
  double trials_us;                  /* for all trials together, once the first is over */
  GError *trial_error;               /* what it fails with where a loop ran away meanwhile */
  gboolean ways_known;               /* it did, or an earlier session */
  char *band;                        /* that they are known for */
  GArray *flights;                   /* LeatSessionFlight, by lane */
  guint n_lanes;                     /* that are wanted; 0: whatever pays */
  guint lanes_most;                  /* that there have been since it was opened */
  gboolean watches_waits;            /* to find that out, how long sources and sinks wait is looked at: */
  gint64 waited_us;                  /* that long */
  LeatWaiter *waiter;   /* from when somebody first wants to be told of the end of a run; kept over close () */
  GSource *task_source; /* of the replay_async () that is under way */
  guint n_filled;       /* sources that have given data for the run that is to come */
  guint started;        /* endpoints that stop () must be called on */
  gint is_open;         /* atomic; changed only by who has the session */
  gboolean flushed;
  gboolean ended;        /* and the sinks have finished */
  gboolean failed;       /* in a run: what comes next would have a hole */
  gboolean quick;        /* nobody has had the session since a run that may be done again the short way */
  gboolean never_quick;  /* for comparisons */
  guint64 n_quick;       /* runs that were, since the session was made */
  GPtrArray *looping;    /* LeatLane, under told_lock: loops are under way in them */
  guint64 *stop_word;    /* under told_lock: ends the loop of repeated runs that is under way on the device; or NULL */
  GCancellable *stopper; /* that does so too, and the number of its signal; or NULL */
  gulong stopper_id;
  gint closing; /* atomic: the run that is under way must end */
  gint parting; /* atomic: a former overseer has a run of it under way */
  gint use;     /* atomic: LeatSessionUse */
  gint64 open_since_us;
  gint64 last_progress_us;
  guint64 total_bytes;
  GArray *kernel_transfers; /* guint: ops that are kernels which move data between host and device */
  LeatPrediction predicted; /* by the plans of all launches since the session was opened, summed up */
  gint64 counted_seen_from; /* LeatGraphCounts.unseen_waits when start_counting () was called */
  LeatSessionStats stats;
  gboolean levels_changed;     /* graphs, or what is kept of them, since the stats were told */
  LeatScratch *scratch;        /* that the first lane is in; NULL: in memory of its own */
  LeatScratch *wanted_scratch; /* that it shall be in; atomic, under told_lock */
  gint64 last_device_us;       /* atomic: of the last run, with its repetitions */
  GMutex told_lock;
  LeatSessionStats told; /* the stats as any thread may see them */
  GWeakRef overseer;     /* likewise, who has it run among others */
  const LeatOverseerClass *overseer_class;
  char *told_device;      /* likewise, the id of the last device; NULL before the first */
  char *told_reason;      /* likewise, why an executable was built for the last plan that needed one; or NULL */
  LeatSessionTimes times; /* under told_lock while the session is open */
  GPtrArray *growths;     /* LeatGrowth, likewise */
  GPtrArray *reported;    /* LeatReportTold; under told_lock: by kernels in the last run in which any did */
  GVariant *told_queues;  /* likewise, of kernels, as somebody had them last; NULL before */
  GVariant *refusal;      /* under told_lock: what the run that was refused last failed with; or NULL */
  GArray *report_totals;  /* likewise, by node and code */
  GArray *loop_totals;    /* likewise, by loop of the plan */
  LeatTrace *trace;       /* NULL where none is written */
  guint traced;           /* runs that were */
  GArray *trace_widths;   /* guint, by lane: tracks of the device so far */
  char *name;             /* under told_lock */
  LeatMonitored monitored;
  guint64 monitored_id;      /* no other session of the process has it */
  GPtrArray *monitored_apps; /* LeatApp, from open to close */
};

/* What loops have come to (leat-session-loops.c): after a run.  REPORTED where one ran away. */
GArray *leat_session_loops_new (void);
gboolean leat_session_check_loops (LeatSession *self, LeatSessionFlight *flight, GError **error);

void leat_session_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void leat_session_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec);
void leat_session_install_props (GObjectClass *klass);

gboolean leat_session_start_endpoints (LeatSession *self, GError **error);
gboolean leat_session_finish_endpoints (LeatSession *self, GError **error);
void leat_session_stop_endpoints (LeatSession *self);
void leat_session_unblock_endpoints (LeatSession *self);

/* FALSE when another thread has it. */
gboolean leat_session_take (LeatSession *self, GError **error);
/* As take, for who leaves all as it is that a short run relies on (leat-session-quick.c). */
gboolean leat_session_take_lightly (LeatSession *self, GError **error);
/* Open, and no earlier run has failed?  For who has it. */
gboolean leat_session_check_may_run (LeatSession *self, GError **error);
void leat_session_let_go (LeatSession *self);
/* For who has it. */
void leat_session_give (LeatSession *self, LeatSessionUse use);
/* Is the context to be current for all of a run? */
gboolean leat_session_wants_push (LeatSession *self);
/* As take, for runs: open, and in the state that the executor needs. */
gboolean leat_session_begin (LeatSession *self, GError **error);
/* @after: who has the session from now on, FREE or LAUNCHED */
void leat_session_end (LeatSession *self, LeatSessionUse after);
gboolean leat_session_may_go_on (LeatSession *self, GCancellable *cancellable, GError **error);
/* What the outcome of a run means for those to come. */
LeatFlow leat_session_settle (LeatSession *self, LeatFlow flow, GError **error);
/* The run that is launched is given up; for who closes. */
#define LEAT_SESSION_DROPPED 0 /* the ready time of a source whose run was dropped */
void leat_session_drop_flight (LeatSession *self);
/* Has the session again for the end of a run that is launched; FALSE when none is. */
gboolean leat_session_take_flight (LeatSession *self);
/* One run in two halves with the session taken, in between the device works: watched where @tell. */
LeatFlow leat_session_launch_taken (LeatSession *self, gboolean tell, GCancellable *cancellable, GError **error);
LeatFlow leat_session_complete_taken (LeatSession *self, GCancellable *cancellable, GError **error);
gboolean leat_session_have_waiter (LeatSession *self, GError **error);
/* As take, after the run that is under way, if any, has been called off. */
void leat_session_take_over (LeatSession *self);
void leat_session_let_go_over (LeatSession *self);
void leat_session_tell_stats (LeatSession *self);
/* The same after a run of which nothing else has changed. */
void leat_session_tell_run (LeatSession *self);
/* From when it is open until before anything of it goes, others may look at it. */
void leat_session_enter_monitor (LeatSession *self);
void leat_session_leave_monitor (LeatSession *self);
/* The list of those that are. */
void leat_sessions_add (LeatSession *session);
void leat_sessions_remove (LeatSession *session);
/* What waits in queues of its `app` nodes; NULL where it is not open.  Any thread.  (transfer full) */
GVariant *leat_sessions_dup_queues (LeatSession *session);
/* With the lock of the sessions held. */
GVariant *leat_session_describe_queues (LeatSession *self);
/* Between the two, in any thread; floating. */
GVariant *leat_session_describe_monitored (LeatSession *self);
void leat_session_tell_reason (LeatSession *self, const char *reason);
/* (transfer full) */
char *leat_session_dup_reason (LeatSession *self);
const char *leat_session_get_why_not_on_device (LeatSession *self);
void leat_session_get_stats (LeatSession *self, LeatSessionStats *stats);
/* One number of leat_session_dup_stats (), for benchmarks: between runs that are timed, making the dictionary would
 * push other data out of the processor's caches. */
guint64 leat_session_get_number (LeatSession *self, const char *name);
const LeatCounter *leat_counters_get (guint *n);
guint64 leat_counter_get (const LeatCounter *self, const LeatSessionStats *stats);
gboolean leat_counter_is_time (const LeatCounter *self);
/* A property for each, with numbers from @first_id on. */

void leat_session_list_changeable (LeatSession *self);
gboolean leat_session_take_changes (LeatSession *self, GError **error);

void leat_session_plan_calibration (LeatSession *self);
/* Median time of a replay, in microseconds; negative after an error.  What it took is taken off @left_us; where that is
 * used up, few replays do. */
double leat_session_time_trial (LeatSession *self, LeatLane *lane, double *left_us, GError **error);
gboolean leat_session_calibrate (LeatSession *self, LeatSessionFlight *flight, GError **error);
gboolean leat_session_recall_ways (LeatSession *self);
/* @ways: by op index */
gboolean leat_session_recall_ways_of_band (LeatSession *self, guint *ways);
/* Does what is found out depend on how full inputs are? */
gboolean leat_session_has_bands (LeatSession *self);
/* Of the inputs that are in place. (transfer full) */
char *leat_session_dup_band (LeatSession *self, const LeatSessionFlight *flight);
/* Of the plan and the device, without the contents of data. */
guint64 leat_session_hash_geometry (LeatSession *self);
/* Where what sessions learn of @kind is kept; NULL: nowhere. */
char *leat_session_dup_learned_folder (const char *kind);
void leat_session_recall_learned (LeatSession *self);
void leat_session_remember_learned (LeatSession *self);
gboolean leat_session_bind_likewise (LeatSession *self, LeatPlan *plan, GError **error);
void leat_session_remember_ways (LeatSession *self, const guint *ways, double us);

LeatSetupBase leat_session_get_base (LeatSession *self);
gboolean leat_session_make_setup (LeatSession *self, GError **error);
/* And its graph. */
gboolean leat_session_build_setup (LeatSession *self, GError **error);
void leat_session_drop_setups (LeatSession *self);
guint64 leat_session_get_cached_bytes (LeatSession *self);
/* The setup for @plan's shapes that is kept; NULL where there is none. */
LeatSetup *leat_session_find_setup (LeatSession *self, LeatPlan *plan);
/* Takes one out of those that are kept. (transfer full) */
LeatSetup *leat_session_steal_setup (LeatSession *self, LeatSetup *setup);
/* Puts the oldest into @out until what is left and @bytes fit. */
gboolean leat_session_make_room (LeatSession *self, guint64 bytes, GPtrArray *out);
void leat_session_set_plan (LeatSession *self, LeatPlan *plan);
/* @growth: (nullable): why */
gboolean leat_session_take_plan (LeatSession *self, LeatPlan *plan, const LeatGrowth *growth, GError **error);
/* Bound as the one that runs.  @grows: the room of outputs may be another one, also where a stream goes on.
 * (transfer full) */
LeatPlan *leat_session_plan_anew (LeatSession *self, gboolean grows, GError **error);
/* After a run of a plan that may grow: had an output too little room?  The run says which then. */
gboolean leat_session_find_short (LeatSession *self, LeatSessionFlight *flight);
/* What it left in the lane for who looks at its end. */
gboolean leat_session_forget_run (LeatSession *self, LeatLane *lane, GError **error);
/* No run is under way.  @buffer: of the plan that runs until then.  FALSE: that one goes on, unless the session has
 * failed. */
gboolean leat_session_grow (LeatSession *self, const LeatBuffer *buffer, guint64 needed, GError **error);
GPtrArray *leat_session_growths_new (void);
GVariant *leat_session_print_growths (LeatSession *self);
/* Before a run. @stream: faults are told on the bus, and the former values stay. */
gboolean leat_session_take_props (LeatSession *self, gboolean stream, GError **error);

/* executor=persistent (leat-session-persistent.c): what is asked for; a binding that heeds it; and what came of it. */
void leat_session_want_persistent (LeatSession *self, LeatTraits *traits);
/* Takes the error where it says that there can be no persistent kernel, and nobody insists on that; the plan is bound
 * anew. */
gboolean leat_session_give_up_persistent (LeatSession *self, GError **why);
gboolean leat_session_bind_persistent (LeatSession *self, LeatPlan *plan, const LeatTraits *traits, GError **error);
gboolean leat_session_is_persistent (LeatSession *self);
void leat_session_note_persistent (LeatSession *self);

gboolean leat_session_check_memo (LeatPlan *plan, GError **error);
gboolean leat_session_make_memo (LeatSession *self, GError **error);
void leat_session_drop_memo (LeatSession *self);
gboolean leat_session_recall (LeatSession *self, const LeatSessionFlight *flight);
void leat_session_remember (LeatSession *self, const LeatSessionFlight *flight);
/* What is where the session's spans are, which was not looked for last. */
void leat_session_remember_spans (LeatSession *self);
/* A lane of a batch has the inputs of another one. */
void leat_session_note_equal (LeatSession *self);

/* Data that a call brings (leat-session-given.c).  Between begin and end, queues are left alone, and what is in the
 * memory of inputs otherwise is there again after it. @before: from begin */
typedef struct _LeatGivenBefore LeatGivenBefore;
gboolean leat_session_check_given_ports (LeatSession *self, GError **error);
gboolean leat_session_check_given (LeatSession *self, guint index, GBytes *bytes, GError **error);
LeatGivenBefore *leat_session_begin_given (LeatSession *self);
void leat_session_end_given (LeatSession *self, LeatGivenBefore *before);
void leat_session_put_given (LeatSession *self, guint index, gconstpointer data, gsize bytes, guint64 count);
void leat_session_put_given_bytes (LeatSession *self, guint index, GBytes *given);
GBytes *leat_session_take_given (LeatSession *self, guint index);
gboolean leat_session_is_fault_of_data (const GError *error);

/* With the session's store in place, and no lane. */
void leat_session_choose_scratch (LeatSession *self);
/* Around a run, from before it is launched. */
gboolean leat_session_enter_scratch (LeatSession *self, GError **error);
void leat_session_leave_scratch (LeatSession *self);
/* Whatever is under way has ended. */
void leat_session_drop_scratch (LeatSession *self);
/* Those that are kept beside the one that runs. */
void leat_session_drop_other_setups (LeatSession *self);

/* Others have their part of the device's memory.  Whatever comes of it, settle follows. */
gboolean leat_session_ask_for_room (LeatSession *self, guint64 bytes, GError **error);
void leat_session_settle_room (LeatSession *self);

/* Sets @error, and returns FALSE. */
/* After all sources have given something to a run. */
void leat_session_check_aligned (LeatSession *self, LeatSessionFlight *flight);
gboolean leat_session_fail_overflow (LeatSession *self, const LeatOp *op, const LeatView *view, GError **error);

static inline LeatSessionFlight *
leat_session_get_flight (LeatSession *self, guint index)
{
  return &g_array_index (self->flights, LeatSessionFlight, index);
}

/* When lanes are others, or more. */
void leat_session_make_flights (LeatSession *self);
/* What is in it now. */
static inline void
leat_session_view (const LeatSessionStaging *staging, LeatView *view)
{
  *view = staging->view;
  if (staging->count != NULL)
    view->count = *staging->count;
  if (G_UNLIKELY (staging->binding != NULL))
    leat_binding_view (staging->binding, view, staging->row_bytes != 0 && staging->count == NULL);
}

static inline guint64
leat_session_get_live_bytes (const LeatSessionStaging *staging, const LeatView *view)
{
  return staging->row_bytes != 0 ? view->count * staging->row_bytes : view->capacity;
}

/* Has the session to itself, and open, until leat_session_let_go (). */
gboolean leat_session_take_open (LeatSession *self, GError **error);
/* @entries: structures that begin with their op. @kind: "source" or "sink", for the message */
gpointer leat_session_find_app (LeatSession *self, GArray *entries, const char *name, const char *kind, GError **error);
gboolean leat_session_check_count (const char *name, LeatSpec *spec, guint64 count, GError **error);
/* Around the work of a run: what is done with these buffers elsewhere is done before or after it. */
gboolean leat_session_enter_buffers (LeatSession *self, GError **error);
void leat_session_leave_buffers (LeatSession *self);
/* States that were lent and are not the session's any more: their memory is another, or it is closed. */
void leat_session_call_in_states (LeatSession *self);

/* Once for each path: the first run that can take it pays for its graph. */
gboolean leat_session_prepare_path (LeatSession *self, LeatLane *lane, LeatPath path, GError **error);
/* Runs without results before the one that has them. */
guint64 leat_session_count_steps (LeatSession *self, const LeatRun *run);
gboolean leat_session_launch_steps (LeatSession *self, LeatSessionFlight *flight, guint64 n, LeatPath *path,
                                    GError **error);
/* When the device has ended, or it is not known: nobody can call them off any more. */
void leat_session_forget_steps (LeatSession *self, LeatSessionFlight *flight);
/* The same after they have: CANCELLED where not all of them were done. */
gboolean leat_session_check_steps (LeatSession *self, LeatSessionFlight *flight, GError **error);
/* From any thread: those that are under way on the device end, as far as there are any. */
void leat_session_call_off_steps (LeatSession *self);

/* Has every port whose memory the program brings got some? */
gboolean leat_session_check_bindings (LeatSession *self, GError **error);

/* On the device from here on: for who has the session, and needs more than its staging memory. */
gboolean leat_session_bring_back (LeatSession *self, GCancellable *cancellable, GError **error);
void leat_session_drop_evicted (LeatSession *self);
/* What further lanes keep for themselves while they are not there (leat-session-away.c). */
GPtrArray *leat_session_away_new (void);
void leat_session_forget_away (LeatSession *self);
/* Before lanes beyond the first go: the host has it then.  FALSE: it has nothing of lanes that are there. */
gboolean leat_session_put_lanes_away (LeatSession *self, GCancellable *cancellable, GError **error);
/* When there are more of them. */
gboolean leat_session_bring_lanes_back (LeatSession *self, GError **error);
/* As take_open, and on the device. */
gboolean leat_session_take_program (LeatSession *self, GError **error);

static inline LeatSessionInput *
leat_session_get_input (LeatSession *self, guint index)
{
  return &g_array_index (self->inputs, LeatSessionInput, index);
}

static inline LeatSessionOutput *
leat_session_get_output (LeatSession *self, guint index)
{
  return &g_array_index (self->outputs, LeatSessionOutput, index);
}

void leat_session_begin_lane_counts (LeatLane *lane);
void leat_session_settle_counts (LeatSession *self);
/* A run that gives results was launched. */
static inline void
leat_session_note_predicted (LeatSession *self, LeatPath path)
{
  leat_prediction_add (&self->predicted,
                       path == LEAT_PATH_REUSED ? &self->plan->resident_prediction : &self->plan->prediction);
}
/* Of the plan as it is bound now: what kernels move across the link is not known from their nodes. */
void leat_session_list_kernel_transfers (LeatSession *self);
/* After a run, or @n that bring the same: the live bytes of these. */
void leat_session_note_kernel_transfers (LeatSession *self, LeatLane *lane, LeatPath path, guint64 n);
guint64 leat_session_get_written_bytes (LeatSession *self);

/* Steps of opening, for a prediction. */
gboolean leat_session_check_may_open (LeatSession *self, GError **error);
gboolean leat_session_plan (LeatSession *self, GError **error);
gboolean leat_session_bind_plan (LeatSession *self, GError **error);
/* Would what is planned take more than the session may? */
gboolean leat_session_check_budget (LeatSession *self, GError **error);
/* Of the device's memory, for the first lane: what must be free so that it can be opened, or come back. */
guint64 leat_session_get_needed_bytes (LeatSession *self);
/* Of @most lanes; 0: not even one. */
guint leat_session_fit_lanes (LeatSession *self, guint most);

gboolean leat_session_open_trace (LeatSession *self, GCancellable *cancellable, GError **error);
void leat_session_close_trace (LeatSession *self);
/* Is the run that is to come written to the trace? */
gboolean leat_session_is_traced (LeatSession *self);
void leat_session_trace_run (LeatSession *self, LeatSessionFlight *flight);

static inline gint64
leat_session_now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

/* For timing=nodes: what is to be known about each op, and the graph with the clocks. */
gboolean leat_session_open_timing (LeatSession *self, GError **error);
GArray *leat_session_times_new (void);
void leat_session_clear_times (LeatSession *self);
gboolean leat_session_is_next_measured (LeatSession *self);
/* How long one took that was not. */
void leat_session_note_unmeasured (LeatSession *self, gint64 us);
/* Launches a measured run, and looks at the clocks when it has ended. */
gboolean leat_session_launch_measured (LeatSession *self, LeatSessionFlight *flight, GError **error);
gboolean leat_session_read_measured (LeatSession *self, LeatSessionFlight *flight, GError **error);

/* One run of a lane: fill and launch, then wait and drain. */
LeatFlow leat_session_begin_run (LeatSession *self, LeatSessionFlight *flight, gboolean wait, GCancellable *cancellable,
                                 GError **error);
LeatFlow leat_session_end_run (LeatSession *self, LeatSessionFlight *flight, GCancellable *cancellable, GError **error);
/* Asks every source for a run's data, and gives its results to every sink.  EMPTY when one has nothing, or when all
 * have given and properties that were set meanwhile are to be taken over before the run. */
LeatFlow leat_session_fill_all (LeatSession *self, LeatSessionFlight *flight, gboolean wait, GCancellable *cancellable,
                                GError **error);
/* Is there any source that is asked for its data? */
gboolean leat_session_asks (LeatSession *self);
/* A run that was read is not begun: its data are there for the next call. */
void leat_session_keep_read (LeatSession *self, const LeatSessionFlight *flight);
/* Has every sink that does not wait for it room for the results of a run, and of @ahead before it? */
gboolean leat_session_has_room (LeatSession *self, guint64 ahead);
/* For one; FALSE, and which is full. */
gboolean leat_session_check_sinks (LeatSession *self, GError **error);
/* Is the run that is to come EMPTY for what was set alone? */
static inline gboolean
leat_session_is_read (LeatSession *self)
{
  return self->n_filled > 0 && self->n_filled == self->inputs->len;
}
/* Before it is wanted, where the source can: then it is completed, in the order in which it was begun. */
gboolean leat_session_begin_fill (LeatSession *self, LeatSessionFlight *flight);
LeatFlow leat_session_complete_fill (LeatSession *self, LeatSessionFlight *flight, GError **error);
gboolean leat_session_drain_all (LeatSession *self, LeatSessionFlight *flight, GCancellable *cancellable,
                                 GError **error);
/* The same in steps, for who has several under way: the first and the last come each from a thread of its own. */
LeatFlow leat_session_read_run (LeatSession *self, LeatSessionFlight *flight, gboolean wait, GCancellable *cancellable,
                                GError **error);
/* Of a streamed run: begins to read, and waits until it has been read.  FALSE: it is for leat_session_read_run (). */
gboolean leat_session_begin_read (LeatSession *self, LeatSessionFlight *flight);
LeatFlow leat_session_complete_read (LeatSession *self, LeatSessionFlight *flight, GError **error);
gboolean leat_session_start_run (LeatSession *self, LeatSessionFlight *flight, GError **error);
gboolean leat_session_await_run (LeatSession *self, LeatSessionFlight *flight, GError **error);
gboolean leat_session_give_run (LeatSession *self, LeatSessionFlight *flight, GCancellable *cancellable,
                                GError **error);
/* Parts of these.  Others may look at the last device time when the run has ended and nobody has the session. */
static inline void
leat_session_note_last (LeatSession *self, gint64 device_us)
{
  __atomic_store_n (&self->last_device_us, device_us, __ATOMIC_RELAXED);
}

/* What is on the device is known only when a run has completed; from before the launch until then it is nothing. */
static inline void
leat_session_note_on_device (LeatSession *self, gboolean completed)
{
  for (guint i = 0; i < self->inputs->len; i++)
    {
      LeatSessionInput *input = leat_session_get_input (self, i);

      input->on_device = completed ? input->generation : 0;
    }
}

gboolean leat_session_check_run (LeatSession *self, LeatSessionFlight *flight, GError **error);
/* The wait has failed with @error: where a persistent kernel was ended because the run took too long, that leaves the
 * device as it was. */
/* From the launch of a run with loops to its end (@lane; NULL: of all) others may call them off. */
void leat_session_watch_loops (LeatSession *self, LeatSessionFlight *flight);
void leat_session_forget_loops (LeatSession *self, LeatLane *lane);
void leat_session_call_off_loops (LeatSession *self);
void leat_session_note_runaway (LeatSession *self, LeatSessionFlight *flight, GError **error);
static inline void
leat_session_note_device_us (LeatSession *self, gint64 device_us)
{
  LeatSessionStats *stats = &self->stats;

  if (stats->runs_timed++ == 0)
    stats->device_min_us = G_MAXINT64;
  leat_monitored_note_time (&self->monitored, device_us);
  stats->device_us += device_us;
  leat_session_note_last (self, self->last_device_us + device_us);
  stats->device_min_us = MIN (stats->device_min_us, device_us);
  stats->device_max_us = MAX (stats->device_max_us, device_us);
}

/* Short runs, see leat-session-quick.c.  Of a session that is taken: FALSE where this run cannot be one, and nothing
 * was done. */
gboolean leat_session_replay_quickly (LeatSession *self, GCancellable *cancellable, LeatFlow *flow, GError **error);
/* After a run that was not. */
gboolean leat_session_may_be_quick (LeatSession *self);
/* Must all that was launched before it have ended before this one is? */
gboolean leat_session_needs_quiet (LeatSession *self, const LeatSessionFlight *flight);

/* The bus is told; the only part of a run that allocates. */
void leat_session_post_progress (LeatSession *self);

G_END_DECLS
