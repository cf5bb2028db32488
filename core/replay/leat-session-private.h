/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-lane-private.h"
#include "leat-session.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 runs;
  guint64 items_in, bytes_in, bytes_out;
  gint64 opened_us, first_us;                   /* time that open took; from open to the first result */
  gint64 plan_us, attach_us, load_us, build_us; /* parts of opened_us: plan, device, kernels, lanes with their graphs */
  gint64 source_us, device_us, sink_us;         /* sums over the runs */
  gint64 device_min_us, device_max_us;
} LeatSessionStats;

/* Who has the session to itself.  What is not said to be otherwise below is that one's only. */
typedef enum
{
  LEAT_SESSION_FREE,
  LEAT_SESSION_CHANGING, /* opens, closes, or looks whether it may run */
  LEAT_SESSION_RUNNING,
} LeatSessionUse;

struct _LeatSession
{
  GObject parent_instance;

  LeatPipeline *pipeline;
  char *selector;
  LeatExecutor executor;

  LeatPlan *plan;
  LeatDevice *device;
  LeatResident *resident;
  GPtrArray *lanes;   /* LeatLane */
  GPtrArray *sources; /* LeatOp of kind SOURCE */
  GPtrArray *sinks;   /* LeatOp of kind SINK */
  guint n_filled;     /* sources that have given data for the run that is to come */
  guint started;      /* endpoints that stop () must be called on */
  gint is_open;       /* atomic; changed only by who has the session */
  gboolean flushed;
  gboolean ended;  /* and the sinks have finished */
  gboolean failed; /* in a run: what comes next would have a hole */
  gint closing;    /* atomic: the run that is under way must end */
  gint use;        /* atomic: LeatSessionUse */
  gint64 open_since_us;
  gint64 last_progress_us;
  guint64 total_bytes;
  LeatSessionStats stats;
  GMutex told_lock;
  LeatSessionStats told; /* the stats as any thread may see them */
};

gboolean leat_session_start_endpoints (LeatSession *self, GError **error);
gboolean leat_session_finish_endpoints (LeatSession *self, GError **error);
void leat_session_stop_endpoints (LeatSession *self);
void leat_session_unblock_endpoints (LeatSession *self);

/* FALSE when another thread has it. */
gboolean leat_session_take (LeatSession *self, GError **error);
void leat_session_let_go (LeatSession *self);
/* As take, after the run that is under way, if any, has been called off. */
void leat_session_take_over (LeatSession *self);
void leat_session_let_go_over (LeatSession *self);
void leat_session_tell_stats (LeatSession *self);

/* One run of a lane: fill, launch, wait, drain. */
LeatFlow leat_session_run_once (LeatSession *self, LeatLane *lane, gboolean wait, GCancellable *cancellable,
                                GError **error);

G_END_DECLS
