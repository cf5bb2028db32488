/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-overseer-private.h"
#include "leat-recall-private.h"
#include "leat-repeating-private.h"
#include "leat-session.h"
#include "leat-session-watch-private.h"
#include "leat-shapes-private.h"

#include "buffer/leat-device-buffer-private.h"
#include "graph/leat-app.h"
#include "lane/leat-address-map-private.h"
#include "lane/leat-run-private.h"
#include "lane/leat-waiter-private.h"
#include "state/leat-states-private.h"
#include "tune/leat-tuning-private.h"

G_BEGIN_DECLS

/* The parts of a session.  Each is for the owner of the session only, unless a comment says otherwise; some types stand
 * in headers of their names. */

/* One source of a session.  A generation is a number for what its staging memory holds; 0 is none. */
typedef struct
{
  LeatOp *op;
  LeatBuffer *buffer;
  LeatApp *app;     /* NULL: another kind of source */
  const char *name; /* of the node, which has it as long as the session is open */
  LeatStaging staging;
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
  LeatStaging staging;
  gboolean direct; /* the program reads the staging memory itself */
} LeatSessionOutput;

/* The memory that the constants of a plan take. */
typedef struct
{
  guint64 own_bytes, written_bytes; /* of the device's memory, and of what is written there */
  guint64 n_own;
  guint64 shared_bytes; /* that are there already */
  gboolean was_lost;    /* some of these were made all the same: another session was faster */
} LeatConstantBytes;

/* The options that the application asks for. */
typedef struct
{
  char *selector;
  LeatExecutor executor;
  LeatEarlyStart early_start;
  guint persistent_idle_ms, persistent_limit_ms, persistent_multiprocessors; /* see LeatPersistentLimits */
  gboolean reuse; /* leave uploads out where the inputs are what they were */
  guint64 repeat; /* runs on each set of inputs */
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
  guint64 budget;         /* of the device's memory; 0: none of its own */
  guint batch_most;       /* entries in one launch; 0: what suits */
  guint n_lanes;          /* that are wanted; 0: whatever pays */
  gboolean never_settled; /* for comparisons */
} LeatSessionOptions;

/* Whether a session has an owner: the thread that has it to itself. */
typedef enum
{
  LEAT_SESSION_FREE,
  LEAT_SESSION_CHANGING, /* opens, closes, or looks whether it may run */
  LEAT_SESSION_RUNNING,
  LEAT_SESSION_LAUNCHED, /* nobody: the device is at work, and somebody will complete the run */
} LeatSessionUse;

/* Who has the session, and may it run?  (leat-session-hold.c) */
typedef struct
{
  gint use;           /* atomic: LeatSessionUse */
  gint is_open;       /* atomic; changed only by the owner of the session */
  gboolean failed;    /* in a run: what comes next would have a hole */
  gint closing;       /* atomic: the run that is under way must end */
  gint parting;       /* atomic: a former overseer has a run of it under way */
  gboolean is_pushed; /* the context is current while it runs */
  gboolean
    settled; /* the next run is like the last, and nobody has had the session since: leat_session_may_settle () */
} LeatSessionHold;

/* Where data enter and leave (leat-session-endpoints.c, leat-session-flow.c). */
typedef struct
{
  GArray *inputs;         /* LeatSessionInput */
  GArray *outputs;        /* LeatSessionOutput */
  GPtrArray *endpoints;   /* LeatNode, not owned: of inputs and outputs, from start to stop */
  guint started;          /* endpoints that stop () must be called on */
  guint n_filled;         /* sources that have given data for the run that is to come */
  gboolean flushed;       /* the run that gives out what nodes kept was begun */
  gboolean ended;         /* and the sinks have finished */
  guint64 total_bytes;    /* of sources that know; 0: nobody does */
  gboolean watches_waits; /* to find out whether lanes pay, how long sources and sinks wait is looked at: */
  gint64 waited_us;       /* that long */
  LeatInputWatch watch;   /* (nullable): is told what sources gave */
  gpointer watch_data;
} LeatSessionEnds;

/* Memory that the application brings (leat-session-bind.c). */
typedef struct
{
  LeatAddressMap *address_map;   /* NULL before the first binding */
  GPtrArray *held;               /* LeatDeviceBuffer, by slot: those that are bound; NULL before the first */
  guint next_input, next_output; /* that are likely to be bound next */
} LeatSessionBindings;

/* Somebody waits for a run without the session (leat-session-launch.c, leat-session-async.c). */
typedef struct
{
  LeatWaiter *waiter;   /* from when somebody first wants to be told of the end of a run; kept over close () */
  GSource *task_source; /* of the replay_async () that is under way */
} LeatSessionAwait;

/* Memory that sessions take turns in (leat-scratch.c). */
typedef struct
{
  LeatScratch *used;   /* that the first lane is in; NULL: in memory of its own */
  LeatScratch *wanted; /* that it shall be in; atomic, under the lock of what is told */
} LeatSessionScratch;

/* The overseer, which has it run among others (leat-session-overseer.c). */
typedef struct
{
  GWeakRef overseer; /* under the lock of what is told */
  const LeatOverseerClass *overseer_class;
  gint64 last_device_us; /* atomic: of the last run, with its repetitions */
} LeatSessionOverseen;

/* Many runs, until the sources end (../stream/). */
typedef struct
{
  const LeatPlan *not_wide; /* not owned: one that is known not to be streamed with many runs in a launch */
  gint64 last_progress_us;
} LeatStreaming;

G_END_DECLS
