/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "graph/leat-app.h"
#include "leat-lane-private.h"
#include "leat-monitored-private.h"
#include "leat-run-private.h"
#include "leat-session-stats-private.h"
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

G_BEGIN_DECLS

/* After so many runs the graph of one op has paid for itself: 24 on an H200, where to instantiate it takes 42 us and
 * its launch saves at most 1.8 us, and 33 on an H100. */
#define LEAT_SESSION_RUNS_TO_SETTLE 32

#define LEAT_SESSION_TRIALS_US           250000.0
#define LEAT_SESSION_PERSISTENT_IDLE_MS  20
#define LEAT_SESSION_PERSISTENT_LIMIT_MS 1000
#define LEAT_LANES_AUTO                  3 /* where nobody says how many, at the most */

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

/* Room that an output was given since the session is open, because a run needed it. */
typedef struct
{
  char *output;
  guint64 needed, from, to;
} LeatGrowth;

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

/* The run that is launched is given up; for who closes. */
#define LEAT_SESSION_DROPPED 0

void leat_session_set_plan (LeatSession *self, LeatPlan *plan);

/* Data that a call brings (leat-session-given.c).  Between begin and end, queues are left alone, and what is in the
 * memory of inputs otherwise is there again after it. @before: from begin */
typedef struct _LeatGivenBefore LeatGivenBefore;

static inline LeatSessionFlight *
leat_session_get_flight (LeatSession *self, guint index)
{
  return &g_array_index (self->flights, LeatSessionFlight, index);
}

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

/* A run that gives results was launched. */
static inline void
leat_session_note_predicted (LeatSession *self, LeatPath path)
{
  leat_prediction_add (&self->predicted,
                       path == LEAT_PATH_REUSED ? &self->plan->resident_prediction : &self->plan->prediction);
}

/* Is the run that is to come EMPTY for what was set alone? */
static inline gboolean
leat_session_is_read (LeatSession *self)
{
  return self->n_filled > 0 && self->n_filled == self->inputs->len;
}
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

G_END_DECLS
